public import TenonRuntime

/// A place of a script as a value of Swift that can be read, written and observed: what a user
/// interface binds to.
///
///     let fahrenheit = try interpreter.binding("model/fahrenheit", as: Double.self)
///     let observation = try fahrenheit.observe { print($0) }
///     try fahrenheit.set(212)
///
/// It keeps the interpreter alive. All of it runs on the thread that uses the interpreter.
public struct ScriptBinding<Value: ScriptConvertible> {
  private let interpreter: Interpreter
  private let reference: Handle

  init(_ interpreter: Interpreter, _ reference: Handle) {
    self.interpreter = interpreter
    self.reference = reference
  }

  /// What the place holds.
  ///
  /// - Throws: `EvaluationError` when it holds something of another kind, or cannot be read.
  public func get() throws(EvaluationError) -> Value { try reference.answer(to: "value") }

  /// Writes the place, as an assignment in a script: connections follow before it returns.
  ///
  /// - Throws: `EvaluationError` when a connection determines the place, the value does not cross, or a
  ///   net does not come to rest; the place is then as it was.
  public func set(_ value: Value) throws(EvaluationError) {
    try reference.send("value:", value)
  }

  /// Calls Swift code with each new value, whoever has changed it.
  ///
  /// The code is called after the turn in which the place has changed, so that all that is connected with
  /// it is up to date. It may use the interpreter. What it throws, and a value of another kind, is an
  /// error of the connection that `interpreter.evaluate("self connections")` shows.
  ///
  /// - Returns: The observation, which goes on until it is ended or the interpreter goes.
  /// - Throws: `EvaluationError` when nobody tells of changes of the place.
  @discardableResult
  public func observe(
    _ body: @escaping (Value) throws -> Void
  ) throws(EvaluationError) -> ScriptObservation {
    let block = interpreter.function("[observe]") { (value: Value) in try body(value) }
    return ScriptObservation(connection: try reference.send("watch:", block))
  }
}

/// Swift code that is called when a place changes.
public struct ScriptObservation {
  /// The connection of the script: it understands `suspend`, `resume`, `state`, `why`.
  public let connection: Handle

  /// Ends it.
  ///
  /// - Throws: `EvaluationError` when the interpreter is closed or used by another thread.
  public func end() throws(EvaluationError) { try connection.send("disconnect") }
}

extension Interpreter {
  /// A place of a script to be read, written and observed.
  ///
  /// - Parameters:
  ///   - path: The name of a variable of the script, and behind slashes the properties on the way from
  ///     its value: `total`, `model/celsius`.
  ///   - type: What it holds.
  /// - Returns: The place.
  /// - Throws: `EvaluationError` when the path is none, or there is no such variable.
  public func binding<Value: ScriptConvertible>(
    _ path: String, as type: Value.Type = Value.self
  ) throws(EvaluationError) -> ScriptBinding<Value> {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    guard names.allSatisfy({ Machine.isName(String($0)) }) else {
      throw .conversion(
        ConversionError(expected: "names with slashes between them", found: "'\(path)'"))
    }
    return ScriptBinding(self, try evaluate("ref:" + path))
  }

  /// What other threads give a variable of the script its values with.
  ///
  /// - Parameters:
  ///   - name: The variable; it is declared when it is new.
  ///   - type: What it gets.
  /// - Returns: What threads can share.
  public func source<Value: ScriptConvertible & Sendable>(
    for name: String, of type: Value.Type = Value.self
  ) -> ScriptSource<Value> {
    _ = machine.variableCell(name)
    return ScriptSource(inbox: machine.inbox, name: name)
  }
}

/// Gives a variable of a script values from any thread.
///
///     let measured = interpreter.source(for: "celsius", of: Double.self)
///     sensor.onChange = { measured.send($0) }
///
/// A value arrives in the next turn of the interpreter's run loop: in `runDue`, in `runLoop`, or while a
/// script waits. `wakeUp` becomes readable, so that a loop of the host's own notices.
public struct ScriptSource<Value: ScriptConvertible & Sendable>: Sendable {
  fileprivate let inbox: Inbox
  fileprivate let name: String

  /// Sends a value; any thread may call this.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - failed: Called on the interpreter's thread when the variable did not take the value: a
  ///     connection determines it, or an invariant refuses it.
  public func send(
    _ value: Value, failed: @escaping @Sendable (EvaluationError) -> Void = { _ in }
  ) {
    let name = name
    inbox.post { machine in
      do throws(EvaluationError) {
        try SourceValue.set(name, to: value, in: machine)
      } catch {
        failed(error)
      }
    }
  }
}

/// How values of sources come into variables.
private enum SourceValue {
  /// Gives a variable of the script a value of Swift.
  static func set(
    _ name: String, to value: some ScriptConvertible, in machine: Machine
  ) throws(EvaluationError) {
    let handle: Handle
    do throws(ConversionError) {
      handle = try machine.makeHandle { (writer) throws(ConversionError) in
        try value.write(to: &writer)
      }
    } catch {
      throw .conversion(error)
    }
    let outcome = machine.setVariable(name, to: handle)
    if case .finished = outcome { return }
    throw EvaluationError(outcome, in: machine)
  }
}
