/// Cuts a text into tokens.
///
/// A lexer has no position: `token(from:)` gives the token behind any offset, so that looking ahead
/// needs no state to be kept. The text must have passed `encodingErrors(in:)`; in one that has not
/// a NUL ends the text, and bytes that are not UTF-8 are unknown characters.
public struct Lexer: Sendable {
  /// The text.
  public let source: SourceText
  /// The offset behind a byte order mark and a first line that begins with `#!`.
  public let start: Int
  /// The offset behind the last byte that is looked at.
  public private(set) var end: Int

  let bytes: ContiguousArray<UInt8>
  var connectorCodes: Set<UInt64> = []

  /// Creates a lexer for a text or a part of it.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - range: The part to look at; nil for the whole text.
  ///   - connectors: The spellings of the connectors; those that are too long to be one are left
  ///     out.
  public init(_ source: SourceText, in range: SourceRange? = nil, connectors: some Sequence<String>)
  {
    self.source = source
    bytes = source.bytes
    end = Swift.min(Swift.max(0, Int(range?.end ?? Int32.max)), source.bytes.count)
    start =
      range.map { Swift.max(0, Swift.min(Int($0.start), source.bytes.count)) }
      ?? Self.endOfPreamble(in: source.bytes)
    for connector in connectors {
      _ = addConnector(connector)
    }
  }

  /// Returns the offset behind a byte order mark and a first line `#!…`, its break excluded.
  private static func endOfPreamble(in bytes: ContiguousArray<UInt8>) -> Int {
    var index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard bytes[index...].starts(with: [UInt8(ascii: "#"), UInt8(ascii: "!")]) else { return index }
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n"), bytes[index] != 0x0D {
      index += 1
    }
    return index
  }

  /// Ends the text at an offset: every token from there on is the end of the text.
  public mutating func stop(at offset: Int) {
    end = Swift.min(end, Swift.max(start, offset))
  }

  /// Returns the byte at an offset, 0 outside the text.
  public func byte(at offset: Int) -> UInt8 {
    offset >= 0 && offset < end ? bytes[offset] : 0
  }

  /// Returns the token that stands at an offset or behind blanks and comments from there.
  ///
  /// - Complexity: O(*n*) in the bytes up to the token's end; an operator looks at a few more.
  public func token(from offset: Int) -> Token {
    var gap: Gap = offset <= start ? [.blank, .lineBreak] : []
    let first = skipBlanks(from: offset, gap: &gap)
    let (kind, last) = scan(at: first)
    return Token(kind, first, last, gap: gap)
  }

  /// Returns the ranges of the comments between two tokens, the line breaks behind them excluded.
  public func comments(from offset: Int, to end: Int) -> [SourceRange] {
    var comments: [SourceRange] = []
    var index = offset
    while index < end {
      guard isComment(at: index) else {
        index += 1
        continue
      }
      let last = endOfLine(from: index)
      comments.append(SourceRange(index, last))
      index = last
    }
    return comments
  }

  // MARK: Blanks

  /// Returns the offset behind blanks and comments, and says in `gap` what they were.
  ///
  ///     gap == { blank | comment } ;
  func skipBlanks(from offset: Int, gap: inout Gap) -> Int {
    var index = Swift.max(offset, start)
    while true {
      switch byte(at: index) {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), 0x0B, 0x0C:
        gap.insert(.blank)
        index += 1
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        gap.formUnion([.blank, .lineBreak])
        index += 1
      case UInt8(ascii: "/"):
        guard byte(at: index + 1) == UInt8(ascii: "/") else { return index }
        gap.formUnion([.blank, .comment])
        index = endOfLine(from: index)
      case 0x80...:
        let length = blankLength(at: index)
        guard length > 0 else { return index }
        gap.insert(.blank)
        index += length
      default:
        return index
      }
    }
  }

  func isComment(at offset: Int) -> Bool {
    byte(at: offset) == UInt8(ascii: "/") && byte(at: offset + 1) == UInt8(ascii: "/")
  }

  /// Returns the offset of the next line feed or carriage return.
  ///
  ///     comment == "//" , { ? any character but a line break ? } , ? line break ? ;
  func endOfLine(from offset: Int) -> Int {
    var index = offset
    while index < end, bytes[index] != UInt8(ascii: "\n"), bytes[index] != UInt8(ascii: "\r") {
      index += 1
    }
    return index
  }

  // MARK: Tokens

  private func scan(at start: Int) -> (TokenKind, Int) {
    let byte = byte(at: start)
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"):
      return scanWord(at: start)
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      return (.number, scanNumber(at: start))
    case UInt8(ascii: "'"):
      return scanString(at: start)
    case UInt8(ascii: "#"):
      return scanHash(at: start)
    case UInt8(ascii: "$"):
      return (.character, scanCharacter(at: start))
    case UInt8(ascii: ":"):
      return self.byte(at: start + 1) == UInt8(ascii: "=")
        ? (.assignment, start + 2) : (.colon, start + 1)
    case 0x80...:
      return scanNonASCII(at: start)
    case 0:
      return (.endOfText, start)
    default:
      if let kind = TokenKind(punctuation: byte) { return (kind, start + 1) }
      return isOperatorByte(byte) ? scanOperator(at: start) : (.unknown, start + 1)
    }
  }

  /// Scans a name, with the colon directly behind it.
  ///
  ///     keyword == name , ":" ;
  private func scanWord(at start: Int) -> (TokenKind, Int) {
    let end = nameEnd(from: start)
    return isKeywordColon(at: end) ? (.keyword, end + 1) : (.name, end)
  }

  /// Returns whether a colon stands at an offset that is not part of `:=`.
  public func isKeywordColon(at offset: Int) -> Bool {
    byte(at: offset) == UInt8(ascii: ":") && byte(at: offset + 1) != UInt8(ascii: "=")
  }

  private func scanNonASCII(at start: Int) -> (TokenKind, Int) {
    let (scalar, length) = scalar(at: start)
    switch scalar {
    case "←": return (.assignment, start + length)
    case "→": return (.connector, start + length)
    default: break
    }
    if scalar.isNameStart { return scanWord(at: start) }
    guard scalar.isOperatorSymbol else { return (.unknown, start + length) }
    return (isConnector(start, start + length) ? .connector : .operator, start + length)
  }

  private func scanString(at start: Int) -> (TokenKind, Int) {
    let last = quotedEnd(from: start)
    return (last == nil ? .unterminatedString : .string, last ?? end)
  }

  /// Returns the offset behind the string in single quotes that begins at an offset; nil when the
  /// text ends in it.
  private func quotedEnd(from start: Int) -> Int? {
    var index = start + 1
    while index < end {
      guard bytes[index] == UInt8(ascii: "'") else {
        index += 1
        continue
      }
      guard byte(at: index + 1) == UInt8(ascii: "'") else { return index + 1 }
      index += 2
    }
    return nil
  }

  /// Returns the offset behind `$` and what belongs to it.
  ///
  /// All digits belong to it, so that `$12` can be told from `$1`.
  private func scanCharacter(at start: Int) -> Int {
    guard start + 1 < end else { return start + 1 }
    guard isDigit(byte(at: start + 1)) else { return start + 1 + scalar(at: start + 1).length }
    var index = start + 1
    while isDigit(byte(at: index)) { index += 1 }
    return index
  }

  private func scanHash(at start: Int) -> (TokenKind, Int) {
    let next = byte(at: start + 1)
    switch next {
    case UInt8(ascii: "("): return (.arrayOpening, start + 2)
    case UInt8(ascii: "["): return (.byteArrayOpening, start + 2)
    case UInt8(ascii: "{"): return (.dictionaryOpening, start + 2)
    case UInt8(ascii: ","): return (.symbol, start + 2)
    case UInt8(ascii: "'"):
      let last = quotedEnd(from: start + 1)
      return (last == nil ? .unterminatedString : .symbol, last ?? end)
    default:
      let nameEnd = nameEnd(from: start + 1)
      if nameEnd > start + 1 { return scanSymbol(at: start, nameEnd: nameEnd) }
      return scanOperatorSymbol(at: start)
    }
  }

  /// Scans what begins with `#` and a name.
  ///
  ///     nameSymbol == "#" , name ;
  ///     keywordSymbol == "#" , keyword , { keyword } ;
  ///     objectOpening == "#" , name , "{" ;
  ///     collectionOpening == "#" , ? a name with a capital letter ? , "(" ;
  private func scanSymbol(at start: Int, nameEnd: Int) -> (TokenKind, Int) {
    if byte(at: nameEnd) == UInt8(ascii: "{") { return (.objectOpening, nameEnd + 1) }
    if byte(at: nameEnd) == UInt8(ascii: "("),
      scalar(at: start + 1).scalar.properties.isUppercase
    {
      return (.collectionOpening, nameEnd + 1)
    }
    var end = nameEnd
    while isKeywordColon(at: end) {
      let next = self.nameEnd(from: end + 1)
      guard next > end + 1, isKeywordColon(at: next) else { return (.symbol, end + 1) }
      end = next
    }
    return (.symbol, end)
  }

  /// Scans an operator behind `#`; the `#` alone when none stands there.
  ///
  ///     operatorSymbol == "#" , ? operator of a symbol ? ;
  private func scanOperatorSymbol(at start: Int) -> (TokenKind, Int) {
    let next = byte(at: start + 1)
    if next >= 0x80 {
      let (scalar, length) = scalar(at: start + 1)
      let isSymbol = scalar.isOperatorSymbol && scalar != "→" && scalar != "←"
      return isSymbol ? (.symbol, start + 1 + length) : (.hash, start + 1)
    }
    guard isOperatorByte(next), !isComment(at: start + 1) else { return (.hash, start + 1) }
    let (kind, end) = scanOperator(at: start + 1)
    return kind == .operator ? (.symbol, end) : (.hash, start + 1)
  }
}

extension TokenKind {
  /// Creates the kind of a byte that is a token by itself.
  fileprivate init?(punctuation byte: UInt8) {
    switch byte {
    case UInt8(ascii: "("): self = .openParenthesis
    case UInt8(ascii: ")"): self = .closeParenthesis
    case UInt8(ascii: "["): self = .openBracket
    case UInt8(ascii: "]"): self = .closeBracket
    case UInt8(ascii: "{"): self = .openBrace
    case UInt8(ascii: "}"): self = .closeBrace
    case UInt8(ascii: "^"): self = .caret
    case UInt8(ascii: ";"): self = .semicolon
    case UInt8(ascii: "."): self = .period
    case UInt8(ascii: ","): self = .comma
    case UInt8(ascii: "\""): self = .quotation
    default: return nil
    }
  }
}
