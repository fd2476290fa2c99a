import Synchronization
import TenonStoreKit
import Testing

@testable import TenonStores

/// A connection on which a test says what comes; waiting takes a second of a clock of its own.
final class ScriptedConnection: HTTPConnection {
  private struct State {
    var incoming: [[UInt8]?]
    var sent: [UInt8] = []
    var time = 0
    var isClosed = false
    /// The most bytes that go at once.
    var width = Int.max
    /// What the other side answers to a ping.
    var answersPings = true
    var room = Int.max
  }

  private let state: Mutex<State>

  /// Creates a connection; nil is a moment in which nothing comes, and nothing comes at the end.
  init(_ incoming: [[UInt8]?], width: Int = .max, room: Int = .max) {
    state = Mutex(State(incoming: incoming, width: width, room: room))
  }

  var time: Int { state.withLock { $0.time } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// The frames that were sent.
  func sent() throws -> [WebSocketFrame] {
    var reader = WebSocketFrameReader(limit: 1 << 24, expectsMasks: true)
    reader.take(state.withLock { $0.sent })
    var frames: [WebSocketFrame] = []
    while let frame = try reader.next() { frames.append(frame) }
    return frames
  }

  func come(_ bytes: [UInt8]) { state.withLock { $0.incoming.append(bytes) } }

  func send(_ bytes: [UInt8]) throws(HTTPTransportError) -> Int {
    state.withLock { state in
      let count = min(bytes.count, state.width, state.room)
      state.sent += bytes.prefix(count)
      state.room -= count
      return count
    }
  }

  func receive() throws(HTTPTransportError) -> [UInt8]? {
    state.withLock { state in
      guard !state.incoming.isEmpty else { return nil }
      return state.incoming.removeFirst()
    }
  }

  func wait(toSend: Bool) { state.withLock { $0.time += 1000 } }

  func close() { state.withLock { $0.isClosed = true } }
}

/// What a socket does over a connection, with a clock that a test moves.
@Suite struct WebSocketTests {
  func socket(_ connection: ScriptedConnection, limit: Int = 1 << 20) -> WebSocket {
    WebSocket(over: connection, limit: limit) { connection.time }
  }

  func text(_ string: String) -> [UInt8] {
    WebSocketFrame(.text, Array(string.utf8)).encoded(mask: nil)
  }

  func failure(_ body: () throws -> Void) -> StoreError.Kind? {
    do {
      try body()
      return nil
    } catch {
      return (error as? HTTPTransportError)?.kind
    }
  }

  @Test func messagesComeAndGo() throws {
    let connection = ScriptedConnection(
      [nil, text("one") + text("two"), nil, WebSocketFrame.close(1000).encoded(mask: nil)],
      width: 3)
    let socket = socket(connection)
    #expect(try socket.receive { false } == .text(Array("one".utf8)))
    try socket.send(.bytes([1, 2, 3]), within: 1000) { false }
    #expect(try socket.receive { false } == .text(Array("two".utf8)))
    #expect(try socket.receive { false } == nil)
    #expect(socket.serverClose?.code == 1000)
    #expect(connection.isClosed)
    #expect(try connection.sent().map(\.kind) == [.binary, .close])
    #expect(failure { try socket.send(.bytes([]), within: 1000) { false } } == .closed)
  }

  @Test func pingsAreAnsweredBetweenTheParts() throws {
    let parts =
      WebSocketFrame(.text, [0x61], isFinal: false).encoded(mask: nil)
      + WebSocketFrame(.ping, [7, 8]).encoded(mask: nil)
      + WebSocketFrame(.continuation, [0x62]).encoded(mask: nil)
    let connection = ScriptedConnection([parts])
    #expect(try socket(connection).receive { false } == .text([0x61, 0x62]))
    #expect(try connection.sent().first == WebSocketFrame(.pong, [7, 8]))
  }

  @Test func aSilentServerIsAskedAndGivenUp() throws {
    let connection = ScriptedConnection([])
    let socket = socket(connection)
    #expect(failure { _ = try socket.receive { false } } == .timeout)
    #expect(connection.time == WebSocket.silence + WebSocket.patience)
    #expect(try connection.sent() == [WebSocketFrame(.ping)])
    #expect(connection.isClosed)
  }

  @Test func aServerThatAnswersIsKept() throws {
    let connection = ScriptedConnection([])
    let socket = socket(connection)
    var pings = 0
    _ = failure {
      _ = try socket.receive {
        let sent = ((try? connection.sent()) ?? []).count { $0.kind == .ping }
        if sent > pings {
          pings = sent
          connection.come(WebSocketFrame(.pong).encoded(mask: nil))
        }
        return pings == 5
      }
    }
    #expect(pings == 5)
    #expect(!connection.isClosed)
  }

  @Test func whatIsWrongIsToldToTheServer() throws {
    let wrongs: [([UInt8], Int, StoreError.Kind)] = [
      ([0x83, 0x00], 1002, .decode), ([0x81, 0x01, 0xFF], 1007, .decode),
      ([0x82, 0x7E, 0x10, 0x00], 1009, .tooLarge),
    ]
    for (bytes, code, kind) in wrongs {
      let connection = ScriptedConnection([bytes])
      let socket = socket(connection, limit: 1000)
      #expect(failure { _ = try socket.receive { false } } == kind)
      let close = try connection.sent().last?.payload ?? []
      #expect(close.prefix(2) == [UInt8(code >> 8), UInt8(code & 0xFF)])
      #expect(failure { _ = try socket.receive { false } } == kind)
    }
  }

  @Test func aConnectionThatBreaks() throws {
    let socket = socket(ScriptedConnection([text("one"), text("lost").dropLast(2), []]))
    #expect(try socket.receive { false } == .text(Array("one".utf8)))
    #expect(failure { _ = try socket.receive { false } } == .network)
  }

  @Test func aServerThatTakesNothing() throws {
    let connection = ScriptedConnection([], room: 10)
    let socket = socket(connection)
    let bytes = [UInt8](repeating: 1, count: 100)
    #expect(failure { try socket.send(.bytes(bytes), within: 5000) { false } } == .timeout)
    #expect(connection.isClosed)
  }

  @Test func whoClosesWaitsAMoment() throws {
    let answered = ScriptedConnection([WebSocketFrame.close(1000).encoded(mask: nil)])
    socket(answered).close(1000, "") { false }
    #expect(answered.isClosed)
    #expect(answered.time == 0)
    let silent = ScriptedConnection([])
    let socket = socket(silent)
    socket.close(1000, "") { false }
    #expect(silent.time == WebSocket.farewell)
    #expect(try socket.receive { false } == nil)
    #expect(socket.serverClose == nil)
  }

  @Test func thousandsOfPingsFillNoMemory() throws {
    let ping = WebSocketFrame(.ping, [UInt8](repeating: 1, count: 125)).encoded(mask: nil)
    let flood = Array(repeating: ping, count: 10_000).flatMap { $0 }
    let connection = ScriptedConnection([flood, text("end")], room: 0)
    #expect(try socket(connection).receive { false } == .text(Array("end".utf8)))
  }
}

/// A server that opens any socket, and says nothing.
private final class AgreeableConnection: HTTPConnection {
  private let state = Mutex((asked: [UInt8](), hasAnswered: false))

  func send(_ bytes: [UInt8]) throws(HTTPTransportError) -> Int {
    state.withLock { $0.asked += bytes }
    return bytes.count
  }

  func receive() throws(HTTPTransportError) -> [UInt8]? {
    state.withLock { state in
      guard !state.hasAnswered else { return nil }
      state.hasAnswered = true
      let lines = String(decoding: state.asked, as: UTF8.self).split(separator: "\r\n")
      let key = lines.first { $0.hasPrefix("Sec-WebSocket-Key: ") }.map { $0.dropFirst(19) } ?? ""
      return Array(
        ("HTTP/1.1 101 Fine\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
          + "Sec-WebSocket-Accept: \(WebSocketHandshake.accept(String(key)))\r\n\r\n").utf8)
    }
  }

  func wait(toSend: Bool) {}
  func close() {}
}

private struct AgreeableTransport: HTTPTransport {
  func answer(
    to request: HTTPRequest, isInterrupted: () -> Bool
  ) throws(HTTPTransportError) -> HTTPResponse { HTTPResponse(200) }

  func connect(
    _ request: HTTPRequest, isInterrupted: () -> Bool
  ) throws(HTTPTransportError) -> any HTTPConnection { AgreeableConnection() }
}

/// What a store lets a program do with sockets.
@Suite struct GrantedWebSocketTests {
  func json(_ text: String) -> Resource {
    Resource(Array(text.utf8), contentType: "application/json")
  }

  @Test func whereOnlyReadingIsGrantedNothingIsSent() throws {
    let store = HTTPStore(scheme: "http", transport: AgreeableTransport(), now: { 0 })
    let place = try Reference(
      scheme: "http", authority: "h", components: ["live"], isAbsolute: true)
    store.hosts = ["h"]
    guard case .source = try store.perform("webSocket", json("{\"method\": \"GET\"}"), at: place)
    else {
      Issue.record("there is no socket")
      return
    }
    let source = try store.perform("webSocket", json("{\"method\": \"GET\"}"), at: place)
    _ = try store.perform("webSocketSend", json("[2, \"text\", false]"), at: place)
    store.isReadOnly = true
    let failure = #expect(throws: StoreError.self) {
      _ = try store.perform("webSocketSend", json("[2, \"text\", false]"), at: place)
    }
    #expect(failure?.kind == .permission)
    store.hosts = ["other"]
    #expect(throws: StoreError.self) {
      _ = try store.perform("webSocket", json("{\"method\": \"GET\"}"), at: place)
    }
    withExtendedLifetime(source) {}
  }
}
