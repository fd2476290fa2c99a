public import TenonRuntime
internal import TenonTables

/// Keeps constraints that can be satisfied in more than one direction, by local propagation.
///
/// In each constraint one of its formulas is chosen, so that no cell is computed twice and no
/// formula needs its own result. A cell that nothing computes keeps its value.
///
/// - Solution: a written cell keeps what was written to the bit; of the others, those written
///   longest ago give way, and of cells never written the one that stands further left in the
///   declarations. Each formula runs at most once for a change; nothing is iterated. Of constraints
///   that cannot all hold, the weakest is given up, and of equally weak ones the youngest.
/// - Cycles and more required constraints than cells can bear are refused, with the formulas that
///   take part. With too few constraints cells keep their values.
/// - Cost: a change of a cell that is computed costs a search through the constraints above it;
///   then, and for a cell that is free already, a step for each formula below it.
///
/// Algorithm: B. N. Freeman-Benson, J. Maloney, A. Borning, "An incremental constraint solver",
/// Communications of the ACM 33(1), 1990 (DeltaBlue). The strengths of the implicit stays are
/// the ages of the last writes, so that they are all different: the cell that gives way is found
/// by one search for the weakest free cell above the edited one, an alternating path that is then
/// turned around. Walkabout strengths need not be kept.
public final class PropagationSolver: ConnectorSolver {
  struct Member {
    var constraint: Int32
    var variable: Int32
    var nextOfVariable: Int32 = -1
    var previousOfVariable: Int32 = -1
    /// The next one of the same constraint, or the next free record.
    var nextOfConstraint: Int32 = -1
  }

  struct Formula {
    var id: Int32
    var output: Int32
    /// The next one of the same constraint, or the next free record.
    var next: Int32 = -1
  }

  struct Constraint {
    /// Its number, or -1 for a free record.
    var id: Int32
    var strength: Strength
    /// The chosen formula, or -1 while it is given up.
    var chosen: Int32 = -1
    var firstFormula: Int32 = -1
    /// Its first cell, or the next free record.
    var firstMember: Int32 = -1
    /// When a search was here last, and what it found.
    var visit: UInt32 = 0
    var isOnPath = false
    var isForced = false
  }

  struct Variable {
    /// The number of the cell, or -1 for a free record.
    var id: Int32
    var isPinned = false
    /// The first constraint that joins it, or the next free record.
    var firstMember: Int32 = -1
    var lastMember: Int32 = -1
    /// The constraint whose chosen formula computes it, or -1.
    var source: Int32 = -1
    /// Where the cell first stood in a declaration: of cells never written, the first gives way.
    var rank: Int32 = 0
    var visit: UInt32 = 0
    /// In which turn it has changed last.
    var changed: UInt32 = 0
    var age: UInt64 = 0
  }

  private let constraints = FlatTable<Constraint>()
  private let variables = FlatTable<Variable>()
  private let members = FlatTable<Member>()
  private let formulas = FlatTable<Formula>()
  private var freeConstraint: Int32 = -1
  private var freeVariable: Int32 = -1
  private var freeMember: Int32 = -1
  private var freeFormula: Int32 = -1
  private let constraintsByNumber = NumberMap()
  private let constraintsByFormula = NumberMap()
  private let variablesByNumber = NumberMap()
  private var nextRank: Int32 = 0
  private var visit: UInt32 = 0
  private var turn: UInt32 = 0
  /// The constraints that are given up.
  private var unsatisfied: [Int32] = []
  /// Those that have come into force again and have not run yet.
  private var revived: [Int32] = []
  /// The constraints below some cells, in order, as long as the choices stand.
  private let plan = FlatTable<Int32>()
  private var plannedCells: [Int32] = []
  private var hasPlan = false

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
    let variable = variablesByNumber[cell.rawValue]
    guard variable >= 0, variables[variable].source >= 0 else { return nil }
    return formulaID(variables[variable].source)
  }

  /// Whether a constraint is in force: it is not when stronger ones stand against it.
  public func keeps(_ constraint: ConstraintID) -> Bool {
    let known = constraintsByNumber[constraint.rawValue]
    return known >= 0 && constraints[known].chosen >= 0
  }

  /// The formulas that a change of some cells would run, in order.
  public func plan(edits: [CellID]) -> [FormulaID] {
    makePlan(edits.map { variablesByNumber[$0.rawValue] }.filter { $0 >= 0 })
    return (0..<plan.count).map { formulaID(plan[$0]) }
  }

  private func formulaID(_ constraint: Int32) -> FormulaID {
    FormulaID(formulas[constraints[constraint].chosen].id)
  }

  private func output(_ constraint: Int32) -> Int32 {
    let chosen = constraints[constraint].chosen
    return chosen < 0 ? -1 : formulas[chosen].output
  }
}

// MARK: - Constraints

extension PropagationSolver {
  /// Takes a constraint in, or replaces one of the same number.
  ///
  /// - Throws: `SolverConflict` when no choice of formulas satisfies it with the others.
  /// - Complexity: O(constraints above the cells it joins, and below the one it computes).
  public func add(_ constraint: ConstraintIR) throws(SolverConflict) {
    let known = constraintsByNumber[constraint.id.rawValue]
    if known >= 0 {
      // The new formulas include the chosen one, or the constraint has to be chosen for anew.
      let output = output(known)
      let cell = output < 0 ? nil : CellID(variables[output].id)
      let isKept = constraint.formulas.contains { $0.output == cell }
      if isKept, constraint.cells.count == memberCount(of: known) {
        replaceFormulas(of: known, by: constraint)
        return
      }
      remove(constraint.id)
    }
    let entry = enter(constraint)
    do throws(SolverConflict) {
      try choose(for: entry)
    } catch {
      remove(constraint.id)
      throw error
    }
  }

  private func enter(_ constraint: ConstraintIR) -> Int32 {
    let record = Constraint(id: constraint.id.rawValue, strength: constraint.strength)
    let entry: Int32
    if freeConstraint >= 0 {
      entry = freeConstraint
      freeConstraint = constraints[entry].firstMember
      constraints[entry] = record
    } else {
      entry = Int32(constraints.count)
      constraints.append(record)
    }
    constraintsByNumber.set(constraint.id.rawValue, to: entry)
    // The cells get their ranks in the order of the first formula.
    if let first = constraint.formulas.first {
      join(first.output, entry)
      for cell in first.inputs { join(cell, entry) }
    }
    for cell in constraint.cells { join(cell, entry) }
    addFormulas(of: entry, constraint)
    hasPlan = false
    return entry
  }

  private func addFormulas(of entry: Int32, _ constraint: ConstraintIR) {
    for formula in constraint.formulas.reversed() {
      let new = Formula(
        id: formula.id.rawValue, output: variable(formula.output),
        next: constraints[entry].firstFormula)
      let number: Int32
      if freeFormula >= 0 {
        number = freeFormula
        freeFormula = formulas[number].next
        formulas[number] = new
      } else {
        number = Int32(formulas.count)
        formulas.append(new)
      }
      constraints[entry].firstFormula = number
      constraintsByFormula.set(formula.id.rawValue, to: entry)
    }
  }

  private func removeFormulas(of entry: Int32) {
    var formula = constraints[entry].firstFormula
    while formula >= 0 {
      let next = formulas[formula].next
      constraintsByFormula.remove(formulas[formula].id)
      formulas[formula].next = freeFormula
      freeFormula = formula
      formula = next
    }
    constraints[entry].firstFormula = -1
    constraints[entry].chosen = -1
  }

  private func replaceFormulas(of entry: Int32, by constraint: ConstraintIR) {
    let output = output(entry)
    removeFormulas(of: entry)
    addFormulas(of: entry, constraint)
    constraints[entry].strength = constraint.strength
    constraints[entry].chosen = formula(of: entry, computing: output)
    hasPlan = false
  }

  private func memberCount(of entry: Int32) -> Int {
    var count = 0
    var member = constraints[entry].firstMember
    while member >= 0 {
      count += 1
      member = members[member].nextOfConstraint
    }
    return count
  }

  /// The record of a cell, made when it is first asked for.
  private func variable(_ cell: CellID) -> Int32 {
    let known = variablesByNumber[cell.rawValue]
    if known >= 0 { return known }
    let new: Int32
    let record = Variable(id: cell.rawValue, rank: nextRank)
    nextRank += 1
    if freeVariable >= 0 {
      new = freeVariable
      freeVariable = variables[new].firstMember
      variables[new] = record
    } else {
      new = Int32(variables.count)
      variables.append(record)
    }
    variablesByNumber.set(cell.rawValue, to: new)
    return new
  }

  private func join(_ cell: CellID, _ constraint: Int32) {
    let variable = variable(cell)
    if variables[variable].firstMember < 0 {
      variables[variable].rank = nextRank
      nextRank += 1
    }
    var member = constraints[constraint].firstMember
    while member >= 0 {
      if members[member].variable == variable { return }
      member = members[member].nextOfConstraint
    }
    let last = variables[variable].lastMember
    let new = Member(
      constraint: constraint, variable: variable, previousOfVariable: last,
      nextOfConstraint: constraints[constraint].firstMember)
    if freeMember >= 0 {
      member = freeMember
      freeMember = members[member].nextOfConstraint
      members[member] = new
    } else {
      member = Int32(members.count)
      members.append(new)
    }
    constraints[constraint].firstMember = member
    if last >= 0 {
      members[last].nextOfVariable = member
    } else {
      variables[variable].firstMember = member
    }
    variables[variable].lastMember = member
  }

  /// Lets a constraint go.
  ///
  /// - Complexity: O(cells it joins), when nothing had to be given up because of it.
  public func remove(_ constraint: ConstraintID) {
    let entry = constraintsByNumber[constraint.rawValue]
    guard entry >= 0 else { return }
    constraintsByNumber.remove(constraint.rawValue)
    let computed = output(entry)
    if computed >= 0, variables[computed].source == entry { variables[computed].source = -1 }
    if !unsatisfied.isEmpty { unsatisfied.removeAll { $0 == entry } }
    if !revived.isEmpty { revived.removeAll { $0 == entry } }
    removeFormulas(of: entry)
    var member = constraints[entry].firstMember
    while member >= 0 {
      let record = members[member]
      leave(record)
      members[member].nextOfConstraint = freeMember
      freeMember = member
      member = record.nextOfConstraint
    }
    constraints[entry].id = -1
    constraints[entry].firstMember = freeConstraint
    freeConstraint = entry
    hasPlan = false
    revive()
  }

  private func leave(_ member: Member) {
    if member.previousOfVariable >= 0 {
      members[member.previousOfVariable].nextOfVariable = member.nextOfVariable
    } else {
      variables[member.variable].firstMember = member.nextOfVariable
    }
    if member.nextOfVariable >= 0 {
      members[member.nextOfVariable].previousOfVariable = member.previousOfVariable
    } else {
      variables[member.variable].lastMember = member.previousOfVariable
    }
  }
}

// MARK: - Choices

extension PropagationSolver {
  /// A cell that a search has come to.
  private struct Step {
    let variable: Int32
    /// The constraint that could compute the cell.
    let through: Int32
    /// The step to the cell that this constraint computes at present, or -1 at the start.
    let before: Int
  }

  /// What a search upwards has found.
  private struct Found {
    var steps: [Step] = []
    /// The steps to cells that could give way, the weakest first.
    var candidates: [Int] = []
    /// The steps to cells whose constraints could be given up, the weakest first.
    var victims: [Int] = []
  }

  /// Chooses a formula for a constraint that has none, turning others around where it must.
  private func choose(for entry: Int32) throws(SolverConflict) {
    if chooseFree(for: entry) { return }
    let found = search(in: entry, avoiding: -1)
    var closed: [FormulaID]?
    if turn(found, in: entry, closed: &closed) { return }
    let strength = constraints[entry].strength
    if giveUp(found, for: strength, in: entry) { return }
    if strength < .required {
      unsatisfied.append(entry)
      return
    }
    if let closed { throw SolverConflict(.cycle, closed) }
    throw SolverConflict(.overdetermined, formulas(around: entry))
  }

  /// Chooses among the cells of a constraint when nothing computes any of them.
  ///
  /// - Returns: Whether that is so, and no cycle can close.
  private func chooseFree(for entry: Int32) -> Bool {
    var weakest: Int32 = -1
    var formula = constraints[entry].firstFormula
    while formula >= 0 {
      let output = formulas[formula].output
      if variables[output].source >= 0 { return false }
      if !variables[output].isPinned, weakest < 0 || isWeaker(output, weakest) { weakest = output }
      formula = formulas[formula].next
    }
    guard weakest >= 0 else { return false }
    var member = constraints[entry].firstMember
    while member >= 0 {
      if variables[members[member].variable].source >= 0 { return false }
      member = members[member].nextOfConstraint
    }
    set(entry, computing: weakest)
    return true
  }

  /// Lets the weakest cell give way with which no cycle closes.
  private func turn(_ found: Found, in entry: Int32, closed: inout [FormulaID]?) -> Bool {
    for candidate in found.candidates {
      let turned = turnAround(found, candidate)
      guard let cycle = cycle(through: entry, turned) else { return true }
      turnBack(turned)
      if closed == nil { closed = cycle }
    }
    return false
  }

  /// Gives up the weakest constraint in the way, if it is weaker than what it stands against.
  private func giveUp(_ found: Found, for strength: Strength, in entry: Int32) -> Bool {
    for step in found.victims {
      let variable = found.steps[step].variable
      let victim = variables[variable].source
      guard victim >= 0, constraints[victim].strength < strength else { continue }
      let chosen = constraints[victim].chosen
      constraints[victim].chosen = -1
      variables[variable].source = -1
      let turned = turnAround(found, step)
      if cycle(through: entry, turned) == nil {
        unsatisfied.append(victim)
        return true
      }
      turnBack(turned)
      constraints[victim].chosen = chosen
      variables[variable].source = victim
    }
    return false
  }

  /// Brings constraints into force again for which there is room now, the strongest first.
  private func revive() {
    guard !unsatisfied.isEmpty else { return }
    let waiting = unsatisfied.sorted {
      (constraints[$1].strength, $0) < (constraints[$0].strength, $1)
    }
    unsatisfied = []
    for entry in waiting {
      do throws(SolverConflict) { try choose(for: entry) } catch { unsatisfied.append(entry) }
      if constraints[entry].chosen >= 0 { revived.append(entry) }
    }
    hasPlan = false
  }

  /// The formulas that stand against a constraint: its own and those that compute its cells.
  private func formulas(around entry: Int32) -> [FormulaID] {
    var result: [FormulaID] = []
    var formula = constraints[entry].firstFormula
    while formula >= 0 {
      result.append(FormulaID(formulas[formula].id))
      formula = formulas[formula].next
    }
    var member = constraints[entry].firstMember
    var others: [FormulaID] = []
    while member >= 0 {
      let source = variables[members[member].variable].source
      if source >= 0, source != entry { others.append(formulaID(source)) }
      member = members[member].nextOfConstraint
    }
    return result + others.reversed()
  }

  /// Looks for cells that a constraint could compute, directly or by turning others around.
  ///
  /// - Complexity: O(constraints above).
  private func search(in entry: Int32, avoiding: Int32) -> Found {
    visit &+= 1
    var found = Found()
    found.steps.reserveCapacity(8)
    if avoiding >= 0 { variables[avoiding].visit = visit }
    var first = constraints[entry].firstFormula
    while first >= 0 {
      let output = formulas[first].output
      if variables[output].visit != visit {
        variables[output].visit = visit
        found.steps.append(Step(variable: output, through: entry, before: -1))
      }
      first = formulas[first].next
    }
    var next = 0
    while next < found.steps.count {
      let step = found.steps[next]
      let source = variables[step.variable].source
      if source >= 0, source != entry {
        if constraints[source].visit != visit {
          constraints[source].visit = visit
          if constraints[source].strength < .required { found.victims.append(next) }
          var formula = constraints[source].firstFormula
          while formula >= 0 {
            let output = formulas[formula].output
            if variables[output].visit != visit {
              variables[output].visit = visit
              found.steps.append(Step(variable: output, through: source, before: next))
            }
            formula = formulas[formula].next
          }
        }
      } else if !variables[step.variable].isPinned {
        found.candidates.append(next)
      }
      next += 1
    }
    if found.candidates.count > 1 {
      found.candidates.sort { isWeaker(found.steps[$0].variable, found.steps[$1].variable) }
    }
    if found.victims.count > 1 {
      found.victims.sort { left, right in
        let a = variables[found.steps[left].variable].source
        let b = variables[found.steps[right].variable].source
        return (constraints[a].strength, b) < (constraints[b].strength, a)
      }
    }
    return found
  }

  /// Whether a cell gives way before another.
  private func isWeaker(_ left: Int32, _ right: Int32) -> Bool {
    let (a, b) = (variables[left], variables[right])
    return (a.age, a.rank) < (b.age, b.rank)
  }

  /// What turning a path around has changed.
  private struct Turned {
    var choices: [(constraint: Int32, chosen: Int32)] = []
  }

  /// Lets each constraint of a path compute the cell that the next one computed, the last one the
  /// free cell.
  private func turnAround(_ found: Found, _ end: Int) -> Turned {
    var turned = Turned()
    var path: [Int] = []
    var step = end
    while step >= 0 {
      path.append(step)
      step = found.steps[step].before
    }
    for step in path.reversed() {
      let constraint = found.steps[step].through
      turned.choices.append((constraint, constraints[constraint].chosen))
      set(constraint, computing: found.steps[step].variable)
    }
    return turned
  }

  /// Takes back what `turnAround` did.
  private func turnBack(_ turned: Turned) {
    for (constraint, chosen) in turned.choices.reversed() {
      let now = output(constraint)
      if now >= 0, variables[now].source == constraint { variables[now].source = -1 }
      constraints[constraint].chosen = chosen
      if chosen >= 0 { variables[formulas[chosen].output].source = constraint }
    }
  }

  private func formula(of entry: Int32, computing variable: Int32) -> Int32 {
    var formula = constraints[entry].firstFormula
    while formula >= 0, formulas[formula].output != variable { formula = formulas[formula].next }
    return formula
  }

  private func set(_ entry: Int32, computing variable: Int32) {
    let formula = formula(of: entry, computing: variable)
    guard formula >= 0 else { return }
    let old = output(entry)
    if old >= 0, variables[old].source == entry { variables[old].source = -1 }
    constraints[entry].chosen = formula
    variables[variable].source = entry
  }

  /// The formulas of a cycle that the choice for a constraint has closed, each needing the result
  /// of the next one; nil when there is none.
  ///
  /// - Complexity: O(constraints below); O(constraints turned around) when they read nothing that is
  ///   computed elsewhere.
  private func cycle(through start: Int32, _ turned: Turned) -> [FormulaID]? {
    guard constraints[start].chosen >= 0 else { return nil }
    // A path that was turned around lies below its first constraint, so that whatever cycle it
    // closed is found from there. There is none when no constraint of the path reads a computed
    // cell besides that of the one before it.
    if !readsComputed(turned) { return nil }
    visit &+= 1
    var path: [Int32] = []
    var stack: [(constraint: Int32, isDone: Bool)] = [(start, false)]
    var closing: Int32 = -1
    while closing < 0, let (constraint, isDone) = stack.popLast() {
      if isDone {
        constraints[constraint].isOnPath = false
        path.removeLast()
        continue
      }
      guard constraints[constraint].visit != visit else { continue }
      constraints[constraint].visit = visit
      constraints[constraint].isOnPath = true
      path.append(constraint)
      stack.append((constraint, true))
      forEachReader(of: output(constraint)) { reader in
        if constraints[reader].visit == visit {
          if constraints[reader].isOnPath, closing < 0 { closing = reader }
        } else {
          stack.append((reader, false))
        }
      }
    }
    for constraint in path { constraints[constraint].isOnPath = false }
    guard closing >= 0 else { return nil }
    // From the end of the path back to where it began, the earliest formula first.
    let cycle = path.drop { $0 != closing }.map { formulaID($0) }
    return Array(cycle.prefix(1) + cycle.dropFirst().reversed())
  }

  private func readsComputed(_ turned: Turned) -> Bool {
    var before: Int32 = -1
    for (entry, _) in turned.choices {
      let output = output(entry)
      var member = constraints[entry].firstMember
      while member >= 0 {
        let variable = members[member].variable
        if variable != output, variable != before, variables[variable].source >= 0 { return true }
        member = members[member].nextOfConstraint
      }
      before = output
    }
    return false
  }

  /// The constraints whose chosen formulas read a cell.
  @inline(__always)
  private func forEachReader(of variable: Int32, _ body: (Int32) -> Void) {
    var member = variables[variable].firstMember
    while member >= 0 {
      let constraint = members[member].constraint
      let chosen = constraints[constraint].chosen
      if chosen >= 0, formulas[chosen].output != variable { body(constraint) }
      member = members[member].nextOfVariable
    }
  }
}

// MARK: - Writes from outside

extension PropagationSolver {
  /// Makes a cell one that keeps its value.
  ///
  /// - Throws: `SolverConflict` when all cells above it are pinned.
  /// - Complexity: O(constraints above the cell).
  public func edit(_ cell: CellID, age: UInt64, isPinned: Bool) throws(SolverConflict) {
    let variable = variable(cell)
    let source = variables[variable].source
    if source >= 0 {
      guard release(variable, from: source) else {
        throw SolverConflict(.overdetermined, formulasAbove(variable))
      }
      hasPlan = false
    }
    variables[variable].age = age
    variables[variable].isPinned = isPinned
  }

  /// Lets a cell be computed again.
  public func unpin(_ cell: CellID) {
    let variable = variablesByNumber[cell.rawValue]
    guard variable >= 0 else { return }
    variables[variable].isPinned = false
    revive()
  }

  /// Finds another cell for the constraint that computes this one, or gives a wish up.
  private func release(_ variable: Int32, from source: Int32) -> Bool {
    let found = search(in: source, avoiding: variable)
    var closed: [FormulaID]?
    if turn(found, in: source, closed: &closed) { return true }
    let weakest = found.victims.first.map { variables[found.steps[$0].variable].source }
    if constraints[source].strength < .required,
      weakest.map({ constraints[source].strength <= constraints[$0].strength }) ?? true
    {
      constraints[source].chosen = -1
      variables[variable].source = -1
      unsatisfied.append(source)
      return true
    }
    return giveUp(found, for: .required, in: source)
  }

  /// The formulas through which a cell is determined, from it upwards.
  private func formulasAbove(_ variable: Int32) -> [FormulaID] {
    visit &+= 1
    var result: [FormulaID] = []
    var queue = [variable]
    while let next = queue.popLast() {
      let source = variables[next].source
      guard source >= 0, constraints[source].visit != visit else { continue }
      constraints[source].visit = visit
      result.append(formulaID(source))
      let output = output(source)
      var member = constraints[source].firstMember
      while member >= 0 {
        if members[member].variable != output { queue.append(members[member].variable) }
        member = members[member].nextOfConstraint
      }
    }
    return result
  }
}

// MARK: - A turn

extension PropagationSolver {
  /// Runs the formulas below the changed cells, each once, in order.
  ///
  /// - Complexity: O(formulas below) once the plan is made, which is kept for the next change of
  ///   the same cells.
  public func settle(_ transaction: Transaction) {
    turn &+= 1
    var starts: [Int32] = []
    for index in 0..<transaction.changeCount {
      let variable = variablesByNumber[transaction.change(at: index).rawValue]
      guard variable >= 0 else { continue }
      variables[variable].changed = turn
      starts.append(variable)
    }
    var forced = revived
    revived = []
    if transaction.forcedCount > 0 {
      for formula in transaction.forced {
        let constraint = constraintsByFormula[formula.rawValue]
        if constraint >= 0 { forced.append(constraint) }
      }
    }
    forced.removeAll { constraints[$0].chosen < 0 }
    if forced.isEmpty {
      if !hasPlan || plannedCells != starts { makePlan(starts) }
    } else {
      makePlan(starts, and: forced)
    }
    for constraint in forced { constraints[constraint].isForced = true }
    var index = 0
    while index < plan.count {
      let entry = plan[index]
      index += 1
      guard constraints[entry].chosen >= 0 else { continue }
      let cause = cause(of: entry)
      guard cause >= 0 || constraints[entry].isForced else { continue }
      let output = output(entry)
      let id = formulaID(entry)
      if transaction.run(id, because: cause < 0 ? nil : CellID(cause)) {
        variables[output].changed = turn
      }
    }
    for constraint in forced { constraints[constraint].isForced = false }
  }

  /// The number of a cell that a constraint's formula reads and that has changed, or -1.
  @inline(__always)
  private func cause(of entry: Int32) -> Int32 {
    let output = formulas[constraints[entry].chosen].output
    var cause: Int32 = -1
    var member = constraints[entry].firstMember
    while member >= 0 {
      let variable = members[member].variable
      if variable != output, variables[variable].changed == turn { cause = variables[variable].id }
      member = members[member].nextOfConstraint
    }
    return cause
  }

  /// Puts the constraints below some cells in order, each after all that it depends on.
  private func makePlan(_ cells: [Int32], and forced: [Int32] = []) {
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
    for constraint in order.reversed() { plan.append(constraint) }
    plannedCells = cells
    hasPlan = forced.isEmpty
  }
}
