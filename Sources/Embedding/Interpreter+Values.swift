public import TenonRuntime

// Plain Swift values in and out.

extension Interpreter {
  /// Evaluates a text and answers the value of its last statement as one of Swift.
  ///
  ///     let sum = try interpreter.evaluate("3 + 4", as: Int.self)
  ///
  /// - Throws: `EvaluationError` when the text is wrong, an exception was not handled, the value is of
  ///   another kind, a limit was exceeded, or somebody asked the program to stop.
  public func evaluate<Result: ScriptConvertible>(
    _ text: String, name: String = "<eval>", as type: Result.Type
  ) throws(EvaluationError) -> Result {
    try read(try evaluate(text, name: name))
  }

  /// A variable of the script as a value of Swift; nil when there is none, or it holds something else.
  ///
  /// What is set declares the variable when it is new; nil stores the nil of the language. Where a
  /// connection determines the variable it stays as it is: `set(_:to:)` tells.
  public subscript<Value: ScriptConvertible>(name: String) -> Value? {
    get { machine.variable(name).flatMap { try? read($0) } }
    set { try? set(name, to: newValue) }
  }

  /// The value of a variable of the script.
  ///
  /// - Throws: `EvaluationError` when there is no such variable, or it holds something else.
  public func get<Value: ScriptConvertible>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(EvaluationError) -> Value {
    guard let handle = machine.variable(name) else {
      throw .conversion(ConversionError("there is no variable '\(name)'"))
    }
    do throws(ConversionError) {
      return try machine.read(handle) { (value) throws(ConversionError) in try Value.read(value) }
    } catch {
      throw .conversion(error.inside(name))
    }
  }

  /// Gives a variable of the script a value, declaring it when it is new, and brings the connections
  /// up to date.
  ///
  /// - Throws: `EvaluationError` when the value does not cross, a connection determines the variable,
  ///   or a net does not come to rest; the variable is then as it was.
  public func set(_ name: String, to value: some ScriptConvertible) throws(EvaluationError) {
    let handle = try self.handle(for: value)
    _ = try finish(machine.setVariable(name, to: handle))
  }

  /// Makes a value of the language that lives as long as the handle.
  ///
  /// - Throws: `EvaluationError` when the value does not cross.
  public func handle(for value: some ScriptConvertible) throws(EvaluationError) -> Handle {
    do throws(ConversionError) {
      return try machine.makeHandle { (writer) throws(ConversionError) in
        try value.write(to: &writer)
      }
    } catch {
      throw .conversion(error)
    }
  }

  /// Reads what a handle holds.
  ///
  /// - Throws: `EvaluationError` when it is of another kind, or the handle belongs to another
  ///   interpreter.
  public func read<Value: ScriptConvertible>(
    _ handle: Handle, as type: Value.Type = Value.self
  ) throws(EvaluationError) -> Value {
    do throws(ConversionError) {
      return try machine.read(handle) { (value) throws(ConversionError) in try Value.read(value) }
    } catch {
      throw .conversion(error)
    }
  }

  /// The limit that the last evaluation has exceeded, if it has ended so.
  package var exceededLimit: EvaluationLimit? { machine.exceededLimit }

  /// The value of an evaluation, or why there is none.
  func finish(_ outcome: RunOutcome) throws(EvaluationError) -> Handle {
    if case .finished(let handle) = outcome { return handle }
    throw EvaluationError(outcome, in: machine)
  }
}

extension EvaluationError {
  /// Why a call has no answer.
  package init(_ error: CallError, in machine: Machine) {
    switch error {
    case .conversion(let error): self = .conversion(error)
    case .ended(let error?): self = .script(error)
    case .ended(nil): self.init(.interrupted, in: machine)
    }
  }

  /// Why an evaluation has no value.
  init(_ outcome: RunOutcome, in machine: Machine) {
    if case .failed(let error) = outcome {
      self = .script(error)
    } else {
      self = machine.exceededLimit.map { .limit($0) } ?? .interrupted
    }
  }
}

// MARK: - Calls

extension Handle {
  /// Evaluates a block with values of Swift.
  ///
  ///     let double = try interpreter.evaluate("[ :x | x * 2 ]")
  ///     let six = try double.call(3, as: Int.self)
  ///
  /// - Throws: `EvaluationError` when the block takes another number of values, a value does not
  ///   cross, an exception was not handled, or the interpreter is closed.
  @inlinable
  public func call<each Argument: ScriptConvertible, Result: ScriptConvertible>(
    _ arguments: repeat each Argument, as type: Result.Type
  ) throws(EvaluationError) -> Result {
    try answer(to: "value", repeat each arguments)
  }

  /// Evaluates a block with values of Swift.
  ///
  /// - Throws: `EvaluationError`, as the form that answers a value of Swift.
  @inlinable @discardableResult
  public func call<each Argument: ScriptConvertible>(
    _ arguments: repeat each Argument
  ) throws(EvaluationError) -> Handle {
    try answer(to: "value", repeat each arguments)
  }

  /// Sends a message with values of Swift.
  ///
  ///     let third = try list.send("at:", 3, as: String.self)
  ///
  /// - Throws: `EvaluationError` when the selector takes another number of arguments, a value does not
  ///   cross, an exception was not handled, or the interpreter is closed.
  @inlinable
  public func send<each Argument: ScriptConvertible, Result: ScriptConvertible>(
    _ selector: String, _ arguments: repeat each Argument, as type: Result.Type
  ) throws(EvaluationError) -> Result {
    try answer(to: selector, repeat each arguments)
  }

  /// Sends a message with values of Swift.
  ///
  /// - Throws: `EvaluationError`, as the form that answers a value of Swift.
  @inlinable @discardableResult
  public func send<each Argument: ScriptConvertible>(
    _ selector: String, _ arguments: repeat each Argument
  ) throws(EvaluationError) -> Handle {
    try answer(to: selector, repeat each arguments)
  }

  /// Reads what the handle holds.
  ///
  /// - Throws: `EvaluationError` when it is of another kind, or the interpreter is closed.
  public func read<Value: ScriptConvertible>(
    as type: Value.Type = Value.self
  ) throws(EvaluationError) -> Value {
    let machine = try living()
    do throws(ConversionError) {
      return try machine.read(self) { (value) throws(ConversionError) in try Value.read(value) }
    } catch {
      throw .conversion(error)
    }
  }

  /// Sends a message whose answer is read.
  ///
  /// It is compiled anew where it is called: values whose types are known there cross without code for
  /// all types, which takes longer than all the rest.
  @inlinable
  func answer<each Argument: ScriptConvertible, Result: ScriptConvertible>(
    to selector: String, _ arguments: repeat each Argument
  ) throws(EvaluationError) -> Result {
    var result: Result?
    try perform(selector) { (writer) throws(ConversionError) in
      for argument in repeat each arguments {
        try writer.write { (writer) throws(ConversionError) in try argument.write(to: &writer) }
      }
    } reading: { (value) throws(ConversionError) in
      result = try Result.read(value)
    }
    guard let result else { throw EvaluationError.interrupted }
    return result
  }

  /// Sends a message with values whose types are not known.
  func answer<Result: ScriptConvertible>(
    to selector: String, listed arguments: [any ScriptConvertible]
  ) throws(EvaluationError) -> Result {
    var result: Result?
    try perform(selector) { (writer) throws(ConversionError) in
      for argument in arguments {
        try writer.write { (writer) throws(ConversionError) in try argument.write(to: &writer) }
      }
    } reading: { (value) throws(ConversionError) in
      result = try Result.read(value)
    }
    guard let result else { throw EvaluationError.interrupted }
    return result
  }

  /// Sends a message whose answer is lent.
  @usableFromInline
  func perform(
    _ selector: String, _ arguments: (inout ArgumentsWriter) throws(ConversionError) -> Void,
    reading: (borrowing ValueReader) throws(ConversionError) -> Void
  ) throws(EvaluationError) {
    let machine = try living()
    do throws(CallError) {
      try machine.call(self, selector, arguments, reading: reading)
    } catch {
      throw EvaluationError(error, in: machine)
    }
  }

  /// The interpreter, which must be there.
  private func living() throws(EvaluationError) -> Machine {
    guard let machine else {
      throw .conversion(
        ConversionError(
          expected: "a handle of an interpreter", found: "one of an interpreter that is closed"))
    }
    return machine
  }
}

// MARK: - Messages by name

/// A value of a script whose messages are written like methods of Swift.
///
///     let tank = try interpreter.evaluate("Tank new", as: DynamicHandle.self)
///     try tank.fill(30)                       // fill: 30
///     try tank.at("left", put: 2)             // at: 'left' put: 2
///     let level: Int = try tank.level()
@dynamicMemberLookup
public struct DynamicHandle: ScriptConvertible {
  /// The value.
  public let handle: Handle

  /// Creates a view of a value.
  public init(_ handle: Handle) { self.handle = handle }

  /// A message to the value, still to be sent.
  public subscript(dynamicMember name: String) -> DynamicMessage {
    DynamicMessage(receiver: handle, name: name)
  }

  /// Reads any value.
  public static func read(_ value: borrowing ValueReader) throws(ConversionError) -> DynamicHandle {
    DynamicHandle(value.handle)
  }

  /// Writes the value.
  ///
  /// - Throws: `ConversionError` when it is one of another interpreter.
  public func write(to writer: inout ValueWriter) throws(ConversionError) {
    try writer.write(handle)
  }
}

/// A message that is sent by calling it: the labels of the arguments are the parts of the selector.
@dynamicCallable
public struct DynamicMessage {
  fileprivate let receiver: Handle
  fileprivate let name: String

  /// Sends the message.
  ///
  /// - Throws: `EvaluationError`, as `Handle.send`.
  @discardableResult
  public func dynamicallyCall(
    withKeywordArguments arguments: KeyValuePairs<String, any ScriptConvertible>
  ) throws(EvaluationError) -> Handle {
    try receiver.answer(to: selector(arguments), listed: arguments.map(\.value))
  }

  /// Sends the message and reads the answer.
  ///
  /// - Throws: `EvaluationError`, as `Handle.send`.
  public func dynamicallyCall<Result: ScriptConvertible>(
    withKeywordArguments arguments: KeyValuePairs<String, any ScriptConvertible>
  ) throws(EvaluationError) -> Result {
    try receiver.answer(to: selector(arguments), listed: arguments.map(\.value))
  }

  private func selector(_ arguments: KeyValuePairs<String, any ScriptConvertible>) -> String {
    if arguments.isEmpty { return name }
    return name + ":" + arguments.dropFirst().map { $0.key + ":" }.joined()
  }
}
