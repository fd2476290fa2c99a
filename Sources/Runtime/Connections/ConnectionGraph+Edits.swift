internal import TenonTables

// What solvers have been told of writes that come to nothing: they know again when cells were written
// last, and what was computed from what.

extension ConnectionGraph {
  /// A cell of a region that is about to be written.
  struct EditedCell: BitwiseCopyable {
    let cell: CellID
    /// When it was written before; 0 when it never was.
    let age: UInt64
    /// The number of the formula that computed it before, or -1.
    let formula: Int32
    /// How many places were to be taken back then.
    let mark: Int
  }

  /// Remembers what a region's solver knows of a cell before it hears of a write.
  func noteEdit(of cell: CellID, in region: Region) {
    // Who goes by when places were written chooses anew each time.
    let goesByAge = type(of: region.solver).hearsEqualWrites
    edits.append(
      EditedCell(
        cell: cell, age: writes.age(of: cell),
        formula: goesByAge ? -1 : region.solver.formula(computing: cell)?.rawValue ?? -1,
        mark: undo.count))
  }

  /// Has solvers forget writes that are taken back.
  ///
  /// - Parameter mark: How many places were to be taken back when the first of them began.
  /// - Complexity: O(edits), for each that has turned a direction O(the region).
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
    for edit in taken where isInUse(edit.cell) {
      guard edit.formula >= 0, let region = self[edit.cell].region else { continue }
      computeAgain(edit, by: FormulaID(edit.formula), in: region)
    }
  }

  /// Has a solver compute a cell again from what has been written after it, as before the write: what is
  /// computed from it instead keeps its value, the youngest first.
  private func computeAgain(_ edit: EditedCell, by formula: FormulaID, in region: Region) {
    let solver = region.solver
    let younger = computed(from: edit.cell, in: region)
      .filter { writes.age(of: $0) > edit.age }
      .sorted { writes.age(of: $0) > writes.age(of: $1) }
    for cell in younger {
      if solver.formula(computing: edit.cell) == formula { return }
      try? solver.edit(cell, age: writes.age(of: cell), isPinned: self[cell].hasOwner)
    }
  }

  /// The cells of a region that its solver computes from a cell at present.
  ///
  /// - Complexity: O(the region).
  private func computed(from start: CellID, in region: Region) -> [CellID] {
    var outputs: [CellID: [CellID]] = [:]
    for constraint in region.constraints {
      let chosen = constraint.formulas.first {
        region.solver.formula(computing: $0.output) == $0.id
      }
      guard let output = chosen?.output else { continue }
      for cell in constraint.cells where cell != output {
        outputs[cell, default: []].append(output)
      }
    }
    var found: [CellID] = []
    var visited: Set<CellID> = [start]
    var stack = [start]
    while let cell = stack.popLast() {
      for output in outputs[cell] ?? [] where visited.insert(output).inserted {
        found.append(output)
        stack.append(output)
      }
    }
    return found
  }
}
