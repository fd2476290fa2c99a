internal import TenonLexer

// What somebody means who writes as in another language. None of this runs in a text without errors.

extension Parser {
  /// What is wrong with the statement as a whole, when it is one of another language; what went
  /// wrong in it first says less.
  func problemOfStatement() -> Diagnostic? {
    let first = lexer.token(from: statementStart)
    guard first.start <= token.start else { return nil }
    let next = lexer.token(from: first.end)
    switch first.kind {
    case .name:
      let word = source.text(in: first.range)
      if word == "class" { return problemOfClass(first, next) }
      if let problem = problemOfMethod(next) { return problem }
      guard ForeignWords.beginsStatement(word), !declaredNames.contains(word), goesOn(with: next)
      else { return nil }
      return ForeignWords.hint(for: word).map { foreignWord(first.range, $0) }
    case .operator where source.text(in: first.range) == "!":
      guard next.kind == .name, !first.range.isBefore(next.range, by: 1) else { return nil }
      let keyword = lexer.token(from: next.end)
      return keyword.kind == .keyword && source.text(in: keyword.range).hasPrefix("methodsFor")
        ? chunkFormat(first.range) : nil
    default:
      return nil
    }
  }

  /// Whether what follows the first word of a statement is none of what follows a variable.
  private func goesOn(with next: Token) -> Bool {
    switch next.kind {
    case .name, .number, .string, .quotation, .symbol, .openParenthesis, .openBrace,
      .arrayOpening, .dictionaryOpening, .objectOpening, .collectionOpening, .character:
      true
    case .openBracket: next.followsBlank
    default: false
    }
  }

  /// `class Foo extends Bar`, `class Foo(Bar)` and `class Foo < Bar`.
  private func problemOfClass(_ word: Token, _ name: Token) -> Diagnostic? {
    guard name.kind == .name, lexer.scalar(at: name.start).scalar.properties.isUppercase else {
      return nil
    }
    let sign = lexer.token(from: name.end)
    let superclass = lexer.token(from: sign.end)
    let isForeign =
      sign.kind == .openParenthesis || sign.kind == .name
      || sign.kind == .operator && source.text(in: sign.range) == "<"
    guard isForeign, superclass.kind == .name else { return nil }
    return foreignClass(sign.range, excerpt(name.range), excerpt(superclass.range))
  }

  /// `Foo >> bar ^3`, the way of writing about methods.
  private func problemOfMethod(_ second: Token) -> Diagnostic? {
    var sign = second
    if sign.kind == .name, source.text(in: sign.range) == "class" {
      sign = lexer.token(from: sign.end)
    }
    guard sign.kind == .operator, source.text(in: sign.range) == ">>" else { return nil }
    let selector = lexer.token(from: sign.end)
    guard selector.kind == .name || selector.kind == .keyword else { return nil }
    return methodOutsideOfClass(sign.range)
  }

  /// What the token says about a mistake behind an operand that ends a statement elsewhere.
  var problemBehindOperand: Diagnostic? {
    switch token.kind {
    case .caret: return powerSign()
    case .colon:
      if isBehindQuestionMark { return ternary() }
      if let problem = typeBehindName() { return problem }
      return isInBlock && lexer.byte(at: previousEnd - 1) == UInt8(ascii: "'")
        ? entryInBlock() : nil
    case .string, .unterminatedString:
      // The string before has ended within a word: 'it's'.
      return isQuoteWithinWords ? undoubledQuote() : nil
    case .name:
      return lexer.byte(at: previousEnd - 1) == UInt8(ascii: "'") && !token.followsBlank
        ? undoubledQuote() : nil
    case .operator where source.text(in: token.range) == "=":
      return firstValue()
    default: return nil
    }
  }

  /// An operand behind a word that was meant as a function.
  var problemOfArgument: Diagnostic? {
    guard !token.beginsLine, token.followsBlank, beginsLiteral || token.kind == .openParenthesis,
      let word = wordBefore(previousEnd), lexer.isNameStart(at: Int(word.start)),
      word.start > statementStart
    else { return nil }
    let before = lexer.byte(at: Int(word.start) - 1)
    guard before != UInt8(ascii: "$"), before != UInt8(ascii: "#") else { return nil }
    return argumentWithoutKeyword(word)
  }

  private var isBehindQuestionMark: Bool {
    var next = lexer.token(from: statementStart)
    while next.start < token.start, next.kind != .endOfText {
      if next.kind == .operator, source.text(in: next.range) == "?" { return true }
      next = lexer.token(from: next.end)
    }
    return false
  }

  /// Whether a quote stands between two letters, from the begin of the statement to the token.
  var isQuoteWithinWords: Bool {
    var offset = statementStart + 1
    while offset <= token.start {
      if lexer.byte(at: offset) == UInt8(ascii: "'"), isWordByte(lexer.byte(at: offset - 1)),
        isWordByte(lexer.byte(at: offset + 1))
      {
        return true
      }
      offset += 1
    }
    return false
  }

  /// `x++` and `x--`: the operator has no operand behind it.
  var problemOfIncrement: Diagnostic? {
    let sign = SourceRange(previousEnd - 2, previousEnd)
    guard sign.start > statementStart, let word = wordBefore(Int(sign.start)) else { return nil }
    switch source.text(in: sign) {
    case "++": return increment(sign, excerpt(word), "+= 1")
    case "--": return increment(sign, excerpt(word), ":= \(excerpt(word)) - 1")
    default: return nil
    }
  }

  /// Whether the operator begins a comment in other languages.
  var isForeignComment: Bool {
    let text = source.text(in: token.range)
    return text.hasPrefix("/*") || text.hasPrefix("<!--")
      || text == "--" && lexer.blankLength(at: token.end) > 0
  }

  /// The word before another one, with nothing but blanks between them; nil when it begins an operand.
  func receiver(before word: SourceRange) -> SourceRange? {
    var end = Int(word.start)
    while lexer.blankLength(at: end - 1) > 0 { end -= 1 }
    return end < word.start ? wordBefore(end) : nil
  }

  /// An operator at the start of an operand that is a sign in other languages.
  func problemOfSign(_ text: String, _ next: Token) -> Diagnostic? {
    if isForeignComment { return foreignComment() }
    guard next.kind == .name || next.kind == .openParenthesis, !next.followsBlank else {
      return nil
    }
    let operand = next.kind == .name ? excerpt(next.range) : "x"
    switch text {
    case "!", "~": return foreignNot(operand)
    case "@" where next.kind == .name, "@@" where next.kind == .name:
      return foreignInstanceVariable(operand)
    case "++": return increment(token.range, operand, "+= 1")
    case "--": return increment(token.range, operand, ":= \(operand) - 1")
    default: return nil
    }
  }
}

extension SourceRange {
  /// Whether another range begins more than a number of bytes behind this one.
  fileprivate func isBefore(_ other: SourceRange, by count: Int32) -> Bool {
    other.start - end >= count
  }
}

// MARK: - Wording

extension Parser {
  private func error(_ message: String, _ range: SourceRange) -> Diagnostic {
    Diagnostic(.error, message, range)
  }

  private func foreignWord(_ range: SourceRange, _ hint: String) -> Diagnostic {
    error("\(quoted(range)) is no statement here; \(hint)", range)
  }

  private func chunkFormat(_ range: SourceRange) -> Diagnostic {
    error("methods are written 'class Name { -name { ... } }' or 'extension Name { ... }'", range)
  }

  private func foreignClass(
    _ range: SourceRange, _ name: String, _ superclass: String
  ) -> Diagnostic {
    error("a superclass is written 'class \(name) : \(superclass) { ... }'", range)
  }

  private func methodOutsideOfClass(_ range: SourceRange) -> Diagnostic {
    error("a method is written 'extension Name { -name { ... } }'", range)
  }

  private func powerSign() -> Diagnostic {
    error("expected '.', found '^'; a power is written 'x ** y'", token.range)
  }

  private func ternary() -> Diagnostic {
    error("expected '.', found ':'; a choice is written 'x ifTrue: [a] ifFalse: [b]'", token.range)
  }

  private func entryInBlock() -> Diagnostic {
    error("expected '.', found ':'; a dictionary is written '#{ 'key': value }'", token.range)
  }

  func undoubledQuote() -> Diagnostic {
    error("a quote within a string is doubled: 'it''s'", token.range)
  }

  private func firstValue() -> Diagnostic? {
    declaredName.map { error("a first value follows ':=': 'var \($0) := ...'", token.range) }
  }

  private func typeBehindName() -> Diagnostic? {
    declaredName.map { name in
      let type = lexer.token(from: token.end)
      let shown = type.kind == .name ? excerpt(type.range) : "Type"
      return error("a type stands before the name: 'var <\(shown)> \(name)'", token.range)
    }
  }

  /// The name before the token, when the statement declares it with `var`.
  private var declaredName: String? {
    let first = lexer.token(from: statementStart)
    guard first.kind == .name, source.text(in: first.range) == "var" else { return nil }
    return wordBefore(previousEnd).map(excerpt)
  }

  private func argumentWithoutKeyword(_ word: SourceRange) -> Diagnostic {
    let argument = token.kind == .openParenthesis ? "(...)" : beginsString ? "..." : found
    let shown = argument.trimmingQuotes
    return error(
      "expected '.', found \(found); an argument follows a keyword: '\(excerpt(word)): \(shown)'",
      token.range)
  }

  private var beginsString: Bool { token.kind == .string || token.kind == .quotation }

  private func increment(_ range: SourceRange, _ name: String, _ right: String) -> Diagnostic {
    error("\(quoted(range)) takes two operands; write '\(name) \(right)'", range)
  }

  private func foreignComment() -> Diagnostic {
    error("a comment is written '// text', to the end of the line", token.range)
  }

  private func foreignNot(_ operand: String) -> Diagnostic {
    error("\(quoted(token.range)) is no sign; write '\(operand) not'", token.range)
  }

  private func foreignInstanceVariable(_ name: String) -> Diagnostic {
    error(
      "\(quoted(token.range)) is no sign; an instance variable is written '\(name)', its place "
        + "'ivar:\(name)'", token.range)
  }
}

extension String {
  /// The text without a quote at each end.
  fileprivate var trimmingQuotes: String {
    count > 1 && hasPrefix("'") && hasSuffix("'") ? String(dropFirst().dropLast()) : self
  }
}
