internal import CTenonLibEdit
internal import TenonRuntime

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Reads texts with libedit: editing, history, completion, colours.
///
/// A text of several lines is one buffer of libedit with line breaks in it: it is edited, and called
/// back, as one. The reader feeds libedit its characters itself. So the bytes that the terminal has
/// sent ahead stay with the console, for a program that reads them, signals are dealt with here
/// (libedit's own handlers would send them on to the whole process group), and a key that sends
/// several characters arrives as one private character, bound to a function of the reader.
@safe
final class EditedLineReader: LineReader {
  let console: TerminalConsole
  let completion: Completion
  let background: Background
  let editor: UnsafeMutablePointer<tenon_editor>
  /// The prompt as libedit wants it, ended by a 0.
  private let shownPrompt: UnsafeMutableBufferPointer<wchar_t>
  var prompt = Prompt.first { didSet { setPrompt(prompt) } }
  private var history = History()
  /// What was typed in this session and in earlier ones, oldest first.
  private(set) var entries: [String] = []
  /// The entries that the arrow keys look at.
  var search = HistorySearch()
  /// Whether a text is complete, while one is read.
  var isComplete: ([UInt8]) -> Bool = { _ in true }
  /// Whether the terminal is asked to tell what is pasted: while a line is edited.
  var marksPastes = false {
    didSet {
      if marksPastes != oldValue { console.control("\u{1B}[?2004\(marksPastes ? "h" : "l")") }
    }
  }
  /// What was read and not given to libedit yet.
  var readAhead: [Unicode.Scalar] = []
  /// What was pasted and is inserted next.
  var pasted: [Unicode.Scalar] = []
  /// What was deleted last in one piece.
  var killed: [Unicode.Scalar] = []
  /// Whether the text is given up, by Ctrl-C or Ctrl-D.
  var isGivenUp = false
  /// Whether the window shows something that libedit does not know of.
  var showsSuggestion = false
  /// Whether the window shows a part of a text that is higher, and whether the cursor is where libedit does not
  /// believe it for that.
  var isPart = false
  var showsPart = false
  /// The first row of such a part.
  var topRow = 0
  /// Lines below it, until the next key.
  var notes: [String] = []
  /// Whether the line is coloured.
  let isColoured: Bool

  /// The one that reads from the terminal, of which the process has but one: libedit's callbacks
  /// are given nothing that leads here.
  private nonisolated(unsafe) static var current: EditedLineReader?

  /// Opens an editor on the terminal; nil when there is no libedit or it cannot work with it.
  init?(
    _ console: TerminalConsole, completion: Completion, background: Background, isColoured: Bool
  ) {
    self.console = console
    self.completion = completion
    self.background = background
    self.isColoured = isColoured
    unsafe editor = .allocate(capacity: 1)
    unsafe editor.initialize(to: tenon_editor())
    unsafe shownPrompt = .allocate(capacity: 16)
    unsafe shownPrompt.initialize(repeating: 0)
    EditedLineReader.useUTF8()
    unsafe EditedLineReader.current = self
    let hooks = unsafe tenon_editor_hooks(
      prompt: { _ in unsafe EditedLineReader.current?.shownPrompt.baseAddress },
      read: { _, place in unsafe EditedLineReader.current?.readCharacter(into: place) ?? -1 },
      key: { _, key in unsafe EditedLineReader.current?.follow(key) ?? UInt8(CC_ERROR) })
    guard unsafe tenon_editor_open(editor, "tenon", Int32(History.limit), hooks) else { return nil }
    setPrompt(.first)
    for entry in history.load() { enter(entry) }
  }

  /// What is typed is UTF-8 whatever the environment says; libedit asks the locale how to show it.
  private static func useUTF8() {
    unsafe setlocale(LC_CTYPE, "")
    let encoding = unsafe nl_langinfo(nl_item(CODESET)).map { unsafe String(cString: $0) }
    if encoding != "UTF-8" { unsafe setlocale(LC_CTYPE, "C.UTF-8") }
  }

  // MARK: Texts

  func readText(until isComplete: @escaping ([UInt8]) -> Bool) -> ReadText {
    self.isComplete = isComplete
    isGivenUp = false
    (isPart, showsPart, topRow, notes) = (false, false, 0, [])
    search.begin(entries)
    completion.source.begin(entries)
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
    // Before the prompt is shown: what people type then has to be meant for the editor.
    unsafe tenon_editor_prepare(editor, true)
    marksPastes = true
    defer { marksPastes = false }
    var count: Int32 = 0
    let line = unsafe tenon_editor_read(editor, &count)
    if let line = unsafe line, !Interrupts.isRequested, !isGivenUp {
      return unsafe .text(
        EditedLineReader.bytes(UnsafeBufferPointer(start: line, count: Int(count))))
    }
    if isGivenUp, !Interrupts.isRequested {
      show("\n")
      return .interrupted
    }
    if Interrupts.ending != nil || !Interrupts.isRequested { return .end }
    console.dropInput()
    readAhead = []
    marksPastes = false
    show("^C\n")
    return .interrupted
  }

  private func setPrompt(_ text: Prompt) {
    var index = 0
    for scalar in text.rawValue.unicodeScalars where unsafe index < shownPrompt.count - 1 {
      unsafe shownPrompt[index] = wchar_t(bitPattern: scalar.value)
      index += 1
    }
    unsafe shownPrompt[index] = 0
  }

  /// Returns characters of libedit in UTF-8, without line breaks at the end.
  private static func bytes(_ characters: UnsafeBufferPointer<wchar_t>) -> [UInt8] {
    var text = String.UnicodeScalarView()
    for index in characters.indices { text.append(scalar(unsafe characters[index])) }
    // A paste may end with line breaks of its own.
    while text.last == "\n" { text.removeLast() }
    return Array(String(text).utf8)
  }

  /// The character that libedit means.
  static func scalar(_ character: wchar_t) -> Unicode.Scalar {
    Unicode.Scalar(UInt32(bitPattern: character)) ?? "\u{FFFD}"
  }

  /// Writes to the terminal past libedit.
  func show(_ text: String) {
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
    if entries.last != entry { entries.append(entry) }
    if entries.count > 2 * History.limit { entries.removeFirst(History.limit) }
    let characters = entry.unicodeScalars.map { wchar_t(bitPattern: $0.value) } + [0]
    unsafe characters.withUnsafeBufferPointer {
      guard let start = $0.baseAddress else { return }
      unsafe tenon_editor_remember(editor, start)
    }
  }

  // MARK: Background

  /// Lets what the program writes take the place of the line, if it writes anything, or reads.
  ///
  /// While it writes the terminal stays in the editor's mode: in its own it would show what is typed at that
  /// moment, where the editor does not know of it. What the program reads is typed in the terminal's mode.
  private func beginBackground() {
    console.willWrite = { [unowned self] in eraseText() }
    console.willRead = { [unowned self] in
      console.takePlaceOfLine()
      unsafe tenon_editor_prepare(editor, false)
      console.isEditing = false
    }
  }

  /// Shows the line again below what was written.
  private func endBackground() {
    defer { (console.willWrite, console.willRead) = (nil, nil) }
    guard console.willWrite == nil else { return }
    if !console.isAtLineStart { show("\n") }
    if !console.isEditing {
      console.isEditing = true
      unsafe tenon_editor_prepare(editor, true)
    }
    unsafe tenon_editor_refresh(editor, false)
    paint()
  }
}
