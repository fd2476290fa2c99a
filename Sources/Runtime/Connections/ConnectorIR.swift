/// The number of a cell: a place that takes part in connections.
public struct CellID: Hashable, Sendable, Comparable, BitwiseCopyable {
  /// The number, `0 ...`, dense so that solvers may keep tables.
  public let rawValue: Int32

  /// Creates a number.
  public init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The number as an index.
  public var index: Int { Int(rawValue) }

  /// Whether one was made before the other.
  public static func < (left: CellID, right: CellID) -> Bool { left.rawValue < right.rawValue }
}

/// The number of a formula: one direction in which a constraint can be satisfied.
public struct FormulaID: Hashable, Sendable, Comparable, BitwiseCopyable {
  /// The number, `0 ...`, dense so that solvers may keep tables.
  public let rawValue: Int32

  /// Creates a number.
  public init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The number as an index.
  public var index: Int { Int(rawValue) }

  /// Whether one was made before the other.
  public static func < (left: FormulaID, right: FormulaID) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The number of a constraint: all the formulas over the same cells.
public struct ConstraintID: Hashable, Sendable {
  /// The number, `0 ...`.
  public let rawValue: Int32

  /// Creates a number.
  public init(_ rawValue: Int32) { self.rawValue = rawValue }
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
  /// When it was declared: of two equally good, the earlier goes first.
  public let order: Int
  /// Its text, for messages.
  public let text: String

  /// Creates a formula.
  public init(id: FormulaID, output: CellID, inputs: [CellID], order: Int, text: String) {
    self.id = id
    self.output = output
    self.inputs = inputs
    self.order = order
    self.text = text
  }
}

/// Formulas over the same cells: one of them satisfies the constraint.
public struct ConstraintIR: Sendable {
  /// Its number.
  public let id: ConstraintID
  /// The cells, sorted.
  public let cells: [CellID]
  /// The formulas, in the order they were declared, at most one for a cell.
  public let formulas: [FormulaIR]

  /// Creates a constraint.
  public init(id: ConstraintID, cells: [CellID], formulas: [FormulaIR]) {
    self.id = id
    self.cells = cells
    self.formulas = formulas
  }

  /// Whether it can be satisfied in more than one direction.
  public var isMultiWay: Bool { formulas.count > 1 }
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
