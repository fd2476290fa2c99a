internal import TenonStoreKit

// What connections between whole stores need of those that are written in Swift.

extension Primitive {
  static let linkedStore: [Primitive] = [
    Primitive("isObservable", "Whether it tells of changes, perhaps only of what it is to watch.") {
      machine, arguments in Value(machine.isObservable(arguments.receiver))
    },
    Primitive(
      "contentAt: reference", "What is at a place: bytes where it is no text; nil for a listing."
    ) { machine, arguments throws(Failure) in
      try machine.content(at: arguments[0], in: arguments.receiver)
    },
    Primitive(
      "leavesBelow: reference",
      "The paths from a place on of all that has a value; in turn paths and why they failed; and the same of what listings leave out."
    ) { machine, arguments throws(Failure) in
      try machine.leaves(below: arguments[0], in: arguments.receiver)
    },
    Primitive("directoryLinksIn: reference", "The names of links to directories in one.") {
      machine, arguments throws(Failure) in
      try machine.directoryLinks(in: arguments[0], of: arguments.receiver)
    },
    Primitive(
      "omissionsAt: reference",
      "Paths from a place on, each with a text: what the listing of the place leaves out, and why."
    ) { machine, arguments throws(Failure) in
      try machine.omissions(at: arguments[0], in: arguments.receiver)
    },
  ]

  static let locating: [Primitive] = [
    Primitive("located: aReference", "Private: the reference in the scheme that has the store.") {
      machine, arguments throws(Failure) in
      try machine.reference(arguments[0], in: arguments.receiver)
    }
  ]

  static let linkedConnection: [Primitive] = [
    Primitive(
      "watch: aStore below: aReference",
      "Private: has the changes below a place told, as long as the connection is there."
    ) { machine, arguments throws(Failure) in
      guard let connection = machine.connection(arguments.receiver) else {
        return arguments.receiver
      }
      try machine.watch(
        below: machine.reference(arguments[1]), of: arguments[0], for: connection)
      return arguments.receiver
    }
  ]
}

extension Machine {
  /// Has a store that must be told so watch everything below a place for a connection.
  fileprivate func watch(
    below reference: Reference, of store: Value, for connection: Connection
  ) throws(Failure) {
    guard let watching = watchingStore(store) else { return }
    do throws(StoreError) {
      let subscription = try watching.watch(reference, isDeep: true)
      stores.watches.add(subscription, for: connection)
    } catch {
      throw .store(error)
    }
    loop.add(stores.watches)
  }

  /// What is at a place of a store, to be put into another one: bytes that are no text are bytes.
  fileprivate func content(at reference: Value, in store: Value) throws(Failure) -> Value {
    let native = try openedStore(store)
    let place = try self.reference(reference)
    recordRead(of: reference, in: store)
    let outcome = try performing(.get, of: native, at: place, keeping: reference, store) {
      native throws(StoreError) in
      if let copying = native as? any CopyingStore { return try copying.copy(of: place) }
      return try native.get(place, if: nil)
    }
    if takeUpStoredChanges().isUnwind { return .unwind }
    guard case .resource(let resource) = outcome else { return .nil }
    if MediaType(resource.contentType).isText, !MediaType(resource.contentType).isJSON,
      String(validating: resource.bytes, as: UTF8.self) == nil
    {
      try reserve(resource.bytes.count)
      return makeByteArray(resource.bytes)
    }
    return try decode(outcome, from: native, at: place)
  }

  /// What a place and those below it are found to be.
  private struct Leaves {
    var paths: [[String]] = []
    var failures: [(path: [String], reason: String)] = []
    /// What listings leave out, and why.
    var omissions: [(path: [String], reason: String)] = []
    /// The bytes of all names, about.
    var size = 0
  }

  /// The paths below a place at which there is a value, the places that could not be listed, and what
  /// listings leave out.
  ///
  /// A link to a directory is left out: what it leads to is listed where it is, or tells nothing of
  /// its changes, and it may lead back.
  ///
  /// - Returns: an array of three arrays, or `unwind`.
  /// - Complexity: O(n) in the number of places below.
  fileprivate func leaves(below reference: Value, in store: Value) throws(Failure) -> Value {
    let native = try openedStore(store)
    let top = try self.reference(reference)
    var found = Leaves()
    var waiting: [[String]] = [[]]
    if !top.components.isEmpty, try hasValue(top, native, [], &found) { found.paths.append([]) }
    while let path = waiting.popLast() {
      if state.needsSafepoint, safepoint().isUnwind { return .unwind }
      guard !heap.exceedsLimit(adding: found.size) else {
        throw .outOfMemory(limit: options.memoryLimit)
      }
      for entry in try entries(at: path, below: top, native, &found).reversed() {
        let next = path + [entry.name]
        // A store may list what it likes: no copy follows it elsewhere.
        guard Reference.isName(entry.name) else {
          found.failures.append((path, "'\(entry.name)' is no name"))
          continue
        }
        found.size += 64 + next.reduce(0) { $0 + $1.utf8.count }
        guard entry.isDirectory else {
          found.paths.append(next)
          continue
        }
        guard !entry.isLink else { continue }
        if let place = place(next, below: top, &found), try hasValue(place, native, next, &found) {
          found.paths.append(next)
        }
        waiting.append(next)
      }
    }
    if takeUpStoredChanges().isUnwind { return .unwind }
    found.paths.sort { left, right in
      left.lexicographicallyPrecedes(right) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    return makeLeaves(found)
  }

  /// What the listing of one place leaves out.
  ///
  /// - Returns: an array of paths and texts in turn, or `unwind`.
  fileprivate func omissions(at reference: Value, in store: Value) throws(Failure) -> Value {
    let top = try self.reference(reference)
    var found = Leaves()
    // A place that cannot be listed leaves nothing out; its failure is told by whoever lists it.
    if let native = nativeStore(store), native is any CopyingStore {
      _ = try entries(at: [], below: top, native, &found)
    }
    return takeUpStoredChanges().isUnwind ? .unwind : makePairs(found.omissions)
  }

  /// The names, in a directory, of links to directories.
  ///
  /// - Returns: an array, or `unwind`.
  fileprivate func directoryLinks(in reference: Value, of store: Value) throws(Failure) -> Value {
    let native = try openedStore(store)
    let place = try self.reference(reference)
    recordRead(of: reference, in: store)
    let entries = try performing(.list, of: native, at: place, keeping: reference, store) {
      native throws(StoreError) in try native.list(place)
    }
    if takeUpStoredChanges().isUnwind { return .unwind }
    let links = entries.filter { $0.isDirectory && $0.isLink }
    let root = roots.count
    defer { dropRoots(to: root) }
    for link in links { roots.append(makeString(link.name)) }
    return makeArray(roots[root...])
  }

  private func place(
    _ path: [String], below top: Reference, _ found: inout Leaves
  ) -> Reference? {
    do throws(StoreError) {
      return try Reference(
        scheme: top.scheme, authority: top.authority, components: top.components + path,
        isAbsolute: top.isAbsolute)
    } catch {
      found.failures.append((path, error.description))
      return nil
    }
  }

  private func entries(
    at path: [String], below top: Reference, _ store: any Store, _ found: inout Leaves
  ) throws(Failure) -> [StoreEntry] {
    guard let place = place(path, below: top, &found) else { return [] }
    do throws(Failure) {
      let listing = try performing(.list, of: store, at: place) { store throws(StoreError) in
        if let copying = store as? any CopyingStore { return try copying.listingToCopy(of: place) }
        return CopyingListing(try store.list(place))
      }
      for omission in listing.omissions {
        found.omissions.append((path + (omission.name.map { [$0] } ?? []), omission.reason))
        found.size += 64 + omission.reason.utf8.count
      }
      return listing.entries
    } catch {
      guard let error = error.storeError?.error else { throw error }
      // What is gone meanwhile is not there; of the top the caller decides what that means.
      if error.kind == .notADirectory || error.kind == .notFound && !path.isEmpty { return [] }
      found.failures.append((path, error.kind == .notFound ? "" : error.description))
      return []
    }
  }

  /// Whether there is a value at a place that may have others below it.
  private func hasValue(
    _ place: Reference, _ store: any Store, _ path: [String], _ found: inout Leaves
  ) throws(Failure) -> Bool {
    do throws(Failure) {
      let status = try performing(.get, of: store, at: place) { store throws(StoreError) in
        try store.status(of: place)
      }
      return status.map { !$0.isDirectory } ?? false
    } catch {
      guard let error = error.storeError?.error else { throw error }
      found.failures.append((path, error.description))
      return false
    }
  }

  private func makeLeaves(_ found: Leaves) -> Value {
    let root = roots.count
    defer { dropRoots(to: root) }
    let paths = makeArray(found.paths.map(makePath))
    roots.append(paths)
    let failures = makePairs(found.failures)
    roots.append(failures)
    let omissions = makePairs(found.omissions)
    roots.append(omissions)
    return makeArray([paths, failures, omissions])
  }

  /// An array of paths and texts in turn.
  private func makePairs(_ found: [(path: [String], reason: String)]) -> Value {
    let root = roots.count
    defer { dropRoots(to: root) }
    var pairs: [Value] = []
    for each in found {
      pairs.append(makePath(each.path))
      let reason = makeString(each.reason)
      roots.append(reason)
      pairs.append(reason)
    }
    return makeArray(pairs)
  }

  /// A path as an array, which is a root until the caller takes it from there.
  private func makePath(_ components: [String]) -> Value {
    let start = roots.count
    for component in components { roots.append(makeString(component)) }
    let path = makeArray(roots[start...])
    dropRoots(to: start)
    roots.append(path)
    return path
  }
}
