import Tenon
import TenonTables
import Testing

internal import TenonSolverKit
@testable import TenonRuntime

/// What is known of a connection is in tables, by its number: it goes when the connection has ended
/// and nothing runs any more that could ask, and no other connection is taken for it.
@Suite struct ConnectionRecordTests {
  /// What a formula in Swift holds on to; it says when it is gone.
  private final class Guest {
    private let onEnd: () -> Void

    init(onEnd: @escaping () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
  }

  /// How much is kept of connections, besides what is kept of those in force that have nothing special.
  private func rest(in program: Program) -> [Int] {
    let graph = program.interpreter.machine.graph
    return [
      graph.connecting.connectionTable.extras.count,
      graph.connecting.connectionTable.statements.count,
      graph.connections.count, graph.ended.endedConnections.count,
    ]
  }

  @Test func oneThatIsGoneKnowsNothing() throws {
    try onThread {
      let program = Program()
      try program.run("var a := 1. var b. var k. k := (b |= a + 1). k strength: #weak")
      let graph = program.interpreter.machine.graph
      let connection = try #require(graph.connections.values.first)
      #expect(connection.text == "b |= a + 1" && connection.strength == .weak)
      try program.run("k disconnect")
      #expect(rest(in: program) == [0, 0, 0, 0])
      #expect(connection.status == .disconnected && connection.strength == .required)
      #expect(connection.text == "a Connection that has ended" && connection.location == ":1")
      #expect(
        connection.formulas.isEmpty && connection.plan == nil && connection.lifetimeOwners.isEmpty)
      // Nothing can be said of it either.
      connection.status = .active
      connection.status = .suspended
      connection.text = "other"
      connection.strength = .strong
      connection.awaitsSolver = true
      connection.lifetimeOwners = []
      connection.steps = [CellID(0)]
      graph.disconnect(connection)
      #expect(connection.status == .disconnected && !connection.awaitsSolver)
      #expect(rest(in: program) == [0, 0, 0, 0])
    }
  }

  /// After the last number comes the first one again, but for those of connections that are there.
  @Test func numbersAreUsedAgain() throws {
    try onThread {
      let program = Program()
      try program.run("var a := 1. var all := OrderedCollection new. var kept. var old. var last.")
      try program.run("kept := (first |= a + 1). old := (second |= a + 2).")
      try program.run(
        "old strength: #weak; within: 2; text: 'old'; keep: 3 for: ref:a. old suspend.")
      let graph = program.interpreter.machine.graph
      #expect(graph.connections.values.map(\.number).sorted() == [1, 2])
      graph.connecting.nextConnection = .max - 1
      try program.run("old disconnect")
      try program.run("1 to: 2 do: [ :i | | x | all add: (x |= a + i) ]")
      #expect(
        graph.connections.values.map(\.number).sorted() == [1, Int(Int32.max) - 1, Int(Int32.max)])
      try program.run("last := (third |= a + 3)")
      #expect(graph.connections.values.map(\.number).sorted().prefix(2) == [1, 2])
      #expect(
        try program.print(
          "#(last strength, last within, last state, last sourceText, first, third)")
          == "#(#required nil #satisfied 'third |= a + 3' 2 4)")
      try program.run("a := 2")
      #expect(try program.print("#(first, second, third)") == "#(3 3 5)")
      #expect(try program.print("self connections size") == "4")
      try program.run("all do: [ :each | each disconnect ]. last disconnect. kept disconnect")
      #expect(program.size == Program.Size())
      #expect(rest(in: program) == [0, 0, 0, 0])
    }
  }

  /// Connections of one statement share what it says; one that is called otherwise has its own.
  @Test func statementsAreShared() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        var a := 1. var list := Array new: 300. var links := Array new: 300.
        1 to: 300 do: [ :i | links[i] := (list[i] |= a + i) ].
        """)
      #expect(rest(in: program) == [0, 1, 300, 0])
      try program.run("links[7] text: 'other'")
      #expect(rest(in: program) == [0, 2, 300, 0])
      #expect(
        try program.print("#(links[6] sourceText, links[7] sourceText)")
          == "#('list[i] |= a + i' 'other')")
      try program.run("links[7] text: 'another'. links[7] disconnect")
      #expect(rest(in: program) == [0, 1, 299, 0])
      try program.run("links do: [ :each | each disconnect ]")
      #expect(rest(in: program) == [0, 0, 0, 0])
      #expect(program.interpreter.machine.graph.connecting.connectionTable.statements.capacity <= 3)
    }
  }

  /// Whoever fails is named though the connection ended before, as long as it runs.
  @Test func oneThatFailsAfterItsEndIsNamed() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        var a := 1. var b. var c. var k.
        k := (b |= a > 1 ifTrue: [ k disconnect. Error new signal: 'on the way' ] ifFalse: [ a ]).
        k text: 'the one that fails'; strength: #medium.
        c |= a + 1.
        a := 2.
        """)
      #expect(program.console.text.contains("'the one that fails' failed: on the way"))
      #expect(
        try program.print("#(c, k state, k sourceText)")
          == "#(3 #disconnected 'the one that fails')")
      #expect(rest(in: program) == [0, 1, 1, 0])
    }
  }

  /// A turn that is given up takes with it what it has connected, and all that was kept of that.
  @Test func aTurnThatIsGivenUpLeavesNothing() throws {
    try onThread {
      let program = Program()
      try program.run("var x := 5. var y := 3. var z. var w. x >=| 5. z |= x + 100.")
      let (size, kept) = (program.size, rest(in: program))
      for _ in 0..<50 {
        try program.run(
          """
          [ self atomically: [ x |= y + 0. w |= z + 1. 0 ] ] on: Error do: [ :error | 0 ].
          [ (x |= y + 0) strength: #required ] on: Error do: [ :error | 0 ].
          """)
      }
      #expect(program.size == size)
      #expect(rest(in: program) == kept)
    }
  }

  /// A getter on the way of a path ends the connection that follows it: nothing comes into force.
  @Test(arguments: [
    "var:h/value |= var:a/link/value", "var:h/value =|= var:a/link/value",
    "h value =|= a link value + c", "h value >=| a link value + c",
    "var:h/link/value |= a value + c",
    "h value =|= a link value",
  ])
  func oneThatEndsOnItsWay(_ statement: String) throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        class Node {
          var next. var value := 0. var ending.
          -link { ending ifNotNil: [ ending disconnect ]. ^next }
        }
        var a := Node new. a next: (Node new value: 1; yourself).
        var h := Node new. h next: Node new. var c := 3. var k.
        """)
      for end in [
        "k suspend. a ending: k. h ending: k. k resume",
        "self atomically: [ a ending: k. h ending: k. a next: Node new. h next: Node new ]",
        "a ending: k. h ending: k. k strength: #strong",
      ] {
        try program.run("a ending: nil. h ending: nil. k := (\(statement))")
        #expect(try program.print("k state") == "#satisfied")
        _ = program.error(of: "\(end)")
        _ = program.error(of: "k disconnect")
        #expect(try program.print("k state") == "#disconnected")
        #expect(program.size == Program.Size(), "\(end)")
        #expect(rest(in: program) == [0, 0, 0, 0], "\(end)")
      }
    }
  }

  /// What is kept of a suspended connection in Swift does something when it goes: the connection is
  /// gone then, and others can be made.
  @Test func codeThatGoesWithASuspendedConnectionMayConnect() throws {
    try onThread {
      let program = Program()
      let interpreter = program.interpreter
      try program.run("var source := 1. var target. var other. var made. var seen.")
      func connect() throws {
        let guest = Guest {
          _ = try? interpreter.evaluate(
            "seen := made state. self connections size = 0 ifTrue: [ other |= source + 10 ]")
        }
        interpreter["made"] = try interpreter.connect(
          interpreter.variable("target"), reading: [interpreter.variable("source")], text: "own"
        ) { inputs in withExtendedLifetime(guest) { .integer(inputs.integer(0) ?? 0) } }
      }
      try connect()
      try program.run("made suspend")
      #expect(rest(in: program) == [1, 1, 1, 0])
      try program.run("made disconnect")
      #expect(try program.print("#(seen, other)") == "#(#disconnected 11)")
      #expect(rest(in: program) == [0, 1, 1, 0])
      try program.run("source := 2")
      #expect(try program.print("#(target, other)") == "#(1 12)")
    }
  }

  /// What is kept of connections goes with the interpreter.
  @Test func whatIsKeptGoesWithTheInterpreter() throws {
    var gone = 0
    do {
      let interpreter = Interpreter()
      let source = interpreter.variable("source")
      try source.set(.integer(1))
      for name in ["one", "two", "three"] {
        let guest = Guest { gone += 1 }
        interpreter["made"] = try interpreter.connect(
          interpreter.variable(name), reading: [source], text: name
        ) { inputs in withExtendedLifetime(guest) { .integer(inputs.integer(0) ?? 0) } }
        if name != "one" { _ = try interpreter.evaluate("made suspend") }
      }
      _ = try interpreter.evaluate("made text: 'last'; strength: #weak")
      #expect(gone == 0)
    }
    #expect(gone == 3)
  }

  /// Two statements whose hashes are the same are kept once each, taken in turns, and again when one
  /// was given up.
  @Test func twoStatementsOfOneHashAreKeptOnceEach() {
    let table = SharedTable<String>()
    func take(_ element: String) -> Int32 { table.take(element, hash: 7) { $0 == element } }
    let first = (take("a"), take("b"))
    for _ in 0..<100 { #expect(take("a") == first.0 && take("b") == first.1) }
    #expect(table.count == 2)
    for _ in 0...100 { table.release(first.0) }
    #expect(table.count == 1)
    #expect(take("b") == first.1 && take("a") == take("a"))
    #expect(table.count == 2)
  }

  /// A statement that comes and goes does not drive out another one of the same hash that stays.
  @Test func aStatementThatComesAndGoesLeavesTheOther() {
    let table = SharedTable<String>()
    func take(_ element: String) -> Int32 { table.take(element, hash: 7) { $0 == element } }
    let stays = take("a")
    for _ in 0..<100 {
      table.release(take("b"))
      // It takes the number of the one that is gone.
      let other = table.take("c", hash: 8) { $0 == "c" }
      #expect(take("a") == stays)
      table.release(other)
    }
    #expect(table.count == 1)
  }

  /// Numbers grow, and the connections that were made first stay.
  @Test func takesNoMoreUnderChurn() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        var a := 1. var list := Array new: 500. var links := Array new: 500. var b. var k.
        1 to: 500 do: [ :i | links[i] := (list[i] |= a + i) ].
        """)
      let table = program.interpreter.machine.graph.connecting.connectionTable
      try program.run(
        "1 to: 5_000 do: [ :i | k := (b |= a + i). k strength: #weak. k disconnect ]")
      let (capacity, kept) = (table.capacity, rest(in: program))
      try program.run("1 to: 5_000 do: [ :i | k := (b |= a + i). k suspend. k disconnect ]")
      #expect(table.capacity == capacity)
      #expect(rest(in: program) == kept)
      // Those that stay are spread over all numbers.
      for step in 1...4 {
        try program.run(
          "1 to: 500 do: [ :i | links[i] disconnect. links[i] := (list[i] |= a + i). "
            + "1 to: 20 do: [ :j | k := (b |= a + j). k disconnect ] ]. a := \(step)")
        #expect(try program.print("#(list[1], list[500])") == "#(\(step + 1) \(step + 500))")
      }
      #expect(table.capacity <= 2 * capacity)
      #expect(rest(in: program) == kept)
      try program.run("links do: [ :each | each disconnect ]")
      #expect(program.size == Program.Size())
    }
  }
}
