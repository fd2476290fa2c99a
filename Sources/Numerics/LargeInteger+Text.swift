/// Digits in the radices 2 to 36.
extension LargeInteger {
  /// The number of limbs up to which text is made and read digit by digit.
  static let textThreshold = 20

  /// Returns the digits of the number, letters in upper case, with a minus sign if it is negative.
  ///
  /// - Requires: The radix is in `2 ... 36`.
  /// - Complexity: O(M(n) log(n) squared) for n digits, M(n) being the cost of a product; O(n) for
  ///   powers of two.
  ///
  /// Algorithm: Knuth, "The Art of Computer Programming", volume 2, 1997, 4.4, exercise 14: the
  /// number is divided by a power of the radix of half its size, then each half likewise.
  package func text<Failure: Error>(
    radix: Int, poll: () throws(Failure) -> Void
  ) throws(Failure) -> String {
    if limbs.count <= 1 {
      let digits = String(limbs.first ?? 0, radix: radix, uppercase: true)
      return isNegative ? "-" + digits : digits
    }
    var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
    if radix.nonzeroBitCount == 1 {
      appendBits(of: radix.trailingZeroBitCount, to: &text)
    } else {
      var radix = TextRadix(radix)
      try radix.addPowers(radix.chunkCount(bitLength: bitLength), poll: poll)
      try radix.append(limbs, level: radix.powers.count - 1, to: &text, poll: poll)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Creates a number that is not negative from ASCII digits, letters of either case.
  ///
  /// Nil if there are none or one is not a digit of the radix.
  ///
  /// - Requires: The radix is in `2 ... 36`.
  /// - Complexity: O(M(n) log n) for n digits; O(n) for powers of two.
  ///
  /// Algorithm: The reverse of `text(radix:poll:)`.
  package init?<Failure: Error>(
    digits: some Sequence<UInt8>, radix: Int, poll: () throws(Failure) -> Void
  ) throws(Failure) {
    var values: [UInt8] = []
    values.reserveCapacity(digits.underestimatedCount)
    var limb: UInt64 = 0
    var isLong = false
    for digit in digits {
      guard let value = TextRadix.value(of: digit), value < radix else { return nil }
      values.append(value)
      if isLong { continue }
      let high: UInt64
      (high, limb) = limb.multipliedFullWidth(by: UInt64(radix))
      let (sum, carry) = limb.addingReportingOverflow(UInt64(value))
      limb = sum
      isLong = high != 0 || carry
    }
    guard !values.isEmpty else { return nil }
    guard isLong else {
      self.init(limb: limb)
      return
    }
    if radix.nonzeroBitCount == 1 {
      self.init(limbs: LargeInteger.limbs(of: values, bits: radix.trailingZeroBitCount))
    } else {
      var radix = TextRadix(radix)
      let chunks = radix.chunks(of: values)
      try radix.addPowers(chunks.count, poll: poll)
      self.init(limbs: try radix.limbs(of: chunks[...], poll: poll))
    }
  }

  /// Appends the digits of the magnitude to a text, each standing for some bits.
  private func appendBits(of bits: Int, to text: inout [UInt8]) {
    let count = max(1, (bitLength + bits - 1) / bits)
    text.reserveCapacity(text.count + count)
    for i in (0..<count).reversed() {
      let limb = (i * bits) >> 6
      let shift = UInt64((i * bits) & 63)
      var digit = limb < limbs.count ? limbs[limb] >> shift : 0
      if Int(shift) + bits > 64, limb + 1 < limbs.count { digit |= limbs[limb + 1] << (64 - shift) }
      text.append(TextRadix.digit(UInt8(truncatingIfNeeded: digit & (1 << UInt64(bits) - 1))))
    }
  }

  /// Returns the limbs of a number of which each digit stands for some bits.
  private static func limbs(of values: [UInt8], bits: Int) -> [UInt64] {
    var limbs = [UInt64](repeating: 0, count: (values.count * bits + 63) / 64)
    for (i, value) in values.reversed().enumerated() {
      let limb = (i * bits) >> 6
      let shift = UInt64((i * bits) & 63)
      limbs[limb] |= UInt64(value) << shift
      if Int(shift) + bits > 64 { limbs[limb + 1] |= UInt64(value) >> (64 - shift) }
    }
    return limbs
  }
}

extension LargeInteger: LosslessStringConvertible {
  /// The decimal digits, for messages of our own; a program's numbers are printed by
  /// `text(radix:poll:)`.
  public var description: String { text(radix: 10) {} }

  /// Creates a number from decimal digits, which a sign may precede.
  public init?(_ description: String) {
    let isNegative = description.utf8.first == UInt8(ascii: "-")
    let digits = description.utf8.dropFirst(isNegative ? 1 : 0)
    guard let magnitude = LargeInteger(digits: digits, radix: 10, poll: {}) else { return nil }
    self = isNegative ? -magnitude : magnitude
  }
}
