internal import TenonLexer

extension Parser {
  // MARK: Going on

  /// Goes on to the next token.
  func advance() {
    move(to: token.end)
  }

  /// Goes on to the token behind an offset, which is as far as the text has been used.
  func move(to offset: Int) {
    previousEnd = offset
    token = lexer.token(from: offset)
    if token.followsComment { collectComments() }
  }

  private func collectComments() {
    let seen = comments.last.map { Int($0.end) } ?? 0
    comments += lexer.comments(from: Swift.max(previousEnd, seen), to: token.start)
  }

  /// The first byte of the token.
  var firstByte: UInt8 { lexer.byte(at: token.start) }

  /// Returns the token's text as a name.
  func tokenName() -> Name {
    Name(source.text(in: token.range), token.range)
  }

  /// Takes a token as a name.
  func takeName() -> Name {
    let name = tokenName()
    advance()
    return name
  }

  /// Returns the range from an offset to the end of the token before.
  func range(from start: Int) -> SourceRange {
    SourceRange(start, previousEnd)
  }

  /// Whether the token is a `-` that belongs to the number behind it.
  var isNegativeNumber: Bool {
    token.kind == .operator && token.end - token.start == 1 && firstByte == UInt8(ascii: "-")
      && isDigit(at: token.end)
  }

  func isDigit(at offset: Int) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(lexer.byte(at: offset))
  }

  // MARK: Brackets

  /// Takes an opening bracket and enters what it encloses.
  ///
  /// - Returns: The context to put back behind the closing bracket.
  func open(_ kind: TokenKind) throws(SyntaxFailure) -> Context {
    let outer = try enter(kind)
    advance()
    return outer
  }

  /// Enters what the opening bracket that is looked at encloses.
  func enter(_ kind: TokenKind) throws(SyntaxFailure) -> Context {
    let outer = context
    context.nesting += 1
    guard context.nesting <= nestingLimit else { throw failTooDeep() }
    switch kind {
    case .closeParenthesis: context.openParentheses += 1
    case .closeBracket: context.openBrackets += 1
    default: context.openBraces += 1
    }
    context.comma = .concatenates
    return outer
  }

  /// Takes the closing bracket of what was entered.
  ///
  /// Implicit parameters in other brackets than a block's are those of the block around.
  func close(
    _ kind: TokenKind, _ opening: SourceRange, _ outer: Context
  ) throws(SyntaxFailure) {
    guard token.kind == kind else { throw failUnclosed(kind, opening) }
    advance()
    leave(to: outer)
  }

  /// Puts the context back that was there before the brackets that were entered last.
  func leave(to outer: Context) {
    let implicitParameters = context.implicitParameters
    context = outer
    context.implicitParameters = implicitParameters
  }

  /// Reports a tree that has become too high.
  func checkHeight() throws(SyntaxFailure) {
    guard height <= heightLimit else { throw failTooHigh() }
  }

  // MARK: Errors

  /// Reports an error.
  func fail(_ diagnostic: Diagnostic) -> SyntaxFailure {
    let problem = diagnostic.isIncomplete ? nil : problemOfStatement()
    if problem != nil { endsWithLine = true }
    report(problem ?? diagnostic)
    return SyntaxFailure()
  }

  /// Keeps an error or a warning unless its line has one or there are too many.
  func report(_ diagnostic: Diagnostic) {
    guard !isStopped else { return }
    let start = Int(diagnostic.range.start)
    let isWarning = diagnostic.severity == .warning
    if !isWarning {
      guard !reportedLines.contains(where: { $0.contains(start) }) else { return }
      reportedLines.append(line(around: start))
    }
    diagnostics.append(diagnostic)
    let count = isWarning ? diagnostics.count - reportedLines.count : reportedLines.count
    if count >= Self.diagnosticLimit, !isWarning { stop() }
    if count > Self.diagnosticLimit, isWarning { diagnostics.removeLast() }
  }

  /// Returns the offsets of the line an offset is in, its end included.
  private func line(around offset: Int) -> Range<Int> {
    var start = Swift.min(offset, lexer.end)
    while start > 0, lexer.byte(at: start - 1) != UInt8(ascii: "\n") { start -= 1 }
    var end = Swift.min(offset, lexer.end)
    while end < lexer.end, lexer.byte(at: end) != UInt8(ascii: "\n") { end += 1 }
    return start..<end + 1
  }

  /// Ends parsing: no token and no error comes any more.
  func stop() {
    isStopped = true
    lexer.stop(at: token.start)
    token = lexer.token(from: token.start)
  }

  /// Expects the end of the text, full stops before it allowed.
  func expectEnd() throws(SyntaxFailure) {
    while token.kind == .period { advance() }
    guard token.kind == .endOfText else { throw failExpected("the end of the text") }
  }

  // MARK: Recovery

  /// Skips what is left of a statement that went wrong.
  ///
  /// - Parameters:
  ///   - outer: The brackets that enclose the statement; a closing one of theirs is not skipped.
  ///   - endsAfterBraces: Whether the statement ends behind the next `}` that it has opened.
  func recover(to outer: Context, endsAfterBraces: Bool) {
    leaveString(to: outer)
    context = outer
    pending = nil
    var depth = 0
    let start = token.start
    defer { endsWithLine = false }
    while token.kind != .endOfText {
      if endsWithLine, depth == 0, token.beginsLine, token.start > start { return }
      switch token.kind {
      case .openParenthesis, .openBracket, .openBrace, .arrayOpening, .byteArrayOpening,
        .dictionaryOpening, .objectOpening, .collectionOpening:
        depth += 1
      case .closeParenthesis, .closeBracket, .closeBrace:
        if depth == 0, closesOpenBracket { return }
        let isBrace = token.kind == .closeBrace
        if depth > 0 { depth -= 1 }
        if depth == 0, isBrace, endsAfterBraces || endsWithLine {
          advance()
          return
        }
      case .period:
        if depth == 0 { return }
      case .quotation:
        move(to: stringEnd(from: token.start))
        continue
      default:
        break
      }
      advance()
    }
  }

  /// Goes on behind the string in whose braces something went wrong.
  private func leaveString(to outer: Context) {
    guard let start = context.string, outer.string == nil, !isStopped else { return }
    move(to: Swift.max(token.start, stringEnd(from: start)))
  }

  /// Returns the offset behind the string in double quotes that begins at an offset.
  ///
  /// Where quotes and braces do not match, it is taken to end at its next quote, from then on for
  /// all strings: each would be read to the end of the text to find that out.
  private func stringEnd(from start: Int) -> Int {
    if !hasUnclosedString, let end = lexer.interpolatedStringEnd(from: start) { return end }
    hasUnclosedString = true
    return lexer.quoteEnd(from: start + 1)
  }
}
