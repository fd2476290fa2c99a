internal import TenonLexer
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
  let words = FlatTable<TurnWords>()
  /// What a turn needs of cells and formulas.
  let hot = FlatTable<HotCell>()
  let writes = CellWrites()
  let hotFormulas = FlatTable<HotFormula>()
  /// What the last runs of formulas said that failed.
  var failures: [FormulaID: String] = [:] {
    didSet { words[0].hasFailures = !failures.isEmpty }
  }
  /// The equalities that follow from others, with what they join.
  var redundant: [Connection: (left: CellID, right: CellID)] = [:]
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
  var looseRegions: [Region] = []
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
  let baseTransaction = Transaction()

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
  var newcomerCount = 0
  var lastNewcomer = 0
  var nextOrder: UInt32 = 1
  /// The solvers that may be asked, cheapest first.
  var solvers: [any ConnectorSolver.Type] = []
  /// Constraints that wait for a way back until the batch of statements ends.
  var contested: [Constraint] = []
  /// Whether what cannot be in force is to wait so.
  var mayContest = false
  /// The numbers of connections that take places as constants which come before them.
  var holding: [Int32] = []
  /// Cells that are to be used again while connections are made anew.
  var keptCells: Set<CellID> = []
  /// Cells whose changes are remembered while a connection is made anew.
  var rememberedCells: Set<CellID> = []
  /// Wishes of one direction whose place is determined by what counts more.
  var yielded: [Constraint] = []
  /// Those that have stood back for what is just being taken into force, and what state they were in;
  /// nil while nothing is.
  var displaced: [(formula: Formula, state: Formula.State)]?
  var batchDepth = 0
  /// Where the chain stands whose pairs are being connected, of which all come into force or none.
  var chain: SourceRange?
  /// How much had been noted of what places held when the last of them had been brought up to date.
  var chainMark = 0
  /// The statement because of which the last batch failed.
  var batchCulprit: TraceEntry?

  /// The last changes and their causes.
  let causes: CauseRing

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
  var forced: [Formula] = [] { didSet { words[0].hasForced = !forced.isEmpty } }
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
  /// The region whose solver is at work, and the level the turn has come to.
  var settling: Region?
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
  var restless: CellID? { didSet { noteHalt() } }
  /// Why a solver has given the turn up.
  var refusal: SolverConflict? { didSet { noteHalt() } }
  /// The region whose solver that is.
  var refusing: Region?
  /// Why a statement is refused whose connection is being brought up to date for the first time.
  var refusedStatement: Failure? { didSet { noteHalt() } }
  /// Whether a formula was interrupted: the turn is given up.
  var isUnwinding = false { didSet { noteHalt() } }
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
  var stuck = StuckFormulas()
  /// Connections with a path that a change may have led elsewhere.
  var pathWatchers: [CellID: ConnectionSet] = [:]
  var reaimed: [Connection] = [] { didSet { words[0].hasReaimed = !reaimed.isEmpty } }
  /// The connections that tell what has changed.
  var relays = Relays() {
    didSet { words[0].hasRelays = !relays.held.isEmpty || !relays.queue.isEmpty }
  }
  var invariants = Invariants() {
    didSet { words[0].hasInvariants = invariants.count > 0 || !invariants.doubtful.isEmpty }
  }
  /// Whether any object has announced a change itself: from then on receivers are noted.
  var hearsAnnouncements = false
  /// The cell of a store that is written through the door.
  var storing: CellID?
  private var storedCellCount = 0
  /// What a store was told to have changed itself last: for whoever writes, and asks at once.
  var directWrite: (store: Value, reference: Value, text: String)?
  /// The cells of places in stores that may have got or lost their readers.
  var touchedStoredCells: Set<CellID> = []
  /// The old values of what was written in this turn, for when it cannot be finished.
  let undo = UndoLog()
  /// What a turn has changed besides values, for the same case.
  var journal = TurnJournal()
  /// The plans whose formulas have run without that being written down for each.
  var openPlans: [FormulaPlan] = []
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
  var endedFormulas: [Formula] = [] { didSet { noteEnded() } }
  /// The numbers of the connections that have ended so: messages about what a formula does may name
  /// them.
  var endedConnections: [Int32] = [] { didSet { noteEnded() } }
  /// Where formulas of the language are evaluated in a turn.
  var evaluation = FormulaEvaluation()
  /// The regions whose solvers were exchanged since the last turn ended well.
  var handedOver: [HandedOver] = [] {
    didSet { words[0].hasHandedOver = !handedOver.isEmpty }
  }
  /// The cells of regions that have been written since the last turn ended, in order.
  let edits = FlatTable<EditedCell>()
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
  let formulaTracker = Tracker(within: nil)

  private func noteHalt() {
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
    words.append(TurnWords())
    causes = CauseRing()
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

  /// How many cells wait for the next settling.
  var pendingCount: Int { pending.count }

  /// Whether any region of several directions exists: without one all formulas are of one level.
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

// MARK: - Cells

extension ConnectionGraph {
  /// The cell of a place, made when it is first asked for.
  func cell(for place: Place, name: @autoclosure () -> String) -> CellID {
    if let id = cellsByPlace[place] { return id }
    let id: CellID
    let name = name()
    if let free = freeCells.popLast() {
      id = free
      cells.reuse(id.rawValue, name: name)
      hot[id.rawValue] = HotCell(place)
      causes.forget(id)
    } else {
      id = CellID(Int32(cells.count))
      cells.append(name: name)
      hot.append(HotCell(place))
    }
    watch(place, id)
    if words[0].hasReleased, let count = changesOfReleased[place] {
      hot[id.rawValue].turn = words[0].firstTurn
      hot[id.rawValue].changes = count
    }
    noteType(of: id)
    machine.heap.countOutside(GraphSize.cell)
    return id
  }

  /// The number of the cell of a place, or -1.
  @inline(__always)
  func number(of place: Place) -> Int32 { objectMap.find(place, in: hot) }

  /// The send from which the machine is writing.
  @inline(__always)
  func currentSend() -> Unmanaged<SiteNode>? {
    unsafe owner.unsafelyUnwrapped._withUnsafeGuaranteedRef { unsafe $0.currentSend() }
  }

  /// The cells by their places.
  var cellsByPlace: CellsByPlace { CellsByPlace(graph: self) }

  /// The cells by their places.
  ///
  /// For the reference to the graph see `CellView`.
  struct CellsByPlace {
    unowned(unsafe) let graph: ConnectionGraph

    subscript(place: Place) -> CellID? {
      let id = unsafe graph.number(of: place)
      return id < 0 ? nil : CellID(id)
    }
  }

  /// The place of a cell.
  func place(of id: CellID) -> Place {
    hot[id.rawValue].place
  }

  /// Learns whether a slot may be written without looking at its declared type.
  private func noteType(of id: CellID) {
    let place = place(of: id)
    let isPlain =
      place.kind == .slot
      && (machine.declaredType(of: ObjectRef(place.object), slot: place.index) == nil
        || machine.isLazy(place))
    setFlag(CellFlag.plain, of: id, to: isPlain)
  }

  /// Learns that a variable has been declared, with a type or without.
  func noteType(of place: Place) {
    if let id = cellsByPlace[place] { noteType(of: id) }
  }

  /// Learns that a class has been defined anew: its variables may have other types.
  func noteTypes() {
    for index in cells.indices where !cells[index].isFree { noteType(of: CellID(index)) }
  }

  func setFlag(_ flag: UInt8, of id: CellID, to isSet: Bool) {
    let old = hot[id.rawValue].flags
    let new = isSet ? old | flag : old & ~flag
    if old == new { return }
    hot[id.rawValue].flags = new
    forgetPlans()
  }

  /// Learns whether changes of a cell concern more than the formulas that read it.
  func noteHooks(of id: CellID) {
    let isHooked =
      !cells[id.index].properties.isEmpty || pathWatchers[id] != nil || relays.byCell[id] != nil
      || foldsByCell[id] != nil || lazyReaders[id] != nil
    setFlag(CellFlag.hooked, of: id, to: isHooked)
    touch(id)
  }

  private func watch(_ place: Place, _ id: CellID) {
    switch place.kind {
    case .slot, .element, .whole:
      objectMap.insert(id.rawValue, in: hot)
      ObjectRef(place.object).flags |= ObjectFlag.watched
    case .property:
      objectMap.insert(id.rawValue, in: hot)
    case .stored:
      objectMap.insertStored(id.rawValue, in: hot)
      storedCellCount += 1
    }
  }

  /// Whether any place of a store takes part in connections.
  var hasStoredCells: Bool { storedCellCount > 0 }

  /// The cell of a place that a statement names: messages call it what the first one does.
  func cell(for place: Place, named name: String) -> CellID {
    let id = cell(for: place, name: name)
    // What a class calls a place of its own says less than what it is called from outside.
    if !cells[id.index].isNamed || cells[id.index].name.isOfInstance && !name.isOfInstance {
      cells[id.index].name = name
      cells[id.index].isNamed = true
    }
    return id
  }

  /// The cell of a slot, if somebody watches it.
  func cell(of object: ObjectRef, slot: Int) -> CellID? {
    cellsByPlace[.slot(object, slot)]
  }

  subscript(id: CellID) -> CellView { CellView(graph: self, id: id) }

  /// Why a cell has the value it has.
  func cause(of id: CellID) -> Cause {
    settleAccounts()
    let writer = hot[id.rawValue].writer
    guard writer >= 0 else { return Cause(site: writes.site(of: id)) }
    let cause = hotFormulas[writer].cause
    return Cause(formula: FormulaID(writer), cell: cause < 0 ? nil : CellID(cause))
  }

  /// The formula of a number; nil for one that is gone, or that a solver has made up.
  subscript(id: FormulaID) -> Formula? {
    guard id.index >= 0, id.index < formulas.count, formulas[id.rawValue].isUsed else { return nil }
    return Formula(id.rawValue, in: self)
  }

  /// Remembers the value of a place that is costly to read.
  func setKnown(_ value: Value, of cell: CellID) {
    cells[cell.index].known = value
  }

  /// Learns on which slots the getter of a property depends.
  func setSlots(_ places: [Place], of property: CellID) {
    let new = places.map { cell(for: $0, name: self[property].name) }
    let old = self[property].slots
    guard new != old else { return }
    noteSlots(of: property, old)
    cells[property.index].slots = new
    for slot in new where !old.contains(slot) {
      cells[slot.index].properties.append(property)
      noteHooks(of: slot)
    }
    for slot in old where !new.contains(slot) {
      cells[slot.index].properties.removeAll { $0 == property }
      noteHooks(of: slot)
    }
    release(old.filter { !new.contains($0) })
  }

  /// Lets go of cells that nothing uses any more.
  func release(_ ids: [CellID]) {
    for id in Set(ids) {
      let cell = self[id]
      guard !cell.isFree, !cell.hasReaders, !cell.hasOwner, cell.region == nil,
        cell.properties.isEmpty, pathWatchers[id] == nil, !isJoined(id),
        relays.byCell[id] == nil
      else { continue }
      if words[0].isCounting, hot[id.rawValue].turn == words[0].firstTurn {
        changesOfReleased[cell.place] = hot[id.rawValue].changes
      }
      if cell.place.kind == .stored {
        objectMap.removeStored(id.rawValue, in: hot)
        storedCellCount -= 1
        touch(id)
      } else {
        unwatch(cell.place, id)
      }
      for slot in cell.slots {
        cells[slot.index].properties.removeAll { $0 == id }
        noteHooks(of: slot)
      }
      let slots = cell.slots
      cells.free(id.rawValue)
      writes.forget(id)
      valuesBefore[id] = nil
      freeCells.append(id)
      machine.heap.countOutside(-GraphSize.cell)
      release(slots)
    }
  }

  private func unwatch(_ place: Place, _ id: CellID) {
    guard objectMap.remove(id.rawValue, in: hot) else { return }
    ObjectRef(place.object).flags &= ~ObjectFlag.watched
  }

  /// Whether a formula that is not in force yet, or will be again, joins the cell.
  private func isJoined(_ id: CellID) -> Bool {
    if keptCells.contains(id) || rememberedCells.contains(id) { return true }
    if contested.isEmpty && yielded.isEmpty { return false }
    func concerns(_ constraint: Constraint) -> Bool {
      constraint.formulas.contains { $0.output == id || $0.inputs.contains(id) }
    }
    return contested.contains(where: concerns) || yielded.contains(where: concerns)
  }
}

// MARK: - Formulas

extension ConnectionGraph {
  /// Makes a formula of a connection; it is not in force yet.
  func makeFormula(
    of connection: Connection, output: CellID, inputs: [CellID], source: Formula.Source
  ) -> Formula {
    let inputs = inputs.withoutRepetitions
    let record = FormulaRecord(
      order: nextOrder, firstInput: inputs.count == 1 ? inputs[0].rawValue : -1)
    let hot = HotFormula(of: connection, output, source)
    nextOrder &+= 1
    let number = freeFormulas.popLast() ?? Int32(formulas.count)
    if Int(number) == formulas.count {
      formulas.append(record)
      hotFormulas.append(hot)
    } else {
      formulas[number] = record
      hotFormulas[number] = hot
    }
    let formula = Formula(number, in: self)
    formula.take(source, inputs)
    formula.isHeld = connection.relay?.kind == .formulas
    connection.append(formula)
    machine.heap.countOutside(GraphSize.formula)
    return formula
  }

  func free(_ formula: Formula) {
    machine.heap.countOutside(-GraphSize.formula)
    if hasFailures { releaseHeldBack(by: formula) }
    endFold(of: formula)
    forgetPlans()
    formulas[formula.id.rawValue].isUsed = false
    hotFormulas[formula.id.rawValue].kind = .none
    failures[formula.id] = nil
    if !reasonsToWait.isEmpty { reasonsToWait[formula.id] = nil }
    if isSettling || runningNumber >= 0 {
      endedFormulas.append(formula)
    } else {
      formula.releaseRecord()
      freeFormulas.append(formula.id.rawValue)
    }
  }

  /// The formula of a number in use, or of one that has ended and may be running; nil for -1.
  func formula(_ number: Int32) -> Formula? { number < 0 ? nil : Formula(number, in: self) }

  /// How many records of cells, formulas and constraints there are, with those that are free.
  var recordCounts: (cells: Int, formulas: Int, constraints: Int) {
    (cells.count, formulas.count, constraintRecords.count)
  }

  /// How many cells are in use.
  var cellCount: Int { cells.count - freeCells.count }

  /// How many formulas have not ended.
  var formulaCount: Int { formulas.count - freeFormulas.count - endedFormulas.count }

  /// The formulas that have not ended.
  var formulasInUse: some Sequence<Formula> {
    formulas.indices.lazy.map { FormulaID($0) }.compactMap { [unowned self] in self[$0] }
  }

  /// The formulas that read a cell.
  func readers(of cell: CellID) -> Readers { cells[cell.rawValue].readers(in: self) }

  /// The one-way formula that determines a cell.
  func owner(of cell: CellID) -> Formula? { formula(cells[cell.rawValue].ownerNumber) }

  private func noteEnded() {
    words[0].hasEnded = !endedFormulas.isEmpty || !endedConnections.isEmpty
  }

  /// Lets go of the formulas and connections that have ended meanwhile, and gives out the numbers of
  /// the formulas again.
  ///
  /// As long as a formula may be running, its number has to stay its own, so that what it computes
  /// is not taken for the value of another; and code in Swift is called without being counted.
  func releaseEnded() {
    guard !isSettling, runningNumber < 0 else { return }
    let ended = endedFormulas
    endedFormulas = []
    for formula in ended {
      // What its code has kept may write when it goes, and connect: the number is its own till then.
      formula.releaseRecord()
      freeFormulas.append(formula.id.rawValue)
    }
    releaseEndedConnections()
  }

  /// What the one-way solver of a level is told of a constraint of one formula, by whose number it
  /// goes there.
  func levelDescription(of constraint: Constraint, _ formula: Formula) -> ConstraintIR {
    ConstraintIR(
      id: formula.levelID, cells: constraint.cells, formulas: [describe(formula, formula.heard)],
      strength: constraint.strength, relation: .equal, solver: constraint.solver)
  }

  private func describe(_ formula: Formula, _ inputs: [CellID]) -> FormulaIR {
    FormulaIR(
      id: formula.id, output: formula.output, inputs: inputs, unread: formula.unread,
      order: formula.order, text: formula.connection.text,
      isInverse: formula.isInverse || formula.isWayBack)
  }

  /// What the solver of a region is told of a constraint.
  func description(of constraint: Constraint) -> ConstraintIR {
    // Only where there is an equation do formulas have to be read as sums.
    describe(constraint, withSums: constraint.equation != nil)
  }

  /// What a solver is told of a constraint; `withSums`: formulas are read as sums, too.
  func describe(_ constraint: Constraint, withSums: Bool) -> ConstraintIR {
    var formulas = constraint.formulas
    // Who knows sums goes by what the statement says: its left side is that of the first formula.
    if withSums, formulas.first?.isInverse ?? false {
      formulas = formulas.filter { !$0.isInverse } + formulas.filter { $0.isInverse }
    }
    return ConstraintIR(
      id: constraint.id, cells: constraint.cells,
      formulas: formulas.map {
        // What formulas of several directions read besides is no variable of the constraint.
        describe($0, constraint.isMultiWay || constraint.isForced ? $0.staticInputs : $0.heard)
      }, strength: constraint.strength, relation: constraint.equation?.relation ?? .equal,
      linear: withSums ? linearForm(of: constraint) : nil, isLinearOnly: constraint.equation != nil,
      solver: constraint.solver)
  }

  /// The constraint over a formula's variables, made when it is the first; `isOnly`: no other formula
  /// comes with it, so that it is likely to stay alone.
  func constraint(for formula: Formula, isOnly: Bool) -> Constraint {
    if let equation = formula.equation {
      return makeConstraint(over: formula, cells: equation.form.cells, equation: equation)
    }
    // What computes a constant of an equation is none of its solver's business.
    if isForced(formula.connection),
      !formula.connection.formulas.contains(where: { $0.equation != nil })
    {
      return forcedConstraint(for: formula)
    }
    if let known = knownConstraint(for: formula) { return known }
    if isOnly { return makeLoneConstraint(of: formula) }
    let constraint = makeConstraint(over: formula)
    constraintTable.insert(constraint)
    return constraint
  }

  func makeTransaction() -> Transaction {
    let transaction = Transaction()
    transaction.attach(self)
    return transaction
  }
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
