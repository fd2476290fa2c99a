/// The hash function SHA-256.
///
/// Source: FIPS 180-4.
package enum SHA256 {
  /// The 32 bytes for a message.
  ///
  /// - Complexity: O(n).
  package static func digest(of message: [UInt8]) -> [UInt8] {
    var state = initialState
    var offset = 0
    while offset + blockSize <= message.count {
      compress(message[offset..<offset + blockSize], into: &state)
      offset += blockSize
    }
    // The end: a bit that is set, zeros, and the number of bits in eight bytes.
    var rest = Array(message[offset...])
    rest.append(0x80)
    while rest.count % blockSize != blockSize - 8 { rest.append(0) }
    let bits = UInt64(message.count) &* 8
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      rest.append(UInt8(truncatingIfNeeded: bits >> shift))
    }
    for start in stride(from: 0, to: rest.count, by: blockSize) {
      compress(rest[start..<start + blockSize], into: &state)
    }
    return state.flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  private static let blockSize = 64

  private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words: [UInt32] = []
    words.reserveCapacity(64)
    for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
      words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    for index in 16..<64 {
      let (a, b) = (words[index - 15], words[index - 2])
      let low = rotated(a, 7) ^ rotated(a, 18) ^ a >> 3
      let high = rotated(b, 17) ^ rotated(b, 19) ^ b >> 10
      words.append(words[index - 16] &+ low &+ words[index - 7] &+ high)
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let choice = e & f ^ ~e & g
      let high = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25))
      let first = high &+ choice &+ constants[index] &+ words[index]
      let majority = a & b ^ a & c ^ b & c
      let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ second)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The first 32 bits behind the point of the square roots of the first eight primes.
  private static let initialState = primes.prefix(8).map { prime in
    fraction(of: Double(prime).squareRoot())
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
