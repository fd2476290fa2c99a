internal import TenonLexer
internal import TenonNumerics
internal import TenonParser
internal import TenonText

// The folder Values: what the machine knows of numbers, strings and hash tables as values, and how it describes
// them. Their layout is in Objects, what programs ask of them in Primitives.

/// A number of the kinds that primitives calculate with; the others are written in the language.
enum Numeric {
  case small(Int)
  case large(LargeInteger)
  case float(Double)
}

/// Numbers as values, and values as numbers.
extension Machine {
  /// The number a value is, if it is an integer or a float.
  func numeric(_ value: Value) -> Numeric? {
    if value.isSmallInteger { return .small(value.smallInteger) }
    if let double = double(value) { return .float(double) }
    guard value.isObject(ofClass: ClassIndex.largeInteger) else { return nil }
    return .large(largeInteger(ObjectRef(value)))
  }

  /// The integer of any size that an argument must be.
  func anyInteger(_ value: Value) throws(Failure) -> LargeInteger {
    switch numeric(value) {
    case .small(let integer): return LargeInteger(integer)
    case .large(let integer): return integer
    case .float, nil: throw .invalidArgument("an integer", found: describe(value))
    }
  }

  /// The number that a LargeInteger object holds.
  private func largeInteger(_ object: ObjectRef) -> LargeInteger {
    let count = object.byteCount / 8
    let limbs = unsafe [UInt64](unsafeUninitializedCapacity: count) { buffer, initialized in
      unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(
        from: UnsafeRawBufferPointer(object.bytes))
      initialized = count
    }
    return LargeInteger(isNegative: object.flags & ObjectFlag.negative != 0, limbs: limbs)
  }

  /// The value for an integer.
  @inline(__always)
  func makeInteger(_ integer: Int) -> Value {
    Value(exactlySmall: integer) ?? makeLarge(LargeInteger(integer))
  }

  /// The value for an integer of any size.
  ///
  /// - Throws: `OutOfMemory` when the limit forbids its size.
  func makeInteger(_ integer: LargeInteger) throws(Failure) -> Value {
    if let small = integer.exactInt, let value = Value(exactlySmall: small) { return value }
    try reserve(integer.limbs.count * 8)
    return makeLarge(integer)
  }

  private func makeLarge(_ integer: LargeInteger) -> Value {
    let count = integer.limbs.count * 8
    let object = unsafe ObjectRef(heap.allocateCell(size: 16 + count))
    object.initializeHeader(classIndex: ClassIndex.largeInteger, format: .bytes, slotCount: 0)
    object.initializeByteCount(count)
    unsafe integer.limbs.withUnsafeBytes { unsafe object.bytes.copyMemory(from: $0) }
    if integer.isNegative { object.flags |= ObjectFlag.negative }
    return Value(object)
  }

  /// What computing a product takes on the way, in its sizes: a transform of huge numbers.
  static let productWorkspace = 15

  /// Refuses an integer of so many bits before anybody computes it.
  ///
  /// - Parameters:
  ///   - bits: The size of the integer.
  ///   - workspace: How many times that is needed on the way.
  /// - Throws: a failure that says which limit it would exceed.
  func checkSize(bits: Int, workspace: Int = 3) throws(Failure) {
    guard bits < NumberLimits.bits else {
      throw .tooLarge("an integer of \(bits) bits", limit: NumberLimits.bits)
    }
    try reserve(bits / 8 * workspace)
  }

  // MARK: Literals and text

  /// The integer of a literal.
  func integer(_ literal: IntegerExpression) -> Value {
    integer(isNegative: literal.isNegative, digits: literal.digits, radix: literal.radix)
  }

  func integer(isNegative: Bool, digits: String, radix: Int) -> Value {
    if digits.utf8.count <= 18, let magnitude = Int(digits, radix: radix) {
      return makeInteger(isNegative ? -magnitude : magnitude)
    }
    let magnitude = LargeInteger(digits: digits.utf8, radix: radix) {} ?? .zero
    let integer = isNegative ? -magnitude : magnitude
    if let small = integer.exactInt, let value = Value(exactlySmall: small) { return value }
    return makeLarge(integer)
  }

  /// The number that a text spells as a literal would, or as programs print numbers, blanks around
  /// it and a plus sign allowed; a fraction as it prints; or nil.
  ///
  /// - Throws: when somebody asked the program to stop.
  func number(spelled text: String) throws(Failure) -> Value {
    var bytes = text.utf8[...]
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    while let last = bytes.last, blanks.contains(last) { bytes.removeLast() }
    bytes = bytes.drop { blanks.contains($0) }
    let unsigned = bytes.first == UInt8(ascii: "+") ? bytes.dropFirst() : bytes
    // A sign belongs to the number; behind a plus there is no other.
    if unsigned.count < bytes.count, unsigned.first == UInt8(ascii: "-") { return .nil }
    if let slash = unsigned.firstIndex(of: UInt8(ascii: "/")) {
      return try fraction(
        numerator: unsigned[..<slash], denominator: unsigned[unsigned.index(after: slash)...])
    }
    return try literalNumber(unsigned) ?? .nil
  }

  /// The most zeros that the exponent of an integer may stand for in a text, as in a literal.
  private static let exponentLimit = 100_000

  /// The number that was taken apart; nil for one that is too large.
  ///
  /// As in the language, a number with neither point nor negative exponent is an integer.
  ///
  /// - Throws: when somebody asked the program to stop, or memory is short.
  func number(
    _ text: DecimalText, in bytes: [UInt8], exponentLimit: Int = Machine.exponentLimit
  ) throws(Failure) -> Value? {
    if text.isFloat { return float(text, in: bytes).map { makeFloat($0) } }
    if text.exponent == nil, text.whole.count <= 18 {
      let magnitude = bytes[text.whole].reduce(0) { $0 * 10 + Int($1 & 15) }
      return makeInteger(text.isNegative ? -magnitude : magnitude)
    }
    var digits = Array(bytes[text.whole])
    if let exponent = text.exponent, digits.contains(where: { $0 != UInt8(ascii: "0") }) {
      guard exponent <= exponentLimit else { return nil }
      digits += [UInt8](repeating: UInt8(ascii: "0"), count: exponent)
    }
    return try integer(spelled: digits, isNegative: text.isNegative, base: 10)
  }

  /// The float nearest to a number that was taken apart; nil beyond all floats.
  func float(_ text: DecimalText, in bytes: [UInt8]) -> Double? {
    let end = text.fraction?.upperBound ?? text.whole.upperBound
    let isShort =
      end - text.whole.lowerBound <= 200 && !text.whole.isEmpty
      && !(text.fraction?.isEmpty ?? false)
    // The standard library reads what is not long, which no digits need be copied for.
    let value =
      isShort
      ? Double(String(decoding: bytes[text.whole.lowerBound..<text.end], as: UTF8.self))
        .map { text.isNegative ? -$0 : $0 }
      : FloatText.value(
        digits: text.digits(in: bytes), exponent: text.scale, isNegative: text.isNegative)
    return value.flatMap { $0.isFinite ? $0 : nil }
  }

  private func literalNumber(_ bytes: Substring.UTF8View) throws(Failure) -> Value? {
    let plain = Array(bytes)
    if let text = DecimalText(whole: plain, .plain) { return try number(text, in: plain) }
    if let double = SpecialFloatText.printed(Substring(bytes)) { return makeFloat(double) }
    let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes
    guard let first = digits.first, first >= 0x30, first <= 0x39 else { return nil }
    // Nothing else is in a number: what comes now would be an expression.
    let isPlain = bytes.allSatisfy { byte in
      byte >= 0x30 && byte <= 0x39 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A
        || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
    guard isPlain else { return nil }
    let source = SourceText(name: "", String(Substring(bytes)))
    // A number is no chain: what is longer is no number, and need not become a tree.
    let parser = Parser(source, nestingLimit: 1, heightLimit: 4)
    guard let script = parser.parseScript().script, script.statements.count == 1,
      case .expression(let expression) = script.statements[0],
      Int(expression.range.end) == source.bytes.count
    else { return nil }
    switch expression {
    case .integer(let literal): return integer(literal)
    case .float(let literal): return makeFloat(literal.value)
    case .scaledDecimal(let literal): return try scaledDecimal(literal)
    default: return nil
    }
  }

  private func scaledDecimal(_ literal: ScaledDecimalExpression) throws(Failure) -> Value? {
    let places = "1" + String(repeating: "0", count: literal.fractionCount)
    guard
      let numerator = try integer(
        spelled: literal.digits.utf8, isNegative: literal.isNegative, base: 10),
      let denominator = try integer(spelled: places.utf8, isNegative: false, base: 10)
    else { return nil }
    return send(
      selector("numerator:denominator:scale:"), to: kernelClass("ScaledDecimal").object, numerator,
      denominator, Value(small: literal.scale))
  }

  private func fraction(
    numerator: Substring.UTF8View, denominator: Substring.UTF8View
  ) throws(Failure) -> Value {
    let isNegative = numerator.first == UInt8(ascii: "-")
    guard
      let top = try integer(
        spelled: isNegative ? numerator.dropFirst() : numerator, isNegative: isNegative, base: 10),
      let bottom = try integer(spelled: denominator, isNegative: false, base: 10),
      bottom != Value(small: 0)
    else { return .nil }
    return send(selector("numerator:denominator:"), to: kernel.fraction.object, top, bottom)
  }

  /// The integer that digits of a base spell, with a sign before them; or nil.
  ///
  /// - Throws: when somebody asked the program to stop.
  func integer(spelled text: String, base: Int) throws(Failure) -> Value {
    let isSigned = text.hasPrefix("-") || text.hasPrefix("+")
    let digits = isSigned ? text.utf8.dropFirst() : text.utf8[...]
    return try integer(spelled: digits, isNegative: text.hasPrefix("-"), base: base) ?? .nil
  }

  private func integer(
    spelled digits: some Sequence<UInt8>, isNegative: Bool, base: Int
  ) throws(Failure) -> Value? {
    guard let magnitude = try LargeInteger(digits: digits, radix: base, poll: poll) else {
      return nil
    }
    return try makeInteger(isNegative ? -magnitude : magnitude)
  }

  // MARK: Interrupts

  /// What long calculations ask now and then: whether somebody wants the program to stop.
  var poll: () throws(Failure) -> Void {
    { [self] () throws(Failure) in try pollInterrupt() }
  }

  /// How a float is written: `100.0`, `1.0e100`, `nan`, `inf`.
  func floatText(_ double: Double) -> String {
    FloatText.shortest(double) ?? (double.isNaN ? "nan" : double < 0 ? "-inf" : "inf")
  }
}

/// Sizes that numbers may have.
enum NumberLimits {
  /// The most bits an integer may have: half a gigabyte.
  static let bits = 1 << 32
}

// MARK: - Arithmetic

extension Machine {
  /// A sum, a difference or a product of two integers or floats; nil for other numbers.
  func arithmetic(
    _ operation: ArithmeticKind, _ left: Value, _ right: Value
  ) throws(Failure) -> Value? {
    switch (numeric(left), numeric(right)) {
    case (.small(let a), .small(let b)): return try makeInteger(operation.apply(a, b))
    case (.small(let a), .large(let b)):
      return try calculate(operation, LargeInteger(a), b)
    case (.large(let a), .small(let b)): return try calculate(operation, a, LargeInteger(b))
    case (.large(let a), .large(let b)): return try calculate(operation, a, b)
    case (.float(let a), .float(let b)): return makeFloat(operation.apply(a, b))
    case (.float(let a), .small(let b)): return makeFloat(operation.apply(a, Double(b)))
    case (.small(let a), .float(let b)): return makeFloat(operation.apply(Double(a), b))
    case (.float(let a), .large(let b)): return makeFloat(operation.apply(a, b.nearestDouble))
    case (.large(let a), .float(let b)): return makeFloat(operation.apply(a.nearestDouble, b))
    case (nil, _), (_, nil): return nil
    }
  }

  private func calculate(
    _ operation: ArithmeticKind, _ left: LargeInteger, _ right: LargeInteger
  ) throws(Failure) -> Value {
    switch operation {
    case .add: return try makeInteger(left + right)
    case .subtract: return try makeInteger(left - right)
    case .multiply:
      try checkSize(
        bits: left.bitLength + right.bitLength, workspace: Machine.productWorkspace)
      return try makeInteger(left.multiplied(by: right, poll: poll))
    }
  }

  /// The order of two integers or floats: negative, 0 or positive; `unordered` when one is not a
  /// number, nil for other values.
  func compare(_ left: Value, _ right: Value) -> NumberOrder? {
    switch (numeric(left), numeric(right)) {
    case (.small(let a), .small(let b)): return NumberOrder(a < b ? -1 : a > b ? 1 : 0)
    case (.small(let a), .large(let b)): return NumberOrder(-b.compared(to: a))
    case (.large(let a), .small(let b)): return NumberOrder(a.compared(to: b))
    case (.large(let a), .large(let b)): return NumberOrder(a.compared(to: b))
    case (.float(let a), .float(let b)):
      return a < b ? .less : a > b ? .greater : a == b ? .equal : .unordered
    case (.float(let a), .small(let b)):
      return LargeInteger(b).compared(to: a).map { NumberOrder(-$0) } ?? .unordered
    case (.small(let a), .float(let b)):
      return LargeInteger(a).compared(to: b).map { NumberOrder($0) } ?? .unordered
    case (.float(let a), .large(let b)):
      return b.compared(to: a).map { NumberOrder(-$0) } ?? .unordered
    case (.large(let a), .float(let b)):
      return a.compared(to: b).map { NumberOrder($0) } ?? .unordered
    case (nil, _), (_, nil): return nil
    }
  }

  /// Hands an operation to an argument that is a number of the language's own.
  func adapt(_ arguments: Arguments, _ selector: String) -> Value {
    send(
      self.selector("adaptNumber:andSend:"), to: arguments[0], arguments.receiver,
      symbol(selector))
  }

  /// Whether a value inherits from Number.
  func isNumber(_ value: Value) -> Bool { classInfo(of: value).inherits(from: kernel.number) }
}

enum ArithmeticKind {
  case add, subtract, multiply

  func apply(_ left: Double, _ right: Double) -> Double {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    }
  }

  func apply(_ left: Int, _ right: Int) -> LargeInteger {
    switch self {
    case .add: .sum(left, right)
    case .subtract: .difference(left, right)
    case .multiply: .product(left, right)
    }
  }
}

/// How two numbers stand to each other.
enum NumberOrder {
  case less, equal, greater, unordered

  init(_ sign: Int) {
    self = sign < 0 ? .less : sign > 0 ? .greater : .equal
  }
}
