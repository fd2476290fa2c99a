internal import TenonSolverKit
internal import TenonTables

// Cells of places in stores, which must be told what to watch.

/// The cells of places in stores.
final class StoredCells {
  /// The cell of a store that is written through the door.
  var storing: CellID?
  var storedCellCount = 0
  /// The place that a store was last told to have changed itself: for a writer that asks at once.
  var directWrite: (store: Value, reference: Value, text: String)?
  /// The cells of places in stores that may have got or lost their readers.
  var touchedStoredCells: Set<CellID> = []
  /// The places whose changes, made elsewhere, a turn takes up.
  @safe @exclusivity(unchecked) var takenUp: (turn: Int, cells: Set<CellID>, isForeign: Bool) = (
    0, [], true
  )
  /// The collections of places of which stores keep copies.
  var contents = StoredContents()
}

extension ConnectionGraph {
  /// Returns the places of a store that take part in connections.
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

  /// Marks a stored cell whose watch must be re-examined, and updates the watching of a lazy cell.
  @inline(__always)
  func touch(_ cell: CellID) {
    if hot[cell.rawValue].kind == .stored {
      storedCells.touchedStoredCells.insert(cell)
      // A reader of a place of a store over another one reads the places behind it.
      for slot in cells[cell.index].slots where hot[slot.rawValue].kind == .stored {
        storedCells.touchedStoredCells.insert(slot)
      }
    }
    if hot[cell.rawValue].flags & CellFlag.lazy != 0 { updateWatching(of: cell) }
  }

  /// Returns whether a formula of one direction determines a cell, or a place that is computed from it:
  /// writes of others there do not stay.
  func isDetermined(_ id: CellID) -> Bool {
    cells[id.index].hasOwner || cells[id.index].properties.contains { cells[$0.index].hasOwner }
  }

  /// Returns whether changes of a cell, or of a place that is computed from it, concern a reader: the
  /// cells behind a place are all those that its getter reads, however many stores lie between.
  func isRead(_ id: CellID) -> Bool {
    isReadItself(id) || cells[id.index].properties.contains { isReadItself($0) }
  }

  private func isReadItself(_ id: CellID) -> Bool {
    let cell = self[id]
    guard !cell.isFree else { return false }
    return !cell.readers.isEmpty || watchers.observers.byCell[id] != nil || cell.region != nil
      || watchers.pathWatchers[id] != nil
  }
}
