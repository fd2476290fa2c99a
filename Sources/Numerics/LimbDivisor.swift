/// A divisor of one limb, prepared so that each division by it takes two multiplications.
///
/// Algorithm: Möller and Granlund, "Improved division by invariant integers", IEEE Transactions on
/// Computers, 2011.
struct LimbDivisor {
  /// The divisor shifted left until its highest bit is set.
  private let normalized: UInt64

  /// How far it was shifted, `0 ..< 64`.
  private let shift: UInt64

  /// The approximate inverse of `normalized`.
  private let inverse: UInt64

  /// Prepares a divisor.
  ///
  /// - Requires: The divisor is not zero.
  init(_ divisor: UInt64) {
    precondition(divisor != 0, "division by zero")
    shift = UInt64(divisor.leadingZeroBitCount)
    normalized = divisor &<< shift
    inverse = LimbDivisor.inverse(of: normalized)
  }

  /// Returns the quotient of `remainder * 2^64 + limb` and leaves the new remainder.
  ///
  /// - Requires: The remainder is less than the divisor.
  @inline(__always)
  func divide(_ limb: UInt64, _ remainder: inout UInt64) -> UInt64 {
    // Both parts of the dividend are shifted like the divisor, the remainder back.
    let high = remainder &<< shift | (limb &>> 1) &>> (63 &- shift)
    let low = limb &<< shift
    let product = high.multipliedFullWidth(by: inverse)
    let (fraction, carry) = product.low.addingReportingOverflow(low)
    var quotient = product.high &+ high &+ (carry ? 1 : 0) &+ 1
    var rest = low &- quotient &* normalized
    if rest > fraction {
      quotient &-= 1
      rest &+= normalized
    }
    if rest >= normalized {
      quotient &+= 1
      rest &-= normalized
    }
    remainder = rest &>> shift
    return quotient
  }

  /// Returns `(2^128 - 1) / divisor - 2^64` for a divisor whose highest bit is set.
  private static func inverse(of divisor: UInt64) -> UInt64 {
    divisor.dividingFullWidth((high: ~divisor, low: UInt64.max)).quotient
  }

  /// Returns the approximate inverse of a divisor of two limbs, `(2^192 - 1) / divisor - 2^64`.
  ///
  /// - Requires: The highest bit of `d1` is set.
  static func inverse(of d1: UInt64, _ d0: UInt64) -> UInt64 {
    var inverse = inverse(of: d1)
    var (rest, carry) = (d1 &* inverse).addingReportingOverflow(d0)
    if carry {
      inverse &-= 1
      if rest >= d1 {
        inverse &-= 1
        rest &-= d1
      }
      rest &-= d1
    }
    let product = inverse.multipliedFullWidth(by: d0)
    (rest, carry) = rest.addingReportingOverflow(product.high)
    if carry {
      inverse &-= 1
      if rest > d1 || (rest == d1 && product.low >= d0) { inverse &-= 1 }
    }
    return inverse
  }

  /// Returns the quotient of three limbs by two.
  ///
  /// - Requires: The highest bit of `d1` is set, `u2` and `u1` are together less than the divisor.
  @inline(__always)
  static func quotient(
    _ u2: UInt64, _ u1: UInt64, _ u0: UInt64, by d1: UInt64, _ d0: UInt64, inverse: UInt64
  ) -> UInt64 {
    let estimate = u2.multipliedFullWidth(by: inverse)
    let (fraction, carry) = estimate.low.addingReportingOverflow(u1)
    var quotient = estimate.high &+ u2 &+ (carry ? 1 : 0)
    let product = quotient.multipliedFullWidth(by: d0)
    var borrow = false
    var low = Limbs.difference(u0, product.low, &borrow)
    var high = Limbs.difference(u1 &- quotient &* d1, product.high, &borrow)
    borrow = false
    low = Limbs.difference(low, d0, &borrow)
    high = Limbs.difference(high, d1, &borrow)
    quotient &+= 1
    if high >= fraction {
      quotient &-= 1
      var carry = false
      low = Limbs.sum(low, d0, &carry)
      high = Limbs.sum(high, d1, &carry)
    }
    if high > d1 || (high == d1 && low >= d0) { quotient &+= 1 }
    return quotient
  }
}
