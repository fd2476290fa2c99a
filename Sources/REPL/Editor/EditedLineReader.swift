internal import CTenonLibEdit
internal import TenonRuntime

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Reads lines with libedit: editing, history, completion.
///
/// The reader feeds libedit its characters itself. So the bytes that the terminal has sent ahead
/// stay with the console, for a program that reads them, and signals are dealt with here: libedit's
/// own handlers would send them on to the whole process group.
@safe
final class EditedLineReader: LineReader {
  private let console: TerminalConsole
  private let completion: Completion
  private let background: Background
  private var history = History()
  private let editor: UnsafeMutablePointer<tenon_editor>
  /// The prompt as libedit wants it, ended by a 0.
  private let prompt: UnsafeMutableBufferPointer<wchar_t>
  /// What was typed before the line that is read, and belongs to the same text.
  private var textBefore: [UInt8] = []
  /// Whether what comes is pasted text, which the terminal tells.
  private var isPasting = false
  /// What was read and not given to libedit yet.
  private var readAhead: [Unicode.Scalar] = []

  /// The one that reads from the terminal, of which the process has but one: libedit's callbacks
  /// are given nothing that leads here.
  private nonisolated(unsafe) static var current: EditedLineReader?

  /// Opens an editor on the terminal; nil when there is no libedit or it cannot work with it.
  init?(_ console: TerminalConsole, completion: Completion, background: Background) {
    self.console = console
    self.completion = completion
    self.background = background
    unsafe editor = .allocate(capacity: 1)
    unsafe editor.initialize(to: tenon_editor())
    unsafe prompt = .allocate(capacity: 16)
    unsafe prompt.initialize(repeating: 0)
    EditedLineReader.useUTF8()
    unsafe EditedLineReader.current = self
    let hooks = unsafe tenon_editor_hooks(
      prompt: { _ in unsafe EditedLineReader.current?.prompt.baseAddress },
      read: { _, place in unsafe EditedLineReader.current?.readCharacter(into: place) ?? -1 },
      complete: { _, _ in unsafe EditedLineReader.current?.complete() ?? UInt8(CC_ERROR) })
    guard unsafe tenon_editor_open(editor, "tenon", Int32(History.limit), hooks) else { return nil }
    for entry in history.load() { enter(entry) }
  }

  /// What is typed is UTF-8 whatever the environment says; libedit asks the locale how to show it.
  private static func useUTF8() {
    unsafe setlocale(LC_CTYPE, "")
    let encoding = unsafe nl_langinfo(nl_item(CODESET)).map { unsafe String(cString: $0) }
    if encoding != "UTF-8" { unsafe setlocale(LC_CTYPE, "C.UTF-8") }
  }

  // MARK: Lines

  func readLine(prompt text: Prompt, after before: [UInt8]) -> ReadLine {
    textBefore = before
    Interrupts.begin()
    Interrupts.watchTerminal(true)
    console.isEditing = true
    console.background = background
    background.willRun = { [unowned self] in beginBackground() }
    background.didRun = { [unowned self] in endBackground() }
    defer {
      console.background = nil
      console.isEditing = false
      Interrupts.watchTerminal(false)
    }
    setPrompt(text)
    // Before the prompt is shown: what people type then has to be meant for the editor.
    unsafe tenon_editor_prepare(editor, true)
    marksPastes = true
    defer { marksPastes = false }
    var count: Int32 = 0
    let line = unsafe tenon_editor_read(editor, &count)
    if let line = unsafe line, !Interrupts.isRequested {
      return unsafe .line(bytes(of: UnsafeBufferPointer(start: line, count: Int(count))))
    }
    if Interrupts.ending != nil || !Interrupts.isRequested { return .end }
    console.dropInput()
    readAhead = []
    isPasting = false
    marksPastes = false
    show("^C\n")
    return .interrupted
  }

  private func setPrompt(_ text: Prompt) {
    var index = 0
    for scalar in text.rawValue.unicodeScalars where unsafe index < prompt.count - 1 {
      unsafe prompt[index] = wchar_t(bitPattern: scalar.value)
      index += 1
    }
    unsafe prompt[index] = 0
  }

  /// Returns characters of libedit in UTF-8, without the end of the line.
  private func bytes(of characters: UnsafeBufferPointer<wchar_t>) -> [UInt8] {
    var text = String.UnicodeScalarView()
    for index in characters.indices {
      let scalar = Unicode.Scalar(UInt32(bitPattern: unsafe characters[index])) ?? "\u{FFFD}"
      if scalar != "\n" { text.append(scalar) }
    }
    return Array(String(text).utf8)
  }

  private func show(_ text: String) {
    do throws(ConsoleError) {
      try console.write(text)
      try console.flush()
    } catch {
      // The next line that is read finds out that the terminal is gone.
      return
    }
  }

  // MARK: History

  func remember(_ text: [UInt8]) {
    let entry = String(decoding: text, as: UTF8.self)
    enter(entry)
    if let warning = history.append(entry) { console.tell("warning: \(warning)") }
  }

  private func enter(_ entry: String) {
    let characters = entry.unicodeScalars.map { wchar_t(bitPattern: $0.value) } + [0]
    unsafe characters.withUnsafeBufferPointer {
      guard let start = $0.baseAddress else { return }
      unsafe tenon_editor_remember(editor, start)
    }
  }

  // MARK: Characters

  private func readCharacter(into place: UnsafeMutablePointer<wchar_t>?) -> Int32 {
    do throws(ConsoleError) {
      guard let scalar = try nextScalar() else { return Interrupts.isRequested ? -1 : 0 }
      unsafe place?.pointee = wchar_t(bitPattern: scalar.value)
      return 1
    } catch {
      return 0
    }
  }

  /// The next character; nil at the end of the input and after Ctrl-C.
  private func nextScalar() throws(ConsoleError) -> Unicode.Scalar? {
    while !Interrupts.isRequested, background.exitStatus == nil {
      if !readAhead.isEmpty { return readAhead.removeFirst() }
      switch try nextByte() {
      case .byte(EditedLineReader.escape): try readSequence()
      case .byte(let byte):
        return meant(byte < 0x80 ? Unicode.Scalar(byte) : try scalar(after: byte))
      case .end: return nil
      case .disturbed: followTerminal()
      }
    }
    return nil
  }

  // MARK: Pasted text

  private static let escape: UInt8 = 0x1B
  /// What libedit takes the next character for itself behind.
  private static let quote: Unicode.Scalar = "\u{16}"

  /// Whether the terminal is asked to tell what is pasted: while a line is edited.
  private var marksPastes = false {
    didSet {
      if marksPastes != oldValue { console.control("\u{1B}[?2004\(marksPastes ? "h" : "l")") }
    }
  }

  /// Reads what follows an escape: the mark where pasted text begins or ends, or what is a key's.
  private func readSequence() throws(ConsoleError) {
    let mark = Array((isPasting ? "[201~" : "[200~").utf8)
    var count = 0
    while count < mark.count, !Interrupts.isRequested, background.exitStatus == nil {
      let next = try nextByte()
      if next == .disturbed {
        followTerminal()
        continue
      }
      guard next == .byte(mark[count]) else {
        if case .byte = next { console.putBack() }
        break
      }
      count += 1
    }
    if count == mark.count {
      isPasting.toggle()
    } else {
      if isPasting { readAhead.append(EditedLineReader.quote) }
      readAhead.append(Unicode.Scalar(EditedLineReader.escape))
      readAhead += mark[..<count].map { Unicode.Scalar($0) }
    }
  }

  /// What libedit is given for a character: nothing that is pasted is a command, but for the end of
  /// a line.
  private func meant(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    // Before the line ends: what it shows comes behind.
    if scalar == "\n" { marksPastes = false }
    guard isPasting, scalar != "\n", scalar.value < 0x20 || scalar.value == 0x7F else {
      return scalar
    }
    readAhead.append(scalar)
    return EditedLineReader.quote
  }

  private func nextByte() throws(ConsoleError) -> TerminalConsole.NextByte {
    try console.nextByte { Interrupts.isRequested || Interrupts.hasTerminalEvents }
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
    }
    unsafe tenon_editor_refresh(editor, true)
  }

  // MARK: Background

  /// Lets what the program writes take the place of the line, if it writes anything.
  private func beginBackground() {
    console.willWrite = { [unowned self] in
      unsafe tenon_editor_prepare(editor, false)
      console.isEditing = false
      // To the start of the line, and clear what follows.
      show("\r\u{1B}[J")
    }
  }

  /// Shows the line again below what was written.
  private func endBackground() {
    defer { console.willWrite = nil }
    guard console.willWrite == nil else { return }
    if !console.isAtLineStart { show("\n") }
    console.isEditing = true
    unsafe tenon_editor_prepare(editor, true)
    unsafe tenon_editor_refresh(editor, false)
  }

  // MARK: Completion

  /// Completes the name before the cursor as far as it is certain, or shows what it could be.
  private func complete() -> UInt8 {
    var count = 0
    let text = unsafe tenon_editor_text(editor, &count)
    let typed = unsafe bytes(of: UnsafeBufferPointer(start: text, count: count))
    let before = textBefore.isEmpty ? [] : textBefore + [UInt8(ascii: "\n")]
    if Completion.isText(before + typed) { return insert("\t") }
    let found = completion.complete(String(decoding: typed, as: UTF8.self))
    if !found.insertion.isEmpty { return insert(found.insertion) }
    guard found.candidates.count > 1 else { return UInt8(CC_ERROR) }
    show("\n" + found.candidates.joined(separator: "  ") + "\n")
    return UInt8(CC_REDISPLAY)
  }

  /// Puts a text before the cursor.
  private func insert(_ text: String) -> UInt8 {
    let characters = text.unicodeScalars.map { wchar_t(bitPattern: $0.value) } + [0]
    let isInserted = unsafe characters.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe tenon_editor_insert(editor, start)
    }
    return UInt8(isInserted ? CC_REFRESH : CC_ERROR)
  }
}
