internal import TenonStoreKit
internal import TenonText

// JSON as stores keep it, and as messages read and write it.

extension Machine {
  /// The JSON for a value that a store keeps; nil when the stack unwinds.
  ///
  /// - Throws: a failure that names what JSON cannot hold.
  func encodeJSON(
    _ value: Value, at reference: Reference, of store: (any Store)? = nil, during verb: String
  ) throws(Failure) -> [UInt8]? {
    try exactJSON(value, withBytes: store?.keepsBytesInJSON ?? false) { message in
      .store(StoreError(.encode, reference, message), during: verb)
    }
  }

  /// The JSON for a value, if what is read from it is the value again or the form that its class
  /// gives it; nil when the stack unwinds.
  ///
  /// Numbers are equal to what they are read as, symbols are equal strings, and a sequence is an array.
  /// A form that the kernel gives for people to read is none to keep a value in: a third would come
  /// back as a float near it, a set as an array.
  ///
  /// `withBytes`: whether byte arrays have a form, too.
  func exactJSON(
    _ value: Value, withBytes: Bool = false, failure: @escaping (String) -> Failure
  ) throws(Failure) -> [UInt8]? {
    let root = roots.count
    roots.append(value)
    defer { dropRoots(to: root) }
    let selector = selector("jsonValue")
    return try JSONWriter.write(value, of: self, withInfinities: withBytes) {
      value throws(Failure) in
      if withBytes, value.isObject(ofClass: ClassIndex.byteArray) {
        return try self.bytesForJSON(value)
      }
      // What Object has would name neither the place nor the verb.
      guard let method = self.classInfo(of: value).lookUp(selector),
        method.holder !== self.kernel.object, self.keepsValue(method, of: value)
      else { throw failure("JSON cannot hold \(self.refused(value))") }
      return self.send(selector, to: value)
    } failure: { message in
      failure(message)
    }
  }

  /// The object that stands for a byte array in the JSON of a store that keeps such.
  private func bytesForJSON(_ value: Value) throws(Failure) -> Value {
    let bytes = ObjectRef(value)
    let letters = try makeBytes(
      classIndex: ClassIndex.string, count: (bytes.byteCount + 2) / 3 * 4)
    for index in 0..<letters.byteCount {
      letters[byte: index] = Base64.digit(index) {
        $0 < bytes.byteCount ? bytes[byte: $0] : nil
      }
    }
    letters.recordEncoding()
    let key = makeString(JSONReader.bytesName)
    let object = makeEmptyDictionary()
    try HashTable(object).insert(
      key, Value(letters), hash: Int(ObjectRef(key).bytesHash), self)
    return object
  }

  /// Whether what a method answers for JSON stands for the value, so that no other one is read.
  private func keepsValue(_ method: Method, of value: Value) -> Bool {
    guard method.isOfKernel else { return true }
    switch method.holder.name {
    case "Fraction", "Character": return false
    case "Collection":
      return classInfo(of: value).inherits(from: kernel.sequence)
        && !value.isObject(ofClass: ClassIndex.byteArray)
    default: return true
    }
  }

  /// A value that JSON cannot hold, and what a program can keep instead.
  private func refused(_ value: Value) -> String {
    let text = describe(value)
    if value.isObject(ofClass: ClassIndex.byteArray) {
      return text + "; it can hold its 'base64Encoded'"
    }
    switch classInfo(of: value).lookUp(selector("jsonValue"))?.holder.name {
    case "Fraction":
      let parts = ObjectRef(value)
      return "\(describe(parts[slot: 0]))/\(describe(parts[slot: 1])); it can hold its 'asFloat'"
    case "Character": return text + "; it can hold its 'asString'"
    case "Collection": return text + "; it can hold its 'asArray'"
    default: return text
    }
  }

  /// The value for JSON that a store keeps.
  ///
  /// - Throws: a failure that says where the text is no JSON.
  func decodeJSON(
    _ bytes: [UInt8], at reference: Reference, of store: (any Store)? = nil
  ) throws(Failure) -> Value {
    try JSONReader.read(bytes, for: self, withBytes: store?.keepsBytesInJSON ?? false) { message in
      .store(StoreError(.decode, reference, "it is no JSON \(message)"), during: "get")
    }
  }
}
