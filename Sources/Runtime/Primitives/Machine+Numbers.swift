internal import TenonParser

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

  /// Refuses an integer of so many bits before anybody computes it.
  func checkSize(bits: Int) throws(Failure) {
    guard bits < NumberLimits.bits else {
      throw .tooLarge("an integer of \(bits) bits", limit: NumberLimits.bits)
    }
    // What computes a number needs about three times its size on the way.
    try reserve(bits / 8 * 3)
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

  /// The number that a text spells as a literal would, or nil.
  func number(spelled text: String) -> Value {
    var bytes = Array(text.utf8)
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    while let last = bytes.last, blanks.contains(last) { bytes.removeLast() }
    bytes = Array(bytes.drop { blanks.contains($0) })
    var isNegative = false
    if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      bytes.removeFirst()
    }
    return numberParts(bytes, isNegative: isNegative) ?? .nil
  }

  private func numberParts(_ bytes: [UInt8], isNegative: Bool) -> Value? {
    func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    let whole = bytes.prefix(while: isDigit)
    guard !whole.isEmpty else { return nil }
    var rest = bytes[whole.count...]
    if rest.isEmpty {
      return integer(
        isNegative: isNegative, digits: String(decoding: whole, as: UTF8.self), radix: 10)
    }
    var fraction: ArraySlice<UInt8> = []
    if rest.first == UInt8(ascii: ".") {
      fraction = rest.dropFirst().prefix(while: isDigit)
      guard !fraction.isEmpty else { return nil }
      rest = rest.dropFirst(fraction.count + 1)
    }
    var exponent = 0
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      let spelled = String(decoding: rest.dropFirst(), as: UTF8.self)
      guard let value = Int(spelled) else { return nil }
      exponent = max(-100_000, min(100_000, value))
      rest = []
    }
    guard rest.isEmpty else { return nil }
    let value = FloatText.value(
      digits: whole + fraction, exponent: exponent - fraction.count, isNegative: isNegative)
    return value.map { makeFloat($0) }
  }

  // MARK: Interrupts

  /// What long calculations ask now and then: whether somebody wants the program to stop.
  var poll: () throws(Failure) -> Void {
    { [self] () throws(Failure) in try pollInterrupt() }
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
      try checkSize(bits: left.bitLength + right.bitLength)
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
  func isNumber(_ value: Value) -> Bool { classInfo(of: value).inherits(from: numberClass) }
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
