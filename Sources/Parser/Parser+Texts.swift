internal import TenonLexer

extension Parser {
  /// Parses a string in single quotes.
  ///
  ///     string == "'" , { ? any character but ' ? | "''" } , "'" ;
  func parseString() -> Expression {
    let range = token.range
    let value = quotedText(in: SourceRange(range.start + 1, range.end - 1))
    advance()
    return .string(StringExpression(value: value, range: range))
  }

  /// Returns what stands between single quotes: doubled ones undoubled.
  private func quotedText(in range: SourceRange) -> String {
    var bytes: [UInt8] = []
    var hasDoubled = false
    for offset in Int(range.start)..<Int(range.end) where lexer.byte(at: offset) == 0x27 {
      hasDoubled = true
      break
    }
    guard hasDoubled else { return lineFed(range) }
    var offset = Int(range.start)
    while offset < Int(range.end) {
      let byte = lexer.byte(at: offset)
      let isReturn = byte == 0x0D && lexer.byte(at: offset + 1) == 0x0A
      if !isReturn { bytes.append(byte) }
      offset += byte == 0x27 ? 2 : 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns text with each CRLF as a line feed: what a script means does not depend on the
  /// editor it was saved with.
  private func lineFed(_ range: SourceRange) -> String {
    let text = source.text(in: range)
    guard text.utf8.contains(0x0D) else { return text }
    var bytes: [UInt8] = []
    for offset in Int(range.start)..<Int(range.end) {
      let byte = lexer.byte(at: offset)
      if byte != 0x0D || lexer.byte(at: offset + 1) != 0x0A { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Parses a string in double quotes.
  ///
  ///     interpolatedString == '"' , { ? any character but " \ { ? | escape | interpolation } ,
  ///                        '"' ;
  func parseInterpolatedString() throws(SyntaxFailure) -> Expression {
    let opening = token.range
    var parts: [InterpolatedStringPart] = []
    var text = ""
    var offset = token.end
    var tallest = 0
    while true {
      let end = plainTextEnd(from: offset)
      text += lineFed(SourceRange(offset, end))
      offset = end
      switch lexer.byte(at: offset) {
      case UInt8(ascii: "\\"):
        text.unicodeScalars.append(try readEscape(at: &offset))
      case UInt8(ascii: "{"):
        if !text.isEmpty { parts.append(.text(text)) }
        text = ""
        parts.append(.expression(try parseInterpolation(at: &offset, of: opening)))
        tallest = Swift.max(tallest, height)
      case UInt8(ascii: "\""):
        if !text.isEmpty { parts.append(.text(text)) }
        move(to: offset + 1)
        height = tallest + 1
        return .interpolatedString(
          InterpolatedStringExpression(parts: parts, range: range(from: Int(opening.start))))
      default:
        throw failUnclosedString(opening)
      }
    }
  }

  private func plainTextEnd(from start: Int) -> Int {
    var offset = start
    while offset < lexer.end {
      switch lexer.byte(at: offset) {
      case UInt8(ascii: "\\"), UInt8(ascii: "{"), UInt8(ascii: "\""): return offset
      default: offset += 1
      }
    }
    return offset
  }

  /// Parses an expression in the braces of a string.
  ///
  ///     interpolation == "{" , connect , "}" ;
  private func parseInterpolation(
    at offset: inout Int, of string: SourceRange
  ) throws(SyntaxFailure) -> Expression {
    let opening = SourceRange(offset, offset + 1)
    let outer = try enter(.closeBrace)
    context.string = outer.string ?? Int(string.start)
    move(to: offset + 1)
    let expression = try parseConnect()
    guard token.kind == .closeBrace else { throw failUnclosed(.closeBrace, opening) }
    // The token behind the brace is text of the string and not looked at.
    offset = token.end
    leave(to: outer)
    return expression
  }

  /// Reads an escape and goes on behind it.
  ///
  ///     escape == "\" , ( "n" | "t" | "r" | '"' | "\" | "{" | "0" | "u{" ,
  ///            ? the number of a character ? , "}" ) ;
  private func readEscape(at offset: inout Int) throws(SyntaxFailure) -> Unicode.Scalar {
    let start = offset
    let byte = lexer.byte(at: offset + 1)
    offset += 2
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "0"): return "\0"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "{"): return Unicode.Scalar(byte)
    case UInt8(ascii: "u"):
      guard let scalar = readUnicodeEscape(at: &offset) else {
        throw fail(badUnicodeEscape(SourceRange(start, offset)))
      }
      return scalar
    default:
      let length = start + 1 < lexer.end ? lexer.scalar(at: start + 1).length : 0
      throw fail(unknownEscape(SourceRange(start, start + 1 + length)))
    }
  }

  private func readUnicodeEscape(at offset: inout Int) -> Unicode.Scalar? {
    guard lexer.byte(at: offset) == UInt8(ascii: "{") else { return nil }
    let start = offset + 1
    offset = start
    while offset - start < 8, lexer.isNameContinue(at: offset), lexer.byte(at: offset) < 0x80 {
      offset += 1
    }
    let digits = source.text(in: SourceRange(start, offset))
    guard lexer.byte(at: offset) == UInt8(ascii: "}") else { return nil }
    offset += 1
    return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
  }

  /// Parses a character or an implicit parameter.
  ///
  ///     character == "$" , ? any character but a digit ? ;
  func parseCharacter() throws(SyntaxFailure) -> Expression {
    let range = token.range
    guard range.end > range.start + 1 else { throw fail(noCharacter()) }
    if isDigit(at: token.start + 1) { return try parseImplicitParameter() }
    let value = lexer.scalar(at: token.start + 1).scalar
    if lexer.isNameContinue(at: token.start + 1), lexer.isNameContinue(at: token.end) {
      throw fail(longCharacter())
    }
    advance()
    return .character(CharacterExpression(value: value, range: range))
  }

  /// Parses an implicit parameter, which the innermost block has from now on.
  ///
  ///     implicitParameter == "$" , ( "0" | "1" | "2" | "3" ) ;
  private func parseImplicitParameter() throws(SyntaxFailure) -> Expression {
    let range = token.range
    let index = Int(lexer.byte(at: token.start + 1)) - Int(UInt8(ascii: "0"))
    guard token.end - token.start == 2, index <= 3, !lexer.isNameContinue(at: token.end) else {
      throw fail(digitCharacter())
    }
    switch context.implicitParameters {
    case .outside: throw fail(implicitParameterOutsideBlock())
    case .named: throw fail(implicitParameterInNamedBlock())
    case .counted(let count):
      context.implicitParameters = .counted(Swift.max(count, index + 1))
    }
    advance()
    return .implicitParameter(ImplicitParameterExpression(index: index, range: range))
  }

  /// Parses a symbol.
  ///
  ///     symbol == nameSymbol | keywordSymbol | operatorSymbol | quotedSymbol ;
  func parseSymbol() throws(SyntaxFailure) -> Expression {
    let range = token.range
    if firstSymbolByteIsWord {
      let next = lexer.byte(at: token.end)
      let isHyphenated = next == UInt8(ascii: "-") && lexer.isNameStart(at: token.end + 1)
      let isCutOff = lexer.byte(at: token.end - 1) == UInt8(ascii: ":")
      guard !isHyphenated, !(isCutOff && lexer.isNameStart(at: token.end)) else {
        throw fail(cutSymbol())
      }
    }
    let value = symbolValue(range)
    advance()
    return .symbol(SymbolExpression(value: value, range: range))
  }

  private var firstSymbolByteIsWord: Bool { lexer.isNameStart(at: token.start + 1) }

  /// Returns the text of a symbol without `#` and quotes.
  ///
  ///     quotedSymbol == "#" , string ;
  func symbolValue(_ range: SourceRange) -> String {
    guard lexer.byte(at: Int(range.start) + 1) == UInt8(ascii: "'") else {
      let text = source.text(in: SourceRange(range.start + 1, range.end))
      return Connector.otherSpellings[text] ?? text
    }
    return quotedText(in: SourceRange(range.start + 2, range.end - 1))
  }
}
