internal import TenonTables
public import TenonSolverKit

// A turn: the formulas below changed cells, in order.

extension PropagationSolver {
  /// Makes the cells that count most keep their values; from now on soft constraints count more than writes
  /// before this turn, unless it is a turn in which constraints begin.
  public func beginTurn() {
    if !begun.hasAny {
      if !isWritten, !isOutdated {
        isOutdated = true
        if !unsatisfied.isEmpty { isStale = true }
      }
      isWritten = false
    }
    improve()
  }

  /// Runs the formulas below the changed cells, each once, in order.
  ///
  /// - Complexity: O(formulas below) once the plan is made, which is kept for the next change of
  ///   the same cells.
  public func settle(_ transaction: Transaction) {
    turn &+= 1
    defer { if begun.hasAny { endBeginnings() } }
    if !revived.hasAny, transaction.forcedFormulas.isEmpty, hasPlan, isPlanned(transaction) {
      let count = runPlan(transaction)
      if count < plan.count { runRest(from: count, transaction) }
    } else {
      settleAnew(transaction)
    }
  }

  /// Returns whether the plan is one for the changed cells, and marks those that it compares as changed.
  private func isPlanned(_ transaction: Transaction) -> Bool {
    var count = 0
    for index in 0..<transaction.changes.count {
      let variable = variablesByNumber[transaction.changes[index].rawValue]
      guard variable >= 0 else { continue }
      variables[variable].changed = turn
      guard count < plannedCells.count, plannedCells[count] == variable else { return false }
      count += 1
    }
    return count == plannedCells.count
  }

  private func settleAnew(_ transaction: Transaction) {
    var starts: [Int32] = []
    for index in 0..<transaction.changeCount {
      let variable = variablesByNumber[transaction.change(at: index).rawValue]
      guard variable >= 0 else { continue }
      variables[variable].changed = turn
      starts.append(variable)
    }
    var forced = revived.entries
    revived.entries = []
    for formula in transaction.forced {
      guard let id = transaction.constraint(of: formula) else { continue }
      let constraint = constraintsByNumber[id.rawValue]
      if constraint >= 0 { forced.append(constraint) }
    }
    // A cell that was written since the turn before, but before another from which it follows now, has a
    // value that no formula has computed.
    for variable in starts
    where variables[variable].source >= 0 && variables[variable].written == turn &- 1 {
      forced.append(variables[variable].source)
    }
    forced.removeAll { constraints[$0].chosen < 0 }
    if !forced.isEmpty || !hasPlan || plannedCells != starts { makePlan(starts, and: forced) }
    for constraint in forced { constraints[constraint].mustRun = true }
    runRest(from: 0, transaction)
    for constraint in forced { constraints[constraint].mustRun = false }
  }

  /// Runs the formulas of the plan from an index on.
  private func runRest(from first: Int, _ transaction: Transaction) {
    var index = first
    while index < plan.count {
      let entry = plan[index]
      index += 1
      guard constraints[entry].chosen >= 0 else { continue }
      let cause = cause(of: entry)
      guard cause >= 0 || constraints[entry].mustRun else { continue }
      let output = output(entry)
      let id = formulaID(entry)
      if transaction.run(id, because: cause < 0 ? nil : CellID(cause)) {
        variables[output].changed = turn
      }
    }
  }

  /// Runs the first formulas of a plan that is used again.
  ///
  /// - Returns: the number of formulas that have run.
  private func runPlan(_ transaction: Transaction) -> Int {
    let formulas = formulaPlan ?? transaction.makePlan()
    if formulaPlan == nil {
      for index in 0..<plan.count { formulas.append(formulaID(plan[index])) }
      formulaPlan = formulas
    }
    let count = transaction.run(formulas)
    if count < plan.count {
      for index in 0..<count { variables[output(plan[index])].changed = turn }
    }
    return count
  }

  /// Returns the number of the first changed cell that a constraint's formula reads, or -1.
  @inline(__always)
  private func cause(of entry: Int32) -> Int32 {
    let chosen = constraints[entry].chosen
    let first = constraints[entry].firstMember
    var member = first
    var (cause, place): (Int32, Int32) = (-1, .max)
    while isMember(member, of: entry) {
      let record = members[member]
      if member != chosen, variables[record.variable].changed == turn {
        let its = self.place(of: member, from: first)
        if its < place {
          cause = variables[record.variable].id
          place = its
        }
      }
      member += 1
    }
    return cause
  }

  /// Puts the constraints below some cells in order, each after all that it depends on.
  func makePlan(_ cells: [Int32], and forced: [Int32] = []) {
    planCount &+= 1
    plan.removeAll()
    visit &+= 1
    var order: [Int32] = []
    var stack: [(constraint: Int32, isDone: Bool)] = []
    // Depth first with the order of leaving reversed, on an explicit stack.
    for cell in cells.reversed() {
      forEachReader(of: cell) { stack.append(($0, false)) }
    }
    for constraint in forced { stack.append((constraint, false)) }
    while let (constraint, isDone) = stack.popLast() {
      if isDone {
        order.append(constraint)
        continue
      }
      guard constraints[constraint].visit != visit else { continue }
      constraints[constraint].visit = visit
      stack.append((constraint, true))
      forEachReader(of: output(constraint)) {
        if constraints[$0].visit != visit { stack.append(($0, false)) }
      }
    }
    formulaPlan = nil
    for constraint in order.reversed() { plan.append(constraint) }
    plannedCells = cells
    hasPlan = forced.isEmpty
  }
}
