import Tenon
import Testing

@testable import TenonRuntime

/// A formula of one direction has no record of its constraint, until another formula over the same
/// places joins it; what programs see does not depend on that.
@Suite struct LoneFormulaTests {
  private func constraints(_ program: Program) -> Int {
    program.interpreter.machine.graph.recordCounts.constraints
  }

  @Test func aFormulaHasNoRecordOfItsConstraint() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        class Row { var a := 1. var b := 0. -connect { b |= a + 1 } }
        var rows := (1 to: 100) asArray collect: [ :i | Row new connect; yourself ]
        """)
      #expect(constraints(program) == 0)
      #expect(try program.print("rows inject: 0 into: [ :sum :each | sum + each b ]") == "200")
    }
  }

  @Test func aWayBackMakesOneConstraintOfTwoFormulas() throws {
    try onThread {
      let program = Program()
      try program.run("var a := 1. var b := 0. var there := (b |= a * 2)")
      #expect(constraints(program) == 0)
      try program.run("var back := (a |= b / 2)")
      #expect(constraints(program) == 1)
      #expect(try program.print("b := 10. a") == "5")
      #expect(try program.print("a := 3. b") == "6")
      // Without the way back it is a formula of one direction again, and with another one of two.
      #expect(try program.print("back disconnect. a := 4. b") == "8")
      try program.run("back := (a |= b / 2)")
      #expect(try program.print("b := 2. a") == "1")
      #expect(try program.print("there disconnect. b := 12. a") == "6")
      #expect(try program.print("back disconnect. b := 1. a") == "6")
      // What comes now is new.
      let before = constraints(program)
      #expect(try program.print("there := (b |= a * 2). a := 7. b") == "14")
      #expect(constraints(program) == before)
    }
  }

  @Test func aRefusedFormulaOverTheSamePlacesLeavesTheFirstInForce() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        var a := 1. var b := 0.
        var there := (b |= a * 2).
        var failed := nil.
        [ b |= a * 3 ] on: Error do: [ :e | failed := e messageText ]
        """)
      #expect(try program.print("failed").contains("is determined already"))
      #expect(try program.print("a := 10. b") == "20")
      #expect(try program.print("self connectionsInForce size") == "1")
      #expect(try program.print("there disconnect. b |= a * 3. b") == "30")
    }
  }

  @Test func aFormulaThatWaitsForItsWayBackIsFound() throws {
    try onThread {
      let program = Program()
      // The first formula for b is there; the second one waits until its way back has come.
      try program.run(
        """
        var a := 1. var b := 0. var c := 3.
        a |= c.
        self atomically: [ c |= b * 2. b |= c / 2 ]
        """)
      #expect(try program.print("b := 8. c") == "16")
      #expect(try program.print("a") == "16")
      #expect(try program.print("c := 10. b") == "5")
    }
  }
}
