// The kit of texts: what is done with bytes and characters, whoever keeps them. The classes of single
// bytes (ASCII), texts compared by their bytes (ExactText, TextBytes), codings (Base64, PercentEncoding,
// SHA256), numbers as formats write them (DecimalText), JSON as it stands (JSONScanner), regular
// expressions, the calendar and the rules of time zones.
//
// It imports nothing. What makes values of the language from texts is elsewhere: the readers of JSON and
// CSV and the primitives of strings in the runtime, the documents of stores beside the stores. Numbers
// of any size and the texts of floats are in Numerics.

/// A character of ASCII.
@frozen
public struct ASCII {
  /// Its code, which is below 128 unless it was made of a byte of something else.
  public let code: UInt8

  /// Creates the character with a code; a byte above 127 is in none of the classes below.
  @inlinable @inline(__always)
  public init(code: UInt8) { self.code = code }

  /// Whether it is one of A to Z.
  @inlinable @inline(__always)
  public var isUppercase: Bool { code &- 0x41 < 26 }
  /// Whether it is one of a to z.
  @inlinable @inline(__always)
  public var isLowercase: Bool { code &- 0x61 < 26 }
  /// Whether it is a letter.
  @inlinable @inline(__always)
  public var isLetter: Bool { (code | 0x20) &- 0x61 < 26 }
  /// Whether it is a decimal digit.
  @inlinable @inline(__always)
  public var isDigit: Bool { code &- 0x30 < 10 }
  /// What Unicode counts as punctuation, which leaves out `$+<=>^`, the grave accent, `|` and `~`.
  @inlinable
  public var isPunctuation: Bool {
    let isGraph = code &- 0x21 < 0x5E
    return isGraph && !isAlphaNumeric && !"$+<=>^`|~".utf8.contains(code)
  }
  /// Whether it controls a device and has no shape.
  @inlinable
  public var isControl: Bool { code < 0x20 || code == 0x7F }
  /// Whether it is a letter or a digit.
  @inlinable @inline(__always)
  public var isAlphaNumeric: Bool { isLetter || isDigit }
  /// Whether it is a blank or ends a line or a page.
  @inlinable @inline(__always)
  public var isWhiteSpace: Bool { code == 0x20 || code &- 9 < 5 }
  /// The code of the letter in upper case; of other characters their own.
  @inlinable @inline(__always)
  public var uppercased: UInt8 { isLowercase ? code ^ 0x20 : code }
  /// The code of the letter in lower case; of other characters their own.
  @inlinable @inline(__always)
  public var lowercased: UInt8 { isUppercase ? code ^ 0x20 : code }

  /// The letters a, e, i, o and u are the bits 1, 5, 9, 15 and 21.
  @inlinable @inline(__always)
  public var isVowel: Bool {
    isLetter && 0x20_8222 >> UInt32(code & 0x1F) & 1 != 0
  }
}

// MARK: - Digits

extension ASCII {
  /// The value of a hexadecimal digit.
  @inlinable
  public var hexValue: UInt8? {
    if isDigit { return code &- 0x30 }
    let letter = (code | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }

  /// The digit for a value below 16.
  @inlinable
  public static func hexDigit(_ value: UInt8, isCapital: Bool = false) -> UInt8 {
    value < 10 ? 0x30 + value : (isCapital ? 0x37 : 0x57) + value
  }
}

extension Unicode.Scalar {
  /// Whether it is white space: asked of every character where texts are cut into words.
  @inlinable @inline(__always)
  public var isWhiteSpace: Bool {
    value < 0x80
      ? ASCII(code: UInt8(truncatingIfNeeded: value)).isWhiteSpace : properties.isWhitespace
  }
}
