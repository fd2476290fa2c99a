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

  private func isReference(_ value: Value) -> Bool {
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
    noteStoredChange(of: name, in: schemeCell(named: "scheme")[slot: 0])
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
      let queue = stores.changes
      let number = stores.native.count - 1
      let state = self.state
      let wakeUp = loop.inbox.wakeUp
      stores.native[stores.native.count - 1].subscription = feed.subscribe(noting: { change in
        queue.note(change, of: number)
        state.requestSafepoint()
        wakeUp.call()
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
  private func nativeNumber(_ value: Value) -> Int { ObjectRef(value)[slot: 0].asSmallInteger ?? 0 }

  // MARK: Verbs

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
      noteStoredRead(reference, in: store)
      do throws(Failure) {
        let place = try self.reference(reference)
        let precondition = try asPrecondition(condition)
        let outcome = Result { () throws(Failure) in
          try read(place, from: native, if: precondition)
        }
        // What the store noticed about others holds whether or not the place can be read.
        if takeUpStoredChanges().isUnwind { return .unwind }
        let content = try outcome.get()
        noteContent(content, at: reference, in: store)
        return try decode(content, from: native, at: place)
      } catch {
        return signal(error)
      }
    }
    guard isMemory(store), condition.isNil else {
      return condition.isNil
        ? send(stores.getSelector, to: store, reference)
        : send(selector("get:if:"), to: store, reference, condition)
    }
    noteStoredRead(reference, in: store)
    // How the store keeps its values is its own affair: of others than this nobody need hear.
    let outer = recorder
    if outer != nil, classInfo(of: store) === kernel.memoryStore {
      recorder = DependencyRecorder(within: outer)
    }
    defer { recorder = outer }
    return send(stores.getSelector, to: store, reference)
  }

  /// Whether anything is at a place of a store; what it is need not be a value of the language.
  func exists(_ reference: Value, in store: Value) throws(Failure) -> Value {
    guard let native = nativeStore(store) else { return .false }
    noteStoredRead(reference, in: store)
    let outcome = try read(try self.reference(reference), from: native)
    if takeUpStoredChanges().isUnwind { return .unwind }
    if case .missing = outcome { return .false }
    return .true
  }

  private func read(
    _ reference: Reference, from store: any Store, if condition: Precondition? = nil
  ) throws(Failure) -> GetOutcome {
    try storing(.get) { () throws(StoreError) in try store.get(reference, if: condition) }
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
    if let running = graph.running, graph.writing == nil {
      return signal(.impureFormula(referenceText(reference), running.connection))
    }
    guard let cell = graph.hasStoredCells ? storedCell(reference, in: store) : nil else {
      let stored = put(value, at: reference, in: store, if: condition)
      return stored.isUnwind ? stored : settleObservers(answering: value)
    }
    return calling(cell, as: reference) {
      write(value, to: cell) {
        let outer = graph.storing
        graph.storing = cell
        defer { graph.storing = outer }
        let failure = failing { put(value, at: reference, in: store, if: condition) }
        if failure == nil { graph.setKnown(value, of: cell) }
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
    guard let native = nativeStore(store) else {
      // What it does itself may have taken it from everybody else.
      let root = roots.count
      roots.append(store)
      roots.append(reference)
      defer { roots.removeLast(roots.count - root) }
      graph.directWrite = nil
      let stored =
        condition.isNil
        ? send(stores.putSelector, to: store, value, reference)
        : send(selector("put:at:if:"), to: store, value, reference, condition)
      guard !stored.isUnwind, !wasToldDirectly(reference, store) else { return stored }
      roots.append(stored)
      return noteOwnChange(reference, in: store).isUnwind ? .unwind : stored
    }
    do throws(Failure) {
      let place = try self.reference(reference)
      if value.isNil, native.capabilities.isExternal {
        throw .nilStored(place.description, during: .put)
      }
      guard let resource = try encode(value, for: native, at: place, during: .put) else {
        return .unwind
      }
      let precondition = try asPrecondition(condition)
      joinBatch(native)
      try storing(.put) { () throws(StoreError) in
        try stores.changes.changing(
          place, of: nativeNumber(store), notesListing: graph.hasStoredCells
        ) { () throws(StoreError) in
          try native.put(place, resource, if: precondition)
        }
      }
      forgetContent(at: reference, in: store)
      noteStoreChange(reference, in: store)
      return takeUpStoredChanges().isUnwind ? .unwind : value
    } catch {
      return signal(error)
    }
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
    defer { roots.removeLast(roots.count - root) }
    let written = calling(cell, as: reference) {
      write(.nil, to: cell) {
        let outer = graph.storing
        graph.storing = cell
        defer { graph.storing = outer }
        let failure = failing {
          answer = deleteUnwatched(reference, in: store, if: condition)
          return answer
        }
        if let failure { return failure }
        // It is a store of the program that answers what it likes.
        roots.append(answer)
        graph.setKnown(.nil, of: cell)
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
    guard let native = nativeStore(store) else {
      let root = roots.count
      roots.append(store)
      roots.append(reference)
      defer { roots.removeLast(roots.count - root) }
      graph.directWrite = nil
      let existed =
        condition.isNil
        ? send(selector("delete:"), to: store, reference)
        : send(selector("delete:if:"), to: store, reference, condition)
      // Where nothing was, nothing has changed.
      guard !existed.isUnwind, existed != .false, !wasToldDirectly(reference, store) else {
        return existed
      }
      roots.append(existed)
      return noteOwnChange(reference, in: store).isUnwind ? .unwind : existed
    }
    do throws(Failure) {
      let place = try self.reference(reference)
      let precondition = try asPrecondition(condition)
      joinBatch(native)
      let existed = try storing(.delete) { () throws(StoreError) in
        try stores.changes.changing(
          place, of: nativeNumber(store), notesListing: graph.hasStoredCells
        ) { () throws(StoreError) in
          try native.delete(place, if: precondition)
        }
      }
      forgetContent(at: reference, in: store)
      noteStoreChange(reference, in: store)
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
      defer { roots.removeLast(roots.count - root) }
      graph.directWrite = nil
      let added = send(selector("post:to:"), to: store, value, reference)
      guard !added.isUnwind, isReference(added) else { return added }
      roots.append(added)
      if !wasToldDirectly(added, store), noteOwnChange(added, in: store).isUnwind {
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
        try storing(.post) { () throws(StoreError) in try native.post(place, resource) })
      roots.append(added)
      defer { roots.removeLast() }
      noteStoreChange(added, in: store)
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
    noteRead(of: reference, in: store)
    let entries = try storing(.list) { () throws(StoreError) in try native.list(place) }
    if takeUpStoredChanges().isUnwind { return .unwind }
    return makeArray(entries.map { makeString($0.name) })
  }

  // MARK: Changes

  /// Whether a store has itself told of the write that has just ended.
  private func wasToldDirectly(_ reference: Value, _ store: Value) -> Bool {
    guard let direct = graph.directWrite, direct.store == store else { return false }
    return direct.reference == reference || direct.text == referenceText(reference)
  }

  /// Tells those that watch a store written in the language of what was done to a place of it, unless
  /// it does that itself, or those do of which it consists.
  ///
  /// - Returns: `unwind` when asking it was interrupted or failed, else nil.
  private func noteOwnChange(_ reference: Value, in store: Value) -> Value {
    guard store.isObject, ObjectRef(store).flags & ObjectFlag.watched != 0 else { return .nil }
    let tells = send(selector("tellsOfOwnChanges"), to: store)
    if tells.isUnwind { return tells }
    if tells != .true { noteStoreChange(reference, in: store) }
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

  private func isMemory(_ store: Value) -> Bool {
    store.isObject && classInfo(of: store).inherits(from: kernel.memoryStore)
  }

  func noteRead(of reference: Value, in store: Value) { noteStoredRead(reference, in: store) }

  private func noteStoredRead(_ reference: Value, in store: Value) {
    guard let recorder else { return }
    let place = Place(
      kind: .stored, object: store, index: -1, key: canonicalReference(reference, in: store))
    recorder.record(place)
    if nativeStore(store) != nil { watchBeforeReading(place) }
  }

  /// Tells connections that a place of the scheme table has changed.
  private func noteStoredChange(of name: String, in store: Value) {
    if let key = stores.canonicalReferences[StoredName(store, "scheme:" + name, isMemory: false)],
      let cell = graph.cellsByPlace[
        Place(kind: .stored, object: store, index: -1, key: key)]
    {
      graph.setKnown(schemeCell(named: name)[slot: 0], of: cell)
      graph.noteWrite(to: cell, by: nil)
    }
    guard graph.hasPending else { return }
    if !graph.isSettling, graph.atomicDepth == 0 { _ = settleGraph(answering: .nil) }
  }

  /// Takes up what stores have announced since the last look.
  ///
  /// - Returns: `unwind` when that was interrupted, else nil.
  func takeUpStoredChanges() -> Value {
    guard !graph.isSettling, graph.running == nil else { return .nil }
    if !graph.touchedStoredCells.isEmpty || !stores.watches.beforeReading.isEmpty {
      updateStoreWatches()
    }
    if stores.changes.isEmpty { return graph.hasPending ? settleUnlessAtomic() : .nil }
    for change in stores.changes.takeAll() { takeUp(change) }
    return settleUnlessAtomic()
  }

  /// Whoever is writing a place has it settled when it holds what is written: until then those who are
  /// told would read what it held before.
  private func settleUnlessAtomic() -> Value {
    guard graph.atomicDepth == 0, graph.storing == nil, graph.writing == nil else { return .nil }
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
