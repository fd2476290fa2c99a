internal import TenonSolverKit
internal import TenonTables

// The folder Turn: from a write to the moment when all connections hold again: writes, formulas that run,
// failures, invariants, lazy variables. Undoing a turn is in Rollback.

// A turn: from a write to the moment when all connections hold again.

extension ConnectionGraph {
  /// The greatest number of changes of one cell because of one change.
  @inline(__always) static var changeLimit: Int { 100 }

  /// Whether there are changes or formulas to be settled.
  var hasPending: Bool { !pending.isEmpty || words[0][.scheduled] || words[0][.retargeted] }

  /// Brings all connections up to date.
  ///
  /// - Throws: a failure when a cell does not come to rest; everything is then as before the turn.
  func settle() throws(Failure) {
    // Getters run while a connection is taken into force, which may be refused yet: formulas that it would
    // have run wait for the end of that.
    guard !isSettling, connecting.keepingDepth == 0 else { return }
    var begun: Beginning?
    if words[0].isPlain, !pending.isEmpty {
      if words[0].levelCount > 0, baseTransaction.isEmpty,
        words[0].hasOneLevel || concernsBaseOnly(pending)
      {
        if settlePlainly() { return }
        begun = .base
      } else if pending.count == 1, let isOver = settleRegion() {
        if isOver { return }
        begun = .region
      }
    }
    try settle(begun)
  }

  /// Returns whether changes of some cells concern nothing but formulas with the solver of the lowest level.
  private func concernsBaseOnly(_ cells: borrowing FlatTable<CellID>) -> Bool {
    for index in 0..<cells.count
    where hot[cells[index].rawValue].flags & (CellFlag.hasForeignReaders | CellFlag.hasObservers)
      != 0
    {
      return false
    }
    return true
  }

  /// The first step of a turn that goes on like any other.
  private enum Beginning {
    /// The one solver of the lowest level has done its work once.
    case base
    /// The solver of a region has done its work once.
    case region
  }

  /// Brings all connections up to date after a write with which a plain turn begins.
  ///
  /// - Throws: as `settle()`.
  @inline(__always)
  func settle(from cell: CellID) throws(Failure) {
    if !settlePlainly(from: cell) { try settle(.base) }
  }

  /// Begins a turn that concerns nothing but formulas with the solver of the lowest level, as far as is
  /// known: nearly all do.
  ///
  /// - Parameter cell: The changed cell; nil for all pending cells.
  /// - Returns: Whether the turn is over; else it goes on like any other.
  @inline(__always)
  private func settlePlainly(from cell: CellID? = nil) -> Bool {
    // The words stay where they are as long as there is a graph.
    let words = unsafe words.address(of: 0)
    unsafe words.pointee.beginPlainTurn(at: 0)
    if let cell {
      settleBase(from: cell)
    } else {
      baseTransaction.changes.exchange(with: pending)
      settleBase()
    }
    guard unsafe words.pointee.isPlain && !words.pointee.hasSpread,
      baseTransaction.isEmpty,
      pending.isEmpty
    else { return false }
    return endPlainTurn()
  }

  /// Begins a turn that concerns nothing but a region of which one cell was written, as far as is known:
  /// its solver runs the formulas of several directions, and no other formula reads their results.
  ///
  /// - Returns: Whether the turn is over, or goes on like any other; nil when it is not such a turn.
  @inline(__always)
  private func settleRegion() -> Bool? {
    let cell = pending[0]
    guard hot[cell.rawValue].flags & (CellFlag.hasObservers | CellFlag.read) == 0,
      let region = cells[cell.index].region, !region.hasWishes
    else { return nil }
    return settle(region, of: cell, with: region.transaction)
  }

  @inline(never)
  private func settle(_ region: Region, of cell: CellID, with transaction: Transaction) -> Bool? {
    guard transaction.isEmpty else { return nil }
    let words = unsafe words.address(of: 0)
    unsafe words.pointee.beginPlainTurn(at: region.level)
    pending.removeAll()
    transaction.changes.append(cell)
    unsafe regionWork.settlingReference = Unmanaged.passUnretained(region)
    satisfy(region, transaction)
    unsafe regionWork.settlingReference = nil
    guard unsafe words.pointee.isPlain && !words.pointee.hasSpread, pending.isEmpty,
      replanning.stuck.waiting.isEmpty
    else {
      if !replanning.stuck.waiting.isEmpty { reselectBlocked(in: region) }
      return false
    }
    return endPlainTurn()
  }

  /// Ends a turn that has concerned nothing else.
  ///
  /// - Returns: Whether the end of the formulas has left it such a turn.
  @inline(__always)
  private func endPlainTurn() -> Bool {
    let words = unsafe words.address(of: 0)
    if unsafe words.pointee.handler >= 0 {
      endFormulas()
      guard unsafe words.pointee.isPlain else { return false }
    }
    log.removeValues()
    unsafe words.pointee.endPlainTurn()
    return true
  }

  /// Brings all connections up to date; the first turn may have begun.
  private func settle(_ begun: Beginning?) throws(Failure) {
    var begun = begun
    defer {
      words[0].isCounting = false
      if words[0][.released] { ended.changesOfReleased = [:] }
      if words[0][.movedCollections] { watchMovedCollections() }
      if words[0][.ended] { releaseEnded() }
      if ranOutOfMemory { reportMemory() }
      if words[0][.trace] { machine.flushTrace() }
    }
    if words[0][.invariants], begun == nil { askDoubtful() }
    if hasPending, begun == nil {
      words[0].firstTurn = UInt32(truncatingIfNeeded: turn &+ 1)
      words[0].isCounting = true
    }
    // A turn of several writes may have come to rest as one of its places was read.
    if !hasPending, begun == nil, atomicDepth == 0 { letTurnStand() }
    var growth: ConnectionGrowth?
    while begun != nil || hasPending {
      let goesOn = begun
      begun = nil
      let isMadeElsewhere = goesOn == nil && consistsOfTakenUp()
      if goesOn == nil { turn += 1 }
      isSettling = true
      defer {
        isSettling = false
        if words[0][.ended] { releaseEnded() }
        if atomicDepth == 0 { letTurnStand() }
      }
      do throws(Failure) {
        defer { if words[0].handler >= 0 { machine.endFormulas() } }
        if goesOn == .base || goesOn == nil && hasOneLevel {
          try settleOneLevel(goesOn != nil)
        } else if goesOn == .region {
          try settleLevels()
        } else {
          distributePending()
          try settleLevels()
        }
      } catch {
        try giveUpTurn(because: error, isMadeElsewhere)
      }
      if isHalted, isUnwinding { return leaveTurn(isMadeElsewhere) }
      if words[0][.invariants] {
        try checkInvariants(isMadeElsewhere)
      }
      isSettling = false
      if words[0][.retargeted] { try retarget() }
      if hasPending {
        if growth == nil { growth = ConnectionGrowth(limit: ConnectionGrowth.settlingLimit, self) }
        try growth?.check(self)
      }
    }
    if words[0][.loggedChanges], atomicDepth == 0 { endLog() }
  }

  /// Rolls back a turn of which a formula was left by unwinding: that is no failure, new connections stay.
  private func leaveTurn(_ isMadeElsewhere: Bool) {
    log.structure.newConnections.removeAll()
    abandonTurn()
    // What has changed elsewhere stays, and what reads it has not run.
    if isMadeElsewhere { _ = failTakenUp(because: .interrupted()) }
  }

  /// Rolls back a turn that has failed.
  ///
  /// - Throws: the failure, unless the turn began with changes that were made elsewhere: those cannot be
  ///   refused any more, so the formulas that determine the places run again.
  private func giveUpTurn(because failure: Failure, _ isMadeElsewhere: Bool) throws(Failure) {
    let kept = abandonTurn()
    guard isMadeElsewhere, failure.isRefusal, withdrawTakenUp() || failTakenUp(because: failure)
    else { throw failure.adding(kept) }
  }

  private func checkInvariants(_ isMadeElsewhere: Bool) throws(Failure) {
    do throws(Failure) {
      try checkInvariants()
    } catch {
      guard isMadeElsewhere, failTakenUp(because: error) else { throw error }
    }
  }

  /// Forgets the data for rolling a turn back.
  private func letTurnStand() {
    log.removeValues()
    if words[0][.loggedChanges] { log.structure.removeChanges() }
  }

  /// Tells the solvers of all levels of the changes since the last settling.
  ///
  /// Apart from `settle()`, so that turns of one level do not pay for access to the properties used here.
  @inline(never)
  private func distributePending() {
    if words[0][.valuesBefore] {
      for cell in takePending() { enqueue(cell) }
    } else {
      for index in 0..<pending.count { enqueue(pending[index]) }
      pending.removeAll()
    }
    guard words[0][.scheduled] else { return }
    for formula in scheduledFormulas { enqueue(formula) }
    scheduledFormulas = []
    if !replanning.retries.formulas.isEmpty { distributeRetries() }
  }

  /// Whether all formulas are with one solver.
  private var hasOneLevel: Bool { words[0].hasOneLevel && !words[0][.regionsWaiting] }

  /// Settles all formulas of the one solver.
  ///
  /// `goesOn`: the solver has done its work once.
  private func settleOneLevel(_ goesOn: Bool) throws(Failure) {
    if !goesOn { beginOneLevel() }
    var isDue = !goesOn
    repeat {
      if isDue { settleBase() }
      isDue = true
      if isHalted, let restless = halt.restless {
        self.halt.restless = nil
        throw doesNotSettle(through: restless)
      }
      try refuseStatement()
    } while !isHalted && !baseTransaction.isEmpty
    currentLevel = -1
    if hasMore || words[0].levelCount > 1 || words[0][.regionsWaiting] { try settleLevels() }
  }

  private func beginOneLevel() {
    if !words[0][.valuesBefore], baseTransaction.changes.isEmpty {
      baseTransaction.changes.exchange(with: pending)
    } else {
      for cell in takePending() { baseTransaction.changes.append(cell) }
    }
    if words[0][.scheduled] {
      for formula in scheduledFormulas where formula.constraint?.level == 0 {
        baseTransaction.forcedFormulas.append(formula.id)
      }
      scheduledFormulas.removeAll(keepingCapacity: scheduledFormulas.count < 65_536)
      if !replanning.retries.formulas.isEmpty { replanning.retries = Retries() }
    }
    hasMore = false
    currentLevel = 0
  }

  /// Requests that memory exhausted by formulas alone is reported at the next safepoint.
  private func reportMemory() {
    ranOutOfMemory = false
    machine.state.requestSafepoint()
  }

  /// Returns the cells that have changed since the last settling, without those whose old values were
  /// restored within `atomically:`.
  private func takePending() -> [CellID] {
    let cells = (0..<pending.count).map { pending[$0] }
    defer {
      pending.removeAll()
      writeState.valuesBefore.removeAll()
    }
    if writeState.valuesBefore.isEmpty { return cells }
    return cells.filter { cell in
      guard let before = writeState.valuesBefore[cell], let now = machine.currentValue(of: cell)
      else {
        return true
      }
      return !machine.isUnchanged(before, now)
    }
  }

  private func settleLevels() throws(Failure) {
    var steps = 0
    // Formulas that find new inputs in the turn may make it go on again, but not for ever.
    let limit = 1_000 + 100 * (regionCount + levels.count)
    repeat {
      hasMore = false
      var level = 0
      while level <= highestLevel {
        steps += 1
        if steps > limit, let cell = regionWork.waitingRegions.first?.cells.min() {
          throw doesNotSettle(through: cell)
        }
        if steps & 1_023 == 0, machine.noticeInterrupt() {
          _ = machine.stop()
          isUnwinding = true
          return
        }
        currentLevel = level
        settleRegions(of: level)
        if level < levels.count { settle(levels[level]) }
        if let restless = halt.restless {
          self.halt.restless = nil
          throw doesNotSettle(through: restless)
        }
        if let refusal = halt.refusal {
          self.halt.refusal = nil
          if case .interrupted = refusal.kind {
            _ = machine.stop()
            isUnwinding = true
            return
          }
          throw failure(ending: refusal)
        }
        try refuseStatement()
        if isUnwinding { return }
        level += 1
      }
    } while hasMore
    currentLevel = -1
  }

  /// The highest level that has a solver or waiting region.
  var highestLevel: Int {
    var highest = levels.count - 1
    for region in regionWork.waitingRegions { highest = max(highest, region.level) }
    return max(0, highest)
  }

  private func settleRegions(of level: Int) {
    guard !regionWork.waitingRegions.isEmpty else { return }
    if regionWork.waitingRegions.count == 1 {
      guard regionWork.waitingRegions[0].level == level,
        let region = regionWork.waitingRegions.popLast()
      else { return }
      settle(region)
      return
    }
    let due = regionWork.waitingRegions.filter { $0.level == level }
    regionWork.waitingRegions.removeAll { $0.level == level }
    for region in due { settle(region) }
  }

  private func settle(_ region: Region) {
    region.isWaiting = false
    unsafe regionWork.settlingReference = Unmanaged.passUnretained(region)
    if region.hasWishes { recordWritten(in: region) }
    if region.transaction.forcedCount > 0 { checkConstants(in: region) }
    satisfy(region, region.transaction)
    unsafe regionWork.settlingReference = nil
    if !replanning.stuck.waiting.isEmpty { reselectBlocked(in: region) }
  }

  /// Lets the solver of a region do its work.
  @inline(__always)
  private func satisfy(_ region: Region, _ transaction: Transaction) {
    let solver = region.solver
    if region.turn != words[0].firstTurn {
      region.turn = words[0].firstTurn
      solver.beginTurn()
    }
    transaction.settle(with: solver)
    if !region.begun.isEmpty { region.begun = [] }
  }

  /// Makes a region wait for its solver.
  func enqueue(_ region: Region) {
    words[0].hasSpread = true
    if region.level <= currentLevel { hasMore = true }
    guard !region.isWaiting else { return }
    region.isWaiting = true
    regionWork.waitingRegions.append(region)
  }

  private func settle(_ level: Level) {
    let transaction = level.transaction
    guard !transaction.isEmpty else { return }
    transaction.settle(with: level.solver)
  }

  /// Tells the solvers that have to do with a changed cell.
  func enqueue(_ cell: CellID) {
    // The solver at work passes its own results on itself, but not what the program's own code
    // writes meanwhile.
    if let region = cells[cell.index].region, region !== settling || !isRunningFormula {
      region.transaction.changes.append(cell)
      enqueue(region)
    }
    let isApart = hot[cell.rawValue].flags & CellFlag.hasForeignReaders != 0
    // The solver of a one-way formula passes its results on itself.
    guard isApart || currentLevel < 0 || !isRunningFormula else { return }
    let writer = owner(of: cell)?.constraint?.level ?? -1
    var told = -1
    var staysApart = cells[cell.index].isInRegion
    defer { if isApart, !staysApart { setFlag(CellFlag.hasForeignReaders, of: cell, to: false) } }
    for reader in readers(of: cell) {
      if let region = reader.constraint?.region {
        staysApart = true
        force(reader, in: region)
        continue
      }
      guard let level = reader.constraint?.level, level >= 0 else {
        staysApart = true
        continue
      }
      if level != max(0, writer) { staysApart = true }
      guard level != told else { continue }
      if level == currentLevel, writer == level, isRunningFormula { continue }
      levels[level].transaction.changes.append(cell)
      words[0].hasSpread = true
      if level <= currentLevel { hasMore = true }
      told = level
    }
  }

  /// Schedules a constraint of several directions when a cell that one of its formulas reads has
  /// changed.
  ///
  /// The formula that is in force runs, whichever has read: when it was chosen, the constraint may have
  /// held already, so that it has not run since and its reads are not known.
  private func force(_ formula: Formula, in region: Region) {
    guard let due = formula.equation != nil ? formula : inForce(of: formula, in: region) else {
      return
    }
    region.transaction.forcedFormulas.append(due.id)
    enqueue(region)
  }

  /// Returns the formula that computes a place of a formula's constraint at present.
  private func inForce(of formula: Formula, in region: Region) -> Formula? {
    func isChosen(_ formula: Formula) -> Bool {
      region.solver.formula(computing: formula.output) == formula.id
    }
    if isChosen(formula) { return formula }
    return formula.constraint?.formulas.first { isChosen($0) }
  }

  func enqueue(_ formula: Formula) {
    guard let constraint = formula.constraint else { return }
    if let region = constraint.region {
      region.transaction.forcedFormulas.append(formula.id)
      enqueue(region)
    } else if constraint.level >= 0 {
      levels[constraint.level].transaction.forcedFormulas.append(formula.id)
      words[0].hasSpread = true
      if constraint.level <= currentLevel { hasMore = true }
    }
  }

  /// Ends a turn in which a statement has turned out to be refused.
  @inline(__always)
  private func refuseStatement() throws(Failure) {
    guard isHalted, let failure = halt.refusedStatement else { return }
    halt.refusedStatement = nil
    throw failure
  }
}
