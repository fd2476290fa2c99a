public import TenonStoreKit
internal import Synchronization
internal import TenonText

extension HTTPStore: CommandedStore {
  /// Carries out `timeout`, with milliseconds, `field`, with a name and a value, or `certificates`,
  /// with the path of a file; `request` and `read` open answers, `upload` and `replace` bodies, `webSocket`
  /// a connection.
  public func perform(
    _ command: String, _ argument: Resource, at reference: Reference
  ) throws(StoreError) -> CommandAnswer {
    // What is said of all servers has been said to the store itself, which has no name of its own.
    let reference = reference.scheme.isEmpty ? reference.inScheme(scheme) : reference
    let part = try? JSONPart.read(argument.bytes[...])
    switch (command, part) {
    case ("timeout", .number(let text)):
      guard let number = Double(text), number >= 1 else {
        throw StoreError(.encode, reference, "a request takes a millisecond at least")
      }
      timeout = Int(min(number, Double(Self.longestTimeout)))
    case ("field", .array(let elements)) where elements.count == 2:
      guard case .text(let name) = try? JSONPart.read(elements[0]) else { break }
      switch try? JSONPart.read(elements[1]) {
      case .text(let value): try setField(name, value, for: reference)
      case .null: try setField(name, nil, for: reference)
      default:
        throw StoreError(.encode, reference.hidingPassword, "the value of a field is a string")
      }
    case ("request", .object(let members)):
      let order = try HTTPOrder(members, at: reference, of: self)
      return .source(
        try open(
          order.method, reference, fields: order.fields, body: order.body, follows: order.follows,
          timeout: order.timeout))
    case ("upload", .object(let members)): return .sink(try sink(members, at: reference))
    case ("answer", .text(let key)): return try answer(toUpload: key)
    case ("replace", _): return .sink(try sink(at: reference))
    case ("webSocket", .object(let members)):
      return .source(try openWebSocket(members, at: reference))
    case ("webSocketSend", .array(let parts)), ("webSocketClose", .array(let parts)):
      try tellWebSocket(parts, isLast: command == "webSocketClose", at: reference)
    case ("read", _):
      let source = try open(
        "GET", reference, fields: [], body: nil, follows: true, timeout: nil)
      return .source(try checked(source, reference))
    case ("certificates", .text(let path)):
      try checkUnconfined(
        "whom to trust is not a script's choice", for: reference)
      guard !path.utf8.contains(0), (try? kindOfFile(at: path)) == .file else {
        throw StoreError(
          .encode, reference.hidingPassword, "the file of certificates '\(path)' cannot be read")
      }
      certificates = path
    case ("certificates", .null): certificates = nil
    case ("certificates", _):
      throw StoreError(
        .encode, reference.hidingPassword, "a file of certificates has a string as its path")
    default: try set(command, part, reference)
    }
    return .done
  }

  /// Refuses what would lead requests past what was granted.
  func checkUnconfined(_ what: String, for reference: Reference) throws(StoreError) {
    let settings = settings.withLock { $0 }
    guard settings.hosts != nil || settings.isReadOnly else { return }
    throw StoreError(
      .permission, reference.hidingPassword, "where servers are granted one by one, \(what)")
  }

  /// Carries out what is said of all servers: `proxy`, `cookies` and `connections`.
  private func set(
    _ command: String, _ part: JSONPart?, _ reference: Reference
  ) throws(StoreError) {
    switch (command, part) {
    case ("proxy", .text(let address)):
      try checkUnconfined(
        "a proxy is not a script's choice", for: reference)
      setProxy(address)
    case ("proxy", .null): setProxy(nil)
    case ("cookies", .bool(let isKeeping)): keepCookies(isKeeping)
    case ("connections", .number(let text)):
      guard let count = Int(text), count >= 1 else {
        throw StoreError(.encode, reference, "a server has a whole number of connections, from 1")
      }
      setConnectionsPerHost(count)
    case ("connections", .null): setConnectionsPerHost(nil)
    case ("connections", _):
      throw StoreError(.encode, reference, "a server has a whole number of connections, from 1")
    default: throw StoreError(.unsupported, reference, "it does not know '\(command)'")
    }
  }

  /// A source whose answer is one of success; else the error that it is.
  private func checked(
    _ source: HTTPSource, _ reference: Reference
  ) throws(StoreError) -> HTTPSource {
    guard !(200..<300).contains(source.status) else { return source }
    throw failure(try source.wholeAnswer(limit: 1 << 16), "GET", nil, reference)
  }

  /// A day, in milliseconds.
  static var longestTimeout: Int { 86_400_000 }
}
