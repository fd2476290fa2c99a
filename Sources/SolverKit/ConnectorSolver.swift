// What a solver of connectors is written against: constraints as it sees them (ConstraintIR), numbers
// (SolverNumber), the turn in which it works (Transaction), and what it must be able to do
// (ConnectorSolver). Nothing here knows of programs: what keeps the cells is in Runtime/Connections, the
// solvers of the library are in Solvers.

internal import TenonTables

/// A way to keep constraints true.
///
/// The graph of cells, their values and the formulas belong to the runtime. It divides the
/// constraints into regions, orders the regions, and gives each to the cheapest registered solver
/// that accepts it. A solver keeps tables of its own over the numbers of cells and formulas; in a
/// turn it is entered once for its region, with the cells that have changed, and says which formula
/// runs when.
public protocol ConnectorSolver: AnyObject {
  /// Creates a solver without constraints.
  init()

  /// What programs call it: `dataflow`.
  static var name: String { get }

  /// What it costs, in nanoseconds for a formula, roughly: of those that accept, the cheapest wins.
  static var cost: Int { get }

  /// Whether it computes values itself, from constraints as sums, and does not run formulas.
  static var solvesSums: Bool { get }

  /// Whether it chooses for each constraint one of its formulas, so that another one can be chosen in
  /// place of one that cannot compute its cell.
  static var choosesFormulas: Bool { get }

  /// Whether the solver can keep a region's constraints.
  static func accept(_ region: RegionIR) -> Acceptance

  /// Takes a constraint in: all or nothing. A constraint of the same number is replaced.
  ///
  /// A constraint of one direction may have the same number as its formula.
  ///
  /// - Throws: `SolverConflict` when it cannot be kept together with the others; the solver is then
  ///   as it was before.
  func add(_ constraint: ConstraintIR) throws(SolverConflict)

  /// Lets a constraint go.
  func remove(_ constraint: ConstraintID)

  /// Learns which of the cells that were never written a cell is, before anything else is said of it: of
  /// two of which nothing else tells which gives way, these numbers do. They do not depend on when places
  /// were connected. Those from 2^31 on are of places that held something when they were.
  func setRank(_ rank: UInt32, of cell: CellID)

  /// Learns that a cell was written from outside the solver's constraints.
  ///
  /// - Parameters:
  ///   - cell: The cell.
  ///   - age: When, as a number that grows with every write, or 0 for a cell that was never
  ///     written.
  ///   - isPinned: Whether the writer goes on determining the cell, so that no formula of the
  ///     region may compute it.
  /// - Throws: `SolverConflict` when the constraints leave no way to keep the cell as it is
  ///   written; the solver is then as it was before.
  func edit(_ cell: CellID, age: UInt64, isPinned: Bool) throws(SolverConflict)

  /// Has a cell keep its value in the next settling as if it were written, for a constraint that begins
  /// with it; that is no write, and all that counts more than a wish to stay goes on counting more.
  func begin(with cell: CellID, age: UInt64)

  /// Learns that nothing outside determines a cell any more.
  func unpin(_ cell: CellID)

  /// Learns that the next settling is the first one of a turn.
  func beginTurn()

  /// Satisfies the constraints after changes.
  func settle(_ transaction: Transaction)

  /// Satisfies the constraints after the change of one cell, which the transaction does not name.
  func settle(from cell: CellID, _ transaction: Transaction)

  /// Learns that a turn was given up: cells hold again what they held before it, and not what the
  /// solver has computed in it.
  func forgetTurn()

  /// The formula that computes a cell at present, if one does.
  func formula(computing cell: CellID) -> FormulaID?

  /// Learns how to read cells outside of a turn: for a solver that computes values itself.
  func attach(to values: CellValues)

  /// The formulas that a change of some cells would run, in order; for a solver that computes
  /// values itself, those of the constraints that it would satisfy.
  func plan(edits: [CellID]) -> [FormulaID]

  /// Why a cell has the value it has; nil for a cell that the solver does not compute.
  func explain(_ cell: CellID) -> Explanation?

  /// Whether `edit` is called also for a write that leaves a cell as it is.
  static var hearsEqualWrites: Bool { get }

  /// Whether a constraint that is removed leaves nothing behind: what the solver does with those
  /// that are required and remain is then what it would do had the other one never been.
  static var forgetsAtOnce: Bool { get }

  /// Whether a constraint is in force; not so one that stands back behind stronger ones.
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

  /// Answers nothing: the solver cannot tell.
  public func plan(edits: [CellID]) -> [FormulaID] { [] }

  /// Answers the formula that computes the cell.
  public func explain(_ cell: CellID) -> Explanation? {
    formula(computing: cell).map { Explanation(formulas: [$0], cells: []) }
  }

  /// Answers no: it runs formulas.
  public static var solvesSums: Bool { false }

  /// Answers no: it runs those that it is given.
  public static var choosesFormulas: Bool { false }

  /// Answers no: who writes what is there already changes nothing.
  public static var hearsEqualWrites: Bool { false }

  /// Answers no: what remains is given to a new solver.
  public static var forgetsAtOnce: Bool { false }

  /// Answers true: what was added holds.
  public func keeps(_ constraint: ConstraintID) -> Bool { true }

  /// Answers nothing: every constraint holds.
  public var residuals: [Residual] { [] }
}

/// What determines a cell.
public struct Explanation: Sendable {
  /// The formulas through which it is determined.
  public let formulas: [FormulaID]
  /// The cells on whose values it depends; empty if that is what the first formula reads.
  public let cells: [CellID]

  /// Creates an explanation.
  public init(formulas: [FormulaID], cells: [CellID]) {
    self.formulas = formulas
    self.cells = cells
  }
}

/// By how much a constraint does not hold.
public struct Residual: Sendable {
  /// The constraint.
  public let constraint: ConstraintID
  /// What its left side is more than its right one; less when negative.
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
  /// It cannot, and why.
  case no([Refusal])
}

/// Why a solver does not take a constraint.
public struct Refusal: Sendable {
  /// The formula that stands against it.
  public let formula: FormulaID
  /// The reason: lower case, no full stop.
  public let reason: String

  /// Creates a refusal.
  public init(_ formula: FormulaID, _ reason: String) {
    self.formula = formula
    self.reason = reason
  }
}

/// Why constraints cannot be kept together.
public struct SolverConflict: Error, Sendable {
  /// What kind of conflict it is.
  public enum Kind: Sendable {
    /// The formulas need each other's results: a way around, each one needing the next.
    case cycle
    /// More formulas determine a cell than there are ways to satisfy.
    case overdetermined
    /// Required constraints that cannot hold together: no fewer of them would do.
    case unsatisfiable
    /// A cell that a solver computes with holds something else than a finite number.
    case noNumber
    /// Something that the solver cannot keep: the reason, lower case, no full stop.
    case unsupported(String)
    /// The program is to end.
    case interrupted
    /// The solver has failed, and what it says.
    case failed(String)
  }

  /// What kind of conflict it is.
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
