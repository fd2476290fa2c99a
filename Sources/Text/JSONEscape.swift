/// A character that a JSON text writes with a backslash, as RFC 8259 has it: what all readers of JSON
/// share.
package struct JSONEscape {
  /// The character.
  package let scalar: Unicode.Scalar
  /// The offset behind it.
  package let end: Int

  /// Why there is no such character, and the offset where that shows.
  package enum Failure: Error {
    /// The text ends behind the backslash.
    case end(Int)
    /// The sign behind the backslash says nothing.
    case unknownSign(Int)
    /// Less than four hexadecimal digits.
    case noDigit(Int)
    /// One half of a pair of surrogates; the place is that of its digits.
    case halfOfCharacter(Int)
  }

  /// Reads the escape whose sign stands at an offset, behind the backslash.
  ///
  /// - Throws: `Failure`.
  package init(in bytes: [UInt8], at offset: Int) throws(Failure) {
    guard offset < bytes.count else { throw .end(offset) }
    var end = offset + 1
    switch bytes[offset] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      scalar = Unicode.Scalar(bytes[offset])
    case UInt8(ascii: "b"): scalar = "\u{8}"
    case UInt8(ascii: "f"): scalar = "\u{C}"
    case UInt8(ascii: "n"): scalar = "\n"
    case UInt8(ascii: "r"): scalar = "\r"
    case UInt8(ascii: "t"): scalar = "\t"
    case UInt8(ascii: "u"): scalar = try JSONEscape.code(in: bytes, at: &end)
    default: throw .unknownSign(offset)
    }
    self.end = end
  }

  private static func code(
    in bytes: [UInt8], at offset: inout Int
  ) throws(Failure) -> Unicode.Scalar {
    let start = offset
    var number = try fourDigits(in: bytes, at: &offset)
    if number & 0xFC00 == 0xD800, bytes[offset...].starts(with: "\\u".utf8) {
      offset += 2
      let low = try fourDigits(in: bytes, at: &offset)
      guard low & 0xFC00 == 0xDC00 else { throw .halfOfCharacter(start) }
      number = 0x10000 + (number & 0x3FF) << 10 + (low & 0x3FF)
    }
    guard let scalar = Unicode.Scalar(number) else { throw .halfOfCharacter(start) }
    return scalar
  }

  private static func fourDigits(in bytes: [UInt8], at offset: inout Int) throws(Failure) -> UInt32
  {
    var number: UInt32 = 0
    for _ in 0..<4 {
      guard offset < bytes.count, let digit = ASCII(code: bytes[offset]).hexValue else {
        throw .noDigit(offset)
      }
      offset += 1
      number = number << 4 | UInt32(digit)
    }
    return number
  }
}
