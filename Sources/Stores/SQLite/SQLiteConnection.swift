internal import TenonStoreKit

/// What a column of a row holds, or a parameter of a statement.
enum SQLiteValue: Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])

  /// Whether it is too large to be kept for nothing.
  var isLarge: Bool {
    switch self {
    case .text(let text): text.utf8.count > 4096
    case .bytes(let bytes): bytes.count > 4096
    default: false
    }
  }
}

/// Why the database refused: no place is known here.
struct SQLiteFailure: Error {
  let kind: StoreError.Kind
  let reason: String
  /// Whether it may be otherwise in a moment, and all that was begun has been taken back.
  var isPassing = false

  init(_ kind: StoreError.Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}

/// A connection with a database file.
///
/// Writes are synchronised fully: what is committed survives the loss of power as far as the system
/// keeps its promises.
@safe
final class SQLiteConnection {
  let library: LibSQLite
  private let database: LibSQLite.Database
  private let isInterrupted: () -> Bool
  /// Whether whoever asks will ask again where another connection has locked something, so that it is not
  /// waited for here.
  var mayRetry: Bool
  /// Statements that are run often, by their texts.
  private var prepared: [String: SQLiteStatement] = [:]
  /// The text that is being prepared, for errors.
  private var preparing: ContiguousArray<CChar>?
  /// The rows that statements have changed since the last look: table and number.
  private(set) var changedRows: [(table: String, row: Int64)] = []
  /// Whether more was changed than `changedRows` tells: too many rows, or some that the library does
  /// not tell of, as those of tables without row numbers and those of a table that was emptied.
  var hasOtherChanges: Bool {
    hasUntoldChanges || totalChanges &- countedChanges != Int32(clamping: changedRows.count)
  }
  /// Whether a statement may have changed what is no row.
  private var hasUntoldChanges = false
  /// Whether a statement since the last look has asked for rows to be replaced.
  private var hasReplaced = false
  /// The library's count of changed rows at the last look.
  private var countedChanges: Int32 = 0

  /// How long another connection's lock is waited for, in milliseconds.
  private static let patience = 5000
  /// At once, between two looks whether the program is to stop.
  private static let slice: Int32 = 50
  /// How many steps of the database's machine pass between two looks.
  private static let stepsPerLook: Int32 = 10_000
  private static let mostChanges = 1000
  private static let mostPrepared = 64

  /// Opens a database.
  ///
  /// - Throws: `SQLiteFailure`.
  init(
    _ path: String, creates: Bool, mayRetry: Bool, isInterrupted: @escaping () -> Bool
  ) throws(SQLiteFailure) {
    guard let library = LibSQLite.system else {
      throw SQLiteFailure(
        .unsupported,
        "libsqlite3 is not installed, which databases need; the package is libsqlite3-0 (Debian, "
          + "Ubuntu), sqlite-libs (Fedora, Alpine)")
    }
    var handle: LibSQLite.Database?
    // Read and write, no mutexes of the library's own: one thread uses a connection.
    let flags: Int32 = (creates ? 6 : 2) | 0x8000
    let code = unsafe library.open(path, &handle, flags, nil)
    guard let handle = unsafe handle else { throw SQLiteFailure(.io, "SQLite has no memory left") }
    guard code == 0 else {
      let text = unsafe library.message(handle).map { unsafe String(cString: $0) } ?? ""
      _ = unsafe library.close(handle)
      throw SQLiteFailure(.io, "'\(path)' cannot be opened: \(text)")
    }
    self.library = library
    unsafe database = handle
    self.isInterrupted = isInterrupted
    self.mayRetry = mayRetry
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe library.progress(
      handle, SQLiteConnection.stepsPerLook,
      { context in
        guard let context = unsafe context else { return 0 }
        let connection = unsafe Unmanaged<SQLiteConnection>.fromOpaque(context)
          .takeUnretainedValue()
        return connection.isInterrupted() ? 1 : 0
      }, context)
    _ = unsafe library.rowHook(
      handle,
      { context, _, _, table, row in
        guard let context = unsafe context, let table = unsafe table else { return }
        let connection = unsafe Unmanaged<SQLiteConnection>.fromOpaque(context)
          .takeUnretainedValue()
        unsafe connection.note(String(cString: table), row)
      }, context)
    _ = try run("PRAGMA synchronous = FULL")
    _ = try run("PRAGMA foreign_keys = ON")
    // A file may be made to have functions called by its schema.
    _ = try run("PRAGMA trusted_schema = OFF")
  }

  deinit {
    prepared = [:]
    unsafe library.progress(database, 0, nil, nil)
    _ = unsafe library.rowHook(database, nil, nil)
    _ = unsafe library.close(database)
  }

  private func note(_ table: String, _ row: Int64) {
    guard changedRows.count < SQLiteConnection.mostChanges else { return }
    changedRows.append((table, row))
  }

  /// Forgets the rows that were changed.
  func forgetChanges() {
    changedRows = []
    hasUntoldChanges = false
    hasReplaced = false
    countedChanges = totalChanges
  }

  /// Notes that a statement may have changed what is no row: a table or an index.
  func noteUntoldChange() { hasUntoldChanges = true }

  /// Whether rows may have gone from the tables of `changedRows` to make room for others: the library
  /// neither tells of these nor counts them.
  ///
  /// - Throws: `SQLiteFailure`.
  func mayHaveReplaced() throws(SQLiteFailure) -> Bool {
    if changedRows.isEmpty || hasReplaced { return hasReplaced }
    // A table that has changed may ask for it, or one of its triggers.
    for table in Set(changedRows.map(\.table)) {
      let texts = try run(
        "SELECT sql FROM sqlite_master WHERE tbl_name = ?1 AND sql LIKE '%replace%' UNION ALL"
          + " SELECT sql FROM sqlite_temp_master WHERE tbl_name = ?1 AND sql LIKE '%replace%'",
        [.text(table)])
      for case .text(let text)? in texts.rows.map(\.first)
      where SQLiteConnection.replaces(text) { return true }
    }
    return false
  }

  /// Whether a text has the word `replace`, other than as the name of a function: it may ask for rows to
  /// be replaced.
  private static func replaces(_ text: String) -> Bool {
    func isWord(_ byte: UInt8) -> Bool {
      let letter = byte | 0x20
      return letter >= 0x61 && letter <= 0x7a || byte >= 0x30 && byte <= 0x39 || byte == 0x5f
        || byte >= 0x80
    }
    let wanted = Array("replace".utf8)
    let bytes = Array(text.utf8)
    var index = 0
    while index < bytes.count {
      guard isWord(bytes[index]) else {
        index += 1
        continue
      }
      let start = index
      while index < bytes.count, isWord(bytes[index]) { index += 1 }
      guard index - start == wanted.count,
        bytes[start..<index].elementsEqual(wanted, by: { $0 | 0x20 == $1 })
      else { continue }
      let next = bytes[index...].first { $0 != 0x20 && !(0x09...0x0d ~= $0) }
      if next != 0x28 { return true }
    }
    return false
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { unsafe library.isAutomatic(database) == 0 }

  /// The number of the row that was added last.
  var lastRow: Int64 { unsafe library.lastRow(database) }

  /// How many rows the last statement has changed.
  var changes: Int { Int(unsafe library.changes(database)) }

  /// How many rows statements have changed since the database was opened; it may wrap around.
  var totalChanges: Int32 { unsafe library.totalChanges(database) }

  // MARK: Statements

  /// What a statement answered.
  struct Rows {
    var names: [String] = []
    var rows: [[SQLiteValue]] = []
  }

  /// Prepares the one statement that a text is.
  ///
  /// - Throws: `SQLiteFailure`, also where there is none, or more than one.
  func prepare(_ text: String) throws(SQLiteFailure) -> SQLiteStatement {
    guard !text.utf8.contains(0) else { throw SQLiteFailure(.encode, "a statement holds no NUL") }
    let letters = text.utf8CString
    let first = try prepare(letters, from: 0)
    guard let statement = first.statement else {
      throw SQLiteFailure(.encode, "there is no statement")
    }
    guard isBlank(letters, from: first.end) else {
      throw SQLiteFailure(.encode, "there is more than one statement")
    }
    return statement
  }

  /// Prepares the first statement of a text from an offset on, and says where it ends; nil where nothing
  /// but blanks and comments are.
  func prepare(
    _ letters: ContiguousArray<CChar>, from start: Int
  ) throws(SQLiteFailure) -> (statement: SQLiteStatement?, end: Int) {
    var handle: LibSQLite.Statement?
    var end = letters.count - 1
    preparing = letters
    defer { preparing = nil }
    try waiting { () in
      var prepared: LibSQLite.Statement?
      let code = unsafe letters.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return Int32(0) }
        var rest: LibSQLite.Text?
        let code = unsafe library.prepare(database, base + start, -1, &prepared, &rest)
        if let rest = unsafe rest { end = unsafe rest - base }
        return code
      }
      unsafe handle = prepared
      return code
    }
    guard let handle = unsafe handle else { return (nil, end) }
    return (unsafe SQLiteStatement(handle, of: self), end)
  }

  /// Whether a text has no further statement from an offset on.
  func isBlank(_ letters: ContiguousArray<CChar>, from start: Int) -> Bool {
    var offset = start
    while offset < letters.count - 1 {
      // What is no more than this needs no parser.
      if letters[offset...].allSatisfy({ $0 >= 0 && $0 <= 0x20 || $0 == 0x3B }) { return true }
      // What refers to something that the statements before it make cannot be prepared yet.
      guard let next = try? prepare(letters, from: offset), next.statement == nil else {
        return false
      }
      guard next.end > offset else { return true }
      offset = next.end
    }
    return true
  }

  /// Runs a statement of the store's own, which is kept for the next time.
  ///
  /// - Parameters:
  ///   - text: The statement, with a `?` for each parameter; it names the columns that it answers.
  ///   - parameters: What stands for them: never part of the text.
  ///   - limit: The most rows that are answered.
  /// - Returns: The names of the columns and the rows; none for a statement that answers nothing.
  /// - Throws: `SQLiteFailure`.
  func run(
    _ text: String, _ parameters: [SQLiteValue] = [], limit: Int = .max
  ) throws(SQLiteFailure) -> Rows {
    // While it runs nobody else has it.
    let known = prepared.removeValue(forKey: text)
    let statement: SQLiteStatement
    if let known { statement = known } else { statement = try prepare(text) }
    defer {
      statement.reset()
      // A statement keeps its parameters.
      if !parameters.contains(where: \.isLarge) {
        if prepared.count >= SQLiteConnection.mostPrepared { prepared = [:] }
        prepared[text] = statement
      }
    }
    return try run(statement, text, parameters[...], limit: limit)
  }

  /// Runs a statement of the program's own that changes nothing.
  func query(_ text: String, _ parameters: [SQLiteValue]) throws(SQLiteFailure) -> Rows {
    let statement = try prepare(text)
    guard statement.isReading else {
      throw SQLiteFailure(.readOnly, "a query changes nothing; 'execute' does")
    }
    return try run(statement, text, parameters[...])
  }

  /// Runs a statement that has been prepared of a text.
  func run(
    _ statement: SQLiteStatement, _ text: String, _ parameters: ArraySlice<SQLiteValue>,
    limit: Int = .max
  ) throws(SQLiteFailure) -> Rows {
    if !statement.isReading, SQLiteConnection.replaces(text) { hasReplaced = true }
    try statement.bind(parameters)
    return Rows(names: statement.names, rows: try statement.page(limit: limit).rows)
  }

  // MARK: Waiting

  /// Repeats a call while another connection has locked what it needs, for some time.
  @discardableResult
  func waiting(
    for expected: [Int32] = [0], _ call: () -> Int32
  ) throws(SQLiteFailure) -> Int32 {
    var waited = 0
    while true {
      let code = call()
      if expected.contains(code) { return code }
      let isBusy = code & 0xFF == LibSQLite.Code.busy
      if isBusy, mayRetry {
        var failure = failure()
        failure.isPassing = true
        throw failure
      }
      // Not for ever: the other one may wait for this.
      guard isBusy, waited < SQLiteConnection.patience, !isInterrupted() else {
        throw isInterrupted() ? SQLiteFailure(.timeout, "interrupted") : failure()
      }
      pauseThread(milliseconds: Int(SQLiteConnection.slice))
      waited += Int(SQLiteConnection.slice)
    }
  }

  /// What the last call reported.
  func failure() -> SQLiteFailure {
    let code = unsafe library.extendedCode(database)
    let text =
      unsafe library.message(database).map { unsafe String(cString: $0) } ?? "error \(code)"
    if code & 0xFF == LibSQLite.Code.error, let missing = SQLiteMissing(text) {
      let statement = preparing.map { letters in
        String(decoding: letters.dropLast().lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
      return SQLiteFailure(.notFound, missing.reason(in: self, statement: statement ?? ""))
    }
    let kind: StoreError.Kind =
      switch code & 0xFF {
      case LibSQLite.Code.permission: .permission
      case LibSQLite.Code.busy, LibSQLite.Code.locked: .locked
      case LibSQLite.Code.readOnly: .readOnly
      case LibSQLite.Code.interrupted: .timeout
      case LibSQLite.Code.io, LibSQLite.Code.full, LibSQLite.Code.cannotOpen: .io
      case LibSQLite.Code.corrupt, LibSQLite.Code.noDatabase: .corrupt
      case LibSQLite.Code.tooBig: .tooLarge
      case LibSQLite.Code.constraint, LibSQLite.Code.abort: .conflict
      default: .encode
      }
    return SQLiteFailure(kind, code & 0xFF == LibSQLite.Code.interrupted ? "interrupted" : text)
  }
}
