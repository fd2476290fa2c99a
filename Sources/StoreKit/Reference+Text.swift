internal import TenonText

// The text of a reference, which stands for it alone: printing and reading are each other's inverse.

extension Reference: CustomStringConvertible {
  /// The reference as an address is written.
  ///
  /// What would part it otherwise comes encoded: `%`, and `/` and `?` in a component, `&` in a query
  /// and `=` in its keys, control characters, and in addresses of the web `+`, which is a blank there.
  public var description: String {
    var text = Reference.encoded(scheme, [UInt8(ascii: ":"), UInt8(ascii: "/")]) + ":"
    // It holds no sign that ends it, and is written as it was found.
    if let authority { text += "//" + authority }
    if isAbsolute || authority != nil && !components.isEmpty { text += "/" }
    text += components.map { Reference.encoded($0, Reference.componentSigns) }
      .joined(separator: "/")
    if isDirectory, !components.isEmpty { text += "/" }
    if !query.isEmpty { text += "?" + queryText }
    return text
  }

  /// The pairs of the query in one text.
  package var queryText: String {
    let plus = PathCoding.query(of: scheme) == .query ? [UInt8(ascii: "+")] : []
    let valueSigns = plus + [UInt8(ascii: "&")]
    return query.map { pair in
      let key = Reference.encoded(pair.key, valueSigns + [UInt8(ascii: "=")])
      return pair.value.map { key + "=" + Reference.encoded($0, valueSigns) } ?? key
    }.joined(separator: "&")
  }

  /// The components of a path in one text, from which they can be told.
  package static func text(of components: [String]) -> String {
    components.map { encoded($0, componentSigns) }.joined(separator: "/")
  }

  private static let componentSigns = [UInt8(ascii: "/"), UInt8(ascii: "?")]

  private static func encoded(_ text: String, _ signs: [UInt8]) -> String {
    PercentEncoding.encoding(text) {
      $0 == UInt8(ascii: "%") || $0 < 0x20 || $0 == 0x7F || signs.contains($0)
    }
  }

  /// Creates the reference that a text stands for, as `description` writes it.
  ///
  /// Encoded bytes are decoded, once; a `%` that begins none is a sign like any other.
  ///
  /// - Throws: `StoreError` of the kind `invalidReference` for a text without a scheme, and as the
  ///   other initializer does.
  public init(text: String) throws(StoreError) {
    let colon = UInt8(ascii: ":")
    let slash = UInt8(ascii: "/")
    let question = UInt8(ascii: "?")
    guard let end = text.utf8.firstIndex(of: colon) else {
      throw StoreError(
        .invalidReference, Reference.escapingControls(in: text), "a reference begins with a scheme")
    }
    let scheme = PercentEncoding.decoded(String(text[..<end]))
    var rest = text[text.utf8.index(after: end)...].utf8
    var authority: String?
    if rest.starts(with: [slash, slash]) {
      let host = rest.dropFirst(2).prefix { $0 != slash && $0 != question }
      authority = String(Substring(host))
      rest = rest[host.endIndex...]
    }
    let path = rest.prefix { $0 != question }
    let pairs = rest[path.endIndex...].dropFirst()
    let coding = PathCoding.query(of: scheme)
    func decoded(_ part: Substring.UTF8View) -> String {
      PercentEncoding.decoded(String(Substring(part)), plusIsBlank: coding == .query)
    }
    var query: [QueryPair] = []
    if path.endIndex != rest.endIndex {
      query = pairs.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map {
        let key = $0.prefix { $0 != UInt8(ascii: "=") }
        let value = $0[key.endIndex...]
        return QueryPair(decoded(key), value.isEmpty ? nil : decoded(value.dropFirst()))
      }
    }
    try self.init(
      scheme: scheme, authority: authority,
      components: path.split(separator: slash).map {
        PercentEncoding.decoded(String(Substring($0)))
      }, isAbsolute: path.first == slash, isDirectory: path.last == slash, query: query)
  }

  /// Whether it is an address of the web.
  package var isWeb: Bool { scheme == "http" || scheme == "https" }

  /// The address as others read it, all but plain signs encoded; nil for what is no address outside.
  package var urlText: String? {
    guard isWeb ? !(authority ?? "").isEmpty : scheme == "file" && isRooted else { return nil }
    func encoded(_ text: String) -> String {
      PercentEncoding.encoding(text) { !Reference.plainSigns.contains($0) }
    }
    var text = scheme + "://" + (authority ?? "") + "/"
    text += components.map(encoded).joined(separator: "/")
    if isDirectory, !components.isEmpty { text += "/" }
    guard !query.isEmpty else { return text }
    let pairs = query.map { pair in
      encoded(pair.key) + (pair.value.map { "=" + encoded($0) } ?? "")
    }
    return text + "?" + pairs.joined(separator: "&")
  }

  /// What is never encoded (RFC 3986, section 2.3).
  private static let plainSigns = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

  /// A text for a message: control characters, which could hide the rest of it, come encoded.
  static func escapingControls(in text: String) -> String {
    PercentEncoding.encoding(text) { $0 < 0x20 || $0 == 0x7F }
  }
}
