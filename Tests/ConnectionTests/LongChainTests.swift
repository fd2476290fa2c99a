import Tenon
import Testing

@testable import TenonRuntime

/// Long chains on a thread with a stack of half a megabyte.
@Suite struct LongChainTests {
  /// Both ways: the ends of a chain of equalities, and its middle.
  @Test func bothWays() throws {
    try onThread(stackSize: 1 << 19) {
      let program = Program()
      let last = 600
      try program.run(
        """
        var cells := (1 to: \(last)) asArray collect: [ :i | 0 ].
        2 to: \(last) do: [ :i | cells[i] =|= cells[i - 1] ].
        """)
      for (place, value) in [(1, 5), (last, 6), (last / 2, 7), (1, 8)] {
        let before = program.runCount
        try program.run("cells[\(place)] := \(value)")
        #expect(try program.run("cells asSet size").integer == 1)
        #expect(try program.run("cells first").integer == value)
        #expect(program.runCount - before == last - 1)
      }
      try program.run("cells := nil")
      program.collect()
      #expect(program.size == Program.Size())
    }
  }
  /// Truths, each the view of the next one: what is asked below is decided above.
  @Test func truths() throws {
    try onThread(stackSize: 1 << 19) {
      let program = Program()
      let last = isFullSize ? 400 : 100
      try program.run(
        """
        var cells := (1 to: \(last)) asArray collect: [ :i | 0 ].
        var links := (2 to: \(last)) asArray collect: [ :i |
          (cells[i - 1] =|= cells[i]) truth: #right ].
        """)
      for (place, value) in [(1, 5), (last, 6), (last / 2, 7)] {
        try program.run("cells[\(place)] := \(value)")
        #expect(try program.run("cells asSet size").integer == 1)
        #expect(try program.run("cells first").integer == value)
      }
      try program.run("links last validate: [ :new :old | new < 10 ]. cells[1] := 11")
      #expect(try program.print("cells asSet asArray") == "#(7)")
      let errors = try program.print("(links collect: [ :each | each lastError ]) asSet asArray")
      #expect(errors == "#('11 was refused')")
    }
  }

  /// One way, in Swift code: each formula runs once for a change, on a small stack.
  @Test func native() throws {
    let count = isFullSize ? 1_000_000 : 10_000
    try onThread(stackSize: 1 << 19) {
      let program = Program()
      let machine = program.interpreter.machine
      let cells = (0...count).map { machine.variableCell("x\($0)") }
      _ = machine.set(cells[0], to: .integer(0))
      for index in 1...count {
        _ = machine.connect(cells[index], reading: [cells[index - 1]], integers: { $0[0] + 1 })
      }
      #expect(machine.integer(of: cells[count]) == count)
      for value in [7, 9] {
        let before = program.runCount
        _ = machine.set(cells[0], to: .integer(value))
        #expect(machine.integer(of: cells[count]) == count + value)
        #expect(program.runCount - before == count)
      }
    }
  }

  /// One way, in the language.
  @Test func script() throws {
    let count = isFullSize ? 1_000_000 : 10_000
    try onThread(stackSize: 1 << 19) {
      // A formula whose source stands at the end of a path takes some 1,100 bytes with its objects.
      let program = Program(memoryLimit: isFullSize ? 1 << 32 : nil)
      try program.run(
        """
        class Node { var v := 0. var previous. -v { ^v } -v: n { v := n }
          -after: node { previous := node }
          -connect { v |= previous v + 1 } }
        nodes := (0 to: \(count)) asArray collect: [ :i | Node new ].
        2 to: nodes size do: [ :i | nodes[i] after: nodes[i - 1] ].
        2 to: nodes size do: [ :i | nodes[i] connect ].
        """)
      for value in [7, 9] {
        let before = program.runCount
        try program.run("nodes first v: \(value)")
        #expect(try program.run("nodes last v").integer == count + value)
        #expect(program.runCount - before == count)
      }
    }
  }
}
