internal import TenonStoreKit

// Values and the bytes that stand for them in stores.

extension Machine {
  /// The value for what a store answered.
  func decode(
    _ outcome: GetOutcome, from store: any Store, at reference: Reference
  ) throws(Failure) -> Value {
    switch outcome {
    case .missing: return .nil
    case .unchanged: return unchangedResource
    case .directory(let entries):
      return makeArray(entries.map { makeString($0.name) })
    case .resource(let resource):
      switch resource.contentType {
      case "application/octet-stream": return makeByteArray(resource.bytes)
      case "application/json": return try decodeJSON(resource.bytes, at: reference, of: store)
      case let written where MediaType(written).isJSON:
        return try decodeJSON(resource.bytes, at: reference, of: store)
      case let written where !MediaType(written).isText: return makeByteArray(resource.bytes)
      default:
        guard let text = String(validating: resource.bytes, as: UTF8.self) else {
          throw .store(StoreError(.decode, reference, "it is not UTF-8"), during: "get")
        }
        try reserve(resource.bytes.count)
        return makeString(text)
      }
    }
  }

  /// The bytes of a text or byte array that says its type; nil for another value.
  private func typedContent(_ value: Value) -> Resource? {
    guard value.isObject, classInfo(of: value) === kernelClass("TypedContent") else { return nil }
    let (content, type) = (ObjectRef(value)[slot: 0], ObjectRef(value)[slot: 1])
    guard isString(content) || content.isObject(ofClass: ClassIndex.byteArray),
      let type = try? swiftString(type)
    else { return nil }
    return Resource(unsafe Array(ObjectRef(content).bytes), contentType: type)
  }

  /// The bytes for a value, as a store wants them at a place; nil when the stack unwinds.
  func encode(
    _ value: Value, for store: any Store, at reference: Reference,
    during verb: StoreCapabilities.Verb
  ) throws(Failure) -> Resource? {
    if let typed = typedContent(value) { return typed }
    let type = store.contentType(of: reference)
    if value.isObject(ofClass: ClassIndex.byteArray) {
      return Resource(
        unsafe Array(ObjectRef(value).bytes), contentType: "application/octet-stream")
    }
    switch type {
    case "application/json":
      return try encodeJSON(value, at: reference, of: store, during: verb.rawValue).map {
        Resource($0, contentType: type)
      }
    case MediaType.any where !isString(value):
      return try encodeJSON(value, at: reference, of: store, during: verb.rawValue).map {
        Resource($0, contentType: "application/json")
      }
    default:
      guard isString(value) else {
        throw .store(
          StoreError(
            .encode, reference, "plain text cannot hold \(describe(value)); a string can"),
          during: verb.rawValue)
      }
      return Resource(
        unsafe Array(ObjectRef(value).bytes),
        contentType: type == MediaType.any ? "text/plain" : type)
    }
  }
}
