import Testing

@testable import TenonStores

/// Frames and the messages that are put together from them: RFC 6455, sections 5 to 8.
@Suite struct WebSocketFrameTests {
  /// What a reader finds in bytes that come in pieces of any size.
  func events(
    _ bytes: [UInt8], limit: Int = 1 << 20, masked: Bool = false,
    pieces: inout SeededRandom
  ) throws -> [WebSocketReader.Event] {
    var reader = WebSocketReader(limit: limit, expectsMasks: masked)
    var rest = bytes[...]
    var found: [WebSocketReader.Event] = []
    while !rest.isEmpty {
      let count = Int.random(in: 1...max(1, rest.count / 3), using: &pieces)
      reader.take(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
      while let event = try reader.next() { found.append(event) }
    }
    return found
  }

  func events(_ bytes: [UInt8], limit: Int = 1 << 20) throws -> [WebSocketReader.Event] {
    var random = SeededRandom(1)
    return try events(bytes, limit: limit, pieces: &random)
  }

  /// The code with which bytes are refused.
  func refusal(_ bytes: [UInt8], limit: Int = 1 << 20) -> Int? {
    do {
      _ = try events(bytes, limit: limit)
      return nil
    } catch {
      return (error as? WebSocketFailure)?.code
    }
  }

  // MARK: What the RFC shows

  @Test func theExamplesOfTheRFC() throws {
    let hello = Array("Hello".utf8)
    #expect(WebSocketFrame(.text, hello).encoded(mask: nil) == [0x81, 0x05] + hello)
    #expect(
      WebSocketFrame(.text, hello).encoded(mask: 0x37FA_213D)
        == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    #expect(
      try events([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F])
        == [.message(.text(hello))])
    #expect(try events([0x89, 0x05] + hello) == [.ping(hello)])
    let large = [UInt8](repeating: 7, count: 65536)
    #expect(
      WebSocketFrame(.binary, large).encoded(mask: nil)
        == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + large)
    #expect(WebSocketHandshake.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  // MARK: Any messages

  /// A message of a length at which something changes, or of any other.
  func message(_ random: inout SeededRandom) -> WebSocketMessage {
    let lengths = [0, 1, 125, 126, 127, 65535, 65536, Int.random(in: 0...300, using: &random)]
    let count = lengths[Int.random(in: 0..<lengths.count, using: &random)]
    if Bool.random(using: &random) {
      return .bytes((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    let characters = ["a", "é", "€", "😀", "\0"]
    var text = ""
    while text.utf8.count < count {
      text += characters[Int.random(in: 0..<characters.count, using: &random)]
    }
    return .text(Array(text.utf8))
  }

  /// A message in any number of parts, some empty, with control frames between them.
  func frames(
    of message: WebSocketMessage, _ expected: inout [WebSocketReader.Event],
    _ random: inout SeededRandom
  ) -> [WebSocketFrame] {
    let (kind, bytes): (WebSocketFrame.Kind, [UInt8]) =
      switch message {
      case .text(let bytes): (.text, bytes)
      case .bytes(let bytes): (.binary, bytes)
      }
    var frames: [WebSocketFrame] = []
    var rest = bytes[...]
    let count = Int.random(in: 1...4, using: &random)
    for index in 1...count {
      let size = index == count ? rest.count : Int.random(in: 0...rest.count, using: &random)
      frames.append(
        WebSocketFrame(
          index == 1 ? kind : .continuation, Array(rest.prefix(size)), isFinal: index == count))
      rest = rest.dropFirst(size)
      guard index < count, Bool.random(using: &random) else { continue }
      let control = [UInt8](repeating: 9, count: Int.random(in: 0...125, using: &random))
      let isPing = Bool.random(using: &random)
      frames.append(WebSocketFrame(isPing ? .ping : .pong, control))
      expected.append(isPing ? .ping(control) : .pong(control))
    }
    expected.append(.message(message))
    return frames
  }

  @Test(arguments: 0..<60) func whatIsSentIsReceived(_ seed: Int) throws {
    var random = SeededRandom(seed)
    let masked = seed % 2 == 1
    var expected: [WebSocketReader.Event] = []
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      for frame in frames(of: message(&random), &expected, &random) {
        bytes += frame.encoded(mask: masked ? UInt32.random(in: 0 ... .max, using: &random) : nil)
      }
    }
    #expect(try events(bytes, masked: masked, pieces: &random) == expected)
  }

  @Test(arguments: 0..<60) func noBytesDoMoreThanBeRefused(_ seed: Int) throws {
    var random = SeededRandom(seed + 1000)
    var expected: [WebSocketReader.Event] = []
    var bytes = frames(of: message(&random), &expected, &random).flatMap { $0.encoded(mask: nil) }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = Int.random(in: 0..<min(bytes.count, 20), using: &random)
      bytes[index] = UInt8.random(in: 0...255, using: &random)
    }
    do {
      for event in try events(bytes, limit: 100_000, pieces: &random) {
        if case .message(let message) = event { #expect(message.count <= 100_000) }
      }
    } catch {
      #expect([1002, 1007, 1009].contains((error as? WebSocketFailure)?.code ?? 0))
    }
  }

  // MARK: What is refused

  @Test func whatIsNoFrame() {
    let frames: [[UInt8]] = [
      [0xC1, 0x00], [0xA1, 0x00], [0x91, 0x00],  // reserved bits
      [0x83, 0x00], [0x8B, 0x00],  // unknown kinds
      [0x81, 0x80, 0, 0, 0, 0],  // a mask from a server
      [0x09, 0x00], [0x89, 0x7E, 0, 126],  // a control frame in parts, or too long
      [0x81, 0x7E, 0, 125], [0x81, 0x7F, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],  // sizes of too many bytes
      [0x81, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0],  // a size that is none
      [0x80, 0x00], [0x00, 0x00],  // parts of nothing
      [0x01, 0x00, 0x81, 0x00],  // a message within another one
      [0x88, 0x01, 0x03], [0x88, 0x02, 0x03, 0xED], [0x88, 0x02, 0, 0],  // closes without a code
    ]
    for frame in frames { #expect(refusal(frame) == 1002, "\(frame)") }
    #expect(refusal([0x81, 0x02, 0xC3, 0x28]) == 1007)
    #expect(refusal([0x01, 0x01, 0xC3, 0x80, 0x00]) == 1007)
    #expect(refusal([0x88, 0x03, 0x03, 0xE8, 0xFF]) == 1007)
  }

  @Test func whatIsTooLargeIsRefusedBeforeItHasCome() {
    #expect(refusal([0x82, 0x7F, 0, 0, 0, 1, 0, 0, 0, 0]) == 1009)
    #expect(refusal([0x82, 0x7E, 0x10, 0x01], limit: 4096) == 1009)
    let part = [UInt8](repeating: 0, count: 100)
    let first = WebSocketFrame(.binary, part, isFinal: false).encoded(mask: nil)
    let second = WebSocketFrame(.continuation, part).encoded(mask: nil)
    #expect(refusal(first + second, limit: 199) == 1009)
    #expect(refusal(first + second, limit: 200) == nil)
    // Control frames have their own limit.
    #expect(refusal(WebSocketFrame(.ping, part).encoded(mask: nil), limit: 10) == nil)
  }

  @Test func closes() throws {
    #expect(try events([0x88, 0x00]) == [.close(code: nil, reason: "")])
    let frame = WebSocketFrame.close(4001, "enough").encoded(mask: nil)
    #expect(try events(frame + [0xFF, 0xFF]) == [.close(code: 4001, reason: "enough")])
    let long = WebSocketFrame.close(1000, String(repeating: "é", count: 100))
    #expect(long.payload.count == 124)
    #expect(
      try events(long.encoded(mask: nil))
        == [.close(code: 1000, reason: String(repeating: "é", count: 61))])
  }
}
