public import TenonStoreKit
internal import Synchronization
internal import TenonText

extension HTTPStore: CommandedStore {
  /// Carries out `timeout`, with milliseconds, `field`, with a name and a value, or `certificates`,
  /// with the path of a file.
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
    case ("request", .object(let members)): return .source(try open(members, at: reference))
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

  /// Opens the answer to a request that a program has put together.
  private func open(
    _ members: [JSONPart.Member], at reference: Reference
  ) throws(StoreError) -> HTTPSource {
    func refuse(_ reason: String) -> StoreError {
      StoreError(.encode, reference.hidingPassword, reason)
    }
    guard let method = members.text("method"), !method.isEmpty,
      method.utf8.allSatisfy({ 0x41...0x5A ~= $0 || $0 == UInt8(ascii: "-") })
    else { throw refuse("a method is a word in capitals such as GET") }
    var own: [HTTPField] = []
    if let part = members.first(where: { $0.key == "fields" }),
      case .array(let pairs) = try? JSONPart.read(part.value)
    {
      for pair in pairs {
        guard case .array(let sides) = try? JSONPart.read(pair), sides.count == 2,
          case .text(let name) = try? JSONPart.read(sides[0]),
          case .text(let value) = try? JSONPart.read(sides[1]), isField(name, value)
        else { throw refuse("that is no field of a header") }
        own.append(HTTPField(name, value))
      }
    }
    var body: [UInt8]?
    if let text = members.text("body") {
      body = Array(text.utf8)
    } else if let text = members.text("bytes") {
      guard let bytes = Base64.decoded(text) else { throw refuse("the body is no Base64") }
      body = bytes
    }
    var timeout: Int?
    if let part = members.first(where: { $0.key == "timeout" }),
      case .number(let text) = try? JSONPart.read(part.value), let number = Double(text),
      number >= 1
    {
      timeout = Int(min(number, Double(Self.longestTimeout)))
    }
    var follows = true
    if let part = members.first(where: { $0.key == "follows" }),
      case .bool(false) = try? JSONPart.read(part.value)
    {
      follows = false
    }
    return try open(
      method, reference, fields: own, body: body, follows: follows, timeout: timeout)
  }

  /// A source whose answer is one of success; else the error that it is.
  private func checked(
    _ source: HTTPSource, _ reference: Reference
  ) throws(StoreError) -> HTTPSource {
    guard !(200..<300).contains(source.status) else { return source }
    throw failure(try source.wholeAnswer(limit: 1 << 16), "GET", nil, reference)
  }

  /// A day, in milliseconds.
  private static var longestTimeout: Int { 86_400_000 }
}
