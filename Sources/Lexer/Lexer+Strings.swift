extension Lexer {
  /// Returns the offset behind the string in double quotes that begins at an offset, found without
  /// parsing what stands in its braces; nil when the text ends in it.
  ///
  /// - Complexity: O(*n*) in the bytes of the string, or of the text when it is not closed.
  public func interpolatedStringEnd(from start: Int) -> Int? {
    var nesting: [StringNesting] = [.text]
    var index = start + 1
    while index < end {
      index = step(at: index, &nesting)
      if nesting.isEmpty { return index }
    }
    return nil
  }

  /// Returns the offset behind the next double quote without a backslash before it.
  public func quoteEnd(from start: Int) -> Int {
    var index = start
    while index < end {
      if bytes[index] == UInt8(ascii: "\"") { return index + 1 }
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return end
  }

  /// Whether the text ends within a string or a comment, where a character stands for itself.
  ///
  /// `//` behind a colon is taken for the beginning of a path.
  ///
  /// - Complexity: O(*n*) in the bytes of the text.
  public var endsInText: Bool {
    var nesting: [StringNesting] = []
    var index = start
    while index < end {
      if nesting.isEmpty { nesting = [.code(openBraces: 0)] }
      let first = index
      if isComment(at: index), byte(at: index - 1) == UInt8(ascii: ":") {
        index += 2
        continue
      }
      index = step(at: index, &nesting)
      guard index >= end, case .code = nesting.last else { continue }
      if isComment(at: first) { return true }
      return byte(at: first) == UInt8(ascii: "'")
        && token(from: first).kind == .unterminatedString
    }
    if case .text = nesting.last { return true }
    return false
  }

  /// What an offset is in.
  private enum StringNesting {
    case text
    case code(openBraces: Int)
  }

  private func step(at index: Int, _ nesting: inout [StringNesting]) -> Int {
    let byte = byte(at: index)
    switch (nesting.last, byte) {
    case (.text, UInt8(ascii: "\\")):
      return index + 2
    case (.text, UInt8(ascii: "{")):
      nesting.append(.code(openBraces: 0))
    case (.text, UInt8(ascii: "\"")):
      nesting.removeLast()
    case (.code(let count), UInt8(ascii: "{")):
      nesting[nesting.count - 1] = .code(openBraces: count + 1)
    case (.code(let count), UInt8(ascii: "}")):
      if count == 0 {
        nesting.removeLast()
      } else {
        nesting[nesting.count - 1] = .code(openBraces: count - 1)
      }
    case (.code, UInt8(ascii: "\"")):
      nesting.append(.text)
    case (.code, UInt8(ascii: "'")), (.code, UInt8(ascii: "$")):
      return token(from: index).end
    case (.code, UInt8(ascii: "/")) where isComment(at: index):
      return endOfLine(from: index)
    default:
      break
    }
    return index + 1
  }
}
