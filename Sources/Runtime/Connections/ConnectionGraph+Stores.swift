internal import TenonTables

// Cells of places in stores that must be told what to watch.

extension ConnectionGraph {
  /// The places of a store that take part in connections.
  ///
  /// - Complexity: O(cells).
  func places(in store: Value) -> [Place] {
    guard hasStoredCells else { return [] }
    return cells.indices.compactMap { index in
      guard !cells[index].isFree, hot[index].kind == .stored, hot[index].object == store else {
        return nil
      }
      return place(of: CellID(Int32(index)))
    }
  }

  /// Notes that a cell may have become one that somebody reads, or ceased to be one.
  @inline(__always)
  func touch(_ cell: CellID) {
    if hot[cell.rawValue].kind == .stored { touchedStoredCells.insert(cell) }
    if hot[cell.rawValue].flags & CellFlag.lazy != 0 { noteWatching(of: cell) }
  }

  /// Whether a formula of one direction determines a cell: what others write there does not stay.
  func isDetermined(_ id: CellID) -> Bool { cells[id.index].hasOwner }

  /// Whether anybody wants to hear of changes of a cell.
  func isRead(_ id: CellID) -> Bool {
    let cell = self[id]
    guard !cell.isFree else { return false }
    return !cell.readers.isEmpty || relays.byCell[id] != nil || cell.region != nil
      || pathWatchers[id] != nil
  }
}
