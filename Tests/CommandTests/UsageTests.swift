import Foundation
import Testing

/// The command line: what runs, what is printed, and the exit status.
@Suite struct UsageTests {
  @Test func anExpressionPrintsItsValue() throws {
    let result = try Command.run("-e", "3 + 4 * 2")
    #expect(result.status == .status(0))
    #expect(result.output == "14\n")
    #expect(result.errors == "")
    #expect(try Command.run("-e", "'it''s'").output == "'it''s'\n")
    #expect(try Command.run("-e", "nil").output == "nil\n")
    #expect(try Command.run("-e", "1 + 1. 2 + 2").output == "4\n")
    #expect(try Command.run("-e", "class Foo { }").output == "")
    #expect(try Command.run("-e", "^3").output == "3\n")
    #expect(try Command.run("-e", "#(1 2) do: [ :x | ^x ]. 7").output == "1\n")
    #expect(try Command.run("-e", "var x.").output == "")
    #expect(try Command.run("-e", "3. var x.").output == "3\n")
    #expect(try Command.run("-e", "var x := 3").output == "3\n")
  }

  @Test func severalExpressionsAreLinesOfOneProgram() throws {
    #expect(try Command.run("-e", "x := 3.", "-e", "x + 1").output == "4\n")
    let definition = try Command.run(
      "-e", "class Foo {", "-e", "-bar { ^42 } // the answer", "-e", "}", "-e", "Foo new bar")
    #expect(definition.output == "42\n")
    let error = try Command.run("-e", "1.", "-e", "nil foo")
    #expect(error.status == .status(1))
    #expect(error.errors.hasPrefix("<expression>:2:5: error: nil does not understand 'foo'\n"))
    // Nothing runs when one of them is wrong.
    let wrong = try Command.run("-e", "stdout println: 1.", "-e", "3 +")
    #expect(wrong.status == .status(65))
    #expect(wrong.output == "")
    #expect(try Command.run("-e", "3.", "--memory", "32M", "-e", "4").output == "4\n")
  }

  @Test func aFileOfTestsRunsThem() throws {
    try Directory.withTemporary { directory in
      let text = """
        class SumTest : TestCase {
          -testSum { self assert: 1 + 1 equals: 2 }
          -testWrong { self assert: 1 + 1 equals: 3 }
        }
        """
      let failing = try directory.write(text, to: "sum_test.st")
      let result = try Command.run(failing)
      #expect(result.status == .status(1))
      #expect(
        result.output == """
          failed SumTest>>testWrong (\(failing):3): expected 3, found 2
          2 run, 1 passed, 1 failed, 0 errors, 0 skipped

          """)
      #expect(result.errors == "")
      let passing = try directory.write(
        text.replacingOccurrences(of: "equals: 3", with: "equals: 2"), to: "good_test.st")
      #expect(try Command.run(passing).status == .status(0))
      // Only a file whose name says so.
      let script = try directory.write(text, to: "sum.st")
      #expect(try Command.run(script).output == "")
      let broken = try directory.write("nil foo.", to: "broken_test.st")
      #expect(try Command.run(broken).status == .status(1))
    }
  }

  @Test func argumentsOfAnExpression() throws {
    #expect(try Command.run("-e", "arguments", "a", "-e", "x").output == "#('a' '-e' 'x')\n")
    #expect(try Command.run("-e", "arguments", "--", "-e", "x").output == "#('-e' 'x')\n")
    #expect(try Command.run("-e", "arguments", "-", "--help").output == "#('-' '--help')\n")
    #expect(try Command.run("-e", "arguments", "--").output == "#()\n")
  }

  @Test(arguments: [
    ("Exit status: 3. stdout println: 1", 3, ""),
    ("Exit status: 0. nil foo", 0, ""),
    ("Exit signal. nil foo", 0, ""),
    ("[ Exit status: 3 ] on: Error do: [ :e | e return: 4 ]", 3, ""),
    ("[ Exit status: 3 ] ensure: [ stdout println: 'bye' ]", 3, "bye\n"),
    ("-leave { Exit status: 255 }\n#(1 2) do: [ :x | self leave ]", 255, ""),
    ("x |= (Exit status: 9). 4", 9, ""),
    ("class A { -printOn: stream { Exit status: 5 } }. A new", 5, ""),
    ("[ Exit status: 3 ] on: Exit do: [ :e | e return: e status ]", 0, "3\n"),
  ])
  func aProgramEndsWithAStatus(_ script: String, _ status: Int32, _ output: String) throws {
    let result = try Command.run("-e", script)
    #expect(result.status == .status(status))
    #expect(result.output == output)
    #expect(result.errors == "")
  }

  @Test(arguments: ["256", "-1", "'x'", "nil", "1.5"])
  func aStatusIsAByte(_ status: String) throws {
    let result = try Command.run("-e", "Exit status: \(status)")
    #expect(result.status == .status(1))
    #expect(result.errors.contains("expected a status from 0 to 255, found \(status)\n"))
  }

  @Test func longNamesMakeShortMessages() throws {
    let name = String(repeating: "x", count: 100_000)
    let type = String(repeating: "X", count: 100_000)
    // The name stands in each message, but for the class whose superclass is missing.
    for script in [
      name, "nil \(name)", "nil \(name): 3", "file:\(name)", "\(name):foo", "ivar:\(name)",
      "class \(type) { -\(name) { ^self foo } }. \(type) new \(name)",
      "Dictionary new at: '\(name)'", "var \(name). \(name) |= \(name) + 1",
      "var \(name) := 0. \(name) |= 3 / 0", "mem:\(name) foo", "nil at: '\(name)'",
      "class \(type) : \(type)a { }", "-\(name): a { a := 3 }", "env:\(name) := 3",
    ] {
      try Directory.withTemporary { directory in
        let result = try Command.run(try directory.write(script, to: "long.st"))
        #expect(result.errors.count < 1500, "\(script.prefix(30))")
        #expect(result.errors.contains(script.contains(" : \(type)") ? "XXXXX" : "xxxxx"))
      }
    }
    // What a program says itself is its own affair.
    let own = try Command.run(input: "Error signal: 'don''t: \(name)'")
    #expect(own.errors.contains("don't: \(name)\n"))
  }

  @Test func aScriptRuns() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write("stdout println: arguments. 3 + 4", to: "script.st")
      let result = try Command.run(file, "one", "--help", "-e")
      #expect(result.status == .status(0))
      #expect(result.output == "#('one' '--help' '-e')\n")
      #expect(try Command.run("--", file).output == "#()\n")
      let empty = try Command.run(directory.write("", to: "empty.st"))
      #expect(empty.status == .status(0))
      #expect(empty.output + empty.errors == "")
      let lines = try directory.write("stdout println: 1.\r\nstdout println: 2.\r\n", to: "crlf.st")
      #expect(try Command.run(lines).output == "1\n2\n")
      let shebang = try directory.write("#!/usr/bin/env tenon\nstdout println: 1", to: "bang.st")
      #expect(try Command.run(shebang).output == "1\n")
    }
  }

  @Test func aScriptMayComeFromStandardInput() throws {
    let script = "stdout println: arguments. stdout println: stdin nextLine printString"
    let piped = try Command.run(input: script)
    #expect(piped.status == .status(0))
    #expect(piped.output == "#()\nnil\n")
    #expect(try Command.run("-", "a", "b", input: script).output == "#('a' 'b')\nnil\n")
    #expect(try Command.run("-", input: "nil foo").errors.hasPrefix("<stdin>:1:5: error: nil "))
  }

  @Test func aFileMayHaveAnyName() throws {
    try Directory.withTemporary { directory in
      let (status, output) = try Command.shell(
        #"""
        cd "$1"; name="$(printf 'a\377b.st')"; echo 'stdout println: 7. nil foo' >"$name"
        "$0" "$name"; echo $?; mv "$name" -- -e; "$0" -- -e; echo $?
        """#, directory.root.path)
      #expect(status == .status(0))
      #expect(output.hasPrefix("7\na\u{FFFD}b.st:1:24: error: nil does not understand 'foo'\n"))
      #expect(output.contains("\n1\n7\n-e:1:24: error:"))
    }
  }

  @Test func helpAndVersion() throws {
    let help = try Command.run("--help")
    #expect(help.status == .status(0))
    #expect(help.output.hasPrefix("usage: tenon "))
    #expect(help.errors == "")
    #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
    let version = try Command.run("--version")
    #expect(version.status == .status(0))
    #expect(version.output.hasPrefix("tenon "))
  }

  @Test(arguments: [
    (["--wrong"], "unknown option '--wrong'"),
    (["-x"], "unknown option '-x'"),
    (["-e"], "'-e' needs a value"),
    (["-e", "3", "-e"], "'-e' needs a value"),
    (["-e", "3", "-x"], "unknown option '-x'"),
    (["--memory"], "'--memory' needs a value"),
    (["--memory", "lots"], "'--memory' takes a size such as 64M or 2G, not 'lots'"),
    (["--memory=-5M"], "'--memory' takes a size such as 64M or 2G, not '-5M'"),
    (["--memory", "5"], "'--memory' takes at least 1M, not '5'"),
    (["--stack=1"], "'--stack' takes at least 512K, not '1'"),
    (["--collect-every", "-1"], "'--collect-every' takes a number, not '-1'"),
    (["--help=yes"], "'--help' takes no value"),
    (["--pauses=3"], "'--pauses' takes no value"),
  ])
  func aWrongCommandLine(_ arguments: [String], _ message: String) throws {
    let result = try Command.run(arguments, input: [])
    #expect(result.status == .status(2))
    #expect(result.output == "")
    #expect(result.errors == "tenon: \(message); try 'tenon --help'\n")
  }

  @Test func optionsOfTheMachine() throws {
    let stress = try Command.run("--collect-every", "1", "-e", "(1 to: 50) collect: [ :i | i * 2 ]")
    #expect(stress.status == .status(0))
    #expect(stress.output.hasPrefix("#(2 4 6 "))
    let bomb = "x := 'a'. [ true ] whileTrue: [ x := x , x ]"
    let limited = try Command.run("--memory=16M", "-e", bomb)
    #expect(limited.status == .status(1))
    #expect(limited.errors.contains("out of memory: the limit is 16 MiB"))
    let caught = try Command.run(
      "--memory", "64m", "-e", "[ \(bomb) ] on: OutOfMemory do: [ :e | x := nil. 'caught' ]")
    #expect(caught.output == "'caught'\n")
    #expect(
      try Command.run("--memory", "99999999999999999G", "-e", "1").status == .status(0))
    let idle = try Command.run("--pauses", "-e", "3 + 4")
    #expect(idle.output == "7\n")
    #expect(idle.errors == "tenon: no pauses of the collector\n")
    let busy = try Command.run("--pauses", "-e", "1 to: 1000000 do: [ :i | i @ i ]")
    #expect(busy.errors.hasPrefix("tenon: "))
    #expect(busy.errors.contains(" pauses of the collector, 0 of them slices; "))
    #expect(busy.errors.contains("\np50 "))
  }

  // MARK: What cannot be run

  @Test func aFileThatCannotBeRead() throws {
    try Directory.withTemporary { directory in
      let missing = directory.path("missing.st")
      let result = try Command.run(missing)
      #expect(result.status == .status(2))
      #expect(result.errors == "tenon: cannot read '\(missing)': No such file or directory\n")
      let folder = try Command.run(directory.root.path)
      #expect(folder.status == .status(2))
      #expect(folder.errors == "tenon: cannot read '\(directory.root.path)': Is a directory\n")
      let (closed, output) = try Command.shell(#"exec "$0" - <&-"#)
      #expect(closed == .status(2))
      #expect(output == "tenon: cannot read '<stdin>': Bad file descriptor\n")
    }
  }

  @Test func syntaxErrors() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write(
        "stdout println: 'not run'.\nx := #(1 2.\n\ny := ].\n", to: "wrong.st")
      let result = try Command.run(file)
      #expect(result.status == .status(65))
      #expect(result.output == "")
      #expect(result.errors.hasPrefix("\(file):2:"))
      #expect(result.errors.contains(": error: expected"))
      #expect(try Command.run("-e", "3 +").status == .status(65))
      let bytes = try directory.write([0x33, 0xFF, 0x34], to: "bytes.st")
      let invalid = try Command.run(bytes)
      #expect(invalid.status == .status(65))
      #expect(invalid.errors.hasPrefix("\(bytes):1:2: error: the text is not UTF-8: byte 0xFF\n"))
      #expect(try Command.run(directory.write([0x33, 0], to: "nul.st")).status == .status(65))
    }
  }

  @Test func warningsAreShownAndTheScriptRuns() throws {
    let result = try Command.run("-e", "'a comment'. 3")
    #expect(result.status == .status(0))
    #expect(result.output == "3\n")
    #expect(result.errors.hasPrefix("<expression>:1:1: warning: "))
  }

  @Test(arguments: ["/dev/zero", "-"])
  func endlessInputIsRefused(_ file: String) throws {
    let (status, output) = try Command.shell(#"exec "$0" "$1" </dev/zero"#, file)
    #expect(status == .status(65))
    #expect(output.contains(":1:1: error: the text has 67108865 bytes, more than the 64 MB"))
  }

  @Test func anUncaughtError() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write(
        "-half: n { ^n / 0 }\nstdout println: 'before'.\nself half: 3.\n", to: "error.st")
      let result = try Command.run(file)
      #expect(result.status == .status(1))
      #expect(result.output == "before\n")
      #expect(
        result.errors == """
          \(file):1:15: error: division by zero
          -half: n { ^n / 0 }
                        ^
            at Script>>half: (\(file):1:15)
            at script (\(file):3:6)

          """)
    }
  }
}

/// `-n` and `-p`: a text for each line.
@Suite struct EachLineTests {
  private func run(_ arguments: [String], _ input: String) throws -> (Child.Exit, String) {
    let child = try Child.start([Command.path] + arguments)
    try child.send(input)
    try child.send(nil)
    let output = try child.readToEnd()
    return (child.waitForExit(), output)
  }

  @Test func linesAreEvaluated() throws {
    let (exit, output) = try run(
      ["-p", "-e", "lineNumber = 2 ifTrue: [ nil ] ifFalse: [ line asUppercase ]"], "a\nb\nc")
    #expect(exit == .status(0))
    #expect(output == "A\nC\n")
    let (_, sum) = try run(
      ["-n", "-e", "mem:n := (mem:n ifNil: [ 0 ]) + line size. stdout println: mem:n"],
      "one\nthree\n")
    #expect(sum == "3\n8\n")
  }

  @Test func whatIsWrong() throws {
    #expect(try run(["-p", "-e", "line foo"], "a\n").0 == .status(1))
    #expect(try run(["-p", "-e", "line +"], "a\n").0 == .status(65))
    #expect(try run(["-p", "-e", "Exit status: 4"], "a\n").0 == .status(4))
    #expect(try run(["-n"], "a\n").0 == .status(2))
    let child = try Child.start([Command.path, "-p", "-e", "line"])
    try child.send([0x61, 10, 0xFF, 10])
    try child.send(nil)
    #expect(try child.readToEnd() == "a\ntenon: line 2 of the standard input is not UTF-8\n")
    #expect(child.waitForExit() == .status(1))
  }
}
