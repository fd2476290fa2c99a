public import TenonRuntime

// Swift code that scripts call.

/// Reads the arguments of a call as values of Swift, from the first on.
package struct ArgumentCursor {
  private let call: HostCall
  private var index = 0

  package init(_ call: HostCall) { self.call = call }

  /// The next argument.
  package mutating func next<Value: ScriptConvertible>(
    _ type: Value.Type
  ) throws(ConversionError) -> Value {
    defer { index += 1 }
    return try call.argument(index) { (value) throws(ConversionError) in try Value.read(value) }
  }
}

/// How many types there are.
package func packCount<each Argument>(_: repeat (each Argument).Type) -> Int {
  var count = 0
  func add<Value>(_: Value.Type) { count += 1 }
  repeat add((each Argument).self)
  return count
}

extension Interpreter {
  /// Makes a block of the language whose body is Swift code.
  ///
  ///     interpreter["average"] = interpreter.function { (a: Double, b: Double) in (a + b) / 2 }
  ///     let three = try interpreter.evaluate("average value: 2 value: 4", as: Double.self)
  ///
  /// It can be used wherever a block can. The arguments are converted; what does not fit is an
  /// `InvalidArgument` in the script. What the code throws is a `HostError` there, which the script may
  /// handle; if it does not, the evaluation throws a `ScriptError` whose `cause` is the error. The code
  /// may use the interpreter. It lives as long as the block; what it refers to strongly must not be the
  /// interpreter itself, which would then never go.
  ///
  /// - Parameters:
  ///   - name: What stack traces and the text of the block say.
  ///   - body: The code; it runs on the thread that uses the interpreter.
  /// - Returns: The block.
  public func function<each Argument: ScriptConvertible, Result: ScriptConvertible>(
    _ name: String = "[swift]", _ body: @escaping (repeat each Argument) throws -> Result
  ) -> Handle {
    machine.makeHostBlock(
      argumentCount: packCount(repeat (each Argument).self), named: name
    ) { call, writer in
      var arguments = ArgumentCursor(call)
      let answer = try body(repeat try arguments.next((each Argument).self))
      try answer.write(to: &writer)
    }
  }

  /// Makes a block of the language whose body is Swift code without an answer: it is nil.
  public func function<each Argument: ScriptConvertible>(
    _ name: String = "[swift]", _ body: @escaping (repeat each Argument) throws -> Void
  ) -> Handle {
    machine.makeHostBlock(
      argumentCount: packCount(repeat (each Argument).self), named: name
    ) { call, _ in
      var arguments = ArgumentCursor(call)
      try body(repeat try arguments.next((each Argument).self))
    }
  }

  /// Lets errors of a type be exceptions of a class of their own, which inherits from `HostError`.
  ///
  ///     try interpreter.define(error: TankError.self)
  ///     // [ tank fill: 1000 ] on: TankError do: [ :error | error messageText ]
  ///
  /// - Throws: `EvaluationError` when there is something of that name.
  public func define<Failure: Error>(
    error type: Failure.Type, as name: String = "\(Failure.self)"
  ) throws(EvaluationError) {
    if let problem = machine.defineHostError(type, named: name) {
      throw .conversion(ConversionError(problem))
    }
  }
}
