internal import TenonLexer

// Why a place holds what it holds that is in a store which is connected as a whole: such places have
// no cells.

/// The last changes of places in whole stores, the oldest giving way to new ones.
struct StoredCauses {
  struct Entry {
    /// The cell of the store.
    let whole: CellID
    let path: [String]
    /// The connection that has copied it, by its number, or 0.
    let writer: Int
    /// The statement that has written it, where none has.
    let source: SourceText?
    let position: Int32

    /// The place of that statement, `file.st:3:1`.
    var location: String? {
      source.map { source in
        let place = source.location(of: position)
        return "\(source.name):\(place.line):\(place.column)"
      }
    }
  }

  static let capacity = 512

  private var entries: [Entry] = []
  private var next = 0

  mutating func note(_ entry: Entry) {
    if entries.count < StoredCauses.capacity {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % StoredCauses.capacity
    }
  }

  /// The cell may be one of another place from now on.
  mutating func forget(_ whole: CellID) {
    guard entries.contains(where: { $0.whole == whole }) else { return }
    entries = newestFirst.reversed().filter { $0.whole != whole }
    next = 0
  }

  /// The changes, the last one first.
  var newestFirst: [Entry] { (entries[next...] + entries[..<next]).reversed() }
}

extension Machine {
  /// Remembers who has changed a place of a connected store.
  func noteStoredCause(_ reference: Value, _ whole: CellID, _ isByOthers: Bool) {
    guard let path = try? self.reference(reference).components, !path.isEmpty else { return }
    let writer = graph.relays.byCell[whole]?.first { $0.relay?.isSilent ?? false }
    if let writer, !isByOthers {
      graph.relays.stored.note(
        StoredCauses.Entry(
          whole: whole, path: path, writer: writer.number, source: nil, position: 0))
    } else {
      let site = isByOthers ? nil : currentSite()
      graph.relays.stored.note(
        StoredCauses.Entry(
          whole: whole, path: path, writer: 0, source: site?.code.source,
          position: site?.site.range.start ?? 0))
    }
  }

  /// The cell of a store that is connected as a whole.
  func wholeStore(of store: Value) -> CellID? {
    guard store.isObject, ObjectRef(store).flags & ObjectFlag.watched != 0,
      let whole = graph.cellsByPlace[.whole(ObjectRef(store))], graph.relays.byCell[whole] != nil
    else { return nil }
    return whole
  }

  /// The chain of causes of a place in a connected store: a line for each step.
  func explanation(ofStored path: [String], in whole: CellID) -> String {
    var lines: [String] = []
    var (path, whole) = (path, whole)
    var changes = graph.relays.stored.newestFirst[...]
    while true {
      let name = graph.name(ofStored: path, in: whole)
      let line = "\(name) is \(describeStored(path, in: whole))"
      guard let index = changes.firstIndex(where: { $0.whole == whole && $0.path == path }) else {
        lines.append(line + " since before it was connected")
        break
      }
      let change = changes[index]
      changes = changes[(index + 1)...]
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
      let others = connection.relay?.cells.filter { $0 != whole } ?? []
      // One side may be a part of a larger store.
      let cause = changes.first {
        others.contains($0.whole) && ($0.path.hasEnd(change.path) || change.path.hasEnd($0.path))
      }
      guard let cause else { break }
      (path, whole) = (cause.path, cause.whole)
    }
    return lines.joined(separator: "\n")
  }

  /// Who changed a place of a connected store last: a connection, the place of a statement, or nil.
  func lastWriter(ofStored path: [String], in whole: CellID) -> Value {
    let change = graph.relays.stored.newestFirst.first { $0.whole == whole && $0.path == path }
    guard let change else { return .nil }
    if let location = change.location { return makeString(location) }
    return graph.connections[change.writer].map { makeConnectionObject($0) } ?? .nil
  }

  private func describeStored(_ path: [String], in whole: CellID) -> String {
    let store = graph[whole].place.object
    let root = roots.count
    defer { roots.removeLast(roots.count - root) }
    guard let reference = try? Reference(scheme: "", components: path) else { return "unknown" }
    let key = makeReference(reference)
    roots.append(key)
    switch withErrorsCaught({ get(key, from: store) }) {
    case .value(let value): return describe(value)
    case .failed: return "unknown"
    case .unwound:
      graph.isUnwinding = true
      return "unknown"
    }
  }
}

extension ConnectionGraph {
  /// What messages call a place of a connected store.
  fileprivate func name(ofStored path: [String], in whole: CellID) -> String {
    let store = self[whole].name
    let path = path.joined(separator: "/")
    if store.hasSuffix(":") { return store + path }
    return store.contains(" ") ? "(\(store))/\(path)" : "var:\(store)/\(path)"
  }

  /// The places in other stores that a change of a place in a connected store may reach.
  func partners(ofStored path: [String], in whole: CellID) -> [String] {
    downstream(of: whole).filter { self[$0].place.kind == .whole }
      .map { name(ofStored: path, in: $0) }
  }
}

extension [String] {
  fileprivate func hasEnd(_ other: [String]) -> Bool { suffix(other.count) == other[...] }
}
