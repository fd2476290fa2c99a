internal import TenonTables

// Running a formula of a turn, and storing what it has computed.

extension ConnectionGraph {
  /// Runs a formula for a solver.
  ///
  /// - Returns: Whether its cell has another value now.
  @inline(__always)
  func run(_ id: FormulaID, because cause: CellID?) -> Bool {
    let number = id.rawValue
    guard number >= 0, Int(number) < hotFormulas.count else { return false }
    if words[0].isHalted || words[0].hasFailures || hotFormulas[number].isHeld {
      return runSpecially(number, because: cause)
    }
    return compute(number, because: cause)
  }

  @inline(never)
  private func runSpecially(_ number: Int32, because cause: CellID?) -> Bool {
    if isHalted { return false }
    if hotFormulas[number].isHeld {
      if hot[hotFormulas[number].output].flags & CellFlag.lazy != 0 {
        return noteStale(number, because: cause)
      }
      if let cause, let formula = self[FormulaID(number)] {
        hold(formula, because: cause)
        return false
      }
    }
    return hasFailures ? runAmongFailures(number, because: cause) : compute(number, because: cause)
  }

  /// Runs a formula and stores its value.
  ///
  /// - Returns: Whether its cell has another value now, or the first failure has come up.
  @inline(__always)
  func compute(_ number: Int32, because cause: CellID?) -> Bool {
    let value: Value
    switch hotFormulas[number].kind {
    case .none: return false
    // A solver that knows equations computes the values itself.
    case .equation: return false
    case .block:
      hotFormulas[number].runs &+= 1
      guard let result = evaluateBlockFormula(number) else { return noteNews(of: number) }
      value = result
    case .fold:
      hotFormulas[number].runs &+= 1
      if let result = foldedValue(number) {
        value = result
      } else {
        // The blocks for its elements may have ended it.
        guard !isUnwinding, hotFormulas[number].kind != .none,
          let result = evaluateBlockFormula(number)
        else { return noteNews(of: number) }
        value = result
      }
    case .recorded:
      hotFormulas[number].runs &+= 1
      guard let result = machine.evaluateRecorded(number) else { return noteNews(of: number) }
      value = result
    case .copy:
      hotFormulas[number].runs &+= 1
      let input = Int32(truncatingIfNeeded: hotFormulas[number].word)
      if hot[input].flags & CellFlag.plain != 0 {
        let read = ObjectRef(hot[input].object)[slot: hot[input].index]
        value = read.isUndefined ? .nil : read
      } else {
        guard let result = evaluate(number) else { return noteNews(of: number) }
        value = result
      }
    case .native:
      hotFormulas[number].runs &+= 1
      guard let native = NativeFormulaRef(word: hotFormulas[number].word) else { return false }
      let outer = runningNumber
      runningNumber = number
      value = native.compute()
      runningNumber = outer
      if value.isUnwind {
        noteNativeFailure(number)
        return noteNews(of: number)
      }
    }
    // It may have ended itself.
    guard hotFormulas[number].kind != .none else { return false }
    return store(value, by: number, because: cause?.rawValue ?? -1)
  }

  private func noteNativeFailure(_ number: Int32) {
    guard let failure = nativeFailure, let formula = formulas[Int(number)] else { return }
    nativeFailure = nil
    machine.note(failure, of: formula)
  }

  private func evaluate(_ number: Int32) -> Value? {
    formulas[Int(number)].flatMap { machine.evaluate($0) }
  }

  /// Stores the value of a formula.
  @inline(__always)
  private func store(_ value: Value, by number: Int32, because cause: Int32) -> Bool {
    store(value, in: hotFormulas[number].output, by: number, because: cause)
  }

  /// Stores a value that a formula gives a cell.
  ///
  /// - Returns: Whether the cell has another value now.
  @inline(__always)
  func store(_ value: Value, in output: Int32, by number: Int32, because cause: Int32) -> Bool {
    let flags = hot[output].flags
    let old: Value
    if flags & CellFlag.plain != 0 {
      let place = hot[output].object
      let object = ObjectRef(place)
      let index = hot[output].index
      old = object[slot: index]
      if old == value || value.isObject && machine.isUnchanged(old, value)
        || hotFormulas[number].isTolerant && isWithinTolerance(old, value, of: number)
      {
        noteSatisfied(number)
        countIdleRun(of: number)
        return false
      }
      undo.noteSlot(place, index, old)
      object[slot: index] = value
    } else {
      guard let before = storeSlowly(value, in: CellID(output), by: number) else {
        return noteNews(of: number)
      }
      old = before
    }
    noteSatisfied(number)
    causes.note(
      output, turn: turn, connection: hotFormulas[number].connection, because: cause, old: old,
      new: value)
    if flags & CellFlag.planned != 0 { settleAccounts() }
    hotFormulas[number].cause = cause
    hot[output].writer = number
    if Int(countChange(of: output)) > ConnectionGraph.changeLimit { restless = CellID(output) }
    // What a region computes for itself concerns others only when they read it.
    if flags & CellFlag.hooked != 0
      || hasRegions && (flags & CellFlag.read != 0 || settling == nil)
    {
      if refreshing.depth == 0 {
        isRunningFormula = true
        spread(CellID(output))
        isRunningFormula = false
      } else if !foldsByCell.isEmpty {
        // What reads a lazy cell that is only read is brought up to date when it is read itself.
        noteFolds(readingFrom: CellID(output))
      }
    }
    return true
  }

  @inline(__always)
  private func noteSatisfied(_ number: Int32) {
    switch hotFormulas[number].status {
    case .satisfied: break
    case .waiting, .failed, .heldBack: beginSatisfied(number)
    }
  }

  @inline(never)
  private func beginSatisfied(_ number: Int32) {
    let old = hotFormulas[number].status
    if let formula = formulas[Int(number)] { noteStatus(of: formula) }
    hotFormulas[number].status = .satisfied
    forgetPlans()
    if old != .waiting { failures[FormulaID(number)] = nil }
  }

  /// Stores the value of a formula in a place whose reading and writing may run code.
  ///
  /// - Returns: What it held before; nil when it holds the same as before.
  @inline(never)
  private func storeSlowly(_ value: Value, in output: CellID, by number: Int32) -> Value? {
    guard let formula = formulas[Int(number)] else { return nil }
    let root = machine.roots.count
    machine.roots.append(value)
    defer { machine.roots.removeLast(machine.roots.count - root) }
    guard let old = machine.currentValue(of: output) else { return nil }
    if machine.isUnchanged(old, value) || isWithinTolerance(old, value, of: number) {
      noteSatisfied(number)
      countIdleRun(of: number)
      return nil
    }
    let place = place(of: output)
    noteOld(old, at: place)
    let outer = writing
    writing = output
    let failure = machine.write(value, to: output)
    writing = outer
    guard formulas[Int(number)] === formula else {
      // What the setter does has ended it.
      countChange(of: place)
      return nil
    }
    if let failure {
      if isSolverSetting { solverFailure = failure } else { machine.note(failure, of: formula) }
      return nil
    }
    return old
  }
}
