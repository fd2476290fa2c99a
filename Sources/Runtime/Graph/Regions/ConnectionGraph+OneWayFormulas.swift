internal import TenonSolverKit
internal import TenonTables

// Formulas of one direction: the owners of places, and the levels at which they are computed.

extension ConnectionGraph {
  func enforceOneWay(_ constraint: Constraint, _ formula: Formula) throws(Failure) {
    if let owner = self[formula.output].owner, owner != formula {
      switch replace(owner, by: formula) {
      case true: break
      case false: return retract(constraint, formula)
      case nil:
        guard connecting.batchDepth > 0 else {
          throw .determinedAlready(displayName(of: formula.output), by: owner.connection)
        }
        return contest(constraint)
      }
    }
    do throws(Failure) {
      do throws(Failure) {
        try refuseCycle(from: formula.output, to: formula.inputs, through: formula)
      } catch {
        guard replanning.mayContest, !error.isUnwinding else { throw error }
        // With an inverse it becomes part of the constraints with which it closes a cycle.
        return contest(constraint)
      }
      try determine(constraint, formula)
    } catch {
      guard standsBack(formula, because: error) else { throw error }
      retract(constraint, formula)
    }
  }

  /// Makes a formula of one direction determine its place: no cycle closes.
  private func determine(_ constraint: Constraint, _ formula: Formula) throws(Failure) {
    let output = formula.output
    markEmptiness(of: output)
    let level = highestLevel(of: formula.inputs)
    try insert(constraint, formula, level: level)
    cells[output.index].ownerNumber = formula.id.rawValue
    touch(output)
    setFlag(CellFlag.determined, of: output, to: true)
    beginLaziness(of: formula)
    for input in formula.inputs { addReader(formula, to: input) }
    if let region = self[output].region {
      do throws(SolverConflict) {
        try introduce(output, to: region.solver)
        region.pinned.insert(output)
        // Failed formulas may be computed in another direction from now on.
        if hasFailures { lookAgain(beside: output) }
      } catch {
        release(constraint, formula)
        throw conflict(error, about: formula)
      }
    }
    raise(output, to: level)
    scheduledFormulas.append(formula)
  }

  /// Removes a one-way constraint from its solver.
  func release(_ constraint: Constraint, _ formula: Formula) {
    levels[constraint.level].solver.remove(formula.levelID)
    // Its readers stay at that level.
    if constraint.level > 0 { setFlag(CellFlag.hasForeignReaders, of: formula.output, to: true) }
    constraint.level = -1
    if self[formula.output].owner == formula {
      cells[formula.output.index].ownerNumber = -1
      touch(formula.output)
      // None of the remaining formulas raises its level, by which paths are searched.
      cells[formula.output.index].level = 0
      setFlag(CellFlag.determined, of: formula.output, to: false)
      if let region = self[formula.output].region { unpin(formula.output, in: region) }
    }
    for input in formula.inputs { removeReader(formula, from: input) }
    endRecording(of: formula)
    endLaziness(of: formula)
  }

  /// Gives a one-way constraint to the solver of a level.
  private func insert(
    _ constraint: Constraint, _ formula: Formula, level: Int
  ) throws(Failure) {
    let description = levelDescription(of: constraint, formula)
    while levels.count <= level {
      let solver = try makeSolver(for: RegionIR(constraints: [description], pinned: []))
      levels.append(
        Level(
          solver: solver.solver,
          transaction: levels.isEmpty ? baseTransaction : makeTransaction()))
    }
    do throws(SolverConflict) { try levels[level].solver.add(description) } catch {
      throw conflict(error, about: formula)
    }
    constraint.level = level
    for input in formula.inputs { recordReading(of: input, by: formula) }
    if hot[formula.output.rawValue].flags & CellFlag.read != 0 {
      for reader in readers(of: formula.output) where !isAt(level, reader) {
        setFlag(CellFlag.hasForeignReaders, of: formula.output, to: true)
        break
      }
    }
  }

  /// Records that a formula reads a cell, which another solver may compute.
  private func recordReading(of cell: CellID, by formula: Formula) {
    if hot[cell.rawValue].flags & CellFlag.hasForeignReaders != 0 { return }
    if !isAt(levelOfSolver(of: cell), formula) {
      setFlag(CellFlag.hasForeignReaders, of: cell, to: true)
    }
  }

  /// Returns whether a formula is one of those that the solver of a level runs.
  func isAt(_ level: Int, _ formula: Formula) -> Bool {
    formula.constraint.map { $0.region == nil && $0.level == level } ?? false
  }

  /// Returns the level of the solver that computes a cell: the lowest where none does.
  func levelOfSolver(of cell: CellID) -> Int {
    max(0, self[cell].owner?.constraint?.level ?? 0)
  }

  /// Sets the inputs of a formula from the reads of its last run.
  ///
  /// - Throws: a failure when that closes a cycle; the formula then keeps its old inputs.
  func setDynamicInputs(_ inputs: [CellID], of formula: Formula) throws(Failure) {
    let old = formula.dynamicInputs
    let textReads = formula.textReads
    let new = takeReads(inputs, of: formula)
    guard new != old || formula.textReads != textReads else { return }
    if new != old { logReads(of: formula) }
    do throws(Failure) { try changeDynamicInputs(new, of: formula) } catch {
      formula.textReads = textReads
      throw error
    }
  }

  /// Sets the inputs of a formula besides those that its text names.
  ///
  /// - Throws: a failure when that closes a cycle; the formula then keeps its old inputs.
  func changeDynamicInputs(_ new: [CellID], of formula: Formula) throws(Failure) {
    let old = formula.dynamicInputs
    if new.contains(formula.output) { throw cycle([formula.output], through: [formula]) }
    guard let constraint = formula.constraint, constraint.level >= 0 else {
      try setDynamicInputs(new, ofMultiWay: formula)
      return
    }
    // There is no cycle through its former inputs.
    let before = formula.inputs
    let added = new.filter { !before.contains($0) }
    if !added.isEmpty { try refuseCycle(from: formula.output, to: added, through: formula) }
    formula.dynamicInputs = new
    let level = highestLevel(of: formula.inputs)
    if level > constraint.level {
      levels[constraint.level].solver.remove(formula.levelID)
      try insert(constraint, formula, level: level)
    } else {
      do throws(SolverConflict) {
        try levels[constraint.level].solver.add(
          levelDescription(of: constraint, formula))
      } catch {
        formula.dynamicInputs = old
        throw conflict(error, about: formula)
      }
    }
    let gone = Set(old).subtracting(new)
    let known = Set(old)
    for input in new where !known.contains(input) { addReader(formula, to: input) }
    for input in old where gone.contains(input) { removeReader(formula, from: input) }
    raise(formula.output, to: constraint.level)
    release(gone.sorted())
  }

  /// Sets the dynamic inputs of a formula of several directions, besides the variables of the
  /// constraint: a change there schedules the constraint.
  private func setDynamicInputs(
    _ new: [CellID], ofMultiWay formula: Formula
  ) throws(Failure) {
    guard let constraint = formula.constraint, let region = constraint.region else { return }
    let old = formula.dynamicInputs
    if region.isLoose, new.contains(where: { self[$0].region === region }) {
      // The cell may be read only, and not joined.
      separateSplitRegions()
      return try setDynamicInputs(new, ofMultiWay: formula)
    }
    var new = new.filter { self[$0].region !== region }
    if constraint.hasRequestedSolver {
      // Cells that its text names and that do not join it with others remain inputs.
      let cells = Set(constraint.cells)
      new += formula.staticInputs.filter { !cells.contains($0) }
    }
    guard new != old else { return }
    if !new.isEmpty, let way = way(from: region.cells.sorted(), to: Set(new)) {
      if separateSplitRegions() { return try setDynamicInputs(new, ofMultiWay: formula) }
      throw cycle(way.cells, through: [formula] + way.formulas)
    }
    unlinkDynamicInputs(of: formula)
    formula.dynamicInputs = new
    linkDynamicInputs(of: formula)
    if !new.isEmpty { region.hasReads = true }
    settleLevel(of: region, for: constraint, entering: [])
    if let cell = regionWork.cellOfCycle {
      regionWork.cellOfCycle = nil
      throw cycle([cell], through: [formula])
    }
    release(Set(old).subtracting(new).sorted())
  }

  func linkDynamicInputs(of formula: Formula) {
    for input in formula.dynamicInputs { addReader(formula, to: input) }
  }

  func unlinkDynamicInputs(of formula: Formula) {
    for input in formula.dynamicInputs { removeReader(formula, from: input) }
  }

  private func addReader(_ formula: Formula, to cell: CellID) {
    cells[cell.index].addReader(formula.id.rawValue)
    setFlag(CellFlag.read, of: cell, to: true)
    recordReading(of: cell, by: formula)
    touch(cell)
    recordReader(formula, of: cell, isNew: true)
  }

  private func removeReader(_ formula: Formula, from cell: CellID) {
    cells[cell.index].removeReader(formula.id.rawValue)
    setFlag(CellFlag.read, of: cell, to: cells[cell.index].hasReaders)
    touch(cell)
    recordReader(formula, of: cell, isNew: false)
  }

  func highestLevel(of cells: [CellID]) -> Int {
    cells.map { level(of: $0) }.max() ?? 0
  }

  /// Returns the level at which a cell's value is settled.
  func level(of cell: CellID) -> Int {
    max(cells[cell.index].level, cells[cell.index].region?.level ?? 0)
  }

  /// Raises the dependents of a cell whose region was raised.
  func raiseReaders(of cell: CellID) {
    raise([(cell, nil)])
  }

  /// Raises a cell, and everything that depends on it, to the level of the formula that determines it.
  func raise(_ cell: CellID, to level: Int) {
    raise([(cell, level)])
  }

  private func raise(_ start: [(cell: CellID, level: Int?)]) {
    var stack = start
    var steps = 0
    // No path without a cycle goes through a region twice.
    var limit = Int.max
    while let (cell, level) = stack.popLast() {
      steps += 1
      if steps & 4_095 == 0 {
        if machine.noticeInterrupt() { return }
        if limit == Int.max { limit = highestLevel + regionCount + 1 }
        guard self.level(of: cell) <= limit else {
          regionWork.cellOfCycle = cell
          return
        }
      }
      // Without a level it is a member of a region that was raised: its own stays.
      if let level {
        if cells[cell.index].level < level { cells[cell.index].level = level }
        if let region = cells[cell.index].region, self[cell].hasOwner,
          region.level <= level
        {
          region.level = level + 1
          for member in region.cells where member != cell { stack.append((member, nil)) }
        }
      }
      let effective = self.level(of: cell)
      for reader in readers(of: cell) {
        guard let constraint = reader.constraint else { continue }
        if let region = constraint.region, region.level <= effective,
          region !== cells[cell.index].region
        {
          region.level = effective + 1
          for member in region.cells { stack.append((member, nil)) }
        }
        guard constraint.level >= 0, constraint.level < effective else { continue }
        levels[constraint.level].solver.remove(reader.levelID)
        // The order has no cycle: the solver of the level above cannot refuse.
        try? insert(constraint, reader, level: effective)
        stack.append((reader.output, effective))
      }
    }
  }
}
