internal import TenonSolverKit
internal import TenonStoreKit
internal import TenonText

// Connections whose notifications are not taken up at once, or not by a formula: an object of the
// language is told of the changes after the turn, and decides what happens.

/// An observer: the object that a connection tells of changes, and the changes to be told.
final class ConnectionObserver {
  /// The kind of the changes.
  enum Kind {
    /// That formulas of the connection would have run.
    case formulas
    /// That one of the two places has changed.
    case places
  }

  /// A place that has changed, and the times of the first and last change in this turn.
  struct Change {
    /// 1 for the left place, 2 for the right one, 0 for an input of a formula, and for the
    /// connection itself when it has come into force.
    let side: Int
    /// A reference or a name; nil for all of the place.
    let identifier: Value
    let first: Int
    var last: Int
  }

  /// The object of the language.
  let object: Value
  let kind: Kind
  /// The cells of the two sides while the connection is in force.
  var cells: [CellID] = []
  private(set) var changes: [Change] = []
  /// The index of each change, by its side and its text.
  private var places: [Int: [ExactText: Int]] = [:]
  var isQueued = false
  /// Whether the connection itself is writing: its changes are not told.
  var isSilent = false
  /// Whether formulas wait for the observer to run them.
  var isPending = false
  /// Whether the places need not announce changes: the observer polls.
  var looks = false
  /// Whether the watching does not keep the program running.
  var watchesPassively = false
  /// The number of writes for the connection.
  var updateCount = 0
  /// The reason why a change could not be taken up.
  var error: String?
  /// The reason why the last request was rejected.
  var rejection: String?
  /// The side that takes no value from outside, and the value that was last requested for it.
  var heldSide: Int?
  var wanted: Value?

  init(_ object: Value, _ kind: Kind) {
    self.object = object
    self.kind = kind
  }

  /// Records a change; the time of a recorded one is updated.
  ///
  /// - Complexity: O(1).
  func record(side: Int, _ identifier: Value, _ text: String, at time: Int) {
    let key = ExactText(text)
    if let index = places[side]?[key] {
      changes[index].last = time
    } else {
      places[side, default: [:]][key] = changes.count
      changes.append(Change(side: side, identifier: identifier, first: time, last: time))
    }
  }

  /// Returns the changes, and removes them.
  func takeChanges() -> [Change] {
    defer {
      changes = []
      places = [:]
    }
    return changes
  }
}

/// The relays of an interpreter's connections.
struct ConnectionObservers {
  /// The connections to be told of a cell.
  var byCell: [CellID: ConnectionSet] = [:]
  /// The connections that have changes to tell, in the order of these.
  var queue: [Connection] = []
  /// The cells that take no value from outside.
  var deferred: [CellID: Connection] = [:]
  /// The number of connections that keep two places equal, one of which is the source of truth.
  var truthCount = 0
  /// A number that grows with each change.
  var clock = 0
  /// Whether relays are being told.
  var isTelling = false
  /// The last changes of places in whole stores that are connected.
  var stored = StoredChangeLog()
  /// The write of a relay: the cell, the connection, and the place whose change it passes on.
  var write: Write?

  struct Write {
    let cell: CellID
    let connection: Connection
    /// Nil where that place has never held the value it asked for.
    let cause: CellID?
  }
}

extension ConnectionGraph {
  // MARK: Recording

  /// Records a change of a cell for its relays.
  ///
  /// Changes by others are recorded also for a relay that is just writing.
  func didObserveChange(of cell: CellID, identifier: Value? = nil, isByOthers: Bool = false) {
    guard let connections = watchers.observers.byCell[cell] else { return }
    for connection in connections {
      guard let observer = connection.observer, isByOthers || !observer.isSilent else { continue }
      for (index, each) in observer.cells.enumerated() where each == cell {
        record(side: index + 1, identifier ?? self.identifier(of: cell), of: connection, observer)
      }
    }
  }

  /// Records for the relay of a formula that the formula would have run.
  func hold(_ formula: Formula, because cause: CellID) {
    guard let observer = formula.connection.observer else { return }
    observer.isPending = true
    record(side: 0, identifier(of: cause), of: formula.connection, observer)
  }

  /// Records for a relay that its connection has come into force.
  func recordStart(of connection: Connection, _ observer: ConnectionObserver) {
    record(side: 0, .nil, of: connection, observer)
  }

  private func record(
    side: Int, _ identifier: Value, of connection: Connection, _ observer: ConnectionObserver
  ) {
    watchers.observers.clock += 1
    let text = identifier.isNil ? "" : machine.text(identifier) ?? machine.referenceText(identifier)
    observer.record(side: side, identifier, text, at: watchers.observers.clock)
    guard !observer.isQueued else { return }
    observer.isQueued = true
    watchers.observers.queue.append(connection)
  }

  /// Returns the name of a cell for policies: a reference for a place in a store, else a symbol.
  private func identifier(of cell: CellID) -> Value {
    switch self[cell].place.kind {
    case .stored: self[cell].place.key
    case .whole: .nil
    default: machine.symbol(self[cell].name)
    }
  }

  // MARK: Watching

  /// Makes a relay watch the two places of its connection.
  func watch(_ connection: Connection, _ observer: ConnectionObserver, _ cells: [CellID]) {
    observer.cells = cells
    if observer.isTruth(in: self) { watchers.observers.truthCount += 1 }
    for cell in cells {
      watchers.observers.byCell[cell, default: ConnectionSet()].insert(connection)
      updateHooks(of: cell)
      // Reading the value watches the inputs of a getter, too; the value of an element is kept.
      if let value = machine.currentValue(of: cell), self[cell].place.kind == .element {
        cacheValue(value, of: cell)
      }
    }
    if let side = observer.heldSide { watchers.observers.deferred[cells[side - 1]] = connection }
    recordStart(of: connection, observer)
  }

  /// Ends the watching.
  func unwatch(_ connection: Connection) {
    guard let observer = connection.observer, !observer.cells.isEmpty else { return }
    let cells = observer.cells
    if observer.isTruth(in: self) { watchers.observers.truthCount -= 1 }
    observer.cells = []
    for cell in cells {
      regionWork.structuralWork += watchers.observers.byCell[cell]?.remove(connection) ?? 0
      if watchers.observers.byCell[cell]?.isEmpty ?? true {
        watchers.observers.byCell[cell] = nil
        watchers.observers.stored.forget(cell)
      }
      updateHooks(of: cell)
      if watchers.observers.deferred[cell] == connection { watchers.observers.deferred[cell] = nil }
    }
    release(cells)
  }

  /// Returns whether a suspended connection goes on recording changes: of two stores of the language the one
  /// that was changed last decides the contents of both.
  func recordsWhileSuspended(_ connection: Connection) -> Bool {
    guard connection.status == .suspended, let observer = connection.observer,
      observer.cells.count == 2
    else { return false }
    return observer.cells.allSatisfy { cell in
      let place = self[cell].place
      return place.kind == .whole && machine.isStore(place.object)
        && machine.nativeStore(place.object) == nil
    }
  }

  /// Returns the connections that have changes to tell, and removes them from the queue.
  func takeObservers() -> [(connection: Connection, changes: [ConnectionObserver.Change])] {
    let due = watchers.observers.queue
    watchers.observers.queue = []
    return due.compactMap { connection in
      guard let observer = connection.observer else { return nil }
      observer.isQueued = false
      // Changes while it is suspended are told when it is resumed.
      if connection.status == .suspended, !observer.cells.isEmpty { return nil }
      let changes = observer.takeChanges()
      return connection.status == .active ? (connection, changes) : nil
    }
  }

  /// Forgets the changes of a turn that is given up.
  func forgetObservers() {
    for connection in watchers.observers.queue {
      connection.observer?.isQueued = false
      _ = connection.observer?.takeChanges()
    }
    watchers.observers.queue = []
  }

  func mark(_ observer: ConnectionObserver, _ heap: Heap) {
    heap.mark(observer.object)
    if let wanted = observer.wanted { heap.mark(wanted) }
    for change in observer.changes { heap.mark(change.identifier) }
  }
}

extension Machine {
  /// Tells the relays of the changes; those that they make in turn are told in the next round.
  ///
  /// - Returns: `unwind` when that was interrupted or failed, else nil.
  func tellObservers() -> Value {
    guard graph.atomicDepth == 0, !graph.isSettling, graph.running == nil,
      !graph.watchers.observers.isTelling
    else { return .nil }
    graph.watchers.observers.isTelling = true
    defer { graph.watchers.observers.isTelling = false }
    var growth = ConnectionGrowth(limit: ConnectionGrowth.tellingLimit, graph)
    // The number of times that each has been told: a truth may have any number of others below it.
    var counts: [Int: Int] = [:]
    var most = 0
    while !graph.watchers.observers.queue.isEmpty {
      for connection in graph.watchers.observers.queue {
        let count = counts[connection.number, default: 0] + 1
        counts[connection.number] = count
        most = max(most, count)
      }
      do throws(Failure) { try growth.check(graph) } catch {
        return signal(error)
      }
      guard most <= ConnectionGraph.changeLimit else {
        let names = graph.watchers.observers.queue.map(\.text).withoutRepetitions
        let cell = graph.watchers.observers.queue.lazy.compactMap { $0.observer?.cells.first }.first
        graph.forgetObservers()
        return signal(cell.map { graph.doesNotSettle(through: $0) } ?? .doesNotSettle(names))
      }
      let root = roots.count
      defer { dropRoots(to: root) }
      var entries: [Value] = []
      for (connection, changes) in graph.takeObservers() {
        guard let observer = connection.observer else { continue }
        roots.append(observer.object)
        entries.append(observer.object)
        for change in changes { roots.append(change.identifier) }
        let array = makeArray(
          changes.map { change in
            let entry = makeArray([
              Value(small: change.side), change.identifier, Value(small: change.first),
              Value(small: change.last),
            ])
            roots.append(entry)
            return entry
          })
        roots.append(array)
        entries.append(array)
      }
      let outcome = send(
        selector("tell:"), to: kernelClass("Relay").object, makeArray(entries))
      if outcome.isUnwind { return outcome }
      // Their writes are settled; the failure of a formula is its own affair.
      if graph.hasPending, settleGraph(answering: .nil).isUnwind { return .unwind }
    }
    return .nil
  }

  /// Keeps a value that was to be written to a cell, for the relay to decide on.
  ///
  /// - Returns: whether the cell takes no value from outside.
  func holdWrite(_ value: Value, to cell: CellID) -> Bool {
    guard let connection = graph.watchers.observers.deferred[cell],
      let observer = connection.observer,
      !observer.isSilent
    else { return false }
    observer.wanted = value
    graph.didObserveChange(of: cell)
    return true
  }

  /// Records for the relays of a whole store that a place in it has changed.
  @inline(__always)
  func didChangeStore(_ reference: Value, in store: Value, isByOthers: Bool = false) {
    guard store.isObject, ObjectRef(store).flags & ObjectFlag.watched != 0 else { return }
    recordWholeStore(reference, store, isByOthers)
  }

  @inline(never)
  private func recordWholeStore(_ reference: Value, _ store: Value, _ isByOthers: Bool) {
    guard let whole = graph.cellsByPlace[.whole(ObjectRef(store))] else { return }
    recordStoredCause(reference, whole, isByOthers)
    graph.didObserveChange(of: whole, identifier: reference, isByOthers: isByOthers)
  }

  /// Tells the relays of changes that concern no formula.
  ///
  /// - Returns: the answer, or `unwind`.
  func settleObservers(answering value: Value) -> Value {
    guard !graph.watchers.observers.queue.isEmpty, graph.storedCells.storing == nil,
      graph.writeState.writing == nil,
      !graph.isSettling, graph.atomicDepth == 0
    else { return value }
    return settleGraph(answering: value)
  }

  /// Tells connections that a place of a store was written past the identifiers.
  ///
  /// Where the place has its old value, as `isSame` says, only its readers are told.
  /// `before` is the old value, nil where the store passes on values of others, and undefined where it is the
  /// value that connections have read.
  ///
  /// - Returns: `unwind` when settling was interrupted, else the store.
  func didWriteDirectly(
    _ reference: Value, in store: Value, isSame: Bool = false, before: Value? = nil
  ) throws(Failure) -> Value {
    guard ObjectRef(store).flags & ObjectFlag.watched != 0 else {
      return try didWriteCell(reference, in: store, before)
    }
    if !isSame { didChangeStore(reference, in: store) }
    let outcome = try didWriteCell(reference, in: store, before)
    // The connections that are told now may have written, too.
    graph.storedCells.directWrite = (store, reference, referenceText(reference))
    return outcome
  }

  /// Tells the readers of a place of a store that it was written past the identifiers.
  ///
  /// - Returns: `unwind` when settling was interrupted, else the store.
  private func didWriteCell(
    _ reference: Value, in store: Value, _ before: Value?
  ) throws(Failure) -> Value {
    if !graph.hasStoredCells { return settleObservers(answering: store) }
    let key = canonicalReference(reference, in: store)
    guard let cell = graph.cellsByPlace[Place(kind: .stored, object: store, index: -1, key: key)],
      cell != graph.storedCells.storing, cell != graph.writeState.writing
    else { return settleObservers(answering: store) }
    if let running = graph.running {
      if remembers(ObjectRef(store), slot: -1) { return store }
      throw .impureFormula(graph.displayName(of: cell), running.connection)
    }
    let old = before.flatMap { $0.isUndefined ? graph[cell].cachedValue : $0 }
    graph.takeUpChange(of: cell, by: stackTrace(limit: 1).first, old: old)
    try graph.refuseForeignWrite(to: cell)
    // A store that passes on a value has not answered its put yet: that is one change.
    if graph.isSettling || graph.atomicDepth > 0 || graph.storedCells.storing != nil
      || graph.writeState.writing != nil
    {
      return store
    }
    return settleGraph(answering: store)
  }
}
