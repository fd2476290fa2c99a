/// Bytes as letters: RFC 4648, section 4.
enum Base64 {
  private static let signs = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The letters for bytes.
  ///
  /// - Complexity: O(n).
  static func encoded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 3 * 4 + 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var number = 0
      for index in 0..<3 {
        number = number << 8 | (index < group.count ? Int(group[start + index]) : 0)
      }
      for index in 0..<4 {
        text.append(
          index <= group.count ? signs[number >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes for letters; nil when they stand for none.
  ///
  /// - Complexity: O(n).
  static func decoded(_ text: String) -> [UInt8]? {
    let letters = Array(text.utf8)
    guard letters.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(letters.count / 4 * 3)
    for start in stride(from: 0, to: letters.count, by: 4) {
      var number = 0
      var count = 3
      for index in 0..<4 {
        let letter = letters[start + index]
        if letter == UInt8(ascii: "="), start + 4 == letters.count, index >= 2 {
          count = min(count, index - 1)
          number <<= 6
        } else {
          guard count == 3, let digit = signs.firstIndex(of: letter) else { return nil }
          number = number << 6 | digit
        }
      }
      for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (16 - 8 * index))) }
    }
    return bytes
  }
}
