internal import TenonTables

// Formulas in Swift code. What a turn needs of them lies in a row, in the order in which they were
// made: objects of their own would lie where the allocator has room, and with many formulas fetching
// each would take longer than running it.

/// What a formula in Swift code does.
enum NativeCode {
  /// Computes the value from the cells it reads.
  case values((NativeInputs) -> Value)
  /// Computes an integer from integers.
  case integers((IntegerInputs) -> Int)
}

/// What a formula in Swift code does, as its record has it: a turn calls it where it stands, without
/// counting references.
private enum RecordedCode: ~Copyable {
  case values((NativeInputs) -> Value)
  case integers((IntegerInputs) -> Int)

  init(_ code: NativeCode) {
    switch code {
    case .values(let compute): self = .values(compute)
    case .integers(let compute): self = .integers(compute)
    }
  }

  var code: NativeCode {
    switch self {
    case .values(let compute): .values(compute)
    case .integers(let compute): .integers(compute)
    }
  }

  @inline(__always)
  func callAsFunction(_ inputs: NativeInputs) -> Value {
    switch self {
    case .values(let compute): compute(inputs)
    case .integers(let compute): Value(small: compute(IntegerInputs(inputs)))
    }
  }
}

/// What running a formula in Swift code needs: a cache line.
@safe
struct NativeRecord: ~Copyable {
  /// Where the values of the first two cells stand that it reads, nil for places that are no plain
  /// slots; for more than two, `first` is where all of that stands.
  var first: UnsafeRawPointer?
  var second: UnsafeRawPointer?
  /// The numbers of the first two cells; for more than two they stand behind the addresses.
  var numbers: (Int32, Int32) = (-1, -1)
  /// How many cells it reads.
  let count: Int32
  fileprivate let code: RecordedCode
  let graph: Unmanaged<ConnectionGraph>

  /// How many cells a record has room for.
  @inline(__always) static var room: Int { 2 }

  init(count: Int, _ code: NativeCode, _ graph: ConnectionGraph) {
    unsafe first = nil
    unsafe second = nil
    self.count = Int32(clamping: count)
    self.code = RecordedCode(code)
    unsafe self.graph = Unmanaged.passUnretained(graph)
  }
}

/// The records of a graph: they stay where they are until they are given back.
@safe
final class NativeTable {
  private static var pageSize: Int { 64 }

  private var pages: [UnsafeMutablePointer<NativeRecord>] = unsafe []
  private var free: [UnsafeMutablePointer<NativeRecord>] = unsafe []
  /// How many records the last page has room for.
  private var room = 0

  func makeRecord(_ record: consuming NativeRecord) -> UnsafeMutablePointer<NativeRecord> {
    let place: UnsafeMutablePointer<NativeRecord>
    if let known = unsafe free.popLast() {
      unsafe place = known
    } else {
      if room == 0 { addPage() }
      unsafe place = pages[pages.count - 1] + (NativeTable.pageSize - room)
      room -= 1
    }
    unsafe place.initialize(to: record)
    return unsafe place
  }

  /// Gives the record of a formula back that does not run.
  func remove(_ formula: NativeFormula) {
    let record = unsafe formula.record
    if unsafe Int(record.pointee.count) > NativeRecord.room {
      unsafe record.pointee.first?.deallocate()
    }
    unsafe record.deinitialize(count: 1)
    unsafe free.append(record)
  }

  private func addPage() {
    let size = NativeTable.pageSize * MemoryLayout<NativeRecord>.stride
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
    unsafe pages.append(
      memory.bindMemory(to: NativeRecord.self, capacity: NativeTable.pageSize))
    room = NativeTable.pageSize
  }

  // The graph has given all records back.
  deinit { unsafe pages.forEach { unsafe $0.deallocate() } }
}

/// What a formula in Swift code does, and what it reads, without reference counting: the record is kept
/// until the formula is over, one that has ended while it was running included.
@safe
struct NativeFormula {
  fileprivate let record: UnsafeMutablePointer<NativeRecord>

  /// What stands for it in the table of formulas.
  @inline(__always)
  init?(word: UInt) {
    guard let record = unsafe UnsafeMutablePointer<NativeRecord>(bitPattern: word) else {
      return nil
    }
    unsafe self.record = record
  }

  init(graph: ConnectionGraph, inputs: [CellID], _ code: NativeCode) {
    var record = NativeRecord(count: inputs.count, code, graph)
    if inputs.count > NativeRecord.room {
      // The numbers of the cells stand behind the addresses: two for each word.
      let words = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(
        capacity: inputs.count + (inputs.count + 1) / 2)
      unsafe record.first = UnsafeRawPointer(words)
    }
    unsafe self.record = graph.natives.makeRecord(record)
    let view = unsafe NativeInputs(self.record)
    for (index, input) in inputs.enumerated() {
      let cell = graph.hot[input.rawValue]
      let isSlot = cell.kind == .slot
      let address =
        unsafe isSlot ? UnsafeRawPointer(ObjectRef(cell.object).address(ofSlot: cell.slot)) : nil
      unsafe (view.addresses + index).initialize(to: address)
      unsafe (view.numbers + index).initialize(to: input.rawValue)
    }
  }

  /// The cells it reads.
  var inputs: [CellID] {
    let view = unsafe NativeInputs(record)
    return (0..<view.count).map { view.cell($0) }
  }

  /// What it does.
  var code: NativeCode { unsafe record.pointee.code.code }

  /// Stands for it in the table of formulas.
  var word: UInt { unsafe UInt(bitPattern: record) }

  @inline(__always)
  func compute() -> Value { unsafe record.pointee.code(NativeInputs(record)) }
}

/// What a formula in Swift code reads; good while it runs.
@safe
struct NativeInputs {
  private let record: UnsafeMutablePointer<NativeRecord>

  @inline(__always)
  init(_ record: UnsafeMutablePointer<NativeRecord>) {
    unsafe self.record = unsafe record
  }

  @inline(__always)
  var count: Int { unsafe Int(record.pointee.count) }

  /// Where the values stand; nil for places that are no plain slots.
  @inline(__always)
  fileprivate var addresses: UnsafeMutablePointer<UnsafeRawPointer?> {
    // A record begins with the first addresses.
    let words =
      unsafe count > NativeRecord.room
      ? UnsafeMutableRawPointer(mutating: record.pointee.first) : UnsafeMutableRawPointer(record)
    return unsafe (words ?? UnsafeMutableRawPointer(record))
      .assumingMemoryBound(to: UnsafeRawPointer?.self)
  }

  /// The numbers of the cells.
  fileprivate var numbers: UnsafeMutablePointer<Int32> {
    unsafe UnsafeMutableRawPointer(addresses + max(count, NativeRecord.room))
      .assumingMemoryBound(to: Int32.self)
  }

  /// A cell that it reads, `0 ..< count`.
  func cell(_ index: Int) -> CellID {
    assert(index >= 0 && index < count)
    return CellID(unsafe numbers[index])
  }

  /// The value of an input, `0 ..< count`.
  @inline(__always)
  subscript(index: Int) -> Value {
    assert(index >= 0 && index < count)
    if let address = unsafe addresses[index] { return unsafe address.load(as: Value.self) }
    return unsafe record.pointee.graph._withUnsafeGuaranteedRef { graph in
      graph.machine.currentValue(of: cell(index)) ?? .nil
    }
  }
}

/// The inputs of a formula over integers.
@safe
package struct IntegerInputs {
  let inputs: NativeInputs
  @usableFromInline let addresses: UnsafePointer<UnsafeRawPointer?>
  /// How many there are.
  package let count: Int

  @inline(__always)
  init(_ inputs: NativeInputs) {
    self.inputs = inputs
    unsafe addresses = unsafe UnsafePointer(inputs.addresses)
    count = inputs.count
  }

  /// An input, `0 ..< count`; 0 when it is no small integer.
  @inlinable
  package subscript(index: Int) -> Int {
    @inline(__always) get {
      assert(index >= 0 && index < count)
      guard let address = unsafe addresses[index] else { return read(index) }
      return unsafe ValueEncoding.smallInteger(address.load(as: Int.self)) ?? 0
    }
  }

  /// Reads an input that is no plain slot.
  @usableFromInline
  func read(_ index: Int) -> Int { inputs[index].asSmallInteger ?? 0 }

  /// The sum of all of them.
  package var sum: Int {
    var sum = 0
    for index in 0..<count { sum &+= self[index] }
    return sum
  }
}
