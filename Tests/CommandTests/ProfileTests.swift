import Testing

/// `:profile`: which methods have taken how much.
@Suite struct ProfileTests {
  private static let program = """
    class Mill { -run: n { 1 to: n do: [ :i | self grind: i ] } -grind: n { ^n printString } }
    Prompt run: ':profile Mill new run: 500'.
    """

  @Test func methodsAreCounted() throws {
    let result = try Command.run(input: ProfileTests.program)
    #expect(result.errors == "")
    let lines = result.output.split(separator: "\n").map { $0.split(separator: " ") }
    try #require(lines.count > 4)
    #expect(lines[0] == ["a", "Mill"])
    #expect(lines[1].joined(separator: " ") == "% own % with sends bytes steps method")
    let grind = try #require(lines.first { $0.last == "Mill>>grind:" })
    // A step for each time that it was sent.
    #expect(grind[3] == "500")
    let run = try #require(lines.first { $0.last == "Mill>>run:" })
    // What it does itself is less than what it has done.
    #expect(try #require(Int(run[1])) >= #require(Int(grind[0])))
    #expect(
      lines.contains { $0.last == "Integer>>printString" || $0.last == "Object>>printString" })
    #expect(lines.last?.first == "took")
  }

  @Test func whatIsWrong() throws {
    let none = try Command.run("-e", "Prompt run: ':profile'")
    #expect(none.errors.contains("profile takes an expression"))
    let nested = try Command.run("-e", "Prompt run: ':profile Prompt run: '':profile 3'''")
    #expect(nested.errors.contains("a profile is being made already"))
    // What fails ends the counting.
    let failing = """
      [ Prompt run: ':profile nil foo' ] on: Error do: [ :e | stdout println: e messageText ].
      Prompt run: ':profile 3 + 4'.
      """
    let result = try Command.run(input: failing)
    #expect(result.output.hasPrefix("nil does not understand 'foo'\n7\n"))
  }
}
