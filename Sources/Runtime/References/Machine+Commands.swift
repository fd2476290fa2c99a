internal import TenonStoreKit

extension Machine {
  /// Has a store carry out a command.
  ///
  /// - Returns: nil, a value or a store, or `unwind`.
  func perform(
    _ command: Value, _ argument: Value, at reference: Value, in store: Value
  ) throws(Failure) -> Value {
    let place = try self.reference(reference)
    let name = try swiftString(command)
    let native = try openedStore(store)
    guard let commanded = native as? any CommandedStore else {
      throw .store(
        StoreError(.unsupported, place, "it does not know '\(name)'"), during: name)
    }
    if commanded.isReading(name) {
      if !commanded.capabilities.verbs.isEmpty { recordRead(of: reference, in: store) }
    } else if let running = graph.running, graph.writeState.writing == nil {
      throw .impureFormula(referenceText(reference), running.connection)
    }
    let raw = commanded.takesBytes ? ObjectRef.bytes(ofByteArray: argument) : nil
    let bytes = try raw == nil ? encodeJSON(argument, at: place, of: native, during: name) : raw
    guard let bytes else { return .unwind }
    let resource = Resource(bytes, isJSON: raw == nil)
    let answer = try performing(
      named: name, of: native, at: place, keeping: [reference, store]
    ) { store throws(StoreError) in
      try (store as? any CommandedStore)?.perform(name, resource, at: place) ?? .done
    }
    if takeUpStoredChanges().isUnwind { return .unwind }
    switch answer {
    case .done: return settleObservers(answering: .nil)
    case .resource(let resource): return try decode(.resource(resource), from: native, at: place)
    case .store(let made): return nativeStoreObject(for: made)
    case .source(let source): return try makeStream(reading: source, at: reference, place)
    case .sink(let sink): return makeStream(writing: sink, at: reference, place)
    }
  }

  /// The object that stands for a store written in Swift, made unless there is one.
  ///
  /// - Complexity: O(n) in the number of such stores.
  func nativeStoreObject(for store: any Store) -> Value {
    stores.native.first { $0.store === store }?.object ?? makeNativeStore(store)
  }

  /// Has the collector look for streams that nobody uses any more, where there are many.
  private func collectLostStreams() {
    guard stores.streams.needsCollection else { return }
    collect()
    stores.streams.didCollect()
  }

  /// The object for a place that was opened for reading.
  func makeStream(
    reading source: any ByteSource, at reference: Value, _ place: Reference
  ) throws(Failure) -> Value {
    collectLostStreams()
    let object = makeInstance(of: "ExternalReadStream")
    stores.streams.sources[object.bits] = OpenStreams.Source(place, source)
    object[slot: ExternalStreamSlot.reference] = reference
    guard let header = source.header else { return Value(object) }
    roots.append(Value(object))
    defer { roots.removeLast() }
    object[slot: ExternalStreamSlot.header] = try decodeJSON(header, at: place)
    return Value(object)
  }

  /// The object for a place that was opened for writing.
  func makeStream(writing sink: any ByteSink, at reference: Value, _ place: Reference) -> Value {
    collectLostStreams()
    let object = makeInstance(of: "ExternalWriteStream")
    stores.streams.sinks[object.bits] = OpenStreams.Sink(place, sink)
    object[slot: ExternalStreamSlot.reference] = reference
    return Value(object)
  }

  /// Merges a patch into what a store written in Swift has, if it has that verb itself.
  func merge(
    _ patch: Value, at reference: Value, in store: Value, if condition: Value
  ) throws(Failure) -> Value {
    let precondition = try asPrecondition(condition)
    let place = try self.reference(reference)
    guard let bytes = try encodeJSON(patch, at: place, of: nativeStore(store), during: "merge")
    else { return .unwind }
    return try change(reference, in: store, .merge) { (native, place) throws(StoreError) in
      try native.merge(place, Resource(bytes, contentType: "application/json"), if: precondition)
      return store
    }
  }
}
