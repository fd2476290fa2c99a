public import TenonRuntime

// Decodable types out of values of scripts: objects of a class of the script and dictionaries have
// keys, collections have none.

/// A type that is `Decodable` reads dictionaries, and objects by their variables.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ScriptConvertible where Self: Codable {
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> Self {
    try ScriptDecoder.read(value)
  }

  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    try ScriptEncoder.write(self, to: &writer)
  }
}

extension Handle {
  /// Decodes what the handle holds: a dictionary or an object by its keys, a collection in its order.
  ///
  ///     struct Order: Decodable { var price: Double, lines: [String] }
  ///     let order = try interpreter.evaluate("#{ price: 3, lines: #('a') }").decode(Order.self)
  ///
  /// - Throws: `EvaluationError` with the path and what was expected there.
  public func decode<Value: Decodable>(_ type: Value.Type) throws(EvaluationError) -> Value {
    guard let machine else { throw .conversion(ConversionError("the interpreter is closed")) }
    do throws(ConversionError) {
      return try machine.read(self) { (value) throws(ConversionError) in
        try ScriptDecoder.read(value)
      }
    } catch {
      throw .conversion(error)
    }
  }
}

extension Interpreter {
  /// Encodes a value as the script has it: dictionaries, arrays, numbers and texts.
  ///
  /// - Throws: `EvaluationError` when there is no such value.
  public func encode(_ value: some Encodable) throws(EvaluationError) -> Handle {
    do throws(ConversionError) {
      return try machine.makeHandle { (writer) throws(ConversionError) in
        try ScriptEncoder.write(value, to: &writer)
      }
    } catch {
      throw .conversion(error)
    }
  }
}

/// Reads one value of a script for a type that is `Decodable`.
struct ScriptDecoder: Decoder {
  let machine: Machine
  let handle: Handle
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Decodes a value; errors of the standard library become conversion errors.
  static func read<Value: Decodable>(
    _ value: borrowing ValueReader
  ) throws(ConversionError) -> Value {
    let decoder = ScriptDecoder(machine: value.machine, handle: value.handle, codingPath: [])
    do {
      return try decoder.decode(Value.self)
    } catch let error as ConversionError {
      throw error
    } catch let error as DecodingError {
      throw ConversionError(error)
    } catch {
      throw ConversionError("\(error)")
    }
  }

  /// Reads the value by a conversion.
  func read<Value: ScriptConvertible>(_: Value.Type) throws -> Value {
    do throws(ConversionError) {
      return try machine.read(handle) { (value) throws(ConversionError) in try Value.read(value) }
    } catch {
      throw error.inside(codingPath)
    }
  }

  /// How many levels a value may have: each takes native stack, and a value may hold itself.
  private static let deepestLevel = 128

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard codingPath.count <= ScriptDecoder.deepestLevel else {
      throw ConversionError(
        "it is nested more than \(ScriptDecoder.deepestLevel) levels deep, or in itself")
    }
    if type == [UInt8].self || type == Duration.self || type == ScriptInstant.self,
      let type = type as? any (ScriptConvertible & Decodable).Type
    {
      return try convert(type)
    }
    return try Value(from: self)
  }

  private func convert<Value, Wanted>(_ type: Value.Type) throws -> Wanted
  where Value: ScriptConvertible {
    guard let value = try read(type) as? Wanted else { throw mismatch("\(Wanted.self)") }
    return value
  }

  func mismatch(_ expected: String) -> ConversionError {
    var error = ConversionError("the interpreter is closed")
    do throws(ConversionError) {
      error = try machine.read(handle) { $0.mismatch(expected) }
    } catch let other {
      error = other
    }
    return error.inside(codingPath)
  }

  func container<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    let names = try machine.read(handle) { $0.memberNames }
    guard let names else { throw mismatch("a dictionary or an object with variables") }
    return KeyedDecodingContainer(KeyedScriptDecoder(decoder: self, names: names))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let elements = try machine.read(handle) { (value) throws(ConversionError) in
      try value.elements { (element) throws(ConversionError) in element.handle }
    }
    guard let elements else { throw mismatch("a collection") }
    return UnkeyedScriptDecoder(decoder: self, elements: elements)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleScriptDecoder(decoder: self)
  }

  /// The decoder of a part.
  func part(_ handle: Handle, _ key: any CodingKey) -> ScriptDecoder {
    ScriptDecoder(machine: machine, handle: handle, codingPath: codingPath + [key])
  }
}

/// The number of an element in a path.
struct ElementKey: CodingKey {
  let index: Int
  var intValue: Int? { index }
  var stringValue: String { String(index) }
  init(_ index: Int) { self.index = index }
  init?(intValue: Int) { index = intValue }
  init?(stringValue: String) { return nil }
}

extension ConversionError {
  /// The error as seen from the outside of a path of keys.
  func inside(_ path: [any CodingKey]) -> ConversionError {
    path.reversed().reduce(self) { error, key in
      error.inside(key.intValue.map { "[\($0 + 1)]" } ?? key.stringValue)
    }
  }

  /// What the standard library says of a value that does not fit.
  init(_ error: DecodingError) {
    switch error {
    case .keyNotFound(let key, let context):
      self = ConversionError("there is no '\(key.stringValue)'").inside(context.codingPath)
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      self = ConversionError(context.debugDescription).inside(context.codingPath)
    @unknown default: self.init("\(error)")
    }
  }
}

/// A value on its own.
struct SingleScriptDecoder: SingleValueDecodingContainer {
  let decoder: ScriptDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.handle.isNil }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.read(type) }
  func decode(_ type: String.Type) throws -> String { try decoder.read(type) }
  func decode(_ type: Double.Type) throws -> Double { try decoder.read(type) }
  func decode(_ type: Float.Type) throws -> Float { try decoder.read(type) }
  func decode(_ type: Int.Type) throws -> Int { try decoder.read(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.read(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.read(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.read(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.read(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.read(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.read(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.read(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.read(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.read(type) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
}

/// The members of a dictionary or an object.
struct KeyedScriptDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ScriptDecoder
  let names: [String]
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { names.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { names.contains(key.stringValue) }

  private func part(_ key: any CodingKey) throws -> ScriptDecoder {
    let member = try decoder.machine.read(decoder.handle) { (value) throws(ConversionError) in
      try value.member(key.stringValue) { (member) throws(ConversionError) in member.handle }
    }
    guard let member else {
      throw ConversionError("there is no '\(key.stringValue)'").inside(codingPath)
    }
    return decoder.part(member, key)
  }

  private func single(_ key: Key) throws -> SingleScriptDecoder {
    SingleScriptDecoder(decoder: try part(key))
  }

  func decodeNil(forKey key: Key) throws -> Bool { try part(key).handle.isNil }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try single(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try single(key).decode(type)
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try single(key).decode(type)
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try single(key).decode(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try single(key).decode(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try single(key).decode(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try single(key).decode(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try single(key).decode(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try single(key).decode(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try single(key).decode(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try single(key).decode(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try single(key).decode(type)
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try single(key).decode(type)
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try single(key).decode(type)
  }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try part(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try part(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try part(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { decoder }
  func superDecoder(forKey key: Key) throws -> any Decoder { try part(key) }
}

/// The elements of a collection.
struct UnkeyedScriptDecoder: UnkeyedDecodingContainer {
  let decoder: ScriptDecoder
  let elements: [Handle]
  var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  init(decoder: ScriptDecoder, elements: [Handle]) {
    self.decoder = decoder
    self.elements = elements
  }

  private mutating func next() throws -> ScriptDecoder {
    guard !isAtEnd else {
      throw ConversionError("there are but \(elements.count) elements").inside(codingPath)
    }
    defer { currentIndex += 1 }
    return decoder.part(elements[currentIndex], ElementKey(currentIndex))
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements[currentIndex].isNil else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next().decode(type)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }
}
