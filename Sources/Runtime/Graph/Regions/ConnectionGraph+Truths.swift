internal import TenonSolverKit
internal import TenonTables

// A source of truth and the places that show it are joined as by any other connection both ways: they get
// each other's values. Objects of the language see to that after the turn, so that no solver knows of it;
// another path that leads back to a source of truth is therefore refused as a cycle.

extension ConnectionObserver {
  /// Returns whether it keeps two places equal, not whole stores.
  func isTruth(in graph: ConnectionGraph) -> Bool {
    kind == .places && cells.count == 2
      && cells.allSatisfy { graph.hot[$0.rawValue].kind != .whole }
  }
}

extension ConnectionGraph {
  /// Returns the connections of a cell of which one place is the source of truth, each with the other place.
  func truths(of cell: CellID) -> [(truth: Connection, partner: CellID)] {
    guard let connections = watchers.observers.byCell[cell] else { return [] }
    return connections.sorted { $0.number < $1.number }.compactMap { connection in
      guard let observer = connection.observer, observer.isTruth(in: self),
        let partner = observer.cells.first(where: { $0 != cell })
      else { return nil }
      return (connection, partner)
    }
  }

  /// Refuses a connection between a source of truth and a place that shows it where there is another path
  /// from one of the two to the other.
  ///
  /// - Throws: a failure that names the cycle.
  /// - Complexity: O(dependents of the two places).
  func refuseCycle(
    through connection: Connection, _ observer: ConnectionObserver, _ left: CellID, _ right: CellID
  ) throws(Failure) {
    guard [left, right].allSatisfy({ hot[$0.rawValue].kind != .whole }) else { return }
    for (start, end) in [(left, right), (right, left)]
    where try isJoinedOtherwise(start, end, by: connection) {
      // Regions that need not be one have been divided.
      return try refuseCycle(through: connection, observer, left, right)
    }
  }

  private func isJoinedOtherwise(
    _ start: CellID, _ end: CellID, by connection: Connection
  ) throws(Failure) -> Bool {
    guard let way = way(from: [start], to: [end]) else { return false }
    if separateSplitRegions() { return true }
    throw .cycle(
      (way.cells + [end]).map { displayName(of: $0) },
      ([connection] + way.formulas.map(\.connection) + way.truths).withoutRepetitions)
  }

  /// Refuses a constraint of several directions that joins a source of truth with a place that shows it, or
  /// the dependents of one of the two with the other.
  ///
  /// `regions` become one with the constraint.
  ///
  /// - Throws: a failure that names the cycle.
  /// - Complexity: O(1) without truths, else O(the regions and their dependents).
  func refuseCycle(
    throughTruthsOf regions: [Region], _ constraint: Constraint
  ) throws(Failure) {
    guard watchers.observers.truthCount > 0 else { return }
    var members = Set(constraint.cells)
    for region in regions { members.formUnion(region.cells) }
    let outside = members.sorted().flatMap { self[$0].readers.map(\.output) }
      .filter { !members.contains($0) }
    for member in members.sorted() {
      for (truth, partner) in truths(of: member) {
        let back = way(from: [partner], to: members, without: truth)
        guard let way = back ?? way(from: outside, to: [partner], without: truth) else { continue }
        throw cycle(from: member, by: truth, to: partner, way, constraint)
      }
    }
  }

  /// Returns the failure for a cycle through a source of truth and a constraint.
  private func cycle(
    from member: CellID, by truth: Connection, to partner: CellID, _ way: Way,
    _ constraint: Constraint
  ) -> Failure {
    // From the place that shows the truth back into the constraint, or from there to the place.
    var cells = way.cells.last == partner ? way.cells + [member] : [member] + way.cells
    if let first = cells.first, cells.last != first { cells.append(first) }
    let connections =
      [truth] + way.formulas.map(\.connection) + way.truths
      + constraint.formulas.suffix(1).map(\.connection)
    return .cycle(cells.map { displayName(of: $0) }, connections.withoutRepetitions)
  }
}
