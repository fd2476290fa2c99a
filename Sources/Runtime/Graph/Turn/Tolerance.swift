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
