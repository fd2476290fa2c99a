internal import TenonSolverKit
internal import TenonTables

// Regions that become one: the constraints of the smaller ones go to the solver of the largest.

extension ConnectionGraph {
  /// Merges the others of several regions and a constraint that joins them into the largest.
  ///
  /// So a net that is built from the middle of many places at once is built in O(n log n) steps: a
  /// constraint moves only to a region that is twice as large.
  ///
  /// - Returns: the region, and the cells that are new there; nil when they have to get a new solver:
  ///   their solvers differ or are of the language, some constraint is soft, so that the order in which they
  ///   came counts, or the solver finds a conflict. Nothing has changed then.
  /// - Complexity: O(the smaller regions), as far as the solver goes.
  func absorb(
    _ regions: [Region], _ constraint: Constraint, _ description: ConstraintIR
  ) -> (region: Region, entering: [CellID])? {
    guard let largest = regions.max(by: { $0.constraints.count < $1.constraints.count }),
      regions.count > 1, constraint.region == nil, constraint.strength == .required,
      regions.allSatisfy({ region in
        !region.hasWishes && type(of: region.solver) == type(of: largest.solver)
          && !(region.solver is ScriptSolver)
      }), isAccepted(constraint, description, by: largest)
    else { return nil }
    let others = regions.filter { $0 !== largest }
    let moved = others.flatMap(\.constraints)
    let withSums = largest.solvesSums
    regionWork.structuralWork += moved.count
    let entering = Set(others.flatMap(\.cells) + constraint.cells)
      .filter { !largest.cells.contains($0) }.sorted()
    guard
      take(moved.map { describe($0, withSums: withSums) } + [description], entering, into: largest)
    else { return nil }
    for each in moved {
      each.region = largest
      largest.constraints.append(each)
    }
    largest.constraints.append(constraint)
    for other in others { unite(other, with: largest) }
    goOnBeginning(others, in: largest)
    regionCount += 1 - regions.count
    return (largest, entering)
  }

  /// Adds further constraints to a region's solver, all or none.
  private func take(
    _ constraints: [ConstraintIR], _ entering: [CellID], into region: Region
  ) -> Bool {
    var count = 0
    do throws(SolverConflict) {
      for cell in entering { try introduce(cell, to: region.solver) }
      for constraint in constraints {
        try region.solver.add(constraint)
        count += 1
      }
      return true
    } catch {
      for constraint in constraints.prefix(count).reversed() {
        region.solver.remove(constraint.id)
      }
      for cell in entering { region.solver.unpin(cell) }
      return false
    }
  }

  /// Passes the pending work of a region on to the one into which it was merged.
  private func unite(_ other: Region, with region: Region) {
    region.pinned.formUnion(other.pinned)
    if other.hasReads { region.hasReads = true }
    let changes = other.transaction.changed
    let forced = other.transaction.forced
    for cell in changes { region.transaction.changes.append(cell) }
    for formula in forced { region.transaction.forcedFormulas.append(formula) }
    region.transaction.retried.formUnion(other.transaction.retried)
    if other.isWaiting {
      regionWork.waitingRegions.removeAll { $0 === other }
      enqueue(region)
    }
    let isHigher = other.level > region.level
    region.level = max(region.level, other.level)
    if isHigher { for cell in region.cells { raise(cell, to: cells[cell.index].level) } }
  }
}
