internal import TenonSolverKit
internal import TenonTables

// Errors as states of places: a formula that depends on a failed one is not computed from the
// value that the place still holds, but held back until the failed formula succeeds again.
//
// A failure is passed on like a change: the solver runs the readers, which are found to be held
// back, and pass that on in turn. So all readers are told in the order of the turn and once.

/// The formulas that have failed, and why values are missing.
final class FailingFormulas: GraphPart {
  /// The messages of the formulas whose last runs failed.
  var failures: [FormulaID: String] = [:] {
    didSet { unsafe graph?.words[0].hasFailures = !failures.isEmpty }
  }
  /// The reasons of formulas that wait although no place that they read is missing.
  var reasonsToWait: [FormulaID: String] = [:]
  /// The formula that runs while others have failed, whose caller tells its outcome; else -1.
  var formulaAmongFailures: Int32 = -1
  /// The reason why the formula in Swift code that has just run has no value.
  var nativeFailure: Failure?
  /// The reason why a place did not take a value that a solver has computed.
  var solverFailure: Failure?
  /// Whether a solver of the language is setting a place: the solver itself gets the failure.
  var isSolverSetting = false
}

extension ConnectionGraph {
  /// Runs a formula while others have failed, unless one that it depends on has.
  ///
  /// - Returns: Whether the readers of its cell have to be told: the cell has another value now, must not be
  ///   read any more, or may be read again.
  @inline(never)
  func runAmongFailures(_ number: Int32, because cause: CellID?) -> Bool {
    let wasFailed = hasFailed(number)
    guard let formula = self[FormulaID(number)], hotFormulas[number].kind != .equation else {
      return false
    }
    // A failure that is no news is not told again: it would run a formula that reads the output of this one.
    let outer = failing.formulaAmongFailures
    failing.formulaAmongFailures = number
    defer { failing.formulaAmongFailures = outer }
    // The cells that its text names are read; the rest may be read no more, which shows when it has run.
    let isChanged =
      !isHeldBack(formula, by: formula.textReads == nil ? formula.staticInputs : [])
      && compute(number, because: cause)
    let hasFailed = hasFailed(number)
    guard hasFailed != wasFailed else { return isChanged && !hasFailed }
    if !isChanged || hasFailed { spreadNews(of: hotFormulas[number].output) }
    return true
  }

  /// Returns whether a constraint of a cell does not hold, or a formula of its region has failed: a write of
  /// an equal value may then change directions, so that places are computed that do not fit yet.
  ///
  /// - Complexity: O(formulas of the region).
  func isOpenBeside(_ cell: CellID) -> Bool {
    guard let region = self[cell].region else { return false }
    return region.constraints.contains { constraint in
      hasFailures && constraint.formulas.contains { hasFailed($0.id.rawValue) }
        || constraint.equation == nil && constraint.cells.contains(cell)
          && constraint.formulas.allSatisfy { $0.state == .waiting }
    }
  }

  /// Schedules the failed and waiting formulas of a cell's region: a write that changed nothing may have
  /// changed directions.
  ///
  /// - Complexity: O(formulas of the region).
  func lookAgain(beside cell: CellID) {
    if let region = self[cell].region { lookAgain(in: region) }
  }

  /// Schedules the failed and waiting formulas of a region, in the directions that are in force now.
  ///
  /// - Complexity: O(formulas of the region).
  func lookAgain(in region: Region) {
    for constraint in region.constraints where constraint.equation == nil {
      let formulas = constraint.formulas
      let isAtRest =
        formulas.contains { $0.state == .satisfied }
        && !formulas.contains { hasFailed($0.id.rawValue) }
      guard !isAtRest else { continue }
      let chosen = formulas.first { region.solver.formula(computing: $0.output) == $0.id }
      if let due = chosen ?? formulas.first { scheduledFormulas.append(due) }
    }
  }

  /// Passes on that a formula has failed when none had before.
  ///
  /// - Returns: Whether it has.
  @inline(never)
  func markNews(of number: Int32) -> Bool {
    guard hasFailures, hasFailed(number), number != failing.formulaAmongFailures else {
      return false
    }
    spreadNews(of: hotFormulas[number].output)
    return true
  }

  func hasFailed(_ number: Int32) -> Bool {
    switch hotFormulas[number].status {
    case .failed, .heldBack: true
    case .waiting, .satisfied: false
    }
  }

  /// Tells the formulas that other solvers keep, and those that read the slots from which a property is
  /// computed.
  private func spreadNews(of output: Int32) {
    guard isSettling, !isUnwinding else { return }
    for slot in cells[Int(output)].slots { enqueue(slot) }
    // A formula that reads the collection and has one of its elements as output would hear of itself.
    if let whole = whole(around: CellID(output)),
      owner(of: CellID(output))?.inputs.contains(whole) != true
    {
      enqueue(whole)
    }
    guard hasRegions else { return }
    let outer = isRunningFormula
    isRunningFormula = true
    enqueue(CellID(output))
    isRunningFormula = outer
  }

  /// Holds a formula back if one that determines one of its inputs has failed.
  ///
  /// - Complexity: O(inputs).
  func isHeldBack(_ formula: Formula, by inputs: [CellID]) -> Bool {
    for input in inputs {
      guard let source = failedSource(of: input), source != formula else { continue }
      // Its own failure came from its inputs: that is to be told when it is still there then.
      logStatus(of: formula)
      failing.failures[formula.id] = failing.failures[source.id] ?? ""
      hotFormulas[formula.id.rawValue].status = .heldBack
      return true
    }
    return false
  }

  /// Returns the failed formula that determines a cell at present, or a property that is computed from it.
  ///
  /// - Complexity: O(watched elements) for all of a collection.
  private func failedSource(of cell: CellID) -> Formula? {
    for cell in [cell] + cells[cell.index].properties + elements(of: cell) {
      if let source = source(of: cell), hasFailed(source.id.rawValue) { return source }
    }
    return nil
  }

  /// Returns the elements that have cells of their own, if a cell is all of a collection.
  private func elements(of cell: CellID) -> [CellID] {
    guard hot[cell.rawValue].kind == .whole else { return [] }
    return (watched[hot[cell.rawValue].object.bits] ?? []).filter {
      hot[$0.rawValue].kind == .element
    }
  }

  /// Returns the cell of all of the collection that a cell is an element of, if that cell exists.
  private func whole(around cell: CellID) -> CellID? {
    guard hot[cell.rawValue].kind == .element else { return nil }
    return whole(of: ObjectRef(hot[cell.rawValue].object))
  }

  func source(of cell: CellID) -> Formula? {
    if let owner = owner(of: cell) { return owner }
    guard let region = cells[cell.index].region,
      let id = region.solver.formula(computing: cell)
    else { return nil }
    return self[id]
  }

  /// Schedules the formulas that an ending formula has held back.
  func releaseHeldBack(by formula: Formula) {
    guard failing.failures[formula.id] != nil else { return }
    let cell = cells[formula.output.index]
    let wholes = [whole(around: formula.output)].compactMap { $0 }
    let concerned = [formula.output] + cell.slots + wholes
    for reader in concerned.flatMap({ readers(of: $0) })
    where reader != formula && hotFormulas[reader.id.rawValue].status == .heldBack {
      scheduledFormulas.append(reader)
    }
  }

  /// Returns whether a failure is that with which a formula failed the last time.
  func isNotedAlready(_ failure: Failure, of formula: Formula) -> Bool {
    hotFormulas[formula.id.rawValue].status == .failed
      && failing.failures[formula.id] == failure.message
  }
}
