internal import TenonLexer

extension Parser {
  /// Parses a primary.
  ///
  ///     primary = name | hyphenatedName | reservedWord | ? in a block without parameters ? ,
  ///             implicitParameter | literal | identifier | reference | parenthesized | block ;
  func parsePrimary() throws(SyntaxFailure) -> Expression {
    if pending != nil, let primary = takePending() { return primary }
    height = 1
    switch token.kind {
    case .name:
      if let colon = knownSchemeEnd() { return try parseIdentifier(behind: colon) }
      return readName()
    case .keyword: return try parseIdentifier(behind: token.end - 1)
    case .openParenthesis: return try parseParenthesized()
    case .openBracket, .openBrace: return .block(try parseBlock())
    default: return try parseLiteral()
    }
  }

  private func takePending() -> Expression? {
    defer { pending = nil }
    height = pending?.height ?? 1
    return pending?.expression
  }

  /// Parses a name, a hyphenated one where its spelling is declared.
  func readName() -> Expression {
    if lexer.byte(at: token.end) == UInt8(ascii: "-"), let end = declaredHyphenatedEnd() {
      let range = SourceRange(token.start, end)
      let name = Name(source.text(in: range), range)
      move(to: end)
      return .name(NameExpression(name: name, range: range))
    }
    let name = takeName()
    return .name(NameExpression(name: name, range: name.range))
  }

  /// Returns the end of the hyphenated name that begins here, nil when it is a subtraction.
  private func declaredHyphenatedEnd() -> Int? {
    // The parts of a run that is a subtraction are no names either.
    guard token.start >= subtractionEnd,
      let end = lexer.hyphenatedNameEnd(after: token.end)
    else { return nil }
    let spelling = source.text(in: SourceRange(token.start, end))
    if isDeclared(spelling) || lexer.token(from: end).kind == .assignment { return end }
    subtractionEnd = end
    return nil
  }

  /// Returns the range of the name that begins with a word: up to its last hyphen's where this spelling
  /// is declared.
  func wholeName(_ word: SourceRange) -> SourceRange {
    guard let end = lexer.hyphenatedNameEnd(after: Int(word.end)) else { return word }
    let range = SourceRange(Int(word.start), end)
    return isDeclared(source.text(in: range)) ? range : word
  }

  /// Returns the offset of the colon behind the hyphenated scheme that begins here, nil when it is a
  /// subtraction.
  private func knownSchemeEnd() -> Int? {
    guard lexer.byte(at: token.end) == UInt8(ascii: "-"), token.start >= subtractionEnd,
      let end = lexer.hyphenatedSchemeEnd(after: token.end),
      isDeclared(source.text(in: SourceRange(token.start, end + 1)))
    else { return nil }
    return end
  }

  /// Returns whether a hyphenated spelling is declared; one that is not may be declared later.
  func isDeclared(_ spelling: String) -> Bool {
    if knownNames.contains(spelling) || declaredNames.contains(spelling) { return true }
    subtractions.insert(spelling)
    return false
  }

  /// Parses an expression in parentheses, which leave no trace.
  ///
  ///     parenthesized = "(" , connect , ")" ;
  func parseParenthesized() throws(SyntaxFailure) -> Expression {
    let opening = token.range
    let outer = try open(.closeParenthesis)
    let expression = try parseConnect()
    try close(.closeParenthesis, opening, outer)
    return expression
  }

  /// Parses a literal.
  ///
  ///     literal = number | negativeNumber | string | interpolatedString | character | symbol |
  ///             array | byteArray | dictionary | object | collection ;
  func parseLiteral() throws(SyntaxFailure) -> Expression {
    switch token.kind {
    case .number: return try parseNumber()
    case .operator where isNegativeNumber: return try parseNumber()
    case .string: return parseString()
    case .quotation: return try parseInterpolatedString()
    case .character: return try parseCharacter()
    case .symbol: return try parseSymbol()
    case .arrayOpening: return try parseArray()
    case .byteArrayOpening: return try parseByteArray()
    case .dictionaryOpening: return try parseDictionary()
    case .objectOpening: return .object(try parseObject())
    case .collectionOpening: return try parseCollection()
    default: throw failExpectedExpression()
    }
  }

  /// Parses a block.
  ///
  ///     block = "[" , [ blockParameters , "|" ] , statements , "]" | "[" , blockParameters , "]"
  ///           | "{" , [ blockParameters , "|" ] , statements , "}" | "{" , blockParameters , "}"
  ///           ;
  func parseBlock() throws(SyntaxFailure) -> BlockExpression {
    let opening = token.range
    let usesBraces = token.kind == .openBrace
    let closing: TokenKind = usesBraces ? .closeBrace : .closeBracket
    let outer = try open(closing)
    context.string = nil
    let parameters = token.kind == .colon ? try parseBlockParameters(until: closing) : []
    context.implicitParameters = parameters.isEmpty ? .counted(0) : .named
    let statements = try parseStatements(until: closing, opening: opening)
    warnAboutLiterals(statements, in: opening)
    let implicitCount = context.implicitCount
    context.implicitParameters = outer.implicitParameters
    try close(closing, opening, outer)
    return BlockExpression(
      parameters: parameters, implicitCount: implicitCount, statements: statements,
      usesBraces: usesBraces, range: range(from: Int(opening.start)))
  }

  /// Parses the parameters of a block and the bar behind them.
  ///
  ///     blockParameters = ":" , name , { ":" , name } ;
  func parseBlockParameters(until closing: TokenKind) throws(SyntaxFailure) -> [Name] {
    var parameters: [Name] = []
    while token.kind == .colon {
      advance()
      guard token.kind == .name || token.kind == .keyword else { throw failExpected("a name") }
      let range = SourceRange(token.start, lexer.nameEnd(from: token.start))
      let name = Name(source.text(in: range), range)
      guard !Self.reservedWords.contains(name.text) else { throw fail(reservedWord(name)) }
      parameters.append(name)
      declaredNames.insert(name.text)
      // In `:x:y` the lexer has seen the keyword `x:`; its colon is that of `:y`.
      move(to: Int(range.end))
    }
    if token.kind == closing { return parameters }
    guard token.kind == .bar || isDoubleBar else { throw failExpectedBar() }
    takeBar()
    return parameters
  }
}

extension Parser.Context {
  /// How many implicit parameters the innermost block has had so far.
  var implicitCount: Int {
    guard case .counted(let count) = implicitParameters else { return 0 }
    return count
  }
}
