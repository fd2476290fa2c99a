import TenonGrammarSupport
import TenonLexer
import Testing

@testable import TenonDiagrams
@testable import TenonParser
@testable import TenonRuntime

/// Whatever a text is, it is a diagram that says what it shows, or its line is told.
@Suite struct DamagedDiagramTests {
  private static let program = """
    connector ~> : Connector { }
    var <lazy> mean.
    mean |= (a + b) / 2.
    k := (total |= mean + "{x} #1;" size) policy: (Policy every: 50 milliseconds); within: 0.5.
    (mem:x/y =|= total) validate: [ :new :old |
      new min: 10 ].
    (w >=| 2 * h) strength: #weak.
    var:mean -> trim -> [ :x | x % 3 ] -> file:out.txt.
    a ~> memory-model.
    class Tank : Object {
      var <lazy> level. var full.
      ivar:full |= level > 3.
      -start: b { k := (full |= b) suspend }
    }
    group g { c -> a. }
    memory-model := 3.

    """

  private static let pieces = [
    "n1", "n2", "\"", "[", "]", "(", ")", "([", "])", "|", "==>", "<==>", "-.->", "-.-", "end",
    "subgraph s9[\"class B\"]", "#", "#quot;", "<br/>", ";", "\n", "{", "}", ".", "'", ":= k",
    " foo: 3", "|=", "->", "%%", "n77(\"z\")", "n1 ==>|\"|=\"| n3", "\u{0}", "é", "// ", "( ",
  ]

  private func names(in text: String) -> (names: Set<String>, connectors: Set<String>) {
    let result = Parser(SourceText(name: "program", text)).parseScript()
    return (result.hyphenatedNames, result.connectors)
  }

  @Test func damagedDiagramsAreToldWithTheirLineOrSayWhatTheyShow() throws {
    var random = RandomNumbers(seed: testSeed)
    func next(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    let known = names(in: DamagedDiagramTests.program)
    let source = SourceText(name: "program", DamagedDiagramTests.program)
    guard case .diagram(let whole) = Diagram.reading(source) else {
      Issue.record("the program is wrong")
      return
    }
    let mermaid = Array(whole.written(as: .mermaid))
    var refused = 0
    var read = 0
    for number in 0..<1500 {
      var damaged = mermaid
      for _ in 0..<(next(4) == 0 ? 3 : 1) {
        let place = next(damaged.count)
        switch next(4) {
        case 0: damaged.removeSubrange(place..<min(damaged.count, place + 1 + next(6)))
        case 1: damaged.insert(contentsOf: Array(DamagedDiagramTests.pieces[next(36)]), at: place)
        case 2: damaged[place] = mermaid[next(mermaid.count)]
        default: damaged.swapAt(place, next(damaged.count))
        }
      }
      let text = String(damaged)
      let name = "diagram \(number) of seed \(testSeed):\n\(text)"
      do throws(DiagramError) {
        let diagram = try Diagram(mermaid: text)
        read += 1
        let again = try Diagram(mermaid: diagram.written(as: .mermaid))
        #expect(again.statementsText == diagram.statementsText, "\(name)")
        // The statements are a text of the language with as many statements.
        let source = SourceText(name: "again", diagram.statementsText)
        let result = Parser(
          source, knownNames: known.names,
          connectors: known.connectors.union(diagram.statements.map(\.connector))
        ).parseScript()
        let count = result.script.map { Diagram($0).statementList.count }
        #expect(count == diagram.statementList.count, "\(name)")
      } catch {
        refused += 1
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }.count
        #expect((1...lines).contains(error.line), "\(error) in \(name)")
        #expect(error.column >= 1 && !error.message.isEmpty, "\(error) in \(name)")
      }
    }
    // Both happen often.
    #expect(refused > 300, "\(refused)")
    #expect(read > 200, "\(read)")
  }
}
