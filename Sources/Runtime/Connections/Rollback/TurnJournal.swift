internal import TenonSolverKit
internal import TenonTables

// What a turn changes besides the values of places: what formulas and properties have read, what
// became of formulas, and which connections are new. It is taken back when the turn is given up.

/// What formulas, properties and connections were before a turn.
struct TurnJournal {
  /// What had become of a formula.
  private struct OldStatus {
    let formula: FormulaID
    /// When it was declared: another formula may have its number by now.
    let order: Int
    let status: HotFormula.Status
    let failure: String?
  }

  /// What the last run of a formula had read besides its text.
  private struct OldReads {
    let formula: FormulaID
    let order: Int
    let places: [Place]
  }

  /// From which slots a property was computed.
  private struct OldSlots {
    let property: Place
    let slots: [Place]
  }

  private var statuses: [OldStatus] = []
  private var reads: [OldReads] = []
  private var slots: [OldSlots] = []
  /// The numbers of the connections that have come into force, negated for those that were
  /// suspended before.
  private var newConnections: [Int] = []

  /// Whether nothing has been noted.
  var isEmpty: Bool {
    statuses.isEmpty && reads.isEmpty && slots.isEmpty && newConnections.isEmpty
  }

  /// Forgets all but the connections: the turn stands, but others may follow.
  mutating func endTurn() {
    statuses.removeAll(keepingCapacity: statuses.count < 1_024)
    reads.removeAll()
    slots.removeAll()
  }

  /// Has new connections stay in force though the turn is given up.
  mutating func keepNewConnections() { newConnections.removeAll() }

  /// Forgets everything.
  mutating func removeAll() {
    endTurn()
    newConnections.removeAll(keepingCapacity: newConnections.count < 1_024)
  }

  mutating func record(_ formula: Formula, _ status: HotFormula.Status, _ failure: String?) {
    statuses.append(
      OldStatus(formula: formula.id, order: formula.order, status: status, failure: failure))
  }

  mutating func record(readsOf formula: Formula, _ places: [Place]) {
    reads.append(OldReads(formula: formula.id, order: formula.order, places: places))
  }

  mutating func record(slotsOf property: Place, _ places: [Place]) {
    slots.append(OldSlots(property: property, slots: places))
  }

  mutating func record(new connection: Connection, wasSuspended: Bool) {
    newConnections.append(wasSuspended ? -connection.number : connection.number)
  }

  /// Whether a connection has come into force since the last turn that stands.
  func hasNewConnection(_ number: Int) -> Bool { newConnections.contains(number) }

  /// Marks what would be read again.
  func mark(_ heap: Heap) {
    for place in reads.flatMap(\.places) + slots.flatMap({ $0.slots + [$0.property] }) {
      heap.mark(place.object)
      heap.mark(place.key)
    }
  }

  // MARK: Taking back

  /// Takes connections out of force that have come into force in the turn.
  ///
  /// They would fail with every later change; the statements that made them have failed.
  ///
  /// What they stood beside goes back to the solvers it had.
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

  /// Has formulas and properties hear of what they have read before the turn: they hold what they
  /// held then, which follows from that.
  ///
  /// What they read in the turn goes first, so that on the way to an order that has been there is
  /// no cycle.
  func restoreReads(in graph: ConnectionGraph) {
    var seen: Set<FormulaID> = []
    var restored: [(formula: Formula, places: [Place])] = []
    for entry in reads where seen.insert(entry.formula).inserted {
      guard let formula = graph[entry.formula], formula.order == entry.order else { continue }
      restored.append((formula, entry.places))
    }
    for (formula, places) in restored {
      let kept = Set(places.compactMap { graph.cellsByPlace[$0] })
      graph.restoreInputs(formula.dynamicInputs.filter { kept.contains($0) }, of: formula)
    }
    for (formula, places) in restored {
      let cells = places.map { place in
        graph.cell(for: place, name: graph.machine.name(of: place))
      }
      graph.restoreInputs(cells, of: formula)
    }
    for entry in slots.reversed() where !entry.slots.isEmpty {
      if let property = graph.cellsByPlace[entry.property] {
        graph.setSlots(entry.slots, of: property)
      }
    }
  }

  /// Has formulas be in the state in which they were.
  func restoreStatuses(in graph: ConnectionGraph) {
    for entry in statuses.reversed() {
      guard graph[entry.formula]?.order == entry.order else { continue }
      graph.hotFormulas[entry.formula.rawValue].status = entry.status
      graph.failures[entry.formula] = entry.failure
    }
    if !statuses.isEmpty { graph.forgetPlans() }
  }
}

extension ConnectionGraph {
  /// Notes what has become of a formula so far: that is about to change.
  func logStatus(of formula: Formula) {
    words[0].hasJournal = true
    let status = hotFormulas[formula.id.rawValue].status
    let hasFailed = status == .failed || status == .heldBack
    journal.record(formula, status, hasFailed ? failures[formula.id] : nil)
  }

  /// Notes what a formula has read so far besides its text: that is about to change.
  func logReads(of formula: Formula) {
    let inputs = formula.dynamicInputs
    // One that has not run yet needs what it reads now in any case.
    if inputs.isEmpty, hotFormulas[formula.id.rawValue].status == .waiting { return }
    words[0].hasJournal = true
    journal.record(readsOf: formula, inputs.map { place(of: $0) })
  }

  /// Notes from which slots a property was computed so far: that is about to change.
  func logSlots(of property: CellID, _ slots: [CellID]) {
    if slots.isEmpty { return }
    words[0].hasJournal = true
    journal.record(slotsOf: place(of: property), slots.map { place(of: $0) })
  }

  /// Notes that a connection has come into force; it has not been brought up to date yet.
  func recordNewConnection(_ connection: Connection, wasSuspended: Bool = false) {
    words[0].hasJournal = true
    newConnectionCount &+= 1
    lastNewConnection = connection.number
    journal.record(new: connection, wasSuspended: wasSuspended)
  }

  /// Forgets the journal: what it is about stands.
  func endJournal() {
    journal.removeAll()
    words[0].hasJournal = false
  }

  /// Takes back what a turn has changed besides the values of places.
  func takeBackJournal() {
    // Code that runs meanwhile may have the collector run: what is needed stays in the journal.
    let old = journal
    old.endNewConnections(in: self)
    // All else is as it was: nothing has to run that had not.
    scheduledFormulas = []
    retries = Retries()
    old.restoreReads(in: self)
    old.restoreStatuses(in: self)
    endJournal()
  }

  /// Gives a formula inputs back that it had before.
  fileprivate func restoreInputs(_ cells: [CellID], of formula: Formula) {
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
