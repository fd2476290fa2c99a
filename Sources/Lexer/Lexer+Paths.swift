/// The sections of a path, which differ in what ends a piece of text.
public enum PathSection: Sendable {
  /// Between `//` and the next `/`.
  case authority
  /// Between slashes.
  case component
  /// Behind `?` or `&`.
  case key
  /// Behind the `=` of a query.
  case value

  /// Returns whether a byte ends text in this section.
  fileprivate func isDelimiter(_ byte: UInt8) -> Bool {
    switch self {
    case .authority, .component: byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    case .key: byte == UInt8(ascii: "=") || byte == UInt8(ascii: "&")
    case .value: byte == UInt8(ascii: "&")
    }
  }
}

extension Lexer {
  /// Returns the offset behind path text that begins at an offset.
  ///
  /// Path text ends before `{`, before what ends the section, and where the path ends.
  ///
  /// - Parameters:
  ///   - start: Where the text begins.
  ///   - section: The section it is part of.
  ///   - openParentheses: How many parentheses of this path are open; counted on.
  /// - Returns: The offset of the byte that ends the text.
  public func pathTextEnd(
    from start: Int, in section: PathSection, openParentheses: inout Int
  ) -> Int {
    var index = start
    while true {
      let byte = byte(at: index)
      if byte == UInt8(ascii: "{") || endsPath(at: index, openParentheses: openParentheses) {
        return index
      }
      if section.isDelimiter(byte) { return index }
      if byte == UInt8(ascii: "(") { openParentheses += 1 }
      if byte == UInt8(ascii: ")") { openParentheses -= 1 }
      index += byte >= 0x80 ? scalar(at: index).length : 1
    }
  }

  /// Returns whether a component that begins at an offset is `..`, the parent.
  public func isParentComponent(at offset: Int) -> Bool {
    guard byte(at: offset) == UInt8(ascii: "."), byte(at: offset + 1) == UInt8(ascii: ".") else {
      return false
    }
    let next = byte(at: offset + 2)
    return next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
      || endsPath(at: offset + 2, openParentheses: 0)
  }

  /// Returns whether a path can not go on at an offset.
  public func endsPath(at offset: Int, openParentheses: Int) -> Bool {
    let byte = byte(at: offset)
    switch byte {
    case 0...0x20, 0x7F, UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "<"),
      UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"),
      UInt8(ascii: "|"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "}"):
      return true
    case UInt8(ascii: ")"):
      return openParentheses <= 0
    case UInt8(ascii: "."):
      return isPathTerminator(at: offset + 1) || isComment(at: offset + 1)
    case UInt8(ascii: ","), UInt8(ascii: ";"):
      return isPathTerminator(at: offset + 1)
    case UInt8(ascii: ":"):
      return self.byte(at: offset + 1) == UInt8(ascii: "=")
    case UInt8(ascii: "-"):
      return self.byte(at: offset + 1) == UInt8(ascii: ">")
    case UInt8(ascii: "="):
      return self.byte(at: offset + 1) == UInt8(ascii: "|")
        && self.byte(at: offset + 2) == UInt8(ascii: "=")
    case 0x80...:
      return endsPathBeforeNonASCII(at: offset)
    default:
      return false
    }
  }

  private func endsPathBeforeNonASCII(at offset: Int) -> Bool {
    switch scalar(at: offset).scalar {
    case "→", "←", "≤", "≥", "≠": true
    case let scalar: scalar.properties.isWhitespace
    }
  }

  /// Returns whether white space, a closing bracket, a quote or the end stands at an offset: what
  /// makes a `.`, `,` or `;` before it no part of a path.
  private func isPathTerminator(at offset: Int) -> Bool {
    switch byte(at: offset) {
    case 0, UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "'"),
      UInt8(ascii: "\""):
      true
    default:
      blankLength(at: offset) > 0
    }
  }

  /// Returns the offset behind an address in brackets, `[::1]`; nil when none stands at an offset.
  public func bracketedHostEnd(from offset: Int) -> Int? {
    guard byte(at: offset) == UInt8(ascii: "[") else { return nil }
    var index = offset + 1
    while isHostByte(byte(at: index)) { index += 1 }
    return index > offset + 1 && byte(at: index) == UInt8(ascii: "]") ? index + 1 : nil
  }

  private func isHostByte(_ byte: UInt8) -> Bool {
    isASCIINameByte(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
      || byte == UInt8(ascii: "%")
  }
}
