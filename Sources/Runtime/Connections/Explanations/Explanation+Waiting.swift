internal import TenonSolverKit

// The places for which connections wait: empty places, missing keys, missing objects on the way of a
// path.

extension Machine {
  /// Returns the places for which a connection waits, each once: none where it does not wait.
  ///
  /// - Complexity: O(inputs of its formulas).
  func missingPlaces(of connection: Connection) -> [CellID] {
    guard connection.status == .active else { return [] }
    if let (left, right) = graph.replanning.redundant[connection] {
      return redundantState(of: connection) == "waiting" ? missing(among: [left, right]) : []
    }
    if connection.formulas.isEmpty {
      // Its paths lead nowhere, or a side of a truth does.
      return connection.pathFailure == nil ? missing(among: connection.steps) : []
    }
    if connection.constantsFailure != nil { return [] }
    if equationState(of: connection) == "waiting" {
      // The places in the text come first: the rest in the order in which the cells were made.
      return missing(
        among: connection.formulas.flatMap { formula in
          [formula.output] + formula.inputs + (formula.constraint?.cells.sorted() ?? [])
        })
    }
    let found = missing(among: waitingFormulas(of: connection).flatMap(\.inputs))
    guard found.isEmpty, connection.formulas.count > 1, state(of: connection) == "waiting" else {
      return found
    }
    // Of several directions none may be in force: the output of one of them is missing then.
    return missing(among: connection.formulas.flatMap { [$0.output] + $0.inputs })
  }

  /// Returns the formulas of a connection that are in force at present and wait.
  func waitingFormulas(of connection: Connection) -> [Formula] {
    connection.formulas.filter { formula in
      // A value written in place of its own stays for a while, and nothing is missing.
      let isOverridden =
        connection.allowsOverride && graph.cause(of: formula.output).site != nil
      return formula.state == .waiting && !isOverridden && graph.isInForce(formula)
    }
  }

  private func missing(among cells: [CellID]) -> [CellID] {
    var found: [CellID] = []
    for cell in cells where !found.contains(cell) && isMissing(cell) { found.append(cell) }
    // A place from which another one is computed is not named beside it, nor a place without a name.
    let parts = Set(found.flatMap { graph[$0].slots })
    let named = found.filter { !parts.contains($0) && !isNameless(graph.place(of: $0)) }
    if !named.isEmpty { found = named }
    if found.isEmpty { found = cells.withoutRepetitions.filter { hasMissingElement($0) } }
    return found
  }

  /// Returns whether a cell is that of a collection with nil among its elements.
  func hasMissingElement(_ cell: CellID) -> Bool { !missingElements(of: cell, limit: 1).isEmpty }

  /// Returns the indexes or keys at which a collection holds nil, in order.
  ///
  /// - Complexity: O(elements).
  private func missingElements(of cell: CellID, limit: Int) -> [String] {
    guard !graph[cell].isFree, graph.place(of: cell).kind == .whole else { return [] }
    let collection = graph.place(of: cell).object
    var keys: [String] = []
    if classInfo(of: collection).inherits(from: kernel.dictionary) {
      let table = HashTable(collection)
      for number in 0..<table.used where keys.count < limit {
        if let entry = table.entry(number + 1), entry.value.isNil {
          keys.append(describe(entry.key))
        }
      }
      return keys
    }
    guard let elements = elements(of: collection) else { return [] }
    for index in 0..<elements.elementCount where keys.count < limit {
      if elements[element: index].isNil { keys.append(String(index + 1)) }
    }
    return keys
  }

  /// Returns the elements of a list in an array of their own; nil for other collections.
  private func elements(of list: Value) -> ObjectRef? {
    if list.isObject(ofClass: ClassIndex.array) { return ObjectRef(list) }
    guard classInfo(of: list).inherits(from: kernel.orderedCollection) else { return nil }
    let array = unrecordedValue { send(selector("asArray"), to: list) }
    return array.flatMap { $0.isObject(ofClass: ClassIndex.array) ? ObjectRef($0) : nil }
  }

  /// Returns the names in messages of missing places: those of a collection one by one.
  func missingNames(of cells: [CellID]) -> [String] {
    cells.flatMap { cell in
      let keys = missingElements(of: cell, limit: Machine.namedElementsLimit)
      guard !keys.isEmpty else { return [graph.displayName(of: cell)] }
      let place = graph.place(of: cell)
      let holder =
        scriptVariables(where: { ObjectRef($0)[slot: 0] == place.object }).first
        ?? graph.displayName(of: cell)
      return keys.map { "\(holder)[\($0)]" }
    }
  }

  /// The most elements of a collection that are named.
  private static let namedElementsLimit = 16

  /// Returns the values of a waiting connection's places, none of which is missing: they do not fit together,
  /// and no formula or solver can change that at present.
  private func whatIsHeld(of connection: Connection) -> String? {
    guard connection.status == .active, state(of: connection) == "waiting" else { return nil }
    let cells =
      connection.observer?.cells ?? graph.replanning.redundant[connection].map { [$0, $1] }
      ?? connection.formulas.flatMap { [$0.output] + $0.inputs }.withoutRepetitions
    if cells.isEmpty { return nil }
    let held = cells.prefix(Self.namedElementsLimit).map { cell in
      let name = "'\(graph.displayName(of: cell))'"
      switch reading(cell) {
      case .value(let value): return "\(name) is \(value.isUndefined ? "nil" : describe(value))"
      case .failed(let failure): return "\(name) cannot be read: \(failure.message)"
      case .unwound: return "\(name) is unknown"
      }
    }
    return held.joined(separator: " and ")
  }

  /// Returns `'b |= a + 1' (file.st:2) waits for 'a'`; nil for a connection that does not wait.
  private func waitingLine(of connection: Connection, for missing: [CellID]) -> String? {
    let beginning = "'\(connection.text)' (\(connection.location)) waits"
    if missing.isEmpty {
      let waiting = connection.status == .active ? waitingFormulas(of: connection) : []
      let reason = waiting.lazy.compactMap { self.graph.failing.reasonsToWait[$0.id] }.first
      return (reason ?? whatIsHeld(of: connection)).map { "\(beginning): \($0)" }
    }
    let names = missingNames(of: missing).map { "'\($0)'" }.joined(separator: " and ")
    return "\(beginning) for \(names)"
  }

  /// Explains why a connection waits: a line for each that waits for the next, then why a value is missing.
  func explainWaiting(of connection: Connection) -> [String] {
    var lines: [String] = []
    var known: Set<Connection> = []
    var current: Connection? = connection
    var end: CellID?
    while let connection = current, known.insert(connection).inserted {
      let missing = missingPlaces(of: connection)
      guard let line = waitingLine(of: connection, for: missing) else { break }
      lines.append(line)
      guard let first = missing.first else { break }
      // Of a missing entry, the key may have been written.
      let place = graph[first].place
      let isKey =
        place.kind == .element && place.index < 0 && graph.causes.last(of: first) == nil
      end =
        isKey ? waitingFormulas(of: connection).first.flatMap { newestInput(of: $0) } : first
      current = graph.source(of: first)?.connection
    }
    guard let end else { return lines }
    return lines + explanationOfCell(end).split(separator: "\n").map { String($0) }
  }

  /// Returns why a connection is not made at present.
  func explanation(ofUnmade connection: Connection) -> String {
    if let failure = connection.pathFailure {
      return "'\(connection.text)' (\(connection.location)) has failed: \(failure)"
    }
    let lines = explainWaiting(of: connection)
    if !lines.isEmpty { return lines.joined(separator: "\n") }
    let name = connection.plan.map { displayName(of: $0.target) } ?? connection.text
    return "'\(name)' takes part in no connection"
  }

  /// Returns how the formula that determines a cell has failed; empty where it has not.
  ///
  /// `writer`: the connection that the line has named already.
  func failureText(of cell: CellID, by writer: Connection?) -> String {
    guard let failure = graph.failure(of: cell), let formula = graph.source(of: cell) else {
      return ""
    }
    if formula.connection == writer { return ", which has failed since: " + failure }
    return "; '\(graph.text(of: formula.connection, at: cell))'"
      + " (\(formula.connection.location)) has failed: \(failure)"
  }

  /// Prints in the trace that a formula waits, and for what.
  @inline(never)
  func traceWaiting(_ formula: Formula) {
    let missing = missing(among: formula.inputs)
    guard let line = waitingLine(of: formula.connection, for: missing) else { return }
    trace("turn \(graph.turn): \(line)")
  }
}
