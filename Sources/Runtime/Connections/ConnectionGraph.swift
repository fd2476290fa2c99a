internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

/// The graph of one interpreter: cells, formulas, the regions they form and the order of a turn.
///
/// Constraints of one direction go to a solver for their level; constraints of several directions
/// form regions through the cells they share, each with a solver of its own. A level counts the
/// regions below: a region stands above all levels that determine one of its cells, and what reads
/// its cells stands at its level. A turn goes through regions and levels in this order, so that
/// nobody sees a value that is half up to date.
@safe
final class ConnectionGraph {
  /// The machine that owns the graph.
  private var owner: Unmanaged<Machine>?
  let state: StateRef
  let cells = CellTable()
  var freeCells: [CellID] = []
  /// The numbers and switches of a turn, and whether there is anything unusual to be done.
  let words = FlatTable<PropagationState>()
  /// What a turn needs of cells and formulas.
  let hot = FlatTable<HotCell>()
  let writes = CellWrites()
  let hotFormulas = FlatTable<HotFormula>()
  /// What the last runs of formulas said that failed.
  var failures: [FormulaID: String] = [:] {
    didSet { words[0].hasFailures = !failures.isEmpty }
  }
  /// The places whose changes, made elsewhere, a turn takes up.
  var takenUp: (turn: Int, cells: Set<CellID>, isForeign: Bool) = (0, [], true)
  /// A cell of a cycle that has come up when levels were raised, until it is told.
  var cellOfCycle: CellID?
  /// Whether places are given back what they held before a turn: nobody determines that.
  var isTakingBack = false
  /// The formula that runs while others have failed, whose caller tells what becomes of it; else -1.
  var formulaAmongFailures: Int32 = -1
  /// The equalities that follow from others, with what they join.
  var redundant: [Connection: (left: CellID, right: CellID)] = [:]
  /// The collections that places hold of which stores keep copies.
  var contents = StoredContents()
  /// What is known while many places are named: nothing yet at first; nil at any other time.
  var nameTable: NameTable??
  var instanceNumbers = InstanceNumbers()
  /// What is said of formulas that wait although no place that they read is missing.
  var reasonsToWait: [FormulaID: String] = [:]
  /// Whether any formula has failed or is held back.
  var hasFailures: Bool { words[0].hasFailures }
  /// How many formulas know the elements of a collection, and how many elements have been read for
  /// that.
  var foldCount = 0
  var foldReads = 0
  let activeFolds = ActiveFolds()
  /// How many of them have elements that depend on a cell.
  var foldsByCell: [CellID: Int] = [:]
  /// Whether collections and numbers answer as the kernel has them; nil when nobody has looked since a
  /// method was defined.
  var foldsAnswerAsKernel: Bool?
  /// The lazy cells that a one-way formula computes.
  var lazies: [CellID: LazyCell] = [:]
  /// How many formulas of lazy cells read a cell.
  var lazyReaders: [CellID: Int] = [:]
  /// How many lazy formulas have been looked at because somebody has read.
  var lazyWork = 0
  /// What is being brought up to date for somebody who reads it.
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
  /// Tells one constraint from another that gets its number later.
  var nextStamp: UInt32 = 0
  /// How many regions there are.
  var regionCount: Int {
    @inline(__always) get { words[0].regionCount }
    @inline(__always) set { words[0].regionCount = newValue }
  }
  /// The regions that something has changed for.
  var waitingRegions: [Region] = [] {
    didSet { words[0].hasRegionsWaiting = !waitingRegions.isEmpty }
  }
  /// The regions that may have fallen apart, as constraints have left them.
  var possiblySplitRegions: [Region] = []
  /// How many constraints have been given to the solvers of regions anew, how many cells have been
  /// looked at for cycles, and how many connections for one that ends.
  var structuralWork = 0
  /// While many connections end at once: the regions that fell apart, and what remains of the
  /// constraints that lost a formula.
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

  /// Has the solver of the lowest level do its work.
  @inline(__always)
  func settleBase() {
    unsafe base?._withUnsafeGuaranteedRef { $0.transaction.settle(with: $0.solver) }
  }

  /// Has it do its work after the change of a cell.
  @inline(__always)
  func settleBase(from cell: CellID) {
    unsafe base?._withUnsafeGuaranteedRef { $0.solver.settle(from: cell, $0.transaction) }
  }

  let connectionTable = ConnectionTable()
  /// The number that the next connection gets, if it is free.
  var nextConnection = Int32(1)
  /// How many connections have come into force, and the number of the last one.
  var newConnectionCount = 0
  var lastNewConnection = 0
  var nextOrder: UInt32 = 1
  /// The solvers that may be asked, cheapest first.
  var solvers: [any ConnectorSolver.Type] = []
  /// Constraints that wait for a way back until the batch of statements ends.
  var awaitingInverse: [Constraint] = []
  /// Whether what cannot be in force is to wait so.
  var mayContest = false
  /// The numbers of connections that take places as constants which come before them.
  var holding: [Int32] = []
  /// Cells that are to be used again while connections are made anew.
  var keptCells: Set<CellID> = []
  /// Cells whose changes are remembered while a connection is made anew.
  var rememberedCells: Set<CellID> = []
  /// How many are making connections, one within another.
  var keepingDepth = 0
  /// Cells that may go when they have ended.
  var releasedLater: [CellID] = []
  /// The place that held no number where a solver wanted one last: when it holds something else all may be
  /// well.
  var blockingPlace: Place?
  /// Wishes of one direction whose place is determined by what counts more.
  var yielded: [Constraint] = []
  var batchDepth = 0
  /// Where the chain stands whose pairs are being connected, of which all come into force or none.
  var chain: SourceRange?
  /// How much had been noted of what places held when the last of them had been brought up to date.
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
  /// Whether a formula failed for want of memory in this turn.
  var ranOutOfMemory: Bool {
    @inline(__always) get { words[0].ranOutOfMemory }
    @inline(__always) set { words[0].ranOutOfMemory = newValue }
  }
  /// How deep `atomically:` is nested.
  var atomicDepth: Int {
    @inline(__always) get { words[0].atomicDepth }
    @inline(__always) set { words[0].atomicDepth = newValue }
  }
  /// Cells changed since the last settling, in order.
  let pending = FlatTable<CellID>()
  /// What the cells written in `atomically:` held before it.
  var valuesBefore: [CellID: Value] = [:] {
    didSet { words[0].hasValuesBefore = !valuesBefore.isEmpty }
  }
  /// What the cells written in `atomically:` reach, as far as anybody has asked.
  var reach = PendingReach()
  var scheduledFormulas: [Formula] = [] {
    didSet { words[0].hasScheduled = !scheduledFormulas.isEmpty }
  }
  /// Wishes among them that are tried again, and what was written last in their regions.
  var retries = Retries()
  /// The place that the graph itself is writing: what its setter does is no write from outside.
  var writing: CellID?
  /// The formula whose result a setter is taking, as that of a flow and of `watch:` does.
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
  /// The region whose solver is at work, which whoever has it work holds.
  var settlingReference: Unmanaged<Region>?
  /// Whether there is one.
  var isSolvingRegion: Bool {
    @inline(__always) get { unsafe settlingReference != nil }
  }
  /// That region.
  var settling: Region? { unsafe settlingReference?.takeUnretainedValue() }
  /// The level the turn has come to.
  var currentLevel: Int {
    @inline(__always) get { words[0].currentLevel }
    @inline(__always) set { words[0].currentLevel = newValue }
  }
  /// Whether a change has come to a level that the turn has passed already.
  var hasMore: Bool {
    @inline(__always) get { words[0].hasMore }
    @inline(__always) set { words[0].hasMore = newValue }
  }
  /// Whether the change being noted is the result of a formula.
  var isRunningFormula: Bool {
    @inline(__always) get { words[0].isRunningFormula }
    @inline(__always) set { words[0].isRunningFormula = newValue }
  }
  /// A cell that has changed too often.
  var restless: CellID? { didSet { didHalt() } }
  /// Why a solver has given the turn up.
  var refusal: SolverConflict? { didSet { didHalt() } }
  /// The region whose solver that is.
  var refusing: Region?
  /// Why a statement is refused whose connection is being brought up to date for the first time.
  var refusedStatement: Failure? { didSet { didHalt() } }
  /// Whether a formula was interrupted: the turn is given up.
  var isUnwinding = false { didSet { didHalt() } }
  /// Whether a solver of the language is at work.
  var hasSolverLimit: Bool {
    @inline(__always) get { words[0].hasSolverLimit }
    @inline(__always) set { words[0].hasSolverLimit = newValue }
  }
  /// Whether there is anything to be printed of what was traced.
  var hasTrace: Bool {
    @inline(__always) get { words[0].hasTrace }
    @inline(__always) set { words[0].hasTrace = newValue }
  }
  /// Whether no formula runs any more in this turn.
  var isHalted: Bool { words[0].isHalted }
  /// Formulas of several directions that could not compute their cells.
  var stuck = BlockedFormulas()
  /// Connections with a path that a change may have led elsewhere.
  var pathWatchers: [CellID: ConnectionSet] = [:]
  var retargeted: [Connection] = [] { didSet { words[0].hasRetargeted = !retargeted.isEmpty } }
  /// The connections that tell what has changed.
  var observers = ConnectionObservers() {
    didSet { words[0].hasObserversOfTurn = !observers.held.isEmpty || !observers.queue.isEmpty }
  }
  var invariants = Invariants() {
    didSet { words[0].hasInvariants = invariants.count > 0 || !invariants.doubtful.isEmpty }
  }
  /// Whether any object has announced a change itself: from then on receivers are noted.
  var hearsAnnouncements = false
  /// The cell of a store that is written through the door.
  var storing: CellID?
  var storedCellCount = 0
  /// What a store was told to have changed itself last: for whoever writes, and asks at once.
  var directWrite: (store: Value, reference: Value, text: String)?
  /// The cells of places in stores that may have got or lost their readers.
  var touchedStoredCells: Set<CellID> = []
  /// The inverses of what this turn has changed, for when it cannot be finished.
  let log = TurnLog()
  /// The plans whose formulas have run without that being written down for each.
  var openPlans: [LaidOutPlan] = []
  /// How often places have changed whose cells were let go of in this settling: who connects them
  /// anew goes on counting.
  var changesOfReleased: [Place: Int32] = [:] {
    didSet { words[0].hasReleased = !changesOfReleased.isEmpty }
  }
  /// The formulas whose own reads are recorded.
  var recorded: Set<FormulaID> = []
  /// What running formulas in Swift code needs.
  let natives = NativeTable()
  /// The formulas that have ended in a turn, or while one was running.
  var endedFormulas: [Formula] = [] { didSet { recordEnded() } }
  /// The numbers of the connections that have ended so: messages about what a formula does may name
  /// them.
  var endedConnections: [Int32] = [] { didSet { recordEnded() } }
  /// Whether connections take the places again that they had before something was tried and refused.
  var isGivingBack = false
  /// What was recorded before formulas of the language were evaluated in this turn: one tracker records
  /// what each of them reads.
  var outerRecorder: DependencyRecorder?
  /// Whether formulas are run by a solver of the language.
  var isRunBySolver: Bool {
    @inline(__always) get { words[0].isRunBySolver }
    @inline(__always) set { words[0].isRunBySolver = newValue }
  }
  /// Why a place did not take what a solver has computed.
  var solverFailure: Failure?
  /// Whether a solver of the language is setting a place: it is told itself why it could not.
  var isSolverSetting = false
  /// Why the formula in Swift code that has just run has no value.
  var nativeFailure: Failure?
  /// What the formula reads that runs.
  let formulaRecorder = DependencyRecorder(within: nil)

  private func didHalt() {
    words[0].isHalted =
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

  /// Lets the machine that owns the graph be known.
  func attach(_ machine: Machine) {
    unsafe owner = Unmanaged.passUnretained(machine)
    causes.attach(machine)
  }

  /// Gives back what only formulas have, when the machine is given up.
  ///
  /// - Complexity: O(formulas).
  func dismantle() {
    for number in formulas.indices { Formula(number, in: self).releaseRecord() }
  }

  /// The machine that owns the graph, which is attached as soon as both exist.
  var machine: Machine {
    @inline(__always) get { unsafe owner.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0 } }
  }

  /// The send from which the machine is writing.
  @inline(__always)
  func currentSend() -> Unmanaged<SiteNode>? {
    unsafe owner.unsafelyUnwrapped._withUnsafeGuaranteedRef { unsafe $0.currentSend() }
  }

  /// How many cells wait for the next settling.
  var pendingCount: Int { pending.count }

  /// Whether any region of several directions exists.
  var hasRegions: Bool { regionCount > 0 }
}

/// The bytes that the graph takes outside of the heap.
///
/// Connections, constraints and what solvers keep are included. Measured with 100,000 connections of
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
