internal import TenonSolverKit
internal import TenonTables

// Removing constraints from regions.

extension ConnectionGraph {
  /// Removes the constraints that end as wholes, as all their formulas end, from their regions.
  func withdrawTogether(_ formulas: [Formula]) {
    for formula in formulas {
      guard let constraint = formula.constraint, constraint.isMultiWay,
        !constraint.isAwaitingInverse,
        !constraint.hasRequestedSolver
      else { continue }
      let members = constraint.formulas
      guard members.allSatisfy({ $0.connection == formula.connection }) else { continue }
      for member in members {
        unlinkDynamicInputs(of: member)
        member.constraint = nil
      }
      constraint.formulas = []
      leave(constraint)
      discard(constraint)
    }
  }

  /// Removes a constraint that has lost a formula from its region, or returns it to the one-way ones.
  func leave(_ constraint: Constraint) {
    guard let region = constraint.region else { return }
    constraint.region = nil
    if type(of: region.solver).forgetsAtOnce, !region.hasWishes, region.transaction.isEmpty,
      !region.isWaiting
    {
      takeOut(constraint, of: region)
      if region.solvesSums, !region.isHandedOver { region.mayCostLess = true }
      enterAgain(constraint)
      return
    }
    // A solver of the language may have data to release.
    if region.solver is ScriptSolver { region.solver.remove(constraint.id) }
    if regionWork.broken == nil {
      breakUp(region)
      enterAgain(constraint)
    } else {
      regionWork.broken?.regions.append(region)
      regionWork.broken?.constraints.append(constraint)
    }
  }

  /// Removes a constraint from a region that otherwise stays as it is.
  ///
  /// The rest may be two regions: that is not examined before a statement would be refused because of it,
  /// so that a chain is taken apart in a time that grows with its length only.
  ///
  /// - Complexity: O(cells of the constraint).
  private func takeOut(_ constraint: Constraint, of region: Region) {
    region.solver.remove(constraint.id)
    region.constraints.remove(constraint)
    var remaining = 0
    for cell in constraint.cells {
      cells[cell.index].regionUses -= 1
      if cells[cell.index].regionUses > 0 {
        remaining += 1
        continue
      }
      if region.pinned.remove(cell) != nil { region.solver.unpin(cell) }
      region.cells.remove(cell)
      cells[cell.index].region = nil
      touch(cell)
    }
    if region.constraints.count == 0 {
      regionCount -= 1
      if region.isLoose { regionWork.possiblySplitRegions.removeAll { $0 === region } }
    } else if remaining > 1, !region.isLoose {
      region.isLoose = true
      regionWork.possiblySplitRegions.append(region)
    }
  }

  /// Divides the regions that may have fallen apart.
  ///
  /// - Returns: whether there was any.
  /// - Complexity: O(constraints of such regions).
  @discardableResult
  func separateSplitRegions() -> Bool {
    let loose = regionWork.possiblySplitRegions
    regionWork.possiblySplitRegions = []
    for region in loose where !divide(region) { breakUp(region) }
    return !loose.isEmpty
  }

  /// Makes regions of their own of all parts of a region but the largest one, which stays as it is.
  ///
  /// - Returns: false when the region has to be made anew as a whole.
  /// - Complexity: O(occurrences of cells in the region's constraints); the largest part is not touched.
  private func divide(_ region: Region) -> Bool {
    guard type(of: region.solver).forgetsAtOnce, !region.hasWishes, region.transaction.isEmpty,
      !region.isWaiting
    else { return false }
    var parts = self.parts(of: region)
    region.isLoose = false
    if parts.count < 2 { return true }
    let largest = parts.indices.max { (parts[$0].count, $1) < (parts[$1].count, $0) } ?? 0
    parts.remove(at: largest)
    let moved = parts.flatMap { $0 }
    regionWork.structuralWork += moved.count
    let held = connectionsHeld(in: region, among: moved)
    forgetSums(of: region, among: moved)
    defer { for formula in held where formula.state == .waiting { formula.state = .satisfied } }
    for constraint in moved {
      constraint.region = nil
      takeOut(constraint, of: region)
    }
    region.isLoose = false
    regionWork.possiblySplitRegions.removeAll { $0 === region }
    // They held with more constraints than there are now.
    for constraint in moved { try? join(constraint) }
    return true
  }

  /// Returns the connected parts of a region's constraints.
  private func parts(of region: Region) -> [[Constraint]] {
    let constraints = Array(region.constraints)
    var places: [CellID: [Int]] = [:]
    for (index, constraint) in constraints.enumerated() {
      for cell in constraint.cells { places[cell, default: []].append(index) }
    }
    var found: Set<Int> = []
    var parts: [[Constraint]] = []
    for start in constraints.indices where found.insert(start).inserted {
      var part = [start]
      var next = 0
      while next < part.count {
        for cell in constraints[part[next]].cells {
          // Each place is looked at once.
          for other in places.removeValue(forKey: cell) ?? [] where found.insert(other).inserted {
            part.append(other)
          }
        }
        next += 1
      }
      parts.append(part.sorted().map { constraints[$0] })
    }
    return parts
  }

  /// Gives a region's solver its constraints anew, in the order of their positions.
  func sort(_ region: Region, by position: (Constraint) -> Int) {
    let constraints = Array(region.constraints)
    let sorted = constraints.enumerated()
      .sorted { (position($0.element), $0.offset) < (position($1.element), $1.offset) }
      .map(\.element)
    guard !constraints.elementsEqual(sorted) else { return }
    region.constraints = ConstraintList(sorted, in: self)
    breakUp(region)
  }

  func breakUp(_ region: Region) {
    regionCount -= 1
    if region.isLoose { regionWork.possiblySplitRegions.removeAll { $0 === region } }
    regionWork.waitingRegions.removeAll { $0 === region }
    let violated = region.hasWishes ? region.solver.residuals.map(\.constraint) : []
    let held = connectionsHeld(in: region)
    forgetSums(of: region, among: region.constraints)
    let isTurn = isSettling || atomicDepth > 0 || words[0][.loggedChanges]
    defer {
      for formula in held where formula.state == .waiting { formula.state = .satisfied }
      // A turn that is given up does not undo this.
      if !isTurn, words[0][.loggedChanges] { log.structure.removeChanges() }
    }
    for cell in region.cells {
      cells[cell.index].region = nil
      touch(cell)
      cells[cell.index].regionUses = 0
    }
    let retried = replanning.retries.formulas.count
    rebuild(region.constraints.filter { $0.region === region }, violated: Set(violated))
    if replanning.retries.formulas.count > retried {
      replanning.retries.written += region.writtenLast
    }
  }

  /// Returns a formula of each connection that holds, if the solver of the region need not run formulas.
  func connectionsHeld(in region: Region) -> [Formula] {
    connectionsHeld(in: region, among: region.constraints)
  }

  private func connectionsHeld(
    in region: Region, among constraints: some Sequence<Constraint>
  ) -> [Formula] {
    guard region.solvesSums else { return [] }
    return constraints.compactMap { constraint in
      guard constraint.equation == nil, let formula = constraint.firstFormula,
        machine.state(of: formula.connection) == "satisfied"
      else { return nil }
      return formula
    }
  }

  /// Marks formulas as waiting that need not have run where their region was solved as sums, and that read a
  /// missing value: the value that a sum gave a place says nothing of them.
  func forgetSums(of region: Region, among constraints: some Sequence<Constraint>) {
    guard region.solvesSums else { return }
    for constraint in constraints where constraint.equation == nil {
      guard let connection = constraint.firstFormula?.connection,
        constraint.formulas.contains(where: { $0.state == .satisfied }),
        machine.equationState(of: connection) == "waiting"
      else { continue }
      for formula in constraint.formulas where formula.state == .satisfied {
        formula.state = .waiting
      }
    }
  }

  private func enterAgain(_ constraint: Constraint) {
    if constraint.formulas.isEmpty { return }
    // Such a connection ends as a whole.
    if constraint.hasRequestedSolver { return }
    if constraint.isMultiWay {
      try? join(constraint)
    } else if let formula = constraint.formulas.first {
      let isSatisfied = formula.state == .satisfied
      unlinkDynamicInputs(of: formula)
      try? enforceOneWay(constraint, formula)
      if isSatisfied { scheduledFormulas.removeAll { $0 == formula } }
    }
  }

  /// Takes many connections out of force for good.
  ///
  /// - Complexity: O(connections and the constraints of their regions).
  func disconnect(_ ended: [Connection]) {
    let regions = leaveTogether { for connection in ended { disconnect(connection) } }
    for region in regions { release(region.cells.sorted()) }
  }

  /// Rebuilds regions once only after a body that removes formulas from them.
  ///
  /// - Returns: the regions that were rebuilt.
  @discardableResult
  func leaveTogether(_ body: () -> Void) -> [Region] {
    regionWork.broken = ([], [])
    body()
    let (regions, constraints) = regionWork.broken ?? ([], [])
    regionWork.broken = nil
    for region in regions.unique() { breakUp(region) }
    for constraint in constraints.withoutRepetitions where constraint.region == nil {
      enterAgain(constraint)
    }
    if !regions.isEmpty || !constraints.isEmpty { markRoom() }
    return regions.unique()
  }

  /// Builds regions anew for constraints whose region fell apart.
  ///
  /// `violated`: the soft constraints that did not hold there.
  private func rebuild(_ constraints: [Constraint], violated: Set<ConstraintID>) {
    regionWork.structuralWork += constraints.count
    for constraint in constraints { constraint.region = nil }
    for constraint in constraints {
      // They held together with more constraints than there are now.
      try? join(constraint)
      guard constraint.strength < .required else { continue }
      // It may have been displaced by one that is gone.
      if violated.contains(constraint.id) {
        retry(constraint)
      } else if constraint.equation == nil {
        scheduledFormulas += constraint.formulas.prefix(1)
      }
    }
  }
}
