/// How literals are written.
///
/// What comes out is read back as the same literal; where there are several spellings the plainest
/// is taken.
enum LiteralText {
  static func integer(_ number: IntegerExpression) -> String {
    let prefix = number.radix == 10 ? "" : "\(number.radix)r"
    return (number.isNegative ? "-" : "") + prefix + number.digits
  }

  /// A float with a point, its exponent without a plus sign.
  static func float(_ number: FloatExpression) -> String {
    let text = number.value.description
    let parts = text.split(separator: "e", maxSplits: 1)
    guard parts.count == 2 else { return text.contains(".") ? text : text + ".0" }
    let mantissa = parts[0].contains(".") ? String(parts[0]) : parts[0] + ".0"
    let exponent = parts[1].first == "+" ? parts[1].dropFirst() : parts[1]
    return "\(mantissa)e\(exponent)"
  }

  static func scaledDecimal(_ number: ScaledDecimalExpression) -> String {
    let whole = number.digits.dropLast(number.fractionCount)
    let fraction = number.digits.suffix(number.fractionCount)
    let point = number.fractionCount > 0 ? "." : ""
    return "\(number.isNegative ? "-" : "")\(whole)\(point)\(fraction)s\(number.scale)"
  }

  static func string(_ value: String) -> String {
    "'" + value.replacingQuotes() + "'"
  }

  static func character(_ value: Unicode.Scalar) -> String {
    "$" + String(Character(value))
  }

  /// A symbol, quoted where it is not a name, keywords or one of the usual operators.
  static func symbol(_ value: String) -> String {
    if value.isPlainName || value.isKeywords || plainOperators.contains(value) {
      return "#" + value
    }
    return "#" + string(value)
  }

  /// A key of a dictionary that is a symbol: a bare word if it can be one.
  static func key(_ value: String) -> String {
    value.isPlainName || value.isHyphenatedName ? value : "#" + string(value)
  }

  /// Text between double quotes with its escapes.
  static func interpolated(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case "\0": result += "\\0"
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "{": result += "\\{"
      default:
        let isControl = scalar.properties.generalCategory == .control
        if isControl {
          result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  /// Operators that are symbols without quotes whatever connectors a program has.
  private static let plainOperators: Set<String> = [
    "+", "*", "/", "\\\\", "<", ">", "<=", ">=", "=", "==", "~=", "~~", ",", "@", "%", "&", "&&",
    "||", "?",
  ]
}

extension String {
  /// Whether it consists of names with a colon behind each.
  fileprivate var isKeywords: Bool {
    guard hasSuffix(":") else { return false }
    return dropLast().split(separator: ":", omittingEmptySubsequences: false)
      .allSatisfy { String($0).isPlainName }
  }

  /// The text with each single quote doubled.
  fileprivate func replacingQuotes() -> String {
    guard utf8.contains(UInt8(ascii: "'")) else { return self }
    return split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
  }
}
