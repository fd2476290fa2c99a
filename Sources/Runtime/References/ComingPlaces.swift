internal import TenonSolverKit
internal import TenonStoreKit
internal import TenonTables

/// Places of stores that take time, as connections know them: a turn does not wait, so that it goes on
/// with what is known, and the answer is a change that was made elsewhere.
final class ComingPlaces {
  /// What was answered.
  enum Answer {
    case value(Value)
    /// The exception.
    case failure(Value)
  }

  /// What a connection has put off to write.
  enum Write {
    case put(Value)
    /// For a store in Swift code, with the value that is there then.
    case resource(Resource, Value)
    case delete
  }

  /// One place.
  struct Entry {
    var answer: Answer?
    /// Whether the place has changed since, or may have.
    var isStale = false
    /// Whether it is being read.
    var isReading = false
    /// The formulas that go on when it has been read.
    var awaiting: Set<FormulaID> = []
    /// Whether somebody else has asked as well, who is told as of any change.
    var tellsOthers = false
    /// What is still to be written.
    var write: Write?
    /// The coroutine that writes.
    weak var writer: Coroutine?
    var isWriting = false
    /// When what is under way has begun, in nanoseconds of the monotonic clock.
    var since = 0
    /// The number of what has begun last, for those who wait for what they have begun.
    var number = 0
    /// The number of the request that was answered last.
    var answered = 0
    /// The connection that writes, where no formula determines the place.
    var connection: Connection?
    /// The place that is written for a formula: this one, or one of a store that writes this one for it.
    var origin: Place?

    var isPending: Bool { isReading || isWriting }

    /// Whether something is under way for which somebody waits who has begun to wait at a number.
    ///
    /// What was answered since is not waited for again: a place may be looked at again and again, faster
    /// than its store answers.
    func isAwaited(since number: Int) -> Bool { isWriting || isReading && answered <= number }
  }

  /// What a formula has asked for in one look at its places, which takes as many turns as answers come.
  private struct Visit {
    /// The number of the turn.
    var turn: Int
    /// Whether an answer has come in this turn.
    var goesOn = false
    var places: Set<Place> = []
  }

  /// Whether what a store is asked now can be asked again when the turn is over.
  var putsOff = false
  var entries: [Place: Entry] = [:]
  /// What connections of whole stores exchange, by the numbers of the connections.
  var exchanges: [Int: StoreExchange] = [:]
  private var visits: [FormulaID: Visit] = [:]
  /// How many requests have begun.
  private(set) var begun = 0
  /// The coroutines that go on when something has ended.
  var waiting: [Coroutine] = []
  func takeNumber() -> Int {
    begun += 1
    return begun
  }

  /// Whether something is under way that has begun after a number was taken, and is waited for since another.
  func isPending(since number: Int, _ start: Int) -> Bool {
    begun > number
      && (entries.values.contains { $0.isAwaited(since: start) && $0.number > number }
        || exchanges.values.contains { $0.number > number })
  }

  /// Marks what is known of a place as old: it has changed.
  func markStale(_ place: Place) { entries[place]?.isStale = true }

  /// Has a place read anew, unless that is under way.
  func lookAgain(at place: Place) {
    guard entries[place]?.isReading == false else { return }
    entries[place]?.isStale = true
  }

  /// Forgets a place that no connection joins any more.
  func forget(_ place: Place) {
    guard let entry = entries[place], !entry.isPending else { return }
    entries[place] = nil
  }

  // MARK: Runs of formulas

  /// Notes that a formula asks for a place.
  ///
  /// A formula that waits runs once more with each answer; all these runs are one look at the places. A run
  /// in another turn is a new one.
  ///
  /// - Returns: Whether it has asked for the place before in this look.
  func visit(_ place: Place, by formula: FormulaID, turn: Int) -> Bool {
    var visit = visits[formula] ?? Visit(turn: turn)
    if visit.turn != turn {
      if !visit.goesOn { visit.places = [] }
      visit.turn = turn
    }
    let isKnown = !visit.places.insert(place).inserted
    visits[formula] = visit
    return isKnown
  }

  /// Whether a place has been read for a formula that goes on with what has come.
  func hasAnswer(at place: Place, for formula: FormulaID) -> Bool {
    let goesOn = visits[formula].map { $0.goesOn && $0.places.contains(place) }
    return goesOn == true && entries[place].map { $0.answer != nil && !$0.isStale } == true
  }

  /// Marks what formulas do until the end of a turn as going on with what has come.
  func setGoesOn(_ goesOn: Bool, _ formulas: Set<FormulaID>) {
    for formula in formulas { visits[formula]?.goesOn = goesOn }
  }

  /// Forgets what a formula has asked for, whose number goes to another one.
  func forget(_ formula: FormulaID) { if !visits.isEmpty { visits[formula] = nil } }

  func mark(_ heap: Heap) {
    for exchange in exchanges.values { heap.mark(exchange.block) }
    for (place, entry) in entries {
      for each in [place, entry.origin ?? place] {
        heap.mark(each.object)
        heap.mark(each.key)
      }
      switch entry.answer {
      case .value(let value), .failure(let value): heap.mark(value)
      case nil: break
      }
      switch entry.write {
      case .put(let value), .resource(_, let value): heap.mark(value)
      case .delete, nil: break
      }
    }
  }
}

extension Machine {
  /// Whether a formula reads, which must not wait for a store that takes time.
  var readsForFormula: Bool {
    graph.atomicDepth == 0 && (graph.running != nil || graph.isSettling)
  }

  /// Whether a connection writes, which must not wait either.
  var writesForConnection: Bool {
    // What a relay writes is a connection's, also where it writes several places as one change.
    if graph.watchers.observers.write != nil { return true }
    return graph.atomicDepth == 0
      && (graph.running != nil || graph.isSettling || graph.watchers.observers.isTelling
        || graph.writeState.writing != nil && loop.coroutines.current?.isWriter != true)
  }

  /// Whether the verbs of a store take time.
  func answersLater(_ store: Value) -> Bool {
    guard store.isObject else { return false }
    if let native = nativeStore(store) { return native.executor != nil }
    let selector = stores.answersLaterSelector
    let info = classInfo(of: store)
    guard info !== kernel.memoryStore, let method = info.lookUp(selector),
      method !== kernel.store.lookUp(selector)
    else { return false }
    func ask() -> Evaluation { withErrorsCaught { send(selector, to: store) } }
    if case .value(.true) = recorder == nil ? ask() : unrecorded(ask) { return true }
    return false
  }

  // MARK: Reading

  /// What is known of a place, for a formula; what is not known is asked for, and the formula goes no
  /// further.
  ///
  /// - Returns: the value, or `unwind`.
  func comingValue(at reference: Value, in store: Value) -> Value {
    let place = placeOfStore(reference, in: store)
    var entry = stores.coming.entries[place] ?? ComingPlaces.Entry()
    let formula = graph.running.flatMap { $0.constraint?.isMultiWay == true ? nil : $0 }
    let isNew = formula.map { !hasAsked(for: place, $0) && !canTell(of: reference, in: store) }
    if let answer = entry.answer, !entry.isStale, isNew != true {
      switch answer {
      case .value(let value): return value
      case .failure(let exception): return signal(send(selector("copy"), to: exception))
      }
    }
    if let formula {
      // What is under way has begun before the formula's other sources changed.
      if isNew == true, entry.awaiting.contains(formula.id) { entry.isStale = true }
      entry.awaiting.insert(formula.id)
    } else {
      entry.tellsOthers = true
    }
    let isFirst = !entry.isReading
    entry.isReading = true
    if isFirst { begin(&entry) }
    stores.coming.entries[place] = entry
    if isFirst { loop.addWork { machine in machine.fetch(place) } }
    return unwindAsPending(place)
  }

  /// Whether a formula has asked for a place since it has begun to run for another reason than answers.
  private func hasAsked(for place: Place, _ formula: Formula) -> Bool {
    stores.coming.visit(place, by: formula.id, turn: graph.turn)
  }

  func placeOfStore(_ reference: Value, in store: Value) -> Place {
    Place(kind: .stored, object: store, index: -1, key: canonicalReference(reference, in: store))
  }

  private func begin(_ entry: inout ComingPlaces.Entry) {
    if !entry.isPending || entry.since == 0 { entry.since = host.clock?.monotonicTime ?? 0 }
    entry.number = stores.coming.takeNumber()
  }

  /// Leaves the formula that runs, by whatever handlers it has of its own.
  private func unwindAsPending(_ place: Place) -> Value {
    var index = exceptions.currentHandler
    while index >= 0, index < exceptions.handlers.count, exceptions.handlers[index].frame != nil {
      index = exceptions.handlers[index].outer
    }
    let exception = makeException(
      for: .store(
        StoreError(.pending, referenceText(place.key), "it has not answered yet"), during: "get"))
    guard index >= 0, index < exceptions.handlers.count else { return signal(exception) }
    return state.unwind(to: Value(small: exceptions.handlers[index].token), with: exception)
  }

  /// Reads a place, on a coroutine, and tells connections what is there.
  private func fetch(_ place: Place) {
    stores.coming.entries[place]?.isStale = false
    // A store over others reads their places: a change there is one of this place.
    let recorder = DependencyRecorder(within: nil)
    recorder.base = state.base
    self.recorder = recorder
    loop.coroutines.current?.reading = Coroutine.Reading(place: place, recorder: recorder)
    trackingDepth += 1
    let answer = catchingException { get(place.key, from: place.object) }
    trackingDepth -= 1
    loop.coroutines.current?.reading = nil
    self.recorder = nil
    guard var entry = stores.coming.entries[place] else { return }
    entry.isReading = false
    defer { didEndRequest() }
    guard let answer else {
      stores.coming.entries[place] = entry
      return
    }
    // It may have changed while it was read: then it is read once more.
    let isStale = entry.isStale
    let (formulas, tellsOthers) = (entry.awaiting, entry.tellsOthers)
    entry.answer = answer
    entry.answered = entry.number
    entry.awaiting = []
    entry.tellsOthers = false
    stores.coming.entries[place] = entry
    guard let cell = graph.cellsByPlace[place] else {
      goOn(formulas)
      return stores.coming.forget(place)
    }
    follow(recorder, of: place, isWhole: true)
    if tellsOthers { graph.takeUpChange(of: cell) } else { graph.forgetCachedValue(of: cell) }
    // Those that have asked go on whatever their policies say: it is their look that has come to an end.
    stores.coming.entries[place]?.isStale = false
    goOn(formulas)
    guard isStale, graph.cellsByPlace[place] == cell else { return }
    // What has come meanwhile is read after it.
    graph.forgetCachedValue(of: cell)
    if tellsOthers { graph.takeUpChange(of: cell) }
    goOn(formulas)
  }

  /// Runs formulas that have waited for a place.
  private func goOn(_ formulas: Set<FormulaID>) {
    stores.coming.setGoesOn(true, formulas)
    graph.scheduledFormulas += formulas.sorted().compactMap { graph[$0] }
    _ = settleGraph(answering: .nil)
    stores.coming.setGoesOn(false, formulas)
  }

  /// Has a place follow what its store has read for it.
  ///
  /// So it does before the store waits: what changes meanwhile makes the answer stale. As long as there may be
  /// more, it goes on following what it did.
  func follow(_ recorder: DependencyRecorder, of place: Place, isWhole: Bool) {
    guard let cell = graph.cellsByPlace[place] else { return }
    var reads = recorder.reads.filter { $0 != place && $0.kind != .property }
    if !isWhole {
      let known = graph[cell].slots.map { graph[$0].place }
      let isKnown = Set(known)
      reads = known + reads.filter { !isKnown.contains($0) }
    }
    graph.setSlots(reads, of: cell)
  }

  /// What something comes to; nil when it is unwound.
  private func catchingException(_ body: () -> Value) -> ComingPlaces.Answer? {
    let (answer, hasFailed) = behindHandler(body)
    guard hasFailed else { return answer.isUnwind ? nil : .value(answer) }
    exceptions.unwindAction = .deliver
    return .failure(state.takeUnwindValue())
  }

  // MARK: Writing

  /// Has a place written, or removed, when the turn is over; of several values the last.
  func writeLater(_ write: ComingPlaces.Write, at reference: Value, in store: Value) {
    let place = placeOfStore(reference, in: store)
    var entry = stores.coming.entries[place] ?? ComingPlaces.Entry()
    entry.write = write
    entry.connection = graph.watchers.observers.write?.connection
    entry.origin = graph.writeState.writing.map { graph[$0].place }
    switch write {
    case .put(let value), .resource(_, let value): entry.answer = .value(value)
    case .delete: entry.answer = .value(.nil)
    }
    entry.isStale = false
    let isFirst = !entry.isWriting
    entry.isWriting = true
    begin(&entry)
    stores.coming.entries[place] = entry
    if isFirst { loop.addWork { machine in machine.writeOut(place) } }
  }

  /// Writes a place that a connection joins, for the program: the store first, as that takes time, then
  /// what depends on the place.
  ///
  /// - Returns: the value, or `unwind`.
  func writeSlowly(
    _ value: Value, at reference: Value, in store: Value, if condition: Value, _ cell: CellID
  ) -> Value {
    do throws(Failure) {
      try graph.checkWrite(to: cell)
    } catch {
      return signal(error)
    }
    guard let old = currentValue(of: cell) else { return .unwind }
    if !isUnchanged(old, value) {
      let stored = put(value, at: reference, in: store, if: condition)
      if stored.isUnwind { return stored }
    }
    // It may have been given up meanwhile.
    guard graph.cellsByPlace[placeOfStore(reference, in: store)] == cell else {
      return settleObservers(answering: value)
    }
    return calling(cell, as: reference) {
      write(value, to: cell) {
        graph.cacheValue(value, of: cell)
        return nil
      }
    }
  }

  /// Writes bytes at a place of a store in Swift code.
  ///
  /// - Returns: the value, or `unwind`.
  private func put(
    _ resource: Resource, _ value: Value, at reference: Value, in store: Value
  ) -> Value {
    do throws(Failure) {
      let native = try openedStore(store)
      let place = try self.reference(reference)
      try changing(.put, of: native, at: place, in: store, keeping: reference, store, value) {
        native throws(StoreError) in try native.put(place, resource, if: nil)
      }
      return value
    } catch {
      return signal(error)
    }
  }

  /// Writes what is to be written at a place, on a coroutine.
  private func writeOut(_ place: Place) {
    stores.coming.entries[place]?.writer = loop.coroutines.current
    loop.coroutines.current?.isWriter = true
    while let write = stores.coming.entries[place]?.write {
      stores.coming.entries[place]?.write = nil
      // What the store tells of this place meanwhile is its echo.
      let origin = stores.coming.entries[place]?.origin
      graph.writeState.writing =
        graph.cellsByPlace[place] ?? origin.flatMap { graph.cellsByPlace[$0] }
      graph.storedCells.storing = graph.writeState.writing
      defer {
        graph.writeState.writing = nil
        graph.storedCells.storing = nil
        if graph.hasPending { _ = settleGraph(answering: .nil) }
      }
      let outcome = withErrorsCaught {
        switch write {
        case .put(let value): put(value, at: place.key, in: place.object)
        case .resource(let resource, let value):
          put(resource, value, at: place.key, in: place.object)
        case .delete: deleteUnwatched(place.key, in: place.object, if: .nil)
        }
      }
      guard case .failed(let failure) = outcome else { continue }
      stores.coming.entries[place]?.answer = nil
      tell(failure, of: place)
    }
    stores.coming.entries[place]?.isWriting = false
    stores.coming.entries[place]?.writer = nil
    if graph.cellsByPlace[place] == nil { stores.coming.forget(place) }
    didEndRequest()
  }

  /// Tells the connection that has written a place why it could not be.
  private func tell(_ failure: Failure, of place: Place) {
    let entry = stores.coming.entries[place]
    let cell = entry?.origin.flatMap { graph.cellsByPlace[$0] } ?? graph.cellsByPlace[place]
    if let cell { graph.forgetCachedValue(of: cell) }
    if let connection = entry?.connection, connection.status == .active,
      let observer = connection.observer
    {
      observer.error = failure.message
      report(failure, of: connection)
      return
    }
    guard let cell else { return }
    let formulas = graph[cell].region?.constraints.flatMap(\.formulas) ?? []
    let writers = [graph.owner(of: cell)].compactMap(\.self) + formulas.filter { $0.output == cell }
    for formula in writers.prefix(1) { record(failure, of: formula) }
  }

  /// Waits until connections have written a place, before the program itself reads or writes there.
  ///
  /// - Returns: `unwind` when the evaluation must not go on, else nil.
  func waitForWrites(at reference: Value, in store: Value) -> Value {
    if stores.coming.entries.isEmpty && stores.coming.exchanges.isEmpty || !mayWait { return .nil }
    if isExchanging(store), waitForPlaces(until: { !isExchanging(store) }).isUnwind {
      return .unwind
    }
    let place = placeOfStore(reference, in: store)
    guard let entry = stores.coming.entries[place], entry.isWriting,
      entry.writer == nil || entry.writer !== loop.coroutines.current
    else { return .nil }
    return waitForPlaces { stores.coming.entries[place]?.isWriting != true }
  }

  func waitForPlaces(until isDone: () -> Bool) -> Value {
    if let coroutine = loop.coroutines.current { stores.coming.waiting.append(coroutine) }
    defer {
      if let coroutine = loop.coroutines.current {
        stores.coming.waiting.removeAll { $0 === coroutine }
      }
    }
    return wait(until: isDone)
  }

  /// Lets those go on that wait for places.
  func didEndRequest() {
    for coroutine in stores.coming.waiting { loop.coroutines.wake(coroutine) }
  }
}
