/// A store: places under references, read and written by few verbs.
///
/// Missing is not an error, and an error is never "missing": `get` answers `missing` for a place
/// where nothing is, and throws for everything else. A verb that a store does not have throws
/// `unsupported`; nothing is ever ignored in silence. A failed write leaves the old value; only an
/// error of the kind `notDurable` says that the new one is there, and that the loss of power may
/// bring the old one back.
///
/// A condition is checked and the change made as one step as far as the store can; when it does not
/// hold, the verb throws `preconditionFailed`.
///
/// Laws: what was put is got; what was deleted is missing; put and delete twice are put and delete
/// once; a listing holds a name exactly when its place is not missing; reading changes nothing.
public protocol Store: AnyObject {
  /// What the store can do.
  var capabilities: StoreCapabilities { get }

  /// What the resources at a place are: `text/plain`, `application/json`,
  /// `application/octet-stream`. Values are encoded as that before `put` and decoded after `get`.
  func contentType(of reference: Reference) -> String

  /// Reads a place.
  ///
  /// - Throws: `StoreError` for every failure but absence.
  func get(_ reference: Reference, if condition: Precondition?) throws(StoreError) -> GetOutcome

  /// Creates or replaces what is at a place: all of it or nothing.
  ///
  /// When it answers, the write is as durable as `capabilities.durability` promises.
  ///
  /// - Throws: `StoreError`; then the old value stands.
  func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError)

  /// Removes what is at a place.
  ///
  /// - Returns: Whether anything was there.
  /// - Throws: `StoreError`; then the old value stands.
  func delete(_ reference: Reference, if condition: Precondition?) throws(StoreError) -> Bool

  /// Adds a resource below a place, under a name the store chooses.
  ///
  /// - Returns: The reference of what was added.
  /// - Throws: `StoreError`.
  func post(_ reference: Reference, _ resource: Resource) throws(StoreError) -> Reference

  /// Lists what is directly below a place, sorted by the bytes of the names.
  ///
  /// - Throws: `StoreError`, of the kind `notFound` for a place where nothing is, `notADirectory` for
  ///   one that has a resource and nothing below it.
  func list(_ reference: Reference) throws(StoreError) -> [StoreEntry]

  /// Sees to it that everything written is as durable as it can be.
  ///
  /// - Throws: `StoreError`.
  func flush() throws(StoreError)

  /// Where the store announces changes; nil when it cannot tell.
  ///
  /// A store that has a feed posts to it every change, whoever made it.
  var feed: ChangeFeed? { get }
}

// What a store does about the verbs it does not have.
extension Store {
  /// Answers plain text.
  public func contentType(of reference: Reference) -> String { "text/plain" }

  /// Throws `unsupported`.
  public func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    throw unsupported("get", reference)
  }

  /// Throws `unsupported`.
  public func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    throw unsupported("put", reference)
  }

  /// Throws `unsupported`.
  public func delete(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> Bool {
    throw unsupported("delete", reference)
  }

  /// Throws `unsupported`.
  public func post(_ reference: Reference, _ resource: Resource) throws(StoreError) -> Reference {
    throw unsupported("post", reference)
  }

  /// Throws `unsupported`.
  public func list(_ reference: Reference) throws(StoreError) -> [StoreEntry] {
    throw unsupported("list", reference)
  }

  /// Does nothing: everything is durable when a write answers.
  public func flush() throws(StoreError) {}

  /// No feed.
  public var feed: ChangeFeed? { nil }

  /// The error for a verb that the store does not have.
  public func unsupported(_ verb: String, _ reference: Reference) -> StoreError {
    let allowed = capabilities.verbs.map { $0.rawValue }.joined(separator: ", ")
    return StoreError(
      .unsupported, reference,
      "'\(verb)' is not supported" + (allowed.isEmpty ? "" : ", only \(allowed)"))
  }
}

/// The bytes at a place, and what they are.
public struct Resource: Sendable, Equatable {
  /// The bytes.
  public let bytes: [UInt8]
  /// What they are: `text/plain`, `application/json`, `application/octet-stream`.
  public let contentType: String

  /// Creates a resource.
  public init(_ bytes: [UInt8], contentType: String) {
    self.bytes = bytes
    self.contentType = contentType
  }

  /// Creates a resource of plain text.
  public init(_ text: String) {
    self.init(Array(text.utf8), contentType: "text/plain")
  }
}

/// What reading a place came to.
public enum GetOutcome: Sendable {
  /// There is a resource.
  case resource(Resource)
  /// There is a directory with these entries.
  case directory([StoreEntry])
  /// There is nothing.
  case missing
}

/// An entry of a listing.
public struct StoreEntry: Sendable, Hashable {
  /// The name: one component.
  public let name: String
  /// Whether there are entries below it.
  public let isDirectory: Bool

  /// Creates an entry.
  public init(_ name: String, isDirectory: Bool) {
    self.name = name
    self.isDirectory = isDirectory
  }
}

/// What must hold at a place for a verb to be carried out.
public enum Precondition: Sendable, Hashable {
  /// There is nothing at the place.
  case absent
  /// There is something at the place.
  case exists
}

/// What a store can do.
public struct StoreCapabilities: Sendable {
  /// A verb of stores.
  public enum Verb: String, Sendable, CaseIterable {
    case get, put, delete, post, list
  }

  /// What a write that was acknowledged survives.
  public enum Durability: Int, Sendable, Comparable {
    /// Nothing: it is gone with the interpreter.
    case none
    /// The end of the process.
    case process
    /// The loss of power.
    case power

    /// Whether one survives less than the other.
    public static func < (left: Durability, right: Durability) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// The verbs, in the order of `Verb.allCases`.
  public let verbs: [Verb]
  /// What a write survives.
  public let durability: Durability
  /// Whether the store lies outside the process: such a store refuses a computed nil.
  public let isExternal: Bool

  /// Creates capabilities.
  public init(_ verbs: Set<Verb>, durability: Durability, isExternal: Bool) {
    self.verbs = Verb.allCases.filter { verbs.contains($0) }
    self.durability = durability
    self.isExternal = isExternal
  }
}
