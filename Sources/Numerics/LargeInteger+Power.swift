/// Powers and roots.
extension LargeInteger {
  /// Returns the number to some power; nil when the exponent is negative.
  ///
  /// - Requires: The result fits in memory (`bitLengthOfPower(_:)`).
  /// - Complexity: That of the last squaring, times a small constant.
  package func power<Failure: Error>(
    _ exponent: Int, poll: () throws(Failure) -> Void
  ) throws(Failure) -> LargeInteger? {
    guard exponent >= 0 else { return nil }
    guard exponent > 0 else { return .one }
    guard !isZero else { return .zero }
    // Powers of two are shifts, also those in the base: 10 ** n is 5 ** n shifted by n.
    let zeros = trailingZeroBitCount
    let odd = zeros == 0 ? self : shiftedRight(by: zeros)
    guard odd.limbs != [1] else {
      let isNegative = isNegative && exponent & 1 == 1
      return LargeInteger(isNegative: isNegative, limb: 1).shiftedLeft(by: zeros * exponent)
    }
    var result = odd
    // From the highest bit down, so that one factor is always the base, which is mostly short.
    for bit in (0..<Int.bitWidth - 1 - exponent.leadingZeroBitCount).reversed() {
      result = try result.squared(poll: poll)
      if exponent >> bit & 1 == 1 { result = try result.multiplied(by: odd, poll: poll) }
    }
    return zeros == 0 ? result : result.shiftedLeft(by: zeros * exponent)
  }

  /// Returns ten to some power, not interrupted.
  ///
  /// - Requires: The exponent is not negative.
  static func powerOfTen(_ exponent: Int) -> LargeInteger {
    precondition(exponent >= 0, "negative exponent")
    guard exponent <= 19 else { return LargeInteger(10).power(exponent) {} ?? .zero }
    var limb: UInt64 = 1
    for _ in 0..<exponent { limb *= 10 }
    return LargeInteger(limb: limb)
  }

  /// Returns a bound of the bits that the magnitude of the number to some power has, `Int.max` if
  /// the bound is beyond that.
  ///
  /// It is never too small, and at most 1/64 bit for each factor and one bit more too large.
  ///
  /// - Requires: The exponent is not negative.
  /// - Complexity: O(1), O(n) for the multiples of high powers of two.
  package func bitLengthOfPower(_ exponent: Int) -> Int {
    precondition(exponent >= 0, "negative exponent")
    guard exponent > 0 else { return 1 }
    guard !isZero else { return 0 }
    var bits = bitLength
    if trailingZeroBitCount == bits - 1 {
      let (product, overflow) = (bits - 1).multipliedReportingOverflow(by: exponent)
      return overflow || product == Int.max ? Int.max : product + 1
    }
    // The magnitude is less than fraction * 2^(bits - 64). Six squarings, each rounded up, give
    // its logarithm to six binary places.
    var fraction = leadingLimb
    LargeInteger.increment(&fraction, &bits)
    for _ in 0..<6 {
      let square = fraction.multipliedFullWidth(by: fraction)
      bits *= 2
      if square.high >> 63 == 0 {
        fraction = square.high << 1 | square.low >> 63
        bits -= 1
      } else {
        fraction = square.high
      }
      LargeInteger.increment(&fraction, &bits)
    }
    let (product, overflow) = bits.multipliedReportingOverflow(by: exponent)
    return overflow ? Int.max : (product >> 6) + 1
  }

  /// Adds one to `fraction`; if it overflows it is halved and its exponent raised.
  private static func increment(_ fraction: inout UInt64, _ bits: inout Int) {
    fraction &+= 1
    guard fraction == 0 else { return }
    fraction = 1 << 63
    bits += 1
  }

  /// Returns the number to some power, modulo another number, with the sign of that; nil when the
  /// exponent is negative or the modulus is zero.
  ///
  /// - Complexity: A squaring and a division of the modulus' size for each bit of the exponent.
  ///
  /// Algorithm: Knuth, "The Art of Computer Programming", volume 2, 1997, 4.6.3, the 2^k-ary
  /// method from the left.
  package func power<Failure: Error>(
    _ exponent: LargeInteger, modulo modulus: LargeInteger, poll: () throws(Failure) -> Void
  ) throws(Failure) -> LargeInteger? {
    guard !exponent.isNegative else { return nil }
    guard let base = try dividedFlooring(by: modulus.absolute, poll: poll)?.remainder else {
      return nil
    }
    func product(_ a: LargeInteger, _ b: LargeInteger) throws(Failure) -> LargeInteger {
      let product = try a.multiplied(by: b, poll: poll)
      return try product.dividedTruncating(by: modulus, poll: poll)?.remainder ?? .zero
    }
    let digitBits = exponent.bitLength < 64 ? 1 : 4
    var powers = [LargeInteger.one]
    for _ in 1..<1 << digitBits { powers.append(try product(powers[powers.count - 1], base)) }
    var result = try product(.one, .one)
    for digit in (0..<(exponent.bitLength + digitBits - 1) / digitBits).reversed() {
      try poll()
      for _ in 0..<digitBits {
        result =
          try result.squared(poll: poll).dividedTruncating(by: modulus, poll: poll)?
          .remainder ?? .zero
      }
      var index = 0
      for bit in (digit * digitBits..<(digit + 1) * digitBits).reversed() {
        index = 2 * index + (exponent.bit(at: bit) ? 1 : 0)
      }
      if index > 0 { result = try product(result, powers[index]) }
    }
    return modulus.isNegative && !result.isZero ? result + modulus : result
  }

  /// Returns the square root rounded down; nil for a negative number.
  ///
  /// - Complexity: That of a division of a number by one of half its size.
  ///
  /// Algorithm: Newton's iteration in integers of growing precision, as Dickinson proved it for
  /// `math.isqrt` of Python (2019): each step doubles the correct bits, and one final comparison
  /// suffices.
  package func squareRoot<Failure: Error>(
    poll: () throws(Failure) -> Void
  ) throws(Failure) -> LargeInteger? {
    guard !isNegative else { return nil }
    guard limbs.count > 1 else {
      return LargeInteger(limb: LargeInteger.squareRoot(limbs.first ?? 0))
    }
    let bits = (bitLength - 1) / 2
    // The precision doubles up to `bits`; it starts with the root of the 64 leading bits at most.
    let doublings = max(0, Int.bitWidth - bits.leadingZeroBitCount - 5)
    var precision = bits >> doublings
    let start = shiftedRight(by: 2 * (bits - precision)).limbs.first ?? 0
    var root = LargeInteger(limb: LargeInteger.squareRoot(start))
    for shift in (0..<doublings).reversed() {
      let before = precision
      precision = bits >> shift
      let part = shiftedRight(by: 2 * bits - before - precision + 1)
      guard let correction = try part.dividedTruncating(by: root, poll: poll) else { break }
      root = root.shiftedLeft(by: precision - before - 1) + correction.quotient
    }
    return try root.squared(poll: poll) > self ? root - 1 : root
  }

  /// Returns the square root of a number of one limb, rounded down.
  ///
  /// In integers, by Newton's iteration from above: the float's `squareRoot()` would be the only
  /// call to the C library's mathematics here.
  private static func squareRoot(_ limb: UInt64) -> UInt64 {
    guard limb > 1 else { return limb }
    var root: UInt64 = 1 << UInt64((65 - limb.leadingZeroBitCount) / 2)
    while true {
      let next = (root + limb / root) / 2
      if next >= root { return root }
      root = next
    }
  }
}
