/// The checksum of gzip and zip.
///
/// Algorithm: cyclic redundancy check (RFC 1952, section 8), reflected, a table of the 256 bytes.
enum CRC32 {
  static func compress(_ bytes: UnsafeRawBufferPointer, into state: inout [UInt64]) {
    var value = UInt32(truncatingIfNeeded: state[0])
    unsafe table.withUnsafeBufferPointer { table in
      for index in 0..<bytes.count {
        let place = unsafe Int(UInt8(truncatingIfNeeded: value) ^ bytes[index])
        unsafe value = table[place] ^ value &>> 8
      }
    }
    state[0] = UInt64(value)
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320
    }
  }
}
