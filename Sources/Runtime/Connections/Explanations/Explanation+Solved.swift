internal import TenonSolverKit

// The reasons of values that a solver of equations and inequalities has computed.
//
// Such a solver computes many places at once, so that no formula alone is the reason of one. The
// explanation is a path: from the place, by constraints that share places, to a written place.

extension Machine {
  func describeCell(_ cell: CellID) -> String {
    currentValue(of: cell).map { describe($0) } ?? "unknown"
  }

  /// Returns a value that was recorded, as text.
  func describeRecorded(_ value: Value) -> String {
    if value == ChangeLog.gone { return "something that is gone" }
    return value.isUndefined ? "unknown" : describe(value)
  }

  /// The cause of a value that a solver has computed with others.
  struct Solved {
    /// The written cell; nil where only constraints gave the value.
    let cause: CellID?
  }

  /// Explains a cell whose value a solver has computed with others.
  ///
  /// - Returns: nil for a value that a formula has computed.
  /// - Complexity: O(constraints and places of its region, logged changes).
  func explainSolved(
    _ entry: ChangeLog.Entry, of cell: CellID, isPresent: Bool, _ lines: inout [String]
  ) -> Solved? {
    guard let region = graph[cell].region, region.solvesSums,
      isSolved(entry, in: region)
    else { return nil }
    let changes = graph.causes.changes(inTurnOf: entry)
    /// Returns whether a cell has its value from outside the solver.
    func isGiven(_ other: CellID) -> Bool {
      if entry.cause >= 0 { return other.rawValue == entry.cause }
      guard other != cell else { return false }
      return changes[other.rawValue].map { !isSolved($0, in: region) } ?? true
    }
    let ways = SolvedWays(from: cell, in: region, until: isGiven)
    guard let end = ways.end else {
      lines.append(line(for: entry, of: cell, isPresent: isPresent, by: ways.constraints))
      return Solved(cause: nil)
    }
    var current = cell
    var last: Connection?
    for (constraint, next) in ways.way(to: end) {
      last = constraint.formulas.first?.connection
      let known = changes[current.rawValue] ?? entry
      lines.append(
        line(
          for: current == cell ? entry : known, of: current,
          isPresent: current == cell ? isPresent : isLast(known, of: current), by: [constraint]))
      current = next
    }
    // A place to which a path leads may have had its value before the path led there.
    let step = entry.cause < 0 ? last.flatMap { newestStep(of: $0, since: end) } : nil
    return Solved(cause: step ?? end)
  }

  private func isLast(_ entry: ChangeLog.Entry, of cell: CellID) -> Bool {
    entry.cell != cell.rawValue
      || graph.causes.last(of: cell).map { graph.causes[$0].turn == entry.turn } ?? true
  }

  /// Returns whether a region's solver has made a change.
  private func isSolved(_ entry: ChangeLog.Entry, in region: Region) -> Bool {
    guard entry.writer > 0 else { return false }
    return graph.connections[Int(entry.writer)]?.formulas.contains {
      $0.constraint?.region === region
    } ?? false
  }

  private func line(
    for entry: ChangeLog.Entry, of cell: CellID, isPresent: Bool, by constraints: [Constraint]
  ) -> String {
    let value =
      entry.cell == cell.rawValue && !entry.new.isUndefined
      ? describeRecorded(entry.new) : describeCell(cell)
    let connections = constraints.compactMap { $0.formulas.first?.connection }.withoutRepetitions
    let texts = connections.prefix(4).map {
      "'\(graph.text(of: $0, at: cell))' (\($0.location))"
    }
    let more = connections.count > 4 ? " and \(connections.count - 4) more" : ""
    return "\(graph.displayName(of: cell)) \(isPresent ? "is" : "was") \(value) by "
      + texts.joined(separator: ", ") + more
  }
}

/// The paths from a place along the constraints of its region, the shortest first.
private struct SolvedWays {
  private var cameFrom: [CellID: (cell: CellID, constraint: Constraint)] = [:]
  /// All constraints that were passed: those of the program first where there was a choice.
  private(set) var constraints: [Constraint] = []
  /// The first place that has its value from outside the solver.
  private(set) var end: CellID?
  private let start: CellID

  init(from start: CellID, in region: Region, until isGiven: (CellID) -> Bool) {
    self.start = start
    var joining: [CellID: [Constraint]] = [:]
    for constraint in region.constraints {
      for cell in constraint.cells { joining[cell, default: []].append(constraint) }
    }
    var passed: Set<ConstraintID> = []
    var queue = [start]
    var next = 0
    while next < queue.count, end == nil {
      let cell = queue[next]
      next += 1
      let some = joining[cell] ?? []
      let inner = some.filter(SolvedWays.isInner)
      for constraint in some.filter({ !SolvedWays.isInner($0) }) + inner {
        guard passed.insert(constraint.id).inserted else { continue }
        constraints.append(constraint)
        for other in constraint.cells where other != start && cameFrom[other] == nil {
          cameFrom[other] = (cell, constraint)
          queue.append(other)
          if isGiven(other) {
            end = other
            return
          }
        }
      }
    }
  }

  private static func isInner(_ constraint: Constraint) -> Bool {
    constraint.formulas.first?.connection.statement.origin == .kernel
  }

  /// Returns the path to a place: constraints, each with the place to which it leads.
  func way(to end: CellID) -> [(constraint: Constraint, cell: CellID)] {
    var way: [(constraint: Constraint, cell: CellID)] = []
    var cell = end
    while cell != start, let before = cameFrom[cell] {
      way.append((before.constraint, cell))
      cell = before.cell
    }
    return way.reversed()
  }
}

extension Formula {
  /// The elements of collections that the formula reads besides one; none when a change of them is known.
  func elements(beside cell: CellID, in graph: ConnectionGraph) -> [CellID] {
    guard graph[cell].place.kind == .element else { return [] }
    let others = inputs.prefix(32).filter { $0 != cell && graph[$0].place.kind == .element }
    return others.allSatisfy { graph.causes.last(of: $0) == nil } ? Array(others.prefix(3)) : []
  }
}
