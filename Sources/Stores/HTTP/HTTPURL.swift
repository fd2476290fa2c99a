package import TenonStoreKit
internal import TenonText

/// The address of a resource on a server: what is sent, with everything encoded.
package struct HTTPURL: Sendable, Hashable {
  /// `http` or `https`.
  package let scheme: String
  /// The host and the port, if one was given; no credentials.
  package let authority: String
  /// The path and the query, encoded; begins with a slash.
  package let target: String

  /// The address as a text.
  package var text: String { "\(scheme)://\(authority)\(target)" }

  /// Scheme, host and port: what credentials belong to.
  package var origin: String {
    let host = authority.lowercased()
    let hasPort =
      host.utf8.last != UInt8(ascii: "]") && host.parts(between: UInt8(ascii: ":")).count > 1
    let usual = scheme == "https" ? ":443" : ":80"
    return scheme + "://" + (hasPort ? host : host + usual)
  }

  /// The host without the port.
  package var host: String {
    let bytes = authority.utf8
    if bytes.first == UInt8(ascii: "[") {
      let inside = bytes.dropFirst().prefix { $0 != UInt8(ascii: "]") }
      return String(decoding: inside, as: UTF8.self)
    }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
  }

  init(scheme: String, authority: String, target: String) {
    self.scheme = scheme
    self.authority = authority
    self.target = target
  }
}

// MARK: - References

extension HTTPURL {
  /// The address for a reference; every part is encoded once.
  ///
  /// - Throws: `StoreError` of the kind `invalidReference` when it names no host, or a component is
  ///   `.` or `..`, which a server would take for another path.
  package init(_ reference: Reference, scheme: String) throws(StoreError) {
    guard let written = reference.authority, !written.isEmpty else {
      throw StoreError(
        .invalidReference, reference, "a host is missing, as in \(scheme)://example.org/path")
    }
    let host = HTTPURL.split(written).host
    guard HTTPURL.isAuthority(host) else {
      throw StoreError(.invalidReference, reference.hidingPassword, "'\(host)' is no host")
    }
    self.scheme = scheme
    authority = host
    var target = ""
    for component in reference.components {
      guard component != ".", component != ".." else {
        throw StoreError(
          .invalidReference, reference.hidingPassword, "'\(component)' is no part of an address")
      }
      target += "/" + HTTPURL.encoded(component, keeping: .component)
    }
    if target.isEmpty || reference.isDirectory { target += "/" }
    self.target = target + HTTPURL.query(reference.query)
  }

  /// The credentials of a reference, `user:password`, decoded; nil for none.
  static func credentials(of reference: Reference) -> String? {
    HTTPURL.split(reference.authority ?? "").credentials.map { HTTPURL.decoded($0) }
  }

  /// The reference for this address; its components are decoded.
  ///
  /// - Throws: `StoreError` when it has more or longer components than a reference may.
  func reference(authority: String?) throws(StoreError) -> Reference {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0]
    let pairs = parts.count > 1 ? parts[1].split(separator: "&") : []
    return try Reference(
      scheme: scheme, authority: authority ?? self.authority,
      components: path.split(separator: "/").map { HTTPURL.decoded(String($0)) },
      isAbsolute: true, isDirectory: path.hasSuffix("/"),
      query: pairs.map { pair in
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return Reference.QueryPair(
          HTTPURL.decoded(String(sides[0])),
          sides.count > 1 ? HTTPURL.decoded(String(sides[1])) : nil)
      })
  }

  private static func split(_ authority: String) -> (credentials: String?, host: String) {
    let bytes = authority.utf8
    guard let sign = bytes.lastIndex(of: UInt8(ascii: "@")) else { return (nil, authority) }
    return (String(authority[..<sign]), String(authority[bytes.index(after: sign)...]))
  }

  /// Whether a text is a host with or without a port.
  private static func isAuthority(_ text: String) -> Bool {
    guard !text.isEmpty, text.utf8.count <= 300 else { return false }
    let inBrackets = text.utf8.first == UInt8(ascii: "[")
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...:
        continue
      case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "%"):
        guard inBrackets else { return false }
      default: return false
      }
    }
    let port: String
    if inBrackets {
      guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let rest = text.utf8[end...].dropFirst()
      guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { return false }
      port = String(decoding: rest.dropFirst(), as: UTF8.self)
    } else {
      let parts = text.parts(between: UInt8(ascii: ":"), omittingEmpty: false)
      guard parts.count <= 2, !parts[0].isEmpty else { return false }
      port = parts.count == 2 ? parts[1] : ""
    }
    return port.isEmpty || (UInt16(port).map { $0 > 0 } ?? false)
  }

  private static func query(_ pairs: [Reference.QueryPair]) -> String {
    if pairs.isEmpty { return "" }
    return "?"
      + pairs.map { pair in
        let key = encoded(pair.key, keeping: .query)
        return pair.value.map { key + "=" + encoded($0, keeping: .query) } ?? key
      }.joined(separator: "&")
  }
}

extension Reference {
  /// The reference as a text for messages: its password is nobody's business.
  package var hidingPassword: String {
    guard let authority, let sign = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else {
      return description
    }
    let user = authority.utf8[..<sign].prefix { $0 != UInt8(ascii: ":") }
    let hidden =
      String(decoding: user, as: UTF8.self) + (user.endIndex == sign ? "" : ":…")
      + authority[sign...]
    let shown = try? Reference(
      scheme: scheme, authority: hidden, components: components, isAbsolute: isAbsolute,
      isDirectory: isDirectory, query: query)
    return shown?.description ?? scheme + ":"
  }
}

// MARK: - Following

extension HTTPURL {
  /// The address that a server names relative to this one; nil when it is none for this store.
  ///
  /// Source of the algorithm: RFC 3986, section 5.2. Credentials in what the server names are left
  /// out, and so is a fragment.
  package func following(_ location: String) -> HTTPURL? {
    let (slash, question) = (UInt8(ascii: "/"), UInt8(ascii: "?"))
    // What is not ASCII is encoded at the end; until then no sign joins one that parts the text.
    var text = location.utf8.prefix { $0 != UInt8(ascii: "#") }
    var scheme = self.scheme
    if let colon = text.firstIndex(of: UInt8(ascii: ":")),
      text[..<colon].allSatisfy({ HTTPURL.isSchemeByte($0) }), colon > text.startIndex
    {
      scheme = String(decoding: text[..<colon], as: UTF8.self).lowercased()
      text = text[colon...].dropFirst()
      guard scheme == "http" || scheme == "https", text.starts(with: "//".utf8) else { return nil }
    }
    guard text.starts(with: "//".utf8) else {
      return HTTPURL(scheme: scheme, authority: authority, target: targetFollowing(text))
    }
    text = text.dropFirst(2)
    let written = text.prefix { $0 != slash && $0 != question }
    let host = HTTPURL.split(String(decoding: written, as: UTF8.self)).host
    guard HTTPURL.isAuthority(host) else { return nil }
    let rest = text.dropFirst(written.count)
    let root = HTTPURL(scheme: scheme, authority: host, target: "/")
    return HTTPURL(
      scheme: scheme, authority: host, target: rest.isEmpty ? "/" : root.targetFollowing(rest))
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }

  private func targetFollowing(_ reference: Substring.UTF8View) -> String {
    // Of what is left, all of it printable ASCII, characters and bytes are the same. A target is like
    // that from the beginning.
    let text = HTTPURL.cleaned(String(decoding: reference, as: UTF8.self))
    let own = target.prefix { $0 != "?" }
    let query = text.drop { $0 != "?" }
    let path = text.prefix { $0 != "?" }
    if path.isEmpty {
      return String(own) + (query.isEmpty ? target.dropFirst(own.count) : query)
    }
    let base = path.hasPrefix("/") ? "" : own[...(own.lastIndex(of: "/") ?? own.startIndex)]
    return HTTPURL.withoutDots(String(base) + path) + query
  }

  /// A path without the components `.` and `..`.
  private static func withoutDots(_ path: String) -> String {
    var kept: [Substring] = []
    let components = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (number, component) in components.enumerated() {
      let isLast = number == components.count - 1
      switch component {
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      case ".": if isLast { kept.append("") }
      default: kept.append(component)
      }
    }
    return "/" + kept.joined(separator: "/")
  }

  /// A target whose bytes are all allowed; what is encoded stays as it is.
  private static func cleaned(_ target: String) -> String {
    encoded(target, keeping: .everythingAllowed)
  }
}

// MARK: - Percent-encoding

extension HTTPURL {
  /// What stays as it is.
  enum Kept {
    /// What may stand in a component.
    case component
    /// What may stand in a key or value of a query, and means itself there.
    case query
    /// What may stand anywhere, encoded bytes among them.
    case everythingAllowed

    func keeps(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "$"),
        UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"),
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "@"):
        true
      case UInt8(ascii: "="), UInt8(ascii: "&"), UInt8(ascii: "+"): self != .query
      case UInt8(ascii: "/"), UInt8(ascii: "?"): self != .component
      case UInt8(ascii: "%"), UInt8(ascii: "["), UInt8(ascii: "]"): self == .everythingAllowed
      default: false
      }
    }
  }

  /// The text with all bytes but some encoded as `%` and two digits.
  static func encoded(_ text: String, keeping kept: Kept) -> String {
    guard !text.utf8.allSatisfy(kept.keeps) else { return text }
    var bytes: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      if kept.keeps(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text with encoded bytes decoded, once; what is no encoding of UTF-8 stays.
  static func decoded(_ text: String) -> String { PercentEncoding.decoded(text) }
}
