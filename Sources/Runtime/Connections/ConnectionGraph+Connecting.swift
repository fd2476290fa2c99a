internal import TenonTables

// Taking formulas into force and out of it, all or nothing.

extension ConnectionGraph {
  /// Takes the formulas of a connection into force.
  ///
  /// At the start of a connection both ways the cell `origin` wins.
  ///
  /// - Throws: a failure that names what stands against it; nothing has changed then.
  func add(_ added: [Formula], origin: CellID?) throws(Failure) {
    if hasStaleCells { refreshPlaces(around: added) }
    // What was read before this may have ended their connection.
    guard added.allSatisfy({ self[$0.id] == $0 }) else { return }
    if machine.registeredSolvers.isEmpty {
      try take(added, origin: origin)
    } else {
      try takeAsPreferred(added, origin: origin)
    }
  }

  /// Takes formulas into force with the solvers that their connections have or prefer.
  func takeAmongWishes(_ added: [Formula], origin: CellID?) throws(Failure) {
    var joined: [Formula] = []
    var touched: [Constraint] = []
    do throws(Failure) {
      // One of wishes is a constraint that other formulas over the same cells do not join.
      let separate =
        standsBesideWishes(added) || standsBesideBothWays(added)
        ? added.first.map { makeConstraint(over: $0) } : nil
      for formula in added {
        let constraint = separate ?? constraint(for: formula, isOnly: added.count == 1)
        if !touched.contains(constraint) { touched.append(constraint) }
        if let other = constraint.formulas.first(where: { $0.output == formula.output }) {
          throw .determinedAlready(displayName(of: formula.output), by: other.connection)
        }
        if formula.inputs.contains(formula.output), !constraint.isForced {
          throw cycle([formula.output], through: [formula])
        }
        constraint.append(formula)
        formula.constraint = constraint
        joined.append(formula)
      }
      for constraint in touched { try enforce(constraint, new: added, origin: origin) }
    } catch {
      joined.reversed().forEach { withdraw($0) }
      touched.forEach { discard($0) }
      throw error
    }
  }

  /// Whether formulas say something of places of which another connection says something else over
  /// the same places, and one of the two is a wish: each is a constraint of its own then.
  private func standsBesideWishes(_ added: [Formula]) -> Bool {
    added.contains { formula in
      guard formula.equation == nil, let others = joinableConstraint(for: formula)?.formulas
      else {
        return false
      }
      return others.contains { other in
        other.output == formula.output
          && min(other.connection.strength, formula.connection.strength) < .required
      }
    }
  }

  /// Whether formulas would be further directions of what a connection both ways says over the same
  /// places, or would themselves get some: it says all of its directions, and others say something
  /// else.
  private func standsBesideBothWays(_ added: [Formula]) -> Bool {
    guard let first = added.first, first.equation == nil, !isForced(first.connection),
      let others = constraintTable.find(first)?.formulas, let other = others.first,
      added.count > 1 || other.connection.onlyFormula == nil
    else { return false }
    return !others.contains { other in added.contains { $0.output == other.output } }
  }

  private func enforce(
    _ constraint: Constraint, new: [Formula], origin: CellID?
  ) throws(Failure) {
    try refuseSecondFormula(constraint)
    if constraint.isMultiWay || constraint.isForced {
      try enforceMultiWay(constraint, new: new, origin: origin)
    } else if let formula = constraint.formulas.first {
      try enforceOneWay(constraint, formula)
    }
  }

  /// Takes a formula out of its constraint, as if it had never been.
  func withdraw(_ formula: Formula) {
    guard let constraint = formula.constraint else { return }
    formula.constraint = nil
    forgetYielded(constraint)
    if constraint.isContested, constraint.formulas.count == 1 {
      contested.removeAll { $0 == constraint }
      constraint.isContested = false
    }
    if constraint.isMultiWay || constraint.isForced {
      unlinkDynamicInputs(of: formula)
      constraint.remove(formula)
      leave(constraint)
    } else {
      if constraint.level >= 0 { release(constraint, formula) }
      constraint.remove(formula)
    }
    discard(constraint)
  }

  // MARK: Batches

  /// Begins statements that are looked at together: a formula may stand before its way back.
  func beginBatch() { batchDepth += 1 }

  /// Ends a batch.
  ///
  /// - Throws: a failure for the first formula whose cell another one determines.
  func endBatch() throws(Failure) {
    batchDepth -= 1
    guard batchDepth == 0, let constraint = contested.first,
      let formula = constraint.formulas.first
    else { return }
    let waiting = contested
    contested = []
    let owner = self[formula.output].owner
    batchCulprit = formula.connection.site
    for constraint in waiting {
      for formula in constraint.formulas { disconnect(formula.connection) }
    }
    throw .determinedAlready(displayName(of: formula.output), by: owner?.connection)
  }

  /// Takes contested constraints into force whose cell has become free.
  func retryContested() {
    for constraint in contested {
      guard let formula = constraint.firstFormula, !constraint.isMultiWay,
        !self[formula.output].hasOwner
      else { continue }
      contested.removeAll { $0 == constraint }
      constraint.isContested = false
      // What stands against it now is reported when the batch ends.
      do throws(Failure) {
        try enforceOneWay(constraint, formula)
      } catch {
        constraint.isContested = true
        contested.append(constraint)
      }
    }
  }

}

extension Machine {
  /// Signals the failure with which a batch ended, at the statement that caused it.
  func signalForBatch(_ failure: Failure) -> Value {
    failurePlace = graph.batchCulprit
    graph.batchCulprit = nil
    defer { failurePlace = nil }
    return signal(failure)
  }
}

extension ConnectionGraph {
  // MARK: Removing

  /// Takes the formulas of a connection out of force and lets go of their cells.
  func dissolve(_ connection: Connection) {
    if connection.status != .disconnected { connection.expand() }
    let formulas = connection.formulas
    if !redundant.isEmpty { removeRedundant(connection, formulas) }
    connection.removeFormulas()
    var used: [CellID] = []
    withdrawTogether(formulas)
    for formula in formulas {
      withdraw(formula)
      forced.removeAll { $0 == formula }
      used += formula.inputs + [formula.output]
      free(formula)
    }
    unwatchPath(of: connection)
    unwatch(connection)
    noteRoom()
    release(used)
  }
}

// MARK: - One direction

extension ConnectionGraph {
  func enforceOneWay(_ constraint: Constraint, _ formula: Formula) throws(Failure) {
    if let owner = self[formula.output].owner, owner != formula {
      switch replace(owner, by: formula) {
      case true: break
      case false: return standBack(constraint, formula)
      case nil:
        guard batchDepth > 0 else {
          throw .determinedAlready(displayName(of: formula.output), by: owner.connection)
        }
        constraint.isContested = true
        contested.append(constraint)
        return
      }
    }
    do throws(Failure) {
      try determine(constraint, formula)
    } catch {
      guard standsBack(formula, because: error) else { throw error }
      standBack(constraint, formula)
    }
  }

  /// Has a formula of one direction determine its place.
  private func determine(_ constraint: Constraint, _ formula: Formula) throws(Failure) {
    let output = formula.output
    try refuseCycle(from: output, to: formula.inputs, through: formula)
    let level = highestLevel(of: formula.inputs)
    try insert(constraint, formula, level: level)
    cells[output.index].ownerNumber = formula.id.rawValue
    setFlag(CellFlag.determined, of: output, to: true)
    beginLaziness(of: formula)
    for input in formula.inputs { addReader(formula, to: input) }
    if let region = self[output].region {
      do throws(SolverConflict) {
        try region.solver.edit(output, age: clock, isPinned: true)
        region.pinned.insert(output)
      } catch {
        release(constraint, formula)
        throw conflict(error, about: formula)
      }
    }
    raise(output, to: level)
    forced.append(formula)
  }

  /// Takes a one-way constraint out of its solver.
  func release(_ constraint: Constraint, _ formula: Formula) {
    levels[constraint.level].solver.remove(formula.levelID)
    constraint.level = -1
    if self[formula.output].owner == formula {
      cells[formula.output.index].ownerNumber = -1
      // Nothing that is still there has it stand higher: ways are looked for by levels.
      cells[formula.output.index].level = 0
      setFlag(CellFlag.determined, of: formula.output, to: false)
      if let region = self[formula.output].region { unpin(formula.output, in: region) }
    }
    for input in formula.inputs { removeReader(formula, from: input) }
    endRecording(of: formula)
    endLaziness(of: formula)
  }

  /// Hands a one-way constraint to the solver of a level.
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
    do throws(SolverConflict) {
      try levels[level].solver.add(description)
    } catch {
      throw conflict(error, about: formula)
    }
    constraint.level = level
  }

  /// Learns what a formula was seen to read.
  ///
  /// - Throws: a failure when that closes a cycle; the formula then keeps its old inputs.
  func setDynamicInputs(_ inputs: [CellID], of formula: Formula) throws(Failure) {
    let old = formula.dynamicInputs
    let textReads = formula.textReads
    let new = takeReads(inputs, of: formula)
    guard new != old || formula.textReads != textReads else { return }
    if new != old { noteReads(of: formula) }
    do throws(Failure) {
      try changeDynamicInputs(new, of: formula)
    } catch {
      formula.textReads = textReads
      throw error
    }
  }

  /// Has a formula hear of other cells besides those that its text names.
  ///
  /// - Throws: a failure when that closes a cycle; the formula then keeps its old inputs.
  func changeDynamicInputs(_ new: [CellID], of formula: Formula) throws(Failure) {
    let old = formula.dynamicInputs
    if new.contains(formula.output) { throw cycle([formula.output], through: [formula]) }
    guard let constraint = formula.constraint, constraint.level >= 0 else {
      try setDynamicInputs(new, ofMultiWay: formula)
      return
    }
    try refuseCycle(from: formula.output, to: new, through: formula)
    formula.dynamicInputs = new
    let level = highestLevel(of: formula.inputs)
    if level > constraint.level {
      levels[constraint.level].solver.remove(formula.levelID)
      try insert(constraint, formula, level: level)
    } else {
      do throws(SolverConflict) {
        try levels[constraint.level].solver.add(levelDescription(of: constraint, formula))
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
    release(Array(gone))
  }

  /// Learns what a formula of a constraint of several directions was seen to read besides the
  /// variables of the constraint: a change there has the constraint satisfied again.
  private func setDynamicInputs(
    _ new: [CellID], ofMultiWay formula: Formula
  ) throws(Failure) {
    guard let constraint = formula.constraint, let region = constraint.region else { return }
    let old = formula.dynamicInputs
    if region.isLoose, new.contains(where: { self[$0].region === region }) {
      // It may be read only, and not joined.
      separateLooseRegions()
      return try setDynamicInputs(new, ofMultiWay: formula)
    }
    var new = new.filter { self[$0].region !== region }
    if constraint.isForced {
      // What its text names and does not join it with others it goes on reading.
      let cells = Set(constraint.cells)
      new += formula.staticInputs.filter { !cells.contains($0) }
    }
    guard new != old else { return }
    if !new.isEmpty, let way = way(from: region.cells.sorted(), to: Set(new)) {
      if separateLooseRegions() { return try setDynamicInputs(new, ofMultiWay: formula) }
      throw cycle(way.cells, through: [formula] + way.formulas)
    }
    unlinkDynamicInputs(of: formula)
    formula.dynamicInputs = new
    linkDynamicInputs(of: formula)
    if !new.isEmpty { region.hasReads = true }
    settleLevel(of: region, for: constraint, entering: [])
    release(Array(Set(old).subtracting(new)))
  }

  private func linkDynamicInputs(of formula: Formula) {
    for input in formula.dynamicInputs { addReader(formula, to: input) }
  }

  func unlinkDynamicInputs(of formula: Formula) {
    for input in formula.dynamicInputs { removeReader(formula, from: input) }
  }

  private func addReader(_ formula: Formula, to cell: CellID) {
    cells[cell.index].addReader(formula.id.rawValue)
    setFlag(CellFlag.read, of: cell, to: true)
    touch(cell)
    noteReader(formula, of: cell, isNew: true)
  }

  private func removeReader(_ formula: Formula, from cell: CellID) {
    cells[cell.index].removeReader(formula.id.rawValue)
    setFlag(CellFlag.read, of: cell, to: cells[cell.index].hasReaders)
    touch(cell)
    noteReader(formula, of: cell, isNew: false)
  }

  private func highestLevel(of cells: [CellID]) -> Int {
    cells.map { level(of: $0) }.max() ?? 0
  }

  /// The level at which a cell's value is settled.
  func level(of cell: CellID) -> Int {
    max(cells[cell.index].level, cells[cell.index].region?.level ?? 0)
  }

  /// Raises what depends on a cell whose region was raised.
  private func raiseReaders(of cell: CellID) {
    raise([(cell, nil)])
  }

  /// Raises a cell, and everything that depends on it, to the level of what determines it.
  func raise(_ cell: CellID, to level: Int) {
    raise([(cell, level)])
  }

  private func raise(_ start: [(cell: CellID, level: Int?)]) {
    var stack = start
    var steps = 0
    while let (cell, level) = stack.popLast() {
      // It ends, as there is no cycle; were there one after all, the program could still be stopped.
      steps += 1
      if steps & 4_095 == 0, machine.noticeInterrupt() { return }
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

// MARK: - Several directions

extension ConnectionGraph {
  private func enforceMultiWay(
    _ constraint: Constraint, new: [Formula], origin: CellID?
  ) throws(Failure) {
    let wasOneWay = constraint.level >= 0
    let wasContested = constraint.isContested
    let wasYielded = forgetYielded(constraint)
    let first = constraint.formulas[0]
    if wasOneWay { release(constraint, first) }
    if wasContested {
      contested.removeAll { $0 == constraint }
      constraint.isContested = false
    }
    do throws(Failure) {
      try refuseCycle(throughConstantsOf: constraint)
      try join(constraint)
    } catch {
      if constraint.equation != nil { constraint.region = nil }
      if wasOneWay {
        // It was in force as it stood; it can be again.
        let formulas = constraint.formulas
        constraint.formulas = [first]
        try? enforceOneWay(constraint, first)
        constraint.formulas = formulas
      }
      if wasYielded { yielded.append(constraint) }
      if wasContested {
        // It goes on waiting for another way back.
        constraint.isContested = true
        contested.append(constraint)
      }
      throw error
    }
    if wasOneWay || constraint.equation != nil { linkDynamicInputs(of: first) }
    // What was in force before with another solver goes on reading what it has read.
    if constraint.isForced { new.forEach { linkDynamicInputs(of: $0) } }
    satisfy(constraint, new: new, origin: origin, wasSatisfied: wasOneWay)
  }

  /// Puts a constraint of several directions into the region that its cells form.
  func join(_ constraint: Constraint) throws(Failure) {
    do throws(Failure) {
      try joinAsItStands(constraint)
    } catch {
      // What stands against it may be that constraints are kept together which need not be.
      guard separateLooseRegions() else { throw error }
      try joinAsItStands(constraint)
    }
  }

  private func joinAsItStands(_ constraint: Constraint) throws(Failure) {
    let involved = constraint.cells.compactMap { self[$0].region }.unique()
    if try hasCycle(throughReadsOf: involved, constraint) { return try joinAsItStands(constraint) }
    try refuseCycle(throughTruthsOf: involved, constraint)
    let ownPins = constraint.cells.filter { self[$0].hasOwner }
    let isPinned = !ownPins.isEmpty || involved.contains { !$0.pinned.isEmpty }
    if isPinned { try refuseCycle(around: involved, pins: ownPins, constraint) }
    let description = describe(
      constraint,
      withSums: constraint.equation != nil || involved.contains { $0.solverName == "linear" })
    let region: Region
    let entering: [CellID]
    let isNew = constraint.region == nil
    if involved.count == 1, isAccepted(constraint, description, by: involved[0]),
      try extend(involved[0], by: constraint, description)
    {
      region = involved[0]
      entering = constraint.cells.filter { !region.cells.contains($0) }
    } else {
      if involved.contains(where: \.isLoose), separateLooseRegions() {
        return try joinAsItStands(constraint)
      }
      if let largest = absorb(involved, constraint, description) {
        // They are one region now.
        return finishJoining(
          constraint, largest.region, ownPins, entering: largest.entering, isNew: true)
      }
      let pinned = involved.reduce(into: Set(ownPins)) { $0.formUnion($1.pinned) }
      region = try merge(involved, with: constraint, pinned: pinned)
      region.pinned = pinned
      regionCount += 1 - involved.count
      entering = Set(region.constraints.flatMap(\.cells)).sorted()
    }
    finishJoining(constraint, region, ownPins, entering: entering, isNew: isNew)
  }

  /// Notes that a region's solver has a constraint, with cells that are new there.
  private func finishJoining(
    _ constraint: Constraint, _ region: Region, _ pins: [CellID], entering: [CellID], isNew: Bool
  ) {
    constraint.region = region
    if constraint.strength < .required { region.hasWishes = true }
    if constraint.formulas.contains(where: { !$0.dynamicInputs.isEmpty }) { region.hasReads = true }
    if isNew { for cell in constraint.cells { cells[cell.index].regionUses += 1 } }
    region.pinned.formUnion(pins)
    for cell in entering {
      cells[cell.index].region = region
      region.cells.insert(cell)
      touch(cell)
    }
    settleLevel(of: region, for: constraint, entering: entering)
  }

  /// Puts a region above everything that determines one of its cells, or is read besides by a
  /// constraint that has just come in.
  private func settleLevel(
    of region: Region, for constraint: Constraint, entering: [CellID]
  ) {
    // Those that were there before stand below it.
    let pins = constraint.cells + entering
    let pinned = pins.filter { self[$0].hasOwner }.map { self[$0].level }.max() ?? 0
    let below = max(pinned, highestLevel(of: constraint.formulas.flatMap(\.dynamicInputs)))
    let isHigher = below + 1 > region.level
    region.level = max(region.level, below + 1)
    for cell in isHigher ? region.cells.sorted() : entering { raiseReaders(of: cell) }
  }

  /// Takes a constraint into a region.
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
    try solver.edit(cell, age: writes.age(of: cell), isPinned: self[cell].hasOwner)
  }

  /// Makes one region of several, and of a constraint that joins them.
  private func merge(
    _ old: [Region], with constraint: Constraint, pinned: Set<CellID>
  ) throws(Failure) -> Region {
    var all = old.flatMap(\.constraints)
    if !old.contains(where: { $0 === constraint.region }) { all.append(constraint) }
    structuralWork += all.count
    let cells = Set(all.flatMap(\.cells)).sorted()
    let made = try makeSolver(for: all, cells, pinned: pinned, about: constraint)
    if let preferred = all.lazy.compactMap(\.preferredSolver).first(where: { $0 != made.name }) {
      throw .noSolver(["\(preferred): only \(made.name) keeps it with what stands beside it"])
    }
    // A wish that the solver of its region has given up, and this one keeps, does not hold yet.
    for each in all where each.strength < .required {
      guard let solver = each.region?.solver, !solver.keeps(each.id), made.solver.keeps(each.id),
        let formula = each.firstFormula
      else { continue }
      forced.append(formula)
    }
    let region = Region(all, solver: made.solver, name: made.name, in: self)
    region.hasWishes = old.contains(where: \.hasWishes)
    region.hasReads = old.contains(where: \.hasReads)
    region.level = old.map(\.level).max() ?? 1
    for each in all { each.region = region }
    for each in old {
      for cell in each.transaction.changed { region.transaction.changes.append(cell) }
      for formula in each.transaction.forced { region.transaction.forcedFormulas.append(formula) }
      if each.isWaiting { enqueue(region) }
    }
    waitingRegions.removeAll { waiting in old.contains { $0 === waiting } }
    return region
  }

  /// Sees to it that a constraint that has just come into force holds after the next settling.
  private func satisfy(
    _ constraint: Constraint, new: [Formula], origin: CellID?, wasSatisfied: Bool
  ) {
    guard let region = constraint.region,
      let added = constraint.equation == nil ? new.last : constraint.formulas.first
    else { return }
    if let origin {
      clock += 1
      writes.setAge(clock, of: origin)
      begin(constraint, with: origin, in: region)
      forced.append(added)
      return
    }
    // A formula that comes as the way back of one that holds has nothing to do.
    if wasSatisfied, constraint.formulas.contains(where: { $0.state == .satisfied }) {
      if region.hasReads { for formula in new { machine.learnReads(ofIdle: formula) } }
      return
    }
    if constraint.equation != nil {
      // Its solver knows that the left side follows.
      forced.append(added)
      return
    }
    clock += 1
    for input in added.inputs { begin(constraint, with: input, in: region) }
    forced.append(added)
  }

  /// Has a cell count as written just now, as the side with which a constraint begins.
  ///
  /// Where something else has to give way for it, a wish does so to hold, instead of not holding.
  private func begin(_ constraint: Constraint, with cell: CellID, in region: Region) {
    let isPinned = self[cell].hasOwner
    try? region.solver.edit(cell, age: clock, isPinned: isPinned)
    guard !isPinned, constraint.strength < .required, !region.solver.keeps(constraint.id) else {
      return
    }
    region.solver.unpin(cell)
  }

  /// Lets a region compute a cell again that nothing else determines any more: wishes that have stood
  /// back because of that may hold again.
  private func unpin(_ cell: CellID, in region: Region) {
    region.pinned.remove(cell)
    if region.hasWishes {
      for constraint in region.constraints where constraint.strength < .required {
        guard constraint.equation != nil || !region.solver.keeps(constraint.id) else { continue }
        forced += constraint.formulas.prefix(1)
      }
    }
    region.solver.unpin(cell)
  }
}

// MARK: - Solvers

extension ConnectionGraph {
  /// Makes a solver for formulas of one direction that is given more of them unasked: one that ships
  /// if any accepts.
  ///
  /// - Throws: a failure that says what every solver has against it.
  func makeSolver(
    for region: RegionIR
  ) throws(Failure) -> (solver: any ConnectorSolver, name: String) {
    var objections: [String] = []
    for solver in solvers {
      switch solver.accept(region) {
      case .yes: return (solver.init(), solver.name)
      case .no(let refusals):
        objections += refusals.prefix(1).map { refusal in
          "\(solver.name): \(describe(refusal.formula)): \(refusal.reason)"
        }
      }
    }
    for name in machine.registeredSolverNames {
      if let own = try makeRegisteredSolver(name, for: region, &objections) { return own }
    }
    throw .noSolver(objections)
  }

  func describe(_ formula: FormulaID) -> String {
    self[formula]?.connection.text ?? "a formula"
  }

  /// The failure for a conflict that a solver reports.
  func conflict(_ conflict: SolverConflict, about formula: Formula?) -> Failure {
    let formulas = conflict.formulas.compactMap { self[$0] }
    switch conflict.kind {
    case .cycle: return cycle(formulas.map(\.output), through: formulas)
    case .overdetermined:
      guard let formula = formula ?? formulas.first else { return .noSolver([]) }
      let others = formulas.map(\.connection).filter { $0 != formula.connection }.withoutRepetitions
      return .overdetermined(displayName(of: formula.output), by: others)
    case .unsatisfiable:
      return .unsatisfiable(
        formulas.map(\.connection).withoutRepetitions,
        conflict.cells.map { cell in
          let value = machine.describe(machine.currentValue(of: cell) ?? .nil)
          // A formula that another solver keeps has made it so, if nobody has written since.
          let owner = self[cell].owner.flatMap { cause(of: cell).formula == $0.id ? $0 : nil }
          return "'\(displayName(of: cell)) = \(value)'" + Failure.by(owner?.connection)
        }.withoutRepetitions)
    case .noNumber:
      guard let cell = conflict.cells.first else { return .noSolver([]) }
      return .noNumber(
        self[cell].name, machine.describe(machine.currentValue(of: cell) ?? .nil), formulas.first)
    case .unsupported(let reason):
      let text = formulas.first.map { "'\($0.connection.text)': " } ?? ""
      let names = conflict.cells.map { "'\(self[$0].name)'" }.joined(separator: ", ")
      return .unsupportedBySolver(text + reason + (names.isEmpty ? "" : ": \(names)"))
    case .interrupted: return .interrupted()
    case .failed(let message): return .failedSolver(message)
    }
  }
}
