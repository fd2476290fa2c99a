import Tenon
import Testing

@testable import TenonRuntime

/// Formulas over all elements of a collection: the values of the plain messages, without reading the
/// elements again.
@Suite struct FoldTests {
  private static let size = 200

  private static let formulas = """
    total |= list sum. mean |= list average. most |= list max. least |= list min.
    part |= list[20 to: 60] sum. top |= (list copyFrom: 3 to: 90) max.
    """
  private static let plain =
    "#(list sum, list average, list max, list min, list[20 to: 60] sum, (list copyFrom: 3 to: 90) max)"
  private static let kept = "#(total, mean, most, least, part, top)"

  /// 10,000 random changes of integers and fractions, each compared with the plain messages.
  @Test(arguments: ["Array", "OrderedCollection"])
  func exact(_ name: String) throws {
    try onThread {
      let program = Program()
      let random = "generator := Random seed: 7."
      try program.run(
        """
        \(random)
        next := [ | n | n := (generator between: -50 and: 50).
          (generator between: 1 and: 4) = 1 ifTrue: [ n / (generator between: 1 and: 9) ] ifFalse: [ n ] ].
        list := \(name) withAll: ((1 to: \(Self.size)) collect: [ :i | next value ]).
        total := 0. mean := 0. most := 0. least := 0. part := 0. top := 0. wrong := 0.
        \(Self.formulas)
        """)
      let graph = program.interpreter.machine.graph
      #expect(graph.activeFolds.foldCount == 6)
      let reads = graph.activeFolds.foldReads
      let runs = program.runCount
      try program.run(
        "10000 timesRepeat: [ list[generator between: 1 and: \(Self.size)] := next value ]")
      #expect(graph.activeFolds.foldCount == 6)
      // One element for a change and a formula that it concerns.
      #expect(graph.activeFolds.foldReads - reads <= 6 * 10_000)
      #expect(program.runCount - runs <= 6 * 10_000)
      #expect(try program.print(Self.kept) == program.print(Self.plain))
      try program.run(
        """
        500 timesRepeat: [
          list[generator between: 1 and: \(Self.size)] := next value.
          \(Self.kept) = \(Self.plain) ifFalse: [ wrong := wrong + 1 ] ]
        """)
      #expect(program["wrong"] == 0)
    }
  }

  /// Adding and removing has the elements read once.
  @Test func structure() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        list := OrderedCollection withAll: (1 to: \(Self.size)).
        total := 0. most := 0.
        total |= list sum. most |= list max.
        """)
      let graph = program.interpreter.machine.graph
      for (change, total) in [("list add: 1000", 21_100), ("list removeFirst", 21_099)] {
        let reads = graph.activeFolds.foldReads
        try program.run(change)
        #expect(program["total"] == Double(total))
        #expect(program["most"] == 1000)
        #expect(graph.activeFolds.foldReads - reads <= 2 * (Self.size + 1))
        #expect(graph.activeFolds.foldCount == 2)
      }
      let reads = graph.activeFolds.foldReads
      try program.run("list[5] := 2000")
      #expect(graph.activeFolds.foldReads - reads == 2)
      #expect(program["most"] == 2000)
    }
  }

  /// What adds up otherwise in another order is added up in the order of the message.
  @Test func floats() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        generator := Random seed: 3. wrong := 0. total := 0. mean := 0.
        list := (1 to: 50) collect: [ :i | i ].
        total |= list sum. mean |= list average.
        1000 timesRepeat: [ | place |
          place := generator between: 1 and: 50.
          list[place] := (generator between: 1 and: 30) = 1
            ifTrue: [ 0.1 * (generator between: 1 and: 99) ]
            ifFalse: [ generator between: 1 and: 99 ].
          (total = list sum and: [ mean = list average ]) ifFalse: [ wrong := wrong + 1 ] ]
        """)
      #expect(program["wrong"] == 0)
    }
  }

  /// Without connections nothing is kept.
  @Test func ended() throws {
    try onThread {
      let program = Program()
      try program.run("list := Array withAll: (1 to: 100). total := 0. k := total |= list max.")
      let graph = program.interpreter.machine.graph
      #expect(graph.activeFolds.foldCount == 1)
      try program.run("k disconnect")
      #expect(graph.activeFolds.foldCount == 0)
    }
  }
}
