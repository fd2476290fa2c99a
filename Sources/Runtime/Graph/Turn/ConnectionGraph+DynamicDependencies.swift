internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonSolverKit
internal import TenonTables

// Formulas that choose what they read: `a ifTrue: [ b ] ifFalse: [ c ]`.
//
// A formula depends on all cells that its text names, so that nothing has to be recorded while it runs. One
// that leaves out some of them runs now and then for nothing. After the tenth run that may have been for
// nothing it is run in the form that records the reads of its own text, and from then on only a change
// of a cell read runs it. A cell not read still stands before it in the order of a turn: when the formula
// chooses otherwise, that cell is up to date.

extension ConnectionGraph {
  /// The number of runs that may change nothing before the next one is recorded.
  @inline(__always) static var idleLimit: UInt8 { 9 }

  /// Counts a run that has changed nothing.
  @inline(__always)
  func countIdleRun(of number: Int32) {
    hotFormulas[number].idleRuns &+= 1
    if hotFormulas[number].idleRuns == ConnectionGraph.idleLimit { beginRecording(of: number) }
  }

  /// Starts recording the runs of a formula if it may leave out some cells that its text names.
  @inline(never)
  private func beginRecording(of number: Int32) {
    guard hotFormulas[number].kind == .block, let formula = self[FormulaID(number)],
      formula.staticInputs.count > 1, formula.fold == nil, !hotFormulas[number].isDeferred,
      let constraint = formula.constraint, constraint.level >= 0, !constraint.hasRequestedSolver,
      formula.text?.hasBlock ?? false
    else { return }
    hotFormulas[number].kind = .recorded
    tables.recorded.insert(formula.id)
    forgetPlans()
  }

  /// Makes a formula depend on all cells that its text names again.
  func endRecording(of formula: Formula) {
    guard hotFormulas[formula.id.rawValue].kind == .recorded else { return }
    hotFormulas[formula.id.rawValue].kind = .block
    hotFormulas[formula.id.rawValue].idleRuns = 0
    tables.recorded.remove(formula.id)
    formula.textReads = nil
    formula.lastReads = formula.dynamicInputs.map { place(of: $0) }
    hotFormulas[formula.id.rawValue].readsItsText = formula.lastReads.isEmpty
  }

  /// Makes all formulas depend on all cells that their texts name until they have run again: their last
  /// reads were rolled back.
  func distrustRecords() {
    for id in tables.recorded {
      guard let formula = self[id], formula.textReads != nil, let constraint = formula.constraint,
        constraint.level >= 0
      else { continue }
      formula.textReads = nil
      formula.lastReads = []
      // Nothing stands in another order, so that nothing can be refused.
      try? levels[constraint.level].solver.add(levelDescription(of: constraint, formula))
    }
  }

  /// Returns whether the runs of a formula are recorded and none has been yet.
  func awaitsRecord(_ formula: Formula) -> Bool {
    hotFormulas[formula.id.rawValue].kind == .recorded && formula.textReads == nil
  }

  /// Divides the cells that a formula has read into those that its text names, stored where they are
  /// recorded, and the rest.
  ///
  /// - Returns: the rest.
  func takeReads(_ cells: [CellID], of formula: Formula) -> [CellID] {
    let inputs = formula.staticInputs
    guard hotFormulas[formula.id.rawValue].kind == .recorded else {
      if inputs.count < 2 { return cells.filter { !inputs.contains($0) } }
      let named = Set(inputs)
      return cells.filter { !named.contains($0) }
    }
    let named = Set(inputs)
    formula.textReads = cells.filter { named.contains($0) }
    return cells.filter { !named.contains($0) }
  }
}

extension Expression {
  /// Whether a part of it is evaluated only on demand.
  fileprivate var hasBlock: Bool {
    if case .block = self { return true }
    var isFound = false
    forEachChild { isFound = isFound || $0.hasBlock }
    return isFound
  }
}
