internal import TenonTables
internal import TenonSolverKit

/// The work on regions that is left.
@safe
final class RegionWork: GraphPart {
  /// The regions that have pending changes.
  var waitingRegions: [Region] = [] {
    didSet { unsafe graph?.words[0][.regionsWaiting] = !waitingRegions.isEmpty }
  }
  /// The region whose solver is at work, which the caller of the solver holds.
  var settlingReference: Unmanaged<Region>?
  /// The regions that may have fallen apart, as constraints were removed.
  var possiblySplitRegions: [Region] = []
  /// The number of constraints given to the solvers of regions anew, of cells looked at for cycles, and of
  /// connections looked at for one that ends.
  var structuralWork = 0
  /// While many connections end at once: the regions that fell apart, and the constraints that lost a
  /// formula.
  var broken: (regions: [Region], constraints: [Constraint])?
  /// A cell of a cycle that has come up when levels were raised, until it is told.
  var cellOfCycle: CellID?
}

/// Constraints of several directions that share cells, kept by one solver.
final class Region {
  var solver: any ConnectorSolver
  var solverName: String
  var cells: Set<CellID> = []
  var constraints: ConstraintList
  /// Whether any of them has been a soft constraint.
  var hasWishes = false
  /// The cells written in its last turn, as long as it has soft constraints, which count less than they do.
  var writtenLast: [CellID] = []
  /// The cells with which constraints begin, until they are settled.
  @safe @exclusivity(unchecked) var begun: [CellID] = []
  /// Whether a cheaper solver might keep the constraints that remain.
  var mayCostLess = false
  /// Whether a constraint has got a further direction with which such a solver might keep it.
  var hasNewDirections = false
  /// Whether another solver is to be tried before a write.
  var isToBeReconsidered: Bool { mayCostLess || hasNewDirections }
  /// Whether a write made it go to a solver that costs more.
  var isHandedOver = false
  /// The turn in which its solver was last at work.
  var turn: UInt32 = 0
  /// Whether any of their formulas reads cells besides those that the region joins.
  var hasReads = false
  /// Whether it may have fallen apart: its constraints need not be connected any more.
  var isLoose = false
  /// The cells that one-way formulas determine.
  var pinned: Set<CellID> = []
  /// The level in the order of a turn: above everything that determines one of its cells.
  var level = 1
  /// The changes of a turn that concern it.
  let transaction: Transaction
  /// Whether it is among the regions that wait for their solvers.
  var isWaiting = false

  /// Whether its solver computes values from constraints as sums.
  var solvesSums: Bool { type(of: solver).solvesSums }

  init(
    _ constraints: [Constraint], solver: any ConnectorSolver, name: String,
    in graph: ConnectionGraph
  ) {
    self.constraints = ConstraintList(constraints, in: graph)
    transaction = graph.makeTransaction()
    self.solver = solver
    solverName = name
  }
}
