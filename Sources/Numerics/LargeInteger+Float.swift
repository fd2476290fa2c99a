/// Conversions from and to floating point, each exact or correctly rounded.
extension LargeInteger {
  /// Creates the integer part of a float; nil if the float is infinite or not a number.
  package init?(truncating value: Double) {
    guard value.isFinite else { return nil }
    guard value.magnitude >= 1 else {
      self = .zero
      return
    }
    let isNegative = value.sign == .minus
    let significand = value.significandBitPattern | 1 << 52
    let exponent = Int(value.exponent) - 52
    self =
      exponent > 0
      ? LargeInteger(isNegative: isNegative, limb: significand).shiftedLeft(by: exponent)
      : LargeInteger(isNegative: isNegative, limb: significand >> UInt64(-exponent))
  }

  /// Creates the number that a float is; nil if it is not finite or has a fraction.
  package init?(exactly value: Double) {
    guard let truncated = LargeInteger(truncating: value), truncated.compared(to: value) == 0
    else { return nil }
    self = truncated
  }

  /// Returns a float as a fraction in lowest terms with a positive denominator; nil if the float is
  /// infinite or not a number.
  package static func fraction(of value: Double) -> (
    numerator: LargeInteger, denominator: LargeInteger
  )? {
    guard value.isFinite else { return nil }
    guard value != 0 else { return (.zero, .one) }
    let isSubnormal = value.exponentBitPattern == 0
    var significand = value.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
    var exponent = Int(value.exponentBitPattern) - (isSubnormal ? 1074 : 1075)
    let zeros = significand.trailingZeroBitCount
    significand >>= UInt64(zeros)
    exponent += zeros
    let numerator = LargeInteger(isNegative: value.sign == .minus, limb: significand)
    return exponent >= 0
      ? (numerator.shiftedLeft(by: exponent), .one)
      : (numerator, LargeInteger.one.shiftedLeft(by: -exponent))
  }

  /// The nearest float, the even one of two that are equally near; infinite if the number is beyond
  /// all floats.
  ///
  /// - Complexity: O(1), but for numbers with long runs of zero limbs.
  package var nearestDouble: Double {
    let lost = bitLength - 64
    guard lost > 0 else {
      let magnitude = Double(limbs.first ?? 0)
      return isNegative ? -magnitude : magnitude
    }
    // A bit for all that is cut off makes the difference between half and more than half.
    let sticky: UInt64 = trailingZeroBitCount < lost ? 1 : 0
    return LargeInteger.double(
      isNegative: isNegative, significand: leadingLimb | sticky, exponent: lost)
  }

  /// Returns the float nearest to a fraction, the even one of two that are equally near.
  ///
  /// The fraction need not be in lowest terms. As in floating-point division the quotient by zero
  /// is infinite, that of zero by zero is not a number.
  ///
  /// - Complexity: O(n) for numbers of n limbs.
  package static func nearestDouble(
    numerator: LargeInteger, denominator: LargeInteger
  ) -> Double {
    guard !numerator.isZero else { return denominator.isZero ? .nan : 0 }
    guard !denominator.isZero else { return numerator.isNegative ? -.infinity : .infinity }
    let isNegative = numerator.isNegative != denominator.isNegative
    // A quotient of 65 or 66 bits, of which the last stands for all that follow.
    let shift = denominator.bitLength - numerator.bitLength + 65
    let dividend = (shift > 0 ? numerator.shiftedLeft(by: shift) : numerator).absolute
    let divisor = (shift < 0 ? denominator.shiftedLeft(by: -shift) : denominator).absolute
    guard let (quotient, remainder) = dividend.dividedTruncating(by: divisor, poll: {}) else {
      return .nan
    }
    let lost = quotient.bitLength - 64
    let isInexact = !remainder.isZero || quotient.trailingZeroBitCount < lost
    return double(
      isNegative: isNegative, significand: quotient.leadingLimb | (isInexact ? 1 : 0),
      exponent: lost - shift)
  }

  /// Returns the float nearest to `significand * 2^exponent`, the even one of two.
  ///
  /// - Requires: The highest bit of the significand is set. Its lowest bit stands also for all that
  ///   follows it: it is set if anything does.
  private static func double(isNegative: Bool, significand: UInt64, exponent: Int) -> Double {
    let highest = exponent + 63
    guard highest <= 1023 else { return isNegative ? -.infinity : .infinity }
    guard highest >= -1075 else { return isNegative ? -0.0 : 0.0 }
    // 53 bits remain, fewer below the normal numbers, where the last bit counts 2^-1074.
    let dropped = UInt64(max(11, -1011 - highest))
    var kept = dropped < 64 ? significand >> dropped : 0
    let rest = significand << (64 - dropped)
    if rest > 1 << 63 || rest == 1 << 63 && kept & 1 == 1 { kept += 1 }
    // The highest bit adds one to the exponent; so does the carry of a significand of all ones.
    let magnitude = UInt64(max(0, highest + 1022)) << 52 + kept
    return Double(bitPattern: magnitude | (isNegative ? 1 << 63 : 0))
  }
}
