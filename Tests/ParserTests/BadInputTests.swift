import Foundation
import TenonGrammarSupport
import TenonLexer
import TenonParser
import Testing

/// Whatever the bytes, a text is a tree or located errors.
@Suite struct BadInputTests {
  /// Expects that a text is parsed soundly, and returns whether it has no errors.
  @discardableResult
  private func expectSound(
    _ bytes: some Collection<UInt8>, at location: SourceLocation = #_sourceLocation
  ) -> Bool {
    let text = SourceText(name: "bad.st", bytes: ContiguousArray(bytes))
    let result = Parser(text, knownNames: ["a-b"]).parseScript()
    let errors = result.diagnostics.filter { $0.severity == .error }
    let size = Int32(text.bytes.count)
    let isSound =
      errors.isEmpty == (result.tree != nil) && result.diagnostics.count <= 20
      && Set(errors.map { text.location(of: $0.range.start).line }).count == errors.count
      && result.diagnostics.allSatisfy { $0.range.start >= 0 && $0.range.start <= size }
      && result.diagnostics.allSatisfy { !$0.rendered(in: text).isEmpty }
    if !isSound {
      Issue.record(
        "\(String(decoding: bytes, as: UTF8.self).debugDescription)", sourceLocation: location)
    }
    guard let script = result.script else { return false }
    expectRoundTrip(script, knownNames: ["a-b"], at: location)
    return true
  }

  @Test func samplesAreRight() {
    for sample in Samples.all {
      let result = parse(sample)
      let text = SourceText(name: "sample.st", sample)
      #expect(result.diagnostics.map { $0.rendered(in: text) } == [])
      if let script = result.script { expectRoundTrip(script) }
    }
  }

  @Test func randomBytes() {
    var random = RandomNumbers(seed: 1)
    for _ in 0..<600 {
      let count = Int.random(in: 0...120, using: &random)
      expectSound((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
      expectSound((0..<count).map { _ in UInt8.random(in: 9...126, using: &random) })
    }
  }

  /// Every one-byte damage of each sample: cut, deleted, doubled, replaced.
  @Test(arguments: Samples.all.indices) func damage(_ index: Int) {
    let bytes = Array(Samples.all[index].utf8)
    var random = RandomNumbers(seed: UInt64(index))
    let replacements = Array("()[]{}.,:;|'\"#$^-/ \n\0\u{FF}a1=<".utf8) + [0xFF]
    for offset in bytes.indices {
      expectSound(bytes[..<offset])
      expectSound(bytes[..<offset] + bytes[(offset + 1)...])
      expectSound(bytes[...offset] + bytes[offset...])
      var replaced = bytes
      replaced[offset] = random.pick(replacements, 0)
      expectSound(replaced)
    }
  }

  private static let words = [
    "a", "b", "foo", "self", "nil", "true", " ", "\n", ".", ". ", ",", ";", "|", "||", "(", ")",
    "[",
    "]", "{", "}", "#(", "#{", "#[", "#P{", "\"", "'", "'a'", "\"b\"", "\"{", "}\"", "$a", "$'",
    "$",
    "$0", "#a", "#a:", "#+", "#", "3", "-1", "1.5", "1e3", "16rF", "+", "-", "*", "/", "//", "<",
    ">",
    "=", ":=", "+=", "|=", "=|=", ">=|", "->", "→", "≤", ":", ":a", "at:", "put: ", "ivar:a/b",
    "file:a.b", "file:{", "file:", "http://h/a?q=", "ref:", "^", "| t |", "var ", "var <T> ",
    "class A {", "class A : B {", "scheme S {", "filter f |{", "filter f {", "protocol P {",
    "group g {", "object o : #P{", "connector ~> {", "-m {", "-m:a {", "- + a {", "/a/:b {",
    "get {",
    "put {", "|= {", "=| {", "a-b", "a-b := ", "[:x |", "é", "\u{A0}", "\\", "`", "..", "!",
  ]

  @Test func randomWords() {
    let seed = UInt64(ProcessInfo.processInfo.environment["SEED"] ?? "") ?? 7
    print("random words with SEED=\(seed)")
    var random = RandomNumbers(seed: seed)
    var rightCount = 0
    for round in 0..<6_000 {
      var source = ""
      for _ in 0..<Int.random(in: 1...(round % 3 == 0 ? 20 : 6), using: &random) {
        source += random.pick(Self.words, "") + (random.happens(0.5) ? " " : "")
      }
      if expectSound(source.utf8) { rightCount += 1 }
    }
    #expect(rightCount > 100)
  }

  /// Samples with words put in, taken out and exchanged.
  @Test func mutations() {
    let seed = UInt64(ProcessInfo.processInfo.environment["SEED"] ?? "") ?? 11
    print("mutations with SEED=\(seed)")
    var random = RandomNumbers(seed: seed)
    for _ in 0..<1_000 {
      var bytes = Array(random.pick(Samples.all, "").utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = Swift.min(bytes.count, start + Int.random(in: 0...12, using: &random))
        let other = random.pick(Samples.all, "").utf8.dropFirst(start).prefix(end - start)
        let word = Array(random.pick(Self.words, "").utf8)
        bytes.replaceSubrange(start..<end, with: random.happens(0.5) ? word : Array(other))
      }
      expectSound(bytes)
    }
  }

  @Test func sameTextSameResult() {
    for sample in Samples.all {
      for cut in stride(from: 0, to: sample.utf8.count, by: 37) {
        let source = String(decoding: Array(sample.utf8).prefix(cut), as: UTF8.self)
        let first = parse(source)
        let second = parse(source)
        #expect(first.diagnostics == second.diagnostics)
        #expect(
          first.script.map { TreePrinter.dump($0) } == second.script.map { TreePrinter.dump($0) })
      }
    }
  }

  @Test func invalidEncodings() {
    let forms: [[UInt8]] = [
      [0x80], [0xC0, 0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xFF],
      [0x00],
    ]
    let places = ["", "x", "'a", "\"a", "// a", "#a", "$", "file:a", "x at: ", "\"{"]
    for form in forms {
      for place in places {
        #expect(!expectSound(Array(place.utf8) + form))
        #expect(!expectSound(Array(place.utf8) + form + Array("' } \" x.\n".utf8)))
      }
    }
  }

  @Test func hugeTokens() {
    let million = String(repeating: "x", count: 1_000_000)
    let many = String(repeating: "x", count: 100_000)
    let digits = String(repeating: "7", count: 100_000)
    for source in [
      million, "'\(million)'", "\"\(million)\"", "#\(many)", "#'\(many)'", digits, "0x\(digits)",
      "0.\(digits)", "\(digits)s3", "// \(many)", "file:\(many)", "x \(many): 3",
    ] {
      #expect(parse(source).script != nil, "\(source.prefix(3))")
    }
    for source in [
      "'\(million)", "\"\(million)", "$\(many)", "\(digits)x", "1e\(digits)", "1.0e\(digits)",
      "\(digits)r1", "ivar:\(many).x", "\(many) )", "(\(many)", "#(1 \(many))",
    ] {
      let result = parse(source)
      #expect(result.script == nil, "\(source.prefix(3))")
      #expect(result.diagnostics.count == 1, "\(source.prefix(3))")
      #expect(result.diagnostics.allSatisfy { $0.message.utf8.count < 400 })
    }
  }

  @Test func tooLargeTexts() {
    let bytes = ContiguousArray<UInt8>(repeating: 0x20, count: SourceText.largestSize + 1)
    let result = Parser(SourceText(name: "large.st", bytes: bytes)).parseScript()
    #expect(result.script == nil)
    #expect(
      result.diagnostics.map(\.message) == [
        "the text has 67108865 bytes, more than the 64 MB that are read"
      ])
  }
}
