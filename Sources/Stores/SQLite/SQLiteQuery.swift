internal import TenonStoreKit
internal import TenonText

/// A condition on rows as the program states it, nested arrays of JSON, and as a statement has it.
///
/// Names are those of the table's columns, found there and quoted; values are parameters.
struct SQLiteQuery {
  private let table: SQLiteTable
  private(set) var parameters: [SQLiteValue] = []

  private init(_ table: SQLiteTable) { self.table = table }

  /// The condition and its parameters.
  ///
  /// - Throws: `SQLiteFailure` of the kind `unsupported` for what the database would decide
  ///   otherwise than the language, or not at all.
  static func translate(
    _ condition: ArraySlice<UInt8>, on table: SQLiteTable
  ) throws(SQLiteFailure) -> (text: String, parameters: [SQLiteValue]) {
    var query = SQLiteQuery(table)
    let text = try query.text(condition)
    return (text, query.parameters)
  }

  private static let unsupported = SQLiteFailure(.unsupported, "the database cannot decide that")

  /// Nesting is bounded by what the reader of JSON allows.
  private mutating func text(_ bytes: ArraySlice<UInt8>) throws(SQLiteFailure) -> String {
    switch try? JSONPart.read(bytes) {
    case .bool(let flag): return flag ? "1" : "0"
    case .array(let parts):
      guard let first = parts.first, case .text(let name) = try? JSONPart.read(first) else { break }
      switch (name, parts.count) {
      case ("and", 3): return "(\(try text(parts[1])) AND \(try text(parts[2])))"
      case ("or", 3): return "(\(try text(parts[1])) OR \(try text(parts[2])))"
      case ("not", 2): return "(NOT \(try text(parts[1])))"
      case (_, 3):
        guard case .text(let column) = try? JSONPart.read(parts[1]) else { break }
        return try comparison(name, column, parts[2])
      default: break
      }
    default: break
    }
    throw SQLiteQuery.unsupported
  }

  private mutating func comparison(
    _ name: String, _ columnName: String, _ bytes: ArraySlice<UInt8>
  ) throws(SQLiteFailure) -> String {
    guard let column = table.columns.first(where: { $0.name == columnName }),
      let value = SQLiteValue(bytes)
    else { throw SQLiteQuery.unsupported }
    var isTruth = false
    if case .bool = try? JSONPart.read(bytes) { isTruth = true }
    let quoted = SQLiteTable.quoted(column.name) + " COLLATE BINARY"
    switch name {
    case "=", "~=":
      guard column.affinity.comparesEqual(value, isTruth: isTruth) else {
        throw SQLiteQuery.unsupported
      }
      parameters.append(value)
      return name == "=" ? "(\(quoted) IS ?)" : "(\(quoted) IS NOT ?)"
    case ">", ">=", "<", "<=":
      guard column.affinity.isNumber, value.isNumber, !isTruth else {
        throw SQLiteQuery.unsupported
      }
      parameters.append(value)
      return
        "(typeof(\(SQLiteTable.quoted(column.name))) IN ('integer', 'real') AND \(quoted) \(name) ?)"
    case "startsWith:":
      guard column.affinity == .text, case .text(let text) = value, !text.utf8.contains(0) else {
        throw SQLiteQuery.unsupported
      }
      parameters += [value, value]
      return "(substr(CAST(\(SQLiteTable.quoted(column.name)) AS BLOB), 1, length(CAST(? AS BLOB)))"
        + " IS CAST(? AS BLOB))"
    default: throw SQLiteQuery.unsupported
    }
  }
}

extension SQLiteTable.Affinity {
  fileprivate var isNumber: Bool { self == .integer || self == .real || self == .numeric }

  fileprivate func comparesEqual(_ value: SQLiteValue, isTruth: Bool) -> Bool {
    switch value {
    case .null: true
    case .integer, .real: self == .boolean ? isTruth : isNumber && !isTruth
    case .text: self == .text
    case .bytes: false
    }
  }
}

extension SQLiteValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .real: true
    default: false
    }
  }
}
