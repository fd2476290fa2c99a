import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reading, evaluating and printing at a terminal.
@Suite struct SessionTests {
  @Test func valuesArePrinted() throws {
    let session = try Session()
    try session.enter("3 + 4", "7")
    try session.enter("x := 'it''s'", "'it''s'")
    try session.enter("x size. x size * 2", "8")
    try session.enter("nil", "nil")
    try session.enter("'ä€😀' size", "3")
    try session.leave()
  }

  @Test func definitionsAndEmptyLinesPrintNothing() throws {
    let session = try Session()
    try session.enter("")
    try session.enter("   ")
    try session.enter("class Foo { -bar { ^42 } }")
    try session.enter("| y |")
    try session.enter("var z.")
    try session.enter("var <Number> w")
    // The prompt comes at once: nothing stands between it and the line that was typed.
    try session.enter("Foo new bar", "42")
    try session.leave()
  }

  @Test func aConstructMayTakeSeveralLines() throws {
    let session = try Session()
    try session.enter("class Foo {")
    try session.terminal.send("  -bar {\r")
    try session.terminal.send("\r")
    try session.terminal.send("^42 } }\r")
    try session.enter("Foo new bar +")
    try session.terminal.send("1\r")
    try session.terminal.expect("\r\n43\r\n")
    try session.leave()
  }

  @Test func errorsAndWarningsAreShown() throws {
    let session = try Session()
    try session.enter("-half: n { ^n / 0 }")
    try session.enter("self half: 3")
    try session.terminal.expect("<prompt 1>:1:15: error: division by zero\r\n")
    try session.terminal.expect("\r\n  at Script>>half: (<prompt 1>:1:15)\r\n")
    try session.terminal.expect("  at script (<prompt 2>:1:6)\r\n")
    // The debugger waits, and is left.
    try session.terminal.expect("debug> ")
    try session.terminal.send("\u{4}")
    try session.enter("3 + ]", "<prompt 3>:1:5: error: expected an expression, found ']'")
    try session.enter("nothing", "<prompt 4>:1:1: error: unknown name 'nothing'")
    try session.enter("'a string'. 3")
    try session.terminal.expect(": warning: ")
    try session.terminal.expect("\r\n3\r\n")
    try session.leave()
  }

  /// A formula may stand before what it reads; it says so, as the name may be misspelt.
  @Test func aConnectionWaitsForAName() throws {
    let session = try Session()
    try session.enter("price |= amount * 2")
    try session.terminal.expect(
      "<prompt 1>:1:10: warning: 'amount' has no value yet; the connection waits for one\r\n")
    try session.terminal.expect("\r\nprice |= amount * 2  // #waiting\r\n")
    try session.enter("price", "<prompt 2>:1:1: error: 'price' has no value yet")
    try session.enter("amount := 3", "3")
    try session.enter("price", "6")
    // Both sides of '=|=' are written.
    try session.enter("left =|= right", "left =|= right  // #satisfied")
    try session.enter("right := 4. left", "4")
    // So does an inequality.
    try session.enter("least >=| count * 2")
    try session.terminal.expect(
      "warning: 'count' has no value yet; the connection waits for one\r\n")
    try session.enter("count := 4. least", "8")
    // A class that is missing is another matter.
    try session.enter("made |= Maker new")
    try session.terminal.expect("warning: 'made |= Maker new' failed: unknown name 'Maker'\r\n")
    try session.leave()
  }

  @Test func commands() throws {
    let session = try Session()
    try session.enter(":help")
    try session.terminal.expect("Ctrl-C stops what is running")
    try session.enter("x := 3. text := 'y' * 100")
    try session.enter(":vars")
    try session.terminal.expect("\r\ntext = 'yyy")
    try session.terminal.expect("yyy…\r\nx = 3\r\n")
    try session.enter(":what", "there is no command ':what'; ':help' lists them")
    try session.enter(":q")
    try session.expectEnd()
  }

  @Test func whoWantsToLeaveIsToldHow() throws {
    let session = try Session()
    for (number, word) in ["quit", "exit", "exit.", "help"].enumerated() {
      try session.enter(word)
      let name = word.prefix { $0 != "." }
      try session.terminal.expect("<prompt \(number + 1)>:1:1: error: unknown name '\(name)'")
      try session.terminal.expect("\r\nto leave, press Ctrl-D or type ':quit'; ':help' helps\r\n")
    }
    for word in ["exit()", "quit()"] {
      try session.enter(word)
      try session.terminal.expect("error: a message without arguments has no parentheses")
      try session.terminal.expect("\r\nto leave, press Ctrl-D or type ':quit'; ':help' helps\r\n")
    }
    for text in ["?Bag", "%timeit 3"] {
      try session.enter(text)
      try session.terminal.expect("error: expected an expression")
      try session.terminal.expect("\r\ncommands begin with ':': ':doc NAME' tells what")
    }
    try session.enter("quit := 3", "3")
    try session.enter("quit", "3")
    try session.leave()
  }

  @Test func filesAreLoadedFromHome() throws {
    try Directory.withTemporary { directory in
      try directory.write("loaded := 42.", to: "my.st")
      let session = try Session(
        environment: ["HOME": directory.root.path, "PAGER": "no-such-pager"])
      try session.enter(":load ~/my.st")
      try session.enter("loaded", "42")
      // Without its pager a value is shown all the same.
      try session.enter(":more (1 to: 3) asArray")
      try session.terminal.expect("\r\n#(1 2 3)\r\n")
      try session.leave()
    }
  }

  @Test func whatHasChangedInAFileIsTakenUp() throws {
    try Directory.withTemporary { directory in
      try directory.write("var count := 1. var next. next |= count + 1.", to: "my.st")
      let session = try Session(environment: ["HOME": directory.root.path])
      try session.enter(":load ~/my.st")
      try session.enter("count := 5", "5")
      try directory.write("var count := 1. var next. next |= count + 10.", to: "my.st")
      try session.enter(":reload")
      try session.terminal.expect("\r\nvariables: kept count, next\r\n")
      try session.terminal.expect(
        "connections: added 'next |= count + 10'; ended 'next |= count + 1'")
      try session.enter("#(count, next)", "#(5 15)")
      try directory.write("var count := . ", to: "my.st")
      try session.enter(":reload")
      try session.terminal.expect("error: ")
      try session.enter("#(count, next)", "#(5 15)")
      try session.leave()
    }
  }

  @Test func aProgramMayLeave() throws {
    let session = try Session()
    try session.enter("[ Exit status: 3 ] ensure: [ stdout println: 'bye' ]")
    try session.terminal.expect("\r\nbye\r\n")
    try session.expectEnd(status: 3)
  }

  @Test func controlDGivesUpAConstructFirst() throws {
    let session = try Session()
    try session.enter("x := #(1 2")
    try session.terminal.send("\u{4}")
    try session.enter("3 + 4", "7")
    try session.leave()
  }

  @Test func thePromptBeginsALine() throws {
    let session = try Session()
    try session.enter("stdout show: 'no end'. nil", "no end\r\nnil")
    try session.enter("stdout show: 'no end'. nil foo")
    try session.terminal.expect("\r\nno end<prompt 2>:1:")
    try session.enter("stdout show: 'no end'; flush. [ true ] whileTrue")
    try session.terminal.expect("\r\nno end")
    try session.interrupt()
    try session.terminal.expect("\r\ninterrupted\r\n")
    try session.leave()
  }

  @Test func aProgramReadsWhatIsTyped() throws {
    let session = try Session()
    try session.enter("stdin nextLine")
    try session.terminal.send("hello\r")
    try session.terminal.expect("\r\n'hello'\r\n")
    // What is typed ahead goes to the program, too.
    try session.enter("stdin nextLine\rahead\r3 + 4")
    try session.terminal.expect("\r\n'ahead'\r\n")
    try session.terminal.expect("\r\n7\r\n")
    // Not before the terminal is in the state in which Ctrl-D is an end.
    try session.enter("stdout println: 'now'. stdin nextLine")
    try session.terminal.expect("\r\nnow\r\n")
    try session.terminal.send("\u{4}")
    try session.terminal.expect("nil\r\n")
    try session.leave()
  }

  @Test func anOptionBeforeTheSession() throws {
    let session = try Session(["--memory", "32M"])
    try session.enter("x := 'a'. [ x := x , x ] repeat")
    try session.terminal.expect("error: out of memory: the limit is 32 MiB\r\n")
    try session.enter("3 + 4", "7")
    try session.leave()
  }
}

/// Ctrl-C, wherever it is pressed.
@Suite struct ControlCTests {
  @Test func atThePrompt() throws {
    let session = try Session()
    try session.enter("x := 5", "5")
    try session.terminal.expect("tenon> ")
    try session.terminal.send("x := x + ")
    try session.terminal.expect("x + ")
    try session.interrupt()
    // The text may be shown once more before it is given up.
    try session.terminal.expect("^C")
    try session.enter("x", "5")
    try session.enter("#(1 2")
    try session.interrupt()
    try session.enter("x + 1", "6")
    for _ in 1...10 {
      try session.terminal.expect("tenon> ")
      try session.interrupt()
    }
    try session.enter("x + 2", "7")
    try session.leave()
  }

  @Test(arguments: [
    "[ true ] whileTrue",
    "[ [ true ] whileTrue ] on: Exception do: [ :e | e retry ]",
    "[ [ true ] whileTrue ] ensure: [ [ true ] whileTrue ]",
    "[ [ true ] whileTrue ] ensure: [ stdin nextLine ]",
    "3 raisedTo: 100000000",
    "big * big",
    "(1 to: 1000000) do: [ :i | stdout println: i ]",
    "[ stdout print: 'x' * 100000 ] repeat",
    "stdin nextLine",
    "stdin upToEnd",
    "self down",
    "'endless'. Printer new",
    "[ [ nil foo ] repeat ] on: Error do: [ :e | e retry ]",
  ])
  func duringAnEvaluation(_ endless: String) throws {
    let session = try Session()
    try session.enter("kept := 42", "42")
    try session.enter("class Printer { -printOn: stream { [ true ] whileTrue } }")
    try session.enter("-down { [ self down ] on: StackOverflow do: [ :e | e retry ] }")
    if endless.hasPrefix("big") {
      try session.enter("big := 1 bitShift: 100000000. 3", "3")
    }
    try session.enter(endless)
    try session.terminal.expect("\r\n")
    // Time to get somewhere; sooner or later is both right.
    usleep(50_000)
    try session.interrupt()
    try session.terminal.expect("\r\ninterrupted\r\n")
    try session.enter("kept", "42")
    try session.leave()
  }

  @Test func beforeALongValueIsPrinted() throws {
    let session = try Session()
    try session.enter("long := 'x' * 3000000. 3", "3")
    try session.terminal.expect("tenon> ")
    // While it is calculated, before it is printed, and in the middle.
    for delay in stride(from: 0, to: 60, by: 4) {
      try session.terminal.send("long\r")
      try session.terminal.expect("\r\n")
      usleep(UInt32(delay) * 1000)
      try session.interrupt()
      let shown = try session.terminal.expectText(before: "tenon> ")
      #expect(shown.utf8.count < 3_000_000)
    }
    try session.terminal.send("3 + 4\r")
    try session.terminal.expect("\r\n7\r\n")
    try session.leave()
  }

  @Test func againAndAgain() throws {
    let session = try Session()
    // At whatever moment it comes, while the line is read or when it is evaluated: there is a
    // prompt again.
    for _ in 1...50 {
      try session.enter("[ true ] whileTrue")
      try session.terminal.expect("\r\n")
      try session.interrupt()
    }
    try session.enter("3 + 4", "7")
    try session.leave()
  }
}

/// Editing lines, and calling back earlier ones.
@Suite struct EditingTests {
  private static let up = "\u{1B}[A"
  private static let left = "\u{1B}[D"

  @Test func aLineIsEdited() throws {
    let session = try Session()
    try session.enter("3 + 55\u{7F}", "8")
    try session.enter("3 * 5" + EditingTests.left + "1", "45")
    try session.enter("+ 4\u{1}3 ", "7")
    try session.enter("rubbish\u{15}'ä' , 'ö\u{7F}ü'", "'äü'")
    try session.enter("Ordered\tnew size", "0")
    try session.enter("answer := 42", "42")
    try session.enter("ans\t+ 1", "43")
    // Of several names nothing is certain: they are shown.
    try session.terminal.expect("tenon> ")
    try session.terminal.send("Or\u{8}\t")
    try session.terminal.expect("OrderedCollection")
    try session.terminal.send("\u{15}")
    try session.terminal.send("3 + 4\r")
    try session.terminal.expect("\r\n7\r\n")
    try session.leave()
  }

  @Test func theArrowCallsBackLines() throws {
    try Directory.withTemporary { directory in
      let first = try Session(in: directory)
      try first.enter("1 + 1", "2")
      try first.enter("#(1")
      try first.terminal.send("  'two\\') size\r")
      try first.terminal.expect("\r\n2\r\n")
      try first.enter("3 + 3", "6")
      try first.enter(EditingTests.up + EditingTests.up + EditingTests.up)
      try first.terminal.expect("\r\n2\r\n")
      try first.leave()

      let second = try Session(in: directory)
      try second.enter(EditingTests.up)
      try second.terminal.expect("\r\n2\r\n")
      // Within the construct the key goes from line to line.
      try second.enter(EditingTests.up + EditingTests.up + EditingTests.up)
      try second.terminal.expect("\r\n6\r\n")
      // The whole construct comes back, and so does what was called back before.
      try second.enter(EditingTests.up + EditingTests.up + EditingTests.up)
      try second.terminal.expect("\r\n2\r\n")
      try second.enter("\u{12}two")
      try second.terminal.expect("\r\n2\r\n")
      try second.leave()
    }
  }

  @Test func aLongLine() throws {
    let session = try Session()
    try session.enter("'" + String(repeating: "x", count: 100_000) + "' size", "100000")
    try session.leave()
  }

  @Test func aTabInAStringOrACommentIsText() throws {
    let session = try Session()
    try session.enter("#('a\tb' size, \"Ordered\tb\" size)", "#(3 9)")
    try session.enter("'http://Ordered\t' size // Ordered\tnew", "15")
    try session.enter("'one")
    try session.terminal.send("\tOrdered\ttwo' size\r")
    try session.terminal.expect("\r\n16\r\n")
    // Behind a string, and in the code within one, a name is completed.
    try session.enter("'it''s' size + Ordered\tnew size", "4")
    try session.leave()
  }

  @Test func pastedTextIsTakenAsItIs() throws {
    let session = try Session()
    try session.terminal.expect("\u{1B}[?2004h")
    // Tabs, keys and control characters; nothing runs before Enter.
    let pasted = "x :=\t'Ordered\t'.\rstdout println: x size.\r\tx\t, 'Ordered\u{1B}[A'"
    try session.enter("\u{1B}[200~" + pasted + "\u{1B}[201~ , 'b'")
    try session.terminal.expect("\u{1B}[?2004l")
    try session.terminal.expect("\r\n8\r\n")
    try session.terminal.expect("'Ordered\tOrdered\u{1B}[Ab'\r\n")
    // Behind it keys are keys again.
    try session.enter("Ordered\tnew size", "0")
    try session.enter("3" + EditingTests.up + "\u{15}4 + 4", "8")
    try session.leave()
  }

  @Test func aMegabyteIsPasted() throws {
    let session = try Session()
    let line = "text := '" + String(repeating: "x", count: 200) + "'.\r"
    try session.enter(String(repeating: line, count: 2500) + "text size * 10", "2000")
    // As a single construct.
    let rows = String(repeating: "'" + String(repeating: "y", count: 200) + "'\r", count: 2500)
    try session.enter("#(\r" + rows + ") size * 2", "5000")
    try session.leave()
  }

  @Test func bytesThatAreNoText() throws {
    let session = try Session()
    try session.terminal.expect("tenon> ")
    try session.terminal.send([0x27, 0xFF, 0xC3, 0x61, 0xE2, 0x82, 0x27] + Array(" size\r".utf8))
    try session.terminal.expect("\r\n4\r\n")
    try session.terminal.expect("tenon> ")
    try session.terminal.send([0x33, 0, 0x20, 0x2B, 0x20, 0x34, 13])
    try session.terminal.expect("\r\n7\r\n")
    try session.leave()
  }

  @Test(arguments: [(1, 1), (1, 80), (2, 10), (500, 1000)] as [(UInt16, UInt16)])
  func aWindowOfAnySize(_ rows: UInt16, _ columns: UInt16) throws {
    let session = try Session(rows: rows, columns: columns)
    try session.terminal.send("1000000000000000000000 + 1\r")
    try session.terminal.expect("1000000000000000000001\r\n")
    session.terminal.resize(rows: 24, columns: 80)
    try session.enter("3 + 4", "7")
    session.terminal.resize(rows: 1, columns: 1)
    session.terminal.resize(rows: 30, columns: 100)
    try session.enter("3 + 5", "8")
    try session.leave()
  }

  @Test(arguments: ["dumb", "", "unheard-of", "vt100"])
  func aTerminalOfAnyKind(_ name: String) throws {
    let session = try Session(environment: ["TERM": name])
    try session.enter("x := 3 + 4", "7")
    try session.enter("stdout println: 'on'. [ true ] whileTrue")
    try session.terminal.expect("\r\non\r\n")
    try session.interrupt()
    try session.terminal.expect("\r\ninterrupted\r\n")
    try session.terminal.expect("tenon> ")
    try session.terminal.send("abc")
    try session.interrupt()
    // The text may be shown once more before it is given up.
    try session.terminal.expect("^C")
    try session.enter("#(1")
    try session.terminal.send("\u{4}")
    try session.enter("x", "7")
    try session.leave()
  }
}

/// What the system does to a session.
@Suite struct SessionSignalTests {
  @Test(arguments: [SIGTERM, SIGHUP])
  func theSessionIsEnded(_ signal: Int32) throws {
    let session = try Session()
    try session.enter("3 + 4", "7")
    try session.terminal.expect("tenon> ")
    try session.terminal.send("half a line")
    try session.terminal.expect("a line")
    kill(session.process, signal)
    try session.expectEnd(status: 128 + Int(signal))
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func theSessionIsEndedDuringAnEvaluation(_ signal: Int32) throws {
    let session = try Session()
    try session.enter(
      "[ stdout println: 'run'. [ true ] whileTrue ] ensure: [ stdout println: 'x' ]")
    try session.terminal.expect("\r\nrun\r\n")
    kill(session.process, signal)
    try session.terminal.expect("x\r\n")
    try session.expectEnd(status: 128 + Int(signal))
  }

  @Test func theSessionIsSuspended() throws {
    let shell = #"""
      "$0"
      echo "stopped."
      fg >/dev/null
      echo "status $?."
      """#
    let terminal = try Child.startAtTerminal(["/bin/sh", "-mc", shell, Command.path])
    try terminal.expect("tenon> ")
    try terminal.send("3 + ")
    try terminal.expect("3 + ")
    try terminal.send("\u{1A}")
    try terminal.expect("stopped.")
    // The line is shown again.
    try terminal.expect("tenon> 3 + ")
    try terminal.send("4\r")
    try terminal.expect("\r\n7\r\n")
    try terminal.expect("tenon> ")
    try terminal.send("\u{4}")
    try terminal.expect("status 0.")
    #expect(terminal.waitForExit() == .status(0))
  }

  @Test func theTerminalGoesAway() throws {
    let terminal = try Child.startAtTerminal([Command.path])
    try terminal.expect("tenon> ")
    terminal.hangUp()
    #expect(terminal.waitForExit() == .status(129))
  }
}
