import TenonLexer
import Testing

private let connectors = [":=", "+=", "|=", "=|=", ">=|", "<=|", "->"]

/// Returns the tokens of a text as `kind text`.
private func tokens(_ source: String) -> [String] {
  let text = SourceText(name: "test.st", source)
  let lexer = Lexer(text, connectors: connectors)
  var tokens: [String] = []
  var offset = lexer.start
  while true {
    let token = lexer.token(from: offset)
    if token.kind == .endOfText { return tokens }
    tokens.append("\(token.kind) \(text.text(in: token.range))")
    offset = token.end
  }
}

private func expectTokens(
  _ source: String, _ expected: String..., at location: SourceLocation = #_sourceLocation
) {
  #expect(tokens(source) == expected, "\(source)", sourceLocation: location)
}

@Suite struct TokenTests {
  @Test func names() {
    expectTokens(
      "abc _x a1 größe 名前 e\u{301}", "name abc", "name _x", "name a1", "name größe",
      "name 名前", "name e\u{301}")
    expectTokens("self super nil", "name self", "name super", "name nil")
    expectTokens("a-b", "name a", "operator -", "name b")
  }

  @Test func keywords() {
    expectTokens(
      "at: at:1 at:=1 at::=", "keyword at:", "keyword at:", "number 1", "name at",
      "assignment :=", "number 1", "keyword at:", "assignment :=")
    expectTokens("größe: x", "keyword größe:", "name x")
    expectTokens(": :x", "colon :", "colon :", "name x")
  }

  @Test func numbers() {
    for number in [
      "42", "1_000", "16r1F", "0x1F", "0b101", "3.25", "2.5e-3", "3.14s2", "1e10", "3s", "36rZZ",
    ] {
      expectTokens(number, "number \(number)")
      expectTokens(number + ".", "number \(number)", "period .")
    }
    expectTokens("32.", "number 32", "period .")
    expectTokens("32.x", "number 32", "period .", "name x")
    expectTokens("3foo", "number 3foo")
    expectTokens("2e-x", "number 2e", "operator -", "name x")
    expectTokens("1.2.3", "number 1.2", "period .", "number 3")
    expectTokens("-1", "operator -", "number 1")
  }

  @Test func strings() {
    expectTokens("'a' 'it''s' ''", "string 'a'", "string 'it''s'", "string ''")
    expectTokens("'a\nb'", "string 'a\nb'")
    expectTokens("'abc", "unterminatedString 'abc")
    expectTokens("'abc''", "unterminatedString 'abc''")
    expectTokens("\"", "quotation \"")
  }

  @Test func characters() {
    expectTokens(
      "$a $' $$ $  $é", "character $a", "character $'", "character $$", "character $ ",
      "character $é")
    expectTokens("$0 $12 $3x", "character $0", "character $12", "character $3", "name x")
    expectTokens("$", "character $")
  }

  @Test func symbols() {
    expectTokens(
      "#red #at:put: #+ #'any text' #größe", "symbol #red", "symbol #at:put:",
      "symbol #+", "symbol #'any text'", "symbol #größe")
    expectTokens("#at:put", "symbol #at:", "name put")
    expectTokens("#a:=3", "symbol #a", "assignment :=", "number 3")
    expectTokens("#a:b: #||", "symbol #a:b:", "symbol #||")
    expectTokens("#, #≤", "symbol #,", "symbol #≤")
    expectTokens("#+-3", "symbol #+", "operator -", "number 3")
    expectTokens(
      "# #-> #| #→", "hash #", "hash #", "connector ->", "hash #", "bar |", "hash #",
      "connector →")
    expectTokens("#'abc", "unterminatedString #'abc")
  }

  @Test func openers() {
    expectTokens(
      "#( #[ #{ #Point{ #Point {", "arrayOpening #(", "byteArrayOpening #[",
      "dictionaryOpening #{", "objectOpening #Point{", "symbol #Point", "openBrace {")
    expectTokens(
      "()[]{}", "openParenthesis (", "closeParenthesis )", "openBracket [",
      "closeBracket ]", "openBrace {", "closeBrace }")
    expectTokens("^;.,`", "caret ^", "semicolon ;", "period .", "comma ,", "unknown `")
  }

  @Test func connectorsAndAssignments() {
    expectTokens(
      ":= ← += |= =|= >=| <=| -> →", "assignment :=", "assignment ←", "connector +=",
      "connector |=", "connector =|=", "connector >=|", "connector <=|", "connector ->",
      "connector →")
  }

  @Test func operators() {
    expectTokens(
      "+ - * / \\\\ <= ~= == ~~ @ % & && ? ! >>", "operator +", "operator -",
      "operator *", "operator /", "operator \\\\", "operator <=", "operator ~=", "operator ==",
      "operator ~~", "operator @", "operator %", "operator &", "operator &&", "operator ?",
      "operator !", "operator >>")
    expectTokens("≤ ≥ ≠ ∪ €", "operator ≤", "operator ≥", "operator ≠", "operator ∪", "operator €")
    expectTokens(",,", "comma ,", "comma ,")
  }

  @Test func howRunsAreCut() {
    expectTokens("3--1", "number 3", "operator -", "operator -", "number 1")
    expectTokens("x>-1", "name x", "operator >", "operator -", "number 1")
    expectTokens("x>=|-1", "name x", "connector >=|", "operator -", "number 1")
    expectTokens("a->-1", "name a", "connector ->", "operator -", "number 1")
    expectTokens("a---1", "name a", "operator --", "operator -", "number 1")
    expectTokens("a-1", "name a", "operator -", "number 1")
    expectTokens("a--b", "name a", "operator --", "name b")
    expectTokens("a||b|c", "name a", "operator ||", "name b", "bar |", "name c")
    expectTokens("|||", "operator ||", "bar |")
    expectTokens("a|->b", "name a", "bar |", "connector ->", "name b")
    expectTokens("a=|b", "name a", "operator =", "bar |", "name b")
    expectTokens("a+|b", "name a", "operator +", "bar |", "name b")
    expectTokens("a==|=b", "name a", "operator ==", "connector |=", "name b")
    expectTokens("a|-1", "name a", "bar |", "operator -", "number 1")
    expectTokens("a+//b\nc", "name a", "operator +", "name c")
    expectTokens("a/ /b", "name a", "operator /", "operator /", "name b")
    expectTokens(
      "+|+|+|+|+|+|+|+", "operator +", "bar |", "operator +", "bar |", "operator +",
      "bar |", "operator +", "bar |", "operator +", "bar |", "operator +", "bar |", "operator +",
      "bar |", "operator +")
  }

  @Test func connectorsOfTheProgram() {
    let text = SourceText(name: "test.st", "~> ⇒ ~>~ ~>-1")
    var lexer = Lexer(text, connectors: ["~>"])
    let added = ["⇒", "", "~~~~~~~~~"].map { lexer.addConnector($0) }
    #expect(added == [true, false, false])
    var kinds: [TokenKind] = []
    var offset = 0
    while offset < text.bytes.count {
      let token = lexer.token(from: offset)
      kinds.append(token.kind)
      offset = token.end
    }
    #expect(kinds == [.connector, .connector, .operator, .connector, .operator, .number])
  }

  @Test func blanksAndComments() {
    expectTokens(
      "a\u{A0}b\u{3000}c\u{2028}d\u{0B}e\u{85}f", "name a", "name b", "name c", "name d",
      "name e", "name f")
    expectTokens("a // b\nc //d\r\ne", "name a", "name c", "name e")
    expectTokens("a//b", "name a")
    expectTokens("\u{200B}", "unknown \u{200B}")
    expectTokens("a\u{FEFF}", "name a", "unknown \u{FEFF}")
  }

  @Test func gaps() {
    let text = SourceText(name: "test.st", "a b\nc // d\n e(")
    let lexer = Lexer(text, connectors: connectors)
    var found: [String] = []
    var offset = 0
    while true {
      let token = lexer.token(from: offset)
      if token.kind == .endOfText { break }
      let flags = [
        token.followsBlank ? "blank" : "", token.beginsLine ? "line" : "",
        token.followsComment ? "comment" : "",
      ]
      found.append(flags.filter { !$0.isEmpty }.joined(separator: "+"))
      offset = token.end
    }
    #expect(found == ["blank+line", "blank", "blank+line", "blank+line+comment", ""])
    #expect(lexer.comments(from: 5, to: 11) == [SourceRange(6, 10)])
  }

  @Test func beginningOfTheText() {
    expectTokens("\u{FEFF}a", "name a")
    expectTokens("#!/usr/bin/env tenon\na", "name a")
    expectTokens("\u{FEFF}#!x\r\na", "name a")
    #expect(tokens("#!").isEmpty)
    expectTokens("a\n#!x", "name a", "symbol #!", "name x")
  }

  @Test func partsOfAText() {
    let text = SourceText(name: "test.st", "abc def ghi")
    let lexer = Lexer(text, in: SourceRange(4, 7), connectors: connectors)
    let token = lexer.token(from: lexer.start)
    #expect(text.text(in: token.range) == "def")
    #expect(lexer.token(from: token.end).kind == .endOfText)
    #expect(lexer.byte(at: -1) == 0)
    #expect(lexer.byte(at: 7) == 0)
    let outside = Lexer(text, in: SourceRange(-5, 900), connectors: connectors)
    #expect(outside.end == 11)
  }

  @Test func stopping() {
    var lexer = Lexer(SourceText(name: "test.st", "abc def"), connectors: connectors)
    lexer.stop(at: 4)
    #expect(lexer.token(from: 3).kind == .endOfText)
    lexer.stop(at: 7)
    #expect(lexer.end == 4)
  }

  @Test func hyphenatedNames() {
    let lexer = Lexer(SourceText(name: "test.st", "a-b-c-3 x-y: z"), connectors: connectors)
    #expect(lexer.hyphenatedNameEnd(after: 1) == 5)
    #expect(lexer.hyphenatedNameEnd(after: 9) == nil)
  }

  @Test func endsOfInterpolatedStrings() {
    for (source, end) in [
      (#""abc" x"#, 5), (#""a\"b" x"#, 6), (#""a{"b{'}'}"}c" x"#, 14), (#""{$"}" "#, 6),
      (#""{{}}" x"#, 6), (#""{ x" y"#, nil), (#""abc"#, nil), ("\"{x // }\n}\"", 11),
    ] as [(String, Int?)] {
      let lexer = Lexer(SourceText(name: "test.st", source), connectors: connectors)
      #expect(lexer.interpolatedStringEnd(from: 0) == end, "\(source)")
    }
    let lexer = Lexer(SourceText(name: "test.st", #""a\"b" c"#), connectors: connectors)
    #expect(lexer.quoteEnd(from: 1) == 6)
    #expect(lexer.quoteEnd(from: 6) == 8)
  }
}
