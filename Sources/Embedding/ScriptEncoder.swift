internal import TenonRuntime

/// What a type that is `Encodable` becomes, before it is written.
private final class EncodedNode {
  enum Kind {
    case `nil`, value, array, dictionary
  }

  var kind = Kind.nil
  /// The value, of one that has no parts.
  private var value: (any ScriptConvertible)?
  private var elements: [EncodedNode] = []
  private var names: [String] = []
  private var positions: [String: Int] = [:]

  var count: Int { elements.count }

  func set(_ value: any ScriptConvertible) {
    kind = .value
    self.value = value
  }

  /// Writes it with all that it consists of.
  func write(to writer: inout ValueWriter) throws(ConversionError) {
    switch kind {
    case .nil: writer.writeNil()
    case .value: try value?.write(to: &writer)
    case .array:
      try writer.writeArray(count: elements.count) { (writer, index) throws(ConversionError) in
        try elements[index].write(to: &writer)
      }
    case .dictionary:
      try writer.writeDictionary(count: names.count) {
        (key, value, index) throws(ConversionError) in
        key.write(symbol: names[index])
        do throws(ConversionError) {
          try elements[index].write(to: &value)
        } catch {
          throw error.inside(names[index])
        }
      }
    }
  }

  /// The node of an entry, which is added when it is new.
  func entry(_ name: String) -> EncodedNode {
    if let position = positions[name] { return elements[position] }
    positions[name] = elements.count
    names.append(name)
    return element()
  }

  /// The node of a new element.
  func element() -> EncodedNode {
    let node = EncodedNode()
    elements.append(node)
    return node
  }
}

/// Takes what a type that is `Encodable` consists of.
struct ScriptEncoder: Encoder {
  fileprivate let node: EncodedNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Encodes a value.
  static func write(_ value: some Encodable, to writer: inout ValueWriter) throws(ConversionError) {
    let node = EncodedNode()
    do {
      try ScriptEncoder(node: node, codingPath: []).encode(value)
    } catch let error as ConversionError {
      throw error
    } catch EncodingError.invalidValue(_, let context) {
      throw ConversionError(context.debugDescription).inside(context.codingPath)
    } catch {
      throw ConversionError("\(error)")
    }
    try node.write(to: &writer)
  }

  fileprivate func encode(_ value: some Encodable) throws {
    switch value {
    case let bytes as [UInt8]: node.set(bytes)
    case let duration as Duration: node.set(duration)
    case let instant as ScriptInstant: node.set(instant)
    default: try value.encode(to: self)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.kind = .dictionary
    return KeyedEncodingContainer(KeyedScriptEncoder(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.kind = .array
    return UnkeyedScriptEncoder(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleScriptEncoder(encoder: self)
  }

  fileprivate func part(_ node: EncodedNode, _ key: any CodingKey) -> ScriptEncoder {
    ScriptEncoder(node: node, codingPath: codingPath + [key])
  }
}

/// A value on its own.
struct SingleScriptEncoder: SingleValueEncodingContainer {
  let encoder: ScriptEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() throws { encoder.node.kind = .nil }
  func encode(_ value: Bool) throws { encoder.node.set(value) }
  func encode(_ value: String) throws { encoder.node.set(value) }
  func encode(_ value: Double) throws { encoder.node.set(value) }
  func encode(_ value: Float) throws { encoder.node.set(value) }
  func encode(_ value: Int) throws { encoder.node.set(value) }
  func encode(_ value: Int8) throws { encoder.node.set(value) }
  func encode(_ value: Int16) throws { encoder.node.set(value) }
  func encode(_ value: Int32) throws { encoder.node.set(value) }
  func encode(_ value: Int64) throws { encoder.node.set(value) }
  func encode(_ value: UInt) throws { encoder.node.set(value) }
  func encode(_ value: UInt8) throws { encoder.node.set(value) }
  func encode(_ value: UInt16) throws { encoder.node.set(value) }
  func encode(_ value: UInt32) throws { encoder.node.set(value) }
  func encode(_ value: UInt64) throws { encoder.node.set(value) }
  func encode(_ value: some Encodable) throws { try encoder.encode(value) }
}

/// The entries of a dictionary.
struct KeyedScriptEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ScriptEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func part(_ key: any CodingKey) -> ScriptEncoder {
    encoder.part(encoder.node.entry(key.stringValue), key)
  }

  private func single(_ key: Key) -> SingleScriptEncoder { SingleScriptEncoder(encoder: part(key)) }

  func encodeNil(forKey key: Key) throws { try single(key).encodeNil() }
  func encode(_ value: Bool, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: String, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: Double, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: Float, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: Int, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: Int8, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: Int16, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: Int32, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: Int64, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: UInt, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: UInt8, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: UInt16, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: UInt32, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: UInt64, forKey key: Key) throws { try single(key).encode(value) }
  func encode(_ value: some Encodable, forKey key: Key) throws { try part(key).encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { part(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    part(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder }
  func superEncoder(forKey key: Key) -> any Encoder { part(key) }
}

/// The elements of an array.
struct UnkeyedScriptEncoder: UnkeyedEncodingContainer {
  let encoder: ScriptEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.count }

  private func next() -> ScriptEncoder {
    let index = count
    return encoder.part(encoder.node.element(), ElementKey(index))
  }

  func encodeNil() throws { next().node.kind = .nil }
  func encode(_ value: some Encodable) throws { try next().encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> { next().container(keyedBy: type) }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
  func superEncoder() -> any Encoder { next() }
}
