/// The arithmetic of the numbers modulo `p = 2^62 - 2^46 + 1`, in which the number-theoretic
/// transform of `LargeInteger` runs.
///
/// The prime leaves two bits free, so that sums and differences need not be reduced at once: an
/// element is any number less than `4 * p` with the right remainder. Nothing here branches on data,
/// which would be guessed wrong every other time: reductions that branch cost 9 ns for each step
/// of a transform, these 1.5 ns. As `p - 1` is a multiple of `3 * 2^46`, there are roots of one for
/// all transforms of `2^k` and `3 * 2^k` places that fit in memory.
///
/// Algorithm: Harvey, "Faster arithmetic for number-theoretic transforms", Journal of Symbolic
/// Computation, 2014.
enum TransformField {
  /// The prime `p`.
  static let prime: UInt64 = 0x3FFF_C000_0000_0001

  /// A number whose powers are all elements but zero.
  private static let generator: UInt64 = 11

  /// The prime as a divisor.
  private static let divisor = LimbDivisor(prime)

  /// A factor with which much is multiplied.
  struct Factor {
    /// The canonical value, `0 ..< p`.
    let value: UInt64

    /// `value * 2^64 / p`, rounded down.
    fileprivate let quotient: UInt64

    /// Creates the factor for a value in `0 ..< p`.
    init(_ value: UInt64) {
      precondition(value < prime, "factor out of range")
      self.value = value
      var rest = value
      quotient = divisor.divide(0, &rest)
    }

    /// The negative of the factor.
    var negated: Factor { Factor(value == 0 ? 0 : prime - value) }

    /// Returns the product with another factor.
    func times(_ other: Factor) -> Factor {
      Factor(canonical(product(value, other)))
    }
  }

  /// Returns an element less than `2 * p` for one less than `4 * p`.
  @inline(__always)
  static func reduced(_ a: UInt64) -> UInt64 {
    let difference = a &- 2 &* prime
    return difference &+ (sign(difference) & (2 &* prime))
  }

  /// Returns the element less than `p` for one less than `2 * p`.
  @inline(__always)
  static func canonical(_ a: UInt64) -> UInt64 {
    let difference = a &- prime
    return difference &+ (sign(difference) & prime)
  }

  /// All ones if the highest bit is set, else zero.
  @inline(__always)
  private static func sign(_ a: UInt64) -> UInt64 {
    UInt64(bitPattern: Int64(bitPattern: a) &>> 63)
  }

  /// Returns the sum, less than `4 * p`, of two elements less than `2 * p`.
  @inline(__always)
  static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
    a &+ b
  }

  /// Returns the difference, less than `4 * p`, of two elements less than `2 * p`.
  @inline(__always)
  static func difference(_ a: UInt64, _ b: UInt64) -> UInt64 {
    a &+ (2 &* prime &- b)
  }

  /// Returns the product, less than `2 * p`, of any number and a factor.
  @inline(__always)
  static func product(_ a: UInt64, _ factor: Factor) -> UInt64 {
    // The estimate of the quotient is at most one too small.
    let quotient = a.multipliedFullWidth(by: factor.quotient).high
    return a &* factor.value &- quotient &* prime
  }

  /// Returns the product of two elements less than `2 * p`, divided by `2^64`; less than `2 * p`.
  ///
  /// Algorithm: Montgomery, "Modular multiplication without trial division", 1985.
  @inline(__always)
  static func scaledProduct(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    let multiple = (product.low &* primeInverse).multipliedFullWidth(by: prime)
    return product.high &+ (prime &- multiple.high)
  }

  /// The inverse of `p` modulo `2^64`.
  private static let primeInverse: UInt64 = 0xC000_4000_0000_0001

  /// Returns an element to some power, canonical.
  static func power(_ base: UInt64, _ exponent: UInt64) -> UInt64 {
    var result: UInt64 = 1
    var square = Factor(base)
    var rest = exponent
    while rest > 0 {
      if rest & 1 == 1 { result = canonical(product(result, square)) }
      square = square.times(square)
      rest &>>= 1
    }
    return result
  }

  /// Returns the inverse of a canonical element; zero for zero.
  static func inverse(_ a: UInt64) -> UInt64 {
    power(a, prime - 2)
  }

  /// A primitive cube root of one.
  static var cubeRoot: Factor { Factor(power(generator, (prime - 1) / 3)) }

  /// The factor that undoes the scale of a transform, and that of its `scaledProduct`.
  static func scale(size: Int) -> Factor {
    let unscaled = inverse(UInt64(size) % prime)
    let power64 = (UInt64.max % prime) + 1
    return Factor(power64).times(Factor(unscaled))
  }

  /// Returns a primitive root of one of order `2^exponent`, for `0 ... 46`.
  ///
  /// The square of the root for one exponent is the root for the exponent before it.
  private static func root(ofOrderExponent exponent: Int) -> Factor {
    Factor(power(generator, (prime - 1) &>> UInt64(exponent)))
  }

  /// Returns the place at which a table made by `roots` holds the negated inverse of its root at
  /// `index`, which is not zero.
  @inline(__always)
  static func inverseIndex(_ index: Int) -> Int {
    // The root at an index of k + 1 bits has for its exponent the bits reversed, an odd multiple
    // of 2^-(k+2). Flipping all but the highest bit mirrors it at one half: w becomes -1/w.
    index ^ ((1 &<< (Int.bitWidth &- 1 &- index.leadingZeroBitCount)) &- 1)
  }

  /// Returns the roots that split `x^size - 1` into linear factors, in the order in which
  /// `Limbs.splitHalves` wants them.
  ///
  /// The root at index `i` is a square root of the one at `i / 2`, times the square root of -1 when
  /// `i` is odd, so that the parts of each level read their roots one after the other. The first
  /// half of the table is the table for half the size.
  ///
  /// - Requires: The size is a power of two, `2 ... 2^46`.
  static func roots<Failure: Error>(
    size: Int, poll: () throws(Failure) -> Void
  ) throws(Failure) -> [Factor] {
    var roots = [Factor(1)]
    roots.reserveCapacity(size / 2)
    var exponent = 2
    while roots.count < size / 2 {
      let root = root(ofOrderExponent: exponent)
      for i in roots.indices { roots.append(roots[i].times(root)) }
      exponent += 1
      try poll()
    }
    return roots
  }
}
