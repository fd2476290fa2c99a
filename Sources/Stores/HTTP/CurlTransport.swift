internal import CTenonPlatform
internal import Synchronization
internal import TenonStoreKit
internal import TenonText

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The transport over the system's libcurl.
///
/// Connections are kept and used again. Certificates are checked, proxies are those that the
/// environment names, except for this machine itself.
package final class CurlTransport: HTTPTransport {
  /// Sessions that nobody uses at the moment.
  private let idle = Mutex<[CurlSession]>([])

  /// How many sessions are kept for later.
  private static let mostIdle = 8

  /// Creates a transport; the library is loaded by the first request.
  package init() {}

  /// Sends a request and waits for the answer.
  package func answer(
    to request: HTTPRequest, isInterrupted: () -> Bool
  ) throws(HTTPTransportError) -> HTTPResponse {
    let session = try takeSession(for: request)
    let answer = try session.answer(to: request, isInterrupted)
    giveBack(session)
    return answer
  }

  /// Sends a request and waits for the header of the answer.
  package func open(
    _ request: HTTPRequest, isInterrupted: @escaping () -> Bool
  ) throws(HTTPTransportError) -> any HTTPExchange {
    let exchange = CurlExchange(try takeSession(for: request), request, isInterrupted) {
      [weak self] session in
      self?.giveBack(session)
    }
    try exchange.begin()
    return exchange
  }

  /// Begins a request whose body comes piece by piece.
  package func upload(
    _ request: HTTPRequest, size: Int?, isInterrupted: @escaping () -> Bool
  ) throws(HTTPTransportError) -> any HTTPUpload {
    let body = OutgoingBody(size: size)
    let exchange = CurlExchange(
      try takeSession(for: request), request, isInterrupted, sending: body
    ) { [weak self] session in
      self?.giveBack(session)
    }
    return CurlUpload(exchange, body)
  }

  /// Connects to the server of a request, and sends nothing.
  package func connect(
    _ request: HTTPRequest, isInterrupted: () -> Bool
  ) throws(HTTPTransportError) -> any HTTPConnection {
    let session = try makeSession()
    try session.connect(request, isInterrupted)
    return CurlConnection(session, request)
  }

  /// A session for a request: those that have once kept cookies go on with that, and are for no others.
  private func takeSession(for request: HTTPRequest) throws(HTTPTransportError) -> CurlSession {
    if let session = takeIdle(keepingCookies: request.cookies != nil) { return session }
    return try makeSession()
  }

  private func makeSession() throws(HTTPTransportError) -> CurlSession {
    guard let curl = LibCurl.system else {
      throw HTTPTransportError(
        .unsupported,
        "libcurl is not installed, which HTTP needs; the package is libcurl4 (Debian, Ubuntu) or "
          + "libcurl (Fedora, Alpine)")
    }
    guard let session = CurlSession(curl) else {
      throw HTTPTransportError(.io, "libcurl has no memory left")
    }
    return session
  }

  private func takeIdle(keepingCookies: Bool) -> CurlSession? {
    idle.withLock { sessions in
      sessions.lastIndex { $0.keepsCookies == keepingCookies }.map { sessions.remove(at: $0) }
    }
  }

  private func giveBack(_ session: CurlSession) {
    idle.withLock { if $0.count < CurlTransport.mostIdle { $0.append(session) } }
  }
}

/// One request at a time, and the connections that are kept from one to the next.
@safe
final class CurlSession: @unchecked Sendable {
  let curl: LibCurl
  private let multi: LibCurl.Handle
  let easy: LibCurl.Handle
  /// Whether the library keeps cookies here.
  private(set) var keepsCookies = false

  init?(_ curl: LibCurl) {
    guard let multi = unsafe curl.makeMulti() else { return nil }
    guard let easy = unsafe curl.makeEasy() else {
      _ = unsafe curl.endMulti(multi)
      return nil
    }
    self.curl = curl
    unsafe self.multi = multi
    unsafe self.easy = easy
  }

  deinit {
    unsafe curl.endEasy(easy)
    _ = unsafe curl.endMulti(multi)
  }

  /// How long to wait at once, in milliseconds: how late an interrupt is noticed.
  static let slice: Int32 = 50

  // MARK: Piece by piece

  /// The fields and the body of the request that is under way; the library does not copy them.
  private var keptFields: LibCurl.Handle?
  private var keptSink: AnswerSink?
  private var keptPieces: OutgoingBody?
  private var keptBody: UnsafeMutablePointer<UInt8>?

  /// What `advance` answers when nobody waits any more.
  static let interrupted: Int32 = -1

  var status: Int { unsafe curl.info(easy, .status) }

  /// The cookies that the library knows now.
  var cookies: [String] { unsafe curl.lines(easy, .cookies) }

  /// Begins a request; what comes goes into the sink while `advance` runs, and so goes a body in pieces.
  func begin(
    _ request: HTTPRequest, _ sink: AnswerSink, sending pieces: OutgoingBody? = nil
  ) throws(HTTPTransportError) {
    let fields = unsafe try list(of: request)
    unsafe curl.reset(easy)
    prepare(request)
    // Only silence is limited.
    unsafe curl.set(easy, .timeout, 0)
    unsafe curl.set(easy, .header, UnsafeRawPointer(fields))
    unsafe keptFields = fields
    keptSink = sink
    connect(sink)
    if let pieces {
      keptPieces = pieces
      send(pieces, by: request.method)
    } else if let body = request.body {
      let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, body.count))
      unsafe copy.initialize(from: body, count: body.count)
      unsafe keptBody = copy
      unsafe curl.set(easy, size: .bodySize, body.count)
      unsafe curl.set(easy, .body, UnsafeRawPointer(copy))
      unsafe curl.set(easy, .method, request.method)
    }
    guard unsafe curl.add(multi, easy) == 0 else {
      throw HTTPTransportError(.io, "libcurl has no memory left")
    }
  }

  /// Lets the transfer go on until something is there.
  ///
  /// - Parameters:
  ///   - patience: The longest time without news, in milliseconds.
  ///   - isInterrupted: Asked at least ten times a second.
  ///   - isThere: Whether that is so.
  /// - Returns: nil when it is; else the library's code for how the transfer ended, or `interrupted`.
  func advance(
    _ patience: Int, _ isInterrupted: () -> Bool, until isThere: () -> Bool
  ) -> Int32? {
    var previous = sigset_t()
    let wasBlocked = unsafe tenon_block_sigpipe(&previous) != 0
    defer { if !wasBlocked { unsafe tenon_restore_sigpipe(&previous) } }
    let clock = SystemClock()
    var end = clock.monotonicTime / 1_000_000 + patience
    // What goes out is news as well.
    func progress() -> Int { (keptSink?.received ?? 0) + (keptPieces?.sent ?? 0) }
    var known = progress()
    var running: Int32 = 1
    while true {
      guard unsafe curl.perform(multi, &running) == 0 else { return CurlCode.receiveError }
      // What has come as a whole needs no session any more, whether somebody reads it or not.
      if running == 0 { return result }
      if isThere() { return nil }
      if isInterrupted() { return CurlSession.interrupted }
      let now = clock.monotonicTime / 1_000_000
      if progress() != known {
        known = progress()
        end = now + patience
      }
      if now >= end { return CurlCode.timeout }
      _ = unsafe curl.poll(multi, nil, 0, CurlSession.slice, nil)
    }
  }

  /// Ends the request that is under way.
  func end() {
    guard keptSink != nil else { return }
    _ = unsafe curl.remove(multi, easy)
    unsafe curl.freeList(keptFields)
    unsafe keptFields = nil
    unsafe keptBody?.deallocate()
    unsafe keptBody = nil
    keptPieces = nil
    keptSink = nil
  }

  private func connect(_ sink: AnswerSink) {
    let receiver = unsafe UnsafeRawPointer(Unmanaged.passUnretained(sink).toOpaque())
    unsafe curl.set(easy, .writeData, receiver)
    unsafe curl.set(easy, .headerData, receiver)
    unsafe curl.set(easy, .writeFunction) { bytes, size, count, sink in
      unsafe AnswerSink.at(sink)?.takeBody(
        UnsafeRawBufferPointer(start: bytes, count: size * count))
        ?? 0
    }
    unsafe curl.set(easy, .headerFunction) { bytes, size, count, sink in
      unsafe AnswerSink.at(sink)?.takeField(
        UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
  }

  /// The library's code for how a transfer ended.
  private var result: Int32 {
    var left: Int32 = 0
    while let message = unsafe curl.nextMessage(multi, &left) {
      return unsafe tenon_curl_result(message)
    }
    return CurlCode.receiveError
  }

  // MARK: As a whole

  func answer(
    to request: HTTPRequest, _ isInterrupted: () -> Bool
  ) throws(HTTPTransportError) -> HTTPResponse {
    var previous = sigset_t()
    let wasBlocked = unsafe tenon_block_sigpipe(&previous) != 0
    defer { if !wasBlocked { unsafe tenon_restore_sigpipe(&previous) } }

    let sink = AnswerSink(limit: request.limit)
    let cookies = request.cookies?.all ?? []
    let fields = unsafe try list(of: request)
    defer { unsafe curl.freeList(fields) }
    unsafe curl.reset(easy)
    prepare(request)
    unsafe curl.set(easy, .header, UnsafeRawPointer(fields))
    connect(sink)
    let body = request.body ?? []
    let code = unsafe body.withUnsafeBytes { bytes in
      if request.body != nil {
        unsafe curl.set(easy, size: .bodySize, bytes.count)
        // The library takes no bytes for none given.
        unsafe curl.set(
          easy, .body,
          bytes.baseAddress ?? UnsafeRawPointer(Unmanaged.passUnretained(sink).toOpaque()))
        unsafe curl.set(easy, .method, request.method)
      }
      return withExtendedLifetime(sink) { transfer(isInterrupted) }
    }
    guard let code else { throw HTTPTransportError(.timeout, "interrupted") }
    request.cookies?.take(self.cookies, sent: cookies)
    if code != 0 { throw failure(code, of: request, sink) }
    return HTTPResponse(unsafe curl.info(easy, .status), sink.fields, sink.body)
  }

  private func list(of request: HTTPRequest) throws(HTTPTransportError) -> LibCurl.Handle? {
    var list: LibCurl.Handle?
    // It would wait for permission to send a large body, which few servers give.
    var lines = ["Expect:"]
    for field in request.fields {
      lines.append(field.value.isEmpty ? field.name + ";" : "\(field.name): \(field.value)")
    }
    for line in lines {
      guard !line.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
        unsafe curl.freeList(list)
        throw HTTPTransportError(.encode, "a field of the header holds a control character")
      }
      guard let longer = unsafe line.withCString({ unsafe curl.append(list, $0) }) else {
        unsafe curl.freeList(list)
        throw HTTPTransportError(.io, "libcurl has no memory left")
      }
      unsafe list = longer
    }
    return unsafe list
  }

  func prepare(_ request: HTTPRequest) {
    unsafe curl.set(easy, .url, request.url.text)
    unsafe curl.set(easy, .pathAsIs, 1)
    unsafe curl.set(easy, .protocols, HTTPProtocols.both)
    unsafe curl.set(easy, .noSignal, 1)
    unsafe curl.set(easy, .timeout, max(1, request.timeout))
    unsafe curl.set(easy, .verifyPeer, 1)
    unsafe curl.set(easy, .verifyHost, 2)
    if let certificates = request.certificates {
      unsafe curl.set(easy, .certificates, certificates)
    }
    unsafe curl.set(easy, .userAgent, "tenon")
    unsafe curl.set(easy, .acceptEncoding, "gzip, deflate")
    if let proxy = request.proxy {
      unsafe curl.set(easy, .proxy, proxy)
    } else if request.url.isThisMachine {
      unsafe curl.set(easy, .proxy, "")
    }
    if let cookies = request.cookies {
      keepsCookies = true
      // An empty name has the library keep cookies, and reads no file.
      unsafe curl.set(easy, .cookieFile, "")
      unsafe curl.set(easy, .cookieLine, "ALL")
      for line in cookies.all { unsafe curl.set(easy, .cookieLine, line) }
    }
    switch request.method {
    case "GET": unsafe curl.set(easy, .isGet, 1)
    case "HEAD": unsafe curl.set(easy, .noBody, 1)
    default: unsafe curl.set(easy, .method, request.method)
    }
  }

  /// Runs the transfer; the library's code for how it ended, nil when it was interrupted.
  private func transfer(_ isInterrupted: () -> Bool) -> Int32? {
    let code = run(isInterrupted)
    _ = unsafe curl.remove(multi, easy)
    return code
  }

  /// The same, and the library goes on to know the transfer.
  func run(_ isInterrupted: () -> Bool) -> Int32? {
    let added = unsafe curl.add(multi, easy)
    guard added == 0 else { return CurlCode.outOfMemory }
    var running: Int32 = 1
    while true {
      guard unsafe curl.perform(multi, &running) == 0 else { return CurlCode.receiveError }
      if running == 0 { break }
      if isInterrupted() { return nil }
      _ = unsafe curl.poll(multi, nil, 0, CurlSession.slice, nil)
    }
    return result
  }

  // MARK: Failures

  func failure(
    _ code: Int32, of request: HTTPRequest, _ sink: AnswerSink
  ) -> HTTPTransportError {
    let system = Int32(truncatingIfNeeded: unsafe curl.info(easy, .systemError))
    let systemCode = system == 0 ? nil : system
    func error(_ kind: StoreError.Kind, _ reason: String) -> HTTPTransportError {
      HTTPTransportError(kind, reason, systemCode: systemCode)
    }
    let server = request.url.authority
    if sink.isTooLarge {
      return error(.tooLarge, "the answer has more than \(request.limit) bytes")
    }
    if sink.hasTooManyFields { return error(.tooLarge, "the header of the answer is too long") }
    if let reason = reasonUnsent(code, server, request.url.host, system) {
      var failure = error(.network, reason)
      failure.isUnsent = true
      return failure
    }
    switch code {
    case CurlCode.timeout: return error(.timeout, "no answer within \(request.timeout) ms")
    case CurlCode.nothing:
      return error(.network, "\(server) ended the connection without an answer")
    case CurlCode.partial: return error(.network, "the answer ended early")
    case CurlCode.sendError, CurlCode.receiveError:
      return error(.network, "the connection with \(server) broke off")
    case CurlCode.badEncoding: return error(.decode, "the answer's compression is damaged")
    case CurlCode.weirdReply, CurlCode.unsupported, CurlCode.badBody:
      return error(.decode, "the answer is no HTTP")
    case CurlCode.outOfMemory: return error(.io, "libcurl has no memory left")
    case CurlCode.tlsConnect:
      return error(
        .permission,
        "no secure connection with \(server): \(curl.text(of: code).lowercasedFirst); "
          + "it may know http: only")
    case CurlCode.certificate, CurlCode.oldCertificate, CurlCode.noAuthorities:
      return error(.permission, "\(server) is not trusted: \(curl.text(of: code).lowercasedFirst)")
    default: return error(.network, curl.text(of: code).lowercasedFirst)
    }
  }

  /// Why a request has not reached a server at all; nil for other failures.
  private func reasonUnsent(
    _ code: Int32, _ server: String, _ host: String, _ system: Int32
  ) -> String? {
    switch code {
    case CurlCode.noProxy: "the proxy's name is not known"
    case CurlCode.noHost: "there is no host '\(host)'"
    case CurlCode.noConnection:
      system == ECONNREFUSED || system == 0
        ? "\(server) refused the connection"
        : "\(server) cannot be reached: \(systemText(of: system))"
    default: nil
    }
  }
}

private enum HTTPProtocols {
  static let both = 3
}

/// The library's numbers of errors.
enum CurlCode {
  static let unsupported: Int32 = 1
  static let noProxy: Int32 = 5
  static let noHost: Int32 = 6
  static let noConnection: Int32 = 7
  static let weirdReply: Int32 = 8
  static let partial: Int32 = 18
  static let outOfMemory: Int32 = 27
  static let timeout: Int32 = 28
  static let tlsConnect: Int32 = 35
  static let oldCertificate: Int32 = 51
  static let nothing: Int32 = 52
  static let sendError: Int32 = 55
  static let receiveError: Int32 = 56
  static let certificate: Int32 = 60
  static let badEncoding: Int32 = 61
  static let noAuthorities: Int32 = 77
  static let badBody: Int32 = 23
  static let again: Int32 = 81
}

extension String {
  /// The text as part of a sentence.
  fileprivate var lowercasedFirst: String {
    // An abbreviation stays one.
    let second = dropFirst().first
    return second?.isUppercase == true ? self : prefix(1).lowercased() + dropFirst()
  }
}

extension HTTPURL {
  /// Whether the host is this machine: no proxy has to do with it.
  fileprivate var isThisMachine: Bool {
    let name = host.lowercased()
    return name == "localhost" || name == "::1" || name.hasPrefix("127.")
  }
}
