/// A Tenon value in one machine word: the only file that knows the encoding.
///
///     ...xxx1   SmallInteger, 63 bits
///     ...xx10   Float whose magnitude lies in about 1e-77 ... 1e77
///     ...x100   nil, false, true, Character, the zeros of Float, and words that are no values
///     ...x000   the address of a heap object, aligned to 16 bytes
///
/// Floats outside the immediate range are heap objects of the same class. Integer tags sit in the
/// lowest bit so that addition and comparison work on tagged words.
struct Value: Equatable, BitwiseCopyable, Sendable {
  let bits: UInt

  @inline(__always)
  init(bits: UInt) {
    self.bits = bits
  }
}

/// What code outside of this module may know of the encoding.
@usableFromInline
enum ValueEncoding {
  /// The integer of a word that is a SmallInteger.
  @inlinable
  @inline(__always)
  static func smallInteger(_ bits: Int) -> Int? { bits & 1 == 0 ? nil : bits >> 1 }
}

// MARK: - Constants

extension Value {
  @inline(__always) static var `nil`: Value { Value(bits: 0x04) }
  @inline(__always) static var `false`: Value { Value(bits: 0x0C) }
  @inline(__always) static var `true`: Value { Value(bits: 0x14) }

  /// What an evaluation answers instead of a value while the stack unwinds; never stored.
  @inline(__always) static var unwind: Value { Value(bits: 0x1C) }

  /// What a variable holds before it has been declared by running its declaration.
  @inline(__always) static var undefined: Value { Value(bits: 0x2C) }

  @inline(__always) var isNil: Bool { bits == 0x04 }
  @inline(__always) var isTrue: Bool { bits == 0x14 }
  @inline(__always) var isFalse: Bool { bits == 0x0C }
  @inline(__always) var isUnwind: Bool { bits == 0x1C }
  @inline(__always) var isUndefined: Bool { bits == 0x2C }
  @inline(__always) var isBoolean: Bool { bits == 0x14 || bits == 0x0C }

  /// The Boolean value for a condition.
  @inline(__always)
  init(_ condition: Bool) {
    self.init(bits: condition ? 0x14 : 0x0C)
  }
}

// MARK: - Integers

extension Value {
  /// The least integer that is a SmallInteger.
  static let smallIntegerMin = Int.min >> 1
  /// The greatest integer that is a SmallInteger.
  static let smallIntegerMax = Int.max >> 1

  @inline(__always) var isSmallInteger: Bool { bits & 1 != 0 }

  /// The integer of a SmallInteger; meaningless for other values.
  @inline(__always) var smallInteger: Int { Int(bitPattern: bits) >> 1 }

  /// The integer if this is a SmallInteger.
  @inline(__always) var asSmallInteger: Int? { isSmallInteger ? smallInteger : nil }

  /// The SmallInteger for an integer known to be in range.
  @inline(__always)
  init(small integer: Int) {
    assert(integer >= Value.smallIntegerMin && integer <= Value.smallIntegerMax)
    self.init(bits: UInt(bitPattern: integer &<< 1 | 1))
  }

  /// The SmallInteger for an integer, or nil when it needs a LargeInteger.
  @inline(__always)
  init?(exactlySmall integer: Int) {
    let (doubled, overflow) = integer.addingReportingOverflow(integer)
    if overflow { return nil }
    self.init(bits: UInt(bitPattern: doubled | 1))
  }

  /// Whether both are SmallIntegers.
  @inline(__always)
  static func areSmallIntegers(_ left: Value, _ right: Value) -> Bool {
    left.bits & right.bits & 1 != 0
  }

  /// The sum of two SmallIntegers, or nil when one is none or the sum needs a LargeInteger.
  @inline(__always)
  static func adding(_ left: Value, _ right: Value) -> Value? {
    guard areSmallIntegers(left, right) else { return nil }
    let (sum, overflow) = Int(bitPattern: left.bits)
      .addingReportingOverflow(Int(bitPattern: right.bits ^ 1))
    return overflow ? nil : Value(bits: UInt(bitPattern: sum))
  }

  /// The difference of two SmallIntegers, or nil when one is none or it needs a LargeInteger.
  @inline(__always)
  static func subtracting(_ left: Value, _ right: Value) -> Value? {
    guard areSmallIntegers(left, right) else { return nil }
    let (difference, overflow) = Int(bitPattern: left.bits)
      .subtractingReportingOverflow(Int(bitPattern: right.bits ^ 1))
    return overflow ? nil : Value(bits: UInt(bitPattern: difference))
  }

  /// The product of two SmallIntegers, or nil when one is none or it needs a LargeInteger.
  @inline(__always)
  static func multiplying(_ left: Value, _ right: Value) -> Value? {
    guard areSmallIntegers(left, right) else { return nil }
    let (product, overflow) = Int(bitPattern: left.bits ^ 1)
      .multipliedReportingOverflow(by: right.smallInteger)
    return overflow ? nil : Value(bits: UInt(bitPattern: product) | 1)
  }

  /// The quotient of two SmallIntegers; nil when one is none, or the quotient is no SmallInteger.
  @inline(__always)
  static func dividing(_ left: Value, _ right: Value) -> Value? {
    guard areSmallIntegers(left, right), right.smallInteger != 0 else { return nil }
    // SmallIntegers have a bit less than machine words: their quotient cannot overflow.
    let (quotient, remainder) = left.smallInteger
      .quotientAndRemainder(dividingBy: right.smallInteger)
    return remainder == 0 ? Value(exactlySmall: quotient) : nil
  }

  /// The quotient of two SmallIntegers, rounded down, or nil when there is none.
  @inline(__always)
  static func flooring(_ left: Value, _ right: Value) -> Value? {
    guard areSmallIntegers(left, right), right.smallInteger != 0 else { return nil }
    let (quotient, remainder) = left.smallInteger
      .quotientAndRemainder(dividingBy: right.smallInteger)
    let isAbove = remainder != 0 && (remainder ^ right.smallInteger) < 0
    return Value(exactlySmall: isAbove ? quotient &- 1 : quotient)
  }

  /// The remainder of `flooring`, or nil when there is none.
  @inline(__always)
  static func remainder(_ left: Value, _ right: Value) -> Value? {
    guard areSmallIntegers(left, right), right.smallInteger != 0 else { return nil }
    let remainder = left.smallInteger % right.smallInteger
    let isAbove = remainder != 0 && (remainder ^ right.smallInteger) < 0
    return Value(small: isAbove ? remainder &+ right.smallInteger : remainder)
  }

  /// The bits that both SmallIntegers have, or nil when one is none.
  @inline(__always)
  static func and(_ left: Value, _ right: Value) -> Value? {
    areSmallIntegers(left, right) ? Value(bits: left.bits & right.bits) : nil
  }

  /// The bits that either SmallInteger has, or nil when one is none.
  @inline(__always)
  static func or(_ left: Value, _ right: Value) -> Value? {
    areSmallIntegers(left, right) ? Value(bits: left.bits | right.bits) : nil
  }

  /// The bits that exactly one SmallInteger has, or nil when one is none.
  @inline(__always)
  static func exclusiveOr(_ left: Value, _ right: Value) -> Value? {
    areSmallIntegers(left, right) ? Value(bits: left.bits ^ right.bits | 1) : nil
  }

  /// The bits of a SmallInteger moved up, or down for a negative count; nil when one is none or the
  /// result needs a LargeInteger.
  @inline(__always)
  static func shifting(_ left: Value, _ right: Value) -> Value? {
    guard areSmallIntegers(left, right) else { return nil }
    let integer = left.smallInteger
    let count = right.smallInteger
    if count <= 0 { return Value(small: integer >> min(-count, 63)) }
    guard count < 62 else { return nil }
    let shifted = integer &<< count
    return shifted &>> count == integer ? Value(exactlySmall: shifted) : nil
  }

  /// Whether one SmallInteger is less than another.
  @inline(__always)
  static func isLess(_ left: Value, _ right: Value) -> Bool {
    Int(bitPattern: left.bits) < Int(bitPattern: right.bits)
  }
}

// MARK: - Floats

extension Value {
  // The common magnitudes are those whose exponents lie around the middle of the range. Adding a
  // bias to the exponent makes its two top bits 10 for them and for no others; rotating the word left
  // by three brings these bits to the place of the tag, and the sign before them. So making a value
  // of a double and back takes an addition and a rotation; what does not fit shows by its tag.
  @inline(__always) private static var floatBias: UInt { 256 << 52 }

  /// Whether this is an immediate float other than a zero.
  @inline(__always) var isPlainFloat: Bool { bits & 3 == 2 }

  /// The double of an immediate float that is no zero; meaningless for other values.
  @inline(__always) var plainFloat: Double {
    Double(bitPattern: UInt64((bits >> 3 | bits << 61) &- Value.floatBias))
  }

  /// Whether this is one of the two zeros among the floats.
  @inline(__always) var isZeroFloat: Bool { bits & 0xFF == 0x34 }

  /// The zero; meaningless for other values.
  @inline(__always) var zeroFloat: Double { bits >> 8 == 0 ? 0.0 : -0.0 }

  /// Whether this is an immediate float.
  @inline(__always) var isImmediateFloat: Bool { isPlainFloat || isZeroFloat }

  /// The double of an immediate float; meaningless for other values.
  @inline(__always) var immediateFloat: Double { isPlainFloat ? plainFloat : zeroFloat }

  /// The immediate float for a double, or nil when the double needs a heap object.
  @inline(__always)
  init?(immediate double: Double) {
    let biased = UInt(double.bitPattern) &+ Value.floatBias
    self.init(bits: biased << 3 | biased >> 61)
    if isPlainFloat { return }
    guard double == 0 else { return nil }
    self.init(bits: UInt(double.bitPattern >> 63) << 8 | 0x34)
  }
}

// MARK: - Characters

extension Value {
  @inline(__always) var isCharacter: Bool { bits & 0xFF == 0x24 }

  /// The code point of a Character; meaningless for other values.
  @inline(__always) var characterCode: UInt32 { UInt32(truncatingIfNeeded: bits >> 8) }

  /// The Character for a Unicode scalar.
  @inline(__always)
  init(_ scalar: Unicode.Scalar) {
    self.init(bits: UInt(scalar.value) << 8 | 0x24)
  }
}

// MARK: - Objects and words that are no values

extension Value {
  /// Whether this is the address of a heap object.
  @inline(__always) var isObject: Bool { bits & 7 == 0 }

  /// The value that names a heap object.
  @inline(__always)
  init(_ object: ObjectRef) {
    self.init(bits: object.bits)
  }

  /// A word that the collector skips, for an address of the evaluator's own that is a multiple
  /// of 8: the send a frame came from, or a frame as the target of a return.
  @inline(__always)
  init(markerFor address: UInt) {
    self.init(bits: address | 4)
  }

  /// The address inside a marker.
  @inline(__always) var markedAddress: UInt { bits & ~7 }
}

// MARK: - Numbers

extension Value {
  /// The double of a SmallInteger or an immediate float, for operations that mix them.
  ///
  /// A SmallInteger beyond 2^53 answers nil: comparing it through a double would lie.
  @inline(__always) var mixedDouble: Double? {
    if isImmediateFloat { return immediateFloat }
    guard isSmallInteger else { return nil }
    let integer = smallInteger
    return integer.magnitude <= 1 << 53 ? Double(integer) : nil
  }
}
