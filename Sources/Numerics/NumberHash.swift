/// Hashes under which equal numbers of all kinds agree: 3, 3.0 and 6/2 have the same.
///
/// The hash is the number modulo the prime `2^61 - 1`, of a negative number the negative hash of
/// its magnitude; fractions, and so floats, have a value modulo a prime as integers do. It is the
/// same in every process; small integers are their own hash, so a table must scatter it.
///
/// Algorithm: The numeric hash of Python, "Hashing of numeric types", since 3.2, 2011.
public enum NumberHash {
  /// `2^61 - 1`.
  @usableFromInline static var prime: UInt64 { 1 << 61 - 1 }

  /// The hash of infinity, and of a fraction whose denominator is a multiple of the prime.
  private static let infinite = 314_159

  /// Returns the hash of a number of machine size.
  @inlinable
  public static func hash(_ value: Int) -> Int {
    signed(reduced(UInt64(value.magnitude)), value < 0)
  }

  /// Returns the hash of a number of any size.
  ///
  /// - Complexity: O(n) for n limbs.
  package static func hash(_ value: LargeInteger) -> Int {
    signed(magnitudeHash(value), value.isNegative)
  }

  /// Returns the hash of a float; all that are not numbers have the same.
  package static func hash(_ value: Double) -> Int {
    guard value.isFinite else {
      return value.isNaN ? 0 : value < 0 ? -infinite : infinite
    }
    let isSubnormal = value.exponentBitPattern == 0
    let significand = value.significandBitPattern | (isSubnormal ? 0 : 1 << 52)
    let exponent = Int(value.exponentBitPattern) - (isSubnormal ? 1074 : 1075)
    // 2^61 is one, so that a power of two, also a negative one, rotates the 61 bits.
    let shift = UInt64((exponent % 61 + 61) % 61)
    let rotated = (significand << shift | significand >> (61 - shift)) & prime
    return signed(reduced(rotated), value < 0)
  }

  /// Returns the hash of a fraction, which need not be in lowest terms.
  ///
  /// - Complexity: O(n) for numbers of n limbs.
  package static func hash(numerator: LargeInteger, denominator: LargeInteger) -> Int {
    let isNegative = numerator.isNegative != denominator.isNegative
    let divisor = magnitudeHash(denominator)
    guard divisor != 0 else { return isNegative ? -infinite : infinite }
    // By Fermat the inverse is a power: all bits of the exponent 2^61 - 3 are set but one.
    var inverse: UInt64 = 1
    for bit in (0..<61).reversed() {
      inverse = product(inverse, inverse)
      if bit != 1 { inverse = product(inverse, divisor) }
    }
    return signed(product(magnitudeHash(numerator), inverse), isNegative)
  }

  private static func magnitudeHash(_ value: LargeInteger) -> UInt64 {
    var hash: UInt64 = 0
    for limb in value.limbs.reversed() {
      // 2^64 is 8.
      hash = reduced((hash << 3 & prime) + hash >> 58 + reduced(limb))
    }
    return hash
  }

  @inlinable
  static func signed(_ hash: UInt64, _ isNegative: Bool) -> Int {
    isNegative ? -Int(hash) : Int(hash)
  }

  /// Returns a value modulo the prime.
  @inlinable
  static func reduced(_ value: UInt64) -> UInt64 {
    let sum = (value & prime) + value >> 61
    return sum >= prime ? sum - prime : sum
  }

  private static func product(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return reduced((product.low & prime) + (product.high << 3 | product.low >> 61))
  }
}

extension LargeInteger {
  /// A hash on which equal numbers agree, of whatever kind (`NumberHash`).
  var hashValue64: Int { NumberHash.hash(self) }
}
