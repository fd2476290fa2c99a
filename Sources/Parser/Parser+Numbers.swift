internal import TenonLexer

extension Parser {
  /// How many digits the exponents of a text's integers are written out to at most.
  ///
  /// `1e10` is an integer of eleven digits; without a limit a short text would fill the memory.
  private static let writtenZeroLimit = 100_000
  /// How many places a scaled decimal prints at most.
  private static let scaleLimit = 10_000

  /// Parses a number, with the sign that belongs to it.
  ///
  ///     number == integer | radixInteger | float | scaledDecimal ;
  ///     negativeNumber == "-" , number ;
  func parseNumber() throws(SyntaxFailure) -> Expression {
    let start = token.start
    let isNegative = token.kind == .operator
    if isNegative { advance() }
    var reader = NumberReader(lexer: lexer, start: token.start, end: token.end)
    let form: NumberForm
    do {
      form = try reader.read()
    } catch {
      throw fail(badNumber(error))
    }
    advance()
    return try number(form, isNegative: isNegative, range: range(from: start))
  }

  private func number(
    _ form: NumberForm, isNegative: Bool, range: SourceRange
  ) throws(SyntaxFailure) -> Expression {
    switch form {
    case .integer(let radix, let digits, let exponent):
      // Larger exponents are all the same; added up as they are they could overflow.
      writtenZeros += Swift.min(exponent, Self.writtenZeroLimit + 1)
      guard writtenZeros <= Self.writtenZeroLimit else { throw fail(exponentTooLarge(range)) }
      let written = digits + String(repeating: "0", count: exponent)
      return .integer(
        IntegerExpression(isNegative: isNegative, radix: radix, digits: written, range: range))
    case .float(let text):
      guard let value = Double(text), value.isFinite else { throw fail(floatTooLarge(range)) }
      return .float(FloatExpression(value: isNegative ? -value : value, range: range))
    case .scaledDecimal(let digits, let fractionCount, let scale):
      guard scale <= Self.scaleLimit else { throw fail(scaleTooLarge(range)) }
      return .scaledDecimal(
        ScaledDecimalExpression(
          isNegative: isNegative, digits: digits, fractionCount: fractionCount, scale: scale,
          range: range))
    }
  }
}

/// A number taken apart.
enum NumberForm {
  case integer(radix: Int, digits: String, exponent: Int)
  /// Digits, point and exponent as `Double` reads them.
  case float(String)
  case scaledDecimal(digits: String, fractionCount: Int, scale: Int)
}

/// What can be wrong with a number.
enum NumberError: Error {
  case separator(SourceRange)
  case radix(SourceRange)
  case noDigits(SourceRange, radix: Int)
  case digit(SourceRange, radix: Int)
  case positiveExponent(SourceRange)
  case negativeExponent(SourceRange)
  case noBlank(SourceRange)
}

/// Reads the bytes of one number.
struct NumberReader {
  let lexer: Lexer
  let start: Int
  let end: Int
  var index: Int

  init(lexer: Lexer, start: Int, end: Int) {
    self.lexer = lexer
    self.start = start
    self.end = end
    index = start
  }

  private var byte: UInt8 { index < end ? lexer.byte(at: index) : 0 }
  private var whole: SourceRange { SourceRange(start, end) }

  /// Reads the number.
  mutating func read() throws(NumberError) -> NumberForm {
    if byte == UInt8(ascii: "0"), let radix = Self.prefixes[lexer.byte(at: start + 1)] {
      index = start + 2
      return try readRadixDigits(radix)
    }
    let whole = try readDecimalDigits()
    if byte == UInt8(ascii: "r") {
      index += 1
      guard let radix = Int(whole), (2...36).contains(radix) else {
        throw .radix(SourceRange(start, index))
      }
      return try readRadixDigits(radix)
    }
    guard byte == UInt8(ascii: ".") else { return try readTail(whole, fraction: nil) }
    index += 1
    return try readTail(whole, fraction: try readDecimalDigits())
  }

  private static let prefixes: [UInt8: Int] = [UInt8(ascii: "x"): 16, UInt8(ascii: "b"): 2]

  /// Reads what follows the digits: an exponent, a scale, or nothing.
  ///
  ///     integer == digits , [ "e" , ? a small exponent ? ] ;
  ///     float == digits , "." , digits , [ "e" , [ "-" ] , ? a small exponent ? ] ;
  ///     scaledDecimal == digits , [ "." , digits ] , "s" , [ digit , { digit } ] ;
  private mutating func readTail(
    _ whole: String, fraction: String?
  ) throws(NumberError) -> NumberForm {
    switch byte {
    case UInt8(ascii: "s"):
      return try readScale(whole, fraction: fraction ?? "")
    case UInt8(ascii: "e"), UInt8(ascii: "E"):
      let exponent = try readExponent()
      try expectEnd()
      if let fraction { return .float("\(whole).\(fraction)e\(exponent)") }
      guard !exponent.hasPrefix("-") else { throw .negativeExponent(self.whole) }
      return .integer(radix: 10, digits: whole, exponent: Int(exponent) ?? Int(Int32.max))
    default:
      try expectEnd()
      guard let fraction else { return .integer(radix: 10, digits: whole, exponent: 0) }
      return .float("\(whole).\(fraction)")
    }
  }

  private mutating func readExponent() throws(NumberError) -> String {
    let mark = index
    index += 1
    guard byte != UInt8(ascii: "+") else { throw .positiveExponent(whole) }
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative { index += 1 }
    guard isDigit else { throw .noBlank(SourceRange(mark, end)) }
    let digits = try readDecimalDigits()
    return isNegative ? "-" + digits : digits
  }

  private mutating func readScale(
    _ whole: String, fraction: String
  ) throws(NumberError) -> NumberForm {
    index += 1
    let scale = isDigit ? try readDecimalDigits() : String(fraction.utf8.count)
    try expectEnd()
    return .scaledDecimal(
      digits: whole + fraction, fractionCount: fraction.utf8.count,
      scale: Int(scale) ?? Int(Int32.max))
  }

  private func expectEnd() throws(NumberError) {
    guard index == end else { throw .noBlank(SourceRange(index, end)) }
  }

  // MARK: Digits

  private var isDigit: Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  /// Reads decimal digits and leaves out the underscores between them.
  ///
  ///     digits == digit , { [ "_" ] , digit } ;
  private mutating func readDecimalDigits() throws(NumberError) -> String {
    try readDigits { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }

  /// Reads the digits of a radix up to the end of the number.
  ///
  ///     radixInteger == ? a radix, r and digits of that radix ? | "0x" , hexDigit , { hexDigit }
  ///                  | "0b" , ( "0" | "1" ) , { "0" | "1" } ;
  ///     hexDigit == digit | "A" | "B" | "C" | "D" | "E" | "F" | "a" | "b" | "c" | "d" | "e" | "f"
  ///              ;
  private mutating func readRadixDigits(_ radix: Int) throws(NumberError) -> NumberForm {
    guard index < end else { throw .noDigits(whole, radix: radix) }
    let digits = try readDigits { Self.value($0) < radix }
    guard index == end else {
      let length = lexer.scalar(at: index).length
      throw .digit(SourceRange(index, index + length), radix: radix)
    }
    guard !digits.isEmpty else { throw .noDigits(whole, radix: radix) }
    return .integer(radix: radix, digits: digits.uppercased(), exponent: 0)
  }

  private mutating func readDigits(_ isDigit: (UInt8) -> Bool) throws(NumberError) -> String {
    var digits: [UInt8] = []
    while true {
      if isDigit(byte) {
        digits.append(byte)
      } else if byte == UInt8(ascii: "_") {
        let next = index + 1 < end ? lexer.byte(at: index + 1) : 0
        guard !digits.isEmpty, isDigit(next) else {
          throw .separator(SourceRange(index, index + 1))
        }
      } else {
        return String(decoding: digits, as: UTF8.self)
      }
      index += 1
    }
  }

  /// Returns what a digit of any radix stands for, a large number for what is no digit.
  private static func value(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - Int(UInt8(ascii: "0"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte) - Int(UInt8(ascii: "A")) + 10
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte) - Int(UInt8(ascii: "a")) + 10
    default: Int.max
    }
  }
}
