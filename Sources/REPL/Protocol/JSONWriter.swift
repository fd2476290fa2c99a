/// A value of JSON that is written.
enum JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  case text(String)
  case number(Int)
  /// Text that is JSON already.
  case json(String)
  case array([JSONValue])
  case object([(String, JSONValue)])

  init(stringLiteral text: String) { self = .text(text) }
  init(integerLiteral number: Int) { self = .number(number) }

  /// The value on a single line (RFC 8259), control characters escaped.
  var written: String {
    switch self {
    case .text(let text): JSONValue.quoted(text)
    case .number(let number): String(number)
    case .json(let text): text
    case .array(let values): "[" + values.map(\.written).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { JSONValue.quoted($0.0) + ": " + $0.1.written }.joined(separator: ", ")
        + "}"
    }
  }

  /// A text as a string of JSON.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": quoted += "\\\\"
      case "\"": quoted += "\\\""
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\r": quoted += "\\r"
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
