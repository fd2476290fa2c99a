internal import Synchronization
internal import TenonStoreKit
internal import TenonText

extension HTTPStore {
  /// Opens a web socket.
  ///
  /// - Parameters:
  ///   - members: The request as a program has put it together; `limit` is the most bytes of a message.
  ///   - reference: Where it goes.
  /// - Returns: The messages of the server, and in its header the number of the socket.
  /// - Throws: `StoreError`, with its status where the server answers something else.
  func openWebSocket(
    _ members: [JSONPart.Member], at reference: Reference
  ) throws(StoreError) -> WebSocketSource {
    let order = try HTTPOrder(members, at: reference, of: self)
    var route = try route("GET", reference, fields: [], own: order.fields, timeout: order.timeout)
    let limit = min(members.part("limit")?.wholeNumber ?? self.limit, self.limit)
    let request = try route.request(at: now())
    let answer: WebSocketHandshake.Answer
    let connection: any HTTPConnection
    let handshake = WebSocketHandshake(
      request, nonce: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
    let end = now() + request.timeout
    do throws(HTTPTransportError) {
      connection = try transport.connect(request) { mustStop }
      answer = try handshake.carryOut(over: connection) { () throws(HTTPTransportError) in
        if mustStop { throw HTTPTransportError(.timeout, "interrupted") }
        if now() >= end { throw HTTPTransportError(.timeout, "no answer in time") }
      }
    } catch {
      throw failure(error, of: route)
    }
    guard answer.response.status == 101 else {
      connection.close()
      throw refusal(of: answer.response, reference)
    }
    if let reason = handshake.refusal(of: answer.response) {
      connection.close()
      throw StoreError(.decode, reference.hidingPassword, reason, systemCode: 101)
    }
    let socket = WebSocket(over: connection, rest: answer.rest, limit: limit, now: now)
    return WebSocketSource(socket, keep(socket), answer.response, request.url, of: self, reference)
  }

  /// The error for a server that answers something else than that it opens a socket.
  private func refusal(of answer: HTTPResponse, _ reference: Reference) -> StoreError {
    guard answer.status < 400 else { return failure(answer, "GET", nil, reference) }
    return StoreError(
      .unsupported, reference.hidingPassword,
      "the server answers \(answer.status), and opens no web socket",
      systemCode: Int32(clamping: answer.status))
  }

  private func keep(_ socket: WebSocket) -> Int {
    exchanges.withLock { exchanges in
      exchanges.sockets = exchanges.sockets.filter { $0.value.socket != nil }
      exchanges.lastSocket += 1
      exchanges.sockets[exchanges.lastSocket] = OpenExchanges.WeakSocket(socket: socket)
      return exchanges.lastSocket
    }
  }

  /// Sends a message: the number of a socket, and a text, or the letters of Base64 and true; or closes the socket
  /// with a code and a reason.
  func tellWebSocket(
    _ parts: [ArraySlice<UInt8>], isLast: Bool, at reference: Reference
  ) throws(StoreError) {
    let values = parts.map { try? JSONPart.read($0) }
    guard values.count == 3, let number = values[0]?.wholeNumber else {
      throw StoreError(.encode, reference.hidingPassword, "a socket has a number")
    }
    guard let socket = exchanges.withLock({ $0.sockets[number]?.socket }) else {
      if isLast { return }
      throw StoreError(.closed, reference.hidingPassword, "the socket is closed")
    }
    if isLast {
      guard case .text(let reason) = values[2] else { return }
      socket.close(values[1]?.wholeNumber, reason) { mustStop }
      return
    }
    let settings = settings.withLock { $0 }
    guard !settings.isReadOnly else {
      throw StoreError(
        .permission, reference.hidingPassword, "only reading is granted, not sending messages")
    }
    guard case .text(let text) = values[1] else {
      throw StoreError(.encode, reference.hidingPassword, "a message is a text or bytes")
    }
    var message = WebSocketMessage.text(Array(text.utf8))
    if case .bool(true) = values[2] { message = .bytes(Base64.decoded(text) ?? []) }
    do throws(HTTPTransportError) {
      try socket.send(message, within: settings.timeout) { mustStop }
    } catch {
      throw error.asStoreError(at: reference)
    }
  }
}

/// The messages of a web socket as bytes: of each a letter, `t` for a text and `b` for bytes, its size in four bytes,
/// the first the highest, and what it says; at the end `c`, the code and the reason of a close.
final class WebSocketSource: ByteSource {
  private let socket: WebSocket
  private let store: HTTPStore
  private let place: Reference
  private let threads = VerbThreads(width: 1)
  private var left: ArraySlice<UInt8> = []
  private var isOver = false
  let header: [UInt8]?

  init(
    _ socket: WebSocket, _ number: Int, _ answer: HTTPResponse, _ url: HTTPURL,
    of store: HTTPStore, _ place: Reference
  ) {
    self.socket = socket
    self.store = store
    self.place = place
    header = HTTPSource.header(answer, url, more: ", \"socket\": \(number)")
  }

  deinit { socket.end() }

  var executor: (any VerbExecutor)? { threads }

  func read(atMost count: Int) throws(StoreError) -> [UInt8] {
    if left.isEmpty, !isOver { left = try next()[...] }
    defer { left = left.dropFirst(count) }
    return Array(left.prefix(count))
  }

  private func next() throws(StoreError) -> [UInt8] {
    let message: WebSocketMessage?
    do throws(HTTPTransportError) {
      message = try socket.receive(store.interruption(of: threads))
    } catch {
      throw error.asStoreError(at: place)
    }
    switch message {
    case .text(let bytes): return piece("t", bytes)
    case .bytes(let bytes): return piece("b", bytes)
    case nil:
      isOver = true
      guard let (code, reason) = socket.serverClose else { return [] }
      return piece("c", Array("\(code ?? 1005) \(reason)".utf8))
    }
  }

  private func piece(_ letter: Unicode.Scalar, _ bytes: [UInt8]) -> [UInt8] {
    let size = UInt32(truncatingIfNeeded: bytes.count)
    return [UInt8(ascii: letter)]
      + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + bytes
  }

  // A read that has not begun finds the end as well; one that was cancelled then would never come back.
  func interrupt() { socket.end() }

  func close() { socket.end() }
}
