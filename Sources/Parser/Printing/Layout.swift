/// Text with places where a line may be broken, laid out once all of it is known.
///
/// A group that fits on what is left of its line stays on it; one that does not breaks at each of
/// its own places, while the groups in it are decided for themselves.
///
/// Algorithm: D. C. Oppen, "Prettyprinting", TOPLAS 2(4), 1980, with the widths of groups
/// summed up beforehand instead of in a ring buffer, as the text is in memory anyway.
struct Layout {
  private enum Piece {
    case text(String)
    /// A blank, or a line break in a group that does not fit.
    case line
    /// A line break.
    case hardLine
    case open
    case close
    case indent(Int)
  }

  private var pieces: [Piece] = []

  mutating func text(_ text: String) { pieces.append(.text(text)) }
  mutating func line() { pieces.append(.line) }
  mutating func hardLine() { pieces.append(.hardLine) }

  /// Opens a group that `close` ends.
  mutating func open() { pieces.append(.open) }
  /// Ends the group opened last.
  mutating func close() { pieces.append(.close) }
  /// Moves the lines that follow.
  mutating func indent(_ width: Int) { pieces.append(.indent(width)) }

  /// Returns the text in lines of `width` characters where that is possible.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  func rendered(width: Int) -> String {
    var rendering = Rendering(widths: groupWidths(), limit: width)
    for (index, piece) in pieces.enumerated() {
      switch piece {
      case .text(let text): rendering.append(text)
      case .line: rendering.line()
      case .hardLine: rendering.breakLine()
      case .open: rendering.open(index)
      case .close: rendering.close()
      case .indent(let width): rendering.indentation += width
      }
    }
    return rendering.text
  }

  /// Returns how wide each group is on one line, by the index of its opening piece.
  private func groupWidths() -> [Int: Int] {
    var widths: [Int: Int] = [:]
    var open: [(index: Int, start: Int)] = []
    var total = 0
    for (index, piece) in pieces.enumerated() {
      switch piece {
      case .text(let text): total += text.utf8.count
      case .line: total += 1
      case .hardLine: total += Self.tooWide
      case .open: open.append((index, total))
      case .close:
        guard let group = open.popLast() else { continue }
        widths[group.index] = total - group.start
      case .indent: break
      }
    }
    return widths
  }

  /// A width that no line has.
  private static let tooWide = 1 << 20
}

/// The state of laying out.
private struct Rendering {
  let widths: [Int: Int]
  let limit: Int
  var text = ""
  var indentation = 0
  private var column = 0
  private var isBroken = [true]

  init(widths: [Int: Int], limit: Int) {
    self.widths = widths
    self.limit = limit
  }

  mutating func append(_ piece: String) {
    text += piece
    column += piece.utf8.count
  }

  mutating func open(_ index: Int) {
    isBroken.append(column + widths[index, default: 0] > limit)
  }

  mutating func close() {
    if isBroken.count > 1 { isBroken.removeLast() }
  }

  mutating func line() {
    guard isBroken[isBroken.count - 1] else { return append(" ") }
    breakLine()
  }

  mutating func breakLine() {
    text += "\n" + String(repeating: " ", count: Swift.max(0, indentation))
    column = indentation
  }
}
