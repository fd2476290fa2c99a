// What connections learn of changes that stores announce.

extension Machine {
  /// Has connections read a place anew that a store has announced as changed.
  func takeUp(_ change: StoredChanges.Noted) {
    let reference = change.reference
    let mounted =
      hasScheme(reference.scheme) ? schemeCell(named: reference.scheme)[slot: 0] : .nil
    for entry in nativeStores where entry.object.isObject {
      // A store of the language may stand before the one that tells.
      guard mounted == entry.object || nativeStore(mounted) == nil else { continue }
      if change.isListing {
        noteChange(at: reference, in: entry.object)
        continue
      }
      if ObjectRef(entry.object).flags & ObjectFlag.watched != 0 {
        let told = change.coversBelow ? reference.asDirectory : reference
        noteStoreChange(makeReference(told), in: entry.object, isByOthers: true)
      }
      if change.coversBelow {
        noteChanges(below: reference, in: entry.object)
      } else {
        noteChange(at: reference, in: entry.object)
        // The listing of what it is in may be another one.
        if let parent = reference.parent { noteChange(at: parent, in: entry.object) }
      }
    }
  }

  /// Notes a change of a place, whether or not it was written as that of a directory.
  func noteChange(at reference: Reference, in store: Value) {
    let text = reference.description
    for spelling in [text, text + "/"] {
      guard let key = canonicalReferences[ExactText(spelling)] else { continue }
      noteChange(of: Place(kind: .stored, object: store, index: -1, key: key))
    }
  }

  private func noteChange(of place: Place) {
    guard let cell = graph.cellsByPlace[place], !isAsRead(place) else { return }
    graph.forgetKnown(of: cell)
    graph.noteWrite(to: cell, by: nil)
  }

  /// Notes a change of all places below a reference that connections know.
  private func noteChanges(below reference: Reference, in store: Value) {
    for place in graph.places(in: store) {
      guard let other = try? self.reference(place.key), reference.affects(other) else { continue }
      noteChange(of: place)
    }
  }
}
