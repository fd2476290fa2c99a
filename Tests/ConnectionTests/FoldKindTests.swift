import Tenon
import Testing

@testable import TenonRuntime

/// Formulas over all elements of a collection, of every form: the values of the messages, from the
/// elements that have changed.
@Suite struct FoldKindTests {
  struct Kind: CustomTestStringConvertible {
    let name: String
    let formula: String
    /// What the collection is made of.
    var isOfObjects = false
    /// Whether what is read of an element changes with it.
    var choosesReads = false

    var testDescription: String { name }
  }

  static let kinds = [
    Kind(name: "sum", formula: "list sum"),
    Kind(name: "average", formula: "list average"),
    Kind(name: "max", formula: "list max"),
    Kind(name: "min", formula: "list min"),
    Kind(name: "range", formula: "list[3 to: 12] sum"),
    Kind(name: "count", formula: "list count: [ :e | e > 10 ]"),
    Kind(name: "size", formula: "(list reject: [ :e | e > 10 ]) size"),
    Kind(name: "collect", formula: "(list collect: [ :e | e * factor + 1 ]) sum"),
    Kind(
      name: "select", formula: "((list select: [ :e | e > 0 ]) collect: [ :e | e * 2 ]) average"),
    Kind(name: "greatest", formula: "list max: [ :e | 0 - e ]"),
    Kind(name: "least of some", formula: "(list select: [ :e | e < 20 ]) min"),
    Kind(name: "joined sums", formula: "list inject: 100 into: [ :a :b | a + b ]"),
    Kind(name: "joined extremes", formula: "list inject: 5 into: [ :a :b | a max: b ]"),
    Kind(name: "reduced", formula: "list reduce: [ :a :b | a min: b ]"),
    Kind(name: "of a property", formula: "list sum: [ :o | o price ]", isOfObjects: true),
    Kind(
      name: "of chosen objects",
      formula: "(list select: [ :o | o isIn ]) max: [ :o | o price * factor ]", isOfObjects: true,
      choosesReads: true),
    Kind(
      name: "of dear objects",
      formula: "(list select: [ :o | o price > 0 ]) sum: [ :o | o price * factor ]",
      isOfObjects: true),
    Kind(name: "of listed places", formula: "#(a, cell:A1, cell:A2, a, b) sum"),
  ]

  /// Makes numbers of all kinds: mostly such as a table holds, some that it cannot hold.
  private static let numbers = """
    next := [ | n kind | n := generator between: -50 and: 50. kind := generator between: 1 and: 400.
      kind <= 40 ifTrue: [ n / (generator between: 1 and: 9) ] ifFalse: [
      kind <= 240 ifTrue: [ n ] ifFalse: [
      kind <= 396 ifTrue: [ n / 4.0 ] ifFalse: [
      #(0.1, Float nan, 1.0e300, 123456789012345678901234567890)[kind - 396] ] ] ] ].
    """

  private static func script(_ kind: Kind, size: Int, seed: UInt64) -> String {
    """
    class Order { var price. var isIn. -price { ^price } -isIn { ^isIn }
      -price: p { price := p } -isIn: b { isIn := b } }
    generator := Random seed: \(seed % 1_000_000). factor := 2. wrong := 0. total := 0.
    \(numbers)
    a := 1. b := 2. scheme:cell := MemoryStore new. cell:A1 := 3. cell:A2 := 4.
    makeOrder := [ Order new price: next value; isIn: (generator between: 0 and: 1) = 1; yourself ].
    list := OrderedCollection withAll: ((1 to: \(size)) collect: [ :i |
      \(element(kind)) ]).
    total |= \(kind.formula).
    place := [ generator between: 1 and: list size ].
    step := [ | what |
      what := generator between: 1 and: 200.
      what = 1 ifTrue: [ list add: \(element(kind)). list removeFirst ].
      what = 2 ifTrue: [ factor := generator between: 1 and: 5 ].
      what = 3 ifTrue: [ list[place value] := \(element(kind)) ].
      what > 3 ifTrue: [
        \(change(kind)) ] ].
    """
  }

  private static func element(_ kind: Kind) -> String {
    kind.isOfObjects ? "makeOrder value" : "next value"
  }

  private static func change(_ kind: Kind) -> String {
    if kind.name == "of listed places" {
      return """
        what \\\\ 4 = 0 ifTrue: [ a := next value ]. what \\\\ 4 = 1 ifTrue: [ b := next value ].
        what \\\\ 4 = 2 ifTrue: [ cell:A1 := next value ]. what \\\\ 4 = 3 ifTrue: [ cell:A2 := next value ]
        """
    }
    return kind.isOfObjects
      ? "(generator between: 1 and: 4) = 1 ifTrue: [ list[place value] isIn: what even ] "
        + "ifFalse: [ list[place value] price: next value ]"
      : "list[place value] := next value"
  }

  /// Random changes, 10,000 in full size, each compared with what the message answers.
  @Test(arguments: kinds) func equalToRecomputation(_ kind: Kind) throws {
    try onThread {
      let program = Program()
      try program.run(Self.script(kind, size: 16, seed: testSeed))
      let answer = try program.print(
        """
        [ | count | count := 0.
          [ count < \(isFullSize ? 10_000 : 2_000) and: [ wrong = 0 ] ] whileTrue: [ | said |
            step value. count := count + 1.
            said := [ (\(kind.formula)) printString ] on: Error do: [ :e | nil ].
            (said isNil or: [ said = total printString ]) ifFalse: [ wrong := count ] ].
          wrong ] value
        """)
      #expect(answer == "0", "\(kind.name), seed \(testSeed): differs after so many changes")
    }
  }
  /// A change of an element has one element looked at, however many there are.
  @Test(arguments: kinds.filter { !$0.choosesReads })
  func oneElementForAChange(_ kind: Kind) throws {
    try onThread {
      let program = Program()
      let exact = "next := [ (generator between: -99 and: 99) / (generator between: 1 and: 3) ]."
      try program.run(
        Self.script(kind, size: 500, seed: testSeed).replacing(Self.numbers, with: exact))
      let graph = program.interpreter.machine.graph
      #expect(graph.activeFolds.foldCount == 1, "\(kind.name)")
      let reads = graph.activeFolds.foldReads
      let runs = program.runCount
      try program.run(
        "300 timesRepeat: [ | what | what := generator between: 4 and: 200. \(Self.change(kind)) ]")
      // A number that is listed twice is looked at twice.
      #expect(graph.activeFolds.foldReads - reads <= 2 * 300, "\(kind.name), seed \(testSeed)")
      #expect(program.runCount - runs <= 300, "\(kind.name), seed \(testSeed)")
      #expect(graph.activeFolds.foldCount == 1, "\(kind.name), seed \(testSeed)")
      #expect(try program.print("total = (\(kind.formula))") == "true", "seed \(testSeed)")
    }
  }
}
