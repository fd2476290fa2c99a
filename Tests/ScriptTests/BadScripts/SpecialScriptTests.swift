import Foundation
import Tenon
import TenonLexer
import TenonRuntime
import Testing

/// Scripts that are wrong on purpose: as large, as deep or as strange as a script can be.
@Suite struct SpecialScriptTests {
  /// A script, and what comes of it.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let script: [UInt8]
    let expected: String

    /// A script that must finish, or whose first error begins with the expected text.
    init(_ name: String, _ script: String, _ expected: String = "finished") {
      self.init(name, Array(script.utf8), expected)
    }

    init(_ name: String, _ script: [UInt8], _ expected: String) {
      self.name = name
      self.script = script
      self.expected = expected
    }

    var testDescription: String { name }
  }

  private static func times(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  private static func list(_ count: Int, _ part: (Int) -> String) -> String {
    (0..<count).map(part).joined()
  }

  private static let many = 100_000
  private static let tooDeep = "brackets nest more than "
  private static let tooHigh = "an expression of more than "

  static let strange = [
    Case("nothing", ""), Case("blanks", " \t\r\n\u{A0}\u{3000}"),
    Case("byte order mark", "\u{FEFF}3"),
    Case("only a byte order mark", "\u{FEFF}"), Case("only full stops", "...."),
    Case("NUL", "3 + \0 4", "a NUL byte is not allowed"),
    Case("no UTF-8", Array("3 + ".utf8) + [0xFF, 0xFE], "the text is not UTF-8: byte 0xFF"),
    Case("half a character", Array("x := '".utf8) + [0xC3], "the text is not UTF-8: byte 0xC3"),
    Case("keyword without a receiver", "1 foo: bar:", "unknown scheme 'bar'"),
    Case("unfinished string", "'abc", ""), Case("unfinished interpolation", "\"abc {3", ""),
    Case("unfinished array", "#(1 2", ""), Case("unfinished block", "[ :x | x", ""),
    Case("unfinished class", "class A { -foo {", ""), Case("unfinished cascade", "3 abs;", ""),
    Case("unfinished assignment", "x := ", ""), Case("unfinished path", "file:{", ""),
    Case("unfinished character", "$", ""), Case("unfinished symbol", "#", ""),
  ]

  static let large = [
    Case("name", times("x", 1_000_000), "unknown name 'xxx"),
    Case("assigned name", times("x", 1_000_000) + " := 3"),
    Case("selector", "3 " + times("x", 1_000_000), "3 does not understand 'xxx"),
    Case("string", "'" + times("x", 1_000_000) + "' size"),
    Case("statements", times("3 + 4. ", many)),
    Case("temporaries", "| " + list(many) { "t\($0) " } + "| t7 := 3"),
    Case("declarations", list(many) { "var v\($0) := 1. " } + "v7"),
    Case("temporaries of a block", "[ | " + list(many) { "t\($0) " } + "| t7 := 3. t7 ] value"),
    Case("parameters", "[ " + list(many) { ":p\($0) " } + "| p7 ] numArgs"),
    Case("arguments", "3 " + list(many) { "a\($0): 1 " }, "3 does not understand 'a0:a1:"),
    Case("same keyword", "3 " + times("at: 1 ", many), "3 does not understand 'at:at:"),
    Case("cascade", "3 abs" + times("; abs", many)),
    Case("literals", "#(" + times("1 ", many) + ") size"),
    Case("elements", "#(" + times("1 + 1, ", many) + ") size"),
    Case("entries", "#{" + list(many) { "k\($0): 1, " } + "} size"),
    Case("interpolation", "\"" + times("{1}", many) + "\" size"),
    Case("digits", "(" + times("7", many) + ") \\\\ 10"),
    Case("digits of a radix", "36r" + times("Z", many)),
    Case("exponent", "1e999999999", "the exponent is too large to be written out"),
    Case("negative exponent", "1e-999999999", "an integer has no negative exponent"),
    Case("exponent of a float", "1.5e999999999", "the number is too large for a float"),
    Case("tiny float", "1.5e-999999999"),
    Case("places", "1.5s999999999", "the number has too many places"),
    Case("radix", "99999999999999999999r1", "a radix is a number from 2 to 36"),
    Case("path", "mem:" + times("a/", many), "mem:a/a/"),
    Case("path of properties", "x := 3. var:x" + times("/a", many), "3 has no property 'a'"),
    Case("methods", "class A { " + list(10_000) { "-m\($0) { ^\($0) } " } + "} A new m9999"),
    Case(
      "instance variables", "class A { " + list(many) { "var v\($0). " } + "}",
      "a class of 100000 variables is too large: the most is 65535"),
    Case(
      "superclasses", "class A0 { } " + list(1_200) { "class A\($0 + 1) : A\($0) { } " },
      "a line of so many classes is too large: the most is 1000"),
    Case(
      "guards",
      "class A { -foo { " + times("nil ifNotNil: [ ^3 ]. ", 20_000)
        + times("false ifTrue: [ ^3 ]. ", 20_000) + "^4 } } A new foo"),
    Case(
      "connections in a method",
      "class A { var a. var b. -foo { "
        + times("ivar:a |= 3. ivar:b := 4. ", 500) + " } }"),
  ]

  static let deep =
    ["(", "[", "{", "#(", "#{ a: ", "\"{", "x[", "file:{", "x foo: (", "[ ^ ["].map {
      Case("nested \($0)", times($0, many), tooDeep)
    } + [
      Case("byte arrays", times("#[", many), "expected a byte"),
      Case("unary chain", "3" + times(" abs", many), tooHigh),
      Case("binary chain", "3" + times(" + 1", many), tooHigh),
      Case("pipes", "3" + times(" | abs", many), tooHigh),
      Case("subscripts", "3" + times("[1]", many), tooHigh),
      Case("assignments", times("x := ", many) + "3", tooHigh),
      Case("connectors", "x := 3. x" + times(" |= x", 200), ""),
    ]

  @Test(arguments: strange + large + deep) func special(_ special: Case) {
    var run = BadScriptRun()
    run.memoryLimit = 512 << 20
    run.patience = 60
    let report = run.report([special.script])
    #expect(report.problems.map { $0.prefix(300) } == [])
    let outcome = report.outcomes.first ?? ""
    #expect(outcome.hasPrefix(special.expected))
    #expect((outcome == "finished") == (special.expected == "finished"))
  }

  /// Runs a script and prints what it answers; a stack of values as large as the native one.
  private func answer(_ script: String, stackSize: Int) -> String {
    onThread(stackSize: stackSize) {
      var options = Interpreter.Options()
      options.stackSize = stackSize
      let interpreter = Interpreter(options)
      return switch interpreter.run(SourceText(name: "answer.st", script)) {
      case .finished(let value): interpreter.printString(value)
      case .rejected(let diagnostics, _): diagnostics.first?.message ?? "rejected"
      case .failed(let error): error.rendered()
      case .interrupted: "interrupted"
      }
    }
  }

  // MARK: High trees

  /// Ways to build an expression of many levels, with the number of levels.
  static let towers: [@Sendable (Int) -> String] = [
    { "3" + times(" + 1", $0) }, { "3.5" + times(" * 1.0", $0) }, { "3" + times(" < 4", $0) },
    { "3" + times(" abs", $0) }, { "3" + times(" | abs", $0) }, { "a" + times("[1]", $0) },
    { times("x := ", $0) + "3" }, { times("a[1] := ", $0) + "3" },
    { times("(", $0) + "3" + times(")", $0) }, { times("1 + (", $0) + "3" + times(")", $0) },
    { times("1 max: (", $0) + "3" + times(")", $0) }, { times("[ ", $0) + "3" + times(" ]", $0) },
    { times("#(", $0) + "3" + times(")", $0) }, { times("#{ a: ", $0) + "3" + times(" }", $0) },
    { times("\"{", $0) + "3" + times("}\"", $0) },
    { times("true ifTrue: [ ", $0) + "3" + times(" ]", $0) },
    { times("true and: [ ", $0) + "true" + times(" ]", $0) },
    { times("nil ifNil: [ ", $0) + "3" + times(" ]", $0) },
    { times("1 to: 1 do: [ :i | ", $0) + "3" + times(" ]", $0) },
    { times("[ ", $0) + "3" + times(" ] value", $0) },
    { times("(3 abs; max: ", $0) + "3" + times(")", $0) },
    { times("mem:{", $0) + "'k'" + times("}", $0) },
    { times("ref:mem:{", $0) + "'k'" + times("}", $0) },
    { "b := 3. c |= b" + times(" + 1", $0) },
    { "b := 3. c |= " + times("b + (", $0) + "1" + times(")", $0) },
  ]

  private static let start = "x := nil. c := nil. a := #(1) copy. a[1] := a. "

  /// Every tree that a parser with a large stack accepts, as a statement on stacks of three sizes.
  @Test(arguments: towers.indices, [512 << 10, 8 << 20, 512 << 20])
  func highStatements(_ tower: Int, _ stackSize: Int) {
    var run = BadScriptRun()
    run.stackSize = stackSize
    run.patience = 60
    let scripts = [60, 400, 900, 4_900, 9_900].map { Self.start + Self.towers[tower]($0) }
    let report = run.report(scripts)
    #expect(report.problems.map { $0.prefix(300) } == [])
    // A few levels are none too many anywhere.
    #expect(run.report([Self.start + Self.towers[tower](20)]).rejected == 0)
  }

  /// Methods that are compiled when hardly any stack is left, and with more and more of it.
  @Test(arguments: towers.indices, [512 << 10, 8 << 20])
  func highMethodsAtTheEndOfTheStack(_ tower: Int, _ stackSize: Int) {
    let found = onThread(stackSize: stackSize) { () -> [String] in
      var found: [String] = []
      for height in stackSize < 1 << 20 ? [14, 400] : [200] {
        let interpreter = Interpreter()
        let script = """
          b := 3. c := nil.
          class T {
            -tall { | x a | a := #(1) copy. a[1] := a. \(Self.towers[tower](height)) }
            -down { [ self down ] on: StackOverflow do: [ :e | nil ]. self tall }
          }
          [ T new down ] on: Error do: [ :e | nil ].
          [ T new tall ] on: Error do: [ :e | nil ].
          'end'
          """
        let outcome = interpreter.run(SourceText(name: "tall.st", script))
        withExtendedLifetime(interpreter) {
          switch outcome {
          case .finished(let value): found.append(value.string ?? "")
          case .rejected(let diagnostics, _): found.append(diagnostics.isEmpty ? "" : "rejected")
          case .failed(let error): found.append(error.rendered())
          case .interrupted: found.append("interrupted")
          }
        }
      }
      return found
    }
    #expect(found.first == "end")
    #expect(found.allSatisfy { $0 == "end" || $0 == "rejected" })
  }

  /// A method that was first sent with too little stack runs when there is enough.
  @Test func postponedMethodsAreCompiledLater() {
    let script = """
      class T {
        -tall { ^3\(Self.times(" + 1", 60)) }
        -down { ^[ self down ] on: StackOverflow do: [ :e | [ self tall ] on: StackOverflow do: [ :f | 0 ] ] }
      }
      t := T new.
      t down.
      t tall
      """
    #expect(answer(script, stackSize: 1 << 20) == "63")
  }

  /// Wide frames use up the stack of values before the native one.
  @Test(arguments: [20, 1_000], [512 << 10, 8 << 20])
  func wideFramesOverflow(_ width: Int, _ stackSize: Int) {
    let keywords = Self.list(width) { "k\($0): 1 " }
    let pattern = Self.list(width) { "k\($0): a\($0) " }
    let script = """
      class T {
        -\(pattern){ ^1 }
        -arguments { ^self \(keywords.dropLast(2))(self arguments) }
        -parts { ^"\(Self.times("{1}", width)){self parts}" }
        -temporaries { | \(Self.list(width) { "t\($0) " })| ^1 + self temporaries }
        -performed { ^1 + (self perform: #performed withArguments: #()) }
      }
      count := 0.
      #(#arguments #parts #temporaries #performed) do: [ :each |
        2 timesRepeat: [
          [ T new perform: each ] on: StackOverflow do: [ :e | count := count + 1 ] ] ].
      count
      """
    #expect(answer(script, stackSize: stackSize) == "8")
  }

  @Test func numbersAreNoTowers() {
    let script = """
      class T {
        var texts.
        -down { [ self down ] on: StackOverflow do: [ :e | nil ].
          ^texts collect: [ :each | each asNumber ] }
        -texts: some { texts := some }
      }
      T new texts: #(('1' , ('-1' * 9000)), ('(' * 9000), ('1e' * 9000)); down
      """
    #expect(answer(script, stackSize: 1 << 20) == "#(nil nil nil)")
  }
}
