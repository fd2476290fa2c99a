internal import TenonText

/// What tells one state of a resource from another: equal bytes have equal tags.
///
/// A store that keeps bytes takes the tag of them; a store on another machine has tags of its own.
public struct EntityTag: Sendable, Hashable {
  /// The tag as a text, without quotes.
  public let text: String

  /// Creates a tag that a store has made up.
  public init(_ text: String) {
    self.text = text
  }

  /// Creates the tag of bytes: half of their SHA-256, in hexadecimal digits.
  ///
  /// Half of it, 128 bits, is more than enough against accidents, and no place needs to withstand
  /// a forger who may write to it anyway.
  ///
  /// - Complexity: O(n).
  public init(of bytes: [UInt8]) {
    self.init(SHA256.digest(of: bytes).prefix(16).hexadecimal)
  }
}

extension Sequence where Element == UInt8 {
  /// Two digits for each byte.
  fileprivate var hexadecimal: String {
    var digits: [UInt8] = []
    for byte in self {
      digits.append(ASCII.hexDigit(byte >> 4))
      digits.append(ASCII.hexDigit(byte & 15))
    }
    return String(decoding: digits, as: UTF8.self)
  }
}

extension EntityTag: CustomStringConvertible {
  /// The tag as a text.
  public var description: String { text }
}
