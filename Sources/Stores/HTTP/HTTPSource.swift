internal import TenonStoreKit
internal import TenonText

/// The body of an answer, as it comes.
final class HTTPSource: ByteSource {
  private let exchange: any HTTPExchange
  private let place: Reference
  private let threads: VerbThreads
  let header: [UInt8]?

  init(
    _ exchange: any HTTPExchange, _ url: HTTPURL, _ place: Reference,
    _ threads: VerbThreads
  ) {
    self.exchange = exchange
    self.place = place
    self.threads = threads
    header = HTTPSource.header(exchange, url)
  }

  /// What is known of an answer, as JSON.
  static func header(_ head: any HTTPHead, _ url: HTTPURL, more: String = "") -> [UInt8] {
    let fields = head.fields.map { "[\(JSONText.quoted($0.name)), \(JSONText.quoted($0.value))]" }
    return Array(
      """
      {"status": \(head.status), "url": \(JSONText.quoted(url.text)), \
      "fields": [\(fields.joined(separator: ", "))]\(more)}
      """.utf8)
  }

  func read(atMost count: Int) throws(StoreError) -> [UInt8] {
    do throws(HTTPTransportError) {
      return try exchange.read(atMost: count)
    } catch {
      throw StoreError(
        error.kind, place.hidingPassword, error.reason, systemCode: error.systemCode)
    }
  }

  /// What the answer says of its text.
  var encoding: TextEncoding? {
    exchange["Content-Type"].flatMap { MediaType($0).charset }.flatMap { TextEncoding(named: $0) }
  }

  /// The status of the answer.
  var status: Int { exchange.status }

  /// The whole answer, its body as far as a limit; it is closed.
  func wholeAnswer(limit: Int) throws(StoreError) -> HTTPResponse {
    var body: [UInt8] = []
    while body.count < limit {
      let piece = try read(atMost: limit - body.count)
      if piece.isEmpty { break }
      body += piece
    }
    exchange.close()
    return HTTPResponse(exchange.status, exchange.fields, body)
  }

  var executor: (any VerbExecutor)? { threads }

  func interrupt() { threads.cancel() }

  func close() { exchange.close() }
}
