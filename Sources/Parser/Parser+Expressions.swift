internal import TenonLexer

extension Parser {
  /// Parses an expression of any level.
  ///
  ///     connect = assignment | append | connection | pipe ;
  func parseConnect() throws(SyntaxFailure) -> Expression {
    let start = operandStart
    let first = try parsePipe()
    switch token.kind {
    case .assignment: return try parseAssignment(to: first, from: start)
    case .connector: return try parseConnection(of: first, from: start)
    default: return first
    }
  }

  /// Parses messages, bars and cascades.
  ///
  ///     pipe = operand , [ messages ] , { pipeSegment } | operand , ( selector | messages ) ,
  ///          cascade , { pipeSegment } ;
  func parsePipe() throws(SyntaxFailure) -> Expression {
    let start = operandStart
    wordsAtLineStart = nil
    var result = try parseOperand()
    if token.kind == .operator || token.kind == .comma || token.kind == .keyword {
      result = try parseMessages(to: result, from: start)
    }
    if token.kind == .bar || token.kind == .semicolon {
      result = try readPipeTail(of: result, from: start)
    }
    return result
  }

  /// Where the operand begins that is parsed next.
  var operandStart: Int { pending?.start ?? token.start }

  /// Parses a primary with the unary messages and subscripts behind it.
  ///
  ///     operand = primary , { selector | subscript } ;
  func parseOperand() throws(SyntaxFailure) -> Expression {
    let start = operandStart
    let primary = try parsePrimary()
    wordsAtLineStart = nil
    return try readUnaryMessages(to: primary, from: start)
  }

  /// Parses unary messages and subscripts, if there are any.
  func readUnaryMessages(
    to receiver: Expression, from start: Int
  ) throws(SyntaxFailure) -> Expression {
    var result = receiver
    while true {
      if token.followsComment { warnAboutDivisionComment() }
      if token.kind == .name {
        let selector = try takeSelector()
        result = .unaryMessage(
          UnaryMessageExpression(receiver: result, selector: selector, range: range(from: start)))
        height += 1
        try checkHeight()
      } else if token.kind == .openBracket, !token.followsBlank {
        result = try parseSubscript(of: result, from: start)
      } else {
        break
      }
    }
    return result
  }

  /// Parses a subscript or a query.
  ///
  ///     subscript = ? no blank ? , "[" , ? no list of numbers ? , connect , "]" ;
  func parseSubscript(
    of receiver: Expression, from start: Int
  ) throws(SyntaxFailure) -> Expression {
    let receiverHeight = height
    let words = wordsAtLineStart
    let opening = token.range
    let outer = try open(.closeBracket)
    let index = try parseConnect()
    try checkIndex(index)
    try close(.closeBracket, opening, outer)
    wordsAtLineStart = words
    height = Swift.max(height, receiverHeight) + 1
    try checkHeight()
    if case .block(let block) = index {
      return .query(QueryExpression(receiver: receiver, block: block, range: range(from: start)))
    }
    return .subscript(
      SubscriptExpression(receiver: receiver, index: index, range: range(from: start)))
  }

  /// Takes a unary selector.
  ///
  ///     selector == name ;
  func takeSelector() throws(SyntaxFailure) -> Name {
    if token.beginsLine {
      selectorsAtLineStart.append(token.range)
      wordsAtLineStart = WordsAtLineStart(lineBreak: previousEnd, start: token.start)
    }
    let name = tokenName()
    switch name.text {
    case "self", "super", "nil", "true", "false", "thisContext":
      throw failAfterExpression("'.'")
    default:
      advance()
      return name
    }
  }

  // MARK: Binary and keyword messages

  /// Parses binary messages and a keyword message, if there are any.
  ///
  ///     messages = binaryMessage , { binaryMessage } , [ keywordMessage ] | keywordMessage ;
  func parseMessages(
    to receiver: Expression, from start: Int
  ) throws(SyntaxFailure) -> Expression {
    let result = try readBinaryMessages(to: receiver, from: start)
    guard token.kind == .keyword else { return result }
    return try parseKeywordMessage(to: result, from: start)
  }

  /// Whether the token is an operator where it stands.
  private var isOperator: Bool {
    token.kind == .operator || token.kind == .comma && context.comma == .concatenates
  }

  /// Parses binary messages, if there are any.
  func readBinaryMessages(
    to receiver: Expression, from start: Int
  ) throws(SyntaxFailure) -> Expression {
    var result = receiver
    while isOperator {
      result = try parseBinaryMessage(to: result, from: start)
    }
    return result
  }

  /// Parses an operator and its argument.
  ///
  ///     binaryMessage = operator , operand ;
  private func parseBinaryMessage(
    to receiver: Expression, from start: Int
  ) throws(SyntaxFailure) -> Expression {
    let receiverHeight = height
    let selector = takeOperator()
    wordsAtLineStart = nil
    let argument = try parseOperand()
    height = Swift.max(height, receiverHeight) + 1
    try checkHeight()
    warnAboutIdentity(receiver, selector, argument)
    return .binaryMessage(
      BinaryMessageExpression(
        receiver: receiver, selector: selector, argument: argument, range: range(from: start)))
  }

  /// Takes an operator in its ASCII spelling.
  func takeOperator() -> Name {
    if context.comma == .separatesElements, isNegativeNumber, token.followsBlank {
      report(subtractionInArray())
    }
    let name = takeName()
    guard let spelling = Connector.otherSpellings[name.text] else { return name }
    return Name(spelling, name.range)
  }

  /// Parses a keyword message.
  ///
  ///     keywordMessage = keyword , argument , { keyword , argument } ;
  func parseKeywordMessage(
    to receiver: Expression, from start: Int
  ) throws(SyntaxFailure) -> Expression {
    let receiverHeight = height
    if context.comma == .separatesEntries { warnAboutMissingComma(after: receiver) }
    let (keywords, arguments) = try readKeywords()
    height = Swift.max(height, receiverHeight) + 1
    try checkHeight()
    warnAboutDigit(keywords, arguments)
    return .keywordMessage(
      KeywordMessageExpression(
        receiver: receiver, keywords: keywords, arguments: arguments, range: range(from: start)))
  }

  /// Parses keywords with their arguments; the height is that of the highest argument.
  func readKeywords() throws(SyntaxFailure) -> (keywords: [Name], arguments: [Expression]) {
    var tallest = 0
    var words = schemeAtLineStart
    var keywords: [Name] = []
    var arguments: [Expression] = []
    while token.kind == .keyword {
      keywords.append(takeName())
      arguments.append(try parseArgument())
      tallest = Swift.max(tallest, height)
      if keywords.count > 1 { words = nil }
    }
    wordsAtLineStart = wordsAtLineStart ?? words
    height = tallest
    return (keywords, arguments)
  }

  /// The keyword that is looked at, if it looks like an identifier on a line of its own.
  private var schemeAtLineStart: WordsAtLineStart? {
    guard token.beginsLine, lexer.blankLength(at: token.end) == 0 else { return nil }
    return WordsAtLineStart(lineBreak: previousEnd, start: token.start)
  }

  /// Parses the argument of a keyword.
  ///
  ///     argument = operand , { binaryMessage } ;
  func parseArgument() throws(SyntaxFailure) -> Expression {
    let start = operandStart
    let operand = try parseOperand()
    guard isOperator else { return operand }
    return try readBinaryMessages(to: operand, from: start)
  }
}
