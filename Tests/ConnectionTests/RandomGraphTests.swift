import TenonGrammarSupport
import Testing

/// Graphs and edits by chance against a model that recomputes everything: after each edit all
/// formulas hold, and those have run, once, that had a reason to.
@Suite struct RandomGraphTests {
  @Test(arguments: 0..<12)
  func edits(_ number: Int) throws {
    try onThread {
      var generator = RandomNumbers(seed: testSeed &+ UInt64(number))
      var model = DataflowModel.random(
        sources: Int.random(in: 1...12, using: &generator),
        nodes: Int.random(in: 1...150, using: &generator), using: &generator)
      let program = Program(collectEvery: number % 4 == 3 ? 50 : 0)
      try program.run(model.script)
      expect(program, model, "graph \(number), connected")
      for edit in 0..<60 {
        let change = randomChange(of: model, using: &generator)
        let old = program.runs
        try program.run(statement(for: change))
        let expected = model.apply(change)
        let runs = zip(program.runs, old).map { $0 - $1 }
        #expect(runs == expected, "graph \(number), edit \(edit): other runs")
        expect(program, model, "graph \(number), edit \(edit)")
      }
      #expect(program.console.text == "", "graph \(number): something was reported")
    }
  }

  /// The order of connecting makes no difference once all are connected.
  ///
  /// While a formula lacks what it reads it waits, and nothing is reported.
  @Test(arguments: 0..<8)
  func orderOfConnecting(_ number: Int) throws {
    try onThread {
      var generator = RandomNumbers(seed: testSeed &+ 1_000 &+ UInt64(number))
      var model = DataflowModel.random(
        sources: 4, nodes: Int.random(in: 2...60, using: &generator), using: &generator)
      let program = Program()
      // The variables must be known to formulas that stand before those that determine them.
      let declarations = model.values.indices.map { "var \(GraphNode.name($0))." }
      try program.run(declarations.joined(separator: "\n"))
      let order = Array(model.nodes.indices).shuffled(using: &generator)
      try program.run(model.script(nodesInOrder: order))
      model.connect(inOrder: order)
      expect(program, model, "graph \(number), connected")
      for edit in 0..<20 {
        let change = randomChange(of: model, using: &generator)
        let old = program.runs
        try program.run(statement(for: change))
        let runs = zip(program.runs, old).map { $0 - $1 }
        let expected = model.apply(change)
        #expect(runs == order.map { expected[$0] }, "graph \(number), edit \(edit): other runs")
        expect(program, model, "graph \(number), edit \(edit)")
      }
      #expect(program.console.text == "", "graph \(number): something was reported")
    }
  }
}

/// One source or several, some of them given the value that they have.
func randomChange<Generator: RandomNumberGenerator>(
  of model: DataflowModel, using generator: inout Generator
) -> [(cell: Int, value: Int)] {
  let count = Bool.random(using: &generator) ? 1 : Int.random(in: 1...4, using: &generator)
  return (0..<count).map { _ in
    let cell = Int.random(in: 0..<model.sourceCount, using: &generator)
    let isSame = Int.random(in: 0..<5, using: &generator) == 0
    return (cell, isSame ? model.values[cell] : Int.random(in: -20...40, using: &generator))
  }
}
