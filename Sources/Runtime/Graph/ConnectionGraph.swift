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
  /// The numbers and switches of a turn, among them whether a rare condition holds.
  let words = FlatTable<PropagationState>()
  /// The data of cells that a turn needs.
  let hot = FlatTable<HotCell>()
  let writes = CellWrites()
  let hotFormulas = FlatTable<HotFormula>()
  /// Whether any formula has failed or is held back.
  var hasFailures: Bool { words[0].hasFailures }
  var watched: WatchedObjects { WatchedObjects(graph: self) }
  let formulas = PagedTable<FormulaRecord>()
  /// The number of regions.
  var regionCount: Int {
    @inline(__always) get { words[0].regionCount }
    @inline(__always) set { words[0].regionCount = newValue }
  }
  /// The cells by their places, and those of each watched object.
  let objectMap = ObjectMap()
  let activeFolds = ActiveFolds()
  /// The solvers of one-way constraints, by level.
  var levels: [Level] = [] {
    didSet {
      unsafe base = levels.first.map { unsafe Unmanaged.passUnretained($0) }
      words[0].levelCount = levels.count
    }
  }
  /// The lowest level, with which most turns begin and end, and its transaction: no part of the graph has them,
  /// as each write asks for them.
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
    unsafe base?._withUnsafeGuaranteedRef {
      $0.solver.settle(from: cell, $0.transaction)
    }
  }

  /// The last changes and their causes.
  let causes: ChangeLog

  // MARK: Features, whose data stand beside their code

  let tables = GraphTables()
  let connecting = Connecting()
  let replanning = Replanning()
  let regionWork = RegionWork()
  let laziness = Laziness()
  let recording = Recording()
  let storedCells = StoredCells()
  let watchers = Watchers()
  let writeState = WriteState()
  let failing = FailingFormulas()
  let halt = Halt()
  let ended = EndedParts()
  let naming = Naming()

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
  var scheduledFormulas: [Formula] = [] {
    didSet { words[0][.scheduled] = !scheduledFormulas.isEmpty }
  }
  /// The number of the formula that runs, or -1.
  var runningNumber: Int32 {
    @inline(__always) get { words[0].runningNumber }
    @inline(__always) set { words[0].runningNumber = newValue }
  }
  /// The formula that runs.
  ///
  /// One that has ended itself runs on all the same: its record is kept meanwhile.
  var running: Formula? { formula(runningNumber) }
  /// Whether the solver of a region is at work.
  var isSolvingRegion: Bool {
    @inline(__always) get { unsafe regionWork.settlingReference != nil }
  }
  /// The region whose solver is at work.
  var settling: Region? { unsafe regionWork.settlingReference?.takeUnretainedValue() }
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
  /// Whether a formula was interrupted: the turn is given up.
  var isUnwinding: Bool {
    get { halt.isUnwinding }
    set { halt.isUnwinding = newValue }
  }
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
  /// The inverses of what this turn has changed, for when it cannot be finished.
  let log = TurnLog()
  /// Whether formulas are run by a solver of the language.
  var isRunBySolver: Bool {
    @inline(__always) get { words[0].isRunBySolver }
    @inline(__always) set { words[0].isRunBySolver = newValue }
  }
  init(state: StateRef) {
    self.state = state
    words.append(PropagationState())
    causes = ChangeLog()
    let parts: [GraphPart] = [
      regionWork, watchers, writeState, failing, halt, ended,
    ]
    for part in parts { unsafe part.graph = self }
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

  /// Calls `Machine.beginFormulas()` and `endFormulas()`, the machine not retained.
  @inline(__always)
  func beginFormulas() {
    unsafe owner.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.beginFormulas() }
  }
  @inline(__always)
  func endFormulas() {
    unsafe owner.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.endFormulas() }
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

/// The data of a feature, some of which the switches of a turn depend on.
@safe
class GraphPart {
  /// The graph, which owns the part; nil until both exist.
  final unowned(unsafe) var graph: ConnectionGraph?
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
