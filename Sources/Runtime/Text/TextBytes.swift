// Texts that a file system, a database or a protocol reads byte by byte.
//
// Swift splits and compares strings by characters, and a sign that combines with its neighbour is one
// character with it: a slash before an accent is no slash then, and a dot after some signs is no dot.

extension StringProtocol {
  /// The parts between the occurrences of a sign of ASCII, whatever stands beside it.
  ///
  /// - Complexity: O(n) in the length of the text.
  package func parts(between sign: UInt8, omittingEmpty: Bool = true) -> [String] {
    utf8.split(separator: sign, omittingEmptySubsequences: omittingEmpty)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether the bytes of the text end with those of another one.
  package func endsInBytes(of other: String) -> Bool {
    utf8.count >= other.utf8.count && utf8.suffix(other.utf8.count).elementsEqual(other.utf8)
  }

  /// Whether two texts are the same bytes.
  ///
  /// For Swift, strings are equal also when they only look the same, composed or not.
  package func hasSameBytes(as other: Self) -> Bool {
    // Equality is quicker, and tells nearly all apart that differ.
    utf8.count == other.utf8.count && self == other && utf8.elementsEqual(other.utf8)
  }

  /// Whether the bytes of the text begin with those of another one.
  package func beginsWithBytes(of other: String) -> Bool { utf8.starts(with: other.utf8) }

  /// The text with every occurrence of a sign of ASCII replaced, whatever stands beside it.
  package func replacing(_ sign: UInt8, with replacement: String) -> String {
    guard utf8.contains(sign) else { return String(self) }
    return parts(between: sign, omittingEmpty: false).joined(separator: replacement)
  }
}

/// A text that is equal to another when their bytes are.
///
/// Two strings of Swift are equal also when they only look the same; but names of files and of
/// variables that differ in a byte are different places.
package struct ExactText: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package static func == (left: ExactText, right: ExactText) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }

  package static func < (left: ExactText, right: ExactText) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

extension Dictionary where Key == ExactText {
  /// The value of a text, whose bytes count.
  package subscript(text: String) -> Value? {
    get { self[ExactText(text)] }
    _modify { yield &self[ExactText(text)] }
  }

  /// The value of a text, or another one where there is none.
  package subscript(text: String, default value: @autoclosure () -> Value) -> Value {
    get { self[ExactText(text), default: value()] }
    _modify { yield &self[ExactText(text), default: value()] }
  }
}
