/// Numbers as text with a fixed number of decimal places, rounded exactly, half away from zero.
///
/// A number that rounds to zero has no minus sign. Without places there is no point. The text has
/// as many bytes as places and digits before them: who lets a program choose the places limits them.
package enum FixedPlacesText {
  /// Returns a fraction with some places, a negative number of which counts as none; nil if the
  /// denominator is zero.
  ///
  /// - Complexity: That of the division, and of the conversion to text, of numbers of as many
  ///   digits as the numerator and the places have.
  package static func text<Failure: Error>(
    numerator: LargeInteger, denominator: LargeInteger, places: Int,
    poll: () throws(Failure) -> Void
  ) throws(Failure) -> String? {
    guard !denominator.isZero else { return nil }
    let isNegative = numerator.isNegative != denominator.isNegative
    if denominator.limbs == [1] {
      return try text(
        numerator, isNegative: isNegative, places: 0, zeros: max(0, places), poll: poll)
    }
    // (2 * n * 10^places + d) / (2 * d), rounded down
    guard let power = try LargeInteger(10).power(max(0, places), poll: poll) else { return nil }
    let scaled = try numerator.absolute.multiplied(by: power, poll: poll)
    let divisor = denominator.absolute
    guard let division = try scaled.dividedTruncating(by: divisor, poll: poll) else { return nil }
    let isUp = division.remainder.shiftedLeft(by: 1) >= divisor
    return try text(
      isUp ? division.quotient + 1 : division.quotient, isNegative: isNegative,
      places: max(0, places), zeros: 0, poll: poll)
  }

  /// Returns a float with some places, a negative number of which counts as none, rounded from its
  /// exact value; nil if the float is infinite or not a number.
  ///
  /// - Complexity: O(1), apart from the zeros beyond the 1074 places that a float may have.
  package static func text<Failure: Error>(
    _ value: Double, places: Int, poll: () throws(Failure) -> Void
  ) throws(Failure) -> String? {
    guard let fraction = LargeInteger.fraction(of: value) else { return nil }
    // With a denominator of 2^n all places after the n-th are zero.
    let exact = fraction.denominator.trailingZeroBitCount
    let places = max(0, places)
    let computed = min(places, exact)
    let power = LargeInteger.powerOfTen(computed)
    let scaled = fraction.numerator.absolute * power
    // The floor of x + 1/2, in units of 2^-n.
    let half = exact > 0 ? LargeInteger.one.shiftedLeft(by: exact - 1) : .zero
    let rounded = (scaled + half).shiftedRight(by: exact)
    return try text(
      rounded, isNegative: value < 0, places: computed, zeros: places - computed, poll: poll)
  }

  /// Returns the text of `magnitude / 10^places`, and some zeros.
  private static func text<Failure: Error>(
    _ magnitude: LargeInteger, isNegative: Bool, places: Int, zeros: Int,
    poll: () throws(Failure) -> Void
  ) throws(Failure) -> String {
    let digits = try magnitude.absolute.text(radix: 10, poll: poll).utf8
    let missing = max(0, places + 1 - digits.count)
    var text: [UInt8] = isNegative && !magnitude.isZero ? [UInt8(ascii: "-")] : []
    text.reserveCapacity(digits.count + missing + zeros + 2)
    text += [UInt8](repeating: UInt8(ascii: "0"), count: missing)
    text += digits
    if places + zeros > 0 { text.insert(UInt8(ascii: "."), at: text.count - places) }
    text += [UInt8](repeating: UInt8(ascii: "0"), count: zeros)
    return String(decoding: text, as: UTF8.self)
  }
}
