public import TenonRuntime

/// A type whose values cross between Swift and scripts.
///
/// Numbers, texts, optionals, arrays, sets, dictionaries, ranges and durations conform. A type with
/// raw values conforms by saying so, and so does one that is `Codable`: its values are dictionaries in
/// a script. An object that a script is to share, and not to copy, conforms to `ScriptObject`.
///
///     enum Color: String, ScriptConvertible { case red, green }
///     struct Order: Codable, ScriptConvertible { var price: Double, lines: [String] }
public protocol ScriptConvertible {
  /// Reads a value of a script.
  ///
  /// - Throws: `ConversionError` when it does not fit.
  static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Self

  /// Writes the value that a script gets.
  ///
  /// - Throws: `ConversionError` when there is none.
  func write(to writer: inout ValueWriter) throws(ConversionError)
}

// MARK: - Numbers

/// What integers have in common; it is adopted below.
public protocol ScriptInteger: FixedWidthInteger, ScriptConvertible {}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ScriptInteger {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Self {
    if let integer = value.integer(as: Self.self) { return integer }
    throw value.mismatch(value.isInteger ? "an integer that \(Self.self) can hold" : "an integer")
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    writer.write(integer: self)
  }
}

/// The usual one goes without code for all widths.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Int: ScriptInteger {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Int {
    if let integer = value.integer { return integer }
    throw value.mismatch(value.isInteger ? "an integer that Int can hold" : "an integer")
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) { writer.write(self) }
}
extension Int8: ScriptInteger {}
extension Int16: ScriptInteger {}
extension Int32: ScriptInteger {}
extension Int64: ScriptInteger {}
extension Int128: ScriptInteger {}
extension UInt: ScriptInteger {}
extension UInt8: ScriptInteger {}
extension UInt16: ScriptInteger {}
extension UInt32: ScriptInteger {}
extension UInt64: ScriptInteger {}
extension UInt128: ScriptInteger {}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Double: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Double {
    guard let double = value.double else { throw value.mismatch("a number") }
    return double
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) { writer.write(self) }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Float: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Float {
    guard let double = value.double else { throw value.mismatch("a number") }
    let float = Float(double)
    guard float.isFinite || !double.isFinite else {
      throw value.mismatch("a number that Float can hold")
    }
    return float
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    writer.write(Double(self))
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Bool: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Bool {
    guard let boolean = value.boolean else { throw value.mismatch("true or false") }
    return boolean
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) { writer.write(self) }
}

// MARK: - Texts

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension String: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> String {
    guard let string = value.string else { throw value.mismatch("a string") }
    return string
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    try writer.write(self)
  }
}

/// A character is a string of one in a script: the language's own characters are Unicode scalars.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Character: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Character {
    if let scalar = value.character { return Character(scalar) }
    guard let string = value.string, string.count == 1, let character = string.first else {
      throw value.mismatch("a character")
    }
    return character
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    try writer.write(String(self))
  }
}

// MARK: - Raw values

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ScriptConvertible where Self: RawRepresentable, RawValue: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Self {
    guard let known = Self(rawValue: try RawValue.read(value)) else {
      throw value.mismatch("a value of \(Self.self)")
    }
    return known
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    try rawValue.write(to: &writer)
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ScriptConvertible where Self: RawRepresentable & Codable, RawValue: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Self {
    guard let known = Self(rawValue: try RawValue.read(value)) else {
      throw value.mismatch("a value of \(Self.self)")
    }
    return known
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    try rawValue.write(to: &writer)
  }
}

// MARK: - Handles

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension Handle: ScriptConvertible {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Handle {
    value.handle
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    try writer.write(self)
  }
}
