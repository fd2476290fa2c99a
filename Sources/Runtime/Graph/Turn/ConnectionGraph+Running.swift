internal import TenonSolverKit
internal import TenonTables

// Running a formula of a turn, and storing its value.

extension ConnectionGraph {
  /// Runs a formula for a solver.
  ///
  /// - Parameters:
  ///   - number: The number of the formula.
  ///   - cause: The number of the changed cell because of which it runs, or -1.
  /// - Returns: Whether its cell has another value now.
  @inline(never)
  func run(_ number: Int32, because cause: Int32) -> Bool {
    guard number >= 0, Int(number) < hotFormulas.count else { return false }
    let formula = unsafe hotFormulas.address(of: number)
    let words = unsafe words.address(of: 0)
    if unsafe words.pointee[.halted] || words.pointee.hasFailures || formula.pointee.isDeferred {
      return runSpecially(number, because: cause)
    }
    return unsafe formula.pointee.kind == .native
      ? computeNatively(number, because: cause) : computeOtherwise(number, because: cause)
  }

  @inline(never)
  private func runSpecially(_ number: Int32, because cause: Int32) -> Bool {
    if isHalted { return false }
    let cell = cause < 0 ? nil : CellID(cause)
    if hotFormulas[number].isDeferred {
      if hot[hotFormulas[number].output].flags & CellFlag.lazy != 0 {
        return markStale(number, because: cell)
      }
      if let cell, let formula = self[FormulaID(number)] {
        hold(formula, because: cell)
        return false
      }
    }
    return hasFailures ? runAmongFailures(number, because: cell) : compute(number, because: cell)
  }

  /// Runs a formula and stores its value.
  ///
  /// - Returns: Whether its cell has another value now, or the first failure has occurred.
  func compute(_ number: Int32, because cause: CellID?) -> Bool {
    let cause = cause?.rawValue ?? -1
    return hotFormulas[number].kind == .native
      ? computeNatively(number, because: cause) : computeOtherwise(number, because: cause)
  }

  /// Runs a formula in Swift code: apart from the others, so that it has little to set up.
  @inline(__always)
  private func computeNatively(_ number: Int32, because cause: Int32) -> Bool {
    let formula = unsafe hotFormulas.address(of: number)
    unsafe formula.pointee.runs &+= 1
    guard let native = unsafe SwiftFormula(word: formula.pointee.word) else { return false }
    let words = unsafe words.address(of: 0)
    let outer = unsafe words.pointee.runningNumber
    unsafe words.pointee.runningNumber = number
    // Code of any kind: the table of formulas may have moved behind it.
    let value = native.compute(in: self)
    unsafe words.pointee.runningNumber = outer
    if value.isUnwind { return recordNativeFailure(number) }
    // The formula may have ended itself.
    guard hotFormulas[number].kind != .none else { return false }
    return store(value, by: number, because: cause)
  }

  @inline(never)
  private func computeOtherwise(_ number: Int32, because cause: Int32) -> Bool {
    let value: Value
    switch hotFormulas[number].kind {
    case .none, .native: return false
    // A solver that knows equations computes the values itself.
    case .equation: return false
    case .block:
      hotFormulas[number].runs &+= 1
      guard let result = evaluateBlockFormula(number) else { return markNews(of: number) }
      value = result
    case .fold:
      hotFormulas[number].runs &+= 1
      if let result = foldedValue(number) {
        if hasFailures, let formula = self[FormulaID(number)],
          isHeldBack(formula, by: formula.heard)
        {
          return markNews(of: number)
        }
        value = result
      } else {
        // The blocks for its elements may have ended the formula.
        guard !isUnwinding, hotFormulas[number].kind != .none,
          let result = evaluateBlockFormula(number)
        else { return markNews(of: number) }
        value = result
      }
    case .recorded:
      hotFormulas[number].runs &+= 1
      guard let result = machine.evaluateRecorded(number) else { return markNews(of: number) }
      value = result
    case .copy:
      hotFormulas[number].runs &+= 1
      let input = Int32(truncatingIfNeeded: hotFormulas[number].word)
      let isPlain = hot[input].flags & CellFlag.plain != 0
      let read = isPlain ? ObjectRef(hot[input].object)[slot: hot[input].slot] : .undefined
      if isPlain, !read.isObject || hot[hotFormulas[number].output].kind != .stored {
        value = read.isUndefined ? .nil : read
      } else {
        guard let formula = self[FormulaID(number)], let result = machine.evaluate(formula) else {
          return markNews(of: number)
        }
        value = result
      }
    }
    // The formula may have ended itself.
    guard hotFormulas[number].kind != .none else { return false }
    return store(value, by: number, because: cause)
  }

  @inline(never)
  private func recordNativeFailure(_ number: Int32) -> Bool {
    if let failure = failing.nativeFailure, let formula = self[FormulaID(number)] {
      failing.nativeFailure = nil
      machine.record(failure, of: formula)
    }
    return markNews(of: number)
  }

  /// Stores the value of a formula.
  @inline(__always)
  private func store(_ value: Value, by number: Int32, because cause: Int32) -> Bool {
    store(value, in: hotFormulas[number].output, by: number, because: cause)
  }

  /// Stores a value that a formula gives a cell.
  ///
  /// Values that are no objects go to a plain slot without a call, so that no register has to be saved.
  ///
  /// - Returns: Whether the cell has another value now.
  @inline(__always)
  func store(_ value: Value, in output: Int32, by number: Int32, because cause: Int32) -> Bool {
    // No cell or formula is made meanwhile: the records stay.
    let cell = unsafe hot.address(of: output)
    let formula = unsafe hotFormulas.address(of: number)
    let words = unsafe words.address(of: 0)
    let flags = unsafe cell.pointee.flags
    guard
      unsafe flags & (CellFlag.plain | CellFlag.planned) == CellFlag.plain && !value.isObject
        && formula.pointee.status == .satisfied && !formula.pointee.isTolerant
    else { return storeCarefully(value, in: output, by: number, because: cause) }
    let place = unsafe cell.pointee.object
    let object = ObjectRef(place)
    let index = unsafe cell.pointee.slot
    let old = object[slot: index]
    if old == value {
      countIdleRun(of: number)
      return false
    }
    let turn = unsafe words.pointee.firstTurn
    guard
      unsafe object.flags & ObjectFlag.scanned == 0 && log.hasRoom
        && causes.isReady(for: words.pointee.turn) && cell.pointee.turn != turn
    else { return storeCarefully(value, in: output, by: number, because: cause) }
    log.logSlotWithinCapacity(place, index, old)
    object.initialize(slot: index, to: value)
    unsafe formula.pointee.cause = cause
    unsafe cell.pointee.writer = number
    unsafe cell.pointee.turn = turn
    unsafe cell.pointee.changes = 1
    unsafe causes.recordReady(
      output, connection: formula.pointee.connection, because: cause, old: old, new: value)
    return concernsNobodyElse(flags) || spreadResult(in: output)
  }

  /// Stores a value that a formula gives a cell, of any kind of value, formula and place.
  @inline(never)
  private func storeCarefully(
    _ value: Value, in output: Int32, by number: Int32, because cause: Int32
  ) -> Bool {
    // No cell or formula is made while a value goes to a plain slot: the records stay.
    let cell = unsafe hot.address(of: output)
    let formula = unsafe hotFormulas.address(of: number)
    let flags = unsafe cell.pointee.flags
    guard flags & CellFlag.plain != 0 else {
      return storeSlowly(value, in: output, by: number, because: cause)
    }
    let place = unsafe cell.pointee.object
    let object = ObjectRef(place)
    let index = unsafe cell.pointee.slot
    let old = object[slot: index]
    if unsafe old == value || value.isObject && machine.isUnchanged(old, value)
      || formula.pointee.isTolerant && isWithinTolerance(old, value, of: number)
    {
      markSatisfied(number)
      countIdleRun(of: number)
      return false
    }
    log.logSlot(place, index, old)
    object[slot: index] = value
    if value.isObject { noteCollection(value, by: number) }
    markSatisfied(number)
    if flags & CellFlag.planned != 0 { flushRunCounts() }
    unsafe formula.pointee.cause = cause
    unsafe cell.pointee.writer = number
    let turn = words[0].firstTurn
    if unsafe cell.pointee.turn == turn {
      unsafe cell.pointee.changes &+= 1
      if unsafe cell.pointee.changes > ConnectionGraph.changeLimit {
        halt.restless = CellID(output)
      }
    } else {
      unsafe cell.pointee.turn = turn
      unsafe cell.pointee.changes = 1
    }
    unsafe causes.record(
      output, turn: words[0].turn, connection: formula.pointee.connection, because: cause, old: old,
      new: value)
    return concernsNobodyElse(flags) || spreadResult(in: output)
  }

  /// Stores a value in a place whose reading and writing may run code, and records the change.
  @inline(never)
  private func storeSlowly(
    _ value: Value, in output: Int32, by number: Int32, because cause: Int32
  ) -> Bool {
    guard let old = storeSlowly(value, in: CellID(output), by: number, because: cause) else {
      return markNews(of: number)
    }
    if value.isObject { noteCollection(value, by: number) }
    markSatisfied(number)
    causes.record(
      output, turn: turn, connection: hotFormulas[number].connection, because: cause, old: old,
      new: value)
    if hot[output].flags & CellFlag.planned != 0 { flushRunCounts() }
    hotFormulas[number].cause = cause
    hot[output].writer = number
    if countChange(of: output) > ConnectionGraph.changeLimit { halt.restless = CellID(output) }
    return spreadResult(in: output)
  }

  /// Returns whether a result with such flags concerns neither observers nor foreign readers: one of a region
  /// concerns others only when they read it.
  @inline(__always)
  private func concernsNobodyElse(_ flags: UInt16) -> Bool {
    flags & (CellFlag.hasObservers | CellFlag.hasForeignReaders) == 0
      || flags & (CellFlag.hasObservers | CellFlag.read) == 0 && isSolvingRegion
  }

  /// Tells the observers and foreign readers of a result.
  ///
  /// - Returns: true.
  @inline(never)
  private func spreadResult(in output: Int32) -> Bool {
    if concernsNobodyElse(hot[output].flags) { return true }
    if laziness.refreshing.depth == 0 {
      isRunningFormula = true
      notifyReaders(CellID(output))
      isRunningFormula = false
    } else if !activeFolds.foldsByCell.isEmpty {
      // Readers of a refreshed lazy cell are refreshed when they are read themselves.
      updateFolds(readingFrom: CellID(output))
    }
    return true
  }

  @inline(__always)
  func markSatisfied(_ number: Int32) {
    switch hotFormulas[number].status {
    case .satisfied: break
    case .waiting, .failed, .heldBack: beginSatisfied(number)
    }
  }

  @inline(never)
  private func beginSatisfied(_ number: Int32) {
    let old = hotFormulas[number].status
    if let formula = self[FormulaID(number)] { logStatus(of: formula) }
    hotFormulas[number].status = .satisfied
    forgetPlans()
    if old != .waiting { failing.failures[FormulaID(number)] = nil }
  }

  /// Stores the value of a formula in a place whose reading and writing may run code.
  ///
  /// - Returns: The old value; nil when the place has the same value as before.
  @inline(never)
  private func storeSlowly(
    _ value: Value, in output: CellID, by number: Int32, because cause: Int32
  ) -> Value? {
    guard let formula = self[FormulaID(number)] else { return nil }
    let root = machine.roots.count
    machine.roots.append(value)
    defer { machine.dropRoots(to: root) }
    guard let old = machine.currentValue(of: output) else { return nil }
    let place = place(of: output)
    // A store that keeps a copy may answer the object that it has copied, which has changed since.
    if machine.isCopied(value, to: place)
      ? machine.isCopy(old, of: value, in: place.object)
      : machine.isUnchanged(old, value) || isWithinTolerance(old, value, of: number)
        || isKept(value, as: old, in: output, by: number)
    {
      markSatisfied(number)
      countIdleRun(of: number)
      return nil
    }
    logOldSlowly(old, of: output)
    let outer = (writing: writeState.writing, effect: writeState.effect)
    writeState.writing = output
    if place.kind == .property {
      writeState.effect = Effect(connection: hotFormulas[number].connection, cause: cause)
    }
    let failure = machine.write(value, to: output)
    (writeState.writing, writeState.effect) = outer
    guard self[FormulaID(number)] == formula else {
      // The setter has ended the formula.
      countChange(of: place)
      return nil
    }
    if var failure {
      // A setter may have written cells that the formula reads before it failed.
      countChange(of: place)
      // A message to nil in the setter says nothing of the inputs of the formula.
      failure.isOfNil = nil
      if failing.isSolverSetting {
        failing.solverFailure = failure
      } else {
        machine.record(failure, of: formula)
      }
      return nil
    }
    return old
  }
}
