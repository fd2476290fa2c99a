/// A store: places under references, read and written by few verbs.
///
/// Missing is not an error, and an error is never "missing": `get` answers `missing` for a place
/// where nothing is, and throws for everything else. A verb that a store does not have throws
/// `unsupported`; nothing is ever ignored in silence. A failed write leaves the old value; only an
/// error of the kind `notDurable` says that the new one is there, and that the loss of power may
/// bring the old one back.
///
/// A condition is checked and the change made as one step as far as the store can; when it does not
/// hold, the verb throws `preconditionFailed`, and nothing is changed.
///
/// Laws: what was put is got; what was deleted is missing; put and delete twice are put and delete
/// once; a listing holds a name exactly when its place is not missing; reading changes nothing.
public protocol Store: AnyObject {
  /// What the store can do.
  var capabilities: StoreCapabilities { get }

  /// What the resources at a place are: `text/plain`, `application/json`,
  /// `application/octet-stream`. Values are encoded as that before `put` and decoded after `get`.
  func contentType(of reference: Reference) -> String

  /// Whether members of its JSON objects can be bytes, as objects with the one member `base64`: values
  /// of the language are byte arrays there. Others refuse byte arrays in JSON.
  var keepsBytesInJSON: Bool { get }

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

  /// What there is at a place, without its bytes; nil for nothing.
  ///
  /// - Throws: `StoreError` for every failure but absence.
  func status(of reference: Reference) throws(StoreError) -> ResourceStatus?

  /// Changes some members of the JSON object at a place: those of the patch replace, null removes,
  /// objects are merged likewise; nothing counts as an object without members.
  ///
  /// Source of the algorithm: RFC 7396, JSON Merge Patch.
  ///
  /// - Throws: `StoreError`; then the old value stands.
  func merge(
    _ reference: Reference, _ patch: Resource, if condition: Precondition?
  ) throws(StoreError)

  /// Makes a directory, and those above it; it does nothing where one is.
  ///
  /// - Throws: `StoreError`, of the kind `exists` where something else is.
  func makeDirectory(_ reference: Reference) throws(StoreError)

  /// Gives what is at a place, with all below it, another place in this store, as one step.
  ///
  /// - Throws: `StoreError`, of the kind `notFound` when nothing is there, `exists` when something
  ///   is at the new place and the condition does not allow that; then both are as before.
  func move(
    _ reference: Reference, to destination: Reference, if condition: Precondition?
  ) throws(StoreError)

  /// Removes what is at a place and all below it, links not followed.
  ///
  /// - Returns: Whether anything was there.
  /// - Throws: `StoreError`; then part of it may be gone.
  func deleteTree(_ reference: Reference) throws(StoreError) -> Bool

  /// Lists what is directly below a place, sorted by the bytes of the names.
  ///
  /// - Throws: `StoreError`, of the kind `notFound` for a place where nothing is, `notADirectory` for
  ///   one that has a resource and nothing below it.
  func list(_ reference: Reference) throws(StoreError) -> [StoreEntry]

  /// Sees to it that everything written is as durable as it can be.
  ///
  /// - Throws: `StoreError`.
  func flush() throws(StoreError)

  /// Ends the use of the store: what is written is made as durable as `flush` makes it, and files
  /// and connections are given back. Every further verb throws `closed`.
  ///
  /// - Throws: `StoreError` when the last writes could not be made durable.
  func close() throws(StoreError)

  /// Where the verbs are carried out that may take time; nil when they are done where they are asked for.
  ///
  /// A store with an executor can be used by several threads at a time.
  var executor: (any VerbExecutor)? { get }

  /// Where the store announces changes; nil when it cannot tell.
  ///
  /// A store that has a feed posts to it every change, whoever made it.
  var feed: ChangeFeed? { get }
}

// What a store does about the verbs it does not have.
extension Store {
  /// Answers plain text.
  public func contentType(of reference: Reference) -> String { "text/plain" }

  /// It has none.
  public var keepsBytesInJSON: Bool { false }

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

  /// Reads the place, whatever that costs.
  public func status(of reference: Reference) throws(StoreError) -> ResourceStatus? {
    switch try get(reference, if: nil) {
    case .missing, .unchanged: return nil
    case .directory: return ResourceStatus(isDirectory: true)
    case .resource(let resource): return ResourceStatus(of: resource)
    }
  }

  /// Throws `unsupported`.
  public func merge(
    _ reference: Reference, _ patch: Resource, if condition: Precondition?
  ) throws(StoreError) {
    throw unsupported("merge", reference)
  }

  /// Throws `unsupported`.
  public func makeDirectory(_ reference: Reference) throws(StoreError) {
    throw unsupported("makeDirectory", reference)
  }

  /// Throws `unsupported`.
  public func move(
    _ reference: Reference, to destination: Reference, if condition: Precondition?
  ) throws(StoreError) {
    throw unsupported("move", reference)
  }

  /// Throws `unsupported`.
  public func deleteTree(_ reference: Reference) throws(StoreError) -> Bool {
    throw unsupported("deleteTree", reference)
  }

  /// Does nothing: there is nothing to give back.
  public func close() throws(StoreError) {}

  /// Does nothing: everything is durable when a write answers.
  public func flush() throws(StoreError) {}

  /// None: the verbs take no time to speak of.
  public var executor: (any VerbExecutor)? { nil }

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

  /// Creates a resource of JSON, or of any bytes.
  package init(_ bytes: [UInt8], isJSON: Bool) {
    self.init(bytes, contentType: isJSON ? "application/json" : "application/octet-stream")
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
  /// There is what the reader has already: its tag is that of the condition `differs`.
  case unchanged
}

/// What is known of a place without its bytes.
public struct ResourceStatus: Sendable, Equatable {
  /// Whether there are places below it rather than a resource at it.
  public let isDirectory: Bool
  /// What tells this state of the resource from others; nil when the store cannot say.
  public let tag: EntityTag?
  /// What the resource is: `text/plain` and the like; nil when that is not known.
  public let contentType: String?
  /// In bytes; nil when that is not known.
  public let size: Int?
  /// When it was changed last, in nanoseconds since 1970; nil when that is not known.
  public let modified: Int?

  /// Creates a status.
  public init(
    isDirectory: Bool = false, tag: EntityTag? = nil, contentType: String? = nil,
    size: Int? = nil, modified: Int? = nil
  ) {
    self.isDirectory = isDirectory
    self.tag = tag
    self.contentType = contentType
    self.size = size
    self.modified = modified
  }

  /// Creates the status of a resource that is at hand.
  ///
  /// - Complexity: O(n) in the number of bytes.
  public init(of resource: Resource, modified: Int? = nil) {
    self.init(
      tag: EntityTag(of: resource.bytes), contentType: resource.contentType,
      size: resource.bytes.count, modified: modified)
  }
}

/// An entry of a listing.
public struct StoreEntry: Sendable, Hashable {
  /// The name: one component.
  public let name: String
  /// Whether there are entries below it.
  public let isDirectory: Bool
  /// Whether it only leads to something that is somewhere else, as symbolic links do.
  public let isLink: Bool

  /// Creates an entry.
  public init(_ name: String, isDirectory: Bool, isLink: Bool = false) {
    self.name = name
    self.isDirectory = isDirectory
    self.isLink = isLink
  }
}

/// What must hold at a place for a verb to be carried out.
public enum Precondition: Sendable, Hashable {
  /// There is nothing at the place.
  case absent
  /// There is something at the place.
  case exists
  /// What is at the place has this tag.
  case matches(EntityTag)
  /// What is at the place has another tag than this, or nothing is there. Reading what has the tag
  /// answers `unchanged`.
  case differs(EntityTag)

  /// Whether it holds where something with a tag is, or nothing: nil.
  public func holds(for state: EntityTag?, isThere: Bool) -> Bool {
    switch self {
    case .absent: !isThere
    case .exists: isThere
    case .matches(let tag): isThere && state == tag
    case .differs(let tag): !isThere || state != tag
    }
  }

  /// Why it does not hold, for the message of the error.
  public func refusal(isThere: Bool) -> String {
    switch self {
    case .absent: "there is something already"
    case .exists: "there is nothing"
    case .matches: isThere ? "it has been changed meanwhile" : "it is gone meanwhile"
    case .differs: "it has not been changed"
    }
  }
}

/// What a store can do.
public struct StoreCapabilities: Sendable {
  /// A verb of stores.
  public enum Verb: String, Sendable, CaseIterable {
    case get, put, delete, post, list, merge, makeDirectory, move, deleteTree
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
