internal import TenonStoreKit

// Verbs of stores that may take time: they are carried out on other threads, and whoever asks waits for
// the answer while the loop runs.

/// What comes of a verb that is carried out on another thread; used on the interpreter's thread, but for
/// `compute`.
private final class ComingAnswer<Answer>: @unchecked Sendable {
  private let body: @Sendable () throws(StoreError) -> Answer
  private var computed: Result<Answer, StoreError>?
  /// The answer, once it has come in.
  private(set) var result: Result<Answer, StoreError>?
  /// What waits for it, if that is not the thread's own evaluation.
  weak var coroutine: Coroutine?
  /// Whether nobody waits any more.
  var isAbandoned = false

  init(_ body: @escaping @Sendable () throws(StoreError) -> Answer) { self.body = body }

  /// Carries the verb out; on the other thread.
  func compute() { computed = Result(catching: body) }

  /// Takes what has come in.
  func arrive(in machine: Machine) {
    result = computed
    guard !isAbandoned else { return }
    machine.loop.requestCount -= 1
    if let coroutine { machine.loop.coroutines.wake(coroutine) }
  }
}

extension Machine {
  /// Whether what is evaluated may wait: nobody is in the midst of something that others must not see.
  var mayWait: Bool {
    graph.running == nil && !isInTurn && connections.solverLimit == nil
      && graph.watchers.observers.write == nil
      && (graph.writeState.writing == nil && graph.storedCells.storing == nil
        || loop.coroutines.current?.isWriter == true)
  }

  /// Whether what is evaluated may let time pass.
  package var mayPause: Bool { mayWait && graph.atomicDepth == 0 && host.clock != nil }

  /// Whether a lock that a store meets now is met by asking again later: by whoever waits, or by what a
  /// connection puts off.
  package var mayRetry: Bool { mayPause || stores.coming.putsOff }

  /// Asks a store for what can be put off, or not.
  func puttingOff<Answer>(
    _ isPossible: Bool, _ body: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    let outer = stores.coming.putsOff
    stores.coming.putsOff = isPossible && host.clock != nil
    defer { stores.coming.putsOff = outer }
    return try body()
  }

  /// Whether something is under way at a place.
  func isPending(_ reference: Value, in store: Value) -> Bool {
    stores.coming.entries[placeOfStore(reference, in: store)]?.isPending == true
  }

  /// Whether a place has been read for the formula that runs.
  func hasCome(_ reference: Value, in store: Value) -> Bool {
    guard let formula = graph.running else { return false }
    return stores.coming.hasAnswer(at: placeOfStore(reference, in: store), for: formula.id)
  }

  /// How long a store that is locked is tried again, in nanoseconds.
  private static let lockPatience = 5_000_000_000

  /// Does something where it is asked for; where that fails because of a lock, again after pauses that
  /// grow, in which the loop runs.
  private func retrying<Answer>(
    _ verb: String, keeping kept: [Value], _ body: () throws(StoreError) -> Answer
  ) throws(Failure) -> Answer {
    let root = roots.count
    defer { dropRoots(to: root) }
    var (pause, left) = (1_000_000, Machine.lockPatience)
    while true {
      do throws(StoreError) {
        return try body()
      } catch {
        // How long to wait for what does not come is known to the store.
        guard error.isPassing, left > 0 || error.kind != .locked, mayPause else {
          throw .store(error, during: verb)
        }
        if roots.count == root { roots.append(contentsOf: kept) }
        if try wait(nanoseconds: pause).isUnwind { throw .unwinding() }
        left -= pause
        pause = min(pause * 2, 50_000_000)
      }
    }
  }

  /// Does something with a store; what it throws tells the verb.
  ///
  /// A store that may take time does it on another thread, and the loop runs meanwhile, unless that must
  /// not be.
  ///
  /// - Parameters:
  ///   - verb: The verb or command.
  ///   - store: The store.
  ///   - place: The place that is read or changed.
  ///   - kept: Values that the caller goes on with.
  ///   - body: What is done with the store; nothing of the interpreter, which may go meanwhile.
  /// - Returns: What it comes to.
  /// - Throws: The failure of the store; `unwinding` when the evaluation must not go on.
  func performing<Answer>(
    named verb: String, of store: any Store, at place: Reference, keeping kept: [Value],
    _ body: @escaping @Sendable (any Store) throws(StoreError) -> Answer
  ) throws(Failure) -> Answer {
    // The executor is the store's own: it says on which threads the store may be used.
    nonisolated(unsafe) let used = store
    let body = { @Sendable () throws(StoreError) in try body(unsafe used) }
    let changes = isAskedByFormula && ["put", "post", "delete", "merge"].contains(verb)
    guard store.executor == nil, isAskedByFormula, !changes else {
      return try performing(named: verb, on: store.executor, at: place, keeping: kept, body)
    }
    do throws(Failure) {
      return try puttingOff(true) { () throws(Failure) in
        try performing(named: verb, on: nil, at: place, keeping: kept, body)
      }
    } catch {
      guard error.isPassing, awaitLock(of: store, place).isUnwind else { throw error }
      throw .unwinding()
    }
  }

  /// Whether a formula asks that can run again, and nobody else sees to what is put off.
  private var isAskedByFormula: Bool {
    readsForFormula && !stores.coming.putsOff
      && graph.running.map { $0.constraint?.isMultiWay != true } == true
  }

  /// Leaves the formula that runs until a store is not locked any more, which looking at its root tells; where
  /// that has been looked at in vain, the formula fails.
  ///
  /// - Returns: `unwind` when the formula must not go on.
  private func awaitLock(of store: any Store, _ place: Reference) -> Value {
    let (object, root) = (nativeStoreObject(for: store), makeReference(place.dropping(.max)))
    let key = placeOfStore(root, in: object)
    if case .failure = stores.coming.entries[key]?.answer {} else { stores.coming.markStale(key) }
    return comingValue(at: root, in: object)
  }

  /// The same on the executor itself; nil is the calling thread.
  func performing<Answer>(
    named verb: String, on executor: (any VerbExecutor)?, at place: Reference,
    keeping kept: [Value],
    _ body: @escaping @Sendable () throws(StoreError) -> Answer
  ) throws(Failure) -> Answer {
    guard let executor, mayWait else { return try retrying(verb, keeping: kept, body) }
    let root = roots.count
    roots.append(contentsOf: kept)
    defer { dropRoots(to: root) }
    let isReading = ["get", "list", "status"].contains(verb)
    let result = try answer(of: body, on: executor, at: place, isReading: isReading)
    return try storing(verb) { () throws(StoreError) in try result.get() }
  }

  /// The same with values one by one.
  func performing<Answer>(
    _ verb: StoreCapabilities.Verb, of store: any Store, at place: Reference,
    keeping kept: Value...,
    body: @escaping @Sendable (any Store) throws(StoreError) -> Answer
  ) throws(Failure) -> Answer {
    try performing(named: verb.rawValue, of: store, at: place, keeping: kept, body)
  }

  /// Changes a place of a store; what the store announces about it meanwhile is known.
  func changing<Answer>(
    _ verb: StoreCapabilities.Verb, of store: any Store, at place: Reference, in object: Value,
    keeping kept: Value..., body: @escaping @Sendable (any Store) throws(StoreError) -> Answer
  ) throws(Failure) -> Answer {
    let number = nativeNumber(object)
    let (changes, notesListing) = (stores.changes, graph.hasStoredCells)
    return try performing(named: verb.rawValue, of: store, at: place, keeping: kept) {
      store throws(StoreError) in
      try changes.changing(place, of: number, notesListing: notesListing) {
        () throws(StoreError) in try body(store)
      }
    }
  }

  /// Has a verb carried out on another thread, and waits for the answer.
  private func answer<Answer>(
    of body: @escaping @Sendable () throws(StoreError) -> Answer, on executor: any VerbExecutor,
    at place: Reference, isReading: Bool
  ) throws(Failure) -> Result<Answer, StoreError> {
    let coming = ComingAnswer(body)
    coming.coroutine = loop.coroutines.current
    let inbox = loop.inbox
    let request = VerbRequest(at: place, isReading: isReading) { isCancelled in
      if !isCancelled { coming.compute() }
      inbox.post { machine in coming.arrive(in: machine) }
    }
    loop.requestCount += 1
    executor.begin(request)
    let waited = wait { coming.result != nil }
    guard !waited.isUnwind, let result = coming.result else {
      coming.isAbandoned = true
      loop.requestCount -= 1
      request.cancel()
      throw .unwinding()
    }
    return result
  }

  /// Lets the loop run until a condition holds, which something that the loop does brings about.
  ///
  /// - Returns: `unwind` when the evaluation must not go on, else nil.
  func wait(until isDone: () -> Bool) -> Value {
    if let coroutine = loop.coroutines.current {
      return suspend(coroutine, for: .event, until: isDone)
    }
    while !isDone() {
      if turnAndWait(until: isDone).isUnwind { return .unwind }
      if noticeInterrupt() { return stop() }
    }
    return .nil
  }

  // MARK: Statements

  /// Waits for what has begun since a number was taken: a statement that connects waits for its places.
  ///
  /// - Returns: the value, or `unwind`.
  func awaitPlaces(since number: Int, answering value: Value) -> Value {
    guard stores.coming.begun > number, mayWait, !value.isUnwind else { return value }
    let root = roots.count
    roots.append(value)
    defer { dropRoots(to: root) }
    let start = stores.coming.begun
    return waitForPlaces { !stores.coming.isPending(since: number, start) }.isUnwind
      ? .unwind : value
  }

  /// Waits until the stores have answered that a connection has asked.
  ///
  /// - Returns: the value, or `unwind`.
  func awaitAnswers(of connection: Connection, answering value: Value) -> Value {
    guard mayWait, graph.connecting.batchDepth == 0, pendingTime(of: connection) != nil else {
      return value
    }
    let start = stores.coming.begun
    let waited = waitForPlaces {
      connection.status != .active || pendingTime(of: connection, since: start) == nil
    }
    return waited.isUnwind ? .unwind : value
  }

  /// When what a connection waits for, of some since a number, has begun, in monotonic nanoseconds; or nil.
  func pendingTime(of connection: Connection, since number: Int = .max) -> Int? {
    if let exchange = stores.coming.exchanges[connection.number] { return exchange.since }
    guard !stores.coming.entries.isEmpty else { return nil }
    let cells =
      connection.formulas.flatMap { [$0.output] + $0.inputs } + (connection.observer?.cells ?? [])
    let places = Set(cells.map { graph[$0].place })
    let formulas = connection.formulas.map(\.id)
    return stores.coming.entries.filter { place, entry in
      entry.isAwaited(since: number)
        && (places.contains(place)
          || entry.isWriting
            && (entry.connection?.number == connection.number
              || entry.origin.map(places.contains) == true)
          || formulas.contains(where: entry.awaiting.contains))
    }.map(\.value.since).min()
  }
}
