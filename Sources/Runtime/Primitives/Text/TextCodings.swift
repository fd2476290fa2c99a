internal import TenonText

extension Primitive {
  static let stringCodings: [Primitive] = [
    Primitive("hexDecoded", "A byte array: of the bytes whose digits, two for each, the text has.")
    {
      machine, arguments throws(Failure) in
      guard let bytes = unsafe Hexadecimal.decode(ObjectRef(arguments.receiver).readBytes) else {
        throw Failure(
          .encodingError,
          machine.describe(arguments.receiver)
            + " is not a text of hexadecimal digits, two for each byte")
      }
      return try machine.makeByteArray(checked: bytes)
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
    Primitive("urlEncoded", "The text with all but letters, digits and -._~ as % and two digits.") {
      machine, arguments throws(Failure) in
      try machine.makeText(PercentEncoding.encoded(try machine.swiftString(arguments.receiver)))
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

  /// The bytes of a text in an encoding.
  static let encodedText: [Primitive] = [
    Primitive("encodedAs: name", "Private: the bytes in an encoding; false for no encoding.") {
      machine, arguments throws(Failure) in
      guard let encoding = TextEncoding(named: try machine.swiftString(arguments[0])) else {
        return .false
      }
      guard let bytes = encoding.bytes(for: try machine.swiftString(arguments.receiver)) else {
        throw Failure(
          .encodingError,
          "\(machine.describe(arguments.receiver)) has a character that is not in \(encoding.name)")
      }
      return try machine.makeByteArray(checked: bytes)
    }
  ]

  static let byteArrayCodings: [Primitive] = [
    Primitive("utf8Decoded", "The text that the bytes are in UTF-8; an EncodingError if none.") {
      machine, arguments throws(Failure) in
      let bytes = ObjectRef(arguments.receiver)
      if let place = unsafe UTF8Bytes.firstInvalidOffset(of: bytes.readBytes) {
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
    Primitive("decodedAs: name", "Private: the text in an encoding; false for no encoding.") {
      machine, arguments throws(Failure) in
      guard let encoding = TextEncoding(named: try machine.swiftString(arguments[0])) else {
        return .false
      }
      var decoder = TextDecoder(encoding)
      let bytes = unsafe Array(ObjectRef(arguments.receiver).bytes)
      guard var text = decoder.decode(bytes, isLast: true) else {
        throw Failure(.encodingError, "the byte array is no text in \(encoding.name)")
      }
      if text.starts(with: ByteOrderMark.utf8) { text.removeFirst(ByteOrderMark.utf8.count) }
      guard let string = String(validating: text, as: UTF8.self) else {
        throw .notUTF8("the byte array")
      }
      return try machine.makeText(string)
    },
    Primitive("hex", "The digits of all bytes, two for each, small letters above 9.") {
      machine, arguments throws(Failure) in
      try machine.makeText(unsafe Hexadecimal.encoded(ObjectRef(arguments.receiver).readBytes))
    },
    Primitive("base64Encoded", "The bytes as text in base64.") {
      machine, arguments throws(Failure) in
      try machine.makeText(Base64.encoded(unsafe Array(ObjectRef(arguments.receiver).bytes)))
    },
    Primitive("digest: name after: state ends: flag", "Private: a digest, or its next state.") {
      machine, arguments throws(Failure) in
      let name = try machine.swiftString(arguments[0])
      let state = ObjectRef.bytes(ofByteArray: arguments[1]) ?? []
      machine.charge(arguments.receiver)
      let bytes = unsafe ObjectRef(arguments.receiver).readBytes
      guard let next = unsafe Digest.step(name, after: state, bytes, ends: arguments[2].isTrue)
      else { throw .invalidArgument("a digest and its state", found: "others") }
      return try machine.makeByteArray(checked: next)
    },
  ]
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
  /// The bytes, for reading.
  fileprivate var readBytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(bytes) }
}
