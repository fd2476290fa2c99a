import Foundation
import TenonGrammarSupport
import Testing

/// Scripts that are wrong by accident: damaged ones, and nonsense from a generator.
///
/// `TENON_TEST_SEED` chooses others, `BAD_SCRIPTS=20000` asks for more than a default run has.
@Suite struct BadScriptTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Bytes and words that a script is damaged with.
  private static let damages: [[UInt8]] =
    [[0], [0x80], [0xC3], [0xE2, 0x82], [0xFF], [0xEF, 0xBB, 0xBF], [0x0D], [0x0A], [0x09]]
    + [
      "'", "\"", "$", "#", "(", ")", "[", "]", "{", "}", "^", ":", ":=", ";", ".", ",", "|", "||",
      "-", "+", "<", "=", "|=", "=|=", "->", "@", "%", "\\", "//", "/", "!", "?", "~", "_", "0",
      "9", "x", "e", "r", "é", "😀", "\u{A0}", "\u{2028}", "\u{301}", "self", "super", "nil",
      "file:", "var:", "ref:", "1e999", "class A {",
    ].map { Array($0.utf8) }

  /// The text of every example, and of the test scripts that end by themselves.
  private func texts(in folder: URL) -> [[UInt8]] {
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return (files ?? []).filter { $0.hasSuffix(".st") }.sorted().compactMap { path in
      (try? Data(contentsOf: folder.appending(path: path))).map { Array($0) }
    }
  }

  /// Damages a script at a byte: one is taken away, put in or exchanged.
  private func damaged(
    _ text: [UInt8], at index: Int, _ random: inout RandomNumbers
  ) -> [UInt8] {
    let damage = random.pick(Self.damages, [])
    var bytes = text
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes.remove(at: index)
    case 1: bytes.insert(contentsOf: damage, at: index)
    case 2: bytes[index] = UInt8.random(in: 0...255, using: &random)
    case 3: bytes.removeSubrange(index...)
    default: bytes.replaceSubrange(index...index, with: damage)
    }
    return bytes
  }

  /// Damages scripts at as many places as the budget allows, evenly distributed.
  private func damaged(_ texts: [[UInt8]], count: Int) -> [[UInt8]] {
    var random = RandomNumbers(seed: testSeed)
    let all = texts.reduce(0) { $0 + $1.count }
    let step = max(1, all / max(1, count))
    var offset = Int.random(in: 0..<step, using: &random)
    var scripts: [[UInt8]] = []
    for text in texts {
      while offset < text.count {
        scripts.append(damaged(text, at: offset, &random))
        offset += step
      }
      offset -= text.count
    }
    return scripts
  }

  @Test func damagedExamples() {
    let texts = texts(in: Self.root.appending(path: "examples"))
    #expect(texts.count >= 13)
    let scripts = damaged(texts, count: 2 * BadScriptRun.count)
    #expect(scripts.count >= 2 * BadScriptRun.count)
    let report = BadScriptRun().report(scripts)
    #expect(report.problems == [])
    #expect(report.finished > 0 && report.failed > 0 && report.rejected > 0)
  }

  @Test func damagedTestScripts() {
    let texts = texts(in: ScriptFile.scripts)
    #expect(texts.count > 100)
    let report = BadScriptRun().report(damaged(texts, count: BadScriptRun.count))
    #expect(report.problems == [])
    #expect(report.finished > 0 && report.failed > 0 && report.rejected > 0)
  }

  @Test func randomBytes() {
    var random = RandomNumbers(seed: testSeed)
    let scripts = (0..<BadScriptRun.count).map { _ in
      (0..<Int.random(in: 1...60, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    }
    let printable = (0..<BadScriptRun.count).map { _ in
      (0..<Int.random(in: 1...60, using: &random)).map { _ in
        UInt8.random(in: 0x20...0x7E, using: &random)
      }
    }
    let report = BadScriptRun().report(scripts + printable)
    #expect(report.problems == [])
    #expect(report.rejected > BadScriptRun.count)
  }

  // MARK: Nonsense

  /// Declares what sentences and words of the generators name.
  private static let preparation = """
    class P { var a. var b. var x. -foo { ^3 } -bar: x { ^x } -+ other { ^other } }
    a := 3. b := 'text'. c := #(1 2 3) copy. x := P new. y := [ :k | k ]. é := 2.5. _ := nil.
    名 := #{ a: 1 }. a-b := 4. memory-model := P new. x-y-z := OrderedCollection new.
    foo := 1 to: 3. self
    """

  /// Words that are thrown together.
  private static let words = [
    "x", "a", "b", "c", "y", "foo", "self", "super", "nil", "true", "thisContext", "P", "Object",
    " new", " foo", " bar: ", " abs", " size", " value", " value: ", " do: ", " collect: ", " at: ",
    " put: ", " ifTrue: ", " ifFalse: ", " whileTrue: ", " to: ", " timesRepeat: ", " ifNil: ",
    " and: ", " on: Error do: ", " ensure: ", " signal", " perform: ", " printString", " hash",
    " = ", " + ", " - ", " * ", " / ", " , ", " @ ", " => ", " -> ", " |= ", " =|= ", " := ",
    " += ", " | ", "; ", ". ", "\n", "(", ")", "[", "]", "{", "}", "[ :k | ", "[ ", " ]", "#(",
    "#{ ", "#[", "#P{ ", "\"", "'", "{", "}", "$a", "$0", "$1", "#a", "#+", "0", "1", "-1", "3",
    "1.5", "1e3", "16rFF", "1/2", "2.5s2", "^ ", "| t | ", "var v := ", "var <Number> n := ",
    "var:x", "var:x/a", "ivar:a", "self:foo", "class:P", "mem:k", "ref:var:a", "ref:mem:k",
    "default:a", "scheme:box", "scheme:box := ", "mem:{", "}/k", "class Q { ", "class P { ",
    "class R : P { ", "var a. ", "-foo { ", "-bar: z { ", "+make { ", "extension P { ",
    "scheme S { /k { get { ", " } } }", "x[1]", "[2]", "[{ ", "a-b", " strength: #weak", "//",
  ]

  @Test func tokenSoup() {
    var random = RandomNumbers(seed: testSeed)
    let scripts = (0..<4 * BadScriptRun.count).map { _ in
      (0..<Int.random(in: 1...18, using: &random)).map { _ in random.pick(Self.words, "") }
        .joined()
    }
    var run = BadScriptRun()
    run.preparation = Self.preparation
    let report = run.report(scripts)
    #expect(report.problems == [])
    #expect(report.finished > 0 && report.failed > 0 && report.rejected > 0)
    run.isPrompt = true
    let reportAtPrompt = run.report(Array(scripts.prefix(BadScriptRun.count)))
    #expect(reportAtPrompt.problems == [])
  }

  /// Sentences of the grammar: nonsense that parses.
  @Test func sentences() throws {
    let file = Self.root.appending(path: "grammar/tenon.ebnf")
    let grammar = try Grammar(source: String(contentsOf: file, encoding: .utf8))
    var generator = SentenceGenerator(grammar: grammar, seed: testSeed)
    let scripts = (0..<3 * BadScriptRun.count).map { _ in generator.sentence() }
    var run = BadScriptRun()
    run.preparation = Self.preparation
    run.isPrompt = true
    let report = run.report(scripts)
    #expect(report.problems == [])
    #expect(report.finished > 0 && report.failed > 0)
  }
}
