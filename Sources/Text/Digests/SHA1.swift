/// The hash function SHA-1.
///
/// Source: FIPS 180-4.
enum SHA1 {
  /// The first four are those of MD5.
  static let start: [UInt64] = [
    0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0,
  ]

  static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout [UInt64]) {
    var sums = state.map { UInt32(truncatingIfNeeded: $0) }
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { words in
      for start in stride(from: 0, to: blocks.count, by: 64) {
        for index in 0..<16 {
          unsafe words[index] = UInt32(
            bigEndian: blocks.loadUnaligned(fromByteOffset: start + 4 * index, as: UInt32.self))
        }
        for index in 16..<80 {
          let word = unsafe words[index - 3] ^ words[index - 8] ^ words[index - 14]
          unsafe words[index] = rotated(word ^ words[index - 16], 1)
        }
        unsafe compress(words, into: &sums)
      }
    }
    state = sums.map { UInt64($0) }
  }

  private static func compress(
    _ words: UnsafeMutableBufferPointer<UInt32>, into state: inout [UInt32]
  ) {
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (mixed, constant): (UInt32, UInt32) =
        switch index {
        case ..<20: (b & c | ~b & d, 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let sum = unsafe rotated(a, 5) &+ mixed &+ e &+ constant &+ words[index]
      (e, d, c, b, a) = (d, c, rotated(b, 30), a, sum)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
  }

  @inline(__always)
  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &<< count | word &>> (32 &- count)
  }
}
