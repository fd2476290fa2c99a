// Values under references, in memory: what `mem:` does for each read and write.

/// Where the kernel's MemoryStore keeps its variables.
enum MemoryStoreSlot {
  static let entries = 0
}

extension Machine {
  /// Whether a store is a memory store that reads as the kernel's do, so that no message is needed.
  @inline(__always)
  func isPlainMemory(_ store: Value) -> Bool {
    guard store.isObject(ofClass: memoryStoreIndex) else { return false }
    return body(for: getSelector, classIndex: memoryStoreIndex) == memoryGetBody
  }

  /// The body of the kernel's own method for reading a memory store; no body at all when a program
  /// has replaced that before anybody asked.
  func findMemoryGetBody() -> NodeRef? {
    guard let method = memoryStoreClass.lookUp(getSelector), case .primitive = method.origin
    else { return nil }
    return body(for: getSelector, classIndex: memoryStoreIndex)
  }

  /// The components of a reference in one text, under which memory stores keep values; it is made
  /// once for each reference.
  func pathKey(of reference: Value) throws(Failure) -> Value {
    guard reference.isObject, classInfo(of: reference).inherits(from: referenceClass) else {
      throw .invalidArgument("a reference", found: describe(reference))
    }
    let object = ObjectRef(reference)
    let known = object[slot: ReferenceSlot.key]
    if !known.isNil { return known }
    let components = try self.array(object[slot: ReferenceSlot.components])
    var texts: [String] = []
    for index in 0..<components.elementCount {
      texts.append(try swiftString(components[element: index]))
    }
    let key = makeString(texts.joined(separator: ReferenceSlot.separator))
    object[slot: ReferenceSlot.key] = key
    return key
  }

  private func entries(of store: Value) throws(Failure) -> Value {
    let entries = ObjectRef(store)[slot: MemoryStoreSlot.entries]
    guard entries.isObject, classInfo(of: entries).inherits(from: dictionaryClass) else {
      throw .invalidArgument("a dictionary of entries", found: describe(entries))
    }
    return entries
  }

  /// What a memory store has at a reference; nil when nothing is there.
  func memoryValue(at reference: Value, in store: Value) throws(Failure) -> Value {
    let entries = try self.entries(of: store)
    switch find(try pathKey(of: reference), in: entries, byIdentity: false) {
    case .found(let number): return HashTable(entries).value(of: number)
    case .absent: return .nil
    case .unwound: return .unwind
    }
  }

  /// Stores a value in a memory store, and tells connections.
  func setMemoryValue(
    _ value: Value, at reference: Value, in store: Value
  ) throws(Failure) -> Value {
    let entries = try self.entries(of: store)
    let key = try pathKey(of: reference)
    guard unsafe !ObjectRef(key).bytes.isEmpty else {
      // What a place holds stands beside those below it; of the store itself there is no beside.
      throw .store(
        StoreError(
          .isADirectory, try self.reference(reference),
          "a store holds values under names, none of its own"), during: .put)
    }
    let table = HashTable(entries)
    let finding = find(key, in: entries, byIdentity: false)
    if case .unwound = finding { return .unwind }
    let stored = try changeElements(of: table.object, at: key, answering: value) {
      () throws(Failure) in
      switch finding {
      case .found(let number): table.setValue(value, of: number)
      case .absent(let hash): try table.insert(key, value, hash: hash, self)
      case .unwound: break
      }
    }
    if stored.isUnwind { return stored }
    let told = try noteDirectWrite(reference, in: store)
    return told.isUnwind ? told : value
  }
}
