internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

// Writes from outside, and passing changes on to readers and observers.

/// A write that is at work, and what `atomically:` has written.
final class WriteState: GraphPart {
  /// The place that the graph itself is writing: writes of its setter are not from outside.
  var writing: CellID?
  /// The connection whose result a setter is taking, as that of a flow and of `watch:` does.
  var effect: Effect?
  /// Whether places get back their values from before a turn: no formula determines them then.
  var isTakingBack = false
  /// The values of the cells written in `atomically:` from before it.
  var valuesBefore: [CellID: Value] = [:] {
    didSet { unsafe graph?.words[0][.valuesBefore] = !valuesBefore.isEmpty }
  }
  /// The reach of the cells written in `atomically:`, as far as it was needed.
  var reach = PendingReach()
}

extension ConnectionGraph {
  /// Checks that a cell may be written from outside.
  ///
  /// - Throws: a failure that names the connection that determines the cell.
  func checkWrite(to cell: CellID) throws(Failure) {
    if runningNumber >= 0, let running {
      throw .impureFormula(displayName(of: cell), running.connection)
    }
    if words[0].hasSolverLimit, let limit = machine.connections.solverLimit {
      throw .impureSolver(displayName(of: cell), limit.solver.title)
    }
    try checkOwner(of: cell)
    // A write of a slot is also one of the properties that are computed from it.
    guard hot[cell.rawValue].flags & CellFlag.hasObservers != 0 else { return }
    // A store writes to those below it at any time: the determined value is written there again.
    for property in cells[cell.index].properties where hot[property.rawValue].kind != .stored {
      try checkOwner(of: property)
    }
  }

  @inline(__always)
  private func checkOwner(of cell: CellID) throws(Failure) {
    guard hot[cell.rawValue].flags & CellFlag.determined != 0 else { return }
    if let owner = self[cell].owner, !owner.connection.allowsOverride,
      owner.connection.strength == .required
    {
      throw .determined(displayName(of: cell), by: owner.connection)
    }
  }

  /// Prepares the write of a cell, so that its constraints do not compute it.
  ///
  /// - Throws: a failure that names the connection that determines the cell.
  func prepareWrite(to cell: CellID) throws(Failure) {
    try prepareRegion(of: cell)
    guard hot[cell.rawValue].flags & CellFlag.hasObservers != 0 else { return }
    for property in cells[cell.index].properties { try prepareRegion(of: property) }
  }

  private func prepareRegion(of cell: CellID) throws(Failure) {
    try tellRegion(of: cell, age: clock + 1)
  }

  /// Tells the solver of a cell's region that the cell is about to be written, or was.
  ///
  /// - Throws: a failure that names the connections that determine the cell.
  func tellRegion(of cell: CellID, age: UInt64) throws(Failure) {
    guard hasRegions, var region = cells[cell.index].region else { return }
    if region.isToBeReconsidered, reconsiderSolver(of: region), let new = cells[cell.index].region {
      region = new
    }
    logEdit(of: cell)
    do throws(Failure) {
      try tell(region, of: cell, age: age, isPinned: self[cell].hasOwner)
    } catch {
      log.removeLastEdit()
      throw error
    }
  }

  /// Returns whether writing a slot concerns nothing but the formulas that read it, and the region that it
  /// belongs to.
  @inline(__always)
  private func isFreelyWritable(_ cell: CellID) -> Bool {
    let flags = hot[cell.rawValue].flags
    return flags & CellFlag.plain != 0 && isFree(flags)
  }

  /// Returns whether writing a cell with such flags concerns only formulas and its region at present.
  @inline(__always)
  func isFree(_ flags: UInt16) -> Bool {
    flags & (CellFlag.hasObservers | CellFlag.determined) == 0 && runningNumber < 0
      && !words[0].hasObserversOfTurn && !words[0].hasSolverLimit
  }

  /// Records the old value of a place, for when the turn cannot be finished.
  @inline(__always)
  func logOld(_ value: Value, at place: Place) {
    log.record(place, value)
  }

  /// Records that a freely writable cell was written from outside.
  ///
  /// Repeated writes are recorded without a call, so that no register has to be saved.
  ///
  /// - Returns: Whether it begins a plain turn; else the readers have been told.
  @inline(__always)
  func didWriteFreely(to cell: CellID, old: Value, new: Value) -> Bool {
    // No cell is made meanwhile: the records stay where they are.
    let words = unsafe words.address(of: 0)
    let record = unsafe hot.address(of: cell.rawValue)
    unsafe words.pointee.clock &+= 1
    let send = unsafe currentSend()
    guard
      unsafe !words.pointee.isSettling && record.pointee.flags & CellFlag.planned == 0
        && writes.recordAgain(cell, at: words.pointee.clock, from: send)
        && causes.recordFirst(
          cell.rawValue, turn: words.pointee.turn &+ 1, from: send, old: old, new: new)
    else {
      unsafe didWriteFreelySlowly(to: cell, from: send, old: old, new: new)
      return beginsTurn(cell)
    }
    unsafe record.pointee.writer = -1
    return beginsTurn(cell)
  }

  @inline(never)
  private func didWriteFreelySlowly(
    to cell: CellID, from send: Unmanaged<SiteNode>?, old: Value, new: Value
  ) {
    if isSettling, let effect = writeState.effect {
      causes.record(cell, turn: turn, by: effect, old: old, new: new)
    } else {
      unsafe causes.recordWrite(
        cell, turn: isSettling ? turn : turn &+ 1, from: send, old: old, new: new)
    }
    if hot[cell.rawValue].flags & CellFlag.planned != 0 { flushRunCounts() }
    hot[cell.rawValue].writer = -1
    unsafe writes.record(cell, at: clock, from: send)
  }

  /// Counts a write of a freely writable cell.
  ///
  /// - Returns: Whether it begins a plain turn; else the readers have been told.
  @inline(__always)
  private func beginsTurn(_ cell: CellID) -> Bool {
    let words = unsafe words.address(of: 0)
    let record = unsafe hot.address(of: cell.rawValue)
    let turn = unsafe words.pointee.firstTurn
    unsafe record.pointee.changes =
      record.pointee.turn == turn ? record.pointee.changes &+ 1 : 1
    unsafe record.pointee.turn = turn
    if unsafe words.pointee.isPlain && record.pointee.flags & CellFlag.hasForeignReaders == 0
      && !words.pointee.isCounting && pending.isEmpty && baseTransaction.isEmpty
    {
      return true
    }
    if unsafe words.pointee.isSettling { enqueue(cell) } else { pending.append(cell) }
    return false
  }

  @inline(__always)
  private func recordWriter(of cell: CellID, _ site: TraceEntry?) {
    if hot[cell.rawValue].flags & CellFlag.planned != 0 { flushRunCounts() }
    hot[cell.rawValue].writer = -1
    // A connection whose place was written in spite of it does not hold until one of its inputs
    // changes.
    if hot[cell.rawValue].flags & CellFlag.determined != 0 {
      if let owner = self[cell].owner, !hasFailed(owner.id.rawValue) {
        logStatus(of: owner)
        owner.state = .waiting
      }
      forgetStaleness(of: cell)
    }
    writes.record(cell, at: clock, by: site)
  }

  /// Records that a cell was written from outside.
  ///
  /// - Parameters:
  ///   - cell: The cell.
  ///   - site: The send that wrote.
  ///   - old: The old value; undefined when it is unknown.
  ///   - new: The new value; undefined when it has not been read yet.
  func recordWrite(
    to cell: CellID, by site: TraceEntry?, old: Value = .undefined, new: Value = .undefined
  ) {
    clock += 1
    let turn = isSettling ? turn : turn + 1
    if let write = watchers.observers.write, write.cell == cell {
      causes.record(
        cell.rawValue, turn: turn, connection: Int32(truncatingIfNeeded: write.connection.number),
        because: write.cause?.rawValue ?? -1, old: old, new: new)
    } else if isSettling, let effect = writeState.effect {
      causes.record(cell, turn: turn, by: effect, old: old, new: new)
    } else {
      causes.recordWrite(cell, turn: turn, by: site, old: old, new: new)
    }
    recordWriter(of: cell, site)
    if hot[cell.rawValue].flags & CellFlag.hasObservers != 0 {
      for property in computed(from: cell) { recordWriter(of: property, site) }
    }
    didChange(of: cell)
  }

  @inline(__always) @discardableResult
  func countChange(of cell: Int32) -> Int32 {
    let turn = words[0].firstTurn
    let changes = hot[cell].turn == turn ? hot[cell].changes &+ 1 : 1
    hot[cell].turn = turn
    hot[cell].changes = changes
    return changes
  }

  /// Counts a change of a place whose formula has ended because of it; it may have another cell now.
  func countChange(of place: Place) {
    guard let cell = cellsByPlace[place] else {
      ended.changesOfReleased[place, default: 0] += 1
      return
    }
    if Int(countChange(of: cell.rawValue)) > ConnectionGraph.changeLimit { halt.restless = cell }
  }

  /// Records that a cell has another value, whoever has written it.
  func didChange(of cell: CellID) {
    countChange(of: cell.rawValue)
    notifyReaders(cell)
  }

  /// Tells the readers and observers of a changed cell.
  func notifyReaders(_ cell: CellID) {
    queueReaders(of: cell)
    guard hot[cell.rawValue].flags & CellFlag.hasObservers != 0 else { return }
    if !cells[cell.index].properties.isEmpty { didChange(above: cell) }
    tellWatchers(of: cell)
  }

  /// Schedules the readers of a cell, in this settling or in the next one.
  func queueReaders(of cell: CellID) {
    if isSettling { enqueue(cell) } else { pending.append(cell) }
  }

  /// Tells the observers of a changed cell that are no formulas: folds, lazy variables, relays, and paths
  /// that lead through it.
  func tellWatchers(of cell: CellID) {
    guard hot[cell.rawValue].flags & CellFlag.hasObservers != 0 else { return }
    if !activeFolds.foldsByCell.isEmpty { updateFolds(readingFrom: cell) }
    if !laziness.lazyReaders.isEmpty { markDue(readersOf: cell) }
    if !watchers.observers.byCell.isEmpty { didObserveChange(of: cell) }
    if let plans = watchers.pathWatchers[cell] {
      for connection in plans where !connection.awaitsAim {
        connection.awaitsAim = true
        watchers.retargeted.append(connection)
      }
    }
  }
}

// MARK: - Free writes

// Writes that concern nothing but the formulas that read the place: nearly all of them.

extension ConnectionGraph {
  enum FreeWrite {
    /// No work is left.
    case done
    /// The connections have to be brought up to date.
    case toBeSettled
    /// The connections have to be after this cell has changed, which is not recorded anywhere else.
    case begins(CellID)
    /// The cell cannot be written like this.
    case refused(CellID)
    /// The slot is part of a collection that is watched as a whole.
    case ofCollection
  }

  /// Writes a slot, if that concerns nothing but the formulas that read it.
  func writeFreely(_ value: Value, into object: ObjectRef, slot: Int) -> FreeWrite {
    // Perhaps only the collector has to know of the write.
    let number =
      object.flags & ObjectFlag.watched == 0
      ? -1 : objectMap.find(slot: slot, of: object, in: hot)
    if number < 0 {
      if object.flags & ObjectFlag.watched != 0, runningNumber < 0, whole(of: object) != nil,
        machine.isPart(slot, of: object)
      {
        return .ofCollection
      }
      object[slot: slot] = value
      return .done
    }
    let cell = CellID(number)
    // No slot from which a property is computed: such a slot has observers.
    guard isFreelyWritable(cell) else { return .refused(cell) }
    let old = object[slot: slot]
    if hot[number].flags & CellFlag.hasForeignReaders != 0, cells[number].isInRegion {
      // Regions hear of writes of equal values as well.
      guard !isSettling, atomicDepth == 0, old != value,
        !value.isObject || !machine.isUnchanged(old, value), beginsEdit(of: cell)
      else { return .refused(cell) }
    } else if old == value || value.isObject && machine.isUnchanged(old, value) {
      return .done
    }
    object[slot: slot] = value
    log.logSlot(Value(object), slot, old)
    if atomicDepth > 0 { rememberBefore(old, of: cell) }
    if didWriteFreely(to: cell, old: old, new: value) { return .begins(cell) }
    return isSettling || atomicDepth > 0 ? .done : .toBeSettled
  }

  /// Returns whether writing a cell begins a plain turn, which concerns nothing but formulas that read it.
  @inline(__always)
  func beginsPlainTurn(_ cell: CellID) -> Bool {
    isFreelyWritable(cell) && hot[cell.rawValue].flags & CellFlag.hasForeignReaders == 0
      && words[0].isPlain && !words[0].isSettling && !words[0].isCounting && atomicDepth == 0
      && pending.isEmpty && baseTransaction.isEmpty
  }

  /// Tells the solver of a region that a cell is about to be written.
  ///
  /// - Returns: false when more has to be done for that.
  @inline(never)
  private func beginsEdit(of cell: CellID) -> Bool {
    guard let region = unsafe cells[cell.index].regionReference else { return false }
    return unsafe region._withUnsafeGuaranteedRef { region in
      if region.isToBeReconsidered { return false }
      logEdit(of: cell)
      do throws(SolverConflict) {
        try region.solver.edit(cell, age: words[0].clock + 1, isPinned: false)
        return true
      } catch {
        log.removeLastEdit()
        return false
      }
    }
  }

  @inline(never)
  private func rememberBefore(_ old: Value, of cell: CellID) {
    if writeState.valuesBefore[cell] == nil { writeState.valuesBefore[cell] = old }
  }
}
