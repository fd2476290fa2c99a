internal import TenonNumerics
internal import TenonStoreKit
internal import TenonText

/// A table as its database describes it.
struct SQLiteTable {
  /// What a column takes.
  enum Affinity {
    case integer, real, numeric, boolean, text, bytes, any

    /// What a declared type means.
    ///
    /// Source of the rules: SQLite's documentation, "Determination Of Column Affinity"; columns of
    /// truth values are told apart here, and take true and false.
    init(_ declared: String) {
      let type = declared.uppercased()
      if type.hasPrefix("BOOL") {
        self = .boolean
      } else if type.contains("INT") {
        self = .integer
      } else if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") {
        self = .text
      } else if type.isEmpty {
        self = .any
      } else if type.contains("BLOB") {
        self = .bytes
      } else if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") {
        self = .real
      } else {
        self = .numeric
      }
    }
  }

  struct Column {
    let name: String
    let affinity: Affinity
    /// The default as the schema has it, an expression; nil for none.
    let initial: String?
    /// Whether the database computes it.
    let isComputed: Bool
  }

  let name: String
  let isView: Bool
  let columns: [Column]
  /// The columns of the primary key, in its order; the row's number when there is none.
  let key: [Column]
  /// Whether the key is the number that the database gives each row.
  let hasRowNumbers: Bool
  /// Whether the key is made of columns, and not of a number that has no column.
  let hasDeclaredKey: Bool

  /// The name of the table in a statement.
  var quoted: String { SQLiteTable.quoted(name) }

  /// A name in a statement, whatever signs it has.
  static func quoted(_ name: String) -> String {
    "\"" + name.replacing(UInt8(ascii: "\""), with: "\"\"") + "\""
  }

  /// What puts rows into the order of their keys; nothing for a view, which has none.
  var order: String {
    guard !key.isEmpty else { return "" }
    return " ORDER BY " + key.map { SQLiteTable.quoted($0.name) }.joined(separator: ", ")
  }

  /// The condition that a row has a key, or the first parts of one.
  func keyCondition(_ count: Int) -> String {
    key.prefix(count).map(SQLiteTable.condition).joined(separator: " AND ")
  }

  /// The condition that a column of the key has a value; in one of no type it may be an integer as well
  /// that is written so.
  private static func condition(_ column: Column) -> String {
    let name = quoted(column.name)
    guard column.affinity == .any else { return name + " = ?" }
    // The plus keeps the type of one value from being asked of the others.
    return name + " IN (WITH given(v) AS (SELECT ?) SELECT v FROM given UNION ALL"
      + " SELECT +CAST(v AS INTEGER) FROM given WHERE CAST(CAST(v AS INTEGER) AS TEXT) = v)"
  }

  /// The names of a database's tables and views, sorted.
  static func names(in connection: SQLiteConnection) throws(SQLiteFailure) -> [String] {
    let found = try connection.run(
      "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
    return found.rows.compactMap { row in
      if case .text(let name) = row[0] { name } else { nil }
    }
  }

  /// Whether the statement that made a table says that its rows have no numbers.
  private static func lacksRowNumbers(_ statement: String) -> Bool {
    guard let end = statement.utf8.lastIndex(of: UInt8(ascii: ")")) else { return false }
    let words = statement.utf8[end...].split { !($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) }
      .map { String(decoding: $0, as: UTF8.self).lowercased() }
    return zip(words, words.dropFirst()).contains { $0 == "without" && $1 == "rowid" }
  }

  /// Asks a database for a table; nil when it has none of that name.
  static func find(
    _ name: String, in connection: SQLiteConnection
  ) throws(SQLiteFailure) -> SQLiteTable? {
    let found = try connection.run(
      "SELECT type, sql FROM sqlite_master WHERE name = ? AND type IN ('table', 'view')"
        + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
      [.text(name)])
    guard let first = found.rows.first else { return nil }
    let described = try connection.run(
      "SELECT name, type, dflt_value, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid",
      [.text(name)])
    var columns: [Column] = []
    var key: [(number: Int64, column: Column, type: String)] = []
    for row in described.rows {
      guard case .text(let name) = row[0], case .text(let type) = row[1],
        case .integer(let number) = row[3], case .integer(let hidden) = row[4], hidden != 1
      else { continue }
      var initial: String?
      if case .text(let text) = row[2] { initial = text }
      let column = Column(
        name: name, affinity: Affinity(type), initial: initial, isComputed: hidden >= 2)
      columns.append(column)
      if number > 0 { key.append((number, column, type)) }
    }
    key.sort { $0.number < $1.number }
    let isView = first[0] == .text("view")
    if key.isEmpty, !isView {
      let names = Set(columns.map { $0.name.lowercased() })
      guard let alias = ["rowid", "_rowid_", "oid"].first(where: { !names.contains($0) }) else {
        throw SQLiteFailure(.unsupported, "the rows of '\(name)' have no numbers and no key")
      }
      let number = Column(name: alias, affinity: .integer, initial: nil, isComputed: false)
      return SQLiteTable(
        name: name, isView: false, columns: columns, key: [number], hasRowNumbers: true,
        hasDeclaredKey: false)
    }
    var isNumber = key.count == 1 && key[0].type.uppercased() == "INTEGER"
    if isNumber, case .text(let statement) = first[1], lacksRowNumbers(statement) {
      isNumber = false
    }
    return SQLiteTable(
      name: name, isView: isView, columns: columns, key: key.map(\.column),
      hasRowNumbers: isNumber, hasDeclaredKey: true)
  }

  /// The value that a component stands for in a column of the key; nil for none that it could hold.
  func keyValue(_ text: String, _ column: Column) -> SQLiteValue? {
    switch column.affinity {
    case .integer, .boolean:
      guard let number = Int64(text), String(number) == text else { return nil }
      return .integer(number)
    case .real, .numeric:
      if let number = Int64(text), String(number) == text { return .integer(number) }
      guard case .integer(let number)? = SQLiteValue(number: text, .plain) else {
        return SQLiteValue(number: text, .plain)
      }
      // An integer in another spelling.
      return .real(Double(number))
    case .text, .any: return .text(text)
    case .bytes: return .bytes(Array(text.utf8))
    }
  }
}

extension SQLiteValue {
  /// Whether the component of a reference may stand for this value of a key column.
  func isSameKey(as written: SQLiteValue, in column: SQLiteTable.Column) -> Bool {
    switch (self, written) {
    case (.real(let own), .integer(let number)), (.integer(let number), .real(let own)):
      own == Double(number)
    case (.integer, .text): column.affinity == .any && component == written.component
    default: self == written
    }
  }

  /// A value of a key as the component of a reference; nil for one that no reference can hold.
  var component: String? {
    let text: String
    switch self {
    case .integer(let number): text = String(number)
    case .real(let number): text = FloatText.shortest(number) ?? String(number)
    case .text(let own): text = own
    case .bytes(let bytes):
      guard let own = String(validating: bytes, as: UTF8.self) else { return nil }
      text = own
    case .null: return nil
    }
    return (try? Reference(scheme: "sqlite", components: [text])) == nil ? nil : text
  }
}
