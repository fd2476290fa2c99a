internal import TenonLexer

extension Parser {
  /// Parses what is assigned to a place, and to the places behind it.
  ///
  /// Assignments nest to the right: they are collected and put together from the last.
  ///
  ///     assignment = place , ( ":=" | "←" ) , connect ;
  func parseAssignment(
    to first: Expression, from start: Int
  ) throws(SyntaxFailure) -> Expression {
    var targets = [(place: first, start: start)]
    var tallest = height
    try checkPlace(first, from: start)
    recordDeclaration(first)
    advance()
    var valueStart = operandStart
    var value = try parsePipe()
    while token.kind == .assignment {
      try checkPlace(value, from: valueStart)
      recordDeclaration(value)
      targets.append((value, valueStart))
      tallest = Swift.max(tallest, height)
      advance()
      valueStart = operandStart
      value = try parsePipe()
    }
    if token.kind == .connector { value = try parseConnection(of: value, from: valueStart) }
    warnAboutBoolean(value)
    height = Swift.max(tallest, height) + targets.count
    try checkHeight()
    for target in targets.reversed() {
      value = .assignment(
        AssignmentExpression(
          target: target.place, value: value, range: range(from: target.start)))
    }
    return value
  }

  /// Parses what is joined by a connector, the same all along.
  ///
  ///     connection = pipe , connector , pipe , { ? the same connector ? , pipe } | flow ;
  func parseConnection(
    of first: Expression, from start: Int
  ) throws(SyntaxFailure) -> Expression {
    let connector = connectorHere
    let rule = Connector.named(connector.text)
    try checkLeftSide(first, from: start, rule)
    if connector.text == "+=" { return try parseAppend(to: first, from: start) }
    var operands = [first]
    var tallest = height
    while token.kind == .connector {
      guard connectorHere.text == connector.text else { throw fail(mixedConnectors(connector)) }
      if rule?.allowsLiterals == false { try checkFlow(operands[operands.count - 1]) }
      advance()
      let operandStart = operandStart
      operands.append(try parsePipe())
      tallest = Swift.max(tallest, height)
      try checkConnectionGoesOn(connector, from: operandStart, rule)
    }
    if rule?.allowsLiterals == false { try checkFlow(operands[operands.count - 1]) }
    height = tallest + 1
    try checkHeight()
    return .connect(
      ConnectExpression(
        connector: connector, operands: operands,
        isOwn: ownConnectors.contains(connector.text),
        range: range(from: start)))
  }

  /// Checks what stands behind an operand of a connection.
  private func checkConnectionGoesOn(
    _ connector: Name, from start: Int, _ rule: Connector?
  ) throws(SyntaxFailure) {
    switch token.kind {
    case .connector where connectorHere.text == connector.text:
      if case .target = rule?.left { try checkLineBreak(from: start) }
    case .connector:
      try checkLineBreak(from: start)
    case .assignment:
      try checkLineBreak(from: start)
      throw fail(assignmentInConnection(connector))
    default:
      break
    }
  }

  /// Parses what is added to a place.
  ///
  ///     append = place , "+=" , pipe ;
  func parseAppend(
    to place: Expression, from start: Int
  ) throws(SyntaxFailure) -> Expression {
    let connector = connectorHere
    let placeHeight = height
    advance()
    let valueStart = operandStart
    let value = try parsePipe()
    if token.kind == .connector || token.kind == .assignment {
      try checkLineBreak(from: valueStart)
    }
    guard token.kind != .connector else {
      throw fail(
        connectorHere.text == "+=" ? repeatedAppend(connector) : mixedConnectors(connector))
    }
    guard token.kind != .assignment else { throw fail(assignmentInConnection(connector)) }
    height = Swift.max(height, placeHeight) + 1
    try checkHeight()
    return .append(AppendExpression(target: place, value: value, range: range(from: start)))
  }

  /// The connector that is looked at, in its ASCII spelling.
  ///
  ///     connector = "|=" | "=|=" | ">=|" | "<=|" | ? defined connector ? ;
  var connectorHere: Name {
    let name = tokenName()
    guard let spelling = Connector.otherSpellings[name.text] else { return name }
    return Name(spelling, name.range)
  }

  // MARK: Checks

  /// Checks the left side of a connector; words that begin a line before it are a statement of
  /// their own that the full stop before is missing of.
  private func checkLeftSide(
    _ left: Expression, from start: Int, _ connector: Connector?
  ) throws(SyntaxFailure) {
    switch connector?.left {
    case .place: try checkPlace(left, from: start)
    case .target: try checkLineBreak(from: start)
    case .source, nil: break
    }
  }

  /// Checks that what stands before `:=` or `+=` is a place.
  ///
  ///     place = ( name | hyphenatedName | identifier | reference | operand , ? no lone block ? ,
  ///           subscript | "self" , selector ) , { selector } ;
  func checkPlace(_ place: Expression, from start: Int) throws(SyntaxFailure) {
    try checkLineBreak(from: start)
    guard !place.isPlace else { return }
    throw fail(notAPlace(place))
  }

  /// Checks that a place of several words stands on one line.
  func checkLineBreak(from start: Int) throws(SyntaxFailure) {
    guard let words = wordsAtLineStart, words.start > start else { return }
    if lexer.byte(at: start) == UInt8(ascii: "\""), lexer.byte(at: words.lineBreak - 1) == 0x22 {
      throw fail(stringAsComment(SourceRange(start, words.lineBreak)))
    }
    throw fail(missingPeriod(at: words.lineBreak))
  }

  /// Checks that things can flow through an operand.
  ///
  ///     flow = source , ( "->" | "→" ) , source , { "->" , source } ;
  ///     source = ? no lone literal ? , pipe ;
  private func checkFlow(_ operand: Expression) throws(SyntaxFailure) {
    switch operand {
    case .integer, .float, .scaledDecimal, .character, .symbol, .string, .interpolatedString:
      throw fail(literalInFlow(operand))
    default:
      break
    }
  }

  /// Keeps the name that an assignment declares.
  private func recordDeclaration(_ place: Expression) {
    guard case .name(let expression) = place else { return }
    declaredNames.insert(expression.name.text)
  }
}

extension Expression {
  /// Whether it can be assigned.
  var isPlace: Bool {
    var root = self
    var selectorCount = 0
    while case .unaryMessage(let message) = root {
      root = message.receiver
      selectorCount += 1
    }
    switch root {
    case .identifier, .reference, .subscript: return true
    case .name(let expression):
      let word = expression.name.text
      return !Parser.reservedWords.contains(word) || word == "self" && selectorCount > 0
    default: return false
    }
  }
}
