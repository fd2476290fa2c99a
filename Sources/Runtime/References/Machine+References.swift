internal import TenonSolverKit
internal import TenonParser
package import TenonStoreKit

// References and stores as values of the language, and the way from one to the other.

/// Where the kernel's Reference keeps its variables.
enum ReferenceSlot {
  static let scheme = 0
  static let components = 1
  static let text = 2
  static let authority = 3
  static let isAbsolute = 4
  static let isDirectory = 5
  static let query = 6
  /// The components in one text; nil until it is asked for.
  static let key = 7
  /// The number of the entry of a memory store that has this key, as far as is known.
  static let entry = 8
  /// Parts the components there; no component holds it.
  static let separator = "\u{1F}"
  /// Stands there between the components and what else tells places apart.
  static let formSeparator = "\u{1E}"
  static let separatorByte: UInt8 = 0x1F
}

extension Machine {
  // MARK: References as values

  /// The value for a reference.
  func makeReference(_ reference: Reference) -> Value {
    let object = makeInstance(of: kernel.reference)
    object[slot: ReferenceSlot.scheme] = makeString(reference.scheme)
    object[slot: ReferenceSlot.components] = makeArray(
      reference.components.map { makeString($0) })
    object[slot: ReferenceSlot.text] = makeString(reference.description)
    object[slot: ReferenceSlot.authority] = reference.authority.map { makeString($0) } ?? .nil
    object[slot: ReferenceSlot.isAbsolute] = Value(reference.isAbsolute)
    object[slot: ReferenceSlot.isDirectory] = Value(reference.isDirectory)
    object[slot: ReferenceSlot.query] = makeArray(
      reference.query.flatMap { [makeString($0.key), $0.value.map { makeString($0) } ?? .nil] })
    return Value(object)
  }

  /// The reference that a value is.
  func reference(_ value: Value) throws(Failure) -> Reference {
    guard value.isObject, classInfo(of: value) === kernel.reference else {
      throw .invalidArgument("a reference", found: describe(value))
    }
    let object = ObjectRef(value)
    func texts(_ slot: Int) -> [String?] {
      guard object[slot: slot].isObject(ofClass: ClassIndex.array) else { return [] }
      let array = ObjectRef(object[slot: slot])
      return (0..<array.elementCount).map { text(array[element: $0]) }
    }
    let pairs = texts(ReferenceSlot.query)
    let query = stride(from: 0, to: pairs.count - 1, by: 2).map {
      Reference.QueryPair(pairs[$0] ?? "", pairs[$0 + 1])
    }
    do throws(StoreError) {
      return try Reference(
        scheme: text(object[slot: ReferenceSlot.scheme]) ?? "",
        authority: text(object[slot: ReferenceSlot.authority]),
        components: texts(ReferenceSlot.components).compactMap { $0 },
        isAbsolute: object[slot: ReferenceSlot.isAbsolute].isTrue,
        isDirectory: object[slot: ReferenceSlot.isDirectory].isTrue, query: query)
    } catch {
      throw .store(error)
    }
  }

  func isReference(_ value: Value) -> Bool {
    value.isObject && classInfo(of: value) === kernel.reference
  }

  /// The text of a reference value.
  func referenceText(_ value: Value) -> String {
    guard value.isObject, classInfo(of: value) === kernel.reference else { return describe(value) }
    return text(ObjectRef(value)[slot: ReferenceSlot.text]) ?? ""
  }

  /// The one object that stands for all references to a place of a store in the graph of
  /// connections, whatever the names are under which the store is known: equal ones, except that a
  /// directory's listing is another place.
  func canonicalReference(_ value: Value, in store: Value) -> Value {
    // The store says that it is none.
    guard isReference(value) else { return value }
    let isMemory = isMemory(store)
    let value = isMemory ? memoryReference(value) : value
    let name = StoredName(store, referenceText(value), isMemory: isMemory)
    if let known = stores.canonicalReferences[name] { return known }
    stores.canonicalReferences[name] = value
    return value
  }

  /// The reference by which a memory store's place is known: it looks at components only.
  private func memoryReference(_ value: Value) -> Value {
    let object = ObjectRef(value)
    guard
      hasQuery(object) || object[slot: ReferenceSlot.isAbsolute].isTrue
        || !object[slot: ReferenceSlot.authority].isNil, let reference = try? reference(value),
      let plain = plainReference(reference)
    else { return value }
    return makeReference(plain)
  }

  /// Whether a reference has something behind a `?`.
  func hasQuery(_ reference: ObjectRef) -> Bool {
    let pairs = reference[slot: ReferenceSlot.query]
    return pairs.isObject(ofClass: ClassIndex.array) && ObjectRef(pairs).elementCount > 0
  }

  /// The reference with its components only.
  private func plainReference(_ reference: Reference) -> Reference? {
    try? Reference(
      scheme: reference.scheme, components: reference.components,
      isDirectory: reference.isDirectory)
  }

  /// The objects that stand for a place of a store in the graph of connections and for its listing,
  /// as far as connections know them.
  func knownReferences(_ reference: Reference, in store: Value) -> [Value] {
    let isMemory = isMemory(store)
    let place = isMemory ? plainReference(reference) ?? reference : reference
    let text = place.description
    let name = StoredName(store, text, isMemory: isMemory)
    let listing = StoredName(store, text + "/", isMemory: isMemory)
    // Of the root of a store in memory both are one.
    return (name == listing ? [name] : [name, listing]).compactMap {
      stores.canonicalReferences[$0]
    }
  }

  // MARK: Schemes

  /// The cell that holds a scheme's store; `undefined` while there is none.
  func schemeCell(named name: String) -> ObjectRef {
    if let cell = stores.schemeCells[name] { return cell }
    let cell = makeCell(.undefined)
    stores.schemeCells[name] = cell
    return cell
  }

  /// Whether a scheme has a store.
  func hasScheme(_ name: String) -> Bool {
    guard let cell = stores.schemeCells[name] else { return false }
    return !cell[slot: 0].isUndefined
  }

  /// The names of the schemes that have stores.
  var schemeNames: [String] { stores.schemeCells.keys.filter { hasScheme($0) }.sorted() }

  /// Mounts a store under a scheme's name; nil unmounts.
  func mount(_ store: Value, as name: String) {
    let old = schemeCell(named: name)[slot: 0]
    schemeCell(named: name)[slot: 0] = store.isNil ? .undefined : store
    if store.isObject {
      for each in old.isObject ? [old] : storesJoined(by: name) where each != store {
        followScheme(name, from: each, to: store)
      }
    }
    didChangeStored(of: name, in: schemeCell(named: "scheme")[slot: 0])
  }

  /// Makes a store written in Swift one of the language's and mounts it.
  package func mount(_ store: any Store, as name: String) {
    mount(makeNativeStore(store), as: name)
  }

  /// Makes a store written in Swift one of the language's.
  func makeNativeStore(_ store: any Store, className: String = "NativeStore") -> Value {
    let object = makeInstance(of: className)
    object[slot: 0] = Value(small: stores.native.count)
    stores.native.append(NativeStoreEntry(store: store, watching: store as? any WatchingStore))
    if let feed = store.feed {
      let (queue, wakeUp) = (stores.changes, loop.inbox.wakeUp)
      let number = stores.native.count - 1
      stores.native[number].subscription = feed.subscribe(noting: { change in
        queue.note(change, of: number)
        wakeUp.callRunning()
      })
    }
    permanentRoots.append(Value(object))
    stores.native[stores.native.count - 1].object = Value(object)
    return Value(object)
  }

  /// The Swift store behind a value, if there is one.
  func nativeStore(_ value: Value) -> (any Store)? {
    guard value.isObject else { return nil }
    let info = classInfo(of: value)
    guard info === kernel.nativeStore || info === kernel.persistentStore,
      let number = ObjectRef(value)[slot: 0].asSmallInteger,
      stores.native.indices.contains(number)
    else { return nil }
    return stores.native[number].store
  }

  /// The number of the Swift store behind a value that has one.
  func nativeNumber(_ value: Value) -> Int { ObjectRef(value)[slot: 0].asSmallInteger ?? 0 }

  // MARK: Changes

  /// Whether a store has itself told of the write that has just ended.
  func wasToldDirectly(_ reference: Value, _ store: Value) -> Bool {
    guard let direct = graph.storedCells.directWrite, direct.store == store else { return false }
    return direct.reference == reference || direct.text == referenceText(reference)
  }

  /// Tells those that watch a store written in the language of what was done to a place of it, unless
  /// it does that itself, or those do of which it consists.
  ///
  /// - Returns: `unwind` when asking it was interrupted or failed, else nil.
  func recordOwnChange(_ reference: Value, in store: Value) -> Value {
    guard store.isObject, ObjectRef(store).flags & ObjectFlag.watched != 0 else { return .nil }
    let tells = send(selector("tellsOfOwnChanges"), to: store)
    if tells.isUnwind { return tells }
    if tells != .true { didChangeStore(reference, in: store) }
    return .nil
  }

  /// Whether connections can learn of changes in a store written in Swift.
  func isObservable(_ store: Value) -> Bool { nativeStore(store)?.feed != nil }

  /// Whether connections can learn of changes at a place of a store: one that stands over others says
  /// what they say.
  func canTell(of reference: Value, in store: Value) -> Bool {
    if let native = nativeStore(store) { return native.feed != nil }
    guard store.isObject, !isMemory(store) else { return true }
    // What it asks on the way is its own affair.
    let outer = recorder
    if outer != nil { recorder = DependencyRecorder(within: outer) }
    defer { recorder = outer }
    switch withErrorsCaught({ send(selector("canTellOf:"), to: store, reference) }) {
    case .value(let answer): return answer != .false
    // Reading the place fails as well, and says why.
    case .failed: return true
    case .unwound:
      graph.isUnwinding = true
      return true
    }
  }

  func isMemory(_ store: Value) -> Bool {
    store.isObject && classInfo(of: store).inherits(from: kernel.memoryStore)
  }

  func recordRead(of reference: Value, in store: Value) {
    guard let recorder else { return }
    let place = Place(
      kind: .stored, object: store, index: -1, key: canonicalReference(reference, in: store))
    recorder.record(place)
    if nativeStore(store) != nil { watchBeforeReading(place) }
  }

  /// Tells connections that a place of the scheme table has changed.
  private func didChangeStored(of name: String, in store: Value) {
    if let key = stores.canonicalReferences[StoredName(store, "scheme:" + name, isMemory: false)],
      let cell = graph.cellsByPlace[
        Place(kind: .stored, object: store, index: -1, key: key)]
    {
      graph.cacheValue(schemeCell(named: name)[slot: 0], of: cell)
      graph.recordWrite(to: cell, by: nil)
    }
    guard graph.hasPending else { return }
    if !graph.isSettling, graph.atomicDepth == 0 { _ = settleGraph(answering: .nil) }
  }

  /// Takes up what stores have announced since the last look.
  ///
  /// - Returns: `unwind` when that was interrupted, else nil.
  func takeUpStoredChanges() -> Value {
    guard !graph.isSettling, graph.running == nil else { return .nil }
    if let reading = loop.coroutines.current?.reading {
      guard !stores.changes.isEmpty else { return graph.hasPending ? settleUnlessAtomic() : .nil }
      // News of what a store has read so far for a place make its answer stale.
      follow(reading.recorder, of: reading.place, isWhole: false)
    }
    if !graph.storedCells.touchedStoredCells.isEmpty || !stores.watches.beforeReading.isEmpty {
      updateStoreWatches()
    }
    if stores.changes.isEmpty { return graph.hasPending ? settleUnlessAtomic() : .nil }
    for change in stores.changes.takeAll() { takeUp(change) }
    return settleUnlessAtomic()
  }

  /// Settles, unless a place is written: who is told before it holds that would read what it held.
  private func settleUnlessAtomic() -> Value {
    guard graph.atomicDepth == 0, graph.storedCells.storing == nil, graph.writeState.writing == nil
    else { return .nil }
    return settleGraph(answering: .nil)
  }
}

/// A Swift store with the object that stands for it.
struct NativeStoreEntry {
  let store: any Store
  var object = Value.nil
  var subscription: ChangeSubscription?
  /// The store, when it must be told what to watch.
  var watching: (any WatchingStore)?
}
