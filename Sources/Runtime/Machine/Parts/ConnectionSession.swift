/// What a machine keeps beside the graph for the connections of its program: the turn of a solver in the
/// language, the names of the next connection, inverses that were declared.
final class ConnectionSession {
  private let graph: ConnectionGraph

  // MARK: Solvers in the language
  /// What the solver that is at work may still do.
  var solverLimit: SolverLimit? {
    didSet { graph.hasSolverLimit = solverLimit != nil }
  }
  /// The turn that it is at work for.
  var scriptTurn: ScriptTurn?
  var turnCount = 0
  /// The program's own solvers by name.
  var registeredSolvers: [String: RegisteredSolver] = [:]
  /// The objects of the solvers that keep something.
  var solverRoots: [ObjectIdentifier: [Value]] = [:]

  // MARK: Statements
  /// What the next connection that the kernel makes is called, and its target.
  var names: (text: String, target: String)?
  /// The operands of messages that the program has declared inverses for.
  var inverses: [String: Set<Int>] = [:]
  /// The blocks that do it, in a dictionary that is a permanent root; nil before the first.
  var inverseBlocks: Value?
  /// The dependents of objects that announce their changes; nil while there are none.
  var dependents = Value.nil

  init(graph: ConnectionGraph) { self.graph = graph }
}
