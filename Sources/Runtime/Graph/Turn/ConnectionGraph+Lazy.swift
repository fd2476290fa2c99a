internal import TenonSolverKit
internal import TenonTables

// Variables that are computed when they are read: `var <lazy> total.`
//
// While no live formula reads such a variable, its formula does not run: a change marks it and the
// variables that depend on it as stale, and those as due whose formulas read the very cell that has
// changed. Reading a variable brings it up to date, and before it those it depends on. Live is every
// reader that is not lazy itself: another variable's formula, a watcher, a property, a path, a store, an
// invariant, a policy, a region of several directions.

/// The readers and observers of a lazy variable.
struct LazyCell {
  /// The formula that computes it.
  let formula: FormulaID
  /// The number of live formulas that read it, each counted once for each place in its list of reads.
  var readers = 0
  /// Whether an observer, a property, a path or a region hears of it.
  var isWatched = false

  var isLive: Bool { readers > 0 || isWatched }
}

/// The lazy variables.
final class Laziness {
  /// The lazy cells that a one-way formula computes.
  var lazies: [CellID: LazyCell] = [:]
  /// The number of formulas of lazy cells that read a cell.
  var lazyReaders: [CellID: Int] = [:]
  /// The number of lazy formulas that were looked at for reads.
  var lazyWork = 0
  /// The state of refreshing lazy cells for a reader.
  var refreshing = Refreshing()
}

extension ConnectionGraph {
  // MARK: Live formulas

  /// Begins the laziness of a one-way formula whose variable is lazy, before its inputs are linked.
  func beginLaziness(of formula: Formula) {
    let output = formula.output
    guard machine.session.hasLazyVariables, formula.connection.observer == nil,
      hot[output.rawValue].flags & CellFlag.plain != 0, machine.isLazy(place(of: output))
    else { return }
    var entry = LazyCell(formula: formula.id)
    for reader in readers(of: output) where isLive(reader) { entry.readers += 1 }
    entry.isWatched = isWatched(output)
    laziness.lazies[output] = entry
    setFlag(CellFlag.lazy, of: output, to: true)
    formula.isDeferred = !entry.isLive
  }

  /// Ends the laziness of a formula that is about to end, or to be one of several directions, after its
  /// inputs and output have been unlinked.
  func endLaziness(of formula: Formula) {
    guard laziness.lazies[formula.output]?.formula == formula.id else { return }
    laziness.lazies[formula.output] = nil
    formula.isDeferred = false
    forgetStaleness(of: formula.output)
    setFlag(CellFlag.lazy, of: formula.output, to: false)
  }

  /// Makes a lazy formula that stays in force run like any other.
  func leaveLaziness(of formula: Formula) {
    guard lazyCell(of: formula) != nil else { return }
    changeLife(of: formula.output) { $0.isWatched = true }
    for input in formula.inputs { countLazyReaders(-1, of: input) }
    endLaziness(of: formula)
  }

  private func countLazyReaders(_ step: Int, of cell: CellID) {
    let count = (laziness.lazyReaders[cell] ?? 0) + step
    laziness.lazyReaders[cell] = count > 0 ? count : nil
    updateHooks(of: cell)
  }

  /// Returns whether a formula runs when a cell that it reads changes.
  private func isLive(_ formula: Formula) -> Bool { lazyCell(of: formula)?.isLive ?? true }

  private func lazyCell(of formula: Formula) -> LazyCell? {
    guard hot[formula.output.rawValue].flags & CellFlag.lazy != 0,
      let entry = laziness.lazies[formula.output], entry.formula == formula.id
    else { return nil }
    return entry
  }

  private func isWatched(_ cell: CellID) -> Bool {
    !cells[cell.index].properties.isEmpty || watchers.pathWatchers[cell] != nil
      || watchers.observers.byCell[cell] != nil || cells[cell.index].region != nil
  }

  /// Counts a formula that has come to read a cell, or reads it no more.
  func recordReader(_ formula: Formula, of cell: CellID, isNew: Bool) {
    if laziness.lazies.isEmpty { return }
    let step = isNew ? 1 : -1
    if let entry = lazyCell(of: formula) {
      countLazyReaders(step, of: cell)
      if !entry.isLive { return }
    }
    guard hot[cell.rawValue].flags & CellFlag.lazy != 0 else { return }
    changeLife(of: cell) { $0.readers += step }
  }

  /// Updates whether observers, properties, paths or a region hear of a cell.
  func updateWatching(of cell: CellID) {
    guard hot[cell.rawValue].flags & CellFlag.lazy != 0 else { return }
    let isWatched = isWatched(cell)
    changeLife(of: cell) { $0.isWatched = isWatched }
  }

  /// Changes the record of a lazy cell; the cells it depends on become live with it, or cease to be where
  /// they have no other live reader.
  ///
  /// - Complexity: O(lazy formulas that become or cease to be live, with their inputs).
  private func changeLife(of cell: CellID, _ change: (inout LazyCell) -> Void) {
    var stack: [(cell: CellID, step: Int?)] = [(cell, nil)]
    while let (cell, step) = stack.popLast() {
      guard var entry = laziness.lazies[cell] else { continue }
      let wasLive = entry.isLive
      if let step { entry.readers += step } else { change(&entry) }
      laziness.lazies[cell] = entry
      guard entry.isLive != wasLive, let formula = self[entry.formula] else { continue }
      formula.isDeferred = !entry.isLive
      for input in formula.inputs where hot[input.rawValue].flags & CellFlag.lazy != 0 {
        stack.append((input, entry.isLive ? 1 : -1))
      }
      if entry.isLive, hot[cell.rawValue].flags & CellFlag.stale != 0 {
        forgetStaleness(of: cell)
        scheduledFormulas.append(formula)
      }
    }
  }

  // MARK: Stale cells

  /// Marks a lazy cell in place of running its formula.
  ///
  /// - Returns: Whether the readers of the cell have to be told.
  @inline(never)
  func markStale(_ number: Int32, because cause: CellID?) -> Bool {
    let output = hotFormulas[number].output
    // Without a cause its value was requested; else the changed cell has marked it as due before.
    if cause == nil { hot[output].flags |= CellFlag.due }
    guard hot[output].flags & CellFlag.stale == 0 else { return false }
    hot[output].flags |= CellFlag.stale
    words[0].staleCount += 1
    if hasRegions || words[0].levelCount > 1 {
      let outer = isRunningFormula
      isRunningFormula = true
      enqueue(CellID(output))
      isRunningFormula = outer
    }
    return true
  }

  /// Marks the lazy cells whose formulas read one that has changed.
  func markDue(readersOf cell: CellID) {
    guard laziness.lazyReaders[cell] != nil else { return }
    for reader in readers(of: cell) {
      guard let entry = lazyCell(of: reader), !entry.isLive else { continue }
      hot[reader.output.rawValue].flags |= CellFlag.due
    }
  }

  /// Clears the marks of a lazy cell that has got a value.
  func forgetStaleness(of cell: CellID) {
    let isStale = hot[cell.rawValue].flags & CellFlag.stale != 0
    hot[cell.rawValue].flags &= ~(CellFlag.stale | CellFlag.due)
    if isStale { words[0].staleCount -= 1 }
  }

  private func markStale(_ cell: CellID) {
    if hot[cell.rawValue].flags & CellFlag.stale == 0 { words[0].staleCount += 1 }
    hot[cell.rawValue].flags |= CellFlag.stale | CellFlag.due
  }

  /// Refreshes lazy places whose formulas will be of several directions with others.
  func refreshPlaces(around added: [Formula]) {
    for formula in added {
      _ = machine.refresh(formula.output)
      let known = joinableConstraint(for: formula)
      for other in known?.formulas ?? [] {
        _ = machine.refresh(other.output)
      }
    }
  }

  /// Whether any place may have to be refreshed when it is read.
  var hasStaleCells: Bool { words[0].staleCount > 0 }

  /// Returns whether a formula waits for its place to be read.
  func isStale(_ formula: Formula) -> Bool {
    hot[formula.output.rawValue].flags & CellFlag.stale != 0
      && laziness.lazies[formula.output]?.formula == formula.id
  }

  /// Marks all lazy cells as stale: their values were rolled back.
  ///
  /// - Complexity: O(lazy cells).
  func distrustLazyCells() {
    for (cell, entry) in laziness.lazies where !entry.isLive { markStale(cell) }
  }

  // MARK: Refreshing

  /// Returns the stale lazy formulas above a cell that is to be read, each after those whose results it
  /// reads.
  private func staleFormulas(above cell: CellID) -> [Int32] {
    var order: [Int32] = []
    var visited: Set<FormulaID> = []
    var stack: [(formula: FormulaID, isDone: Bool)] = []
    func push(_ cell: CellID) {
      guard hot[cell.rawValue].flags & CellFlag.stale != 0, let entry = laziness.lazies[cell] else {
        return
      }
      stack.append((entry.formula, false))
    }
    push(cell)
    while let (formula, isDone) = stack.popLast() {
      laziness.lazyWork += 1
      if isDone {
        order.append(formula.rawValue)
        continue
      }
      guard visited.insert(formula).inserted, let inputs = self[formula]?.heard else { continue }
      stack.append((formula, true))
      for input in inputs.reversed() { push(input) }
    }
    return order
  }

  /// Runs the lazy formulas above a cell for which an input has changed.
  ///
  /// - Complexity: O(stale formulas above and their inputs).
  func bringUpToDate(_ cell: CellID) {
    for number in staleFormulas(above: cell) {
      guard !isHalted, let formula = self[FormulaID(number)] else { return }
      let output = formula.output
      let flags = hot[output.rawValue].flags
      // Another formula may have read it meanwhile.
      guard flags & CellFlag.stale != 0, laziness.lazies[output]?.formula == formula.id else {
        continue
      }
      forgetStaleness(of: output)
      guard flags & CellFlag.due != 0 else { continue }
      let cause = cause(ofRunning: formula)
      let isNews =
        hasFailures
        ? runAmongFailures(number, because: cause) : compute(number, because: cause)
      if isUnwinding {
        // A run that will begin again is not counted.
        if words[0].isPuttingOff { hotFormulas[number].runs &-= 1 }
        markStale(output)
        return
      }
      // A failure is news as well.
      if isNews { markDue(readersOf: output) }
    }
  }

  /// Returns the input because of which a lazy formula runs: the one that was written last.
  private func cause(ofRunning formula: Formula) -> CellID? {
    let inputs = formula.heard
    return inputs.first { hot[$0.rawValue].turn == UInt32(truncatingIfNeeded: turn) }
      ?? inputs.max { writes.age(of: $0) < writes.age(of: $1) }
  }
}
