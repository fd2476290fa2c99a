public import TenonLexer

/// A unary message.
///
///     unaryMessage = primary { selector }
public struct UnaryMessageExpression: Sendable {
  /// The receiver.
  public let receiver: Expression
  /// The selector.
  public let selector: Name
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(receiver: Expression, selector: Name, range: SourceRange) {
    self.receiver = receiver
    self.selector = selector
    self.range = range
  }
}

/// A binary message.
///
///     binaryMessage = operand { operator operand }
public struct BinaryMessageExpression: Sendable {
  /// The receiver.
  public let receiver: Expression
  /// The operator, in its ASCII spelling.
  public let selector: Name
  /// The argument.
  public let argument: Expression
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(receiver: Expression, selector: Name, argument: Expression, range: SourceRange) {
    self.receiver = receiver
    self.selector = selector
    self.argument = argument
    self.range = range
  }
}

/// A keyword message.
///
///     keywordMessage = operand { keyword operand }
public struct KeywordMessageExpression: Sendable {
  /// The receiver.
  public let receiver: Expression
  /// The keywords, each with its colon.
  public let keywords: [Name]
  /// An argument for each keyword.
  public let arguments: [Expression]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(
    receiver: Expression, keywords: [Name], arguments: [Expression], range: SourceRange
  ) {
    self.receiver = receiver
    self.keywords = keywords
    self.arguments = arguments
    self.range = range
  }
}

/// What stands before a bar, as the receiver of the message behind it.
///
/// `a + b | rounded` is the unary message `rounded` whose receiver is a pipe holding `a + b`; it
/// means the same as `(a + b) rounded`.
///
///     pipe = primary tail { "|" tail | ";" message }
public struct PipeExpression: Sendable {
  /// All that stands before the bar.
  public let input: Expression
  /// Where it stands, the bar excluded.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(input: Expression, range: SourceRange) {
    self.input = input
    self.range = range
  }
}

/// Several messages to one receiver.
///
///     cascade = message { ";" message }
public struct CascadeExpression: Sendable {
  /// The receiver of every message.
  public let receiver: Expression
  /// The messages, at least two; the value is that of the last.
  public let messages: [Message]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(receiver: Expression, messages: [Message], range: SourceRange) {
    self.receiver = receiver
    self.messages = messages
    self.range = range
  }
}

/// A subscript: `at:`, or `at:put:` when assigned.
///
///     subscript = operand "[" connect "]"
public struct SubscriptExpression: Sendable {
  /// The collection.
  public let receiver: Expression
  /// The index or key.
  public let index: Expression
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(receiver: Expression, index: Expression, range: SourceRange) {
    self.receiver = receiver
    self.index = index
    self.range = range
  }
}

/// A selection by a block in which bare names are properties of the element.
///
///     query = operand "[" block "]"
public struct QueryExpression: Sendable {
  /// The collection.
  public let receiver: Expression
  /// The condition.
  public let block: BlockExpression
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(receiver: Expression, block: BlockExpression, range: SourceRange) {
    self.receiver = receiver
    self.block = block
    self.range = range
  }
}

/// A message without its receiver.
public enum Message: Sendable {
  case unary(Name)
  case binary(Name, Expression)
  case keyword([Name], [Expression])
}
