internal import TenonStoreKit
internal import TenonText

/// The way of a request from server to server: where it goes next, and what goes with it there.
///
/// Servers that were not granted are refused at each step, and what says who asks goes to the first origin alone.
struct HTTPRoute {
  let reference: Reference
  private let settings: HTTPStore.Settings
  /// The fields that any request of this kind has, and those that the program has set.
  private var extra: [HTTPField]
  private var own: [HTTPField]
  private var body: [UInt8]?
  private let origin: String
  private let credentials: String?
  private var end: Int
  private let limit: Int
  private var steps = 0
  private(set) var method: String
  private(set) var url: HTTPURL
  /// Whether it goes on to where servers send it.
  var follows = true
  /// Whether what a change has come to is asked for where the server says that it can be read.
  var changesMethod = false
  /// Whether the body is sent piece by piece, so that another request needs it once more.
  var hasPieces = false
  /// Whether a server has sent on what is to be sent with its body, which has gone.
  private(set) var needsBody = false

  /// How often a server may send on.
  private static let mostSteps = 5

  /// Creates the way of a request that takes some milliseconds at most, from a moment on; the suffix stands behind
  /// the address.
  init(
    _ method: String, _ reference: Reference, scheme: String, suffix: String,
    _ settings: HTTPStore.Settings, fields: [HTTPField], own: [HTTPField], body: [UInt8]?,
    from start: Int, within limit: Int
  ) throws(StoreError) {
    let url = try HTTPURL(reference, scheme: scheme)
    self.method = method
    self.reference = reference
    self.settings = settings
    extra = fields
    self.own = own
    self.body = body
    self.url =
      suffix.isEmpty
      ? url : HTTPURL(scheme: url.scheme, authority: url.authority, target: url.target + suffix)
    origin = url.origin
    credentials = HTTPURL.credentials(of: reference)
    end = start + limit
    self.limit = limit
  }

  /// Refuses a request that was not granted.
  func check() throws(StoreError) { try settings.check(method, url, for: reference) }

  /// Has the time begin anew: that of a program between the parts of a request counts for nothing.
  mutating func restart(at now: Int) { end = now + limit }

  /// The next request.
  mutating func request(at now: Int) throws(StoreError) -> HTTPRequest {
    try check()
    // What says who asks is for nobody else.
    if url.origin != origin { own.removeAll { $0.isSecret } }
    var request = settings.request(method, url)
    request.fields = HTTPField.replacing(
      HTTPField.replacing(extra, by: settings.fields[url.origin] ?? []), by: own)
    if url.origin == origin, let credentials, !own.contains(where: \.isAuthorization) {
      request.fields.removeAll { $0.isAuthorization }
      request.fields.append(
        HTTPField("Authorization", "Basic " + Base64.encoded(Array(credentials.utf8))))
    }
    request.body = body
    request.timeout = end - now
    guard request.timeout > 0 else { throw timeOut }
    return request
  }

  /// Takes an answer.
  ///
  /// - Returns: Whether it sends on, so that there is another request.
  /// - Throws: `StoreError` when it sends on too often, or to no address.
  mutating func goesOn(after head: any HTTPHead) throws(StoreError) -> Bool {
    needsBody = false
    guard follows, let location = head["Location"] else { return false }
    if changesMethod, head.asksForGet(after: method) {
      // The change has been made, and its outcome is to be read elsewhere.
      (method, body, hasPieces) = ("GET", nil, false)
      extra.removeAll { $0.saysWhatIsSent }
      own.removeAll { $0.saysWhatIsSent }
    } else if !head.isRedirect(of: method) {
      return false
    }
    guard let next = url.following(location) else {
      throw StoreError(
        .invalidReference, reference.hidingPassword,
        "the server sends on to something that is no address")
    }
    url = next
    steps += 1
    guard steps <= HTTPRoute.mostSteps else {
      throw StoreError(
        .io, reference.hidingPassword, "the server sends on more than \(HTTPRoute.mostSteps) times"
      )
    }
    needsBody = hasPieces
    return true
  }

  /// The error for a server that does not answer in time.
  var timeOut: StoreError {
    let time = limit % 1000 == 0 ? "\(limit / 1000) s" : "\(limit) ms"
    return StoreError(.timeout, reference.hidingPassword, "no answer within \(time)")
  }
}

extension HTTPField {
  fileprivate var isAuthorization: Bool { name.lowercased() == "authorization" }

  /// Whether it is about the body of a request.
  fileprivate var saysWhatIsSent: Bool { name.lowercased().hasPrefix("content-") }

  /// Whether it says who asks.
  fileprivate var isSecret: Bool {
    ["authorization", "cookie", "proxy-authorization"].contains(name.lowercased())
  }
}

extension HTTPHead {
  /// Whether what a request has come to is to be read at another place, as browsers and other clients do
  /// after a change.
  fileprivate func asksForGet(after method: String) -> Bool {
    switch status {
    case 303: method != "HEAD" && method != "GET"
    case 301, 302: method == "POST"
    default: false
    }
  }

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
