/// A half-open range of UTF-8 offsets in a source text.
///
/// Offsets count bytes from the start of the text, `0 ..< bytes.count`; a range of one text means
/// nothing in another.
public struct SourceRange: Sendable, Hashable {
  /// The offset of the first byte.
  public let start: Int32
  /// The offset after the last byte, `start ...`.
  public let end: Int32

  /// Creates the range from `start` up to, but not including, `end`.
  ///
  /// An `end` before `start` gives an empty range at `start`.
  public init(_ start: Int32, _ end: Int32) {
    self.start = start
    self.end = Swift.max(start, end)
  }

  /// Creates the range from `start` up to, but not including, `end`, both clamped to 32 bits.
  public init(_ start: Int, _ end: Int) {
    self.init(Int32(clamping: start), Int32(clamping: end))
  }

  /// Returns the smallest range that covers this one and `other`.
  public func union(_ other: SourceRange) -> SourceRange {
    SourceRange(Swift.min(start, other.start), Swift.max(end, other.end))
  }

  /// Returns the empty range after this one.
  public var endPoint: SourceRange { SourceRange(end, end) }

  /// A range for syntax that stands in no text, as made by a program.
  public static let none = SourceRange(0 as Int32, 0 as Int32)
}
