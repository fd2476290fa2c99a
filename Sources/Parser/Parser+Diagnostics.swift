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
  private func error(
    _ message: String, _ range: SourceRange, notes: [Diagnostic.Note] = [],
    isIncomplete: Bool = false
  ) -> Diagnostic {
    Diagnostic(.error, message, range, notes: notes, isIncomplete: isIncomplete)
  }

  private func warning(_ message: String, _ range: SourceRange) -> Diagnostic {
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

  // MARK: Texts

  func unknownEscape(_ range: SourceRange) -> Diagnostic {
    if lexer.byte(at: Int(range.start) + 1) == UInt8(ascii: "}") {
      return error("unknown escape '\\}'; a '}' needs no backslash", range)
    }
    return error(
      "unknown escape \(quoted(range)); there are \\n \\t \\r \\\" \\\\ \\{ \\0 \\u{1F600}", range)
  }

  func badUnicodeEscape(_ range: SourceRange) -> Diagnostic {
    error("a character is written by its hexadecimal number: '\\u{1F600}'", range)
  }

  func noCharacter() -> Diagnostic {
    error("expected a character after '$', found the end of the text", token.range)
  }

  func longCharacter() -> Diagnostic {
    let text = excerpt(SourceRange(token.start + 1, lexer.nameEnd(from: token.start + 1)))
    return error("'$' takes one character; a string is written '\(text)'", token.range)
  }

  func digitCharacter() -> Diagnostic {
    let digits = excerpt(SourceRange(token.start + 1, token.end))
    return error(
      "'$0' to '$3' are parameters of a block; a digit is written '\(digits)' first",
      token.range)
  }

  func implicitParameterOutsideBlock() -> Diagnostic {
    error("\(quoted(token.range)) is a parameter of a block and stands in none", token.range)
  }

  func implicitParameterInNamedBlock() -> Diagnostic {
    error(
      "\(quoted(token.range)) stands in a block that names its parameters", token.range)
  }

  func cutSymbol() -> Diagnostic {
    var end = token.end
    while lexer.isNameContinue(at: end) || lexer.byte(at: end) == UInt8(ascii: "-") {
      end += lexer.scalar(at: end).length
    }
    let text = excerpt(SourceRange(token.start + 1, end))
    return error("this symbol is written #'\(text)'", SourceRange(token.start, end))
  }

  /// What is said of `#{ #Content-Type: 1 }`.
  func cutKey() -> Diagnostic {
    let start = token.start + 1
    var end = lexer.nameEnd(from: start)
    while lexer.byte(at: end) == UInt8(ascii: "-"), lexer.isNameStart(at: end + 1) {
      end = lexer.nameEnd(from: end + 1)
    }
    let text = excerpt(SourceRange(start, end))
    return error(
      "this key is written \(text): or #'\(text)':", SourceRange(token.start, end))
  }

  // MARK: Collections

  func wordsInArray(_ opening: SourceRange) -> Diagnostic {
    let words = wordsOfArray(opening) ?? ["a", "b"]
    let symbols = words.map { "#" + $0 }.joined(separator: " ")
    let expressions = words.joined(separator: ", ")
    return error(
      "words in #( ): write '#(\(symbols))' for symbols, '#(\(expressions))' for expressions",
      SourceRange(opening.start, Swift.max(token.range.start, opening.end)))
  }

  /// Returns the words an array consists of; nil when there is something else or too much.
  private func wordsOfArray(_ opening: SourceRange) -> [String]? {
    var words: [String] = []
    var next = lexer.token(from: Int(opening.end))
    while next.kind == .name, words.count < 5 {
      words.append(excerpt(next.range))
      next = lexer.token(from: next.end)
    }
    return next.kind == .closeParenthesis && !words.isEmpty ? words : nil
  }

  func mixedArray(_ opening: SourceRange) -> Diagnostic {
    error(
      "expected ',' or ')', found \(found); only literals are separated by blanks", token.range,
      notes: [Diagnostic.Note("in this array", opening)])
  }

  func mixedLiteralArray(_ opening: SourceRange) -> Diagnostic {
    error(
      "expected a literal or ')', found \(found); expressions are separated by commas",
      token.range, notes: [Diagnostic.Note("in this array", opening)])
  }

  func notAByte(_ range: SourceRange) -> Diagnostic {
    error("a byte is an integer from 0 to 255", range)
  }

  func notABlankInBytes(_ opening: SourceRange) -> Diagnostic {
    error(
      "expected a byte or ']', found \(found); bytes are separated by blanks: '#[1 2 3]'",
      token.range, notes: [Diagnostic.Note("in this byte array", opening)])
  }

  // MARK: Paths

  func spliceInComponent(_ range: SourceRange) -> Diagnostic {
    error("'{*expression}' stands alone between two slashes", range)
  }

  func spliceOfNames(_ range: SourceRange) -> Diagnostic {
    error(
      "'{*expression}' stands in paths of stores; a component here is a name, an index or "
        + "'{expression}'", range)
  }

  func signAtPathEnd(_ range: SourceRange) -> Diagnostic {
    let sign = excerpt(SourceRange(range.end - 1, range.end))
    return error(
      "a path can not end in '\(sign)'; where it belongs to a component, write {'\(sign)'}",
      SourceRange(range.end - 1, range.end))
  }

  func notAName(_ range: SourceRange) -> Diagnostic {
    var end = Int(range.start)
    while Int32(end) < range.end, isPartOfNames(end) { end += lexer.scalar(at: end).length }
    let scheme = excerpt(SourceRange(schemeStart(before: range), Int(range.start)))
    let head = scheme + excerpt(SourceRange(Int(range.start), end))
    guard Int32(end) < range.end, Int32(end) > range.start else {
      return error(
        "a path runs to the next blank; a component here is a name, an index or '{expression}'",
        range)
    }
    let tail = excerpt(SourceRange(Int32(end), range.end))
    let right =
      tail.hasPrefix(".") ? "'\(head)/\(tail.dropFirst())' or '\(head). '" : "'\(head) \(tail)'"
    return error("a path runs to the next blank; write \(right)", range)
  }

  private func isPartOfNames(_ offset: Int) -> Bool {
    lexer.isNameContinue(at: offset) || lexer.byte(at: offset) == UInt8(ascii: "/")
  }

  private func schemeStart(before path: SourceRange) -> Int {
    var start = Int(path.start)
    while start > 0, lexer.isNameContinue(at: start - 1) || lexer.byte(at: start - 1) == 0x3A {
      start -= 1
    }
    return start
  }

  // MARK: Definitions

  func notAMember(_ start: Int) -> Diagnostic {
    let isBody = token.kind == .openBrace || token.kind == .openParenthesis
    let header = isBody ? "; a method is written '-\(methodHeader(from: start)) { ... }'" : ""
    return error(
      "expected a member: a variable, a method, a property path, an assignment or a connection"
        + header, range(from: start))
  }

  /// What was meant as the header of a method, without a word that says so elsewhere.
  private func methodHeader(from start: Int) -> String {
    let first = lexer.token(from: start)
    let isForeign = first.end < previousEnd && first.kind == .name
    return excerpt(SourceRange(isForeign ? lexer.token(from: first.end).start : start, previousEnd))
  }

  func temporariesInClass() -> Diagnostic {
    error("variables of a class's instances are declared with 'var name'", token.range)
  }

  func bodyInProtocol() -> Diagnostic {
    error("a protocol names messages and does not say how they are done", token.range)
  }

  func emissionOutOfPlace(_ range: SourceRange) -> Diagnostic {
    error("'|{' stands only in a filter", range)
  }

  func operatorInSignature(_ range: SourceRange) -> Diagnostic {
    error("a signature is a name or has keywords", range)
  }

  func connectorAsSelector() -> Diagnostic {
    error("\(quoted(token.range)) is a connector and no message", token.range)
  }

  func emptyPattern(_ offset: Int) -> Diagnostic {
    error("expected a name, ':name' or '*' after '/'", SourceRange(offset, offset))
  }

  func noPatternName(_ offset: Int) -> Diagnostic {
    error("expected a name after ':'", SourceRange(offset, offset))
  }

  func noPatternType(_ offset: Int) -> Diagnostic {
    error("a component that must be an integer is written :name<int>", SourceRange(offset, offset))
  }

  func patternBehindRest(_ offset: Int) -> Diagnostic {
    error("'*' takes all that is left: nothing follows it", SourceRange(offset, offset))
  }

  // MARK: Warnings

  func unusedString(_ range: SourceRange) -> Diagnostic {
    warning("the string is not used; a comment is written '// text'", range)
  }

  func stringBeforeClass(_ range: SourceRange, _ selector: Name) -> Diagnostic {
    warning(
      "the string receives \(quoted(selector.range)); a comment is written '// text'", range)
  }

  func classForBoolean(_ name: Name) -> Diagnostic {
    warning(
      "'\(name.text)' is a class; the value is written '\(name.text.lowercased())'", name.range)
  }

  func identityOfLiteral(_ selector: Name) -> Diagnostic {
    warning("'==' asks for the same object; equal values are found by '='", selector.range)
  }

  func unusedComparison(_ selector: Name) -> Diagnostic {
    let meant = selector.text == "=" ? "':=' assigns" : "'\(selector.text)|' keeps it true"
    return warning(
      "'\(selector.text)' compares and the result is not used; \(meant)", selector.range)
  }

  func selectorNamesVariable(_ range: SourceRange) -> Diagnostic {
    warning("\(quoted(range)) is a variable too: a '.' may be missing before it", range)
  }

  func commentMayBeDivision(_ range: SourceRange) -> Diagnostic {
    warning("'//' begins a comment; a division that rounds down is written '~/'", range)
  }

  func subtractionInArray() -> Diagnostic {
    let number = excerpt(lexer.token(from: token.end).range)
    return warning(
      "'- \(number)' is subtracted here; a negative element is written ', -\(number)'", token.range)
  }

  func parameterForDigit(_ parameter: ImplicitParameterExpression) -> Diagnostic {
    warning(
      "'$\(parameter.index)' is a parameter of the block; the character is written "
        + "'\(parameter.index)' first", parameter.range)
  }

  func missingComma(_ range: SourceRange) -> Diagnostic {
    warning("\(quoted(range)) is a message here; a ',' may be missing before it", range)
  }

  func literalsInBlockWarning(_ range: SourceRange) -> Diagnostic {
    warning("a block that joins literals; an array is written '#(1, 2, 3)'", range)
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
