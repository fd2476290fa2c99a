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
    /// The number of the cell.
    var id: Int32
    var isPinned = false
    /// The first constraint that joins it.
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

  let constraints = FlatTable<Constraint>()
  let variables = FlatTable<Variable>()
  let members = FlatTable<Member>()
  let formulas = FlatTable<Formula>()
  private var freeConstraint: Int32 = -1
  private var freeMember: Int32 = -1
  private var freeFormula: Int32 = -1
  private let constraintsByNumber = NumberMap()
  let constraintsByFormula = NumberMap()
  let variablesByNumber = NumberMap()
  private var nextRank: Int32 = 0
  var visit: UInt32 = 0
  var turn: UInt32 = 0
  /// The constraints that are given up.
  var unsatisfied: [Int32] = []
  /// Those that have come into force again and have not run yet.
  var revived: [Int32] = []
  /// The constraints below some cells, in order, as long as the choices stand.
  let plan = FlatTable<Int32>()
  /// The same as formulas, once it is used again.
  var formulaPlan: FormulaPlan?
  var plannedCells: [Int32] = []
  var hasPlan = false

  /// Creates a solver without constraints.
  public init() {}

  /// Its name in programs.
  public static var name: String { "propagation" }

  /// Nanoseconds for a formula, roughly.
  public static var cost: Int { 10 }

  /// A constraint that is gone determines no choice any more.
  public static var forgetsAtOnce: Bool { true }

  /// Accepts regions in which every constraint has more than one direction.
  public static func accept(_ region: RegionIR) -> Acceptance {
    let refusals = region.constraints.compactMap { constraint -> Refusal? in
      if constraint.isLinearOnly, let formula = constraint.formulas.first {
        let kind = constraint.relation == .equal ? "equation" : "inequality"
        return Refusal(formula.id, "an \(kind) has no formula to run")
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

  func formulaID(_ constraint: Int32) -> FormulaID {
    FormulaID(formulas[constraints[constraint].chosen].id)
  }

  func output(_ constraint: Int32) -> Int32 {
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
  func variable(_ cell: CellID) -> Int32 {
    let known = variablesByNumber[cell.rawValue]
    if known >= 0 { return known }
    let new = Int32(variables.count)
    variables.append(Variable(id: cell.rawValue, rank: nextRank))
    nextRank += 1
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
