extension Primitive {
  static let jsonClass: [Primitive] = [
    Primitive("parse: aString", "The value of JSON; objects are dictionaries, null is nil.") {
      machine, arguments throws(Failure) in
      let text = try machine.string(arguments[0])
      try machine.reserve(text.byteCount)
      return try JSONReader.read(unsafe Array(text.bytes), for: machine) { message in
        Failure(.formatError, "the text is no JSON \(message)")
      }
    },
    Primitive(
      "parse: aString line: number", "Private: the value of JSON that is one line of a text."
    ) { machine, arguments throws(Failure) in
      let text = try machine.string(arguments[0])
      let line = try machine.integer(arguments[1])
      try machine.reserve(text.byteCount)
      return try JSONReader.read(unsafe Array(text.bytes), for: machine, line: line) { message in
        Failure(.formatError, "the text is no JSON \(message)")
      }
    },
    Primitive("write: anObject", "JSON on one line; other objects are asked for their jsonValue.") {
      machine, arguments throws(Failure) in
      try machine.json(arguments[0], indent: nil)
    },
    Primitive(
      "writeExact: anObject",
      "JSON as stores keep it, on one line: refuses what would be read as something else."
    ) { machine, arguments throws(Failure) in
      let bytes = try machine.exactJSON(arguments[0]) { Failure(.invalidArgument, $0) }
      return try bytes.map { bytes throws(Failure) in try machine.makeString(utf8: bytes) }
        ?? .unwind
    },
    Primitive("writePretty: anObject", "JSON with a line for each element.") {
      machine, arguments throws(Failure) in try machine.json(arguments[0], indent: 2)
    },
  ]
}

extension Machine {
  fileprivate func json(_ value: Value, indent: Int?) throws(Failure) -> Value {
    let selector = selector("jsonValue")
    let bytes = try JSONWriter.write(value, of: self, indent: indent) { value throws(Failure) in
      self.send(selector, to: value)
    } failure: { message in
      Failure(.invalidArgument, message)
    }
    return try bytes.map { bytes throws(Failure) in try makeString(utf8: bytes) } ?? .unwind
  }

  fileprivate func makeString(utf8 bytes: [UInt8]) throws(Failure) -> Value {
    let string = try makeBytes(classIndex: ClassIndex.string, count: bytes.count)
    for (index, byte) in bytes.enumerated() { string[byte: index] = byte }
    string.recordEncoding()
    return Value(string)
  }
}
