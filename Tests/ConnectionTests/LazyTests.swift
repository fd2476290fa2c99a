import Tenon
import TenonGrammarSupport
import Testing

@testable import TenonRuntime

/// Variables that are computed when they are read.
@Suite struct LazyTests {
  /// With nothing live no formula runs because of a change; reading runs each formula above once.
  @Test(arguments: GraphFixture.names.filter { !$0.hasPrefix("mw_") })
  func nothingLive(_ name: String) throws {
    let fixture = try GraphFixture.load(name)
    try onThread {
      let program = Program()
      var model = fixture.model
      try program.run(model.script(lazy: Set(model.nodes.indices)))
      #expect(program.runCount == 0, "\(name): formulas have run")
      expect(program, model, "\(name), connected")
      #expect(program.runs.allSatisfy { $0 == 1 }, "\(name): not one run for each cell")
      for (step, cells) in (fixture.steps ?? []).prefix(10).enumerated() {
        let change = cells.map { (cell: $0[0], value: $0[1]) }
        let before = program.runs
        try program.run(statement(for: change))
        let expected = model.apply(change)
        #expect(program.runs == before, "\(name), step \(step): formulas have run")
        expect(program, model, "\(name), step \(step)")
        let runs = zip(program.runs, before).map { $0 - $1 }
        #expect(runs == expected, "\(name), step \(step): other runs")
      }
      #expect(program.console.text == "", "\(name): something was reported")
    }
  }

  /// With the observers that a graph states live, formulas run as often as it states; those that
  /// choose what they read at most ten times more.
  @Test(arguments: GraphFixture.names.filter { !$0.hasPrefix("mw_") })
  func observers(_ name: String) throws {
    let fixture = try GraphFixture.load(name)
    try onThread {
      let program = Program()
      let model = fixture.model
      try program.run(model.script(lazy: Set(model.nodes.indices)))
      let observers = (fixture.observers ?? []).map {
        "o\($0) := 0. o\($0) |= \(GraphNode.name($0))."
      }
      try program.run(observers.joined(separator: "\n"))
      let choosing = model.nodes.count(where: \.chooses)
      for stated in [fixture.expect.evals, fixture.expect.evals_steady] {
        let stated = try #require(stated, "\(name): no number is stated")
        let before = program.runs.prefix(model.nodes.count).reduce(0, +)
        for cells in fixture.steps ?? [] {
          try program.run(statement(for: cells.map { (cell: $0[0], value: $0[1]) }))
        }
        let runs = program.runs.prefix(model.nodes.count).reduce(0, +) - before
        if choosing == 0 {
          #expect(runs == stated, "\(name): other runs than stated")
        } else {
          #expect(runs >= stated, "\(name): fewer runs than stated")
        }
      }
    }
  }

  /// Some variables are lazy, some are not, some are read: all have the values of a recomputation.
  @Test(arguments: 0..<10)
  func mixed(_ number: Int) throws {
    try onThread {
      var generator = RandomNumbers(seed: testSeed &+ 400_000 &+ UInt64(number))
      let program = Program(collectEvery: number % 5 == 4 ? 50 : 0)
      var model = DataflowModel.random(
        sources: Int.random(in: 1...6, using: &generator),
        nodes: Int.random(in: 1...80, using: &generator), using: &generator)
      let lazy = Set(
        model.nodes.indices.filter { _ in Int.random(in: 0..<4, using: &generator) > 0 })
      try program.run(model.script(lazy: lazy))
      for edit in 0..<60 {
        let what = "seed \(testSeed), graph \(number), edit \(edit)"
        let change = randomChange(of: model, using: &generator)
        var before = program.runs
        func expectFewRuns() {
          let runs = zip(program.runs, before).map { $0 - $1 }
          #expect(runs.allSatisfy { $0 <= 1 }, "\(what): a formula has run twice")
          before = program.runs
        }
        try program.run(statement(for: change))
        _ = model.apply(change)
        expectFewRuns()
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
          let cell = Int.random(in: model.values.indices, using: &generator)
          #expect(program[GraphNode.name(cell)] == Double(model.values[cell]), "\(what): \(cell)")
          expectFewRuns()
        }
        // Something begins to live, or ends.
        if edit % 7 == 3 {
          let cell = Int.random(in: model.values.indices, using: &generator)
          try program.run("k := ref:\(GraphNode.name(cell)) watch: [ :n | n ]")
        } else if edit % 7 == 6 {
          try program.run("k disconnect")
        }
      }
      expect(program, model, "seed \(testSeed), graph \(number)")
      try program.run("self connections do: [ :each | each disconnect ]. k := nil")
      program.collect()
      #expect(program.size == Program.Size(), "graph \(number): something is left")
      #expect(program.interpreter.machine.graph.laziness.lazies.isEmpty)
      #expect(program.interpreter.machine.graph.laziness.lazyReaders.isEmpty)
      #expect(!program.interpreter.machine.graph.hasStaleCells)
    }
  }
  private static let node = """
    class Node { var prev. var <lazy> v. -prev: p { prev := p } -v { ^v } -start: n { v := n }
      -connect { ^(v |= prev v + 1) } }
    """

  /// A chain whose formulas read the next one behind a message, which nobody knows of before they run:
  /// each formula runs once, on a small stack, in whatever order they were connected.
  @Test func longHiddenChain() throws {
    let count = isFullSize ? 100_000 : 10_000
    try onThread(stackSize: 1 << 19) {
      let program = Program()
      try program.run(
        """
        \(Self.node)
        first := Node new start: 1; yourself. last := first. k := nil.
        1 to: \(count) do: [ :i | | node |
          node := Node new prev: last; yourself. k := node connect. last := node ].
        """)
      #expect(program.runCount == 0)
      #expect(try program.run("last v").integer == count + 1)
      #expect(program.runCount == count)
      // What nothing has changed for is not looked at again.
      let looked = program.interpreter.machine.graph.laziness.lazyWork
      for _ in 0..<10 { #expect(try program.run("last v").integer == count + 1) }
      #expect(program.interpreter.machine.graph.laziness.lazyWork == looked)
      #expect(program.runCount == count)
      try program.run("first start: 7")
      #expect(program.runCount == count)
      #expect(try program.run("last v").integer == count + 7)
      #expect(program.runCount == 2 * count)
      #expect(program.console.text == "")
    }
  }

  /// An edit and a read in the middle of a chain run what stands between the two.
  @Test func editAndRead() throws {
    try onThread {
      let program = Program()
      let count = 500
      var script = "x0 := 0.\n"
      for index in 1...count {
        script += "y\(index) := 0. var <lazy> x\(index). "
        script += "x\(index) |= x\(index - 1) + y\(index).\n"
      }
      try program.run(script)
      #expect(try program.run("x\(count)").integer == 0)
      for (place, end) in [(1, 10), (490, 500), (250, 250), (300, 310)] {
        let before = program.runCount
        try program.run("y\(place) := y\(place) + 1")
        #expect(program.runCount == before)
        _ = try program.run("x\(end)")
        #expect(program.runCount - before == end - place + 1)
        // Bring the rest up to date.
        _ = try program.run("x\(count)")
        #expect(program.runCount - before == count - place + 1)
      }
      let looked = program.interpreter.machine.graph.laziness.lazyWork
      for index in 1...count { _ = try program.run("x\(index)") }
      #expect(program.interpreter.machine.graph.laziness.lazyWork == looked)
    }
  }

  /// Lazy formulas whose messages read each other in a circle: an error that names it, on a small stack,
  /// and what is not part of it works on.
  @Test(arguments: [2, 5, 40, 300]) func hiddenCircle(_ count: Int) throws {
    try onThread(stackSize: 1 << 19) {
      let program = Program()
      try program.run(
        """
        \(Self.node)
        nodes := (1 to: \(count)) asArray collect: [ :i | Node new ].
        1 to: \(count) do: [ :i | nodes[i] prev: nodes[i - 2 \\\\ \(count) + 1] ].
        nodes do: [ :each | each start: 1 ].
        ks := nodes collect: [ :each | each connect ].
        """)
      _ = program.error(of: "nodes last v")
      #expect(try program.run("(ks select: [ :k | k state == #error ]) isEmpty").boolean == false)
      #expect(try program.run("var <lazy> q. z := 2. q |= z + 1. z := 5. q").integer == 6)
      let graph = program.interpreter.machine.graph
      #expect(!graph.isSettling && !graph.isUnwinding && graph.laziness.refreshing.depth == 0)
    }
  }

  /// Reading is a turn of its own: one that is given up later takes nothing of it back.
  @Test func readingLeavesNothingToTakeBack() throws {
    try onThread {
      let program = Program()
      try program.run("z := 0. var <lazy> x. x |= 10 / z. x. z := 5.")
      #expect(try program.run("x").integer == 2)
      let isEmpty = program.interpreter.machine.graph.log.structure.isEmpty
      #expect(isEmpty)
    }
  }

  /// An interrupt and an error while a lazy place is brought up to date leave it stale or failed, and
  /// everything else as it was.
  @Test func errorsAndExplanation() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        a := 1. var <lazy> b. var <lazy> c.
        k := b |= a + 1. l := c |= b * 10. a := 4.
        """)
      let text = try program.print("ref:c why")
      #expect(text.contains("c is 50") && text.contains("a is 4"), "\(text)")
      #expect(program.runCount == 2)
    }
  }
}

extension DataflowModel {
  /// The graph as a script in which the variables of some nodes are lazy.
  func script(lazy: Set<Int>) -> String {
    let declarations = lazy.sorted().map { "var <lazy> \(GraphNode.name(sourceCount + $0))." }
    return (declarations + [script]).joined(separator: "\n")
  }
}
