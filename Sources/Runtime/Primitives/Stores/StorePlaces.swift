extension Primitive {
  /// What a store written in the language needs whose places change by themselves.
  static let storePlaces: [Primitive] = [
    Primitive("isFollowed: reference", "Whether a connection depends on a place.") {
      machine, arguments throws(Failure) in
      _ = try machine.reference(arguments[0])
      return Value(machine.isFollowed(arguments[0], in: arguments.receiver))
    }
  ]
}

extension Machine {
  /// Whether a connection reads a place of a store.
  fileprivate func isFollowed(_ reference: Value, in store: Value) -> Bool {
    let key = canonicalReference(reference, in: store)
    let place = Place(kind: .stored, object: store, index: -1, key: key)
    guard let cell = graph.cellsByPlace[place] else { return false }
    return !graph[cell].readers.isEmpty
  }

  /// Mounts a store that a class of the kernel describes.
  package func mountStore(ofClass name: String, as scheme: String) {
    let store = Value(makeInstance(of: name))
    permanentRoots.append(store)
    mount(store, as: scheme)
  }
}
