// The interface of connector solvers: constraints as a solver sees them (ConstraintIR), numbers
// (SolverNumber), the turn in which it works (Transaction), and the protocol that it implements
// (ConnectorSolver). Nothing here knows of programs: the cells are kept in Runtime/Connections, the
// solvers of the library are in Solvers.

internal import TenonTables

/// A strategy that keeps the constraints of regions satisfied.
///
/// The graph of cells, their values and the formulas belong to the runtime. It divides the
/// constraints into regions, orders the regions, and gives each to the cheapest registered solver
/// that accepts it. A solver keeps tables of its own over the numbers of cells and formulas; in a
/// turn it is entered once for its region, with the cells that have changed, and says which formula
/// runs when.
public protocol ConnectorSolver: AnyObject {
  /// Creates a solver without constraints.
  init()

  /// The name of the solver in programs: `dataflow`.
  static var name: String { get }

  /// The cost of a formula in nanoseconds, roughly: of the solvers that accept, the cheapest wins.
  static var cost: Int { get }

  /// Whether the solver computes values itself, from constraints as sums, and runs no formulas.
  static var solvesSums: Bool { get }

  /// Whether the solver chooses for each constraint one of its formulas, so that another formula can be
  /// chosen in place of one that cannot compute its cell.
  static var choosesFormulas: Bool { get }

  /// Returns whether the solver can keep a region's constraints, or the reasons why it cannot.
  static func accept(_ region: RegionIR) -> Acceptance

  /// Adds a constraint: all or nothing. A constraint of the same number is replaced.
  ///
  /// A constraint of one direction may have the same number as its formula.
  ///
  /// - Throws: `SolverConflict` when the constraint cannot be kept together with the others; the solver is
  ///   then as it was before.
  func add(_ constraint: ConstraintIR) throws(SolverConflict)

  /// Removes a constraint.
  func remove(_ constraint: ConstraintID)

  /// Takes the rank of a cell, which counts while it was never written, before any other call names it:
  /// of two cells the one with the lower rank gives way where nothing else decides. They do not depend on when
  /// places were connected. Ranks from 2^31 on are of places that held a value when they were connected.
  func setRank(_ rank: UInt32, of cell: CellID)

  /// Takes an edit: a write of a cell from outside the solver's constraints.
  ///
  /// - Parameters:
  ///   - cell: The cell.
  ///   - age: The time of the write, a number that grows with every write; 0 for a cell that was never
  ///     written.
  ///   - isPinned: Whether the writer goes on determining the cell, so that no formula of the
  ///     region may compute it.
  /// - Throws: `SolverConflict` when the constraints leave no way to keep the cell as it is
  ///   written; the solver is then as it was before.
  func edit(_ cell: CellID, age: UInt64, isPinned: Bool) throws(SolverConflict)

  /// Makes a cell keep its value in the next settling as if it were written, for a constraint that begins
  /// with it; that is no write, and whatever counts more than a stay goes on counting more.
  func begin(with cell: CellID, age: UInt64)

  /// Takes the news that nothing outside determines a cell any more.
  func unpin(_ cell: CellID)

  /// Takes the news that the next settling is the first one of a turn.
  func beginTurn()

  /// Satisfies the constraints after changes.
  func settle(_ transaction: Transaction)

  /// Satisfies the constraints after the change of one cell, which the transaction does not name.
  func settle(from cell: CellID, _ transaction: Transaction)

  /// Takes the news that a turn was given up: cells hold again the values from before it, and not those
  /// that the solver has computed in it.
  func forgetTurn()

  /// Returns the formula that computes a cell at present, or nil.
  func formula(computing cell: CellID) -> FormulaID?

  /// Takes the means to read cells outside of a turn: for a solver that computes values itself.
  func attach(to values: CellValues)

  /// Returns the formulas that a change of some cells would run, in order; for a solver that computes
  /// values itself, those of the constraints that it would satisfy.
  func plan(edits: [CellID]) -> [FormulaID]

  /// Returns why a cell has its value; nil for a cell that the solver does not compute.
  func explain(_ cell: CellID) -> Explanation?

  /// Whether `edit` is called also for a write that leaves the value of a cell unchanged.
  static var hearsEqualWrites: Bool { get }

  /// Whether a removed constraint leaves nothing behind: the solver then treats the required constraints
  /// that remain as if the removed one had never been.
  static var forgetsAtOnce: Bool { get }

  /// Returns whether a constraint is in force, and not displaced by stronger ones.
  func keeps(_ constraint: ConstraintID) -> Bool

  /// The constraints that do not hold because stronger ones stand against them.
  var residuals: [Residual] { get }
}

extension ConnectorSolver {
  /// Does nothing: the solver need not choose.
  public func setRank(_ rank: UInt32, of cell: CellID) {}

  /// Does nothing: all turns are the same.
  public func beginTurn() {}

  /// Does nothing: the solver need not choose.
  public func begin(with cell: CellID, age: UInt64) {}

  /// Names the cell in the transaction.
  public func settle(from cell: CellID, _ transaction: Transaction) {
    transaction.changes.append(cell)
    transaction.settle(with: self)
  }

  /// Does nothing: the solver runs formulas only.
  public func attach(to values: CellValues) {}

  /// Does nothing: the solver keeps no values.
  public func forgetTurn() {}

  /// Returns no formulas: the solver cannot tell.
  public func plan(edits: [CellID]) -> [FormulaID] { [] }

  /// Returns the formula that computes the cell.
  public func explain(_ cell: CellID) -> Explanation? {
    formula(computing: cell).map { Explanation(formulas: [$0], cells: []) }
  }

  /// False: the solver runs formulas.
  public static var solvesSums: Bool { false }

  /// False: the solver runs the formulas that it is given.
  public static var choosesFormulas: Bool { false }

  /// False: a write of an equal value changes nothing.
  public static var hearsEqualWrites: Bool { false }

  /// False: the constraints that remain are given to a new solver.
  public static var forgetsAtOnce: Bool { false }

  /// Returns true: an added constraint holds.
  public func keeps(_ constraint: ConstraintID) -> Bool { true }

  /// Empty: every constraint holds.
  public var residuals: [Residual] { [] }
}

/// The formulas and cells that determine a cell.
public struct Explanation: Sendable {
  /// The formulas through which it is determined.
  public let formulas: [FormulaID]
  /// The cells on whose values it depends; empty if they are the inputs of the first formula.
  public let cells: [CellID]

  /// Creates an explanation.
  public init(formulas: [FormulaID], cells: [CellID]) {
    self.formulas = formulas
    self.cells = cells
  }
}

/// The amount by which a constraint does not hold.
public struct Residual: Sendable {
  /// The constraint.
  public let constraint: ConstraintID
  /// The left side less the right one.
  public let amount: SolverNumber

  /// Creates a residual.
  public init(_ constraint: ConstraintID, _ amount: SolverNumber) {
    self.constraint = constraint
    self.amount = amount
  }
}

/// The values of cells as numbers.
public final class CellValues {
  private let reader: (CellID) -> SolverNumber?
  private let poll: () -> Bool

  /// Creates the means to read cells, and to hear that the program is to end.
  public init(
    _ reader: @escaping (CellID) -> SolverNumber?,
    isInterrupted: @escaping () -> Bool = { false }
  ) {
    self.reader = reader
    poll = isInterrupted
  }

  /// Whether the program is to end.
  ///
  /// A solver that takes long asks now and then. It gives up with a conflict that says so, and is as
  /// it was before.
  public var isInterrupted: Bool { poll() }

  /// The number that a cell holds; nil when it holds no number.
  public subscript(cell: CellID) -> SolverNumber? { reader(cell) }
}

/// A solver's answer to a region.
public enum Acceptance: Sendable {
  /// It can keep the constraints.
  case yes
  /// It cannot, for these reasons.
  case no([Refusal])
}

/// The reason why a solver does not take a constraint.
public struct Refusal: Sendable {
  /// The formula that is the obstacle.
  public let formula: FormulaID
  /// The reason: lower case, no full stop.
  public let reason: String

  /// Creates a refusal.
  public init(_ formula: FormulaID, _ reason: String) {
    self.formula = formula
    self.reason = reason
  }
}

/// The reason why constraints cannot be kept together.
public struct SolverConflict: Error, Sendable {
  /// The kind of a conflict.
  public enum Kind: Sendable {
    /// The formulas need each other's results: a way around, each one needing the next.
    case cycle
    /// More formulas determine a cell than there are ways to satisfy.
    case overdetermined
    /// Required constraints that cannot hold together: no fewer of them would do.
    case unsatisfiable
    /// A cell that a solver computes with holds a value that is no finite number.
    case noNumber
    /// A constraint that the solver cannot keep: the reason, lower case, no full stop.
    case unsupported(String)
    /// The program is to end.
    case interrupted
    /// The solver has failed, with its message.
    case failed(String)
  }

  /// The kind of the conflict.
  public let kind: Kind
  /// The formulas that take part, in order.
  public let formulas: [FormulaID]
  /// The cells whose values take part: those written from outside or determined elsewhere.
  public let cells: [CellID]

  /// Creates a conflict.
  public init(_ kind: Kind, _ formulas: [FormulaID], cells: [CellID] = []) {
    self.kind = kind
    self.formulas = formulas
    self.cells = cells
  }
}
