public import TenonStoreKit

/// A store of the rows of a database, through the system's libsqlite3: `db:people/3`.
///
/// The root lists the tables, a table the keys of its rows: the primary key, a component for each of
/// its columns, or the number of the row. A row is a JSON object; a column that is not named when a
/// row is put gets its default. What a column does not take is refused, and so are unknown columns;
/// truth values are for columns declared so, and bytes are an object with the one member `base64`.
/// `post` to a table adds a row and answers its reference. A listing of more than 10,000 entries has
/// to be asked for by the page: `db:people?limit=1000&after=key`.
///
/// A verb is a transaction, unless the command `begin` has opened one, and has reached the disk when
/// it answers; a `begin` within another is a savepoint. The command `select` answers the rows for which a
/// condition holds by the page, `[number, rows]`: `next` with the number goes on, null is the end, and
/// `end` ends earlier; the rows are those that there were at the first page. Names are found in the schema and values are parameters: nothing that a program gives
/// becomes part of a statement, but for the commands `query` and `execute`.
///
/// Changes are announced: those of this store, made by its statements and their triggers, at once,
/// those of others when the store is next used or told to `check`.
///
/// One thread at a time may use the store.
public final class SQLiteStore {
  /// Whether somebody wants the program to stop: asked while a statement runs.
  public var isInterrupted: () -> Bool = { false }
  /// Whether whoever uses the store can try again after a pause, because of an error of the kind `locked`
  /// with a `retryAfter`; else a lock of another program is waited for here, for five seconds.
  public var mayRetry: () -> Bool = { false }
  /// Where the store announces changes.
  public let feed: ChangeFeed?
  private let database: SQLiteDatabase

  /// Creates a store of a database, which is opened when it is first used.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - creates: Whether the first write makes the file if there is none.
  public init(path: String, creates: Bool = true) {
    let feed = ChangeFeed()
    self.feed = feed
    let box = InterruptionBox()
    database = SQLiteDatabase(path, creates: creates, feed: feed) {
      box.store?.isInterrupted() ?? false
    } mayRetry: {
      box.store?.mayRetry() ?? false
    }
    box.store = self
  }

  /// What breaks the cycle between a store and what asks it.
  private final class InterruptionBox {
    weak var store: SQLiteStore?
  }

  /// Whether it has been closed.
  private(set) var isClosed = false

  private func place(_ reference: Reference) -> SQLiteDatabase.Place {
    SQLiteDatabase.Place(reference: reference, base: 0)
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension SQLiteStore: CommandedStore {
  public var capabilities: StoreCapabilities { SQLiteDatabase.capabilities }

  public func contentType(of reference: Reference) -> String { "application/json" }

  public var keepsBytesInJSON: Bool { true }

  public func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    try database.get(place(reference), condition)
  }

  public func status(of reference: Reference) throws(StoreError) -> ResourceStatus? {
    try database.status(place(reference))
  }

  public func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    try database.put(place(reference), resource, condition)
  }

  public func delete(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> Bool {
    try database.delete(place(reference), condition)
  }

  public func post(_ reference: Reference, _ resource: Resource) throws(StoreError) -> Reference {
    try database.post(place(reference), resource)
  }

  public func list(_ reference: Reference) throws(StoreError) -> [StoreEntry] {
    try database.list(place(reference))
  }

  public func close() throws(StoreError) {
    isClosed = true
    database.close()
  }

  public func isReading(_ command: String) -> Bool { SQLiteDatabase.isReading(command) }

  public func perform(
    _ command: String, _ argument: Resource, at reference: Reference
  ) throws(StoreError) -> CommandAnswer {
    try database.perform(command, argument, place(reference))
  }
}
