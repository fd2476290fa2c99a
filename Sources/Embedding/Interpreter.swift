public import TenonLexer
public import TenonRuntime
public import TenonSolverKit
internal import TenonSolvers
public import TenonStoreKit

/// An interpreter of Tenon: the language as an extension language of a Swift program.
///
/// An interpreter shares nothing with others. It runs on the thread that calls it, one thread at a
/// time; its limit of recursion follows from that thread's stack. `Interpreter()` reaches nothing
/// outside the process.
///
///     let interpreter = Interpreter()
///     interpreter["limit"] = interpreter.value(20)
///     let sum = try interpreter.evaluate("(1 to: limit) sum").integer   // 210
public final class Interpreter {
  package let machine: Machine

  /// What an interpreter is made with.
  public struct Options: Sendable {
    /// The most bytes a program may keep alive; beyond, `OutOfMemory` is signalled.
    public var memoryLimit = 1 << 30
    /// The most bytes of the value stack; memory is taken only for what is used.
    public var stackSize = 64 << 20
    /// The most steps of an evaluation; nil for any number.
    ///
    /// Steps are sends, turns of loops, and pieces of the work of methods in Swift: the same script stops
    /// at the same statement.
    public var stepLimit: Int?
    /// The longest time of an evaluation; nil for any.
    public var timeLimit: Duration?
    /// How many methods and blocks may be under way, one within the other; nil for as many as there is
    /// room for.
    ///
    /// One more signals `StackOverflow`.
    public var depthLimit: Int?
    /// The most bytes that the program may write to its console; nil for any number.
    public var outputLimit: Int?
    /// Collect garbage at every n-th safepoint, to find missing roots; 0 for when it is worthwhile.
    public var collectEvery = 0
    /// Whether to record how long the collector stops the program.
    package var recordsPauses = false

    /// Creates the options of an interpreter that is embedded.
    public init() {}
  }

  /// Creates an interpreter that reaches nothing outside the process.
  ///
  /// - Parameters:
  ///   - options: Its limits.
  ///   - console: What the program prints to and reads from; nothing unless given.
  ///   - clock: What tells the time; without one the program has none, nor timers.
  ///   - timeZones: Where time zones are described; without one there is but UTC.
  public init(
    _ options: Options = Options(), console: any Console = NullConsole(),
    clock: (any TenonStoreKit::Clock)? = nil, timeZones: (any TimeZoneSource)? = nil
  ) {
    var machineOptions = MachineOptions()
    machineOptions.memoryLimit = options.memoryLimit
    machineOptions.stackSlots = max(options.stackSize, 64 << 10) / 8
    machineOptions.collectEvery = options.collectEvery
    machineOptions.recordsPauses = options.recordsPauses
    machine = Machine(options: machineOptions)
    machine.host.console =
      options.outputLimit.map { LimitedConsole(console, limit: $0) } ?? console
    machine.setLimits(
      steps: options.stepLimit, nanoseconds: options.timeLimit.map { $0.wholeNanoseconds },
      depth: options.depthLimit)
    machine.host.clock = clock
    machine.host.timeZoneSource = timeZones
    register(DataflowSolver.self)
    register(PropagationSolver.self)
    register(LinearSolver.self)
  }

  deinit { machine.endCoroutines(isClosing: true) }

  /// Adds a way to keep connections; of those that accept constraints the cheapest gets them.
  public func register(_ solver: any ConnectorSolver.Type) {
    machine.register(solver)
  }

  /// Makes a store reachable under a scheme's name.
  ///
  /// The store is used on the threads that use the interpreter. What it announces on its feed is
  /// taken up between two statements of a script, and whenever the script uses a store.
  public func mount(_ store: any Store, as scheme: String) {
    machine.mount(store, as: scheme)
  }

  /// Lets scripts open stores of a kind: `NativeStore open: 'rooted' at: ref:file:data with: #{ }`.
  ///
  /// An interpreter begins without any.
  public func grantStores(_ kind: String, _ open: @escaping StoreOpener) {
    machine.host.storeOpeners[kind] = open
  }

  /// What `import` reads scripts with; nil refuses imports.
  public var sourceLoader: (any SourceLoader)? {
    get { machine.host.sourceLoader }
    set { machine.host.sourceLoader = newValue }
  }

  /// How many safepoints the program has passed, counted when collections are forced.
  package var safepointCount: Int { machine.safepointCount }

  /// How long the collector has stopped the program, one by one, if that is recorded.
  package var collectorPauses: [CollectorPause] { machine.pauses }

  /// Where `UUID new` and `Random bytes:` get their bits from.
  ///
  /// Without one they are the same in each run: identifiers of two interpreters that were granted
  /// none are equal. `Interpreter.standard` grants the system's.
  public var entropy: (() -> UInt64)? {
    get { machine.host.entropy }
    set { machine.host.entropy = newValue }
  }

  /// A way to stop the program from another thread or a signal handler.
  public var interrupter: Interrupter { machine.interrupter }
}

// MARK: - Running

/// What came of running a script.
public enum Outcome {
  /// It ran to its end, or to a `^`: the value of the last statement.
  case finished(Handle)
  /// Nothing of it ran: what is wrong with its text. At a prompt an incomplete one may go on.
  case rejected([Diagnostic], isIncomplete: Bool)
  /// An exception that nobody handled.
  case failed(ScriptError)
  /// Somebody asked it to stop.
  case interrupted

  init(_ outcome: RunOutcome) {
    self =
      switch outcome {
      case .finished(let handle): .finished(handle)
      case .rejected(let diagnostics, let isIncomplete):
        .rejected(diagnostics, isIncomplete: isIncomplete)
      case .failed(let error): .failed(error)
      case .interrupted: .interrupted
      }
  }
}

/// Why an evaluation has no value.
public enum EvaluationError: Error, CustomStringConvertible, ScriptErrorCarrier {
  /// The text is wrong: rendered errors, one after the other.
  case syntax(String)
  /// An exception that nobody handled.
  case script(ScriptError)
  /// Somebody asked it to stop.
  case interrupted
  /// A value does not cross between Swift and the script.
  case conversion(ConversionError)
  /// It used up more than the interpreter's limits allow.
  case limit(EvaluationLimit)

  /// The exception of the script that it is, if it is one.
  public var scriptError: ScriptError? {
    if case .script(let error) = self { error } else { nil }
  }

  /// The error as it would be printed.
  public var description: String {
    switch self {
    case .syntax(let text): text
    case .script(let error): error.rendered()
    case .interrupted: "interrupted"
    case .conversion(let error): error.description
    case .limit(.steps): "the evaluation takes too many steps"
    case .limit(.time): "the evaluation takes too long"
    }
  }
}

extension Interpreter {
  /// Parses, checks and runs a script.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - isPrompt: Whether it was typed at a prompt: unknown names are left to run time.
  ///   - isProgram: Whether it is run as the command runs a file: the result that its signature
  ///     promises is printed, and a filter or a scheme that it ends in runs between the standard
  ///     streams.
  ///   - willRun: Called when the text has been read and before anything of it runs; not for one
  ///     that is rejected.
  ///   - warn: Receives the warnings before the script runs.
  ///   - observer: Called after each statement that has a value, with the value and its place;
  ///     definitions and declarations have none.
  /// - Returns: How it ended.
  public func run(
    _ source: SourceText, isPrompt: Bool = false, isProgram: Bool = false,
    willRun: () -> Void = {}, warn: ([Diagnostic]) -> Void = { _ in },
    observer: ((Handle, SourceRange) -> Void)? = nil
  ) -> Outcome {
    Outcome(
      machine.execute(
        source, isPrompt: isPrompt, isProgram: isProgram, willRun: willRun, warn: warn,
        observer: observer))
  }

  /// Evaluates a text and answers the value of its last statement.
  ///
  /// - Throws: `EvaluationError` when the text is wrong, an exception was not handled, or somebody
  ///   asked the program to stop.
  public func evaluate(_ text: String, name: String = "<eval>") throws(EvaluationError) -> Handle {
    let source = SourceText(name: name, text)
    switch run(source) {
    case .finished(let handle): return handle
    case .rejected(let diagnostics, _):
      throw .syntax(diagnostics.map { $0.rendered(in: source) }.joined(separator: "\n"))
    case .failed(let error): throw .script(error)
    case .interrupted: return try finish(.interrupted)
    }
  }

  /// Sends a message to a value.
  ///
  /// - Throws: `EvaluationError` when an exception was not handled or somebody asked the program to
  ///   stop.
  public func send(
    _ selector: String, to receiver: Handle, _ arguments: Handle...
  ) throws(EvaluationError) -> Handle {
    try send(selector, to: receiver, with: arguments)
  }

  /// The same with any number of arguments.
  package func send(
    _ selector: String, to receiver: Handle, with arguments: [Handle]
  ) throws(EvaluationError) -> Handle {
    try finish(machine.send(selector, to: receiver, arguments))
  }
}

// MARK: - Values

extension Interpreter {
  /// Makes a string of the language.
  public func value(_ string: String) -> Handle { machine.makeHandle(string) }
  /// Makes an integer of the language.
  public func value(_ integer: Int) -> Handle { machine.makeHandle(integer) }
  /// Makes a float of the language.
  public func value(_ double: Double) -> Handle { machine.makeHandle(double) }
  /// Makes true or false.
  public func value(_ boolean: Bool) -> Handle { machine.makeHandle(boolean) }
  /// Makes an array of the language.
  public func value(_ elements: [Handle]) -> Handle { machine.makeHandle(elements) }
  /// The nil of the language.
  public var `nil`: Handle { machine.nilHandle }

  /// A variable of the script; nil when there is none of that name.
  ///
  /// Setting nil stores the nil of the language.
  public subscript(name: String) -> Handle? {
    get { machine.variable(name) }
    set { _ = machine.setVariable(name, to: newValue ?? machine.nilHandle) }
  }

  /// The text that `printString` answers, or a description when that fails.
  public func printString(_ handle: Handle) -> String {
    let printed = try? send("printString", to: handle)
    return printed?.string ?? "a \(handle.className)"
  }

  /// Whether a text ends where it has to go on, as a prompt wants to know.
  ///
  /// - Complexity: O(*n*) in its bytes.
  public func isIncomplete(_ source: SourceText) -> Bool { machine.isIncomplete(source) }

  /// What is wrong with a text, and what may be, without running it.
  ///
  /// - Complexity: O(*n*) in its bytes, imports included.
  public func diagnostics(of source: SourceText) -> [Diagnostic] {
    machine.diagnostics(of: source)
  }

  /// The spellings of all connectors, the program's own included.
  package var connectorSpellings: [String] { machine.connectorSpellings }

  /// The names of the script's variables and of all classes.
  public var knownNames: [String] { machine.knownNames }
}
