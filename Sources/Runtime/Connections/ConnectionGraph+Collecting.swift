// What the collector must know: a connection keeps its formulas alive, not its places.

extension ConnectionGraph {
  /// Marks what the connections need whose places are alive, and ends the others.
  ///
  /// A connection lives as long as the objects it writes to, or for stores those it reads; what its
  /// formulas refer to lives as long as it does. So the marking goes on in rounds until no further
  /// connection is found alive.
  ///
  /// - Complexity: O(connections + cells) for each round; more than two are rare.
  func mark(_ heap: Heap) {
    var waiting = Array(connections.values)
    while true {
      var undecided: [Connection] = []
      var isFound = false
      for connection in waiting {
        guard connection.keys.allSatisfy({ heap.isMarked(ObjectRef($0)) }) else {
          undecided.append(connection)
          continue
        }
        isFound = true
        mark(connection, heap)
      }
      heap.drain()
      waiting = undecided
      if !isFound || waiting.isEmpty { break }
    }
    // The memory of dead objects is whole until the collection ends.
    for connection in waiting { disconnect(connection) }
    purgeDeadCells(heap)
    for cell in cells where !cell.isFree {
      heap.mark(cell.place.key)
      if let known = cell.known { heap.mark(known) }
    }
    for entry in undo { heap.mark(entry.value) }
    for value in valuesBefore.values { heap.mark(value) }
    heap.drain()
  }

  private func mark(_ connection: Connection, _ heap: Heap) {
    connection.plan?.forEachValue { heap.mark($0) }
    for formula in connection.formulas {
      if case .block(let block) = formula.source { heap.mark(block) }
    }
  }

  /// Lets go of cells whose objects are dead: nothing can change there any more.
  private func purgeDeadCells(_ heap: Heap) {
    for index in cells.indices where !cells[index].isFree {
      let place = cells[index].place
      guard place.kind != .stored, !heap.isMarked(ObjectRef(place.object)) else { continue }
      let id = CellID(Int32(index))
      for reader in cells[index].readers {
        reader.dynamicInputs.removeAll { $0 == id }
        reader.lastReads = []
      }
      cells[index].readers = []
      for connection in pathWatchers[id] ?? [] { connection.steps.removeAll { $0 == id } }
      pathWatchers[id] = nil
      for property in cells[index].properties { cells[property.index].slots.removeAll { $0 == id } }
      cells[index].properties = []
      release([id])
    }
  }
}
