extension Diagnostic {
  /// Returns the message as people read it: `file.st:10:3: error: message`, the line, a caret
  /// under the place, and the same for each note.
  ///
  /// - Complexity: O(*n*) in the bytes before the place; the line costs no more than what is shown.
  public func rendered(in source: SourceText) -> String {
    let parts =
      [source.excerpt("\(severity.rawValue): \(message)", range)]
      + notes.map { source.excerpt("note: \($0.message)", $0.range) }
    return parts.joined(separator: "\n")
  }
}

extension SourceText {
  /// How many characters of a line are shown at most.
  private static let excerptWidth = 100
  /// How many characters are shown before the place in a line that is longer.
  private static let excerptLead = 50

  /// Returns a headline with its place, the line the place is in, and a caret under the place.
  public func excerpt(_ headline: String, _ range: SourceRange) -> String {
    let start = Swift.max(0, Swift.min(Int(range.start), bytes.count))
    let location = location(of: Int32(clamping: start))
    let window = window(around: start)
    let end = Swift.max(start, Swift.min(Int(range.end), window.end))
    let before = shown(window.start, start)
    let marked = shown(start, end)
    let after = shown(end, window.end)
    let lead = window.cutsStart ? "..." : ""
    let tail = window.cutsEnd ? "..." : ""
    let tildes = String(repeating: "~", count: Swift.max(0, marked.columns - 1))
    return """
      \(name):\(location.line):\(location.column): \(headline)
      \(lead)\(before.text)\(marked.text)\(after.text)\(tail)
      \(lead.isEmpty ? "" : "   ")\(before.blanks)^\(tildes)
      """
  }

  /// The part of a line that is shown.
  private struct Window {
    var start: Int
    var end: Int
    var cutsStart: Bool
    var cutsEnd: Bool
  }

  /// Returns the line around an offset, cut to what is shown.
  private func window(around offset: Int) -> Window {
    var start = offset
    var lead = 0
    while start > 0, !isLineBreak(bytes[start - 1]), lead < Self.excerptWidth {
      start -= 1
      if bytes[start] & 0xC0 != 0x80 { lead += 1 }
    }
    let room = Self.excerptWidth - Swift.min(lead, Self.excerptLead)
    var end = offset
    var tail = 0
    while end < bytes.count, !isLineBreak(bytes[end]) {
      if bytes[end] & 0xC0 != 0x80 {
        guard tail < room else { break }
        tail += 1
      }
      end += 1
    }
    let cutsEnd = end < bytes.count && !isLineBreak(bytes[end])
    let isShort = start == 0 || isLineBreak(bytes[start - 1])
    if isShort, lead + tail <= Self.excerptWidth {
      return Window(start: start, end: end, cutsStart: false, cutsEnd: cutsEnd)
    }
    while lead > Self.excerptLead, start < offset {
      start += 1
      while start < offset, bytes[start] & 0xC0 == 0x80 { start += 1 }
      lead -= 1
    }
    let cutsStart = start > 0 && !isLineBreak(bytes[start - 1])
    return Window(start: start, end: end, cutsStart: cutsStart, cutsEnd: cutsEnd)
  }

  private func isLineBreak(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// Text as it is shown, how many columns it takes, and blanks of the same width.
  private struct Shown {
    var text = ""
    var blanks = ""
    var columns = 0
  }

  /// Returns bytes as they are shown.
  ///
  /// Characters that would move the terminal's cursor, and bytes that are not UTF-8, are shown as
  /// U+FFFD. A tab stays a tab in the blanks, so that what stands below stands right whatever the
  /// terminal makes of it.
  private func shown(_ start: Int, _ end: Int) -> Shown {
    var shown = Shown()
    for scalar in String(decoding: bytes[start..<end], as: UTF8.self).unicodeScalars {
      if scalar == "\t" {
        shown.text.append("\t")
        shown.blanks.append("\t")
        shown.columns += 1
        continue
      }
      let visible = scalar.isHarmless ? scalar : "\u{FFFD}"
      shown.text.unicodeScalars.append(visible)
      shown.blanks += String(repeating: " ", count: visible.columns)
      shown.columns += visible.columns
    }
    return shown
  }
}

extension Unicode.Scalar {
  /// Whether showing it moves nothing but the cursor, and that forward.
  fileprivate var isHarmless: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    case .format: self == "\u{200D}" || self == "\u{200C}" || self == "\u{AD}"
    default: true
    }
  }

  /// How many columns a terminal gives it: the usual guess, as nothing in the standard library
  /// knows East Asian widths.
  fileprivate var columns: Int {
    switch value {
    case 0..<0x300: return 1
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      return 2
    default: break
    }
    return switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: 0
    default: 1
    }
  }
}
