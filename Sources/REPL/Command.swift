internal import CTenonPlatform
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

/// One run of the command, on the interpreter's thread.
struct Command {
  private let options: Options
  private let stackSize: Int
  private let memoryLimit: Int
  let console: TerminalConsole

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - options: What the command line asks for.
  ///   - stackSize: The size of the thread's native stack in bytes.
  init(_ options: Options, stackSize: Int) {
    self.options = options
    self.stackSize = stackSize
    memoryLimit = min(
      options.memoryLimit ?? Command.quarterOfMemory,
      AddressSpace.memoryLimit(reserving: stackSize))
    // A line is copied twice on its way into the program.
    console = TerminalConsole(lineLimit: memoryLimit / 4)
  }

  /// Does what the command line asks for.
  ///
  /// - Returns: The exit status.
  func run() -> Int32 {
    let status = runTask()
    do throws(ConsoleError) {
      try console.flush()
      return status
    } catch {
      return max(status, outputFailure(error))
    }
  }

  private func runTask() -> Int32 {
    switch options.task {
    case .help: return print(Options.help)
    case .version: return print(Options.version)
    case .session where isatty(0) != 0:
      let interpreter = makeInterpreter()
      let shell = Shell(interpreter, console, mayLeaveDirectory: options.grants.root == nil)
      if options.readsStartupFile { shell.runStartupFile() }
      return closeStores(of: interpreter, shell.run())
    case .session, .standardInput:
      return run(named: "<stdin>") { () throws(SourceFile.ReadError) in
        try SourceFile.read(0, name: "<stdin>")
      }
    case .file(let index):
      let name = CommandLine.arguments[index + 1]
      return run(named: name) { () throws(SourceFile.ReadError) in
        guard let path = unsafe CommandLine.unsafeArgv[index + 1] else {
          throw .system("there is no such argument")
        }
        return unsafe try SourceFile.read(path, name: name)
      }
    case .eachLine(let text, let prints): return runForEachLine(text, prints: prints)
    case .diagram(let request): return drawDiagram(request)
    case .jupyter(let request): return installKernel(request)
    case .requests:
      let events = EventConsole(console)
      let interpreter = makeInterpreter(console: events)
      return closeStores(
        of: interpreter, EventSession(interpreter, input: console, events).run())
    case .expression(let text):
      return run(SourceText(name: "<expression>", text), printsValue: true)
    }
  }

  func print(_ text: String) -> Int32 {
    do throws(ConsoleError) {
      try console.write(text)
      return ExitStatus.success
    } catch {
      return outputFailure(error)
    }
  }

  /// Tells that the output could not be written, unless it is because nobody reads it.
  private func outputFailure(_ error: ConsoleError) -> Int32 {
    if let signal = Interrupts.ending { return ExitStatus.signal(signal) }
    console.tell("tenon: \(error.message)")
    return ExitStatus.failure
  }

  // MARK: Scripts

  private func run(
    named name: String, _ read: () throws(SourceFile.ReadError) -> SourceText
  ) -> Int32 {
    do throws(SourceFile.ReadError) {
      return run(try read())
    } catch {
      guard case .system(let text) = error else { return endOfInterrupt }
      console.tell("tenon: cannot read '\(name)': \(text)")
      return ExitStatus.usage
    }
  }

  /// The end of the name of a file with tests: running it runs them.
  private static let testSuffix = "_test.st"

  private func run(_ source: SourceText, printsValue: Bool = false) -> Int32 {
    let interpreter = makeInterpreter()
    defer {
      if options.showsPauses {
        console.tell(PauseHistogram(interpreter.collectorPauses).description)
      }
    }
    if options.isInteractive, isatty(0) != 0 {
      let shell = Shell(interpreter, console, mayLeaveDirectory: options.grants.root == nil)
      shell.begin(with: source)
      return closeStores(of: interpreter, shell.run())
    }
    let status = run(source, in: interpreter, printsValue: printsValue)
    return closeStores(of: interpreter, status)
  }

  /// Lets the stores write what they hold back, however the program has ended.
  ///
  /// - Returns: The exit status: what could not be written makes a success a failure.
  func closeStores(of interpreter: Interpreter, _ status: Int32) -> Int32 {
    let errors = interpreter.closeStores()
    for error in errors { console.tell("error: \(error)") }
    return errors.isEmpty || status != ExitStatus.success ? status : ExitStatus.failure
  }

  private func run(
    _ source: SourceText, in interpreter: Interpreter, printsValue: Bool
  ) -> Int32 {
    var value: Handle?
    let outcome = interpreter.run(
      source, isProgram: !printsValue, warn: { console.tell($0, in: source) },
      observer: printsValue ? { handle, _ in value = handle } : nil)
    guard case .finished = outcome else { return status(of: outcome, source, in: interpreter) }
    if source.name.hasSuffix(Command.testSuffix) {
      let tests = SourceText(name: "<tests>", "TestCase runAll.")
      let tested = status(of: interpreter.run(tests), tests, in: interpreter)
      guard tested == ExitStatus.success else { return tested }
    }
    let printed = value.map { print($0, of: interpreter) } ?? ExitStatus.success
    guard printed == ExitStatus.success, !options.endsAtOnce else { return printed }
    let ended = status(of: interpreter.runLoop(), source, in: interpreter)
    // An error of a timer ends neither the program nor goes unnoticed.
    return ended == ExitStatus.success && interpreter.reportedErrors > 0
      ? ExitStatus.failure : ended
  }

  /// Tells what ended the program, if it was not its end.
  ///
  /// - Returns: The exit status.
  func status(of outcome: Outcome, _ source: SourceText, in interpreter: Interpreter) -> Int32 {
    switch outcome {
    case .finished: return ExitStatus.success
    case .rejected(let diagnostics, _):
      console.tell(diagnostics, in: source)
      return ExitStatus.syntax
    case .failed(let error):
      // When the reason is that nobody reads the output, nobody wants to know.
      if Interrupts.ending == SIGPIPE { return ExitStatus.signal(SIGPIPE) }
      if let status = error.exitStatus { return status }
      console.tell(error.rendered())
      return ExitStatus.failure
    case .interrupted:
      guard let limit = interpreter.exceededLimit else { return endOfInterrupt }
      console.tell("\(source.name): error: \(EvaluationError.limit(limit))")
      return ExitStatus.failure
    }
  }

  private func print(_ value: Handle, of interpreter: Interpreter) -> Int32 {
    do throws(EvaluationError) {
      let text = try interpreter.send("printString", to: value).string
      return print((text ?? "a \(value.className)") + "\n")
    } catch {
      if case .interrupted = error { return endOfInterrupt }
      if case .script(let failure) = error, let status = failure.exitStatus { return status }
      console.tell(error.description)
      return ExitStatus.failure
    }
  }

  var endOfInterrupt: Int32 { ExitStatus.signal(Interrupts.ending ?? SIGINT) }

  // MARK: The interpreter

  func makeInterpreter() -> Interpreter { makeInterpreter(console: console) }

  private func makeInterpreter(console: any Console) -> Interpreter {
    var limits = Interpreter.Options()
    limits.memoryLimit = memoryLimit
    // As large as the native stack, of which a call takes more: that is what runs out first, and
    // what leaves room for the handlers of the overflow.
    limits.stackSize = stackSize
    limits.stepLimit = options.stepLimit
    limits.timeLimit = options.timeLimit
    limits.depthLimit = options.depthLimit
    limits.collectEvery = options.collectEvery
    limits.recordsPauses = options.showsPauses
    let interpreter = Interpreter.standard(
      program: options.programName, limits, grants: options.grants, console: console)
    interpreter["arguments"] = interpreter.value(options.arguments.map { interpreter.value($0) })
    if options.grants.allows("terminal") { interpreter.mountTerminal() }
    Interrupts.watch(interpreter.interrupter)
    // Not before: what starting up gives back had better go to the system.
    tenon_keep_freed_memory()
    return interpreter
  }

  private static var quarterOfMemory: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let memory = pages > 0 ? pages * sysconf(Int32(_SC_PAGESIZE)) : 4 << 30
    return max(memory / 4, 64 << 20)
  }
}

extension TerminalConsole {
  /// Shows errors or warnings about a text.
  func tell(_ diagnostics: [Diagnostic], in source: SourceText) {
    for diagnostic in diagnostics { tell(diagnostic.rendered(in: source)) }
  }
}
