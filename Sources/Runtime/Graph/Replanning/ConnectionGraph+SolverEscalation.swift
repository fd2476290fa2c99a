internal import TenonSolverKit

// A region whose solver cannot let a place be written goes to the next solver that can.

/// A region that has got another solver since the last turn ended well, with the one it had.
struct SolverEscalation {
  let region: Region
  let solver: any ConnectorSolver
  let name: String
  /// The cell that was written, the connections that stood against it, and the objections of the solvers
  /// that were asked before the one that took the region.
  let cell: CellID
  let above: [Connection]
  let objections: [String]
}

extension ConnectionGraph {
  /// Tells a region's solver of a cell that is about to be written; when it cannot let that be, a
  /// solver that costs more takes the region over.
  ///
  /// - Throws: a failure that names what determines the cell, and what the other solvers have
  ///   against the region; nothing has changed then.
  /// - Complexity: what the solver's `edit` costs; O(the region) when it is handed over.
  func tell(
    _ region: Region, of cell: CellID, age: UInt64, isPinned: Bool
  ) throws(Failure) {
    do throws(SolverConflict) {
      try region.solver.edit(cell, age: age, isPinned: isPinned)
    } catch {
      let above = error.formulas.compactMap { self[$0]?.connection }.withoutRepetitions
      var objections: [String] = []
      let edit = (cell: cell, age: age, isPinned: isPinned)
      guard let next = otherSolver(for: region, edit, &objections) else {
        throw .overdetermined(displayName(of: cell), by: above, objections)
      }
      record(
        .solver(
          SolverEscalation(
            region: region, solver: region.solver, name: region.solverName, cell: cell,
            above: above, objections: objections)))
      region.solver = next.solver
      region.solverName = next.name
      region.isHandedOver = true
    }
  }

  /// A solver that costs more than a region's own, has its constraints and lets a cell be written.
  private func otherSolver(
    for region: Region, _ edit: (cell: CellID, age: UInt64, isPinned: Bool),
    _ objections: inout [String]
  ) -> (solver: any ConnectorSolver, name: String)? {
    // What a program has chosen is not exchanged.
    guard !(region.solver is ScriptSolver), wantedSolver(of: Array(region.constraints)) == nil
    else {
      return nil
    }
    let own = type(of: region.solver)
    for solver in replanning.solvers where solver.cost > own.cost {
      let described = self.region(of: Array(region.constraints), withSums: true, region.pinned)
      if case .no(let refusals) = solver.accept(described) {
        objections += objection(in: refusals, of: solver.name)
        continue
      }
      if described.constraints.contains(where: { $0.linear != nil }),
        let wordless = noNumber(in: region)
      {
        objections.append("\(solver.name): '\(displayName(of: wordless))' holds no number")
        continue
      }
      let made = solver.init()
      var conflict = fill(made, region.cells.sorted(), described.constraints)
      if conflict == nil {
        do throws(SolverConflict) {
          try made.edit(edit.cell, age: edit.age, isPinned: edit.isPinned)
        } catch {
          conflict = error
        }
      }
      guard let conflict else { return (made, solver.name) }
      objections.append("\(solver.name): \(self.conflict(conflict, about: nil).message)")
    }
    return nil
  }

  /// A cell of a region that holds something else than a number; nothing counts as that where something
  /// else determines the cell, so that none can be computed for it.
  private func noNumber(in region: Region) -> CellID? {
    region.cells.sorted().first { cell in
      number(of: cell).map { !$0.isFinite } ?? region.pinned.contains(cell)
    }
  }

  /// The failure for a conflict that ends a turn: what all solvers had against the write, too, when
  /// another one has taken the region over because of it and cannot settle it either.
  func failure(ending conflict: SolverConflict) -> Failure {
    var failure = self.conflict(conflict, about: nil)
    defer { halt.refusing = nil }
    for case .solver(let entry) in log.structure.changes.reversed()
    where entry.region === halt.refusing {
      failure = .overdetermined(
        displayName(of: entry.cell), by: entry.above,
        entry.objections + ["\(entry.region.solverName): \(failure.message)"])
      break
    }
    failure.isRefusal = true
    return failure
  }

  // MARK: Back to a solver that costs less

  /// Has a region that some constraint has left kept by the solver that would keep it had that one never
  /// been there: it may have been because of it that a solver had to be taken that costs more.
  ///
  /// Where a write was the reason, it stays so.
  ///
  /// - Returns: whether it was made anew.
  /// - Complexity: O(the region), once for all that have left it since the last write.
  func reconsiderSolver(of region: Region) -> Bool {
    guard region.isToBeReconsidered, region.transaction.isEmpty, !region.isWaiting else {
      return false
    }
    region.mayCostLess = false
    region.hasNewDirections = false
    // What only a solver of sums keeps, no other will.
    for constraint in region.constraints where constraint.equation != nil { return false }
    let own = type(of: region.solver)
    guard wantedSolver(of: Array(region.constraints)) == nil,
      replanning.solvers.contains(where: { $0.cost < own.cost })
    else { return false }
    let described = self.region(of: Array(region.constraints), withSums: false, region.pinned)
    for solver in replanning.solvers where solver.cost < own.cost {
      guard case .yes = solver.accept(described) else { continue }
      breakUp(region)
      return true
    }
    return false
  }
}
