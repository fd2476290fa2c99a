/// The number of a cell: a place that takes part in connections.
@frozen
public struct CellID: Hashable, Sendable, Comparable, BitwiseCopyable {
  /// The number, `0 ...`, dense so that solvers may keep tables.
  public let rawValue: Int32

  /// Creates a number.
  @inlinable
  @inline(__always)
  public init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The number as an index.
  @inlinable public var index: Int { Int(rawValue) }

  /// Returns whether the left cell was made before the right one.
  @inlinable
  public static func < (left: CellID, right: CellID) -> Bool { left.rawValue < right.rawValue }

  /// Returns whether both numbers are of the same cell.
  @inlinable
  public static func == (left: CellID, right: CellID) -> Bool {
    left.rawValue == right.rawValue
  }

  /// Hashes the number.
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// The number of a formula: one direction in which a constraint can be satisfied.
@frozen
public struct FormulaID: Hashable, Sendable, Comparable, BitwiseCopyable {
  /// The number, `0 ...`, dense so that solvers may keep tables.
  public let rawValue: Int32

  /// Creates a number.
  @inlinable
  @inline(__always)
  public init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The number as an index.
  @inlinable public var index: Int { Int(rawValue) }

  /// Returns whether the left formula was made before the right one.
  @inlinable
  public static func < (left: FormulaID, right: FormulaID) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Returns whether both numbers are of the same formula.
  @inlinable
  public static func == (left: FormulaID, right: FormulaID) -> Bool {
    left.rawValue == right.rawValue
  }

  /// Hashes the number.
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// The number of a constraint: all the formulas over the same cells.
@frozen
public struct ConstraintID: Hashable, Sendable, BitwiseCopyable {
  /// The number, `0 ...`.
  public let rawValue: Int32

  /// Creates a number.
  @inlinable
  @inline(__always)
  public init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// Returns whether both numbers are of the same constraint.
  @inlinable
  public static func == (left: ConstraintID, right: ConstraintID) -> Bool {
    left.rawValue == right.rawValue
  }

  /// Hashes the number.
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// How much a constraint counts: of two that cannot both hold, the weaker one gives way.
@frozen
public enum Strength: UInt8, BitwiseCopyable, Comparable, Sendable, CaseIterable {
  /// Counts least.
  case weak
  /// Counts more than weak.
  case medium
  /// Gives way to what is required only.
  case strong
  /// Holds, or is refused.
  case required

  /// Returns whether the left strength gives way to the right one.
  @inlinable
  public static func < (left: Strength, right: Strength) -> Bool { left.rawValue < right.rawValue }
}

/// The relation between the left and the right side of a constraint.
@frozen
public enum Relation: Sendable {
  /// The sides are equal.
  case equal
  /// The left side is the right one or more.
  case atLeast
  /// The left side is the right one or less.
  case atMost
}

/// The left side of a constraint less its right side, as a sum: `x - y * scale - 3`.
///
/// A constraint with such a form says that the sum is zero, at least zero or at most zero.
public struct LinearForm: Sendable {
  /// A summand: `number * factor * ... / divisor / ... * cell`.
  public struct Term: Sendable {
    /// The number that the text gives.
    public var number: SolverNumber
    /// Cells outside of the region by whose values the summand is multiplied.
    public var factors: [CellID]
    /// Cells outside of the region by whose values the summand is divided.
    public var divisors: [CellID]
    /// The variable; nil for a summand without one.
    public var cell: CellID?

    /// Creates a summand.
    public init(
      _ number: SolverNumber, factors: [CellID] = [], divisors: [CellID] = [], _ cell: CellID?
    ) {
      self.number = number
      self.factors = factors
      self.divisors = divisors
      self.cell = cell
    }
  }

  /// The summands.
  public var terms: [Term]

  /// Creates a sum.
  public init(_ terms: [Term]) { self.terms = terms }

  /// The variables, sorted.
  public var cells: [CellID] { Set(terms.compactMap(\.cell)).sorted() }

  /// The cells whose values the summands need and that are no variables: when one of them changes
  /// the sum is another.
  public var constants: [CellID] { Set(terms.flatMap { $0.factors + $0.divisors }).sorted() }
}

/// A formula as a solver sees it: the cells that it reads and the cell that it computes.
///
/// Its code stays with the graph, which runs it when the solver says so.
public struct FormulaIR: Sendable {
  /// Its number.
  public let id: FormulaID
  /// The cell it computes.
  public let output: CellID
  /// The cells it reads: those that its text names and, for hidden reads, those that its last run read.
  public let inputs: [CellID]
  /// Cells that its text names and its last run has not read: the formula stands after their writers,
  /// and their changes do not run it.
  public let unread: [CellID]
  /// The order of declaration: of two equally good formulas, the earlier goes first.
  public let order: Int
  /// Its text, for messages.
  public let text: String
  /// Whether it is an inverse of another formula of its constraint, and no statement.
  public let isInverse: Bool

  /// Creates a formula.
  public init(
    id: FormulaID, output: CellID, inputs: [CellID], unread: [CellID] = [], order: Int,
    text: String, isInverse: Bool = false
  ) {
    self.id = id
    self.output = output
    self.inputs = inputs
    self.unread = unread
    self.order = order
    self.text = text
    self.isInverse = isInverse
  }
}

/// Formulas over the same cells: one of them satisfies the constraint.
public struct ConstraintIR: Sendable {
  /// Its number.
  public let id: ConstraintID
  /// The cells, sorted.
  public let cells: [CellID]
  /// The formulas, in the order they were declared, at most one for a cell.
  ///
  /// A constraint that is only linear has one, which stands for it and cannot be run.
  public let formulas: [FormulaIR]
  /// The strength of the constraint.
  public let strength: Strength
  /// The relation of the linear form to zero; without a linear form the formulas say it.
  public let relation: Relation
  /// The constraint as a sum, where it can be written so.
  public let linear: LinearForm?
  /// Whether there are no formulas to run: the linear form is all there is.
  public let isLinearOnly: Bool
  /// The name of the only solver that may keep it, if the program asks for one.
  public let solver: String?

  /// Creates a constraint.
  public init(
    id: ConstraintID, cells: [CellID], formulas: [FormulaIR], strength: Strength = .required,
    relation: Relation = .equal, linear: LinearForm? = nil, isLinearOnly: Bool = false,
    solver: String? = nil
  ) {
    self.id = id
    self.cells = cells
    self.formulas = formulas
    self.strength = strength
    self.relation = relation
    self.linear = linear
    self.isLinearOnly = isLinearOnly
    self.solver = solver
  }

  /// Whether it can be satisfied in more than one direction.
  public var isMultiWay: Bool { formulas.count > 1 || isLinearOnly }
}

/// Constraints that belong together, which a solver is asked to accept.
public struct RegionIR: Sendable {
  /// The constraints.
  public let constraints: [ConstraintIR]
  /// Cells that a formula outside the region determines.
  public let pinned: Set<CellID>

  /// Creates a region.
  public init(constraints: [ConstraintIR], pinned: Set<CellID>) {
    self.constraints = constraints
    self.pinned = pinned
  }
}
