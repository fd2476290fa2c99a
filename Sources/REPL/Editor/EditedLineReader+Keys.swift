internal import CTenonLibEdit
internal import TenonRuntime

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The keys that send several characters, and events that libedit shall take for keys: a private
/// character each.
enum EditorKey: UInt8 {
  case up = 0x80
  case down
  case left
  case right
  case wordLeft
  case wordRight
  case home
  case end
  case delete
  /// A line break even when the text is complete.
  case lineBreak
  /// What was pasted is there.
  case paste
  /// The text is given up.
  case giveUp

  /// The key whose sequence begins with `ESC [`; nil for one that is left to libedit.
  init?(sequence: [UInt8]) {
    switch String(decoding: sequence, as: UTF8.self) {
    case "A", "1;2A", "1;5A": self = .up
    case "B", "1;2B", "1;5B": self = .down
    case "C", "1;2C": self = .right
    case "D", "1;2D": self = .left
    case "H", "1~", "7~": self = .home
    case "F", "4~", "8~": self = .end
    case "3~": self = .delete
    case "1;5C", "1;3C", "5C": self = .wordRight
    case "1;5D", "1;3D", "5D": self = .wordLeft
    default: return nil
    }
  }
}

extension EditedLineReader {
  private static let escape: Unicode.Scalar = "\u{1B}"
  /// How long the rest of a key's sequence may take, in milliseconds.
  private static let patience: Int32 = 40
  /// The longest sequence of a key.
  private static let longestSequence = 16

  /// Gives libedit its next character: 1 when there is one, 0 at the end, -1 when the text is given
  /// up.
  func readCharacter(into place: UnsafeMutablePointer<wchar_t>?) -> Int32 {
    do throws(ConsoleError) {
      if readAhead.first?.value == UInt32(TENON_END_KEY) {
        // As it stays on the screen; what is written behind its end begins a line.
        paint(isEditing: false)
        marksPastes = false
      } else if readAhead.isEmpty, !console.hasInput {
        paint()
      }
      let scalar = try nextScalar()
      eraseSuggestion()
      guard let scalar = scalar ?? endOfText else { return Interrupts.isRequested ? -1 : 0 }
      unsafe place?.pointee = wchar_t(bitPattern: scalar.value)
      return 1
    } catch {
      return 0
    }
  }

  /// What makes libedit leave a text that is given up: the cursor goes to its end first.
  private var endOfText: Unicode.Scalar? {
    guard Interrupts.isRequested, !isGivenUp else { return nil }
    isGivenUp = true
    return Unicode.Scalar(EditorKey.giveUp.rawValue)
  }

  /// The next character; nil at the end of the input and after Ctrl-C.
  private func nextScalar() throws(ConsoleError) -> Unicode.Scalar? {
    while !Interrupts.isRequested, background.exitStatus == nil {
      if !readAhead.isEmpty { return readAhead.removeFirst() }
      switch try nextByte() {
      case .byte(0x1B):
        if let key = try readSequence() { return key }
      case .byte(let byte):
        let scalar = byte < 0x80 ? Unicode.Scalar(byte) : try scalar(after: byte)
        // libedit takes these for keys.
        return (0x80...0x9F).contains(scalar.value) ? "\u{FFFD}" : scalar
      case .end: return nil
      case .disturbed: followTerminal()
      }
    }
    return nil
  }

  private func nextByte() throws(ConsoleError) -> TerminalConsole.NextByte {
    try console.nextByte { Interrupts.isRequested || Interrupts.hasTerminalEvents }
  }

  /// The next byte of a key's sequence; nil when it does not come at once.
  private func nextByteOfSequence() throws(ConsoleError) -> UInt8? {
    guard console.hasInput(within: EditedLineReader.patience) else { return nil }
    guard case .byte(let byte) = try nextByte() else { return nil }
    return byte
  }

  /// Reads what follows an escape.
  ///
  /// - Returns: What libedit is to get; nil when that is nothing.
  private func readSequence() throws(ConsoleError) -> Unicode.Scalar? {
    guard let first = try nextByteOfSequence() else { return EditedLineReader.escape }
    switch first {
    case UInt8(ascii: "\n"):
      return Unicode.Scalar(EditorKey.lineBreak.rawValue)
    case UInt8(ascii: "["), UInt8(ascii: "O"):
      var sequence: [UInt8] = []
      while sequence.count < EditedLineReader.longestSequence, let byte = try nextByteOfSequence() {
        sequence.append(byte)
        if (0x40...0x7E).contains(byte) { break }
      }
      if sequence == Array("200~".utf8) { return try readPaste() }
      // A key that nothing is known of does nothing.
      return EditorKey(sequence: sequence).map { Unicode.Scalar($0.rawValue) }
    default:
      console.putBack()
      return EditedLineReader.escape
    }
  }

  /// Reads pasted text up to the mark behind it, in which nothing is a key.
  private func readPaste() throws(ConsoleError) -> Unicode.Scalar? {
    let mark = Array("\u{1B}[201~".utf8)
    var bytes: [UInt8] = []
    while !bytes.hasSuffix(mark) {
      switch try nextByte() {
      case .byte(let byte): bytes.append(byte)
      case .disturbed:
        if Interrupts.isRequested { return nil }
        followTerminal()
      case .end: return nil
      }
    }
    pasted = String(decoding: bytes.dropLast(mark.count), as: UTF8.self).unicodeScalars
      .filter { $0 != "\0" }
    return Unicode.Scalar(EditorKey.paste.rawValue)
  }

  /// The character that a byte begins; U+FFFD when it begins none.
  private func scalar(after first: UInt8) throws(ConsoleError) -> Unicode.Scalar {
    let length =
      switch first {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    var bytes = [first]
    while bytes.count < length {
      let next = try nextByte()
      if next == .disturbed, !Interrupts.isRequested, background.exitStatus == nil {
        followTerminal()
        continue
      }
      guard case .byte(let byte) = next else { return "\u{FFFD}" }
      guard byte & 0xC0 == 0x80 else {
        console.putBack()
        return "\u{FFFD}"
      }
      bytes.append(byte)
    }
    return String(validating: bytes, as: UTF8.self)?.unicodeScalars.first ?? "\u{FFFD}"
  }

  /// Does what the terminal's signals ask for.
  private func followTerminal() {
    let events = Interrupts.takeTerminalEvents()
    if events.isEmpty { return }
    eraseSuggestion()
    if events.contains(.suspended) {
      unsafe tenon_editor_prepare(editor, false)
      marksPastes = false
      Interrupts.suspend()
      marksPastes = true
    }
    if !events.isDisjoint(with: [.suspended, .continued]) {
      // Whoever ran in between may have left the terminal in any state.
      unsafe tenon_editor_prepare(editor, false)
      unsafe tenon_editor_prepare(editor, true)
    } else {
      eraseText()
    }
    unsafe tenon_editor_refresh(editor, true)
    paint()
  }
}

extension [UInt8] {
  /// Whether the bytes end with others.
  fileprivate func hasSuffix(_ other: [UInt8]) -> Bool {
    count >= other.count && last == other.last && suffix(other.count).elementsEqual(other)
  }
}
