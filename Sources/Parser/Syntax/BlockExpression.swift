public import TenonLexer

/// A block closure.
///
///     block = "[" { ":" name } [ "|" ] { statement "." } "]"      // or in braces
public struct BlockExpression: Sendable {
  /// The named parameters.
  public let parameters: [Name]
  /// One more than the highest `$n` of this block itself, 0 when it has none.
  public let implicitCount: Int
  /// The body.
  public let statements: [Statement]
  /// Whether it is written in braces.
  public let usesBraces: Bool
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(
    parameters: [Name], implicitCount: Int, statements: [Statement], usesBraces: Bool,
    range: SourceRange
  ) {
    self.parameters = parameters
    self.implicitCount = implicitCount
    self.statements = statements
    self.usesBraces = usesBraces
    self.range = range
  }
}
