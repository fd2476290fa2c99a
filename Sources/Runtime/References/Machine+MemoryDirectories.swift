internal import TenonStoreKit
internal import TenonTables

// The directories of memory stores: the beginnings of the paths under which values stand.
//
// A store keeps how many values stand below each, so that reading a place without a value need not
// look at all the others. That is counted when it is first asked for, and from then on with each
// value that comes or goes. A class of a program may change the values itself: it is counted anew
// when they are no more those that were counted, in the version that was.

extension Machine {
  /// Whether a memory store has values below a key; the store itself is a directory always.
  ///
  /// - Complexity: O(1), but O(*n*) in the number of values when they have not been counted.
  func hasPlaces(below key: Value, in store: Value) throws(Failure) -> Bool {
    guard isString(key), unsafe !ObjectRef(key).bytes.isEmpty else { return true }
    let table: HashTable
    do throws(Failure) {
      table = try directories(of: store)
    } catch {
      // Who deletes because memory is short must not need more.
      guard error.errorClass == .outOfMemory else { throw error }
      return try hasEntries(below: key, HashTable(try entries(of: store)))
    }
    guard
      case .found(let number) = table.search(
        key, hash: Int(ObjectRef(key).bytesHash), byIdentity: false)
    else { return false }
    return table.value(of: number).asSmallInteger ?? 0 > 0
  }

  /// Whether some key begins with another one.
  private func hasEntries(below key: Value, _ entries: HashTable) throws(Failure) -> Bool {
    let size = ObjectRef(key).byteCount
    var number = 1
    while number <= entries.used {
      if let other = entries.entry(number)?.key, isString(other),
        ObjectRef(other).byteCount > size,
        ObjectRef(other)[byte: size] == ReferenceSlot.separatorByte,
        unsafe ObjectRef(other).bytes.prefix(size).elementsEqual(ObjectRef(key).bytes)
      {
        return true
      }
      if number & 0xFFF == 0 { try pollInterrupt() }
      number += 1
    }
    return false
  }

  /// Counts a value that has come.
  func didInsert(_ key: Value, in store: Value, _ entries: HashTable) {
    updateCount(of: key, in: store, entries, by: 1)
  }

  /// Counts a value that has gone.
  func didRemove(_ key: Value, in store: Value, _ entries: HashTable) {
    updateCount(of: key, in: store, entries, by: -1)
  }

  private func updateCount(of key: Value, in store: Value, _ entries: HashTable, by change: Int) {
    let object = ObjectRef(store)
    // Whoever never asks for directories does not pay for them.
    guard let known = object[slot: MemoryStoreSlot.indexed].asSmallInteger else { return }
    guard isCounted(entries, in: object), entries.isOneChange(after: known),
      let table = directoryTable(of: object)
    else { return forgetDirectories(of: object) }
    do throws(Failure) {
      try count(key, by: change, in: table)
      object[slot: MemoryStoreSlot.indexed] = Value(small: entries.version)
    } catch {
      // The value is there, or gone, all the same.
      forgetDirectories(of: object)
    }
  }

  /// Whether it was these entries that were counted.
  private func isCounted(_ entries: HashTable, in store: ObjectRef) -> Bool {
    store[slot: MemoryStoreSlot.counted] == Value(entries.object)
  }

  private func forgetDirectories(of store: ObjectRef) {
    store[slot: MemoryStoreSlot.indexed] = .nil
    store[slot: MemoryStoreSlot.directories] = .nil
    store[slot: MemoryStoreSlot.counted] = .nil
  }

  /// The table of directories, unless a class of a program has put something else there.
  private func directoryTable(of store: ObjectRef) -> HashTable? {
    let table = store[slot: MemoryStoreSlot.directories]
    guard table.isObject, classInfo(of: table) === kernel.dictionary else { return nil }
    return HashTable(table)
  }

  private func directories(of store: Value) throws(Failure) -> HashTable {
    let object = ObjectRef(store)
    let entries = HashTable(try self.entries(of: store))
    if object[slot: MemoryStoreSlot.indexed].asSmallInteger == entries.version,
      isCounted(entries, in: object), let known = directoryTable(of: object)
    {
      return known
    }
    let made = makeEmptyDictionary()
    let table = HashTable(made)
    var number = 1
    while number <= entries.used {
      if let entry = entries.entry(number) {
        let known = table.count
        try count(entry.key, by: 1, in: table)
        if table.count != known { try checkMemory() }
      }
      if number & 0xFFF == 0 { try pollInterrupt() }
      number += 1
    }
    object[slot: MemoryStoreSlot.directories] = made
    object[slot: MemoryStoreSlot.indexed] = Value(small: entries.version)
    object[slot: MemoryStoreSlot.counted] = Value(entries.object)
    return table
  }

  /// Counts a value in all directories that it is below.
  ///
  /// What a class of a program keeps under a key that no reference has is in none.
  private func count(_ key: Value, by change: Int, in table: HashTable) throws(Failure) {
    guard isString(key) else { return }
    let size = ObjectRef(key).byteCount
    guard size <= Reference.Limit.totalBytes + Reference.Limit.components else { return }
    let bytes = unsafe Array(ObjectRef(key).bytes)
    let ends = bytes.indices.filter { bytes[$0] == ReferenceSlot.separatorByte }
    guard ends.count < Reference.Limit.components else { return }
    for end in ends {
      let directory = makeString(String(decoding: bytes[..<end], as: UTF8.self))
      let hash = Int(ObjectRef(directory).bytesHash)
      if case .found(let number) = table.search(directory, hash: hash, byIdentity: false) {
        let count = table.value(of: number).asSmallInteger ?? 0
        table.setValue(makeInteger(count + change), of: number)
      } else {
        try table.insert(directory, Value(small: change), hash: hash, self)
      }
    }
  }
}
