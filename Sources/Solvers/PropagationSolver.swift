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
  /// A cell of a constraint, and the formula that computes it.
  ///
  /// Those of a constraint stand in a row, at first those that have a formula, in the order of the
  /// formulas.
  struct Member {
    /// The constraint, or -1 for a free record.
    var constraint: Int32
    var variable: Int32
    /// The number of the formula, or -1.
    var formula: Int32
    /// The next one of the same cell; of free ones in a row, the next such row.
    var nextOfVariable: Int32 = -1
    /// The one before it of the same cell; of the first one, the last.
    var previousOfVariable: Int32 = -1

    static let free = Member(constraint: -1, variable: -1, formula: -1)
  }

  struct Constraint {
    /// The member whose formula is chosen, or -1 while it is given up.
    var chosen: Int32 = -1
    /// Its first cell, or the next free record.
    var firstMember: Int32 = -1
    /// The last search that has visited it.
    var visit: UInt32 = 0
    var strength: Strength
    var isOnPath = false
    var mustRun = false
    /// Whether it is to be satisfied, while all choices are made anew.
    var isActive = false
    /// Whether the record is in use.
    var isUsed = true
  }

  struct Variable {
    /// The number of the cell.
    var id: Int32
    /// The first constraint that joins it.
    var firstMember: Int32 = -1
    /// The constraint whose chosen formula computes it, or -1.
    var source: Int32 = -1
    /// Of cells never written, those below 2^31 give way first; of those equally far left, the
    /// lowest.
    var rank: UInt32 = 0
    var visit: UInt32 = 0
    /// The turn in which it last changed.
    var changed: UInt32 = 0
    /// The turn after which it was last written.
    var written = UInt32.max
    /// Its least distance from the left in statements, and how often it stands there.
    var left = LeftMost()
    private var ageAndFlags: UInt64 = 0

    init(id: Int32) { self.id = id }

    /// When it was written last.
    var age: UInt64 {
      get { ageAndFlags >> 3 }
      set { ageAndFlags = newValue << 3 | ageAndFlags & 7 }
    }

    /// Whether no formula may compute it.
    var isPinned: Bool {
      get { ageAndFlags & 1 != 0 }
      set { ageAndFlags = newValue ? ageAndFlags | 1 : ageAndFlags & ~1 }
    }

    /// Whether it keeps its value, and a cell that counts more may be able to in its place.
    var isLoose: Bool {
      get { ageAndFlags & 2 != 0 }
      set { ageAndFlags = newValue ? ageAndFlags | 2 : ageAndFlags & ~2 }
    }

    /// Whether it is computed, and counts more than when that was chosen.
    var hasRisen: Bool {
      get { ageAndFlags & 4 != 0 }
      set { ageAndFlags = newValue ? ageAndFlags | 4 : ageAndFlags & ~4 }
    }
  }

  let constraints = FlatTable<Constraint>()
  let variables = FlatTable<Variable>()
  let members = FlatTable<Member>()
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
  var revived: [Int32] = [] { didSet { hasRevived = !revived.isEmpty } }
  /// Whether there is any: testing a list costs more.
  private(set) var hasRevived = false
  /// No cell that keeps its value counts less than this.
  var leastKept = Weight.most
  /// The cells that are loose.
  var loose: [Int32] = [] { didSet { hasLoose = !loose.isEmpty } }
  private(set) var hasLoose = false
  /// The cells that are computed and have risen.
  var risen: [Int32] = [] { didSet { hasRisen = !risen.isEmpty } }
  private(set) var hasRisen = false
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
  var begun: [(variable: Int32, age: UInt64, trueAge: UInt64)] = [] {
    didSet { hasBegun = !begun.isEmpty }
  }
  private(set) var hasBegun = false
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

extension PropagationSolver {
  /// The least distance of a cell from the left in the statements that join it, and how often it has that.
  ///
  /// When its last occurrence is gone, the distance has to be searched again.
  struct LeftMost: BitwiseCopyable {
    private var word: UInt32 = 0

    private static var mostPlaces: Int32 { 255 }
    private static var mostCount: UInt32 { 1 << 24 - 1 }

    private var count: UInt32 { word >> 8 }

    /// The distance; great distances are the same.
    var place: UInt32 { word & 255 }

    var isUnknown: Bool { count == 0 }

    mutating func add(_ place: Int32) {
      let place = UInt32(min(place, LeftMost.mostPlaces))
      if isUnknown || place < self.place {
        // An unknown distance with members stays unknown, except where the new one is 0.
        if isUnknown, word != 0, place > 0 { return }
        word = 1 << 8 | place
      } else if place == self.place, count < LeftMost.mostCount {
        word += 1 << 8
      }
    }

    mutating func remove(_ place: Int32) {
      guard !isUnknown, min(place, LeftMost.mostPlaces) == Int32(self.place),
        count < LeftMost.mostCount
      else { return }
      // Not 0, which is for a cell that no statement has named.
      word = count == 1 ? 255 : word - 1 << 8
    }
  }
}
