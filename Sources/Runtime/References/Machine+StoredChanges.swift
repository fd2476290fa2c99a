internal import TenonStoreKit

// What connections learn of changes that stores announce.

extension Machine {
  /// Has connections read a place anew that a store has announced as changed.
  func takeUp(_ change: StoredChanges.Noted) {
    let reference = change.reference
    guard stores.native.indices.contains(change.store) else { return }
    let store = stores.native[change.store].object
    guard store.isObject else { return }
    if change.isListing { return didChange(at: reference, in: store) }
    if ObjectRef(store).flags & ObjectFlag.watched != 0 {
      let told = change.coversBelow ? reference.asDirectory : reference
      didChangeStore(makeReference(told), in: store, isByOthers: true)
    }
    if change.coversBelow {
      didChangeAll(below: reference, in: store)
    } else {
      didChange(at: reference, in: store)
      // The listing of what it is in may be another one.
      if let parent = reference.parent { didChange(at: parent, in: store) }
    }
  }

  /// Has connections list anew what is above a place of a store written in the language, which may have
  /// got or lost a name.
  private func didChangeListings(above reference: Value, in store: Value) throws(Failure) {
    var place = try self.reference(reference)
    while let parent = place.parent {
      didChange(at: parent, in: store)
      place = parent
    }
  }

  /// Tells connections that a place has come or gone: those that have read it, and those that have
  /// read a directory above it.
  ///
  /// - Returns: `unwind` when settling was interrupted, else the store.
  func didComeOrGo(
    at reference: Value, in store: Value, before: Value? = nil
  ) throws(Failure) -> Value {
    guard graph.hasStoredCells else { return try didWriteDirectly(reference, in: store) }
    try didChangeListings(above: reference, in: store)
    let told = try didWriteDirectly(reference, in: store, before: before)
    guard !told.isUnwind, graph.hasPending, graph.storedCells.storing == nil,
      graph.writeState.writing == nil,
      graph.running == nil, !graph.isSettling, graph.atomicDepth == 0
    else { return told }
    // Those who are told now may write, too.
    let direct = graph.storedCells.directWrite
    defer { graph.storedCells.directWrite = direct }
    return settleGraph(answering: store)
  }

  /// Notes a change of a place, whether or not it was written as that of a directory.
  func didChange(at reference: Reference, in store: Value) {
    for key in knownReferences(reference, in: store) {
      didChange(of: Place(kind: .stored, object: store, index: -1, key: key))
    }
  }

  private func didChange(of place: Place) {
    guard let cell = graph.cellsByPlace[place], !isAsRead(place) else { return }
    graph.takeUpChange(of: cell)
  }

  /// Notes a change of all places below a reference that connections know.
  private func didChangeAll(below reference: Reference, in store: Value) {
    for place in graph.places(in: store) {
      guard let other = try? self.reference(place.key),
        reference.affects(other.inScheme(reference.scheme))
      else { continue }
      didChange(of: place)
    }
  }
}
