/// A growing table of records that may refer to objects, in pages that stay where they are.
///
/// It has hardly more room than it needs, and growing copies nothing. A record is changed in place,
/// without a check for exclusive access to the table. Records are addressed by numbers that their
/// owner has given out itself.
@safe
@frozen
public struct PagedTable<Record>: ~Copyable {
  /// Where the records are.
  @unsafe
  @usableFromInline
  struct Header {
    @usableFromInline var pages: [UnsafeMutablePointer<Record>] = unsafe []
    @usableFromInline var count = 0

    @usableFromInline
    init() {}
  }

  @usableFromInline let header: UnsafeMutablePointer<Header>

  @inlinable static var shift: Int { 8 }
  /// How many records there are in a page.
  @inlinable static var pageSize: Int { 1 << shift }

  /// Creates an empty table.
  @inlinable
  public init() {
    unsafe header = UnsafeMutablePointer<Header>.allocate(capacity: 1)
    unsafe header.initialize(to: Header())
  }

  @inlinable
  deinit {
    var left = count
    unsafe header.pointee.pages.forEach { page in
      unsafe page.deinitialize(count: min(left, Self.pageSize))
      unsafe page.deallocate()
      left -= Self.pageSize
    }
    unsafe header.deinitialize(count: 1)
    unsafe header.deallocate()
  }

  /// How many records there are.
  @inlinable public var count: Int { unsafe header.pointee.count }

  /// The numbers of the records.
  @inlinable public var indices: Range<Int32> { 0..<Int32(clamping: count) }

  @inlinable
  @inline(__always)
  func address(of index: Int) -> UnsafeMutablePointer<Record> {
    assert(index >= 0 && index < count)
    return unsafe header.pointee.pages[index >> Self.shift] + (index & (Self.pageSize - 1))
  }

  /// The record of a number, `0 ..< count`.
  @inlinable
  public subscript(index: Int) -> Record {
    @inline(__always) _read { yield unsafe address(of: index).pointee }
    @inline(__always) nonmutating _modify { yield unsafe &address(of: index).pointee }
  }

  /// The record of a number, `0 ..< count`.
  @inlinable
  public subscript(index: Int32) -> Record {
    @inline(__always) _read { yield self[Int(index)] }
    @inline(__always) nonmutating _modify { yield &self[Int(index)] }
  }

  /// Adds a record at the end.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func append(_ record: Record) {
    let count = unsafe header.pointee.count
    if count & (Self.pageSize - 1) == 0 {
      unsafe header.pointee.pages.append(.allocate(capacity: Self.pageSize))
    }
    unsafe header.pointee.count = count + 1
    unsafe address(of: count).initialize(to: record)
  }
}
