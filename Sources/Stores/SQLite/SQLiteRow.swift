internal import TenonNumerics
internal import TenonStoreKit
internal import TenonText

// Rows as JSON: a member for each column. Bytes are an object with the one member "base64".

extension SQLiteValue {
  /// The value as JSON; what is infinite is a number beyond all floats.
  ///
  /// - Throws: `SQLiteFailure` for a number that is none.
  func json(_ affinity: SQLiteTable.Affinity = .any) throws(SQLiteFailure) -> String {
    switch self {
    case .null: return "null"
    case .integer(let number):
      if affinity == .boolean, number == 0 || number == 1 { return number == 1 ? "true" : "false" }
      return String(number)
    case .real(let number):
      if number.isInfinite { return number < 0 ? "-1.0e999" : "1.0e999" }
      guard let text = FloatText.shortest(number) else {
        throw SQLiteFailure(.decode, "a number in it is none")
      }
      return text
    case .text(let text): return JSONText.quoted(text)
    case .bytes(let bytes): return #"{"base64":"# + JSONText.quoted(Base64.encoded(bytes)) + "}"
    }
  }

  /// The value that JSON stands for, whatever column it is for; nil for what no column holds.
  init?(_ bytes: ArraySlice<UInt8>) {
    switch try? JSONPart.read(bytes) {
    case .null: self = .null
    case .bool(let flag): self = .integer(flag ? 1 : 0)
    case .number(let text):
      guard let number = SQLiteValue(number: text, .json) else { return nil }
      self = number
    case .text(let text): self = .text(text)
    case .object(let members):
      guard members.count == 1, let letters = members.text("base64"),
        let bytes = Base64.decoded(letters)
      else { return nil }
      self = .bytes(bytes)
    case .array, nil: return nil
    }
  }
}

extension SQLiteValue {
  /// The number that a text is, if a column can hold it: an integer of 64 bits, or a float.
  init?(number text: String, _ grammar: DecimalText.Grammar) {
    let bytes = Array(text.utf8)
    guard let decimal = DecimalText(whole: bytes, grammar) else { return nil }
    if let integer = Int64(text) {
      self = .integer(integer)
      return
    }
    // An integer that is too large must not lose digits in silence.
    guard decimal.isFloat || decimal.exponent != nil,
      let double = FloatText.value(
        digits: decimal.digits(in: bytes), exponent: decimal.scale,
        isNegative: decimal.isNegative),
      double.isFinite || decimal.isFloat
    else { return nil }
    self = .real(double)
  }
}

extension SQLiteTable {
  /// A row as JSON.
  func json(_ values: [SQLiteValue]) throws(SQLiteFailure) -> String {
    var members: [String] = []
    for (column, value) in zip(columns, values) {
      members.append(JSONText.quoted(column.name) + ":" + (try value.json(column.affinity)))
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  /// The columns and values that a JSON object names, checked against what the columns take.
  ///
  /// - Throws: `SQLiteFailure` that names the column.
  func values(
    _ bytes: [UInt8]
  ) throws(SQLiteFailure) -> [(column: Column, value: SQLiteValue)] {
    let part: JSONPart
    do throws(JSONScanner.Failure) {
      part = try JSONPart.read(bytes[...])
    } catch {
      throw SQLiteFailure(.encode, "a row is a dictionary of columns")
    }
    guard case .object(let members) = part else {
      throw SQLiteFailure(.encode, "a row is a dictionary of columns")
    }
    var values: [(column: Column, value: SQLiteValue)] = []
    for member in members {
      guard let column = columns.first(where: { $0.name == member.key }) else {
        throw SQLiteFailure(
          .encode,
          "'\(name)' has no column '\(member.key)'" + SQLiteMissing.list(columns.map(\.name)))
      }
      guard !column.isComputed else {
        throw SQLiteFailure(.encode, "the database computes the column '\(column.name)' itself")
      }
      guard let value = SQLiteValue(member.value) else {
        throw SQLiteFailure(
          .encode,
          "the column '\(column.name)' cannot hold "
            + String(decoding: member.value, as: UTF8.self).printable)
      }
      guard column.affinity.takes(value, isTruth: member.isTruth) else {
        throw SQLiteFailure(
          .encode,
          "the column '\(column.name)' takes \(column.affinity.wording), not "
            + String(decoding: member.value, as: UTF8.self).printable)
      }
      values.append((column, value))
    }
    return values
  }
}

extension JSONPart.Member {
  fileprivate var isTruth: Bool {
    if case .bool = try? JSONPart.read(value) { return true }
    return false
  }
}

extension SQLiteTable.Affinity {
  func takes(_ value: SQLiteValue, isTruth: Bool) -> Bool {
    switch (self, value) {
    case (_, .null): true
    case (.boolean, .integer): isTruth
    case (.integer, .integer): !isTruth
    // The column would make a float near it of one that has too many digits.
    case (.real, .integer(let number)): !isTruth && Int64(exactly: Double(number)) == number
    case (.real, .real): !isTruth
    case (.numeric, .integer), (.numeric, .real), (.numeric, .text): !isTruth
    case (.text, .text), (.bytes, .bytes): true
    case (.any, _): !isTruth
    default: false
    }
  }

  var wording: String {
    switch self {
    case .integer: "integers"
    case .real: "numbers that floats can be"
    case .numeric: "numbers and strings"
    case .boolean: "true and false"
    case .text: "strings"
    case .bytes: "byte arrays"
    case .any: "numbers, strings and byte arrays"
    }
  }
}

/// Texts in JSON.
enum JSONText {
  /// An array of what is JSON already.
  static func array(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ",") + "]"
  }

  /// The text with quotes around it and what must be escaped.
  static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += Array("\\n".utf8)
      case 0x0D: bytes += Array("\\r".utf8)
      case 0x09: bytes += Array("\\t".utf8)
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
    return String(decoding: bytes, as: UTF8.self)
  }
}
