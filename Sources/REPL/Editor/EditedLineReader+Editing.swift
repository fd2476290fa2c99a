internal import CTenonLibEdit
internal import TenonRuntime

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A text that is edited, and where its cursor stands.
struct EditedText {
  let scalars: [Unicode.Scalar]
  /// How many characters stand before the cursor.
  let cursor: Int

  var text: String { String(String.UnicodeScalarView(scalars)) }
  var before: String { String(String.UnicodeScalarView(scalars[..<cursor])) }
  var isAtEnd: Bool { cursor == scalars.count }
  /// The characters of the cursor's line before the cursor.
  var lineBefore: ArraySlice<Unicode.Scalar> {
    let start = scalars[..<cursor].lastIndex(of: "\n").map { $0 + 1 } ?? 0
    return scalars[start..<cursor]
  }
  /// The characters of the cursor's line behind the cursor.
  var lineAfter: ArraySlice<Unicode.Scalar> {
    scalars[cursor...].prefix { $0 != "\n" }
  }
  /// How many characters the letter before the cursor has, 0 at the start.
  var lengthBefore: Int {
    // A letter is short; what stands far before it does not matter.
    let near = String(String.UnicodeScalarView(scalars[max(0, cursor - 64)..<cursor]))
    return near.last?.unicodeScalars.count ?? 0
  }
  /// How many characters the letter behind the cursor has, 0 at the end.
  var lengthAfter: Int {
    let near = String(String.UnicodeScalarView(scalars[cursor...].prefix(64)))
    return near.first?.unicodeScalars.count ?? 0
  }
}

// MARK: - Keys

extension EditedLineReader {
  /// How many blanks a level of brackets is indented by.
  private static let indentation = 2
  private static let refresh = UInt8(CC_REFRESH)
  private static let refusal = UInt8(CC_ERROR)

  /// The text as libedit has it.
  var edited: EditedText {
    var count = 0
    var cursor = 0
    let start = unsafe tenon_editor_text(editor, &count, &cursor)
    var scalars: [Unicode.Scalar] = []
    scalars.reserveCapacity(count)
    for index in 0..<count {
      guard let start = unsafe start else { break }
      scalars.append(EditedLineReader.scalar(unsafe start[index]))
    }
    return EditedText(scalars: scalars, cursor: min(cursor, scalars.count))
  }

  /// Does what a key asks for.
  ///
  /// - Returns: What libedit shall do then.
  func follow(_ key: Int32) -> UInt8 {
    let text = edited
    switch key {
    case 9: return complete(text)
    case 1: return move(-text.lineBefore.count)
    case 5: return text.isAtEnd ? right(text) : move(text.lineAfter.count)
    case 14: return down(text)
    case 16: return up(text)
    case 4: return endOfInput(text)
    case 8, 127: return delete(before: text)
    case 11: return killRest(of: text)
    case 21: return killLine(of: text)
    case 23: return killWord(before: text)
    case 25: return insert(killed)
    case 10, 13: return enter(text)
    case 40...126: return close(text, with: Unicode.Scalar(UInt8(key)))
    default: break
    }
    switch EditorKey(rawValue: UInt8(truncatingIfNeeded: key)) {
    case .up: return up(text)
    case .down: return down(text)
    case .left: return move(-text.lengthBefore)
    case .right: return right(text)
    case .wordLeft:
      return move(-EditedLineReader.wordLength(text.scalars[..<text.cursor].reversed()))
    case .wordRight: return move(EditedLineReader.wordLength(Array(text.scalars[text.cursor...])))
    case .home: return move(-text.lineBefore.count)
    case .end: return text.isAtEnd ? right(text) : move(text.lineAfter.count)
    case .delete: return delete(after: text)
    case .lineBreak: return breakLine(text)
    case .paste:
      defer { pasted = [] }
      return insert(pasted)
    case .giveUp: return move(text.scalars.count - text.cursor)
    case nil: return EditedLineReader.refusal
    }
  }

  private func move(_ count: Int) -> UInt8 {
    if count != 0 { unsafe tenon_editor_move(editor, Int32(clamping: count)) }
    return EditedLineReader.refresh
  }

  private static func wordLength(_ scalars: [Unicode.Scalar]) -> Int {
    let isInWord = { (scalar: Unicode.Scalar) in
      scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
    let gap = scalars.prefix { !isInWord($0) }.count
    return gap + scalars[gap...].prefix(while: isInWord).count
  }

  /// Puts characters before the cursor.
  func insert(_ scalars: [Unicode.Scalar]) -> UInt8 {
    let characters = scalars.map { wchar_t(bitPattern: $0.value) } + [0]
    let isInserted = unsafe characters.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress, buffer.count > 1 else { return true }
      return unsafe tenon_editor_insert(editor, start)
    }
    return isInserted ? EditedLineReader.refresh : EditedLineReader.refusal
  }

  private func insert(_ text: String) -> UInt8 { insert(Array(text.unicodeScalars)) }

  private func delete(before text: EditedText) -> UInt8 {
    guard text.cursor > 0 else { return EditedLineReader.refusal }
    unsafe tenon_editor_delete(editor, Int32(clamping: text.lengthBefore))
    return EditedLineReader.refresh
  }

  private func delete(after text: EditedText) -> UInt8 {
    guard !text.isAtEnd else { return EditedLineReader.refusal }
    let count = Int32(clamping: text.lengthAfter)
    unsafe tenon_editor_move(editor, count)
    unsafe tenon_editor_delete(editor, count)
    return EditedLineReader.refresh
  }

  /// Deletes what is between two places, and keeps it for Ctrl-Y.
  private func kill(_ text: EditedText, _ range: Range<Int>) -> UInt8 {
    guard !range.isEmpty else { return EditedLineReader.refusal }
    killed = Array(text.scalars[range])
    unsafe tenon_editor_move(editor, Int32(clamping: range.upperBound - text.cursor))
    unsafe tenon_editor_delete(editor, Int32(clamping: range.count))
    return EditedLineReader.refresh
  }

  /// Ctrl-K: deletes the rest of the line; the line break when there is no rest.
  private func killRest(of text: EditedText) -> UInt8 {
    let count = max(text.lineAfter.count, text.isAtEnd ? 0 : 1)
    return kill(text, text.cursor..<(text.cursor + count))
  }

  /// Ctrl-U: deletes the line; an empty one with the line break before it.
  private func killLine(of text: EditedText) -> UInt8 {
    let start = text.cursor - text.lineBefore.count
    let end = text.cursor + text.lineAfter.count
    return kill(text, (start == end ? max(0, start - 1) : start)..<end)
  }

  /// Ctrl-W: deletes back to the blank before a word.
  private func killWord(before text: EditedText) -> UInt8 {
    let before = text.scalars[..<text.cursor]
    let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\n" }
    let blanks = before.reversed().prefix(while: isBlank).count
    let word = before.dropLast(blanks).reversed().prefix { !isBlank($0) }.count
    return kill(text, (text.cursor - blanks - word)..<text.cursor)
  }

  /// Puts another text in the place of the one there is.
  private func replace(_ text: EditedText, with other: String) -> UInt8 {
    unsafe tenon_editor_move(editor, Int32(clamping: text.scalars.count - text.cursor))
    unsafe tenon_editor_delete(editor, Int32(clamping: text.scalars.count))
    return insert(other)
  }

  // MARK: Lines

  /// Ends the text when it is complete, else begins another line.
  private func enter(_ text: EditedText) -> UInt8 {
    var growing = GrowingText()
    growing.add(Array(text.text.utf8))
    var added = ""
    // What is pasted where the terminal does not mark it: large texts go past libedit, which would
    // show them anew with each line.
    while !growing.isComplete(hasMore: console.hasInput, isComplete) {
      guard growing.bytes.count >= GrowingText.smallSize, console.hasInput, let line = nextLine()
      else {
        if added.isEmpty { return breakLine(text) }
        _ = move(text.scalars.count - text.cursor)
        return insert(added + "\n")
      }
      growing.add(line)
      added += "\n" + String(decoding: line, as: UTF8.self)
    }
    _ = move(text.scalars.count - text.cursor)
    _ = insert(added)
    readAhead.append(Unicode.Scalar(UInt8(TENON_END_KEY)))
    return EditedLineReader.refresh
  }

  private func nextLine() -> [UInt8]? {
    do throws(ConsoleError) {
      return try console.readLine { Interrupts.isRequested }
    } catch {
      return nil
    }
  }

  /// Begins another line, indented by the brackets that are open.
  private func breakLine(_ text: EditedText) -> UInt8 {
    let before = Array(text.before.utf8)
    let depth = ScannedText(before, connectors: []).openBrackets.count
    let blanks = String(repeating: " ", count: min(depth, 20) * EditedLineReader.indentation)
    return insert("\n" + (console.hasInput ? "" : blanks))
  }

  /// Inserts a closing bracket, one level further out where it begins a line.
  private func close(_ text: EditedText, with bracket: Unicode.Scalar) -> UInt8 {
    let line = text.lineBefore
    if line.count >= EditedLineReader.indentation, line.count < text.cursor,
      line.allSatisfy({ $0 == " " })
    {
      unsafe tenon_editor_delete(editor, Int32(EditedLineReader.indentation))
    }
    return insert([bracket])
  }

  /// Ctrl-D: deletes a letter; the end of the input where there is no text; gives up a text whose
  /// last line is empty.
  private func endOfInput(_ text: EditedText) -> UInt8 {
    if text.scalars.isEmpty { return UInt8(CC_EOF) }
    guard text.isAtEnd else { return delete(after: text) }
    guard text.lineBefore.count < text.cursor, text.lineBefore.allSatisfy({ $0 == " " }) else {
      return EditedLineReader.refusal
    }
    isGivenUp = true
    return UInt8(CC_EOF)
  }

  // MARK: Calling back

  private func up(_ text: EditedText) -> UInt8 {
    let column = text.lineBefore.count
    let start = text.cursor - column
    if start > 0 {
      // To the line above, into the same column.
      let above = text.scalars[..<(start - 1)].lastIndex(of: "\n").map { $0 + 1 } ?? 0
      return move(min(above + column, start - 1) - text.cursor)
    }
    guard let entry = search.older(than: text.text, prefix: text.before) else {
      return EditedLineReader.refusal
    }
    return replace(text, with: entry)
  }

  private func down(_ text: EditedText) -> UInt8 {
    let end = text.cursor + text.lineAfter.count
    if end < text.scalars.count {
      let below = text.scalars[(end + 1)...].prefix { $0 != "\n" }
      return move(end + 1 + min(text.lineBefore.count, below.count) - text.cursor)
    }
    guard let entry = search.newer(than: text.text, prefix: text.before) else {
      return EditedLineReader.refusal
    }
    return replace(text, with: entry)
  }

  /// To the next letter; at the end, takes what is suggested.
  private func right(_ text: EditedText) -> UInt8 {
    guard text.isAtEnd else { return move(text.lengthAfter) }
    let suggestion = isColoured ? search.suggestion(for: text.text) : ""
    return suggestion.isEmpty ? EditedLineReader.refusal : insert(suggestion)
  }

  // MARK: Completion

  /// Completes the name before the cursor as far as it is certain, or shows what it could be.
  private func complete(_ text: EditedText) -> UInt8 {
    guard let found = completion.complete(text.before) else { return insert("\t") }
    if !found.insertion.isEmpty { return insert(found.insertion) }
    guard found.candidates.count > 1 else { return EditedLineReader.refusal }
    let list = columns(found.candidates)
    if isPart {
      notes = list.split(separator: "\n").map { String($0) }
      return EditedLineReader.refresh
    }
    show("\n\u{1B}[J" + list)
    return UInt8(CC_REDISPLAY)
  }

  /// Words in columns, as many as a window has room for.
  private func columns(_ words: [String]) -> String {
    let painter = painter
    // No more than these have room, one blank between two of them at least.
    let most = max(1, painter.rows * painter.columns / 3)
    let counts = words.prefix(most).map(\.count)
    let width = (counts.max() ?? 0) + 2
    let columns = max(1, painter.columns / width)
    let limit = max(1, (painter.rows - 4) * columns)
    let shown = min(words.count, limit)
    let height = (shown + columns - 1) / columns
    var text = ""
    for row in 0..<height {
      for index in stride(from: row, to: shown, by: height) {
        text += words[index]
        let isLast = index + height >= shown
        text += isLast ? "\n" : String(repeating: " ", count: width - counts[index])
      }
    }
    return words.count > limit ? text + "… \(words.count - limit) more\n" : text
  }
}

// MARK: - Colours

extension EditedLineReader {
  /// The largest text that is coloured, in characters.
  private static let colouredSize = 16 << 10

  private var painter: LinePainter { .ofWindow }

  /// Shows the text in colour, as libedit has shown it; while it is edited, also the brackets at the
  /// cursor and what it may go on with.
  ///
  /// Of a text higher than the window, shows the part around the cursor.
  func paint(isEditing: Bool = true) {
    let text = edited
    guard text.scalars.count <= EditedLineReader.colouredSize else { return }
    let written = text.text
    let styles = isColoured ? styles(of: text, written, isEditing) : []
    let painter = painter
    if let part = painter.paintPart(
      prompt: prompt.rawValue, text.scalars, styles, cursor: text.cursor, top: &topRow, notes: notes
    ) {
      console.control(part)
      (showsPart, isPart) = (true, true)
      return
    }
    topRow = 0
    if isPart {
      // The window shows what libedit does not know of.
      isPart = false
      console.control("\u{1B}[H\u{1B}[J")
      unsafe tenon_editor_refresh(editor, true)
    }
    guard isColoured else { return }
    let painted = painter.paint(
      prompt: prompt.rawValue, text.scalars, styles, cursor: text.cursor,
      suggestion: isEditing && text.isAtEnd ? search.suggestion(for: written) : "")
    guard let painted else { return }
    console.control(painted.text)
    showsSuggestion = painted.showsSuggestion
  }

  /// Returns the style of each character.
  private func styles(of text: EditedText, _ written: String, _ isEditing: Bool) -> [TextStyle] {
    var highlighter = Highlighter(
      ScannedText(written.utf8, connectors: completion.source.connectors))
    if isEditing { highlighter.markBrackets(at: text.before.utf8.count) }
    var styles: [TextStyle] = []
    var offset = 0
    for scalar in text.scalars {
      styles.append(highlighter.styles[offset])
      offset += UTF8.width(scalar)
    }
    return styles
  }

  /// Takes away what libedit does not know of.
  func eraseSuggestion() {
    if showsPart {
      (showsPart, notes) = (false, [])
      console.control(LinePainter.restored)
    }
    guard showsSuggestion else { return }
    showsSuggestion = false
    console.control("\u{1B}[K")
  }

  /// Takes the text and its prompt from the screen, and puts the cursor where the prompt began.
  func eraseText() {
    showsSuggestion = false
    if isPart {
      (showsPart, isPart) = (false, false)
      return show("\u{1B}[H\u{1B}[J")
    }
    let text = edited
    let row = painter.row(of: text.cursor, in: text.scalars, behind: prompt.rawValue)
    show((row > 0 ? "\u{1B}[\(row)A" : "") + "\r\u{1B}[J")
  }
}
