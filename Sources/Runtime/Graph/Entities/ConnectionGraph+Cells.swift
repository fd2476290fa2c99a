internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

// The making of cells for places, their records, and their release.

extension ConnectionGraph {
  /// Returns the cell of a place, made when it is first asked for.
  func cell(for place: Place, name: @autoclosure () -> String) -> CellID {
    if let id = cellsByPlace[place] { return id }
    let id: CellID
    let name = name()
    if let free = cells.freeCells.popLast() {
      id = free
      cells.reuse(id.rawValue, name: name)
      hot[id.rawValue] = HotCell(place)
      causes.forget(id)
    } else {
      id = CellID(Int32(cells.count))
      cells.append(name: name)
      hot.append(HotCell(place))
    }
    watch(place, id)
    if words[0][.released], let count = ended.changesOfReleased[place] {
      hot[id.rawValue].turn = words[0].firstTurn
      hot[id.rawValue].changes = count
    }
    updateType(of: id)
    machine.heap.countOutside(GraphSize.cell)
    return id
  }

  /// Returns the number of the cell of a place, or -1.
  @inline(__always)
  func number(of place: Place) -> Int32 { objectMap.find(place, in: hot) }

  /// The cells by their places.
  var cellsByPlace: CellsByPlace { CellsByPlace(graph: self) }

  /// The cells by their places.
  ///
  /// For the reference to the graph see `CellView`.
  struct CellsByPlace {
    @Uncounted var graph: ConnectionGraph

    subscript(place: Place) -> CellID? {
      let id = graph.number(of: place)
      return id < 0 ? nil : CellID(id)
    }
  }

  /// Returns the place of a cell.
  func place(of id: CellID) -> Place {
    hot[id.rawValue].place
  }

  /// Updates whether a slot may be written without looking at its declared type.
  private func updateType(of id: CellID) {
    let place = place(of: id)
    let isPlain =
      place.kind == .slot
      && (machine.declaredType(of: ObjectRef(place.object), slot: place.index) == nil
        || machine.isLazy(place))
    setFlag(CellFlag.plain, of: id, to: isPlain)
  }

  /// Updates the type of a variable that has been declared, with a type or without.
  func updateType(of place: Place) {
    if let id = cellsByPlace[place] { updateType(of: id) }
  }

  /// Updates the types of all cells after a class was defined anew.
  func updateTypes() {
    for index in cells.indices where !cells[index].isFree { updateType(of: CellID(index)) }
  }

  func setFlag(_ flag: UInt16, of id: CellID, to isSet: Bool) {
    let old = hot[id.rawValue].flags
    let new = isSet ? old | flag : old & ~flag
    if old == new { return }
    hot[id.rawValue].flags = new
    forgetPlans()
  }

  /// Updates whether changes of a cell concern more than the formulas that read it.
  func updateHooks(of id: CellID) {
    let isHooked =
      !cells[id.index].properties.isEmpty || watchers.pathWatchers[id] != nil
      || watchers.observers.byCell[id] != nil
      || activeFolds.foldsByCell[id] != nil || laziness.lazyReaders[id] != nil
      || !storedCells.contents.holders(of: id).isEmpty
    setFlag(CellFlag.hasObservers, of: id, to: isHooked)
    touch(id)
  }

  private func watch(_ place: Place, _ id: CellID) {
    switch place.kind {
    case .slot, .element, .whole:
      objectMap.insert(id.rawValue, in: hot)
      ObjectRef(place.object).flags |= ObjectFlag.watched
    case .property:
      objectMap.insert(id.rawValue, in: hot)
    case .stored:
      objectMap.insertStored(id.rawValue, in: hot)
      storedCells.storedCellCount += 1
    }
  }

  /// Whether any place of a store takes part in connections.
  var hasStoredCells: Bool { storedCells.storedCellCount > 0 }

  /// Returns the cell of a place that a statement names: messages use the name of the first statement.
  func cell(for place: Place, named name: String) -> CellID {
    let id = cell(for: place, name: name)
    // The name that a class gives a place of its own says less than the name from outside.
    if !cells[id.index].isNamed || cells[id.index].name.isOfInstance && !name.isOfInstance {
      cells[id.index].name = name
      cells[id.index].isNamed = true
    }
    return id
  }

  /// Returns the cell of a slot, if the slot is watched.
  func cell(of object: ObjectRef, slot: Int) -> CellID? {
    let number = objectMap.find(slot: slot, of: object, in: hot)
    return number < 0 ? nil : CellID(number)
  }

  subscript(id: CellID) -> CellView { CellView(graph: self, id: id) }

  /// Returns the reason of a cell's value.
  func cause(of id: CellID) -> Cause {
    flushRunCounts()
    let writer = hot[id.rawValue].writer
    guard writer >= 0 else { return Cause(site: writes.site(of: id)) }
    let cause = hotFormulas[writer].cause
    return Cause(formula: FormulaID(writer), cell: cause < 0 ? nil : CellID(cause))
  }

  /// The formula of a number; nil for an ended one, or one that a solver has made up.
  subscript(id: FormulaID) -> Formula? {
    guard id.index >= 0, id.index < formulas.count, formulas[id.rawValue].isUsed else { return nil }
    return Formula(id.rawValue, in: self)
  }

  /// Remembers the value of a place that is costly to read.
  func cacheValue(_ value: Value, of cell: CellID) {
    cells[cell.index].cachedValue = value
  }

  /// Sets the slots on which the getter of a property depends.
  func setSlots(_ places: [Place], of property: CellID) {
    let (new, old) = (places.map { cell(for: $0, name: self[property].name) }, self[property].slots)
    guard new != old else { return }
    logSlots(of: property, old)
    cells[property.index].slots = new
    for slot in new.without(old) {
      cells[slot.index].properties.append(property)
      updateHooks(of: slot)
    }
    let left = old.without(new)
    for slot in left {
      cells[slot.index].properties.removeAll { $0 == property }
      updateHooks(of: slot)
    }
    release(left)
  }

  /// Keeps unused cells until a body has ended: a connection that is just being made knows its places by
  /// the numbers of their cells, and one that is made anew goes on counting their changes.
  func keepingCells<Result, Problem: Error>(
    _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    connecting.keepingDepth += 1
    defer {
      connecting.keepingDepth -= 1
      if connecting.keepingDepth == 0, !connecting.releasedLater.isEmpty {
        let ids = connecting.releasedLater
        connecting.releasedLater = []
        release(ids)
      }
    }
    return try body()
  }

  /// Frees cells that are no longer used.
  func release(_ ids: [CellID]) {
    if connecting.keepingDepth > 0 {
      connecting.releasedLater += ids
    } else {
      free(ids)
    }
  }

  /// Frees cells that are no longer used, at once.
  func free(_ ids: [CellID]) {
    // In the order in which they come, as numbers are given out again: each run has the same.
    for id in ids {
      let cell = self[id]
      guard !cell.isFree, !cell.hasReaders, !cell.hasOwner, cell.region == nil,
        cell.properties.isEmpty, watchers.pathWatchers[id] == nil, !isJoined(id),
        watchers.observers.byCell[id] == nil, storedCells.contents.holders(of: id).isEmpty
      else { continue }
      if words[0].isCounting, hot[id.rawValue].turn == words[0].firstTurn {
        ended.changesOfReleased[cell.place] = hot[id.rawValue].changes
      }
      if cell.place.kind == .stored {
        objectMap.removeStored(id.rawValue, in: hot)
        storedCells.storedCellCount -= 1
        touch(id)
      } else {
        unwatch(cell.place, id)
      }
      for slot in cell.slots {
        cells[slot.index].properties.removeAll { $0 == id }
        updateHooks(of: slot)
      }
      let slots = cell.slots
      cells.free(id.rawValue)
      writes.forget(id)
      writeState.valuesBefore[id] = nil
      cells.freeCells.append(id)
      machine.heap.countOutside(-GraphSize.cell)
      release(slots)
      forgetContents(id)
    }
  }

  private func unwatch(_ place: Place, _ id: CellID) {
    guard objectMap.remove(id.rawValue, in: hot) else { return }
    ObjectRef(place.object).flags &= ~ObjectFlag.watched
  }

  /// Returns whether a formula joins the cell that is not in force yet, or will be again.
  private func isJoined(_ id: CellID) -> Bool {
    if replanning.awaitingInverse.isEmpty && replanning.yielded.isEmpty { return false }
    func concerns(_ constraint: Constraint) -> Bool {
      constraint.formulas.contains { $0.output == id || $0.inputs.contains(id) }
    }
    return replanning.awaitingInverse.contains(where: concerns)
      || replanning.yielded.contains(where: concerns)
  }
}

extension [CellID] {
  /// The cells that are not among others.
  fileprivate func without(_ others: [CellID]) -> [CellID] {
    guard count > 16, others.count > 16 else { return filter { !others.contains($0) } }
    let known = Set(others)
    return filter { !known.contains($0) }
  }
}
