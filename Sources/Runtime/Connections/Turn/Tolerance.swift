internal import TenonSolverKit
internal import TenonTables

// Connections that ignore small differences.

/// The amount by which a new value may differ from the old one without counting as a change.
struct Tolerance {
  /// The argument that the program gave.
  let value: Value
  let number: SolverNumber
}

extension ConnectionGraph {
  /// Returns whether the connection of a formula takes a new value as equal to the old one.
  @inline(never)
  func isWithinTolerance(_ old: Value, _ new: Value, of number: Int32) -> Bool {
    guard hotFormulas[number].isTolerant,
      let tolerance = self[FormulaID(number)]?.connection.tolerance
    else { return false }
    return machine.differ(old, new, byAtMost: tolerance.number)
  }

  /// Returns whether a place has kept, as a float, the number that a formula has given it in this turn.
  func isKept(_ value: Value, as kept: Value, in output: CellID, by number: Int32) -> Bool {
    guard hot[output.rawValue].writer == number, hot[output.rawValue].turn == words[0].firstTurn,
      let kept = machine.double(kept)
    else { return false }
    return machine.nearestDouble(value) == kept
  }
}

extension Machine {
  /// Returns whether two numbers differ by at most a tolerance, or two points in both coordinates.
  fileprivate func differ(
    _ left: Value, _ right: Value, byAtMost tolerance: SolverNumber
  ) -> Bool {
    if let left = solverNumber(left), let right = solverNumber(right) {
      return (left - right).magnitude <= tolerance
    }
    let point = kernelClass("Point").index
    guard left.isObject(ofClass: point), right.isObject(ofClass: point) else { return false }
    return (0..<2).allSatisfy { slot in
      let (left, right) = (ObjectRef(left)[slot: slot], ObjectRef(right)[slot: slot])
      guard let left = solverNumber(left), let right = solverNumber(right) else { return false }
      return (left - right).magnitude <= tolerance
    }
  }

  /// Sets the tolerance of a connection; nil removes it.
  ///
  /// - Returns: the connection, or `unwind`.
  func setTolerance(
    _ argument: Value, of object: Value
  ) throws(Failure) -> Value {
    var tolerance: Tolerance?
    if !argument.isNil {
      guard let number = solverNumber(argument) else {
        throw .invalidArgument("a number for 'within:'", found: describe(argument))
      }
      guard number >= .zero else {
        throw .invalidArgument("a number from 0 for 'within:'", found: describe(argument))
      }
      tolerance = Tolerance(value: argument, number: number)
    }
    try refuseInSolver()
    guard let connection = connection(object) else { return object }
    if connection.plan?.linear != nil || connection.observer?.kind == .places {
      throw .invalidArgument(
        "a connection that computes a place for 'within:'", found: "'\(connection.text)'")
    }
    let old = connection.tolerance
    connection.tolerance = tolerance
    for formula in connection.formulas {
      graph.hotFormulas[formula.id.rawValue].isTolerant = tolerance != nil
    }
    graph.forgetPlans()
    // Differences within the old tolerance may count now.
    if let old, tolerance.map({ $0.number < old.number }) ?? true {
      graph.scheduledFormulas += connection.formulas
    }
    return settleGraph(answering: object)
  }
}
