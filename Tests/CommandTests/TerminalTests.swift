import Foundation
import Testing

/// Programs that talk to a person at a terminal.
@Suite struct TerminalTests {
  /// What controls the terminal: it shows how `tenon` ended, and whether it has left the terminal
  /// as it was.
  private static let guardian = #"""
    trap : INT TERM HUP
    before=$(stty -g)
    /bin/sh -c 'echo "process $$."; exec "$0" "$@"' "$0" "$@"
    echo "status $?."
    test "$before" = "$(stty -g)" && echo "terminal restored."
    """#

  /// Starts a program; what it is at a terminal of its own.
  private func start(
    _ script: String, redirection: String = "", environment: [String: String] = [:],
    columns: UInt16 = 80
  ) throws -> (terminal: Child, process: pid_t) {
    let guardian = Self.guardian.replacingOccurrences(
      of: #"exec "$0" "$@""#, with: #"exec "$0" "$@" "# + redirection)
    let terminal = try Child.startAtTerminal(
      ["/bin/sh", "-c", guardian, Command.path, "-e", script],
      environment: ["TERM": "xterm"].merging(environment) { $1 }, rows: 30, columns: columns)
    try terminal.expect("process ")
    return (terminal, try #require(pid_t(terminal.expectText(before: "."))))
  }

  private func expectEnd(_ terminal: Child, status: Int = 0) throws {
    try terminal.expect("status \(status).")
    try terminal.expect("terminal restored.")
  }

  @Test func aTerminalHasASizeAndColours() throws {
    let script = """
      stdout println: #(stdout isTerminal, stderr isTerminal, stdin isTerminal, stdout columns, Terminal rows).
      stdout println: (stdout styled: 'red' as: #(#bold #red)) , '.'.
      nil
      """
    let (terminal, _) = try start(script, columns: 132)
    try terminal.expect("#(true true true 132 30)\r\n")
    try terminal.expect("\u{1B}[1;31mred\u{1B}[0m.\r\n")
    try expectEnd(terminal)
  }

  @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
  func coloursAreLeftOutWhereNobodyWantsThem(_ environment: [String: String]) throws {
    let (terminal, _) = try start(
      "stdout println: (stdout styled: 'red' as: #red) , '.'. nil", environment: environment)
    try terminal.expect("\r\nred.\r\n")
    try expectEnd(terminal)
  }

  @Test func aFileIsNoTerminal() throws {
    let (terminal, _) = try start(
      "stderr println: #(stdout isTerminal, stderr isTerminal, stdout styled: 'a' as: #red). nil",
      redirection: ">/dev/null")
    try terminal.expect("#(false true 'a')\r\n")
    try expectEnd(terminal)
  }

  @Test func aPasswordIsNotShown() throws {
    let (terminal, _) = try start(
      "stdout println: 'got ' , (stdin askPassword: 'Password: ') reversed. "
        + "stdout println: 'hello ' , (stdin ask: 'Name: '). nil")
    try terminal.expect("Password: ")
    try terminal.send("secret\n")
    // The line ends, and nothing of what was typed stands before that.
    try terminal.expect("\r\ngot terces\r\nName: ")
    // The terminal shows what is typed again.
    try terminal.send("Ada\n")
    try terminal.expect("Ada\r\nhello Ada\r\n")
    try expectEnd(terminal)
  }

  @Test func aPromptIsShownWhereTheOutputIsAFile() throws {
    let (terminal, _) = try start(
      "stderr println: 'hello ' , (stdin ask: 'Name: '). nil", redirection: ">/dev/null")
    try terminal.expect("Name: ")
    try terminal.send("Ada\n")
    try terminal.expect("hello Ada\r\n")
    try expectEnd(terminal)
  }

  @Test func interruptsPutTheEchoBack() throws {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      let (terminal, process) = try start("stdin askPassword: 'Password: '")
      try terminal.expect("Password: ")
      kill(process, signal)
      try expectEnd(terminal, status: 128 + Int(signal))
    }
  }

  @Test func errorsPutTheEchoBack() throws {
    let (terminal, _) = try start(
      "Terminal withoutEchoDo: [ stdout print: terminal:echo; nl. 1 / 0 ]")
    try terminal.expect("false\r\n")
    try terminal.expect("division by zero")
    try expectEnd(terminal, status: 1)
  }

  @Test func theEchoCanBeSet() throws {
    let (terminal, _) = try start("terminal:echo := false. stdout println: terminal:echo. nil")
    try terminal.expect("false\r\n")
    // The end of the program puts it back.
    try expectEnd(terminal)
  }

  @Test func progressIsShownOnStderr() throws {
    let script = "((1 to: 3) withProgress: 'reading') do: [ :i | 150 milliseconds wait ]. 'end'"
    let (terminal, _) = try start(script, redirection: ">/dev/null", columns: 60)
    try terminal.expect("\rreading   0% [")
    try terminal.expect("\rreading  33% [")
    try terminal.expect("\rreading 100% [##")
    try terminal.expect("] 3/3\u{1B}[K\r\n")
    try expectEnd(terminal)
    let (silent, _) = try start(script, redirection: "2>/dev/null")
    #expect(try silent.expectText(before: "'end'") == "\r\n")
    try expectEnd(silent)
  }

  @Test func pipesAreAnswered() throws {
    let result = try Command.run(
      "-e",
      "stdout println: (stdin askPassword: 'Password: ') , (stdin ask: 'Name: '). "
        + "stdout println: #(terminal:stdin, terminal:echo). [ terminal:echo := false ] on: StoreError "
        + "do: [ :e | stdout println: e messageText ]. nil",
      input: "secret\nAda\n")
    #expect(result.output == "secretAda\n#(false nil)\nterminal:echo: stdin is no terminal\nnil\n")
    #expect(result.errors.isEmpty)
  }
}
