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
        machine.selector("numerator:denominator:"), to: machine.fractionClass.object, numerator,
        denominator)
    },
    function("squareRoot", "The square root; not a number for a negative one.") {
      $0.squareRoot()
    },
    function("ln", "The natural logarithm.", log),
    function("log10", "The decimal logarithm.", log10),
    function("exp", "The power of e.", exp),
    function("sin", "The sine of an angle in radians.", sin),
    function("cos", "The cosine of an angle in radians.", cos),
    function("tan", "The tangent of an angle in radians.", tan),
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

  private static func function(
    _ pattern: String, _ summary: String, _ function: @escaping @Sendable (Double) -> Double
  ) -> Primitive {
    Primitive(pattern, summary) { machine, arguments in
      machine.makeFloat(function(machine.double(arguments.receiver) ?? 0))
    }
  }
}

extension Machine {
  /// How a float is written: `100.0`, `1.0e100`, `nan`, `inf`.
  func floatText(_ double: Double) -> String {
    FloatText.shortest(double) ?? (double.isNaN ? "nan" : double < 0 ? "-inf" : "inf")
  }
}
