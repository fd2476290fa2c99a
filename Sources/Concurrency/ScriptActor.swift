public import Tenon
internal import TenonRuntime

/// An interpreter with a thread of its own, for programs with tasks.
///
///     let scripts = ScriptActor { Interpreter() }
///     let sum = try await scripts.evaluate("(1 to: 100) sum", as: Int.self)
///
/// A script that takes long, or waits, holds up its own thread and none of the pool of tasks. What is asked
/// for meanwhile waits its turn. A task that is cancelled stops its script: the evaluation throws
/// `interrupted`, and the interpreter can be used again.
public actor ScriptActor {
  private let thread: InterpreterThread
  private let make: @Sendable () throws -> Interpreter
  private var made: Interpreter?

  /// The thread, as the executor of what is done here.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// Creates an actor.
  ///
  /// - Parameter make: Makes the interpreter, on its thread, when it is first used.
  public init(_ make: @escaping @Sendable () throws -> Interpreter) {
    self.make = make
    thread = InterpreterThread()
  }

  deinit { thread.end() }

  /// Does something with the interpreter, on its thread.
  ///
  /// - Throws: What `body` throws, and what making the interpreter has thrown.
  public func run<Result: Sendable>(
    _ body: @Sendable (Interpreter) throws -> Result
  ) async throws -> Result {
    let interrupter = try interpreter().interrupter
    // Somebody may have lost interest while it waited for its turn.
    try Task.checkCancellation()
    // Behind the handler: what is still asked for then would stop the next one.
    defer { interrupter.withdraw() }
    return try await withTaskCancellationHandler {
      try perform(body)
    } onCancel: {
      interrupter.interrupt()
    }
  }

  private func perform<Result: Sendable>(
    _ body: @Sendable (Interpreter) throws -> Result
  ) throws -> Result {
    try body(try interpreter())
  }

  /// Evaluates a text and answers the value of its last statement.
  ///
  /// - Throws: `EvaluationError`; `CancellationError` when the task was cancelled before it began.
  public func evaluate<Result: ScriptConvertible & Sendable>(
    _ text: String, name: String = "<eval>", as type: Result.Type = Result.self
  ) async throws -> Result {
    try await run { try $0.evaluate(text, name: name, as: type) }
  }

  /// Gives a variable of the script a value.
  ///
  /// - Throws: `EvaluationError`, as `Interpreter.set`.
  public func set<Value: ScriptConvertible & Sendable>(
    _ name: String, to value: Value
  ) async throws {
    try await run { try $0.set(name, to: value) }
  }

  /// The value of a variable of the script.
  ///
  /// - Throws: `EvaluationError`, as `Interpreter.get`.
  public func get<Value: ScriptConvertible & Sendable>(
    _ name: String, as type: Value.Type = Value.self
  ) async throws -> Value {
    try await run { try $0.get(name, as: type) }
  }

  /// Gives a variable of the script each value of a sequence, until that ends.
  ///
  /// - Throws: What the sequence throws, and `EvaluationError` when the variable does not take a value.
  public func set<Values: AsyncSequence & Sendable>(
    _ name: String, toEachOf values: Values
  ) async throws where Values.Element: ScriptConvertible & Sendable {
    for try await value in values { try await set(name, to: value) }
  }

  /// Lets the interpreter do what is due: timers, values of sources, changes of stores.
  ///
  /// - Throws: What making the interpreter has thrown.
  public func runDue() async throws {
    try await run { _ = $0.runDue() }
  }

  private func interpreter() throws -> Interpreter {
    if let made { return made }
    let new = try make()
    made = new
    return new
  }
}
