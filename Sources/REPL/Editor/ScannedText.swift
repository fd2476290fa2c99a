internal import TenonLexer

/// The pieces of a text that is being typed: it may be incomplete, and wrong.
struct ScannedText {
  /// A token, or a scheme with its path.
  struct Piece {
    let kind: TokenKind
    let start: Int
    let end: Int
    /// Where the scheme's path begins; nil for a token.
    var path: Int?
  }

  let lexer: Lexer
  private(set) var pieces: [Piece] = []
  private(set) var comments: [SourceRange] = []
  /// The indexes of the brackets among the pieces that are open at the end.
  private(set) var openBrackets: [Int] = []
  /// For the index of a bracket that of the one that belongs to it.
  private(set) var pairs: [Int: Int] = [:]

  /// Cuts a text into pieces.
  ///
  /// - Complexity: O(*n*) in the bytes of the text.
  init(_ text: some Collection<UInt8>, connectors: some Sequence<String>) {
    lexer = Lexer(SourceText(name: "", bytes: ContiguousArray(text)), connectors: connectors)
    scan()
  }

  var count: Int { lexer.source.bytes.count }

  /// The text of a piece.
  func text(of piece: Piece) -> String { text(piece.start, piece.end) }

  func text(_ start: Int, _ end: Int) -> String {
    String(decoding: lexer.source.bytes[start..<max(start, end)], as: UTF8.self)
  }

  private mutating func scan() {
    var index = lexer.start
    while true {
      let token = lexer.token(from: index)
      comments += lexer.comments(from: index, to: token.start)
      guard token.kind != .endOfText, token.end > token.start else { return }
      let piece = piece(of: token)
      pieces.append(piece)
      note(piece)
      index = piece.end
    }
  }

  private func piece(of token: Token) -> Piece {
    switch token.kind {
    case .quotation:
      let end = lexer.interpolatedStringEnd(from: token.start) ?? count
      return Piece(kind: .quotation, start: token.start, end: end)
    case .keyword where !(pieces.last.map(\.endsOperand) ?? false):
      // A scheme, where an operand may begin.
      return Piece(
        kind: .keyword, start: token.start, end: endOfPath(from: token.end), path: token.end)
    default:
      return Piece(kind: token.kind, start: token.start, end: token.end)
    }
  }

  private mutating func note(_ piece: Piece) {
    switch piece.kind {
    case .arrayOpening, .byteArrayOpening, .dictionaryOpening, .objectOpening,
      .collectionOpening, .openParenthesis, .openBracket, .openBrace:
      openBrackets.append(pieces.count - 1)
    case .closeParenthesis, .closeBracket, .closeBrace:
      guard let opening = openBrackets.popLast() else { return }
      pairs[opening] = pieces.count - 1
      pairs[pieces.count - 1] = opening
    default: break
    }
  }

  private func endOfPath(from start: Int) -> Int {
    var index = start
    var openParentheses = 0
    while index < count, !lexer.endsPath(at: index, openParentheses: openParentheses) {
      switch lexer.byte(at: index) {
      case UInt8(ascii: "("): openParentheses += 1
      case UInt8(ascii: ")"): openParentheses -= 1
      case UInt8(ascii: "{"):
        // Computed: up to the brace that closes it.
        while index < count, lexer.byte(at: index) != UInt8(ascii: "}") { index += 1 }
      default: break
      }
      index += 1
    }
    return min(index, count)
  }
}

extension ScannedText.Piece {
  /// Whether what follows is a message and no operand.
  var endsOperand: Bool {
    switch kind {
    case .name, .number, .string, .character, .symbol, .closeParenthesis, .closeBracket,
      .closeBrace, .quotation:
      true
    case .keyword: path.map { $0 < end } ?? false
    default: false
    }
  }
}
