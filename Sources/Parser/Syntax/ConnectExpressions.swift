public import TenonLexer

/// An assignment.
///
///     assignment = place ":=" connect
public struct AssignmentExpression: Sendable {
  /// The place: a name, an identifier, a reference, a subscript, or unary messages to one of these
  /// or to self.
  public let target: Expression
  /// What is assigned.
  public let value: Expression
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(target: Expression, value: Expression, range: SourceRange) {
    self.target = target
    self.value = value
    self.range = range
  }
}

/// An addition to what a place holds.
///
///     append = place "+=" pipe
public struct AppendExpression: Sendable {
  /// The place.
  public let target: Expression
  /// What is added.
  public let value: Expression
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(target: Expression, value: Expression, range: SourceRange) {
    self.target = target
    self.value = value
    self.range = range
  }
}

/// A connection.
///
///     connect = pipe { connector pipe }
public struct ConnectExpression: Sendable {
  /// The connector in its ASCII spelling, the same all along.
  public let connector: Name
  /// What it joins, at least two.
  public let operands: [Expression]
  /// Whether it is one of the signs of every program to which this one has given a meaning of its
  /// own before.
  public let isOwn: Bool
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(
    connector: Name, operands: [Expression], isOwn: Bool = false, range: SourceRange
  ) {
    self.connector = connector
    self.operands = operands
    self.isOwn = isOwn
    self.range = range
  }
}
