import Foundation
import TenonRuntime
import Testing

/// Celsius, Fahrenheit and Kelvin: two constraints of two directions each that share a variable.
@Suite struct TemperatureTests {
  /// How many edits the long test makes: `TENON_EDITS`, or 100,000.
  static let editCount =
    ProcessInfo.processInfo.environment["TENON_EDITS"].flatMap { Int($0) }
    ?? 100_000

  static let connections = """
    c := 0.0. f := 32.0. k := 273.15.
    fc := f |= (9.0/5.0) * c + 32.
    cf := c |= (f - 32) * (5.0/9.0).
    kc := k |= c + 273.15.
    ck := c |= k - 273.15.
    """

  /// Whoever writes 98.6 reads 98.6: the value is not sent there and back.
  @Test func editedValueIsExact() throws {
    let program = Program()
    try program.run(TemperatureTests.connections)
    try program.run("f := 98.6")
    #expect(program["f"] == 98.6)
    #expect(program["c"] == (98.6 - 32) * (5.0 / 9.0))
    #expect(program["k"] == (98.6 - 32) * (5.0 / 9.0) + 273.15)
    try program.run("c := 36.6")
    #expect(program["c"] == 36.6)
    #expect(program["f"] == (9.0 / 5.0) * 36.6 + 32)
    #expect(program["k"] == 36.6 + 273.15)
    try program.run("k := 300.1")
    #expect(program["k"] == 300.1)
    #expect(program["c"] == 300.1 - 273.15)
    #expect(program["f"] == (9.0 / 5.0) * (300.1 - 273.15) + 32)
  }

  /// Edits in steps of a tenth, of each variable in turn: each keeps what was written to the bit,
  /// the others are what the formulas give for it, and two formulas run.
  @Test func editsInTenths() throws {
    try onThread {
      let program = Program()
      try program.run(TemperatureTests.connections)
      try program.run("c := 10. f := 10. k := 10")
      let before = program.runCount
      let wrong = try program.run(
        """
        wrong := 0.
        count := fc updateCount + cf updateCount + kc updateCount + ck updateCount.
        1 to: \(TemperatureTests.editCount) do: [ :i |
          | x now |
          x := (i \\\\ 24001) / 10.0 - 400.
          i \\\\ 3 = 0 ifTrue: [
            f := x.
            f = x && [ c = ((x - 32) * (5.0/9.0)) ] && [ k = (c + 273.15) ] | ifFalse: [
              wrong := wrong + 1 ] ].
          i \\\\ 3 = 1 ifTrue: [
            c := x.
            c = x && [ f = ((9.0/5.0) * x + 32) ] && [ k = (x + 273.15) ] | ifFalse: [
              wrong := wrong + 1 ] ].
          i \\\\ 3 = 2 ifTrue: [
            k := x.
            k = x && [ c = (x - 273.15) ] && [ f = ((9.0/5.0) * c + 32) ] | ifFalse: [
              wrong := wrong + 1 ] ].
          now := fc updateCount + cf updateCount + kc updateCount + ck updateCount.
          now - count = 2 ifFalse: [ wrong := wrong + 1 ].
          count := now ].
        wrong
        """)
      #expect(wrong.integer == 0)
      #expect(program.runCount - before == 2 * TemperatureTests.editCount)
      #expect(program.console.text == "")
    }
  }

  /// The statements in each order: the same connections.
  @Test func orderOfFormulas() throws {
    let statements = [
      "f |= (9.0/5.0) * c + 32", "c |= (f - 32) * (5.0/9.0)", "k |= c + 273.15", "c |= k - 273.15",
    ]
    for order in permutations(of: Array(statements.indices)) {
      let program = Program()
      try program.run("c := 0.0. f := 32.0. k := 273.15.")
      try program.run(order.map { statements[$0] + "." }.joined(separator: "\n"))
      for (name, value) in [("f", 98.6), ("k", 300.1), ("c", 36.6), ("f", -40.1), ("c", 0.1)] {
        let before = program.runCount
        try program.run("\(name) := \(value)")
        #expect(program[name] == value, "\(order)")
        #expect(program.runCount - before == 2, "\(order)")
        let c = name == "f" ? (value - 32) * (5.0 / 9.0) : name == "k" ? value - 273.15 : value
        #expect(program["c"] == c, "\(order)")
        #expect(name == "f" || program["f"] == (9.0 / 5.0) * c + 32, "\(order)")
        #expect(name == "k" || program["k"] == c + 273.15, "\(order)")
      }
    }
  }
}

/// All orders of some elements.
func permutations<Element>(of elements: [Element]) -> [[Element]] {
  guard let first = elements.first else { return [[]] }
  return permutations(of: Array(elements.dropFirst())).flatMap { rest in
    (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
  }
}
