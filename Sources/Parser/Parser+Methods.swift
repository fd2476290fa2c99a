internal import TenonLexer

extension Parser {
  /// Whether a `+` or `-` is looked at, which begins a method where members stand.
  var beginsMethod: Bool {
    guard token.kind == .operator || token.kind == .connector else { return false }
    return firstByte == UInt8(ascii: "-") || firstByte == UInt8(ascii: "+")
  }

  /// Whether a method begins, where an expression could as well: its header is there, and a brace.
  var isMethodAhead: Bool {
    guard beginsMethod, !isNegativeNumber else { return false }
    var next = lexer.token(from: token.start + 1)
    if let end = typeEnd(at: next) { next = lexer.token(from: end) }
    switch next.kind {
    case .name:
      return lexer.token(from: next.end).kind == .openBrace
    case .keyword:
      while next.kind == .keyword {
        guard let end = parameterEnd(from: next.end) else { return false }
        next = lexer.token(from: end)
      }
      return next.kind == .openBrace
    case .operator, .comma, .connector:
      guard let end = parameterEnd(from: next.end) else { return false }
      return lexer.token(from: end).kind == .openBrace
    default:
      return false
    }
  }

  private func parameterEnd(from offset: Int) -> Int? {
    var name = lexer.token(from: offset)
    if let end = typeEnd(at: name) { name = lexer.token(from: end) }
    return name.kind == .name ? name.end : nil
  }

  /// Parses a method.
  ///
  ///     methodDefinition = ( "-" | "+" ) , methodHeader , body ;
  func parseMethodDefinition() throws(SyntaxFailure) -> MethodDefinition {
    let start = token.start
    guard beginsMethod else { throw failExpected("'-' and a method") }
    let isClassMethod = takeMethodSign()
    let header = try parseMethodHeader()
    let statements = try parseBody()
    return MethodDefinition(
      isClassMethod: isClassMethod, header: header, statements: statements,
      range: range(from: start))
  }

  /// Takes the sign of a method, whatever operator characters follow it.
  ///
  /// - Returns: Whether it is that of a method of the class itself.
  func takeMethodSign() -> Bool {
    let isClassMethod = firstByte == UInt8(ascii: "+")
    move(to: token.start + 1)
    return isClassMethod
  }

  /// Parses statements in braces that are no block.
  ///
  /// `isMethodBody`: whether the value of its last statement is of no use.
  ///
  ///     body = "{" , statements , "}" ;
  func parseBody(isMethodBody: Bool = true) throws(SyntaxFailure) -> [Statement] {
    let opening = token.range
    guard token.kind == .openBrace else { throw failExpected("'{'") }
    let outer = try open(.closeBrace)
    context.implicitParameters = .outside
    context.string = nil
    let statements = try parseStatements(
      until: .closeBrace, opening: opening, isMethodBody: isMethodBody)
    context.implicitParameters = outer.implicitParameters
    try close(.closeBrace, opening, outer)
    return statements
  }

  /// Parses what a method is called and what it takes.
  ///
  ///     methodHeader = [ type ] , ( selector | operator , parameter | keyword , parameter , {
  ///                  keyword , parameter } ) ;
  func parseMethodHeader(
    endsWithLine: Bool = false
  ) throws(SyntaxFailure) -> MethodHeader {
    let start = token.start
    let type = typeEnd(at: token) == nil ? nil : try parseType()
    var parts: [Name] = []
    var parameters: [Parameter] = []
    switch token.kind {
    case .name:
      parts.append(takeName())
    case .operator, .comma:
      parts.append(takeOperator())
      parameters.append(try parseParameter())
    case .keyword:
      while token.kind == .keyword, !(endsWithLine && token.beginsLine && !parts.isEmpty) {
        parts.append(takeName())
        parameters.append(try parseParameter())
      }
    case .connector:
      throw fail(connectorAsSelector())
    default:
      throw failExpected("the name of a method")
    }
    height = 1
    return MethodHeader(
      resultType: type, selectorParts: parts, parameters: parameters, range: range(from: start))
  }

  /// Parses a parameter of a method.
  ///
  ///     parameter = [ type ] , name ;
  func parseParameter() throws(SyntaxFailure) -> Parameter {
    let start = token.start
    let type = firstByte == UInt8(ascii: "<") ? try parseType() : nil
    guard token.kind == .name else { throw failExpected("a parameter") }
    let name = takeName()
    guard !Self.reservedWords.contains(name.text) else { throw fail(reservedWord(name)) }
    declaredNames.insert(name.text)
    return Parameter(type: type, name: name, range: range(from: start))
  }

  /// Parses a type.
  ///
  ///     type = "<" , name , ">" ;
  func parseType() throws(SyntaxFailure) -> Name {
    guard firstByte == UInt8(ascii: "<") else { throw failExpected("'<' and a class") }
    move(to: token.start + 1)
    guard token.kind == .name else { throw failExpected("a class") }
    let name = takeName()
    guard firstByte == UInt8(ascii: ">") else { throw failExpected("'>'") }
    move(to: token.start + 1)
    return name
  }

  /// Parses the signature of a script, if it begins with one; it stands on one line.
  ///
  ///     signature = "#-" , [ type ] , ( selector | keyword , parameter , { keyword , parameter }
  ///               ) , ( ? line break ? | "." ) ;
  func parseSignature() throws(SyntaxFailure) -> ScriptSignature? {
    let start = token.start
    guard firstByte == UInt8(ascii: "#"), lexer.byte(at: start + 1) == UInt8(ascii: "-") else {
      return nil
    }
    let next = lexer.token(from: start + 2)
    guard next.kind == .name || next.kind == .keyword || typeEnd(at: next) != nil else {
      return nil
    }
    move(to: start + 2)
    let header = try parseMethodHeader(endsWithLine: true)
    guard header.parameters.isEmpty || header.selectorParts[0].text.hasSuffix(":") else {
      throw fail(operatorInSignature(header.range))
    }
    let isEnded = token.beginsLine || token.kind == .period || token.kind == .endOfText
    guard isEnded else { throw failExpected("the end of the line") }
    return ScriptSignature(header: header, range: range(from: start))
  }

  // MARK: Property paths

  /// Parses the handlers for the references of one form.
  ///
  ///     propertyPath = pattern , "{" , { handler , [ "." ] } , "}" ;
  func parsePropertyPath() throws(SyntaxFailure) -> PropertyPathDefinition {
    let start = token.start
    let pattern = try parsePattern()
    let handlers = try readBraced { parser throws(SyntaxFailure) in try parser.parseHandler() }
    return PropertyPathDefinition(
      pattern: pattern, handlers: handlers, range: range(from: start))
  }

  /// Parses the pattern of a property path.
  ///
  ///     pattern == "/" , [ { patternComponent , "/" } , ( patternComponent | rest ) ] ;
  func parsePattern() throws(SyntaxFailure) -> [PatternComponent] {
    var pattern: [PatternComponent] = []
    var offset = token.start
    while lexer.byte(at: offset) == UInt8(ascii: "/") {
      offset += 1
      let component = try parsePatternComponent(at: &offset)
      if case .rest = pattern.last { throw fail(patternBehindRest(offset)) }
      guard let component else {
        guard pattern.isEmpty else { throw fail(emptyPattern(offset)) }
        break
      }
      pattern.append(component)
    }
    move(to: offset)
    return pattern
  }

  /// Parses a component of a pattern; nil when nothing stands here.
  ///
  ///     patternComponent == ":" , name , [ "<int>" ] | ? path characters ? ;
  ///     rest == "*" , [ ":" , name ] ;
  private func parsePatternComponent(
    at offset: inout Int
  ) throws(SyntaxFailure) -> PatternComponent? {
    switch lexer.byte(at: offset) {
    case UInt8(ascii: ":"):
      let name = try patternName(at: &offset)
      guard lexer.byte(at: offset) == UInt8(ascii: "<") else { return .parameter(name) }
      guard "<int>".utf8.enumerated().allSatisfy({ lexer.byte(at: offset + $0) == $1 }) else {
        throw fail(noPatternType(offset))
      }
      offset += "<int>".utf8.count
      return .integer(name)
    case UInt8(ascii: "*"):
      offset += 1
      let hasName = lexer.byte(at: offset) == UInt8(ascii: ":")
      return .rest(hasName ? try patternName(at: &offset) : nil)
    default:
      let start = offset
      var openParentheses = 0
      offset = lexer.pathTextEnd(
        from: start, in: .component, openParentheses: &openParentheses)
      let range = SourceRange(start, offset)
      return offset > start ? .literal(Name(source.text(in: range), range)) : nil
    }
  }

  private func patternName(at offset: inout Int) throws(SyntaxFailure) -> Name {
    let range = SourceRange(offset + 1, lexer.nameEnd(from: offset + 1))
    offset = Int(range.end)
    let name = Name(source.text(in: range), range)
    guard range.end > range.start else { throw fail(noPatternName(offset)) }
    guard !Self.reservedWords.contains(name.text) else { throw fail(reservedWord(name)) }
    declaredNames.insert(name.text)
    return name
  }

  /// Parses what is done for one verb.
  ///
  ///     handler = ( "get" | "put" | "post" | "delete" | "|=" | "=|" ) , body ;
  func parseHandler() throws(SyntaxFailure) -> PropertyHandler {
    let start = token.start
    let verb: PropertyVerb
    if let sign = signVerb {
      verb = sign
      move(to: token.start + 2)
    } else {
      guard token.kind == .name, let word = PropertyVerb(rawValue: tokenName().text) else {
        throw failExpected("'get', 'put', 'post' or 'delete'")
      }
      verb = word
      advance()
    }
    // What is said last is what the handler answers.
    let statements = try parseBody(isMethodBody: false)
    return PropertyHandler(verb: verb, statements: statements, range: range(from: start))
  }

  /// The verb that `|=` or `=|` stands for; `=|` is no token elsewhere.
  private var signVerb: PropertyVerb? {
    let second = lexer.byte(at: token.start + 1)
    let isBehind = lexer.operatorRun(at: token.start).end == Int32(clamping: token.start + 2)
    guard isBehind else { return nil }
    if firstByte == UInt8(ascii: "|"), second == UInt8(ascii: "=") { return .get }
    if firstByte == UInt8(ascii: "="), second == UInt8(ascii: "|") { return .put }
    return nil
  }
}
