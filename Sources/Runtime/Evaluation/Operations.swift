/// What an arithmetic node does without a send.
protocol ArithmeticOperation {
  /// The result for two SmallIntegers; nil when there is none or it needs a LargeInteger.
  static func apply(_ left: Value, _ right: Value) -> Value?
  /// The result for two doubles; nil when there is none.
  static func apply(_ left: Double, _ right: Double) -> Double?
}

/// What an arithmetic node does that knows integers alone.
protocol IntegerOperation: ArithmeticOperation {}

extension IntegerOperation {
  @inline(__always)
  static func apply(_ left: Double, _ right: Double) -> Double? { nil }
}

/// What a comparison node does without a send.
protocol ComparisonOperation {
  /// The outcome for two words known to be SmallIntegers, as tagged.
  static func compare(_ left: Int, _ right: Int) -> Bool
  static func compare(_ left: Double, _ right: Double) -> Bool
}

enum Add: ArithmeticOperation {
  @inline(__always)
  static func apply(_ left: Value, _ right: Value) -> Value? { Value.adding(left, right) }
  @inline(__always)
  static func apply(_ left: Double, _ right: Double) -> Double? { left + right }
}

enum Subtract: ArithmeticOperation {
  @inline(__always)
  static func apply(_ left: Value, _ right: Value) -> Value? { Value.subtracting(left, right) }
  @inline(__always)
  static func apply(_ left: Double, _ right: Double) -> Double? { left - right }
}

enum Multiply: ArithmeticOperation {
  @inline(__always)
  static func apply(_ left: Value, _ right: Value) -> Value? { Value.multiplying(left, right) }
  @inline(__always)
  static func apply(_ left: Double, _ right: Double) -> Double? { left * right }
}

/// `/`: the quotient of SmallIntegers when it is one.
enum Divide: ArithmeticOperation {
  @inline(__always)
  static func apply(_ left: Value, _ right: Value) -> Value? { Value.dividing(left, right) }
  @inline(__always)
  static func apply(_ left: Double, _ right: Double) -> Double? { right == 0 ? nil : left / right }
}

/// `~/`: the quotient rounded down.
enum FloorDivide: IntegerOperation {
  @inline(__always)
  static func apply(_ left: Value, _ right: Value) -> Value? { Value.flooring(left, right) }
}

/// `\\`: the remainder of `~/`.
enum Modulo: IntegerOperation {
  @inline(__always)
  static func apply(_ left: Value, _ right: Value) -> Value? { Value.remainder(left, right) }
}

enum BitAnd: IntegerOperation {
  @inline(__always)
  static func apply(_ left: Value, _ right: Value) -> Value? { Value.and(left, right) }
}

enum BitOr: IntegerOperation {
  @inline(__always)
  static func apply(_ left: Value, _ right: Value) -> Value? { Value.or(left, right) }
}

enum BitXor: IntegerOperation {
  @inline(__always)
  static func apply(_ left: Value, _ right: Value) -> Value? { Value.exclusiveOr(left, right) }
}

enum BitShift: IntegerOperation {
  @inline(__always)
  static func apply(_ left: Value, _ right: Value) -> Value? { Value.shifting(left, right) }
}

enum Less: ComparisonOperation {
  @inline(__always) static func compare(_ left: Int, _ right: Int) -> Bool { left < right }
  @inline(__always) static func compare(_ left: Double, _ right: Double) -> Bool { left < right }
}

enum LessOrEqual: ComparisonOperation {
  @inline(__always) static func compare(_ left: Int, _ right: Int) -> Bool { left <= right }
  @inline(__always) static func compare(_ left: Double, _ right: Double) -> Bool { left <= right }
}

enum Greater: ComparisonOperation {
  @inline(__always) static func compare(_ left: Int, _ right: Int) -> Bool { left > right }
  @inline(__always) static func compare(_ left: Double, _ right: Double) -> Bool { left > right }
}

enum GreaterOrEqual: ComparisonOperation {
  @inline(__always) static func compare(_ left: Int, _ right: Int) -> Bool { left >= right }
  @inline(__always) static func compare(_ left: Double, _ right: Double) -> Bool { left >= right }
}

enum Equal: ComparisonOperation {
  @inline(__always) static func compare(_ left: Int, _ right: Int) -> Bool { left == right }
  @inline(__always) static func compare(_ left: Double, _ right: Double) -> Bool { left == right }
}

enum NotEqual: ComparisonOperation {
  @inline(__always) static func compare(_ left: Int, _ right: Int) -> Bool { left != right }
  @inline(__always) static func compare(_ left: Double, _ right: Double) -> Bool { left != right }
}
