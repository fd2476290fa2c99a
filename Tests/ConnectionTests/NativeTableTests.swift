import Tenon
import TenonGrammarSupport
import TenonLexer
import Testing

@testable import TenonRuntime

/// Formulas in Swift code, which have records of different sizes by how many places they read.
@Suite struct NativeTableTests {
  /// What a formula in Swift holds on to; it says when it is gone.
  private final class Guest {
    let onEnd: () -> Void

    init(onEnd: @escaping () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
  }

  /// What is named twice is given twice, also when the connection is made anew.
  @Test func placesAreGivenAsOftenAsTheyAreNamed() throws {
    let program = Program()
    let interpreter = program.interpreter
    let (a, b, sum) = (
      interpreter.variable("a"), interpreter.variable("b"), interpreter.variable("sum")
    )
    try a.set(.integer(1))
    try b.set(.integer(10))
    let handle = try interpreter.connect(sum, reading: [a, b, a, a]) { inputs in
      let digits = (0..<inputs.count).map { String(inputs.integer($0) ?? -1) }
      return .string(digits.joined(separator: " "))
    }
    interpreter["k"] = handle
    func value() throws -> String { try program.print("sum") }
    #expect(try value() == "'1 10 1 1'")
    try a.set(.integer(2))
    #expect(try value() == "'2 10 2 2'")
    #expect(try program.print("k sources") == "#('a' 'b')")
    #expect(try program.print("k suspend. a := 3. k resume. sum") == "'3 10 3 3'")
    #expect(try program.print("k sourceText") == "'sum |= swift(a, b, a, a)'")
  }

  /// What a formula of this kind computes.
  private func expected(_ inputs: [Double], _ kind: Int) -> Double {
    inputs.reduce(0) { $0 * 3 + $1 } + Double(kind)
  }

  /// Formulas of no place to five come and go in any order: each computes with its own places and
  /// its own code, those that come take the records of those that have gone, and what they have held
  /// on to is let go of.
  @Test func recordsAreUsedAgain() throws {
    try onThread {
      var random = RandomNumbers(seed: 3)
      let program = Program()
      let interpreter = program.interpreter
      let sources = (0..<5).map { interpreter.variable("s\($0)") }
      var values = [1.0, 2, 3, 4, 5]
      for (source, value) in zip(sources, values) { try source.set(.double(value)) }
      let targets = (0..<60).map { interpreter.variable("t\($0)") }
      var made: [(handle: Handle, inputs: [Int], kind: Int)?] = targets.map { _ in nil }
      var living = 0
      var sizes: Set<Int> = []
      var failures = 0
      func connect(_ index: Int, _ inputs: [Int], _ kind: Int) throws {
        living += 1
        let guest = Guest { living -= 1 }
        let handle = try interpreter.connect(
          targets[index], reading: inputs.map { sources[$0] }, text: "own"
        ) { read in
          let numbers = (0..<read.count).map { read.double($0) ?? .nan }
          return withExtendedLifetime(guest) { .double(self.expected(numbers, kind)) }
        }
        made[index] = (handle, inputs, kind)
      }
      for step in 0..<1_500 {
        let index = Int.random(in: 0..<targets.count, using: &random)
        if let (handle, _, _) = made[index] {
          interpreter["gone"] = handle
          made[index] = nil
          try program.run("gone disconnect. gone := nil")
        } else {
          let count = Int.random(in: 0...5, using: &random)
          // The same one may be named again.
          let inputs = (0..<count).map { _ in Int.random(in: 0..<5, using: &random) }
          try connect(index, inputs, step)
        }
        let source = step % 5
        values[source] = Double(step)
        try sources[source].set(.double(values[source]))
        for (index, known) in made.enumerated() {
          guard let known, step % 10 == 0 else { continue }
          let wanted = expected(known.inputs.map { values[$0] }, known.kind)
          if program["t\(index)"] != wanted { failures += 1 }
        }
        if living != made.count(where: { $0 != nil }) { failures += 1 }
        if step > 100 { sizes.insert(interpreter.machine.graph.tables.natives.byteCount) }
      }
      #expect(failures == 0)
      #expect(sizes.count == 1)
    }
  }

  /// What a formula has held on to connects another one as it goes.
  @Test func codeConnectsAsItGoes() throws {
    try onThread {
      let program = Program()
      let interpreter = program.interpreter
      let source = interpreter.variable("source")
      try source.set(.integer(1))
      func connect(_ name: String, _ factor: Int, _ then: @escaping () -> Void) throws -> Handle {
        let guest = Guest(onEnd: then)
        return try interpreter.connect(interpreter.variable(name), reading: [source], text: name) {
          inputs in
          withExtendedLifetime(guest) { .integer(factor * (inputs.integer(0) ?? 0)) }
        }
      }
      interpreter["made"] = try connect("one", 10) {
        _ = try? connect("two", 100) {}
        _ = try? connect("three", 1_000) {}
      }
      try program.run("made disconnect. made := nil. source := 2")
      #expect(try program.print("#(one, two, three)") == "#(10 200 2000)")
      #expect(interpreter.machine.graph.tables.natives.byteCount <= 4_096)
    }
  }

  /// Formulas over integers in a row take half a cache line each.
  @Test func formulasOfOnePlaceAreSmall() throws {
    try onThread {
      let program = Program()
      let machine = program.interpreter.machine
      let cells = (0...1_280).map { program.interpreter.variable("v\($0)").cell }
      for index in 0..<1_280 {
        _ = machine.connect(cells[index + 1], reading: [cells[index]], integers: { $0[0] &+ 1 })
      }
      #expect(machine.graph.tables.natives.byteCount == 1_280 * 32)
      try program.run("v0 := 1")
      #expect(program["v1280"] == 1_281)
    }
  }
}
