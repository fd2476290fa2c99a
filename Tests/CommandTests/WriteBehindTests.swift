import Foundation
import TenonStoreKit
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What becomes of writes that were put off when the program ends: nothing waits for the hour that
/// they were put off by.
@Suite struct WriteBehindTests {
  /// A store that writes an hour later, over one that tells what is written.
  private static let stack = """
    class Told : MemoryStore {
      -put: value at: reference {
        stdout println: 'put ' , reference path last.
        ^super put: value at: reference
      }
      -delete: reference {
        stdout println: 'delete ' , reference path last.
        ^super delete: reference
      }
    }
    class Refusing : MappingStore {
      -around: verb at: reference do: aBlock {
        verb == #put ifFalse: [ ^aBlock value ].
        (reference path last startsWith: 'bad') ifTrue: [
          ^StoreError kind: #permission verb: #put at: reference reason: 'nobody may' ].
        (reference path last startsWith: 'away') ifTrue: [
          ^StoreError kind: #network verb: #put at: reference reason: 'nobody is there' ].
        (reference path last startsWith: 'slow') ifTrue: [
          stdout println: 'ready'; flush.
          1 hour wait ].
        ^aBlock value
      }
    }
    below := Told new at: 'old' put: 1; yourself.
    scheme:later := #WriteBehindStore{ delay: 1 hour } -> Refusing -> below.

    """

  /// Runs a program, whose errors stand among its output.
  private func run(_ text: String, options: String...) throws -> (Child.Exit, String) {
    try withProgram(text, options) { child in
      let output = try child.readToEnd()
      return (child.waitForExit(), output)
    }
  }

  private func withProgram<Result>(
    _ text: String, _ options: [String] = [], _ body: (Child) throws -> Result
  ) throws -> Result {
    try Directory.withTemporary { directory in
      let script = try directory.write(Array((WriteBehindTests.stack + text).utf8), to: "script.st")
      let child = try Child.start(
        ["/bin/sh", "-c", #"exec "$0" "$@" 2>&1"#, Command.path] + options + [script],
        stdin: "/dev/null")
      try child.expect("put old\n")
      return try body(child)
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func theEndOfAScriptWrites() throws {
    let (status, output) = try run(
      "later:a := 1. later:a := 2. later:b := 3. ref:later:old delete.")
    #expect(status == .status(0))
    #expect(output == "put a\nput b\ndelete old\n")
  }

  /// As long as something else is to come, the delay is what it is.
  @Test(.timeLimit(.minutes(10)))
  func timersAreWaitedForBefore() throws {
    let (status, output) = try run(
      """
      later:a := 1.
      [ stdout println: (scheme:later) pending size. later:b := 2 ] after: 20 milliseconds.
      """)
    #expect(status == .status(0))
    #expect(output == "1\nput a\nput b\n")
  }

  @Test(.timeLimit(.minutes(10)))
  func whoeverElseEndsIt() throws {
    for (text, exit) in [
      ("1 / 0.", 1), ("Exit status: 7.", 7), ("[ Exit status: 8 ] after: 1 millisecond.", 8),
    ] as [(String, Int32)] {
      let (status, output) = try run("later:a := 1. " + text)
      #expect(status == .status(exit))
      #expect(output.contains("put a\n"), "\(text)")
    }
    let (status, output) = try run("later:a := 1. [ ] every: 1 second.", options: "--once")
    #expect(status == .status(0))
    #expect(output.hasSuffix("put a\n"))
    for signal in [SIGTERM, SIGINT] {
      let text = "later:a := 1. stdout println: 'ready'; flush. [ true ] whileTrue."
      try withProgram(text) { child in
        try child.expect("ready\n")
        child.send(signal: signal)
        #expect(try child.readToEnd() == "put a\n")
        #expect(child.waitForExit() == .status(128 + signal))
      }
    }
  }

  /// What was put off may begin something that goes on: the end begins anew when that has ended.
  @Test(.timeLimit(.minutes(10)))
  func whatWasPutOffMayGoOn() throws {
    let text = """
      class Starting : MappingStore {
        -around: verb at: reference do: aBlock {
          (verb == #put and: [ reference path last = 'a' ]) ifTrue: [
            [ later:b := 2. stdout println: 'ready'; flush ] every: 1 second ].
          ^aBlock value
        }
      }
      scheme:later := #WriteBehindStore{ delay: 1 hour } -> Starting -> below.
      later:a := 1.
      """
    try withProgram(text) { child in
      try child.expect("put a\nready\n")
      // An interrupt of the timer's own block is another matter.
      usleep(200_000)
      child.send(signal: SIGINT)
      let output = try child.readToEnd()
      #expect(output.hasSuffix("put b\n"))
      #expect(!output.contains("not written"))
      #expect(child.waitForExit() == .status(130))
    }
  }

  /// What was answered and then refused is told, unless the program has seen it.
  @Test(.timeLimit(.minutes(10)))
  func whatWasRefusedIsTold() throws {
    let text = "later:bad1 := 1. later:a := 2. later:bad2 := 3. "
    let errors = ["bad1", "bad2"].map {
      "error: later:\($0): it was not written: nobody may\n"
    }
    var (status, output) = try run(text)
    #expect(status == .status(1))
    #expect(output == "put a\n" + errors.joined())
    // One is signalled, the other is not.
    let flush =
      "[ (scheme:later) flush ] on: StoreError do: [ :e | stdout println: e reference ]. "
    (status, output) = try run(text + flush)
    #expect(status == .status(1))
    #expect(output == "put a\nlater:bad1\n" + errors[1])
    (status, output) = try run(text + flush + "stdout println: (scheme:later) rejected size.")
    #expect(status == .status(0))
    #expect(output == "put a\nlater:bad1\n2\n")
    // What is written again is no longer refused.
    (status, output) = try run(
      "below put: 0 at: ref:mem:bad2. " + text + flush + "ref:later:bad2 delete. later:b := 1.")
    #expect(status == .status(0))
    #expect(output == "put bad2\nput a\nlater:bad1\ndelete bad2\nput b\n")
  }

  /// Who does not want to wait for the end is told what is left.
  @Test(.timeLimit(.minutes(10)), arguments: ["", "1 / 0."])
  func anInterruptEndsTheWriting(_ end: String) throws {
    let text = "later:a := 1. later:slow := 2. later:b := 3. ref:later:old delete. "
    try withProgram(text + end) { child in
      if !end.isEmpty { try child.expect("division by zero") }
      try child.expect("put a\nready\n")
      child.send(signal: SIGINT)
      let left = ["slow: it was not written", "b: it was not written", "old: it was not deleted"]
      #expect(
        try child.readToEnd()
          == left.map { "error: later:\($0): the program was stopped\n" }.joined())
      #expect(child.waitForExit() == .status(end.isEmpty ? 130 : 1))
    }
  }

  /// What may be written later is not given up but by somebody.
  @Test(.timeLimit(.minutes(10)))
  func whatIsTriedAgainIsTold() throws {
    try withProgram("later:away := 1. later:a := 2.") { child in
      try child.expect(
        """
        put a
        warning: what was put off cannot be written yet and is tried again until an interrupt ends \
        that: later:away: nobody is there

        """)
      child.send(signal: SIGINT)
      #expect(
        try child.readToEnd() == "error: later:away: it was not written: nobody is there\n")
      #expect(child.waitForExit() == .status(130))
    }
    let (status, output) = try run("later:away := 1. 1 / 0.")
    #expect(status == .status(1))
    #expect(output.hasSuffix("error: later:away: it was not written: nobody is there\n"))
  }

  /// The queue says how long what cannot be written is tried.
  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      ("#tell", ""),
      ("#ask", ""),
      (
        "100 milliseconds",
        "warning: what was put off cannot be written yet and is tried again for 0.1s: "
          + "later:away: nobody is there\n"
      ),
    ])
  func theQueueSaysHowTheProgramEnds(_ atEnd: String, _ warning: String) throws {
    let (status, output) = try run(
      "(scheme:later) atEnd: \(atEnd). later:away := 1. later:a := 2.")
    #expect(status == .status(1))
    #expect(
      output == "put a\n" + warning
        + "error: later:away: it was not written: nobody is there\n")
  }

  /// What a connection has begun to write is not lost without a word.
  @Test(.timeLimit(.minutes(10)))
  func whatConnectionsWereWritingIsTold() throws {
    let (status, output) = try run(
      """
      class Far : MemoryStore {
        -answersLater { ^true }
        -put: value at: reference { value = 2 ifTrue: [ 1 hour wait ]. ^super put: value at: reference }
      }
      scheme:far := Far new.
      var v := 1.
      k := (far:a |= v).
      v := 2. RunLoop step. Exit status: 3.
      """)
    #expect(status == .status(3))
    #expect(output == "error: far:a: a connection was still writing it when the program ended\n")
  }
}
