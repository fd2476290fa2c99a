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
}
