/// Bytes as letters, digits and two signs: RFC 4648, section 4.
public enum Base64 {
  /// The letters for bytes.
  ///
  /// - Complexity: O(n).
  package static func encoded(_ bytes: [UInt8]) -> String {
    let count = (bytes.count + 2) / 3 * 4
    let text = (0..<count).map { digit($0) { $0 < bytes.count ? bytes[$0] : nil } }
    return String(decoding: text, as: UTF8.self)
  }

  /// The digit at an index of the text for some bytes.
  @inlinable
  public static func digit(_ index: Int, _ byte: (Int) -> UInt8?) -> UInt8 {
    let base = index / 4 * 3
    let part = index % 4
    // Six bits: the low ones of one byte, the high ones of the next.
    if part > 0, byte(base + part - 1) == nil { return UInt8(ascii: "=") }
    let high = part > 0 ? byte(base + part - 1) ?? 0 : 0
    let low = part < 3 ? byte(base + part) ?? 0 : 0
    let pair = UInt16(high) << 8 | UInt16(low)
    return letter(UInt8(truncatingIfNeeded: pair >> (2 + 2 * UInt16(part)) & 0x3F))
  }

  /// The bytes for a text of letters as the RFC has them: in groups of four, without white space and
  /// without the signs for URLs; nil when it is none.
  ///
  /// - Complexity: O(n).
  package static func decoded(_ text: String) -> [UInt8]? {
    guard text.utf8.count % 4 == 0,
      text.utf8.allSatisfy({ byte in
        value(byte) != nil && byte != UInt8(ascii: "-") && byte != UInt8(ascii: "_")
          || byte == UInt8(ascii: "=")
      })
    else { return nil }
    return decode(text.utf8)
  }

  /// The bytes for a text as programs write it: white space may stand in it, padding may be missing,
  /// and the signs for URLs are read as well; nil when it is no base64.
  ///
  /// - Complexity: O(n).
  @inlinable
  public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    var padding = 0
    for byte in text {
      if ASCII(code: byte).isWhiteSpace { continue }
      if byte == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let value = value(byte) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 1
      if count % 4 == 0 {
        bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
        bits = 0
      }
    }
    // Padding may be missing, but what is there must be right.
    guard count % 4 != 1, padding == 0 || (count + padding) % 4 == 0 && padding < 3 else {
      return nil
    }
    if count % 4 == 2 { bytes.append(UInt8(truncatingIfNeeded: bits >> 4)) }
    if count % 4 == 3 {
      bytes += [10, 2].map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
    return bytes
  }

  @inlinable
  static func letter(_ value: UInt8) -> UInt8 {
    switch value {
    case ..<26: 0x41 + value
    case ..<52: 0x61 + value - 26
    case ..<62: 0x30 + value - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }

  /// The value of a digit; the two signs for URLs are read as well.
  @inlinable
  static func value(_ byte: UInt8) -> UInt8? {
    let digit = ASCII(code: byte)
    if digit.isUppercase { return byte - 0x41 }
    if digit.isLowercase { return byte - 0x61 + 26 }
    if digit.isDigit { return byte - 0x30 + 52 }
    switch byte {
    case UInt8(ascii: "+"), UInt8(ascii: "-"): return 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): return 63
    default: return nil
    }
  }
}
