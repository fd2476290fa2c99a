internal import TenonSolverKit
internal import TenonTables

// A truth and the places that show it are joined as by any other connection both ways: what one becomes
// the other becomes. Objects of the language see to that after the turn, so that no solver knows of it;
// what would lead back to a truth on another way is therefore refused as a cycle.

extension ConnectionObserver {
  /// Whether it keeps two places in step, not whole stores.
  func isTruth(in graph: ConnectionGraph) -> Bool {
    kind == .places && cells.count == 2
      && cells.allSatisfy { graph.hot[$0.rawValue].kind != .whole }
  }
}

extension ConnectionGraph {
  /// The connections of a cell of which one place is the truth, each with the other place.
  func truths(of cell: CellID) -> [(truth: Connection, partner: CellID)] {
    guard let connections = observers.byCell[cell] else { return [] }
    return connections.sorted { $0.number < $1.number }.compactMap { connection in
      guard let observer = connection.observer, observer.isTruth(in: self),
        let partner = observer.cells.first(where: { $0 != cell })
      else { return nil }
      return (connection, partner)
    }
  }

  /// Refuses a connection between a truth and what shows it where there is another way from one of the
  /// two to the other.
  ///
  /// - Throws: a failure that names the way around.
  /// - Complexity: O(what depends on the two places).
  func refuseCycle(
    through connection: Connection, _ observer: ConnectionObserver, _ left: CellID, _ right: CellID
  ) throws(Failure) {
    guard [left, right].allSatisfy({ hot[$0.rawValue].kind != .whole }) else { return }
    for (start, end) in [(left, right), (right, left)]
    where try isJoinedOtherwise(start, end, by: connection) {
      // Regions that need not be one have been parted.
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

  /// Refuses a constraint of several directions that joins a truth with what shows it, or what depends
  /// on one of the two with the other.
  ///
  /// `regions` become one with the constraint.
  ///
  /// - Throws: a failure that names the way around.
  /// - Complexity: O(1) without truths, else O(the regions and what depends on them).
  func refuseCycle(
    throughTruthsOf regions: [Region], _ constraint: Constraint
  ) throws(Failure) {
    guard observers.truthCount > 0 else { return }
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

  /// The failure for a way around through a truth and a constraint.
  private func cycle(
    from member: CellID, by truth: Connection, to partner: CellID, _ way: Way,
    _ constraint: Constraint
  ) -> Failure {
    // From the place behind the truth back into the constraint, or from there to the place.
    var cells = way.cells.last == partner ? way.cells + [member] : [member] + way.cells
    if let first = cells.first, cells.last != first { cells.append(first) }
    let connections =
      [truth] + way.formulas.map(\.connection) + way.truths
      + constraint.formulas.suffix(1).map(\.connection)
    return .cycle(cells.map { displayName(of: $0) }, connections.withoutRepetitions)
  }
}
