internal import TenonStoreKit
internal import TenonText

// The columns of rows as places of their own: `db:people/1/name`.

extension SQLiteDatabase {
  static var nothingBelowColumn: SQLiteFailure {
    SQLiteFailure(.notADirectory, "a column has nothing below it")
  }

  /// What a column of a row holds, as JSON; nil when there is no such row, or nothing in the column.
  ///
  /// - Throws: `SQLiteFailure`.
  func value(
    of column: SQLiteTable.Column, _ key: [SQLiteValue], of table: SQLiteTable,
    _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> [UInt8]? {
    guard let row = try row(key, of: table, connection),
      case .object(let members) = try? JSONPart.read(row[...]),
      let bytes = members.first(where: { ExactText($0.key) == ExactText(column.name) })?.value
    else { return nil }
    return bytes.elementsEqual("null".utf8) ? nil : Array(bytes)
  }

  /// Changes a column of a row, and no other.
  ///
  /// - Throws: `SQLiteFailure` when there is no such row, and for what the column does not take.
  func write(
    _ bytes: [UInt8], to column: SQLiteTable.Column, _ key: [SQLiteValue], of table: SQLiteTable,
    _ connection: SQLiteConnection
  ) throws(SQLiteFailure) {
    guard !table.key.contains(where: { $0.name == column.name }) else {
      throw SQLiteFailure(.unsupported, "'\(column.name)' is part of the key: the row has it")
    }
    guard !column.isComputed else {
      throw SQLiteFailure(.unsupported, "'\(column.name)' is computed")
    }
    guard try row(key, of: table, connection) != nil else {
      throw SQLiteFailure(.notFound, "there is no such row")
    }
    let object = Array("{\(JSONText.quoted(column.name)):".utf8) + bytes + Array("}".utf8)
    let value = try table.values(object).first?.value ?? .null
    _ = try connection.run(
      "UPDATE \(table.quoted) SET \(SQLiteTable.quoted(column.name)) = ?"
        + " WHERE \(table.keyCondition(key.count))", [value] + key)
  }
}
