/// A decimal number as it is written, taken apart: the one reader of numbers that the formats share.
///
/// JSON, tables, property lists, databases and `asNumber` differ in the forms that they allow, not in
/// what a form stands for. Radixes, scales and separators of digits are the language's own and are
/// read by the parser.
public struct DecimalText {
  /// The forms that a reader allows.
  public enum Grammar {
    /// JSON's, RFC 8259: digits without needless zeros, and after a point more digits; no plus sign.
    /// `[ "-" ] , ( "0" | nonZero , { digit } ) , [ "." , digits ] , [ ( "e" | "E" ) , [ "+" | "-" ] , digits ]`
    case json
    /// The same with zeros before it, as the language and most programs write numbers.
    /// `[ "+" | "-" ] , digits , [ "." , digits ] , [ exponent ]`
    case plain
    /// What C, Python and property lists read: digits on one side of the point are enough.
    /// `[ "+" | "-" ] , ( digits , [ "." , { digit } ] | "." , digits ) , [ exponent ]`
    case real
  }

  /// Why a text is no number, and the offset where that shows.
  public enum Failure: Error {
    /// Nothing that begins a number.
    case noNumber(Int)
    /// A zero before other digits.
    case leadingZero(Int)
    /// Something else than a digit, behind a point or the letter of an exponent.
    case noDigit(Int)
  }

  /// Whether a minus sign stands before it.
  public let isNegative: Bool
  /// The offsets of the digits before the point.
  public let whole: Range<Int>
  /// The offsets of the digits behind the point; nil without a point.
  public let fraction: Range<Int>?
  /// The exponent, which is between -2^40 and 2^40; nil without one.
  public let exponent: Int?
  /// The offset behind the number.
  public let end: Int

  /// Whether it is written as a float: with a point, or a negative exponent.
  public var isFloat: Bool { fraction != nil || exponent.map { $0 < 0 } ?? false }

  /// Whether its exponent has a sign, which programs write and hardly anybody else.
  public let hasSignedExponent: Bool

  /// Reads the number at an offset, as far as it goes.
  ///
  /// - Throws: `Failure` when there is none of the grammar.
  public init(_ bytes: [UInt8], at start: Int = 0, _ grammar: Grammar) throws(Failure) {
    var cursor = Cursor(bytes: bytes, offset: start)
    isNegative = cursor.take("-")
    if !isNegative, grammar != .json { _ = cursor.take("+") }
    let whole = cursor.digits()
    let canLackWhole = grammar == .real && cursor.isAt(".")
    guard !whole.isEmpty || canLackWhole else {
      throw .noNumber(start)
    }
    if grammar == .json, whole.count > 1, bytes[whole.lowerBound] == UInt8(ascii: "0") {
      throw .leadingZero(start)
    }
    self.whole = whole
    var fraction: Range<Int>?
    if cursor.take(".") {
      let digits = cursor.digits()
      guard !digits.isEmpty || grammar == .real && !whole.isEmpty else {
        throw .noDigit(cursor.offset)
      }
      fraction = digits
    }
    self.fraction = fraction
    var exponent: Int?
    var isSigned = false
    if cursor.take("e") || cursor.take("E") {
      let isBelow = cursor.take("-")
      isSigned = isBelow || cursor.take("+")
      let digits = cursor.digits()
      guard !digits.isEmpty else { throw .noDigit(cursor.offset) }
      // Further digits change nothing: the number is 0 or too large for anybody.
      let size = bytes[digits].reduce(0) { min($0 * 10 + Int($1 & 15), 1 << 40) }
      exponent = isBelow ? -size : size
    }
    self.exponent = exponent
    hasSignedExponent = isSigned
    end = cursor.offset
  }

  /// Reads a text that is a number and nothing else; nil for any other.
  public init?(whole bytes: [UInt8], _ grammar: Grammar) {
    guard let text = try? DecimalText(bytes, at: 0, grammar), text.end == bytes.count else {
      return nil
    }
    self = text
  }

  /// The digits on both sides of the point.
  public func digits(in bytes: [UInt8]) -> [UInt8] {
    guard let fraction else { return Array(bytes[whole]) }
    return Array(bytes[whole] + bytes[fraction])
  }

  /// The power of ten that the last of the digits counts.
  public var scale: Int { (exponent ?? 0) - (fraction?.count ?? 0) }

  /// Steps through bytes.
  private struct Cursor {
    let bytes: [UInt8]
    var offset: Int

    func isAt(_ sign: Unicode.Scalar) -> Bool {
      offset < bytes.count && bytes[offset] == UInt8(ascii: sign)
    }

    mutating func take(_ sign: Unicode.Scalar) -> Bool {
      guard isAt(sign) else { return false }
      offset += 1
      return true
    }

    mutating func digits() -> Range<Int> {
      let start = offset
      while offset < bytes.count, bytes[offset] &- UInt8(ascii: "0") < 10 { offset += 1 }
      return start..<offset
    }
  }
}

/// The texts of the floats that are no numbers of digits.
public enum SpecialFloatText {
  /// What languages print: `nan` `inf` here and in Python, `NaN` `Infinity` in JavaScript.
  public static func printed(_ text: some StringProtocol) -> Double? {
    switch text {
    case "nan", "NaN": .nan
    case "inf", "Infinity": .infinity
    case "-inf", "-Infinity": -.infinity
    default: nil
    }
  }

  /// What property lists and C read: any case, and either sign.
  public static func real(_ text: some StringProtocol) -> Double? {
    let unsigned = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
    let isNegative = text.hasPrefix("-")
    switch unsigned.lowercased() {
    case "nan": return .nan
    case "inf", "infinity": return isNegative ? -.infinity : .infinity
    default: return nil
    }
  }
}
