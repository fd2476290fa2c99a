internal import TenonSolverKit
internal import TenonTables

// What the writes of `atomically:` may have changed, before the formulas have run: of that, what code in
// the block is about to read is computed then; nothing else is, so that nobody sees the rest half done.

/// The places that writes may change which have not been followed by a turn yet.
struct PendingReach {
  fileprivate var cells: Set<CellID> = []
  fileprivate var regions: Set<ObjectIdentifier> = []
  /// How many of the pending cells have been looked at.
  fileprivate var count = 0
  /// The last turn before.
  fileprivate var turn: Int = 0
}

extension ConnectionGraph {
  /// Whether a cell may get another value by what is pending.
  ///
  /// - Complexity: O(what can be reached from the writes) for all that is asked until the next turn.
  func mayBeStale(_ cell: CellID) -> Bool {
    guard atomicDepth > 0 else { return true }
    let determined = ([cell] + self[cell].properties).filter { each in
      self[each].hasOwner || self[each].region != nil || observers.byCell[each] != nil
    }
    if determined.isEmpty { return false }
    // Of what else waits it is not known yet what it reaches.
    if words[0].hasScheduled || words[0].hasRetargeted { return true }
    followPending()
    return determined.contains { reach.cells.contains($0) }
  }

  /// Whether anything in an object may get another value by what is pending.
  func mayBeStale(_ object: ObjectRef) -> Bool {
    watched[object.bits]?.contains { mayBeStale($0) } ?? false
  }

  private func followPending() {
    if reach.turn != turn || reach.count > pending.count { reach = PendingReach(turn: turn) }
    var open: [CellID] = []
    while reach.count < pending.count {
      let cell = pending[reach.count]
      reach.count += 1
      // What was written is as it should be, unless something else that was written reaches it.
      open += below(cell)
    }
    while let cell = open.popLast() {
      if reach.cells.insert(cell).inserted { open += below(cell) }
    }
  }

  /// What depends on a cell directly, and all of its region the first time one of it is met.
  private func below(_ cell: CellID) -> [CellID] {
    var below: [CellID] = self[cell].slots
    for each in [cell] + self[cell].properties {
      if each != cell { below.append(each) }
      below += self[each].readers.map(\.output)
      if let region = self[each].region, reach.regions.insert(ObjectIdentifier(region)).inserted {
        below += region.cells
      }
      for connection in observers.byCell[each] ?? ConnectionSet() {
        below += connection.observer?.cells ?? []
      }
    }
    return below
  }
}
