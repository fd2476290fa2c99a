internal import TenonLexer

// Which error fits where something unexpected stands. None of this runs in a text without errors.

extension Parser {
  /// Something else stands where only one thing can.
  func failExpected(_ what: String) -> SyntaxFailure {
    if token.kind == .hash { endsWithLine = true }
    return fail(tokenProblem ?? expected(what))
  }

  /// What is wrong with the token itself, wherever it stands.
  private var tokenProblem: Diagnostic? {
    switch token.kind {
    case .unterminatedString:
      isQuoteWithinWords ? undoubledQuote() : unclosedString(token.range)
    case .unknown: unknownCharacter()
    case .hash: loneHash()
    default: nil
    }
  }

  /// Something else stands where an operand may start.
  func failExpectedExpression() -> SyntaxFailure {
    switch token.kind {
    case .operator:
      endsWithLine = isForeignComment
      return fail(operatorAtStart())
    case _ where problemOfIncrement != nil: return fail(problemOfIncrement ?? caretInside())
    case .caret: return fail(caretInside())
    case .period where isDigit(at: token.end): return fail(fractionWithoutZero())
    default: return failExpected("an expression")
    }
  }

  /// Something else stands where a message must follow.
  func failExpectedMessage(after sign: String) -> SyntaxFailure {
    if token.kind == .endOfText { return failExpected("a message after '\(sign)'") }
    return fail(tokenProblem ?? expectedMessage(after: sign))
  }

  func failExpectedBar() -> SyntaxFailure {
    failExpected("'|' after the parameters of the block")
  }

  /// An operand follows an operand.
  func failAfterExpression(_ what: String) -> SyntaxFailure {
    if what == "'.'", !token.beginsLine, let problem = problemBehindOperand {
      return fail(problem)
    }
    if token.kind == .hash { endsWithLine = true }
    if let problem = tokenProblem ?? problemAfterExpression { return fail(problem) }
    guard what == "'.'" else { return failExpected(what) }
    if token.beginsLine, token.kind != .endOfText {
      return fail(missingPeriod(at: previousEnd))
    }
    if let problem = problemOfArgument { return fail(problem) }
    return failExpected(what)
  }

  /// What the token says about a mistake many make.
  private var problemAfterExpression: Diagnostic? {
    switch token.kind {
    case .period where lexer.isNameContinue(at: token.end):
      return missingBlankAfterPeriod()
    case .openBracket where token.followsBlank && !token.beginsLine:
      return subscriptBehindBlank()
    case .openParenthesis where !token.followsBlank:
      return wordBefore(previousEnd).map(callSyntax)
    case .openBrace where token.followsBlank && !token.beginsLine:
      return symbolBefore(previousEnd).map(objectLiteralBehindBlank)
    case .name where Self.reservedWords.contains(source.text(in: token.range)):
      return token.beginsLine ? missingPeriod(at: previousEnd) : reservedSelector()
    default:
      return nil
    }
  }

  /// The word that ends at an offset.
  func wordBefore(_ end: Int) -> SourceRange? {
    var start = end
    while start > lexer.start, isWordByte(lexer.byte(at: start - 1)) { start -= 1 }
    return start < end ? SourceRange(start, end) : nil
  }

  private func symbolBefore(_ end: Int) -> SourceRange? {
    guard let word = wordBefore(end), lexer.byte(at: Int(word.start) - 1) == UInt8(ascii: "#")
    else { return nil }
    return SourceRange(word.start - 1, word.end)
  }

  func isWordByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
      || (0x61...0x7A).contains(byte | 0x20)
  }

  /// A bracket is not closed where it should be.
  func failUnclosed(_ kind: TokenKind, _ opening: SourceRange) -> SyntaxFailure {
    if let problem = tokenProblem ?? problemAfterExpression { return fail(problem) }
    let sign =
      switch kind {
      case .closeParenthesis: "')'"
      case .closeBracket: "']'"
      default: "'}'"
      }
    return fail(expected(sign, notes: [bracketNote(opening)]))
  }

  func failUnclosedTemporaries(_ opening: SourceRange) -> SyntaxFailure {
    fail(
      tokenProblem
        ?? expected("'|' after the names", notes: [bracketNote(opening)]))
  }

  /// The text ends in a string.
  func failUnclosedString(_ opening: SourceRange) -> SyntaxFailure {
    move(to: lexer.end)
    return fail(unclosedString(opening))
  }

  func failUnclosedEntries(_ opening: SourceRange) -> SyntaxFailure {
    if let problem = tokenProblem ?? problemAfterExpression { return fail(problem) }
    return fail(expected("',' or '}'", notes: [bracketNote(opening)]))
  }

  /// An array is neither literals nor expressions.
  func failInArray(_ opening: SourceRange) -> SyntaxFailure {
    if isClosing(token.kind) || token.kind == .period || token.kind == .semicolon {
      return failUnclosed(.closeParenthesis, opening)
    }
    if let problem = tokenProblem ?? problemAfterExpression { return fail(problem) }
    if holdsWord(opening) { return fail(wordsInArray(opening)) }
    let isLiteral = token.kind == .comma || token.kind == .operator || token.kind == .keyword
    return fail(isLiteral ? mixedLiteralArray(opening) : mixedArray(opening))
  }

  /// Whether a bare word stands in an array before the token or is the token.
  private func holdsWord(_ opening: SourceRange) -> Bool {
    guard token.kind != .name else { return true }
    let first = lexer.token(from: Int(opening.end))
    let second = lexer.token(from: first.end)
    return first.kind == .name && first.end <= previousEnd
      || second.kind == .name && second.end <= previousEnd
  }

  func failInByteArray(_ opening: SourceRange) -> SyntaxFailure {
    if token.kind == .endOfText { return failUnclosed(.closeBracket, opening) }
    return fail(tokenProblem ?? notABlankInBytes(opening))
  }

  func failTooDeep() -> SyntaxFailure {
    let failure = fail(tooDeep())
    stop()
    return failure
  }

  func failTooHigh() -> SyntaxFailure {
    let failure = fail(tooHigh())
    stop()
    return failure
  }

  /// A statement is followed by something that does not end it.
  func failAfterStatement(
    _ statement: Statement?, until closing: TokenKind, opening: SourceRange?
  ) -> SyntaxFailure {
    if let opening, isClosing(token.kind) { return failUnclosed(closing, opening) }
    if case .expression(let expression) = statement, !token.beginsLine {
      if let opening, isInBlock, expression.isLiteral, beginsLiteral {
        return fail(literalsInBlock(opening))
      }
      if case .interpolatedString = expression { return fail(stringAsComment(expression.range)) }
    }
    if case .expression(.interpolatedString(let string)) = statement, string.isPlain {
      return fail(stringAsComment(string.range))
    }
    return failAfterExpression("'.'")
  }

  var isInBlock: Bool {
    if case .outside = context.implicitParameters { return false }
    return true
  }

  var beginsLiteral: Bool {
    switch token.kind {
    case .number, .string, .quotation, .symbol, .character, .arrayOpening, .dictionaryOpening,
      .objectOpening, .byteArrayOpening, .collectionOpening:
      true
    default: isNegativeNumber
    }
  }
}

extension Expression {
  /// Whether it is a literal without parts that are evaluated.
  var isLiteral: Bool {
    switch self {
    case .integer, .float, .scaledDecimal, .character, .symbol, .string, .byteArray: true
    case .interpolatedString(let string): string.isPlain
    default: false
    }
  }

  /// Whether it is a literal that is text.
  var isText: Bool {
    switch self {
    case .string, .character: true
    case .interpolatedString(let string): string.isPlain
    default: false
    }
  }
}

extension InterpolatedStringExpression {
  /// Whether no expression stands in its braces.
  var isPlain: Bool {
    parts.allSatisfy { part in
      if case .expression = part { return false }
      return true
    }
  }
}
