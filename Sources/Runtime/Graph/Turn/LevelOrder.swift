internal import TenonSolverKit
internal import TenonTables

/// The one-way constraints of one level.
final class Level {
  let solver: any ConnectorSolver
  let transaction: Transaction

  init(solver: any ConnectorSolver, transaction: Transaction) {
    self.solver = solver
    self.transaction = transaction
  }
}

/// The order of a turn: the levels of one-way constraints, with the regions between them.
final class LevelOrder: GraphPart {
  /// The solvers of one-way constraints, by level.
  var levels: [Level] = [] {
    didSet {
      unsafe graph?.base = levels.first.map { unsafe Unmanaged.passUnretained($0) }
      unsafe graph?.words[0].levelCount = levels.count
    }
  }
}
