internal import TenonLexer
public import TenonRuntime

/// A text that has been parsed, checked and compiled, and can be run often.
///
///     let area = try interpreter.compile("width * height", parameters: ["width", "height"])
///     let square = try area.run(3, 3, as: Int.self)
///
/// Its own variables are new in each run; those of the script are there as well. It keeps its
/// interpreter alive.
public struct Program {
  private let interpreter: Interpreter
  /// The program as a block of the language.
  public let block: Handle

  init(_ interpreter: Interpreter, _ block: Handle) {
    self.interpreter = interpreter
    self.block = block
  }

  /// Runs the program and answers the value of its last statement.
  ///
  /// - Throws: `EvaluationError` when there are not as many values as parameters, an exception was not
  ///   handled, a limit was exceeded, or somebody asked the program to stop.
  @inlinable @discardableResult
  public func run<each Argument: ScriptConvertible>(
    _ arguments: repeat each Argument
  ) throws(EvaluationError) -> Handle {
    try block.answer(to: "value", repeat each arguments)
  }

  /// Runs the program and answers the value of its last statement as one of Swift.
  ///
  /// - Throws: `EvaluationError`, as the form that answers a handle; also when the value is of another
  ///   kind.
  @inlinable
  public func run<each Argument: ScriptConvertible, Result: ScriptConvertible>(
    _ arguments: repeat each Argument, as type: Result.Type
  ) throws(EvaluationError) -> Result {
    try block.answer(to: "value", repeat each arguments)
  }
}

extension Interpreter {
  /// Compiles a text whose parameters get their values when it is run.
  ///
  /// It consists of statements; definitions and imports stand in what `evaluate` is given. `^` ends a
  /// run.
  ///
  /// - Throws: `EvaluationError.syntax` when the text is wrong.
  public func compile(
    _ text: String, parameters: [String] = [], name: String = "<program>"
  ) throws(EvaluationError) -> Program {
    let source = SourceText(name: name, text)
    let outcome = machine.compileBlock(source, parameters: parameters)
    if case .rejected(let diagnostics, _) = outcome {
      throw .syntax(diagnostics.map { $0.rendered(in: source) }.joined(separator: "\n"))
    }
    return Program(self, try finish(outcome))
  }
}
