internal import TenonStoreKit
internal import TenonText

/// What client and server say to each other before they send messages: RFC 6455, section 4.
struct WebSocketHandshake {
  private let request: HTTPRequest
  private let key: String
  /// The protocols that the program speaks, of which the server chooses one.
  private let protocols: [String]

  /// What the server has answered, and what has come behind that.
  struct Answer {
    let response: HTTPResponse
    let rest: [UInt8]
  }

  /// The most bytes of a header, and of what a server says that refuses.
  private static let limit = 64 << 10

  /// Creates the handshake of a request.
  ///
  /// - Parameters:
  ///   - request: Where it goes; its fields go with it.
  ///   - nonce: Sixteen bytes that nobody foresees.
  init(_ request: HTTPRequest, nonce: [UInt8]) {
    self.request = request
    key = Base64.encoded(nonce)
    protocols = request.fields.filter { $0.name.lowercased() == "sec-websocket-protocol" }
      .flatMap { HTTPField.elements(of: $0.value) }
  }

  /// What the server answers to a key.
  static func accept(_ key: String) -> String {
    var digest = Digest(.sha1)
    let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    unsafe text.withUnsafeBytes { unsafe digest.add($0) }
    return Base64.encoded(digest.value)
  }

  /// The bytes of the request.
  var bytes: [UInt8] {
    let own = ["host", "upgrade", "connection", "sec-websocket-key", "sec-websocket-version"]
    var lines = [
      "GET \(request.url.target) HTTP/1.1", "Host: \(request.url.authority)",
      "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: \(key)",
      "Sec-WebSocket-Version: 13", "User-Agent: tenon",
    ]
    for field in request.fields where !own.contains(field.name.lowercased()) {
      lines.append("\(field.name): \(field.value)")
    }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// Sends the request and reads the answer, whatever it is.
  ///
  /// - Parameters:
  ///   - connection: What it talks over.
  ///   - isInterrupted: Asked while it waits, at least ten times a second; throws when there is no time left.
  /// - Returns: The answer, and what has come behind it.
  /// - Throws: `HTTPTransportError`.
  func carryOut(
    over connection: any HTTPConnection, _ isInterrupted: () throws(HTTPTransportError) -> Void
  ) throws(HTTPTransportError) -> Answer {
    var left = bytes[...]
    while !left.isEmpty {
      left = left.dropFirst(try connection.send(Array(left)))
      try isInterrupted()
      if !left.isEmpty { connection.wait(toSend: true) }
    }
    var come: [UInt8] = []
    var response: HTTPResponse?
    while true {
      if response == nil, let (head, size) = try WebSocketHandshake.head(of: come) {
        come.removeFirst(size)
        // That of a provisional answer is over.
        guard head.status == 101 || head.status >= 200 else { continue }
        response = head
      }
      if var response {
        let size = response.status == 101 ? 0 : response["Content-Length"].flatMap { Int($0) } ?? 0
        if come.count >= min(max(0, size), WebSocketHandshake.limit) {
          guard response.status != 101 else { return Answer(response: response, rest: come) }
          response.body = Array(come.prefix(max(0, size)))
          return Answer(response: response, rest: [])
        }
      }
      try isInterrupted()
      guard let more = try connection.receive() else {
        connection.wait(toSend: false)
        continue
      }
      come += more
      guard more.isEmpty else { continue }
      guard let response else {
        throw HTTPTransportError(
          .network, "\(request.url.authority) ended the connection without an answer")
      }
      return Answer(response: response, rest: [])
    }
  }

  /// The header that some bytes begin with, and its size; nil when it has not come as a whole.
  private static func head(
    of bytes: [UInt8]
  ) throws(HTTPTransportError) -> (HTTPResponse, size: Int)? {
    let noHTTP = HTTPTransportError(.decode, "the answer is no HTTP")
    let end = Array("\r\n\r\n".utf8)
    let window = bytes.prefix(limit)
    guard
      let start = window.indices.first(where: {
        window[$0] == 0x0D && window[$0...].starts(with: end)
      })
    else {
      if bytes.count >= limit {
        throw HTTPTransportError(.tooLarge, "the header of the answer is too long")
      }
      guard bytes.prefix(5).elementsEqual(Array("HTTP/".utf8).prefix(bytes.count)) else {
        throw noHTTP
      }
      return nil
    }
    let lines = String(decoding: bytes[..<start], as: UTF8.self).parts(
      between: 0x0A, omittingEmpty: false)
    let words = (lines.first ?? "").parts(between: 0x20)
    guard words.count >= 2, words[0].utf8.starts(with: "HTTP/1.".utf8),
      let status = Int(words[1].utf8.last == 0x0D ? String(words[1].dropLast()) : String(words[1])),
      (100...599).contains(status)
    else { throw noHTTP }
    let fields = lines.dropFirst().compactMap { HTTPField(line: $0) }
    return (HTTPResponse(status, fields), start + end.count)
  }

  /// Why an answer with the status 101 opens no socket; nil when it does.
  func refusal(of answer: HTTPResponse) -> String? {
    func has(_ name: String, _ word: String) -> Bool {
      answer.fields.contains { field in
        field.name.lowercased() == name
          && HTTPField.elements(of: field.value).contains { $0.lowercased() == word }
      }
    }
    guard has("upgrade", "websocket"), has("connection", "upgrade") else {
      return "the server changes to another protocol"
    }
    guard answer["Sec-WebSocket-Accept"] == WebSocketHandshake.accept(key) else {
      return "the server's answer belongs to another request"
    }
    guard answer["Sec-WebSocket-Extensions"]?.isEmpty ?? true else {
      return "the server uses an extension that was not asked for"
    }
    if let chosen = answer["Sec-WebSocket-Protocol"], !protocols.contains(chosen) {
      return "the server speaks '\(chosen.printable)', which was not asked for"
    }
    return nil
  }
}

extension HTTPField {
  /// The field that a line of a header has; nil for none.
  fileprivate init?(line: String) {
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    self.init(
      HTTPField.trimmed(line[..<colon]), HTTPField.trimmed(line[line.utf8.index(after: colon)...]))
  }

  /// The elements of a list.
  fileprivate static func elements(of value: String) -> [String] {
    value.parts(between: UInt8(ascii: ",")).map { trimmed($0[...]) }
  }
}
