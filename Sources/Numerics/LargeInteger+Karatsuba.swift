/// Multiplication by halves.
extension LargeInteger {
  /// The number of limbs from which on a product by halves asks the poll.
  private static let pollingThreshold = 256

  /// Writes the product of two numbers over `a.count + b.count` limbs of an array.
  ///
  /// - Requires: `b` is not longer than `a`, and longer than half of it.
  /// - Complexity: O(n^1.58).
  ///
  /// Algorithm: Karatsuba and Ofman, "Multiplication of many-digital numbers by automatic
  /// computers", 1962, with the differences of the halves instead of their sums, which have no
  /// carry (Knuth, "The Art of Computer Programming", volume 2, 1997, 4.3.3).
  static func multiplyByHalves<Failure: Error>(
    _ a: Span<UInt64>, _ b: Span<UInt64>, into target: inout [UInt64], at offset: Int,
    poll: () throws(Failure) -> Void
  ) throws(Failure) {
    if b.count >= pollingThreshold { try poll() }
    let half = (a.count + 1) / 2
    precondition(a.count >= b.count && b.count > half, "factors of too different length")
    let (aLow, aHigh) = (a.extracting(..<half), a.extracting(half...))
    let (bLow, bHigh) = (b.extracting(..<half), b.extracting(half...))
    var differences = [UInt64](repeating: 0, count: 2 * half)
    let isNegative =
      Limbs.absoluteDifference(aLow, aHigh, into: &differences, at: 0)
      != Limbs.absoluteDifference(bLow, bHigh, into: &differences, at: half)
    var middle = [UInt64](repeating: 0, count: 2 * half)
    try multiply(
      differences.span.extracting(..<half), differences.span.extracting(half...),
      into: &middle, at: 0, poll: poll)
    try multiply(aLow, bLow, into: &target, at: offset, poll: poll)
    try multiply(aHigh, bHigh, into: &target, at: offset + 2 * half, poll: poll)
    addMiddle(
      &middle, isNegative: isNegative, half: half, to: &target,
      in: offset..<offset + a.count + b.count)
  }

  /// Writes the square of a number over `2 * a.count` limbs of an array.
  ///
  /// - Requires: `a` has two limbs or more.
  /// - Complexity: O(n^1.58).
  static func squareByHalves<Failure: Error>(
    _ a: Span<UInt64>, into target: inout [UInt64], at offset: Int,
    poll: () throws(Failure) -> Void
  ) throws(Failure) {
    if a.count >= pollingThreshold { try poll() }
    let half = (a.count + 1) / 2
    precondition(a.count > half, "number too short")
    let (low, high) = (a.extracting(..<half), a.extracting(half...))
    var difference = [UInt64](repeating: 0, count: half)
    _ = Limbs.absoluteDifference(low, high, into: &difference, at: 0)
    var middle = [UInt64](repeating: 0, count: 2 * half)
    try square(difference.span, into: &middle, at: 0, poll: poll)
    try square(low, into: &target, at: offset, poll: poll)
    try square(high, into: &target, at: offset + 2 * half, poll: poll)
    addMiddle(
      &middle, isNegative: false, half: half, to: &target, in: offset..<offset + 2 * a.count)
  }

  /// Completes a product of which the products of the low and of the high halves are in place, by
  /// the product of the differences of the halves, `middle` with its sign.
  private static func addMiddle(
    _ middle: inout [UInt64], isNegative: Bool, half: Int, to target: inout [UInt64],
    in range: Range<Int>
  ) {
    let low = range.lowerBound..<range.lowerBound + 2 * half
    let high = range.lowerBound + 2 * half..<range.upperBound
    // middle := low + high - (aLow - aHigh) * (bLow - bHigh) = aLow * bHigh + aHigh * bLow
    var carry = 0
    if isNegative {
      carry += Limbs.add(target.span.extracting(low), to: &middle, in: middle.indices) ? 1 : 0
    } else {
      carry -= Limbs.subtract(from: target.span.extracting(low), &middle) ? 1 : 0
    }
    carry += Limbs.add(target.span.extracting(high), to: &middle, in: middle.indices) ? 1 : 0
    Limbs.add(middle.span, to: &target, in: range.lowerBound + half..<range.upperBound)
    if carry > 0 { Limbs.add(1, to: &target, in: range.lowerBound + 3 * half..<range.upperBound) }
  }
}
