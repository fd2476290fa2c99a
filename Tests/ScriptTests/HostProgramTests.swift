import Tenon
import TenonLexer
import TenonRuntime
import Testing

/// Programs that a host runs in its own process, with arguments and imports as it grants them.
@Suite struct HostProgramTests {
  /// What running a program came to.
  struct Result {
    var lines: [String]
    var end: String
  }

  /// Scripts that a host keeps in memory, each under its path.
  final class Library: SourceLoader {
    let texts: [String: String]
    /// The paths that were read, in their order.
    private(set) var reads: [String] = []

    init(_ texts: [String: String]) { self.texts = texts }

    func load(
      _ path: String, importedBy importer: String
    ) throws(SourceLoaderError) -> LoadedSource {
      guard let text = texts[path] else { throw SourceLoaderError("there is no '\(path)'") }
      reads.append(path)
      return LoadedSource(identity: path, source: SourceText(name: path, text))
    }

    func identity(ofFile name: String) -> String? { texts[name] == nil ? nil : name }
  }

  private func run(
    _ text: String, _ arguments: [String] = [], input: [String] = [],
    library: Library? = nil, isProgram: Bool = true, collectEvery: Int = 1
  ) -> Result {
    let console = RecordingConsole(input: input)
    var options = Interpreter.Options()
    options.collectEvery = collectEvery
    let interpreter = Interpreter(options, console: console)
    interpreter["arguments"] = interpreter.value(arguments.map { interpreter.value($0) })
    interpreter.sourceLoader = library
    let source = SourceText(name: "main.st", text)
    let end: String
    switch interpreter.run(source, isProgram: isProgram) {
    case .finished(let value): end = interpreter.printString(value)
    case .rejected(let diagnostics, _):
      end = diagnostics.map { $0.rendered(in: source) }.joined(separator: "\n")
    case .failed(let error): end = error.exitStatus.map { "exit \($0)" } ?? error.message
    case .interrupted: end = "interrupted"
    }
    return Result(lines: console.lines, end: end)
  }

  // MARK: Arguments

  private static let types = """
    // Shows what it gets.
    #-all:<String>s number:<Number>n flag:<Boolean>f sign:<Character>c name:<Symbol>y to:<ref>r
    stdout println: #(s, n, f, c, y); println: r.
    """

  /// What a text defines the next ones build on, also after it is gone.
  @Test func classesOfEarlierTextsAreSuperclasses() {
    let interpreter = Interpreter()
    func value(_ text: String) -> String {
      let source = SourceText(name: "text", text)
      guard case .finished(let value) = interpreter.run(source) else { return "did not run" }
      return interpreter.printString(value)
    }
    _ = value("class Base { var n := 1. -n2 { ^n * 2 } -name { ^'base' } }")
    _ = value("class Middle : Base { -name { ^'middle of ' , super name } }")
    #expect(
      value("class Top : Middle { -n2 { ^super n2 + 1 } } #(Top new n2, Top new name)")
        == "#(3 'middle of base')")
    _ = value("class Base { var n := 10. -n2 { ^n * 3 } -name { ^'new' } }")
    #expect(
      value("#(Top new n2, Top new name, Top superclass superclass == Base)")
        == "#(31 'middle of new' true)")
  }

  @Test func argumentsBecomeWhatTheTypesSay() {
    let result = run(HostProgramTests.types, ["a b", "7/2", "yes", "é", "at:put:", "mem:x/y"])
    #expect(result.lines == ["#('a b' 7/2 true $é #at:put:)", "mem:x/y"])
    #expect(
      run(HostProgramTests.types, ["", "1", "no", "$", "n", "/a/b c/"]).lines
        == ["#('' 1 false $$ #n)", "file:/a/b c/"])
    #expect(
      run(HostProgramTests.types, ["", "1", "no", "$", "n", "mem://host/p"]).lines.last
        == "mem://host/p")
  }

  @Test(arguments: [
    (["s", "1", "maybe", "c", "n", "p"], "F must be a Boolean, true or false, not 'maybe'"),
    (["s", "1", "no", "cc", "n", "p"], "C must be a Character, not 'cc'"),
    (["s", "x", "no", "c", "n", "p"], "N must be a Number, not 'x'"),
    (["s", "1", "no", "c", "n", "\u{1}"], "R must be a reference, not '\\u{1}'"),
    (["s"], "6 arguments expected, 1 found"),
  ])
  func argumentsThatDoNotFitAreToldWithTheUsage(_ arguments: [String], _ message: String) {
    let result = run(HostProgramTests.types, arguments)
    #expect(result.end == "exit 2")
    #expect(
      result.lines == [
        "stderr: main.st: \(message)", "stderr: usage: tenon main.st S N F C Y R", "stderr: ",
        "stderr: Shows what it gets.", "stderr: ", "stderr:   S  a String", "stderr:   N  a Number",
        "stderr:   F  true or false", "stderr:   C  a Character", "stderr:   Y  a Symbol",
        "stderr:   R  a file, or a place as scheme:path",
      ])
  }

  @Test func theRestIsAnArray() {
    let text = "#-first:a rest:<Array>others\nstdout println: a; println: others."
    #expect(run(text, ["1"]).lines == ["1", "#()"])
    #expect(run(text, ["1", "2", "3"]).lines == ["1", "#('2' '3')"])
    #expect(run(text).lines.first == "stderr: main.st: 1 argument or more expected, 0 found")
    #expect(run(text, ["-h"]).lines.first == "usage: tenon main.st A [OTHERS...]")
    #expect(run(text, ["--help"]).end == "exit 0")
  }

  @Test func aClassOfTheProgramMayReadAnArgument() {
    let kernel = """
      #-at:<Time>t
      ^t
      """
    #expect(run(kernel, ["12:30"]).lines == ["12:30:00"])
    #expect(run(kernel, ["25:30"]).lines.first == "stderr: main.st: T must be a Time, not '25:30'")
  }

  /// What is no program is told at the signature that arguments are missing.
  @Test func aTextThatIsNoProgramIsRefusedAtItsSignature() {
    let result = run("#-say:x\nx", isProgram: false)
    #expect(result.end.hasPrefix("main.st:1:1: error: 1 argument expected, 0 found"))
    #expect(run("#-say:x\nx", ["a"], isProgram: false).end == "'a'")
  }

  // MARK: Results

  @Test(arguments: [
    ("#-say:x\n^x , x", ["abab"], "'abab'"), ("#-say:x\nx , x", [], "'abab'"),
    ("#-<String>say:x\nx , x", ["abab"], "'abab'"), ("#-<void>say:x\n^x , x", [], "'abab'"),
    ("#-<String>say:x\n^nil", [], "nil"),
  ])
  func resultsThatTheSignaturePromisesArePrinted(
    _ text: String, _ lines: [String], _ end: String
  ) {
    let result = run(text, ["ab"])
    #expect(result.lines == lines)
    #expect(result.end == end)
    #expect(run(text, ["ab"], isProgram: false).lines == [])
  }

  @Test func aResultOfAnotherTypeIsAnError() {
    let result = run("#-<Integer>say:x\nx", ["ab"])
    #expect(result.end == "exit 1")
    #expect(
      result.lines.first
        == "stderr: main.st:1:1: error: 'say:' must answer an Integer, not 'ab'")
  }

  @Test func filtersAndSchemesAtTheEndRunByThemselves() {
    let filter = "filter up |{ ^object asUppercase }"
    #expect(run(filter, input: ["ab", "c d"]).lines == ["AB", "C D"])
    #expect(run(filter, input: ["ab"], isProgram: false).lines == [])
    #expect(run("filter up |{ ^object foo }", input: ["a"]).end == "'a' does not understand 'foo'")
    let scheme = "scheme Twice { /of/:n { get { n , n } } }"
    #expect(run(scheme, input: ["GET of/ab"]).lines == ["abab"])
    #expect(run(scheme + "\n3.", input: ["GET of/ab"]).end == "3")
    #expect(run("class A { }", input: ["a"]).lines == [])
  }

  // MARK: Imports

  @Test func importsComeFromWhereTheHostSays() {
    let library = Library([
      "a": "import 'b'. total := total + 10.", "b": "total := 1. twice-two := 4.",
    ])
    let result = run("import 'a'. import 'b'. total + twice-two.", library: library)
    #expect(result.end == "15")
    // The second import of the same file is read to know that it is the same; it runs once.
    #expect(library.reads == ["a", "b", "b"])
  }

  /// The value of a script is that of the last statement that has one, whatever an import after it
  /// does.
  @Test func theResultStandsBeforeAnImport() {
    let library = Library(["a": "(1 to: 50) asArray collect: [ :i | i printString ]"])
    #expect(run("'ab' , 'cd'. import 'a'.", library: library).end == "'abcd'")
  }

  @Test func aFileIsReadAnewWhenItHasFailed() throws {
    let library = Library(["a": "count := count + 1. count < 2 ifTrue: [ nil foo ]."])
    let interpreter = Interpreter()
    interpreter.sourceLoader = library
    #expect(interpreter.sourceLoader === library)
    _ = try interpreter.evaluate("count := 0")
    #expect(throws: EvaluationError.self) { try interpreter.evaluate("import 'a'. 1") }
    #expect(try interpreter.evaluate("import 'a'. count").integer == 2)
    #expect(try interpreter.evaluate("import 'a'. count").integer == 2)
    #expect(library.reads == ["a", "a", "a"])
  }

  @Test(arguments: [
    ("import 'none'.", "main.st:1:1: error: there is no 'none'"),
    (
      "1. import 'a'.",
      "main.st:1:4: error: b:1:1: an import of itself: 'a' imports 'b' imports 'a'"
    ),
    ("import 'wrong'.", "main.st:1:1: error: wrong:1:5: unknown name 'totl'"),
    (
      "import 'program'.",
      "main.st:1:1: error: 'program' has a signature: it is a program of its own, to be run and not "
        + "imported"
    ),
    ("import '0'.", "main.st:1:1: error: 49:1:1: more than 50 files that import one another"),
  ])
  func importsThatAreRefused(_ text: String, _ message: String) {
    var texts = [
      "a": "import 'b'.", "b": "import 'a'.", "wrong": "1 + totl", "program": "#-say:x\nx",
    ]
    for index in 0...50 { texts[String(index)] = "import '\(index + 1)'." }
    let result = run(text, library: Library(texts))
    #expect(result.end.hasPrefix(message), "\(result.end)")
    #expect(result.lines == [])
  }

  @Test func withoutALoaderNothingIsImported() {
    #expect(
      run("import 'a'.").end.hasPrefix(
        "main.st:1:1: error: 'import' is not granted here: this interpreter reads no files"))
  }

  @Test func anErrorInAnImportedFileEndsTheScript() {
    let result = run(
      "import 'a'. stdout println: 1.", library: Library(["a": "nil foo."]))
    #expect(result.end == "nil does not understand 'foo'")
    #expect(result.lines == [])
  }
}

// MARK: - Prompts

/// What is typed at a prompt: names may come later, and errors come to light when it runs.
@Suite struct HostPromptTests {
  private func run(_ lines: String...) -> [String] {
    let console = RecordingConsole()
    let interpreter = Interpreter(console: console)
    for line in lines {
      let source = SourceText(name: "prompt", line)
      switch interpreter.run(source, isPrompt: true) {
      case .finished: break
      case .rejected(let diagnostics, let isIncomplete):
        try? console.write(
          Array("\(isIncomplete ? "incomplete" : "rejected"): \(diagnostics[0].message)\n".utf8)
            .span,
          to: .output)
      case .failed(let error):
        try? console.write(Array("\(error.message)\n".utf8).span, to: .output)
      case .interrupted: break
      }
    }
    return console.lines
  }

  @Test func aConnectionMayReadWhatALaterLineDeclares() {
    #expect(
      run("x |= y + 1", "stdout println: x", "y := 2", "stdout println: x") == [
        "stderr: prompt:1:6: warning: 'y' has no value yet; the connection waits for one",
        "stderr: x |= y + 1", "stderr:      ^", "'x' has no value yet", "3",
      ])
  }

  @Test func definitionsAreCheckedWhenTheyRun() {
    #expect(
      run("scheme S : Object { }") == ["a scheme inherits from a store, which 'Object' is not"])
    #expect(
      run("class A { var <B> x. }", "class B { }", "A new x: 3") == ["'x' must be a B, not 3"])
  }

  @Test func whatIsNotFinishedMayGoOn() {
    #expect(run("#(1 2").first?.hasPrefix("incomplete: ") == true)
    #expect(run("#(1 2]").first?.hasPrefix("rejected: ") == true)
  }
}
