public import TenonSolverKit
internal import TenonTables

/// Keeps constraints that can be satisfied in more than one direction, by local propagation.
///
/// In each constraint one of its formulas is chosen, so that no cell is computed twice and no
/// formula needs its own result. A cell that no formula computes keeps its value.
///
/// - Solution: a written cell keeps its value to the bit; of the others, those written
///   longest ago give way. Of cells never written it is first those that held no value when they were
///   connected, then the cell that stands further left in a statement, then the one of lower rank.
///   Each formula runs at most once for a change; nothing is iterated. Of constraints that cannot all
///   hold, the weakest is given up, and of equally weak ones the youngest. So the cells that keep
///   their values do not depend on the order in which constraints came, nor on those that are gone.
/// - Cycles and more required constraints than cells can bear are refused, with the formulas that
///   take part. With too few constraints cells keep their values.
/// - Cost: a change of a cell that is computed costs a search through the constraints above it;
///   then, and for a free cell, a step for each formula below it. Cells that a removal lets keep their
///   values are searched before the next change, through the constraints below. Where choices were
///   refused because of cycles or soft constraints do not hold, all choices are made anew.
///
/// Algorithm: B. N. Freeman-Benson, J. Maloney, A. Borning, "An incremental constraint solver",
/// Communications of the ACM 33(1), 1990 (DeltaBlue). The strengths of the implicit stays are
/// the ages of the last writes, so that they are all different: the cell that gives way is found
/// by one search for the weakest free cell above the edited one, an alternating path that is then
/// turned around. Walkabout strengths need not be kept. The sets of cells that formulas can compute are
/// those of a transversal matroid, as in J. Edmonds, D. R. Fulkerson, "Transversals and matroid partition",
/// Journal of Research of the National Bureau of Standards 69B, 1965: the best choice by single
/// exchanges is the best of all. Where cycles stand in the way of one, cells are kept one after the other,
/// each if the rest can be satisfied by propagating degrees of freedom (I. Sutherland, "Sketchpad",
/// 1963), which finds a way if there is one.
public final class PropagationSolver: ConnectorSolver {
  let constraints = FlatTable<PropagationConstraint>()
  let variables = FlatTable<PropagationVariable>()
  let members = FlatTable<PropagationMember>()
  /// For a member the position of its cell in the statement, if it differs from its position in the row:
  /// explanations and refusals use it.
  let places = NumberMap()
  /// For a member of a constraint of several statements its average distance from the left in them.
  let lefts = NumberMap()
  /// For a soft constraint its order of declaration.
  let orders = NumberMap()
  /// The number of records, free ones included.
  var recordCount: Int { constraints.count + variables.count + members.count }
  var freeConstraint: Int32 = -1
  /// For each count the first of so many free members in a row, or -1.
  let freeMembers = FlatTable<Int32>()
  /// The cells of a constraint that is being entered.
  let joined = FlatTable<Int32>()
  let constraintsByNumber = NumberMap()
  let variablesByNumber = NumberMap()
  var visit: UInt32 = 0
  var turn: UInt32 = 0
  /// The constraints that are given up.
  var unsatisfied: [Int32] = []
  /// The constraints that have come into force again and have not run yet.
  @safe @exclusivity(unchecked) var revived = TestedList<Int32>()
  /// No cell that keeps its value counts less than this.
  var leastKept = Weight.most
  /// The cells that are loose.
  @safe @exclusivity(unchecked) var loose = TestedList<Int32>()
  /// The cells that are computed and have risen.
  @safe @exclusivity(unchecked) var risen = TestedList<Int32>()
  /// Whether a cycle has stood in the way of a choice: single exchanges do not find the best choice then.
  var isTangled = false
  /// The cell that was written last, or -1; whether any cell has been written since the last turn, and
  /// whether there has been a turn since for another reason.
  var newest: Int32 = -1
  var isWritten = false
  var isOutdated = false
  /// Whether all choices are to be made anew before anything depends on them.
  var isStale = false
  /// The cells with which constraints begin that have not been settled, with both of their ages.
  @safe @exclusivity(unchecked)
  var begun = TestedList<(variable: Int32, age: UInt64, trueAge: UInt64)>()
  /// The index of a cell's last entry among them.
  let begunAt = NumberMap()
  /// The constraints below some cells, in order, as long as the choices stand.
  let plan = FlatTable<Int32>()
  /// The plan as formulas, once it is used again.
  var formulaPlan: FormulaPlan?
  var plannedCells: [Int32] = []
  var hasPlan = false
  /// How many plans have been made.
  var planCount = 0

  /// Creates a solver without constraints.
  public init() {
    // Behind the last member stands one that belongs to no constraint.
    members.append(.free)
  }

  /// Its name in programs.
  public static var name: String { "propagation" }

  /// Nanoseconds for a formula, roughly.
  public static var cost: Int { 10 }

  /// True: it chooses a formula of each constraint.
  public static var choosesFormulas: Bool { true }

  /// True: a removed constraint determines no choice any more.
  public static var forgetsAtOnce: Bool { true }

  /// True: the cell that was written last keeps its value, even if the write changed nothing.
  public static var hearsEqualWrites: Bool { true }

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

  /// Returns the formula that computes a cell at present, or nil.
  public func formula(computing cell: CellID) -> FormulaID? {
    if isStale { improve() }
    let variable = variablesByNumber[cell.rawValue]
    guard variable >= 0, variables[variable].source >= 0 else { return nil }
    return formulaID(variables[variable].source)
  }

  /// Returns whether a constraint is in force, and not displaced by stronger ones.
  public func keeps(_ constraint: ConstraintID) -> Bool {
    if isStale { improve() }
    let known = constraintsByNumber[constraint.rawValue]
    return known >= 0 && constraints[known].chosen >= 0
  }

  /// Returns the formulas that a change of some cells would run, in order.
  public func plan(edits: [CellID]) -> [FormulaID] {
    improve()
    makePlan(edits.map { variablesByNumber[$0.rawValue] }.filter { $0 >= 0 })
    return (0..<plan.count).map { formulaID(plan[$0]) }
  }

  func formulaID(_ constraint: Int32) -> FormulaID {
    FormulaID(members[constraints[constraint].chosen].formula)
  }

  func output(_ constraint: Int32) -> Int32 {
    let chosen = constraints[constraint].chosen
    return chosen < 0 ? -1 : members[chosen].variable
  }

  /// Returns whether a member is one of a constraint, also for the number behind its last one.
  @inline(__always)
  func isMember(_ member: Int32, of constraint: Int32) -> Bool {
    members[member].constraint == constraint
  }
}
