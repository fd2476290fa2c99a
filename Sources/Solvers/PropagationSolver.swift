public import TenonRuntime

/// Keeps constraints that can be satisfied in more than one direction, by local propagation.
///
/// In each constraint one of its formulas is chosen, so that no cell is computed twice and no
/// formula needs its own result. A cell that nothing computes keeps its value.
///
/// - Solution: a written cell keeps what was written to the bit; of the others, those written
///   longest ago give way, and of cells never written the one that stands further left in the
///   declarations. Each formula runs at most once for a change; nothing is iterated.
/// - Cycles and more constraints than cells can bear are refused, with the formulas that take part.
///   With too few constraints cells keep their values.
/// - Cost: a change of a cell that is computed costs a search through the constraints above it;
///   then, and for a cell that is free already, a step for each formula below it.
///
/// Algorithm: B. N. Freeman-Benson, J. Maloney, A. Borning, "An incremental constraint solver",
/// Communications of the ACM 33(1), 1990 (DeltaBlue). The strengths of the implicit stays are
/// the ages of the last writes, so that they are all different: the cell that gives way is found
/// by one search for the weakest free cell above the edited one, an alternating path that is then
/// turned around. Walkabout strengths need not be kept.
public final class PropagationSolver: ConnectorSolver {
  private struct Entry {
    var constraint: ConstraintIR
    /// The number of the chosen formula in the constraint, or -1.
    var chosen = -1

    var formula: FormulaIR? {
      constraint.formulas.indices.contains(chosen) ? constraint.formulas[chosen] : nil
    }
  }

  private struct Variable {
    /// The constraints that join the cell.
    var constraints: [ConstraintID] = []
    /// The constraint whose chosen formula computes the cell.
    var source: ConstraintID?
    var age: UInt64 = 0
    var isPinned = false
    /// Where the cell first stood in a declaration: of cells never written, the first gives way.
    var rank = 0
  }

  private var entries: [ConstraintID: Entry] = [:]
  private var variables: [CellID: Variable] = [:]
  private var constraintsByFormula: [FormulaID: ConstraintID] = [:]
  private var nextRank = 0
  /// The formulas below a set of edited cells, in order, as long as the choices stand.
  private var plans: [[CellID]: [ConstraintID]] = [:]

  /// Creates a solver without constraints.
  public init() {}

  /// Its name in programs.
  public static var name: String { "propagation" }

  /// Nanoseconds for a formula, roughly.
  public static var cost: Int { 10 }

  /// Accepts regions in which every constraint has more than one direction.
  public static func accept(_ region: RegionIR) -> Acceptance {
    let refusals = region.constraints.compactMap { constraint -> Refusal? in
      if constraint.isLinearOnly, let formula = constraint.formulas.first {
        return Refusal(formula.id, "there is no formula to run")
      }
      guard !constraint.isMultiWay, let formula = constraint.formulas.first else { return nil }
      return Refusal(formula.id, "it has one direction only")
    }
    return refusals.isEmpty ? .yes : .no(refusals)
  }

  /// The formula that computes a cell at present, if one does.
  public func formula(computing cell: CellID) -> FormulaID? {
    variables[cell]?.source.flatMap { entries[$0]?.formula?.id }
  }
}

// MARK: - Constraints

extension PropagationSolver {
  /// Takes a constraint in, or replaces one of the same number.
  ///
  /// - Throws: `SolverConflict` when no choice of formulas satisfies it with the others.
  /// - Complexity: O(constraints above the cells it joins, and below the one it computes).
  public func add(_ constraint: ConstraintIR) throws(SolverConflict) {
    if let old = entries[constraint.id] {
      // The new formulas include the chosen one, or the constraint has to be chosen for anew.
      if let chosen = old.formula?.output,
        let index = constraint.formulas.firstIndex(where: { $0.output == chosen })
      {
        enter(Entry(constraint: constraint, chosen: index))
        return
      }
      remove(constraint.id)
    }
    enter(Entry(constraint: constraint))
    for formula in constraint.formulas.prefix(1) {
      for cell in [formula.output] + formula.inputs { join(cell, constraint.id) }
    }
    for cell in constraint.cells { join(cell, constraint.id) }
    do throws(SolverConflict) {
      try choose(for: constraint)
    } catch {
      remove(constraint.id)
      throw error
    }
  }

  private func enter(_ entry: Entry) {
    let id = entry.constraint.id
    entries[id] = entry
    for formula in entry.constraint.formulas { constraintsByFormula[formula.id] = id }
    plans = [:]
  }

  private func join(_ cell: CellID, _ constraint: ConstraintID) {
    if variables[cell] == nil {
      variables[cell] = Variable(rank: nextRank)
      nextRank += 1
    } else if variables[cell]?.constraints.isEmpty ?? false {
      variables[cell]?.rank = nextRank
      nextRank += 1
    }
    if variables[cell]?.constraints.contains(constraint) ?? false { return }
    variables[cell]?.constraints.append(constraint)
  }

  /// Lets a constraint go.
  public func remove(_ constraint: ConstraintID) {
    guard let entry = entries.removeValue(forKey: constraint) else { return }
    for formula in entry.constraint.formulas { constraintsByFormula[formula.id] = nil }
    for cell in entry.constraint.cells {
      variables[cell]?.constraints.removeAll { $0 == constraint }
      if variables[cell]?.source == constraint { variables[cell]?.source = nil }
    }
    plans = [:]
  }

  /// Chooses a formula for a constraint that has none, turning others around where it must.
  private func choose(for constraint: ConstraintIR) throws(SolverConflict) {
    // The weakest cell first: the one to give way.
    let outputs = constraint.formulas.map(\.output)
    let candidates = freeCells(
      reachableFrom: outputs, startingIn: constraint.id, avoiding: nil)
    var closed: [FormulaID]?
    for candidate in candidates {
      let turned = turnAround(candidate)
      guard let cycle = cycle(through: constraint.id) else { return }
      turnBack(turned)
      if closed == nil { closed = cycle }
    }
    if let closed { throw SolverConflict(.cycle, closed) }
    throw SolverConflict(.overdetermined, formulas(around: constraint))
  }

  /// The formulas that stand against a constraint: its own and those that compute its cells.
  private func formulas(around constraint: ConstraintIR) -> [FormulaID] {
    var formulas = constraint.formulas.map(\.id)
    for cell in constraint.cells {
      if let source = variables[cell]?.source, source != constraint.id,
        let formula = entries[source]?.formula
      {
        formulas.append(formula.id)
      }
    }
    return formulas
  }
}

// MARK: - Writes from outside

extension PropagationSolver {
  /// Makes a cell one that keeps its value.
  ///
  /// - Throws: `SolverConflict` when all cells above it are pinned.
  /// - Complexity: O(constraints above the cell).
  public func edit(_ cell: CellID, age: UInt64, isPinned: Bool) throws(SolverConflict) {
    if variables[cell] == nil {
      variables[cell] = Variable(rank: nextRank)
      nextRank += 1
    }
    if let source = variables[cell]?.source {
      guard release(cell, from: source) else {
        throw SolverConflict(.overdetermined, formulasAbove(cell))
      }
      plans = [:]
    }
    variables[cell]?.age = age
    variables[cell]?.isPinned = isPinned
  }

  /// Lets a cell be computed again.
  public func unpin(_ cell: CellID) {
    variables[cell]?.isPinned = false
  }

  /// Finds another cell for the constraint that computes this one.
  private func release(_ cell: CellID, from source: ConstraintID) -> Bool {
    guard let entry = entries[source] else { return true }
    let outputs = entry.constraint.formulas.map(\.output).filter { $0 != cell }
    for candidate in freeCells(reachableFrom: outputs, startingIn: source, avoiding: cell) {
      let turned = turnAround(candidate)
      if cycle(through: source) == nil { return true }
      turnBack(turned)
    }
    return false
  }

  /// The formulas through which a cell is determined, from it upwards.
  private func formulasAbove(_ cell: CellID) -> [FormulaID] {
    var formulas: [FormulaID] = []
    var visited: Set<ConstraintID> = []
    var queue = [cell]
    while let next = queue.popLast() {
      guard let source = variables[next]?.source, visited.insert(source).inserted,
        let formula = entries[source]?.formula
      else { continue }
      formulas.append(formula.id)
      queue += formula.inputs
    }
    return formulas
  }
}

// MARK: - Choices

extension PropagationSolver {
  /// A free cell with the constraints that turn around when it gives way: each computes the cell
  /// that the next one computed before.
  private struct Candidate {
    let cell: CellID
    let path: [ConstraintID]
  }

  /// The free cells that a constraint could compute, directly or by turning others around, the
  /// weakest first.
  ///
  /// - Complexity: O(constraints above).
  private func freeCells(
    reachableFrom outputs: [CellID], startingIn constraint: ConstraintID, avoiding: CellID?
  ) -> [Candidate] {
    var candidates: [Candidate] = []
    var cameFrom: [CellID: ConstraintID] = [:]
    var above: [ConstraintID: CellID] = [:]
    var visited: Set<CellID> = avoiding.map { [$0] } ?? []
    var queue: [(cell: CellID, constraint: ConstraintID)] = outputs.map { ($0, constraint) }
    var next = 0
    while next < queue.count {
      let (cell, through) = queue[next]
      next += 1
      guard visited.insert(cell).inserted, let variable = variables[cell] else { continue }
      cameFrom[cell] = through
      if let source = variable.source, source != constraint {
        guard let entry = entries[source], above[source] == nil else { continue }
        above[source] = cell
        for formula in entry.constraint.formulas where formula.output != cell {
          queue.append((formula.output, source))
        }
      } else if !variable.isPinned {
        candidates.append(Candidate(cell: cell, path: way(to: cell, cameFrom, above, constraint)))
      }
    }
    return candidates.sorted { isWeaker($0.cell, $1.cell) }
  }

  private func way(
    to cell: CellID, _ cameFrom: [CellID: ConstraintID], _ above: [ConstraintID: CellID],
    _ start: ConstraintID
  ) -> [ConstraintID] {
    var path: [ConstraintID] = []
    var cell: CellID? = cell
    while let current = cell, let through = cameFrom[current] {
      path.append(through)
      if through == start { break }
      cell = above[through]
    }
    return path.reversed()
  }

  /// Whether a cell gives way before another.
  private func isWeaker(_ left: CellID, _ right: CellID) -> Bool {
    guard let a = variables[left], let b = variables[right] else { return left < right }
    return (a.age, a.rank) < (b.age, b.rank)
  }

  /// What turning a path around has changed.
  private struct Turned {
    let cell: CellID
    var choices: [(constraint: ConstraintID, chosen: Int)] = []
  }

  /// Lets each constraint of a path compute the cell that the next one computed, the last one the
  /// free cell.
  private func turnAround(_ candidate: Candidate) -> Turned {
    var turned = Turned(cell: candidate.cell)
    for (index, constraint) in candidate.path.enumerated() {
      turned.choices.append((constraint, entries[constraint]?.chosen ?? -1))
      if index + 1 < candidate.path.count {
        guard let next = entries[candidate.path[index + 1]]?.formula?.output else { continue }
        set(constraint, computing: next)
      } else {
        set(constraint, computing: candidate.cell)
      }
    }
    return turned
  }

  /// Takes back what `turnAround` did.
  private func turnBack(_ turned: Turned) {
    variables[turned.cell]?.source = nil
    for (constraint, chosen) in turned.choices.reversed() {
      entries[constraint]?.chosen = chosen
      if let output = entries[constraint]?.formula?.output {
        variables[output]?.source = constraint
      }
    }
  }

  private func set(_ constraint: ConstraintID, computing cell: CellID) {
    guard let entry = entries[constraint],
      let index = entry.constraint.formulas.firstIndex(where: { $0.output == cell })
    else { return }
    if let old = entry.formula?.output, variables[old]?.source == constraint {
      variables[old]?.source = nil
    }
    entries[constraint]?.chosen = index
    variables[cell]?.source = constraint
  }

  /// The formulas of a cycle that the choice for a constraint has closed, each needing the result
  /// of the next one; nil when there is none.
  ///
  /// - Complexity: O(constraints below).
  private func cycle(through constraint: ConstraintID) -> [FormulaID]? {
    guard let start = entries[constraint]?.formula else { return nil }
    // A path that was turned around lies below its first constraint, so that whatever cycle it
    // closed is found from there. Cells that nothing computes close none.
    if start.inputs.allSatisfy({ variables[$0]?.source == nil }) { return nil }
    var visited: Set<CellID> = []
    var onPath: Set<CellID> = []
    var path: [FormulaIR] = []
    var stack: [(formula: FormulaIR, isDone: Bool)] = [(start, false)]
    while let (formula, isDone) = stack.popLast() {
      if isDone {
        onPath.remove(formula.output)
        path.removeLast()
        continue
      }
      guard visited.insert(formula.output).inserted else { continue }
      onPath.insert(formula.output)
      path.append(formula)
      stack.append((formula, true))
      for reader in readers(of: formula.output) {
        guard let next = entries[reader]?.formula else { continue }
        if onPath.contains(next.output) { return way(around: path, to: next.output) }
        stack.append((next, false))
      }
    }
    return nil
  }

  /// A cycle from the end of a path back to where it began, the earliest formula first.
  private func way(around path: [FormulaIR], to first: CellID) -> [FormulaID] {
    let cycle = path.drop { $0.output != first }.map(\.id)
    return Array(cycle.prefix(1) + cycle.dropFirst().reversed())
  }

  /// The constraints whose chosen formulas read a cell.
  private func readers(of cell: CellID) -> [ConstraintID] {
    (variables[cell]?.constraints ?? []).filter { id in
      guard let formula = entries[id]?.formula else { return false }
      return formula.output != cell && formula.inputs.contains(cell)
    }
  }
}

// MARK: - A turn

extension PropagationSolver {
  /// Runs the formulas below the changed cells, each once, in order.
  ///
  /// - Complexity: O(formulas below) once the plan is made, which is kept for the next change of
  ///   the same cells.
  public func settle(_ transaction: Transaction) {
    var starts = transaction.changed
    var changed = Set(starts)
    var forced: Set<ConstraintID> = []
    for formula in transaction.forced {
      guard let id = constraintsByFormula[formula], let output = entries[id]?.formula?.output else {
        continue
      }
      forced.insert(id)
      starts.append(output)
    }
    for id in plan(for: starts, forced: forced) {
      guard let formula = entries[id]?.formula else { continue }
      let cause = formula.inputs.first { changed.contains($0) }
      guard cause != nil || forced.contains(id) else { continue }
      if transaction.run(formula.id, because: cause) { changed.insert(formula.output) }
    }
  }

  /// The constraints below some cells, each after all that it depends on.
  private func plan(for cells: [CellID], forced: Set<ConstraintID>) -> [ConstraintID] {
    let key = Set(cells).sorted()
    if forced.isEmpty, let plan = plans[key] { return plan }
    // Depth first with the order of leaving reversed, on an explicit stack.
    var plan: [ConstraintID] = []
    var visited: Set<ConstraintID> = []
    var stack: [(constraint: ConstraintID, isDone: Bool)] = []
    for cell in key.reversed() {
      for reader in readers(of: cell).reversed() { stack.append((reader, false)) }
    }
    for id in forced { stack.append((id, false)) }
    while let (id, isDone) = stack.popLast() {
      if isDone {
        plan.append(id)
        continue
      }
      guard visited.insert(id).inserted, let formula = entries[id]?.formula else { continue }
      stack.append((id, true))
      for reader in readers(of: formula.output).reversed() { stack.append((reader, false)) }
    }
    plan.reverse()
    if forced.isEmpty { plans[key] = plan }
    return plan
  }
}
