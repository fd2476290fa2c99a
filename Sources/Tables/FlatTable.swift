/// A growing table of plain records in memory of its own.
///
/// Made for the inner loops of connections: a record is read and written in place, without
/// reference counting and without a check for exclusive access to the table, which is held as a
/// constant. Records are addressed by numbers that their owner has given out itself.
///
/// A table takes no memory for records before it has one. It grows by a half while it is small, by
/// an eighth when it is large, and by a sixteenth when that is much.
@safe
@frozen
public struct FlatTable<Record: BitwiseCopyable>: ~Copyable {
  /// Where the records are.
  @unsafe
  @usableFromInline
  struct Header {
    @usableFromInline var base: UnsafeMutablePointer<Record>
    @usableFromInline var count: Int
    @usableFromInline var capacity: Int

    @usableFromInline
    init(base: UnsafeMutablePointer<Record>) {
      unsafe self.base = unsafe base
      unsafe count = 0
      unsafe capacity = 0
    }
  }

  @usableFromInline let header: UnsafeMutablePointer<Header>

  /// Creates an empty table, which has no memory for records yet.
  @inlinable
  public init() {
    unsafe header = UnsafeMutablePointer<Header>.allocate(capacity: 1)
    // Nothing is read or written there before there is a record.
    let nowhere = unsafe UnsafeMutableRawPointer(header).assumingMemoryBound(to: Record.self)
    unsafe header.initialize(to: Header(base: nowhere))
  }

  @inlinable
  deinit {
    if unsafe header.pointee.capacity > 0 {
      unsafe TableMemory.free(
        header.pointee.base, header.pointee.capacity * MemoryLayout<Record>.stride)
    }
    unsafe header.deallocate()
  }

  /// How many records there are.
  @inlinable public var count: Int {
    @inline(__always) get { unsafe header.pointee.count }
  }

  /// Whether there is none.
  @inlinable public var isEmpty: Bool {
    @inline(__always) get { unsafe header.pointee.count == 0 }
  }

  /// For how many records there is memory.
  public var capacity: Int { unsafe header.pointee.capacity }

  /// The record of a number, `0 ..< count`.
  @inlinable
  public subscript(index: Int) -> Record {
    @inline(__always) get {
      assert(index >= 0 && index < count)
      return unsafe header.pointee.base[index]
    }
    @inline(__always) nonmutating set {
      assert(index >= 0 && index < count)
      unsafe header.pointee.base[index] = newValue
    }
    @inline(__always) nonmutating _modify {
      assert(index >= 0 && index < count)
      yield unsafe &header.pointee.base[index]
    }
  }

  /// The record of a number, `0 ..< count`.
  @inlinable
  public subscript(index: Int32) -> Record {
    @inline(__always) get {
      assert(index >= 0 && index < count)
      return unsafe header.pointee.base[Int(index)]
    }
    @inline(__always) nonmutating set {
      assert(index >= 0 && index < count)
      unsafe header.pointee.base[Int(index)] = newValue
    }
    @inline(__always) nonmutating _modify {
      assert(index >= 0 && index < count)
      yield unsafe &header.pointee.base[Int(index)]
    }
  }

  /// Whether there is memory for one record more.
  @inlinable public var hasRoom: Bool {
    @inline(__always) get { unsafe header.pointee.count != header.pointee.capacity }
  }

  /// Adds a record at the end, where `hasRoom` says that there is memory for it.
  @inlinable
  @inline(__always)
  public func appendWithinCapacity(_ record: Record) {
    assert(hasRoom)
    unsafe header.pointee.base[header.pointee.count] = record
    unsafe header.pointee.count &+= 1
  }

  /// Adds a record at the end.
  ///
  /// - Complexity: O(1), amortised.
  @inlinable
  @inline(__always)
  public func append(_ record: Record) {
    if unsafe header.pointee.count == header.pointee.capacity { reserve(count + 1) }
    unsafe header.pointee.base[header.pointee.count] = record
    unsafe header.pointee.count &+= 1
  }

  /// Takes the last record out; nil when there is none.
  @inlinable
  public func popLast() -> Record? {
    guard count > 0 else { return nil }
    unsafe header.pointee.count &-= 1
    return unsafe header.pointee.base[header.pointee.count]
  }

  /// Takes the last records away, so that at most so many are left.
  @inlinable
  @inline(__always)
  public func shorten(to newCount: Int) {
    if newCount < count { unsafe header.pointee.count = max(0, newCount) }
  }

  /// Makes room for so many records more.
  ///
  /// - Returns: Where they go, as long as the table is left alone; `extendReserved` takes them in.
  @unsafe
  @discardableResult
  public func reserveMore(_ number: Int) -> UnsafeMutablePointer<Record> {
    reserve(count + number)
    return unsafe header.pointee.base + count
  }

  /// Takes so many records in as have been written where room was made for them.
  public func extendReserved(by number: Int) {
    unsafe assert(number >= 0 && header.pointee.count + number <= header.pointee.capacity)
    unsafe header.pointee.count += number
  }

  /// Makes the table so long that it has a record of a number.
  public func extend(to newCount: Int, with record: Record) {
    guard newCount > count else { return }
    reserve(newCount)
    unsafe (header.pointee.base + count).initialize(repeating: record, count: newCount - count)
    unsafe header.pointee.count = newCount
  }

  /// Takes all records away.
  ///
  /// Memory that is much and was mostly unused is given back by halves: a table that is filled again
  /// and again keeps what it needs, so that the system does not have to clear it each time.
  @inlinable
  @inline(__always)
  public func removeAll() {
    if unsafe header.pointee.capacity > 65_536 { shrink() }
    unsafe header.pointee.count = 0
  }

  @usableFromInline
  func shrink() {
    let capacity = unsafe header.pointee.capacity
    guard count < capacity / 8 else { return }
    unsafe header.pointee.count = 0
    resize(capacity / 2)
  }

  /// Where a record stands as long as the table does not grow, for several accesses in a row.
  @inlinable
  @unsafe
  @inline(__always)
  public func address(of index: Int32) -> UnsafeMutablePointer<Record> {
    assert(index >= 0 && index < count)
    return unsafe header.pointee.base + Int(index)
  }

  /// Takes the first records away; the others move up.
  public func removeFirst(_ number: Int) {
    let rest = max(0, count - number)
    if rest == 0 {
      removeAll()
      return
    }
    unsafe header.pointee.base.update(from: header.pointee.base + number, count: rest)
    unsafe header.pointee.count = rest
  }

  /// Exchanges the records with those of another table.
  public func exchange(with other: borrowing FlatTable) {
    unsafe swap(&header.pointee, &other.header.pointee)
  }

  @usableFromInline
  func reserve(_ needed: Int) {
    let capacity = unsafe header.pointee.capacity
    guard needed > capacity else { return }
    resize(
      TableMemory.capacity(
        for: needed, growingFrom: capacity, stride: MemoryLayout<Record>.stride))
  }

  private static func size(_ capacity: Int) -> Int { capacity * MemoryLayout<Record>.stride }

  private func resize(_ newCapacity: Int) {
    let (count, capacity) = unsafe (header.pointee.count, header.pointee.capacity)
    let memory =
      if capacity == 0 {
        unsafe TableMemory.allocate(FlatTable.size(newCapacity))
      } else {
        unsafe TableMemory.resize(
          header.pointee.base, used: FlatTable.size(min(count, newCapacity)),
          from: FlatTable.size(capacity), to: FlatTable.size(newCapacity))
      }
    unsafe header.pointee.base = memory.bindMemory(to: Record.self, capacity: newCapacity)
    unsafe header.pointee.capacity = newCapacity
  }
}
