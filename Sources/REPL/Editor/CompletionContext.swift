internal import TenonLexer

/// What may follow a text that is being typed, from what stands in it alone.
enum CompletionContext: Equatable {
  /// The name of a command, the colon left out.
  case command(prefix: String)
  /// The name of a setting.
  case setting(prefix: String)
  /// What there is help on: a command, without its colon, or a name.
  case topic(prefix: String)
  /// The selector of a method of a class, behind `Class>>`.
  case method(className: String, prefix: String)
  /// The path of a file.
  case file(prefix: String)
  /// What stands below a scheme's place.
  case place(scheme: String, path: String)
  /// A message to a receiver, `keywords` being the parts of its selector that are there.
  case message(Receiver, keywords: String, prefix: String)
  /// A property in the literal of an object, besides those that are there.
  case property(className: String, given: [String], prefix: String)
  /// A name: a variable, a class, a scheme.
  case name(prefix: String)
  /// Blanks at the start of a line.
  case indentation
  /// A character that stands for itself, in a string or a comment.
  case text

  /// Who a message is for, as far as that can be said without evaluating anything.
  enum Receiver: Equatable {
    case variable(String)
    case instance(String)
    case unknown
  }

  /// Commands whose argument is a file, and those whose argument is a place.
  private static let fileCommands: Set<String> = ["load", "save", "cd", "diagram"]
  /// Those whose argument may be a method.
  private static let methodCommands: Set<String> = ["help", "doc", "source", "edit", "browse"]
  private static let placeCommands: Set<String> = ["ls", "why", "when", "watch"]

  /// Finds the context at the end of a text.
  ///
  /// - Complexity: O(*n*) in its bytes.
  init(_ text: String, connectors: [String]) {
    if text.hasPrefix(":") {
      self = CompletionContext.ofCommand(text.dropFirst(), connectors)
    } else if text.hasPrefix("!") {
      self = .file(prefix: String(text[CompletionContext.startOfWord(text)...].drop { $0 == "!" }))
    } else {
      self = CompletionContext.ofCode(Array(text.utf8), connectors)
    }
  }

  private static func startOfWord(_ text: some StringProtocol) -> String.Index {
    text.lastIndex(of: " ").map { text.index(after: $0) } ?? text.startIndex
  }

  private static func ofCommand(_ text: Substring, _ connectors: [String]) -> CompletionContext {
    guard let blank = text.firstIndex(of: " ") else { return .command(prefix: String(text)) }
    let name = String(text[..<blank])
    let argument = text[text.index(after: blank)...].drop { $0 == " " }
    if fileCommands.contains(name) { return .file(prefix: String(argument)) }
    if name == "set" {
      return argument.contains(" ") ? .text : .setting(prefix: String(argument))
    }
    if methodCommands.contains(name), !argument.contains(" ") {
      let colon = argument.prefix { $0 == ":" }.count
      if let operation = argument.firstRange(of: ">>") {
        return .method(
          className: String(argument[..<operation.lowerBound]),
          prefix: String(argument[operation.upperBound...]))
      }
      if name == "help" { return .topic(prefix: String(argument.dropFirst(colon))) }
    }
    if placeCommands.contains(name), !argument.contains(" ") {
      return ofCode(Array(argument.utf8), connectors)
    }
    return ofCode(Array(argument.utf8), connectors)
  }

  // MARK: Code

  private static func ofCode(_ bytes: [UInt8], _ connectors: [String]) -> CompletionContext {
    let scanned = ScannedText(bytes, connectors: connectors)
    if let comment = scanned.comments.last, Int(comment.end) == bytes.count { return .text }
    guard let last = scanned.pieces.last else { return .indentation }
    let touches = last.end == bytes.count
    switch last.kind {
    case .unterminatedString:
      // 'import' is followed by the name of a file.
      let before = scanned.pieces.dropLast().last.map(scanned.text(of:))
      guard before == "import" else { return .text }
      return .file(prefix: scanned.text(last.start + 1, last.end))
    case .quotation where scanned.lexer.interpolatedStringEnd(from: last.start) == nil:
      return ofInterpolation(bytes, last.start, connectors)
    case .keyword where touches && last.path != nil:
      return ofPlace(scanned, last)
    case .keyword where touches && last.path == nil:
      return .text
    default: break
    }
    let isWord = touches && last.kind == .name
    let prefix = isWord ? scanned.text(of: last) : ""
    if !isWord, bytes.last == UInt8(ascii: "\n") || isBlankLine(bytes) { return .indentation }
    return ofWord(scanned, before: scanned.pieces.count - (isWord ? 1 : 0), prefix, touches)
  }

  private static func isBlankLine(_ bytes: [UInt8]) -> Bool {
    let line = bytes.suffix(while: { $0 != UInt8(ascii: "\n") })
    return line.count < bytes.count && line.allSatisfy { $0 == UInt8(ascii: " ") }
  }

  /// The code in the braces of a string.
  private static func ofInterpolation(
    _ bytes: [UInt8], _ start: Int, _ connectors: [String]
  ) -> CompletionContext {
    var openings: [Int] = []
    for index in start..<bytes.count {
      if bytes[index] == UInt8(ascii: "{") { openings.append(index) }
      if bytes[index] == UInt8(ascii: "}") { _ = openings.popLast() }
    }
    guard let opening = openings.last else { return .text }
    return ofCode(Array(bytes[(opening + 1)...]), connectors)
  }

  /// A place: its scheme, and its path as far as it is there.
  private static func ofPlace(
    _ scanned: ScannedText, _ piece: ScannedText.Piece
  ) -> CompletionContext {
    var scheme = scanned.text(piece.start, (piece.path ?? piece.end) - 1)
    var path = scanned.text(piece.path ?? piece.end, piece.end)
    if path.contains("{") { return .text }
    if scheme == "ref" {
      guard let colon = path.firstIndex(of: ":") else { return .name(prefix: path) }
      scheme = String(path[..<colon])
      path = String(path[path.index(after: colon)...])
    }
    return .place(scheme: scheme, path: path)
  }

  /// A word, which is there or may begin, behind the pieces up to an index.
  private static func ofWord(
    _ scanned: ScannedText, before end: Int, _ prefix: String, _ touches: Bool
  ) -> CompletionContext {
    if let property = property(scanned, before: end, prefix) { return property }
    guard end > 0, scanned.pieces[end - 1].endsOperand else { return .name(prefix: prefix) }
    // A word that touches the operand is a part of it.
    if prefix.isEmpty, touches { return .text }
    let (receiver, start) = receiver(scanned, endingBefore: end)
    return .message(receiver, keywords: keywords(scanned, before: start), prefix: prefix)
  }

  private static func property(
    _ scanned: ScannedText, before end: Int, _ prefix: String
  ) -> CompletionContext? {
    guard let opening = scanned.openBrackets.last, opening < end,
      scanned.pieces[opening].kind == .objectOpening,
      opening == end - 1 || scanned.pieces[end - 1].kind == .comma
    else { return nil }
    let name = scanned.text(of: scanned.pieces[opening]).dropFirst().dropLast()
    let given = scanned.pieces[(opening + 1)..<end].filter { $0.kind == .keyword }
      .map { String(scanned.text($0.start, ($0.path ?? $0.end) - 1)) }
    return .property(className: String(name), given: given, prefix: prefix)
  }

  // MARK: Receivers

  /// What a message behind the pieces up to an index is for, and where that begins.
  private static func receiver(
    _ scanned: ScannedText, endingBefore end: Int
  ) -> (Receiver, start: Int) {
    let pieces = scanned.pieces
    let last = end - 1
    if let opening = scanned.pairs[last] {
      return (receiver(of: pieces[opening], scanned), opening)
    }
    let text = scanned.text(of: pieces[last])
    switch pieces[last].kind {
    case .name:
      // A unary message to what stands before it: what it answers is not known, but for 'new'.
      guard last > 0, pieces[last - 1].endsOperand else { return (.variable(text), last) }
      let (before, start) = receiver(scanned, endingBefore: last)
      return (answer(of: before, to: text), start)
    case .string, .quotation: return (.instance("String"), last)
    case .symbol: return (.instance("Symbol"), last)
    case .character: return (.instance("Character"), last)
    case .number: return (.instance(text.contains(".") ? "Float" : "Integer"), last)
    case .keyword: return (text.hasPrefix("ref:") ? .instance("Reference") : .unknown, last)
    default: return (.unknown, last)
    }
  }

  private static func receiver(
    of opening: ScannedText.Piece, _ scanned: ScannedText
  ) -> Receiver {
    switch opening.kind {
    case .arrayOpening: .instance("Array")
    case .byteArrayOpening: .instance("ByteArray")
    case .dictionaryOpening: .instance("Dictionary")
    case .openBracket: .instance("BlockClosure")
    case .objectOpening, .collectionOpening:
      .instance(String(scanned.text(of: opening).dropFirst().dropLast()))
    default: .unknown
    }
  }

  /// What is known of the answer to a message.
  private static func answer(of receiver: Receiver, to selector: String) -> Receiver {
    switch (receiver, selector) {
    case (.variable(let name), "new") where name.first?.isUppercase == true: .instance(name)
    case (_, "printString"), (_, "asString"), (_, "displayString"): .instance("String")
    case (_, "size"), (_, "hash"): .instance("Integer")
    case (_, "asArray"): .instance("Array")
    case (_, "yourself"), (_, "copy"): receiver
    default: .unknown
    }
  }

  /// The keywords of a message whose last argument begins at an index.
  private static func keywords(_ scanned: ScannedText, before start: Int) -> String {
    var parts: [String] = []
    var index = start - 1
    while index >= 0 {
      let piece = scanned.pieces[index]
      if let opening = scanned.pairs[index], opening < index {
        index = opening - 1
        continue
      }
      switch piece.kind {
      case .keyword where piece.path == nil: parts.insert(scanned.text(of: piece), at: 0)
      case .keyword, .name, .number, .string, .symbol, .character, .quotation, .operator, .comma:
        break
      default: return parts.joined()
      }
      index -= 1
    }
    return parts.joined()
  }
}

extension [UInt8] {
  /// The elements at the end that satisfy a condition.
  fileprivate func suffix(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = lastIndex { !condition($0) }.map { $0 + 1 } ?? startIndex
    return self[start...]
  }
}
