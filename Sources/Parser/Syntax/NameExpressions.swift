public import TenonLexer

/// A name: a variable, a class, or one of `self super nil true false thisContext`.
public struct NameExpression: Sendable {
  /// The name as written, hyphens included.
  public let name: Name
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(name: Name, range: SourceRange) {
    self.name = name
    self.range = range
  }
}

/// An implicit block parameter.
///
///     implicitParameter = "$" ( "0" | "1" | "2" | "3" )
public struct ImplicitParameterExpression: Sendable {
  /// Which one, `0 ... 3`.
  public let index: Int
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(index: Int, range: SourceRange) {
    self.index = index
    self.range = range
  }
}
