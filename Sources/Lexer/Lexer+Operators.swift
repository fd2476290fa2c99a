extension Lexer {
  /// The length in bytes of the longest connector.
  ///
  /// Eight bytes fit in a word, which is what a run is compared by; and the lexer need not look
  /// further ahead than this to know that a run is no connector.
  public static let longestConnector = 8

  /// Makes a run of operator characters, or one symbol, a connector from now on.
  ///
  /// - Returns: Whether it can be one: it has 1 to 8 bytes.
  public mutating func addConnector(_ spelling: String) -> Bool {
    let utf8 = spelling.utf8
    guard (1...Self.longestConnector).contains(utf8.count) else { return false }
    connectorCodes.insert(code(of: utf8))
    return true
  }

  /// Returns the run of operator characters that begins at an offset, however it would be cut.
  public func operatorRun(at start: Int) -> SourceRange {
    if byte(at: start) >= 0x80 {
      let (scalar, length) = scalar(at: start)
      return SourceRange(start, scalar.isOperatorSymbol ? start + length : start)
    }
    var index = start
    while isOperatorByte(byte(at: index)), !isComment(at: index) { index += 1 }
    return SourceRange(start, index)
  }

  /// Cuts a token off a run of operator characters.
  ///
  /// A run ends before `//`. A `-` that ends a longer run directly before a digit is left to the
  /// number. If the rest is a connector it is that; else a leading `||` or `|` is a token of its
  /// own, and any other `|` ends the run.
  ///
  ///     operator == ? operator characters ? | "||" | ? operator symbol ? |
  ///              ? where no comma separates ? , "," ;
  func scanOperator(at start: Int) -> (TokenKind, Int) {
    var end = start
    var bar: Int?
    while isOperatorByte(byte(at: end)), !isComment(at: end) {
      if bar == nil, byte(at: end) == UInt8(ascii: "|") { bar = end }
      end += 1
      // Behind a bar only a connector can go on, and none is longer than this: without the limit
      // a run of bars would be read to its end once for each of them.
      if bar != nil, end - start > Self.longestConnector { break }
    }
    if end - start > 1, byte(at: end - 1) == UInt8(ascii: "-"), isDigit(byte(at: end)) { end -= 1 }
    if isConnector(start, end) { return (.connector, end) }
    guard let bar, bar < end else { return (.operator, end) }
    guard bar == start else { return (.operator, bar) }
    let isDouble = start + 1 < end && byte(at: start + 1) == UInt8(ascii: "|")
    return isDouble ? (.operator, start + 2) : (.bar, start + 1)
  }

  func isConnector(_ start: Int, _ end: Int) -> Bool {
    guard end > start, end - start <= Self.longestConnector else { return false }
    return connectorCodes.contains(code(of: bytes[start..<end]))
  }

  /// Returns up to eight bytes as one word.
  private func code(of bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

func isOperatorByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"),
    UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "="),
    UInt8(ascii: "~"), UInt8(ascii: "@"), UInt8(ascii: "%"), UInt8(ascii: "&"),
    UInt8(ascii: "?"), UInt8(ascii: "!"), UInt8(ascii: "|"):
    true
  default:
    false
  }
}
