internal import TenonLexer

extension Parser {
  /// Parses an array.
  ///
  /// It is read as literals first. Where that fails, what was read is one literal with messages
  /// behind it: only negative numbers can be read twice, as `1 -2` may be a subtraction.
  ///
  ///     array = "#(" , { arrayElement } , ")" | "#(" , primary , ")" | "#(" , operand , messages
  ///           , ")" | "#(" , connect , "," , [ connect , { "," , connect } , [ "," ] ] , ")" ;
  func parseArray() throws(SyntaxFailure) -> Expression {
    let opening = token.range
    let outer = try open(.closeParenthesis)
    context.comma = .separatesElements
    let literals = try readLiteralElements()
    let elements =
      token.kind == .closeParenthesis
      ? literals.elements : try readElements(behind: literals, opening)
    let tallest = height
    try close(.closeParenthesis, opening, outer)
    height = tallest + 1
    return .array(
      ArrayExpression(elements: elements, range: range(from: Int(opening.start))))
  }

  /// Parses a collection of a class: what `withAll:` makes of an array.
  ///
  ///     collection = collectionOpening , { arrayElement } , ")" | collectionOpening , primary , ")" |
  ///                collectionOpening , operand , messages , ")" | collectionOpening , connect , ","
  ///                , [ connect , { "," , connect } , [ "," ] ] , ")" ;
  func parseCollection() throws(SyntaxFailure) -> Expression {
    let opening = token.range
    let nameRange = SourceRange(opening.start + 1, opening.end - 1)
    let name = Name(source.text(in: nameRange), nameRange)
    let elements = try parseArray()
    height += 1
    return .keywordMessage(
      KeywordMessageExpression(
        receiver: .name(NameExpression(name: name, range: nameRange)),
        keywords: [Name("withAll:", opening)], arguments: [elements],
        range: range(from: Int(opening.start))))
  }

  /// Literals of an array, and what is needed to go back behind the first of them.
  private struct LiteralElements {
    var elements: [Expression] = []
    var first: PendingPrimary?
    var firstEnd = 0
  }

  /// Parses literals separated by blanks as far as they go.
  ///
  ///     arrayElement = literal | "true" | "false" | "nil" ;
  private func readLiteralElements() throws(SyntaxFailure) -> LiteralElements {
    var literals = LiteralElements()
    var tallest = 0
    while beginsArrayElement {
      let start = token.start
      let element = try parsePrimary()
      tallest = Swift.max(tallest, height)
      if literals.elements.isEmpty {
        literals.first = PendingPrimary(expression: element, start: start, height: height)
        literals.firstEnd = previousEnd
      }
      literals.elements.append(element)
    }
    height = tallest
    return literals
  }

  /// Whether a literal begins that an array may hold without commas.
  private var beginsArrayElement: Bool {
    switch token.kind {
    case .number, .string, .quotation, .symbol, .arrayOpening, .byteArrayOpening,
      .dictionaryOpening, .objectOpening, .collectionOpening:
      return true
    case .character: return !isDigit(at: token.start + 1)
    case .operator: return isNegativeNumber
    case .name:
      let length = token.end - token.start
      guard length >= 3, length <= 5 else { return false }
      let text = source.text(in: token.range)
      return text == "true" || text == "false" || text == "nil"
    default: return false
    }
  }

  /// Parses expressions separated by commas, the first of which begins with a literal that is
  /// parsed already.
  private func readElements(
    behind literals: LiteralElements, _ opening: SourceRange
  ) throws(SyntaxFailure) -> [Expression] {
    guard literals.elements.dropFirst().allSatisfy(\.isNegativeNumber) else {
      throw failInArray(opening)
    }
    // Negative numbers with a word behind them: `1 -2 x` would be the subtraction `1 - (2 x)`.
    let isWordBehindSeveral = literals.elements.count > 1 && token.kind == .name
    if literals.elements.count > 1 { move(to: literals.firstEnd) }
    pending = literals.first
    let isParenthesized = pending == nil && token.kind == .openParenthesis
    let elements = try readSeparated(until: .closeParenthesis) { parser throws(SyntaxFailure) in
      try parser.parseConnect()
    }
    let isOneElement = elements.count == 1 && lexer.byte(at: previousEnd - 1) != UInt8(ascii: ",")
    if isOneElement, isWordBehindSeveral || !isParenthesized && elements[0].isWords {
      throw fail(wordsInArray(opening))
    }
    guard token.kind == .closeParenthesis else { throw failInArray(opening) }
    return elements
  }

  /// Parses what commas separate; the last comma may be left standing.
  private func readSeparated<Element>(
    until closing: TokenKind, _ parse: (Parser) throws(SyntaxFailure) -> Element
  ) throws(SyntaxFailure) -> [Element] {
    var elements: [Element] = []
    var tallest = 0
    while token.kind != closing {
      elements.append(try parse(self))
      tallest = Swift.max(tallest, height)
      guard token.kind == .comma else { break }
      advance()
    }
    height = tallest
    return elements
  }

  /// Parses a byte array.
  ///
  ///     byteArray = "#[" , { ? an integer from 0 to 255 ? } , "]" ;
  func parseByteArray() throws(SyntaxFailure) -> Expression {
    let opening = token.range
    let outer = try open(.closeBracket)
    var bytes: [UInt8] = []
    while token.kind == .number {
      let expression = try parseNumber()
      guard case .integer(let integer) = expression,
        let byte = UInt8(integer.digits, radix: integer.radix)
      else { throw fail(notAByte(expression.range)) }
      bytes.append(byte)
    }
    guard token.kind == .closeBracket else { throw failInByteArray(opening) }
    try close(.closeBracket, opening, outer)
    height = 1
    return .byteArray(ByteArrayExpression(bytes: bytes, range: range(from: Int(opening.start))))
  }

  /// Parses a dictionary.
  ///
  ///     dictionary = "#{" , [ entry , { "," , entry } , [ "," ] ] , "}" ;
  func parseDictionary() throws(SyntaxFailure) -> Expression {
    let opening = token.range
    let outer = try open(.closeBrace)
    context.comma = .separatesEntries
    let entries = try readSeparated(until: .closeBrace) { parser throws(SyntaxFailure) in
      try parser.parseEntry()
    }
    let tallest = height
    guard token.kind == .closeBrace else { throw failUnclosedEntries(opening) }
    try close(.closeBrace, opening, outer)
    height = tallest + 1
    return .dictionary(
      DictionaryExpression(entries: entries, range: range(from: Int(opening.start))))
  }

  /// Parses a key and its value.
  ///
  ///     entry = key , ":" , connect ;
  private func parseEntry() throws(SyntaxFailure) -> DictionaryEntry {
    let key = try parseKey()
    let keyHeight = height
    guard token.kind == .colon else { throw failExpected("':' and a value") }
    advance()
    let value = try parseConnect()
    height = Swift.max(height, keyHeight)
    return DictionaryEntry(key: key, value: value)
  }

  /// Parses a key; a bare word is a symbol.
  ///
  ///     key = name | hyphenatedName | reservedWord | number | negativeNumber | string |
  ///         interpolatedString | character | nameSymbol | operatorSymbol | quotedSymbol | array |
  ///         byteArray | dictionary | object | collection | parenthesized ;
  private func parseKey() throws(SyntaxFailure) -> Expression {
    switch token.kind {
    case .name, .keyword:
      let range = wordRange
      move(to: Int(range.end))
      height = 1
      return .symbol(SymbolExpression(value: source.text(in: range), range: range))
    case .symbol where lexer.isNameStart(at: token.start + 1):
      // The colon of `#b: 2` is that of the entry.
      let range = SourceRange(token.start, lexer.nameEnd(from: token.start + 1))
      if lexer.byte(at: Int(range.end)) == UInt8(ascii: "-"),
        lexer.isNameStart(at: Int(range.end) + 1)
      {
        throw fail(cutKey())
      }
      let value = source.text(in: SourceRange(range.start + 1, range.end))
      move(to: Int(range.end))
      height = 1
      return .symbol(SymbolExpression(value: value, range: range))
    case .openParenthesis:
      return try parseParenthesized()
    default:
      guard beginsArrayElement else { throw failExpected("a key") }
      return try parseLiteral()
    }
  }

  /// The range of the word that begins here, hyphens included, a colon behind it excluded.
  var wordRange: SourceRange {
    var end = lexer.nameEnd(from: token.start)
    while lexer.byte(at: end) == UInt8(ascii: "-"), lexer.isNameStart(at: end + 1) {
      end = lexer.nameEnd(from: end + 1)
    }
    return SourceRange(token.start, end)
  }

  /// Parses an object literal.
  ///
  ///     object = objectOpening , [ property , { "," , property } , [ "," ] ] , "}" ;
  func parseObject() throws(SyntaxFailure) -> ObjectExpression {
    let opening = token.range
    let nameRange = SourceRange(opening.start + 1, opening.end - 1)
    let className = Name(source.text(in: nameRange), nameRange)
    let outer = try open(.closeBrace)
    context.comma = .separatesEntries
    let properties = try readSeparated(until: .closeBrace) { parser throws(SyntaxFailure) in
      try parser.parseProperty()
    }
    let tallest = height
    guard token.kind == .closeBrace else { throw failUnclosedEntries(opening) }
    try close(.closeBrace, opening, outer)
    height = tallest + 1
    return ObjectExpression(
      className: className, properties: properties, range: range(from: Int(opening.start)))
  }

  /// Parses a property and its value.
  ///
  ///     property = key , ":" , connect ;
  private func parseProperty() throws(SyntaxFailure) -> ObjectProperty {
    guard beginsKey else { throw failExpected("a property") }
    let start = token.start
    let key = try parseKey()
    let keyHeight = height
    let written = range(from: start)
    guard token.kind == .colon else { throw failExpected("':' and a value") }
    advance()
    let value = try parseConnect()
    height = Swift.max(height, keyHeight)
    switch key {
    case .symbol(let symbol):
      return ObjectProperty(name: Name(symbol.value, written), value: value)
    case .string(let string):
      return ObjectProperty(name: Name(string.value, written), key: key, value: value)
    default:
      return ObjectProperty(name: Name(source.text(in: written), written), key: key, value: value)
    }
  }

  private var beginsKey: Bool {
    switch token.kind {
    case .name, .keyword, .openParenthesis: true
    default: beginsArrayElement
    }
  }
}

extension Expression {
  /// Whether it is a number with a minus sign.
  fileprivate var isNegativeNumber: Bool {
    switch self {
    case .integer(let number): number.isNegative
    case .float(let number): number.value.sign == .minus
    case .scaledDecimal(let number): number.isNegative
    default: false
    }
  }

  /// Whether it is a bare word or a literal with nothing but bare words behind it.
  var isWords: Bool {
    guard case .unaryMessage(var message) = self else { return false }
    while case .unaryMessage(let inner) = message.receiver { message = inner }
    return switch message.receiver {
    case .subscript, .query, .block, .binaryMessage, .keywordMessage, .pipe, .cascade: false
    default: true
    }
  }
}
