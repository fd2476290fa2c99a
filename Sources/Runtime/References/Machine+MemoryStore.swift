internal import TenonStoreKit
internal import TenonTables

// Values under references, in memory: what `mem:` does for each read and write.

/// Where the kernel's MemoryStore keeps its variables.
enum MemoryStoreSlot {
  static let entries = 0
  static let directories = 1
  static let indexed = 2
  static let counted = 3
}

extension Machine {
  /// Whether a store is a memory store that reads and writes as the kernel's do, so that no message
  /// is needed.
  @inline(__always)
  func isPlainMemory(_ store: Value) -> Bool {
    let memory = lookupCache.memory
    if memory.isKnown { return store.isObject(ofClass: memory.store) }
    return learnMemory().isPlain && store.isObject(ofClass: kernel.memoryStore.index)
  }

  /// Finds out whether a program has replaced how memory stores read or write.
  @inline(never)
  private func learnMemory() -> LookupCache.Memory {
    let isPlain = [stores.getSelector, stores.putSelector].allSatisfy { selector in
      if case .primitive? = kernel.memoryStore.lookUp(selector)?.origin { true } else { false }
    }
    let memory = LookupCache.Memory(
      isKnown: true, store: isPlain ? kernel.memoryStore.index : LookupCache.Memory.noClass,
      reference: kernel.reference.index, entries: kernel.dictionary.index)
    lookupCache.record(memory)
    return memory
  }

  /// The table of a plain memory store and the number of its entry for a reference, if the reference
  /// has been there before and still is: most often that is so.
  @inline(__always)
  private func knownEntry(of reference: Value, in store: Value) -> (table: HashTable, Int)? {
    let memory = lookupCache.memory
    guard reference.isObject(ofClass: memory.reference) else { return nil }
    let entries = ObjectRef(store)[slot: MemoryStoreSlot.entries]
    guard entries.isObject(ofClass: memory.entries),
      let number = ObjectRef(reference)[slot: ReferenceSlot.entry].asSmallInteger
    else { return nil }
    let table = HashTable(entries)
    let key = ObjectRef(reference)[slot: ReferenceSlot.key]
    return !key.isNil && table.holds(key, at: number) ? (table, number) : nil
  }

  /// What a plain memory store has at a reference; nil when that has to be looked for.
  @inline(__always)
  func knownMemoryValue(at reference: Value, in store: Value) -> Value? {
    knownEntry(of: reference, in: store).map { table, number in table.value(of: number) }
  }

  /// Stores a value in a plain memory store, if it has something there and nobody wants to know.
  ///
  /// - Returns: Whether it is stored.
  @inline(__always)
  func setKnownMemoryValue(_ value: Value, at reference: Value, in store: Value) -> Bool {
    guard !graph.hasStoredCells, !graph.words[0].hasObserversOfTurn, graph.runningNumber < 0,
      !value.isObject || stores.keepsObjects || !isModelObject(value),
      ObjectRef(store).flags & ObjectFlag.watched == 0,
      let (table, number) = knownEntry(of: reference, in: store),
      table.object.flags & ObjectFlag.watched == 0
    else { return false }
    table.setValue(value, of: number)
    return true
  }

  /// Lets a reference know where a memory store has its entry, and the key by which it stands there.
  private func record(_ number: Int, of reference: Value, in table: HashTable) {
    // A directory is not read as a value, and never from its entry.
    guard reference.isObject(ofClass: lookupCache.memory.reference),
      !ObjectRef(reference)[slot: ReferenceSlot.isDirectory].isTrue,
      let key = table.entry(number)?.key
    else { return }
    ObjectRef(reference)[slot: ReferenceSlot.key] = key
    ObjectRef(reference)[slot: ReferenceSlot.entry] = Value(small: number)
  }

  /// The components of a reference in one text, under which memory stores keep values; it is made
  /// once for each reference.
  func pathKey(of reference: Value) throws(Failure) -> Value {
    guard reference.isObject, classInfo(of: reference).inherits(from: kernel.reference) else {
      throw .invalidArgument("a reference", found: describe(reference))
    }
    let object = ObjectRef(reference)
    let known = object[slot: ReferenceSlot.key]
    // A class of a program may have put there what it likes.
    if isString(known) { return known }
    let components = try self.array(object[slot: ReferenceSlot.components])
    var texts: [String] = []
    for index in 0..<components.elementCount {
      texts.append(try swiftString(components[element: index]))
    }
    let key = makeString(texts.joined(separator: ReferenceSlot.separator))
    object[slot: ReferenceSlot.key] = key
    return key
  }

  /// All of a reference but its scheme in one text: stores that know nothing of the places below
  /// them keep by it what they have of each.
  func placeKey(of reference: Value) throws(Failure) -> Value {
    let key = try pathKey(of: reference)
    let place = try self.reference(reference)
    guard place.isRooted || !place.query.isEmpty else { return key }
    let form = [place.authority.map { "//" + $0 } ?? (place.isRooted ? "/" : ""), place.queryText]
    return makeString(
      try swiftString(key) + ReferenceSlot.formSeparator + form.joined(separator: "?"))
  }

  /// Refuses a path that leads up: no place in memory stands above another one's name.
  private func refuseWayUp(
    _ reference: Value, key: Value, _ verb: StoreCapabilities.Verb
  ) throws(Failure) {
    guard leadsUp(key) else { return }
    throw .store(
      StoreError(
        .escape, try self.reference(reference), "'..' leads up in paths of files only"),
      during: verb.rawValue)
  }

  /// Refuses a query, which would be ignored.
  private func refuseQuery(
    of reference: Value, _ verb: StoreCapabilities.Verb
  ) throws(Failure) {
    guard hasQuery(ObjectRef(reference)) else { return }
    throw .store(
      StoreError(
        .invalidReference, try self.reference(reference), "a store in memory has no queries"),
      during: verb.rawValue)
  }

  /// Whether a component of a path is `..`.
  private func leadsUp(_ key: Value) -> Bool {
    guard isString(key) else { return false }
    let bytes = unsafe ObjectRef(key).bytes
    var size = 0
    var dots = 0
    for index in 0..<bytes.count {
      let byte = unsafe bytes[index]
      if byte == ReferenceSlot.separatorByte {
        if size == 2, dots == 2 { return true }
        size = 0
        dots = 0
      } else {
        size += 1
        if byte == UInt8(ascii: ".") { dots += 1 }
      }
    }
    return size == 2 && dots == 2
  }

  func entries(of store: Value) throws(Failure) -> Value {
    let entries = ObjectRef(store)[slot: MemoryStoreSlot.entries]
    guard entries.isObject, classInfo(of: entries).inherits(from: kernel.dictionary) else {
      throw .invalidArgument("a dictionary of entries", found: describe(entries))
    }
    return entries
  }

  /// What a memory store has at a reference, the names below it where it has only such; nil when
  /// nothing is there.
  func memoryValue(at reference: Value, in store: Value) throws(Failure) -> Value {
    let entries = try self.entries(of: store)
    let key = try pathKey(of: reference)
    try refuseQuery(of: reference, .get)
    let finding = find(key, in: entries, byIdentity: false)
    if case .unwound = finding { return .unwind }
    let isDirectory = ObjectRef(reference)[slot: ReferenceSlot.isDirectory].isTrue
    if case .found(let number) = finding, !isDirectory {
      let table = HashTable(entries)
      record(number, of: reference, in: table)
      return table.value(of: number)
    }
    if case .absent = finding { try refuseWayUp(reference, key: key, .get) }
    if try hasPlaces(below: key, in: store) { return send(selector("list:"), to: store, reference) }
    guard case .found = finding else {
      return try placeInKeptObject(reference, in: store).map { value(at: $0) } ?? .nil
    }
    throw .store(
      StoreError(.notADirectory, try self.reference(reference), "it has nothing below it"),
      during: "get")
  }

  /// Stores a value in a memory store, and tells connections.
  func setMemoryValue(
    _ value: Value, at reference: Value, in store: Value
  ) throws(Failure) -> Value {
    let entries = try self.entries(of: store)
    let key = try pathKey(of: reference)
    try refuseQuery(of: reference, .put)
    guard unsafe !ObjectRef(key).bytes.isEmpty else {
      // What a place holds stands beside those below it; of the store itself there is no beside.
      throw .store(
        StoreError(
          .isADirectory, try self.reference(reference),
          "a store holds values under names, none of its own"), during: "put")
    }
    guard !ObjectRef(reference)[slot: ReferenceSlot.isDirectory].isTrue else {
      throw .store(
        StoreError(
          .isADirectory, try self.reference(reference),
          "a directory holds what is below it, no value"), during: "put")
    }
    let table = HashTable(entries)
    let finding = find(key, in: entries, byIdentity: false)
    if case .unwound = finding { return .unwind }
    if !stores.keepsObjects, isModelObject(value) { stores.keepsObjects = true }
    if case .absent = finding {
      try refuseWayUp(reference, key: key, .put)
      if let place = try placeInKeptObject(reference, in: store) {
        return try assign(value, to: place, of: reference, in: store)
      }
    }
    var isSame = false
    var old = Value.nil
    let stored = try changeElements(of: table.object, at: key, answering: value) {
      () throws(Failure) in
      switch finding {
      case .found(let number):
        record(number, of: reference, in: table)
        old = table.value(of: number)
        isSame = isSameForEver(old, value)
        table.setValue(value, of: number)
      case .absent(let hash):
        try table.insert(key, value, hash: hash, self)
        didInsert(key, in: store, table)
      case .unwound: break
      }
    }
    if stored.isUnwind { return stored }
    let root = roots.count
    roots.append(old)
    defer { dropRoots(to: root) }
    didReplaceObject(old, by: value, at: reference, in: store)
    if followObject(value, in: store).isUnwind { return .unwind }
    let told =
      if case .absent = finding, graph.hasStoredCells {
        try didComeOrGo(at: reference, in: store, before: .nil)
      } else {
        try didWriteDirectly(reference, in: store, isSame: isSame, before: old)
      }
    return told.isUnwind ? told : value
  }

  /// Whether two values are the same now and later: a collection may have changed in its own way.
  private func isSameForEver(_ old: Value, _ new: Value) -> Bool {
    guard old.isObject else { return old == new }
    switch ObjectRef(old).classIndex {
    case ClassIndex.float, ClassIndex.string, ClassIndex.symbol, ClassIndex.largeInteger:
      return isUnchanged(old, new)
    default: return false
    }
  }
}
