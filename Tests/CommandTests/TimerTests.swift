import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Scripts that leave timers behind, and timers at the prompt.
@Suite struct TimerTests {
  @Test func aScriptGoesOnAsLongAsItsTimers() throws {
    let script = """
      count := 0.
      timer := [ count := count + 1. stdout println: count. count = 3 ifTrue: [ timer stop ] ]
        every: 5 milliseconds.
      [ stdout println: 'future' ] future.
      stdout println: 'end'
      """
    let result = try Command.run("-", input: script)
    #expect(result.output == "end\nfuture\n1\n2\n3\n")
    #expect(result.status == .status(0))
  }

  @Test func onceEndsAtTheLastStatement() throws {
    let script = "[ stdout println: 'never' ] every: 1 millisecond. stdout println: 'end'"
    let result = try Command.run("--once", "-", input: script)
    #expect(result.output == "end\n")
    #expect(result.status == .status(0))
  }

  @Test func anErrorInATimerIsToldAndTheOthersGoOn() throws {
    let script = """
      [ nil foo ] after: 1 millisecond.
      [ stdout println: 'other' ] after: 10 milliseconds.
      """
    let result = try Command.run("-", input: script)
    #expect(result.output == "other\n")
    #expect(
      result.errors.hasPrefix("<stdin>:1:7: error in a timer: nil does not understand 'foo'\n"))
    #expect(result.status == .status(1))
  }

  @Test func aTimerMayEndTheProgram() throws {
    let script = "[ ] every: 1 hour. [ Exit status: 7 ] after: 1 millisecond"
    #expect(try Command.run("-", input: script).status == .status(7))
  }

  @Test(arguments: [
    "[ ] every: 1 hour. READY", "READY 1 hour wait", "[ READY ] after: 1 millisecond. 1 hour wait",
    "[ ] every: 1 hour. READY Future new value",
  ])
  func anInterruptEndsTheSleep(_ script: String) throws {
    let text = script.replacingOccurrences(of: "READY", with: "stdout println: 'ready'; flush.")
    let child = try Child.start([Command.path, "-e", text])
    try child.expect("ready\n")
    // For once it does not matter whether it sleeps already.
    usleep(30_000)
    child.send(signal: SIGINT)
    #expect(child.waitForExit() == .status(130))
  }

  @Test func whatWasWrittenIsSeenBeforeASleep() throws {
    let child = try Child.start([Command.path, "-e", "stdout println: 'seen'. 1 hour wait"])
    try child.expect("seen\n")
    child.send(signal: SIGINT)
    #expect(child.waitForExit() == .status(130))
  }

  // MARK: The prompt

  @Test func timersGoOnAtThePrompt() throws {
    let session = try Session()
    try session.enter(
      "t := [ stdout println: 'ti' , 'ck' ] after: 20 milliseconds", "an active Timer")
    try session.terminal.expect("tick\r\n")
    // The prompt is shown again.
    try session.enter("3 + 4", "7")
    try session.leave()
  }

  @Test func theLineThatIsTypedIsKept() throws {
    let session = try Session()
    try session.enter(
      "go := Future new. [ :t | stdout println: 'ti' , 'ck'. t stop ] every: 300 milliseconds. 0",
      "0")
    try session.terminal.expect("tenon> ")
    try session.terminal.send("30 + ")
    try session.terminal.expect("tick\r\n")
    try session.terminal.expect("tenon> 30 + ")
    try session.terminal.send("12\r")
    try session.terminal.expect("\r\n42\r\n")
    try session.leave()
  }

  @Test func aTimerThatWritesNothingLeavesTheLineAlone() throws {
    let session = try Session()
    try session.enter("n := 0. [ n := n + 1 ] every: 1 millisecond. 0", "0")
    try session.terminal.expect("tenon> ")
    try session.terminal.send("'a' , ")
    usleep(50_000)
    try session.terminal.send("'b'\r")
    let shown = try session.terminal.expectText(before: "\r\n'ab'\r\n")
    #expect(!shown.contains("tenon>"))
    try session.enter("[ n > 1 ] whileFalse: [ 1 millisecond wait ]. 'ran'", "'ran'")
    try session.leave()
  }

  @Test func anErrorAtThePromptIsTold() throws {
    let session = try Session()
    try session.enter("[ nil foo ] after: 10 milliseconds", "an active Timer")
    try session.terminal.expect("error in a timer: nil does not understand 'foo'\r\n")
    try session.enter("3 + 4", "7")
    try session.leave()
  }

  @Test func aTimerMayEndTheSession() throws {
    let session = try Session()
    try session.enter("[ Exit status: 7 ] after: 10 milliseconds", "an active Timer")
    try session.expectEnd(status: 7)
  }

  @Test func aTimerThatLoopsAtThePromptIsInterrupted() throws {
    let session = try Session()
    try session.enter(
      "[ stdout println: 'lo' , 'op'. [ true ] whileTrue ] after: 10 milliseconds. 0", "0")
    try session.terminal.expect("loop\r\n")
    try session.interrupt()
    try session.enter("3 + 4", "7")
    try session.leave()
  }

  @Test func timersGoOnWithoutLineEditing() throws {
    let session = try Session(environment: ["TERM": "dumb"])
    try session.enter(
      "t := [ stdout println: 'ti' , 'ck' ] after: 20 milliseconds", "an active Timer")
    try session.terminal.expect("tick\r\n")
    try session.terminal.send("3 + 4\r")
    try session.terminal.expect("\r\n7\r\n")
    try session.terminal.expect("tenon> ")
    try session.terminal.send("\u{4}")
    try session.expectEnd()
  }
}
