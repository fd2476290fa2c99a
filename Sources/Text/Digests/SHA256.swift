/// The hash function SHA-256.
///
/// Source: FIPS 180-4.
package enum SHA256 {
  /// The 32 bytes for a message.
  ///
  /// - Complexity: O(n).
  package static func digest(of message: [UInt8]) -> [UInt8] {
    var digest = Digest(.sha256)
    unsafe message.withUnsafeBytes { unsafe digest.add($0) }
    return digest.value
  }

  static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout [UInt64]) {
    var sums = state.map { UInt32(truncatingIfNeeded: $0) }
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      for start in stride(from: 0, to: blocks.count, by: 64) {
        unsafe schedule(blocks, from: start, words)
        unsafe compress(words, into: &sums)
      }
    }
    state = sums.map { UInt64($0) }
  }

  /// The 64 words that a block makes.
  private static func schedule(
    _ blocks: UnsafeRawBufferPointer, from start: Int, _ words: UnsafeMutableBufferPointer<UInt32>
  ) {
    for index in 0..<16 {
      unsafe words[index] = UInt32(
        bigEndian: blocks.loadUnaligned(fromByteOffset: start + 4 * index, as: UInt32.self))
    }
    for index in 16..<64 {
      let (a, b) = unsafe (words[index - 15], words[index - 2])
      let low = rotated(a, 7) ^ rotated(a, 18) ^ a &>> 3
      let high = rotated(b, 17) ^ rotated(b, 19) ^ b &>> 10
      unsafe words[index] = words[index - 16] &+ low &+ words[index - 7] &+ high
    }
  }

  private static func compress(
    _ words: UnsafeMutableBufferPointer<UInt32>, into state: inout [UInt32]
  ) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    unsafe constants.withUnsafeBufferPointer { constants in
      for index in 0..<64 {
        let choice = e & f ^ ~e & g
        let high = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25))
        let first = unsafe high &+ choice &+ constants[index] &+ words[index]
        let majority = a & b ^ a & c ^ b & c
        let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
        (h, g, f, e) = (g, f, e, d &+ first)
        (d, c, b, a) = (c, b, a, first &+ second)
      }
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }

  @inline(__always)
  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &>> count | word &<< (32 &- count)
  }

  /// The first 32 bits behind the point of the square roots of the first eight primes.
  static let start = primes.prefix(8).map { prime in
    UInt64(fraction(of: Double(prime).squareRoot()))
  }

  /// The first 32 bits behind the point of the cube roots of the first 64 primes.
  private static let constants = primes.map { prime in cubeRootFraction(of: prime) }

  private static let primes: [UInt64] = {
    var found: [UInt64] = []
    var candidate: UInt64 = 2
    while found.count < 64 {
      if found.allSatisfy({ candidate % $0 != 0 }) { found.append(candidate) }
      candidate += 1
    }
    return found
  }()

  /// A double has 52 bits behind the point of what is below 8: more than enough for 32.
  private static func fraction(of root: Double) -> UInt32 {
    UInt32((root - root.rounded(.down)) * 4_294_967_296)
  }

  /// The greatest number of which the cube is at most the prime, in steps of 2 to the power of -32,
  /// found bit by bit with exact numbers.
  private static func cubeRootFraction(of prime: UInt64) -> UInt32 {
    var root: UInt64 = 0
    for bit in stride(from: UInt64(34), through: 0, by: -1) {
      let candidate = root | 1 << bit
      // candidate^3 <= prime * 2^96, both divided by 2^64: the square does not fit in 64 bits.
      let square = candidate.multipliedFullWidth(by: candidate)
      let low = square.low.multipliedFullWidth(by: candidate)
      let high = square.high.multipliedFullWidth(by: candidate)
      let (middle, carry) = high.low.addingReportingOverflow(low.high)
      let top = high.high + (carry ? 1 : 0)
      let limit = prime << 32
      let isSmaller = top == 0 && (middle < limit || middle == limit && low.low == 0)
      if isSmaller { root = candidate }
    }
    return UInt32(truncatingIfNeeded: root)
  }
}
