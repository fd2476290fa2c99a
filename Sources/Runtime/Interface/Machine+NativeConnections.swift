internal import TenonSolverKit
internal import TenonLexer

// Variables and connections of the program that embeds the interpreter.

/// A variable of the script that was looked up once.
package struct VariableCell {
  let cell: ObjectRef
  package let name: String
}

extension Machine {
  /// A variable of the script, declared when it is new.
  package func variableCell(_ name: String) -> VariableCell {
    VariableCell(cell: scriptCell(named: name), name: name)
  }

  /// The value of a variable.
  package func handle(of variable: VariableCell) -> Handle {
    refreshFromOutside(variable.cell)
    let value = variable.cell[slot: 0]
    return handles.makeHandle(value.isUndefined ? .nil : value)
  }

  /// The value of a variable as an integer.
  @inline(__always)
  package func integer(of variable: VariableCell) -> Int? {
    refreshFromOutside(variable.cell)
    return variable.cell[slot: 0].asSmallInteger
  }

  /// The value of a variable as a floating-point number.
  package func double(of variable: VariableCell) -> Double? {
    refreshFromOutside(variable.cell)
    return nearestDouble(variable.cell[slot: 0])
  }

  /// Gives a variable a value and brings the connections up to date.
  package func set(_ variable: VariableCell, to value: FormulaValue) -> RunOutcome {
    withHostEntry { setWithin(variable, to: value) }
  }

  /// Gives a variable a value, within an entry.
  private func setWithin(_ variable: VariableCell, to value: FormulaValue) -> RunOutcome {
    anchorEntry()
    let stored = store(self.value(of: value), into: variable.cell, slot: 0)
    return stored.isUnwind ? endOfHostEntry() : .finished(nilHandle)
  }

  /// Writes integers to a variable one after the other: what a benchmark measures.
  package func writeRepeatedly(_ variable: VariableCell, count: Int, _ value: (Int) -> Int) {
    withEntry {
      anchorEntry()
      let cell = variable.cell
      for round in 0..<count {
        let number = Value(small: value(round))
        if cell.flags & ObjectFlag.guards == 0 {
          cell[slot: 0] = number
        } else {
          _ = store(number, into: cell, slot: 0)
        }
      }
    }
  }

  /// Writes integers to variables so that connections see each round as one change.
  package func writeTogether(
    _ variables: [VariableCell], count: Int, _ value: (_ round: Int, _ index: Int) -> Int
  ) {
    withEntry {
      anchorEntry()
      for round in 0..<count {
        graph.atomicDepth += 1
        for (index, variable) in variables.enumerated() {
          _ = store(Value(small: value(round, index)), into: variable.cell, slot: 0)
        }
        graph.atomicDepth -= 1
        _ = settleGraph(answering: .nil)
      }
    }
  }

  /// What Swift code has computed; `unwind` when it could not, and word of why is left.
  func value(of value: FormulaValue) -> Value {
    switch value {
    case .integer(let integer): makeInteger(integer)
    case .double(let double): makeFloat(double)
    case .string(let string): makeString(string)
    case .boolean(let boolean): Value(boolean)
    case .missing: .nil
    case .failure(let message): fail(message)
    }
  }

  /// Leaves word of why a formula in Swift code has no value.
  private func fail(_ message: String) -> Value {
    graph.failing.nativeFailure = Failure(.error, message)
    return .unwind
  }

  /// Keeps a variable equal to what Swift code computes from others.
  package func connect(
    _ target: VariableCell, reading inputs: [VariableCell], text: String?,
    _ formula: @escaping (borrowing FormulaInputs) -> FormulaValue
  ) -> RunOutcome {
    connectNatively(target, reading: inputs, text: text, .values(formula))
  }

  /// Keeps a variable equal to an integer that Swift code computes from integers.
  package func connect(
    _ target: VariableCell, reading inputs: [VariableCell],
    integers formula: @escaping (IntegerInputs) -> Int
  ) -> RunOutcome {
    connectNatively(target, reading: inputs, text: nil, .integers(formula))
  }

  private func connectNatively(
    _ target: VariableCell, reading inputs: [VariableCell], text: String?,
    _ code: NativeCode
  ) -> RunOutcome {
    withHostEntry {
      anchorEntry()
      func operand(_ variable: VariableCell) -> ConnectionSpec.Operand {
        ConnectionSpec.Operand(place: .place(.slot(variable.cell, 0)), name: variable.name)
      }
      let plan = ConnectionSpec(
        target: operand(target), block: nil, other: nil, reads: inputs.map { operand($0) },
        native: code)
      let value = connect(
        plan, connector: "|=", text: text, source: nativeSource, range: SourceRange.none,
        site: nil)
      return value.isUnwind ? endOfHostEntry() : .finished(handles.makeHandle(value))
    }
  }
}
