/// A JSON value, read one level deep: what it holds stays text until somebody asks.
package enum JSONPart {
  case null
  case bool(Bool)
  /// A number as it is written.
  case number(String)
  case text(String)
  case array([ArraySlice<UInt8>])
  case object([Member])

  /// A member of an object.
  package struct Member {
    package let key: String
    package let value: ArraySlice<UInt8>
  }

  /// Reads a value.
  ///
  /// - Throws: `JSONScanner.Failure` when the bytes are not one JSON value.
  /// - Complexity: O(n) in all bytes, whatever is done with the parts.
  package static func read(_ bytes: ArraySlice<UInt8>) throws(JSONScanner.Failure) -> JSONPart {
    let bytes = Array(bytes)
    var reader = try JSONScanner(bytes)
    let range = try reader.value()
    guard reader.isAtEnd else { throw reader.expected("nothing more") }
    reader = try JSONScanner(Array(bytes[range]))
    let value = bytes[range]
    switch value.first {
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "t"): return .bool(true)
    case UInt8(ascii: "f"): return .bool(false)
    case UInt8(ascii: "\""): return .text(try reader.string())
    case UInt8(ascii: "["): return .array(try elements(value, &reader))
    case UInt8(ascii: "{"): return .object(try members(value, &reader))
    default: return .number(String(decoding: value, as: UTF8.self))
    }
  }

  private static func elements(
    _ bytes: ArraySlice<UInt8>, _ reader: inout JSONScanner
  ) throws(JSONScanner.Failure) -> [ArraySlice<UInt8>] {
    var elements: [ArraySlice<UInt8>] = []
    _ = reader.take("[")
    while !reader.take("]") {
      elements.append(part(bytes, try reader.value()))
      _ = reader.take(",")
    }
    return elements
  }

  private static func members(
    _ bytes: ArraySlice<UInt8>, _ reader: inout JSONScanner
  ) throws(JSONScanner.Failure) -> [Member] {
    var members: [Member] = []
    _ = reader.take("{")
    while !reader.take("}") {
      let key = try reader.key()
      members.append(Member(key: key, value: part(bytes, try reader.value())))
      _ = reader.take(",")
    }
    return members
  }

  private static func part(_ bytes: ArraySlice<UInt8>, _ range: Range<Int>) -> ArraySlice<UInt8> {
    bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
  }
}

extension [JSONPart.Member] {
  /// The text of a member; nil when there is none or it is none.
  package func text(_ key: String) -> String? {
    guard let member = first(where: { $0.key == key }),
      case .text(let text) = try? JSONPart.read(member.value)
    else { return nil }
    return text
  }
}
