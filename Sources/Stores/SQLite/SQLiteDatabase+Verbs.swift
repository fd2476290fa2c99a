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
    case column(SQLiteTable.Column, SQLiteTable, key: [SQLiteValue])
    /// There is no such table, or the table can have no such key.
    case nothing
  }

  private func target(
    _ place: Place, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> Target {
    guard let name = place.components.first else { return .root }
    guard let table = try SQLiteTable.find(name, in: connection) else { return .nothing }
    let written = place.components.dropFirst()
    var column: SQLiteTable.Column?
    if written.count == table.key.count + 1, let name = written.last {
      column = table.columns.first { ExactText($0.name) == ExactText(name) }
    }
    guard written.count <= table.key.count || column != nil else { return .nothing }
    var key: [SQLiteValue] = []
    for (text, column) in zip(written, table.key) {
      guard let value = table.keyValue(text, column) else { return .nothing }
      key.append(value)
    }
    if let column { return .column(column, table, key: key) }
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
      if isWriting, !scans.isEmpty { try detachScans(connection) }
      let answer = try body(connection)
      if isWriting { announceChanges(connection) }
      return answer
    } catch {
      var failure = StoreError(error.kind, place.reference, error.reason)
      if error.isPassing { failure.retryAfter = 0 }
      throw failure
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
        // A row may come and go; a name that the schema does not have is a mistake.
        if let unknown = try unknownName(in: place, connection) { throw unknown }
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
      case .column(let column, let table, let key):
        let value = try value(of: column, key, of: table, connection)
        if case .differs(let tag) = condition, let value, EntityTag(of: value) == tag {
          return .unchanged
        }
        try check(condition, isThere: value != nil, value)
        guard let value else { return .missing }
        guard !place.reference.isDirectory else { throw SQLiteDatabase.nothingBelowColumn }
        return .resource(Resource(value, contentType: "application/json"))
      }
    }
  }

  func list(_ place: Place) throws(StoreError) -> [StoreEntry] {
    note(place)
    return try using(place, isWriting: false, absent: nil) { (connection) throws(SQLiteFailure) in
      switch try target(place, connection) {
      case .root: return try tables(connection)
      case .nothing:
        throw try unknownName(in: place, connection)
          ?? SQLiteFailure(.notFound, "there is no such key")
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
      case .column(let column, let table, let key):
        guard try value(of: column, key, of: table, connection) != nil else {
          throw SQLiteFailure(.notFound, "there is no such row, or nothing in the column")
        }
        throw SQLiteDatabase.nothingBelowColumn
      }
    }
  }

  /// What there is at a place, without what is below it.
  func status(_ place: Place) throws(StoreError) -> ResourceStatus? {
    note(place)
    return try using(place, isWriting: false, absent: .some(nil)) {
      (connection) throws(SQLiteFailure) -> ResourceStatus? in
      switch try target(place, connection) {
      case .nothing: return nil
      case .root: return ResourceStatus(isDirectory: true)
      case .table(let table, let key):
        guard !key.isEmpty else { return ResourceStatus(isDirectory: true) }
        let selection = try SQLiteSelection(table, below: key, [], where: Array("true".utf8)[...])
        let found = try connection.run(selection.exists, key).rows.first?.first
        return found == .integer(1) ? ResourceStatus(isDirectory: true) : nil
      case .row(let table, let key):
        return try row(key, of: table, connection).map {
          ResourceStatus(of: Resource($0, contentType: "application/json"))
        }
      case .column(let column, let table, let key):
        return try value(of: column, key, of: table, connection).map {
          ResourceStatus(of: Resource($0, contentType: "application/json"))
        }
      }
    }
  }

  func put(
    _ place: Place, _ resource: Resource, _ condition: Precondition?
  ) throws(StoreError) {
    try using(place, isWriting: true, absent: nil) { (connection) throws(SQLiteFailure) in
      try atomically(connection) { () throws(SQLiteFailure) in
        let target = try target(place, connection)
        if case .column(let column, let table, let key) = target, !place.reference.isDirectory {
          if condition != nil {
            let old = try value(of: column, key, of: table, connection)
            try check(condition, isThere: old != nil, old)
          }
          return try write(resource.bytes, to: column, key, of: table, connection)
        }
        guard case .row(let table, let key) = target, !place.reference.isDirectory else {
          throw try refusal(place, connection)
        }
        if condition != nil {
          let old = try row(key, of: table, connection)
          try check(condition, isThere: old != nil, old)
        }
        try write(resource.bytes, key, of: table, connection)
      }
    }
  }

  /// That there is no table or column of a name in a place; nil where all of them are known.
  private func unknownName(
    in place: Place, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> SQLiteFailure? {
    guard let name = place.components.first else { return nil }
    guard let table = try SQLiteTable.find(name, in: connection) else {
      return SQLiteFailure(.notFound, SQLiteMissing.table(name).reason(in: connection))
    }
    guard !table.isView, place.components.count == table.key.count + 2,
      let column = place.components.last,
      !table.columns.contains(where: { ExactText($0.name) == ExactText(column) })
    else { return nil }
    return SQLiteFailure(
      .notFound, SQLiteMissing.column(column, of: table.name).reason(in: connection))
  }

  /// Why a row cannot be written at a place.
  private func refusal(
    _ place: Place, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> SQLiteFailure {
    guard let name = place.components.first else {
      return SQLiteFailure(.isADirectory, "only rows can be written")
    }
    guard let table = try SQLiteTable.find(name, in: connection) else {
      return SQLiteFailure(.notFound, SQLiteMissing.table(name).reason(in: connection))
    }
    guard !table.isView else {
      return SQLiteFailure(.unsupported, "the rows of a view have no keys; 'execute' writes")
    }
    if place.components.count < table.key.count + 1 || place.reference.isDirectory {
      return SQLiteFailure(.isADirectory, "only rows can be written; '+=' adds one")
    }
    let names = table.key.map(\.name).joined(separator: "/")
    if let column = place.components.dropFirst(table.key.count + 1).first,
      place.components.count == table.key.count + 2
    {
      return SQLiteFailure(
        .invalidReference, "the rows of '\(name)' have no column '\(column)', or no such key")
    }
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
        case .column(let column, let table, let key):
          let old = try value(of: column, key, of: table, connection)
          try check(condition, isThere: old != nil, old)
          guard old != nil else { return false }
          guard !place.reference.isDirectory else { throw SQLiteDatabase.nothingBelowColumn }
          try write(Array("null".utf8), to: column, key, of: table, connection)
          return true
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
        let target = try target(place, connection)
        if case .nothing = target {
          throw try unknownName(in: place, connection)
            ?? SQLiteFailure(.notFound, "there is no such key")
        }
        guard case .table(let table, let key) = target, key.isEmpty else {
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
    [
      "select", "next", "end", "count", "exists", "keys", "translates", "columns", "key", "query",
    ].contains(command)
  }

  /// Whether a command changes something, or the state of the connection.
  private static func isChanging(_ command: String) -> Bool {
    ["execute", "begin", "commit", "rollback", "check"].contains(command)
  }

  func perform(
    _ command: String, _ argument: Resource, _ place: Place
  ) throws(StoreError) -> CommandAnswer {
    guard SQLiteDatabase.isReading(command) || SQLiteDatabase.isChanging(command) else {
      // Before a place is looked for, or a database is made.
      throw StoreError(.unsupported, place.reference, "it does not know '\(command)'")
    }
    let isReading = SQLiteDatabase.isReading(command) || command == "check"
    if command == "end" {
      endScan(number(argument) ?? 0)
      return .done
    }
    if isReading { note(place) }
    return try using(place, isWriting: !isReading, absent: command == "check" ? .done : nil) {
      (connection) throws(SQLiteFailure) in
      switch command {
      case "query", "execute":
        return try statement(argument, connection, isReading: command == "query")
      case "begin": try begin(connection, for: number(argument) ?? 0)
      case "commit": try commit(connection)
      // What was read meanwhile is no more: the rows are announced as any others.
      case "rollback": try rollBack(connection)
      case "check": break
      default: return try read(command, argument, place, connection)
      }
      return .done
    }
  }

  private func answer(_ json: String) -> CommandAnswer {
    .resource(Resource(Array(json.utf8), contentType: "application/json"))
  }

  private func number(_ argument: Resource) -> Int? {
    guard case .number(let text) = try? JSONPart.read(argument.bytes[...]) else { return nil }
    return Int(text)
  }

  /// Carries out a command about the rows of a table.
  private func read(
    _ command: String, _ argument: Resource, _ place: Place, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> CommandAnswer {
    if command == "next" {
      let number = number(argument) ?? 0
      guard let scan = scans[number] else {
        throw SQLiteFailure(.conflict, "the rows are not gone through any more")
      }
      return try page(of: scan, number: number)
    }
    let (table, key) = try rows(place, connection)
    func selection() throws(SQLiteFailure) -> SQLiteSelection {
      try SQLiteSelection(table, below: key, place.reference.query, where: argument.bytes[...])
    }
    func single(_ text: String, _ selection: SQLiteSelection) throws(SQLiteFailure) -> SQLiteValue {
      try connection.run(text, selection.parameters).rows.first?.first ?? .null
    }
    switch command {
    case "select": return try page(of: SQLiteScan(selection(), connection), number: nil)
    case "count":
      let selection = try selection()
      return answer(try single(selection.count, selection).json())
    case "exists":
      let selection = try selection()
      return answer(try single(selection.exists, selection) == .integer(1) ? "true" : "false")
    case "translates":
      do throws(SQLiteFailure) {
        _ = try selection()
        return answer("true")
      } catch {
        guard error.kind == .unsupported else { throw error }
        return answer("false")
      }
    case "keys":
      guard table.key.count > 1 else { return answer("null") }
      let keys = try keys(selection(), place, connection)
      return answer(JSONText.array(keys.map { JSONText.array($0.map(JSONText.quoted)) }))
    case "columns": return answer(JSONText.array(table.columns.map { JSONText.quoted($0.name) }))
    case "key":
      let names = table.hasDeclaredKey && !table.isView ? table.key.map(\.name) : []
      return answer(JSONText.array(names.map { JSONText.quoted($0) }))
    default: throw SQLiteFailure(.unsupported, "it does not know '\(command)'")
    }
  }

  /// The table that a place is or lies in, and the parts of the key that it gives.
  private func rows(
    _ place: Place, _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> (SQLiteTable, [SQLiteValue]) {
    switch try target(place, connection) {
    case .table(let table, let key): return (table, key)
    case .row, .column: throw SQLiteFailure(.notADirectory, "a row has no rows below it")
    case .root: throw SQLiteFailure(.notFound, "there is no such table")
    case .nothing:
      throw try unknownName(in: place, connection)
        ?? SQLiteFailure(.notFound, "there is no such key")
    }
  }

  /// The next rows of what is gone through: `[number, rows]`, the number null behind the last page.
  private func page(
    of scan: SQLiteScan, number: Int?
  ) throws(SQLiteFailure) -> CommandAnswer {
    let page = try scan.next()
    var rows: [String] = []
    rows.reserveCapacity(page.rows.count)
    for row in page.rows { rows.append(try scan.table.json(row)) }
    var next = "null"
    if !page.isLast {
      next = String(number ?? keep(scan))
    } else if let number {
      endScan(number)
    }
    return answer(JSONText.array([next, JSONText.array(rows)]))
  }

  /// Statements of the program's own, with their parameters.
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
    let outcome =
      isReading
      ? Outcome(last: try connection.query(text, parameters))
      : try runScript(text, parameters, connection)
    guard isReading || !outcome.last.names.isEmpty else { return answer(String(outcome.changes)) }
    var rows: [String] = []
    for row in outcome.last.rows {
      var members: [String] = []
      for (name, value) in zip(outcome.last.names, row) {
        members.append(JSONText.quoted(name) + ":" + (try value.json()))
      }
      rows.append("{" + members.joined(separator: ",") + "}")
    }
    return answer(JSONText.array(rows))
  }
}
