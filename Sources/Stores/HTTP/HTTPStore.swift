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
/// Threads may use a store at the same time; up to sixteen requests are under way at once.
public final class HTTPStore {
  /// What a program has said about requests.
  private struct Settings {
    var timeout = 30_000
    var limit = 64 << 20
    var certificates: String?
    /// Fields that go with every request to an origin.
    var fields: [String: [HTTPField]] = [:]
  }

  /// Whether somebody wants the program to stop: asked while the interpreter's thread waits for a server.
  public var isInterrupted: () -> Bool = { false }

  let scheme: String
  let transport: any HTTPTransport
  /// The time in milliseconds, since some moment.
  private let now: @Sendable () -> Int
  private let settings = Mutex(Settings())
  private let threads = VerbThreads(width: 16)

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
    let isName =
      !name.isEmpty
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
    let isValue = value?.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ?? true
    guard isName, isValue else {
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

  // MARK: Requests

  /// How often a server may send on.
  private static let mostRedirects = 5

  /// Sends a request and follows redirects.
  ///
  /// - Returns: The answer, and where it came from.
  func send(
    _ method: String, _ reference: Reference, fields extra: [HTTPField] = [],
    body: [UInt8]? = nil, suffix: String = ""
  ) throws(StoreError) -> (answer: HTTPResponse, url: HTTPURL) {
    var url = try HTTPURL(reference, scheme: scheme)
    if !suffix.isEmpty {
      url = HTTPURL(scheme: url.scheme, authority: url.authority, target: url.target + suffix)
    }
    let origin = url.origin
    let credentials = HTTPURL.credentials(of: reference)
    let settings = settings.withLock { $0 }
    let end = now() + settings.timeout
    for _ in 0...HTTPStore.mostRedirects {
      var request = HTTPRequest(method, url)
      request.fields = HTTPField.replacing(extra, by: settings.fields[url.origin] ?? [])
      if url.origin == origin, let credentials {
        request.fields.removeAll { $0.name.lowercased() == "authorization" }
        request.fields.append(
          HTTPField("Authorization", "Basic " + Base64.encoded(Array(credentials.utf8))))
      }
      request.body = body
      request.timeout = end - now()
      request.limit = settings.limit
      request.certificates = settings.certificates
      guard request.timeout > 0 else { throw timeOut(reference) }
      let answer: HTTPResponse
      do throws(HTTPTransportError) {
        answer = try transport.answer(to: request) { mustStop }
      } catch {
        if error.kind == .timeout, !mustStop { throw timeOut(reference) }
        throw StoreError(
          error.kind, reference.hidingPassword, error.reason, systemCode: error.systemCode)
      }
      guard answer.isRedirect(of: method), let location = answer["Location"] else {
        return (answer, url)
      }
      guard let next = url.following(location) else {
        throw StoreError(
          .invalidReference, reference.hidingPassword,
          "the server sends on to something that is no address")
      }
      url = next
    }
    throw StoreError(
      .io, reference.hidingPassword,
      "the server sends on more than \(HTTPStore.mostRedirects) times")
  }

  /// Whether nobody waits any more for the request of the calling thread.
  private var mustStop: Bool { threads.isCancelled ?? isInterrupted() }

  private func timeOut(_ reference: Reference) -> StoreError {
    let timeout = timeout
    let seconds = timeout % 1000 == 0 ? "\(timeout / 1000) s" : "\(timeout) ms"
    return StoreError(.timeout, reference.hidingPassword, "no answer within \(seconds)")
  }
}

extension HTTPResponse {
  /// Whether it sends a request on to another place with the same method.
  ///
  /// After 303 the change has been made, and what a POST comes to after 301 or 302 is open.
  fileprivate func isRedirect(of method: String) -> Bool {
    let isReading = method == "GET" || method == "HEAD"
    return switch status {
    case 307, 308: true
    case 301, 302: method != "POST"
    case 303: isReading
    default: false
    }
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
