internal import Synchronization
package import TenonStoreKit
internal import TenonText

/// Carries one request to a server and brings the answer: what stands between the store and the
/// network, so that tests can answer, delay and fail as no server does on demand.
///
/// A transport follows no redirects, repeats nothing and keeps no credentials: that is the store's
/// affair. Threads may use one at the same time.
package protocol HTTPTransport: Sendable {
  /// Sends a request and waits for the whole answer.
  ///
  /// - Parameters:
  ///   - request: What is sent.
  ///   - isInterrupted: Asked while it waits, at least ten times a second.
  /// - Returns: The answer, whatever its status.
  /// - Throws: `HTTPTransportError`.
  func answer(
    to request: HTTPRequest, isInterrupted: () -> Bool
  ) throws(HTTPTransportError) -> HTTPResponse

  /// Sends a request and waits for the header of the answer.
  func open(
    _ request: HTTPRequest, isInterrupted: @escaping () -> Bool
  ) throws(HTTPTransportError) -> any HTTPExchange

  /// Begins a request whose body comes piece by piece.
  func upload(
    _ request: HTTPRequest, size: Int?, isInterrupted: @escaping () -> Bool
  ) throws(HTTPTransportError) -> any HTTPUpload

  /// Connects to the server of a request, and sends nothing.
  func connect(
    _ request: HTTPRequest, isInterrupted: () -> Bool
  ) throws(HTTPTransportError) -> any HTTPConnection
}

extension HTTPTransport {
  /// Sends a request and waits for the header of the answer.
  ///
  /// - Parameters:
  ///   - request: What is sent; its `timeout` is the longest time without news, its `limit` counts for
  ///     nothing.
  ///   - isInterrupted: Asked while it waits, at least ten times a second.
  /// - Returns: The answer; its body comes as it is read.
  /// - Throws: `HTTPTransportError`.
  package func open(
    _ request: HTTPRequest, isInterrupted: @escaping () -> Bool
  ) throws(HTTPTransportError) -> any HTTPExchange {
    WholeAnswer(try answer(to: request, isInterrupted: isInterrupted))
  }

  /// Begins a request whose body comes piece by piece.
  ///
  /// - Parameters:
  ///   - request: What is sent, without a body; its `timeout` is the longest time without news.
  ///   - size: How many bytes there will be; nil where that is not known.
  ///   - isInterrupted: Asked while it waits, at least ten times a second.
  /// - Returns: What takes the body.
  /// - Throws: `HTTPTransportError`.
  package func upload(
    _ request: HTTPRequest, size: Int?, isInterrupted: @escaping () -> Bool
  ) throws(HTTPTransportError) -> any HTTPUpload {
    CollectedUpload(request) { [self] (request) throws(HTTPTransportError) in
      try open(request, isInterrupted: isInterrupted)
    }
  }

  /// Connects to the server of a request, and sends nothing.
  ///
  /// - Parameters:
  ///   - request: Where, by which way and how long; the rest counts for nothing.
  ///   - isInterrupted: Asked while it waits, at least ten times a second.
  /// - Returns: The connection, which says nothing of HTTP any more.
  /// - Throws: `HTTPTransportError`.
  package func connect(
    _ request: HTTPRequest, isInterrupted: () -> Bool
  ) throws(HTTPTransportError) -> any HTTPConnection {
    throw HTTPTransportError(.unsupported, "it makes no connections")
  }
}

/// A request whose body goes out piece by piece.
///
/// One thread at a time uses it.
package protocol HTTPUpload: AnyObject {
  /// Sends bytes of the body, all of them unless there is an answer first.
  ///
  /// - Returns: Whether the server wants more; else it has answered without the rest.
  /// - Throws: `HTTPTransportError`.
  func write(_ bytes: [UInt8]) throws(HTTPTransportError) -> Bool

  /// Ends the body and waits for the header of the answer.
  ///
  /// - Throws: `HTTPTransportError`.
  func finish() throws(HTTPTransportError) -> any HTTPExchange

  /// Breaks the connection, so that the server does not take what has come for all there is.
  func cancel()
}

/// A body that is collected, for a transport that sends it as a whole.
private final class CollectedUpload: HTTPUpload {
  private var request: HTTPRequest
  private var body: [UInt8] = []
  private let send: (HTTPRequest) throws(HTTPTransportError) -> any HTTPExchange

  init(
    _ request: HTTPRequest,
    _ send: @escaping (HTTPRequest) throws(HTTPTransportError) -> any HTTPExchange
  ) {
    self.request = request
    self.send = send
  }

  func write(_ bytes: [UInt8]) -> Bool {
    body += bytes
    return true
  }

  func finish() throws(HTTPTransportError) -> any HTTPExchange {
    request.body = body
    return try send(request)
  }

  func cancel() { body = [] }
}

/// Bytes to and from a server, without HTTP: secure or through a proxy where the request says so.
///
/// One thread at a time uses it, but for `wait`.
package protocol HTTPConnection: AnyObject, Sendable {
  /// Sends bytes, as many as go at once.
  ///
  /// - Returns: How many that were.
  /// - Throws: `HTTPTransportError`.
  func send(_ bytes: [UInt8]) throws(HTTPTransportError) -> Int

  /// Takes bytes that have come; none at the end, nil when there are none yet.
  ///
  /// - Throws: `HTTPTransportError`.
  func receive() throws(HTTPTransportError) -> [UInt8]?

  /// Waits a moment until there are bytes to take, or bytes can be sent where some are to be.
  func wait(toSend: Bool)

  /// Ends it.
  func close()
}

/// An answer whose body comes piece by piece.
///
/// One thread at a time uses it.
package protocol HTTPExchange: HTTPHead, AnyObject {
  /// Reads the next bytes of the body; none at the end.
  ///
  /// - Throws: `HTTPTransportError`.
  func read(atMost count: Int) throws(HTTPTransportError) -> [UInt8]

  /// Ends the exchange; a server that has more to say finds nobody.
  func close()
}

/// An answer that has come as a whole.
private final class WholeAnswer: HTTPExchange {
  let status: Int
  let fields: [HTTPField]
  private var rest: ArraySlice<UInt8>

  init(_ answer: HTTPResponse) {
    status = answer.status
    fields = answer.fields
    rest = answer.body[...]
  }

  func read(atMost count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  func close() { rest = [] }
}

/// What stands before the body of an answer.
package protocol HTTPHead {
  /// The status, from 200 on.
  var status: Int { get }
  /// The fields of the header.
  var fields: [HTTPField] { get }
}

extension HTTPHead {
  /// The value of the first field of a name, whatever its case; nil for none.
  package subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// A request.
package struct HTTPRequest: Sendable {
  /// `GET`, `PUT` and the like.
  package var method: String
  /// Where it goes.
  package var url: HTTPURL
  /// The fields of the header besides those of the connection.
  package var fields: [HTTPField] = []
  /// What is sent; nil for nothing, which is not the same as no bytes.
  package var body: [UInt8]?
  /// How long all of it may take, in milliseconds.
  package var timeout = 30_000
  /// The most bytes of an answer's body, its compression undone.
  package var limit = 64 << 20
  /// The file with the certificates of those who are trusted; nil for those whom the system trusts.
  package var certificates: String?
  /// The proxy that it goes through, none if empty; nil for the one that the environment names.
  package var proxy: String?
  /// Where cookies are kept; nil for nowhere.
  package var cookies: CookieJar?

  /// Creates a request without a body.
  package init(_ method: String, _ url: HTTPURL) {
    self.method = method
    self.url = url
  }
}

/// A field of a header.
package struct HTTPField: Sendable, Equatable {
  /// The name, in whatever case it came.
  package let name: String
  /// The value, without blanks around it.
  package let value: String

  /// Creates a field.
  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// A text without blanks and line ends around it.
  static func trimmed(_ text: Substring) -> String {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || 0x09...0x0D ~= $0 }
    let rest = text.utf8.drop(while: isBlank)
    let count = rest.reversed().prefix(while: isBlank).count
    return String(decoding: rest.dropLast(count), as: UTF8.self)
  }

  /// The fields of a header, in which those that a program has set take the places of others of their
  /// names (RFC 9110, 5.3: a field that is no list comes once).
  static func replacing(_ fields: [HTTPField], by others: [HTTPField]) -> [HTTPField] {
    let names = Set(others.map { $0.name.lowercased() })
    return fields.filter { !names.contains($0.name.lowercased()) } + others
  }
}

/// An answer.
package struct HTTPResponse: HTTPHead, Sendable {
  /// The status, from 200 on.
  package var status: Int
  /// The fields of the header.
  package var fields: [HTTPField]
  /// The body, its compression undone.
  package var body: [UInt8]

  /// Creates an answer.
  package init(_ status: Int, _ fields: [HTTPField] = [], _ body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}

/// Cookies, from one request to the next, in the form that libcurl reads and writes.
///
/// Threads may use it at the same time.
package final class CookieJar: Sendable {
  private let lines = Mutex<[String]>([])

  /// Creates a jar without cookies.
  package init() {}

  /// The cookies, each as a line of Netscape's format.
  package var all: [String] { lines.withLock { $0 } }

  /// Takes the cookies that there are after a request: of those that went with it, some may be gone, and
  /// those of other requests stay.
  package func take(_ known: [String], sent: [String]) {
    let names = Set((known + sent).map(CookieJar.name))
    lines.withLock { lines in
      lines.removeAll { names.contains(CookieJar.name(of: $0)) }
      lines += known
    }
  }

  /// What a cookie is known by: domain, path and name, parted by tabulators.
  private static func name(of line: String) -> String {
    let fields = line.parts(between: 0x09, omittingEmpty: false)
    return fields.count < 6 ? line : [fields[0], fields[2], fields[5]].joined(separator: "\t")
  }
}

/// Why there is no answer.
package struct HTTPTransportError: Error, Sendable {
  /// What kind of failure it is.
  package let kind: StoreError.Kind
  /// What went wrong: lower case, no full stop.
  package let reason: String
  /// The number of the system's error, when there was one.
  package let systemCode: Int32?
  /// Whether the request surely has not reached the server.
  package var isUnsent = false

  /// Creates an error.
  package init(_ kind: StoreError.Kind, _ reason: String, systemCode: Int32? = nil) {
    self.kind = kind
    self.reason = reason
    self.systemCode = systemCode
  }
}
