internal import TenonSolverKit
internal import TenonTables

// What a turn changes besides the values of places: what formulas and properties have read, the status of
// formulas, the solvers of regions, soft constraints, and which connections are new.

extension ConnectionGraph {
  /// Appends a change to the log.
  func record(_ change: TurnLog.Change) {
    words[0][.loggedChanges] = true
    log.structure.changes.append(change)
  }

  /// Logs the status of a formula that is about to change.
  func logStatus(of formula: Formula) {
    let status = hotFormulas[formula.id.rawValue].status
    let hasFailed = status == .failed || status == .heldBack
    record(
      .status(
        formula.id, order: formula.order, status,
        failure: hasFailed ? failing.failures[formula.id] : nil))
  }

  /// Logs what a formula has read so far besides its text: that is about to change.
  func logReads(of formula: Formula) {
    let inputs = formula.dynamicInputs
    // One that has not run yet needs what it reads now in any case.
    if inputs.isEmpty, hotFormulas[formula.id.rawValue].status == .waiting { return }
    record(.reads(formula.id, order: formula.order, inputs.map { place(of: $0) }))
  }

  /// Logs from which slots a property was computed so far: that is about to change.
  func logSlots(of property: CellID, _ slots: [CellID]) {
    if slots.isEmpty { return }
    record(.slots(of: place(of: property), slots.map { place(of: $0) }))
  }

  /// Logs that a connection has come into force; it has not been brought up to date yet.
  func recordNewConnection(_ connection: Connection, wasSuspended: Bool = false) {
    words[0][.loggedChanges] = true
    connecting.newConnectionCount &+= 1
    connecting.lastNewConnection = connection.number
    log.structure.newConnections.append(wasSuspended ? -connection.number : connection.number)
  }

  /// Removes all changes of the graph from the log: they stand.
  func endLog() {
    log.structure.removeAll()
    words[0][.loggedChanges] = false
  }

  // MARK: Restoring

  /// Restores the solvers of regions that were replaced in the turn.
  func restoreSolvers() {
    for case .solver(let each) in log.structure.changes.reversed() {
      each.region.isHandedOver = false
      each.region.solver = each.solver
      each.region.solverName = each.name
    }
  }

  /// Restores what a turn has changed besides values and solvers.
  func restoreGraph() {
    // Code that runs meanwhile may have the collector run: what is needed stays in the log.
    let changes = log.structure.changes
    log.structure.endNewConnections(in: self)
    reinstateRetracted(since: .start)
    // All else is as it was: nothing has to run that had not.
    scheduledFormulas = []
    replanning.retries = Retries()
    changes.restoreReads(in: self)
    changes.restoreStatuses(in: self)
    endLog()
  }

  /// Gives a formula inputs back that it had before.
  func restoreInputs(_ cells: [CellID], of formula: Formula) {
    guard formula.constraint != nil else { return }
    // They were its inputs in an order without a cycle.
    try? changeDynamicInputs(cells, of: formula)
    formula.lastReads = formula.dynamicInputs.map { place(of: $0) }
    hotFormulas[formula.id.rawValue].readsItsText = formula.lastReads.isEmpty
  }

  /// Has a formula hear of what it has read but for that which depends on its own result: it fails,
  /// and looks again as soon as any of the rest changes.
  ///
  /// - Complexity: O(what depends on the result).
  func setInputsWithoutCycle(_ cells: [CellID], of formula: Formula) {
    let starts = formula.constraint?.region.map { Array($0.cells) } ?? [formula.output]
    let below = starts.reduce(into: Set(starts)) { $0.formUnion(downstream(of: $1)) }
    try? setDynamicInputs(cells.filter { !below.contains($0) }, of: formula)
    // Nothing that it reads the next time is known to be without a cycle.
    formula.lastReads = []
    hotFormulas[formula.id.rawValue].readsItsText = false
    release(cells)
  }
}

extension TurnLog.Structure {
  /// Takes connections out of force that have come into force in the turn, and returns their places to the
  /// solvers that these had.
  ///
  /// They would fail with every later change; the statements that made them have failed.
  func endNewConnections(in graph: ConnectionGraph) {
    var cells: Set<CellID> = []
    for number in newConnections.reversed() {
      guard let connection = graph.connections[abs(number)] else { continue }
      for formula in connection.formulas { cells.formUnion(formula.inputs + [formula.output]) }
      if number < 0 { graph.suspend(connection) } else { graph.disconnect(connection) }
    }
    for cell in cells.sorted() where graph.isInUse(cell) {
      if let region = graph[cell].region, region.isToBeReconsidered {
        _ = graph.reconsiderSolver(of: region)
      }
    }
  }
}

extension [TurnLog.Change] {
  /// Has formulas and properties hear of what they have read before the turn: they hold what they
  /// held then, which follows from that.
  ///
  /// What they read in the turn goes first, so that on the way to an order that has been there is
  /// no cycle.
  fileprivate func restoreReads(in graph: ConnectionGraph) {
    var seen: Set<FormulaID> = []
    var restored: [(formula: Formula, places: [Place])] = []
    for case .reads(let id, let order, let places) in self where seen.insert(id).inserted {
      guard let formula = graph[id], formula.order == order else { continue }
      restored.append((formula, places))
    }
    for (formula, places) in restored {
      let kept = Set(places.compactMap { graph.cellsByPlace[$0] })
      graph.restoreInputs(formula.dynamicInputs.filter { kept.contains($0) }, of: formula)
    }
    for (formula, places) in restored {
      let cells = places.map { graph.cell(for: $0, name: graph.machine.name(of: $0)) }
      graph.restoreInputs(cells, of: formula)
    }
    for case .slots(let property, let slots) in reversed() where !slots.isEmpty {
      if let cell = graph.cellsByPlace[property] { graph.setSlots(slots, of: cell) }
    }
  }

  /// Restores the statuses of formulas.
  fileprivate func restoreStatuses(in graph: ConnectionGraph) {
    var isChanged = false
    for case .status(let id, let order, let status, let failure) in reversed() {
      isChanged = true
      guard graph[id]?.order == order else { continue }
      graph.hotFormulas[id.rawValue].status = status
      graph.failing.failures[id] = failure
    }
    if isChanged { graph.forgetPlans() }
  }
}
