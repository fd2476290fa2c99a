/// Order and equality.
extension LargeInteger: Comparable {
  /// Whether both are the same number.
  public static func == (left: LargeInteger, right: LargeInteger) -> Bool {
    left.isNegative == right.isNegative && left.limbs == right.limbs
  }

  /// Whether one is less than the other.
  public static func < (left: LargeInteger, right: LargeInteger) -> Bool {
    left.compared(to: right) < 0
  }

  /// Returns -1, 0 or 1 as the number is less than, equal to, or greater than another.
  ///
  /// - Complexity: O(1) unless the numbers agree in their highest limbs.
  package func compared(to other: LargeInteger) -> Int {
    if isNegative != other.isNegative { return isNegative ? -1 : 1 }
    let order = LargeInteger.compareMagnitudes(limbs.span, other.limbs.span)
    return isNegative ? -order : order
  }

  /// Returns -1, 0 or 1 as the number is less than, equal to, or greater than another.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func compared(to other: Int) -> Int {
    if isNegative != (other < 0) { return isNegative ? -1 : isZero && other == 0 ? 0 : 1 }
    let magnitude = UInt64(other.magnitude)
    let own = limbs.first ?? 0
    let order = limbs.count > 1 || own > magnitude ? 1 : own < magnitude ? -1 : 0
    return isNegative ? -order : order
  }

  /// Returns -1, 0 or 1 as the number is less than, equal to, or greater than a float, both taken
  /// for exactly what they are; nil if the float is not a number.
  package func compared(to other: Double) -> Int? {
    guard !other.isNaN else { return nil }
    guard let truncated = LargeInteger(truncating: other) else { return other < 0 ? 1 : -1 }
    let order = compared(to: truncated)
    if order != 0 { return order }
    // Only a float below 2^53 has a fraction.
    let fraction = truncated.exactInt.map { other - Double($0) } ?? 0
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
  }

  /// Compares two magnitudes without leading zeros.
  static func compareMagnitudes(_ a: Span<UInt64>, _ b: Span<UInt64>) -> Int {
    a.count == b.count ? Limbs.compare(a, b) : a.count < b.count ? -1 : 1
  }
}
