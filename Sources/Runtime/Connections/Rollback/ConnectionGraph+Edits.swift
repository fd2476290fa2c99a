internal import TenonSolverKit
internal import TenonTables

// What solvers have been told of writes that come to nothing: they know again when cells were written
// last, by which they choose what is computed from what.

extension ConnectionGraph {
  /// A cell of a region that is about to be written.
  struct EditedCell: BitwiseCopyable {
    let cell: CellID
    /// When it was written before; 0 when it never was.
    let age: UInt64
    /// How many places were to be taken back then.
    let mark: Int
  }

  /// Remembers when a cell of a region was written before its solver hears of a write.
  func logEdit(of cell: CellID) {
    edits.append(EditedCell(cell: cell, age: writes.age(of: cell), mark: undo.count))
  }

  /// Has solvers forget writes that are taken back.
  ///
  /// - Parameter mark: How many places were to be taken back when the first of them began.
  /// - Complexity: what the solvers' `edit` costs, for each.
  func takeBackEdits(since mark: Int = 0) {
    // The latest first.
    var taken: [EditedCell] = []
    while edits.count > 0, edits[edits.count - 1].mark >= mark, let edit = edits.popLast() {
      taken.append(edit)
    }
    for edit in taken where isInUse(edit.cell) {
      if writes.age(of: edit.cell) != edit.age { writes.setAge(edit.age, of: edit.cell) }
      guard let region = self[edit.cell].region else { continue }
      try? region.solver.edit(edit.cell, age: edit.age, isPinned: self[edit.cell].hasOwner)
    }
  }
}
