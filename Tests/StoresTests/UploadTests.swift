import TenonStoreKit
import Testing

@testable import TenonStores

/// What the client makes of bodies that go out piece by piece; nothing reaches a network.
@Suite struct UploadTests {
  let place: Reference

  init() throws {
    place = try Reference(
      scheme: "http", authority: "h", components: ["a"], isAbsolute: true)
  }

  func kind(_ body: () throws -> Void) -> StoreError.Kind? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StoreError)?.kind
    }
  }

  func answer(_ statuses: [Int], to location: String = "http://other/b") -> ScriptedTransport {
    var left = statuses
    return ScriptedTransport { (_) throws(HTTPTransportError) in
      let status = left.isEmpty ? 200 : left.removeFirst()
      return HTTPResponse(status, status / 100 == 3 ? [HTTPField("Location", location)] : [])
    }
  }

  /// The body of an upload with a secret in its header.
  func begin(
    _ store: HTTPStore, size: Int? = nil, method: String = "PUT"
  ) throws -> any ByteSink {
    let text = """
      {"method": "\(method)", "key": "k", \(size.map { "\"size\": \($0)," } ?? "") \
      "fields": [["Authorization", "Bearer T"], ["Content-Type", "a/b"]]}
      """
    let order = Resource(Array(text.utf8), contentType: "application/json")
    guard case .sink(let sink) = try store.perform("upload", order, at: place) else {
      throw StoreError(.io, place, "it takes nothing")
    }
    return sink
  }

  func end(_ store: HTTPStore) throws -> CommandAnswer {
    let key = Resource(Array("\"k\"".utf8), contentType: "application/json")
    return try store.perform("answer", key, at: place)
  }

  @Test func whatASecretSaysGoesNowhereElse() throws {
    let transport = answer([307])
    let store = transport.store()
    let sink = try begin(store)
    try sink.write([1, 2])
    try sink.finish()
    #expect(transport.field("Authorization") == "Bearer T")
    guard case .resource(let address) = try end(store) else {
      Issue.record("it is not sent on")
      return
    }
    #expect(address.bytes == Array("\"http://other/b\"".utf8))
    let again = try begin(store)
    #expect(again === sink)
    try again.write([1, 2])
    try again.finish()
    #expect(transport.field("Authorization") == nil)
    #expect(transport.field("Content-Type") == "a/b")
    #expect(transport.requests.map { $0.body ?? [] } == [[1, 2], [1, 2]])
    #expect(transport.requests.map(\.url.text) == ["http://h/a", "http://other/b"])
    guard case .source(let source) = try end(store) else {
      Issue.record("there is no answer")
      return
    }
    #expect((source as? HTTPSource)?.status == 200)
    guard case .done = try end(store) else {
      Issue.record("it is known still")
      return
    }
  }

  @Test func onlyGrantedServersGetABody() throws {
    let transport = answer([307])
    let store = transport.store()
    store.hosts = ["h"]
    let sink = try begin(store)
    try sink.finish()
    _ = try end(store)
    let again = try begin(store)
    #expect(kind { try again.write([1]) } == .permission)
    #expect(transport.requests.count == 1)
    store.hosts = ["other"]
    #expect(kind { _ = try begin(store) } == .permission)
    store.hosts = ["h"]
    store.isReadOnly = true
    let none = Resource(Array("null".utf8), contentType: "application/json")
    #expect(kind { _ = try begin(store) } == .permission)
    #expect(kind { _ = try store.perform("replace", none, at: place) } == .permission)
    #expect(transport.requests.count == 1)
  }

  @Test func aChangeWhoseOutcomeIsElsewhere() throws {
    let transport = answer([303])
    let store = transport.store()
    let sink = try begin(store, method: "POST")
    try sink.write([1])
    try sink.finish()
    guard case .source(let source) = try end(store) else {
      Issue.record("there is no answer")
      return
    }
    #expect((source as? HTTPSource)?.status == 200)
    #expect(transport.requests.last?.method == "GET")
    #expect(transport.requests.last?.body == nil)
    #expect(transport.field("Content-Type") == nil)
  }

  @Test func whatIsNotAsLongAsItSaidIsNotSent() throws {
    let transport = answer([])
    let store = transport.store()
    let shorter = try begin(store, size: 3)
    try shorter.write([1, 2])
    #expect(kind { try shorter.finish() } == .conflict)
    let longer = try begin(store, size: 3)
    try longer.write([1, 2])
    #expect(kind { try longer.write([3, 4]) } == .conflict)
    #expect(transport.requests.isEmpty)
  }

  @Test func aServerThatSendsOnForEver() throws {
    let transport = answer(Array(repeating: 308, count: 9), to: "/a")
    let store = transport.store()
    var count = 0
    let failure = kind {
      while true {
        try begin(store).finish()
        count += 1
        guard case .resource = try end(store) else { return }
      }
    }
    #expect(failure == .io)
    #expect(count == 6)
  }

  @Test func whatReplacesAPlaceIsAnErrorWhereItIsRefused() throws {
    let store = answer([422]).store()
    let none = Resource(Array("null".utf8), contentType: "application/json")
    guard case .sink(let sink) = try store.perform("replace", none, at: place) else {
      Issue.record("it takes nothing")
      return
    }
    try sink.write([1])
    #expect(kind { try sink.finish() } == .encode)
  }
}
