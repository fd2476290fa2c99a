import Foundation
import Synchronization
import TenonStoreKit
import Testing

@testable import TenonStores

/// The client and libcurl against a real server, good and bad.
///
/// These need libcurl and python3; without them they fail, and say so.
@Suite struct HTTPServerTests {
  let server: HTTPServer
  let store: HTTPStore

  init() throws {
    server = try HTTPServer()
    store = HTTPStore(scheme: "http")
  }

  func text(_ path: String) throws -> String? { try store.text(server.reference(path)) }

  @Test func valuesGoThereAndBack() throws {
    let place = try server.reference("store/a b/é%25")
    #expect(try store.text(place) == nil)
    try store.put(place, "value")
    #expect(try store.text(place) == "value")
    let status = try #require(try store.status(of: place))
    #expect(status.tag == EntityTag(of: Array("value".utf8)))
    #expect(status.size == 5)
    #expect(status.contentType == "text/plain")
    guard case .unchanged = try store.get(place, if: .differs(EntityTag(of: Array("value".utf8))))
    else {
      Issue.record("it has not changed")
      return
    }
    #expect(kind { try store.put(place, "b", if: .absent) } == .preconditionFailed)
    try store.put(place, "b", if: .matches(EntityTag(of: Array("value".utf8))))
    #expect(
      kind { try store.put(place, "c", if: .matches(EntityTag(of: Array("value".utf8)))) }
        == .preconditionFailed)
    #expect(try store.text(place) == "b")
    #expect(try store.delete(place, if: nil))
    #expect(try store.status(of: place) == nil)
  }

  @Test func addingAndMerging() throws {
    let list = try server.reference("store/list")
    let added = try store.post(list, Resource("one"))
    #expect(try added == server.reference("store/list/1"))
    #expect(try store.text(added) == "one")
    #expect(try store.list(list) == [StoreEntry("1", isDirectory: false)])
    let place = try server.reference("store/object")
    func merge(_ text: String) throws {
      try store.merge(place, Resource(Array(text.utf8), contentType: "application/json"), if: nil)
    }
    try merge(#"{"a": 1, "b": {"c": 2}}"#)
    try merge(#"{"a": null, "b": {"d": 3}}"#)
    #expect(try store.text(place) == #"{"b": {"c": 2, "d": 3}}"#)
  }

  @Test func whatIsSentIsWhatWasMeant() throws {
    let place = try server.reference("bad/echo/x%2Fy/a+b?q=1 2&r")
    try store.setField("X-Mark", "m", for: place)
    try store.put(place, Resource([], contentType: "text/plain"), if: nil)
    guard case .resource(let resource) = try store.get(place, if: nil) else { return }
    let echo = String(decoding: resource.bytes, as: UTF8.self)
    #expect(echo.contains(#""path": "/bad/echo/x%252Fy/a+b?q=1%202&r""#))
    #expect(echo.contains(#""x-mark": "m""#))
    #expect(echo.contains(#""accept-encoding": "gzip, deflate""#))
  }

  @Test func contentIsWhatTheServerSays() throws {
    func content(_ path: String) throws -> Resource? {
      guard case .resource(let resource) = try store.get(server.reference(path), if: nil) else {
        return nil
      }
      return resource
    }
    #expect(try text("bad/gzip") == String(repeating: "packed ", count: 100))
    #expect(try text("bad/latin") == "café")
    #expect(try content("bad/bytes")?.contentType == "image/png")
    #expect(try content("bad/untyped")?.contentType == "application/octet-stream")
    #expect(try content("bad/json")?.contentType == "application/json")
    #expect(
      try store.list(server.reference("bad/listing"))
        == [
          StoreEntry("a", isDirectory: false), StoreEntry("b", isDirectory: false),
          StoreEntry("d", isDirectory: true),
        ])
    #expect(try store.names(server.reference("bad/pages")) == ["n0", "n1", "n2"])
    #expect(kind { _ = try store.list(server.reference("bad/endless")) } == .tooLarge)
    #expect(kind { _ = try store.list(server.reference("bad/gzip")) } == .unsupported)
    #expect(kind { _ = try store.list(server.reference("bad/json")) } == .decode)
  }

  @Test(arguments: [
    ("bad/truncated", StoreError.Kind.network, "the answer ended early"),
    ("bad/chunks-cut", .network, "the answer ended early"),
    ("bad/garbage", .decode, "the answer is no HTTP"),
    ("bad/closed", .network, "SERVER ended the connection without an answer"),
    ("bad/loop", .io, "the server sends on more than 5 times"),
    ("bad/hops/6", .io, "the server sends on more than 5 times"),
    ("bad/status/401", .needsAuth, "the server asks who is asking"),
    ("bad/status/503", .unavailable, "the server is not available; it may be in 7 s"),
  ])
  func badServersAreTold(_ path: String, _ expected: StoreError.Kind, _ reason: String) throws {
    do throws(StoreError) {
      let place = try Reference(
        scheme: "http", authority: server.authority,
        components: path.split(separator: "/").map(String.init), isAbsolute: true)
      _ = try store.get(place, if: nil)
      Issue.record("\(path) was answered")
    } catch {
      #expect(error.kind == expected)
      #expect(error.reason == reason.replacingOccurrences(of: "SERVER", with: server.authority))
    }
  }

  @Test(arguments: ["bad/chunks", "bad/gzip-damaged", "bad/fields"])
  func damagedAnswersAreErrors(_ path: String) throws {
    #expect(kind { _ = try store.get(server.reference(path), if: nil) } != nil)
    // The session that has seen it is of no harm.
    #expect(try text("bad/gzip") != nil)
  }

  @Test func redirectsAreFollowed() throws {
    #expect(try text("bad/hops/5") == "there")
  }

  @Test func largeAnswersEnd() throws {
    store.limit = 1 << 20
    #expect(
      message { _ = try store.get(server.reference("bad/huge"), if: nil) }?
        .hasSuffix("the answer has more than 1048576 bytes") == true)
    // Packed it is small.
    #expect(kind { _ = try store.get(server.reference("bad/bomb"), if: nil) } == .tooLarge)
  }

  @Test(arguments: ["bad/slow", "bad/silent"])
  func slowAnswersTimeOut(_ path: String) throws {
    store.timeout = 200
    #expect(
      message { _ = try store.get(server.reference(path), if: nil) }?
        .hasSuffix("no answer within 200 ms") == true)
  }

  @Test func interruptsAreNoticed() throws {
    let asked = Mutex(0)
    store.isInterrupted = {
      asked.withLock {
        $0 += 1; return $0 > 2
      }
    }
    #expect(
      message { _ = try store.get(server.reference("bad/silent"), if: nil) }?
        .hasSuffix("interrupted") == true)
  }

  @Test func nobodyThereIsAnError() throws {
    let place = try Reference(
      scheme: "http", authority: "127.0.0.1:1", components: ["a"], isAbsolute: true)
    do throws(StoreError) {
      _ = try store.get(place, if: nil)
      Issue.record("somebody is there")
    } catch {
      #expect(error.description == "http://127.0.0.1:1/a: 127.0.0.1:1 refused the connection")
      #expect(error.kind == .network)
      #expect(error.systemCode == ECONNREFUSED)
    }
    let unknown = try Reference(
      scheme: "http", authority: "no-such-host.invalid", components: [], isAbsolute: true)
    #expect(
      message { _ = try store.get(unknown, if: nil) }
        == "http://no-such-host.invalid/: there is no host 'no-such-host.invalid'")
  }

  @Test func whatIsNoTLSIsNotTrusted() throws {
    let store = HTTPStore(scheme: "https")
    let place = try Reference(
      scheme: "https", authority: server.authority, components: ["store"], isAbsolute: true)
    #expect(kind { _ = try store.get(place, if: nil) } == .permission)
    let text = try #require(message { _ = try store.get(place, if: nil) })
    #expect(
      text.hasPrefix(
        "https://\(server.authority)/store: no secure connection with \(server.authority): "))
    #expect(text.hasSuffix("; it may know http: only"))
  }

  /// A server whose certificate nobody knows is not talked to, and one that the program trusts is.
  @Test func certificatesAreTrustedThatTheProgramNames() throws {
    let server = try HTTPServer(isSecure: true)
    let store = HTTPStore(scheme: "https")
    let place = try server.reference("store/secret")
    #expect(kind { try store.put(place, "1") } == .permission)
    let text = try #require(message { _ = try store.get(place, if: nil) })
    #expect(text.hasPrefix("\(place): \(server.authority) is not trusted: "), "\(text)")
    store.certificates = HTTPServer.certificate
    try store.put(place, "2")
    #expect(try store.text(place) == "2")
    #expect(try store.delete(place, if: nil))
    // The name of the server counts as well.
    let other = try Reference(
      scheme: "https", authority: server.authority.replacing("127.0.0.1", with: "localhost"),
      components: ["store"], isAbsolute: true)
    #expect(kind { _ = try store.get(other, if: nil) } == .permission)
    store.certificates = nil
    #expect(kind { _ = try store.get(place, if: nil) } == .permission)
  }

  @Test func connectionsAreKept() throws {
    // Python's server makes a thread, and the client a connection, for each that is not.
    for number in 0..<50 { #expect(try text("bad/count/\(number % 5)") == "\(number / 5 + 1)") }
  }
}

/// Threads that read, change and write one place, each on the condition that nobody else did.
@Suite struct ConditionalRaceTests {
  /// Runs the race; the final value and how often a write was refused.
  static func race(
    threads: Int, increments: Int, isConditional: Bool,
    _ store: @Sendable @escaping () -> any Store,
    _ place: Reference
  ) throws -> (value: Int, refused: Int) {
    try store().put(place, Resource("0"), if: nil)
    let refused = Mutex(0)
    let failures = Mutex<[String]>([])
    let group = DispatchGroup()
    @Sendable func work() {
      let own = store()
      for _ in 0..<increments {
        while true {
          do throws(StoreError) {
            guard case .resource(let old) = try own.get(place, if: nil) else { return }
            let number = Int(String(decoding: old.bytes, as: UTF8.self)) ?? 0
            try own.put(
              place, Resource("\(number + 1)"),
              if: isConditional ? .matches(EntityTag(of: old.bytes)) : nil)
            break
          } catch {
            guard error.kind == .preconditionFailed else {
              failures.withLock { $0.append("\(error)") }
              return
            }
            refused.withLock { $0 += 1 }
          }
        }
      }
    }
    for _ in 0..<threads {
      group.enter()
      Thread {
        work()
        group.leave()
      }.start()
    }
    group.wait()
    #expect(failures.withLock { $0 } == [])
    let final = try store().text(place).flatMap(Int.init) ?? -1
    return (final, refused.withLock { $0 })
  }

  /// In full, 64 threads with 200 increments each; else few enough for every run of the tests.
  static var isFull: Bool { ProcessInfo.processInfo.environment["TENON_FULL_SCENARIOS"] != nil }

  @Test func noIncrementIsLostOverHTTP() throws {
    let server = try HTTPServer()
    let transport = CurlTransport()
    let (threads, increments) = Self.isFull ? (64, 200) : (8, 12)
    let clock = ContinuousClock()
    let start = clock.now
    let (value, refused) = try Self.race(
      threads: threads, increments: increments, isConditional: true,
      { HTTPStore(scheme: "http", transport: transport, now: { 0 }) },
      server.reference("store/count"))
    #expect(value == threads * increments)
    if Self.isFull {
      print("scenario 17 over HTTP: \(value) increments, \(refused) refused, \(clock.now - start)")
    }
  }

  @Test func noIncrementIsLostInFiles() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let (threads, increments) = Self.isFull ? (64, 200) : (8, 25)
    let (value, _) = try Self.race(
      threads: threads, increments: increments, isConditional: true,
      { FileStore(directory: path) }, file("count"))
    #expect(value == threads * increments)
  }

  /// The control: without conditions, increments are lost.
  @Test func withoutConditionsIncrementsAreLost() throws {
    let shared = Interleaving()
    let (value, _) = try Self.race(
      threads: 2, increments: 50, isConditional: false, { shared }, file("count"))
    #expect(value < 100)
  }
}

/// A store in memory that gives way to other threads between a read and the write after it.
private final class Interleaving: Store, @unchecked Sendable {
  private let bytes = Mutex<[UInt8]>([])
  private let readers = Mutex(0)

  var capabilities: StoreCapabilities {
    StoreCapabilities([.get, .put], durability: .none, isExternal: false)
  }

  func get(_ reference: Reference, if condition: Precondition?) throws(StoreError) -> GetOutcome {
    let read = bytes.withLock { $0 }
    let number = readers.withLock {
      $0 += 1; return $0
    }
    // Until another has read, or it has been long.
    for _ in 0..<1000 where readers.withLock({ $0 }) == number { usleep(20) }
    return .resource(Resource(read, contentType: "text/plain"))
  }

  func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    bytes.withLock { $0 = resource.bytes }
  }
}
