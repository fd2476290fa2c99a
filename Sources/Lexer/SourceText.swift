/// The text of one script or of one line typed at the prompt, with the name errors call it by.
///
/// A text is immutable and may be shared between threads. It holds whatever bytes it was given:
/// the lexer reports what is not UTF-8.
public final class SourceText: Sendable {
  /// The name that stands before line and column in messages: a path, `<stdin>`, `<eval>`.
  public let name: String
  /// The text in UTF-8.
  public let bytes: ContiguousArray<UInt8>

  /// Creates a text from bytes that should be, but need not be, UTF-8.
  public init(name: String, bytes: ContiguousArray<UInt8>) {
    self.name = name
    self.bytes = bytes
  }

  /// Creates a text from a string.
  public convenience init(name: String, _ string: String) {
    self.init(name: name, bytes: ContiguousArray(string.utf8))
  }

  /// A place in a text as people count it.
  public struct Location: Sendable, Hashable {
    /// The line, counted from 1.
    public let line: Int
    /// The column in Unicode scalars, counted from 1.
    public let column: Int
  }

  /// Returns line and column of a UTF-8 offset; an offset behind the end is taken for the end.
  ///
  /// - Complexity: O(*offset*).
  public func location(of offset: Int32) -> Location {
    let limit = Swift.min(Int(offset), bytes.count)
    var line = 1
    var column = 1
    var index = 0
    while index < limit {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte == UInt8(ascii: "\r") {
        if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\n") {
          // The line feed that follows counts the line.
        } else {
          line += 1
          column = 1
        }
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
      index += 1
    }
    return Location(line: line, column: column)
  }

  /// Returns the text of a range; bytes that are not UTF-8 come out as U+FFFD.
  public func text(in range: SourceRange) -> String {
    let start = Swift.max(0, Swift.min(Int(range.start), bytes.count))
    let end = Swift.max(start, Swift.min(Int(range.end), bytes.count))
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }
}
