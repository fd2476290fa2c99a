import Foundation
import Testing

/// What a program prints, and what happens when it cannot.
@Suite struct OutputTests {
  @Test func outputAndErrorsKeepTheirOrder() throws {
    let (status, output) = try Command.shell(
      #"""
      exec "$0" -e "1 to: 3 do: [ :i | stdout println: i. stderr println: i negated ]. nil foo" 2>&1
      """#)
    #expect(status == .status(1))
    #expect(output.hasPrefix("1\n-1\n2\n-2\n3\n-3\n<expression>:1:"))
  }

  /// What is short waits to be written with more; what is too long for that does not overtake it.
  @Test func longOutputComesAfterShort() throws {
    let result = try Command.run(
      "-e", "stdout << 'first '. stdout << (String new: 200000 withAll: $x). stdout << ' last'. nil"
    )
    let isInOrder = result.output.hasPrefix("first x") && result.output.contains("x last")
    #expect(isInOrder)
    #expect(result.output.count { $0 == "x" } == 200_000)
  }

  @Test func allOfALargeOutputArrives() throws {
    let script = "1 to: 100000 do: [ :i | stdout println: i ]. stdout println: 'x' * 1000000. 7"
    // The reader begins late and reads little at a time.
    let (status, output) = try Command.shell(
      #"{ "$0" -e "$1"; echo "status $?" >&2; } | { sleep 0.2; dd bs=1000 2>/dev/null; } | wc -c"#,
      script)
    #expect(status == .status(0))
    let size = (1...100_000).reduce(0) { $0 + "\($1)\n".utf8.count } + 1_000_001 + 2
    #expect(output.contains("status 0\n"))
    #expect(output.contains("\(size)\n"))
  }

  @Test(arguments: [
    "[ true ] whileTrue: [ stdout println: 'more' ]",
    "[ true ] whileTrue: [ stderr println: 'more' ]",
    "[ [ true ] whileTrue: [ stdout println: 'more' ] ] on: Error do: [ :e | e retry ]",
    "[ true ] whileTrue: [ [ stdout println: 'x' * 100000 ] on: Exception do: [ :e | nil ] ]",
    "[ [ true ] whileTrue: [ stdout println: 'more' ] ] ensure: [ stdout println: 'x' * 100000 ]",
    "stdout println: 'x' * 10000000. 3",
    "'x' * 10000000",
  ])
  func nobodyReadsTheOutput(_ script: String) throws {
    let (status, output) = try Command.shell(
      #"{ { "$0" -e "$1" 2>&1; echo "status $?" >&3; } | head -c 1 >/dev/null; } 3>&1"#, script)
    #expect(status == .status(0))
    #expect(output == "status 141\n")
  }

  @Test func theOutputIsFull() throws {
    for script in ["3", "stdout println: 3", "stdout println: 'x' * 1000000", "'x' * 1000000"] {
      let (status, output) = try Command.shell(#"exec "$0" -e "$1" 2>&1 >/dev/full"#, script)
      #expect(status == .status(1))
      #expect(output.contains("cannot write to stdout: No space left on device\n"))
    }
    let (help, _) = try Command.shell(#"exec "$0" --help >/dev/full"#)
    #expect(help == .status(1))
    // A program may deal with it.
    let (caught, output) = try Command.shell(
      #"exec "$0" -e "$1" 2>&1 >/dev/full"#,
      "[ stdout println: 3; flush ] on: StreamError do: [ :e | stderr println: e messageText ]. #()[1]"
    )
    #expect(caught == .status(1))
    #expect(output.hasPrefix("cannot write to stdout: No space left on device\n<expression>:1:"))
  }

  @Test func theOutputIsClosed() throws {
    let (status, output) = try Command.shell(#"exec "$0" -e "3" 2>&1 >&-"#)
    #expect(status == .status(1))
    #expect(output == "tenon: cannot write to stdout: Bad file descriptor\n")
  }

  @Test func outputGoesOutBeforeTheProgramWaits() throws {
    let child = try Child.start([
      Command.path, "-e",
      "[ stdout show: 'more? '. stdin nextLine = 'yes' ] whileTrue. stdout println: 'done'",
    ])
    for _ in 1...3 {
      try child.expect("more? ")
      try child.send("yes\n")
    }
    try child.expect("more? ")
    try child.send("no\n")
    #expect(try child.readToEnd() == "done\n'done'\n")
    #expect(child.waitForExit() == .status(0))
  }
}

/// What a program reads.
@Suite struct InputTests {
  private func read(_ input: [UInt8], _ script: String, _ options: String...) throws -> String {
    let result = try Command.run(options + ["-e", script], input: input)
    return result.output + result.errors
  }

  private func read(_ input: String, _ script: String) throws -> String {
    try read(Array(input.utf8), script)
  }

  @Test func lines() throws {
    let lines = "(1 to: 5) collect: [ :i | stdin nextLine ]"
    #expect(try read("a\n\nb c\n", lines) == "#('a' '' 'b c' nil nil)\n")
    #expect(try read("a\r\nb\rc\r\n\r\nlast", lines) == "#('a' 'b\rc' '' 'last' nil)\n")
    #expect(try read("", lines) == "#(nil nil nil nil nil)\n")
    #expect(try read("ä€😀\n", "stdin nextLine size") == "3\n")
    #expect(try read([0x61, 0, 0x62, 10], "stdin nextLine size") == "3\n")
    let long = String(repeating: "x", count: 1_000_000)
    #expect(try read(long + "\n" + long, "(stdin nextLine , stdin nextLine) size") == "2000000\n")
  }

  @Test func everything() throws {
    #expect(try read("a\r\nb", "stdin upToEnd size") == "4\n")
    #expect(try read("a\nb\nc", "stdin nextLine. stdin upToEnd") == "'b\nc'\n")
    let sum = "| sum | sum := 0. stdin do: [ :line | sum := sum + line asNumber ]. sum"
    #expect(try read((1...10_000).map { "\($0)\n" }.joined(), sum) == "50005000\n")
  }

  @Test func bytesThatAreNoText() throws {
    let result = try read([0x61, 0xFF, 10, 0x62, 10], "stdin nextLine")
    #expect(result.contains("error: stdin is not UTF-8"))
    let caught = "[ stdin nextLine ] on: EncodingError do: [ :e | stdin nextLine ]"
    #expect(try read([0x61, 0xFF, 10, 0x62, 10], caught) == "'b'\n")
  }

  @Test func aProgramAsksForATerminal() throws {
    #expect(try read("", "stdin isTerminal") == "false\n")
    let terminal = try Child.startAtTerminal([Command.path, "-e", "stdin isTerminal"])
    try terminal.expect("true\r\n")
    #expect(terminal.waitForExit() == .status(0))
  }

  @Test func aLineWithoutEnd() throws {
    for message in ["nextLine", "upToEnd"] {
      let (status, output) = try Command.shell(
        #"exec "$0" --memory 16M -e "$1" </dev/zero 2>&1"#,
        "[ stdin \(message) ] on: StreamError do: [ :e | e messageText ]")
      #expect(status == .status(0))
      #expect(output.contains("4194304 bytes'\n"))
    }
  }

  @Test func aDirectoryAsInput() throws {
    let (status, output) = try Command.shell(#"exec "$0" -e "stdin nextLine" </ 2>&1"#)
    #expect(status == .status(1))
    #expect(output.contains("error: cannot read from stdin: Is a directory"))
  }
}
