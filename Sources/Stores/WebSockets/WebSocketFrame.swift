/// A frame of a web socket, the unit in which messages travel: RFC 6455, section 5.
///
/// Extensions are none of its concern: a frame whose reserved bits are set is refused.
struct WebSocketFrame: Equatable, Sendable {
  /// The kinds that the RFC defines, by their numbers.
  enum Kind: UInt8, CaseIterable, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    /// Whether it speaks of the connection, and may stand between the parts of a message.
    var isControl: Bool { rawValue >= 8 }
  }

  let kind: Kind
  /// Whether it is the last part of its message.
  let isFinal: Bool
  let payload: [UInt8]

  /// The most bytes of one that is a control frame.
  static let mostControlBytes = 125

  init(_ kind: Kind, _ payload: [UInt8] = [], isFinal: Bool = true) {
    self.kind = kind
    self.isFinal = isFinal
    self.payload = payload
  }

  /// The frame that ends a connection.
  static func close(_ code: Int?, _ reason: String = "") -> WebSocketFrame {
    guard let code else { return WebSocketFrame(.close) }
    // A reason is cut between characters.
    var text = ""
    for character in reason {
      guard text.utf8.count + character.utf8.count <= mostControlBytes - 2 else { break }
      text.append(character)
    }
    let number = UInt16(truncatingIfNeeded: code)
    return WebSocketFrame(
      .close,
      [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)] + Array(text.utf8)
    )
  }

  /// Writes the frame.
  ///
  /// - Parameter mask: The key of a client's frame, which has to be a new one for each; nil for a server's.
  /// - Returns: Its bytes.
  /// - Complexity: O(n) in the size of the payload.
  func encoded(mask: UInt32?) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(payload.count + 14)
    bytes.append((isFinal ? 0x80 : 0) | kind.rawValue)
    let masked: UInt8 = mask == nil ? 0 : 0x80
    func append(_ number: Int, bytes count: Int) {
      for shift in (0..<count).reversed() {
        bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift)))
      }
    }
    switch payload.count {
    case ...125: bytes.append(masked | UInt8(payload.count))
    case ...0xFFFF:
      bytes.append(masked | 126)
      append(payload.count, bytes: 2)
    default:
      bytes.append(masked | 127)
      append(payload.count, bytes: 8)
    }
    guard let mask else { return bytes + payload }
    append(Int(mask), bytes: 4)
    let start = bytes.count
    bytes += payload
    WebSocketFrame.apply(Array(bytes[start - 4..<start]), to: &bytes, from: start)
    return bytes
  }

  /// Masks bytes from an index on, or takes the mask off.
  static func apply(_ key: [UInt8], to bytes: inout [UInt8], from start: Int) {
    for index in start..<bytes.count { bytes[index] ^= key[(index - start) & 3] }
  }
}

/// What is wrong with what the other side has sent.
struct WebSocketFailure: Error, Equatable {
  /// The code that the connection is ended with: RFC 6455, section 7.4.1.
  let code: Int
  /// What is wrong: lower case, no full stop.
  let reason: String

  static func notProtocol(_ reason: String) -> WebSocketFailure {
    WebSocketFailure(code: 1002, reason: reason)
  }

  static func notText() -> WebSocketFailure {
    WebSocketFailure(code: 1007, reason: "a text of the server is not UTF-8")
  }

  static func tooLarge(_ limit: Int) -> WebSocketFailure {
    WebSocketFailure(code: 1009, reason: "a message has more than \(limit) bytes")
  }
}

/// Finds frames in bytes as they come.
struct WebSocketFrameReader {
  private var bytes: [UInt8] = []
  private var start = 0
  /// The most bytes of a payload.
  private let limit: Int
  /// Whether frames are those of a client, which have masks, and not those of a server, which have none.
  private let expectsMasks: Bool

  init(limit: Int, expectsMasks: Bool = false) {
    self.limit = limit
    self.expectsMasks = expectsMasks
  }

  /// Takes bytes that have come.
  mutating func take(_ more: [UInt8]) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += more
  }

  /// The next frame; nil when it has not come as a whole.
  ///
  /// - Throws: `WebSocketFailure` for what is no frame, as soon as that can be seen.
  mutating func next() throws(WebSocketFailure) -> WebSocketFrame? {
    let left = bytes.count - start
    guard left >= 2 else { return nil }
    let first = bytes[start]
    let second = bytes[start + 1]
    guard first & 0x70 == 0 else { throw .notProtocol("a frame has reserved bits") }
    guard let kind = WebSocketFrame.Kind(rawValue: first & 0x0F) else {
      throw .notProtocol("a frame is of the unknown kind \(first & 0x0F)")
    }
    let isFinal = first & 0x80 != 0
    guard (second & 0x80 != 0) == expectsMasks else {
      throw .notProtocol(expectsMasks ? "a frame has no mask" : "a frame has a mask")
    }
    let short = Int(second & 0x7F)
    if kind.isControl {
      guard isFinal else { throw .notProtocol("a control frame is in parts") }
      guard short <= WebSocketFrame.mostControlBytes else {
        throw .notProtocol("a control frame is too long")
      }
    }
    guard let (size, head) = try size(short, left) else { return nil }
    let payloadStart = start + head + (expectsMasks ? 4 : 0)
    guard bytes.count - payloadStart >= size else { return nil }
    var payload = Array(bytes[payloadStart..<payloadStart + size])
    if expectsMasks {
      WebSocketFrame.apply(
        Array(bytes[payloadStart - 4..<payloadStart]), to: &payload, from: 0)
    }
    start = payloadStart + size
    return WebSocketFrame(kind, payload, isFinal: isFinal)
  }

  /// The size of a payload, and how many bytes stand before the mask; nil when they have not come.
  private func size(
    _ short: Int, _ left: Int
  ) throws(WebSocketFailure) -> (size: Int, head: Int)? {
    let count = short == 126 ? 2 : short == 127 ? 8 : 0
    guard left >= 2 + count else { return nil }
    var size = UInt64(count == 0 ? short : 0)
    for byte in bytes[start + 2..<start + 2 + count] { size = size << 8 | UInt64(byte) }
    guard count == 0 || size > (count == 2 ? 125 : 0xFFFF) else {
      throw .notProtocol("a frame's size is not written in the shortest way")
    }
    guard size <= UInt64(limit) else {
      throw size >> 63 == 0 ? .tooLarge(limit) : .notProtocol("a frame's size is none")
    }
    return (Int(size), 2 + count)
  }
}
