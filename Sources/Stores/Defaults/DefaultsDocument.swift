internal import TenonStoreKit
internal import TenonText

/// The content of a file of defaults: one object of JSON, the values as their bytes were given.
///
/// The file has a line for each key, sorted by the bytes of the keys, so that a change of one key
/// is a change of one line. Keys that no reference can name are kept, not listed.
struct DefaultsDocument {
  private(set) var values: [ExactText: [UInt8]] = [:]

  /// Creates an empty document.
  init() {}

  /// Creates the document that bytes stand for.
  init(_ bytes: [UInt8]) throws(JSONScanner.Failure) {
    var reader = try JSONScanner(bytes)
    guard reader.take("{") else { throw reader.expected("'{'") }
    if !reader.take("}") {
      repeat {
        let key = ExactText(try reader.key())
        let range = try reader.value()
        guard values.updateValue(Array(bytes[range]), forKey: key) == nil else {
          throw JSONScanner.Failure(
            reason: "two values for '\(key.text)'", offset: range.lowerBound)
        }
      } while reader.take(",")
      guard reader.take("}") else { throw reader.expected("',' or '}'") }
    }
    guard reader.isAtEnd else { throw reader.expected("the end") }
  }

  /// The value of a key; setting it leaves all others as they are.
  subscript(key: ExactText) -> [UInt8]? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// The document as the file has it.
  ///
  /// - Complexity: O(n log n) in the number of keys, O(m) in the number of bytes.
  var bytes: [UInt8] {
    guard !values.isEmpty else { return Array("{}\n".utf8) }
    var bytes: [UInt8] = []
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      bytes += Array((bytes.isEmpty ? "{\n  " : ",\n  ").utf8)
      DefaultsDocument.append(key.text, to: &bytes)
      bytes += Array(": ".utf8)
      bytes += value
    }
    return bytes + Array("\n}\n".utf8)
  }

  private static func append(_ key: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in key.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        bytes += Array(("\\u00" + (byte < 0x10 ? "0" : "") + digits).utf8)
      default:
        bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
