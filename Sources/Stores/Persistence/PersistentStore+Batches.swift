public import TenonStoreKit
internal import TenonText

// Changes that are kept together: as long as a batch is open, nothing of what is pending is written.

extension PersistentStore {
  /// A batch that is open.
  struct OpenBatch {
    /// The thread that has begun it.
    let thread: UInt
    /// How many lie in one another.
    var depth = 1
    /// How many of these may be taken back; while one may, changes are noted.
    var undoDepth = 0
    /// What places held before changes, in their order.
    var undo: [(path: [String], value: [UInt8]?)] = []
    /// The last change in it, which is to be as durable as the level says.
    var change: Int?
    /// Whether everything is to be written when it ends.
    var flushes = false
  }

  /// Whether the thread that asks has a batch open; the state's lock is held.
  var isInBatch: Bool { batch?.thread == Lock.thread }

  /// Waits until no batch is open; the state's lock is held.
  ///
  /// The thread that has it open writes nothing before it ends.
  func waitForBatch() {
    while batch != nil, !isInBatch { stateLock.wait() }
  }

  /// Notes what a place held before a change; the state's lock is held.
  func noteUndo(of name: ExactText, in container: Container) {
    guard isInBatch, batch?.undoDepth ?? 0 > 0 else { return }
    let old = container.document?[name]
    batch?.undo.append((container.path + [name.text], old))
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension PersistentStore {
  public func beginBatch(keepsUndo: Bool) -> Int {
    stateLock.withLock {
      waitForBatch()
      if batch == nil { batch = OpenBatch(thread: Lock.thread) } else { batch?.depth += 1 }
      if keepsUndo || batch?.undoDepth ?? 0 > 0 { batch?.undoDepth += 1 }
      return batch?.undo.count ?? 0
    }
  }

  public func takeBackBatch(to count: Int) {
    var places: [(reference: Reference, isThere: Bool)] = []
    stateLock.withLock {
      guard isInBatch, !isClosed else { return }
      while let entry = batch?.undo.last, batch?.undo.count ?? 0 > count {
        batch?.undo.removeLast()
        // The store is found as it was: in the journal stands what a place holds when a batch ends.
        guard let name = entry.path.last.map({ ExactText($0) }) else { continue }
        let path = Array(entry.path.dropLast())
        let container = tree.makeContainer(at: path)
        defer { tree.prune(path) }
        let now = (try? document(of: container))?[name]
        guard now != entry.value else { continue }
        let change = didChange(of: name, in: container, to: entry.value, isUndo: true)
        batch?.change = change
        guard let place = try? Reference(scheme: scheme, components: entry.path) else { continue }
        places.append((place, entry.value != nil))
      }
    }
    for place in places { changes.post(place.isThere ? .put : .delete, place.reference) }
  }

  public func endBatch() throws(StoreError) {
    let ended: OpenBatch? = stateLock.withLock {
      guard isInBatch, var open = batch else { return nil }
      open.depth -= 1
      if open.undoDepth > 0 { open.undoDepth -= 1 }
      if open.undoDepth == 0 { open.undo = [] }
      guard open.depth == 0 else {
        batch = open
        return nil
      }
      batch = nil
      stateLock.wake()
      return open
    }
    guard let ended else { return }
    if ended.flushes { return try flush() }
    if let change = ended.change {
      try settle(change, scheme.isEmpty ? shownDirectory : scheme + ":")
    }
  }
}
