/// A text that is equal to another when their bytes are.
///
/// Two strings of Swift are equal also when they only look the same; but names of files and of
/// variables that differ in a byte are different places.
@frozen
public struct ExactText: Hashable, Comparable, Sendable {
  /// The text.
  public let text: String

  /// Creates what compares a text by its bytes.
  @inlinable
  public init(_ text: String) {
    self.text = text
  }

  /// Whether both are the same bytes.
  @inlinable
  public static func == (left: ExactText, right: ExactText) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  /// Hashes the text.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }

  /// Whether the bytes of one come before those of another.
  @inlinable
  public static func < (left: ExactText, right: ExactText) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

extension Dictionary where Key == ExactText {
  /// The value of a text, whose bytes count.
  @inlinable
  public subscript(text: String) -> Value? {
    get { self[ExactText(text)] }
    _modify { yield &self[ExactText(text)] }
  }

  /// The value of a text, or another one where there is none.
  @inlinable
  public subscript(text: String, default value: @autoclosure () -> Value) -> Value {
    get { self[ExactText(text), default: value()] }
    _modify { yield &self[ExactText(text), default: value()] }
  }
}
