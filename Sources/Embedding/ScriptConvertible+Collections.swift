public import TenonRuntime

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Optional: ScriptConvertible where Wrapped: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Wrapped? {
    value.isNil ? nil : try Wrapped.read(value)
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    guard let value = self else { return writer.writeNil() }
    try value.write(to: &writer)
  }
}

/// Any collection of a script is read, in its order. An array of `UInt8` is a byte array there.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Array: ScriptConvertible where Element: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> [Element] {
    if Element.self == UInt8.self, let bytes = value.bytes as? [Element] { return bytes }
    guard
      let elements = try value.elements({ (element) throws(ConversionError) in
        try Element.read(element)
      })
    else { throw value.mismatch(Element.self == UInt8.self ? "bytes" : "a collection") }
    return elements
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    if let bytes = self as? [UInt8], Element.self == UInt8.self {
      return try writer.write(bytes: bytes)
    }
    try writer.writeArray(count: count) { (writer, index) throws(ConversionError) in
      try self[index].write(to: &writer)
    }
  }
}

/// A set is written as an array.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Set: ScriptConvertible where Element: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Set<Element> {
    Set(try [Element].read(value))
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    try Array(self).write(to: &writer)
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Dictionary: ScriptConvertible where Key: ScriptConvertible, Value: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> [Key: Value] {
    let entries = try value.entries { (key, value) throws(ConversionError) in
      (try Key.read(key), try Value.read(value))
    }
    guard let entries else { throw value.mismatch("a dictionary") }
    var dictionary: [Key: Value] = [:]
    for (key, value) in entries where dictionary.updateValue(value, forKey: key) != nil {
      throw ConversionError("two keys are the same \(Key.self): \(key)")
    }
    return dictionary
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    let entries = Array<(key: Key, value: Value)>(self)
    try writer.writeDictionary(count: count) { (key, value, index) throws(ConversionError) in
      // What names an entry is a symbol in a script.
      if let name = entries[index].key as? String {
        key.write(symbol: name)
      } else {
        try entries[index].key.write(to: &key)
      }
      try entries[index].value.write(to: &value)
    }
  }
}

// MARK: - Ranges

extension ValueReader {
  /// The ends of an interval in steps of 1.
  fileprivate func bounds<Bound: ScriptConvertible>(
    _: Bound.Type
  ) throws(ConversionError) -> (Bound, Bound) {
    guard let parts = variables(of: "Interval", [0, 1, 2]), parts[2].integer == 1 else {
      throw mismatch("an interval in steps of 1")
    }
    return (
      try machine.read(parts[0]) { (value) throws(ConversionError) in try Bound.read(value) },
      try machine.read(parts[1]) { (value) throws(ConversionError) in try Bound.read(value) }
    )
  }
}

extension ValueWriter {
  /// Writes an interval in steps of 1.
  fileprivate mutating func writeInterval(
    _ first: some ScriptConvertible, _ last: some ScriptConvertible
  ) throws(ConversionError) {
    try writeInstance(of: "Interval", count: 3) { (writer, index) throws(ConversionError) in
      switch index {
      case 0: try first.write(to: &writer)
      case 1: try last.write(to: &writer)
      default: writer.write(integer: 1)
      }
    }
  }
}

/// An interval of a script, ends included: `1 to: 5` is `1...5`.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ClosedRange: ScriptConvertible where Bound: ScriptConvertible {
  public static func read(
    _ value: borrowing ValueReader
  ) throws(ConversionError) -> ClosedRange<Bound> {
    let (first, last) = try value.bounds(Bound.self)
    guard first <= last else { throw value.mismatch("an interval that is not empty") }
    return first...last
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    try writer.writeInterval(lowerBound, upperBound)
  }
}

/// An interval of integers, whose end is the number before the upper bound: `1 to: 4` is `1..<5`.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Range: ScriptConvertible where Bound: ScriptInteger {
  public static func read(
    _ value: borrowing ValueReader
  ) throws(ConversionError) -> Range<Bound> {
    let (first, last) = try value.bounds(Bound.self)
    let (end, isTooLarge) = last.addingReportingOverflow(1)
    guard !isTooLarge else { throw value.mismatch("an interval that ends below \(Bound.max)") }
    return end <= first ? first..<first : first..<end
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    // Only an empty range may end at the least number, and then any empty interval will do.
    let (last, isTooSmall) = upperBound.subtractingReportingOverflow(1)
    if isTooSmall { return try writer.writeInterval(Bound(1), Bound(0)) }
    try writer.writeInterval(lowerBound, last)
  }
}
