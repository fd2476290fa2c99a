internal import TenonSolverKit
internal import TenonTables

// Constraints of several directions: the regions that they form, and the cells with which a new one begins.

extension ConnectionGraph {
  func enforceMultiWay(
    _ constraint: Constraint, new: [Formula], origin: CellID?
  ) throws(Failure) {
    let wasOneWay = constraint.level >= 0
    let wasAwaitingInverse = constraint.isAwaitingInverse
    let wasYielded = forgetYielded(constraint)
    let first = constraint.formulas[0]
    if wasOneWay { release(constraint, first) }
    if wasAwaitingInverse {
      replanning.awaitingInverse.removeAll { $0 == constraint }
      constraint.isAwaitingInverse = false
    }
    do throws(Failure) {
      try refuseCycle(throughConstantsOf: constraint)
      try join(constraint)
    } catch {
      if replanning.mayContest, !wasYielded, !error.isUnwinding, isMadeOfStatements(constraint) {
        // Another direction of it, or of a conflicting constraint, may come yet.
        return contest(constraint)
      }
      if constraint.equation != nil { constraint.region = nil }
      if wasOneWay {
        // It was in force in one direction; it can be again.
        let formulas = constraint.formulas
        constraint.formulas = [first]
        try? enforceOneWay(constraint, first)
        constraint.formulas = formulas
      }
      if wasYielded { replanning.yielded.append(constraint) }
      if wasAwaitingInverse {
        // It goes on waiting for another inverse.
        constraint.isAwaitingInverse = true
        replanning.awaitingInverse.append(constraint)
      }
      throw error
    }
    if wasOneWay || constraint.equation != nil { linkDynamicInputs(of: first) }
    // A formula that was in force before with another solver keeps its dynamic inputs.
    if constraint.hasRequestedSolver { new.forEach { linkDynamicInputs(of: $0) } }
    satisfy(constraint, new: new, origin: origin, wasSatisfied: wasOneWay)
  }

  /// Returns whether each formula of a constraint is a required statement, so that there may be more.
  private func isMadeOfStatements(_ constraint: Constraint) -> Bool {
    guard constraint.equation == nil, !constraint.hasRequestedSolver,
      constraint.strength == .required
    else {
      return false
    }
    return constraint.formulas.allSatisfy { $0.connection.onlyFormula != nil }
  }

  /// Puts a constraint of several directions into the region that its cells form.
  func join(_ constraint: Constraint) throws(Failure) {
    do throws(Failure) {
      try joinAsItStands(constraint)
    } catch {
      // The obstacle may be constraints that are kept together and need not be.
      guard separateSplitRegions() else { throw error }
      try joinAsItStands(constraint)
    }
  }

  private func joinAsItStands(_ constraint: Constraint) throws(Failure) {
    let involved = constraint.cells.compactMap { self[$0].region }.unique()
    // Further directions may come with the next statements: those can wait for the first write.
    for region in involved where region.mayCostLess && reconsiderSolver(of: region) {
      return try joinAsItStands(constraint)
    }
    if try hasCycle(throughReadsOf: involved, constraint) { return try joinAsItStands(constraint) }
    try refuseCycle(throughTruthsOf: involved, constraint)
    let ownPins = constraint.cells.filter { self[$0].hasOwner }
    let isPinned = !ownPins.isEmpty || involved.contains { !$0.pinned.isEmpty }
    if isPinned { try refuseCycle(around: involved, pins: ownPins, constraint) }
    let description = describe(
      constraint,
      withSums: constraint.equation != nil || involved.contains(where: \.solvesSums))
    let region: Region
    let entering: [CellID]
    let isNew = constraint.region == nil
    if involved.count == 1, isAccepted(constraint, description, by: involved[0]),
      try extend(involved[0], by: constraint, description)
    {
      region = involved[0]
      entering = constraint.cells.filter { !region.cells.contains($0) }
    } else {
      if involved.contains(where: \.isLoose), separateSplitRegions() {
        return try joinAsItStands(constraint)
      }
      if let largest = absorb(involved, constraint, description) {
        // The regions are one now.
        return try finishJoining(
          constraint, largest.region, ownPins, entering: largest.entering, isNew: true)
      }
      let pinned = involved.reduce(into: Set(ownPins)) { $0.formUnion($1.pinned) }
      region = try merge(involved, with: constraint, pinned: pinned)
      region.pinned = pinned
      regionCount += 1 - involved.count
      entering = Set(region.constraints.flatMap(\.cells)).sorted()
    }
    try finishJoining(constraint, region, ownPins, entering: entering, isNew: isNew)
  }

  /// Records that a region's solver has a constraint, with cells that are new there.
  private func finishJoining(
    _ constraint: Constraint, _ region: Region, _ pins: [CellID], entering: [CellID], isNew: Bool
  ) throws(Failure) {
    constraint.region = region
    if constraint.strength < .required { region.hasWishes = true }
    if constraint.formulas.contains(where: { !$0.dynamicInputs.isEmpty }) { region.hasReads = true }
    if isNew {
      for cell in constraint.cells { cells[cell.index].regionUses += 1 }
    } else if region.solvesSums, !region.isHandedOver {
      region.hasNewDirections = true
    }
    region.pinned.formUnion(pins)
    for cell in entering {
      cells[cell.index].region = region
      setFlag(CellFlag.hasForeignReaders, of: cell, to: true)
      region.cells.insert(cell)
      touch(cell)
    }
    settleLevel(of: region, for: constraint, entering: entering)
    if let cell = regionWork.cellOfCycle {
      regionWork.cellOfCycle = nil
      leave(constraint)
      throw cycle([cell], through: constraint.formulas.suffix(1))
    }
  }

  /// Raises a region above everything that determines one of its cells, or is read besides by a
  /// constraint that was just added.
  func settleLevel(
    of region: Region, for constraint: Constraint, entering: [CellID]
  ) {
    regionWork.cellOfCycle = nil
    // The formulas that were there before stand below it.
    let pins = constraint.cells + entering
    let pinned = pins.filter { self[$0].hasOwner }.map { self[$0].level }.max() ?? 0
    let below = max(pinned, highestLevel(of: constraint.formulas.flatMap(\.dynamicInputs)))
    let isHigher = below + 1 > region.level
    region.level = max(region.level, below + 1)
    for cell in isHigher ? region.cells.sorted() : entering { raiseReaders(of: cell) }
  }

  /// Adds a constraint to a region.
  ///
  /// - Returns: false when its solver cannot keep it and another one may.
  private func extend(
    _ region: Region, by constraint: Constraint, _ description: ConstraintIR
  ) throws(Failure) -> Bool {
    do throws(SolverConflict) {
      for cell in constraint.cells where !region.cells.contains(cell) {
        try introduce(cell, to: region.solver)
      }
      try region.solver.add(description)
    } catch {
      if case .interrupted = error.kind { throw conflict(error, about: nil) }
      let known = constraint.region === region
      if try hasOtherSolver(for: region.constraints + (known ? [] : [constraint]), than: region) {
        return false
      }
      throw conflict(error, about: constraint.formulas[constraint.formulas.count - 1])
    }
    if constraint.region !== region { region.constraints.append(constraint) }
    return true
  }

  func introduce(
    _ cell: CellID, to solver: any ConnectorSolver
  ) throws(SolverConflict) {
    solver.setRank(rank(of: cell), of: cell)
    try solver.edit(cell, age: writes.age(of: cell), isPinned: self[cell].hasOwner)
  }

  /// Merges several regions and a constraint that joins them into one.
  private func merge(
    _ old: [Region], with constraint: Constraint, pinned: Set<CellID>
  ) throws(Failure) -> Region {
    var all = old.flatMap(\.constraints)
    if !old.contains(where: { $0 === constraint.region }) { all.append(constraint) }
    regionWork.structuralWork += all.count
    let cells = Set(all.flatMap(\.cells)).sorted()
    let made = try makeSolver(for: all, cells, pinned: pinned, about: constraint)
    if let preferred = all.lazy.compactMap(\.preferredSolver).first(where: { $0 != made.name }) {
      throw .noSolver(["\(preferred): only \(made.name) keeps it with what stands beside it"])
    }
    // A soft constraint that the solver of its region has given up, and this one keeps, does not hold yet.
    for each in all where each.strength < .required {
      guard let solver = each.region?.solver, !solver.keeps(each.id), made.solver.keeps(each.id),
        let formula = each.firstFormula
      else { continue }
      scheduledFormulas.append(formula)
    }
    let held =
      type(of: made.solver).solvesSums ? [] : old.flatMap { connectionsHeld(in: $0) }
    defer { for formula in held where formula.state == .waiting { formula.state = .satisfied } }
    if !type(of: made.solver).solvesSums {
      for each in old { forgetSums(of: each, among: each.constraints) }
    }
    let region = Region(all, solver: made.solver, name: made.name, in: self)
    region.hasWishes = old.contains(where: \.hasWishes)
    region.hasReads = old.contains(where: \.hasReads)
    region.level = old.map(\.level).max() ?? 1
    for each in all { each.region = region }
    for each in old {
      for cell in each.transaction.changed { region.transaction.changes.append(cell) }
      for formula in each.transaction.forced { region.transaction.forcedFormulas.append(formula) }
      region.transaction.retried.formUnion(each.transaction.retried)
      if each.isWaiting { enqueue(region) }
    }
    regionWork.waitingRegions.removeAll { waiting in old.contains { $0 === waiting } }
    goOnBeginning(old, in: region)
    return region
  }

  /// Schedules a constraint that has just come into force, so that it holds after the next settling.
  private func satisfy(
    _ constraint: Constraint, new: [Formula], origin: CellID?, wasSatisfied: Bool
  ) {
    guard let region = constraint.region,
      let added = constraint.equation == nil ? new.last : constraint.formulas.first
    else { return }
    // It holds as before, or has failed as before.
    if replanning.isRestoring { return }
    // Failed formulas may be computed in another direction beside it.
    defer { if hasFailures { lookAgain(in: region) } }
    if let origin {
      begin(constraint, with: [origin], in: region)
      scheduledFormulas.append(added)
      return
    }
    // An inverse of a formula that holds need not run.
    if wasSatisfied, constraint.formulas.contains(where: { $0.state == .satisfied }) {
      if region.hasReads { for formula in new { machine.learnReads(ofIdle: formula) } }
      return
    }
    if constraint.equation != nil {
      // Its solver knows that the left side follows.
      replanning.retries.formulas.remove(added.id)
      scheduledFormulas.append(added)
      return
    }
    begin(constraint, with: added.inputs, in: region)
    scheduledFormulas.append(added)
  }

  /// Makes the cells with which a constraint begins keep their values; that is no write.
  ///
  /// They do so anyway unless the constraint computes one of them: its inputs stand above it.
  private func begin(_ constraint: Constraint, with cells: [CellID], in region: Region) {
    let formulas = Set(constraint.formulas.map(\.id))
    var rest = cells
    while let index = rest.firstIndex(where: { cell in
      region.solver.formula(computing: cell).map { formulas.contains($0) } ?? false
    }) {
      let cell = rest.remove(at: index)
      clock += 1
      region.begun.append(cell)
      region.solver.begin(with: cell, age: clock)
    }
  }

  /// Passes on the cells with which constraints begin of regions that were merged into another one.
  func goOnBeginning(_ old: [Region], in region: Region) {
    for cell in old.flatMap(\.begun) {
      clock += 1
      region.begun.append(cell)
      region.solver.begin(with: cell, age: clock)
    }
  }

  /// Lets a region compute a cell again that no formula outside determines any more: soft constraints that
  /// were displaced because of that may hold again.
  func unpin(_ cell: CellID, in region: Region) {
    region.pinned.remove(cell)
    if region.hasWishes {
      for constraint in region.constraints where constraint.strength < .required {
        guard constraint.equation != nil || !region.solver.keeps(constraint.id) else { continue }
        retry(constraint)
      }
    }
    region.solver.unpin(cell)
  }
}
