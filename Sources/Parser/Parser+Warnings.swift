internal import TenonLexer

// Texts that are right and probably do not mean what was meant.

extension Parser {
  /// Warns about selectors that begin a line and are variables as well.
  func warnAboutMissingPeriods() {
    guard !declaredNames.isEmpty else { return }
    for range in selectorsAtLineStart where declaredNames.contains(source.text(in: range)) {
      report(selectorNamesVariable(range))
    }
  }

  /// Warns about statements that have no effect.
  ///
  /// The last statement is the value of a block or script, but not that of a method.
  func warnAboutUnused(_ statements: [Statement], isMethodBody: Bool) {
    for (index, statement) in statements.enumerated() {
      guard case .expression(let expression) = statement else { continue }
      let isLast = index == statements.count - 1
      if isMethodBody || !isLast { warnIfUnused(expression) }
      warnIfComment(expression)
    }
  }

  private func warnIfUnused(_ expression: Expression) {
    switch expression {
    case .string(let string):
      report(unusedString(string.range))
    case .interpolatedString(let string) where string.isPlain:
      report(unusedString(string.range))
    case .binaryMessage(let message)
    where ["=", "<=", ">="].contains(message.selector.text) && message.receiver.isPlace:
      report(unusedComparison(message.selector))
    default:
      break
    }
  }

  /// Warns about a string at the start of a statement that receives a class.
  private func warnIfComment(_ expression: Expression) {
    guard lexer.byte(at: Int(expression.range.start)) == UInt8(ascii: "\"") else { return }
    var receiver = expression
    var selector: Name?
    while true {
      switch receiver {
      case .unaryMessage(let message):
        selector = message.selector
        receiver = message.receiver
      case .binaryMessage(let message): receiver = message.receiver
      case .keywordMessage(let message): receiver = message.receiver
      case .cascade(let cascade): receiver = cascade.receiver
      case .interpolatedString(let string):
        guard let selector, selector.text.unicodeScalars.first?.properties.isUppercase == true
        else { return }
        report(stringBeforeClass(string.range, selector))
        return
      default: return
      }
    }
  }

  /// Warns about a comment on the line of an operand that ends in a full stop: in other Smalltalks
  /// `7 // 2.` divides.
  func warnAboutDivisionComment() {
    // Behind a bar stands no operand.
    guard lexer.byte(at: previousEnd - 1) != UInt8(ascii: "|"),
      let comment = lexer.comments(from: previousEnd, to: token.start).first
    else { return }
    for offset in previousEnd..<Int(comment.start) where lexer.byte(at: offset) == 0x0A { return }
    var last = Int(comment.end) - 1
    while last > comment.start, lexer.blankLength(at: last) > 0 { last -= 1 }
    guard lexer.byte(at: last) == UInt8(ascii: ".") || isNumber(comment) else { return }
    report(commentMayBeDivision(SourceRange(comment.start, comment.start + 2)))
  }

  /// Whether a comment consists of a number: nobody says only that.
  private func isNumber(_ comment: SourceRange) -> Bool {
    let number = lexer.token(from: Int(comment.start) + 2)
    var end = number.end
    while end < comment.end, lexer.blankLength(at: end) > 0 { end += 1 }
    return number.kind == .number && end >= comment.end
  }

  /// Warns about a class where one of its only values is meant: `x := True`.
  func warnAboutBoolean(_ value: Expression) {
    guard case .name(let expression) = value,
      expression.name.text == "True" || expression.name.text == "False"
    else { return }
    report(classForBoolean(expression.name))
  }

  /// Warns about the identity of a literal that is another object each time.
  func warnAboutIdentity(_ receiver: Expression, _ selector: Name, _ argument: Expression) {
    guard selector.text == "==", receiver.isFreshLiteral || argument.isFreshLiteral else { return }
    report(identityOfLiteral(selector))
  }

  /// Warns about a parameter of a block where a character is asked for: `padLeft: 5 with: $0`.
  func warnAboutDigit(_ keywords: [Name], _ arguments: [Expression]) {
    guard keywords.count == 2, keywords[1].text == "with:",
      ["padLeft:", "padRight:"].contains(keywords[0].text),
      case .implicitParameter(let parameter)? = arguments.last
    else { return }
    report(parameterForDigit(parameter))
  }

  /// Warns about a keyword in a dictionary or an object literal that may be a key.
  func warnAboutMissingComma(after receiver: Expression) {
    guard token.beginsLine || receiver.isLiteral else { return }
    report(missingComma(token.range))
  }

  /// Warns about a block that joins literals by commas.
  ///
  /// Two texts are a text in two parts: that is what a loop's body may well do.
  func warnAboutLiterals(_ statements: [Statement], in opening: SourceRange) {
    guard statements.count == 1, case .expression(var expression) = statements[0] else { return }
    var count = 0
    var areTexts = true
    while case .binaryMessage(let message) = expression, message.selector.text == ",",
      message.argument.isLiteral
    {
      if !message.argument.isText { areTexts = false }
      expression = message.receiver
      count += 1
    }
    guard count > 0, expression.isLiteral else { return }
    guard count > 1 || !areTexts || !expression.isText else { return }
    report(literalsInBlockWarning(SourceRange(opening.start, statements[0].range.end)))
  }

  /// Checks that an index is one expression.
  func checkIndex(_ index: Expression) throws(SyntaxFailure) {
    guard case .binaryMessage(let message) = index, message.selector.text == "," else { return }
    switch message.receiver {
    case .integer, .float, .scaledDecimal: throw fail(severalIndices(index.range))
    default: return
    }
  }
}

extension Expression {
  /// Whether it is a literal that is no object that exists already.
  fileprivate var isFreshLiteral: Bool {
    switch self {
    case .string, .interpolatedString, .array, .byteArray, .dictionary, .object: true
    default: false
    }
  }
}
