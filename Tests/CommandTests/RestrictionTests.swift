import Foundation
import Testing

/// What a program reaches and uses up, as the command line says.
@Suite struct RestrictionTests {
  @Test func schemes() throws {
    let names = "Smalltalk schemeNames asArray"
    let all = try Command.run("-e", names).output
    #expect(all.contains("#file") && all.contains("#process"))
    let few = try Command.run("--schemes", "file,clock", "-e", names).output
    #expect(few.contains("#file") && few.contains("#clock"))
    for name in ["process", "env", "http", "sqlite", "stdin", "terminal", "defaults", "zlib"] {
      #expect(!few.contains("#\(name)"))
    }
    let refused = try Command.run("--schemes=", "-e", "process:echo/hello")
    #expect(refused.status == .status(65))
    #expect(refused.errors.contains("the scheme 'process' is not mounted"))
    // What is the language's own stays.
    #expect(try Command.run("--schemes=", "-e", "mem:a := 3. mem:a + 1").output == "4\n")
  }

  @Test func aRoot() throws {
    try Directory.withTemporary { directory in
      try directory.write("inside", to: "data/a.txt")
      let outside = try directory.write("outside", to: "b.txt")
      try directory.write("found := 1.", to: "data/lib.st")
      let root = directory.path("data")
      func run(_ text: String, _ options: String...) throws -> Command.Result {
        try Command.run(["--root", root] + options + ["-e", text], input: [])
      }
      #expect(try run("file:a.txt").output == "'inside'\n")
      #expect(try run("file:c.txt := 'new'. file:c.txt").output == "'new'\n")
      for text in [
        "file:../b.txt", "import '\(root)/lib.st'. found", "process:pwd",
        "(NativeStore open: 'rooted' at: ref:file:. with: #{ }) at: ref:file:a.txt",
      ] {
        let result = try run(text)
        #expect(result.status != .status(0), "\(text)")
        #expect(!result.output.contains("outside"))
      }
      // A path begins at the root.
      #expect(try run("file:\(outside)").output == "nil\n")
      #expect(try run("process:echo/hello", "--schemes", "process").output == "'hello\n'\n")
    }
  }

  @Test func steps() throws {
    let endless = "[ [ true ] whileTrue ] on: Exception do: [ :e | e retry ]"
    let result = try Command.run("--steps", "100000", "-e", endless)
    #expect(result.status == .status(1))
    #expect(result.errors == "<expression>: error: the evaluation takes too many steps\n")
    #expect(try Command.run("--steps", "1000", "-e", "3 + 4").output == "7\n")
    let timed = try Command.run("--timeout", "0.2", "-e", endless)
    #expect(timed.status == .status(1))
    #expect(timed.errors == "<expression>: error: the evaluation takes too long\n")
  }

  @Test func depth() throws {
    let down = "-down: n { ^n = 0 ifTrue: [ 0 ] ifFalse: [ 1 + (self down: n - 1) ] }\n"
    #expect(try Command.run("--depth", "200", "-e", down + "self down: 150").output == "150\n")
    // Not what was, but what is under way.
    let often = "(1 to: 100) inject: 0 into: [ :sum :each | sum + (self down: 100) ]"
    #expect(try Command.run("--depth", "200", "-e", down + often).output == "10000\n")
    let deep = try Command.run("--depth", "200", "-e", down + "self down: 300")
    #expect(deep.status == .status(1))
    #expect(deep.errors.contains("error: stack overflow"))
    let handled = "[ self down: 300 ] on: StackOverflow do: [ :e | 'too deep' ]"
    #expect(try Command.run("--depth", "200", "-e", down + handled).output == "'too deep'\n")
  }

  @Test(arguments: [
    (["--schemes", "file,fiel"], "'--schemes' takes names such as clock, "),
    (["--root", "/nonexistent/x"], "'--root' cannot open '/nonexistent/x': "),
    (["--root", "/dev/null"], "'--root' takes a directory, which '/dev/null' is not"),
    (["--steps", "0"], "'--steps' takes a number above 0, not '0'"),
    (["--steps", "many"], "'--steps' takes a number, not 'many'"),
    (["--depth=-1"], "'--depth' takes a number, not '-1'"),
    (["--timeout", "soon"], "'--timeout' takes seconds such as 10 or 0.5, not 'soon'"),
    (["--timeout", "0"], "'--timeout' takes seconds such as 10 or 0.5, not '0'"),
    (["--timeout"], "'--timeout' needs a value"),
    (["--no-startup=1"], "'--no-startup' takes no value"),
  ])
  func aWrongCommandLine(_ arguments: [String], _ message: String) throws {
    let result = try Command.run(arguments, input: [])
    #expect(result.status == .status(2))
    #expect(result.errors.hasPrefix("tenon: \(message)"))
    #expect(result.errors.hasSuffix("; try 'tenon --help'\n"))
  }
}

/// The file with which a session begins.
@Suite struct StartupTests {
  @Test func theFileRuns() throws {
    try Directory.withTemporary { directory in
      let file = try directory.write(
        "answer := 42. Prompt command: 'hi' argument: '' help: 'greets' do: [ :text | "
          + "stdout println: 'hello' ].", to: "tenon/startup.st")
      let environment = ["XDG_CONFIG_HOME": directory.root.path]
      let session = try Session(environment: environment)
      try session.enter("answer", "42")
      try session.enter(":hi", "hello")
      // What it has set is not what the user has set.
      try session.enter(":vars", "no variable was set")
      try session.leave()
      let without = try Session(["--no-startup"], environment: environment)
      try without.enter("answer", "<prompt 1>:1:1: error: unknown name 'answer'")
      try without.leave()
      // What fails is told, where it stands, and nothing is stopped.
      try directory.write("answer := 1.\nanswer := answer foo.", to: "tenon/startup.st")
      let terminal = try Child.startAtTerminal([Command.path], environment: environment)
      try terminal.expect(
        "\(file):2:18: error: 1 does not understand 'foo'\r\n")
      try terminal.expect("Ctrl-D leaves.\r\n")
      try terminal.expect("tenon> ")
      try terminal.send("answer + 1\r")
      try terminal.expect("\r\n2\r\n")
      try terminal.expect("tenon> ")
      try terminal.send("\u{4}")
      #expect(terminal.waitForExit() == .status(0))
    }
  }

  @Test func withoutATerminal() throws {
    try Directory.withTemporary { directory in
      try directory.write("stdout println: 'started'.", to: "tenon/startup.st")
      let (_, output) = try Command.shell(
        #"XDG_CONFIG_HOME="$1"; export XDG_CONFIG_HOME; "$0" -e "3 + 4"; echo "stdout println: 8" | "$0""#,
        directory.root.path)
      #expect(output == "7\n8\n")
    }
  }
}
