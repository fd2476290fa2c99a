import Foundation
import TenonGrammarSupport
import TenonLexer
import Testing

@testable import TenonDiagrams
@testable import TenonParser
@testable import TenonRuntime

/// Text and diagram say the same: each is made of the other without loss.
@Suite struct DiagramTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The scripts below a folder of the package.
  private static func scripts(below folder: String) -> [URL] {
    let folder = root.appendingPathComponent(folder)
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let files = (found?.allObjects as? [URL]) ?? []
    return files.filter { $0.pathExtension == "st" }.sorted { $0.path < $1.path }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The diagram of a text; nil when the text is wrong.
  private func diagram(
    _ text: String, names: Set<String> = [], connectors: Set<String> = []
  ) throws -> Diagram {
    let source = SourceText(name: "test", text)
    switch Diagram.reading(source, knownNames: names, connectors: connectors) {
    case .diagram(let diagram): return diagram
    case .rejected(let diagnostics):
      throw Failure(description: diagnostics.map(\.message).joined(separator: "; ") + "\n" + text)
    }
  }

  private func describe(_ diagram: Diagram) -> [String] {
    diagram.statementList.map { ($0.definitions + [$0.statement]).joined(separator: " | ") }
  }

  /// Checks all the ways between a text, its diagram and the diagram's text.
  ///
  /// - Returns: How many statements there are.
  @discardableResult
  private func checkRoundTrip(_ text: String, _ name: String) throws -> Int {
    let result = Parser(SourceText(name: name, text)).parseScript()
    guard let script = result.script else { return 0 }
    let diagram = Diagram(script)
    let statements = describe(diagram)
    let mermaid = diagram.written(as: .mermaid)
    let again = try Diagram(mermaid: mermaid)
    #expect(describe(again) == statements, "\(name)")
    #expect(again.lazyVariables == diagram.lazyVariables, "\(name)")
    #expect(again.written(as: .mermaid).lines == mermaid.lines, "\(name)")
    // The statements are a text of the language, with the same diagram.
    let written = try self.diagram(again.statementsText)
    #expect(describe(written) == statements, "\(name)")
    #expect(written.statementsText == again.statementsText, "\(name)")
    // From there on the diagram is the same to the letter. Before, a variable that a definition
    // declares may stand in its frame, as the declarations are no part of the diagram.
    let redrawn = written.written(as: .mermaid)
    if diagram.containers.isEmpty { #expect(redrawn == mermaid, "\(name)") }
    let last = try self.diagram(try Diagram(mermaid: redrawn).statementsText)
    #expect(last.written(as: .mermaid) == redrawn, "\(name)")
    return statements.count
  }

  /// Wherever a statement may stand, its connector is drawn with what it is in.
  @Test(arguments: [
    ("a |= b.", []), ("class C { var a. a |= b. }", ["class C"]),
    ("class C { var a. -m { a |= b } }", ["class C", "-m"]),
    ("class C { +m: a with: b { a |= b } }", ["class C", "+m:a with:b"]),
    ("class C { var a. /p/:b { get { a |= b } } }", ["class C", "/p/:b", "get"]),
    ("filter f { var a. |{ a |= b } }", ["filter f", "|"]),
    ("filter f { var a. |<Number> -> <String>{ a |= b } }", ["filter f", "|<Number> -> <String>"]),
    ("filter f { var a. -m { a |= b } }", ["filter f", "-m"]),
    ("scheme s { var a. /p { get { a |= b } } }", ["scheme s", "/p", "get"]),
    ("extension C { -m { a |= b } }", ["extension C", "-m"]), ("-m: a { a |= b }", ["-m:a"]),
    ("group g { a -> b. }", ["group g"]),
    (
      "connector ~~> : Connector { -connect: left { a |= b } }",
      ["connector ~~> : Connector", "-connect:left"]
    ),
    ("[ a |= b ] value.", []), ("x := true ifTrue: [ a |= b ] ifFalse: [ 3 ].", []),
    ("class C { classvar x := [ a |= b ]. }", ["class C"]),
  ])
  func connectorsInDefinitions(_ text: String, _ around: [String]) throws {
    let diagram = try diagram(text)
    let statements = describe(diagram)
    #expect(statements.count == 1, "\(text): \(statements)")
    let connector = text.hasPrefix("group") ? "a -> b" : "a |= b"
    #expect(statements.first == (around + [connector]).joined(separator: " | "), "\(text)")
  }

  @Test func everyExampleIsItsDiagram() throws {
    let examples = DiagramTests.scripts(below: "examples")
    #expect(examples.count >= 15)
    #expect(examples.contains { $0.path.contains("examples/paper/") })
    var count = 0
    for file in examples {
      count += try checkRoundTrip(
        String(contentsOf: file, encoding: .utf8), file.lastPathComponent)
    }
    #expect(count >= 30)
  }

  @Test func everyScriptOfTheTestsIsItsDiagram() throws {
    var count = 0
    for folder in ["connectors", "language", "references", "stores"] {
      for file in DiagramTests.scripts(below: "Tests/ScriptTests/Scripts/" + folder) {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
        count += try checkRoundTrip(text, file.lastPathComponent)
      }
    }
    #expect(count >= 200)
  }

  // MARK: Generated nets

  /// Texts that would be something else in Mermaid, HTML or DOT.
  private static let texts = [
    "''", "'\"'", "'#quot;'", "'<br/>'", "'<i>3</i>'", "'a\nb'", "'a\r\nb'", "'{x}[y](z)'",
    "'|'", "'%%{init}'", "'`code`'", "'end'", "'naïve Καλημέρα 日本'", "'\u{200F}\u{202E}x'",
    "'\t'", "'&amp;'", "'\\n'", "'==>|'", "'e\u{301}'", "'it''s'", "\"{b0 + 1} \\{ \\\"\"", "$\"",
    "$|", "'\u{1F600}'", "'\u{2028}'", "'--> n2'", "';'",
  ]

  private struct Generator {
    var random: RandomNumbers
    mutating func next(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next(elements.count)] }

    mutating func place() -> String {
      switch next(8) {
      case 0: "ivar:b\(next(5))"
      case 1: "mem:x/y\(next(3))"
      case 2: "b\(next(3)) width"
      case 3: "var:b\(next(3))/size/b\(next(3))"
      case 4: "file:a.b/c\(next(3)).txt"
      case 5: "b\(next(3))[\(next(3) + 1)]"
      default: "b\(next(6))"
      }
    }

    mutating func formula(_ depth: Int) -> String {
      switch next(depth > 3 ? 2 : 9) {
      case 0: place()
      case 1: pick(DiagramTests.texts)
      case 2: "(\(formula(depth + 1))) + \(place())"
      case 3: "(\(formula(depth + 1))) at: \(place()) put: #(1, \(formula(depth + 1)))"
      case 4: "[ :b1 | b1 foo. b2 := \(formula(depth + 1)). ^b2 ] value: 3"
      case 5: "(\(formula(depth + 1))) foo: 1; bar | size"
      case 6: "#{ k: (\(formula(depth + 1))) }"
      case 7: "(\(formula(depth + 1))) == #red"
      default: "{ \(formula(depth + 1)) }"
      }
    }

    /// What is said to a connection: policies of all kinds, and anything else.
    mutating func message() -> String {
      switch next(14) {
      case 0: "policy: Policy queued"
      case 1: "policy: (Policy coalesced: \(next(4)))"
      case 2: "policy: (Policy every: \(next(100)) milliseconds)"
      case 3: "policy: (Policy poll: \(next(9) + 1) seconds)"
      case 4: "within: \(next(10)).\(next(10))"
      case 5: "validate: [ :new :old | new > (\(formula(2))) ]"
      case 6: "truth: \(pick(["#left", "#right"]))"
      case 7: "inverse: #{ b1: [ :value | value - \(next(9)) ] }"
      case 8: "solver: \(pick(["#linear", "#dataflow", "Damped"]))"
      case 9: "iterate: \(next(50)) within: 0.01"
      case 10: "requestOnly"
      case 11: "override: true"
      case 12: "onReject: [ :value :reason | \(place()) foo: reason ]"
      default: "strength: \(pick(["#weak", "#medium", "#strong"]))"
      }
    }

    /// A chain with filters between its ends.
    mutating func flow() -> String {
      var stages = [next(4) == 0 ? "#(1, \(formula(2)))" : place()]
      for _ in 0..<next(4) {
        stages.append(
          pick(["[ :x | x , \(place()) ]", "trim", "count", "var:b1", "(\(formula(2))) foo"]))
      }
      return (stages + [pick([place(), "stdout", "[ :x | b1 := x ]"])]).joined(separator: " -> ")
    }

    mutating func statement(isMember: Bool = false) -> String {
      let connector = pick(["|=", "|=", "=|=", ">=|", "<=|", "->", "~>", "=@"])
      var operands = (0..<(next(4) == 0 ? 2 : 1)).map { _ in place() }
      operands.append(connector == "=|=" ? place() : formula(0))
      let text = connector == "->" ? flow() : operands.joined(separator: " \(connector) ")
      switch isMember ? 9 : next(8) {
      case 0: return "k\(next(3)) := \(text)"
      case 1: return "(\(text)) \(message()); \(message())"
      case 2: return "k := (\(text)) suspend"
      case 3: return "(\(text)) \(message()) | \(message()) | \(message())"
      case 4: return "ivar:k\(next(3)) := (\(text)) \(message())"
      default: return text
      }
    }
  }

  @Test func generatedNetsAreTheirDiagrams() throws {
    let seed = testSeed
    var generator = Generator(random: RandomNumbers(seed: seed))
    var count = 0
    var marks = 0
    var lazyCount = 0
    for number in 0..<300 {
      var lines = ["connector ~> : Connector { }", "connector =@ : Connector { }"]
      lines += ["filter trim |{ ^object trimmed }", "filter count { var n. |{ ^n } }"]
      for name in 0..<6 where generator.next(4) == 0 { lines.append("var <lazy> b\(name).") }
      for _ in 0..<(1 + generator.next(8)) { lines.append(generator.statement() + ".") }
      if number % 3 == 0 {
        let type = generator.next(2) == 0 ? "<lazy> " : ""
        lines.append(
          "class Tank { var \(type)b0. \(generator.statement(isMember: true)). -foo: b1 {")
        lines.append("  \(generator.statement()) } }")
      }
      let text = lines.joined(separator: "\n")
      count += try checkRoundTrip(text, "net \(number) of seed \(seed): \(text)")
      let drawn = try diagram(text)
      marks += drawn.statements.filter { $0.mark != .none }.count
      lazyCount += drawn.nodes.filter { $0.lazyVariable != nil }.count
    }
    #expect(count > 1000)
    #expect(marks > 0)
    #expect(lazyCount > 100)
  }

  // MARK: What a diagram says

  /// A variable that holds the connection is its name.
  @Test func variablesNameTheirConnections() throws {
    let text = """
      var k := (b |= a) policy: Policy queued.
      class A { var c. var f. var k := (f =|= c + 1) strength: #weak. }
      val m := (d |= e).
      """
    #expect(
      describe(try diagram(text)) == [
        "k := (b |= a) policy: Policy queued",
        "class A | k := (f =|= c + 1) strength: #weak",
        "m := d |= e",
      ])
    #expect(try checkRoundTrip(text, "variables") == 3)
  }

  @Test func labelsComeBackAsTheyWere() {
    for text in DiagramTests.texts + ["", " ", "\n", "#", "#;", "<", "a<br/>b", "\u{0}\u{7F}"] {
      let label = Diagram.escaped(text)
      #expect(Diagram.unescaped(label[...]) == text)
      #expect(!label.contains("\""))
      #expect(!label.contains("\n"))
      #expect(label.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }
  }

  @Test(arguments: [
    ("", 1, 1, "a diagram begins with 'flowchart'"),
    ("flowchart XY", 1, 13, "expected a direction such as 'LR'"),
    ("pie\n", 1, 1, "a diagram begins with 'flowchart'"),
    (
      "flowchart LR\n  n1(\"a\") ==> n2(\"b\")", 2, 15,
      "expected the connector, as in '==>|\"|=\"|'"
    ),
    ("flowchart LR\n  n1(\"a\") ==>|\"|=\"| n2", 2, 1, "there is no box 'n2' with a label"),
    ("flowchart LR\n  n1(\"a)", 2, 7, "the quote is not closed"),
    ("flowchart LR\n  n1(a)", 2, 6, "expected a label in quotes"),
    ("flowchart LR\n  n1(\"#x;\")", 2, 12, "'#' begins the number of a character and ends in ';'"),
    ("flowchart LR\n  n1(\"a\")]", 2, 10, "expected an arrow such as '==>' or '-.->'"),
    ("flowchart LR\n  end", 2, 3, "no subgraph is open"),
    ("flowchart LR\n\n subgraph x", 3, 1, "'end' is missing for this subgraph"),
    (
      "flowchart LR\nn1(\"a\") ==>|\"|=\"| n2(\"b\") ==>|\"->\"| n3(\"c\")", 2, 38,
      "all arrows of a line bear the same connector"
    ),
    ("flowchart LR\nn1(\"a\") ==>|\"\"| n2(\"b\")", 2, 17, "the connector is missing"),
    (
      "flowchart LR\n n1(\"a\")\n n2(\"b\")\n n1([\"c\"])", 4, 4,
      "box 'n1' has another label, on line 2"
    ),
    (
      "flowchart LR\n n1([\"a size\"])", 2, 4,
      "a box that is computed when it is read is a variable"
    ),
    (
      "flowchart LR\n n1(\"a\")\n n2[\"b +\"]\n n2 ==>|\"|=\"| n1", 4, 1,
      "expected an expression, found '.' in 'a |= b +'"
    ),
    (
      "flowchart LR\n n1(\"a\") ==>|\"foo\"| n2(\"b\")", 2, 1,
      "its labels are no such statement in 'a foo b'"
    ),
    (
      "flowchart LR\n n1(\"a\") ==>|\":=\"| n2(\"b\")", 2, 1,
      "its labels are no such statement in 'b := a'"
    ),
    (
      "flowchart LR\n n1(\"a. c |= d\") ==>|\"|=\"| n2(\"b\")", 2, 1,
      "its labels are more than one statement in 'b |= a. c |= d'"
    ),
    (
      "flowchart LR\n n1(\"a. stdout println: 1\") ==>|\"|=\"| n2(\"b\")", 2, 1,
      "its labels are more than connector statements in 'b |= a. stdout println: 1'"
    ),
    (
      "flowchart LR\n n1(\"a\") ==>|\"|=\"| n2(\"var c := 1. b\")", 2, 1,
      "its labels are more than connector statements in 'var c := 1. b |= a'"
    ),
    (
      "flowchart LR\n\n subgraph s[\"class A { -foo { ^1 } } class B\"]\n n1(\"a\") ==>|\"|=\"| n2(\"b\")\n end",
      3, 1,
      "its labels are more than connector statements in 'class A { -foo { ^1 } } class B'"
    ),
    (
      "flowchart LR\n n1(\"a\") ==>|\"|=<br/>foo:\"| n2(\"b\")", 2, 1,
      "expected an expression, found '.' in '(b |= a) foo:'"
    ),
    (
      "flowchart LR\n\n subgraph s[\"hello\"]\n n1(\"a\") ==>|\"|=\"| n2(\"b\")\n end", 3, 1,
      "expected '.', found '{' in 'hello'"
    ),
    (
      "flowchart LR\n" + String(repeating: "subgraph s[\"class A\"]\n", count: 100_000), 18, 1,
      "more than 16 subgraphs stand in each other"
    ),
    (
      "flowchart LR\nn1(\"a\") -.-> n2(\"b\") ==>|\"|=\"| n1", 2, 32,
      "arrows and dotted lines do not mix"
    ),
  ])
  func aDiagramThatMeansNothingIsToldWithItsPlace(
    _ text: String, _ line: Int, _ column: Int, _ message: String
  ) {
    do {
      _ = try Diagram(mermaid: text)
      Issue.record("no error for \(text)")
    } catch {
      #expect(error.message == message)
      #expect(error.line == line)
      if message != "all arrows of a line bear the same connector",
        message != "the connector is missing", message != "arrows and dotted lines do not mix"
      {
        #expect(error.column == column)
      }
    }
  }

  @Test func aDiagramWrittenByHandIsRead() throws {
    let text = """
      %% drawn by hand
      graph TD;
        a("celsius"); 
        f["celsius * 9 / 5 + 32"] ==>|"|="| b("fahrenheit")
        a -.-> f
        b <-->|"=|="| c("mem:f")
        style a fill:#fff
        c -->|"->"| d["[ :x | x ]"] -->|"->"| e("out")
      """
    let diagram = try Diagram(mermaid: text)
    #expect(
      diagram.statementsText == """
        fahrenheit |= celsius * 9 / 5 + 32.
        fahrenheit =|= mem:f.
        mem:f -> [ :x | x ] -> out.

        """)
  }

  @Test func cyclesAndConflictsAreMarked() throws {
    let cycle = try diagram("a |= b + 1. b |= c + 1. c |= a + 1. d |= a + 1.")
    #expect(cycle.statements.map(\.mark) == [.cycle, .cycle, .cycle, .none])
    let ways = try diagram("f |= c * 9 / 5 + 32. c |= f - 32 * 5 / 9.")
    #expect(ways.statements.map(\.mark) == [.none, .none])
    let itself = try diagram("a |= a + 1.")
    #expect(itself.statements.map(\.mark) == [.cycle])
    let twice = try diagram("a |= b + 1. a |= c + 1. ivar:a |= d + 1.")
    #expect(twice.statements.map(\.mark) == [.conflict, .conflict, .conflict])
    let mermaid = cycle.written(as: .mermaid)
    #expect(mermaid.contains("classDef cycle "))
    #expect(mermaid.contains("linkStyle "))
    #expect(cycle.written(as: .dot).contains("tooltip=\"cycle\""))
    #expect(cycle.written(as: .svg).contains("class=\"place cycle\""))
  }

  @Test func aLongChainAndALongLoopAreDrawn() throws {
    var text = (1...3000).map { "b\($0) |= b\($0 - 1) + 1." }.joined(separator: "\n")
    #expect(try diagram(text).statements.allSatisfy { $0.mark == .none })
    text += "\nb0 |= b3000 + 1."
    let loop = try diagram(text)
    #expect(loop.statements.allSatisfy { $0.mark == .cycle })
    #expect(describe(try Diagram(mermaid: loop.written(as: .mermaid))) == describe(loop))
  }
}

extension String {
  /// The lines in an order of their own, the numbers of boxes left out: two writings of a diagram
  /// may number its boxes otherwise.
  fileprivate var lines: [String] {
    split(separator: "\n").map { line in
      String(line).replacingOccurrences(
        of: "\\b[ns][0-9]+\\b", with: "n", options: .regularExpression)
    }.sorted()
  }
}
