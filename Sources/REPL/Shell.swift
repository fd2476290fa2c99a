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
  /// What is completed.
  let names: SessionCompletion
  private var isFirst = true
  /// The evaluation that is stopped, if one is.
  var debugged: DebuggedEvaluation?
  /// How many evaluations were stopped.
  var pauseCount = 0
  /// Whether the last evaluation has ended with an error that was told when it was stopped.
  var hasToldError = false
  /// Whether what runs is a file.
  var runsFile = false
  /// Whether a text or a file runs: what the session evaluates for itself is not stopped.
  private(set) var isRunning = false
  /// Whether the session is over as soon as what runs has ended.
  var isLeaving = false
  /// The object of the language that knows the commands and how values are shown: whatever the name
  /// means later.
  let prompt: Handle?
  /// The files that were loaded, in that order.
  var loadedFiles: [String] = []
  /// The status with which a program asked to end.
  var exitStatus: Int32?
  /// The number of the next text.
  private var number = 1

  /// Whether files are those of the working directory, which may change.
  let mayLeaveDirectory: Bool
  /// Whether the start-up file runs: nothing is stopped.
  var isStarting = false

  init(_ interpreter: Interpreter, _ console: TerminalConsole, mayLeaveDirectory: Bool) {
    self.interpreter = interpreter
    self.mayLeaveDirectory = mayLeaveDirectory
    prompt = try? interpreter.evaluate("Prompt current")
    self.console = console
    names = SessionCompletion(interpreter)
    let completion = Completion(source: names)
    let background = Background(interpreter)
    self.background = background
    let edited =
      Shell.canEdit
      ? EditedLineReader(
        console, completion: completion, background: background, isColoured: Shell.isColoured)
      : nil
    reader = edited ?? PlainLineReader(console, background: background)
    interpreter.debug { [unowned self] in debug($0) }
  }

  /// Whether the terminal can do what editing needs.
  static var canEdit: Bool {
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
    while !isLeaving, takeTurn() {}
    return Interrupts.ending.map(ExitStatus.signal) ?? exitStatus ?? ExitStatus.success
  }

  /// Reads a text and does what it says, or tells what is wrong with the terminal.
  ///
  /// - Returns: false when the session is over.
  func takeTurn() -> Bool {
    do throws(ConsoleError) {
      if isFirst { try greet() }
      return try step()
    } catch {
      if Interrupts.ending != nil { return false }
      // Ctrl-C while something was printed ends that alone.
      if Interrupts.isRequested { return true }
      console.tell("tenon: \(error.message)")
      exitStatus = ExitStatus.failure
      return false
    }
  }

  /// Runs a script before the session, which goes on however that ends.
  func begin(with source: SourceText) {
    Interrupts.beginSession()
    note(begin: true)
    if case .finished = run(source) { interpreter.remember(source) }
    loadedFiles.append(source.name)
    forgetExit()
  }

  /// Tells that a file has asked for the end of the program, which a session does not follow.
  func forgetExit() {
    guard !isLeaving else { return }
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
      guard let debugged else { return false }
      debugged.ending = .abort
      return true
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
    return goesOn
  }

  /// Whether nothing has asked for the end of the session.
  var goesOn: Bool { Interrupts.ending == nil && exitStatus == nil && !isLeaving }

  // MARK: Evaluation

  /// Evaluates a text and shows the value of its last statement.
  func evaluate(_ text: [UInt8]) throws(ConsoleError) {
    let source = nextSource(text)
    let pauses = pauseCount
    var last: (value: Handle, range: SourceRange)?
    let start = ContinuousClock.now
    let outcome = run(source, text) { last = ($0, $1) }
    if case .finished = outcome {
      if debugged == nil { note(text) }
      if let last,
        !Shell.isSilent(
          last.value, source.text(in: last.range), connectors: interpreter.connectorSpellings)
      {
        try show(last.value)
      }
    }
    if case .finished = outcome {
    } else if let hint = hint(for: text) {
      console.tell(hint)
    }
    let duration = ContinuousClock.now - start
    // How long somebody has looked around does not matter.
    if duration >= .seconds(Shell.longTime), pauses == pauseCount {
      console.tell("took \(Shell.text(of: duration))")
    }
  }

  /// A text that was typed, as a source.
  func nextSource(_ text: [UInt8]) -> SourceText {
    defer { number += 1 }
    // Numbered, as what one text defines may fail in another.
    return SourceText(name: "<prompt \(number)>", bytes: ContiguousArray(text))
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
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - typed: What was typed, for the history; nil for other texts.
  ///   - isTyped: Whether it was typed as a part of something: it is evaluated in the frame of an
  ///     evaluation that is stopped.
  ///   - observer: Called after each statement that has a value, with the value and its place.
  /// - Returns: How it ended.
  @discardableResult
  func run(
    _ source: SourceText, _ typed: [UInt8]? = nil, isTyped: Bool = false,
    observer: @escaping (Handle, SourceRange) -> Void = { _, _ in }
  ) -> Outcome {
    let isTyped = isTyped || typed != nil
    runsFile = !isTyped
    let wasRunning = isRunning
    isRunning = true
    defer { isRunning = wasRunning }
    hasToldError = false
    // Before it runs: whatever ends the session meanwhile, it was typed.
    let willRun = { if let typed { self.reader.remember(typed) } }
    let warn = { (warnings: [Diagnostic]) in self.console.tell(warnings, in: source) }
    let outcome: Outcome
    if let debugged, isTyped {
      outcome = interpreter.run(
        source, in: debugged.paused, frame: debugged.frame, willRun: willRun, warn: warn,
        observer: observer)
    } else {
      outcome = interpreter.run(
        source, isPrompt: true, willRun: willRun, warn: warn, observer: observer)
    }
    if debugged == nil { interpreter.endStepping() }
    switch outcome {
    case .finished: break
    case .rejected(let diagnostics, _):
      if let typed { reader.remember(typed) }
      console.tell(diagnostics, in: source)
    case .failed(let error):
      if let status = error.exitStatus {
        exitStatus = status
      } else if !hasToldError {
        console.tell(error.rendered())
      }
    case .interrupted: tellInterrupt()
    }
    return outcome
  }

  /// What to type for what other shells are left with, or ask for help with; nil for other texts.
  ///
  /// A variable of that name is asked for its value: only when there is none, somebody may want to
  /// leave.
  private func hint(for text: [UInt8]) -> String? {
    let typed = String(decoding: text, as: UTF8.self)
    if typed.hasPrefix("?") || typed.hasPrefix("%") {
      return "commands begin with ':': ':doc NAME' tells what something is for; ':help' lists all"
    }
    let words = typed.split { " \t.()".contains($0) }
    guard words.count == 1, ["quit", "exit", "bye", "help"].contains(words[0]),
      interpreter[String(words[0])] == nil
    else { return nil }
    return "to leave, press Ctrl-D or type ':quit'; ':help' helps"
  }

  func tellInterrupt() {
    if let limit = interpreter.exceededLimit {
      return console.tell("error: \(EvaluationError.limit(limit))")
    }
    // On a line of its own, after the "^C" that the terminal shows.
    console.tell("\ninterrupted")
  }
}
