/// A growing table of plain records in memory of its own.
///
/// Made for the inner loops of connections: a record is read and written in place, without
/// reference counting and without a check for exclusive access to the table. Records are addressed
/// by numbers that their owner has given out itself.
@safe
@frozen
package struct FlatTable<Record: BitwiseCopyable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Record>
  @usableFromInline var capacity: Int
  /// How many records there are.
  package private(set) var count: Int

  /// Creates an empty table.
  package init() {
    unsafe base = UnsafeMutablePointer<Record>.allocate(capacity: 8)
    capacity = 8
    count = 0
  }

  deinit { unsafe base.deallocate() }

  /// The record of a number, `0 ..< count`.
  @inlinable
  package subscript(index: Int) -> Record {
    @inline(__always) get {
      assert(index >= 0 && index < capacity)
      return unsafe base[index]
    }
    @inline(__always) nonmutating set {
      assert(index >= 0 && index < capacity)
      unsafe base[index] = newValue
    }
    @inline(__always) nonmutating _modify {
      assert(index >= 0 && index < capacity)
      yield unsafe &base[index]
    }
  }

  /// The record of a number, `0 ..< count`.
  @inlinable
  package subscript(index: Int32) -> Record {
    @inline(__always) get { self[Int(index)] }
    @inline(__always) nonmutating set { self[Int(index)] = newValue }
    @inline(__always) nonmutating _modify { yield &self[Int(index)] }
  }

  /// Adds a record at the end.
  ///
  /// - Complexity: O(1), amortised.
  package mutating func append(_ record: Record) {
    if count == capacity { reserve(count + 1) }
    unsafe (base + count).initialize(to: record)
    count += 1
  }

  /// Makes the table so long that it has a record of a number.
  package mutating func extend(to newCount: Int, with record: Record) {
    guard newCount > count else { return }
    reserve(newCount)
    unsafe (base + count).initialize(repeating: record, count: newCount - count)
    count = newCount
  }

  /// Takes the last record away.
  package mutating func removeLast() -> Record? {
    guard count > 0 else { return nil }
    count -= 1
    return unsafe base[count]
  }

  /// Takes all records away, and gives most of the memory back when there is much of it.
  package mutating func removeAll() {
    count = 0
    if capacity > 65_536 { resize(8) }
  }

  private mutating func reserve(_ needed: Int) {
    guard needed > capacity else { return }
    resize(max(needed, capacity + capacity / 2))
  }

  private mutating func resize(_ newCapacity: Int) {
    let new = UnsafeMutablePointer<Record>.allocate(capacity: newCapacity)
    unsafe new.moveInitialize(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = unsafe new
    capacity = newCapacity
  }
}
