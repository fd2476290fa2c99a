internal import TenonTables

// The directories of memory stores: the beginnings of the paths under which values stand.
//
// A store keeps how many values stand below each, so that reading a place without a value need not
// look at all the others. That is counted when it is first asked for, and from then on with each
// value that comes or goes. A class of a program may change the values itself: it is counted anew
// when their number is not the one that was counted.

extension Machine {
  /// Whether a memory store has values below a key; the store itself is a directory always.
  ///
  /// - Complexity: O(1), but O(*n*) in the number of values when they have not been counted.
  func hasPlaces(below key: Value, in store: Value) throws(Failure) -> Bool {
    guard isString(key), unsafe !ObjectRef(key).bytes.isEmpty else { return true }
    let table = try directories(of: store)
    guard
      case .found(let number) = table.search(
        key, hash: Int(ObjectRef(key).bytesHash), byIdentity: false)
    else { return false }
    return table.value(of: number).asSmallInteger ?? 0 > 0
  }

  /// Counts a value that has come; `count`: how many there are now.
  func noteInserted(_ key: Value, in store: Value, count: Int) throws(Failure) {
    try noteCount(of: key, in: store, from: count - 1, to: count)
  }

  /// Counts a value that has gone; `count`: how many there are now.
  func noteRemoved(_ key: Value, in store: Value, count: Int) throws(Failure) {
    try noteCount(of: key, in: store, from: count + 1, to: count)
  }

  private func noteCount(
    of key: Value, in store: Value, from old: Int, to new: Int
  ) throws(Failure) {
    let object = ObjectRef(store)
    // Whoever never asks for directories does not pay for them.
    guard let known = object[slot: MemoryStoreSlot.indexed].asSmallInteger else { return }
    guard known == old, let table = directoryTable(of: object) else {
      object[slot: MemoryStoreSlot.indexed] = .nil
      return
    }
    try count(key, by: new - old, in: table)
    object[slot: MemoryStoreSlot.indexed] = Value(small: new)
  }

  /// The table of directories, unless a class of a program has put something else there.
  private func directoryTable(of store: ObjectRef) -> HashTable? {
    let table = store[slot: MemoryStoreSlot.directories]
    guard table.isObject, classInfo(of: table) === dictionaryClass else { return nil }
    return HashTable(table)
  }

  private func directories(of store: Value) throws(Failure) -> HashTable {
    let object = ObjectRef(store)
    let entries = HashTable(try self.entries(of: store))
    if object[slot: MemoryStoreSlot.indexed].asSmallInteger == entries.count,
      let known = directoryTable(of: object)
    {
      return known
    }
    let made = makeEmptyDictionary()
    let table = HashTable(made)
    var number = 1
    while number <= entries.used {
      if let entry = entries.entry(number) { try count(entry.key, by: 1, in: table) }
      number += 1
    }
    object[slot: MemoryStoreSlot.directories] = made
    object[slot: MemoryStoreSlot.indexed] = Value(small: entries.count)
    return table
  }

  /// Counts a value in all directories that it is below.
  private func count(_ key: Value, by change: Int, in table: HashTable) throws(Failure) {
    guard isString(key) else { return }
    let bytes = unsafe Array(ObjectRef(key).bytes)
    for (index, byte) in bytes.enumerated() where byte == ReferenceSlot.separatorByte {
      let directory = makeString(String(decoding: bytes[..<index], as: UTF8.self))
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

extension Primitive {
  static let memoryDirectories: [Primitive] = [
    Primitive("hasPlacesBelow: reference", "Whether there are values below a reference.") {
      machine, arguments throws(Failure) in
      Value(
        try machine.hasPlaces(
          below: try machine.pathKey(of: arguments[0]), in: arguments.receiver))
    },
    Primitive("noteRemoved: reference", "Private.") { machine, arguments throws(Failure) in
      let store = arguments.receiver
      let entries = HashTable(try machine.entries(of: store))
      try machine.noteRemoved(
        try machine.pathKey(of: arguments[0]), in: store, count: entries.count)
      return try machine.noteComingOrGoing(at: arguments[0], in: store)
    },
  ]
}
