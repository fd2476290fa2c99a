internal import TenonSolverKit
internal import TenonTables

/// A cell as the solver sees it.
struct LinearVariable: BitwiseCopyable {
  let cell: CellID
  /// The formula that is named as the reason of its value.
  var reason = FormulaID(-1)
  var number = SolverNumber.zero
  /// The position of the cell in its group: its value is `factor * group + offset`.
  var factor = SolverNumber.one
  var offset = SolverNumber.zero
  private var groupNumber: Int32 = -1
  /// The next and the previous member of the group, all around.
  var next: Int32
  var previous: Int32
  var isPinned = false
  var isKnown = false
  private var hasNumber = false
  /// The constraints in which it stands, in the order they came.
  var firstUse: Int32 = -1
  var lastUse: Int32 = -1
  var age: UInt64 = 0
  /// Of cells never written, the one with the lowest rank keeps its value.
  var rank: UInt32 = 0
  /// The number of constraints that have it on their left side.
  var targetCount: Int32 = 0
  /// The last search that has visited it.
  var visit = 0

  init(cell: CellID, number: Int) {
    self.cell = cell
    next = Int32(number)
    previous = Int32(number)
  }

  /// The group it belongs to.
  var group: Int {
    @inline(__always) get { Int(groupNumber) }
    @inline(__always) set { groupNumber = Int32(newValue) }
  }

  /// The number that the cell holds; nil if it holds none, or nothing yet.
  var value: SolverNumber? {
    @inline(__always) get { hasNumber ? number : nil }
    @inline(__always) set {
      hasNumber = newValue != nil
      if let newValue { number = newValue }
    }
  }
}

/// The occurrence of a variable in a constraint.
struct LinearUse: BitwiseCopyable {
  var record: Int32
  var variable: Int32
  /// The other variable, if the constraint joins the two to a group, or -1.
  var other: Int32 = -1
  var previousOfVariable: Int32 = -1
  var nextOfVariable: Int32 = -1
  var nextOfRecord: Int32 = -1
}

/// A constraint, its constants read.
final class LinearRecord {
  enum Role {
    /// Its constants are missing.
    case waiting
    /// It has no variables and is true.
    case constant
    /// It joins two variables to one group.
    case edge
    /// It states a relation within a group that is true already.
    case redundant
    /// It is part of the component of its groups.
    case general
  }

  let constraint: ConstraintIR
  let isRequired: Bool
  var terms: [(variable: Int, factor: SolverNumber)] = []
  var constant = SolverNumber.zero
  var role = Role.waiting
  var firstUse: Int32 = -1
  /// The position among the constraints of its component.
  var position = 0

  init(constraint: ConstraintIR) {
    self.constraint = constraint
    isRequired = constraint.strength == .required
  }

  var formula: FormulaID { constraint.formulas.first?.id ?? FormulaID(-1) }
  var order: Int { constraint.formulas.first?.order ?? 0 }

  /// The least magnitude of a factor, at most 1: about the size of the sum where its places are ones.
  var unit: Double {
    terms.reduce(1) { Swift.min($0, $1.factor.magnitude.double) }
  }

  /// Returns whether a value of the sum satisfies the relation, as far as doubles can tell.
  func holds(_ sum: SolverNumber, size: SolverNumber) -> Bool {
    if isNearZero(sum, size, unit: unit) { return true }
    switch constraint.relation {
    case .equal: return false
    case .atLeast: return !sum.isNegative
    case .atMost: return sum.isNegative
    }
  }
}

/// Variables that determine each other.
struct LinearGroup: BitwiseCopyable {
  /// A member; the others follow it.
  var first: Int
  var count: Int
  /// The member that was written last, or -1 until it is asked for.
  var leader = -1
  var pinnedCount = 0
  /// The component it is part of, or -1.
  var component = -1
  /// Whether its members may have values that do not fit together yet.
  var isFresh = false
}

/// Groups that general constraints join.
struct LinearComponent {
  var records: [Int]
  /// The solved system; nil when it has to be built anew.
  var solution: LinearSolution?
}
