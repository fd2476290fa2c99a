// Texts that a file system, a database or a protocol reads byte by byte.
//
// Swift splits and compares strings by characters, and a sign that combines with its neighbour is one
// character with it: a slash before an accent is no slash then, and a dot after some signs is no dot.

extension StringProtocol {
  /// The parts between the occurrences of a sign of ASCII, whatever stands beside it.
  ///
  /// - Complexity: O(n) in the length of the text.
  @inlinable public func parts(between sign: UInt8, omittingEmpty: Bool = true) -> [String] {
    utf8.split(separator: sign, omittingEmptySubsequences: omittingEmpty)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether the bytes of the text end with those of another one.
  @inlinable public func endsInBytes(of other: String) -> Bool {
    utf8.count >= other.utf8.count && utf8.suffix(other.utf8.count).elementsEqual(other.utf8)
  }

  /// Whether two texts are the same bytes.
  ///
  /// For Swift, strings are equal also when they only look the same, composed or not.
  @inlinable public func hasSameBytes(as other: Self) -> Bool {
    // Equality is quicker, and tells nearly all apart that differ.
    guard utf8.count == other.utf8.count, self == other else { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable {
        unsafe bytes.baseAddress == $0.baseAddress || bytes.elementsEqual($0)
      }
    }
    return isSame.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
  }

  /// Whether the bytes of the text begin with those of another one.
  @inlinable public func beginsWithBytes(of other: String) -> Bool { utf8.starts(with: other.utf8) }

  /// The text with every occurrence of a sign of ASCII replaced, whatever stands beside it.
  @inlinable public func replacing(_ sign: UInt8, with replacement: String) -> String {
    guard utf8.contains(sign) else { return String(self) }
    return parts(between: sign, omittingEmpty: false).joined(separator: replacement)
  }
}
