/// The bytes of a text in UTF-8 that somebody else keeps where they are, for as long as they are read.
///
/// Offsets are in bytes. What is read must be UTF-8; of other bytes the answers are arbitrary, and only
/// bytes of the text are read.
@safe @frozen
public struct UTF8Bytes {
  @usableFromInline let start: UnsafePointer<UInt8>?
  /// How many bytes there are.
  public let count: Int

  /// Creates what reads bytes that stay where they are.
  ///
  /// - Requires: The memory outlives all uses.
  @unsafe @inlinable @inline(__always)
  public init(borrowing bytes: UnsafeRawBufferPointer) {
    unsafe start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    count = bytes.count
  }

  /// The byte at an offset below `count`.
  @inlinable @inline(__always)
  public subscript(offset: Int) -> UInt8 {
    assert(offset >= 0 && offset < count)
    return unsafe start.unsafelyUnwrapped[offset]
  }

  /// The bytes, in memory of their own.
  package var copy: [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }

  /// Whether they are these bytes.
  package func isEqual(to other: [UInt8]) -> Bool {
    unsafe UnsafeBufferPointer(start: start, count: count).elementsEqual(other)
  }

  /// Where bytes stop to be UTF-8; nil when all are.
  ///
  /// - Complexity: O(n).
  package static func firstInvalidOffset(of bytes: UnsafeRawBufferPointer) -> Int? {
    if unsafe String(validating: bytes, as: UTF8.self) != nil { return nil }
    var decoder = UTF8()
    var iterator = unsafe bytes.makeIterator()
    var offset = 0
    while true {
      switch unsafe decoder.decode(&iterator) {
      case .scalarValue(let scalar): offset += UTF8.width(scalar)
      case .emptyInput, .error: return offset
      }
    }
  }

  /// The character that begins at an offset.
  @inlinable
  public func scalar(at start: Int) -> Unicode.Scalar {
    let first = self[start]
    if first < 0x80 { return Unicode.Scalar(first) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    var code = UInt32(first) & (0x7F >> UInt32(length))
    for index in 1..<length where start + index < count {
      code = code << 6 | UInt32(self[start + index] & 0x3F)
    }
    return Unicode.Scalar(code) ?? "\u{FFFD}"
  }

  /// The offset of the character behind the one that begins at an offset.
  @inlinable
  public func nextOffset(after offset: Int) -> Int {
    var next = offset + 1
    while next < count, self[next] & 0xC0 == 0x80 { next += 1 }
    return next
  }

  /// The offset of the character that ends before an offset.
  @inlinable
  public func previousOffset(before offset: Int) -> Int {
    var previous = offset - 1
    while previous > 0, self[previous] & 0xC0 == 0x80 { previous -= 1 }
    return previous
  }
}
