internal import TenonLexer

/// What a piece of a program is, for its colour.
enum TextStyle: UInt8 {
  case plain
  case comment
  case text
  case number
  case keyword
  case typeName
  case reserved
  case place
  case connector
  case bracket

  /// The parameters of the sequence that switches it on, as in ECMA-48, 8.3.117.
  var parameters: String {
    switch self {
    case .plain: "0"
    case .comment: "0;90"
    case .text: "0;32"
    case .number: "0;36"
    case .keyword: "0;34"
    case .typeName: "0;33"
    case .reserved: "0;1;34"
    case .place: "0;36"
    case .connector: "0;1;35"
    case .bracket: "0;1;7"
    }
  }
}

/// The styles of a text, found with the lexer of the language.
struct Highlighter {
  /// A style for each byte of the text.
  private(set) var styles: [TextStyle]
  private let scanned: ScannedText

  private static let reserved: Set<String> = [
    "self", "super", "nil", "true", "false", "thisContext", "class", "extension", "connector",
    "scheme", "var", "val", "classvar", "import", "filter", "protocol",
  ]

  /// Finds the styles of a text.
  ///
  /// - Complexity: O(*n*) in the bytes of the text.
  init(_ scanned: ScannedText) {
    self.scanned = scanned
    styles = [TextStyle](repeating: .plain, count: scanned.count)
    for comment in scanned.comments { set(.comment, Int(comment.start), Int(comment.end)) }
    for piece in scanned.pieces {
      let style = style(of: piece)
      if style != .plain { set(style, piece.start, piece.end) }
    }
  }

  /// Marks the bracket that the cursor stands on or behind, and the one that belongs to it.
  mutating func markBrackets(at cursor: Int) {
    let near = scanned.pairs.filter {
      [cursor, cursor - 1].contains(scanned.pieces[$0.key].end - 1)
    }
    guard let found = near.max(by: { $0.key < $1.key }) else { return }
    for index in [found.key, found.value] { styles[scanned.pieces[index].end - 1] = .bracket }
  }

  private func style(of piece: ScannedText.Piece) -> TextStyle {
    switch piece.kind {
    case .name: styleOfName(scanned.text(of: piece))
    case .keyword: piece.path == nil ? .keyword : .place
    case .number: .number
    case .string, .unterminatedString, .character, .symbol, .quotation: .text
    case .assignment, .connector: .connector
    default: .plain
    }
  }

  private func styleOfName(_ name: String) -> TextStyle {
    if Highlighter.reserved.contains(name) { return .reserved }
    return name.unicodeScalars.first?.properties.isUppercase == true ? .typeName : .plain
  }

  private mutating func set(_ style: TextStyle, _ start: Int, _ end: Int) {
    for index in start..<min(max(start, end), styles.count) { styles[index] = style }
  }
}
