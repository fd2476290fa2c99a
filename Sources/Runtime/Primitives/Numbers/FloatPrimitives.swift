internal import TenonNumerics

// The folder Numbers: primitives of numbers, and of chance. The arithmetic itself is in Sources/Numerics, what
// the evaluator does without a send in Evaluation.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension Primitive {
  static let float: [Primitive] = [
    Primitive("truncated", "The integer without the fraction.") {
      machine, arguments throws(Failure) in
      let double = machine.double(arguments.receiver) ?? 0
      // Most floats have an integer part of machine size.
      if abs(double) < 1e18 { return machine.makeInteger(Int(double)) }
      guard let integer = LargeInteger(truncating: double) else {
        throw Failure(.arithmeticError, "\(machine.floatText(double)) has no integer part")
      }
      return try machine.makeInteger(integer)
    },
    Primitive("rounded", "The nearest integer; halves go away from 0.") {
      machine, arguments throws(Failure) in
      let double = machine.double(arguments.receiver) ?? 0
      if abs(double) < 1e18 {
        return machine.makeInteger(Int(double.rounded(.toNearestOrAwayFromZero)))
      }
      guard let integer = LargeInteger(truncating: double) else {
        throw Failure(.arithmeticError, "\(machine.floatText(double)) has no integer part")
      }
      return try machine.makeInteger(integer)
    },
    quotient("quo: aNumber", "The quotient, truncated toward 0.", .towardZero),
    remainder("rem: aNumber", "The exact remainder, with the receiver's sign.", .towardZero),
    quotient("~/ aNumber", "The quotient, rounded down.", .down),
    remainder("\\\\ aNumber", "The remainder of ~/, with aNumber's sign.", .down),
    multiple("nearestMultipleOf: aFloat", "Private: as roundTo:.", .toNearestOrAwayFromZero),
    multiple("multipleAbove: aFloat", "Private: as roundUpTo:.", .up),
    multiple("multipleBelow: aFloat", "Private: as roundDownTo:.", .down),
    multiple("multipleTowardZero: aFloat", "Private: as truncateTo:.", .towardZero),
    Primitive("powerOf: exponent", "The power for an exponent that is a float.") {
      machine, arguments throws(Failure) in
      let base = machine.double(arguments.receiver) ?? 0
      return machine.makeFloat(pow(base, try machine.float(arguments[0])))
    },
    Primitive("arcTan: x", "The angle of the point with the ordinate self and the abscissa x.") {
      machine, arguments throws(Failure) in
      let y = machine.double(arguments.receiver) ?? 0
      return machine.makeFloat(atan2(y, try machine.float(arguments[0])))
    },
    Primitive("timesTwoPower: exponent", "The product with a power of 2.") {
      machine, arguments throws(Failure) in
      let double = machine.double(arguments.receiver) ?? 0
      let exponent = try machine.integer(arguments[0])
      return machine.makeFloat(scalbn(double, Int32(clamping: exponent)))
    },
    Primitive("exponent", "The power of 2 in the float's normal form.") {
      machine, arguments throws(Failure) in
      let double = machine.double(arguments.receiver) ?? 0
      guard double.isFinite, double != 0 else {
        throw Failure(.arithmeticError, "\(machine.floatText(double)) has no exponent")
      }
      return Value(small: Int(double.exponent))
    },
    function("significand", "The factor of the power of 2, from 1 on and less than 2.") {
      $0.sign == .minus ? -$0.significand : $0.significand
    },
    function("successor", "The next greater float.") { $0.nextUp },
    function("predecessor", "The next smaller float.") { $0.nextDown },
    function("ulp", "The distance to the next float.") { $0.ulp },
    Primitive("fractionPart", "What is left without the integer part.") { machine, arguments in
      let double = machine.double(arguments.receiver) ?? 0
      return machine.makeFloat(double.isFinite ? double - double.rounded(.towardZero) : .nan)
    },
    Primitive("isNaN", "Whether it is not a number.") { machine, arguments in
      Value(machine.double(arguments.receiver)?.isNaN ?? false)
    },
    Primitive("isInfinite", "Whether it is one of the infinities.") { machine, arguments in
      Value(machine.double(arguments.receiver)?.isInfinite ?? false)
    },
    Primitive("printString", "The shortest text that reads back as the same float.") {
      machine, arguments in
      machine.makeString(machine.floatText(machine.double(arguments.receiver) ?? 0))
    },
    Primitive("printShowingDecimalPlaces: count", "The float with so many places, rounded.") {
      machine, arguments throws(Failure) in
      let double = machine.double(arguments.receiver) ?? 0
      let places = try machine.places(arguments[0])
      let text = try FixedPlacesText.text(double, places: places, poll: machine.poll)
      return machine.makeString(text ?? machine.floatText(double))
    },
    Primitive("asTrueFraction", "The fraction or integer that the float is exactly.") {
      machine, arguments throws(Failure) in
      let double = machine.double(arguments.receiver) ?? 0
      guard let fraction = LargeInteger.fraction(of: double) else {
        throw Failure(.arithmeticError, "\(machine.floatText(double)) is no fraction")
      }
      let numerator = try machine.makeInteger(fraction.numerator)
      let denominator = try machine.makeInteger(fraction.denominator)
      return machine.send(
        machine.selector("numerator:denominator:"), to: machine.kernel.fraction.object, numerator,
        denominator)
    },
    function("squareRoot", "The square root; not a number for a negative one.") {
      $0.squareRoot()
    },
    function("ln", "The natural logarithm.", log),
    function("log10", "The decimal logarithm.", log10),
    function("log2", "The binary logarithm.", log2),
    function("exp", "The power of e.", exp),
    function("sin", "The sine of an angle in radians.", sin),
    function("cos", "The cosine of an angle in radians.", cos),
    function("tan", "The tangent of an angle in radians.", tan),
    function("sinh", "The hyperbolic sine.", sinh),
    function("cosh", "The hyperbolic cosine.", cosh),
    function("tanh", "The hyperbolic tangent.", tanh),
    function("arcSinh", "The number whose hyperbolic sine it is.", asinh),
    function("arcCosh", "The number from 0 whose hyperbolic cosine it is.", acosh),
    function("arcTanh", "The number whose hyperbolic tangent it is.", atanh),
    function("arcTan", "The angle in radians whose tangent it is.", atan),
    function("arcSin", "The angle in radians whose sine it is.", asin),
    function("arcCos", "The angle in radians whose cosine it is.", acos),
  ]

  static let floatClass: [Primitive] = [
    Primitive("pi", "The ratio of a circle's circumference to its diameter.") { machine, _ in
      machine.makeFloat(.pi)
    },
    Primitive("e", "The base of the natural logarithms.") { machine, _ in
      machine.makeFloat(M_E)
    },
    Primitive("nan", "What is not a number.") { machine, _ in machine.makeFloat(.nan) },
    Primitive("infinity", "What is greater than all numbers.") { machine, _ in
      machine.makeFloat(.infinity)
    },
  ]

  private static func quotient(
    _ pattern: String, _ summary: String, _ rounding: FloatDivision.Rounding
  ) -> Primitive {
    division(pattern, summary) { machine, left, right throws(Failure) in
      guard let quotient = FloatDivision.quotient(left, right, rounding) else {
        throw Failure(.arithmeticError, "\(machine.floatText(left / right)) has no integer part")
      }
      return try machine.makeInteger(quotient)
    }
  }

  /// Floats of 2^53 units and more are a unit or more apart: each is its own nearest multiple.
  private static func multiple(
    _ pattern: String, _ summary: String, _ rule: FloatingPointRoundingRule
  ) -> Primitive {
    division(pattern, summary) { machine, left, right throws(Failure) in
      let quotient = left / right
      if quotient.magnitude >= 0x1p53 { return machine.makeFloat(left) }
      if quotient.isNaN { throw Failure(.arithmeticError, "nan has no integer part") }
      // A zero has no sign.
      return machine.makeFloat((quotient.rounded(rule) + 0) * right)
    }
  }

  private static func remainder(
    _ pattern: String, _ summary: String, _ rounding: FloatDivision.Rounding
  ) -> Primitive {
    division(pattern, summary) { machine, left, right in
      machine.makeFloat(FloatDivision.remainder(left, right, rounding))
    }
  }

  private static func division(
    _ pattern: String, _ summary: String,
    _ result: @escaping @Sendable (Machine, Double, Double) throws(Failure) -> Value
  ) -> Primitive {
    let selector = String(pattern.prefix { $0 != " " })
    return Primitive(pattern, summary) { machine, arguments throws(Failure) in
      let left = machine.double(arguments.receiver) ?? 0
      guard let numeric = machine.numeric(arguments[0]) else {
        return machine.adapt(arguments, selector)
      }
      let right =
        switch numeric {
        case .small(let integer): Double(integer)
        case .large(let integer): integer.nearestDouble
        case .float(let double): double
        }
      if right == 0 { throw machine.zeroDivide(arguments.receiver) }
      return try result(machine, left, right)
    }
  }

  private static func function(
    _ pattern: String, _ summary: String, _ function: @escaping @Sendable (Double) -> Double
  ) -> Primitive {
    Primitive(pattern, summary) { machine, arguments in
      machine.makeFloat(function(machine.double(arguments.receiver) ?? 0))
    }
  }
}

extension Machine {
  /// The double of an argument that must be a float.
  fileprivate func float(_ value: Value) throws(Failure) -> Double {
    guard let double = double(value) else {
      throw .invalidArgument("a float", found: describe(value))
    }
    return double
  }
}
