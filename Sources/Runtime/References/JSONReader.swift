internal import TenonText

/// Reads JSON strictly: RFC 8259, each name of an object once, nesting bounded.
///
/// Allocation never collects, so that half-built values need no roots.
struct JSONReader {
  /// How deep JSON may nest, reading and writing.
  static let depthLimit = 512
  /// The one member of an object that stands for bytes, where a store keeps bytes in JSON.
  static let bytesName = "base64"

  private let machine: Machine
  private let bytes: [UInt8]
  /// Whether a member of an object is a byte array that is itself an object with the one member
  /// `base64`.
  private let withBytes: Bool
  /// The error for what is wrong, given with its line and column.
  private let failure: (String) -> Failure
  /// The line of its own text on which what is read begins.
  private let firstLine: Int
  private var position = 0
  private var open: [Container] = []
  /// The elements of the arrays that are open, the innermost one's last.
  private var elements: [Value] = []
  private var valueCount = 0

  /// An array or object whose end has not been read.
  private enum Container {
    case array(firstElement: Int)
    case object(Value, key: Value)
  }

  private init(
    machine: Machine, bytes: [UInt8], withBytes: Bool, line: Int,
    failure: @escaping (String) -> Failure
  ) {
    self.machine = machine
    self.bytes = bytes
    self.withBytes = withBytes
    self.failure = failure
    firstLine = line
  }

  /// Reads a text that is one value.
  ///
  /// - Parameters:
  ///   - bytes: The text in UTF-8.
  ///   - machine: The machine that gets the value.
  ///   - withBytes: Whether a member of an object is a byte array that is itself an object with the
  ///     one member `base64`.
  ///   - line: The line on which it begins in a text that holds more, for errors.
  ///   - failure: Makes an error of what is wrong and where.
  /// - Returns: The value.
  /// - Throws: What `failure` makes; or that memory is short, or that the program is to stop.
  static func read(
    _ bytes: [UInt8], for machine: Machine, withBytes: Bool = false, line: Int = 1,
    failure: @escaping (String) -> Failure
  ) throws(Failure) -> Value {
    var reader = JSONReader(
      machine: machine, bytes: bytes, withBytes: withBytes, line: line, failure: failure)
    return try reader.readDocument()
  }

  // MARK: Values

  private mutating func readDocument() throws(Failure) -> Value {
    // It says nothing in UTF-8, and RFC 8259 allows readers to leave it out.
    if bytes.starts(with: ByteOrderMark.utf8) { position = ByteOrderMark.utf8.count }
    while true {
      guard var value = try readValue() else { continue }
      // The value may end the array or object around it, which is a value itself.
      while let container = open.popLast() {
        skipBlanks()
        guard let whole = try add(value, to: container) else { break }
        value = whole
      }
      guard open.isEmpty else { continue }
      skipBlanks()
      guard position == bytes.count else { throw wrong("nothing may follow the value") }
      return value
    }
  }

  /// Adds a value to what is around it, and reads what follows.
  ///
  /// - Returns: the array or object, if that ends it.
  private mutating func add(_ value: Value, to container: Container) throws(Failure) -> Value? {
    switch container {
    case .array(let first):
      elements.append(value)
      if take("]") {
        let array = try machine.makeArray(checked: elements.count - first)
        for index in first..<elements.count { array[element: index - first] = elements[index] }
        elements.removeLast(elements.count - first)
        return Value(array)
      }
      guard take(",") else { throw expected("',' or ']'") }
      open.append(container)
    case .object(let object, let key):
      try HashTable(object).insert(
        key, value, hash: Int(ObjectRef(key).bytesHash), machine)
      if take("}") { return try bytes(of: object, key, value) ?? object }
      guard take(",") else { throw expected("',' or '}'") }
      open.append(.object(object, key: try readKey(of: object)))
    }
    return nil
  }

  /// The byte array that an object stands for, by its last member; nil for one that stands for none:
  /// a row may have `base64` for its only column.
  private func bytes(
    of object: Value, _ key: Value, _ value: Value
  ) throws(Failure) -> Value? {
    guard withBytes, case .object? = open.last, HashTable(object).count == 1,
      machine.text(key) == JSONReader.bytesName, machine.isString(value),
      let decoded = unsafe Base64.decode(ObjectRef(value).bytes)
    else { return nil }
    return try machine.makeByteArray(checked: decoded)
  }

  /// Reads a value; nil when it is the beginning of an array or object with something in it.
  private mutating func readValue() throws(Failure) -> Value? {
    skipBlanks()
    valueCount += 1
    if valueCount & 0xFFF == 0 {
      try machine.pollInterrupt()
      try machine.checkMemory()
    }
    guard let byte = next else { throw expected("a value") }
    switch byte {
    case UInt8(ascii: "n"): return try takeWord("null", .nil)
    case UInt8(ascii: "t"): return try takeWord("true", .true)
    case UInt8(ascii: "f"): return try takeWord("false", .false)
    case UInt8(ascii: "\""): return machine.makeString(try readString())
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      guard open.count < JSONReader.depthLimit else {
        throw wrong("it nests deeper than \(JSONReader.depthLimit) levels")
      }
      position += 1
      skipBlanks()
      if byte == UInt8(ascii: "[") {
        if take("]") { return machine.makeArray([]) }
        open.append(.array(firstElement: elements.count))
      } else {
        let object = machine.makeEmptyDictionary()
        if take("}") { return object }
        open.append(.object(object, key: try readKey(of: object)))
      }
      return nil
    default: return try readNumber()
    }
  }

  private mutating func readKey(of object: Value) throws(Failure) -> Value {
    skipBlanks()
    guard next == UInt8(ascii: "\"") else { throw expected("a name in quotes") }
    let start = position
    let text = try readString()
    let key = machine.makeString(text)
    let hash = Int(ObjectRef(key).bytesHash)
    if case .found = HashTable(object).search(key, hash: hash, byIdentity: false) {
      position = start
      throw wrong("the name '\(text)' is there twice")
    }
    skipBlanks()
    guard take(":") else { throw expected("':'") }
    return key
  }

  private mutating func takeWord(_ word: String, _ value: Value) throws(Failure) -> Value {
    guard bytes[position...].starts(with: word.utf8) else { throw expected("a value") }
    position += word.utf8.count
    return value
  }

  // MARK: Numbers

  private mutating func readNumber() throws(Failure) -> Value {
    let start = position
    let number: DecimalText
    do throws(DecimalText.Failure) {
      number = try DecimalText(bytes, at: start, .json)
    } catch {
      switch error {
      case .noNumber: throw expected("a value")
      case .leadingZero: throw wrong("a number does not begin with 0")
      case .noDigit(let offset):
        position = offset
        throw expected("a digit")
      }
    }
    position = number.end
    if let value = try machine.number(number, in: bytes, exponentLimit: JSONReader.exponentLimit) {
      return value
    }
    // The writer of such a store has no other form for what is infinite.
    if withBytes, number.isFloat {
      return machine.makeFloat(number.isNegative ? -.infinity : .infinity)
    }
    position = start
    throw wrong("the number is too large")
  }

  /// The greatest exponent of an integer: a short text must not stand for a huge one.
  private static let exponentLimit = 9999

  // MARK: Strings

  private mutating func readString() throws(Failure) -> String {
    let start = position
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else {
          position = start
          throw wrong("the string is not UTF-8")
        }
        return string
      case UInt8(ascii: "\\"):
        text += String(Character(try readEscape())).utf8
      case 0..<0x20:
        position -= 1
        throw wrong("a control character in a string is written with a backslash")
      default: text.append(byte)
      }
    }
    position = start
    throw wrong("the string is not closed")
  }

  private mutating func readEscape() throws(Failure) -> Unicode.Scalar {
    guard let escape = try? JSONEscape(in: bytes, at: position) else {
      position -= 1
      throw wrong("the backslash begins no character that JSON knows")
    }
    position = escape.end
    return escape.scalar
  }

  // MARK: Bytes

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard let byte = next, UInt32(byte) == scalar.value else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      position += 1
    }
  }

  // MARK: Errors

  private func expected(_ what: String) -> Failure {
    guard position < bytes.count else { return wrong("expected \(what), found the end") }
    let rest = String(decoding: bytes[position..<min(position + 4, bytes.count)], as: UTF8.self)
    // It cannot be seen.
    if rest.unicodeScalars.first == "\u{FEFF}" {
      return wrong("expected \(what), found a byte order mark")
    }
    return wrong("expected \(what), found '\(rest.unicodeScalars.first ?? " ")'")
  }

  private func wrong(_ message: String) -> Failure {
    let place = TextPlace(of: position, in: bytes)
    return failure("at line \(firstLine &+ place.line &- 1), column \(place.column): \(message)")
  }
}
