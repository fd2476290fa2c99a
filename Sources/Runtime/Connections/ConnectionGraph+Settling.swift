internal import TenonTables

// A turn: from a write to the moment when all connections hold again.

extension ConnectionGraph {
  /// The most often that one cell may change because of one change.
  @inline(__always) static var changeLimit: Int { 100 }

  // MARK: Writes from outside

  /// Asks whether a cell may be written from outside.
  ///
  /// - Throws: a failure that names what determines the cell.
  func checkWrite(to cell: CellID) throws(Failure) {
    if runningNumber >= 0, let running {
      throw .impureFormula(self[cell].name, running.connection)
    }
    if words[0].hasSolverLimit, let limit = machine.solverLimit {
      throw .impureSolver(self[cell].name, limit.solver.title)
    }
    try checkOwner(of: cell)
    // Who writes a slot writes the properties that are computed from it.
    guard hot[cell.rawValue].flags & CellFlag.hooked != 0 else { return }
    for property in cells[cell.index].properties { try checkOwner(of: property) }
  }

  @inline(__always)
  private func checkOwner(of cell: CellID) throws(Failure) {
    guard hot[cell.rawValue].flags & CellFlag.determined != 0 else { return }
    if let owner = self[cell].owner, !owner.connection.allowsOverride {
      throw .determined(self[cell].name, by: owner.connection)
    }
  }

  /// Makes a cell that is about to be written one that its constraints do not compute.
  ///
  /// - Throws: a failure that names what determines the cell.
  func prepareWrite(to cell: CellID) throws(Failure) {
    try prepareRegion(of: cell)
    guard hot[cell.rawValue].flags & CellFlag.hooked != 0 else { return }
    for property in cells[cell.index].properties { try prepareRegion(of: property) }
  }

  private func prepareRegion(of cell: CellID) throws(Failure) {
    guard hasRegions, let region = cells[cell.index].region else { return }
    try tell(region, of: cell, age: clock + 1, isPinned: self[cell].owner != nil)
  }

  /// Whether writing a slot concerns nothing but the formulas that read it.
  @inline(__always)
  func isFreelyWritable(_ cell: CellID) -> Bool {
    let flags = hot[cell.rawValue].flags
    return flags & CellFlag.plain != 0
      && flags & (CellFlag.hooked | CellFlag.determined) == 0 && runningNumber < 0 && !hasRegions
      && !words[0].hasRelays && !words[0].hasSolverLimit
  }

  /// Remembers what a place held, for when the turn cannot be finished.
  @inline(__always)
  func noteOld(_ value: Value, at place: Place) {
    undo.note(place, value)
  }

  /// Notes that a freely writable cell was written from outside.
  @inline(__always)
  func noteFreeWrite(to cell: CellID, by site: TraceEntry?, old: Value, new: Value) {
    clock += 1
    causes.noteWrite(cell, turn: isSettling ? turn : turn + 1, by: site, old: old, new: new)
    noteWriter(of: cell, site)
    countChange(of: cell.rawValue)
    if isSettling { distribute(cell) } else { pending.append(cell) }
  }

  @inline(__always)
  private func noteWriter(of cell: CellID, _ site: TraceEntry?) {
    notes[cell.rawValue].age = clock
    if hot[cell.rawValue].flags & CellFlag.planned != 0 { settleAccounts() }
    hot[cell.rawValue].writer = -1
    // What a connection says of a place that was written over its head does not hold until it hears
    // of a change.
    if hot[cell.rawValue].flags & CellFlag.determined != 0 {
      self[cell].owner?.state = .waiting
      forgetStaleness(of: cell)
    }
    // Most writes of a cell come from where the last one came from.
    let identity = site.map { UInt(bitPattern: ObjectIdentifier($0.site)) } ?? 0
    if notes[cell.rawValue].site != identity {
      notes[cell.rawValue].site = identity
      cells[cell.index].site = site
    }
  }

  /// Notes that a cell was written from outside.
  ///
  /// - Parameters:
  ///   - cell: The cell.
  ///   - site: The send that wrote.
  ///   - old: What it held; undefined when nobody knows.
  ///   - new: What it holds; undefined when nobody has looked yet.
  func noteWrite(
    to cell: CellID, by site: TraceEntry?, old: Value = .undefined, new: Value = .undefined
  ) {
    clock += 1
    causes.noteWrite(cell, turn: isSettling ? turn : turn + 1, by: site, old: old, new: new)
    noteWriter(of: cell, site)
    if hot[cell.rawValue].flags & CellFlag.hooked != 0 {
      for property in self[cell].properties { noteWriter(of: property, site) }
    }
    noteChange(of: cell)
  }

  @inline(__always) @discardableResult
  private func countChange(of cell: Int32) -> Int32 {
    let turn = words[0].firstTurn
    let changes = hot[cell].turn == turn ? hot[cell].changes &+ 1 : 1
    hot[cell].turn = turn
    hot[cell].changes = changes
    return changes
  }

  /// Counts a change of a place whose formula has ended because of it; it may have another cell now.
  private func countChange(of place: Place) {
    guard let cell = cellsByPlace[place] else {
      changesOfReleased[place, default: 0] += 1
      return
    }
    if Int(countChange(of: cell.rawValue)) > ConnectionGraph.changeLimit { restless = cell }
  }

  /// Notes that a cell has another value, whoever gave it.
  func noteChange(of cell: CellID) {
    countChange(of: cell.rawValue)
    spread(cell)
  }

  /// Tells those whom a change of a cell concerns.
  private func spread(_ cell: CellID) {
    if isSettling { distribute(cell) } else { pending.append(cell) }
    guard hot[cell.rawValue].flags & CellFlag.hooked != 0 else { return }
    for property in cells[cell.index].properties where property != writing {
      noteChange(of: property)
    }
    if !foldsByCell.isEmpty { noteFolds(readingFrom: cell) }
    if !lazyReaders.isEmpty { noteDue(readersOf: cell) }
    if !relays.byCell.isEmpty { relayChange(of: cell) }
    if let plans = pathWatchers[cell] {
      for connection in plans where !connection.awaitsAim {
        connection.awaitsAim = true
        reaimed.append(connection)
      }
    }
  }

  // MARK: Settling

  /// Whether there is anything to be done.
  var hasPending: Bool { !pending.isEmpty || words[0].hasForced || words[0].hasReaimed }

  /// Brings all connections up to date.
  ///
  /// - Throws: a failure when a cell does not come to rest; everything is then as before the turn.
  func settle() throws(Failure) {
    guard !isSettling else { return }
    let isBegun = words[0].isPlain && !pending.isEmpty && baseTransaction.isEmpty
    if isBegun, settlePlainly() { return }
    try settle(isBegun: isBegun)
  }

  /// Begins a turn that concerns nothing but formulas with the one solver of the lowest level: nearly
  /// all do.
  ///
  /// - Returns: Whether it is over; else it is to be gone on with as any other.
  @inline(__always)
  private func settlePlainly() -> Bool {
    turn += 1
    words[0].firstTurn = UInt32(truncatingIfNeeded: turn)
    words[0].isCounting = true
    isSettling = true
    baseTransaction.changes.exchange(with: pending)
    currentLevel = 0
    settleBase()
    guard words[0].isPlain, baseTransaction.isEmpty, pending.isEmpty else { return false }
    if words[0].handler >= 0 {
      machine.endFormulas()
      guard words[0].isPlain else { return false }
    }
    undo.removeAll()
    currentLevel = -1
    isSettling = false
    words[0].isCounting = false
    return true
  }

  /// Brings all connections up to date; the first turn may have begun.
  private func settle(isBegun: Bool) throws(Failure) {
    var isBegun = isBegun
    defer {
      words[0].isCounting = false
      if words[0].hasReleased { changesOfReleased = [:] }
      if words[0].hasEndedFormulas { releaseEndedFormulas() }
      if ranOutOfMemory { reportMemory() }
      if words[0].hasTrace { machine.flushTrace() }
    }
    if words[0].hasInvariants, !isBegun { askDoubtful() }
    if hasPending, !isBegun {
      words[0].firstTurn = UInt32(truncatingIfNeeded: turn &+ 1)
      words[0].isCounting = true
    }
    var growth: ConnectionGrowth?
    while isBegun || hasPending {
      let goesOn = isBegun
      isBegun = false
      if !goesOn { turn += 1 }
      isSettling = true
      defer {
        isSettling = false
        if words[0].hasEndedFormulas { releaseEndedFormulas() }
        if atomicDepth == 0 {
          undo.removeAll()
          if words[0].hasJournal { journal.endTurn() }
          if words[0].hasHandedOver { handedOver = [] }
        }
      }
      do throws(Failure) {
        defer { if words[0].handler >= 0 { machine.endFormulas() } }
        if goesOn || hasOneLevel {
          try settleOneLevel(goesOn)
        } else {
          distributePending()
          try settleLevels()
        }
      } catch {
        abandonTurn()
        throw error
      }
      if isHalted, isUnwinding {
        // Whoever leaves a formula has not failed: what is connected stays.
        journal.keepNewcomers()
        abandonTurn()
        return
      }
      if words[0].hasInvariants { try checkInvariants() }
      isSettling = false
      if words[0].hasReaimed { try reaim() }
      if hasPending {
        if growth == nil { growth = ConnectionGrowth(limit: ConnectionGrowth.settlingLimit, self) }
        try growth?.check(self)
      }
    }
    if words[0].hasJournal, atomicDepth == 0 { endJournal() }
  }

  /// Tells the solvers of all levels what has changed since the last settling.
  ///
  /// Apart from `settle()`, so that turns of one level do not pay for access to what it goes through.
  @inline(never)
  private func distributePending() {
    if words[0].hasValuesBefore {
      for cell in takePending() { distribute(cell) }
    } else {
      for index in 0..<pending.count { distribute(pending[index]) }
      pending.removeAll()
    }
    guard words[0].hasForced else { return }
    for formula in forced { distribute(formula) }
    forced = []
  }

  /// Whether all formulas are with one solver.
  private var hasOneLevel: Bool {
    !hasRegions && words[0].levelCount == 1 && !words[0].hasRegionsWaiting
  }

  /// Brings everything up to date that one solver keeps.
  ///
  /// `goesOn`: the solver has done its work once.
  private func settleOneLevel(_ goesOn: Bool) throws(Failure) {
    if !goesOn { beginOneLevel() }
    var isDue = !goesOn
    repeat {
      if isDue { settleBase() }
      isDue = true
      if isHalted, let restless {
        self.restless = nil
        throw .doesNotSettle(loop(through: restless))
      }
    } while !isHalted && !baseTransaction.isEmpty
    currentLevel = -1
    if hasMore || words[0].levelCount > 1 || words[0].hasRegionsWaiting { try settleLevels() }
  }

  private func beginOneLevel() {
    if !words[0].hasValuesBefore, baseTransaction.changes.isEmpty {
      baseTransaction.changes.exchange(with: pending)
    } else {
      for cell in takePending() { baseTransaction.changes.append(cell) }
    }
    if words[0].hasForced {
      for formula in forced where formula.constraint?.level == 0 {
        baseTransaction.forcedFormulas.append(formula.id)
      }
      forced.removeAll(keepingCapacity: forced.count < 65_536)
    }
    hasMore = false
    currentLevel = 0
  }

  /// Has the program hear at its next safepoint that memory has run out, when only formulas have.
  private func reportMemory() {
    ranOutOfMemory = false
    machine.state.requestSafepoint()
  }

  /// The cells that have changed since the last settling; those left out that `atomically:` gave
  /// back what they held.
  private func takePending() -> [CellID] {
    let cells = (0..<pending.count).map { pending[$0] }
    defer {
      pending.removeAll()
      valuesBefore.removeAll()
    }
    if valuesBefore.isEmpty { return cells }
    return cells.filter { cell in
      guard let before = valuesBefore[cell], let now = machine.currentValue(of: cell) else {
        return true
      }
      return !machine.isUnchanged(before, now)
    }
  }

  private func settleLevels() throws(Failure) {
    repeat {
      hasMore = false
      var level = 0
      while level <= highestLevel {
        currentLevel = level
        settleRegions(of: level)
        if level < levels.count { settle(levels[level]) }
        if let restless {
          self.restless = nil
          throw .doesNotSettle(loop(through: restless))
        }
        if let refusal {
          self.refusal = nil
          if case .interrupted = refusal.kind {
            _ = machine.stop()
            isUnwinding = true
            return
          }
          throw failure(ending: refusal)
        }
        if isUnwinding { return }
        level += 1
      }
    } while hasMore
    currentLevel = -1
  }

  private var highestLevel: Int {
    var highest = levels.count - 1
    for region in waitingRegions { highest = max(highest, region.level) }
    return max(0, highest)
  }

  private func settleRegions(of level: Int) {
    guard !waitingRegions.isEmpty else { return }
    if waitingRegions.count == 1 {
      guard waitingRegions[0].level == level, let region = waitingRegions.popLast() else { return }
      settle(region)
      return
    }
    let due = waitingRegions.filter { $0.level == level }
    waitingRegions.removeAll { $0.level == level }
    for region in due { settle(region) }
  }

  private func settle(_ region: Region) {
    region.isWaiting = false
    settling = region
    region.transaction.settle(with: region.solver)
    settling = nil
  }

  /// Lets a region wait for its solver.
  func enqueue(_ region: Region) {
    if region.level <= currentLevel { hasMore = true }
    guard !region.isWaiting else { return }
    region.isWaiting = true
    waitingRegions.append(region)
  }

  private func settle(_ level: Level) {
    let transaction = level.transaction
    guard !transaction.isEmpty else { return }
    transaction.settle(with: level.solver)
  }

  /// Tells those who have to do with a changed cell.
  func distribute(_ cell: CellID) {
    // What the solver at work computes it passes on itself, but not what the program's own code
    // writes meanwhile.
    if let region = cells[cell.index].region, region !== settling || !isRunningFormula {
      region.transaction.changes.append(cell)
      enqueue(region)
    }
    guard hasRegions || currentLevel < 0 || cells[cell.index].owner == nil else { return }
    let writer = cells[cell.index].owner?.constraint?.level ?? -1
    var told = -1
    for reader in cells[cell.index].readers {
      if let region = reader.constraint?.region {
        force(reader, in: region)
        continue
      }
      guard let level = reader.constraint?.level, level >= 0, level != told else { continue }
      if level == currentLevel, writer == level, isRunningFormula { continue }
      levels[level].transaction.changes.append(cell)
      if level <= currentLevel { hasMore = true }
      told = level
    }
  }

  /// Has a constraint of several directions satisfied again when its formula that is in force reads
  /// something that has changed.
  private func force(_ formula: Formula, in region: Region) {
    guard
      formula.equation != nil
        || region.solver.formula(computing: formula.output) == formula.id
    else { return }
    region.transaction.forcedFormulas.append(formula.id)
    enqueue(region)
  }

  private func distribute(_ formula: Formula) {
    guard let constraint = formula.constraint else { return }
    if let region = constraint.region {
      region.transaction.forcedFormulas.append(formula.id)
      enqueue(region)
    } else if constraint.level >= 0 {
      levels[constraint.level].transaction.forcedFormulas.append(formula.id)
    }
  }

  /// Gives slots back what they held before the turn, and takes back what it has changed besides.
  func abandonTurn() {
    endFolds()
    distrustLazyCells()
    if !recorded.isEmpty { distrustRecords() }
    if words[0].hasHandedOver { takeBackSolvers() }
    var regions: [Region] = []
    for index in (0..<undo.count).reversed() {
      let (place, value) = (undo[index].place, undo[index].value)
      if hasRegions, let region = cellsByPlace[place].flatMap({ self[$0].region }),
        regions.last !== region
      {
        regions.append(region)
      }
      switch place.kind {
      case .slot: ObjectRef(place.object)[slot: place.index] = value
      case .element where place.index >= 0:
        ObjectRef(place.object)[element: place.index] = value
        if let cell = cellsByPlace[place] { setKnown(value, of: cell) }
      default: break
      }
    }
    undo.removeAll()
    causes.forget(turn: turn)
    for level in levels {
      level.transaction.removeAll()
    }
    for region in waitingRegions {
      region.isWaiting = false
      region.transaction.removeAll()
    }
    waitingRegions = []
    pending.removeAll()
    // What was connected on the way would fail with every later change.
    forced = []
    valuesBefore = [:]
    forgetRelays()
    invariants.violated = nil
    for connection in reaimed { connection.awaitsAim = false }
    reaimed = []
    currentLevel = -1
    settling = nil
    // What they know of the cells they have computed in this turn.
    for region in regions.unique() { region.solver.forgetTurn() }
    if words[0].hasJournal { takeBackJournal() }
  }

  /// The connections through which a restless cell changes, for a message.
  private func loop(through cell: CellID) -> [String] {
    var names: [String] = []
    var current: CellID? = cell
    var visited: Set<CellID> = []
    while let cell = current, visited.insert(cell).inserted {
      names.append(self[cell].name)
      current = cause(of: cell).cell
    }
    if let current { names.append(self[current].name) }
    return names
  }

  // MARK: Running formulas

  /// Runs a formula for a solver.
  ///
  /// - Returns: Whether its cell has another value now.
  @inline(__always)
  func run(_ id: FormulaID, because cause: CellID?) -> Bool {
    let number = id.rawValue
    guard number >= 0, Int(number) < hotFormulas.count else { return false }
    if words[0].isHalted || words[0].hasFailures || hotFormulas[number].isHeld {
      return runSpecially(number, because: cause)
    }
    return compute(number, because: cause)
  }

  @inline(never)
  private func runSpecially(_ number: Int32, because cause: CellID?) -> Bool {
    if isHalted { return false }
    if hotFormulas[number].isHeld {
      if hot[hotFormulas[number].output].flags & CellFlag.lazy != 0 {
        return noteStale(number, because: cause)
      }
      if let cause, let formula = self[FormulaID(number)] {
        hold(formula, because: cause)
        return false
      }
    }
    return hasFailures ? runAmongFailures(number, because: cause) : compute(number, because: cause)
  }

  /// Runs a formula and stores its value.
  ///
  /// - Returns: Whether its cell has another value now, or the first failure has come up.
  @inline(__always)
  func compute(_ number: Int32, because cause: CellID?) -> Bool {
    let value: Value
    switch hotFormulas[number].kind {
    case .none: return false
    // A solver that knows equations computes the values itself.
    case .equation: return false
    case .block:
      hotFormulas[number].runs &+= 1
      guard let result = evaluateBlockFormula(number) else { return noteNews(of: number) }
      value = result
    case .fold:
      hotFormulas[number].runs &+= 1
      if let result = foldedValue(number) {
        value = result
      } else {
        // The blocks for its elements may have ended it.
        guard !isUnwinding, hotFormulas[number].kind != .none,
          let result = evaluateBlockFormula(number)
        else { return noteNews(of: number) }
        value = result
      }
    case .recorded:
      hotFormulas[number].runs &+= 1
      guard let result = machine.evaluateRecorded(number) else { return noteNews(of: number) }
      value = result
    case .copy:
      hotFormulas[number].runs &+= 1
      let input = Int32(truncatingIfNeeded: hotFormulas[number].word)
      if hot[input].flags & CellFlag.plain != 0 {
        let read = ObjectRef(hot[input].object)[slot: hot[input].index]
        value = read.isUndefined ? .nil : read
      } else {
        guard let result = evaluate(number) else { return noteNews(of: number) }
        value = result
      }
    case .native:
      hotFormulas[number].runs &+= 1
      guard let native = NativeFormulaRef(word: hotFormulas[number].word) else { return false }
      let outer = runningNumber
      runningNumber = number
      value = native.compute()
      runningNumber = outer
      if value.isUnwind {
        noteNativeFailure(number)
        return noteNews(of: number)
      }
    }
    // It may have ended itself.
    guard hotFormulas[number].kind != .none else { return false }
    return store(value, by: number, because: cause?.rawValue ?? -1)
  }

  private func noteNativeFailure(_ number: Int32) {
    guard let failure = nativeFailure, let formula = formulas[Int(number)] else { return }
    nativeFailure = nil
    machine.note(failure, of: formula)
  }

  private func evaluate(_ number: Int32) -> Value? {
    formulas[Int(number)].flatMap { machine.evaluate($0) }
  }

  /// Stores the value of a formula.
  @inline(__always)
  private func store(_ value: Value, by number: Int32, because cause: Int32) -> Bool {
    store(value, in: hotFormulas[number].output, by: number, because: cause)
  }

  /// Stores a value that a formula gives a cell.
  ///
  /// - Returns: Whether the cell has another value now.
  @inline(__always)
  func store(_ value: Value, in output: Int32, by number: Int32, because cause: Int32) -> Bool {
    let flags = hot[output].flags
    let old: Value
    if flags & CellFlag.plain != 0 {
      let place = hot[output].object
      let object = ObjectRef(place)
      let index = hot[output].index
      old = object[slot: index]
      if old == value || value.isObject && machine.isUnchanged(old, value)
        || hotFormulas[number].isTolerant && isWithinTolerance(old, value, of: number)
      {
        noteSatisfied(number)
        countIdleRun(of: number)
        return false
      }
      undo.noteSlot(place, index, old)
      object[slot: index] = value
    } else {
      guard let before = storeSlowly(value, in: CellID(output), by: number) else {
        return noteNews(of: number)
      }
      old = before
    }
    noteSatisfied(number)
    causes.note(
      output, turn: turn, connection: hotFormulas[number].connection, because: cause, old: old,
      new: value)
    if flags & CellFlag.planned != 0 { settleAccounts() }
    hotFormulas[number].cause = cause
    hot[output].writer = number
    if Int(countChange(of: output)) > ConnectionGraph.changeLimit { restless = CellID(output) }
    // What a region computes for itself concerns others only when they read it.
    if flags & CellFlag.hooked != 0
      || hasRegions && (flags & CellFlag.read != 0 || settling == nil)
    {
      if refreshing.depth == 0 {
        isRunningFormula = true
        spread(CellID(output))
        isRunningFormula = false
      } else if !foldsByCell.isEmpty {
        // What reads a lazy cell that is only read is brought up to date when it is read itself.
        noteFolds(readingFrom: CellID(output))
      }
    }
    return true
  }

  @inline(__always)
  private func noteSatisfied(_ number: Int32) {
    switch hotFormulas[number].status {
    case .satisfied: break
    case .waiting, .failed, .heldBack: beginSatisfied(number)
    }
  }

  @inline(never)
  private func beginSatisfied(_ number: Int32) {
    let old = hotFormulas[number].status
    if let formula = formulas[Int(number)] { noteStatus(of: formula) }
    hotFormulas[number].status = .satisfied
    forgetPlans()
    if old != .waiting { failures[FormulaID(number)] = nil }
  }

  /// Stores the value of a formula in a place whose reading and writing may run code.
  ///
  /// - Returns: What it held before; nil when it holds the same as before.
  @inline(never)
  private func storeSlowly(_ value: Value, in output: CellID, by number: Int32) -> Value? {
    guard let formula = formulas[Int(number)] else { return nil }
    let root = machine.roots.count
    machine.roots.append(value)
    defer { machine.roots.removeLast(machine.roots.count - root) }
    guard let old = machine.currentValue(of: output) else { return nil }
    if machine.isUnchanged(old, value) || isWithinTolerance(old, value, of: number) {
      noteSatisfied(number)
      countIdleRun(of: number)
      return nil
    }
    let place = place(of: output)
    noteOld(old, at: place)
    let outer = writing
    writing = output
    let failure = machine.write(value, to: output)
    writing = outer
    guard formulas[Int(number)] === formula else {
      // What the setter does has ended it.
      countChange(of: place)
      return nil
    }
    if let failure {
      if isSolverSetting { solverFailure = failure } else { machine.note(failure, of: formula) }
      return nil
    }
    return old
  }
}
