// JSON as stores keep it, and as messages read and write it.

extension Machine {
  /// The JSON for a value that a store keeps; nil when the stack unwinds.
  ///
  /// - Throws: a failure that names what JSON cannot hold.
  func encodeJSON(_ value: Value, at reference: Reference) throws(Failure) -> [UInt8]? {
    let root = roots.count
    roots.append(value)
    defer { roots.removeLast(roots.count - root) }
    let selector = selector("jsonValue")
    return try JSONWriter.write(value, of: self) { value throws(Failure) in
      // What Object has would name neither the place nor the verb.
      guard let method = self.classInfo(of: value).lookUp(selector),
        method.holder !== self.classesByName["Object"]
      else {
        throw .store(StoreError(.encode, reference, "JSON cannot hold \(self.describe(value))"))
      }
      return self.send(selector, to: value)
    } failure: { message in
      .store(StoreError(.encode, reference, message))
    }
  }

  /// The value for JSON that a store keeps.
  ///
  /// - Throws: a failure that says where the text is no JSON.
  func decodeJSON(_ bytes: [UInt8], at reference: Reference) throws(Failure) -> Value {
    try JSONReader.read(bytes, for: self) { message in
      .store(StoreError(.decode, reference, "it is no JSON \(message)"))
    }
  }

  /// A new dictionary without entries.
  func makeEmptyDictionary() -> Value {
    let object = makeInstance(of: dictionaryClass)
    for slot in 2..<5 { object[slot: slot] = Value(small: 0) }
    return Value(object)
  }
}

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
    Primitive("write: anObject", "JSON on one line; other objects are asked for their jsonValue.") {
      machine, arguments throws(Failure) in
      try machine.json(arguments[0], indent: nil)
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
    guard let bytes else { return .unwind }
    let string = try makeBytes(classIndex: ClassIndex.string, count: bytes.count)
    for (index, byte) in bytes.enumerated() { string[byte: index] = byte }
    string.noteEncoding()
    return Value(string)
  }
}
