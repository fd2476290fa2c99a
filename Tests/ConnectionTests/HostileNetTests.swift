import Tenon
import TenonGrammarSupport
import TenonLexer
import Testing

@testable import TenonRuntime

/// Nets that misbehave: errors in each formula, code that changes the graph while it is at work,
/// turns that are stopped in the middle.
@Suite struct HostileNetTests {
  /// Ten thousand reactions to one change, none of which concerns another: no cycle.
  @Test func independentReactions() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        var a := 0. var seen := (1 to: 10_000) asArray. var heard := Array new: 5_000.
        1 to: 5_000 do: [ :i | seen[i] |= a + i ].
        1 to: 5_000 do: [ :i | ref:a watch: [ :value | heard[i] := value + i ] ].
        """)
      #expect(program.error(of: "a := 1_000_000") == nil)
      #expect(try program.run("seen first: 5_000").className == "Array")
      let sums =
        "#((seen first: 5_000) inject: 0 into: [ :x :y | x + y ], "
        + "heard inject: 0 into: [ :x :y | x + y ])"
      let sum = 5_000 * 1_000_000 + 5_000 * 5_001 / 2
      #expect(try program.print(sums) == "#(\(sum) \(sum))")
      #expect(program.console.text == "")
    }
  }

  /// An error in each formula of forty nets, one after the other.
  ///
  /// What does not depend on it is as a recomputation says, what does is in the state of an error,
  /// and the next good change heals all.
  @Test(arguments: 0..<8)
  func errorInEachFormula(_ group: Int) throws {
    try onThread {
      let program = Program()
      for net in 0..<5 {
        let what = "seed \(testSeed), group \(group), net \(net)"
        var generator = RandomNumbers(seed: testSeed &+ UInt64(300_000 + group * 5 + net))
        var model = DataflowModel.random(
          sources: Int.random(in: 2...4, using: &generator),
          nodes: Int.random(in: 2...12, using: &generator), using: &generator)
        let count = model.sourceCount
        let sources = (0..<count).map { "\(GraphNode.name($0)) := \(model.values[$0]). " }
        let nodes = model.nodes.enumerated().map { index, node in
          "k\(index) := (\(GraphNode.name(count + index)) |= "
            + "\(GraphNode.name(0)) = \(777_000 + index) "
            + "ifTrue: [ Error signal: 'broken' ] ifFalse: [ \(node.text) ]). "
        }
        try program.run(sources.joined() + nodes.joined())
        expect(program, model, "\(what), connected")
        for broken in model.nodes.indices {
          _ = model.apply([(cell: 0, value: 777_000 + broken)])
          try program.run("\(GraphNode.name(0)) := \(777_000 + broken)")
          var failed: Set<Int> = [count + broken]
          for (index, node) in model.nodes.enumerated() {
            if node.inputs.contains(where: { failed.contains($0) }) { failed.insert(count + index) }
          }
          for index in model.nodes.indices {
            let cell = count + index
            let state = try program.print("k\(index) state")
            if failed.contains(cell) {
              #expect(state == "#error", "\(what), \(broken) is broken: \(index)")
            } else {
              #expect(state == "#satisfied", "\(what), \(broken) is broken: \(index)")
              #expect(
                program[GraphNode.name(cell)] == Double(model.values[cell]),
                "\(what), \(broken) is broken: \(index)")
            }
          }
          let value = Int.random(in: -20...20, using: &generator)
          _ = model.apply([(cell: 0, value: value)])
          try program.run("\(GraphNode.name(0)) := \(value)")
          expect(program, model, "\(what), \(broken) is healed")
          let states = try program.print("(self connections collect: [ :e | e state ]) asSet")
          #expect(states == "a Set(#satisfied)", "\(what), \(broken) is healed")
        }
        try program.run("self connections do: [ :each | each disconnect ]")
        #expect(program.size == Program.Size(), "\(what): something is left")
      }
    }
  }

  // MARK: Re-entrancy

  /// What code does that a change runs, and what the change ends with: nil where all is well.
  static let interferences: [(name: String, code: String, error: String?)] = [
    ("writes", "y := n", nil),
    ("writes what it follows, until it is enough", "n < 50 ifTrue: [ x := n + 1 ]", nil),
    ("writes what it follows, for ever", "x := n + 1", "does not come to rest"),
    ("connects", "z |= y + n", nil),
    ("connects and disconnects", "(z |= y + n) disconnect", nil),
    ("connects what it follows", "x |= y", nil),
    ("disconnects all", "self connections do: [ :each | each disconnect ]", nil),
    ("disconnects itself", "k disconnect", nil),
    ("suspends all", "self connections do: [ :each | each suspend ]", nil),
    (
      "suspends and resumes all",
      "self connections do: [ :each | each suspend ]. self connections do: [ :each | each resume ]",
      nil
    ),
    ("fails", "nil foo", nil),
    ("writes a target", "u := n", nil),
    ("watches", "ref:y watch: [ :m | z := m ]. y := n", nil),
    ("writes together", "self atomically: [ y := n. z := n ]", nil),
    ("collects garbage", "Smalltalk garbageCollect", nil),
    ("forces", "(z |= x + n) policy: Policy queued", nil),
    ("goes both ways", "(z =|= y) truth: #right. z := n", nil),
  ]

  /// A setter that interferes, and what the change comes to.
  @Test func interferenceOfASetter() throws {
    try onThread {
      let program = Program()
      try program.run(
        "class Model { var v := 0. var action. -v { ^v } "
          + "-v: n { v := n. action ifNotNil: [ action value: n ] } }")
      for (what, code, expected) in Self.interferences {
        try program.run(
          "x := 1. y := 2. z := 0. u := 0. act := nil. m := Model new. k := nil. "
            + "u |= x * 2. k := (var:m/v |= x). m action: [ :n | \(code) ]")
        let error = program.error(of: "x := 5")
        if let expected {
          #expect(error?.contains(expected) == true, "\(what): \(error ?? "no error")")
          #expect(program["x"] == 1, "\(what): the change was not taken back")
        } else {
          #expect(error == nil, "\(what)")
        }
        #expect(
          try program.run("[ x := 5 ] on: Error do: [ :e | nil ]. true").boolean == true, "\(what)")
        try program.run("self connections do: [ :each | each disconnect ]. RunLoop run. m := nil")
        program.collect()
        #expect(program.size == Program.Size(), "\(what)")
      }
    }
  }

  // MARK: Stopped in the middle

  /// An interrupt in the middle of a turn of ten thousand formulas: what hangs below is as it was, and
  /// the next change brings all up to date.
  @Test func interrupts() throws {
    try onThread {
      let program = Program()
      let interrupter = program.interpreter.interrupter
      try program.run(
        """
        var cells := (1 to: 10_000) asArray collect: [ :i | 0 ].
        2 to: 10_000 do: [ :i | i = 5_001 ifFalse: [ cells[i] |= cells[i - 1] + 1 ] ].
        """)
      // A formula in the middle asks for it, when it sees this number.
      let machine = program.interpreter.machine
      try program.run("stop := 0. half := 0. cells[5001] := 0")
      _ = machine.connect(
        machine.variableCell("stop"), reading: [machine.variableCell("half")], text: "stop"
      ) { inputs in
        if inputs.integer(0) == 5_099 { interrupter.interrupt() }
        return .integer(0)
      }
      try program.run("half |= cells[5000]. cells[5001] |= cells[5000] + 1 + stop")
      let size = program.size
      #expect(program.error(of: "cells[1] := 100") == "interrupted")
      #expect(program.size == size)
      interrupter.withdraw()
      #expect(try program.run("cells last").integer == 9_999)
      try program.run("cells[1] := 7")
      #expect(try program.run("cells last").integer == 10_006)
      #expect(program["half"] == 5_006)
    }
  }

  /// The memory limit in the middle of a turn: an error that can be caught, and the graph goes on.
  @Test func memoryLimit() throws {
    try onThread {
      var options = Interpreter.Options()
      options.memoryLimit = 64 << 20
      let interpreter = Interpreter(options)
      func run(_ text: String) throws(EvaluationError) -> Handle { try interpreter.evaluate(text) }
      _ = try run(
        """
        var n := 1. var texts := Array new: 2_000.
        1 to: 2_000 do: [ :i | texts[i] |= (Array new: n) size + i ].
        k := (big |= (Array new: n * n * 1000) size).
        """)
      let caught = try run("[ n := 150. 'done' ] on: OutOfMemory do: [ :e | 'out of memory' ]")
      #expect(["out of memory", "done"].contains(caught.string ?? ""))
      #expect(try run("k state printString").string == "#error" || caught.string != "done")
      _ = try run("n := 2")
      #expect(try run("texts last").integer == 2_002)
      #expect(try run("texts first").integer == 3)
      #expect(try run("big").integer == 4_000)
      _ = try run("self connections do: [ :each | each disconnect ]")
    }
  }
}
