internal import TenonLexer

// All wording of this module: lower case, no full stop, what was expected, what was found, and how
// it is written right.

extension Diagnostic {
  /// A text that is not even looked at.
  static func textTooLarge(_ size: Int) -> Diagnostic {
    let limit = SourceText.largestSize >> 20
    return Diagnostic(
      .error, "the text has \(size) bytes, more than the \(limit) MB that are read",
      SourceRange(0, 0))
  }
}

extension Parser {
  func error(
    _ message: String, _ range: SourceRange, notes: [Diagnostic.Note] = [],
    isIncomplete: Bool = false
  ) -> Diagnostic {
    Diagnostic(.error, message, range, notes: notes, isIncomplete: isIncomplete)
  }

  func warning(_ message: String, _ range: SourceRange) -> Diagnostic {
    Diagnostic(.warning, message, range)
  }

  // MARK: Quoting

  /// Returns the text of a range in quotes, cut when it is long.
  func quoted(_ range: SourceRange) -> String {
    "'\(excerpt(range))'"
  }

  /// Returns the text of a range on one line, cut when it is long.
  func excerpt(_ range: SourceRange) -> String {
    let limit = 40
    let end = Swift.min(range.end, range.start &+ Int32(4 * limit))
    let text = source.text(in: SourceRange(range.start, end))
    let line = text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }.prefix(limit)
    let isCut = Int(range.start) + String(line).utf8.count < Int(range.end)
    return String(line) + (isCut ? "..." : "")
  }

  /// What is looked at, in words.
  var found: String {
    switch token.kind {
    case .endOfText: "the end of the text"
    case .string, .unterminatedString, .quotation: "a string"
    default: quoted(token.range)
    }
  }

  // MARK: Expectations

  /// Something else stands where only one thing can.
  func expected(_ what: String, notes: [Diagnostic.Note] = []) -> Diagnostic {
    let isEnd = token.kind == .endOfText
    let range = isEnd ? SourceRange(previousEnd, previousEnd) : token.range
    return error(
      "expected \(what), found \(found)", range, notes: notes, isIncomplete: isEnd)
  }

  func bracketNote(_ opening: SourceRange) -> Diagnostic.Note {
    Diagnostic.Note("to close this \(quoted(opening))", opening)
  }

  func expectedMessage(after sign: String) -> Diagnostic {
    let hint = sign == "|" ? "; 'or' is written '||'" : endsStatement(at: token) ? periodHint : ""
    return error("expected a message after '\(sign)'\(hint)", token.range)
  }

  /// Whether a token shows that a statement ended before it.
  private func endsStatement(at token: Token) -> Bool { token.beginsLine || isClosing(token.kind) }

  private var periodHint: String { "; a statement ends with '.'" }

  func missingPeriod(at offset: Int) -> Diagnostic {
    error("a '.' is missing", SourceRange(offset, offset))
  }

  func missingBlankAfterPeriod() -> Diagnostic {
    let name = SourceRange(token.end, lexer.nameEnd(from: token.end))
    guard name.end > name.start else {
      return error(
        "a blank is missing after '.'; a fraction has a digit on either side: '0.5'", token.range)
    }
    let message = excerpt(name)
    let receiver = wordBefore(token.start).map(excerpt) ?? "x"
    return error(
      "a blank is missing after '.'; a message is sent by a blank: '\(receiver) \(message)'",
      token.range)
  }

  func subscriptBehindBlank() -> Diagnostic {
    error("a subscript has no blank before '['", token.range)
  }

  func reservedSelector() -> Diagnostic {
    error("\(quoted(token.range)) is a reserved word and no message", token.range)
  }

  func callSyntax(_ name: SourceRange) -> Diagnostic {
    let word = excerpt(name)
    let receiver = receiver(before: name).map(excerpt)
    if receiver == "new" {
      return error("expected '.', found '('; an object is made with '\(word) new'", token.range)
    }
    if receiver == nil, !declaredNames.contains(word), let hint = ForeignWords.hint(for: word) {
      return error("expected '.', found '('; \(hint)", token.range)
    }
    if lexer.token(from: token.end).kind == .closeParenthesis {
      let sent = receiver.map { "\($0) \(word)" }
      let shown = sent ?? (declaredNames.contains(word) ? "\(word) value" : "x \(word)")
      return error("a message without arguments has no parentheses: '\(shown)'", token.range)
    }
    let hint = declaredNames.contains(word) ? "; a block takes it as '\(word) value: x'" : ""
    return error(
      "expected '.', found '('; an argument follows a keyword: '\(word): x'\(hint)", token.range)
  }

  func objectLiteralBehindBlank(_ symbol: SourceRange) -> Diagnostic {
    error(
      "an object literal has no blank before '{': '\(excerpt(symbol)){'", token.range)
  }

  func literalsInBlock(_ opening: SourceRange) -> Diagnostic {
    let brace = quoted(opening)
    return error("\(brace) begins a block; an array is written '#(1 2 3)'", token.range)
  }

  func stringAsComment(_ range: SourceRange) -> Diagnostic {
    error("a string can not begin a statement like this; a comment is written '// text'", range)
  }

  // MARK: Tokens

  func unclosedString(_ opening: SourceRange) -> Diagnostic {
    error("the string is not closed", opening, isIncomplete: true)
  }

  func loneHash() -> Diagnostic {
    error("'#' begins no literal here; a comment is written '// text'", token.range)
  }

  func unknownCharacter() -> Diagnostic {
    let scalar = lexer.scalar(at: token.start).scalar
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let code = "U+" + String(repeating: "0", count: Swift.max(0, 4 - digits.count)) + digits
    let shown = scalar.properties.generalCategory == .control ? "" : "'\(scalar)' "
    let hint =
      switch scalar {
      case "‘", "’", "´", "`": "; a string is written 'text'"
      case "“", "”", "„": "; a string is written \"text\""
      case "–", "—": "; a minus sign is written '-'"
      default: ""
      }
    return error("unexpected character \(shown)(\(code))\(hint)", token.range)
  }

  // MARK: Limits

  func tooDeep() -> Diagnostic {
    error("brackets nest more than \(nestingLimit) deep", token.range)
  }

  func tooHigh() -> Diagnostic {
    error("an expression of more than \(heightLimit) parts in a chain", token.range)
  }

  // MARK: Signs

  func operatorAtStart() -> Diagnostic {
    let next = lexer.token(from: token.end)
    let operand = next.kind == .name ? excerpt(wholeName(next.range)) : "x"
    let sign = source.text(in: token.range)
    if let problem = problemOfSign(sign, next) { return problem }
    switch sign {
    case "-" where next.kind == .number:
      return error(
        "a '-' stands directly before the digits of its number: '-\(excerpt(next.range))'",
        token.range)
    case "-" where next.kind == .keyword && context.nesting == 0:
      return error(
        "'-' is no sign but before a digit; a method is written '-name: parameter { ... }'",
        token.range)
    case "-":
      return error(
        "'-' is no sign but before a digit; write '\(operand) negated' or '0 - \(operand)'",
        token.range)
    case "+":
      return error("'+' is no sign; it stands between two operands", token.range)
    default:
      return expected("an expression")
    }
  }

  func caretInside() -> Diagnostic {
    error("'^' stands only at the start of a statement", token.range)
  }

  func fractionWithoutZero() -> Diagnostic {
    let digits = SourceRange(token.end, lexer.token(from: token.end).end)
    return error("a fraction begins with a digit: '0.\(excerpt(digits))'", token.range)
  }

  // MARK: Statements

  func methodOutOfPlace() -> Diagnostic {
    error("a method is defined in a class or outside of all brackets", token.range)
  }

  func importOutOfPlace() -> Diagnostic {
    error("an 'import' must stand at top level", token.range)
  }

  func constantWithoutValue(_ name: Name) -> Diagnostic {
    let text = excerpt(name.range)
    return error("a 'val' needs its value: 'val \(text) := ...'", name.range)
  }

  func connectorAfterVariable(_ name: Name, word: String, value: Expression?) -> Diagnostic {
    let text = excerpt(name.range)
    let sign = excerpt(token.range)
    if let value, token.kind == .connector {
      let start = "\(word) \(text) := (\(excerpt(value.range)) \(sign)"
      return error(
        "'\(word)' takes one ':=' and no connector; write '\(start) \(restOfStatement()))'",
        token.range)
    }
    return error(
      "'\(word)' takes one ':=' and no connector; write 'var \(text). \(text) \(sign) ...'",
      token.range)
  }

  /// The text behind the token up to the end of the statement, if that is on its line and short.
  private func restOfStatement() -> String {
    let start = lexer.token(from: token.end)
    var next = start
    var end = start.start
    while next.kind != .period, !endsStatement(at: next), !next.beginsLine, end - start.start < 40 {
      end = next.end
      next = lexer.token(from: end)
    }
    let isWhole = end > start.start && (next.kind == .period || endsStatement(at: next))
    return isWhole ? excerpt(SourceRange(start.start, end)) : "..."
  }

  func reservedWord(_ name: Name) -> Diagnostic {
    error("\(quoted(name.range)) is a reserved word and can not be declared", name.range)
  }

  // MARK: Connectors

  func mixedConnectors(_ first: Name) -> Diagnostic {
    error(
      "connectors do not mix: one of '\(first.text)' and \(quoted(token.range)) needs parentheses",
      token.range, notes: [Diagnostic.Note("the first stands here", first.range)])
  }

  func repeatedAppend(_ first: Name) -> Diagnostic {
    error(
      "'+=' adds to one place and does not chain", token.range,
      notes: [Diagnostic.Note("the first stands here", first.range)])
  }

  func assignmentInConnection(_ connector: Name) -> Diagnostic {
    error(
      "an assignment after '\(connector.text)' needs parentheses", token.range,
      notes: [Diagnostic.Note("the connector stands here", connector.range)])
  }

  func notAPlace(_ place: Expression) -> Diagnostic {
    let sign = quoted(token.range)
    let range = place.range
    if place.beginsWithReservedWord {
      return error("\(quoted(range)) can not be assigned", range)
    }
    if lexer.byte(at: Int(range.start)) == UInt8(ascii: "\"") { return stringAsComment(range) }
    return error(
      "the left side of \(sign) is no place: a name, 'scheme:path', 'x[i]' or 'x property'", range)
  }

  func notAPlaceInGroup(_ start: Int) -> Diagnostic {
    error(
      "expected a place after '->': a name, 'scheme:path', 'x[i]' or 'x property'",
      range(from: start))
  }

  func literalInFlow(_ operand: Expression) -> Diagnostic {
    error("'->' joins what things flow through; an association is written '=>'", operand.range)
  }

  func connectorTaken(_ connector: Name) -> Diagnostic {
    Connector.named(connector.text) == nil
      ? error("\(quoted(connector.range)) has a meaning already", connector.range)
      : error(
        "\(quoted(connector.range)) keeps its meaning; '|=', '=|=' and '->' can be given another",
        connector.range)
  }

  /// A connector's definition with a name where its sign has to stand.
  func namedConnector() -> Diagnostic {
    error(
      "a connector is a sign, as in 'connector ~> : Connector { ... }', and no name", token.range)
  }

  func connectorTooLong(_ connector: Name) -> Diagnostic {
    error("a connector has at most \(Lexer.longestConnector) characters", connector.range)
  }

  // MARK: Messages

  func nothingToCascade() -> Diagnostic {
    let hint = endsStatement(at: lexer.token(from: token.end)) ? periodHint : ""
    return error(
      "';' repeats the receiver of a message, and none stands before it\(hint)", token.range)
  }

  func moreThanOneMessage() -> Diagnostic {
    error(
      "one message follows ';'; what is sent to its result follows '|'", token.range)
  }

  func severalIndices(_ range: SourceRange) -> Diagnostic {
    error("an index is one expression; an element of an element is written 'x[1][2]'", range)
  }

  func missingReceiver(_ scheme: Name) -> Diagnostic {
    let word = excerpt(scheme.range)
    if isFirstInBraces(scheme.range) {
      return error(
        "'{' begins a block; a dictionary is written '#{ \(word): \(excerpt(token.range)) }'",
        scheme.range)
    }
    return error("the message '\(word):' has no receiver", scheme.range)
  }

  private func isFirstInBraces(_ range: SourceRange) -> Bool {
    var index = Int(range.start) - 1
    while lexer.blankLength(at: index) > 0 { index -= 1 }
    guard lexer.byte(at: index) == UInt8(ascii: "{") else { return false }
    return lexer.byte(at: index - 1) != UInt8(ascii: "#")
  }

  // MARK: Numbers

  func badNumber(_ problem: NumberError) -> Diagnostic {
    switch problem {
    case .separator(let range):
      error("a '_' in a number stands between two digits", range)
    case .radix(let range):
      error("a radix is a number from 2 to 36", range)
    case .noDigits(let range, let radix):
      error("the digits of the number are missing; its radix is \(radix)", range)
    case .digit(let range, let radix):
      error("\(quoted(range)) is no digit of radix \(radix)", range)
    case .positiveExponent(let range):
      error("an exponent has no '+': '2.5e3'", range)
    case .negativeExponent(let range):
      error("an integer has no negative exponent; a float is written '1.0e-3'", range)
    case .noBlank(let range):
      error("a blank is missing between the number and \(quoted(range))", range)
    }
  }

  func exponentTooLarge(_ range: SourceRange) -> Diagnostic {
    error("the exponent is too large to be written out; write '10 raisedTo: n'", range)
  }

  func floatTooLarge(_ range: SourceRange) -> Diagnostic {
    error("the number is too large for a float", range)
  }

  func scaleTooLarge(_ range: SourceRange) -> Diagnostic {
    error("the number has too many places after the point", range)
  }
}

extension Expression {
  /// Whether a place would be a reserved word, or a property of one.
  fileprivate var beginsWithReservedWord: Bool {
    var root = self
    while case .unaryMessage(let message) = root { root = message.receiver }
    guard case .name(let expression) = root else { return false }
    return Parser.reservedWords.contains(expression.name.text)
  }
}
