#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Bionic)
  internal import Bionic
#else
  internal import Darwin
#endif

/// Memory that tables grow in.
///
/// It comes from the allocator of C, which extends large pieces where they are or has the system
/// move their pages: a large table is not copied when it grows, so that it may grow in small steps.
@safe
@usableFromInline
enum TableMemory {
  /// From so many bytes on a table grows by an eighth, below by a half.
  private static let large = 64 << 10
  /// From so many bytes on it grows by a sixteenth: pages are moved then, and no bytes.
  private static let huge = 1 << 20
  /// From so many bytes on a table begins with a cache line.
  ///
  /// Records of a power of two in size do not lie across two of them then. The word before the table
  /// tells where the allocation begins.
  private static let spacious = 4096
  private static let line = 64

  /// How many records of a size to have memory for, if room for some more than now is wanted.
  static func capacity(for needed: Int, growingFrom capacity: Int, stride: Int) -> Int {
    let least = capacity == 0 ? max(2, 64 / stride) : 0
    let size = capacity * stride
    let step = size < large ? capacity / 2 : size < huge ? capacity / 8 : capacity / 16
    return max(needed, capacity + step, least)
  }

  /// Memory for some bytes.
  static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
    if size < spacious { return unsafe checked(malloc(max(1, size))) }
    let block = unsafe checked(malloc(size + line))
    let memory = unsafe aligned(block)
    unsafe note(start: block, of: memory)
    return unsafe memory
  }

  /// Gives memory of some bytes another size; what is `used` of it stays.
  static func resize(
    _ old: UnsafeMutableRawPointer, used: Int, from oldSize: Int, to size: Int
  ) -> UnsafeMutableRawPointer {
    if oldSize < spacious, size < spacious { return unsafe checked(realloc(old, max(1, size))) }
    guard oldSize >= spacious, size >= spacious else {
      let new = unsafe allocate(size)
      unsafe new.copyMemory(from: old, byteCount: used)
      unsafe free(old, oldSize)
      return unsafe new
    }
    let block = unsafe start(of: old)
    let offset = unsafe old - block
    let moved = unsafe checked(realloc(block, size + line))
    // The allocator promises less than a cache line: what it moved may stand elsewhere in it.
    let new = unsafe aligned(moved)
    if unsafe new != moved + offset { unsafe memmove(new, moved + offset, used) }
    unsafe note(start: moved, of: new)
    return unsafe new
  }

  /// Gives memory of some bytes back.
  @usableFromInline
  static func free(_ memory: UnsafeMutableRawPointer, _ size: Int) {
    if size < spacious {
      unsafe deallocate(memory)
    } else {
      unsafe deallocate(start(of: memory))
    }
  }

  private static func deallocate(_ block: UnsafeMutableRawPointer) {
    #if canImport(Glibc)
      unsafe Glibc.free(block)
    #elseif canImport(Musl)
      unsafe Musl.free(block)
    #elseif canImport(Bionic)
      unsafe Bionic.free(block)
    #else
      unsafe Darwin.free(block)
    #endif
  }

  private static func aligned(_ block: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    unsafe (block + 1).alignedUp(toMultipleOf: line)
  }

  private static func note(start: UnsafeMutableRawPointer, of memory: UnsafeMutableRawPointer) {
    unsafe (memory - MemoryLayout<Int>.size)
      .storeBytes(of: start, as: UnsafeMutableRawPointer.self)
  }

  private static func start(of memory: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    unsafe (memory - MemoryLayout<Int>.size).load(as: UnsafeMutableRawPointer.self)
  }

  /// Traps where the system has no memory, as the allocator of Swift does.
  ///
  /// A script does not get there: the graph tells the heap what cells and formulas take, and at the
  /// limit of the interpreter the script gets an OutOfMemory that it can handle.
  private static func checked(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    guard let memory = unsafe memory else { preconditionFailure("the system has no memory left") }
    return unsafe memory
  }
}
