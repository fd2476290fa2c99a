internal import TenonText

/// What a statement names that the database does not have, as the library's message says it.
enum SQLiteMissing {
  case table(String)
  case column(String, of: String?)

  /// The most names that an error tells.
  private static let mostNames = 12

  /// What a message says is missing; nil for a message about something else.
  init?(_ message: String) {
    func rest(behind start: String) -> String? {
      message.hasPrefix(start) ? String(message.dropFirst(start.count)) : nil
    }
    if let name = rest(behind: "no such table: ") {
      self = .table(name.hasPrefix("main.") ? String(name.dropFirst(5)) : name)
    } else if let name = rest(behind: "no such column: ") {
      self = .column(name, of: nil)
    } else if let words = rest(behind: "table "),
      let middle = words.firstRange(of: " has no column named ")
    {
      self = .column(String(words[middle.upperBound...]), of: String(words[..<middle.lowerBound]))
    } else {
      return nil
    }
  }

  /// What is missing, and what there is in its place if that is not too much.
  ///
  /// Of a statement that names one table, a column is missing there.
  func reason(in connection: SQLiteConnection, statement: String = "") -> String {
    switch self {
    case .table(let name):
      return "there is no table '\(name)'"
        + SQLiteMissing.list((try? SQLiteTable.names(in: connection)) ?? [])
    case .column(let name, of: nil):
      let words = Set(
        statement.utf8.split {
          !($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) && !(0x30...0x39 ~= $0)
            && $0 != 0x5F && $0 < 0x80
        }.map { String(decoding: $0, as: UTF8.self).lowercased() })
      let tables = ((try? SQLiteTable.names(in: connection)) ?? [])
        .filter { words.contains($0.lowercased()) }
      guard tables.count == 1 else { return "there is no column '\(name)'" }
      return SQLiteMissing.column(name, of: tables[0]).reason(in: connection)
    case .column(let name, of: let table?):
      let columns = (try? SQLiteTable.find(table, in: connection))?.columns.map(\.name) ?? []
      return "'\(table)' has no column '\(name)'" + SQLiteMissing.list(columns)
    }
  }

  /// The names that there are, as the end of a sentence; nothing if these are none or too many.
  static func list(_ names: [String]) -> String {
    (1...mostNames).contains(names.count) ? ", only " + names.joined(separator: ", ") : ""
  }
}
