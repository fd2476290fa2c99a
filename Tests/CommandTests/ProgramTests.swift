import Testing

/// Scripts as programs: signatures, filters and schemes that run by themselves.
@Suite struct ProgramTests {
  // MARK: Signatures

  private static let sum = """
    #!/usr/bin/env tenon
    // Adds two numbers.
    #-<Number>sum:<Integer>a and:<Integer>b
    ^a + b
    """

  private static let usageOfSum = """
    usage: tenon sum.st A B

    Adds two numbers.

      A  an Integer
      B  an Integer

    """

  private func run(
    _ script: String, _ arguments: String..., name: String = "sum.st", input: String = ""
  ) throws -> Command.Result {
    try Directory.withTemporary { directory in
      let path = try directory.write(script, to: name)
      var result = try Command.run([path] + arguments, input: Array(input.utf8))
      result.errors = result.errors.replacing(path, with: name)
      return result
    }
  }

  @Test func argumentsAreConverted() throws {
    let result = try run(Self.sum, "3", "-40")
    #expect(result.output == "-37\n")
    #expect(result.status == .status(0))
    #expect(result.errors == "")
  }

  @Test(arguments: [
    (["3"], "sum.st: 2 arguments expected, 1 found"),
    (["1", "2", "3"], "sum.st: 2 arguments expected, 3 found"),
    (["3", "x"], "sum.st: B must be an Integer, not 'x'"),
    (["3", "2.5"], "sum.st: B must be an Integer, not '2.5'"),
    (["", "2"], "sum.st: A must be an Integer, not ''"),
  ])
  func argumentsThatDoNotFitAreToldWithTheUsage(
    _ arguments: [String], _ message: String
  ) throws {
    try Directory.withTemporary { directory in
      let path = try directory.write(Self.sum, to: "sum.st")
      let result = try Command.run([path] + arguments, input: [])
      #expect(result.status == .status(2))
      #expect(result.output == "")
      #expect(
        result.errors.replacing(path, with: "sum.st") == message + "\n" + Self.usageOfSum)
    }
  }

  @Test func classesReadWhatTheirTextsSpell() throws {
    let script = """
      #-dates:<Date>a time:<Time>b span:<Duration>c size:<Float>d
      ^#(a dayOfYear, b hour, c seconds, d)
      """
    #expect(try run(script, "2020-02-01", "10:30", "3s", "2").output == "#(32 10 3 2.0)\n")
    let wrong = try run(script, "2020-13-01", "10:30", "3s", "2")
    #expect(wrong.errors.hasPrefix("sum.st: A must be a Date, not '2020-13-01'\n"))
  }

  @Test(arguments: ["--help", "-h"])
  func helpIsDerived(_ option: String) throws {
    let result = try run(Self.sum, option)
    #expect(result.output == Self.usageOfSum)
    #expect(result.status == .status(0))
  }

  @Test func everyTypeHasItsTexts() throws {
    let script = """
      #-all:<String>s number:<Number>n flag:<Boolean>f sign:<Character>c name:<Symbol>y rest:<Array>r
      stdout println: #(s, n, f, c, y, r).
      """
    #expect(
      try run(script, "a b", "2.5", "yes", "é", "red", "x", "-y").output
        == "#('a b' 2.5 true $é #red #('x' '-y'))\n")
    #expect(try run(script, "", "7/2", "false", "$", "at:put:").output.hasPrefix("#('' "))
    #expect(
      try run(script, "s", "1", "maybe", "c", "n").errors.hasPrefix(
        "sum.st: F must be a Boolean, true or false, not 'maybe'\nusage: tenon sum.st S N F C Y [R...]\n"
      ))
    #expect(
      try run(script, "s", "1", "no").errors.hasPrefix(
        "sum.st: 5 arguments or more expected, 3 found\n"))
    #expect(try run(script, "s", "1", "no", "cc", "n").errors.contains("C must be a Character"))
  }

  @Test func placesAreReferences() throws {
    try Directory.withTemporary { directory in
      let script = try directory.write(
        "#-copy:<ref>source to:<ref>target\ntarget value: source value. stdout println: target",
        to: "copy.st")
      let source = try directory.write("content", to: "in put.txt")
      let copy = directory.path("copy.txt")
      let result = try Command.run(script, source, copy)
      #expect(result.output == "file:\(copy)\n")
      let read = try Command.run("-e", "file:\(copy)")
      #expect(read.output == "'content'\n")
      #expect(try Command.run(script, source, "mem:x/y").output == "mem:x/y\n")
    }
  }

  @Test func resultsArePrinted() throws {
    #expect(try run("#-say:x\n^x , x", "ab").output == "abab\n")
    #expect(try run("#-say:x\nx , x", "ab").output == "")
    #expect(try run("#-<String>say:x\nx , x", "ab").output == "abab\n")
    #expect(try run("#-<void>say:x\n^x , x", "ab").output == "")
    #expect(try run("#-say:x\n^nil", "ab").output == "")
    let wrong = try run("#-<Integer>say:x\nx", "ab")
    #expect(wrong.status == .status(1))
    #expect(
      wrong.errors.hasPrefix(
        "sum.st:1:1: error: 'say:' must answer an Integer, not 'ab'\n#-<Integer>say:x\n^~~~"))
  }

  @Test(arguments: [
    ("#-say:<Foo>x", "sum.st:1:8: error: unknown name 'Foo'"),
    ("#-say:<Integr>x", "sum.st:1:8: error: unknown name 'Integr'; did you mean 'Integer'?"),
    (
      "#-say:<Dictionary>x",
      "sum.st:1:8: error: an argument of the command cannot be made an instance of 'Dictionary'"
    ),
    ("#-<Nubmer>say:x", "sum.st:1:4: error: unknown name 'Nubmer'; did you mean 'Number'?"),
  ])
  func typesAreLookedForBeforeRunning(_ script: String, _ message: String) throws {
    let result = try run(script + "\nstdout println: 1", "x")
    #expect(result.status == .status(65))
    #expect(result.output == "")
    #expect(result.errors.hasPrefix(message + "\n"))
  }

  // MARK: Filters and schemes

  @Test func aFilterAtTheEndRunsBetweenTheStandardStreams() throws {
    let result = try run(
      "filter up |{ ^object asUppercase }", name: "up.st", input: "ab\n\nc d")
    #expect(result.output == "AB\n\nC D\n")
    #expect(
      try run(
        "filter lines { var n := 0. |{ n := n + 1 } -finish { self emit: n } }", input: "a\nb\n"
      ).output == "2\n")
    // Only at the end of the script, and only for the file that is run.
    #expect(try run("filter up |{ ^object }\n3.", input: "a\n").output == "")
    let failing = try run("filter up |{ ^object foo }", input: "a\n")
    #expect(failing.status == .status(1))
    #expect(failing.errors.hasPrefix("sum.st:1:22: error: 'a' does not understand 'foo'"))
  }

  @Test func aSchemeAtTheEndAnswersRequests() throws {
    let script = """
      scheme Squares {
        var note.
        /of/:n { get { n asNumber * n asNumber } }
        /note { get { note } put { note := newValue } delete { note := nil } }
        /bad { get { 1 / 0 } }
      }
      """
    let result = try run(
      script,
      input: "GET of/12\nput note two words\n\nGET note\nDELETE note\nGET note\nGET bad\n"
        + "GET nothing\nFETCH note\nDELETE of/1")
    #expect(
      result.output == """
        144
        two words
        two words
        true
        nil
        error: division by zero
        nil
        error: 'FETCH' is no verb
        error: Squares/of/1: 'delete' is not supported, only get

        """)
    #expect(result.status == .status(0))
  }
}
