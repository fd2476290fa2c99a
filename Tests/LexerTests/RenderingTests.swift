import TenonLexer
import Testing

@Suite struct RenderingTests {
  private func rendered(
    _ source: String, _ start: Int, _ end: Int, notes: [Diagnostic.Note] = []
  ) -> String {
    Diagnostic(.error, "something", SourceRange(start, end), notes: notes)
      .rendered(in: SourceText(name: "file.st", source))
  }

  @Test func caretUnderThePlace() {
    #expect(
      rendered("abc\nx := ]\n", 9, 10) == """
        file.st:2:6: error: something
        x := ]
             ^
        """)
  }

  @Test func tildesUnderTheRange() {
    #expect(
      rendered("abc def ghi", 4, 7) == """
        file.st:1:5: error: something
        abc def ghi
            ^~~
        """)
  }

  @Test func warningsAndNotes() {
    let text = SourceText(name: "file.st", "(a\nb]")
    let diagnostic = Diagnostic(
      .warning, "expected ')'", SourceRange(4, 5),
      notes: [Diagnostic.Note("to close this '('", SourceRange(0, 1))])
    #expect(
      diagnostic.rendered(in: text) == """
        file.st:2:2: warning: expected ')'
        b]
         ^
        file.st:1:1: note: to close this '('
        (a
        ^
        """)
  }

  @Test func emptyRangeAndEndOfText() {
    #expect(rendered("abc", 3, 3) == "file.st:1:4: error: something\nabc\n   ^")
    #expect(rendered("abc", 99, 120) == "file.st:1:4: error: something\nabc\n   ^")
    #expect(rendered("", 0, 0) == "file.st:1:1: error: something\n\n^")
    #expect(rendered("abc\n", 4, 4) == "file.st:2:1: error: something\n\n^")
  }

  @Test func tabsAreKept() {
    #expect(rendered("\ta\tb", 3, 4) == "file.st:1:4: error: something\n\ta\tb\n\t \t^")
  }

  @Test func lineBreaks() {
    #expect(rendered("a\r\nb c\r\n", 5, 6) == "file.st:2:3: error: something\nb c\n  ^")
    #expect(rendered("a\rb c\rd", 4, 5) == "file.st:2:3: error: something\nb c\n  ^")
  }

  @Test func rangesOfSeveralLinesEndWithTheFirst() {
    #expect(rendered("ab\ncd", 1, 5) == "file.st:1:2: error: something\nab\n ^")
    #expect(rendered("abc\ncd", 1, 5) == "file.st:1:2: error: something\nabc\n ^~")
  }

  @Test func wideAndCombiningCharacters() {
    #expect(rendered("名 x", 4, 5) == "file.st:1:3: error: something\n名 x\n   ^")
    #expect(rendered("e\u{301} x", 4, 5) == "file.st:1:4: error: something\ne\u{301} x\n  ^")
  }

  @Test func invalidBytesAndControlCharacters() {
    let text = SourceText(name: "file.st", bytes: [0x61, 0xFF, 0x1B, 0x62])
    let diagnostic = Diagnostic(.error, "something", SourceRange(1, 2))
    #expect(
      diagnostic.rendered(in: text)
        == "file.st:1:2: error: something\na\u{FFFD}\u{FFFD}b\n ^")
  }

  @Test func longLinesAreCutAroundThePlace() {
    let line = String(repeating: "abcdefghij", count: 1_000)
    let middle = rendered(line, 5_000, 5_003).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(middle[1].count == 106)
    #expect(middle[1].hasPrefix("...abcdefghij"))
    #expect(middle[1].hasSuffix("abcdefghij..."))
    #expect(middle[2] == String(repeating: " ", count: 53) + "^~~")
    let start = rendered(line, 3, 4).split(separator: "\n")
    #expect(start[1].hasPrefix("abc"))
    #expect(start[2] == "   ^")
    let end = rendered(line, 9_999, 10_000).split(separator: "\n")
    #expect(end[1].hasSuffix("hij"))
    #expect(end[2] == String(repeating: " ", count: 53) + "^")
  }

  /// What a message quotes is cut when it is long, and so is a word; its quotes stay.
  @Test func longQuotesAreCut() {
    let long = String(repeating: "x", count: 300)
    let cut = String(repeating: "x", count: 160) + "\u{2026}"
    for (message, shown) in [
      ("'\(long)'", "'\(cut)'"), ("'\(long)' is none", "'\(cut)' is none"),
      ("nil does not understand '\(long)'", "nil does not understand '\(cut)'"),
      ("'a' and '\(long)' and 'b'", "'a' and '\(cut)' and 'b'"),
      ("'' and '\(long)' and ''", "'' and '\(cut)' and ''"), ("a \(long) b", "a \(cut) b"),
      (String(repeating: "short ", count: 60), String(repeating: "short ", count: 60)),
      (
        "'\(String(repeating: "short ", count: 60))'",
        "'\(String(repeating: "short ", count: 26))shor\u{2026}'"
      ),
    ] {
      #expect(message.withShortQuotes == shown)
    }
    #expect("'\(long.prefix(100))'".withShortQuotes == "'\(long.prefix(100))'")
    let many = String(repeating: "'\(long)' ", count: 100).withShortQuotes
    #expect(many.unicodeScalars.count == 4001 && many.hasSuffix("\u{2026}"))
  }

  @Test func locations() {
    let text = SourceText(name: "file.st", "aé\nb\r\nc\rd")
    for (offset, line, column) in [
      (0, 1, 1), (1, 1, 2), (3, 1, 3), (4, 2, 1), (7, 3, 1), (9, 4, 1), (99, 4, 2),
    ] as [(Int32, Int, Int)] {
      let location = text.location(of: offset)
      #expect(location.line == line && location.column == column, "\(offset)")
    }
  }

  @Test func textOfRanges() {
    let text = SourceText(name: "file.st", "abc")
    #expect(text.text(in: SourceRange(1, 2)) == "b")
    #expect(text.text(in: SourceRange(-1, 99)) == "abc")
    #expect(text.text(in: SourceRange(3, 1)) == "")
    #expect(SourceRange(1, 2).union(SourceRange(4, 5)) == SourceRange(1, 5))
    #expect(SourceRange(1, 2).endPoint == SourceRange(2, 2))
  }
}
