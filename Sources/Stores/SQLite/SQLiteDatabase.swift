internal import TenonStoreKit
internal import TenonText

/// A database file with the verbs of a store on it.
///
/// The places are `table/key`; a table whose key has several columns has a component for each. What
/// is there is a row, as a JSON object.
final class SQLiteDatabase {
  /// Where the file is.
  let path: String
  private let creates: Bool
  private let feed: ChangeFeed
  private let isInterrupted: () -> Bool
  private let mayRetry: () -> Bool
  private var connection: SQLiteConnection?
  private var isClosed = false
  /// The number that tells whether others have changed the file.
  private var version: SQLiteValue?
  /// The places that have been read: whoever has done so may want to hear of changes.
  private var known: Set<Reference> = []
  /// Those of them that are pages of a listing.
  private var pages: Set<Reference> = []

  /// The transactions that `begin` has begun and that have not ended, outermost first: whether each is a
  /// savepoint in another one.
  private(set) var levels: [Bool] = []
  /// The number of the activity that has begun them.
  private var owner = 0
  /// What is being gone through by the page.
  private(set) var scans: [Int: SQLiteScan] = [:]
  private var scanCount = 0
  /// Copies of scans that have ended, to be dropped when nothing is read.
  private var copies: [String] = []

  /// What the database is called by those who use it: changes are announced under these names.
  private var names: [Place] = []

  private static let mostKnown = 10_000
  private static let mostNames = 16
  /// The most entries of a listing that is not asked for by the page.
  static let mostEntries = 10_000

  init(
    _ path: String, creates: Bool, feed: ChangeFeed, isInterrupted: @escaping () -> Bool,
    mayRetry: @escaping () -> Bool
  ) {
    self.path = path
    self.creates = creates
    self.feed = feed
    self.isInterrupted = isInterrupted
    self.mayRetry = mayRetry
  }

  /// A place in the database: what is left of a reference behind that of the database itself.
  struct Place {
    let reference: Reference
    /// How many components name the database.
    let base: Int

    var components: ArraySlice<String> { reference.components[base...] }

    func changed(to components: [String]) -> Reference? {
      try? Reference(
        scheme: reference.scheme, authority: reference.authority,
        components: reference.components.prefix(base) + components,
        isAbsolute: reference.isAbsolute)
    }
  }

  // MARK: The connection

  /// Opens the file; nil when there is none, and none is to be made.
  func open(isWriting: Bool) throws(SQLiteFailure) -> SQLiteConnection? {
    guard !isClosed else { throw SQLiteFailure(.closed, "the database has been closed") }
    if let connection {
      // A transaction that is open cannot be begun again.
      connection.mayRetry = !connection.isInTransaction && mayRetry()
      return connection
    }
    guard try isThere() || (creates && isWriting) else { return nil }
    let opened = try SQLiteConnection(
      path, creates: creates, mayRetry: mayRetry(), isInterrupted: isInterrupted)
    version = try opened.run("PRAGMA data_version").rows.first?.first
    connection = opened
    return opened
  }

  /// Whether there is a file.
  private func isThere() throws(SQLiteFailure) -> Bool {
    do throws(FileFailure) {
      return try kindOfFile(at: path) != nil
    } catch {
      throw SQLiteFailure(error.kind, "'\(path)' cannot be opened: \(error.reason)")
    }
  }

  func close() {
    isClosed = true
    scans = [:]
    connection = nil
  }

  // MARK: Changes

  /// Notes under which name the database is used.
  func noteName(_ place: Place) {
    guard !place.reference.scheme.isEmpty, let root = place.changed(to: []),
      !names.contains(where: { $0.reference == root })
    else { return }
    if names.count >= SQLiteDatabase.mostNames { names.removeFirst() }
    names.append(Place(reference: root, base: place.base))
  }

  func note(_ place: Place) {
    guard !place.reference.scheme.isEmpty else { return }
    if known.count >= SQLiteDatabase.mostKnown { (known, pages) = ([], []) }
    if !place.reference.query.isEmpty { pages.insert(place.reference) }
    known.insert(place.reference)
  }

  /// Announces what others have done to the file since the last look.
  func announceForeignChanges() throws(SQLiteFailure) {
    guard let connection, !connection.isInTransaction else { return }
    let now = try connection.run("PRAGMA data_version").rows.first?.first
    guard now != version else { return }
    version = now
    announceEverything()
  }

  private func announceEverything() {
    for reference in known { feed.post(.put, reference) }
    for name in names { feed.post(.invalidate, name.reference) }
  }

  /// Announces what statements have done since the last look.
  ///
  /// What was written is written: where it cannot be found out what that was, everything is announced.
  func announceChanges(_ connection: SQLiteConnection) {
    guard !connection.isInTransaction else { return }
    defer { connection.forgetChanges() }
    do throws(SQLiteFailure) {
      try announceKnownChanges(connection)
    } catch {
      announceEverything()
    }
  }

  private func announceKnownChanges(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    guard !connection.hasOtherChanges else { return announceEverything() }
    if try connection.mayHaveReplaced() {
      return announceWhole(Set(connection.changedRows.map { ExactText($0.table) }))
    }
    var tables: [ExactText: SQLiteTable] = [:]
    /// The columns that somebody has looked at, by table and row.
    var columns: [ExactText: [String: [Reference]]] = [:]
    for (table, row) in connection.changedRows {
      let key = ExactText(table)
      if tables[key] == nil {
        tables[key] = try SQLiteTable.find(table, in: connection)
        for reference in known where reference.components.dropLast(2).last == table {
          let row = reference.components[reference.components.count - 2]
          columns[key, default: [:]][row, default: []].append(reference)
        }
        announce([table])
        for page in pages where page.components.contains(table) { feed.post(.put, page) }
      }
      guard let found = tables[key] else { continue }
      if found.hasRowNumbers {
        announce([table, String(row)])
        for column in columns[key]?[String(row)] ?? [] { feed.post(.put, column) }
      } else {
        // The number of the row does not tell its key.
        for reference in known where reference.components.contains(table) {
          feed.post(.put, reference)
        }
      }
    }
  }

  /// Announces all rows of some tables.
  private func announceWhole(_ tables: Set<ExactText>) {
    for table in tables {
      for reference in known where reference.components.contains(table.text) {
        feed.post(.put, reference)
      }
      for name in names {
        if let changed = name.changed(to: [table.text]) { feed.post(.invalidate, changed) }
      }
    }
  }

  private func announce(_ components: [String]) {
    for name in names {
      if let changed = name.changed(to: components) { feed.post(.put, changed) }
    }
  }

  // MARK: Transactions

  /// Does something in a transaction, or in a part of the one that is open.
  func atomically<Answer>(
    _ connection: SQLiteConnection, _ body: () throws(SQLiteFailure) -> Answer
  ) throws(SQLiteFailure) -> Answer {
    let isInner = connection.isInTransaction
    _ = try connection.run(isInner ? "SAVEPOINT tenon_verb" : "BEGIN IMMEDIATE")
    do throws(SQLiteFailure) {
      let answer = try body()
      _ = try connection.run(isInner ? "RELEASE tenon_verb" : "COMMIT")
      return answer
    } catch {
      // An error may have ended the transaction already.
      if isInner {
        _ = try? connection.run("ROLLBACK TO tenon_verb")
        _ = try? connection.run("RELEASE tenon_verb")
      } else if connection.isInTransaction {
        _ = try? connection.run("ROLLBACK")
      }
      if !isInner { connection.forgetChanges() }
      throw error
    }
  }

  /// Begins a transaction, or a part of the one that is open.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - activity: The number of what asks for it: what is evaluated at the same time has transactions of
  ///     its own, one after the other.
  /// - Throws: `SQLiteFailure`, of the kind `locked` while another activity has one.
  func begin(_ connection: SQLiteConnection, for activity: Int) throws(SQLiteFailure) {
    // The library ends a transaction by itself on some errors.
    if !connection.isInTransaction { levels = [] }
    guard levels.isEmpty || owner == activity else {
      var failure = SQLiteFailure(.locked, "another 'atomically:' has not ended")
      failure.isPassing = mayRetry()
      throw failure
    }
    owner = activity
    let isInner = connection.isInTransaction
    _ = try connection.run(isInner ? "SAVEPOINT tenon_\(levels.count)" : "BEGIN IMMEDIATE")
    levels.append(isInner)
  }

  /// Ends what was begun last.
  func commit(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    let isInner = levels.last ?? false
    _ = try connection.run(isInner ? "RELEASE tenon_\(levels.count - 1)" : "COMMIT")
    _ = levels.popLast()
  }

  /// Takes back what was begun last.
  func rollBack(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    let isInner = levels.popLast() ?? false
    guard connection.isInTransaction else { return }
    guard isInner else {
      _ = try connection.run("ROLLBACK")
      return
    }
    _ = try connection.run("ROLLBACK TO tenon_\(levels.count)")
    _ = try connection.run("RELEASE tenon_\(levels.count)")
  }

  // MARK: Scans

  /// Keeps what is gone through by the page; answers its number.
  func keep(_ scan: SQLiteScan) -> Int {
    scanCount += 1
    scans[scanCount] = scan
    return scanCount
  }

  /// Copies what is being gone through, before something is written.
  func detachScans(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    for (number, scan) in scans { try scan.detach(as: "tenon scan \(number)") }
  }

  /// Ends what is gone through; nothing when it has ended.
  func endScan(_ number: Int) {
    guard let scan = scans.removeValue(forKey: number) else { return }
    if let copy = scan.copy { copies.append(copy) }
    guard scans.isEmpty, let connection else { return }
    for copy in copies {
      // A transaction that was rolled back has taken it along.
      _ = try? connection.run("DROP TABLE IF EXISTS temp.\(SQLiteTable.quoted(copy))")
    }
    copies = []
  }

  // MARK: Reading

  /// The row of a key as JSON; nil when there is none.
  func row(
    _ key: [SQLiteValue], of table: SQLiteTable, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> [UInt8]? {
    let names = table.columns.map { SQLiteTable.quoted($0.name) }.joined(separator: ", ")
    let found = try connection.run(
      "SELECT \(names) FROM \(table.quoted) WHERE \(table.keyCondition(key.count))", key, limit: 1)
    guard let values = found.rows.first else { return nil }
    return Array(try table.json(values).utf8)
  }

  /// The names of the tables and views.
  func tables(_ connection: SQLiteConnection) throws(SQLiteFailure) -> [StoreEntry] {
    try SQLiteTable.names(in: connection).compactMap { name in
      SQLiteValue.text(name).component.map { StoreEntry($0, isDirectory: true) }
    }
  }

  /// The keys of rows, or their next components, as the query of the reference limits them.
  func keys(
    below key: [SQLiteValue], of table: SQLiteTable, _ place: Place, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> [StoreEntry] {
    guard key.count < table.key.count else {
      throw SQLiteFailure(.notADirectory, "a row has nothing below it")
    }
    let column = SQLiteTable.quoted(table.key[key.count].name)
    let page = try SQLitePage(place.reference.query, of: table, below: key.count)
    guard page.after.count <= 1 else {
      throw SQLiteFailure(.invalidReference, "a listing begins behind one name")
    }
    let isPage = page.isPage
    let limit = page.limit ?? SQLiteDatabase.mostEntries
    let conditions = [table.keyCondition(key.count), page.condition ?? ""].filter { !$0.isEmpty }
    let found = try connection.run(
      "SELECT DISTINCT \(column) FROM \(table.quoted)"
        + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
        + " ORDER BY \(column) LIMIT \(limit + (isPage ? 0 : 1))", key + page.after)
    guard isPage || found.rows.count <= limit else { throw tooManyEntries(place) }
    let isInner = key.count + 1 < table.key.count
    let entries = found.rows.compactMap { row in
      row[0].component.map { StoreEntry($0, isDirectory: isInner) }
    }
    return isPage
      ? entries : entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// That a listing has to be asked for by the page.
  private func tooManyEntries(_ place: Place) -> SQLiteFailure {
    SQLiteFailure(
      .tooLarge,
      "there are more than \(SQLiteDatabase.mostEntries) entries; ask for a page: "
        + "\(place.reference)?limit=1000&after=key")
  }

  /// The keys of the rows that are selected, each with all of its components.
  func keys(
    _ selection: SQLiteSelection, _ place: Place, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> [[String]] {
    let limit = SQLiteDatabase.mostEntries
    let found = try connection.run(
      selection.keys + " LIMIT \(limit + 1)", selection.parameters)
    guard found.rows.count <= limit else { throw tooManyEntries(place) }
    return found.rows.compactMap { row in
      let components = row.compactMap(\.component)
      return components.count == row.count ? components : nil
    }
  }

  // MARK: Writing

  /// Replaces a row: columns that are not named get their defaults.
  func write(
    _ bytes: [UInt8], _ key: [SQLiteValue], of table: SQLiteTable, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) {
    var given = try table.values(bytes)
    var added: [(column: SQLiteTable.Column, value: SQLiteValue)] = []
    for (column, value) in zip(table.key, key) {
      let own = given.first { $0.column.name == column.name }?.value
      if let own, !own.isSameKey(as: value, in: column) {
        throw SQLiteFailure(
          .encode,
          "the row says that '\(column.name)' is \(try own.json()), and the place says "
            + (try value.json()))
      }
      added.append((column, own ?? value))
      given.removeAll { $0.column.name == column.name }
    }
    var parts: [String] = []
    var parameters: [SQLiteValue] = []
    let keyNames = Set(table.key.map(\.name))
    for column in table.columns where !column.isComputed && !keyNames.contains(column.name) {
      let name = SQLiteTable.quoted(column.name)
      if let own = given.first(where: { $0.column.name == column.name }) {
        parts.append(name + " = ?")
        parameters.append(own.value)
      } else {
        parts.append(name + " = " + (column.initial.map { "(\($0))" } ?? "NULL"))
      }
    }
    if parts.isEmpty {
      guard try row(key, of: table, connection) == nil else { return }
    } else {
      _ = try connection.run(
        "UPDATE \(table.quoted) SET \(parts.joined(separator: ", "))"
          + " WHERE \(table.keyCondition(key.count))", parameters + key)
      if connection.changes > 0 { return }
    }
    try insert(given + added, into: table, connection)
  }

  /// Adds a row.
  func insert(
    _ values: [(column: SQLiteTable.Column, value: SQLiteValue)], into table: SQLiteTable,
    _ connection: SQLiteConnection
  ) throws(SQLiteFailure) {
    guard !values.isEmpty else {
      _ = try connection.run("INSERT INTO \(table.quoted) DEFAULT VALUES")
      return
    }
    let names = values.map { SQLiteTable.quoted($0.column.name) }.joined(separator: ", ")
    let signs = values.map { _ in "?" }.joined(separator: ", ")
    _ = try connection.run(
      "INSERT INTO \(table.quoted) (\(names)) VALUES (\(signs))", values.map(\.value))
  }
}
