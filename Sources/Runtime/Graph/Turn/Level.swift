internal import TenonSolverKit

/// The one-way constraints of one level.
final class Level {
  let solver: any ConnectorSolver
  let transaction: Transaction

  init(solver: any ConnectorSolver, transaction: Transaction) {
    self.solver = solver
    self.transaction = transaction
  }
}
