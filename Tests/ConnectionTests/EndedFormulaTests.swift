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
      #expect(interpreter.machine.graph.endedFormulas.isEmpty)
    }
  }
}
