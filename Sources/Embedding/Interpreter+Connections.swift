public import TenonRuntime

/// A variable of a script, looked up once, for programs that read or write it often.
///
/// It keeps its interpreter alive.
public struct ScriptVariable {
  private let interpreter: Interpreter
  package let cell: VariableCell

  init(_ interpreter: Interpreter, _ cell: VariableCell) {
    self.interpreter = interpreter
    self.cell = cell
  }

  func belongs(to other: Interpreter) -> Bool { interpreter.machine === other.machine }

  /// Its name.
  public var name: String { cell.name }

  /// What it holds.
  public var value: Handle { interpreter.machine.handle(of: cell) }

  /// What it holds as an integer; nil when it is none that an `Int` can hold.
  public var integer: Int? { interpreter.machine.integer(of: cell) }

  /// What it holds as a floating-point number, the nearest one; nil when it is no number.
  public var double: Double? { interpreter.machine.double(of: cell) }

  /// Gives it a value and brings the connections up to date.
  ///
  /// - Throws: `EvaluationError` when a connection determines the variable, or a net does not come
  ///   to rest; the variable is then as it was.
  public func set(_ value: FormulaValue) throws(EvaluationError) {
    _ = try interpreter.finish(interpreter.machine.set(cell, to: value))
  }
}

extension Interpreter {
  /// A variable of the script, declared when it is new.
  public func variable(_ name: String) -> ScriptVariable {
    ScriptVariable(self, machine.variableCell(name))
  }

  /// Keeps a variable equal to what Swift code computes from others: `|=` with a formula in Swift.
  ///
  ///     let celsius = interpreter.variable("celsius")
  ///     let kelvin = interpreter.variable("kelvin")
  ///     try interpreter.connect(kelvin, reading: [celsius]) { inputs in
  ///       inputs.double(0).map { .double($0 + 273.15) } ?? .missing
  ///     }
  ///
  /// The connection takes part in the graph like those of scripts, which see it in `connections`.
  ///
  /// - Parameters:
  ///   - target: The variable that follows the others.
  ///   - inputs: What the formula reads, in the order in which it is given the values; what is named
  ///     twice it is given twice.
  ///   - text: What the connection prints as; made of the names when there is none.
  ///   - formula: Computes the value; it must depend on nothing but its inputs, and not write
  ///     variables.
  /// - Returns: The connection, which understands `disconnect`, `why` and the other messages.
  /// - Throws: `EvaluationError` when another connection determines the target, or a cycle would
  ///   come to be; or when a variable is one of another interpreter.
  @discardableResult
  public func connect(
    _ target: ScriptVariable, reading inputs: [ScriptVariable], text: String? = nil,
    formula: @escaping (borrowing FormulaInputs) -> FormulaValue
  ) throws(EvaluationError) -> Handle {
    guard (inputs + [target]).allSatisfy({ $0.belongs(to: self) }) else {
      throw .conversion(
        ConversionError(
          expected: "variables of this interpreter", found: "one of another interpreter"))
    }
    return try finish(
      machine.connect(target.cell, reading: inputs.map(\.cell), text: text, formula))
  }
}
