internal import TenonText

extension Primitive {
  static let stringCodings: [Primitive] = [
    Primitive("hexDecoded", "A byte array: of the bytes whose digits, two for each, the text has.")
    {
      machine, arguments throws(Failure) in
      let text = ObjectRef(arguments.receiver)
      guard text.byteCount % 2 == 0 else { throw .notHex(machine.describe(arguments.receiver)) }
      let result = try machine.makeBytes(
        classIndex: ClassIndex.byteArray, count: text.byteCount / 2)
      for index in 0..<result.byteCount {
        guard let high = ASCII(code: text[byte: 2 * index]).hexValue,
          let low = ASCII(code: text[byte: 2 * index + 1]).hexValue
        else { throw .notHex(machine.describe(arguments.receiver)) }
        result[byte: index] = high << 4 | low
      }
      return Value(result)
    },
    Primitive("base64Decoded", "The byte array that the text spells in base64.") {
      machine, arguments throws(Failure) in
      let bytes = unsafe Base64.decode(ObjectRef(arguments.receiver).bytes)
      guard let bytes else {
        throw Failure(
          .encodingError, "\(machine.describe(arguments.receiver)) is not base64")
      }
      return try machine.makeByteArray(checked: bytes)
    },
    Primitive("urlDecoded", "The text with each % and two digits replaced by what they stand for.")
    {
      machine, arguments throws(Failure) in
      let text = ObjectRef(arguments.receiver)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.byteCount)
      var offset = 0
      while offset < text.byteCount {
        let byte = text[byte: offset]
        offset += 1
        guard byte == UInt8(ascii: "%") else {
          bytes.append(byte)
          continue
        }
        guard offset + 1 < text.byteCount, let high = ASCII(code: text[byte: offset]).hexValue,
          let low = ASCII(code: text[byte: offset + 1]).hexValue
        else {
          throw Failure(
            .encodingError,
            "two digits must follow the % at byte \(offset) of "
              + machine.describe(arguments.receiver))
        }
        bytes.append(high << 4 | low)
        offset += 2
      }
      guard let decoded = String(validating: bytes, as: UTF8.self) else {
        throw .notUTF8("what \(machine.describe(arguments.receiver)) stands for")
      }
      return try machine.makeText(decoded)
    },
  ]

  static let byteArrayCodings: [Primitive] = [
    Primitive("utf8Decoded", "The text that the bytes are in UTF-8; an EncodingError if none.") {
      machine, arguments throws(Failure) in
      let bytes = ObjectRef(arguments.receiver)
      if let place = bytes.firstOffsetThatIsNotUTF8 {
        let head = (0..<min(4, bytes.byteCount)).map { bytes[byte: $0] }
        if let encoding = ByteOrderMark.otherEncoding(of: head) {
          throw Failure(
            .encodingError,
            "the byte array begins with the byte order mark of \(encoding) and is not UTF-8")
        }
        throw .notUTF8("the byte array, from byte \(place + 1) on,")
      }
      let string = try machine.makeBytes(classIndex: ClassIndex.string, count: bytes.byteCount)
      string.copyBytes(from: bytes, start: 0, count: bytes.byteCount, at: 0)
      string.recordEncoding()
      return Value(string)
    },
    Primitive("hex", "The digits of all bytes, two for each, small letters above 9.") {
      machine, arguments throws(Failure) in
      let bytes = ObjectRef(arguments.receiver)
      let result = try machine.makeBytes(
        classIndex: ClassIndex.string, count: 2 * bytes.byteCount)
      for index in 0..<bytes.byteCount {
        result[byte: 2 * index] = ASCII.hexDigit(bytes[byte: index] >> 4)
        result[byte: 2 * index + 1] = ASCII.hexDigit(bytes[byte: index] & 15)
      }
      return Value(result)
    },
    Primitive("base64Encoded", "The bytes as text in base64.") {
      machine, arguments throws(Failure) in
      let bytes = ObjectRef(arguments.receiver)
      let result = try machine.makeBytes(
        classIndex: ClassIndex.string, count: (bytes.byteCount + 2) / 3 * 4)
      for index in 0..<result.byteCount {
        result[byte: index] = Base64.digit(index) { bytes.byteIfThere($0) }
      }
      return Value(result)
    },
  ]
}

extension Failure {
  static func notHex(_ text: String) -> Failure {
    Failure(.encodingError, "\(text) is not a text of hexadecimal digits, two for each byte")
  }
}

extension Machine {
  /// Returns a new byte array of any size.
  ///
  /// - Throws: `OutOfMemory` when the limit forbids it.
  func makeByteArray(checked bytes: [UInt8]) throws(Failure) -> Value {
    let array = try makeBytes(classIndex: ClassIndex.byteArray, count: bytes.count)
    for (index, byte) in bytes.enumerated() { array[byte: index] = byte }
    return Value(array)
  }
}

extension ObjectRef {
  fileprivate func byteIfThere(_ index: Int) -> UInt8? {
    index < byteCount ? self[byte: index] : nil
  }

  /// Where the bytes stop to be UTF-8; nil when all are.
  fileprivate var firstOffsetThatIsNotUTF8: Int? {
    if unsafe String(validating: bytes, as: UTF8.self) != nil { return nil }
    var decoder = UTF8()
    var iterator = unsafe bytes.makeIterator()
    var offset = 0
    while true {
      switch unsafe decoder.decode(&iterator) {
      case .scalarValue(let scalar): offset += UTF8.width(scalar)
      case .emptyInput, .error: return offset
      }
    }
  }
}
