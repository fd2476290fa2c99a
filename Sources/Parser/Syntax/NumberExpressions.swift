public import TenonLexer

/// An integer of any size.
///
///     integer = [ "-" ] ( digits | radix "r" digits | "0x" digits | "0b" digits )
public struct IntegerExpression: Sendable {
  /// Whether a minus sign belongs to the number.
  public let isNegative: Bool
  /// The base the digits are written in, `2 ... 36`.
  public let radix: Int
  /// The digits without underscores, letters in upper case, a decimal exponent written out.
  public let digits: String
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(isNegative: Bool, radix: Int, digits: String, range: SourceRange) {
    self.isNegative = isNegative
    self.radix = radix
    self.digits = digits
    self.range = range
  }
}

/// A floating-point number.
///
///     float = [ "-" ] digits "." digits [ "e" [ "-" ] digits ]
public struct FloatExpression: Sendable {
  /// The nearest double to what is written, the sign included.
  public let value: Double
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(value: Double, range: SourceRange) {
    self.value = value
    self.range = range
  }
}

/// A decimal fraction that is exact and prints with a fixed number of places.
///
///     scaledDecimal = [ "-" ] digits [ "." digits ] "s" [ digits ]
public struct ScaledDecimalExpression: Sendable {
  /// Whether a minus sign belongs to the number.
  public let isNegative: Bool
  /// All digits, those before and those behind the point.
  public let digits: String
  /// How many of `digits` stand behind the point.
  public let fractionCount: Int
  /// The number of places to print.
  public let scale: Int
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(
    isNegative: Bool, digits: String, fractionCount: Int, scale: Int, range: SourceRange
  ) {
    self.isNegative = isNegative
    self.digits = digits
    self.fractionCount = fractionCount
    self.scale = scale
    self.range = range
  }
}
