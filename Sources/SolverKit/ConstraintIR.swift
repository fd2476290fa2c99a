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

  /// Whether one was made before the other.
  @inlinable
  public static func < (left: CellID, right: CellID) -> Bool { left.rawValue < right.rawValue }

  /// Whether both are of the same.
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

  /// Whether one was made before the other.
  @inlinable
  public static func < (left: FormulaID, right: FormulaID) -> Bool {
    left.rawValue < right.rawValue
  }

  /// Whether both are of the same.
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

  /// Whether both are of the same.
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
  /// A wish.
  case weak
  /// More than a wish.
  case medium
  /// Gives way to what is required only.
  case strong
  /// Holds, or is refused.
  case required

  /// Whether one gives way to the other.
  @inlinable
  public static func < (left: Strength, right: Strength) -> Bool { left.rawValue < right.rawValue }
}

/// What a constraint says of its left and its right side.
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
    /// What the text gives as a number.
    public var number: SolverNumber
    /// Cells outside of the region by whose values it is multiplied.
    public var factors: [CellID]
    /// Cells outside of the region by whose values it is divided.
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

/// A formula as a solver sees it: which cells it reads and which one it computes.
///
/// What it computes stays with the graph, which runs it when the solver says so.
public struct FormulaIR: Sendable {
  /// Its number.
  public let id: FormulaID
  /// The cell it computes.
  public let output: CellID
  /// The cells it reads, as the text says and, for reads the text hides, as its last run showed.
  public let inputs: [CellID]
  /// Cells that its text says it reads and that its last run has not read: it stands after what
  /// computes them, and their changes do not concern it.
  public let unread: [CellID]
  /// When it was declared: of two equally good, the earlier goes first.
  public let order: Int
  /// Its text, for messages.
  public let text: String
  /// Whether it is a way back that follows from another formula of its constraint, and no statement.
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
  /// What is only linear has one, which stands for it and cannot be run.
  public let formulas: [FormulaIR]
  /// How much it counts.
  public let strength: Strength
  /// What it says of its linear form; without one it is what the formulas say.
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

/// What a solver is asked to accept: constraints that belong together.
public struct RegionIR: Sendable {
  /// The constraints.
  public let constraints: [ConstraintIR]
  /// Cells that something outside the region determines.
  public let pinned: Set<CellID>

  /// Creates a region.
  public init(constraints: [ConstraintIR], pinned: Set<CellID>) {
    self.constraints = constraints
    self.pinned = pinned
  }
}
