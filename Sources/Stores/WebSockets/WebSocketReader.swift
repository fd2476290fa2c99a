/// A message of a web socket.
enum WebSocketMessage: Equatable, Sendable {
  case text([UInt8])
  case bytes([UInt8])

  /// How many bytes it has.
  var count: Int {
    switch self {
    case .text(let bytes), .bytes(let bytes): bytes.count
    }
  }
}

/// Puts the messages of a server together from frames, and finds what stands between them.
struct WebSocketReader {
  /// What has come.
  enum Event: Equatable {
    case message(WebSocketMessage)
    /// A question whether anybody is there; the answer has the same bytes.
    case ping([UInt8])
    case pong([UInt8])
    /// The server says no more, and why.
    case close(code: Int?, reason: String)
  }

  private var frames: WebSocketFrameReader
  /// The parts of a message that have come, and whether it is a text; nil between messages.
  private var parts: (bytes: [UInt8], isText: Bool)?
  private var isOver = false
  private let limit: Int

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - limit: The most bytes of a message.
  ///   - expectsMasks: Whether what comes is from a client.
  init(limit: Int, expectsMasks: Bool = false) {
    self.limit = limit
    // A limit of messages below it leaves control frames alone.
    frames = WebSocketFrameReader(
      limit: max(limit, WebSocketFrame.mostControlBytes), expectsMasks: expectsMasks)
  }

  /// Takes bytes that have come.
  mutating func take(_ bytes: [UInt8]) { frames.take(bytes) }

  /// What has come next; nil when it has not come as a whole, and after a close.
  ///
  /// - Throws: `WebSocketFailure` for what the protocol does not allow.
  mutating func next() throws(WebSocketFailure) -> Event? {
    while !isOver, let frame = try frames.next() {
      switch frame.kind {
      case .ping: return .ping(frame.payload)
      case .pong: return .pong(frame.payload)
      case .close:
        isOver = true
        return try WebSocketReader.close(frame.payload)
      case .text, .binary:
        guard parts == nil else { throw .notProtocol("a message begins within another one") }
        parts = ([], frame.kind == .text)
      case .continuation:
        guard parts != nil else { throw .notProtocol("a message goes on that has not begun") }
      }
      if let message = try add(frame) { return .message(message) }
    }
    return nil
  }

  /// Adds a part; the message if it is the last one.
  private mutating func add(_ frame: WebSocketFrame) throws(WebSocketFailure) -> WebSocketMessage? {
    guard let (begun, isText) = parts else { return nil }
    var bytes = begun
    guard frame.payload.count <= limit - bytes.count else { throw .tooLarge(limit) }
    // Nothing else holds the bytes, so that they are not copied for each part.
    parts = nil
    bytes += frame.payload
    guard frame.isFinal else {
      parts = (bytes, isText)
      return nil
    }
    guard isText else { return .bytes(bytes) }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .notText() }
    return .text(bytes)
  }

  private static func close(_ payload: [UInt8]) throws(WebSocketFailure) -> Event {
    guard !payload.isEmpty else { return .close(code: nil, reason: "") }
    guard payload.count >= 2 else { throw .notProtocol("a close has half a code") }
    let code = Int(payload[0]) << 8 | Int(payload[1])
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: break
    default: throw .notProtocol("a close has the code \(code)")
    }
    guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .notText() }
    return .close(code: code, reason: reason)
  }
}
