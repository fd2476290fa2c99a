// What arguments of primitives must be.

extension Machine {
  /// The integer of an argument that must be a SmallInteger.
  @inline(__always)
  func integer(_ value: Value) throws(Failure) -> Int {
    guard let integer = value.asSmallInteger else {
      throw .invalidArgument("an integer", found: describe(value))
    }
    return integer
  }

  /// The offset, from 0, of an index that must lie in `1 ... count`.
  @inline(__always)
  func offset(_ value: Value, count: Int) throws(Failure) -> Int {
    guard let index = value.asSmallInteger else { throw noIndex(value, count: count) }
    guard index >= 1, index <= count else { throw outOfBounds(index, count: count) }
    return index - 1
  }

  /// Why a value is no index.
  private func noIndex(_ value: Value, count: Int) -> Failure {
    value.isObject(ofClass: ClassIndex.largeInteger)
      ? outOfBounds(value, count: count)
      : .invalidArgument("an index", found: describe(value))
  }

  /// The object of an argument that must be a string or symbol.
  @inline(__always)
  func string(_ value: Value) throws(Failure) -> ObjectRef {
    guard isString(value) else { throw .invalidArgument("a string", found: describe(value)) }
    return ObjectRef(value)
  }

  /// The text of an argument that must be a string or symbol.
  func swiftString(_ value: Value) throws(Failure) -> String {
    let object = try string(value)
    return unsafe String(decoding: object.bytes, as: UTF8.self)
  }

  /// The object of an argument that must be an array.
  func array(_ value: Value) throws(Failure) -> ObjectRef {
    guard value.isObject(ofClass: ClassIndex.array) else {
      throw .invalidArgument("an array", found: describe(value))
    }
    return ObjectRef(value)
  }

  /// The class of an argument that must be one.
  func classArgument(_ value: Value) throws(Failure) -> ClassInfo {
    guard let info = classInfo(named: value) else {
      throw .invalidArgument("a class", found: describe(value))
    }
    return info
  }

  /// The floating-point number that is nearest to a number; nil for what is none.
  func nearestDouble(_ value: Value) -> Double? {
    if let integer = value.asSmallInteger { return Double(integer) }
    return value.isUndefined ? nil : double(value) ?? solverNumber(value)?.double
  }

  /// Uses the console; what it cannot do becomes an exception of the language.
  func withConsole<Result>(
    _ body: (any Console) throws(ConsoleError) -> Result
  ) throws(Failure) -> Result {
    do throws(ConsoleError) { return try body(host.console) } catch {
      throw Failure(.streamError, error.message)
    }
  }
}
