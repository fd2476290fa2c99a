internal import TenonStoreKit

/// Rows of a table that are gone through by the page, as they were when the first page was read.
///
/// It is a statement that has not ended, so that others do not change the rows meanwhile. Before this
/// connection changes something, the rows that are left are copied into a temporary table, which is read
/// from then on.
final class SQLiteScan {
  let table: SQLiteTable
  private let selection: SQLiteSelection
  private let connection: SQLiteConnection
  /// The statement; nil once the rows have been copied.
  private var statement: SQLiteStatement?
  /// How many rows have been answered, since they were copied if they have been.
  private var count = 0
  /// The temporary table.
  private(set) var copy: String?

  /// The most rows of a page, and after how many bytes it ends.
  private static let pageLimit = (rows: 500, bytes: 1 << 20)

  init(_ selection: SQLiteSelection, _ connection: SQLiteConnection) throws(SQLiteFailure) {
    self.selection = selection
    self.connection = connection
    table = selection.table
    let statement = try connection.prepare(selection.rows)
    try statement.bind(selection.parameters[...])
    self.statement = statement
  }

  /// The next page.
  ///
  /// - Throws: `SQLiteFailure`, of the kind `conflict` where the copy has gone with a transaction.
  func next() throws(SQLiteFailure) -> SQLiteStatement.Page {
    let (rows, bytes) = SQLiteScan.pageLimit
    if let statement {
      let page = try statement.page(limit: rows, size: bytes)
      count += page.rows.count
      return page
    }
    guard let copy else { return SQLiteStatement.Page(isLast: true) }
    let statement = try connection.prepare(
      "SELECT * FROM temp.\(SQLiteTable.quoted(copy)) WHERE rowid > ? ORDER BY rowid")
    try statement.bind([.integer(Int64(count))])
    let page = try statement.page(limit: rows, size: bytes)
    count += page.rows.count
    return page
  }

  /// Copies the rows that are left, so that what is written next changes nothing about them.
  func detach(as name: String) throws(SQLiteFailure) {
    guard statement != nil else { return }
    _ = try connection.run(
      "CREATE TEMP TABLE \(SQLiteTable.quoted(name)) AS \(selection.rows) LIMIT -1 OFFSET \(count)",
      selection.parameters)
    statement = nil
    copy = name
    count = 0
  }
}

/// What is selected of a table: the rows below a place, of a page if its query names one, for which a
/// condition holds.
struct SQLiteSelection {
  let table: SQLiteTable
  let parameters: [SQLiteValue]
  private let source: String

  /// - Parameters:
  ///   - table: The table.
  ///   - key: The first parts of the key, as far as the place gives them.
  ///   - query: The query of the reference: `limit`, and `after` for each part of the key that is left.
  ///   - condition: A condition as JSON.
  /// - Throws: `SQLiteFailure`, of the kind `unsupported` for a condition that the database cannot decide.
  init(
    _ table: SQLiteTable, below key: [SQLiteValue], _ query: [Reference.QueryPair],
    where condition: ArraySlice<UInt8>
  ) throws(SQLiteFailure) {
    self.table = table
    let page = try SQLitePage(query, of: table, below: key.count)
    let (text, values) = try SQLiteQuery.translate(condition, on: table)
    var conditions = key.isEmpty ? [] : [table.keyCondition(key.count)]
    var parameters = key
    if let after = page.condition {
      conditions.append(after)
      parameters += page.after
    }
    let wanted = text == "1" ? [] : [text]
    func clause(_ conditions: [String]) -> String {
      conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    }
    if let limit = page.limit {
      // What is not declared has to be asked for by name.
      let number = table.hasDeclaredKey ? "" : ", " + SQLiteTable.quoted(table.key[0].name)
      source =
        "(SELECT *\(number) FROM \(table.quoted)\(clause(conditions))\(table.order)"
        + " LIMIT \(limit))" + clause(wanted)
    } else {
      source = table.quoted + clause(conditions + wanted)
    }
    self.parameters = parameters + values
  }

  /// The statement for the rows, in the order of their keys.
  ///
  /// The columns have names that none of the table has, so that a copy has row numbers in any case.
  var rows: String {
    let names = table.columns.enumerated().map { index, column in
      SQLiteTable.quoted(column.name) + " AS \"tenon \(index)\""
    }
    return "SELECT \(names.joined(separator: ", ")) FROM \(source)\(table.order)"
  }

  /// The statement for how many there are.
  var count: String { "SELECT count(*) FROM \(source)" }

  /// The statement for whether there are any: 1 or 0.
  var exists: String { "SELECT EXISTS (SELECT 1 FROM \(source))" }

  /// The statement for the keys, in their order.
  var keys: String {
    let names = table.key.map { SQLiteTable.quoted($0.name) }.joined(separator: ", ")
    return "SELECT \(names) FROM \(source)\(table.order)"
  }
}

/// What the query of a reference says about the rows below it: `limit=100&after=key`.
struct SQLitePage {
  /// The most rows; nil for all.
  let limit: Int?
  /// The key behind which they begin, or the first parts of one.
  let after: [SQLiteValue]
  /// The columns that `after` is compared with.
  private let columns: ArraySlice<SQLiteTable.Column>

  /// - Throws: `SQLiteFailure`.
  init(
    _ query: [Reference.QueryPair], of table: SQLiteTable, below depth: Int
  ) throws(SQLiteFailure) {
    var limit: Int?
    var after: [SQLiteValue] = []
    let columns = table.key.dropFirst(depth)
    for pair in query {
      switch pair.key {
      case "limit":
        guard let number = pair.value.flatMap({ Int($0) }),
          (1...SQLiteDatabase.mostEntries).contains(number)
        else {
          throw SQLiteFailure(
            .invalidReference, "the limit is a number up to \(SQLiteDatabase.mostEntries)")
        }
        limit = number
      case "after":
        let text = pair.value ?? ""
        guard let column = columns.dropFirst(after.count).first,
          let value = table.keyValue(text, column)
        else {
          throw SQLiteFailure(.invalidReference, "'\(text)' is no key of '\(table.name)'")
        }
        after.append(value)
      default: throw SQLiteFailure(.invalidReference, "a listing knows 'limit' and 'after' only")
      }
    }
    self.limit = limit
    self.after = after
    self.columns = columns.prefix(after.count)
  }

  /// Whether it names one: a page says itself how much it is.
  var isPage: Bool { limit != nil || !after.isEmpty }

  /// The condition that a row comes behind `after`; nil for all rows.
  var condition: String? {
    guard !after.isEmpty else { return nil }
    let names = columns.map { SQLiteTable.quoted($0.name) }.joined(separator: ", ")
    let signs = columns.map { _ in "?" }.joined(separator: ", ")
    return "(\(names)) > (\(signs))"
  }
}
