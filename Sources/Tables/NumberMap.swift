/// Numbers by numbers that are not negative.
///
/// While the keys lie close together, the values stand in a row, from the least key on; while they
/// do not, in a hash table with open addressing and linear probing. Keys that come and go change
/// that only after about as many steps as the change costs.
///
/// - Complexity: O(1) for each operation, amortised; four bytes for each number between the least
///   and the greatest key, or eight bytes for an entry at a load of at most two thirds.
@safe
@frozen
public struct NumberMap: ~Copyable {
  /// Where the values are.
  @unsafe
  @usableFromInline
  struct Header {
    /// The values in a row, or hashed keys and values in turn; -1 is neither.
    @usableFromInline var words: UnsafeMutablePointer<Int32>
    /// The first key of a row, and how many there may be from it on; else 0.
    @usableFromInline var first: Int32
    @usableFromInline var span: UInt32
    /// How many places there are, less one, while keys are hashed; else -1.
    @usableFromInline var mask: Int32
    @usableFromInline var count: Int32

    @usableFromInline
    init(words: UnsafeMutablePointer<Int32>) {
      unsafe self.words = unsafe words
      unsafe first = 0
      unsafe span = 0
      unsafe mask = -1
      unsafe count = 0
    }
  }

  @usableFromInline let header: UnsafeMutablePointer<Header>

  /// Creates an empty table, which has no memory for values yet.
  public init() {
    unsafe header = UnsafeMutablePointer<Header>.allocate(capacity: 1)
    let nowhere = unsafe UnsafeMutableRawPointer(header).assumingMemoryBound(to: Int32.self)
    unsafe header.initialize(to: Header(words: nowhere))
  }

  deinit {
    release()
    unsafe header.deallocate()
  }

  /// How many keys there are.
  public var count: Int { unsafe Int(header.pointee.count) }

  /// Whether there is no key.
  @inlinable public var isEmpty: Bool {
    @inline(__always) get { unsafe header.pointee.count == 0 }
  }

  /// The keys, in no order.
  ///
  /// - Complexity: O(memory of the table).
  public var allKeys: [Int32] {
    let header = unsafe header.pointee
    var keys: [Int32] = []
    keys.reserveCapacity(count)
    if unsafe header.mask < 0 {
      for index in unsafe 0..<Int(header.span) where unsafe header.words[index] >= 0 {
        unsafe keys.append(header.first &+ Int32(truncatingIfNeeded: index))
      }
    } else {
      for index in unsafe 0...Int(header.mask) where unsafe header.words[2 * index] >= 0 {
        unsafe keys.append(header.words[2 * index])
      }
    }
    return keys
  }

  /// How many bytes the values take.
  public var byteCount: Int {
    let mask = unsafe Int(header.pointee.mask)
    let words = unsafe mask < 0 ? Int(header.pointee.span) : 2 * (mask + 1)
    return words * MemoryLayout<Int32>.stride
  }

  /// The number for a key, or -1.
  @inlinable
  public subscript(key: Int32) -> Int32 {
    @inline(__always) get {
      let offset = unsafe UInt32(bitPattern: key &- header.pointee.first)
      if unsafe offset < header.pointee.span { return unsafe header.pointee.words[Int(offset)] }
      return unsafe header.pointee.mask < 0 ? -1 : find(key)
    }
  }

  /// Enters a number, which is not negative either, for a key.
  @inlinable
  @inline(__always)
  public func set(_ key: Int32, to value: Int32) {
    assert(key >= 0 && value >= 0)
    let offset = unsafe UInt32(bitPattern: key &- header.pointee.first)
    guard unsafe offset < header.pointee.span else {
      insert(key, value)
      return
    }
    if unsafe header.pointee.words[Int(offset)] < 0 { unsafe header.pointee.count &+= 1 }
    unsafe header.pointee.words[Int(offset)] = value
  }

  /// Takes a key out.
  @inlinable
  @inline(__always)
  public func remove(_ key: Int32) {
    let offset = unsafe UInt32(bitPattern: key &- header.pointee.first)
    let span = unsafe header.pointee.span
    guard offset < span else {
      if unsafe header.pointee.mask >= 0 { removeHashed(key) }
      return
    }
    if unsafe header.pointee.words[Int(offset)] < 0 { return }
    unsafe header.pointee.words[Int(offset)] = -1
    unsafe header.pointee.count &-= 1
    // Few are left of many: looking for them costs as much as taking the others out has cost.
    if unsafe span > 1024 && header.pointee.count < span / 16 { compact() }
  }
}

// MARK: - In a row

extension NumberMap {
  /// Whether so many keys may stand in a row: it takes no more memory than hashing them.
  private func isDense(_ keys: ClosedRange<Int>, _ count: Int) -> Bool {
    keys.count <= 4 * count + 8
  }

  /// The least and the greatest key; nil when there is none.
  ///
  /// - Complexity: O(1) when those that were entered last are there still.
  private func keys() -> ClosedRange<Int>? {
    guard count > 0 else { return nil }
    let first = unsafe Int(header.pointee.first)
    var (low, high) = unsafe (0, Int(header.pointee.span) - 1)
    while unsafe header.pointee.words[low] < 0 { low += 1 }
    while unsafe header.pointee.words[high] < 0 { high -= 1 }
    return first + low...first + high
  }

  /// Enters a key that has no place in a row.
  @usableFromInline
  func insert(_ key: Int32, _ value: Int32) {
    if unsafe header.pointee.mask >= 0 || !extend(to: key) {
      enter(key, value)
    } else {
      set(key, to: value)
    }
  }

  /// Gives back memory of a row of which little is used.
  @usableFromInline
  func compact() {
    guard let present = keys() else {
      release()
      return
    }
    if isDense(present, count) { lay(present.lowerBound, present.count) } else { hash() }
  }

  /// Makes room for a key beyond the row.
  ///
  /// - Returns: Whether there is a place for it now; else the keys are hashed.
  private func extend(to key: Int32) -> Bool {
    let key = Int(key)
    guard let present = keys() else {
      lay(key, 1)
      return true
    }
    let wanted = min(present.lowerBound, key)...max(present.upperBound, key)
    guard isDense(wanted, count + 1) else {
      hash()
      return false
    }
    // The row grows to where it has grown now.
    let length = NumberMap.length(for: wanted.count)
    if key > present.upperBound {
      lay(wanted.lowerBound, length)
    } else {
      let first = max(0, wanted.upperBound + 1 - length)
      lay(first, wanted.upperBound + 1 - first)
    }
    return true
  }

  private static func length(for needed: Int) -> Int {
    TableMemory.capacity(for: needed, growingFrom: needed, stride: MemoryLayout<Int32>.stride)
  }

  /// Lays the row out anew: from a key on, so long or somewhat longer.
  private func lay(_ first: Int, _ wanted: Int) {
    // Less than this no allocation takes.
    let length = max(6, wanted)
    let old = unsafe header.pointee
    let size = length * MemoryLayout<Int32>.stride
    if unsafe old.span > 0, unsafe Int(old.first) == first || old.count == 0 {
      let kept = unsafe old.count == 0 ? 0 : min(Int(old.span), length)
      let memory = unsafe TableMemory.resize(
        old.words, used: kept * MemoryLayout<Int32>.stride,
        from: Int(old.span) * MemoryLayout<Int32>.stride, to: size)
      let words = unsafe memory.bindMemory(to: Int32.self, capacity: length)
      unsafe (words + kept).initialize(repeating: -1, count: length - kept)
      unsafe header.pointee.words = unsafe words
    } else {
      let words = unsafe TableMemory.allocate(size).bindMemory(to: Int32.self, capacity: length)
      unsafe words.initialize(repeating: -1, count: length)
      if let present = keys() {
        unsafe (words + (present.lowerBound - first)).update(
          from: old.words + (present.lowerBound - Int(old.first)), count: present.count)
      }
      release()
      unsafe header.pointee.words = unsafe words
      unsafe header.pointee.count = unsafe old.count
    }
    unsafe header.pointee.first = Int32(truncatingIfNeeded: first)
    unsafe header.pointee.span = UInt32(truncatingIfNeeded: length)
  }

  /// Gives the memory back, and with it all keys.
  private func release() {
    let size = byteCount
    guard size > 0 else { return }
    unsafe TableMemory.free(header.pointee.words, size)
    unsafe header.pointee = unsafe Header(words: header.pointee.words)
  }
}

// MARK: - Hashed

extension NumberMap {
  private func start(_ key: Int32, _ mask: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(UInt32(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
  }

  /// The number for a key, while keys are hashed.
  @usableFromInline
  func find(_ key: Int32) -> Int32 {
    let words = unsafe header.pointee.words
    let mask = unsafe Int(header.pointee.mask)
    var index = start(key, mask)
    while true {
      let found = unsafe words[2 * index]
      if found == key { return unsafe words[2 * index + 1] }
      if found < 0 { return -1 }
      index = (index + 1) & mask
    }
  }

  private func enter(_ key: Int32, _ value: Int32) {
    let mask = unsafe Int(header.pointee.mask)
    let index = place(of: key, mask)
    if unsafe header.pointee.words[2 * index] < 0 {
      if (count + 1) * 3 > (mask + 1) * 2 {
        rebuild()
        set(key, to: value)
        return
      }
      unsafe header.pointee.words[2 * index] = key
      unsafe header.pointee.count &+= 1
    }
    unsafe header.pointee.words[2 * index + 1] = value
  }

  /// Where a key is or would be.
  private func place(of key: Int32, _ mask: Int) -> Int {
    var index = start(key, mask)
    while true {
      let found = unsafe header.pointee.words[2 * index]
      if found < 0 || found == key { return index }
      index = (index + 1) & mask
    }
  }

  @usableFromInline
  func removeHashed(_ key: Int32) {
    let words = unsafe header.pointee.words
    let mask = unsafe Int(header.pointee.mask)
    var hole = place(of: key, mask)
    guard unsafe words[2 * hole] >= 0 else { return }
    unsafe header.pointee.count &-= 1
    // What follows moves up if it may: no key stands behind a gap.
    var index = (hole + 1) & mask
    while unsafe words[2 * index] >= 0 {
      let distance = unsafe (index - start(words[2 * index], mask)) & mask
      if distance >= (index - hole) & mask {
        unsafe words[2 * hole] = words[2 * index]
        unsafe words[2 * hole + 1] = words[2 * index + 1]
        hole = index
      }
      index = (index + 1) & mask
    }
    unsafe words[2 * hole] = -1
    unsafe words[2 * hole + 1] = -1
    if mask >= 16, count < mask / 8 { rebuild() }
  }

  /// Hashes the keys of a row.
  private func hash() {
    let old = unsafe header.pointee
    let (first, span) = unsafe (old.first, Int(old.span))
    let words = unsafe old.words
    makePlaces(unsafe Int(old.count) + 1)
    for index in 0..<span where unsafe words[index] >= 0 {
      unsafe enter(first &+ Int32(truncatingIfNeeded: index), words[index])
    }
    unsafe TableMemory.free(words, span * MemoryLayout<Int32>.stride)
  }

  /// Puts hashed keys into a row, or hashes them anew if they lie too far apart for that.
  private func rebuild() {
    let old = unsafe header.pointee
    let (count, places) = unsafe (Int(old.count), Int(old.mask) + 1)
    let words = unsafe old.words
    var (least, greatest) = (Int.max, -1)
    for index in 0..<places where unsafe words[2 * index] >= 0 {
      least = unsafe min(least, Int(words[2 * index]))
      greatest = unsafe max(greatest, Int(words[2 * index]))
    }
    // Closer together than a row has to be, or one more key could undo it.
    if greatest >= 0, greatest - least < 3 * count {
      unsafe header.pointee = unsafe Header(words: words)
      lay(least, NumberMap.length(for: greatest - least + 1))
    } else {
      makePlaces(count + 1)
    }
    for index in 0..<places where unsafe words[2 * index] >= 0 {
      unsafe set(words[2 * index], to: words[2 * index + 1])
    }
    unsafe TableMemory.free(words, 2 * places * MemoryLayout<Int32>.stride)
  }

  /// Begins a hash table that so many keys fill by half at most.
  private func makePlaces(_ count: Int) {
    var places = 4
    while places < 2 * count { places *= 2 }
    let words = unsafe TableMemory.allocate(2 * places * MemoryLayout<Int32>.stride)
      .bindMemory(to: Int32.self, capacity: 2 * places)
    unsafe words.initialize(repeating: -1, count: 2 * places)
    unsafe header.pointee = unsafe Header(words: words)
    unsafe header.pointee.mask = Int32(truncatingIfNeeded: places - 1)
  }
}
