internal import Synchronization
public import TenonStoreKit
internal import TenonText

/// A client of HTTP servers: `http://example.org/path?key=value`.
///
/// A place is what a server has under the address: `get` is GET, `put` PUT, `delete` DELETE, `post`
/// POST, `merge` PATCH with a JSON merge patch, `status` HEAD. Conditions travel in the header, so
/// that server checks and changes in one step. What is missing (404, 410) is missing; all other
/// failures are errors. A listing is what a server answers as JSON: an array of names, or of objects
/// with a `name`, or an object with such `entries`; a name that ends in a slash has others below it,
/// and so has an object whose `kind` is `directory`. To get one, the server has to say what it is:
/// `application/vnd.tenon.listing+json`.
///
/// At most five redirects are followed. Credentials, in the address or given by `setField`, go to
/// no other origin than theirs. An answer has at most 64 MiB, compression undone, and comes within
/// 30 s unless told otherwise.
///
/// What was read before is asked for with the tag that it had, and does not come again as long as it has that.
///
/// Threads may use a store at the same time; up to sixteen requests are under way at once.
public final class HTTPStore {
  /// What a program has said about requests.
  struct Settings {
    var timeout = 30_000
    var limit = 64 << 20
    var certificates: String?
    var proxy: String?
    var cookies: CookieJar?
    var hosts: Set<String>?
    var isReadOnly = false
    /// Fields that go with every request to an origin.
    var fields: [String: [HTTPField]] = [:]

    /// Refuses a request that was not granted.
    func check(
      _ method: String, _ url: HTTPURL, for reference: Reference
    ) throws(StoreError) {
      if isReadOnly, method != "GET", method != "HEAD" {
        throw StoreError(
          .permission, reference.hidingPassword, "only reading is granted, not '\(method)'")
      }
      guard let hosts, !hosts.contains(url.host.lowercased()),
        !hosts.contains(url.authority.lowercased())
      else { return }
      throw StoreError(
        .permission, reference.hidingPassword, "the host '\(url.host)' is not granted")
    }

    /// A request as they say that requests are made.
    func request(_ method: String, _ url: HTTPURL) -> HTTPRequest {
      var request = HTTPRequest(method, url)
      request.limit = limit
      request.certificates = certificates
      request.proxy = proxy
      request.cookies = cookies
      return request
    }
  }

  /// Whether somebody wants the program to stop: asked while the interpreter's thread waits for a server.
  public var isInterrupted: () -> Bool = { false }

  let scheme: String
  let transport: any HTTPTransport
  /// The time in milliseconds, since some moment.
  let now: @Sendable () -> Int
  let settings = Mutex(Settings())
  let threads = VerbThreads(width: 16)
  private let validated = ValidatedAnswers()
  /// The uploads and sockets that a program goes on with.
  let exchanges = Mutex(OpenExchanges())

  /// How long a request may take with all its redirects, in milliseconds.
  public var timeout: Int {
    get { settings.withLock { $0.timeout } }
    set { settings.withLock { $0.timeout = newValue } }
  }

  /// The most bytes of an answer.
  public var limit: Int {
    get { settings.withLock { $0.limit } }
    set { settings.withLock { $0.limit = newValue } }
  }

  /// The file with the certificates, in PEM form, of those whom https: trusts; nil for those whom the
  /// system trusts.
  public var certificates: String? {
    get { settings.withLock { $0.certificates } }
    set { settings.withLock { $0.certificates = newValue } }
  }

  /// The hosts that may be asked, in small letters, with a port or for any; nil for all.
  ///
  /// A server that sends on to another one is not followed there.
  public var hosts: Set<String>? {
    get { settings.withLock { $0.hosts } }
    set { settings.withLock { $0.hosts = newValue.map { Set($0.map { $0.lowercased() }) } } }
  }

  /// Whether nothing may be asked for but what is there: `GET` and `HEAD` alone.
  public var isReadOnly: Bool {
    get { settings.withLock { $0.isReadOnly } }
    set { settings.withLock { $0.isReadOnly = newValue } }
  }

  /// Creates a client that uses the system's libcurl, which is loaded by the first request.
  ///
  /// - Parameter scheme: `http` or `https`: how the servers are talked to.
  public convenience init(scheme: String) {
    let clock = SystemClock()
    self.init(
      scheme: scheme, transport: CurlTransport(), now: { clock.monotonicTime / 1_000_000 })
  }

  package init(scheme: String, transport: any HTTPTransport, now: @escaping @Sendable () -> Int) {
    self.scheme = scheme
    self.transport = transport
    self.now = now
  }

  /// Has a field go with every request to the origin of an address, and to no other.
  ///
  /// - Parameters:
  ///   - name: The field's name: `Authorization`.
  ///   - value: Its value; nil for none any more.
  ///   - reference: A place of the origin.
  /// - Throws: `StoreError` when the reference names no host or the field is none.
  public func setField(
    _ name: String, _ value: String?, for reference: Reference
  ) throws(StoreError) {
    guard isField(name, value ?? "") else {
      throw StoreError(.encode, reference.hidingPassword, "that is no field of a header")
    }
    let origin = try HTTPURL(reference, scheme: scheme).origin
    settings.withLock { settings in
      var known = settings.fields[origin] ?? []
      known.removeAll { $0.name.lowercased() == name.lowercased() }
      if let value { known.append(HTTPField(name, value)) }
      settings.fields[origin] = known
    }
  }

  /// Whether a header can have such a field.
  func isField(_ name: String, _ value: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
      && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  // MARK: Requests

  /// Sends a request and follows redirects.
  ///
  /// - Returns: The answer, and where it came from.
  func send(
    _ method: String, _ reference: Reference, fields extra: [HTTPField] = [],
    body: [UInt8]? = nil, suffix: String = ""
  ) throws(StoreError) -> (answer: HTTPResponse, url: HTTPURL) {
    try following(method, reference, fields: extra, body: body, suffix: suffix) {
      (request) throws(HTTPTransportError) in try validatedAnswer(to: request)
    }
  }

  /// Sends a request; what is known of it counts if the server says that it is as it was.
  private func validatedAnswer(
    to request: HTTPRequest
  ) throws(HTTPTransportError) -> HTTPResponse {
    guard let known = validated.known(of: request), let tag = known["ETag"] else {
      let answer = try transport.answer(to: request) { mustStop }
      validated.keep(answer, to: request)
      return answer
    }
    var asking = request
    asking.fields.append(HTTPField("If-None-Match", tag))
    let answer = try transport.answer(to: asking) { mustStop }
    if answer.status == 304 { return known }
    validated.keep(answer, to: request)
    return answer
  }

  /// Sets how many requests at a time go to one host; nil for as many as the store allows.
  public func setConnectionsPerHost(_ count: Int?) { threads.limitEachHost(to: count) }

  /// Sends a request, follows redirects, and opens the answer.
  ///
  /// - Parameters:
  ///   - method: `GET` and the like.
  ///   - reference: Where it goes.
  ///   - fields: The fields of its header.
  ///   - body: What is sent; nil for nothing.
  ///   - follows: Whether redirects are followed.
  ///   - timeout: The longest time without news, in milliseconds; nil for the one of the store.
  /// - Returns: The answer, whatever its status.
  /// - Throws: `StoreError` when there is none.
  func open(
    _ method: String, _ reference: Reference, fields: [HTTPField], body: [UInt8]?, follows: Bool,
    timeout: Int?
  ) throws(StoreError) -> HTTPSource {
    let accept = [HTTPField("Accept", "*/*")]
    // A stream that waits for long keeps no thread from the requests.
    let own = VerbThreads(width: 1)
    let (exchange, url) = try following(
      method, reference, fields: accept, own: fields, body: body, follows: follows,
      changesMethod: true, timeout: timeout
    ) { (request) throws(HTTPTransportError) in
      try transport.open(request, isInterrupted: interruption(of: own))
    }
    return HTTPSource(exchange, url, reference, own)
  }

  /// Asks whether nobody waits any more for what the threads of an exchange do.
  func interruption(of own: VerbThreads) -> () -> Bool {
    { [threads, isInterrupted] in own.isCancelled ?? threads.isCancelled ?? isInterrupted() }
  }

  private func following<Answer>(
    _ method: String, _ reference: Reference, fields extra: [HTTPField], own: [HTTPField] = [],
    body: [UInt8]?, suffix: String = "", follows: Bool = true, changesMethod: Bool = false,
    timeout: Int? = nil, _ exchange: (HTTPRequest) throws(HTTPTransportError) -> Answer
  ) throws(StoreError) -> (answer: Answer, url: HTTPURL) {
    var route = try route(
      method, reference, fields: extra, own: own, body: body, suffix: suffix, timeout: timeout)
    route.follows = follows
    route.changesMethod = changesMethod
    return try following(&route, exchange)
  }

  /// The way of a request that begins at a place.
  func route(
    _ method: String, _ reference: Reference, fields: [HTTPField], own: [HTTPField],
    body: [UInt8]? = nil, suffix: String = "", timeout: Int?
  ) throws(StoreError) -> HTTPRoute {
    let settings = settings.withLock { $0 }
    return try HTTPRoute(
      method, reference, scheme: scheme, suffix: suffix, settings, fields: fields, own: own,
      body: body, from: now(), within: timeout ?? settings.timeout)
  }

  /// Sends the requests of a way until an answer sends on no further.
  func following<Answer>(
    _ route: inout HTTPRoute, _ exchange: (HTTPRequest) throws(HTTPTransportError) -> Answer
  ) throws(StoreError) -> (answer: Answer, url: HTTPURL) {
    while true {
      let request = try route.request(at: now())
      let answer: Answer
      do throws(HTTPTransportError) {
        answer = try exchange(request)
      } catch {
        throw failure(error, of: route)
      }
      guard let head = answer as? any HTTPHead, try route.goesOn(after: head) else {
        return (answer, route.url)
      }
      (answer as? any HTTPExchange)?.close()
    }
  }

  /// The error of a place for one of the transport.
  func failure(_ error: HTTPTransportError, of route: HTTPRoute) -> StoreError {
    error.kind == .timeout && !mustStop ? route.timeOut : error.asStoreError(at: route.reference)
  }

  /// Whether nobody waits any more for the request of the calling thread.
  var mustStop: Bool { threads.isCancelled ?? isInterrupted() }

  /// Sets the proxy that requests go through, none if empty; nil for those that the environment names.
  public func setProxy(_ address: String?) { settings.withLock { $0.proxy = address } }

  /// Keeps the cookies of servers from now on, or forgets them.
  public func keepCookies(_ isKeeping: Bool) {
    settings.withLock { settings in
      if !isKeeping {
        settings.cookies = nil
      } else if settings.cookies == nil {
        settings.cookies = CookieJar()
      }
    }
  }
}

extension HTTPTransportError {
  /// The error as one about a place.
  func asStoreError(at reference: Reference) -> StoreError {
    var error = StoreError(kind, reference.hidingPassword, reason, systemCode: systemCode)
    error.isUnsent = isUnsent
    return error
  }
}

// MARK: - Verbs

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension HTTPStore: Store {
  public var capabilities: StoreCapabilities {
    StoreCapabilities(
      [.get, .put, .delete, .post, .list, .merge], durability: .process, isExternal: true)
  }

  /// What the extension says, else what suits the value.
  public func contentType(of reference: Reference) -> String {
    HTTPStore.type(ofName: reference.isDirectory ? "" : reference.name ?? "")
  }

  public var executor: (any VerbExecutor)? { threads }

  /// Ends what is under way.
  public func close() throws(StoreError) { threads.finish() }

  public func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    let accept = HTTPField("Accept", "*/*")
    let (answer, _) = try send("GET", reference, fields: [accept] + conditionFields(condition))
    let tag = answer.tag
    switch answer.status {
    case 304:
      if case .differs = condition { return .unchanged }
      throw refusal(condition, isThere: true, reference)
    case 404, 410:
      guard condition?.holds(for: nil, isThere: false) ?? true else {
        throw refusal(condition, isThere: false, reference)
      }
      return .missing
    case 200..<300:
      // A server need not know conditions.
      if case .differs(let known) = condition, tag == known { return .unchanged }
      if let condition, !condition.holds(for: tag, isThere: true) {
        throw refusal(condition, isThere: true, reference)
      }
      if answer.isListing { return .directory(try entries(of: reference)) }
      return .resource(try answer.resource(at: reference))
    default: throw failure(answer, "GET", condition, reference)
    }
  }

  public func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    let fields = [contentField(resource)] + conditionFields(condition)
    let (answer, _) = try send("PUT", reference, fields: fields, body: resource.bytes)
    guard answer.isDone else { throw failure(answer, "PUT", condition, reference) }
  }

  public func delete(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> Bool {
    let (answer, _) = try send("DELETE", reference, fields: conditionFields(condition))
    if answer.status == 404 || answer.status == 410 {
      guard condition?.holds(for: nil, isThere: false) ?? true else {
        throw refusal(condition, isThere: false, reference)
      }
      return false
    }
    guard answer.isDone else { throw failure(answer, "DELETE", condition, reference) }
    return true
  }

  public func post(_ reference: Reference, _ resource: Resource) throws(StoreError) -> Reference {
    let (answer, url) = try send(
      "POST", reference, fields: [contentField(resource)], body: resource.bytes)
    guard answer.isDone else { throw failure(answer, "POST", nil, reference) }
    guard let location = answer["Location"] else { return reference }
    guard let added = url.following(location) else {
      throw StoreError(
        .decode, reference.hidingPassword, "the server names no address for what was added")
    }
    // Credentials stay with what has them.
    let isSameOrigin = added.origin == (try HTTPURL(reference, scheme: scheme)).origin
    return try added.reference(authority: isSameOrigin ? reference.authority : nil)
  }

  public func merge(
    _ reference: Reference, _ patch: Resource, if condition: Precondition?
  ) throws(StoreError) {
    let type = HTTPField("Content-Type", "application/merge-patch+json")
    let (answer, _) = try send(
      "PATCH", reference, fields: [type] + conditionFields(condition), body: patch.bytes)
    guard answer.isDone else { throw failure(answer, "PATCH", condition, reference) }
  }

  public func status(of reference: Reference) throws(StoreError) -> ResourceStatus? {
    let (answer, _) = try send("HEAD", reference)
    switch answer.status {
    case 404, 410: return nil
    case 200..<300: break
    case 405, 501:
      guard case .resource(let resource) = try get(reference, if: nil) else { return nil }
      return ResourceStatus(contentType: resource.contentType, size: resource.bytes.count)
    default:
      throw failure(answer, "HEAD", nil, reference)
    }
    let isCoded = answer["Content-Encoding"].map { $0.lowercased() != "identity" } ?? false
    if answer.isListing { return ResourceStatus(isDirectory: true) }
    return ResourceStatus(
      tag: answer.tag, contentType: answer["Content-Type"].map { MediaType($0).essence },
      size: isCoded ? nil : answer["Content-Length"].flatMap { Int($0) }.map { max(0, $0) },
      modified: answer["Last-Modified"].flatMap { HTTPDate.seconds($0) }.map { $0 * 1_000_000_000 })
  }

  public func list(_ reference: Reference) throws(StoreError) -> [StoreEntry] {
    try entries(of: reference)
  }

  // MARK: Header

  private func contentField(_ resource: Resource) -> HTTPField {
    let type = resource.contentType
    if !type.isEmpty, type != MediaType.any { return HTTPField("Content-Type", type) }
    let isText = String(validating: resource.bytes, as: UTF8.self) != nil
    return HTTPField("Content-Type", isText ? "text/plain" : "application/octet-stream")
  }

  private func conditionFields(_ condition: Precondition?) -> [HTTPField] {
    switch condition {
    case nil: []
    case .absent: [HTTPField("If-None-Match", "*")]
    case .exists: [HTTPField("If-Match", "*")]
    case .matches(let tag): [HTTPField("If-Match", tag.quoted)]
    case .differs(let tag): [HTTPField("If-None-Match", tag.quoted)]
    }
  }
}

extension HTTPResponse {
  /// Whether the change has been made.
  fileprivate var isDone: Bool { (200..<300).contains(status) || status == 303 }

  /// The tag of what was answered; nil when the server gives none.
  var tag: EntityTag? {
    guard let text = self["ETag"] else { return nil }
    // A weak tag keeps its quotes, which no strong one has.
    if text.beginsWithBytes(of: "W/") { return EntityTag(text) }
    let quote = UInt8(ascii: "\"")
    guard text.utf8.count >= 2, text.utf8.first == quote, text.utf8.last == quote else {
      return nil
    }
    return EntityTag(String(decoding: text.utf8.dropFirst().dropLast(), as: UTF8.self))
  }
}

extension EntityTag {
  /// The tag as a header has it.
  fileprivate var quoted: String { text.beginsWithBytes(of: "W/\"") ? text : "\"\(text)\"" }
}
