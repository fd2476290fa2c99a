internal import TenonText

/// Cuts a text into rows of fields: RFC 4180, with line ends of any kind.
struct CSVReader {
  private let text: ObjectRef
  private let separator: UInt8
  private let quote: UInt8
  private var position = 0
  private var line: Int
  /// Where the line begins.
  private var lineStart = 0

  /// Creates a reader; separator and quote are characters of ASCII.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - separator: What stands between two fields.
  ///   - quote: What stands around fields that need it.
  ///   - line: The line on which the text begins.
  init(_ text: ObjectRef, separator: UInt8, quote: UInt8, line: Int) {
    self.line = line
    self.text = text
    self.separator = separator
    self.quote = quote
    // Spreadsheets begin their files with it; it is no part of the first field.
    let mark = ByteOrderMark.utf8
    if text.byteCount >= mark.count, mark.indices.allSatisfy({ text[byte: $0] == mark[$0] }) {
      position = mark.count
      lineStart = mark.count
    }
  }

  /// A field: bytes of the text, and whether quotes in them are doubled.
  struct Field {
    let range: Range<Int>
    let hasDoubledQuotes: Bool
  }

  /// The line on which the next row begins.
  var nextLine: Int { line }

  /// Reads a row; nil at the end.
  ///
  /// Empty lines are no rows.
  ///
  /// - Throws: a failure that names the line.
  mutating func readRow() throws(Failure) -> [Field]? {
    while position < text.byteCount, takeLineEnd() {}
    guard position < text.byteCount else { return nil }
    var fields: [Field] = []
    while true {
      fields.append(try readField())
      guard position < text.byteCount, text[byte: position] == separator else { break }
      position += 1
    }
    _ = takeLineEnd()
    return fields
  }

  private mutating func readField() throws(Failure) -> Field {
    let end = text.byteCount
    guard position < end, text[byte: position] == quote else {
      let start = position
      while position < end, text[byte: position] != separator, !isLineEnd(position) {
        guard text[byte: position] != quote else {
          throw wrong("a quote inside a field that has none around it")
        }
        position += 1
      }
      return Field(range: start..<position, hasDoubledQuotes: false)
    }
    let opening = (line: line, lineStart: lineStart, position: position)
    position += 1
    let start = position
    var hasDoubledQuotes = false
    while position < end {
      if text[byte: position] == quote {
        guard position + 1 < end, text[byte: position + 1] == quote else { break }
        hasDoubledQuotes = true
        position += 2
      } else if !takeLineEnd() {
        position += 1
      }
    }
    guard position < end else {
      (line, lineStart, position) = opening
      throw wrong("the quotes of a field are not closed")
    }
    let range = start..<position
    position += 1
    guard position == end || text[byte: position] == separator || isLineEnd(position) else {
      throw wrong("text behind the closing quote of a field")
    }
    return Field(range: range, hasDoubledQuotes: hasDoubledQuotes)
  }

  private func isLineEnd(_ index: Int) -> Bool {
    text[byte: index] == UInt8(ascii: "\n") || text[byte: index] == UInt8(ascii: "\r")
  }

  private mutating func takeLineEnd() -> Bool {
    guard position < text.byteCount, isLineEnd(position) else { return false }
    let isReturn = text[byte: position] == UInt8(ascii: "\r")
    position += 1
    if isReturn, position < text.byteCount, text[byte: position] == UInt8(ascii: "\n") {
      position += 1
    }
    line += 1
    lineStart = position
    return true
  }

  private func wrong(_ message: String) -> Failure {
    let column = (lineStart..<position).count { text[byte: $0] & 0xC0 != 0x80 } + 1
    return Failure(
      .formatError, "the text is no CSV at line \(line), column \(column): \(message)")
  }
}

extension Primitive {
  static let csv: [Primitive] = [
    Primitive(
      "rowsOf: aString sameSize: aBoolean",
      "An array of the rows, arrays of strings; as long as the first one if that is asked for."
    ) { machine, arguments throws(Failure) in
      try machine.csvRows(
        ObjectRef(arguments.receiver), try machine.string(arguments[0]),
        sameSize: arguments[1].isTrue)
    }
  ]
}

extension Machine {
  private func csvCharacter(_ value: Value, _ name: String) throws(Failure) -> UInt8 {
    guard value.isCharacter, value.characterCode < 0x80, value.characterCode != 0x0A,
      value.characterCode != 0x0D
    else {
      throw Failure(
        .invalidArgument,
        "the \(name) of CSV is a character of ASCII and no line end, not \(describe(value))")
    }
    return UInt8(truncatingIfNeeded: value.characterCode)
  }

  fileprivate func csvRows(
    _ csv: ObjectRef, _ text: ObjectRef, sameSize: Bool
  ) throws(Failure) -> Value {
    let quote = try csvCharacter(csv[slot: 1], "quote")
    // A part of a longer text begins on a later line.
    var line = min(max(1, csv[slot: 3].asSmallInteger ?? 1), 1 << 48)
    var reader = CSVReader(
      text, separator: try csvCharacter(csv[slot: 0], "separator"), quote: quote, line: line)
    var rows: [Value] = []
    var size: Int?
    var count = 0
    while let fields = try reader.readRow() {
      if sameSize, let size, fields.count != size {
        throw Failure(
          .formatError,
          "the CSV has \(fields.count == 1 ? "1 field" : "\(fields.count) fields") at line \(line), "
            + "where the first row has \(size)")
      }
      line = reader.nextLine
      size = size ?? fields.count
      let row = makeArray(count: fields.count)
      for (index, field) in fields.enumerated() {
        row[element: index] = Value(makeField(field, text, quote: quote))
      }
      rows.append(Value(row))
      count += fields.count + 1
      if count >= 4096 {
        count = 0
        try pollInterrupt()
        try checkMemory()
      }
    }
    if !csv[slot: 3].isNil { csv[slot: 3] = Value(small: reader.nextLine) }
    try reserve(rows.count * 8)
    return makeArray(rows)
  }

  private func makeField(_ field: CSVReader.Field, _ text: ObjectRef, quote: UInt8) -> ObjectRef {
    guard field.hasDoubledQuotes else { return makePart(of: text, bytes: field.range) }
    var bytes: [UInt8] = []
    var index = field.range.lowerBound
    while index < field.range.upperBound {
      bytes.append(text[byte: index])
      index += text[byte: index] == quote ? 2 : 1
    }
    return unsafe bytes.withUnsafeBytes { unsafe makeString(utf8: $0) }
  }
}
