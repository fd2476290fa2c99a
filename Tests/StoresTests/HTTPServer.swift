import Foundation
import TenonStoreKit
import TenonStores
import Testing

/// The server of the tests, a process that runs http_server.py; it ends with this.
final class HTTPServer: @unchecked Sendable {
  private let process = Process()
  private let input = Pipe()
  /// The host and the port: `127.0.0.1:40000`.
  let authority: String
  /// How it is talked to.
  let scheme: String
  /// A certificate for 127.0.0.1 that nobody else has signed, and its key.
  static let certificate = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("localhost.pem").path

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - isSecure: Whether it talks TLS, with `certificate`.
  ///   - file: A file of the folder that holds the server's script.
  /// - Throws: What starting a process throws; `python3` is needed.
  init(isSecure: Bool = false, _ file: String = #filePath) throws {
    scheme = isSecure ? "https" : "http"
    let script = URL(fileURLWithPath: file).deletingLastPathComponent()
      .appendingPathComponent("http_server.py").path
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script] + (isSecure ? [HTTPServer.certificate] : [])
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = input
    try process.run()
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A {
      line.append(byte)
    }
    let port = String(decoding: line, as: UTF8.self)
    authority = "127.0.0.1:" + port
    try #require(Int(port) != nil, "the tests of HTTP need python3")
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// The reference of a path on this server.
  func reference(_ path: String, user: String = "") throws -> Reference {
    let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
    let pairs = parts.count > 1 ? parts[1].split(separator: "&").map(String.init) : []
    return try Reference(
      scheme: scheme, authority: user + authority,
      components: parts[0].split(separator: "/").map(String.init), isAbsolute: true,
      isDirectory: parts[0].hasSuffix("/"),
      query: pairs.map { pair in
        let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
        return Reference.QueryPair(sides[0], sides.count > 1 ? sides[1] : nil)
      })
  }
}

/// A store whose paths are below one of another store.
final class StoreBelow: Store {
  private let store: any Store
  private let base: Reference

  init(_ base: Reference, of store: any Store) {
    self.store = store
    self.base = base
  }

  private func moved(_ reference: Reference) throws(StoreError) -> Reference {
    try Reference(
      scheme: base.scheme, authority: base.authority,
      components: base.components + reference.components, isAbsolute: true,
      isDirectory: reference.isDirectory)
  }

  var capabilities: StoreCapabilities { store.capabilities }
  func contentType(of reference: Reference) -> String { store.contentType(of: reference) }
  func get(_ reference: Reference, if condition: Precondition?) throws(StoreError) -> GetOutcome {
    try store.get(try moved(reference), if: condition)
  }
  func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    try store.put(try moved(reference), resource, if: condition)
  }
  func delete(_ reference: Reference, if condition: Precondition?) throws(StoreError) -> Bool {
    try store.delete(try moved(reference), if: condition)
  }
  func post(_ reference: Reference, _ resource: Resource) throws(StoreError) -> Reference {
    try store.post(try moved(reference), resource)
  }
  func merge(
    _ reference: Reference, _ patch: Resource, if condition: Precondition?
  ) throws(StoreError) {
    try store.merge(try moved(reference), patch, if: condition)
  }
  func list(_ reference: Reference) throws(StoreError) -> [StoreEntry] {
    try store.list(try moved(reference))
  }
}

/// A transport that answers what a test wants, and keeps what it was asked.
final class ScriptedTransport: HTTPTransport, @unchecked Sendable {
  typealias Answer = (HTTPRequest) throws(HTTPTransportError) -> HTTPResponse

  private(set) var requests: [HTTPRequest] = []
  private let body: Answer
  /// The time that each exchange takes, in milliseconds.
  var step = 0
  var time = 0

  init(_ body: @escaping Answer) { self.body = body }

  func answer(
    to request: HTTPRequest, isInterrupted: () -> Bool
  ) throws(HTTPTransportError) -> HTTPResponse {
    requests.append(request)
    time += step
    return try body(request)
  }

  func store(_ scheme: String = "http") -> HTTPStore {
    HTTPStore(scheme: scheme, transport: self, now: { self.time })
  }

  /// What the fields of a name were in the last request.
  func field(_ name: String) -> String? {
    requests.last?.fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
