import Tenon
import Testing

@testable import TenonRuntime

/// A formula that ends its own connection while it runs is told nothing any more, and stores nothing.
@Suite struct EndedFormulaTests {
  /// What a formula in Swift holds on to; it says when it is gone.
  private final class Guest {
    let onEnd: () -> Void

    init(onEnd: @escaping () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
  }

  @Test func codeInSwiftStaysUntilItReturns() throws {
    try onThread {
      let program = Program()
      let interpreter = program.interpreter
      let source = interpreter.variable("source")
      let target = interpreter.variable("target")
      try source.set(.integer(1))
      var isGone = false
      var wasGone = false
      var runs = 0
      func connect() throws {
        let guest = Guest { isGone = true }
        try interpreter.connect(target, reading: [source], text: "own") { inputs in
          runs += 1
          if inputs.integer(0) == 2 {
            _ = try? interpreter.evaluate("self connections do: [ :each | each disconnect ]")
            wasGone = isGone
          }
          return withExtendedLifetime(guest) { .integer(100 + (inputs.integer(0) ?? 0)) }
        }
      }
      try connect()
      #expect(program["target"] == 101)
      try source.set(.integer(2))
      #expect(!wasGone)
      #expect(isGone)
      #expect(program["target"] == 101)
      try source.set(.integer(3))
      #expect(runs == 2)
      #expect(interpreter.machine.graph.ended.endedFormulas.isEmpty)
    }
  }

  /// It is a formula to its end, and its number is its own as long.
  ///
  /// Were the number given out again meanwhile, what it computes would be taken for the value of the
  /// formula that has it then.
  @Test(arguments: [
    ("c |= 7 / z. 99", "a formula must not connect"),
    ("z := 3. 99", "'z' must not be written by a formula"),
    ("Error new signal: 'on the way'", "failed: on the way"),
    ("k resume. 99", "a formula must not connect"),
  ])
  func isAFormulaToItsEnd(_ rest: String, _ message: String) throws {
    try onThread {
      let program = Program()
      let ending = rest.hasPrefix("k") ? "suspend" : "disconnect"
      try program.run(
        """
        a := 1. b := 0. c := 0. z := 0. y := 0. y |= z.
        k := (b |= a > 1 ifTrue: [ k \(ending). \(rest) ] ifFalse: [ a + 1 ]).
        a := 5
        """)
      #expect(try program.print("#(a, b, c, y, z)") == "#(5 2 0 0 0)")
      #expect(program.console.text.contains(message), "\(program.console.text)")
      #expect(try program.print("k state") == "#\(ending)ed")
      #expect(program.interpreter.machine.graph.ended.endedFormulas.isEmpty)
      #expect(try program.print("b |= a. b") == "5")
    }
  }
}
