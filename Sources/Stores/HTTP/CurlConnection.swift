internal import CTenonPlatform
internal import Synchronization
internal import TenonStoreKit

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A connection that libcurl has made, through proxies and TLS, and over which others talk.
final class CurlConnection: HTTPConnection {
  /// The session; nil when the connection has ended.
  private let session: Mutex<CurlSession?>
  private let server: String
  private let socket: Int32

  init(_ session: CurlSession, _ request: HTTPRequest) {
    server = request.url.authority
    socket = session.socket
    self.session = Mutex(session)
  }

  private func broken(_ code: Int32) -> HTTPTransportError {
    HTTPTransportError(.network, "the connection with \(server) broke off")
  }

  func send(_ bytes: [UInt8]) throws(HTTPTransportError) -> Int {
    let (code, count) = session.withLock { $0?.send(bytes) ?? (CurlCode.sendError, 0) }
    switch code {
    case 0: return count
    case CurlCode.again: return 0
    default: throw broken(code)
    }
  }

  func receive() throws(HTTPTransportError) -> [UInt8]? {
    let (code, bytes) = session.withLock { $0?.receive() ?? (0, []) }
    switch code {
    case 0: return bytes
    case CurlCode.again: return nil
    default: throw broken(code)
    }
  }

  func wait(toSend: Bool) {
    let events = toSend ? POLLIN | POLLOUT : POLLIN
    var request = pollfd(fd: socket, events: Int16(events), revents: 0)
    _ = unsafe poll(&request, 1, CurlSession.slice)
  }

  func close() { session.withLock { $0 = nil } }
}

extension CurlSession {
  /// Connects to the server of a request, and sends nothing.
  func connect(
    _ request: HTTPRequest, _ isInterrupted: () -> Bool
  ) throws(HTTPTransportError) {
    var previous = sigset_t()
    let wasBlocked = unsafe tenon_block_sigpipe(&previous) != 0
    defer { if !wasBlocked { unsafe tenon_restore_sigpipe(&previous) } }
    unsafe curl.reset(easy)
    prepare(request)
    unsafe curl.set(easy, .httpVersion, HTTPVersion.oneAndOne)
    unsafe curl.set(easy, .connectsOnly, 1)
    // A proxy of HTTP would not hand on what is no HTTP.
    unsafe curl.set(easy, .proxyTunnel, 1)
    guard let code = run(isInterrupted) else { throw HTTPTransportError(.timeout, "interrupted") }
    if code != 0 { throw failure(code, of: request, AnswerSink(limit: 0)) }
  }

  /// The number of the socket of a connection.
  var socket: Int32 { Int32(truncatingIfNeeded: unsafe curl.info(easy, .socket)) }

  /// Sends what goes at once; the library's code, and how many bytes that were.
  func send(_ bytes: [UInt8]) -> (code: Int32, count: Int) {
    var previous = sigset_t()
    let wasBlocked = unsafe tenon_block_sigpipe(&previous) != 0
    defer { if !wasBlocked { unsafe tenon_restore_sigpipe(&previous) } }
    var count = 0
    let code = unsafe bytes.withUnsafeBytes {
      unsafe curl.raw.send(easy, $0.baseAddress, $0.count, &count)
    }
    return (code, count)
  }

  /// Takes what has come; the library's code, and the bytes.
  func receive() -> (code: Int32, bytes: [UInt8]) {
    var count = 0
    var code: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: CurlSession.pieceSize) { buffer, size in
      code = unsafe curl.raw.receive(easy, buffer.baseAddress, buffer.count, &count)
      size = count
    }
    return (code, bytes)
  }

  /// The most bytes that are taken at once.
  private static let pieceSize = 64 << 10
}
