internal import TenonNumerics

extension Primitive {
  /// Arithmetic and comparison of integers and floats; what they do not know they hand to the
  /// argument.
  static let number: [Primitive] = [
    arithmetic("+ aNumber", "The sum of the receiver and aNumber.", .add),
    arithmetic("- aNumber", "The difference of the receiver and aNumber.", .subtract),
    arithmetic("* aNumber", "The product of the receiver and aNumber.", .multiply),
    Primitive("/ aNumber", "The exact quotient: an integer, a fraction, or a float.") {
      machine, arguments throws(Failure) in
      try machine.divide(arguments)
    },
    comparison("< aNumber", "Whether the receiver is less than aNumber.") { $0 == .less },
    comparison("> aNumber", "Whether the receiver is greater than aNumber.") { $0 == .greater },
    comparison("<= aNumber", "Whether the receiver is at most aNumber.") {
      $0 == .less || $0 == .equal
    },
    comparison(">= aNumber", "Whether the receiver is at least aNumber.") {
      $0 == .greater || $0 == .equal
    },
    Primitive("= anObject", "Whether anObject is a number of the same value.") {
      machine, arguments in
      if arguments[0].isSurelyNoNumber { return .false }
      if let order = machine.compare(arguments.receiver, arguments[0]) {
        return Value(order == .equal)
      }
      return machine.isNumber(arguments[0]) ? machine.adapt(arguments, "=") : .false
    },
    Primitive("hash", "A number that equal numbers share.") { machine, arguments in
      Value(small: machine.numberHash(arguments.receiver))
    },
  ]

  private static func arithmetic(
    _ pattern: String, _ summary: String, _ kind: ArithmeticKind
  ) -> Primitive {
    let selector = String(pattern.prefix { $0 != " " })
    return Primitive(pattern, summary) { machine, arguments throws(Failure) in
      if let result = try machine.arithmetic(kind, arguments.receiver, arguments[0]) {
        return result
      }
      return machine.adapt(arguments, selector)
    }
  }

  private static func comparison(
    _ pattern: String, _ summary: String, _ test: @escaping @Sendable (NumberOrder) -> Bool
  ) -> Primitive {
    let selector = String(pattern.prefix { $0 != " " })
    return Primitive(pattern, summary) { machine, arguments in
      if let order = machine.compare(arguments.receiver, arguments[0]) {
        return Value(test(order))
      }
      return machine.adapt(arguments, selector)
    }
  }

  static let integer: [Primitive] = [
    Primitive("~/ aNumber", "The quotient rounded down.") { machine, arguments throws(Failure) in
      try machine.divideIntegers(arguments, "~/", small: Primitive.floorQuotient) {
        ($0.quotient, true)
      }
    },
    Primitive("\\\\ aNumber", "The remainder of ~/, with aNumber's sign.") {
      machine, arguments throws(Failure) in
      try machine.divideIntegers(arguments, "\\\\", small: Primitive.floorRemainder) {
        ($0.remainder, true)
      }
    },
    Primitive("quo: aNumber", "The quotient truncated toward 0.") {
      machine, arguments throws(Failure) in
      try machine.divideIntegers(arguments, "quo:", small: Primitive.quotient) {
        ($0.quotient, false)
      }
    },
    Primitive("rem: aNumber", "The remainder of quo:, with the receiver's sign.") {
      machine, arguments throws(Failure) in
      try machine.divideIntegers(arguments, "rem:", small: Primitive.remainder) {
        ($0.remainder, false)
      }
    },
    bits("bitAnd: anInteger", "The bits that both have.", { $0 & $1 }, { $0 & $1 }),
    bits("bitOr: anInteger", "The bits that one of them has.", { $0 | $1 }, { $0 | $1 }),
    bits("bitXor: anInteger", "The bits that exactly one has.", { $0 ^ $1 }, { $0 ^ $1 }),
    Primitive("bitInvert", "All bits inverted: -1 minus the receiver.") {
      machine, arguments throws(Failure) in
      if let small = arguments.receiver.asSmallInteger { return Value(small: ~small) }
      return try machine.makeInteger(~machine.anyInteger(arguments.receiver))
    },
    Primitive("bitAt: index", "The bit at index, from 1 for the lowest.") {
      machine, arguments throws(Failure) in
      let index = try machine.integer(arguments[0])
      guard index >= 1 else {
        throw .invalidArgument("an index from 1", found: String(index))
      }
      let isSet = try machine.anyInteger(arguments.receiver).bit(at: index - 1)
      return Value(small: isSet ? 1 : 0)
    },
    Primitive("bitShift: count", "The bits moved up, or down for a negative count.") {
      machine, arguments throws(Failure) in
      try machine.shift(arguments.receiver, by: arguments[0])
    },
    Primitive("bitLength", "The number of bits of the magnitude.") {
      machine, arguments throws(Failure) in
      Value(small: try machine.anyInteger(arguments.receiver).bitLength)
    },
    Primitive("gcd: anInteger", "The greatest common divisor.") {
      machine, arguments throws(Failure) in
      if let a = arguments.receiver.asSmallInteger, let b = arguments[0].asSmallInteger {
        return machine.makeInteger(Machine.commonDivisor(a, b))
      }
      let left = try machine.anyInteger(arguments.receiver)
      let right = try machine.anyInteger(arguments[0])
      return try machine.makeInteger(
        LargeInteger.greatestCommonDivisor(left, right, poll: machine.poll))
    },
    Primitive("raisedToInteger: power", "The power, for an exponent from 0.") {
      machine, arguments throws(Failure) in
      let base = try machine.anyInteger(arguments.receiver)
      guard let exponent = arguments[0].asSmallInteger else {
        let exponent = try machine.anyInteger(arguments[0])
        // The powers of these stay small, whatever the exponent.
        if let small = base.exactInt, small.magnitude <= 1, !exponent.isNegative {
          return Value(small: exponent.bit(at: 0) ? small : small * small)
        }
        throw .tooLarge("a power with such an exponent", limit: NumberLimits.bits)
      }
      guard exponent >= 0 else {
        throw .invalidArgument("an exponent from 0", found: String(exponent))
      }
      try machine.checkSize(
        bits: base.bitLengthOfPower(exponent), workspace: Machine.productWorkspace)
      let power = try base.power(exponent, poll: machine.poll)
      return try machine.makeInteger(power ?? .zero)
    },
    Primitive("raisedTo: power mod: modulus", "The remainder of the power.") {
      machine, arguments throws(Failure) in
      let base = try machine.anyInteger(arguments.receiver)
      let exponent = try machine.anyInteger(arguments[0])
      let modulus = try machine.anyInteger(arguments[1])
      if modulus.isZero { throw machine.zeroDivide(arguments.receiver) }
      guard let power = try base.power(exponent, modulo: modulus, poll: machine.poll) else {
        throw .invalidArgument("an exponent from 0", found: machine.describe(arguments[0]))
      }
      return try machine.makeInteger(power)
    },
    Primitive("integerSqrt", "The greatest integer whose square is at most the receiver.") {
      machine, arguments throws(Failure) in
      let integer = try machine.anyInteger(arguments.receiver)
      guard let root = try integer.squareRoot(poll: machine.poll) else {
        throw .invalidArgument("an integer from 0", found: machine.describe(arguments.receiver))
      }
      return try machine.makeInteger(root)
    },
    Primitive("printString", "The digits in decimal.") { machine, arguments throws(Failure) in
      try machine.decimalText(of: arguments.receiver)
    },
    Primitive("displayString", "The digits in decimal.") { machine, arguments throws(Failure) in
      try machine.decimalText(of: arguments.receiver)
    },
    Primitive("printString: base", "The digits in a base from 2 to 36.") {
      machine, arguments throws(Failure) in
      let base = try machine.integer(arguments[0])
      guard base >= 2, base <= 36 else {
        throw .invalidArgument("a base from 2 to 36", found: String(base))
      }
      if let small = arguments.receiver.asSmallInteger {
        return machine.makeString(String(small, radix: base, uppercase: true))
      }
      let integer = try machine.anyInteger(arguments.receiver)
      return machine.makeString(try integer.text(radix: base, poll: machine.poll))
    },
    Primitive("asFloat", "The nearest float.") { machine, arguments throws(Failure) in
      if let small = arguments.receiver.asSmallInteger { return machine.makeFloat(Double(small)) }
      return machine.makeFloat(try machine.anyInteger(arguments.receiver).nearestDouble)
    },
    Primitive("ratioAsFloat: denominator", "The float nearest to the quotient.") {
      machine, arguments throws(Failure) in
      let numerator = try machine.anyInteger(arguments.receiver)
      let denominator = try machine.anyInteger(arguments[0])
      return machine.makeFloat(
        LargeInteger.nearestDouble(numerator: numerator, denominator: denominator))
    },
    Primitive("printRatio: denominator places: count", "The quotient as a decimal, rounded.") {
      machine, arguments throws(Failure) in
      let text = try FixedPlacesText.text(
        numerator: machine.anyInteger(arguments.receiver),
        denominator: machine.anyInteger(arguments[0]),
        places: machine.places(arguments[1]), poll: machine.poll)
      guard let text else { throw machine.zeroDivide(arguments.receiver) }
      return machine.makeString(text)
    },
    Primitive("printShowingDecimalPlaces: count", "The integer with so many zeros.") {
      machine, arguments throws(Failure) in
      let text = try FixedPlacesText.text(
        numerator: machine.anyInteger(arguments.receiver), denominator: .one,
        places: machine.places(arguments[0]), poll: machine.poll)
      return machine.makeString(text ?? "")
    },
  ]

  private static func bits(
    _ pattern: String, _ summary: String, _ small: @escaping @Sendable (Int, Int) -> Int,
    _ large: @escaping @Sendable (LargeInteger, LargeInteger) -> LargeInteger
  ) -> Primitive {
    Primitive(pattern, summary) { machine, arguments throws(Failure) in
      if let left = arguments.receiver.asSmallInteger, let right = arguments[0].asSmallInteger {
        return machine.makeInteger(small(left, right))
      }
      return try machine.makeInteger(
        large(machine.anyInteger(arguments.receiver), machine.anyInteger(arguments[0])))
    }
  }

  // The divisors are not 0, and a SmallInteger's magnitude is below that of the least Int, so that
  // none of these can overflow.
  private static func quotient(_ a: Int, _ b: Int) -> Int { a / b }
  private static func remainder(_ a: Int, _ b: Int) -> Int { a % b }
  private static func floorQuotient(_ a: Int, _ b: Int) -> Int {
    let quotient = a / b
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient
  }
  private static func floorRemainder(_ a: Int, _ b: Int) -> Int {
    let remainder = a % b
    return remainder != 0 && (a < 0) != (b < 0) ? remainder + b : remainder
  }
}

extension Value {
  /// Whether its class alone tells that it is no number, without a search through superclasses.
  @inline(__always) fileprivate var isSurelyNoNumber: Bool {
    guard isObject else { return !isSmallInteger && !isImmediateFloat }
    let index = ObjectRef(self).classIndex
    return index < ClassIndex.firstFree && index != ClassIndex.float
      && index != ClassIndex.largeInteger
  }
}

extension Machine {
  /// The text of a SmallInteger in decimal, written without a string of Swift's.
  private func decimalText(_ integer: Int) throws(Failure) -> Value {
    var count = integer < 0 ? 2 : 1
    var rest = integer.magnitude
    while rest >= 10 {
      rest /= 10
      count &+= 1
    }
    let text = try makeBytes(classIndex: ClassIndex.string, count: count)
    if integer < 0 { text[byte: 0] = UInt8(ascii: "-") }
    rest = integer.magnitude
    repeat {
      count &-= 1
      text[byte: count] = UInt8(truncatingIfNeeded: rest % 10) &+ 0x30
      rest /= 10
    } while rest > 0
    return Value(text)
  }

  /// The text of an integer in decimal.
  fileprivate func decimalText(of value: Value) throws(Failure) -> Value {
    if let small = value.asSmallInteger { return try decimalText(small) }
    return makeString(try anyInteger(value).text(radix: 10, poll: poll))
  }

  /// The hash that all numbers of a value share, whatever their class.
  func numberHash(_ value: Value) -> Int {
    let hash =
      switch numeric(value) {
      case .small(let integer): NumberHash.hash(integer)
      case .large(let integer): NumberHash.hash(integer)
      case .float(let double): NumberHash.hash(double)
      case nil: 0
      }
    return hash & HashLimits.mask
  }

  /// A count of decimal places.
  func places(_ value: Value) throws(Failure) -> Int {
    let count = try integer(value)
    guard count >= 0, count <= 1_000_000 else {
      throw .invalidArgument("a number of places from 0 to 1000000", found: String(count))
    }
    return count
  }

  /// `/`: exact for integers.
  fileprivate func divide(_ arguments: Arguments) throws(Failure) -> Value {
    let left = arguments.receiver
    let right = arguments[0]
    switch (numeric(left), numeric(right)) {
    case (.small(let a), .small(let b)):
      if b == 0 { throw zeroDivide(left) }
      if a % b == 0 { return makeInteger(a / b) }
      if b > 0 { return makeFraction(a, over: b) }
      return try makeFraction(LargeInteger(a), LargeInteger(b))
    case (.float(let a), .float(let b)): return try divide(a, b)
    case (.float(let a), .small(let b)): return try divide(a, Double(b))
    case (.small(let a), .float(let b)): return try divide(Double(a), b)
    case (.float(let a), .large(let b)): return try divide(a, b.nearestDouble)
    case (.large(let a), .float(let b)): return try divide(a.nearestDouble, b)
    case (.small(let a), .large(let b)): return try makeFraction(LargeInteger(a), b)
    case (.large(let a), .small(let b)):
      if b == 0 { throw zeroDivide(left) }
      return try makeFraction(a, LargeInteger(b))
    case (.large(let a), .large(let b)): return try makeFraction(a, b)
    case (nil, _), (_, nil): return adapt(arguments, "/")
    }
  }

  private func divide(_ left: Double, _ right: Double) throws(Failure) -> Value {
    if right == 0 { throw zeroDivide(makeFloat(left)) }
    return makeFloat(left / right)
  }

  /// The greatest common divisor of small integers: it is none greater than they are.
  fileprivate static func commonDivisor(_ a: Int, _ b: Int) -> Int {
    Int(LargeInteger.greatestCommonDivisor(UInt64(a.magnitude), UInt64(b.magnitude)))
  }

  /// The quotient of small integers in lowest terms; the denominator is above 0.
  func makeFraction(_ numerator: Int, over denominator: Int) -> Value {
    let divisor = Machine.commonDivisor(numerator, denominator)
    if divisor == denominator { return makeInteger(numerator / divisor) }
    let fraction = makeInstance(of: kernel.fraction)
    fraction[slot: 0] = Value(small: numerator / divisor)
    fraction[slot: 1] = Value(small: denominator / divisor)
    return Value(fraction)
  }

  /// The quotient in lowest terms.
  private func makeFraction(
    _ numerator: LargeInteger, _ denominator: LargeInteger
  ) throws(Failure) -> Value {
    var divisor = try LargeInteger.greatestCommonDivisor(numerator, denominator, poll: poll)
    if denominator.isNegative { divisor = -divisor }
    guard
      let top = try numerator.dividedTruncating(by: divisor, poll: poll),
      let bottom = try denominator.dividedTruncating(by: divisor, poll: poll)
    else { throw zeroDivide(try makeInteger(numerator)) }
    if bottom.quotient.exactInt == 1 { return try makeInteger(top.quotient) }
    let fraction = makeInstance(of: kernel.fraction)
    fraction[slot: 0] = try makeInteger(top.quotient)
    fraction[slot: 1] = try makeInteger(bottom.quotient)
    return Value(fraction)
  }

  /// The four divisions of integers that answer integers.
  fileprivate func divideIntegers(
    _ arguments: Arguments, _ selector: String, small: (Int, Int) -> Int,
    part: (LargeInteger.Division) -> (LargeInteger, floors: Bool)
  ) throws(Failure) -> Value {
    let left = arguments.receiver
    let right = arguments[0]
    if let a = left.asSmallInteger, let b = right.asSmallInteger {
      if b == 0 { throw zeroDivide(left) }
      return makeInteger(small(a, b))
    }
    switch numeric(right) {
    case .small, .large:
      let dividend = try anyInteger(left)
      let divisor = try anyInteger(right)
      if divisor.isZero { throw zeroDivide(left) }
      let floors = part((.zero, .zero)).floors
      let division =
        floors
        ? try dividend.dividedFlooring(by: divisor, poll: poll)
        : try dividend.dividedTruncating(by: divisor, poll: poll)
      guard let division else { throw zeroDivide(left) }
      return try makeInteger(part(division).0)
    case .float, nil:
      return adapt(arguments, selector)
    }
  }

  /// Moves the bits of an integer up, or down for a negative count.
  fileprivate func shift(_ value: Value, by countValue: Value) throws(Failure) -> Value {
    let integer = try anyInteger(value)
    guard let count = countValue.asSmallInteger else {
      let count = try anyInteger(countValue)
      if integer.isZero || count.isNegative { return Value(small: integer.isNegative ? -1 : 0) }
      throw .tooLarge("an integer of so many bits", limit: NumberLimits.bits)
    }
    if integer.isZero { return value }
    if count >= 0 {
      let (bits, overflow) = integer.bitLength.addingReportingOverflow(count)
      try checkSize(bits: overflow ? .max : bits)
      return try makeInteger(integer.shiftedLeft(by: count))
    }
    return try makeInteger(integer.shiftedRight(by: min(-count, 1 << 40)))
  }
}
