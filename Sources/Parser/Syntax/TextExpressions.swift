public import TenonLexer

/// A string without interpolation.
///
///     string = "'" { character | "''" } "'"
public struct StringExpression: Sendable {
  /// What the literal stands for.
  public let value: String
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(value: String, range: SourceRange) {
    self.value = value
    self.range = range
  }
}

/// A string in double quotes, made when it is evaluated.
///
///     interpolatedString = '"' { character | escape | "{" connect "}" } '"'
public struct InterpolatedStringExpression: Sendable {
  /// Text and expressions in turn.
  public let parts: [InterpolatedStringPart]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(parts: [InterpolatedStringPart], range: SourceRange) {
    self.parts = parts
    self.range = range
  }
}

/// A character.
///
///     character = "$" any
public struct CharacterExpression: Sendable {
  /// The character.
  public let value: Unicode.Scalar
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(value: Unicode.Scalar, range: SourceRange) {
    self.value = value
    self.range = range
  }
}

/// A symbol.
///
///     symbol = "#" ( name | { keyword } | operator | string )
public struct SymbolExpression: Sendable {
  /// The symbol's text without `#` and quotes.
  public let value: String
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(value: String, range: SourceRange) {
    self.value = value
    self.range = range
  }
}

/// A piece of a string in double quotes.
public enum InterpolatedStringPart: Sendable {
  case text(String)
  case expression(Expression)
}
