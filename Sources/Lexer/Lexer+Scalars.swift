extension Lexer {
  /// Returns the Unicode scalar at an offset and its length in bytes; U+FFFD of one byte where
  /// there is none.
  public func scalar(at offset: Int) -> (scalar: Unicode.Scalar, length: Int) {
    let first = UInt32(byte(at: offset))
    let second = UInt32(byte(at: offset + 1))
    switch first {
    case 0..<0x80:
      return (Unicode.Scalar(UInt8(truncatingIfNeeded: first)), 1)
    case 0xC2..<0xE0:
      return scalar((first & 0x1F) << 6 | second & 0x3F, 2)
    case 0xE0..<0xF0:
      let third = UInt32(byte(at: offset + 2))
      return scalar((first & 0x0F) << 12 | (second & 0x3F) << 6 | third & 0x3F, 3)
    case 0xF0..<0xF5:
      let third = UInt32(byte(at: offset + 2))
      let fourth = UInt32(byte(at: offset + 3))
      let low = (third & 0x3F) << 6 | fourth & 0x3F
      return scalar((first & 0x07) << 18 | (second & 0x3F) << 12 | low, 4)
    default:
      return ("\u{FFFD}", 1)
    }
  }

  private func scalar(_ value: UInt32, _ length: Int) -> (scalar: Unicode.Scalar, length: Int) {
    guard let scalar = Unicode.Scalar(value) else { return ("\u{FFFD}", 1) }
    return (scalar, length)
  }

  /// Returns the length of the blank at an offset, 0 when something else stands there.
  ///
  ///     blank == ? Unicode white space ? ;
  public func blankLength(at offset: Int) -> Int {
    let byte = byte(at: offset)
    guard byte >= 0x80 else { return byte == 0x20 || byte &- 0x09 < 5 ? 1 : 0 }
    let (scalar, length) = scalar(at: offset)
    return scalar.properties.isWhitespace ? length : 0
  }
}

extension Unicode.Scalar {
  /// Whether a name may begin with it.
  var isNameStart: Bool { self == "_" || properties.isXIDStart }

  /// Whether it may stand in a name; marks may, so that a decomposed letter is one.
  var isNameContinue: Bool { properties.isXIDContinue }

  /// Whether it is an operator by itself.
  var isOperatorSymbol: Bool {
    guard value >= 0x80, self != "\u{FFFD}" else { return false }
    return switch properties.generalCategory {
    case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: true
    default: false
    }
  }
}
