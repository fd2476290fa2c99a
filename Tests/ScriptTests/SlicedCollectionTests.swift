import Testing

@testable import Tenon
@testable import TenonRuntime

/// A collection in slices, with a program in between that moves references to where the collector
/// has been already.
@Suite struct SlicedCollectionTests {
  /// One way to write a reference.
  struct Writer: CustomTestStringConvertible, Sendable {
    let name: String
    /// Makes `black`, which the collector will have scanned.
    let black: String
    /// Lets something that `black` reaches refer to `hidden`.
    let store: String
    /// Answers what was stored.
    let read: String

    init(_ name: String, _ black: String, _ store: String, _ read: String) {
      self.name = name
      self.black = black
      self.store = store
      self.read = read
    }

    var testDescription: String { name }
  }

  static let writers = [
    Writer("setter", "Box new", "black value: hidden", "black value"),
    Writer("instance variable", "Box new", "black keep: hidden", "black value"),
    Writer("instance variable in a block", "Box new", "black keepInBlock: hidden", "black value"),
    Writer("variable of a class", "Box new", "Box shared: hidden", "Box shared"),
    Writer("variable of the script", "nil", "kept := hidden", "kept"),
    Writer(
      "context variable", "Box pair", "(black at: 1) value: hidden", "(black at: 2) value"),
    Writer(
      "context variable further out", "Box pair", "(black at: 3) value: hidden",
      "(black at: 2) value"),
    Writer("array element", "Array new: 3", "black[2] := hidden", "black[2]"),
    Writer(
      "array message", "Array new: 3", "black perform: #at:put: with: 2 with: hidden", "black[2]"),
    Writer("whole array", "Array new: 3", "black atAllPut: hidden", "black last"),
    Writer("long array", "Array new: 5000", "black[4000] := hidden", "black[4000]"),
    Writer("whole long array", "Array new: 5000", "black atAllPut: hidden", "black[4999]"),
    Writer(
      "swap", "Array with: 1 with: 2", "black[1] := hidden. black swap: 1 with: 2", "black[2]"),
    Writer("dictionary", "Dictionary new", "black at: 1 put: hidden", "black at: 1"),
    Writer(
      "dictionary entry", "(Dictionary new at: 1 put: 2; yourself)", "black at: 1 put: hidden",
      "black at: 1"),
    Writer("dictionary key", "Dictionary new", "black at: hidden put: 1", "black keys first"),
    Writer("set", "Set new", "black add: hidden", "black asArray first"),
    Writer(
      "ordered collection", "(OrderedCollection new add: 1; yourself)", "black add: hidden",
      "black last"),
    Writer(
      "ordered collection, in front", "(OrderedCollection new addFirst: 1; yourself)",
      "black addFirst: hidden", "black first"),
    Writer(
      "ordered collection, growing", "OrderedCollection new",
      "black add: hidden. 1 to: 40 do: [ :i | black add: i ]", "black first"),
    Writer(
      "ordered collection, element", "(OrderedCollection new add: 1; yourself)",
      "black[1] := hidden", "black[1]"),
    Writer(
      "stream", "(WriteStream on: #())", "black nextPut: hidden", "black contents first"),
    Writer(
      "stream, many", "(WriteStream on: #())", "black nextPutAll: (Array with: 1 with: hidden)",
      "black contents last"),
    Writer("property path", "Box new", "var:black/value := hidden", "black value"),
    Writer("watched variable", "Watched new", "black first: hidden", "black first"),
    Writer("store in memory", "nil", "mem:kept := hidden", "mem:kept"),
    Writer("added variable", "Old new", "black added: hidden", "black added"),
    Writer(
      "copy with added variables", "(Array with: Old new with: nil)",
      "black first added: hidden. black at: 2 put: black first shallowCopy. black at: 1 put: nil",
      "black last added"),
    Writer(
      "copy", "Array new: 1", "black[1] := (Array with: hidden) shallowCopy", "black[1] first"),
    Writer("closure", "Array new: 1", "black[1] := Box closureOf: hidden", "black[1] value"),
  ]

  private static let definitions = """
    class Link { var next. var value. }
    class Box {
      classvar Shared.
      var value.
      -keep: x { value := x }
      -keepInBlock: x { [ value := x ] value }
      +shared: x { Shared := x }
      +shared { ^Shared }
      +pair { | kept | kept := nil.
        ^Array with: [ :x | kept := x ] with: [ kept ] with: [ :x | [ kept := x ] value ] }
      +closureOf: x { ^[ x ] }
    }
    class Watched { var first. var second. second |= first isNil. }
    class Old { var one. }
    """

  /// An interpreter that collects only when told to.
  private final class Stepper {
    let interpreter: Interpreter
    var machine: Machine { interpreter.machine }
    var heap: Heap { machine.heap }

    init(_ options: Interpreter.Options = Interpreter.Options()) {
      interpreter = Interpreter(options)
    }

    func run(_ text: String) throws {
      // Nothing is collected while the script runs.
      heap.budget = .max / 4
      _ = try interpreter.evaluate(text)
    }

    func begin() { machine.withEntry { machine.beginSlices(work: 1) } }

    func step(work: Int) { machine.withEntry { machine.markSlice(work: work) } }

    /// Whether everything that can be reached from a value has been scanned.
    func isDone(_ value: Value) -> Bool {
      var waiting = [value]
      var seen: Set<UInt> = []
      while let value = waiting.popLast() {
        guard value.isObject, seen.insert(value.bits).inserted else { continue }
        let object = ObjectRef(value)
        guard heap.isMarked(object) else { return false }
        let isSlots = object.hasFormat(.slots)
        guard isSlots || object.hasFormat(.array) else { continue }
        guard object.flags & ObjectFlag.scanned != 0 else { return false }
        if isSlots {
          for slot in 0..<object.slotCount { waiting.append(object[slot: slot]) }
        } else {
          for index in 0..<object.elementCount { waiting.append(object[element: index]) }
        }
      }
      return true
    }

    /// Whether the last collection has kept a cell.
    func isKept(_ bits: UInt) -> Bool {
      let block = bits & ~UInt(Heap.blockSize - 1)
      return heap.isMarked(block, Int(bits & UInt(Heap.blockSize - 1)), in: heap.freeMap)
    }
  }

  /// The only reference to an object is taken from where the collector has not been, and put where
  /// it has been.
  @Test(arguments: writers) func hiding(_ writer: Writer) throws {
    let stepper = try prepare(writer.black)
    let bits = try #require(stepper.interpreter["hidden"]).value.bits
    try stepper.run("hidden := nil")
    let black = try #require(stepper.interpreter["black"])
    stepper.begin()
    while !stepper.isDone(black.value) { stepper.step(work: 1) }
    #expect(stepper.heap.isMarking)
    #expect(!stepper.heap.isMarked(ObjectRef(Value(bits: bits))))
    try stepper.run(SlicedCollectionTests.takeFromChain + "\(writer.store). hidden := nil")
    while stepper.heap.isMarking { stepper.step(work: 100) }
    try #require(stepper.isKept(bits))
    stepper.heap.poisonDeadCells()
    #expect(try stepper.interpreter.evaluate(writer.read).string == "hidden")
  }

  /// What nobody stores goes, though it lived when the collection began.
  @Test func nothingIsStored() throws {
    let stepper = try prepare("Box new")
    let bits = try #require(stepper.interpreter["hidden"]).value.bits
    try stepper.run("hidden := nil")
    stepper.begin()
    #expect(!stepper.heap.isMarked(ObjectRef(Value(bits: bits))))
    try stepper.run(SlicedCollectionTests.takeFromChain + "hidden := nil")
    while stepper.heap.isMarking { stepper.step(work: 100) }
    #expect(!stepper.isKept(bits))
  }

  /// The check that the interpreter makes when it tests itself finds a store the collector was not
  /// told of.
  @Test func theCheckFindsWhatWasMissed() throws {
    let stepper = try prepare("Box new")
    let heap = stepper.heap
    let bits = try #require(stepper.interpreter["hidden"]).value.bits
    try stepper.run("hidden := nil")
    let black = try #require(stepper.interpreter["black"])
    stepper.begin()
    while !stepper.isDone(black.value) { stepper.step(work: 1) }
    try stepper.run(SlicedCollectionTests.takeFromChain + "hidden := nil")
    ObjectRef(black.value).initialize(slot: 0, to: Value(bits: bits))
    stepper.machine.withEntry {
      heap.drain()
      heap.verifyMarks {
        for cell in stepper.machine.session.cells.values { heap.mark(Value(cell)) }
        heap.drain()
      }
    }
    #expect(heap.missedObjects == 1)
    #expect(heap.isMarked(ObjectRef(Value(bits: bits))))
  }

  private static let takeFromChain = """
    link := chain. [ link next isNil ] whileFalse: [ link := link next ].
    hidden := link value. link value: nil. link := nil.

    """

  /// An interpreter with a long chain, to whose end it takes many steps, and `hidden` there.
  private func prepare(_ black: String) throws -> Stepper {
    let stepper = Stepper()
    try stepper.run(SlicedCollectionTests.definitions)
    try stepper.run(
      """
      var kept. var link. var hidden := 'hid' , 'den'. var black := \(black).
      var chain := Link new value: hidden; yourself.
      1 to: 500 do: [ :i | chain := Link new next: chain; yourself ].
      class Old { var one. var added. }
      """)
    return stepper
  }

  // MARK: Pace

  /// A slice does no more than it may, however long the arrays are: each word that is looked at
  /// marks one object at most, and an array is scanned in parts.
  @Test func aSliceIsBounded() throws {
    let stepper = Stepper()
    let heap = stepper.heap
    try stepper.run("all := (1 to: 100000) asArray collect: [ :i | nil => i ]")
    stepper.begin()
    var steps: [Int] = []
    var isDone = false
    while !isDone {
      let before = heap.markedBytes
      isDone = heap.drain(work: 1000)
      steps.append(heap.markedBytes - before)
    }
    #expect(steps.count > 100)
    // One of them has marked the array itself.
    #expect(steps.count { $0 > 3000 * 32 } <= 1)
  }

  /// A program drops all it has when the collector has been there, and builds as much again: what
  /// died while the collection went on is no reason to fail.
  @Test func garbageOfACollectionDoesNotCount() throws {
    let limit = 6 << 20
    var options = Interpreter.Options()
    options.memoryLimit = limit
    let stepper = Stepper(options)
    let heap = stepper.heap
    try stepper.run("list := nil. 1 to: 100000 do: [ :i | list := list => i ]")
    let list = try #require(stepper.interpreter["list"]).value
    stepper.begin()
    while !heap.isMarked(ObjectRef(list)) { stepper.step(work: 1) }
    while !heap.partlyScanned.isEmpty || !heap.markStack.isEmpty { _ = heap.drain(work: 1000) }
    try stepper.run("list := nil. 1 to: 100000 do: [ :i | list := list => i ]")
    let bytesOfBoth = 2 * 100_000 * 32
    #expect(bytesOfBoth > limit)
    while heap.isMarking { stepper.step(work: 1000) }
    #expect(heap.liveBytes < limit)
    #expect(try stepper.interpreter.evaluate("list value + list key value").integer == 199_999)
  }

  /// A collection ends though the program changes all there is between two slices.
  @Test func changingEverything() throws {
    let outcome = onThread(stackSize: 16 << 20) {
      var options = Interpreter.Options()
      options.memoryLimit = 64 << 20
      options.recordsPauses = true
      let interpreter = Interpreter(options)
      let text = """
        | all |
        all := (1 to: 100000) asArray collect: [ :i | nil => i ].
        1 to: 15 do: [ :round |
          | last |
          last := nil => 0.
          all do: [ :each | each key: last. last := each => nil ] ].
        (all collect: [ :each | each value ]) sum
        """
      let value = (try? interpreter.evaluate(text))?.integer
      let heap = interpreter.machine.heap
      return (value, interpreter.collectorPauses.count(where: \.isSlice), heap.collectionCount)
    }
    #expect(outcome.0 == 5_000_050_000)
    #expect(outcome.1 > 50)
    #expect(outcome.2 > 4)
  }
}
