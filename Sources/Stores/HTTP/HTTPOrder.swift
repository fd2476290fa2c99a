internal import TenonStoreKit
internal import TenonText

/// A request as a program puts it together.
struct HTTPOrder {
  let method: String
  let fields: [HTTPField]
  let body: [UInt8]?
  /// The longest time without news, in milliseconds; nil for the one of the store.
  let timeout: Int?
  let follows: Bool

  /// Reads a request.
  ///
  /// - Throws: `StoreError` of the kind `encode` when it is none.
  init(
    _ members: [JSONPart.Member], at reference: Reference, of store: HTTPStore
  ) throws(StoreError) {
    func refuse(_ reason: String) -> StoreError {
      StoreError(.encode, reference.hidingPassword, reason)
    }
    guard let method = members.text("method"), !method.isEmpty,
      method.utf8.allSatisfy({ 0x41...0x5A ~= $0 || $0 == UInt8(ascii: "-") })
    else { throw refuse("a method is a word in capitals such as GET") }
    self.method = method
    var fields: [HTTPField] = []
    if case .array(let pairs) = members.part("fields") {
      for pair in pairs {
        guard case .array(let sides) = try? JSONPart.read(pair), sides.count == 2,
          case .text(let name) = try? JSONPart.read(sides[0]),
          case .text(let value) = try? JSONPart.read(sides[1]), store.isField(name, value)
        else { throw refuse("that is no field of a header") }
        fields.append(HTTPField(name, value))
      }
    }
    self.fields = fields
    if let text = members.text("body") {
      body = Array(text.utf8)
    } else if let text = members.text("bytes") {
      guard let bytes = Base64.decoded(text) else { throw refuse("the body is no Base64") }
      body = bytes
    } else {
      body = nil
    }
    if case .number(let text) = members.part("timeout"), let number = Double(text), number >= 1 {
      timeout = Int(min(number, Double(HTTPStore.longestTimeout)))
    } else {
      timeout = nil
    }
    if case .bool(false) = members.part("follows") { follows = false } else { follows = true }
  }
}

extension [JSONPart.Member] {
  /// The value of a key; nil for none.
  func part(_ key: String) -> JSONPart? {
    first { $0.key == key }.flatMap { try? JSONPart.read($0.value) }
  }
}

extension JSONPart {
  /// The number that it is, if it is a whole one from 0; nil for anything else.
  var wholeNumber: Int? {
    guard case .number(let text) = self, let number = Int(text), number >= 0 else { return nil }
    return number
  }
}
