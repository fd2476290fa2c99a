internal import TenonStoreKit
internal import TenonText

extension SQLiteDatabase {
  static var capabilities: StoreCapabilities {
    StoreCapabilities([.get, .put, .delete, .post, .list], durability: .power, isExternal: true)
  }

  /// What a place is.
  private enum Target {
    case root
    case table(SQLiteTable, key: [SQLiteValue])
    case row(SQLiteTable, key: [SQLiteValue])
    /// There is no such table, or the table can have no such key.
    case nothing
  }

  private func target(
    _ place: Place, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> Target {
    guard let name = place.components.first else { return .root }
    guard let table = try SQLiteTable.find(name, in: connection) else { return .nothing }
    let written = place.components.dropFirst()
    guard written.count <= table.key.count else { return .nothing }
    var key: [SQLiteValue] = []
    for (text, column) in zip(written, table.key) {
      guard let value = table.keyValue(text, column) else { return .nothing }
      key.append(value)
    }
    return key.isEmpty || key.count < table.key.count
      ? .table(table, key: key) : .row(table, key: key)
  }

  /// Does something with the database; an error names the place.
  private func using<Answer>(
    _ place: Place, isWriting: Bool, absent: Answer?,
    _ body: (SQLiteConnection) throws(SQLiteFailure) -> Answer
  ) throws(StoreError) -> Answer {
    do throws(SQLiteFailure) {
      guard let connection = try open(isWriting: isWriting) else {
        guard let absent else {
          throw SQLiteFailure(.notFound, "there is no database '\(path)'")
        }
        return absent
      }
      noteName(place)
      try announceForeignChanges()
      let answer = try body(connection)
      if isWriting { announceChanges(connection) }
      return answer
    } catch {
      throw StoreError(error.kind, place.reference, error.reason)
    }
  }

  private func check(
    _ condition: Precondition?, isThere: Bool, _ row: [UInt8]?
  ) throws(SQLiteFailure) {
    guard let condition else { return }
    guard !condition.holds(for: row.map { EntityTag(of: $0) }, isThere: isThere) else { return }
    throw SQLiteFailure(.preconditionFailed, condition.refusal(isThere: isThere))
  }

  // MARK: Verbs

  func get(_ place: Place, _ condition: Precondition?) throws(StoreError) -> GetOutcome {
    note(place)
    return try using(place, isWriting: false, absent: .missing) {
      (connection) throws(SQLiteFailure) in
      switch try target(place, connection) {
      case .nothing:
        try check(condition, isThere: false, nil)
        return .missing
      case .root:
        try check(condition, isThere: true, nil)
        return .directory(try tables(connection))
      case .table(let table, let key):
        guard !table.isView else { return .directory([]) }
        let entries = try keys(below: key, of: table, place, connection)
        let isThere = key.isEmpty || !entries.isEmpty
        try check(condition, isThere: isThere, nil)
        return isThere ? .directory(entries) : .missing
      case .row(let table, let key):
        let row = try row(key, of: table, connection)
        if case .differs(let tag) = condition, let row, EntityTag(of: row) == tag {
          return .unchanged
        }
        try check(condition, isThere: row != nil, row)
        guard let row else { return .missing }
        guard !place.reference.isDirectory else {
          throw SQLiteFailure(.notADirectory, "a row has nothing below it")
        }
        return .resource(Resource(row, contentType: "application/json"))
      }
    }
  }

  func list(_ place: Place) throws(StoreError) -> [StoreEntry] {
    note(place)
    return try using(place, isWriting: false, absent: nil) { (connection) throws(SQLiteFailure) in
      switch try target(place, connection) {
      case .root: return try tables(connection)
      case .nothing: throw SQLiteFailure(.notFound, "there is no such table or key")
      case .table(let table, let key):
        guard !table.isView else {
          throw SQLiteFailure(.unsupported, "the rows of a view have no keys; a query finds them")
        }
        let entries = try keys(below: key, of: table, place, connection)
        guard key.isEmpty || !entries.isEmpty else {
          throw SQLiteFailure(.notFound, "there is no such key")
        }
        return entries
      case .row(let table, let key):
        guard try row(key, of: table, connection) != nil else {
          throw SQLiteFailure(.notFound, "there is no such row")
        }
        throw SQLiteFailure(.notADirectory, "a row has nothing below it")
      }
    }
  }

  func put(
    _ place: Place, _ resource: Resource, _ condition: Precondition?
  ) throws(StoreError) {
    try using(place, isWriting: true, absent: nil) { (connection) throws(SQLiteFailure) in
      try atomically(connection) { () throws(SQLiteFailure) in
        guard case .row(let table, let key) = try target(place, connection),
          !place.reference.isDirectory
        else { throw try refusal(place, connection) }
        if condition != nil {
          let old = try row(key, of: table, connection)
          try check(condition, isThere: old != nil, old)
        }
        try write(resource.bytes, key, of: table, connection)
      }
    }
  }

  /// Why a row cannot be written at a place.
  private func refusal(
    _ place: Place, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> SQLiteFailure {
    guard let name = place.components.first else {
      return SQLiteFailure(.isADirectory, "only rows can be written")
    }
    guard let table = try SQLiteTable.find(name, in: connection) else {
      return SQLiteFailure(.notFound, "there is no table '\(name)'")
    }
    guard !table.isView else {
      return SQLiteFailure(.unsupported, "the rows of a view have no keys; 'execute' writes")
    }
    if place.components.count < table.key.count + 1 || place.reference.isDirectory {
      return SQLiteFailure(.isADirectory, "only rows can be written; '+=' adds one")
    }
    let names = table.key.map(\.name).joined(separator: "/")
    return SQLiteFailure(.invalidReference, "that is no key of '\(name)', which has \(names)")
  }

  func delete(_ place: Place, _ condition: Precondition?) throws(StoreError) -> Bool {
    try using(place, isWriting: true, absent: false) { (connection) throws(SQLiteFailure) in
      try atomically(connection) { () throws(SQLiteFailure) in
        switch try target(place, connection) {
        case .nothing:
          try check(condition, isThere: false, nil)
          return false
        case .root, .table:
          throw SQLiteFailure(.isADirectory, "only rows can be deleted")
        case .row(let table, let key):
          let old = try row(key, of: table, connection)
          try check(condition, isThere: old != nil, old)
          guard old != nil else { return false }
          guard !place.reference.isDirectory else {
            throw SQLiteFailure(.notADirectory, "a row has nothing below it")
          }
          _ = try connection.run(
            "DELETE FROM \(table.quoted) WHERE \(table.keyCondition(key.count))", key)
          return true
        }
      }
    }
  }

  func post(_ place: Place, _ resource: Resource) throws(StoreError) -> Reference {
    try using(place, isWriting: true, absent: nil) { (connection) throws(SQLiteFailure) in
      try atomically(connection) { () throws(SQLiteFailure) in
        guard case .table(let table, let key) = try target(place, connection), key.isEmpty else {
          throw SQLiteFailure(.unsupported, "rows are added to a table")
        }
        guard !table.isView else {
          throw SQLiteFailure(.unsupported, "the rows of a view have no keys; 'execute' writes")
        }
        let values = try table.values(resource.bytes)
        var components: [String] = [table.name]
        if !table.hasRowNumbers {
          for column in table.key {
            guard let part = values.first(where: { $0.column.name == column.name })?.value.component
            else {
              throw SQLiteFailure(
                .encode, "the row has to say what '\(column.name)' is: it is part of the key")
            }
            components.append(part)
          }
        }
        try insert(values, into: table, connection)
        if table.hasRowNumbers { components.append(String(connection.lastRow)) }
        guard let added = place.changed(to: components) else {
          throw SQLiteFailure(.encode, "no reference can hold the key of the row")
        }
        return added
      }
    }
  }

  // MARK: Commands

  static func isReading(_ command: String) -> Bool {
    command == "select" || command == "columns" || command == "query"
  }

  func perform(
    _ command: String, _ argument: Resource, _ place: Place
  ) throws(StoreError) -> CommandAnswer {
    let isReading = SQLiteDatabase.isReading(command) || command == "check"
    if isReading { note(place) }
    return try using(place, isWriting: !isReading, absent: command == "check" ? .done : nil) {
      (connection) throws(SQLiteFailure) in
      switch command {
      case "select": return try select(argument, place, connection)
      case "columns": return try columns(place, connection)
      case "query", "execute":
        return try statement(argument, connection, isReading: command == "query")
      case "begin": _ = try connection.run("BEGIN IMMEDIATE")
      case "commit": _ = try connection.run("COMMIT")
      case "rollback":
        // What was read meanwhile is no more: the rows are announced as any others.
        if connection.isInTransaction { _ = try connection.run("ROLLBACK") }
      case "check": break
      default: throw SQLiteFailure(.unsupported, "it does not know '\(command)'")
      }
      return .done
    }
  }

  private func table(
    _ place: Place, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> SQLiteTable {
    guard case .table(let table, let key) = try target(place, connection), key.isEmpty else {
      throw SQLiteFailure(.notFound, "there is no such table")
    }
    return table
  }

  /// The rows for which a condition holds, in the order of their keys.
  private func select(
    _ argument: Resource, _ place: Place, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> CommandAnswer {
    let table = try table(place, connection)
    let (condition, parameters) = try SQLiteQuery.translate(argument.bytes[...], on: table)
    let names = table.columns.map { SQLiteTable.quoted($0.name) }.joined(separator: ", ")
    let order = table.key.map { SQLiteTable.quoted($0.name) }.joined(separator: ", ")
    let found = try connection.run(
      "SELECT \(names) FROM \(table.quoted) WHERE \(condition)"
        + (order.isEmpty ? "" : " ORDER BY \(order)"), parameters)
    var rows: [String] = []
    for row in found.rows { rows.append(try table.json(row)) }
    return .resource(
      Resource(
        Array(("[" + rows.joined(separator: ",") + "]").utf8), contentType: "application/json"))
  }

  private func columns(
    _ place: Place, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> CommandAnswer {
    let names = try table(place, connection).columns.map { JSONText.quoted($0.name) }
    return .resource(
      Resource(
        Array(("[" + names.joined(separator: ",") + "]").utf8), contentType: "application/json"))
  }

  /// A statement of the program's own, with its parameters.
  private func statement(
    _ argument: Resource, _ connection: SQLiteConnection, isReading: Bool
  ) throws(SQLiteFailure) -> CommandAnswer {
    guard case .array(let parts) = try? JSONPart.read(argument.bytes[...]), parts.count == 2,
      case .text(let text) = try? JSONPart.read(parts[0]),
      case .array(let values) = try? JSONPart.read(parts[1])
    else { throw SQLiteFailure(.encode, "a statement is a string, its parameters are an array") }
    var parameters: [SQLiteValue] = []
    for value in values {
      guard let parameter = SQLiteValue(value) else {
        throw SQLiteFailure(
          .encode, "no parameter can be \(String(decoding: value, as: UTF8.self).printable)")
      }
      parameters.append(parameter)
    }
    let before = connection.totalChanges
    let answer = try connection.run(text, parameters, mayWrite: !isReading)
    // The statement may have made or dropped a table.
    if !isReading, connection.totalChanges == before { connection.noteUntoldChange() }
    guard isReading || !answer.names.isEmpty else {
      return .resource(
        Resource(Array(String(connection.changes).utf8), contentType: "application/json"))
    }
    var rows: [String] = []
    for row in answer.rows {
      var members: [String] = []
      for (name, value) in zip(answer.names, row) {
        members.append(JSONText.quoted(name) + ":" + (try value.json()))
      }
      rows.append("{" + members.joined(separator: ",") + "}")
    }
    return .resource(
      Resource(
        Array(("[" + rows.joined(separator: ",") + "]").utf8), contentType: "application/json"))
  }
}
