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
}
