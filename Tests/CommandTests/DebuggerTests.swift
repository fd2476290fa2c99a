import Foundation
import Testing

/// An evaluation that an error has stopped, at the prompt.
@Suite struct DebuggerTests {
  private static let hint =
    ":locals :up :down look around; :resume :return :retry go on; Ctrl-D gives up"
  private static let tank = [
    "class Tank { var level. -fill: n { var more := n * 2. ^more / level } }",
    "extension Tank { -twice: n { ^(self fill: n) + 1 } }",
  ]

  /// A session in which a method two sends deep has divided by zero.
  private func stopped() throws -> ScreenSession {
    let session = try ScreenSession(environment: ["NO_COLOR": "1"], rows: 60, columns: 130)
    for text in DebuggerTests.tank { try session.enter(text) }
    try session.enter("tank := Tank new level: 0; yourself. nil", "nil")
    try session.type("tank twice: 21\r")
    try session.expect(
      "  at Tank>>fill: (<prompt 1>:1:61)", "  at Tank>>twice: (<prompt 2>:1:37)",
      "  at script (<prompt 4>:1:6)", DebuggerTests.hint, "debug>")
    return session
  }

  private func type(_ session: ScreenSession, _ line: String, _ answer: String...) throws {
    try type(session, line, answer)
  }

  private func type(_ session: ScreenSession, _ line: String, _ answer: [String]) throws {
    try session.type(line + "\r")
    try session.expectScreen("'\(line)' is followed by \(answer)") {
      $0.lines.suffix(answer.count + 2).elementsEqual(["debug> " + line] + answer + ["debug>"])
    }
  }

  @Test func framesAreLookedAt() throws {
    let session = try stopped()
    try type(session, ":locals", "self = a Tank", "n = 21", "more = 42")
    try type(session, "more + 1", "43")
    try type(session, "level", "0")
    try type(session, ":inspect self", "Tank  a Tank", "  .level  0")
    try type(
      session, ":up", "<prompt 2>:1:37: in Tank>>twice:", DebuggerTests.tank[1],
      String(repeating: " ", count: 36) + "^~~~~")
    try type(session, ":locals", "self = a Tank", "n = 21")
    try type(session, "more", "<prompt 8>:1:1: error: unknown name 'more'", "more", "^~~~")
    try type(session, ":up", "<prompt 4>:1:6: in script", "tank twice: 21", "     ^~~~~~")
    try type(session, ":up", "this is the outermost frame")
    try type(
      session, ":where", "  Tank>>fill: (<prompt 1>:1:61)", "  Tank>>twice: (<prompt 2>:1:37)",
      "> script (<prompt 4>:1:6)")
    try type(
      session, ":down", "<prompt 2>:1:37: in Tank>>twice:", DebuggerTests.tank[1],
      String(repeating: " ", count: 36) + "^~~~~")
    // Ctrl-D gives up the evaluation, and leaves the session only then.
    try session.type("\u{4}")
    try session.expect("debug>", "tenon>")
    try session.enter("more", "<prompt 9>:1:1: error: unknown name 'more'", "more", "^~~~")
    try session.leave()
  }

  @Test func theSendAnswersAValue() throws {
    let session = try stopped()
    try session.type(":resume more - n\r")
    // 'twice:' adds 1.
    try session.expect("debug> :resume more - n", "22", "tenon>")
    try session.leave()
  }

  @Test func aMethodAnswersAValue() throws {
    let session = try stopped()
    try session.type(":up\r:return 'gone'\r")
    try session.expect("debug> :return 'gone'", "'gone'", "tenon>")
    try session.type("#(1, 2) collect: [ :x | (tank fill: x) + 1 ]\r")
    try session.expect(DebuggerTests.hint, "debug>")
    // Once for each element; the second time the block answers.
    try session.type(":return 10\r")
    try session.expect(DebuggerTests.hint, "debug>")
    try session.type(":up\r:locals\r")
    try session.expectScreen("x is known") { $0.lines.contains("x = 2") }
    try session.type(":return 5\r")
    try session.expect("debug> :return 5", "#(11 5)", "tenon>")
    try session.leave()
  }

  @Test func theStatementBeginsAnew() throws {
    let session = try stopped()
    try type(session, "level := 3", "3")
    try session.type(":retry\r")
    try session.expect("debug> :retry", "15", "tenon>")
    // With a method that was mended meanwhile.
    try session.type("tank level: 0. tank twice: 2\r")
    try session.expect(DebuggerTests.hint, "debug>")
    try session.type("extension Tank { -fill: n { ^100 } }\r:retry\r")
    try session.expect("debug> :retry", "101", "tenon>")
    try session.leave()
  }

  @Test func variablesAreChanged() throws {
    let session = try stopped()
    try type(session, "more := 8. n := more + 1", "9")
    try type(session, ":locals", "self = a Tank", "n = 9", "more = 8")
    // What is not known in the frame is the session's, and so are definitions and connections.
    try type(session, "kept := n. class Other { -x { ^1 } }", "9")
    try type(session, "other := 5. double |= other * 2. nil", "nil")
    try session.type(":abort\r")
    try session.enter("kept => double => Other new x", "9 => 10 => 1")
    try session.leave()
  }

  /// What measures an expression evaluates it in the frame.
  @Test func expressionsOfTheFrameAreMeasured() throws {
    let session = try stopped()
    try session.type(":time more + level + 2\r")
    try session.expectScreen("the value and its time are shown") {
      $0.lines.last == "debug>" && $0.lines.suffix(3).first == "44"
        && $0.lines.dropLast().last?.hasPrefix("took ") == true
    }
    try session.type(":profile more + 3\r")
    try session.expectScreen("the value comes before the table") {
      $0.lines.last == "debug>" && $0.lines.contains("45")
        && $0.lines.dropLast().last?.hasPrefix("took ") == true
    }
    try session.type(":time mor\r")
    try session.expectScreen("the frame does not know a name") {
      $0.lines.last == "debug>" && $0.lines.contains { $0.contains("unknown name 'mor'") }
    }
    try session.type("\u{4}")
    try session.expect("debug>", "tenon>")
    try session.leave()
  }

  /// An object keeps the layout with which it was made, also where its class gets another one meanwhile.
  @Test func classesAreRedefined() throws {
    let session = try stopped()
    try type(session, "class Tank { var a. var b. var c := 5. var level. var d. -twice: n { ^d } }")
    try type(session, "level", "0")
    try type(session, "c", "5")
    try type(session, "a := 3. d := 4. level", "0")
    try type(session, ":locals", "self = a Tank", "n = 21", "more = 42")
    try session.type(":retry\r")
    try session.expect("debug> :retry", "4", "tenon>")
    try session.leave()
  }

  /// Variables of methods and blocks around, those that change with each turn of a loop included.
  @Test func variablesOfBlocks() throws {
    let session = try ScreenSession(environment: ["NO_COLOR": "1"], rows: 60, columns: 130)
    try session.enter(
      "class Sum { -of: all { var sum := 0. var unused := 1. "
        + "all do: [ :x | 1 to: 2 do: [ :i | var y := x * i. sum := sum + (6 / y) ] ]. ^sum } }")
    try session.type("Sum new of: #(1, 0)\r")
    try session.expect(DebuggerTests.hint, "debug>")
    try type(
      session, ":locals", "self = a Sum", "i = 1", "y = 0", "x = 0", "sum = 9")
    // What was read before the error stays as it was.
    try type(session, "sum := 100. y := 3", "3")
    try session.type(":resume 1\r")
    try session.expect(DebuggerTests.hint, "debug>")
    try type(session, ":locals", "self = a Sum", "i = 2", "y = 0", "x = 0", "sum = 10")
    try session.type(":resume 1\r")
    try session.expect("debug> :resume 1", "11", "tenon>")
    try session.leave()
  }

  /// `halt` in a file stops, `:resume` goes on behind it, and what has failed in a statement of a file can
  /// begin anew.
  @Test func filesAreStopped() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write(
        "-twice: n { self halt. ^n * 2 }\nx := self twice: 4.\nx := x + x missing.\ny := x + 1.\n",
        to: "work.st")
      let terminal = try Child.startAtTerminal([Command.path, "-i", file])
      for (line, answer) in [
        ("n + 1", "\r\n5\r\n"), (":resume", "work.st:3:12: error: 8 does not understand 'missing'"),
        // A message at the file's own level stops, too.
        (":resume 5", "\r\n"),
      ] {
        try terminal.expect("debug> ")
        try terminal.send(line + "\r")
        try terminal.expect(answer)
      }
      try terminal.expect("tenon> ")
      try terminal.send("y\r")
      try terminal.expect("\r\n14\r\n")
      try terminal.expect("tenon> ")
      try terminal.send("\u{4}")
      #expect(terminal.waitForExit() == .status(0))
      // Without a prompt it is an error.
      let result = try Command.run(file)
      #expect(result.status == .status(1))
    }
  }

  /// A file that asks for the end of the program ends itself, and not the session.
  @Test func filesThatExitBeginASession() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write("x := 3.\nExit status: 5.\nx := 4.\n", to: "exits.st")
      let terminal = try Child.startAtTerminal([Command.path, "-i", file])
      try terminal.expect("exit status 5")
      try terminal.expect("tenon> ")
      try terminal.send("x + 1\r")
      try terminal.expect("\r\n4\r\n")
      try terminal.expect("tenon> ")
      try terminal.send("x + 2\r")
      try terminal.expect("\r\n5\r\n")
      try terminal.expect("tenon> ")
      try terminal.send("\u{4}")
      #expect(terminal.waitForExit() == .status(0))
    }
  }

  @Test func statementsAreStepped() throws {
    let session = try ScreenSession(environment: ["NO_COLOR": "1"], rows: 60, columns: 130)
    let text = "-work { self halt. self one: 1. self one: 2. self one: 3. ^4 + 3 }"
    try session.enter(text)
    try session.enter("-one: n { n printString. ^n displayString }")
    try session.type("self work\r")
    try session.expect(DebuggerTests.hint, "debug>")
    func shown(_ column: Int, _ length: Int) -> [String] {
      [
        "<prompt 1>:1:\(column): in Script>>work", text,
        String(repeating: " ", count: column - 1) + "^" + String(repeating: "~", count: length - 1),
      ]
    }
    try type(session, ":next", shown(25, 4))
    try type(session, ":next", shown(38, 4))
    // Into the method that is sent, to its second statement, and out again.
    try session.type(":step\r")
    try session.expect("            ^~~~~~~~~~~", "debug>")
    try type(session, ":locals", ["self = the script", "n = 2"])
    try session.type(":step\r")
    try session.expectScreen("the second statement is shown") {
      $0.lines.suffix(4).first == "<prompt 2>:1:29: in Script>>one:"
    }
    try type(session, ":out", shown(51, 4))
    try session.type(":resume\r")
    try session.expect("debug> :resume", "7", "tenon>")
    // Nothing is stepped any more.
    try session.enter("self one: 3. 8", "8")
    try session.leave()
  }

  /// What else goes on meanwhile, and what happens to what is stopped in the end.
  @Test func theRestOfTheSessionGoesOn() throws {
    let session = try ScreenSession(environment: ["NO_COLOR": "1"], rows: 60, columns: 130)
    try session.enter("-fail: n { [ ^1 / n ] ensure: [ stdout println: 'cleaned up' ] }")
    try session.type(
      "[ stdout println: 'tick' ] after: 50 milliseconds. self fail: 0\r")
    try session.expect(DebuggerTests.hint, "tick", "debug>")
    try type(session, "b |= a + 1. a := 4. b", "5")
    try session.type("[ true ] whileTrue\r")
    usleep(50_000)
    try session.type("\u{3}")
    try session.expect("interrupted", "debug>")
    try type(session, "n", "0")
    try session.type(":abort\r")
    try session.expect("debug> :abort", "cleaned up", "tenon>")
    try session.leave()
  }

  @Test func nonsense() throws {
    let session = try stopped()
    for (number, command) in [
      ":up 3", ":down x", ":where 3", ":locals )", ":eval", ":eval )", ":eval nil foo", ":resume )",
      ":return nil foo", ":return )", ":resume nothing", "^", "^3",
      "super foo", "super fill: 1", "self := 3", "n foo: )", "[ ^4 ] value", "thisContext",
      "import 'nothing'",
      ":inspect )", ":inspect .9", ":more )", ":time )", ":load /no/such", ":edit Nobody",
    ].enumerated() {
      try session.type(command + "\r'after \(number)'\r")
      try session.expectScreen("the prompt is there after '\(command)'") {
        $0.lines.suffix(2).elementsEqual(["'after \(number)'", "debug>"])
      }
    }
    try session.type(":abort\r")
    try session.expect("debug> :abort", "tenon>")
    try session.leave()
  }

  @Test func leavingTheSession() throws {
    for (line, status) in [(":quit", 0), ("Exit status: 3", 3)] {
      let session = try Session()
      try session.enter("-fail: n { [ ^1 / n ] ensure: [ stdout println: 'cleaned up' ] }")
      try session.enter("self fail: 0")
      try session.terminal.expect("debug> ")
      try session.terminal.send(line + "\r")
      try session.terminal.expect("\r\ncleaned up\r\n")
      try session.expectEnd(status: status)
    }
  }

  @Test func whatIsTypedMeanwhileFailsAsUsual() throws {
    let session = try stopped()
    try session.type("tank fill: 1\r")
    try session.expect("  at script (<prompt 5>:1:6)", "debug>")
    try session.type("\u{4}")
    try session.expect("debug>", "tenon>")
    try session.leave()
  }

  @Test func errorsOfWhatWasTypedAreToldAlone() throws {
    let session = try ScreenSession(environment: ["NO_COLOR": "1"])
    try session.type("nil foo\r")
    try session.expect("nil foo", "    ^~~", "tenon>")
    try session.enter(
      ":resume", "':resume' is for an evaluation that an error has stopped")
    try session.leave()
  }
}
