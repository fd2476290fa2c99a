internal import TenonSolverKit
internal import TenonTables

// Reads within `atomically:`, before the formulas have run: of the places that the writes may change, those
// that code in the block is about to read are computed then, and no others: none is seen half done.

/// The places that pending writes may change.
struct PendingReach {
  fileprivate var cells: Set<CellID> = []
  fileprivate var regions: Set<ObjectIdentifier> = []
  /// The number of pending cells that have been looked at.
  fileprivate var count = 0
  /// The last turn before.
  fileprivate var turn: Int = 0
}

extension ConnectionGraph {
  /// Returns whether pending writes may change the value of a cell.
  ///
  /// - Complexity: O(cells reachable from the writes) for all calls until the next turn.
  func mayBeStale(_ cell: CellID) -> Bool {
    guard atomicDepth > 0 else { return true }
    let determined = ([cell] + self[cell].properties).filter { each in
      self[each].hasOwner || self[each].region != nil || watchers.observers.byCell[each] != nil
    }
    if determined.isEmpty { return false }
    // The reach of scheduled formulas and retargeted connections is not known yet.
    if words[0][.scheduled] || words[0][.retargeted] { return true }
    followPending()
    return determined.contains { writeState.reach.cells.contains($0) }
  }

  /// Returns whether pending writes may change any value in an object.
  func mayBeStale(_ object: ObjectRef) -> Bool {
    watched[object.bits]?.contains { mayBeStale($0) } ?? false
  }

  private func followPending() {
    if writeState.reach.turn != turn || writeState.reach.count > pending.count {
      writeState.reach = PendingReach(turn: turn)
    }
    var open: [CellID] = []
    while writeState.reach.count < pending.count {
      let cell = pending[writeState.reach.count]
      writeState.reach.count += 1
      // A written cell is up to date, unless another written cell reaches it.
      open += below(cell)
    }
    while let cell = open.popLast() {
      if writeState.reach.cells.insert(cell).inserted { open += below(cell) }
    }
  }

  /// Returns the cells that depend on a cell directly, and all of its region the first time one of it is met.
  private func below(_ cell: CellID) -> [CellID] {
    var below: [CellID] = self[cell].slots
    for each in [cell] + self[cell].properties {
      if each != cell { below.append(each) }
      below += self[each].readers.map(\.output)
      if let region = self[each].region,
        writeState.reach.regions.insert(ObjectIdentifier(region)).inserted
      {
        below += region.cells
      }
      for connection in watchers.observers.byCell[each] ?? ConnectionSet() {
        below += connection.observer?.cells ?? []
      }
    }
    return below
  }
}
