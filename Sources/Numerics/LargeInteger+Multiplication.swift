/// Products and squares.
///
/// The method depends on the size of the shorter factor: digit by digit, by halves, by a
/// number-theoretic transform. The thresholds are measured (x86-64). Thirds (Toom-Cook) are not
/// worth their code: between halves and transform they gain at most a tenth.
extension LargeInteger {
  /// The number of limbs from which on halves (Karatsuba) are faster than digit by digit.
  static let halvesThreshold = 44

  /// The number of limbs from which on a transform is faster than halves.
  static let transformThreshold = 500

  /// The number of limbs from which on squares by halves are faster than digit by digit.
  static let halvesSquareThreshold = 64

  /// The number of limbs from which on squares by a transform are faster than by halves.
  static let transformSquareThreshold = 650

  /// The number of limbs of a product from which on no transform is large enough.
  private static let transformLimit = 1 << 29

  /// The number of products of limbs that may be computed without asking the poll: 0.15 ms.
  private static let workBetweenPolls = 1 << 18

  package static func * (left: LargeInteger, right: LargeInteger) -> LargeInteger {
    left.multiplied(by: right) {}
  }

  /// Returns the product with a number of machine size.
  ///
  /// - Complexity: O(n) for a number of n limbs.
  package static func * (left: LargeInteger, right: Int) -> LargeInteger {
    let isNegative = left.isNegative != (right < 0)
    let factor = UInt64(right.magnitude)
    return left.limbs.count <= 2
      ? shortProduct(left.limbs, factor, 0, isNegative: isNegative)
      : LargeInteger(
        isNegative: isNegative, limbs: right == 0 ? [] : Limbs.product(left.limbs.span, factor))
  }

  /// Returns the exact product of two numbers of machine size.
  package static func product(_ left: Int, _ right: Int) -> LargeInteger {
    let product = UInt64(left.magnitude).multipliedFullWidth(by: UInt64(right.magnitude))
    return LargeInteger(
      isNegative: (left < 0) != (right < 0), product.low, product.high)
  }

  /// Returns the product with another number.
  ///
  /// - Complexity: O(n log n) for two numbers of n limbs, O(n squared) up to some 40 limbs.
  @inlinable
  public func multiplied<Failure: Error>(
    by other: LargeInteger, poll: () throws(Failure) -> Void
  ) throws(Failure) -> LargeInteger {
    let isNegative = isNegative != other.isNegative
    if limbs.count <= 2 && other.limbs.count <= 2 {
      return LargeInteger.shortProduct(
        limbs, other.limbs.first ?? 0, other.limbs.count > 1 ? other.limbs[1] : 0,
        isNegative: isNegative)
    }
    return LargeInteger(
      isNegative: isNegative,
      limbs: try LargeInteger.product(limbs, other.limbs, poll: poll))
  }

  /// Returns the product with itself.
  ///
  /// - Complexity: As the product, about two thirds of its time.
  package func squared<Failure: Error>(
    poll: () throws(Failure) -> Void
  ) throws(Failure) -> LargeInteger {
    if limbs.count <= 2 {
      return LargeInteger.shortProduct(
        limbs, limbs.first ?? 0, limbs.count > 1 ? limbs[1] : 0, isNegative: false)
    }
    var square = [UInt64](repeating: 0, count: 2 * limbs.count)
    try LargeInteger.square(limbs.span, into: &square, at: 0, poll: poll)
    return LargeInteger(limbs: square)
  }

  /// Returns the product of two magnitudes of up to two limbs.
  @usableFromInline
  static func shortProduct(
    _ a: [UInt64], _ b0: UInt64, _ b1: UInt64, isNegative: Bool
  ) -> LargeInteger {
    let (a0, a1) = (a.first ?? 0, a.count > 1 ? a[1] : 0)
    var third: UInt64 = 0
    let first = Limbs.product(a0, b0, &third)
    var second = Limbs.product(a1, b0, &third)
    var fourth: UInt64 = 0
    second = Limbs.product(a0, b1, plus: second, &fourth)
    third = Limbs.product(a1, b1, plus: third, &fourth)
    return LargeInteger(isNegative: isNegative, first, second, third, fourth)
  }

  /// Returns the product of two magnitudes, with leading zeros or without.
  @inlinable
  static func product<Failure: Error>(
    _ a: [UInt64], _ b: [UInt64], poll: () throws(Failure) -> Void
  ) throws(Failure) -> [UInt64] {
    if let product = digitProduct(a, b) { return product }
    return try longProduct(a, b, poll: poll)
  }

  /// Returns the product of two magnitudes, digit by digit; nil when they are too long for that.
  @usableFromInline
  static func digitProduct(_ a: [UInt64], _ b: [UInt64]) -> [UInt64]? {
    a.count < halvesThreshold && b.count < halvesThreshold ? Limbs.product(a.span, b.span) : nil
  }

  @usableFromInline
  static func longProduct<Failure: Error>(
    _ a: [UInt64], _ b: [UInt64], poll: () throws(Failure) -> Void
  ) throws(Failure) -> [UInt64] {
    try product(a.span, b.span, poll: poll)
  }

  /// Returns the product of two magnitudes, with leading zeros or without.
  static func product<Failure: Error>(
    _ a: Span<UInt64>, _ b: Span<UInt64>, poll: () throws(Failure) -> Void
  ) throws(Failure) -> [UInt64] {
    if a.count < halvesThreshold && b.count < halvesThreshold {
      return Limbs.product(a, b)
    }
    var product = [UInt64](repeating: 0, count: a.count + b.count)
    try multiply(a, b, into: &product, at: 0, poll: poll)
    return product
  }

  /// Writes the product of two magnitudes over `a.count + b.count` limbs of an array.
  static func multiply<Failure: Error>(
    _ a: Span<UInt64>, _ b: Span<UInt64>, into target: inout [UInt64], at offset: Int,
    poll: () throws(Failure) -> Void
  ) throws(Failure) {
    guard a.count >= b.count else {
      return try multiply(b, a, into: &target, at: offset, poll: poll)
    }
    if b.count < halvesThreshold {
      if a.count * b.count <= workBetweenPolls {
        Limbs.multiply(a, b, into: &target, at: offset)
      } else {
        let part = workBetweenPolls / b.count
        try multiplyInParts(a, b, part: part, into: &target, at: offset, poll: poll)
      }
    } else if b.count >= transformThreshold && a.count + b.count < transformLimit {
      try multiplyByTransform(a, b, into: &target, at: offset, poll: poll)
    } else if b.count <= (a.count + 1) / 2 {
      try multiplyInParts(a, b, part: b.count, into: &target, at: offset, poll: poll)
    } else {
      try multiplyByHalves(a, b, into: &target, at: offset, poll: poll)
    }
  }

  /// Writes the square of a magnitude over `2 * a.count` limbs of an array.
  static func square<Failure: Error>(
    _ a: Span<UInt64>, into target: inout [UInt64], at offset: Int,
    poll: () throws(Failure) -> Void
  ) throws(Failure) {
    if a.count < halvesSquareThreshold {
      Limbs.square(a, into: &target, at: offset)
    } else if a.count >= transformSquareThreshold && 2 * a.count < transformLimit {
      try squareByTransform(a, into: &target, at: offset, poll: poll)
    } else {
      try squareByHalves(a, into: &target, at: offset, poll: poll)
    }
  }

  /// Multiplies a number by a much shorter one, some of its limbs at a time.
  private static func multiplyInParts<Failure: Error>(
    _ a: Span<UInt64>, _ b: Span<UInt64>, part: Int, into target: inout [UInt64],
    at offset: Int, poll: () throws(Failure) -> Void
  ) throws(Failure) {
    let end = offset + a.count + b.count
    for i in offset..<end { target[i] = 0 }
    var start = 0
    while start < a.count {
      try poll()
      let stop = min(start + part, a.count)
      let product = try product(a.extracting(start..<stop), b, poll: poll)
      Limbs.add(product.span, to: &target, in: offset + start..<end)
      start = stop
    }
  }
}
