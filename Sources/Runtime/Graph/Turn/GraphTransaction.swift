internal import TenonSolverKit
internal import TenonTables

/// A turn of a region's solver over the cells of a graph.
@safe
final class GraphTransaction: Transaction {
  /// The graph owns the transactions of its solvers.
  private var graph: Unmanaged<ConnectionGraph>?

  /// Sets the graph, before anything runs.
  func attach(_ graph: ConnectionGraph) {
    unsafe self.graph = Unmanaged.passUnretained(graph)
  }

  override func constraint(of formula: FormulaID) -> ConstraintID? {
    unsafe graph?._withUnsafeGuaranteedRef { graph in
      guard let formula = graph[formula], let constraint = formula.constraint else { return nil }
      // One-way solvers know the constraint by its formula.
      return constraint.isAlone || constraint.level >= 0 ? formula.levelID : constraint.id
    }
  }

  override func number(of cell: CellID) -> SolverNumber? {
    unsafe graph?._withUnsafeGuaranteedRef { $0.number(of: cell) }
  }

  override func set(
    _ cell: CellID, to number: SolverNumber, by formula: FormulaID, because cause: CellID?
  ) -> Bool {
    unsafe graph?._withUnsafeGuaranteedRef { $0.set(cell, to: number, by: formula, because: cause) }
      ?? false
  }

  override func refuse(_ conflict: SolverConflict) {
    unsafe graph?._withUnsafeGuaranteedRef { graph in
      if graph.halt.refusal != nil { return }
      graph.halt.refusal = conflict
      graph.halt.refusing = graph.settling
    }
  }

  override func run(_ formula: Int32, because cause: Int32) -> Bool {
    unsafe graph?._withUnsafeGuaranteedRef { $0.run(formula, because: cause) } ?? false
  }

  override func makePlan() -> FormulaPlan { LaidOutPlan() }

  override func run(_ plan: FormulaPlan) -> Int {
    guard type(of: plan) == LaidOutPlan.self else { return 0 }
    let plan = unsafe unsafeDowncast(plan, to: LaidOutPlan.self)
    return unsafe graph?._withUnsafeGuaranteedRef { $0.run(plan) } ?? 0
  }
}
