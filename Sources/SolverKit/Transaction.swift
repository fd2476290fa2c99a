public import TenonTables

/// A turn as a solver sees it: the changed cells, and the means to run formulas.
///
/// The graph overrides the members that read and write cells; `StandaloneTransaction` is for using a
/// solver by itself.
open class Transaction {
  @usableFromInline package final let changes = FlatTable<CellID>()
  @usableFromInline package final let forcedFormulas = FlatTable<FormulaID>()
  /// The forced formulas that are no news: retries of soft constraints.
  @usableFromInline package final var retried: Set<FormulaID> = []

  /// Creates a turn in which nothing has changed.
  public init() {}

  /// The cells that have changed, in the order they were written.
  ///
  /// - Complexity: O(n); `change(at:)` needs no array.
  public final var changed: [CellID] { (0..<changes.count).map { changes[$0] } }

  /// The number of cells that have changed.
  @inlinable public final var changeCount: Int { changes.count }

  /// Returns a cell that has changed, by its index in `0 ..< changeCount`.
  @inlinable public final func change(at index: Int) -> CellID { changes[index] }

  /// Formulas that must run though nothing they read has changed: they are new.
  ///
  /// - Complexity: O(n).
  public final var forced: [FormulaID] { (0..<forcedFormulas.count).map { forcedFormulas[$0] } }

  /// The number of formulas that must run.
  @inlinable public final var forcedCount: Int { forcedFormulas.count }

  /// Returns whether a forced formula is a retry: that of a soft constraint which is not new and
  /// may hold now as another constraint has ended: no cell follows it that would not do so otherwise.
  public final func isRetried(_ formula: FormulaID) -> Bool { retried.contains(formula) }

  /// Whether there is nothing to do.
  @inlinable package final var isEmpty: Bool { changes.isEmpty && forcedFormulas.isEmpty }

  /// Forgets everything.
  package final func removeAll() {
    changes.removeAll()
    forcedFormulas.removeAll()
    if !retried.isEmpty { retried = [] }
  }

  /// Lets a solver do its work; changes that are recorded meanwhile by others than the solver stay for
  /// the next time.
  @inlinable
  @inline(__always)
  package final func settle(with solver: any ConnectorSolver) {
    let changeCount = changes.count
    let forcedCount = forcedFormulas.count
    solver.settle(self)
    if changes.count == changeCount {
      changes.removeAll()
    } else {
      changes.removeFirst(changeCount)
    }
    if forcedCount > 0 {
      forcedFormulas.removeFirst(forcedCount)
      if !retried.isEmpty { retried = [] }
    }
  }

  // MARK: Members for the owner of the cells

  /// Returns the number by which a solver knows the constraint of a formula; nil for a constraint that has
  /// ended, and where a solver is used by itself.
  open func constraint(of formula: FormulaID) -> ConstraintID? { nil }

  /// Returns the number that a cell holds; nil when it holds no number.
  open func number(of cell: CellID) -> SolverNumber? { nil }

  /// Stores a number that the solver has computed.
  ///
  /// - Parameters:
  ///   - cell: The cell.
  ///   - number: The number.
  ///   - formula: The formula that stands for the constraint that gives the cell that value.
  ///   - cause: The changed cell because of which it is computed.
  /// - Returns: Whether the value of the cell has changed.
  open func set(
    _ cell: CellID, to number: SolverNumber, by formula: FormulaID, because cause: CellID?
  ) -> Bool { false }

  /// Gives the turn up: the writes contradict required constraints.
  ///
  /// All places get back the values they held before it, and the writer gets the error.
  open func refuse(_ conflict: SolverConflict) {}

  /// Runs a formula, by its number, and stores its value.
  ///
  /// - Parameters:
  ///   - formula: The number of the formula.
  ///   - cause: The number of the changed cell because of which it runs, or -1.
  /// - Returns: Whether the value of its cell has changed; not so when the formula failed.
  open func run(_ formula: Int32, because cause: Int32) -> Bool { false }

  /// Returns a plan that `run(_:)` takes, without formulas.
  open func makePlan() -> FormulaPlan { FormulaPlan() }

  /// Runs as many of the first formulas of a plan as can be run without looking at each: copies.
  ///
  /// - Requires: each of them reads a cell that has changed or that a formula before it computes.
  /// - Returns: the number of formulas that have run, all of which have changed their cells; those that
  ///   follow are for the solver to run.
  open func run(_ plan: FormulaPlan) -> Int { 0 }

  /// Runs a formula and stores its value.
  ///
  /// - Parameters:
  ///   - formula: The formula.
  ///   - cause: The changed cell because of which it runs.
  /// - Returns: Whether the value of its cell has changed; not so when the formula failed.
  public final func run(_ formula: FormulaID, because cause: CellID?) -> Bool {
    run(formula.rawValue, because: cause?.rawValue ?? -1)
  }
}

/// Formulas in the order in which a solver runs them, kept for turn after turn.
///
/// A turn makes it (`Transaction.makePlan`), so that the graph can lay out beside it the data that it
/// needs to run them in one loop.
open class FormulaPlan {
  /// The numbers of the formulas.
  package final let formulas = FlatTable<Int32>()

  /// Creates a plan without formulas.
  public init() {}

  /// The number of formulas.
  public final var count: Int { formulas.count }

  /// Adds a formula at the end.
  public final func append(_ formula: FormulaID) { formulas.append(formula.rawValue) }
}

/// A turn over numbers that stand elsewhere, for using a solver by itself.
public final class StandaloneTransaction: Transaction {
  private let values: CellValues
  private let store: (CellID, SolverNumber) -> Bool
  private let hear: (SolverConflict) -> Void

  /// Creates a turn.
  ///
  /// - Parameters:
  ///   - values: The values of the cells.
  ///   - set: Stores a number in a cell; answers whether that changed it.
  ///   - refuse: Takes the conflict because of which the turn cannot be finished.
  public init(
    values: CellValues, set: @escaping (CellID, SolverNumber) -> Bool,
    refuse: @escaping (SolverConflict) -> Void
  ) {
    self.values = values
    store = set
    hear = refuse
  }

  /// Tells the solver of a cell that has changed.
  public func record(_ cell: CellID) { changes.append(cell) }

  /// Tells the solver of a formula whose constraint is new.
  public func force(_ formula: FormulaID) { forcedFormulas.append(formula) }

  /// Forgets the recorded changes.
  public func clear() { removeAll() }

  /// Returns the number that a cell holds; nil when it holds no number.
  public override func number(of cell: CellID) -> SolverNumber? { values[cell] }

  /// Stores a number by the closure `set` of the initializer.
  public override func set(
    _ cell: CellID, to number: SolverNumber, by formula: FormulaID, because cause: CellID?
  ) -> Bool { store(cell, number) }

  /// Calls the closure `refuse` of the initializer.
  public override func refuse(_ conflict: SolverConflict) { hear(conflict) }
}
