import Dispatch
import Synchronization
import TenonStoreKit
import TenonText
import Testing

@testable import TenonStores

/// What the client makes of requests and answers; nothing reaches a network.
@Suite struct HTTPStoreTests {
  func web(_ path: String, _ authority: String = "h") throws -> Reference {
    try Reference(
      scheme: "http", authority: authority,
      components: path.split(separator: "/").map(String.init), isAbsolute: true,
      isDirectory: path.hasSuffix("/"))
  }

  func status(_ number: Int, _ fields: [HTTPField] = []) -> ScriptedTransport {
    ScriptedTransport { (_) throws(HTTPTransportError) in HTTPResponse(number, fields) }
  }

  @Test func everythingIsEncodedOnce() throws {
    let transport = status(404)
    let store = transport.store()
    let reference = try Reference(
      scheme: "http", authority: "example.org:8080",
      components: ["a b", "50%", "x/y", "é", "c+d=e&f", "~-._!$'()*,;:@"], isAbsolute: true,
      query: [.init("q", "a b&c=d+e%"), .init("flag", nil), .init("é", "")])
    _ = try store.get(reference, if: nil)
    #expect(
      transport.requests.last?.url.text
        == "http://example.org:8080/a%20b/50%25/x%2Fy/%C3%A9/c+d=e&f/~-._!$'()*,;:@"
        + "?q=a%20b%26c%3Dd%2Be%25&flag&%C3%A9=")
    #expect(try transport.requests.last?.url.reference(authority: nil) == reference)
    _ = try store.get(try web("/"), if: nil)
    #expect(transport.requests.last?.url.text == "http://h/")
    _ = try store.get(try web("a/"), if: nil)
    #expect(transport.requests.last?.url.text == "http://h/a/")
  }

  @Test(arguments: ["", "a b", "h:0", "h:99999", "h:x", ":80", "h/x", "h\r\nX: 1", "[::1", "a:1:2"])
  func whatIsNoHostIsRefused(_ authority: String) throws {
    let transport = status(200)
    #expect(
      kind { _ = try transport.store().get(web("a", authority), if: nil) } == .invalidReference)
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: ["h", "h:80", "[::1]", "[fe80::1%25eth0]:8080", "user:x@h", "é.example"])
  func whatIsAHostIsTaken(_ authority: String) throws {
    let transport = status(404)
    _ = try transport.store().get(web("a", authority), if: nil)
    #expect(transport.requests.count == 1)
  }

  @Test func dotsDoNotLeadElsewhere() throws {
    let transport = status(200)
    for path in ["a/../b", "./a", ".."] {
      #expect(kind { _ = try transport.store().get(web(path), if: nil) } == .invalidReference)
    }
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: [
    (401, StoreError.Kind.needsAuth), (403, .permission), (405, .unsupported), (409, .conflict),
    (412, .preconditionFailed), (413, .tooLarge), (415, .encode), (422, .encode), (423, .locked),
    (429, .unavailable), (500, .unavailable), (501, .unsupported), (502, .unavailable),
    (503, .unavailable), (504, .unavailable), (400, .encode), (404, .notFound), (418, .io),
    (301, .io),
  ])
  func failuresAreToldApart(_ number: Int, _ expected: StoreError.Kind) throws {
    let store = status(number).store()
    #expect(kind { try store.put(web("a"), Resource("x"), if: nil) } == expected)
  }

  @Test func failuresReadLikeSentences() throws {
    func text(_ transport: ScriptedTransport) -> String? {
      message { _ = try transport.store().get(web("a"), if: nil) }
    }
    #expect(text(status(401)) == "http://h/a: the server asks who is asking")
    #expect(text(status(403)) == "http://h/a: the server forbids it")
    #expect(
      text(status(405, [HTTPField("Allow", "PUT")]))
        == "http://h/a: the server does not support GET, only PUT")
    #expect(
      text(status(503, [HTTPField("Retry-After", "7")]))
        == "http://h/a: the server is not available; it may be in 7 s")
    #expect(text(status(500)) == "http://h/a: the server has failed")
  }

  @Test func serversSayWhenToComeBack() throws {
    func after(_ text: String, date: String? = nil) throws -> Double? {
      let fields = [HTTPField("Retry-After", text)] + (date.map { [HTTPField("Date", $0)] } ?? [])
      do throws(StoreError) {
        let place = try Reference(scheme: "http", authority: "h", components: [])
        _ = try status(503, fields).store().get(place, if: nil)
      } catch {
        return error.retryAfter
      }
      return nil
    }
    #expect(try after("12") == 12)
    #expect(try after("-3") == nil)
    #expect(try after("soon") == nil)
    #expect(
      try after("Sun, 06 Nov 1994 08:50:37 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT") == 60)
    #expect(
      try after("Sun, 06 Nov 1994 08:48:37 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT") == 0)
  }

  @Test func datesAreSeconds() {
    #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(HTTPDate.seconds("Thu, 29 Feb 2024 12:00:00 GMT") == 1_709_208_000)
    #expect(HTTPDate.seconds("Fri, 01 Mar 2024 00:00:00 GMT") == 1_709_251_200)
    for text in ["", "now", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Foo 1994 08:49:37 GMT"] {
      #expect(HTTPDate.seconds(text) == nil)
    }
  }

  @Test func aProblemNamesItsKind() throws {
    let body = Array(#"{"kind": "notEmpty", "detail": "there is\n more below"}"#.utf8)
    let transport = ScriptedTransport { (_) throws(HTTPTransportError) in
      HTTPResponse(409, [HTTPField("Content-Type", "application/problem+json")], body)
    }
    #expect(kind { _ = try transport.store().delete(web("a"), if: nil) } == .notEmpty)
    #expect(
      message { _ = try transport.store().delete(web("a"), if: nil) }
        == "http://h/a: there is more below")
  }

  @Test func conditionsTravelInTheHeader() throws {
    let transport = status(204)
    let store = transport.store()
    func sent(_ condition: Precondition) throws -> [String?] {
      try store.put(web("a"), Resource("x"), if: condition)
      return [transport.field("If-Match"), transport.field("If-None-Match")]
    }
    #expect(try sent(.absent) == [nil, "*"])
    #expect(try sent(.exists) == ["*", nil])
    #expect(try sent(.matches(EntityTag("t"))) == ["\"t\"", nil])
    #expect(try sent(.differs(EntityTag("t"))) == [nil, "\"t\""])
    #expect(try sent(.differs(EntityTag("W/\"t\""))) == [nil, "W/\"t\""])
  }

  @Test func aServerNeedNotKnowConditions() throws {
    let transport = status(200, [HTTPField("ETag", "\"new\"")])
    let store = transport.store()
    guard case .unchanged = try store.get(web("a"), if: .differs(EntityTag("new"))) else {
      Issue.record("it is the same")
      return
    }
    #expect(
      kind { _ = try store.get(web("a"), if: .matches(EntityTag("old"))) } == .preconditionFailed)
    #expect(kind { _ = try store.get(web("a"), if: .absent) } == .preconditionFailed)
    let missing = status(404).store()
    #expect(kind { _ = try missing.get(web("a"), if: .exists) } == .preconditionFailed)
    #expect(
      kind { _ = try missing.delete(web("a"), if: .matches(EntityTag("old"))) }
        == .preconditionFailed)
    #expect(try !missing.delete(web("a"), if: nil))
  }

  @Test func credentialsStayWithTheirOrigin() throws {
    var targets = ["http://h/b", "https://h/c", "http://other/d"]
    let transport = ScriptedTransport { (_) throws(HTTPTransportError) in
      targets.isEmpty
        ? HTTPResponse(404) : HTTPResponse(302, [HTTPField("Location", targets.removeFirst())])
    }
    let store = transport.store()
    try store.setField("X-Key", "secret", for: web("a"))
    _ = try store.get(web("a", "ada:l%40ve@h"), if: nil)
    func has(_ name: String) -> [Bool] {
      transport.requests.map { request in request.fields.contains { $0.name == name } }
    }
    #expect(transport.requests.map(\.url.text).last == "http://other/d")
    #expect(has("Authorization") == [true, true, false, false])
    #expect(has("X-Key") == [true, true, false, false])
    #expect(
      transport.requests.first?.fields.first { $0.name == "Authorization" }?.value
        == "Basic " + "YWRhOmxAdmU=")
    #expect(transport.requests.allSatisfy { !$0.url.text.contains("ada") })
    try store.setField("x-key", nil, for: web("a"))
    _ = try store.get(web("a"), if: nil)
    #expect(transport.field("X-Key") == nil)
  }

  @Test func passwordsAreInNoMessage() throws {
    let store = status(403).store()
    #expect(
      message { _ = try store.get(web("a", "ada:secret@h"), if: nil) }
        == "http://ada:…@h/a: the server forbids it")
  }

  @Test func fieldsCannotSmuggleOthers() throws {
    let store = status(200).store()
    #expect(kind { try store.setField("A", "b\r\nC: d", for: web("a")) } == .encode)
    #expect(kind { try store.setField("A: b\r\nC", "d", for: web("a")) } == .encode)
  }

  @Test func redirectsEnd() throws {
    let transport = status(302, [HTTPField("Location", "/again")])
    #expect(
      message { _ = try transport.store().get(web("a"), if: nil) }
        == "http://h/a: the server sends on more than 5 times")
    #expect(transport.requests.count == 6)
    let wrong = status(302, [HTTPField("Location", "file:///etc/passwd")])
    #expect(kind { _ = try wrong.store().get(web("a"), if: nil) } == .invalidReference)
    #expect(wrong.requests.count == 1)
  }

  @Test func aChangeIsRepeatedOnlyWhereThatIsMeant() throws {
    func requests(_ number: Int, _ body: (HTTPStore) throws -> Void) throws -> [String] {
      var isFirst = true
      let transport = ScriptedTransport { (_) throws(HTTPTransportError) in
        defer { isFirst = false }
        return isFirst ? HTTPResponse(number, [HTTPField("Location", "/b")]) : HTTPResponse(204)
      }
      try? body(transport.store())
      return transport.requests.map { "\($0.method) \($0.url.target) \($0.body?.count ?? -1)" }
    }
    func put(_ store: HTTPStore) throws { try store.put(web("a"), Resource("xy"), if: nil) }
    func post(_ store: HTTPStore) throws { _ = try store.post(web("a"), Resource("xy")) }
    #expect(try requests(308, put) == ["PUT /a 2", "PUT /b 2"])
    #expect(try requests(301, put) == ["PUT /a 2", "PUT /b 2"])
    #expect(try requests(303, put) == ["PUT /a 2"])
    #expect(try requests(307, post) == ["POST /a 2", "POST /b 2"])
    #expect(try requests(302, post) == ["POST /a 2"])
    #expect(try requests(303, post) == ["POST /a 2"])
  }

  @Test func addressesFollowOneAnother() throws {
    let base = HTTPURL(scheme: "http", authority: "a", target: "/b/c/d;p?q")
    let cases = [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
      ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("", "http://a/b/c/d;p?q"),
      (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
      ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
      ("https://x:8/y z?é", "https://x:8/y%20z?%C3%A9"), ("HTTP://u:p@x/%41", "http://x/%41"),
      ("//x?y", "http://x/?y"),
    ]
    for (location, expected) in cases { #expect(base.following(location)?.text == expected) }
    for location in ["ftp://x/", "javascript:1", "http://", "http:g", "http://x y/"] {
      #expect(base.following(location) == nil)
    }
  }

  /// A sign that joins one which parts an address, a tag or a header hides nothing.
  @Test func signsThatJoinPartNothingLess() throws {
    let accent = "\u{301}"
    let base = HTTPURL(scheme: "http", authority: "a", target: "/b/c")
    for (location, expected) in [
      ("/\(accent)x/../\(accent)y", "http://a/%CC%81y"), ("/g#\(accent)s", "http://a/g"),
      ("/g?\(accent)q", "http://a/g?%CC%81q"), ("//h/\(accent)", "http://h/%CC%81"),
      ("\u{600}/../g", "http://a/b/g"),
    ] { #expect(base.following(location)?.text == expected, "\(location)") }
    for authority in ["user:secret@\(accent)h", "user:\(accent)secret@h"] {
      let place = try Reference(scheme: "http", authority: authority, components: ["a"])
      #expect(!place.hidingPassword.contains("secret"), "\(authority)")
      #expect(!(message { _ = try HTTPURL(place, scheme: "http") } ?? "").contains("secret"))
    }
    let transport = status(200, [HTTPField("ETag", "\"\(accent)n\u{600}\"")])
    let store = transport.store()
    #expect(try store.status(of: web("a"))?.tag == EntityTag("\(accent)n\u{600}"))
  }

  @Test func theDeadlineIsForAllRequestsTogether() throws {
    let transport = status(302, [HTTPField("Location", "/again")])
    let store = transport.store()
    transport.step = 400
    store.timeout = 1000
    #expect(message { _ = try store.get(web("a"), if: nil) } == "http://h/a: no answer within 1 s")
    #expect(transport.requests.map(\.timeout) == [1000, 600, 200])
  }

  @Test func whatWasAddedHasAReference() throws {
    func added(_ location: String?, _ authority: String = "h") throws -> String {
      let transport = status(201, location.map { [HTTPField("Location", $0)] } ?? [])
      return try transport.store().post(web("a", authority), Resource("x")).description
    }
    #expect(try added("/a/7%2F8") == "http://h/a/7%2F8")
    #expect(try added("7", "u:p@h") == "http://u:p@h/7")
    #expect(try added("http://other/1", "u:p@h") == "http://other/1")
    #expect(try added(nil) == "http://h/a")
  }

  @Test func settingsAreCommands() throws {
    let store = status(200).store()
    func perform(_ command: String, _ json: String) throws(StoreError) {
      let resource = Resource(Array(json.utf8), contentType: "application/json")
      _ = try store.perform(
        command, resource, at: try Reference(scheme: "http", authority: "h", components: []))
    }
    try perform("timeout", "1500")
    #expect(store.timeout == 1500)
    #expect(kind { try perform("timeout", "0") } == .encode)
    #expect(kind { try perform("timeout", "\"x\"") } == .unsupported)
    #expect(kind { try perform("nonsense", "1") } == .unsupported)
    #expect(kind { try perform("field", "[\"A\", 1]") } == .encode)
    try perform("field", "[\"A\", \"b\"]")
  }

  /// What has a tag is asked about, and does not come again as long as it is the same.
  @Test func whatIsAsItWasDoesNotComeAgain() throws {
    let transport = ScriptedTransport { (request) throws(HTTPTransportError) in
      let isKnown = request.fields.contains { $0.name == "If-None-Match" && $0.value == "\"1\"" }
      let tag = HTTPField("ETag", "\"1\"")
      switch request.url.text {
      case "http://h/tagged":
        return isKnown ? HTTPResponse(304, [tag]) : HTTPResponse(200, [tag], Array("text".utf8))
      case "http://h/other": return HTTPResponse(200, [HTTPField("ETag", "\"2\"")], [0x78])
      case "http://h/unkept":
        return HTTPResponse(200, [tag, HTTPField("Cache-Control", "no-store")], [0x78])
      default: return HTTPResponse(200, [], [0x78])
      }
    }
    let store = transport.store()
    func asked(_ path: String, if condition: Precondition? = nil) throws -> String? {
      guard case .resource(let resource) = try store.get(web(path), if: condition) else {
        return "unchanged"
      }
      let text = String(decoding: resource.bytes, as: UTF8.self)
      return [text, transport.field("If-None-Match")].compactMap(\.self).joined(separator: " ")
    }
    #expect(try asked("tagged") == "text")
    #expect(try asked("tagged") == "text \"1\"")
    #expect(try asked("tagged") == "text \"1\"")
    // Who has it already, and says so, is told.
    #expect(try asked("tagged", if: .differs(EntityTag("1"))) == "unchanged")
    // A server need not know the question.
    #expect(try asked("other") == "x")
    #expect(try asked("other") == "x \"2\"")
    #expect(try asked("other") == "x \"2\"")
    for path in ["plain", "unkept"] {
      #expect(try asked(path) == "x")
      #expect(try asked(path) == "x")
    }
    // What another header asks for may be another answer.
    try store.setField("Accept-Language", "de", for: web("tagged"))
    #expect(try asked("tagged") == "text")
    #expect(try asked("tagged") == "text \"1\"")
  }

  /// What was cut on the way, by a length that is too short, is not what the tag is about.
  @Test func whatIsNoJSONIsReadAgain() throws {
    var answers = 0
    let transport = ScriptedTransport { (request) throws(HTTPTransportError) in
      let fields = [HTTPField("ETag", "\"1\""), HTTPField("Content-Type", "application/json")]
      if request.fields.contains(where: { $0.name == "If-None-Match" }) {
        return HTTPResponse(304, fields)
      }
      answers += 1
      return HTTPResponse(200, fields, Array((answers == 1 ? "{\"a\": tr" : "{\"a\": true}").utf8))
    }
    let store = transport.store()
    func text() throws -> String? {
      guard case .resource(let resource) = try store.get(web("json"), if: nil) else { return nil }
      return String(decoding: resource.bytes, as: UTF8.self)
    }
    #expect(try text() == "{\"a\": tr")
    #expect(try text() == "{\"a\": true}")
    #expect(try text() == "{\"a\": true}")
    #expect(answers == 2)
  }

  /// However many answers there are, few bytes of them are kept.
  @Test func fewAnswersAreKept() throws {
    let transport = ScriptedTransport { (_) throws(HTTPTransportError) in
      HTTPResponse(
        200, [HTTPField("ETag", "\"1\"")], Array(repeating: 0x78, count: 1 << 20))
    }
    let store = transport.store()
    func isKnown(_ path: String) throws -> Bool {
      _ = try store.get(web(path), if: nil)
      return transport.field("If-None-Match") != nil
    }
    for number in 1...9 { #expect(try !isKnown("\(number)")) }
    #expect(try isKnown("9"))
    #expect(try isKnown("2"))
    // The first gave way to the ninth.
    #expect(try !isKnown("1"))
  }

  /// Requests for one host wait for each other, and keep those for others from nothing.
  @Test(.timeLimit(.minutes(1)))
  func aHostHasSoManyConnections() throws {
    let threads = VerbThreads(width: 8)
    threads.limitEachHost(to: 2)
    let counts = RequestCounts()
    let begun = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    for number in 1...6 {
      threads.begin(
        VerbRequest(at: try web("\(number)"), isReading: true) { _ in
          counts.begin()
          begun.signal()
          gate.wait()
          counts.end()
        })
    }
    begun.wait()
    begun.wait()
    let done = DispatchSemaphore(value: 0)
    for number in 1...3 {
      threads.begin(
        VerbRequest(at: try web("\(number)", "other"), isReading: true) { _ in done.signal() })
    }
    for _ in 1...3 { done.wait() }
    #expect(counts.value.running == 2)
    for _ in 1...6 { gate.signal() }
    for _ in 1...4 { begun.wait() }
    threads.finish()
    #expect(counts.value.most == 2)
    #expect(counts.value.ended == 6)
  }

  @Test func base64GoesBothWays() {
    let texts = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg=="]
    for (text, letters) in texts {
      #expect(Base64.encoded(Array(text.utf8)) == letters)
      #expect(Base64.decoded(letters) == Array(text.utf8))
    }
    for letters in ["Z", "Zg=", "Z===", "====", "Zg==Zg==", "Z g=", "Zm9\u{7F}"] {
      #expect(Base64.decoded(letters) == nil)
    }
    let all = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
    #expect(Base64.decoded(Base64.encoded(all)) == all)
  }
}

/// How many requests are under way, and were at most.
private final class RequestCounts: Sendable {
  struct Value {
    var running = 0
    var most = 0
    var ended = 0
  }

  private let counts = Mutex(Value())

  var value: Value { counts.withLock { $0 } }

  func begin() {
    counts.withLock {
      $0.running += 1
      $0.most = max($0.most, $0.running)
    }
  }

  func end() {
    counts.withLock {
      $0.running -= 1
      $0.ended += 1
    }
  }
}
