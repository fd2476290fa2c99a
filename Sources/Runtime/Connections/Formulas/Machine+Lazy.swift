internal import TenonAnalysis
internal import TenonSolverKit
internal import TenonTables

// Reading lazy variables.

extension MachineLimits {
  /// The number of lazy formulas that may run within each other, each reading the result of the next one,
  /// before they are put off until that is computed.
  static let nestedRefreshes = 16
}

/// The state of refreshing lazy cells for a reader.
struct Refreshing {
  /// The number of lazy formulas that run within each other.
  var depth = 0
  /// The token to which formulas that have to wait are unwound.
  var token = 0
  /// The cell for which they wait.
  var awaited: CellID?
  /// Whether formulas run within each other as deep as there is room: their reads lead back to
  /// them.
  var isCircular = false
}

extension ClassInfo {
  /// Returns whether an instance variable was declared lazy.
  func isLazy(slot: Int) -> Bool {
    instanceVariables.indices.contains(slot)
      && instanceVariables[slot].type == ReservedName.lazyType
  }
}

extension Machine {
  /// Records that a variable has been declared with a type, or without.
  func recordDeclaration(type: String?) {
    if type == ReservedName.lazyType { session.hasLazyVariables = true }
  }

  /// Returns whether the variable in a place was declared lazy.
  func isLazy(_ place: Place) -> Bool {
    session.hasLazyVariables && place.kind == .slot
      && declaredType(of: ObjectRef(place.object), slot: place.index)?.type == ReservedName.lazyType
  }

  /// Returns why a variable of the script cannot become lazy; nil if it can.
  ///
  /// Code may have been compiled that reads it as any other: it has to be a new one.
  func objectionToLaziness(of name: String) -> Failure? {
    guard let cell = session.cells[name], !cell[slot: 0].isUndefined, !isLazy(.slot(cell, 0)) else {
      return nil
    }
    var kind = isConstant(name) ? "a constant" : isGroup(name) ? "a group" : "a variable"
    if let type = session.cellTypes[cell.bits]?.type { kind += " of type \(type)" }
    return .cannotBecomeLazy(name, kind, describe(cell[slot: 0]))
  }

  /// Refreshes a slot that is about to be read.
  ///
  /// - Returns: `unwind` when that was interrupted, else nil.
  @inline(__always)
  func refresh(_ object: ObjectRef, slot: Int) -> Value {
    guard graph.words[0].staleCount > 0, object.flags & ObjectFlag.watched != 0,
      let cell = graph.cell(of: object, slot: slot)
    else { return .nil }
    return refresh(cell)
  }

  /// Refreshes all slots of an object.
  ///
  /// - Returns: `unwind` when that was interrupted, else nil.
  func refreshSlots(of object: ObjectRef) -> Value {
    guard graph.words[0].staleCount > 0, object.flags & ObjectFlag.watched != 0 else { return .nil }
    for cell in graph.watched[object.bits] ?? [] where refresh(cell).isUnwind { return .unwind }
    return .nil
  }

  /// Refreshes the places of a connection that is about to end: they keep their values.
  func refreshTargets(of connection: Connection) throws(Failure) {
    guard graph.words[0].staleCount > 0 else { return }
    for formula in connection.formulas where refresh(formula.output).isUnwind {
      throw .interrupted()
    }
  }

  /// Refreshes a cell that is about to be read.
  ///
  /// Known inputs of formulas are refreshed before they run. An input that is read for the first time is
  /// refreshed while its formula runs, up to a depth: then all running formulas are unwound, the last one's
  /// input comes first, and they begin again.
  ///
  /// - Returns: `unwind` when that was interrupted, else nil.
  @inline(never)
  func refresh(_ cell: CellID) -> Value {
    guard graph.hot[cell.rawValue].flags & CellFlag.stale != 0 else { return .nil }
    if graph.laziness.refreshing.depth > 0 {
      guard
        graph.laziness.refreshing.depth < MachineLimits.nestedRefreshes
          || graph.laziness.refreshing.isCircular
      else {
        graph.laziness.refreshing.awaited = cell
        graph.words[0].isPuttingOff = true
        return state.unwind(to: Value(small: graph.laziness.refreshing.token), with: .nil)
      }
      return refreshWithin(cell)
    }
    graph.laziness.refreshing.token = makeToken()
    let isNested = graph.isSettling || graph.runningNumber >= 0
    if !isNested {
      graph.turn += 1
      if !graph.words[0].isCounting {
        graph.words[0].firstTurn = UInt32(truncatingIfNeeded: graph.turn)
      }
      graph.isSettling = true
    }
    var waiting = [cell]
    var known: Set<CellID> = [cell]
    while let next = waiting.last {
      let outcome = refreshWithin(next)
      guard outcome.isUnwind else {
        known.remove(waiting.removeLast())
        continue
      }
      guard let awaited = graph.laziness.refreshing.awaited,
        state.unwindTarget == Value(small: graph.laziness.refreshing.token)
      else { break }
      _ = state.takeUnwindValue()
      graph.isUnwinding = false
      graph.words[0].isPuttingOff = false
      graph.laziness.refreshing.awaited = nil
      // A formula that waits for its own result is found when none is put off.
      if !known.insert(awaited).inserted { graph.laziness.refreshing.isCircular = true }
      waiting.append(awaited)
    }
    graph.laziness.refreshing.isCircular = false
    if !isNested {
      if graph.words[0].handler >= 0 { endFormulas() }
      graph.isSettling = false
      if graph.words[0][.ended] { graph.releaseEnded() }
      if graph.atomicDepth == 0 {
        graph.log.removeValues()
        if graph.words[0][.loggedChanges] { graph.log.structure.removeChanges() }
      }
      if graph.words[0][.trace] { flushTrace() }
    }
    if waiting.isEmpty { return .nil }
    if !isNested { graph.isUnwinding = false }
    return .unwind
  }

  private func refreshWithin(_ cell: CellID) -> Value {
    let wasRunBySolver = graph.isRunBySolver
    // The formula that reads goes on recording its reads.
    if graph.runningNumber >= 0 { graph.isRunBySolver = true }
    graph.laziness.refreshing.depth += 1
    graph.bringUpToDate(cell)
    graph.laziness.refreshing.depth -= 1
    graph.isRunBySolver = wasRunBySolver
    return graph.isUnwinding ? .unwind : .nil
  }
}
