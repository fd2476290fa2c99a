internal import Synchronization
internal import TenonStoreKit

/// A connection of messages in both directions: RFC 6455.
///
/// It gets on only while somebody reads, sends or closes, so that a server that is faster has to wait. Pings are
/// answered meanwhile; a server of which nothing is heard is pinged, and given up when it does not answer.
/// Threads may use it at the same time.
final class WebSocket: Sendable {
  /// How long nothing is heard of the server before it is pinged, in milliseconds.
  static let silence = 45_000
  /// How long it may take to answer then, in milliseconds.
  static let patience = 10_000
  /// How long the server's close is waited for, in milliseconds.
  static let farewell = 2_000

  /// How it has ended.
  private enum Ending {
    /// By the server.
    case closed(code: Int?, reason: String)
    /// By this side.
    case ended
    case failed(HTTPTransportError)
  }

  private struct State {
    var reader: WebSocketReader
    /// What has come and nobody has read.
    var inbox: [WebSocketMessage] = []
    var inboxSize = 0
    /// What is to go out, from an index on.
    var outgoing: [UInt8] = []
    var start = 0
    /// How many bytes have been given, and have gone.
    var given = 0
    var gone = 0
    var hasSentClose = false
    /// When something was heard of the server, and when it was pinged since.
    var lastNews: Int
    var lastPing: Int?
    var ending: Ending?

    var isSending: Bool { start < outgoing.count }
  }

  private let connection: any HTTPConnection
  private let limit: Int
  private let now: @Sendable () -> Int
  private let state: Mutex<State>

  /// The most pieces that are read at a time, so that a server that never pauses can be interrupted.
  private static let mostPieces = 16
  /// The most bytes that go out at a time.
  private static let pieceSize = 256 << 10
  /// How much may wait to go out before pings are left unanswered.
  private static let mostWaiting = 64 << 10

  /// Creates a socket over a connection on which both sides have agreed.
  ///
  /// - Parameters:
  ///   - connection: What it talks over.
  ///   - rest: What has come behind the server's answer.
  ///   - limit: The most bytes of a message.
  ///   - now: The time in milliseconds, since some moment.
  init(
    over connection: any HTTPConnection, rest: [UInt8] = [], limit: Int,
    now: @escaping @Sendable () -> Int
  ) {
    self.connection = connection
    self.limit = limit
    self.now = now
    var reader = WebSocketReader(limit: limit)
    reader.take(rest)
    state = Mutex(State(reader: reader, lastNews: now()))
  }

  deinit { end() }

  // MARK: Messages

  /// Waits for the next message.
  ///
  /// - Parameter isInterrupted: Asked while it waits, at least ten times a second.
  /// - Returns: The message; nil when the server has closed the socket.
  /// - Throws: `HTTPTransportError` when the connection breaks or the server sends what it may not.
  func receive(_ isInterrupted: () -> Bool) throws(HTTPTransportError) -> WebSocketMessage? {
    while true {
      let (message, ending, isSending, mayGoOn) = state.withLock { state in
        if state.inbox.isEmpty { flush(&state) }
        let mayGoOn = state.inbox.isEmpty && fill(&state)
        let message = take(&state)
        if message == nil, !mayGoOn { keepAlive(&state) }
        return (message, message == nil ? state.ending : nil, state.isSending, mayGoOn)
      }
      if let message { return message }
      if let ending {
        guard case .failed(let error) = ending else { return nil }
        throw error
      }
      if isInterrupted() { throw HTTPTransportError(.timeout, "interrupted") }
      if !mayGoOn { connection.wait(toSend: isSending) }
    }
  }

  /// Sends a message, and waits until it has gone.
  ///
  /// - Parameters:
  ///   - message: What is sent.
  ///   - patience: The longest time in which nothing goes, in milliseconds.
  ///   - isInterrupted: Asked while it waits, at least ten times a second.
  /// - Throws: `HTTPTransportError`, of the kind `closed` when the socket is.
  func send(
    _ message: WebSocketMessage, within patience: Int, _ isInterrupted: () -> Bool
  ) throws(HTTPTransportError) {
    let frame =
      switch message {
      case .text(let bytes): WebSocketFrame(.text, bytes)
      case .bytes(let bytes): WebSocketFrame(.binary, bytes)
      }
    let last = state.withLock { state -> Int? in
      guard state.ending == nil, !state.hasSentClose else { return nil }
      queue(frame, &state)
      return state.given
    }
    guard let last else { throw closed }
    var end = now() + patience
    var known = 0
    while true {
      let (gone, ending) = state.withLock { state in
        flush(&state)
        // Both sides may send: what comes meanwhile makes room for what goes.
        if state.gone < last, state.inboxSize < limit { _ = fill(&state) }
        return (state.gone, state.ending)
      }
      if gone >= last { return }
      if let ending {
        guard case .failed(let error) = ending else { throw closed }
        throw error
      }
      if isInterrupted() { throw HTTPTransportError(.timeout, "interrupted") }
      if gone > known { (known, end) = (gone, now() + patience) }
      guard now() < end else {
        let error = HTTPTransportError(.timeout, "the server takes no more")
        state.withLock { finish(.failed(error), &$0) }
        throw error
      }
      connection.wait(toSend: true)
    }
  }

  private var closed: HTTPTransportError { HTTPTransportError(.closed, "the socket is closed") }

  /// Says that nothing more is sent, and waits a moment until the server says so, too.
  func close(_ code: Int?, _ reason: String, _ isInterrupted: () -> Bool) {
    let end = now() + WebSocket.farewell
    state.withLock { state in
      guard state.ending == nil, !state.hasSentClose else { return }
      queue(.close(code, reason), &state)
    }
    while now() < end, !isInterrupted() {
      let isOver = state.withLock { state in
        flush(&state)
        if state.inboxSize < limit { _ = fill(&state) }
        return state.ending != nil
      }
      if isOver { return }
      connection.wait(toSend: state.withLock { $0.isSending })
    }
    self.end()
  }

  /// Ends it at once.
  func end() {
    state.withLock { state in
      guard state.ending == nil else { return }
      if !state.hasSentClose { queue(.close(1001), &state) }
      flush(&state)
      finish(.ended, &state)
    }
  }

  /// The code and the reason with which the server has closed it; nil when it has not.
  var serverClose: (code: Int?, reason: String)? {
    guard case .closed(let code, let reason) = state.withLock({ $0.ending }) else { return nil }
    return (code, reason)
  }

  // MARK: Steps

  private func take(_ state: inout State) -> WebSocketMessage? {
    guard !state.inbox.isEmpty else { return nil }
    let message = state.inbox.removeFirst()
    state.inboxSize -= message.count
    return message
  }

  private func finish(_ ending: Ending, _ state: inout State) {
    guard state.ending == nil else { return }
    state.ending = ending
    connection.close()
  }

  private func queue(_ frame: WebSocketFrame, _ state: inout State) {
    let bytes = frame.encoded(mask: UInt32.random(in: .min ... .max))
    if !state.isSending {
      state.outgoing = []
      state.start = 0
    }
    state.outgoing += bytes
    state.given += bytes.count
    if frame.kind == .close { state.hasSentClose = true }
  }

  /// Sends what goes at once.
  private func flush(_ state: inout State) {
    while state.ending == nil, state.isSending {
      let end = min(state.start + WebSocket.pieceSize, state.outgoing.count)
      do throws(HTTPTransportError) {
        let count = try connection.send(Array(state.outgoing[state.start..<end]))
        if count == 0 { return }
        state.start += count
        state.gone += count
      } catch {
        finish(.failed(error), &state)
      }
    }
  }

  /// Takes what has come.
  ///
  /// - Returns: Whether there may be more at once.
  private func fill(_ state: inout State) -> Bool {
    for _ in 0..<WebSocket.mostPieces {
      guard state.ending == nil else { return false }
      do throws(WebSocketFailure) {
        while state.ending == nil, let event = try state.reader.next() { note(event, &state) }
      } catch {
        if !state.hasSentClose { queue(.close(error.code, error.reason), &state) }
        flush(&state)
        let kind: StoreError.Kind = error.code == 1009 ? .tooLarge : .decode
        finish(.failed(HTTPTransportError(kind, error.reason)), &state)
      }
      guard state.ending == nil, state.inbox.isEmpty || state.inboxSize < limit / 2 else {
        return false
      }
      do throws(HTTPTransportError) {
        guard let bytes = try connection.receive() else { return false }
        if bytes.isEmpty {
          finish(
            state.hasSentClose
              ? .ended
              : .failed(HTTPTransportError(.network, "the connection ended without a close")),
            &state)
          return false
        }
        state.lastNews = now()
        state.lastPing = nil
        state.reader.take(bytes)
      } catch {
        finish(.failed(error), &state)
      }
    }
    return true
  }

  private func note(_ event: WebSocketReader.Event, _ state: inout State) {
    switch event {
    case .message(let message):
      state.inbox.append(message)
      state.inboxSize += message.count
    case .ping(let bytes):
      // Of many pings the last ones may stay unanswered (section 5.5.3).
      guard !state.hasSentClose, state.outgoing.count - state.start < WebSocket.mostWaiting else {
        return
      }
      queue(WebSocketFrame(.pong, bytes), &state)
      flush(&state)
    case .pong: break
    case .close(let code, let reason):
      if !state.hasSentClose { queue(.close(code), &state) }
      flush(&state)
      finish(.closed(code: code, reason: reason), &state)
    }
  }

  /// Pings a server of which nothing has been heard for long, and gives up one that does not answer.
  private func keepAlive(_ state: inout State) {
    guard state.ending == nil else { return }
    let time = now()
    if let ping = state.lastPing {
      guard time - ping >= WebSocket.patience else { return }
      let seconds = (WebSocket.silence + WebSocket.patience) / 1000
      let error = HTTPTransportError(.timeout, "nothing heard of the server for \(seconds) s")
      finish(.failed(error), &state)
    } else if time - state.lastNews >= WebSocket.silence, !state.hasSentClose {
      queue(WebSocketFrame(.ping), &state)
      flush(&state)
      state.lastPing = time
    }
  }
}
