internal import TenonParser
internal import TenonSolverKit
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
    _ verb: String, _ body: () throws(StoreError) -> Answer
  ) throws(Failure) -> Answer {
    do throws(StoreError) {
      return try body()
    } catch {
      throw .store(error, during: verb)
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
    recordRead(of: reference, in: store)
    recordContent(nil, at: reference, in: store)
    let status = try performing(.get, of: native, at: place, keeping: reference, store) {
      native throws(StoreError) in try native.status(of: place)
    }
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
    _ body: @escaping @Sendable (any Store, Reference) throws(StoreError) -> Value
  ) throws(Failure) -> Value {
    let native = try openedStore(store)
    if let running = graph.running, graph.writeState.writing == nil {
      throw .impureFormula(referenceText(reference), running.connection)
    }
    let place = try self.reference(reference)
    let root = roots.count
    defer { dropRoots(to: root) }
    // What was below it is gone with it, or has come.
    let isWide = verb == .deleteTree || verb == .move
    var held: [CellID: Value] = [:]
    if isWide {
      for cell in knownCells(from: place, in: store) { held[cell] = currentValue(of: cell) }
      roots.append(contentsOf: held.values)
    }
    let answer = try performing(verb, of: native, at: place, keeping: reference, store) {
      native throws(StoreError) in try body(native, place)
    }
    roots.append(answer)
    let told = isWide ? makeReference(place.asDirectory) : reference
    roots.append(told)
    didChangeStore(told, in: store)
    didChangeTree(place, in: store, held)
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
  func didChangeTree(_ reference: Reference, in store: Value, _ held: [CellID: Value] = [:]) {
    for cell in knownCells(from: reference, in: store) {
      graph.takeUpChange(of: cell, old: held[cell])
    }
  }

  /// The cells of a place and of all below it that connections know.
  func knownCells(from reference: Reference, in store: Value) -> [CellID] {
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

  /// Reads a place of a store; nil when nothing is there.
  ///
  /// - Returns: the value, or `unwind`.
  func get(_ reference: Value, from store: Value, if condition: Value = .nil) -> Value {
    // Where hardly any stack is left, it is the send that says so.
    if isPlainMemory(store), condition.isNil, recorder == nil, !state.needsSafepoint {
      if let value = knownMemoryValue(at: reference, in: store) { return value }
      do throws(Failure) {
        return try memoryValue(at: reference, in: store)
      } catch {
        return signal(error)
      }
    }
    if let native = nativeStore(store) {
      recordRead(of: reference, in: store)
      if native.executor != nil || !stores.coming.entries.isEmpty {
        if readsForFormula, condition.isNil,
          native.executor != nil || isPending(reference, in: store) || hasCome(reference, in: store)
        {
          return comingValue(at: reference, in: store)
        }
        let waited = waitForWrites(at: reference, in: store)
        if waited.isUnwind { return waited }
      }
      do throws(Failure) {
        let place = try self.reference(reference)
        let precondition = try asPrecondition(condition)
        let outcome = Result { () throws(Failure) in
          try puttingOff(readsForFormula && condition.isNil) { () throws(Failure) in
            try read(place, from: native, if: precondition, keeping: reference, store)
          }
        }
        // What the store noticed about others holds whether or not the place can be read.
        if takeUpStoredChanges().isUnwind { return .unwind }
        if case .failure(let failure) = outcome, failure.isPassing, readsForFormula,
          condition.isNil
        {
          stores.coming.markStale(placeOfStore(reference, in: store))
          return comingValue(at: reference, in: store)
        }
        let content = try outcome.get()
        recordContent(content, at: reference, in: store)
        return try decode(content, from: native, at: place)
      } catch {
        return signal(error)
      }
    }
    let isAsked = !stores.coming.entries.isEmpty || !stores.coming.exchanges.isEmpty
    if readsForFormula || isAsked, answersLater(store) {
      if readsForFormula, condition.isNil {
        recordRead(of: reference, in: store)
        return comingValue(at: reference, in: store)
      }
      let waited = waitForWrites(at: reference, in: store)
      if waited.isUnwind { return waited }
    }
    guard isMemory(store), condition.isNil else {
      return condition.isNil
        ? send(stores.getSelector, to: store, reference)
        : send(selector("get:if:"), to: store, reference, condition)
    }
    return getFromMemory(reference, store)
  }

  /// Reads a place of a store in memory for a formula, which depends on it, and on what a path through an object
  /// that the store keeps leads over.
  private func getFromMemory(_ reference: Value, _ store: Value) -> Value {
    recordRead(of: reference, in: store)
    // How the store keeps its values is its own affair: of others than this nobody need hear.
    let outer = recorder
    if outer != nil, classInfo(of: store) === kernel.memoryStore {
      do throws(Failure) {
        if let place = try keptPlace(at: reference, in: store) { return value(at: place) }
      } catch {
        return signal(error)
      }
      recorder = DependencyRecorder(within: outer)
    }
    defer { recorder = outer }
    return send(stores.getSelector, to: store, reference)
  }

  /// Whether anything is at a place of a store; what it is need not be a value of the language.
  func exists(_ reference: Value, in store: Value) throws(Failure) -> Value {
    guard let native = nativeStore(store) else { return .false }
    recordRead(of: reference, in: store)
    let outcome = try read(
      try self.reference(reference), from: native, keeping: reference, store)
    if takeUpStoredChanges().isUnwind { return .unwind }
    if case .missing = outcome { return .false }
    return .true
  }

  func read(
    _ reference: Reference, from store: any Store, if condition: Precondition? = nil,
    keeping kept: Value...
  ) throws(Failure) -> GetOutcome {
    try performing(named: "get", of: store, at: reference, keeping: kept) {
      store throws(StoreError) in try store.get(reference, if: condition)
    }
  }

  /// The cell of a place in a store, if connections join it.
  private func storedCell(_ reference: Value, in store: Value) -> CellID? {
    graph.cellsByPlace[
      Place(kind: .stored, object: store, index: -1, key: canonicalReference(reference, in: store))]
  }

  /// Writes a place of a store, whether connections watch it or not: the door for stores.
  ///
  /// - Returns: the value, or `unwind`.
  func write(
    _ value: Value, at reference: Value, in store: Value, if condition: Value = .nil
  ) -> Value {
    if isPlainMemory(store), condition.isNil, !state.needsSafepoint,
      setKnownMemoryValue(value, at: reference, in: store)
    {
      return value
    }
    if let running = graph.running, graph.writeState.writing == nil {
      return signal(.impureFormula(referenceText(reference), running.connection))
    }
    guard let cell = graph.hasStoredCells ? storedCell(reference, in: store) : nil else {
      let stored = put(value, at: reference, in: store, if: condition)
      return stored.isUnwind ? stored : settleObservers(answering: value)
    }
    if mayWait, answersLater(store) {
      return writeSlowly(value, at: reference, in: store, if: condition, cell)
    }
    return calling(cell, as: reference) {
      write(value, to: cell) {
        let outer = graph.storedCells.storing
        graph.storedCells.storing = cell
        defer { graph.storedCells.storing = outer }
        let failure = failing { put(value, at: reference, in: store, if: condition) }
        if failure == nil { graph.cacheValue(value, of: cell) }
        return failure
      }
    }
  }

  /// Writes a place of a store.
  ///
  /// - Returns: the value, or `unwind`.
  func put(
    _ value: Value, at reference: Value, in store: Value, if condition: Value = .nil
  ) -> Value {
    let waited = waitForWrites(at: reference, in: store)
    if waited.isUnwind { return waited }
    guard let native = nativeStore(store) else {
      if writesForConnection, condition.isNil, answersLater(store) {
        writeLater(.put(value), at: reference, in: store)
        return value
      }
      return changing(reference, inOwn: store) {
        condition.isNil
          ? send(stores.putSelector, to: store, value, reference)
          : send(selector("put:at:if:"), to: store, value, reference, condition)
      }
    }
    do throws(Failure) {
      let place = try self.reference(reference)
      if value.isNil, native.capabilities.isExternal {
        throw .nilStored(place.description, during: .put)
      }
      guard let resource = try encode(value, for: native, at: place, during: .put) else {
        return .unwind
      }
      if native.executor != nil, writesForConnection, condition.isNil {
        writeLater(.resource(resource, value), at: reference, in: store)
        return value
      }
      let precondition = try asPrecondition(condition)
      joinBatch(native)
      do throws(Failure) {
        try puttingOff(writesForConnection && condition.isNil) { () throws(Failure) in
          try changing(.put, of: native, at: place, in: store, keeping: reference, store, value) {
            native throws(StoreError) in try native.put(place, resource, if: precondition)
          }
        }
      } catch {
        guard error.isPassing, writesForConnection, condition.isNil else { throw error }
        writeLater(.resource(resource, value), at: reference, in: store)
        return value
      }
      forgetContent(at: reference, in: store)
      didChangeStore(reference, in: store)
      return takeUpStoredChanges().isUnwind ? .unwind : value
    } catch {
      return signal(error)
    }
  }

  /// Has a store of the program's own change a place, and tells of it unless the answer says that nothing has.
  private func changing(
    _ reference: Value, inOwn store: Value, unless nothing: Value = .unwind, _ ask: () -> Value
  ) -> Value {
    // What it does itself may have taken it from everybody else.
    let root = roots.count
    roots.append(store)
    roots.append(reference)
    defer { dropRoots(to: root) }
    graph.storedCells.directWrite = nil
    let answer = ask()
    guard !answer.isUnwind, answer != nothing, !wasToldDirectly(reference, store) else {
      return answer
    }
    roots.append(answer)
    return recordOwnChange(reference, in: store).isUnwind ? .unwind : answer
  }

  /// Removes what is at a place of a store.
  ///
  /// - Returns: whether anything was there, or `unwind`.
  func delete(_ reference: Value, in store: Value, if condition: Value = .nil) -> Value {
    guard let cell = graph.hasStoredCells ? storedCell(reference, in: store) : nil else {
      let existed = deleteUnwatched(reference, in: store, if: condition)
      return existed.isUnwind ? existed : settleObservers(answering: existed)
    }
    var answer = Value.false
    let root = roots.count
    defer { dropRoots(to: root) }
    let written = calling(cell, as: reference) {
      write(.nil, to: cell) {
        let outer = graph.storedCells.storing
        graph.storedCells.storing = cell
        defer { graph.storedCells.storing = outer }
        let failure = failing {
          answer = deleteUnwatched(reference, in: store, if: condition)
          return answer
        }
        if let failure { return failure }
        // It is a store of the program that answers what it likes.
        roots.append(answer)
        graph.cacheValue(.nil, of: cell)
        return nil
      }
    }
    return written.isUnwind ? written : answer
  }

  /// Removes what is at a place of a store, whether or not connections join it.
  ///
  /// - Returns: whether anything was there, or `unwind`.
  func deleteUnwatched(
    _ reference: Value, in store: Value, if condition: Value
  ) -> Value {
    let waited = waitForWrites(at: reference, in: store)
    if waited.isUnwind { return waited }
    if writesForConnection, condition.isNil, answersLater(store) {
      writeLater(.delete, at: reference, in: store)
      return .true
    }
    guard let native = nativeStore(store) else {
      // Where nothing was, nothing has changed.
      return changing(reference, inOwn: store, unless: .false) {
        condition.isNil
          ? send(selector("delete:"), to: store, reference)
          : send(selector("delete:if:"), to: store, reference, condition)
      }
    }
    do throws(Failure) {
      let place = try self.reference(reference)
      let precondition = try asPrecondition(condition)
      joinBatch(native)
      let existed: Bool
      do throws(Failure) {
        existed = try puttingOff(writesForConnection && condition.isNil) { () throws(Failure) in
          try changing(.delete, of: native, at: place, in: store, keeping: reference, store) {
            native throws(StoreError) in try native.delete(place, if: precondition)
          }
        }
      } catch {
        guard error.isPassing, writesForConnection, condition.isNil else { throw error }
        writeLater(.delete, at: reference, in: store)
        return .true
      }
      forgetContent(at: reference, in: store)
      didChangeStore(reference, in: store)
      return takeUpStoredChanges().isUnwind ? .unwind : Value(existed)
    } catch {
      return signal(error)
    }
  }

  /// Adds something below a place of a store.
  ///
  /// - Returns: the reference of what was added, or `unwind`.
  func post(_ value: Value, to reference: Value, in store: Value) -> Value {
    guard let native = nativeStore(store) else {
      let root = roots.count
      roots.append(store)
      roots.append(reference)
      defer { dropRoots(to: root) }
      graph.storedCells.directWrite = nil
      let added = send(selector("post:to:"), to: store, value, reference)
      guard !added.isUnwind, isReference(added) else { return added }
      roots.append(added)
      if !wasToldDirectly(added, store), recordOwnChange(added, in: store).isUnwind {
        return .unwind
      }
      return settleObservers(answering: added)
    }
    do throws(Failure) {
      let place = try self.reference(reference)
      if value.isNil, native.capabilities.isExternal {
        throw .nilStored(place.description, during: .post)
      }
      guard let resource = try encode(value, for: native, at: place, during: .post) else {
        return .unwind
      }
      let added = makeReference(
        try performing(.post, of: native, at: place, keeping: reference, store, value) {
          native throws(StoreError) in try native.post(place, resource)
        })
      roots.append(added)
      defer { roots.removeLast() }
      didChangeStore(added, in: store)
      return settleObservers(answering: added)
    } catch {
      return signal(error)
    }
  }

  /// The names directly below a place of a store, as an array.
  func list(_ reference: Value, in store: Value) throws(Failure) -> Value {
    guard let native = nativeStore(store) else {
      return send(selector("list:"), to: store, reference)
    }
    let place = try self.reference(reference)
    recordRead(of: reference, in: store)
    let entries = try performing(.list, of: native, at: place, keeping: reference, store) {
      native throws(StoreError) in try native.list(place)
    }
    if takeUpStoredChanges().isUnwind { return .unwind }
    return makeArray(entries.map { makeString($0.name) })
  }
}
