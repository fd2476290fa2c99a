internal import TenonLexer

extension Parser {
  /// Parses what follows a bar or a semicolon, as often as there is one.
  func readPipeTail(
    of first: Expression, from start: Int
  ) throws(SyntaxFailure) -> Expression {
    var result = first
    while true {
      wordsAtLineStart = nil
      switch token.kind {
      case .bar: result = try parsePipeSegment(of: result, from: start)
      case .semicolon: result = try parseCascade(of: result, from: start)
      default: return result
      }
    }
  }

  /// Parses a bar and the messages to all that stands before it.
  ///
  ///     pipeSegment = "|" , ( selector , { selector | subscript } , [ messages ] | messages ) |
  ///                 "|" , [ selector , { selector | subscript } ] , ( selector | messages ) ,
  ///                 cascade ;
  func parsePipeSegment(
    of input: Expression, from start: Int
  ) throws(SyntaxFailure) -> Expression {
    let pipe = Expression.pipe(PipeExpression(input: input, range: range(from: start)))
    height += 1
    advance()
    guard beginsMessage else { throw failExpectedMessage(after: "|") }
    let result = try readUnaryMessages(to: pipe, from: start)
    return try parseMessages(to: result, from: start)
  }

  /// Whether a message begins where an operand has ended.
  private var beginsMessage: Bool {
    switch token.kind {
    case .name, .keyword, .operator: true
    case .comma: context.comma == .concatenates
    default: false
    }
  }

  /// Parses semicolons, each with one more message to the receiver of the last message.
  ///
  ///     cascade = ";" , message , { ";" , message } ;
  func parseCascade(
    of last: Expression, from start: Int
  ) throws(SyntaxFailure) -> Expression {
    guard let (receiver, first) = last.split else { throw fail(nothingToCascade()) }
    var tallest = height
    var messages = [first]
    while token.kind == .semicolon {
      advance()
      messages.append(try parseMessage())
      tallest = Swift.max(tallest, height + 1)
    }
    height = tallest
    try checkHeight()
    return .cascade(
      CascadeExpression(receiver: receiver, messages: messages, range: range(from: start)))
  }

  /// Parses one message; the height is that of its highest argument.
  ///
  ///     message = selector | binaryMessage | keywordMessage ;
  func parseMessage() throws(SyntaxFailure) -> Message {
    guard beginsMessage else { throw failExpectedMessage(after: ";") }
    let message: Message
    height = 0
    switch token.kind {
    case .name:
      message = .unary(try takeSelector())
    case .keyword:
      let (keywords, arguments) = try readKeywords()
      message = .keyword(keywords, arguments)
    default:
      let selector = takeOperator()
      message = .binary(selector, try parseOperand())
    }
    guard !beginsMessage else { throw fail(moreThanOneMessage()) }
    return message
  }
}

extension Expression {
  /// A message with its receiver apart; nil if the expression is none.
  fileprivate var split: (Expression, Message)? {
    switch self {
    case .unaryMessage(let sent): (sent.receiver, .unary(sent.selector))
    case .binaryMessage(let sent): (sent.receiver, .binary(sent.selector, sent.argument))
    case .keywordMessage(let sent): (sent.receiver, .keyword(sent.keywords, sent.arguments))
    default: nil
    }
  }
}
