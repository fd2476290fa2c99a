/// The encoding of bytes in addresses: `%` and two hexadecimal digits.
///
/// Source of the algorithm: RFC 3986, section 2.1.
public enum PercentEncoding {
  /// The text with encoded bytes decoded, once.
  ///
  /// What is no encoded byte stays as it is, and so does all of a text whose bytes would be no
  /// UTF-8.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - plusIsBlank: Whether a plus sign stands for a blank, as it does in a query.
  /// - Returns: The decoded text.
  /// - Complexity: O(n).
  public static func decoded(_ text: String, plusIsBlank: Bool = false) -> String {
    let coded = Array(text.utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(coded.count)
    var index = 0
    while index < coded.count {
      if coded[index] == UInt8(ascii: "%"), index + 2 < coded.count,
        let high = ASCII(code: coded[index + 1]).hexValue,
        let low = ASCII(code: coded[index + 2]).hexValue
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        let isBlank = plusIsBlank && coded[index] == UInt8(ascii: "+")
        bytes.append(isBlank ? UInt8(ascii: " ") : coded[index])
        index += 1
      }
    }
    return String(validating: bytes, as: UTF8.self) ?? text
  }

  /// The text as a part of an address: all but letters, digits and `-._~` encoded.
  ///
  /// - Complexity: O(n).
  package static func encoded(_ text: String) -> String {
    encoding(text) { !ASCII(code: $0).isAlphaNumeric && !"-._~".utf8.contains($0) }
  }

  /// The text with some of its bytes encoded, all of them ASCII.
  ///
  /// - Complexity: O(n).
  package static func encoding(_ text: String, where isEncoded: (UInt8) -> Bool) -> String {
    guard text.utf8.contains(where: isEncoded) else { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      guard isEncoded(byte) else {
        bytes.append(byte)
        continue
      }
      bytes.append(UInt8(ascii: "%"))
      bytes.append(ASCII.hexDigit(byte >> 4, isCapital: true))
      bytes.append(ASCII.hexDigit(byte & 0xF, isCapital: true))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
