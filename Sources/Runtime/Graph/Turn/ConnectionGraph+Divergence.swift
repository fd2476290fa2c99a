internal import TenonTables
internal import TenonSolverKit
internal import TenonLexer

// Places that go on changing: the loop, for a message.

/// Why no formula runs any more in a turn.
final class Halt: GraphPart {
  /// A cell that has changed too often.
  var restless: CellID? { didSet { didChange() } }
  /// The reason why a solver has given the turn up.
  var refusal: SolverConflict? { didSet { didChange() } }
  /// The region of that solver.
  var refusing: Region?
  /// The reason why a statement is refused whose connection is being settled for the first time.
  var refusedStatement: Failure? { didSet { didChange() } }
  /// Whether a formula was interrupted: the turn is given up.
  var isUnwinding = false { didSet { didChange() } }

  private func didChange() {
    unsafe graph?.words[0][.halted] =
      isUnwinding || restless != nil || refusal != nil || refusedStatement != nil
  }
}

extension ConnectionGraph {
  /// Returns the failure for a place that changes without end: the places and the statements of the loop.
  ///
  /// - Complexity: O(logged changes times places of the loop).
  func doesNotSettle(through cell: CellID) -> Failure {
    var steps: [(cell: CellID, writer: String?)] = []
    var positions: [CellID: Int] = [:]
    var current: CellID? = cell
    var loop: Int?
    // Longer loops tell no more.
    while let cell = current, steps.count < 64 {
      if let known = positions[cell] {
        loop = known
        break
      }
      positions[cell] = steps.count
      let change = causes.last(of: cell).map { (number: $0, entry: causes[$0]) }
      steps.append((cell, change.flatMap { writer(of: $0.entry) }))
      current = change.flatMap { cause(of: $0.entry, $0.number) } ?? cause(of: cell).cell
    }
    let shown = steps[(loop ?? 0)...]
    var names = shown.map { displayName(of: $0.cell) }
    let writers = shown.compactMap(\.writer).withoutRepetitions
    if loop != nil, let first = names.first { names.append(first) }
    return .doesNotSettle(names, writers)
  }

  /// Returns the author of a change: a connection or a statement, with its place.
  private func writer(of entry: ChangeLog.Entry) -> String? {
    guard entry.writer > 0 else { return causes.location(of: entry).map { "written at \($0)" } }
    return connections[Int(entry.writer)].map { "'\($0.text)' (\($0.location))" }
  }

  /// Returns the place because of which another one has changed.
  private func cause(of entry: ChangeLog.Entry, _ number: Int) -> CellID? {
    if let formula = effect(of: entry) { return formula.output }
    if entry.writer > 0, entry.cause >= 0 {
      let cause = CellID(entry.cause)
      return isInUse(cause) ? cause : nil
    }
    guard entry.writer < 0 else { return nil }
    return watched(by: entry) ?? changed(before: number, entry)
  }

  /// Returns the output of the connection whose statement contains the one that has made a change: the
  /// flow that writes a place that it reads.
  private func watched(by entry: ChangeLog.Entry) -> CellID? {
    guard let source = causes.source(of: entry) else { return nil }
    let innermost = connections.values.filter { connection in
      connection.source === source && connection.range.start <= entry.cause
        && entry.cause < connection.range.end
    }.max { ($0.range.start, $1.number) < ($1.range.start, $0.number) }
    return innermost?.formulas.first?.output
  }

  /// Returns the cell that was changed last before by another author, in the same turn.
  private func changed(before number: Int, _ entry: ChangeLog.Entry) -> CellID? {
    guard number > 0 else { return nil }
    let before = causes[number - 1]
    guard before.turn == entry.turn, before.cell != entry.cell,
      isInUse(CellID(before.cell))
    else { return nil }
    return CellID(before.cell)
  }
}
