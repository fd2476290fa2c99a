internal import TenonSolverKit
internal import TenonTables

// The memory of stores written in the language: a cache, a count. Where a formula reads a place, the
// methods of the store may write variables of the store. That is no write by the formula, and the
// formula does not depend on it; other formulas that have read them are told in the next turn.

extension ConnectionGraph {
  /// Schedules the readers of a cell for the next turn.
  func recordRemembered(_ cell: CellID) {
    pending.append(cell)
  }
}
