internal import TenonText

// The kit of stores: what a store is and what it speaks with. Places (Reference), the protocol Store with
// its errors, tags and types of contents, the protocols of stores that can do more; how changes are told
// (ChangeFeed, ChangeQueue); and what else comes from outside of an interpreter: Clock, the descriptions
// of time zones, SourceLoader.
//
// Who writes a store needs this and no more. The stores that ship are in Stores; how values become
// resources, and what a program says about places, is the runtime's (References, RunLoop).

/// The name of a place: a scheme and a path, structured so that parts can be taken off and added.
///
/// A reference is a value; whether there is anything at the place is for a store to say. Two
/// references are equal when scheme, authority, components and query are, byte for byte: whether the
/// path ends in a slash does not count, but texts that only look the same are different places. A
/// slash at the beginning counts where files may be meant, and not behind an authority nor in schemes
/// that know no root. The text of a reference stands for it alone.
public struct Reference: Sendable {
  /// The scheme, without a colon.
  public let scheme: String
  /// What stands between `//` and the path, if anything does.
  public let authority: String?
  /// The components, decoded, none of them empty.
  public let components: [String]
  /// Whether the path began with a slash; false in schemes where that says nothing.
  public let isAbsolute: Bool
  /// Whether the path ended in a slash: what is meant is the listing.
  public let isDirectory: Bool
  /// The pairs of the query, in order.
  public let query: [QueryPair]

  /// A key and a value of a query.
  public struct QueryPair: Sendable, Hashable {
    /// The key.
    public let key: String
    /// The value; nil when there is no `=`.
    public let value: String?

    /// Creates a pair.
    public init(_ key: String, _ value: String?) {
      self.key = key
      self.value = value
    }
  }

  /// Creates a reference from decoded parts.
  ///
  /// - Throws: `StoreError` of the kind `invalidReference` when a component is empty, holds a NUL
  ///   or a control character, the authority what ends one, or the limits are exceeded: 64
  ///   components, 255 bytes each, 4096 in total.
  public init(
    scheme: String, authority: String? = nil, components: [String], isAbsolute: Bool = false,
    isDirectory: Bool = false, query: [QueryPair] = []
  ) throws(StoreError) {
    try Reference.check(scheme, authority: authority)
    let start = authority.map { "//\($0)/" } ?? (isAbsolute ? "/" : "")
    try Reference.check(components) { scheme + ":" + start }
    self.init(
      checked: scheme, authority: authority, components: components, isAbsolute: isAbsolute,
      isDirectory: isDirectory, query: query)
  }

  /// Creates the reference to all of a scheme.
  public init(scheme: String) {
    self.init(
      checked: scheme, authority: nil, components: [], isAbsolute: false, isDirectory: false,
      query: [])
  }

  private init(
    checked scheme: String, authority: String?, components: [String], isAbsolute: Bool,
    isDirectory: Bool, query: [QueryPair]
  ) {
    self.scheme = scheme
    self.authority = authority
    self.components = components
    self.isAbsolute = isAbsolute && !Reference.rootlessSchemes.contains(scheme)
    self.isDirectory = isDirectory
    self.query = query
  }

  /// The schemes in which a slash at the beginning of a path says nothing.
  ///
  /// Behind a scheme that a program mounts there may be files, where it does.
  private static let rootlessSchemes: Set<String> = [
    "mem", "env", "defaults", "clock", "process", "stdin", "stdout", "scheme",
  ]

  private static func check(_ scheme: String, authority: String?) throws(StoreError) {
    guard let authority else { return }
    // A slash would make a path of what was given as a host.
    let isPlain = authority.utf8.allSatisfy {
      $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
    }
    guard isPlain else {
      throw StoreError(
        .invalidReference, "\(scheme)://\(escapingControls(in: authority))",
        "what stands before the path holds a '/', a '?', a blank or a control character")
    }
  }

  private static func check(
    _ components: [String], behind start: () -> String
  ) throws(StoreError) {
    // What is no reference has no text of its own: it is told as it was given.
    func written() -> String {
      escapingControls(in: start() + components.joined(separator: "/"))
    }
    guard components.count <= Limit.components else {
      throw StoreError(
        .invalidReference, written(), "a path has at most \(Limit.components) components")
    }
    var total = 0
    for component in components {
      let size = component.utf8.count
      total += size
      guard size > 0 else { throw StoreError(.invalidReference, written(), "a component is empty") }
      guard size <= Limit.componentBytes else {
        throw StoreError(
          .invalidReference, written(), "a component has at most \(Limit.componentBytes) bytes")
      }
      guard component.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw StoreError(.invalidReference, written(), "a component holds a control character")
      }
    }
    guard total <= Limit.totalBytes else {
      throw StoreError(.invalidReference, written(), "a path has at most \(Limit.totalBytes) bytes")
    }
  }

  /// How large a path can be.
  package enum Limit {
    package static let components = 64
    static let componentBytes = 255
    package static let totalBytes = 4096
  }
}

// MARK: - Names

extension Reference {
  /// Whether a text can be the name of something: what was computed or listed elsewhere may be a
  /// component of a path then, and lead neither up nor nowhere.
  ///
  /// `..` and `.` are components only where a program writes them into a path.
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && text != "." && text != ".."
  }

  /// Why what was computed is no component of a path.
  ///
  /// - Parameters:
  ///   - name: What was computed.
  ///   - path: The text of the path with it.
  ///   - origin: Where it comes from, as in "an expression in 'mem:{x}' gives"; nil where the path says
  ///     all.
  /// - Returns: The error.
  package static func refusal(of name: String, in path: String, origin: String? = nil) -> StoreError
  {
    StoreError(
      name == ".." ? .escape : .invalidReference, escapingControls(in: path),
      origin.map { "\($0) '\(name)', which is no name" } ?? "'\(name)' is no name")
  }
}

// MARK: - Parts

extension Reference {
  /// The last component; nil for the root of a store.
  public var name: String? { components.last }

  /// The reference without its last component; nil for the root.
  public var parent: Reference? {
    components.isEmpty ? nil : dropping(1)
  }

  /// The reference without its last `count` components.
  public func dropping(_ count: Int) -> Reference {
    Reference(
      checked: scheme, authority: authority,
      components: Array(components.dropLast(max(0, count))), isAbsolute: isAbsolute,
      isDirectory: false, query: [])
  }

  /// The reference with more components.
  ///
  /// - Throws: `StoreError` as `init` does.
  public func appending(_ more: String...) throws(StoreError) -> Reference {
    try Reference(
      scheme: scheme, authority: authority, components: components + more,
      isAbsolute: isAbsolute)
  }

  /// The same path in another scheme.
  public func inScheme(_ name: String) -> Reference {
    Reference(
      checked: name, authority: authority, components: components, isAbsolute: isAbsolute,
      isDirectory: isDirectory, query: query)
  }

  /// The reference to the place itself where its listing was meant.
  package var asPlace: Reference {
    Reference(
      checked: scheme, authority: authority, components: components, isAbsolute: isAbsolute,
      isDirectory: false, query: query)
  }

  /// Whether the other reference names this place or one below it.
  public func isPrefix(of other: Reference) -> Bool {
    haveSameBytes(scheme, other.scheme) && haveSameBytes(authority, other.authority)
      && isRooted == other.isRooted && components.count <= other.components.count
      && components.elementsEqual(other.components.prefix(components.count), by: haveSameBytes)
  }

  /// Whether a change at this place may concern the other: one is above the other.
  public func affects(_ other: Reference) -> Bool {
    isPrefix(of: other) || other.isPrefix(of: self)
  }
}

extension Reference: Hashable {
  /// Whether both name the same place.
  public static func == (left: Reference, right: Reference) -> Bool {
    haveSameBytes(left.scheme, right.scheme)
      && left.components.elementsEqual(right.components, by: haveSameBytes)
      && left.isRooted == right.isRooted
      && haveSameBytes(left.authority, right.authority)
      && left.query.elementsEqual(right.query) {
        haveSameBytes($0.key, $1.key) && haveSameBytes($0.value, $1.value)
      }
  }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(scheme)
    hasher.combine(components)
    hasher.combine(query)
  }

  /// Whether the path begins at a root: behind an authority every path does.
  package var isRooted: Bool { isAbsolute || authority != nil }
}

/// Whether two components name the same: two files whose names only look the same are two.
private func haveSameBytes(_ left: String, _ right: String) -> Bool { left.hasSameBytes(as: right) }

private func haveSameBytes(_ left: String?, _ right: String?) -> Bool {
  guard let left, let right else { return left == nil && right == nil }
  return haveSameBytes(left, right)
}
