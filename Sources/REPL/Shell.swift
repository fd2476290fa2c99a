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
  private let interpreter: Interpreter
  private let console: TerminalConsole
  private let reader: any LineReader
  private let background: Background
  /// What was typed of a text that is not complete yet.
  private var text: [UInt8] = []
  /// The size of the text when it was last found to be incomplete.
  private var sizeTried = 0
  /// The names that were there before anything was typed.
  private let firstNames: Set<String>
  private var isFirst = true
  /// The status with which a program asked to end.
  private var exitStatus: Int32?
  /// The number of the next text.
  private var number = 1

  init(_ interpreter: Interpreter, _ console: TerminalConsole) {
    self.interpreter = interpreter
    self.console = console
    firstNames = Set(interpreter.knownNames)
    let completion = Completion(
      names: { interpreter.knownNames }, commands: ShellCommand.allCases.map { ":\($0)" })
    let background = Background(interpreter)
    self.background = background
    let edited =
      Shell.canEdit
      ? EditedLineReader(console, completion: completion, background: background) : nil
    reader = edited ?? PlainLineReader(console, background: background)
  }

  /// Whether the terminal can do what editing needs.
  private static var canEdit: Bool {
    guard isatty(1) != 0, let name = unsafe getenv("TERM") else { return false }
    let terminal = unsafe String(cString: name)
    return terminal != "dumb" && !terminal.isEmpty
  }

  /// Reads and evaluates until the end of the input.
  ///
  /// - Returns: The exit status.
  func run() -> Int32 {
    Interrupts.beginSession()
    var isOver = false
    while !isOver {
      do throws(ConsoleError) {
        if isFirst { try greet() }
        isOver = try !step()
      } catch {
        // Ctrl-C while something was printed ends that alone.
        if Interrupts.ending == nil, Interrupts.isRequested {
          forget()
          continue
        }
        if Interrupts.ending == nil { console.tell("tenon: \(error.message)") }
        return Interrupts.ending.map(ExitStatus.signal) ?? ExitStatus.failure
      }
    }
    return Interrupts.ending.map(ExitStatus.signal) ?? exitStatus ?? ExitStatus.success
  }

  private func greet() throws(ConsoleError) {
    isFirst = false
    try console.write(Options.version + "':help' helps, Ctrl-D leaves.\n")
  }

  /// Reads a line and does what it says.
  ///
  /// - Returns: false when the session is over.
  private func step() throws(ConsoleError) -> Bool {
    if !console.isAtLineStart { try console.write("\n") }
    switch reader.readLine(prompt: text.isEmpty ? .first : .further, after: text) {
    case .line(let line):
      return try take(line)
    case .interrupted:
      forget()
      return true
    case .end:
      exitStatus = background.exitStatus
      if Interrupts.ending != nil || exitStatus != nil { return false }
      try console.write("\n")
      // In the middle of a text Ctrl-D gives up the text only.
      defer { forget() }
      return !text.isEmpty
    }
  }

  private func forget() {
    text = []
    sizeTried = 0
  }

  /// Evaluates what has been typed, if it is complete with this line.
  private func take(_ line: [UInt8]) throws(ConsoleError) -> Bool {
    let isBlank = line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    if text.isEmpty {
      if isBlank { return true }
      if line.first == UInt8(ascii: ":") {
        reader.remember(line)
        return try obey(String(decoding: line, as: UTF8.self))
      }
    }
    text += text.isEmpty ? line : [UInt8(ascii: "\n")] + line
    // Each try parses the whole text again. While a large one is being pasted, it has to grow by an
    // eighth before the next try: the sum stays in proportion to its size.
    let isWorthTrying = text.count < 16 << 10 || text.count - sizeTried > text.count / 8
    guard isWorthTrying || !console.hasInput else { return true }
    try evaluate()
    return Interrupts.ending == nil && exitStatus == nil
  }

  // MARK: Evaluation

  private func evaluate() throws(ConsoleError) {
    // Numbered, as what one text defines may fail in another.
    let source = SourceText(name: "<prompt \(number)>", bytes: ContiguousArray(text))
    var last: Handle?
    let outcome = interpreter.run(
      source, isPrompt: true,
      // Before it runs: whatever ends the session meanwhile, it was typed.
      willRun: { self.reader.remember(self.text) },
      warn: { self.console.tell($0, in: source) },
      observer: { value, _ in last = value })
    if case .rejected(_, isIncomplete: true) = outcome {
      sizeTried = text.count
      return
    }
    if case .rejected = outcome { reader.remember(text) }
    let isLeaving = asksToLeave
    forget()
    number += 1
    switch outcome {
    case .finished: if let last { try print(last) }
    case .rejected(let diagnostics, _): console.tell(diagnostics, in: source)
    case .failed(let error):
      exitStatus = error.exitStatus
      if exitStatus != nil { return }
      console.tell(error.rendered())
      if isLeaving { console.tell("to leave, press Ctrl-D or type ':quit'") }
    case .interrupted: tellInterrupt()
    }
  }

  /// Whether what was typed is what other shells are left with.
  ///
  /// A variable of that name is asked for its value: only when there is none, somebody may want to
  /// leave.
  private var asksToLeave: Bool {
    let words = String(decoding: text, as: UTF8.self).split { " \t.()".contains($0) }
    return words.count == 1 && ["quit", "exit", "bye"].contains(words[0])
      && interpreter[String(words[0])] == nil
  }

  private func print(_ value: Handle) throws(ConsoleError) {
    let printed: String
    do throws(EvaluationError) {
      printed = try interpreter.send("printString", to: value).string ?? "a \(value.className)"
    } catch {
      switch error {
      case .interrupted: tellInterrupt()
      case .script(let failure) where failure.exitStatus != nil: exitStatus = failure.exitStatus
      case .script, .syntax, .conversion, .limit: console.tell(error.description)
      }
      return
    }
    if !console.isAtLineStart { try console.write("\n") }
    // Ctrl-C since the line was typed is meant for what it shows, too.
    guard !Interrupts.isRequested else { return tellInterrupt() }
    do throws(ConsoleError) {
      try console.write(printed + "\n", unlessInterruptedSince: 0)
    } catch {
      guard Interrupts.ending == nil, Interrupts.isRequested else { throw error }
      tellInterrupt()
    }
  }

  private func tellInterrupt() {
    // On a line of its own, after the "^C" that the terminal shows.
    console.tell("\ninterrupted")
  }
}

// MARK: - Commands

/// What the session itself does, typed with a colon before it.
enum ShellCommand: String, CaseIterable {
  case help
  case vars
  case quit

  /// Finds a command by its name or the beginning of it.
  init?(_ typed: String) {
    guard let command = ShellCommand.allCases.first(where: { $0.rawValue.hasPrefix(typed) }),
      !typed.isEmpty
    else { return nil }
    self = command
  }

  static let helpText = """
    Type a statement, and its value is printed. What is not complete goes on in the next line.

      :help   print this
      :vars   print the variables that were set, and their values
      :quit   leave, as Ctrl-D does

    Ctrl-C stops what is running, or gives up what was typed. The arrow keys and Ctrl-R call back
    what was typed before; Tab completes a name.

    """
}

extension Shell {
  /// The most characters of a value that `:vars` shows.
  private static let valueWidth = 70

  /// Does what a command says.
  ///
  /// - Returns: false when the session is over.
  private func obey(_ line: String) throws(ConsoleError) -> Bool {
    let typed = line.dropFirst().prefix { $0 != " " && $0 != "\t" }
    switch ShellCommand(String(typed)) {
    case .help: try console.write(ShellCommand.helpText)
    case .vars: try printVariables()
    case .quit: return false
    case nil: console.tell("there is no command ':\(typed)'; ':help' lists them")
    }
    return true
  }

  private func printVariables() throws(ConsoleError) {
    for name in interpreter.knownNames.sorted() where !firstNames.contains(name) {
      guard let value = interpreter[name] else { continue }
      let text = interpreter.printString(value)
      if Interrupts.isRequested { return }
      let line = text.prefix { !$0.isNewline }.prefix(Shell.valueWidth)
      try console.write("\(name) = \(line)\(line.count < text.count ? "..." : "")\n")
    }
  }
}
