import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What signals do to a script.
@Suite struct SignalTests {
  /// Starts a script in which `READY` stands where it has come to what is to be tested.
  private func start(_ script: String) throws -> Child {
    let text = script.replacingOccurrences(of: "READY", with: "stdout println: 'ready'; flush.")
    let child = try Child.start([Command.path, "-e", text])
    try child.expect("ready\n")
    return child
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func aScriptCleansUpAndEnds(_ signal: Int32) throws {
    let child = try start(
      "[ READY [ true ] whileTrue ] ensure: [ stdout println: 'cleaned' ]. stdout println: 'never'")
    child.send(signal: signal)
    #expect(try child.readToEnd() == "cleaned\n")
    #expect(child.waitForExit() == .status(128 + signal))
  }

  @Test(arguments: [
    "stdin nextLine", "stdin upToEnd", "3 raisedTo: 100000000",
    "[ [ true ] whileTrue ] on: Exception do: [ :e | e retry ]",
    "-down { ^1 + self down }\n[ [ self down ] on: StackOverflow do: [ :e | 1 ] ] repeat",
    "| all | all := OrderedCollection new. [ all size > 10000 ifTrue: [ all := "
      + "OrderedCollection new ]. all add: 'x' * 100 ] repeat",
  ])
  func aScriptEndsWhateverItDoes(_ script: String) throws {
    let child = try start("READY " + script)
    // For once it does not matter whether it has come to the interesting part.
    usleep(30_000)
    child.send(signal: SIGINT)
    #expect(try child.readToEnd() == "")
    #expect(child.waitForExit() == .status(130))
  }

  @Test func aCleanUpThatLoopsEndsByItself() throws {
    let child = try start("[ READY [ true ] whileTrue ] ensure: [ [ true ] whileTrue ]")
    child.send(signal: SIGINT)
    #expect(child.waitForExit() == .status(130))
  }

  @Test func aSecondSignalEndsTheCleanUp() throws {
    let child = try start(
      """
      [ [ READY [ true ] whileTrue ] ensure: [ stdout println: 'cleaning'; flush. stdin nextLine ] ]
        ensure: [ stdout println: 'never' ]
      """)
    child.send(signal: SIGINT)
    try child.expect("cleaning\n")
    child.send(signal: SIGINT)
    #expect(try child.readToEnd() == "")
    #expect(child.waitForExit() == .status(130))
  }

  @Test func aThirdSignalKills() throws {
    let child = try start("READY [ true ] whileTrue")
    // The program gets all three before it can follow one.
    child.send(signal: SIGSTOP)
    for signal in [SIGHUP, SIGINT, SIGTERM] { child.send(signal: signal) }
    child.send(signal: SIGCONT)
    guard case .signal = child.waitForExit() else {
      Issue.record("the third signal did not kill")
      return
    }
  }

  @Test func aScriptThatWaitsForItsOwnTextEnds() throws {
    try Directory.withTemporary { directory in
      let fifo = directory.path("fifo")
      #expect(unsafe mkfifo(fifo, 0o600) == 0)
      let child = try Child.start([Command.path, fifo])
      // A FIFO can be opened for writing without waiting once somebody waits to read from it.
      var writer: Int32 = -1
      while writer < 0 {
        usleep(1000)
        unsafe writer = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      }
      child.send(signal: SIGINT)
      #expect(child.waitForExit() == .status(130))
      close(writer)
    }
  }

  @Test func anIgnoredSignalStaysIgnored() throws {
    let child = try Child.start([
      "/bin/sh", "-c", #"trap "" INT HUP; exec "$0" -e "$1""#, Command.path,
      "stdout println: 'ready'; flush. stdin nextLine",
    ])
    try child.expect("ready\n")
    child.send(signal: SIGINT)
    child.send(signal: SIGHUP)
    try child.send("on\n")
    #expect(try child.readToEnd() == "'on'\n")
    #expect(child.waitForExit() == .status(0))
  }

  @Test func aScriptThatCannotWriteEnds() throws {
    // Nobody reads from the pipe, which is soon full: the script is stuck, and so is what it has
    // not written yet when it has been stopped.
    let child = try start("READY [ stdout println: 'x' * 1000 ] repeat")
    let exit = child.waitForExit(sending: SIGINT)
    #expect(exit == .status(130) || exit == .signal(SIGINT))
  }
}
