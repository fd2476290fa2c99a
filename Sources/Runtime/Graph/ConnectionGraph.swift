internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

/// The graph of one interpreter: cells, formulas, the regions they form and the order of a turn.
///
/// Constraints of one direction go to a solver for their level; constraints of several directions
/// form regions through the cells they share, each with a solver of its own. A level counts the
/// regions below: a region stands above all levels that determine one of its cells, and the readers of
/// its cells stand at its level. A turn goes through regions and levels in this order, so that
/// no formula sees a value that is half up to date.
@safe
final class ConnectionGraph {
  /// The machine that owns the graph.
  private var owner: Unmanaged<Machine>?
  let state: StateRef
  let cells = CellTable()
  var freeCells: [CellID] = []
  /// The numbers and switches of a turn, among them whether a rare condition holds.
  let words = FlatTable<PropagationState>()
  /// The data of cells that a turn needs.
  let hot = FlatTable<HotCell>()
  let writes = CellWrites()
  let hotFormulas = FlatTable<HotFormula>()
  /// The messages of the formulas whose last runs failed.
  var failures: [FormulaID: String] = [:] {
    didSet { words[0].hasFailures = !failures.isEmpty }
  }
  /// The places whose changes, made elsewhere, a turn takes up.
  @safe @exclusivity(unchecked) var takenUp: (turn: Int, cells: Set<CellID>, isForeign: Bool) = (
    0, [], true
  )
  /// A cell of a cycle that has come up when levels were raised, until it is told.
  var cellOfCycle: CellID?
  /// Whether places get back their values from before a turn: no formula determines them then.
  var isTakingBack = false
  /// The formula that runs while others have failed, whose caller tells its outcome; else -1.
  var formulaAmongFailures: Int32 = -1
  /// The equalities that follow from others, with the cells that they join.
  var redundant: [Connection: (left: CellID, right: CellID)] = [:]
  /// The collections of places of which stores keep copies.
  var contents = StoredContents()
  /// The table for naming many places: nothing yet at first; nil at any other time.
  var nameTable: NameTable??
  var instanceNumbers = InstanceNumbers()
  /// The reasons of formulas that wait although no place that they read is missing.
  var reasonsToWait: [FormulaID: String] = [:]
  /// Whether any formula has failed or is held back.
  var hasFailures: Bool { words[0].hasFailures }
  /// The number of active folds, and of elements that were evaluated for them.
  var foldCount = 0
  var foldReads = 0
  let activeFolds = ActiveFolds()
  /// The number of folds with elements that depend on a cell.
  var foldsByCell: [CellID: Int] = [:]
  /// Whether collections and numbers have the kernel's methods for folds; nil when that was not examined
  /// since a method was defined.
  var foldsAnswerAsKernel: Bool?
  /// The lazy cells that a one-way formula computes.
  var lazies: [CellID: LazyCell] = [:]
  /// The number of formulas of lazy cells that read a cell.
  var lazyReaders: [CellID: Int] = [:]
  /// The number of lazy formulas that were looked at for reads.
  var lazyWork = 0
  /// The state of refreshing lazy cells for a reader.
  var refreshing = Refreshing()
  /// The cells by their places, and those of each watched object.
  let objectMap = ObjectMap()
  var watched: WatchedObjects { WatchedObjects(graph: self) }
  let formulas = PagedTable<FormulaRecord>()
  let formulaExtras = SparseTable<FormulaExtras>()
  let lastReads = RecordedReads()
  /// For the number of a formula that reads two cells the second one.
  let secondInputs = NumberMap()
  /// For the number of a formula that reads more than two cells all of them.
  let manyInputs = SparseTable<[CellID]>()
  /// For the number of a formula the next one of its connection.
  let nextOfConnection = NumberMap()
  var freeFormulas: [Int32] = []
  let constraintRecords = PagedTable<ConstraintRecord>()
  var freeConstraints: [Int32] = []
  /// The constraints that other formulas over the same cells join.
  let constraintTable = ConstraintTable()
  /// The last number that tells a constraint from another one that gets its number later.
  var nextStamp: UInt32 = 0
  /// The number of regions.
  var regionCount: Int {
    @inline(__always) get { words[0].regionCount }
    @inline(__always) set { words[0].regionCount = newValue }
  }
  /// The regions that have pending changes.
  var waitingRegions: [Region] = [] {
    didSet { words[0][.regionsWaiting] = !waitingRegions.isEmpty }
  }
  /// The regions that may have fallen apart, as constraints were removed.
  var possiblySplitRegions: [Region] = []
  /// The number of constraints given to the solvers of regions anew, of cells looked at for cycles, and of
  /// connections looked at for one that ends.
  var structuralWork = 0
  /// While many connections end at once: the regions that fell apart, and the constraints that lost a
  /// formula.
  var broken: (regions: [Region], constraints: [Constraint])?
  /// The solvers of one-way constraints, by level.
  var levels: [Level] = [] {
    didSet {
      unsafe base = levels.first.map { unsafe Unmanaged.passUnretained($0) }
      words[0].levelCount = levels.count
    }
  }
  /// The lowest level, with which most turns begin and end, and its transaction.
  private var base: Unmanaged<Level>?
  let baseTransaction = GraphTransaction()

  /// Lets the solver of the lowest level do its work.
  @inline(__always)
  func settleBase() {
    unsafe base?._withUnsafeGuaranteedRef { $0.transaction.settle(with: $0.solver) }
  }

  /// Lets the solver of the lowest level do its work after the change of a cell.
  @inline(__always)
  func settleBase(from cell: CellID) {
    unsafe base?._withUnsafeGuaranteedRef { $0.solver.settle(from: cell, $0.transaction) }
  }

  let connectionTable = ConnectionTable()
  /// The number that the next connection gets, if it is free.
  var nextConnection = Int32(1)
  /// The number of connections that have come into force, and the number of the last one.
  var newConnectionCount = 0
  var lastNewConnection = 0
  var nextOrder: UInt32 = 1
  /// The solvers that may be chosen, cheapest first.
  var solvers: [any ConnectorSolver.Type] = []
  /// Constraints that wait for an inverse until the batch of statements ends.
  var awaitingInverse: [Constraint] = []
  /// Whether a formula that cannot be in force is to wait so.
  var mayContest = false
  /// The numbers of connections that take places as constants which are determined before.
  var frozenConnections: [Int32] = []
  /// Whether alternatives to connections in force are being tried.
  var isReplanning = false
  /// Whether connections come into force again that an alternative had taken out of it.
  var isRestoring = false
  /// The nesting depth of `keepingCells`.
  var keepingDepth = 0
  /// Cells that may be freed when `keepingCells` has ended.
  var releasedLater: [CellID] = []
  /// The place without a number at which a solver last failed: with another value there the connection may
  /// come into force.
  var blockingPlace: Place?
  /// Soft constraints of one direction whose place a stronger one determines.
  var yielded: [Constraint] = []
  var batchDepth = 0
  /// The position of the chain whose pairs are being connected, of which all come into force or none.
  var chain: SourceRange?
  /// The savepoint of the last settled pair of the chain.
  var chainMark = 0
  /// The statement because of which the last batch failed.
  var batchBlockingPlace: TraceEntry?

  /// The last changes and their causes.
  let causes: ChangeLog

  // MARK: The turn
  var clock: UInt64 {
    @inline(__always) get { words[0].clock }
    @inline(__always) set { words[0].clock = newValue }
  }
  var turn: Int {
    @inline(__always) get { words[0].turn }
    @inline(__always) set { words[0].turn = newValue }
  }
  /// Whether formulas are being run.
  var isSettling: Bool {
    @inline(__always) get { words[0].isSettling }
    @inline(__always) set { words[0].isSettling = newValue }
  }
  /// Whether a formula failed in this turn because memory ran out.
  var ranOutOfMemory: Bool {
    @inline(__always) get { words[0][.outOfMemory] }
    @inline(__always) set { words[0][.outOfMemory] = newValue }
  }
  /// The nesting depth of `atomically:`.
  var atomicDepth: Int {
    @inline(__always) get { words[0].atomicDepth }
    @inline(__always) set { words[0].atomicDepth = newValue }
  }
  /// Cells changed since the last settling, in order.
  let pending = FlatTable<CellID>()
  /// The values of the cells written in `atomically:` from before it.
  var valuesBefore: [CellID: Value] = [:] {
    didSet { words[0][.valuesBefore] = !valuesBefore.isEmpty }
  }
  /// The reach of the cells written in `atomically:`, as far as it was needed.
  var reach = PendingReach()
  var scheduledFormulas: [Formula] = [] {
    didSet { words[0][.scheduled] = !scheduledFormulas.isEmpty }
  }
  /// Soft constraints among them that are tried again, and the last written cells of their regions.
  var retries = Retries()
  /// The place that the graph itself is writing: writes of its setter are not from outside.
  var writing: CellID?
  /// The connection whose result a setter is taking, as that of a flow and of `watch:` does.
  var effect: Effect?
  /// The number of the formula that runs, or -1.
  var runningNumber: Int32 {
    @inline(__always) get { words[0].runningNumber }
    @inline(__always) set { words[0].runningNumber = newValue }
  }
  /// The formula that runs.
  ///
  /// One that has ended itself runs on all the same: its record is kept meanwhile.
  var running: Formula? { formula(runningNumber) }
  /// The region whose solver is at work, which the caller of the solver holds.
  var settlingReference: Unmanaged<Region>?
  /// Whether the solver of a region is at work.
  var isSolvingRegion: Bool {
    @inline(__always) get { unsafe settlingReference != nil }
  }
  /// The region whose solver is at work.
  var settling: Region? { unsafe settlingReference?.takeUnretainedValue() }
  /// The level the turn has come to.
  var currentLevel: Int {
    @inline(__always) get { words[0].currentLevel }
    @inline(__always) set { words[0].currentLevel = newValue }
  }
  /// Whether a change has come to a level that the turn has passed already.
  var hasMore: Bool {
    @inline(__always) get { words[0][.more] }
    @inline(__always) set { words[0][.more] = newValue }
  }
  /// Whether the change being recorded is the result of a formula.
  var isRunningFormula: Bool {
    @inline(__always) get { words[0].isRunningFormula }
    @inline(__always) set { words[0].isRunningFormula = newValue }
  }
  /// A cell that has changed too often.
  var restless: CellID? { didSet { didHalt() } }
  /// The reason why a solver has given the turn up.
  var refusal: SolverConflict? { didSet { didHalt() } }
  /// The region of that solver.
  var refusing: Region?
  /// The reason why a statement is refused whose connection is being settled for the first time.
  var refusedStatement: Failure? { didSet { didHalt() } }
  /// Whether a formula was interrupted: the turn is given up.
  var isUnwinding = false { didSet { didHalt() } }
  /// Whether a solver of the language is at work.
  var hasSolverLimit: Bool {
    @inline(__always) get { words[0].hasSolverLimit }
    @inline(__always) set { words[0].hasSolverLimit = newValue }
  }
  /// Whether there are traced changes to be printed.
  var hasTrace: Bool {
    @inline(__always) get { words[0][.trace] }
    @inline(__always) set { words[0][.trace] = newValue }
  }
  /// Whether no formula runs any more in this turn.
  var isHalted: Bool { words[0][.halted] }
  /// Formulas of several directions that could not compute their cells.
  var stuck = BlockedFormulas()
  /// Connections with a path that a change may have led elsewhere.
  var pathWatchers: [CellID: ConnectionSet] = [:]
  var retargeted: [Connection] = [] { didSet { words[0][.retargeted] = !retargeted.isEmpty } }
  /// The observers of connections and their queue.
  @safe @exclusivity(unchecked) var observers = ConnectionObservers() {
    didSet { words[0].hasObserversOfTurn = !observers.deferred.isEmpty || !observers.queue.isEmpty }
  }
  var invariants = Invariants() {
    didSet { words[0][.invariants] = invariants.count > 0 || !invariants.doubtful.isEmpty }
  }
  /// Whether any object has announced a change itself: from then on receivers are recorded.
  var hearsAnnouncements = false
  /// The cell of a store that is written through the door.
  var storing: CellID?
  var storedCellCount = 0
  /// The place that a store was last told to have changed itself: for a writer that asks at once.
  var directWrite: (store: Value, reference: Value, text: String)?
  /// The cells of places in stores that may have got or lost their readers.
  var touchedStoredCells: Set<CellID> = []
  /// The inverses of what this turn has changed, for when it cannot be finished.
  let log = TurnLog()
  /// The plans whose formulas have run without that being written down for each.
  var openPlans: [LaidOutPlan] = []
  /// The numbers of changes of places whose cells were freed in this settling: a connection that joins them
  /// anew goes on counting.
  var changesOfReleased: [Place: Int32] = [:] {
    didSet { words[0][.released] = !changesOfReleased.isEmpty }
  }
  /// The formulas whose own reads are recorded.
  var recorded: Set<FormulaID> = []
  /// The records of formulas in Swift code.
  let natives = NativeTable()
  /// The formulas that have ended in a turn, or while one was running.
  var endedFormulas: [Formula] = [] { didSet { recordEnded() } }
  /// The numbers of the connections that have ended so: messages about the work of a formula may name
  /// them.
  var endedConnections: [Int32] = [] { didSet { recordEnded() } }
  /// The recorder that was active before formulas of the language were evaluated in this turn: one recorder
  /// takes the reads of each of them.
  var outerRecorder: DependencyRecorder?
  /// Whether formulas are run by a solver of the language.
  var isRunBySolver: Bool {
    @inline(__always) get { words[0].isRunBySolver }
    @inline(__always) set { words[0].isRunBySolver = newValue }
  }
  /// The reason why a place did not take a value that a solver has computed.
  var solverFailure: Failure?
  /// Whether a solver of the language is setting a place: the solver itself gets the failure.
  var isSolverSetting = false
  /// The reason why the formula in Swift code that has just run has no value.
  var nativeFailure: Failure?
  /// The recorder of the reads of the formula that runs.
  let formulaRecorder = DependencyRecorder(within: nil)

  private func didHalt() {
    words[0][.halted] =
      isUnwinding || restless != nil || refusal != nil || refusedStatement != nil
  }

  /// The one-way constraints of one level.
  final class Level {
    let solver: any ConnectorSolver
    let transaction: Transaction

    init(solver: any ConnectorSolver, transaction: Transaction) {
      self.solver = solver
      self.transaction = transaction
    }
  }

  init(state: StateRef) {
    self.state = state
    words.append(PropagationState())
    causes = ChangeLog()
    baseTransaction.attach(self)
  }

  /// Sets the machine that owns the graph.
  func attach(_ machine: Machine) {
    unsafe owner = Unmanaged.passUnretained(machine)
    causes.attach(machine)
  }

  /// Releases the data of formulas, when the machine is released.
  ///
  /// - Complexity: O(formulas).
  func dismantle() {
    for number in formulas.indices { Formula(number, in: self).releaseRecord() }
  }

  /// The machine that owns the graph, which is attached as soon as both exist.
  var machine: Machine {
    @inline(__always) get { unsafe owner.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0 } }
  }

  /// Returns the send from which the machine is writing.
  @inline(__always)
  func currentSend() -> Unmanaged<SiteNode>? {
    unsafe owner.unsafelyUnwrapped._withUnsafeGuaranteedRef { unsafe $0.currentSend() }
  }

  /// The number of cells that wait for the next settling.
  var pendingCount: Int { pending.count }

  /// Whether any region of several directions exists.
  var hasRegions: Bool { regionCount > 0 }
}

/// The bytes that the graph takes outside of the heap.
///
/// Connections, constraints and the tables of solvers are included. Measured with 100,000 connections of
/// one and of two directions, as the benchmark of the graph does.
enum GraphSize {
  static let cell = 60
  static let formula = 165
  /// A place on the way of a path that a connection follows, with the path that is kept for that.
  static let step = 800
}

extension Array where Element: Hashable {
  /// The elements, each once, in order.
  ///
  /// - Complexity: O(n).
  var withoutRepetitions: [Element] {
    if count < 2 { return self }
    var seen = Set<Element>(minimumCapacity: count)
    return filter { seen.insert($0).inserted }
  }
}
