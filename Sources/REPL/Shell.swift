internal import Tenon
internal import TenonLexer
internal import TenonRuntime

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A session at the terminal: reads, evaluates, prints.
final class Shell {
  let interpreter: Interpreter
  let console: TerminalConsole
  let reader: any LineReader
  private let background: Background
  private var isFirst = true
  /// The object of the language that knows the commands and how values are shown: whatever the name
  /// means later.
  let prompt: Handle?
  /// The files that were loaded, in that order.
  var loadedFiles: [String] = []
  /// The status with which a program asked to end.
  var exitStatus: Int32?
  /// The number of the next text.
  private var number = 1

  init(_ interpreter: Interpreter, _ console: TerminalConsole) {
    self.interpreter = interpreter
    prompt = try? interpreter.evaluate("Prompt current")
    self.console = console
    let completion = Completion(source: SessionCompletion(interpreter))
    let background = Background(interpreter)
    self.background = background
    let edited =
      Shell.canEdit
      ? EditedLineReader(
        console, completion: completion, background: background, isColoured: Shell.isColoured)
      : nil
    reader = edited ?? PlainLineReader(console, background: background)
  }

  /// Whether the terminal can do what editing needs.
  private static var canEdit: Bool {
    guard isatty(1) != 0, let name = unsafe getenv("TERM") else { return false }
    let terminal = unsafe String(cString: name)
    return terminal != "dumb" && !terminal.isEmpty
  }

  /// Whether people want colours; see no-color.org.
  private static var isColoured: Bool {
    guard let setting = unsafe getenv("NO_COLOR") else { return true }
    return unsafe setting.pointee == 0
  }

  /// Reads and evaluates until the end of the input.
  ///
  /// - Returns: The exit status.
  func run() -> Int32 {
    Interrupts.beginSession()
    note(begin: loadedFiles.isEmpty)
    var isOver = false
    while !isOver {
      do throws(ConsoleError) {
        if isFirst { try greet() }
        isOver = try !step()
      } catch {
        // Ctrl-C while something was printed ends that alone.
        if Interrupts.ending == nil, Interrupts.isRequested {
          continue
        }
        if Interrupts.ending == nil { console.tell("tenon: \(error.message)") }
        return Interrupts.ending.map(ExitStatus.signal) ?? ExitStatus.failure
      }
    }
    return Interrupts.ending.map(ExitStatus.signal) ?? exitStatus ?? ExitStatus.success
  }

  /// Runs a script before the session, which goes on however that ends.
  func begin(with source: SourceText) {
    Interrupts.beginSession()
    note(begin: true)
    run(source)
    loadedFiles.append(source.name)
    if let status = exitStatus { console.tell("exit status \(status)") }
    exitStatus = nil
  }

  /// Notes which variables are there before anything is typed.
  private func note(begin isFirst: Bool) {
    guard isFirst, let prompt else { return }
    _ = try? interpreter.send("begin", to: prompt)
  }

  private func greet() throws(ConsoleError) {
    isFirst = false
    try console.write(Options.version + "':help' helps, Ctrl-D leaves.\n")
  }

  /// Reads a text and does what it says.
  ///
  /// - Returns: false when the session is over.
  private func step() throws(ConsoleError) -> Bool {
    if !console.isAtLineStart { try console.write("\n") }
    switch reader.readText(until: isComplete) {
    case .text(let text): return try take(text)
    case .interrupted: return true
    case .end:
      exitStatus = background.exitStatus
      if Interrupts.ending != nil || exitStatus != nil { return false }
      try console.write("\n")
      return false
    }
  }

  private static func isBlank(_ text: [UInt8]) -> Bool {
    text.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  /// Whether a text is for the session, or for the system's shell.
  private static func isCommand(_ text: [UInt8]) -> Bool {
    text.first == UInt8(ascii: ":") || text.first == UInt8(ascii: "!")
  }

  /// Whether a text can be evaluated, or is wrong whatever follows.
  private func isComplete(_ text: [UInt8]) -> Bool {
    if Shell.isBlank(text) || Shell.isCommand(text) { return true }
    return !interpreter.isIncomplete(SourceText(name: "", bytes: ContiguousArray(text)))
  }

  /// Does what a text says.
  ///
  /// - Returns: false when the session is over.
  private func take(_ text: [UInt8]) throws(ConsoleError) -> Bool {
    if Shell.isBlank(text) { return true }
    if Shell.isCommand(text) {
      reader.remember(text)
      let line = String(decoding: text, as: UTF8.self)
      if line.hasPrefix(":") { return try obey(line) }
      runSystemCommand(String(line.dropFirst()))
      return true
    }
    try evaluate(text)
    return Interrupts.ending == nil && exitStatus == nil
  }

  // MARK: Evaluation

  /// Evaluates a text and shows the value of its last statement.
  func evaluate(_ text: [UInt8]) throws(ConsoleError) {
    // Numbered, as what one text defines may fail in another.
    let source = SourceText(name: "<prompt \(number)>", bytes: ContiguousArray(text))
    number += 1
    var last: (value: Handle, range: SourceRange)?
    let start = ContinuousClock.now
    let outcome = run(source, text) { last = ($0, $1) }
    if case .finished = outcome {
      note(text)
      if let last,
        !Shell.isSilent(
          last.value, source.text(in: last.range), connectors: interpreter.connectorSpellings)
      {
        try show(last.value)
      }
    }
    if asksForHelp(text), case .failed = outcome {
      console.tell("to leave, press Ctrl-D or type ':quit'; ':help' helps")
    }
    let duration = ContinuousClock.now - start
    if duration >= .seconds(Shell.longTime) { console.tell("took \(Shell.text(of: duration))") }
  }

  /// From how many seconds on it is said how long an evaluation has taken.
  private static let longTime = 3

  private static func text(of duration: Duration) -> String {
    let tenths =
      (duration.components.seconds * 10)
      + duration.components.attoseconds / 100_000_000_000_000_000
    return "\(tenths / 10).\(tenths % 10) s"
  }

  /// Runs a text and tells what has ended it.
  @discardableResult
  func run(
    _ source: SourceText, _ typed: [UInt8]? = nil,
    observer: @escaping (Handle, SourceRange) -> Void = { _, _ in }
  ) -> Outcome {
    let outcome = interpreter.run(
      source, isPrompt: true,
      // Before it runs: whatever ends the session meanwhile, it was typed.
      willRun: { if let typed { self.reader.remember(typed) } },
      warn: { self.console.tell($0, in: source) }, observer: observer)
    switch outcome {
    case .finished: break
    case .rejected(let diagnostics, _):
      if let typed { reader.remember(typed) }
      console.tell(diagnostics, in: source)
    case .failed(let error):
      exitStatus = error.exitStatus
      if exitStatus == nil { console.tell(error.rendered()) }
    case .interrupted: tellInterrupt()
    }
    return outcome
  }

  /// Whether what was typed is what other shells are left with, or ask for help with.
  ///
  /// A variable of that name is asked for its value: only when there is none, somebody may want to
  /// leave.
  private func asksForHelp(_ text: [UInt8]) -> Bool {
    let words = String(decoding: text, as: UTF8.self).split { " \t.()".contains($0) }
    return words.count == 1 && ["quit", "exit", "bye", "help"].contains(words[0])
      && interpreter[String(words[0])] == nil
  }

  func tellInterrupt() {
    // On a line of its own, after the "^C" that the terminal shows.
    console.tell("\ninterrupted")
  }
}
