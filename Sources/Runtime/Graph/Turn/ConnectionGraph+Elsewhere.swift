internal import TenonSolverKit
internal import TenonTables

// Changes that were made past the name by which a connection knows a place: by another process, in a
// store below, by the end of a directory, to an element that a getter reads. They count as writes of
// the place at the time at which they are taken up.

extension ConnectionGraph {
  /// Takes up a change of a place that was made elsewhere.
  ///
  /// It cannot be refused any more: a formula that determines the place writes its value there again.
  ///
  /// - Parameters:
  ///   - cell: The cell of the place.
  ///   - site: The send that has changed it, if the program has.
  ///   - old: The old value of the place, if it is known: it is restored when the turn is given up.
  /// - Complexity: O(places computed from it), and the cost of `edit` in their solvers.
  func takeUpChange(of cell: CellID, by site: TraceEntry? = nil, old: Value? = nil) {
    let above = computed(from: cell)
    forgetCachedValue(of: cell)
    for each in above { forgetCachedValue(of: each) }
    // Another solver may take over then, with a turn of its own: nothing of this one has begun.
    hearWrite(of: cell, at: clock + 1)
    for each in above { hearWrite(of: each, at: clock + 1) }
    if let old { logOld(old, at: place(of: cell)) }
    if !isSettling, atomicDepth == 0 {
      if storedCells.takenUp.turn != turn + 1 {
        storedCells.takenUp.turn = turn + 1
        storedCells.takenUp.cells.removeAll(keepingCapacity: storedCells.takenUp.cells.count < 16)
        storedCells.takenUp.isForeign = true
      }
      if site != nil || old != nil { storedCells.takenUp.isForeign = false }
      storedCells.takenUp.cells.insert(cell)
      storedCells.takenUp.cells.formUnion(above)
    }
    takeBack(cell)
    recordWrite(to: cell, by: site)
  }

  /// Records for each place that is computed from a cell, at any number of removes, that a cell below it has
  /// changed, whoever has changed that.
  ///
  /// - Complexity: O(these places, and the readers and observers that are told of them).
  func didChange(above cell: CellID) {
    for property in computed(from: cell) {
      hearWrite(of: property)
      countChange(of: property.rawValue)
      if hot[property.rawValue].kind == .stored {
        forgetCachedValue(of: property)
        takeBack(property)
        // Another name of a place is no result of the formula that has written this one: the solver at
        // work does not know that they are one.
        let outer = isRunningFormula
        isRunningFormula = false
        queueReaders(of: property)
        isRunningFormula = outer
      } else {
        queueReaders(of: property)
      }
      tellWatchers(of: property)
    }
  }

  /// Returns whether the next turn begins with nothing but changes that were made elsewhere.
  func consistsOfTakenUp() -> Bool {
    storedCells.takenUp.turn == turn + 1 && !storedCells.takenUp.cells.isEmpty
      && scheduledFormulas.allSatisfy { storedCells.takenUp.cells.contains($0.output) }
      && (0..<pending.count).allSatisfy { storedCells.takenUp.cells.contains(pending[$0]) }
  }

  /// Schedules the formulas that determine the places changed elsewhere, after their solvers have refused
  /// the values that are there now.
  ///
  /// - Returns: Whether there are such formulas.
  func withdrawTakenUp() -> Bool {
    var found = false
    for cell in storedCells.takenUp.cells.sorted() where isInUse(cell) {
      guard let region = cells[cell.index].region else { continue }
      forgetCachedValue(of: cell)
      for constraint in region.constraints where constraint.cells.contains(cell) {
        for formula in constraint.formulas where formula.equation != nil || formula.output == cell {
          scheduledFormulas.append(formula)
          found = true
        }
      }
    }
    return found
  }

  /// Marks connections as failed that read places which were changed outside of the program: the
  /// consequences are refused, and the old values of the places cannot be restored.
  ///
  /// - Returns: Whether there are such connections.
  func failTakenUp(because failure: Failure) -> Bool {
    guard storedCells.takenUp.isForeign else { return false }
    var found = false
    for cell in storedCells.takenUp.cells.sorted() where isInUse(cell) {
      if failReaders(of: cell, because: failure) { found = true }
    }
    return found
  }

  /// Marks connections as failed that read a place.
  ///
  /// - Returns: Whether there are such connections.
  @discardableResult
  func failReaders(of cell: CellID, because failure: Failure) -> Bool {
    let joined = self[cell].region?.constraints.filter { $0.cells.contains(cell) } ?? []
    let formulas = Array(self[cell].readers) + joined.flatMap(\.formulas)
    for formula in formulas {
      if formula.connection.isInvariant {
        formula.state = .failed(failure.message)
      } else {
        machine.record(failure, of: formula)
      }
    }
    return !formulas.isEmpty
  }

  /// Schedules the formula that determines a cell, after another value was written there.
  func takeBack(_ cell: CellID) {
    if let owner = owner(of: cell), !hasFailed(owner.id.rawValue) { runAgain(owner) }
  }

  /// Runs a formula in the current turn, so that it is given up with that; else in the next one.
  private func runAgain(_ formula: Formula) {
    if isSettling { enqueue(formula) } else { scheduledFormulas.append(formula) }
  }

  /// Refuses a write of a connection to a place that another one determines, by whatever name.
  ///
  /// The place has the value already; the connection that determines it writes its own value again.
  ///
  /// - Throws: a failure that names the connection that determines the place.
  func refuseForeignWrite(to cell: CellID) throws(Failure) {
    guard writeState.writing != nil || watchers.observers.write != nil, !writeState.isTakingBack
    else {
      return
    }
    for each in [cell] + computed(from: cell) {
      guard let owner = owner(of: each), !hasFailed(owner.id.rawValue),
        !owner.connection.allowsOverride, owner.connection.strength == .required
      else { continue }
      throw .determined(displayName(of: each), by: owner.connection)
    }
  }

  /// Returns the cells of the places that are computed from one, at any number of removes; not of one that
  /// is just being written, which gets no echo of that.
  func computed(from cell: CellID) -> [CellID] {
    if cells[cell.index].properties.isEmpty { return [] }
    // Places of stores may be computed from one another in a circle.
    var found: [CellID] = []
    var seen: Set<CellID> = [cell]
    var next: CellID? = cell
    var count = 0
    while let each = next {
      for property in cells[each.index].properties
      where property != writeState.writing && property != storedCells.storing
        && seen.insert(property).inserted
      {
        found.append(property)
      }
      next = count < found.count ? found[count] : nil
      count += 1
    }
    return found
  }

  /// Tells the solver of a cell's region that the cell was written, so that it does not give way,
  /// if the solver can keep its value; else another value is written again.
  func hearWrite(of cell: CellID, at age: UInt64? = nil) {
    guard cells[cell.index].isInRegion else { return }
    do throws(Failure) {
      try tellRegion(of: cell, age: age ?? clock)
    } catch {
      guard let id = self[cell].region?.solver.formula(computing: cell), let formula = self[id]
      else { return }
      runAgain(formula)
    }
  }
}
