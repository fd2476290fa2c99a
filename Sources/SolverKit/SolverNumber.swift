/// A number as solvers compute with it: an exact fraction as long as it fits in 64 bits, else a
/// double.
///
/// Results of exact operands are exact; with a double among the operands, or beyond 64 bits, they
/// are doubles.
@frozen
public struct SolverNumber: Sendable, BitwiseCopyable {
  /// The numerator; for a double its bits.
  @usableFromInline let bits: Int64
  /// The denominator, positive; 0 marks a double.
  @usableFromInline let divisor: Int64

  @inlinable
  @inline(__always)
  init(bits: Int64, divisor: Int64) {
    self.bits = bits
    self.divisor = divisor
  }

  /// Creates an integer.
  @inlinable
  @inline(__always)
  public init(_ integer: Int) { self.init(bits: Int64(integer), divisor: 1) }

  /// Creates a double.
  @inlinable
  @inline(__always)
  public init(_ double: Double) {
    self.init(bits: Int64(bitPattern: double.bitPattern), divisor: 0)
  }

  /// Creates a fraction; nil where the denominator is zero or the fraction does not fit.
  public init?(numerator: Int, denominator: Int) {
    guard denominator != 0, let made = SolverNumber.reduced(Int64(numerator), Int64(denominator))
    else { return nil }
    self = made
  }

  /// Zero.
  @inlinable public static var zero: SolverNumber { SolverNumber(bits: 0, divisor: 1) }
  /// One.
  @inlinable public static var one: SolverNumber { SolverNumber(bits: 1, divisor: 1) }

  /// Whether it is exact.
  @inlinable
  @inline(__always)
  public var isExact: Bool { divisor != 0 }

  /// The nearest double.
  @inlinable
  @inline(__always)
  public var double: Double {
    switch divisor {
    case 0: Double(bitPattern: UInt64(bitPattern: bits))
    case 1: Double(bits)
    default: Double(bits) / Double(divisor)
    }
  }

  /// The numerator and the denominator, in lowest terms; nil for a double.
  public var fraction: (numerator: Int, denominator: Int)? {
    isExact ? (Int(bits), Int(divisor)) : nil
  }

  /// Whether it is neither infinite nor no number at all.
  @inlinable
  @inline(__always)
  public var isFinite: Bool { isExact || double.isFinite }

  /// Returns the fraction in lowest terms with a positive denominator; nil where it does not fit.
  private static func reduced(_ numerator: Int64, _ denominator: Int64) -> SolverNumber? {
    if denominator == 1 { return SolverNumber(bits: numerator, divisor: 1) }
    var (a, b) = (numerator.magnitude, denominator.magnitude)
    while b != 0 { (a, b) = (b, a % b) }
    let top = numerator.magnitude / a
    let bottom = denominator.magnitude / a
    guard bottom <= UInt64(Int64.max) else { return nil }
    let isNegative = (numerator < 0) != (denominator < 0)
    guard top <= UInt64(Int64.max) else { return nil }
    return SolverNumber(
      bits: isNegative ? -Int64(top) : Int64(top), divisor: Int64(bottom))
  }
}

// MARK: - Arithmetic

extension SolverNumber {
  /// Returns the sum.
  @inlinable
  @inline(__always)
  public static func + (left: SolverNumber, right: SolverNumber) -> SolverNumber {
    if left.divisor | right.divisor == 0 { return SolverNumber(left.double + right.double) }
    if left.divisor == 1, right.divisor == 1 {
      let (sum, overflow) = left.bits.addingReportingOverflow(right.bits)
      if !overflow { return SolverNumber(bits: sum, divisor: 1) }
    }
    if left.divisor == 0 || right.divisor == 0 { return SolverNumber(left.double + right.double) }
    return left.addingFraction(right)
  }

  /// Returns the difference.
  @inlinable
  @inline(__always)
  public static func - (left: SolverNumber, right: SolverNumber) -> SolverNumber { left + -right }

  /// Returns the product.
  @inlinable
  @inline(__always)
  public static func * (left: SolverNumber, right: SolverNumber) -> SolverNumber {
    if left.divisor | right.divisor == 0 { return SolverNumber(left.double * right.double) }
    if left.divisor == 1, right.divisor == 1 {
      let (product, overflow) = left.bits.multipliedReportingOverflow(by: right.bits)
      if !overflow { return SolverNumber(bits: product, divisor: 1) }
    }
    // A product with zero is an exact zero, even of an infinite double.
    if left.isZero || right.isZero { return .zero }
    if left.divisor == 0 || right.divisor == 0 { return SolverNumber(left.double * right.double) }
    return left.multiplyingFraction(right)
  }

  /// Returns the quotient; for a divisor of zero an infinite double or none at all.
  public static func / (left: SolverNumber, right: SolverNumber) -> SolverNumber {
    if right.divisor != 0, right.bits != 0,
      let inverse = reduced(right.divisor, right.bits)
    {
      return left.divisor == 0 ? SolverNumber(left.double / right.double) : left * inverse
    }
    return SolverNumber(left.double / right.double)
  }

  /// Returns the number with the other sign.
  @inlinable
  @inline(__always)
  public static prefix func - (number: SolverNumber) -> SolverNumber {
    if number.divisor == 0 || number.bits == .min { return SolverNumber(-number.double) }
    return SolverNumber(bits: -number.bits, divisor: number.divisor)
  }

  @usableFromInline
  @inline(never)
  func addingFraction(_ other: SolverNumber) -> SolverNumber {
    // Over the least common denominator, so that intermediate values fit whenever the result does.
    var (common, rest) = (divisor, other.divisor)
    while rest != 0 { (common, rest) = (rest, common % rest) }
    let (scale, otherScale) = (other.divisor / common, divisor / common)
    let (first, overflow1) = bits.multipliedReportingOverflow(by: scale)
    let (second, overflow2) = other.bits.multipliedReportingOverflow(by: otherScale)
    let (sum, overflow3) = first.addingReportingOverflow(second)
    let (product, overflow4) = divisor.multipliedReportingOverflow(by: scale)
    if !overflow1, !overflow2, !overflow3, !overflow4,
      let made = SolverNumber.reduced(sum, product)
    {
      return made
    }
    return SolverNumber(double + other.double)
  }

  @usableFromInline
  @inline(never)
  func multiplyingFraction(_ other: SolverNumber) -> SolverNumber {
    // Reduced crosswise first, so that the product fits whenever its lowest terms do.
    if let left = SolverNumber.reduced(bits, other.divisor),
      let right = SolverNumber.reduced(other.bits, divisor)
    {
      let (top, overflow1) = left.bits.multipliedReportingOverflow(by: right.bits)
      let (bottom, overflow2) = left.divisor.multipliedReportingOverflow(by: right.divisor)
      if !overflow1, !overflow2 { return SolverNumber(bits: top, divisor: bottom) }
    }
    return SolverNumber(double * other.double)
  }
}

// MARK: - Comparison

extension SolverNumber: Comparable {
  /// Whether it is zero.
  @inlinable
  @inline(__always)
  public var isZero: Bool { divisor == 0 ? double == 0 : bits == 0 }

  /// Whether it is less than zero.
  @inlinable
  @inline(__always)
  public var isNegative: Bool { divisor == 0 ? double < 0 : bits < 0 }

  /// The number without its sign.
  @inlinable
  @inline(__always)
  public var magnitude: SolverNumber { isNegative ? -self : self }

  /// Returns whether two numbers are equal, exact or not.
  @inlinable
  @inline(__always)
  public static func == (left: SolverNumber, right: SolverNumber) -> Bool {
    if left.isExact, right.isExact {
      return left.bits == right.bits && left.divisor == right.divisor
    }
    return left.double == right.double
  }

  /// Returns whether the left number is less than the right one.
  public static func < (left: SolverNumber, right: SolverNumber) -> Bool {
    if left.isExact, right.isExact {
      if left.divisor == right.divisor { return left.bits < right.bits }
      let (high1, low1) = left.bits.multipliedFullWidth(by: right.divisor)
      let (high2, low2) = right.bits.multipliedFullWidth(by: left.divisor)
      return high1 == high2 ? low1 < low2 : high1 < high2
    }
    return left.double < right.double
  }
}

extension SolverNumber: CustomStringConvertible {
  /// The number as text: `3`, `1/3`, `0.5`.
  public var description: String {
    guard let (numerator, denominator) = fraction else { return "\(double)" }
    return denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)"
  }
}
