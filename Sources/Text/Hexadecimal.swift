/// Bytes as hexadecimal digits, two for each: RFC 4648, section 8.
package enum Hexadecimal {
  /// The digits for bytes, small letters above 9.
  ///
  /// - Complexity: O(n).
  package static func encoded(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(unsafeUninitializedCapacity: 2 * bytes.count) { digits in
      for index in 0..<bytes.count {
        unsafe digits[2 * index] = ASCII.hexDigit(bytes[index] >> 4)
        unsafe digits[2 * index + 1] = ASCII.hexDigit(bytes[index] & 15)
      }
      return 2 * bytes.count
    }
  }

  /// The bytes for digits in either case; nil when the text has something else, or half a byte.
  ///
  /// - Complexity: O(n).
  package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard text.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    for index in stride(from: 0, to: text.count, by: 2) {
      guard let high = unsafe ASCII(code: text[index]).hexValue,
        let low = unsafe ASCII(code: text[index + 1]).hexValue
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
