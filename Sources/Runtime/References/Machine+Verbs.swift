internal import TenonStoreKit

// The verbs that not every store has, and conditions.

/// Where the kernel's Precondition keeps its variables.
private enum PreconditionSlot {
  static let kind = 0
  static let tag = 1
}

extension Machine {
  /// Does something with a store; what it throws tells the verb.
  func storing<Answer>(
    _ verb: StoreCapabilities.Verb, _ body: () throws(StoreError) -> Answer
  ) throws(Failure) -> Answer {
    do throws(StoreError) {
      return try body()
    } catch {
      throw .store(error, during: verb.rawValue)
    }
  }

  /// The condition that a value of the language is; nil for nil.
  func asPrecondition(_ value: Value) throws(Failure) -> Precondition? {
    if value.isNil { return nil }
    guard value.isObject, classInfo(of: value) === kernelClass("Precondition") else {
      throw .invalidArgument("a precondition", found: describe(value))
    }
    let object = ObjectRef(value)
    let tag = text(object[slot: PreconditionSlot.tag]).map { EntityTag($0) }
    switch (text(object[slot: PreconditionSlot.kind]), tag) {
    case ("absent", _): return .absent
    case ("exists", _): return .exists
    case ("matches", let tag?): return .matches(tag)
    case ("differs", let tag?): return .differs(tag)
    default: throw .invalidArgument("a precondition", found: describe(value))
    }
  }

  /// What reading answers when the reader has the bytes already: the class of preconditions.
  var unchangedResource: Value { classObject(kernelClass("Precondition")) }

  /// What is known of a place: an array of what ResourceStatus keeps, or nil.
  func status(of reference: Value, in store: Value) throws(Failure) -> Value {
    let native = try openedStore(store)
    let place = try self.reference(reference)
    noteRead(of: reference, in: store)
    noteContent(nil, at: reference, in: store)
    let status = try storing(.get) { () throws(StoreError) in try native.status(of: place) }
    if takeUpStoredChanges().isUnwind { return .unwind }
    guard let status else { return .nil }
    return makeArray([
      Value(status.isDirectory),
      status.tag.map { makeString($0.text) } ?? .nil,
      status.contentType.map { makeString($0) } ?? .nil,
      status.size.map { makeInteger($0) } ?? .nil,
      status.modified.map { makeInteger($0) } ?? .nil,
    ])
  }

  /// Does something to a place of a store written in Swift, and tells who watches it or what is
  /// below it.
  func change(
    _ reference: Value, in store: Value, _ verb: StoreCapabilities.Verb,
    _ body: (any Store, Reference) throws(StoreError) -> Value
  ) throws(Failure) -> Value {
    let native = try openedStore(store)
    if let running = graph.running, graph.writing == nil {
      throw .impureFormula(referenceText(reference), running.connection)
    }
    let place = try self.reference(reference)
    let root = roots.count
    defer { roots.removeLast(roots.count - root) }
    // What was below it is gone with it, or has come.
    let isWide = verb == .deleteTree || verb == .move
    var held: [CellID: Value] = [:]
    if isWide {
      for cell in knownCells(from: place, in: store) { held[cell] = currentValue(of: cell) }
      roots += held.values
    }
    let answer = try storing(verb) { () throws(StoreError) in try body(native, place) }
    roots.append(answer)
    let told = isWide ? makeReference(place.asDirectory) : reference
    roots.append(told)
    noteStoreChange(told, in: store)
    noteTreeChange(place, in: store, held)
    if takeUpStoredChanges().isUnwind { return .unwind }
    return graph.atomicDepth > 0 || graph.isSettling ? answer : settleGraph(answering: answer)
  }

  /// Tells connections that a place and all below it may have changed.
  ///
  /// - Parameters:
  ///   - reference: The place.
  ///   - store: The store.
  ///   - held: What cells held before, which they are given back with the turn.
  /// - Complexity: O(n) in the number of places of the store that connections know.
  func noteTreeChange(_ reference: Reference, in store: Value, _ held: [CellID: Value] = [:]) {
    for cell in knownCells(from: reference, in: store) {
      graph.takeUpChange(of: cell, old: held[cell])
    }
  }

  /// The cells of a place and of all below it that connections know.
  private func knownCells(from reference: Reference, in store: Value) -> [CellID] {
    guard graph.hasStoredCells else { return [] }
    return graph.places(in: store).compactMap { place in
      guard let other = try? self.reference(place.key),
        reference.isPrefix(of: other.inScheme(reference.scheme))
      else { return nil }
      return graph.cellsByPlace[place]
    }
  }

  /// The tag of a value as text would be stored: of the bytes of a text or a byte array, else of
  /// the JSON for it, else of what it prints as.
  ///
  /// - Returns: a string, or `unwind`.
  func tag(of value: Value) throws(Failure) -> Value {
    if isString(value) || value.isObject(ofClass: ClassIndex.byteArray) {
      return makeString(EntityTag(of: unsafe Array(ObjectRef(value).bytes)).text)
    }
    let json = Result { () throws(Failure) in
      try encodeJSON(value, at: Reference(scheme: "value"), during: "get")
    }
    switch json {
    case .success(let bytes?): return makeString(EntityTag(of: bytes).text)
    case .success(nil): return .unwind
    case .failure:
      let printed = send(selector("printString"), to: value)
      guard let text = text(printed) else { return printed.isUnwind ? .unwind : .nil }
      return makeString(EntityTag(of: Array(text.utf8)).text)
    }
  }
}
