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

  /// Whether the solver can keep a region's constraints.
  static func accept(_ region: RegionIR) -> Acceptance

  /// Takes a constraint in: all or nothing. A constraint of the same number is replaced.
  ///
  /// - Throws: `SolverConflict` when it cannot be kept together with the others; the solver is then
  ///   as it was before.
  func add(_ constraint: ConstraintIR) throws(SolverConflict)

  /// Lets a constraint go.
  func remove(_ constraint: ConstraintID)

  /// Learns that a cell was written from outside the solver's constraints.
  ///
  /// - Parameters:
  ///   - cell: The cell.
  ///   - age: When, as a number that grows with every write.
  ///   - isPinned: Whether the writer goes on determining the cell, so that no formula of the
  ///     region may compute it.
  /// - Throws: `SolverConflict` when the constraints leave no way to keep the cell as it is
  ///   written; the solver is then as it was before.
  func edit(_ cell: CellID, age: UInt64, isPinned: Bool) throws(SolverConflict)

  /// Learns that nothing outside determines a cell any more.
  func unpin(_ cell: CellID)

  /// Satisfies the constraints after changes.
  func settle(_ transaction: Transaction)

  /// The formula that computes a cell at present, if one does.
  func formula(computing cell: CellID) -> FormulaID?
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
    /// The solver has failed, and what it says.
    case failed(String)
  }

  /// What kind of conflict it is.
  public let kind: Kind
  /// The formulas that take part, in order.
  public let formulas: [FormulaID]

  /// Creates a conflict.
  public init(_ kind: Kind, _ formulas: [FormulaID]) {
    self.kind = kind
    self.formulas = formulas
  }
}

/// A turn as a solver sees it: what has changed, and the means to run formulas.
public final class Transaction {
  /// The cells that have changed, in the order they were written.
  public internal(set) var changed: [CellID] = []
  /// Formulas that must run though nothing they read has changed: they are new.
  public internal(set) var forced: [FormulaID] = []
  private let runner: (FormulaID, CellID?) -> Bool

  init(_ runner: @escaping (FormulaID, CellID?) -> Bool) {
    self.runner = runner
  }

  /// Lets a solver do its work; what changes meanwhile and is none of its own doing stays for the
  /// next time.
  func settle(with solver: any ConnectorSolver) {
    let changes = changed.count
    let formulas = forced.count
    solver.settle(self)
    changed.removeFirst(changes)
    forced.removeFirst(formulas)
  }

  /// Runs a formula and stores its value.
  ///
  /// - Parameters:
  ///   - formula: The formula.
  ///   - cause: The changed cell because of which it runs.
  /// - Returns: Whether the value of its cell has changed; not so when the formula failed.
  @inline(__always)
  public func run(_ formula: FormulaID, because cause: CellID?) -> Bool {
    runner(formula, cause)
  }
}
