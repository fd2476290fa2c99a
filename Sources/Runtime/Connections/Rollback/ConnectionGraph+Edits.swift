internal import TenonSolverKit
internal import TenonTables

// What solvers have been told of writes that come to nothing: they know again when cells were written
// last, by which they choose what is computed from what.

extension ConnectionGraph {
  /// Logs when a cell of a region was written before its solver hears of a write.
  func logEdit(of cell: CellID) { log.logEdit(of: cell, age: writes.age(of: cell)) }

  /// Restores the ages that cells had before solvers were told of writes, the latest first.
  ///
  /// - Complexity: what the solvers' `edit` costs, for each.
  func restoreEdits(since first: Int) {
    var index = log.count - 1
    while index >= first {
      if let edit = log.edit(at: index) { restore(edit) }
      index -= 1
    }
  }

  /// Restores the edits after the last value that was logged: of a write that was refused.
  func restoreLastEdits() {
    while let edit = log.removeLastEdit() { restore(edit) }
  }

  private func restore(_ edit: (cell: CellID, age: UInt64)) {
    guard isInUse(edit.cell) else { return }
    if writes.age(of: edit.cell) != edit.age { writes.setAge(edit.age, of: edit.cell) }
    guard let region = self[edit.cell].region else { return }
    try? region.solver.edit(edit.cell, age: edit.age, isPinned: self[edit.cell].hasOwner)
  }
}
