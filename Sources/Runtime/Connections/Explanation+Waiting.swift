// What connections wait for: places that hold nothing, keys that are not there, objects on the way of a
// path.

extension Machine {
  /// The places for which a connection waits, each once: none where it does not wait.
  ///
  /// - Complexity: O(what its formulas read).
  func missingPlaces(of connection: Connection) -> [CellID] {
    guard connection.status == .active else { return [] }
    if let (left, right) = graph.redundant[connection] {
      return redundantState(of: connection) == "waiting" ? missing(among: [left, right]) : []
    }
    if connection.formulas.isEmpty {
      // Its paths lead nowhere, or what a truth joins does.
      return connection.pathFailure == nil ? missing(among: connection.steps) : []
    }
    if connection.constantsFailure != nil { return [] }
    if equationState(of: connection) == "waiting" {
      // What it is called by its text first: the rest in the order in which the places were met.
      return missing(
        among: connection.formulas.flatMap { formula in
          [formula.output] + formula.inputs + (formula.constraint?.cells.sorted() ?? [])
        })
    }
    return missing(among: waitingFormulas(of: connection).flatMap(\.inputs))
  }

  /// Of a connection's formulas those that would compute something at present and wait.
  func waitingFormulas(of connection: Connection) -> [Formula] {
    connection.formulas.filter { formula in
      // What has been written in place of its value stays for a while, and nothing is missing.
      let isOverridden =
        connection.allowsOverride && graph.cause(of: formula.output).site != nil
      return formula.state == .waiting && !isOverridden && graph.isInForce(formula)
    }
  }

  private func missing(among cells: [CellID]) -> [CellID] {
    var found: [CellID] = []
    for cell in cells where !found.contains(cell) && isMissing(cell) { found.append(cell) }
    return found
  }

  /// `'b |= a + 1' (file.st:2) waits for 'a'`; nil for a connection that does not wait.
  private func waitingLine(of connection: Connection, for missing: [CellID]) -> String? {
    let beginning = "'\(connection.text)' (\(connection.location)) waits"
    if missing.isEmpty {
      let waiting = connection.status == .active ? waitingFormulas(of: connection) : []
      return waiting.lazy.compactMap { self.graph.reasonsToWait[$0.id] }.first
        .map { "\(beginning): \($0)" }
    }
    let names = missing.map { "'\(graph.displayName(of: $0))'" }.joined(separator: " and ")
    return "\(beginning) for \(names)"
  }

  /// Says why a connection waits: a line for each that waits for the next one, then why there is nothing.
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
      // Of an entry that is not there, the key may have been written.
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

  /// Why a connection is not made at present.
  func explanation(ofUnmade connection: Connection) -> String {
    if let failure = connection.pathFailure {
      return "'\(connection.text)' (\(connection.location)) has failed: \(failure)"
    }
    let lines = explainWaiting(of: connection)
    if !lines.isEmpty { return lines.joined(separator: "\n") }
    return "'\(connection.plan.map { displayName(of: $0.target) } ?? connection.text)' takes part in no connection"
  }

  /// Prints where changes are traced to that a formula waits, and for what.
  @inline(never)
  func traceWaiting(_ formula: Formula) {
    let missing = missing(among: formula.inputs)
    guard let line = waitingLine(of: formula.connection, for: missing) else { return }
    trace("turn \(graph.turn): \(line)")
  }
}
