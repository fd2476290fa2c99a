internal import TenonLexer

extension Parser {
  /// Parses statements up to a closing bracket or the end of the text, which is not taken.
  ///
  ///     statements = { ( definition | temporaries ) , [ "." ] | [ statement ] , "." } , [
  ///                statement ] ;
  func parseStatements(
    until closing: TokenKind, opening: SourceRange? = nil, isMethodBody: Bool = false
  ) throws(SyntaxFailure) -> [Statement] {
    let outer = context
    let outerStart = statementStart
    var statements: [Statement] = []
    var tallest = 0
    while true {
      while token.kind == .period { takePeriod() }
      if token.kind == closing || token.kind == .endOfText { break }
      let isDefinition = beginsDefinition
      statementStart = token.start
      do {
        statements.append(try parseStatement())
        tallest = Swift.max(tallest, height)
        if closesOpenBracket { break }
        guard isDefinition || token.kind == .period || token.kind == .endOfText else {
          // What is wrong already is not warned about.
          throw failAfterStatement(statements.popLast(), until: closing, opening: opening)
        }
      } catch {
        recover(to: outer, endsAfterBraces: isDefinition)
        if closesOpenBracket { break }
      }
    }
    statementStart = outerStart
    warnAboutUnused(statements, isMethodBody: isMethodBody)
    height = tallest + 1
    return statements
  }

  /// Parses a statement without its full stop.
  ///
  ///     statement = definition | ? outside of all brackets ? , import | temporaries | variable |
  ///               return | connect ;
  func parseStatement() throws(SyntaxFailure) -> Statement {
    switch token.kind {
    case .name:
      if let word = definitionAhead() { return .definition(try parseDefinition(word)) }
      if isVariableAhead { return .variable(try parseVariable()) }
      if isImportAhead { return .import(try parseImport()) }
    case .caret:
      return .return(try parseReturn())
    case .bar, .operator, .connector:
      if let statement = try readTemporariesOrMethod() { return statement }
    default:
      break
    }
    return .expression(try parseConnect())
  }

  /// Parses a declaration of temporaries or a method, if one of these begins here.
  private func readTemporariesOrMethod() throws(SyntaxFailure) -> Statement? {
    if token.kind == .bar || isDoubleBar { return .temporaries(try parseTemporaries()) }
    guard isMethodAhead else { return nil }
    guard context.nesting == 0 else { throw fail(methodOutOfPlace()) }
    return .definition(.method(try parseMethodDefinition()))
  }

  /// Whether a statement begins that needs no full stop behind it.
  private var beginsDefinition: Bool {
    switch token.kind {
    case .name: definitionAhead() != nil
    case .bar, .operator, .connector: token.kind == .bar || isDoubleBar || isMethodAhead
    default: false
    }
  }

  /// Whether `import` is followed by a path.
  private var isImportAhead: Bool {
    token.end - token.start == 6 && source.text(in: token.range) == "import"
      && lexer.token(from: token.end).kind == .string
  }

  /// Parses the loading of another script.
  ///
  ///     import = "import" , string ;
  func parseImport() throws(SyntaxFailure) -> ImportStatement {
    let start = token.start
    guard context.nesting == 0 else { throw fail(importOutOfPlace()) }
    advance()
    guard case .string(let path) = try parsePrimary() else { throw failExpected("a path") }
    return ImportStatement(path: path.value, range: range(from: start))
  }

  /// Parses a return.
  ///
  ///     return = "^" , connect ;
  func parseReturn() throws(SyntaxFailure) -> ReturnStatement {
    let start = token.start
    advance()
    let value = try parseConnect()
    warnAboutBoolean(value)
    return ReturnStatement(value: value, range: range(from: start))
  }

  /// Parses a declaration of temporaries.
  ///
  ///     temporaries = "|" , { declaredName } , "|" ;
  func parseTemporaries() throws(SyntaxFailure) -> TemporariesStatement {
    let opening = SourceRange(token.start, token.start + 1)
    takeBar()
    var names: [Name] = []
    while token.kind == .name {
      names.append(try parseDeclaredName())
    }
    guard token.kind == .bar || isDoubleBar else { throw failUnclosedTemporaries(opening) }
    takeBar()
    height = 1
    return TemporariesStatement(names: names, range: range(from: Int(opening.start)))
  }

  /// Parses a declaration of one variable.
  ///
  ///     variable = "var" , [ type ] , declaredName , [ ":=" , pipe ]
  ///              | "val" , [ type ] , declaredName , ":=" , pipe ;
  func parseVariable(isMember: Bool = false) throws(SyntaxFailure) -> VariableStatement {
    let start = token.start
    let isConstant = source.text(in: token.range) == "val"
    advance()
    let type = token.kind == .name ? nil : try parseType()
    let name = try parseDeclaredName()
    height = 1
    let value = try readFirstValue(of: name, word: isConstant ? "val" : "var")
    if isConstant, value == nil, !isMember { throw fail(constantWithoutValue(name)) }
    return VariableStatement(
      isConstant: isConstant, type: type, name: name, value: value, range: range(from: start))
  }

  /// Parses what may stand behind the declaration of a variable: its first value.
  func readFirstValue(of name: Name, word: String = "var") throws(SyntaxFailure) -> Expression? {
    var value: Expression?
    if token.kind == .assignment {
      advance()
      let valueStart = operandStart
      value = try parsePipe()
      if token.kind == .connector || token.kind == .assignment {
        try checkLineBreak(from: valueStart)
      }
    }
    guard token.kind != .connector, token.kind != .assignment else {
      throw fail(connectorAfterVariable(name, word: word, value: value))
    }
    return value
  }

  /// Parses the name of what is declared, hyphens included.
  ///
  ///     declaredName = name | hyphenatedName ;
  func parseDeclaredName() throws(SyntaxFailure) -> Name {
    let name = try takeDeclaredName()
    declaredNames.insert(name.text)
    return name
  }

  /// Takes a name that is declared as soon as it is written, colon behind it or not.
  func takeDeclaredName() throws(SyntaxFailure) -> Name {
    guard token.kind == .name || token.kind == .keyword else { throw failExpected("a name") }
    let start = token.start
    var end = lexer.nameEnd(from: start)
    while lexer.byte(at: end) == UInt8(ascii: "-"), lexer.isNameStart(at: end + 1) {
      end = lexer.nameEnd(from: end + 1)
    }
    let name = Name(source.text(in: SourceRange(start, end)), SourceRange(start, end))
    guard !Parser.reservedWords.contains(name.text) else { throw fail(reservedWord(name)) }
    move(to: end)
    return name
  }

  /// The words that name one thing everywhere.
  ///
  ///     reservedWord == "self" | "super" | "nil" | "true" | "false" | "thisContext" ;
  static let reservedWords: Set<String> = ["self", "super", "nil", "true", "false", "thisContext"]

  // MARK: Bars

  /// Whether `||` is looked at.
  var isDoubleBar: Bool {
    token.kind == .operator && token.end - token.start == 2 && firstByte == UInt8(ascii: "|")
      && lexer.byte(at: token.start + 1) == UInt8(ascii: "|")
  }

  /// Takes a bar, the first of two if there are two.
  func takeBar() {
    move(to: token.start + 1)
  }

  // MARK: Looking ahead

  /// Whether `var` or `val` begins a declaration and is no variable of that name.
  var isVariableAhead: Bool {
    guard token.end - token.start == 3,
      ["var", "val"].contains(source.text(in: token.range))
    else { return false }
    let next = lexer.token(from: token.end)
    return next.kind == .name || typeEnd(at: next).map { lexer.token(from: $0).kind } == .name
  }

  /// Returns the offset behind the type that a token begins; nil if it begins none.
  func typeEnd(at token: Token) -> Int? {
    guard lexer.byte(at: token.start) == UInt8(ascii: "<") else { return nil }
    let name = lexer.token(from: token.start + 1)
    guard name.kind == .name else { return nil }
    let end = lexer.token(from: name.end)
    return lexer.byte(at: end.start) == UInt8(ascii: ">") ? end.start + 1 : nil
  }

  // MARK: Ends

  func isClosing(_ kind: TokenKind) -> Bool {
    kind == .closeParenthesis || kind == .closeBracket || kind == .closeBrace
      || kind == .endOfText
  }

  /// Whether the token closes a bracket that is open, or all of them.
  var closesOpenBracket: Bool {
    switch token.kind {
    case .closeParenthesis: context.openParentheses > 0
    case .closeBracket: context.openBrackets > 0
    case .closeBrace: context.openBraces > 0
    default: token.kind == .endOfText
    }
  }

  /// Takes a full stop.
  func takePeriod() {
    if lexer.isNameContinue(at: token.end) { report(missingBlankAfterPeriod()) }
    advance()
  }
}
