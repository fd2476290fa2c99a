// A turn: from a write to the moment when all connections hold again.

extension ConnectionGraph {
  /// The most often that one cell may change in a turn.
  static let changeLimit = 100

  // MARK: Writes from outside

  /// Asks whether a cell may be written from outside.
  ///
  /// - Throws: a failure that names what determines the cell.
  func checkWrite(to cell: CellID) throws(Failure) {
    if let running {
      throw .impureFormula(self[cell].name, running.connection)
    }
    if let limit = machine.solverLimit {
      throw .impureSolver(self[cell].name, limit.solver.title)
    }
    // Who writes a slot writes the properties that are computed from it.
    for written in [cell] + self[cell].properties {
      if let owner = self[written].owner, !owner.connection.allowsOverride {
        throw .determined(self[written].name, by: owner.connection)
      }
    }
  }

  /// Makes a cell that is about to be written one that its constraints do not compute.
  ///
  /// - Throws: a failure that names what determines the cell.
  func prepareWrite(to cell: CellID) throws(Failure) {
    for written in [cell] + self[cell].properties {
      guard let region = self[written].region else { continue }
      do throws(SolverConflict) {
        try region.solver.edit(
          written, age: clock + 1, isPinned: self[written].owner != nil)
      } catch {
        let above = error.formulas.compactMap { self[$0]?.connection }.unique()
        throw .overdetermined(self[written].name, by: above)
      }
    }
  }

  /// Notes that a cell was written from outside.
  func noteWrite(to cell: CellID, by site: TraceEntry?) {
    clock += 1
    for written in [cell] + self[cell].properties {
      // What it says does not hold until it hears of a change.
      self[written].owner?.state = .waiting
      cells[written.index].age = clock
      cells[written.index].cause = Cause(turn: turn + 1, site: site)
    }
    noteChange(of: cell)
  }

  /// Notes that a cell has another value, whoever gave it.
  func noteChange(of cell: CellID) {
    if cells[cell.index].turn != turn {
      cells[cell.index].turn = turn
      cells[cell.index].changes = 0
    }
    cells[cell.index].changes += 1
    if isSettling { distribute(cell) } else { pending.append(cell) }
    for property in cells[cell.index].properties where property != writing {
      noteChange(of: property)
    }
    if let plans = pathWatchers[cell] {
      for connection in plans where !connection.awaitsAim {
        connection.awaitsAim = true
        reaimed.append(connection)
      }
    }
  }

  // MARK: Settling

  /// Whether there is anything to be done.
  var hasPending: Bool { !pending.isEmpty || !forced.isEmpty || !reaimed.isEmpty }

  /// Brings all connections up to date.
  ///
  /// - Returns: `unwind` when the program was interrupted on the way, else nil.
  /// - Throws: a failure when a cell does not come to rest; everything is then as before the turn.
  func settle() throws(Failure) {
    guard !isSettling else { return }
    defer { reportMemory() }
    while hasPending {
      turn += 1
      isSettling = true
      defer {
        isSettling = false
        undo.removeAll()
      }
      for cell in takePending() { distribute(cell) }
      for formula in forced { distribute(formula) }
      forced = []
      do throws(Failure) {
        try settleLevels()
      } catch {
        abandonTurn()
        throw error
      }
      if isUnwinding {
        abandonTurn()
        return
      }
      isSettling = false
      try reaim()
    }
  }

  /// Has the program hear at its next safepoint that memory has run out, when only formulas have.
  private func reportMemory() {
    guard ranOutOfMemory else { return }
    ranOutOfMemory = false
    machine.state.requestSafepoint()
  }

  /// The cells that have changed since the last settling; those left out that `atomically:` gave
  /// back what they held.
  private func takePending() -> [CellID] {
    defer {
      pending.removeAll(keepingCapacity: true)
      valuesBefore.removeAll()
    }
    if valuesBefore.isEmpty { return pending }
    return pending.filter { cell in
      guard let before = valuesBefore[cell], let now = machine.currentValue(of: cell) else {
        return true
      }
      return !machine.isUnchanged(before, now)
    }
  }

  private func settleLevels() throws(Failure) {
    repeat {
      hasMore = false
      var level = 0
      while level <= highestLevel {
        currentLevel = level
        settleRegions(of: level)
        if level < levels.count { settle(levels[level]) }
        if let restless {
          self.restless = nil
          throw .doesNotSettle(loop(through: restless))
        }
        if isUnwinding { return }
        level += 1
      }
    } while hasMore
    currentLevel = -1
  }

  private var highestLevel: Int {
    max(levels.count - 1, waitingRegions.map(\.level).max() ?? 0)
  }

  private func settleRegions(of level: Int) {
    guard !waitingRegions.isEmpty else { return }
    let due = waitingRegions.filter { $0.level == level }
    waitingRegions.removeAll { $0.level == level }
    for region in due {
      region.isWaiting = false
      settling = region
      region.transaction.settle(with: region.solver)
      settling = nil
    }
  }

  /// Lets a region wait for its solver.
  func enqueue(_ region: Region) {
    if region.level <= currentLevel { hasMore = true }
    guard !region.isWaiting else { return }
    region.isWaiting = true
    waitingRegions.append(region)
  }

  private func settle(_ level: Level) {
    let transaction = level.transaction
    guard !transaction.changed.isEmpty || !transaction.forced.isEmpty else { return }
    transaction.settle(with: level.solver)
  }

  /// Tells those who have to do with a changed cell.
  private func distribute(_ cell: CellID) {
    // What the solver at work computes it passes on itself, but not what the program's own code
    // writes meanwhile.
    if let region = cells[cell.index].region, region !== settling || !isRunningFormula {
      region.transaction.changed.append(cell)
      enqueue(region)
    }
    guard hasRegions || currentLevel < 0 || cells[cell.index].owner == nil else { return }
    let writer = cells[cell.index].owner?.constraint?.level ?? -1
    var told = -1
    for reader in cells[cell.index].readers {
      if let region = reader.constraint?.region {
        force(reader, in: region)
        continue
      }
      guard let level = reader.constraint?.level, level >= 0, level != told else { continue }
      if level == currentLevel, writer == level, isRunningFormula { continue }
      levels[level].transaction.changed.append(cell)
      if level <= currentLevel { hasMore = true }
      told = level
    }
  }

  /// Has a constraint of several directions satisfied again when its formula that is in force reads
  /// something that has changed.
  private func force(_ formula: Formula, in region: Region) {
    guard region.solver.formula(computing: formula.output) == formula.id else { return }
    region.transaction.forced.append(formula.id)
    enqueue(region)
  }

  private func distribute(_ formula: Formula) {
    guard let constraint = formula.constraint else { return }
    if let region = constraint.region {
      region.transaction.forced.append(formula.id)
      enqueue(region)
    } else if constraint.level >= 0 {
      levels[constraint.level].transaction.forced.append(formula.id)
    }
  }

  /// Gives slots back what they held before the turn.
  private func abandonTurn() {
    for (place, value) in undo.reversed() {
      switch place.kind {
      case .slot: ObjectRef(place.object)[slot: place.index] = value
      case .element where place.index >= 0:
        ObjectRef(place.object)[element: place.index] = value
        if let cell = cellsByPlace[place] { setKnown(value, of: cell) }
      default: break
      }
    }
    undo.removeAll()
    for level in levels {
      level.transaction.changed.removeAll()
      level.transaction.forced.removeAll()
    }
    for region in waitingRegions {
      region.isWaiting = false
      region.transaction.changed.removeAll()
      region.transaction.forced.removeAll()
    }
    waitingRegions = []
    pending = []
    valuesBefore = [:]
    for connection in reaimed { connection.awaitsAim = false }
    reaimed = []
    currentLevel = -1
    settling = nil
  }

  /// The connections through which a restless cell changes, for a message.
  private func loop(through cell: CellID) -> [String] {
    var names: [String] = []
    var current: CellID? = cell
    var visited: Set<CellID> = []
    while let cell = current, visited.insert(cell).inserted {
      names.append(self[cell].name)
      current = self[cell].cause.cell
    }
    if let current { names.append(self[current].name) }
    return names
  }

  // MARK: Running formulas

  /// Runs a formula for a solver.
  ///
  /// - Returns: Whether its cell has another value now.
  func run(_ id: FormulaID, because cause: CellID?) -> Bool {
    guard let formula = self[id], !isUnwinding, restless == nil else { return false }
    formula.runs += 1
    guard let value = machine.evaluate(formula) else { return false }
    return store(value, by: formula, because: cause)
  }

  /// Stores the value of a formula.
  private func store(_ value: Value, by formula: Formula, because cause: CellID?) -> Bool {
    let output = formula.output
    let place = cells[output.index].place
    // Reading and writing may run the program's own code.
    let root = machine.roots.count
    if place.kind != .slot { machine.roots.append(value) }
    defer { if machine.roots.count > root { machine.roots.removeLast(machine.roots.count - root) } }
    guard let old = machine.currentValue(of: output) else { return false }
    if machine.isUnchanged(old, value) {
      formula.state = .satisfied
      return false
    }
    undo.append((place, old))
    let outer = writing
    writing = output
    let failure = machine.write(value, to: output)
    writing = outer
    if let failure {
      machine.note(failure, of: formula)
      return false
    }
    formula.state = .satisfied
    cells[output.index].cause = Cause(turn: turn, formula: formula.id, cell: cause)
    isRunningFormula = true
    noteChange(of: output)
    isRunningFormula = false
    if cells[output.index].changes > ConnectionGraph.changeLimit { restless = output }
    return true
  }
}
