/// A store over another one: every verb goes on to it.
///
/// A combinator is a subclass that overrides what it wants to have otherwise.
///
/// The places of the source may have other references: `place(for:)` says which, and
/// `reference(for:like:)` the way back. Errors are told in the references that this store was
/// asked with, and so are the changes that the source announces to those who listen to `feed`.
open class ForwardingStore: Store {
  /// The store below.
  public let source: any Store

  /// Creates a store over another one.
  public init(_ source: any Store) { self.source = source }

  /// The place of the source that a reference in here stands for: the same unless overridden.
  ///
  /// - Throws: `StoreError` for a reference that stands for nothing.
  open func place(for reference: Reference) throws(StoreError) -> Reference { reference }

  /// The reference in here of a place of the source; nil for one that is not seen from here.
  open func reference(for place: Reference, like reference: Reference) -> Reference? { place }

  /// Does something at the place of a reference; an error is one about the reference.
  ///
  /// - Throws: what the body throws, told with the reference.
  public final func forward<Answer>(
    _ reference: Reference, _ body: (any Store, Reference) throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer {
    let place = try place(for: reference)
    do throws(StoreError) {
      return try body(source, place)
    } catch {
      throw error.reference == place.description ? error.about(reference) : error
    }
  }

  // MARK: The verbs, for overriding

  open var capabilities: StoreCapabilities { source.capabilities }
  open var feed: ChangeFeed? { source.feed }
  open var executor: (any VerbExecutor)? { source.executor }
  open var keepsBytesInJSON: Bool { source.keepsBytesInJSON }

  open func contentType(of reference: Reference) -> String {
    (try? place(for: reference)).map { source.contentType(of: $0) } ?? "text/plain"
  }

  open func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    try forward(reference) { (source, place) throws(StoreError) in
      try source.get(place, if: condition)
    }
  }

  open func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    try forward(reference) { (source, place) throws(StoreError) in
      try source.put(place, resource, if: condition)
    }
  }

  open func delete(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> Bool {
    try forward(reference) { (source, place) throws(StoreError) in
      try source.delete(place, if: condition)
    }
  }

  open func post(_ reference: Reference, _ resource: Resource) throws(StoreError) -> Reference {
    let added = try forward(reference) { (source, place) throws(StoreError) in
      try source.post(place, resource)
    }
    return self.reference(for: added, like: reference) ?? added
  }

  open func status(of reference: Reference) throws(StoreError) -> ResourceStatus? {
    try forward(reference) { (source, place) throws(StoreError) in try source.status(of: place) }
  }

  open func merge(
    _ reference: Reference, _ patch: Resource, if condition: Precondition?
  ) throws(StoreError) {
    try forward(reference) { (source, place) throws(StoreError) in
      try source.merge(place, patch, if: condition)
    }
  }

  open func makeDirectory(_ reference: Reference) throws(StoreError) {
    try forward(reference) { (source, place) throws(StoreError) in
      try source.makeDirectory(place)
    }
  }

  open func move(
    _ reference: Reference, to destination: Reference, if condition: Precondition?
  ) throws(StoreError) {
    let target = try place(for: destination)
    do throws(StoreError) {
      try forward(reference) { (source, place) throws(StoreError) in
        try source.move(place, to: target, if: condition)
      }
    } catch {
      throw error.reference == target.description ? error.about(destination) : error
    }
  }

  open func deleteTree(_ reference: Reference) throws(StoreError) -> Bool {
    try forward(reference) { (source, place) throws(StoreError) in try source.deleteTree(place) }
  }

  open func list(_ reference: Reference) throws(StoreError) -> [StoreEntry] {
    try forward(reference) { (source, place) throws(StoreError) in try source.list(place) }
  }

  open func flush() throws(StoreError) { try source.flush() }
  open func close() throws(StoreError) { try source.close() }
}

extension StoreError {
  /// The same failure as one about another reference.
  public func about(_ other: Reference) -> StoreError {
    var error = StoreError(kind, other, reason, systemCode: systemCode)
    error.verb = verb
    error.retryAfter = retryAfter
    error.output = output
    return error
  }
}
