internal import TenonStoreKit
internal import TenonText

/// A request whose answer is read piece by piece.
///
/// The library gets on only while somebody reads, so that a server that is faster has to wait.
final class CurlExchange: HTTPExchange {
  private let request: HTTPRequest
  private let isInterrupted: () -> Bool
  private var session: CurlSession?
  private let giveBack: (CurlSession) -> Void
  private let sink: AnswerSink
  /// The body of the request where it goes out piece by piece.
  private let outgoing: OutgoingBody?
  private var isOver = false
  /// Why there is no more of the body.
  private var failure: HTTPTransportError?
  private var sentCookies: [String] = []
  private(set) var status = 0

  init(
    _ session: CurlSession, _ request: HTTPRequest, _ isInterrupted: @escaping () -> Bool,
    sending outgoing: OutgoingBody? = nil, _ giveBack: @escaping (CurlSession) -> Void
  ) {
    self.outgoing = outgoing
    // Nobody reads while a body goes out.
    sink = AnswerSink(limit: outgoing == nil ? .max : request.limit)
    self.session = session
    self.request = request
    self.isInterrupted = isInterrupted
    self.giveBack = giveBack
  }

  deinit { session?.end() }

  var fields: [HTTPField] { sink.fields }

  /// Sends the request, and reads up to the first byte of the body.
  func begin() throws(HTTPTransportError) {
    do throws(HTTPTransportError) {
      try start()
      try awaitHeader()
    } catch {
      close()
      throw error
    }
  }

  private func start() throws(HTTPTransportError) {
    sentCookies = request.cookies?.all ?? []
    try session?.begin(request, sink, sending: outgoing)
  }

  private func awaitHeader() throws(HTTPTransportError) {
    try advance { !self.sink.body.isEmpty }
    if let session { noteHeader(of: session) }
    if let failure, sink.body.isEmpty { throw failure }
  }

  // MARK: Sending piece by piece

  /// Sends what the outgoing body has.
  ///
  /// - Returns: Whether it has gone; else the server has answered.
  func send(_ body: OutgoingBody) throws(HTTPTransportError) -> Bool {
    do throws(HTTPTransportError) {
      if !body.hasBegun {
        body.hasBegun = true
        try start()
      } else {
        session?.resume()
      }
      try advance { body.isEmpty || self.hasRefused }
      if let failure { throw failure }
      return !isOver && !hasRefused
    } catch {
      close()
      throw error
    }
  }

  /// Sends the end of the outgoing body, and reads up to the first byte of the answer's.
  func finish(_ body: OutgoingBody) throws(HTTPTransportError) {
    body.isComplete = true
    guard !hasRefused else {
      if let session { noteHeader(of: session) }
      return
    }
    do throws(HTTPTransportError) {
      if !body.hasBegun { try start() } else { session?.resume() }
      try awaitHeader()
    } catch {
      close()
      throw error
    }
  }

  /// Whether the server has answered that it wants no more of the body.
  private var hasRefused: Bool {
    isOver || !sink.body.isEmpty && (session?.status ?? status) >= 300
  }

  func read(atMost count: Int) throws(HTTPTransportError) -> [UInt8] {
    try advance { !self.sink.body.isEmpty }
    let body = sink.body
    // What has come before the failure is read first.
    if body.isEmpty, let failure { throw failure }
    if body.count <= count {
      sink.body = []
      return body
    }
    sink.body = Array(body[count...])
    return Array(body[..<count])
  }

  private func noteHeader(of session: CurlSession) {
    status = session.status
    request.cookies?.take(session.cookies, sent: sentCookies)
  }

  private func advance(until isThere: () -> Bool) throws(HTTPTransportError) {
    guard let session, !isOver, !isThere() else { return }
    guard let code = session.advance(request.timeout, isInterrupted, until: isThere) else { return }
    isOver = true
    self.session = nil
    noteHeader(of: session)
    guard code == 0 else {
      failure =
        code == CurlSession.interrupted
        ? HTTPTransportError(.timeout, "interrupted") : session.failure(code, of: request, sink)
      session.end()
      return
    }
    session.end()
    giveBack(session)
  }

  func close() {
    isOver = true
    session?.end()
    session = nil
    sink.body = []
  }
}

/// Takes what libcurl receives.
final class AnswerSink {
  let limit: Int
  var body: [UInt8] = []
  var fields: [HTTPField] = []
  var isTooLarge = false
  var hasTooManyFields = false
  /// How many bytes have come.
  var received = 0
  private var fieldBytes = 0

  /// The most bytes of all fields.
  private static let fieldLimit = 256 << 10

  init(limit: Int) { self.limit = limit }

  static func at(_ address: UnsafeMutableRawPointer?) -> AnswerSink? {
    guard let address = unsafe address else { return nil }
    return unsafe Unmanaged<AnswerSink>.fromOpaque(address).takeUnretainedValue()
  }

  /// Takes a piece of the body; anything but its size ends the transfer.
  func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    received += bytes.count
    guard bytes.count <= limit - body.count else {
      isTooLarge = true
      return 0
    }
    unsafe body.append(contentsOf: bytes)
    return bytes.count
  }

  /// Takes a line of the header; anything but its size ends the transfer.
  func takeField(_ bytes: UnsafeRawBufferPointer) -> Int {
    fieldBytes += bytes.count
    received += bytes.count
    guard fieldBytes <= AnswerSink.fieldLimit else {
      hasTooManyFields = true
      return 0
    }
    let line = unsafe String(decoding: bytes, as: UTF8.self)
    if line.beginsWithBytes(of: "HTTP/") {
      // That of a provisional answer is over.
      fields = []
    } else if let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) {
      fields.append(
        HTTPField(
          HTTPField.trimmed(line[..<colon]),
          HTTPField.trimmed(line[line.utf8.index(after: colon)...])))
    }
    return bytes.count
  }
}
