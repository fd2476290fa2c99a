public import TenonStoreKit
internal import TenonText

/// A store of all databases that the process may open: `sqlite:/path/to/file.db/people/3`.
///
/// The components up to the first that is a file name the database, what follows names the place in
/// it, as `SQLiteStore` has it. A file that is not there is not made, and all in it is missing; the
/// command `open` makes a store of one database, which is made when it is first written to.
///
/// One thread at a time may use the store.
public final class SQLiteFilesStore {
  /// Whether somebody wants the program to stop: asked while a statement runs.
  public var isInterrupted: () -> Bool = { false }
  /// Whether whoever uses the store can try again after a pause, as `SQLiteStore` has it.
  public var mayRetry: () -> Bool = { false }
  /// Where the store announces changes.
  public let feed: ChangeFeed? = ChangeFeed()
  private var databases: [(path: ExactText, database: SQLiteDatabase)] = []
  private var stores: [(path: ExactText, store: SQLiteStore)] = []

  /// How many files may be open at a time.
  private static let mostOpen = 64

  /// Creates a store.
  public init() {}

  private func path(_ components: ArraySlice<String>, _ reference: Reference) -> String {
    (reference.isAbsolute ? "/" : "") + components.joined(separator: "/")
  }

  /// The database that a reference leads into, and where; nil when there is no file on the way.
  private func place(
    _ reference: Reference
  ) throws(StoreError) -> (database: SQLiteDatabase, place: SQLiteDatabase.Place)? {
    guard reference.authority ?? "" == "" else {
      throw StoreError(
        .invalidReference, reference, "a database has a path: sqlite:/path/to/file.db/table/key")
    }
    for (index, component) in reference.components.enumerated()
    where component.utf8.contains(UInt8(ascii: "/")) {
      // In the path of the file it would lead elsewhere; in a key it does no harm.
      guard try isInDatabase(index, reference) else {
        throw StoreError(.invalidReference, reference, "the name of a file holds no '/'")
      }
    }
    for count in stride(from: 1, through: reference.components.count, by: 1) {
      let path = path(reference.components.prefix(count), reference)
      switch try kind(at: path, reference) {
      case .file:
        return (database(at: path), SQLiteDatabase.Place(reference: reference, base: count))
      case .directory: continue
      case nil: return nil
      default: throw StoreError(.unsupported, reference, "'\(path)' is no database")
      }
    }
    guard reference.components.isEmpty else {
      throw StoreError(
        .isADirectory, reference,
        "'\(path(reference.components[...], reference))' is a directory, no database")
    }
    return nil
  }

  /// What there is at a path; a path that the system does not let look at is not one without a file.
  private func kind(at path: String, _ reference: Reference) throws(StoreError) -> FileStatus.Kind?
  {
    do throws(FileFailure) {
      return try kindOfFile(at: path)
    } catch {
      throw StoreError(
        error.kind, reference, "'\(path)': \(error.reason)",
        systemCode: error.code == 0 ? nil : error.code)
    }
  }

  /// Whether a component comes behind the file.
  private func isInDatabase(_ index: Int, _ reference: Reference) throws(StoreError) -> Bool {
    for count in 1..<(index + 1)
    where try kind(at: path(reference.components.prefix(count), reference), reference) == .file {
      return true
    }
    return false
  }

  private func database(at path: String) -> SQLiteDatabase {
    if let index = databases.firstIndex(where: { $0.path == ExactText(path) }) {
      let entry = databases.remove(at: index)
      databases.append(entry)
      return entry.database
    }
    // The one that was used longest ago is opened again when it is needed.
    if databases.count >= Self.mostOpen { databases.removeFirst() }
    let made = SQLiteDatabase(path, creates: false, feed: feed ?? ChangeFeed()) { [weak self] in
      self?.isInterrupted() ?? false
    } mayRetry: { [weak self] in
      self?.mayRetry() ?? false
    }
    databases.append((ExactText(path), made))
    return made
  }

  /// The store of one database.
  private func open(_ path: String, _ reference: Reference) throws(StoreError) -> SQLiteStore {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw StoreError(.invalidReference, reference, "a database needs a path")
    }
    if path != ":memory:", let known = stores.first(where: { $0.path == ExactText(path) }),
      !known.store.isClosed
    {
      return known.store
    }
    stores.removeAll { $0.store.isClosed }
    guard stores.count < Self.mostOpen else {
      throw StoreError(
        .unavailable, reference, "\(Self.mostOpen) databases are open; close one first")
    }
    let store = SQLiteStore(path: path)
    store.isInterrupted = { [weak self] in self?.isInterrupted() ?? false }
    store.mayRetry = { [weak self] in self?.mayRetry() ?? false }
    stores.append((ExactText(path), store))
    return store
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension SQLiteFilesStore: CommandedStore {
  public var capabilities: StoreCapabilities { SQLiteDatabase.capabilities }

  public func contentType(of reference: Reference) -> String { "application/json" }

  public var keepsBytesInJSON: Bool { true }

  public func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    guard let (database, place) = try place(reference) else {
      guard condition?.holds(for: nil, isThere: false) ?? true else {
        throw StoreError(.preconditionFailed, reference, "there is nothing")
      }
      return .missing
    }
    return try database.get(place, condition)
  }

  public func status(of reference: Reference) throws(StoreError) -> ResourceStatus? {
    guard let (database, place) = try place(reference) else { return nil }
    return try database.status(place)
  }

  public func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    let (database, place) = try existing(reference)
    try database.put(place, resource, condition)
  }

  public func delete(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> Bool {
    guard let (database, place) = try place(reference) else {
      guard condition?.holds(for: nil, isThere: false) ?? true else {
        throw StoreError(.preconditionFailed, reference, "there is nothing")
      }
      return false
    }
    return try database.delete(place, condition)
  }

  public func post(_ reference: Reference, _ resource: Resource) throws(StoreError) -> Reference {
    let (database, place) = try existing(reference)
    return try database.post(place, resource)
  }

  public func list(_ reference: Reference) throws(StoreError) -> [StoreEntry] {
    let (database, place) = try existing(reference)
    return try database.list(place)
  }

  public func close() throws(StoreError) {
    for entry in databases { entry.database.close() }
    databases = []
  }

  public func isReading(_ command: String) -> Bool { SQLiteDatabase.isReading(command) }

  /// Carries out `open`, with a path, or a command of `SQLiteStore`.
  public func perform(
    _ command: String, _ argument: Resource, at reference: Reference
  ) throws(StoreError) -> CommandAnswer {
    if command == "open" {
      guard case .text(let path) = try? JSONPart.read(argument.bytes[...]) else {
        throw StoreError(.invalidReference, reference, "a database needs a path")
      }
      return .store(try open(path, reference))
    }
    let (database, place) = try existing(reference)
    return try database.perform(command, argument, place)
  }

  private func existing(
    _ reference: Reference
  ) throws(StoreError) -> (database: SQLiteDatabase, place: SQLiteDatabase.Place) {
    guard let found = try place(reference) else {
      throw StoreError(.notFound, reference, "there is no database file on this path")
    }
    return found
  }
}
