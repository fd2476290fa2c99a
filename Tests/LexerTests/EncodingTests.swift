import TenonLexer
import Testing

@Suite struct EncodingTests {
  private func errors(_ bytes: [UInt8], limit: Int = 20) -> [Diagnostic] {
    SourceText(name: "test.st", bytes: ContiguousArray(bytes)).encodingErrors(limit: limit)
  }

  /// The forms that are not UTF-8: stray and missing continuations, overlong forms, surrogates,
  /// what is beyond U+10FFFF, and bytes that stand in no form.
  static let invalid: [[UInt8]] = [
    [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
    [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
    [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
    [0xF4, 0x90, 0x80, 0x80],
    [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF0, 0x28, 0x8C, 0xBC],
  ]

  @Test(arguments: invalid) func invalidForms(_ bytes: [UInt8]) {
    let found = errors([0x61, 0x0A] + bytes + [0x0A, 0x62])
    #expect(found.count == 1)
    #expect(found.first?.range.start == 2)
    #expect(found.first?.message.hasPrefix("the text is not UTF-8: byte 0x") == true)
  }

  @Test func validForms() {
    for scalar in [
      "a", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}",
      "\u{10000}", "\u{10FFFF}",
    ] {
      #expect(errors(Array(scalar.utf8)).isEmpty)
    }
  }

  @Test func nulIsAnError() {
    let found = errors(Array("ab\0c".utf8))
    #expect(found.map(\.message) == ["a NUL byte is not allowed in a text"])
    #expect(found.map(\.range) == [SourceRange(2, 3)])
  }

  @Test func oneErrorForALineAndNoMoreThanTheLimit() {
    #expect(errors([0xFF, 0xFF, 0x0A, 0xFF]).count == 2)
    #expect(
      errors(Array(repeating: [0xFF, 0x0A], count: 100).flatMap { $0 }, limit: 20).count == 20)
  }

  @Test func partsOfAText() {
    let text = SourceText(name: "test.st", bytes: [0xFF, 0x61, 0xC3, 0xA9])
    #expect(text.encodingErrors(in: SourceRange(1, 4), limit: 20).isEmpty)
    #expect(text.encodingErrors(in: SourceRange(1, 3), limit: 20).count == 1)
    #expect(text.encodingErrors(in: SourceRange(3, 99), limit: 20).count == 1)
  }

  /// The lexer itself survives what has not been checked.
  @Test(arguments: invalid) func unchecked(_ bytes: [UInt8]) {
    let text = SourceText(name: "test.st", bytes: ContiguousArray([0x61] + bytes + [0x62]))
    let lexer = Lexer(text, connectors: [])
    var offset = 0
    var count = 0
    while count < 20 {
      let token = lexer.token(from: offset)
      if token.kind == .endOfText { break }
      #expect(token.end > offset)
      offset = token.end
      count += 1
    }
    #expect(count < 20)
  }
}
