/// A piece of a text that the parser looks at as one: what it is and where it stands.
///
/// A token holds no text; `SourceText.text(in:)` gives it when it is wanted.
public struct Token: Sendable, Hashable {
  /// What it is.
  public let kind: TokenKind
  /// What stood between the token before and this one.
  let gap: Gap
  let startOffset: Int32
  let endOffset: Int32

  init(_ kind: TokenKind, _ start: Int, _ end: Int, gap: Gap) {
    self.kind = kind
    self.gap = gap
    startOffset = Int32(clamping: start)
    endOffset = Int32(clamping: end)
  }

  /// The UTF-8 offset of its first byte.
  public var start: Int { Int(startOffset) }
  /// The UTF-8 offset after its last byte.
  public var end: Int { Int(endOffset) }
  /// Where it stands.
  public var range: SourceRange { SourceRange(startOffset, endOffset) }

  /// Whether a blank, a line break, a comment or the text's start stands directly before it.
  public var followsBlank: Bool { gap.contains(.blank) }
  /// Whether it is the first token on its line.
  public var beginsLine: Bool { gap.contains(.lineBreak) }
  /// Whether a comment stands between the token before and this one.
  public var followsComment: Bool { gap.contains(.comment) }
}

/// What stands between two tokens.
struct Gap: OptionSet, Sendable, Hashable {
  let rawValue: UInt8

  static let blank = Gap(rawValue: 1)
  static let lineBreak = Gap(rawValue: 2)
  static let comment = Gap(rawValue: 4)
}

/// The kinds of token.
///
/// What depends on the place a token stands in is left to the parser: whether `at:` is a keyword
/// or a scheme, whether `-` belongs to the number behind it, whether `||` is two bars.
public enum TokenKind: UInt8, Sendable, CaseIterable {
  /// The end of the text.
  case endOfText
  /// A name.
  case name
  /// A name with the colon directly behind it; a keyword, or a scheme where an operand may start.
  case keyword
  /// A number without its sign, well-formed or not.
  case number
  /// A string in single quotes.
  case string
  /// A string in single quotes that the text ends in.
  case unterminatedString
  /// The double quote that opens a string with interpolation.
  case quotation
  /// `$` and a character; an implicit parameter when the character is a digit.
  case character
  /// `#` and a name, keywords, an operator or a quoted string.
  case symbol
  /// `#(`
  case arrayOpening
  /// `#[`
  case byteArrayOpening
  /// `#{`
  case dictionaryOpening
  /// `#Name{`
  case objectOpening
  /// `#Name(`, the name with a capital letter.
  case collectionOpening
  /// `(`
  case openParenthesis
  /// `)`
  case closeParenthesis
  /// `[`
  case openBracket
  /// `]`
  case closeBracket
  /// `{`
  case openBrace
  /// `}`
  case closeBrace
  /// `^`
  case caret
  /// `;`
  case semicolon
  /// `.`
  case period
  /// A `:` that no name stands directly before.
  case colon
  /// `|`
  case bar
  /// `,`
  case comma
  /// An operator, `||` included.
  case `operator`
  /// `:=` or `←`
  case assignment
  /// Any other connector.
  case connector
  /// A `#` that begins nothing.
  case hash
  /// A character that begins no token.
  case unknown
}
