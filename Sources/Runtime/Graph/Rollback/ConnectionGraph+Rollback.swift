internal import TenonSolverKit
internal import TenonTables

// The folder Rollback: what a turn or a statement has changed, and how it is given back.

// Giving places back what they held before a turn that is given up, or a write that is refused: slots
// and arrays at once, all else by the code of what it is in.

/// A position in the log, and the work that was planned there.
struct Savepoint {
  let changes: Int
  fileprivate let scheduledCount: Int
  fileprivate let retries: Retries
  fileprivate let hasRoom: Bool

  /// The beginning of the turn.
  static let start = Savepoint(changes: 0, scheduledCount: 0, retries: Retries(), hasRoom: false)
}

extension ConnectionGraph {
  /// Returns a point to which can be rolled back.
  func savepoint() -> Savepoint {
    Savepoint(
      changes: log.structure.changes.count, scheduledCount: scheduledFormulas.count,
      retries: replanning.retries, hasRoom: words[0][.room])
  }

  /// Restores the plan of work as it was at a savepoint, and the soft constraints that were retracted since.
  ///
  /// - Requires: what has come into force since is out of it again.
  func rollbackPlan(to savepoint: Savepoint) {
    reinstateRetracted(since: savepoint)
    let surplus = scheduledFormulas.count - savepoint.scheduledCount
    if surplus > 0 { scheduledFormulas.removeLast(surplus) }
    replanning.retries = savepoint.retries
    words[0][.room] = savepoint.hasRoom
  }

  /// Restores everything that has changed since the turn before stood.
  ///
  /// - Returns: What is to be said of places that could not be given back what they held.
  @discardableResult
  func abandonTurn() -> [String] {
    endFolds()
    distrustLazyCells()
    if !tables.recorded.isEmpty { distrustRecords() }
    if words[0][.loggedChanges] { restoreSolvers() }
    let written = hasRegions ? 0..<log.count : 0..<0
    let regions = written.compactMap { index in
      log[index].flatMap { cellsByPlace[$0.place] }.flatMap { self[$0].region }
    }
    let failures = takeBack()
    forgetWrites(in: turn)
    restoreEdits(since: 0)
    log.removeValues()
    for level in levels { level.transaction.removeAll() }
    for region in regionWork.waitingRegions {
      region.isWaiting = false
      region.transaction.removeAll()
    }
    regionWork.waitingRegions = []
    pending.removeAll()
    // What was connected on the way would fail with every later change.
    scheduledFormulas = []
    replanning.retries = Retries()
    writeState.valuesBefore = [:]
    forgetObservers()
    watchers.invariants.violated = nil
    watchers.invariants.failed = []
    for connection in watchers.retargeted { connection.awaitsAim = false }
    watchers.retargeted = []
    replanning.stuck.waiting = []
    currentLevel = -1
    unsafe regionWork.settlingReference = nil
    // What they know of the cells they have computed in this turn.
    for region in regions.unique() { region.solver.forgetTurn() }
    if words[0][.loggedChanges] { restoreGraph() }
    // Setters may have run formulas, and so may what ends.
    machine.endFormulas()
    return failures
  }

  /// Gives places back what they held when the log had so many entries.
  ///
  /// - Returns: What is to be said of places that could not be given back what they held.
  /// - Complexity: O(entries since).
  func takeBack(from first: Int = 0) -> [String] {
    // Setters run first: what they write besides is given back with the slots.
    let properties = entries(from: first) { $0.kind == .property }
    let unset = properties.isEmpty ? [] : putBack(properties)
    let objects = takeBackSlots(from: first)
    // Elements that are kept in an array have come back with that.
    let others = entries(from: first) { [machine] place in
      place.kind == .stored
        || place.kind == .element && place.index < 0 && !machine.keepsElementsInArray(place.object)
    }
    var counted: Set<UInt> = []
    for object in others.map(\.place.object) where counted.insert(object.bits).inserted {
      machine.recountEntries(of: object, ifAmong: objects)
    }
    let kept = others.isEmpty ? [] : putBack(others)
    return (unset.filter { !machine.holds($0.value, at: $0.place) } + kept).map { entry in
      let name = cellsByPlace[entry.place].map { displayName(of: $0) }
      return "'\(name ?? machine.name(of: entry.place))' keeps what was written: \(entry.reason)"
    }
  }

  /// The entries of some kinds of places, the last one first; without those of a table that were
  /// noted after it was emptied, as its slots are given back what they held then.
  func entries(
    from first: Int, where isMeant: (Place) -> Bool
  ) -> [(place: Place, value: Value)] {
    var found: [(place: Place, value: Value)] = []
    var index = log.count - 1
    while index >= first {
      defer { index -= 1 }
      guard let entry = log[index] else { continue }
      if entry.place.kind == .whole, entry.value.isUndefined {
        found.removeAll { $0.place.kind == .element && $0.place.object == entry.place.object }
      }
      if isMeant(entry.place) { found.append(entry) }
    }
    return found
  }

  /// Gives slots and arrays back what they held.
  ///
  /// - Returns: What they are of.
  private func takeBackSlots(from first: Int) -> Set<UInt> {
    var collections: Set<UInt> = []
    var index = log.count - 1
    while index >= first {
      defer { index -= 1 }
      guard let (place, value) = log[index] else { continue }
      switch place.kind {
      case .slot: ObjectRef(place.object)[slot: place.index] = value
      case .element where place.index >= 0:
        ObjectRef(place.object)[element: place.index] = value
      case .whole:
        if !value.isUndefined { machine.restore(ObjectRef(place.object), from: value) }
      case .element, .property, .stored: continue
      }
      collections.insert(place.object.bits)
    }
    // What their elements were in the turn is no measure of what they will be.
    for object in collections {
      for cell in watched[object] ?? [] where hot[cell.rawValue].kind == .element {
        forgetCachedValue(of: cell)
      }
    }
    return collections
  }

  /// Takes back what has been written for one statement that is refused before the turn begins.
  ///
  /// - Returns: What is to be said of places that could not be given back what they held.
  func refuseWrite(since mark: Int) -> [String] {
    if isSettling { return [] }
    if atomicDepth > 0 {
      defer { machine.endFormulas() }
      restoreEdits(since: mark)
      return takeBack(from: mark)
    }
    forgetWrites(in: turn + 1)
    return abandonTurn()
  }

  /// Forgets what was changed in a turn, and who has written places of which no other change is known.
  func forgetWrites(in turn: Int) {
    let written = causes.places(writtenIn: turn)
    causes.forget(turn: turn)
    for number in written {
      let cell = CellID(number)
      if isInUse(cell), causes.last(of: cell) == nil { writes.forget(cell) }
    }
  }

  /// Gives places back what they held by code of any kind; the last entry of a place counts.
  ///
  /// - Returns: Those that could not be given it, and why.
  func putBack(
    _ entries: [(place: Place, value: Value)]
  ) -> [(place: Place, value: Value, reason: String)] {
    let machine = self.machine
    var oldest: [Place: Value] = [:]
    // Two names may be of one place: the one that was written first has what that held before.
    var order: [Place] = []
    for entry in entries.reversed() where oldest[entry.place] == nil {
      oldest[entry.place] = entry.value
      order.append(entry.place)
    }
    order.reverse()
    let root = machine.roots.count
    defer { machine.dropRoots(to: root) }
    for place in order {
      machine.roots.append(contentsOf: [place.object, place.key, oldest[place] ?? .nil])
    }
    // A program that is on its way out goes on with that.
    let (target, delivered) = (machine.state.unwindTarget, machine.state.unwindValue)
    let action = machine.exceptions.unwindAction
    machine.roots.append(delivered)
    let wasUnwinding = isUnwinding
    let wasSettling = isSettling
    isUnwinding = false
    isSettling = true
    writeState.isTakingBack = true
    defer { writeState.isTakingBack = false }
    var failures: [(place: Place, value: Value, reason: String)] = []
    for place in order {
      let value = oldest[place] ?? .nil
      if let reason = machine.putBack(value, at: place) { failures.append((place, value, reason)) }
    }
    isSettling = wasSettling
    isUnwinding = wasUnwinding
    if wasUnwinding {
      _ = machine.state.unwind(to: target, with: delivered)
      machine.exceptions.unwindAction = action
    }
    return failures
  }

  // MARK: Edits

  /// Logs when a cell of a region was written before its solver hears of a write: by that it chooses what is
  /// computed from what.
  @inline(__always)
  func logEdit(of cell: CellID) { log.logEdit(of: cell, age: writes.age(of: cell)) }

  /// Restores the ages that cells had before solvers were told of writes, the latest first.
  ///
  /// - Complexity: what the solvers' `edit` costs, for each.
  func restoreEdits(since first: Int) {
    for index in stride(from: log.count - 1, through: first, by: -1) {
      if let edit = log.edit(at: index) { restore(edit) }
    }
  }

  /// Restores the edits after the last value that was logged: of a write that was refused.
  func restoreLastEdits() {
    while let edit = log.removeLastEdit() { restore(edit) }
  }

  func restore(_ edit: (cell: CellID, age: UInt64)) {
    guard isInUse(edit.cell) else { return }
    if writes.age(of: edit.cell) != edit.age { writes.setAge(edit.age, of: edit.cell) }
    guard let region = self[edit.cell].region else { return }
    try? region.solver.edit(edit.cell, age: edit.age, isPinned: self[edit.cell].hasOwner)
  }

  // MARK: Logging

  /// Remembers what a place held whose reading may run code, for when the turn cannot be finished.
  func logOldSlowly(_ old: Value, of cell: CellID) {
    let place = place(of: cell)
    switch place.kind {
    // What could not be read is not known to be nothing.
    case .stored: logOld(self[cell].cachedValue == nil ? .undefined : old, at: place)
    case .element where old.isNil && machine.lacksEntry(at: place): logOld(.undefined, at: place)
    default: logOld(old, at: place)
    }
  }

  /// Remembers what elements of a collection are that are about to change.
  @inline(__always)
  func logElements(of object: ObjectRef, at key: Value?) {
    guard object.classIndex == ClassIndex.array, let index = key?.asSmallInteger, index >= 1,
      index <= object.elementCount
    else { return machine.logElements(of: object, at: key) }
    log.record(
      Place(kind: .element, object: Value(object), index: index - 1, key: .nil),
      object[element: index - 1])
  }

  /// Keeps what a collection holds before it changes in a way that is not noted otherwise.
  func keepContents(of object: ObjectRef) {
    guard words[0][.invariants], watchers.invariants.count > 0, running == nil else { return }
    let place = Place.whole(object)
    guard !(0..<log.count).contains(where: { log[$0]?.place == place }) else { return }
    if let copy = machine.contents(of: object) { logOld(copy, at: place) }
  }
}
