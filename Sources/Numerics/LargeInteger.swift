// The kit of numbers: integers of any size (LargeInteger over Limbs), the texts of floats in both
// directions (FloatText, FixedPlacesText), hashes on which equal numbers agree (NumberHash), and quotients
// and steps of floats that are exact (FloatDivision, FloatSteps).
//
// It imports nothing and makes no values of the language: those, and the primitives, are in the runtime
// (Primitives/Machine+Numbers). Decimal numbers as formats write them are in Text, the numbers of solvers
// beside the solvers.

/// An integer of any size.
///
/// A value is a sign and a magnitude of 64-bit limbs; a number of `n` bits takes `n / 8` bytes and
/// a header of 32. There is no limit but memory: whoever evaluates a program bounds the sizes
/// before calling what multiplies them (`shiftedLeft(by:)`, `power(_:poll:)`, products), for which
/// `bitLength` and `bitLengthOfPower(_:)` say how large the result will be.
///
/// Operations that take more than linear time have a parameter `poll`, a closure that is called
/// about every 0.1 ms, not at all for small operands. If it throws, the operation ends with that
/// error; with a closure that cannot throw, nor can the operation. Passes of linear time are not
/// interrupted: the longest take 1 ms for a million digits.
public struct LargeInteger: Sendable {
  /// Whether the number is less than zero.
  public let isNegative: Bool

  /// The absolute value, the least significant limb first; the last limb is not zero.
  public let limbs: [UInt64]

  /// Creates a number from its parts; zeros at the end of the limbs and the sign of a zero are
  /// dropped.
  @inlinable public init(isNegative: Bool = false, limbs: [UInt64]) {
    if limbs.last == 0 {
      self.limbs = LargeInteger.significant(limbs)
    } else {
      self.limbs = limbs
    }
    self.isNegative = isNegative && !self.limbs.isEmpty
  }

  /// The limbs up to the highest that is not zero.
  @usableFromInline
  static func significant(_ limbs: [UInt64]) -> [UInt64] {
    Array(limbs[..<Limbs.significantCount(limbs.span)])
  }

  /// Creates a number from its sign and a magnitude of one limb.
  @inlinable public init(isNegative: Bool = false, limb: UInt64) {
    self.limbs = limb == 0 ? [] : [limb]
    self.isNegative = isNegative && limb != 0
  }

  /// Creates a number from its sign and a magnitude of up to four limbs, the lowest first.
  ///
  /// Results of this size need no loops; array literals are allocated in two thirds of the time of
  /// arrays whose size is only known when they are made.
  @inlinable public init(
    isNegative: Bool, _ a: UInt64, _ b: UInt64, _ c: UInt64 = 0, _ d: UInt64 = 0
  ) {
    limbs = d != 0 ? [a, b, c, d] : c != 0 ? [a, b, c] : b != 0 ? [a, b] : a != 0 ? [a] : []
    self.isNegative = isNegative && !limbs.isEmpty
  }

  /// Creates a number from one of machine size.
  @inlinable public init(_ value: Int) {
    self.init(isNegative: value < 0, limb: UInt64(value.magnitude))
  }

  /// Zero.
  public static let zero = LargeInteger(limb: 0)

  /// One.
  public static let one = LargeInteger(limb: 1)

  /// The number as one of machine size, nil if it does not fit.
  @inlinable public var exactInt: Int? {
    switch limbs.count {
    case 0: 0
    case 1: isNegative ? negatedInt(limbs[0]) : Int(exactly: limbs[0])
    default: nil
    }
  }

  @usableFromInline func negatedInt(_ magnitude: UInt64) -> Int? {
    magnitude <= UInt64(Int.min.magnitude) ? Int(truncatingIfNeeded: 0 &- magnitude) : nil
  }

  /// Whether the number is zero.
  @inlinable public var isZero: Bool { limbs.isEmpty }

  /// Whether the number is a multiple of two.
  public var isEven: Bool { limbs.first.map { $0 & 1 == 0 } ?? true }

  /// -1, 0 or 1 as the number is less than, equal to, or greater than zero.
  @inlinable public var sign: Int { isNegative ? -1 : limbs.isEmpty ? 0 : 1 }

  /// The absolute value.
  @inlinable public var absolute: LargeInteger {
    isNegative ? LargeInteger(limbs: limbs) : self
  }
}

extension LargeInteger: ExpressibleByIntegerLiteral {
  /// Creates the number that a literal is.
  @inlinable public init(integerLiteral value: Int) {
    self.init(value)
  }
}
