/// The checksum of the records of a journal.
///
/// Algorithm: cyclic redundancy check with Castagnoli's polynomial (RFC 3720, appendix B.4),
/// reflected, a table of the 256 bytes.
package enum CRC32C {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78
    }
  }

  /// Returns the checksum of bytes.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8
    }
    return ~value
  }
}
