internal import TenonSolverKit
internal import TenonLexer
internal import TenonStoreKit

// The reasons of values in a store which is connected as a whole: such places have no cells.

/// The last changes of places in whole stores, the oldest giving way to new ones.
struct StoredChangeLog {
  struct Entry {
    /// The cell of the store.
    let whole: CellID
    let path: [String]
    /// The connection that has copied the place, by its number, or 0.
    let writer: Int
    /// The statement that has written the place, where no connection has.
    let source: SourceText?
    let position: Int32
    /// The turn that it began, if it was a statement.
    let turn: Int
    /// Microseconds since 1970, or 0.
    let time: Int

    /// The place of that statement, `file.st:3:1`.
    var location: String? {
      source.map { source in
        let place = source.location(of: position)
        return "\(source.name):\(place.line):\(place.column)"
      }
    }
  }

  static let capacity = 512

  /// The turn of the last statement that has written.
  private(set) var lastTurn = 0
  private var entries: [Entry] = []
  private var next = 0

  mutating func record(_ entry: Entry) {
    if entry.writer == 0 { lastTurn = entry.turn }
    if entries.count < StoredChangeLog.capacity {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % StoredChangeLog.capacity
    }
  }

  /// Forgets the changes of a store whose cell may belong to another place from now on.
  mutating func forget(_ whole: CellID) {
    guard entries.contains(where: { $0.whole == whole }) else { return }
    entries = newestFirst.reversed().filter { $0.whole != whole }
    next = 0
  }

  /// The changes, the last one first.
  var newestFirst: [Entry] { (entries[next...] + entries[..<next]).reversed() }
}

extension Machine {
  /// Records the author of a change of a place in a connected store.
  func recordStoredCause(_ reference: Value, _ whole: CellID, _ isByOthers: Bool) {
    guard let path = try? self.reference(reference).components, !path.isEmpty else { return }
    let writer = graph.watchers.observers.byCell[whole]?.first { $0.observer?.isSilent ?? false }
    let turn = turnOfStoredChange(isFromOutside: writer == nil || isByOthers)
    let time = graph.causes.clock.map { $0.coarseWallTime / 1000 } ?? 0
    // Code run by a connection may write: a flow or the block of `watch:`.
    let effect = graph.isSettling ? graph.writeState.effect.map { Int($0.connection) } : nil
    if let number = writer?.number ?? effect, !isByOthers {
      graph.watchers.observers.stored.record(
        StoredChangeLog.Entry(
          whole: whole, path: path, writer: number, source: nil, position: 0, turn: turn,
          time: time))
    } else {
      let site = isByOthers ? nil : currentSite()
      graph.watchers.observers.stored.record(
        StoredChangeLog.Entry(
          whole: whole, path: path, writer: 0, source: site?.code.source,
          position: site?.site.range.start ?? 0, turn: turn, time: time))
    }
  }

  /// Returns the turn that a change begins.
  ///
  /// Where only whole stores are connected no formula runs, and nothing else counts turns.
  private func turnOfStoredChange(isFromOutside: Bool) -> Int {
    if graph.isSettling { return graph.turn }
    if isFromOutside, graph.atomicDepth == 0,
      graph.watchers.observers.stored.lastTurn == graph.turn + 1
    {
      graph.turn += 1
    }
    return graph.turn + 1
  }

  /// Returns the cell of a store that is connected as a whole.
  func wholeStore(of store: Value) -> CellID? {
    guard store.isObject, ObjectRef(store).flags & ObjectFlag.watched != 0,
      let whole = graph.cellsByPlace[.whole(ObjectRef(store))],
      graph.watchers.observers.byCell[whole] != nil
    else { return nil }
    return whole
  }

  /// Returns the chain of causes of a place in a connected store: a line for each step.
  func explanation(ofStored path: [String], in whole: CellID) -> String {
    var lines: [String] = []
    var (path, whole) = (path, whole)
    var changes = graph.watchers.observers.stored.newestFirst[...]
    while true {
      let name = graph.name(ofStored: path, in: whole)
      let line = "\(name) is \(describeStored(path, in: whole))"
      guard let index = changes.firstIndex(where: { $0.whole == whole && $0.path == path }) else {
        lines.append(line + " since before it was connected")
        break
      }
      let change = changes[index]
      changes = changes[(index + 1)...]
      // A formula has written the place, whatever else the store is connected with.
      if change.writer == 0, let cell = cell(ofStored: path, in: whole), graph[cell].hasOwner {
        lines.append(explanationOfCell(cell))
        break
      }
      if let location = change.location {
        lines.append(line + ", written at \(location)")
        break
      }
      guard change.writer > 0 else {
        lines.append(line + ", written from outside")
        break
      }
      guard let connection = graph.connections[change.writer] else {
        lines.append(line + " by a connection that has ended")
        break
      }
      lines.append(line + " by '\(connection.text)' (\(connection.location))")
      guard let cause = cause(of: change, before: changes) else {
        let read = connection.formulas.first.flatMap { newestInput(of: $0) }
        if let read { lines.append(explanationOfCell(read)) }
        break
      }
      (path, whole) = (cause.path, cause.whole)
    }
    return lines.joined(separator: "\n")
  }

  /// Returns the cell of a place in a connected store, if formulas use it as well.
  private func cell(ofStored path: [String], in whole: CellID) -> CellID? {
    let store = graph[whole].place.object
    let root = roots.count
    defer { dropRoots(to: root) }
    guard let reference = try? Reference(scheme: "", components: path) else { return nil }
    let key = makeReference(reference)
    roots.append(key)
    return graph.cellsByPlace[
      Place(kind: .stored, object: store, index: -1, key: canonicalReference(key, in: store))]
  }

  /// Returns the place in a connected store that a cell is, if it is one.
  private func stored(at cell: CellID) -> (path: [String], whole: CellID)? {
    let place = graph[cell].place
    guard place.kind == .stored, let whole = wholeStore(of: place.object),
      let path = try? reference(place.key).components
    else { return nil }
    return (path, whole)
  }

  /// Returns the chain of causes of a place that a connection of whole stores has copied last; nil for
  /// any other place.
  func explanation(ofCopied cell: CellID) -> String? {
    guard copier(of: cell) != nil, let (path, whole) = stored(at: cell) else { return nil }
    return explanation(ofStored: path, in: whole)
  }

  /// Returns the connection of whole stores that has written a cell last, if no formula has.
  func copier(of cell: CellID) -> Connection? {
    guard let last = graph.causes.last(of: cell).map({ graph.causes[$0] }), last.writer <= 0,
      let (path, whole) = stored(at: cell),
      let change = graph.watchers.observers.stored.newestFirst.first(where: {
        $0.whole == whole && $0.path == path
      }), change.writer > 0
    else { return nil }
    return graph.connections[change.writer]
  }

  /// Returns the names in messages of the places that a change of a cell may reach.
  func reachedNames(from cell: CellID) -> [String] {
    var names: [String] = []
    var visited: Set<CellID> = [cell]
    reach(cell, &names, &visited)
    return names
  }

  /// Returns the names in messages of the places that a change of a place in a connected store may reach.
  func reachedNames(fromStored path: [String], in whole: CellID) -> [String] {
    var names: [String] = []
    var visited: Set<CellID> = []
    reach(path, in: whole, &names, &visited)
    // The place itself, to which changes come back, is left out.
    let own = graph.name(ofStored: path, in: whole)
    return names.filter { $0 != own }
  }

  /// Adds the names of the cells that depend on a cell, and of the places that whole stores copy of those.
  private func reach(_ cell: CellID, _ names: inout [String], _ visited: inout Set<CellID>) {
    let next = graph.downstream(of: cell).filter { visited.insert($0).inserted }
    names += next.filter { !graph.isInner($0) }.map { graph.displayName(of: $0) }
    for each in [cell] + next {
      if let (path, whole) = stored(at: each) { reach(path, in: whole, &names, &visited) }
    }
  }

  private func reach(
    _ path: [String], in whole: CellID, _ names: inout [String], _ visited: inout Set<CellID>
  ) {
    for partner in graph.partners(ofStored: whole) {
      let name = graph.name(ofStored: path, in: partner)
      if !names.contains(name) { names.append(name) }
      guard let cell = cell(ofStored: path, in: partner), visited.insert(cell).inserted else {
        continue
      }
      reach(cell, &names, &visited)
    }
  }

  /// Returns the change that a connection has passed on, among those before, of which the last comes first.
  private func cause(
    of change: StoredChangeLog.Entry, before: some Sequence<StoredChangeLog.Entry>
  ) -> StoredChangeLog.Entry? {
    let cells = graph.connections[change.writer]?.observer?.cells ?? []
    let others = cells.filter { $0 != change.whole }
    // One side may be a part of a larger store.
    return before.first {
      others.contains($0.whole) && ($0.path.hasEnd(change.path) || change.path.hasEnd($0.path))
    }
  }

  /// Returns the logged changes of a place of a connected store, as objects of the language, the last
  /// one first; of them `limit` at most.
  ///
  /// Only the last one has the value of the place.
  ///
  /// - Returns: nil when reading the place was unwound.
  func changes(ofStored path: [String], in whole: CellID, limit: Int = .max) -> [Value]? {
    let all = graph.watchers.observers.stored.newestFirst
    let root = roots.count
    defer { dropRoots(to: root) }
    for (index, entry) in all.enumerated()
    where entry.whole == whole && entry.path == path && roots.count - root < limit {
      let value = roots.count == root ? storedValue(path, in: whole) : .value(.nil)
      if case .unwound = value { return nil }
      makeChange(entry, value, because: cause(of: entry, before: all[(index + 1)...]))
    }
    return Array(roots[root...])
  }

  /// Makes the object of a change, which becomes a root.
  private func makeChange(
    _ entry: StoredChangeLog.Entry, _ value: Evaluation, because cause: StoredChangeLog.Entry?
  ) {
    let object = makeInstance(of: "PlaceChange")
    roots.append(Value(object))
    let name = graph.name(ofStored: entry.path, in: entry.whole)
    // All changes because of one write from outside have one turn.
    object[slot: 0] = makeInteger(cause?.turn ?? entry.turn)
    object[slot: 1] = entry.time > 0 ? makeInteger(entry.time) : .nil
    object[slot: 2] = makeString(name)
    var text = "\(name) has changed"
    if case .value(let value) = value, !value.isNil {
      object[slot: 4] = value
      text = "\(name) := \(describe(value))"
    }
    if let connection = graph.connections[entry.writer], entry.writer > 0 {
      object[slot: 5] = makeConnectionObject(connection)
      text += " by '\(connection.text)' (\(connection.location))"
    } else if let location = entry.location {
      object[slot: 5] = makeString(location)
      text += ", written at \(location)"
    } else {
      text += entry.writer > 0 ? " by a connection that has ended" : ", written from outside"
    }
    if let cause {
      object[slot: 6] = makeString(graph.name(ofStored: cause.path, in: cause.whole))
    }
    object[slot: 7] = makeString(text)
  }

  /// Returns the author of the last change of a place of a connected store: a connection, a statement or nil.
  func lastWriter(ofStored path: [String], in whole: CellID) -> Value {
    let change = graph.watchers.observers.stored.newestFirst.first {
      $0.whole == whole && $0.path == path
    }
    guard let change else { return .nil }
    if let location = change.location { return makeString(location) }
    return graph.connections[change.writer].map { makeConnectionObject($0) } ?? .nil
  }

  private func describeStored(_ path: [String], in whole: CellID) -> String {
    valueUnlessUnwinding(storedValue(path, in: whole)).map { describe($0) } ?? "unknown"
  }

  /// Returns the value of a place of a connected store.
  private func storedValue(_ path: [String], in whole: CellID) -> Evaluation {
    let store = graph[whole].place.object
    let root = roots.count
    defer { dropRoots(to: root) }
    guard let reference = try? Reference(scheme: "", components: path) else { return .value(.nil) }
    let key = makeReference(reference)
    roots.append(key)
    return withErrorsCaught { get(key, from: store) }
  }
}

extension ConnectionGraph {
  /// Returns the name of a place of a connected store in messages.
  fileprivate func name(ofStored path: [String], in whole: CellID) -> String {
    let store = self[whole].name
    let path = path.joined(separator: "/")
    if store.hasSuffix(":") { return store + path }
    return store.contains(" ") ? "(\(store))/\(path)" : "var:\(store)/\(path)"
  }

  /// Returns the other stores that a change in a connected store may reach.
  fileprivate func partners(ofStored whole: CellID) -> [CellID] {
    downstream(of: whole).filter { self[$0].place.kind == .whole }
  }
}

extension [String] {
  fileprivate func hasEnd(_ other: [String]) -> Bool { suffix(other.count) == other[...] }
}
