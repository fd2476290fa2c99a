internal import TenonSolverKit
internal import TenonTables

/// What a formula has come to, for one that takes its place and says the same.
struct FormulaRuns {
  fileprivate let number: Int32
  fileprivate let output: CellID
  fileprivate let status: HotFormula.Status
  fileprivate let runs: UInt32
  fileprivate let cause: Int32
  fileprivate let state: Formula.State
  /// What it had read besides what its text names.
  fileprivate let reads: [Place]
  /// Whether nothing has it run that has not had it run yet, and all that it reads is in its text.
  fileprivate let isUpToDate: Bool
}

extension ConnectionGraph {
  /// What the formulas of a connection have come to.
  func runs(of connection: Connection) -> [FormulaRuns] {
    flushRunCounts()
    let isIdle = !isSettling && atomicDepth == 0 && runningNumber < 0
    return connection.formulas.map { formula in
      let hot = hotFormulas[formula.id.rawValue]
      let isStale = self.hot[formula.output.rawValue].flags & CellFlag.stale != 0
      return FormulaRuns(
        number: formula.id.rawValue, output: formula.output, status: hot.status, runs: hot.runs,
        cause: hot.cause, state: formula.state, reads: formula.dynamicInputs.map { place(of: $0) },
        isUpToDate: isIdle && !hot.isDeferred && !isStale && formula.fold == nil
          && formula.equation == nil && formula.dynamicInputs.isEmpty
          && !scheduledFormulas.contains(formula)
          && !(formula.constraint?.region?.solver is ScriptSolver))
    }
  }

  /// Has the formulas of a connection count on from what others had come to that said the same.
  ///
  /// `isUpToDate`: whether the places hold what those had computed, so that nothing has to run.
  func takeUp(_ before: [FormulaRuns], in connection: Connection, isUpToDate: Bool) {
    let isComplete =
      isUpToDate && before.contains { $0.status == .satisfied }
      && before.allSatisfy { $0.isUpToDate && [.satisfied, .waiting].contains($0.status) }
    for (formula, old) in goOn(before, in: connection) {
      if isComplete {
        if old.status == .satisfied { formula.state = .satisfied }
        scheduledFormulas.removeAll { $0 == formula }
        continue
      }
      // A retracted soft constraint does not run again, nor does what is held back.
      let runsAgain =
        before.count == 1
        ? old.status != .heldBack && scheduledFormulas.contains(formula)
        : [.satisfied, .failed].contains(old.status)
      if runsAgain, old.runs > 0 { hotFormulas[formula.id.rawValue].runs -= 1 }
      // What has failed is told once.
      if old.status == .failed { formula.state = old.state }
    }
  }

  /// Restores the formulas of a connection to what others were that said the same: what has been tried since was
  /// refused, and nothing runs for it.
  func restore(_ before: [FormulaRuns], of connection: Connection) {
    for region in connection.formulas.compactMap({ $0.constraint?.region }).unique()
    where !(region.solver is ScriptSolver) {
      // Which direction is computed is decided now, and not when something changes.
      _ = region.solver.plan(edits: [])
    }
    for (formula, old) in goOn(before, in: connection) {
      if formula.equation == nil, !old.reads.isEmpty {
        restoreInputs(old.reads.map { cell(for: $0, name: machine.name(of: $0)) }, of: formula)
      }
      formula.state = old.state
      hotFormulas[formula.id.rawValue].status = old.status
    }
    scheduledFormulas.removeAll { $0.connection == connection }
  }

  /// Returns the formulas of a connection with those of before, whose causes and counts they have then; none
  /// where they take other places.
  private func goOn(
    _ before: [FormulaRuns], in connection: Connection
  ) -> Zip2Sequence<[Formula], [FormulaRuns]> {
    let formulas = connection.formulas
    let isSame =
      formulas.count == before.count
      && zip(formulas, before).allSatisfy { $0.output == $1.output }
    let pairs = zip(isSame ? formulas : [], before)
    for (formula, old) in pairs {
      let number = formula.id.rawValue
      hotFormulas[number].cause = old.cause
      hotFormulas[number].runs = old.runs
      if hot[old.output.rawValue].writer == old.number { hot[old.output.rawValue].writer = number }
    }
    return pairs
  }
}
