/// Quotients and remainders, truncated and floored.
extension LargeInteger {
  /// The number of limbs of a quotient from which on division by halves is faster than digit by
  /// digit.
  static let recursiveDivisionThreshold = 30

  /// The number of products of limbs that may be computed without asking the poll: 0.2 ms.
  private static let workBetweenPolls = 1 << 18

  /// A quotient and the remainder that belongs to it.
  package typealias Division = (quotient: LargeInteger, remainder: LargeInteger)

  /// Returns the quotient truncated toward zero and the remainder with the sign of the receiver,
  /// as `quo:` and `rem:`; nil when the divisor is zero.
  ///
  /// - Complexity: For n limbs by m limbs, O(m * (n - m)) up to some 30 limbs, then
  ///   O(M(m) log m) for each m limbs of the quotient, M being the cost of a product.
  package func dividedTruncating<Failure: Error>(
    by divisor: LargeInteger, poll: () throws(Failure) -> Void
  ) throws(Failure) -> Division? {
    if divisor.limbs.count <= 1 {
      guard let limb = divisor.limbs.first else { return nil }
      let (quotient, remainder) = try LargeInteger.divide(limbs, by: limb, poll: poll)
      return (
        LargeInteger(isNegative: isNegative != divisor.isNegative, limbs: quotient),
        LargeInteger(isNegative: isNegative, limb: remainder)
      )
    }
    let (quotient, remainder) = try LargeInteger.divide(
      limbs.span, by: divisor.limbs.span, poll: poll)
    return (
      LargeInteger(isNegative: isNegative != divisor.isNegative, limbs: quotient),
      LargeInteger(isNegative: isNegative, limbs: remainder)
    )
  }

  /// Returns the quotient rounded down and the remainder with the sign of the divisor, as `div:`
  /// and `mod:`; nil when the divisor is zero.
  ///
  /// - Complexity: As `dividedTruncating(by:poll:)`.
  package func dividedFlooring<Failure: Error>(
    by divisor: LargeInteger, poll: () throws(Failure) -> Void
  ) throws(Failure) -> Division? {
    guard let (quotient, remainder) = try dividedTruncating(by: divisor, poll: poll) else {
      return nil
    }
    return remainder.isZero || isNegative == divisor.isNegative
      ? (quotient, remainder) : (quotient - 1, remainder + divisor)
  }

  /// Returns the quotient by a number of machine size truncated toward zero, and the remainder with
  /// the sign of the receiver; nil when the divisor is zero.
  ///
  /// - Complexity: O(n) for n limbs.
  package func dividedTruncating(by divisor: Int) -> (quotient: LargeInteger, remainder: Int)? {
    guard divisor != 0 else { return nil }
    let (quotient, remainder) = LargeInteger.divide(limbs, by: UInt64(divisor.magnitude)) {}
    // Less than the divisor's magnitude, so it fits whatever its sign.
    let magnitude = Int(truncatingIfNeeded: remainder)
    return (
      LargeInteger(isNegative: isNegative != (divisor < 0), limbs: quotient),
      isNegative ? -magnitude : magnitude
    )
  }

  /// Returns the quotient by a number of machine size rounded down, and the remainder with the sign
  /// of the divisor; nil when the divisor is zero.
  ///
  /// - Complexity: O(n) for n limbs.
  package func dividedFlooring(by divisor: Int) -> (quotient: LargeInteger, remainder: Int)? {
    guard let (quotient, remainder) = dividedTruncating(by: divisor) else { return nil }
    return remainder == 0 || isNegative == (divisor < 0)
      ? (quotient, remainder) : (quotient - 1, remainder + divisor)
  }

  /// Divides a magnitude by one limb.
  ///
  /// - Requires: The divisor is not zero.
  private static func divide<Failure: Error>(
    _ limbs: [UInt64], by divisor: UInt64, poll: () throws(Failure) -> Void
  ) throws(Failure) -> (quotient: [UInt64], remainder: UInt64) {
    if limbs.count <= 1 {
      let limb = limbs.first ?? 0
      return limb < divisor ? ([], limb) : ([limb / divisor], limb % divisor)
    }
    var quotient = limbs
    var remainder: UInt64 = 0
    let divisor = LimbDivisor(divisor)
    var end = limbs.count
    while end > 0 {
      let start = max(0, end - workBetweenPolls)
      remainder = Limbs.divide(&quotient, in: start..<end, by: divisor, remainder: remainder)
      end = start
      if end > 0 { try poll() }
    }
    if quotient.last == 0 { quotient.removeLast() }
    return (quotient, remainder)
  }

  /// Divides a magnitude by another of two limbs or more, neither with leading zeros; the results
  /// may have some.
  static func divide<Failure: Error>(
    _ dividend: Span<UInt64>, by divisor: Span<UInt64>, poll: () throws(Failure) -> Void
  ) throws(Failure) -> (quotient: [UInt64], remainder: [UInt64]) {
    let count = divisor.count
    guard compareMagnitudes(dividend, divisor) >= 0 else {
      return ([], Limbs.shiftedRight(dividend, limbs: 0, bits: 0))
    }
    // With the highest bit of the divisor set, its first limbs tell a quotient's limb apart.
    let shift = divisor[count - 1].leadingZeroBitCount
    var rest = Limbs.shiftedLeft(dividend, limbs: 0, bits: shift, isTrimmed: false)
    let divisor = Limbs.shiftedLeft(divisor, limbs: 0, bits: shift)
    var rows = rest.count - count
    var quotient = [UInt64](repeating: 0, count: rows)
    let inverse = LimbDivisor.inverse(of: divisor[count - 1], divisor[count - 2])
    // From the top, as many limbs of the quotient at a time as a long divisor has.
    let limit = count < recursiveDivisionThreshold ? rows : count
    while rows > 0 {
      let part = rows % limit == 0 ? limit : rows % limit
      rows -= part
      if rows > 0 { try poll() }
      try divide(
        &rest, at: rows, by: divisor.span, inverse: inverse, quotient: &quotient, at: rows,
        rows: part, poll: poll)
    }
    rest.removeLast(rest.count - count)
    Limbs.shiftRight(&rest, bits: shift)
    return (quotient, rest)
  }

  /// Computes some limbs of a quotient and returns the limb that stands above them, 0 or 1.
  ///
  /// Divides the `rows + divisor.count` limbs of `rest` from `offset` on by `divisor`. The quotient
  /// goes to the `rows` limbs of `quotient` from `target` on, the remainder stays in the low limbs
  /// of `rest`.
  ///
  /// - Requires: The highest bit of the divisor is set; it has two limbs or more, and as many as
  ///   there are rows or less than the threshold; `inverse` is that of its two highest limbs.
  ///
  /// Algorithm: Burnikel and Ziegler, "Fast recursive division", 1998, in the form of Brent and
  /// Zimmermann, "Modern computer arithmetic", 2010, algorithm 1.8, without padding to even sizes:
  /// a divisor longer than the quotient is first replaced by its upper part.
  @discardableResult
  static func divide<Failure: Error>(
    _ rest: inout [UInt64], at offset: Int, by divisor: Span<UInt64>, inverse: UInt64,
    quotient: inout [UInt64], at target: Int, rows: Int, poll: () throws(Failure) -> Void
  ) throws(Failure) -> UInt64 {
    let count = divisor.count
    if min(rows, count) < recursiveDivisionThreshold {
      let window = offset + rows..<offset + rows + count
      let overflow: UInt64 = Limbs.compare(rest.span.extracting(window), divisor) >= 0 ? 1 : 0
      if overflow > 0 { Limbs.subtract(divisor, from: &rest, in: window) }
      var end = rows
      while end > 0 {
        if count * rows > workBetweenPolls { try poll() }
        let start = max(0, end - max(1, workBetweenPolls / count))
        Limbs.divide(
          &rest, at: offset, by: divisor, inverse: inverse, quotient: &quotient, at: target,
          rows: start..<end)
        end = start
      }
      return overflow
    }
    precondition(rows <= count, "quotient longer than the divisor")
    guard rows < count else {
      let low = rows / 2
      let overflow = try divide(
        &rest, at: offset + low, by: divisor, inverse: inverse, quotient: &quotient,
        at: target + low, rows: rows - low, poll: poll)
      try divide(
        &rest, at: offset, by: divisor, inverse: inverse, quotient: &quotient, at: target,
        rows: low, poll: poll)
      return overflow
    }
    // The upper part of the divisor gives an estimate that is at most two too large.
    let lower = count - rows
    var overflow = try divide(
      &rest, at: offset + lower, by: divisor.extracting(lower...), inverse: inverse,
      quotient: &quotient, at: target, rows: rows, poll: poll)
    let window = offset..<offset + count
    let lowDivisor = divisor.extracting(..<lower)
    let product = try product(
      quotient.span.extracting(target..<target + rows), lowDivisor, poll: poll)
    var borrows = Limbs.subtract(product.span, from: &rest, in: window) ? 1 : 0
    if overflow > 0 {
      let upper = offset + rows..<window.upperBound
      borrows += Limbs.subtract(lowDivisor, from: &rest, in: upper) ? 1 : 0
    }
    while borrows > 0 {
      if Limbs.subtract(1, from: &quotient, in: target..<target + rows) { overflow &-= 1 }
      if Limbs.add(divisor, to: &rest, in: window) { borrows -= 1 }
    }
    return overflow
  }
}
