internal import TenonStoreKit

// What stores that are written in the language need of the machine: to say themselves what formulas
// depend on, and references of the same form with other paths.

extension Primitive {
  static let storeChanges: [Primitive] = [
    Primitive("noteChange: reference", "Tells connections that what is there has changed.") {
      machine, arguments throws(Failure) in
      // A formula that runs lists what it reads itself.
      machine.graph.running == nil
        ? try machine.didComeOrGo(at: arguments[0], in: arguments.receiver)
        : try machine.didWriteDirectly(arguments[0], in: arguments.receiver)
    },
    Primitive("noteRead: reference", "Has the formula that runs depend on it; whether one runs.") {
      machine, arguments throws(Failure) in
      guard machine.recorder != nil else { return .false }
      let reference = try machine.reference(arguments[0], in: arguments.receiver)
      machine.recordRead(of: reference, in: arguments.receiver)
      return .true
    },
    unobserved,
  ]

  static let unobserved = Primitive(
    "unobserved: aBlock", "Evaluates aBlock; what it reads is its own affair."
  ) { machine, arguments in
    guard machine.recorder != nil else { return machine.evaluateBlock(arguments[0]) }
    return machine.unrecorded { machine.evaluateBlock(arguments[0]) }
  }

  static let referenceForms: [Primitive] = [
    Primitive("withPath: components", "The reference of the same form with another path.") {
      machine, arguments throws(Failure) in
      let form = try machine.reference(arguments.receiver)
      return try machine.reference(form, withPath: arguments[0], like: form)
    },
    Primitive(
      "withPath: components like: other",
      "The reference with another path, a directory or with a query as the other one."
    ) { machine, arguments throws(Failure) in
      try machine.reference(
        try machine.reference(arguments.receiver), withPath: arguments[0],
        like: try machine.reference(arguments[1]))
    },
  ]
}

extension Machine {
  /// The value for a reference in the store of one, with another path, of the form of another one.
  fileprivate func reference(
    _ base: Reference, withPath components: Value, like form: Reference
  ) throws(Failure) -> Value {
    let names = try array(components)
    var path: [String] = []
    for index in 0..<names.elementCount { path.append(try swiftString(names[element: index])) }
    do throws(StoreError) {
      return makeReference(
        try Reference(
          scheme: base.scheme, authority: base.authority, components: path,
          isAbsolute: base.isAbsolute, isDirectory: form.isDirectory, query: form.query))
    } catch {
      throw .store(error)
    }
  }
}

// The verbs of a store written in Swift, sent as messages: by combinators, mostly, with references
// of their own schemes. What connections watch, they watch under the name that the store has.
extension Machine {
  /// Reads a place.
  func readNative(
    _ reference: Value, from store: Value, if condition: Value = .nil
  ) throws(Failure) -> Value {
    _ = try openedStore(store)
    guard recorder != nil else { return get(reference, from: store, if: condition) }
    return try withOwnReference(reference, in: store) { get($0, from: store, if: condition) }
  }

  /// Replaces what is at a place, and tells who watches it.
  func writeNative(
    _ value: Value, at reference: Value, in store: Value, if condition: Value = .nil
  ) throws(Failure) -> Value {
    _ = try openedStore(store)
    guard graph.hasStoredCells || graph.running != nil else {
      let stored = put(value, at: reference, in: store, if: condition)
      return stored.isUnwind ? stored : settleObservers(answering: value)
    }
    return try withOwnReference(reference, in: store) {
      write(value, at: $0, in: store, if: condition)
    }
  }

  /// Removes what is at a place, and tells who watches it.
  func deleteNative(
    _ reference: Value, in store: Value, if condition: Value = .nil
  ) throws(Failure) -> Value {
    _ = try openedStore(store)
    guard graph.hasStoredCells else { return delete(reference, in: store, if: condition) }
    return try withOwnReference(reference, in: store) { delete($0, in: store, if: condition) }
  }

  private func withOwnReference(
    _ reference: Value, in store: Value, _ body: (Value) -> Value
  ) throws(Failure) -> Value {
    // A store without a scheme knows a place by the name that it is given.
    let isMounted = schemeNames.contains { schemeCell(named: $0)[slot: 0] == store }
    let own = isMounted ? try self.reference(reference, in: store) : reference
    roots.append(own)
    defer { roots.removeLast() }
    return body(own)
  }
}
