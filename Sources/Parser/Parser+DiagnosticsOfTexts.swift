internal import TenonLexer

// What is wrong with texts, collections, paths and definitions.

extension Parser {
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
