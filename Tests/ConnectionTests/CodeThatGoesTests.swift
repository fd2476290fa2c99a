import Tenon
import Testing

@testable import TenonRuntime

/// Formulas in Swift whose code holds what does something when it is let go of.
@Suite struct CodeThatGoesTests {
  private final class Guest {
    private let onEnd: () -> Void

    init(onEnd: @escaping () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
  }

  @Test func aNumberIsGivenOutOnceThoughCodeWritesAsItGoes() throws {
    try onThread {
      let program = Program()
      let interpreter = program.interpreter
      try program.run("var z := 0. var w. w |= z + 1. var source := 1. var one. var two. var own.")
      let source = interpreter.variable("source")
      func connect(_ name: String) throws {
        let guest = Guest { _ = try? interpreter.evaluate("z := z + 1") }
        let made = try interpreter.connect(
          interpreter.variable(name), reading: [source], text: name
        ) { inputs in
          if name == "one", inputs.integer(0) == 2 {
            _ = try? interpreter.evaluate("own do: [ :each | each disconnect ]")
          }
          return withExtendedLifetime(guest) { .integer(100 + (inputs.integer(0) ?? 0)) }
        }
        interpreter["made"] = made
        try program.run("own := (own ifNil: [ #() ]) , (Array with: made)")
      }
      try connect("two")
      try connect("one")
      try source.set(.integer(2))
      try program.run("own := made := nil.")
      let free = interpreter.machine.graph.tables.freeFormulas
      #expect(Set(free).count == free.count)
      #expect(try program.print("#(z, w)") == "#(2 3)")
      try program.run(
        """
        var a := 1. var b := 2. var c. var d. var e. var f.
        c |= a + 1. d |= b + 10. e |= a + 100. f |= b + 1000.
        a := 5. b := 7
        """)
      #expect(try program.print("#(c, d, e, f)") == "#(6 17 105 1007)")
    }
  }
}
