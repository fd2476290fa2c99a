internal import CTenonLibEdit

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Paints the line that libedit shows once more, in colour, with a suggestion behind it.
///
/// libedit knows no colours. Once it has shown the line, the same characters are written over it, at
/// the places where libedit has put them, and the cursor is set back: so libedit's knowledge of the
/// screen stays true. What it does not know, the suggestion, is erased before it shows anything
/// again.
struct LinePainter {
  /// The painter for the window of the terminal.
  static var ofWindow: LinePainter {
    var size = winsize()
    let isKnown = unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return LinePainter(
      columns: isKnown ? Int(size.ws_col) : 80, rows: isKnown ? Int(size.ws_row) : 24)
  }

  /// The size of the window in cells.
  let columns: Int
  let rows: Int

  /// The least columns of a window in which there is a point in colours.
  private static let leastColumns = 12
  private static let escape = "\u{1B}["

  /// A place on the screen, counted from where the prompt begins.
  private struct Cell {
    var row = 0
    var column = 0
  }

  /// Paints a text.
  ///
  /// - Parameters:
  ///   - prompt: What stands before the text, without control characters.
  ///   - scalars: The text.
  ///   - styles: A style for each of its characters.
  ///   - cursor: How many characters stand before the cursor.
  ///   - suggestion: What the text may go on with.
  /// - Returns: What to write, and whether a suggestion is on the screen then; nil when the text is larger
  ///   than the window, or has characters that libedit takes for wider than they are.
  /// - Complexity: O(*n*) in the characters.
  func paint(
    prompt: String, _ scalars: [Unicode.Scalar], _ styles: [TextStyle], cursor: Int,
    suggestion: String
  ) -> (text: String, showsSuggestion: Bool)? {
    guard columns >= LinePainter.leastColumns, scalars.count < columns * rows else { return nil }
    var cell = Cell(row: 0, column: prompt.unicodeScalars.count)
    var cursorRow = 0
    var painted = TextStyle.plain
    var body = "\u{1B}[0;1;32m" + prompt + "\u{1B}[0m"
    for (index, scalar) in scalars.enumerated() {
      if index == cursor { cursorRow = cell.row }
      if scalar == "\n" {
        body += "\u{1B}[K\r\n"
        cell = Cell(row: cell.row + 1)
        continue
      }
      guard let width = LinePainter.width(scalar, at: cell.column) else { return nil }
      if cell.column + width > columns { breakRow(&cell, &body) }
      if styles[index] != painted {
        painted = styles[index]
        body += LinePainter.escape + painted.parameters + "m"
      }
      body += LinePainter.shown(scalar, width: width)
      cell.column += width
      if cell.column >= columns { breakRow(&cell, &body) }
    }
    if cursor == scalars.count { cursorRow = cell.row }
    guard cell.row < rows else { return nil }
    body += "\u{1B}[0m\u{1B}[K"
    let room = columns - cell.column - 1
    let shown = cursor == scalars.count ? LinePainter.cut(suggestion, to: room) : ""
    if !shown.isEmpty { body += "\u{1B}[90m" + shown + "\u{1B}[0m" }
    let up = cursorRow > 0 ? LinePainter.escape + "\(cursorRow)A" : ""
    return ("\u{1B}7\r" + up + body + "\u{1B}8", !shown.isEmpty)
  }

  /// Paints the part around the cursor of a text that is higher than the window.
  ///
  /// libedit shows the end of such a text alone, wherever the cursor is. So the window is painted over as a
  /// whole. The place where libedit believes the cursor is saved by the terminal; `restored` leads back there.
  ///
  /// - Parameters:
  ///   - prompt: What stands before the text, without control characters.
  ///   - scalars: The text.
  ///   - styles: A style for each of its characters; none for a text without colours.
  ///   - cursor: How many characters stand before the cursor.
  ///   - top: The first row that is shown; changed as far as the cursor asks for it.
  ///   - notes: Lines that are shown at the bottom.
  /// - Returns: What to write; nil when the text fits into the window.
  /// - Complexity: O(*n*) in the characters.
  func paintPart(
    prompt: String, _ scalars: [Unicode.Scalar], _ styles: [TextStyle], cursor: Int, top: inout Int,
    notes: [String]
  ) -> String? {
    guard columns >= LinePainter.leastColumns, rows > 1 else { return nil }
    var lines = [LinePainter.escape + styles.promptParameters + "m" + prompt + LinePainter.plain]
    var column = prompt.unicodeScalars.count
    var place = Cell()
    var painted = TextStyle.plain
    func beginLine() {
      lines[lines.count - 1] += LinePainter.plain
      lines.append("")
      painted = .plain
      column = 0
    }
    for (index, scalar) in scalars.enumerated() {
      if index == cursor { place = Cell(row: lines.count - 1, column: column) }
      if scalar == "\n" {
        beginLine()
        continue
      }
      let width = LinePainter.width(scalar, at: column) ?? 1
      if column + width > columns { beginLine() }
      if styles.style(at: index) != painted {
        painted = styles.style(at: index)
        lines[lines.count - 1] += LinePainter.escape + painted.parameters + "m"
      }
      lines[lines.count - 1] += LinePainter.shown(scalar, width: width)
      column += width
      if column >= columns { beginLine() }
    }
    if cursor == scalars.count { place = Cell(row: lines.count - 1, column: column) }
    guard lines.count > rows else { return nil }
    let notes = notes.prefix(rows / 2)
    let height = rows - notes.count
    top = max(0, min(max(top, place.row - height + 1), place.row, lines.count - height))
    let shown = lines[top..<(top + height)].map { $0 + LinePainter.plain } + notes
    return "\u{1B}7\u{1B}[H" + shown.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
      + LinePainter.escape + "\(place.row - top + 1);\(place.column + 1)H"
  }

  /// What leads from a part that was painted back to where libedit believes the cursor.
  static let restored = "\u{1B}8"
  private static let plain = "\u{1B}[0m"

  /// The row of the cursor, counted from that of the prompt.
  func row(of cursor: Int, in scalars: [Unicode.Scalar], behind prompt: String) -> Int {
    var cell = Cell(row: 0, column: prompt.unicodeScalars.count)
    var ignored = ""
    for scalar in scalars.prefix(cursor) {
      if scalar == "\n" {
        cell = Cell(row: cell.row + 1)
        continue
      }
      let width = LinePainter.width(scalar, at: cell.column) ?? 1
      if cell.column + width > columns { breakRow(&cell, &ignored) }
      cell.column += width
      if cell.column >= columns { breakRow(&cell, &ignored) }
    }
    return min(cell.row, max(rows - 1, 0))
  }

  private func breakRow(_ cell: inout Cell, _ body: inout String) {
    // Not by the terminal's own wrapping, of which there are two kinds.
    body += "\r\n"
    cell = Cell(row: cell.row + 1)
  }

  /// How many cells libedit gives a character; nil when the terminal gives it another number.
  private static func width(_ scalar: Unicode.Scalar, at column: Int) -> Int? {
    if scalar == "\t" { return 8 - column % 8 }
    if scalar.value < 0x20 || scalar.value == 0x7F { return 2 }
    if scalar.value < 0x7F { return 1 }
    let width = Int(tenon_cell_width(wchar_t(bitPattern: scalar.value)))
    return width > 0 ? width : nil
  }

  private static func shown(_ scalar: Unicode.Scalar, width: Int) -> String {
    if scalar == "\t" { return String(repeating: " ", count: width) }
    if scalar.value == 0x7F { return "^?" }
    if scalar.value < 0x20 { return "^" + String(Unicode.Scalar(UInt8(scalar.value) + 0x40)) }
    return String(scalar)
  }

  /// The part of a suggestion that a row has room for: of its first line, without wide characters.
  private static func cut(_ suggestion: String, to room: Int) -> String {
    var text = String.UnicodeScalarView()
    for scalar in suggestion.unicodeScalars.prefix(max(room, 0)) {
      guard scalar.value >= 0x20, tenon_cell_width(wchar_t(bitPattern: scalar.value)) == 1 else {
        break
      }
      text.append(scalar)
    }
    return String(text)
  }
}

extension [TextStyle] {
  /// The style of a character; texts without colours have none.
  fileprivate func style(at index: Int) -> TextStyle { index < count ? self[index] : .plain }
  fileprivate var promptParameters: String { isEmpty ? "0" : "0;1;32" }
}
