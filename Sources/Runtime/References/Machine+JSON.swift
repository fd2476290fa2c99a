// JSON as stores keep it: integers and floats apart, strict, nesting bounded.

extension Machine {
  /// How deep JSON may nest, reading and writing.
  private static let jsonDepth = 512

  // MARK: Writing

  /// The JSON for a value.
  ///
  /// - Throws: a failure that names what JSON cannot hold.
  func encodeJSON(_ value: Value, at reference: Reference) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    try appendJSON(value, to: &bytes, depth: 0, reference)
    return bytes
  }

  private func appendJSON(
    _ value: Value, to bytes: inout [UInt8], depth: Int, _ reference: Reference
  ) throws(Failure) {
    guard depth < Machine.jsonDepth else {
      throw .store(StoreError(.encode, reference, "the value nests too deep for JSON"))
    }
    if value.isNil || value.isBoolean {
      bytes += (value.isNil ? "null" : value.isTrue ? "true" : "false").utf8
    } else if let number = numeric(value) {
      bytes += try jsonText(of: number, reference).utf8
    } else if isString(value) {
      appendJSON(unsafe String(decoding: ObjectRef(value).bytes, as: UTF8.self), to: &bytes)
    } else if let elements = sequence(value) {
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes += ", ".utf8 }
        try appendJSON(element, to: &bytes, depth: depth + 1, reference)
      }
      bytes.append(UInt8(ascii: "]"))
    } else if classInfo(of: value).inherits(from: dictionaryClass) {
      try appendJSONObject(value, to: &bytes, depth: depth, reference)
    } else {
      throw .store(StoreError(.encode, reference, "JSON cannot hold \(describe(value))"))
    }
  }

  private func jsonText(of number: Numeric, _ reference: Reference) throws(Failure) -> String {
    switch number {
    case .small(let integer): return String(integer)
    case .large(let integer): return try integer.text(radix: 10, poll: poll)
    case .float(let double):
      guard let text = FloatText.shortest(double) else {
        throw .store(
          StoreError(.encode, reference, "JSON cannot hold \(floatText(double))"))
      }
      return text
    }
  }

  private func sequence(_ value: Value) -> [Value]? {
    if value.isObject(ofClass: ClassIndex.array) {
      let array = ObjectRef(value)
      return (0..<array.elementCount).map { array[element: $0] }
    }
    guard value.isObject, classInfo(of: value).inherits(from: orderedCollectionClass),
      let array = try? OrderedElements(value).array()
    else { return nil }
    let elements = OrderedElements(value)
    return (max(0, elements.start)..<max(0, min(elements.end, array.elementCount))).map {
      array[element: $0]
    }
  }

  private func appendJSONObject(
    _ value: Value, to bytes: inout [UInt8], depth: Int, _ reference: Reference
  ) throws(Failure) {
    let table = HashTable(value)
    bytes.append(UInt8(ascii: "{"))
    var isFirst = true
    for number in 0..<table.used {
      guard let entry = table.entry(number + 1) else { continue }
      guard let key = text(entry.key) else {
        throw .store(
          StoreError(.encode, reference, "a key of JSON is a string, not \(describe(entry.key))"))
      }
      if !isFirst { bytes += ", ".utf8 }
      isFirst = false
      appendJSON(key, to: &bytes)
      bytes += ": ".utf8
      try appendJSON(entry.value, to: &bytes, depth: depth + 1, reference)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private func appendJSON(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes += "\\\"".utf8
      case UInt8(ascii: "\\"): bytes += "\\\\".utf8
      case 0x0A: bytes += "\\n".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x09: bytes += "\\t".utf8
      case 0..<0x20:
        bytes += "\\u00".utf8
        let digits = String(byte, radix: 16)
        bytes += (digits.utf8.count == 1 ? "0" + digits : digits).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  // MARK: Reading

  /// The value for JSON.
  ///
  /// - Throws: a failure that says where the text is no JSON.
  func decodeJSON(_ bytes: [UInt8], at reference: Reference) throws(Failure) -> Value {
    var reader = JSONReader(machine: self, bytes: bytes)
    let root = roots.count
    defer { roots.removeLast(roots.count - root) }
    if let value = reader.readDocument() { return value }
    throw .store(
      StoreError(.decode, reference, "it is no JSON, at byte \(reader.position + 1)"))
  }
}

/// Reads JSON by recursive descent, its depth bounded.
///
/// Allocation never collects, so that half-built values need no roots.
private struct JSONReader {
  let machine: Machine
  let bytes: [UInt8]
  private(set) var position = 0
  private var depth = 0

  init(machine: Machine, bytes: [UInt8]) {
    self.machine = machine
    self.bytes = bytes
  }

  mutating func readDocument() -> Value? {
    guard let value = readValue() else { return nil }
    skipBlanks()
    return position == bytes.count ? value : nil
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      position += 1
    }
  }

  private mutating func take(_ text: StaticString, _ value: Value) -> Value? {
    let expected = Array(text.description.utf8)
    guard bytes[position...].starts(with: expected) else { return nil }
    position += expected.count
    return value
  }

  private mutating func readValue() -> Value? {
    skipBlanks()
    guard depth < 512, let byte = next else { return nil }
    switch byte {
    case UInt8(ascii: "n"): return take("null", .nil)
    case UInt8(ascii: "t"): return take("true", .true)
    case UInt8(ascii: "f"): return take("false", .false)
    case UInt8(ascii: "\""): return readString().map { machine.makeString($0) }
    case UInt8(ascii: "["): return readArray()
    case UInt8(ascii: "{"): return readObject()
    default: return readNumber()
    }
  }

  private mutating func readArray() -> Value? {
    depth += 1
    defer { depth -= 1 }
    position += 1
    var elements: [Value] = []
    skipBlanks()
    if next == UInt8(ascii: "]") {
      position += 1
      return machine.makeArray(elements)
    }
    while let element = readValue() {
      elements.append(element)
      skipBlanks()
      guard let byte = next else { return nil }
      position += 1
      if byte == UInt8(ascii: "]") { return machine.makeArray(elements) }
      guard byte == UInt8(ascii: ",") else { return nil }
    }
    return nil
  }

  private mutating func readObject() -> Value? {
    depth += 1
    defer { depth -= 1 }
    position += 1
    let object = machine.makeEmptyDictionary()
    var keys: Set<String> = []
    skipBlanks()
    if next == UInt8(ascii: "}") {
      position += 1
      return object
    }
    while true {
      skipBlanks()
      guard next == UInt8(ascii: "\""), let key = readString(), keys.insert(key).inserted else {
        return nil
      }
      skipBlanks()
      guard next == UInt8(ascii: ":") else { return nil }
      position += 1
      guard let value = readValue() else { return nil }
      let keyValue = machine.makeString(key)
      let hash = Int(ObjectRef(keyValue).bytesHash)
      guard (try? HashTable(object).insert(keyValue, value, hash: hash, machine)) != nil else {
        return nil
      }
      skipBlanks()
      guard let byte = next else { return nil }
      position += 1
      if byte == UInt8(ascii: "}") { return object }
      guard byte == UInt8(ascii: ",") else { return nil }
    }
  }

  private mutating func readNumber() -> Value? {
    let start = position
    if next == UInt8(ascii: "-") { position += 1 }
    guard let first = next, isDigit(first) else { return nil }
    position += 1
    if first == UInt8(ascii: "0"), let second = next, isDigit(second) { return nil }
    skipDigits()
    if next == UInt8(ascii: ".") {
      position += 1
      guard let digit = next, isDigit(digit) else { return nil }
      skipDigits()
    }
    if let mark = next, mark | 0x20 == UInt8(ascii: "e") {
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      guard let digit = next, isDigit(digit) else { return nil }
      skipDigits()
    }
    // A number too large to be kept is left as text, like what is no JSON.
    let value = try? machine.number(
      spelled: String(decoding: bytes[start..<position], as: UTF8.self))
    guard let value, !value.isNil else { return nil }
    return value
  }

  private mutating func skipDigits() {
    while let byte = next, isDigit(byte) { position += 1 }
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private mutating func readString() -> String? {
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = readEscape() else { return nil }
        text += String(Character(scalar)).utf8
      case 0..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func readEscape() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      guard let high = readHex() else { return nil }
      guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) }
      guard bytes[position...].starts(with: "\\u".utf8) else { return nil }
      position += 2
      guard let low = readHex(), (0xDC00..<0xE000).contains(low) else { return nil }
      return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    default: return nil
    }
  }

  private mutating func readHex() -> UInt32? {
    guard position + 4 <= bytes.count,
      let text = String(validating: bytes[position..<position + 4], as: UTF8.self),
      text.utf8.allSatisfy({ isDigit($0) || (0x61...0x66).contains($0 | 0x20) })
    else { return nil }
    position += 4
    return UInt32(text, radix: 16)
  }
}

extension Machine {
  /// A new dictionary without entries.
  func makeEmptyDictionary() -> Value {
    let object = makeInstance(of: dictionaryClass)
    for slot in 2..<5 { object[slot: slot] = Value(small: 0) }
    return Value(object)
  }
}
