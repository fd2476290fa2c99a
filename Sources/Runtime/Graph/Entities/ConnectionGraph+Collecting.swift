internal import TenonSolverKit
internal import TenonTables

// The collector's view of connections: a connection keeps its formulas alive, not its places.

extension ConnectionGraph {
  /// Marks the objects of connections whose places are alive, and ends the others.
  ///
  /// A connection lives as long as the objects it writes to, or for stores those it reads; the objects that
  /// its formulas refer to live as long as it does. So the marking goes on in rounds until no further
  /// connection is found alive. The objects of a connection are mostly older than it, in long chains
  /// as well: the youngest are looked at first, then the oldest, and so in turns.
  ///
  /// - Complexity: O(n log n + cells) for n connections, and O(n) for each further round; more than
  ///   two are rare.
  func mark(_ heap: Heap) {
    // The memory of dead objects is whole until the collection ends.
    disconnect(markLiving(heap))
    markStores(heap)
    purgeDeadCells(heap)
    if !naming.instanceNumbers.isEmpty {
      naming.instanceNumbers.removeAll { !heap.isMarked(ObjectRef($0)) }
    }
    for index in cells.indices where !cells[index].isFree {
      heap.mark(hot[index].key)
      if let known = cells[index].cachedValue { heap.mark(known) }
    }
    purgeLog(heap)
    log.structure.mark(heap)
    for value in writeState.valuesBefore.values { heap.mark(value) }
    causes.mark(heap)
    heap.drain()
    forEachRecorder { $0.purge(heap) }
  }

  /// Marks the objects of connections whose places are marked so far, not those that they refer to: a
  /// part of `mark`, done ahead while the program still runs.
  ///
  /// - Complexity: O(cells).
  func markReached(_ heap: Heap) {
    forEachRecorder { $0.mark(heap) }
    for connection in connections.values where isReached(connection, heap) {
      mark(connection, heap)
    }
  }

  /// Marks the objects of the connections whose places are alive.
  ///
  /// - Returns: the others.
  @discardableResult
  func markLiving(_ heap: Heap) -> [Connection] {
    forEachRecorder { $0.mark(heap) }
    heap.drain()
    var waiting = connections.values.sorted { $0.number > $1.number }
    while true {
      var undecided: [Connection] = []
      var isFound = false
      for connection in waiting {
        guard isReached(connection, heap) else {
          undecided.append(connection)
          continue
        }
        isFound = true
        mark(connection, heap)
        heap.drain()
      }
      machine.markAddedVariables()
      waiting = undecided.reversed()
      if !isFound || waiting.isEmpty { return waiting }
    }
  }

  private func isReached(_ connection: Connection, _ heap: Heap) -> Bool {
    if connection.storedOwners == nil, !connection.awaitsAim, let formula = connection.onlyFormula {
      // Most connections are like this: they end with the object that they write to.
      let place = self.place(of: formula.output)
      if place.kind != .stored { return isReached(place.object, heap) }
    }
    let keys = connection.awaitsAim ? connection.fixedOwners : connection.lifetimeOwners
    return keys.allSatisfy { heap.isMarked(ObjectRef($0)) }
  }

  private func isReached(_ object: Value, _ heap: Heap) -> Bool {
    let object = ObjectRef(object)
    return object.classIndex == ClassIndex.variableCell || heap.isMarked(object)
  }

  private func forEachRecorder(_ body: (DependencyRecorder) -> Void) {
    for var recorder in machine.innermostRecorders {
      while let each = recorder {
        body(each)
        recorder = each.outer
      }
    }
  }

  private func mark(_ connection: Connection, _ heap: Heap) {
    heap.mark(connection.kept)
    if let tolerance = connection.tolerance { heap.mark(tolerance.value) }
    if let observer = connection.observer { mark(observer, heap) }
    connection.storedPlan?.forEachValue { heap.mark($0) }
    connection.aimed?.forEachValue { heap.mark($0) }
    // Its formulas stay in force until its paths have been followed anew.
    if connection.awaitsAim { connection.lifetimeOwners.forEach { heap.mark($0) } }
    for formula in connection.formulas {
      if case .block(let block) = formula.source { heap.mark(block) }
      // A getter on the way of a path may have made the object for this alone.
      for input in formula.staticInputs where !self[input].isFree {
        heap.mark(self[input].place.object)
        heap.mark(self[input].place.key)
      }
      // Only the formula may know a store, and yet the places that it reads there change.
      for input in formula.dynamicInputs where self[input].place.kind == .stored {
        heap.mark(self[input].place.object)
      }
      let place = self[formula.output].place
      if place.kind == .stored { heap.mark(place.object) }
      heap.mark(place.key)
    }
  }

  /// Forgets old values of places that are gone, and marks the others.
  private func purgeLog(_ heap: Heap) {
    log.purgeValues { place, value in
      guard place.kind == .stored || heap.isMarked(ObjectRef(place.object)) else { return false }
      heap.mark(value)
      // Its cell may have ended since, with the reference that was made for it.
      heap.mark(place.key)
      if place.kind == .stored { heap.mark(place.object) }
      return true
    }
  }

  /// Marks the stores that are read for places which are computed from them.
  ///
  /// - Complexity: O(cells) for each store that is read only for another one.
  private func markStores(_ heap: Heap) {
    guard hasStoredCells else { return }
    var isFound = true
    while isFound {
      isFound = false
      for index in cells.indices
      where !cells[index].isFree && heap.isMarked(ObjectRef(hot[index].object)) {
        for slot in cells[index].slots {
          let place = self.place(of: slot)
          if place.kind == .stored, !heap.isMarked(ObjectRef(place.object)) {
            heap.mark(place.object)
            isFound = true
          }
        }
      }
      heap.drain()
    }
  }

  /// Frees cells whose objects are dead: nothing can change there any more, and other objects may be
  /// made at the same addresses.
  private func purgeDeadCells(_ heap: Heap) {
    var touched: [Constraint] = []
    for index in cells.indices where !cells[index].isFree {
      let place = self.place(of: CellID(index))
      guard !heap.isMarked(ObjectRef(place.object)) else { continue }
      let id = CellID(index)
      for reader in readers(of: CellID(index)) {
        reader.dynamicInputs.removeAll { $0 == id }
        reader.lastReads = []
        forgetCell(id, of: place.object, inFoldOf: reader)
        if let constraint = reader.constraint { touched.append(constraint) }
      }
      cells[index].removeReaders()
      for connection in watchers.pathWatchers[id] ?? ConnectionSet() {
        connection.steps.removeAll { $0 == id }
      }
      watchers.pathWatchers[id] = nil
      watchers.observers.byCell[id] = nil
      laziness.lazyReaders[id] = nil
      setFlag(CellFlag.hasObservers, of: id, to: false)
      for property in cells[index].properties { cells[property.index].slots.removeAll { $0 == id } }
      cells[index].properties = []
      for slot in cells[index].slots { cells[slot.index].properties.removeAll { $0 == id } }
      cells[index].slots = []
      forgetContents(id)
      free([id])
    }
    // The numbers of the cells go to others: solvers must not confuse them.
    for constraint in touched.withoutRepetitions where constraint.level >= 0 {
      guard let formula = constraint.firstFormula else { continue }
      // With fewer inputs the order stands.
      try? levels[constraint.level].solver.add(levelDescription(of: constraint, formula))
    }
  }
}
