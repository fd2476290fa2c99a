internal import TenonText

/// The variables of a hashed collection, and the search through them.
///
/// Entries stand in the order they came, three words each: key, value, hash. A table of places,
/// a power of two in size, holds for a hash the number of its entry, 0 where there is none. The bits
/// that the number leaves are some of the hash, so that what is probed on the way need not be looked
/// at. A removed entry keeps its place and has `undefined` for its key.
///
/// Probing begins at the low bits of the hash and takes in the higher ones step by step: keys in a row
/// find places in a row, which memory likes, and keys that agree in their low bits part soon.
///
/// Algorithm: the compact dictionary of R. Hettinger, "More compact dictionaries with faster
/// iteration", python-dev, 2012; the probing of T. Peters in the same dictionaries, 2001.
@safe
struct HashTable {
  let object: ObjectRef

  init(_ value: Value) { object = ObjectRef(value) }

  private enum Slot {
    static let places = 0
    static let entries = 1
    static let used = 2
    static let count = 3
    static let version = 4
  }

  /// How many variables of the object are those of the table.
  static let slotCount = 5

  static let entryWords = 3
  private static let fewestPlaces = 8
  /// The bytes of a place.
  fileprivate static let placeSize = 4

  /// The number of entries that have been made, removed ones included; 0 when the variables say
  /// something else than this code left there.
  var used: Int {
    get { entries == nil ? 0 : rawUsed }
    nonmutating set { object[slot: Slot.used] = Value(small: newValue) }
  }

  @inline(__always) private var rawUsed: Int { object[slot: Slot.used].asSmallInteger ?? 0 }

  /// The number of entries; no more than have been made.
  var count: Int {
    get { min(max(0, object[slot: Slot.count].asSmallInteger ?? 0), used) }
    nonmutating set { object[slot: Slot.count] = Value(small: newValue) }
  }

  /// A number that changes whenever an entry comes or goes.
  var version: Int {
    get { object[slot: Slot.version].asSmallInteger ?? 0 }
    nonmutating set { object[slot: Slot.version] = Value(small: newValue & 0xFFFF_FFFF) }
  }

  /// Whether one entry has come or gone since the table had a version.
  func isOneChange(after version: Int) -> Bool { self.version == (version &+ 1) & 0xFFFF_FFFF }

  /// The table of places, if it is as this code left it.
  @inline(__always) private var places: ObjectRef? {
    let value = object[slot: Slot.places]
    guard value.isObject(ofClass: ClassIndex.byteArray) else { return nil }
    let places = ObjectRef(value)
    let size = places.byteCount
    return size >= HashTable.fewestPlaces * HashTable.placeSize && size & (size &- 1) == 0
      ? places : nil
  }

  @inline(__always) private var entries: ObjectRef? {
    let value = object[slot: Slot.entries]
    guard value.isObject(ofClass: ClassIndex.array) else { return nil }
    let entries = ObjectRef(value)
    let used = rawUsed
    let words = entries.elementCount
    // The second comparison cannot overflow when the first holds.
    return UInt(bitPattern: used) <= UInt(bitPattern: words)
      && used &* HashTable.entryWords <= words
      ? entries : nil
  }

  // MARK: Entries

  /// An entry by its number, from 1; nil when it was removed or there is none.
  func entry(_ number: Int) -> (key: Value, value: Value)? {
    guard let entries, number >= 1, number <= rawUsed else { return nil }
    let base = (number - 1) * HashTable.entryWords
    let key = entries[element: base]
    return key.isUndefined ? nil : (key, entries[element: base + 1])
  }

  /// Whether an entry, by its number from 1, has this very key.
  @inline(__always)
  func holds(_ key: Value, at number: Int) -> Bool {
    guard let entries, number >= 1, number <= rawUsed else { return false }
    return entries[element: (number &- 1) &* HashTable.entryWords] == key
  }

  /// The value of an entry that exists.
  func value(of number: Int) -> Value {
    guard let entries, number >= 1, number <= rawUsed else { return .nil }
    return entries[element: (number - 1) * HashTable.entryWords + 1]
  }

  /// Sets the value of an entry that exists.
  func setValue(_ value: Value, of number: Int) {
    guard let entries, number >= 1, number <= rawUsed else { return }
    entries[element: (number - 1) * HashTable.entryWords + 1] = value
  }

  /// The array that the entries stand in, and where in it one stands, by its number from 1.
  func standing(_ number: Int) -> (entries: ObjectRef, base: Int)? {
    guard let entries, number >= 1, number <= rawUsed else { return nil }
    return (entries, (number - 1) * HashTable.entryWords)
  }

  /// Counts the entries anew if the array that they stand in is among some objects: entries may stand
  /// there again that were removed, and others no more.
  ///
  /// - Complexity: O(entries) where they are counted.
  func recount(ifAmong objects: Set<UInt>) {
    guard let entries, objects.contains(Value(entries).bits) else { return }
    count = (0..<rawUsed).count { !entries[element: $0 * HashTable.entryWords].isUndefined }
    if rawUsed > 0, entries[element: 0].isUndefined { entries[element: 1] = .nil }
    version += 1
  }

  /// The number of the first entry that was not removed; one more than `used` when there is none.
  ///
  /// The first place, when it is free, has for its value how far the free ones behind it go: what
  /// takes elements from the beginning, one by one, does not pass them all each time.
  ///
  /// - Complexity: O(1) amortised over the removed entries.
  var firstNumber: Int {
    guard let entries, rawUsed > 0, entries[element: 0].isUndefined else { return 1 }
    var number = 2
    if let known = entries[element: 1].asSmallInteger, known > number, known <= rawUsed + 1 {
      number = known
    }
    while number <= rawUsed, entries[element: (number - 1) * HashTable.entryWords].isUndefined {
      number += 1
    }
    entries[element: 1] = Value(small: number)
    return number
  }

  // MARK: Search

  /// What a search came to.
  enum Outcome {
    case found(Int)
    case absent
    /// A key of the program's own decides: compare with this entry, then go on after so many probes.
    case undecided(entry: Int, probes: Int)
  }

  /// Searches for a key by comparisons that run no code of the program.
  ///
  /// It begins at `start`; without one, at the place of the hash.
  ///
  /// - Complexity: O(1) expected.
  func search(
    _ key: Value, hash: Int, byIdentity: Bool, after skipped: Int = 0
  ) -> Outcome {
    guard let places, let entries else { return .absent }
    let mask = places.placeCount &- 1
    let tag = HashTable.tag(hash)
    let wanted = Value(small: hash)
    let end = entries.elementCount &- 2
    var probe = Probe(hash, mask)
    for _ in 0..<skipped { probe.advance() }
    // There is always a free place, unless somebody else wrote into the table.
    var probes = skipped
    while probes <= mask &+ Probe.untilOnlyPlaces {
      let content = places.place(probe.place)
      if content == 0 { return .absent }
      probe.advance()
      probes &+= 1
      guard (Int(content) ^ tag) & ~mask & 0xFFFF_FFFF == 0 else { continue }
      let number = Int(content) & mask
      let base = (number &- 1) &* HashTable.entryWords
      guard base >= 0, base < end else { return .absent }
      guard entries[element: base &+ 2] == wanted else { continue }
      let candidate = entries[element: base]
      if candidate == key { return .found(number) }
      if byIdentity || candidate.isUndefined { continue }
      switch HashTable.simpleEquality(candidate, key) {
      case .some(true): return .found(number)
      case .some(false): continue
      case .none: return .undecided(entry: number, probes: probes)
      }
    }
    return .absent
  }

  /// The bits of a hash that stand beside the number of its entry: those above the number's.
  @inline(__always)
  private static func tag(_ hash: Int) -> Int { hash ^ hash >> 32 ^ hash << 16 }

  /// Whether two values are equal, when that can be said without a send.
  static func simpleEquality(_ left: Value, _ right: Value) -> Bool? {
    if left == right { return true }
    if left.isObject, right.isObject {
      let a = ObjectRef(left)
      let b = ObjectRef(right)
      let first = a.classIndex
      let second = b.classIndex
      let isText = first == ClassIndex.string || first == ClassIndex.symbol
      let isOtherText = second == ClassIndex.string || second == ClassIndex.symbol
      if isText, isOtherText { return a.hasSameBytes(as: b) }
      return isText || isOtherText ? false : nil
    }
    // Immediate values are equal to others only as numbers.
    if left.isSmallInteger, right.isSmallInteger { return false }
    let leftIsNumber = left.isSmallInteger || left.isImmediateFloat
    let rightIsNumber = right.isSmallInteger || right.isImmediateFloat
    if leftIsNumber, rightIsNumber, let a = left.mixedDouble, let b = right.mixedDouble {
      return a == b
    }
    if leftIsNumber || rightIsNumber { return nil }
    return left.isObject || right.isObject ? nil : false
  }
}

/// The places where an entry with a hash may stand, in the order in which they are looked at.
private struct Probe {
  private(set) var place: Int
  private var rest: UInt
  private let mask: Int

  /// After so many steps nothing of the hash is left, and the steps visit every place.
  static let untilOnlyPlaces = 13

  @inline(__always)
  init(_ hash: Int, _ mask: Int) {
    place = hash & mask
    rest = UInt(bitPattern: hash)
    self.mask = mask
  }

  @inline(__always)
  mutating func advance() {
    rest >>= 5
    place = (place &* 5 &+ Int(bitPattern: rest) &+ 1) & mask
  }
}

extension ObjectRef {
  /// How many places a table of them has.
  @inline(__always) fileprivate var placeCount: Int { byteCount / HashTable.placeSize }

  /// An entry's number in a table of places, beside some of its hash.
  @inline(__always)
  fileprivate func place(_ index: Int) -> UInt32 {
    assert(index >= 0 && index < placeCount)
    return unsafe words[index]
  }

  @inline(__always) private var words: UnsafeMutablePointer<UInt32> {
    unsafe firstByte.assumingMemoryBound(to: UInt32.self)
  }

  @inline(__always)
  fileprivate func setPlace(_ index: Int, _ content: UInt32) {
    assert(index >= 0 && index < placeCount)
    unsafe words[index] = content
  }
}

// MARK: - Changes

/// Makes the objects in which a hashed collection keeps its entries.
protocol HashTableMemory {
  /// Returns an array, or an object like one, of so many elements.
  func makeArray(checked count: Int, classIndex: UInt32) throws(Failure) -> ObjectRef

  /// Returns an object of so many bytes.
  func makeBytes(classIndex: UInt32, count: Int) throws(Failure) -> ObjectRef

  /// A collection is about to get other objects for its entries.
  func logTables(of table: HashTable)
}

extension HashTable {
  /// Adds an entry for a key that is not there.
  ///
  /// - Complexity: O(1) amortised.
  func insert(
    _ key: Value, _ value: Value, hash: Int, _ memory: some HashTableMemory
  ) throws(Failure) {
    let capacity = (entries?.elementCount ?? 0) / HashTable.entryWords
    if places == nil || entries == nil || used >= capacity { try grow(memory) }
    guard let places, let entries else { return }
    let number = used + 1
    let base = (number - 1) * HashTable.entryWords
    entries[element: base] = key
    entries[element: base + 1] = value
    entries[element: base + 2] = Value(small: hash)
    used = number
    count += 1
    version += 1
    // New places have room, whatever somebody else wrote into the old ones.
    if !enter(number, hash: hash, places) { try grow(memory) }
  }

  /// Enters the number of an entry at a free place.
  ///
  /// - Returns: whether there is one.
  @discardableResult
  private func enter(_ number: Int, hash: Int, _ places: ObjectRef) -> Bool {
    let mask = places.placeCount &- 1
    var probe = Probe(hash, mask)
    var probes = 0
    while places.place(probe.place) != 0 {
      if probes > mask &+ Probe.untilOnlyPlaces { return false }
      probe.advance()
      probes &+= 1
    }
    // The numbers fit below the mask: at least half of the places are free.
    let content = HashTable.tag(hash) & ~mask | number
    places.setPlace(probe.place, UInt32(truncatingIfNeeded: content))
    return true
  }

  /// Removes an entry; its place stays taken until the table grows.
  func remove(_ number: Int) {
    guard let entries, number >= 1, number <= rawUsed else { return }
    let base = (number - 1) * HashTable.entryWords
    entries[element: base] = .undefined
    entries[element: base + 1] = .nil
    count -= 1
    version += 1
  }

  /// Removes all entries.
  ///
  /// The version goes on, so that a loop over them notices.
  func clear() {
    object[slot: Slot.places] = .nil
    object[slot: Slot.entries] = .nil
    used = 0
    count = 0
    version += 1
  }

  /// Makes room for as many entries again, and leaves removed ones behind.
  private func grow(_ memory: some HashTableMemory) throws(Failure) {
    memory.logTables(of: self)
    let old = entries
    let oldUsed = used
    let remaining = old.map { old in
      (0..<oldUsed).count { !old[element: $0 * HashTable.entryWords].isUndefined }
    }
    let capacity = max(8, (remaining ?? 0) * 2)
    guard capacity < Int(UInt32.max) / 4 else {
      throw .tooLarge("a collection of \(capacity) elements", limit: Int(UInt32.max) / 4)
    }
    var size = HashTable.fewestPlaces
    while size < capacity * 2 { size *= 2 }
    let newEntries = try memory.makeArray(
      checked: capacity * HashTable.entryWords, classIndex: ClassIndex.array)
    let newPlaces = try memory.makeBytes(
      classIndex: ClassIndex.byteArray, count: size * HashTable.placeSize)
    unsafe newPlaces.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    var number = 0
    if let old {
      for index in 0..<oldUsed {
        let base = index * HashTable.entryWords
        let key = old[element: base]
        if key.isUndefined { continue }
        let target = number * HashTable.entryWords
        old.moveElements(
          from: base, count: HashTable.entryWords, to: newEntries, at: target)
        number += 1
        enter(number, hash: old[element: base + 2].asSmallInteger ?? 0, newPlaces)
      }
    }
    object[slot: Slot.places] = Value(newPlaces)
    object[slot: Slot.entries] = Value(newEntries)
    used = number
    count = number
  }
}
