import Tenon
import Testing

@testable import TenonRuntime

@Suite struct ConstraintTableTests {
  /// Formulas over three places each, of which the oldest and the youngest are the same for all.
  @Test func constraintsThatShareCellsAreFoundAtOnce() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        class Row { var a := 1. var b := 0. -one { a |= b * scale } -two { b =|= scale + offset } }
        var scale := 2. var offset := 1. var last := 0.
        var rows := (1 to: 1000) asArray collect: [ :i | Row new ].
        rows do: [ :each | each one ].
        rows do: [ :each | each two ]
        """)
      let table = program.interpreter.machine.graph.tables.constraintTable
      // Formulas of one direction need no entry.
      #expect(table.count == 1000)
      #expect(table.longestSearch < 100)
    }
  }
}
