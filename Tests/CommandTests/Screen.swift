/// The screen of a terminal: the sequences of ECMA-48 that libedit and the command write.
struct Screen {
  let rows: Int
  let columns: Int
  /// The characters, row by row; an empty text behind a wide one.
  private var cells: [[Cell]]
  private(set) var row = 0
  private(set) var column = 0
  private var saved = (row: 0, column: 0)
  private var style = ""
  /// Whether the last column was written, and the next character goes to the next row.
  private var isBehindRow = false
  private var pending: [UInt8] = []

  private struct Cell: Equatable {
    var text = " "
    var style = ""
  }

  init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
    cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
  }

  /// The rows up to the last that is not empty, or the cursor's, without blanks at their ends.
  var lines: [String] {
    var lines = cells.map { row in
      String(row.map(\.text).joined().reversed().drop { $0 == " " }.reversed())
    }
    while lines.count > row + 1, lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// The text of a row that is shown in a style, given by its parameters.
  func text(ofRow row: Int, style: String) -> String {
    cells[row].filter { $0.style == style }.map(\.text).joined()
  }

  // MARK: Input

  /// Shows what a program has written.
  mutating func feed(_ bytes: [UInt8]) {
    pending += bytes
    var index = 0
    while index < pending.count, let length = step(at: index) { index += length }
    pending.removeFirst(index)
  }

  /// Follows what begins at an index: its length, or nil when it is not complete.
  private mutating func step(at index: Int) -> Int? {
    switch pending[index] {
    case 0x0D: move(to: row, 0)
    case 0x0A: lineFeed()
    case 0x08: move(to: row, column - 1)
    case 0x09: move(to: row, min(columns - 1, (column / 8 + 1) * 8))
    case 0x1B: return escape(at: index)
    case 0x20..., 0x80...: return character(at: index)
    default: break
    }
    return 1
  }

  private mutating func escape(at index: Int) -> Int? {
    guard index + 1 < pending.count else { return nil }
    switch pending[index + 1] {
    case UInt8(ascii: "["):
      guard let end = pending[(index + 2)...].firstIndex(where: { (0x40...0x7E).contains($0) })
      else { return nil }
      control(
        String(decoding: pending[(index + 2)..<end], as: UTF8.self), Unicode.Scalar(pending[end]))
      return end + 1 - index
    case UInt8(ascii: "7"): saved = (row, column)
    case UInt8(ascii: "8"): move(to: saved.row, saved.column)
    case UInt8(ascii: "("): return 3
    default: break
    }
    return 2
  }

  private mutating func character(at index: Int) -> Int? {
    let first = pending[index]
    let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard index + length <= pending.count else { return nil }
    let text = String(decoding: pending[index..<(index + length)], as: UTF8.self)
    let value = text.unicodeScalars.first?.value ?? 0
    if text.unicodeScalars.first?.properties.generalCategory == .nonspacingMark {
      if column > 0 { cells[row][column - 1].text += text }
      return length
    }
    let isWide =
      (0x1100...0x115F).contains(value) || (0x2E80...0xFFDC).contains(value)
      || value >= 0x1F300
    if isBehindRow || column + (isWide ? 2 : 1) > columns {
      move(to: row, 0)
      lineFeed()
    }
    cells[row][column] = Cell(text: text, style: style)
    if isWide, column + 1 < columns { cells[row][column + 1] = Cell(text: "", style: style) }
    let next = column + (isWide ? 2 : 1)
    isBehindRow = next >= columns
    column = min(next, columns - 1)
    return length
  }

  private mutating func control(_ parameters: String, _ final: Unicode.Scalar) {
    let numbers = parameters.split(separator: ";").map { Int($0) ?? 0 }
    let count = max(1, numbers.first ?? 1)
    switch final {
    case "A": move(to: row - count, column)
    case "B": move(to: row + count, column)
    case "C": move(to: row, column + count)
    case "D": move(to: row, column - count)
    case "G": move(to: row, count - 1)
    case "H": move(to: count - 1, (numbers.count > 1 ? max(1, numbers[1]) : 1) - 1)
    case "J" where (numbers.first ?? 0) == 0: clear(from: row, column, to: rows - 1)
    case "J": clear(from: 0, 0, to: rows - 1)
    case "K": clear(from: row, column, to: row)
    case "@": insert(count)
    case "P": delete(count)
    case "m": style = ["", "0"].contains(parameters) ? "" : parameters
    default: break
    }
  }

  private mutating func move(to newRow: Int, _ newColumn: Int) {
    row = max(0, min(rows - 1, newRow))
    column = max(0, min(columns - 1, newColumn))
    isBehindRow = false
  }

  private mutating func lineFeed() {
    isBehindRow = false
    guard row == rows - 1 else {
      row += 1
      return
    }
    cells.removeFirst()
    cells.append(Array(repeating: Cell(), count: columns))
  }

  private mutating func clear(from first: Int, _ start: Int, to last: Int) {
    for row in first...last {
      for column in (row == first ? start : 0)..<columns { cells[row][column] = Cell() }
    }
  }

  private mutating func insert(_ count: Int) {
    cells[row].insert(contentsOf: Array(repeating: Cell(), count: count), at: column)
    cells[row].removeLast(count)
  }

  private mutating func delete(_ count: Int) {
    let count = min(count, columns - column)
    cells[row].removeSubrange(column..<(column + count))
    cells[row] += Array(repeating: Cell(), count: count)
  }
}
