/// Division of floats with an integer for its quotient, and the remainder that belongs to it.
///
/// Quotients are those of the numbers that the floats are exactly: 1 divided by 0.1 is 9, since 0.1 as
/// a float is a bit more than a tenth. A quotient that is rounded before its fraction is cut off, as
/// `(a / b).floor` has it, is one too many there, and its remainder belongs to another.
package enum FloatDivision {
  /// Toward which side the quotient is rounded.
  package enum Rounding {
    /// Down: the remainder has the sign of the divisor.
    case down
    /// Toward zero: the remainder has the sign of the dividend.
    case towardZero
  }

  /// Quotients up to here come out of floating-point division, rounded to the nearest integer.
  ///
  /// The dividend less its remainder is a multiple of the divisor; rounding that difference and the
  /// division are each off by 2^-53 of the quotient, together by less than a half below 2^51.
  private static let exactQuotients = 0x1p50

  /// Returns the quotient of finite floats; the divisor is not 0.
  package static func quotient(_ left: Double, _ right: Double, _ rounding: Rounding)
    -> LargeInteger?
  {
    guard left.isFinite, !right.isNaN else { return nil }
    let remainder = left.truncatingRemainder(dividingBy: right)
    let isBelow = rounding == .down && remainder != 0 && (remainder < 0) != (right < 0)
    let estimate = (left - remainder) / right
    if estimate.magnitude <= exactQuotients {
      let truncated = Int(estimate.rounded())
      return LargeInteger(isBelow ? truncated - 1 : truncated)
    }
    guard let dividend = LargeInteger.fraction(of: left),
      let divisor = LargeInteger.fraction(of: right)
    else { return nil }
    return quotient(dividend, divisor, rounding)
  }

  /// A fraction of integers; the denominator is greater than 0.
  package typealias Ratio = (numerator: LargeInteger, denominator: LargeInteger)

  /// Returns the quotient of fractions; the divisor is not 0.
  package static func quotient(
    _ left: Ratio, _ right: Ratio, _ rounding: Rounding
  ) -> LargeInteger? {
    let dividend = left.numerator * right.denominator
    let divisor = right.numerator * left.denominator
    return rounding == .down
      ? dividend.dividedFlooring(by: divisor, poll: {})?.quotient
      : dividend.dividedTruncating(by: divisor, poll: {})?.quotient
  }

  /// Returns the remainder of floats; the divisor is not 0.
  package static func remainder(_ left: Double, _ right: Double, _ rounding: Rounding) -> Double {
    let remainder = left.truncatingRemainder(dividingBy: right)
    guard rounding == .down, remainder != 0, (remainder < 0) != (right < 0) else {
      return remainder
    }
    // A dividend much smaller than the divisor would round to the divisor itself.
    return nearest(remainder + right, inside: right)
  }

  /// The float nearest to a remainder that is less than the divisor, however close it is.
  private static func nearest(_ remainder: Double, inside divisor: Double) -> Double {
    guard remainder.magnitude >= divisor.magnitude, divisor.isFinite else { return remainder }
    return remainder < 0 ? -divisor.magnitude.nextDown : divisor.magnitude.nextDown
  }
}
