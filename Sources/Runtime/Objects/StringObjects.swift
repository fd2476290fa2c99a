internal import CTenonPlatform
internal import TenonText

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Strings, symbols and byte arrays in the heap.
extension ObjectRef {
  /// The hash of the bytes: FNV-1a, kept in the object, never 0.
  ///
  /// - Complexity: O(bytes) the first time.
  var bytesHash: UInt32 {
    let known = cachedHash
    if known != 0 { return known }
    var hash: UInt32 = 0x811C_9DC5
    // swift-format-ignore
    for unsafe byte in unsafe bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    if hash == 0 { hash = 1 }
    cachedHash = hash
    return hash
  }

  /// Copies bytes of another object into this one; both may be the same.
  ///
  /// - Requires: both ranges lie within their objects.
  func copyBytes(from other: ObjectRef, start: Int, count: Int, at target: Int) {
    assert(start >= 0 && count >= 0 && start + count <= other.byteCount)
    assert(target >= 0 && target + count <= byteCount)
    guard count > 0, let source = unsafe other.bytes.baseAddress,
      let destination = unsafe bytes.baseAddress
    else { return }
    unsafe memmove(destination + target, source + start, count)
  }

  /// Whether two objects hold the same bytes.
  func hasSameBytes(as other: ObjectRef) -> Bool {
    if self == other { return true }
    let count = byteCount
    guard count == other.byteCount else { return false }
    let mine = cachedHash
    let others = other.cachedHash
    if mine != 0, others != 0, mine != others { return false }
    guard count > 0, let left = unsafe bytes.baseAddress,
      let right = unsafe other.bytes.baseAddress
    else { return true }
    return unsafe memcmp(left, right, count) == 0
  }

  /// The bytes of a byte array; nil for any other value.
  static func bytes(ofByteArray value: Value) -> [UInt8]? {
    value.isObject(ofClass: ClassIndex.byteArray) ? unsafe Array(ObjectRef(value).bytes) : nil
  }
}

extension ObjectRef {
  /// The bytes of a string, for what reads texts and knows nothing of objects.
  ///
  /// Objects do not move; who keeps this sees to it that the string lives.
  @inline(__always)
  var utf8: UTF8Bytes {
    unsafe UTF8Bytes(borrowing: UnsafeRawBufferPointer(bytes))
  }

  /// The character that begins at a byte offset of a string.
  func scalar(at start: Int) -> Unicode.Scalar { utf8.scalar(at: start) }

  /// Notes whether a string that was just filled has bytes outside ASCII.
  func recordEncoding() {
    flags = flags & ~ObjectFlag.notASCII
    if unsafe !bytes.allSatisfy({ $0 < 0x80 }) { flags |= ObjectFlag.notASCII }
  }

  /// Whether another string's bytes stand at an offset of this one.
  func matches(_ other: ObjectRef, at offset: Int) -> Bool {
    let count = other.byteCount
    guard offset >= 0, offset + count <= byteCount else { return false }
    for index in 0..<count where self[byte: offset + index] != other[byte: index] {
      return false
    }
    return true
  }

  /// The first byte offset, from one on, where another string's bytes stand.
  ///
  /// - Complexity: O(bytes).
  func firstOffset(of other: ObjectRef, from start: Int) -> Int? {
    let count = other.byteCount
    guard count > 0 else { return start <= byteCount ? start : nil }
    guard start < byteCount, let text = unsafe bytes.baseAddress,
      let part = unsafe other.bytes.baseAddress
    else { return nil }
    let found = unsafe tenon_memmem(text + start, byteCount - start, part, count)
    return unsafe found.map { unsafe $0 - UnsafeRawPointer(text) }
  }

  /// Whether the bytes come before another string's; for UTF-8 this is the order of code points.
  func precedes(_ other: ObjectRef) -> Bool {
    let common = min(byteCount, other.byteCount)
    for index in 0..<common where self[byte: index] != other[byte: index] {
      return self[byte: index] < other[byte: index]
    }
    return byteCount < other.byteCount
  }
}
