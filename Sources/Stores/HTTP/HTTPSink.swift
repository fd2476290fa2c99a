internal import Synchronization
internal import TenonStoreKit
internal import TenonText

/// The body of a request, which goes out as it is written.
///
/// What is cancelled, or written only in part, breaks the connection: no server takes it for a whole. One thread
/// at a time uses it.
final class HTTPSink: ByteSink, @unchecked Sendable {
  private let store: HTTPStore
  private let place: Reference
  private var route: HTTPRoute
  private let size: Int?
  private let threads: VerbThreads
  /// By what the store knows it, where a program asks for the answer; else one that is none of success is an error.
  private let key: String?
  private var upload: (any HTTPUpload)?
  private var exchange: (any HTTPExchange)?
  private var count = 0

  /// What the answer to an upload comes to.
  enum Answer {
    /// There is none yet.
    case none
    /// It is this one.
    case source(HTTPSource)
    /// The server sends on to an address, where the body is to be sent once more.
    case again(String)
  }

  init(
    _ route: HTTPRoute, of store: HTTPStore, size: Int?, key: String? = nil
  ) throws(StoreError) {
    try route.check()
    self.store = store
    self.route = route
    self.route.hasPieces = true
    self.route.changesMethod = true
    self.size = size
    self.key = key
    place = route.reference
    // What goes out for long keeps no thread from the requests.
    threads = VerbThreads(width: 1)
  }

  deinit { upload?.cancel() }

  var executor: (any VerbExecutor)? { threads }
  var replaces: Bool { true }

  func write(_ bytes: [UInt8]) throws(StoreError) {
    guard exchange == nil else { throw refused }
    count += bytes.count
    if let size, count > size {
      cancel()
      throw changed("longer", than: size)
    }
    let wantsMore = try talking { () throws(HTTPTransportError) in
      let upload = try begun()
      if try upload.write(bytes) { return true }
      exchange = try upload.finish()
      return false
    }
    if wantsMore { return }
    if key == nil { try conclude() }
    throw refused
  }

  func finish() throws(StoreError) {
    if exchange == nil {
      if let size, count < size {
        cancel()
        throw changed("shorter", than: size)
      }
      exchange = try talking { () throws(HTTPTransportError) in try begun().finish() }
    }
    if key == nil { try conclude() }
  }

  func cancel() {
    // What has been answered is over, and may still be asked for.
    guard exchange == nil else { return }
    upload?.cancel()
    upload = nil
    if let key { store.exchanges.withLock { $0.uploads[key] = nil } }
  }

  /// The answer, or where the server sends on to; the body goes there by the next writes.
  func answer() throws(StoreError) -> Answer {
    guard let exchange else { return .none }
    self.exchange = nil
    upload = nil
    count = 0
    guard try route.goesOn(after: exchange) else {
      return .source(HTTPSource(exchange, route.url, place, threads))
    }
    exchange.close()
    if route.needsBody { return .again(route.url.text) }
    route.restart(at: store.now())
    let (answer, url) = try store.following(&route) { (request) throws(HTTPTransportError) in
      try store.transport.open(request, isInterrupted: store.interruption(of: threads))
    }
    return .source(HTTPSource(answer, url, place, threads))
  }

  // MARK: Steps

  private func begun() throws(HTTPTransportError) -> any HTTPUpload {
    if let upload { return upload }
    route.restart(at: store.now())
    let request: HTTPRequest
    do throws(StoreError) {
      request = try route.request(at: store.now())
    } catch {
      throw HTTPTransportError(error.kind, error.reason)
    }
    let begun = try store.transport.upload(
      request, size: size, isInterrupted: store.interruption(of: threads))
    upload = begun
    return begun
  }

  private func talking<Answer>(
    _ body: () throws(HTTPTransportError) -> Answer
  ) throws(StoreError) -> Answer {
    do throws(HTTPTransportError) {
      return try body()
    } catch {
      cancel()
      throw store.failure(error, of: route)
    }
  }

  /// Takes the answer where no program does.
  private func conclude() throws(StoreError) {
    let method = route.method
    switch try answer() {
    case .none: break
    case .source(let source):
      let answer = try source.wholeAnswer(limit: 1 << 16)
      guard !(200..<300).contains(answer.status) else { return }
      throw store.failure(answer, method, nil, place)
    case .again(let url):
      throw StoreError(
        .io, place.hidingPassword,
        "the server sends on to \(url), and what was written cannot be sent again")
    }
  }

  private var refused: StoreError {
    StoreError(
      .closed, place.hidingPassword, "the server has answered before all of it was sent")
  }

  private func changed(_ how: String, than size: Int) -> StoreError {
    StoreError(
      .conflict, place.hidingPassword,
      "what is sent has changed meanwhile: it is \(how) than \(size) bytes")
  }
}

/// The uploads and sockets that a program goes on with, by what it knows them by.
struct OpenExchanges {
  var uploads: [String: HTTPSink] = [:]
  var sockets: [Int: WeakSocket] = [:]
  var lastSocket = 0

  /// A socket that lives as long as its stream.
  struct WeakSocket {
    weak var socket: WebSocket?
  }
}

extension HTTPStore {
  /// What takes the body of a request that a program has put together, or, after a redirect, takes it again.
  func sink(
    _ members: [JSONPart.Member], at reference: Reference
  ) throws(StoreError) -> HTTPSink {
    guard let key = members.text("key") else {
      throw StoreError(.encode, reference.hidingPassword, "an upload has a key")
    }
    if let known = exchanges.withLock({ $0.uploads[key] }) { return known }
    let order = try HTTPOrder(members, at: reference, of: self)
    var route = try route(
      order.method, reference, fields: uploadFields(of: reference), own: order.fields,
      timeout: order.timeout)
    route.follows = order.follows
    let sink = try HTTPSink(
      route, of: self, size: members.part("size")?.wholeNumber, key: key)
    exchanges.withLock { $0.uploads[key] = sink }
    return sink
  }

  /// What replaces a place by what is written to it.
  func sink(at reference: Reference) throws(StoreError) -> HTTPSink {
    let route = try route(
      "PUT", reference, fields: uploadFields(of: reference), own: [], timeout: nil)
    return try HTTPSink(route, of: self, size: nil)
  }

  private func uploadFields(of reference: Reference) -> [HTTPField] {
    let type = contentType(of: reference)
    return [
      HTTPField("Accept", "*/*"),
      HTTPField("Content-Type", type == MediaType.any ? "application/octet-stream" : type),
    ]
  }

  /// The answer to an upload; nil when there is none, the address where the server sends on to.
  func answer(toUpload key: String) throws(StoreError) -> CommandAnswer {
    guard let sink = exchanges.withLock({ $0.uploads[key] }) else { return .done }
    let answer: HTTPSink.Answer
    do throws(StoreError) {
      answer = try sink.answer()
    } catch {
      exchanges.withLock { $0.uploads[key] = nil }
      throw error
    }
    if case .again(let url) = answer {
      return .resource(Resource(Array(JSONText.quoted(url).utf8), contentType: "application/json"))
    }
    exchanges.withLock { $0.uploads[key] = nil }
    if case .source(let source) = answer { return .source(source) }
    return .done
  }
}
