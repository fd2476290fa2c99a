internal import Synchronization

/// Who has made a change, so that whoever made it can leave it out when he is told.
public final class ChangeOrigin: Sendable, Hashable {
  /// What it is called in messages.
  public let name: String

  /// Creates an origin that is equal to no other.
  public init(_ name: String) { self.name = name }

  /// Whether both are the same.
  public static func == (left: ChangeOrigin, right: ChangeOrigin) -> Bool { left === right }

  /// Hashes which one it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A change as a queue delivers it: which place, never which value.
///
/// Whoever is told reads the place; what is missing then was deleted, whatever the verb says.
public struct QueuedChange: Sendable {
  /// The place.
  public let reference: Reference
  /// Whether anything at the place and below may have changed.
  public let coversBelow: Bool
  /// What was done last: `invalidate` where everything below is meant.
  public let verb: Change.Verb
  /// Who made all the changes it stands for; nil when several did, or nobody said.
  public let origin: ChangeOrigin?
  /// How many changes it stands for.
  public let count: Int
  /// How often it was delivered in vain.
  public let attempts: Int
}

/// What a queue delivers at a time: changes in the order in which their places came in first.
public struct ChangeBatch: Sendable {
  /// The changes.
  public let changes: [QueuedChange]
  /// The greatest sequence number of the changes.
  public let sequence: UInt64
  /// How many changes of the store they stand for.
  public let count: Int
}

/// Says that some changes of a batch could not be taken up; the others were.
public struct ChangeBatchError: Error {
  /// The numbers of the changes, by their place in the batch.
  public let failed: Set<Int>
  /// Why.
  public let reason: any Error

  /// Creates an error.
  public init(failed: Set<Int>, reason: any Error) {
    self.failed = failed
    self.reason = reason
  }
}

/// Changes that nobody will take up any more.
public struct DroppedChanges: Sendable {
  /// The changes.
  public let changes: [QueuedChange]
  /// Why.
  public let reason: any Error
}

/// How a queue is doing.
public struct ChangeQueueStatus: Sendable {
  /// How many references wait.
  public let pending: Int
  /// How many components are taken away at present.
  public let depth: Int
  /// How many batches were delivered, and how many changes of stores they stood for.
  public let batches: Int
  /// How many changes of stores the delivered batches stood for.
  public let delivered: Int
  /// Why the last delivery failed; nil when it did not.
  public let lastError: (any Error)?
}

/// Changes on their way to somebody who takes them up in his own time, on his own thread.
///
/// Any thread may post; posting calls nobody, and waits for nobody as long as not more than a
/// thousand changes have come in while another thread is posting. A reference waits once, however
/// often it changes, leaves the queue before it is delivered, and is under way once at a time: what
/// changes during a delivery is delivered again. A reference that covers all below absorbs what waits
/// there.
///
/// The memory of a throttled queue is bounded by its budget, that of any other by the number of
/// different references that wait.
public final class ChangeQueue: Sendable {
  private struct State {
    var schedule: ChangeSchedule<Reference>
    var isClosed = false
    /// Up to which mark what waits is not held back.
    var urgentMark = Int.min
    /// Whether the executor was told.
    var isScheduled = false
    var batches = 0
    var delivered = 0
    var lastError: (any Error)?
    /// How many deliveries have failed: for `flush`.
    var failures = 0
    /// Deliveries that have ended on other threads.
    var finished: [(number: Int, error: (any Error)?)] = []
    /// Whether who took changes in has left that to whoever gets the lock next.
    var isIntakeOwed = false

    /// Notes a change.
    ///
    /// - Returns: Whether the executor is to be told.
    mutating func post(_ change: Change) -> Bool {
      guard !isClosed,
        schedule.post(
          change.reference, change.verb, origin: change.origin, sequence: change.sequence),
        !isScheduled || schedule.hasDelayed
      else { return false }
      isScheduled = true
      return true
    }
  }

  private let state: Mutex<State>
  /// What was posted while somebody else was posting.
  private let intake = ChangeIntake()
  private let executor: any ChangeExecutor
  private let handler: @Sendable (ChangeDelivery) -> Void
  private let onDrop: @Sendable (DroppedChanges) -> Void

  /// Creates a queue whose handler is done when it returns.
  ///
  /// - Parameters:
  ///   - options: When it delivers, and in which detail.
  ///   - executor: On which thread.
  ///   - onDrop: Called, where the handler is, with changes that are not tried again.
  ///   - handler: Takes a batch up. If it throws a `ChangeBatchError`, the changes that this names
  ///     have failed, after any other error all of the batch.
  public convenience init(
    _ options: ChangeQueueOptions = ChangeQueueOptions(), on executor: any ChangeExecutor,
    onDrop: @escaping @Sendable (DroppedChanges) -> Void = { _ in },
    handler: @escaping @Sendable (ChangeBatch) throws -> Void
  ) {
    self.init(unfinished: options, on: executor, onDrop: onDrop) { delivery in
      do {
        try handler(delivery.batch)
        delivery.finish()
      } catch {
        delivery.finish(error)
      }
    }
  }

  /// Creates a queue whose handler may be done later, on any thread.
  ///
  /// - Parameters:
  ///   - options: When it delivers, and in which detail; `width` says how many deliveries may be
  ///     under way at a time.
  ///   - executor: On which thread the handler is called.
  ///   - onDrop: Called with changes that are not tried again.
  ///   - handler: Begins to take a batch up, and has `finish` called in the end.
  public init(
    unfinished options: ChangeQueueOptions, on executor: any ChangeExecutor,
    onDrop: @escaping @Sendable (DroppedChanges) -> Void = { _ in },
    beginning handler: @escaping @Sendable (ChangeDelivery) -> Void
  ) {
    state = Mutex(State(schedule: ChangeSchedule(options)))
    self.executor = executor
    self.handler = handler
    self.onDrop = onDrop
  }

  // MARK: Coming in

  /// Adds a change; any thread may.
  ///
  /// Changes of one thread keep their order. A queue that is closed takes none. The executor has been
  /// told when all who are in here at once have returned.
  ///
  /// - Complexity: O(length of the path); whoever finds nobody else here takes in what the others
  ///   leave meanwhile, up to a fixed number of changes.
  public func post(_ change: Change) {
    switch intake.enter(change) {
    case .left: break
    case .full:
      if withState({ $0.post(change) }) { executor.schedule(self, at: nil) }
    case .taking:
      let mustSchedule = state.withLock { $0.post(change) }
      finishIntake(mustSchedule: mustSchedule)
    }
  }

  /// Does something with the state, in which everything is then that was posted before; when the
  /// caller goes on to run the queue, nobody is to be told of it.
  private func withState<Result>(
    isRun: Bool = false, _ body: (inout sending State) -> sending Result
  ) -> sending Result {
    let (result, mustSchedule, isOwed) = state.withLock { state in
      let mustSchedule = takeIn(&state) && !isRun
      let isOwed = state.isIntakeOwed
      state.isIntakeOwed = false
      return (body(&state), mustSchedule, isOwed)
    }
    if isOwed {
      finishIntake(mustSchedule: mustSchedule)
    } else if mustSchedule {
      executor.schedule(self, at: nil)
    }
    return result
  }

  /// Takes in what has come in.
  ///
  /// - Returns: Whether the executor is to be told.
  private func takeIn(_ state: inout State) -> Bool {
    var mustSchedule = false
    intake.takeAll { if state.post($0) { mustSchedule = true } }
    return mustSchedule
  }

  /// Takes in until nothing has come in meanwhile, for whoever the intake has let begin; after some
  /// rounds the executor goes on, or who posts and finds no room.
  private func finishIntake(mustSchedule: Bool) {
    var mustSchedule = mustSchedule
    var rounds = 0
    while !intake.stop() {
      rounds += 1
      let isEnough = rounds > ChangeIntake.mostRounds
      let isNew = state.withLock { state in
        guard isEnough else { return takeIn(&state) }
        state.isIntakeOwed = true
        state.isScheduled = true
        return true
      }
      if isNew { mustSchedule = true }
      if isEnough { break }
    }
    if mustSchedule { executor.schedule(self, at: nil) }
  }

  // MARK: Delivering

  /// Delivers what is due; executors call it, on their thread, at the times they were told.
  public func run() {
    enum Next {
      case deliver(ChangeDelivery)
      case schedule(Int)
      case nothing
    }
    let finished = withState(isRun: true) { state in
      defer { state.finished = [] }
      return state.finished
    }
    for delivery in finished { end(delivery.number, delivery.error) }
    let now = executor.now
    let next: Next = state.withLock { state in
      state.isScheduled = false
      let isUrgent = state.schedule.isWaiting(before: state.urgentMark)
      switch state.schedule.step(at: now, isUrgent: isUrgent) {
      case .idle: return .nothing
      case .wait(let time):
        state.isScheduled = true
        return .schedule(time)
      case .deliver(let delivery):
        let batch = ChangeBatch(delivery.entries)
        state.batches += 1
        state.delivered += batch.count
        return .deliver(ChangeDelivery(batch, number: delivery.number, of: self))
      }
    }
    switch next {
    case .nothing: break
    case .schedule(let time): executor.schedule(self, at: time)
    case .deliver(let delivery):
      handler(delivery)
      // Others may be under way beside it.
      scheduleIfUseful()
    }
  }

  private func scheduleIfUseful() {
    let mustSchedule = state.withLock { state in
      guard !state.isScheduled, !state.schedule.isEmpty else { return false }
      state.isScheduled = true
      return true
    }
    if mustSchedule { executor.schedule(self, at: nil) }
  }

  fileprivate func finish(_ number: Int, _ error: (any Error)?) {
    if executor.isCurrent {
      end(number, error)
    } else {
      // What time it is, the executor knows on its thread.
      state.withLock { $0.finished.append((number, error)) }
    }
    executor.schedule(self, at: nil)
  }

  private func end(_ number: Int, _ error: (any Error)?) {
    let now = executor.now
    let dropped: [QueuedChange] = state.withLock { state in
      let failed: Set<Int>?
      switch error {
      case nil: failed = []
      case let error as ChangeBatchError: failed = error.failed
      default: failed = nil
      }
      state.lastError = (error as? ChangeBatchError)?.reason ?? error
      if error != nil {
        state.failures += 1
        // To try at once again, and again, is not what flushing asks for.
        state.urgentMark = .min
      }
      let dropped = state.schedule.finish(number, failed: failed, at: now)
      state.isScheduled = true
      return dropped.map(QueuedChange.init)
    }
    if let error, !dropped.isEmpty {
      onDrop(DroppedChanges(changes: dropped, reason: error))
    }
  }

  /// Delivers what waits at this moment without holding it back.
  ///
  /// On the executor's thread it delivers itself, elsewhere it waits until the executor has. Inside a
  /// handler of the same queue nothing can be waited for: what waits is delivered when the handler is
  /// done. What a handler posts meanwhile waits as usual.
  ///
  /// - Throws: The error of a handler; what it has not taken up waits for its next attempt.
  public func flush() throws {
    let (mark, before) = withState { state in
      state.urgentMark = state.schedule.mark
      return (state.schedule.mark, state.failures)
    }
    if executor.isCurrent {
      while isWaiting(before: mark, failures: before) { run() }
    } else {
      executor.schedule(self, at: nil)
      executor.wait { isDone(before: mark, failures: before) }
    }
    let error = state.withLock { $0.failures == before ? nil : $0.lastError }
    if let error { throw error }
  }

  /// Whether something is to be delivered that was there at a mark, and can be.
  private func isWaiting(before mark: Int, failures: Int) -> Bool {
    state.withLock { state in
      state.failures == failures && !state.schedule.isDelivering
        && state.schedule.isWaiting(before: mark)
    }
  }

  /// Whether everything was delivered that was there at a mark, or cannot be.
  private func isDone(before mark: Int, failures: Int) -> Bool {
    state.withLock { state in
      state.failures != failures
        || !state.schedule.isWaiting(before: mark) && !state.schedule.isDelivering(before: mark)
    }
  }

  /// Takes no more changes from now on, and delivers what waits; what cannot be delivered is dropped.
  ///
  /// - Throws: The error of a handler.
  public func close() throws {
    withState { $0.isClosed = true }
    do {
      try flush()
    } catch {
      let left = state.withLock { $0.schedule.removeAll().map(QueuedChange.init) }
      if !left.isEmpty { onDrop(DroppedChanges(changes: left, reason: error)) }
      throw error
    }
  }

  /// How it is doing.
  public var status: ChangeQueueStatus {
    withState { state in
      ChangeQueueStatus(
        pending: state.schedule.count, depth: state.schedule.depth, batches: state.batches,
        delivered: state.delivered, lastError: state.lastError)
    }
  }

  /// What waits, in its order.
  public var pending: [QueuedChange] {
    withState { $0.schedule.waiting.map(QueuedChange.init) }
  }
}

/// A batch that is under way.
public final class ChangeDelivery: Sendable {
  /// What is to be taken up.
  public let batch: ChangeBatch
  private let number: Int
  private let queue: ChangeQueue
  private let isFinished = Mutex(false)

  fileprivate init(_ batch: ChangeBatch, number: Int, of queue: ChangeQueue) {
    self.batch = batch
    self.number = number
    self.queue = queue
  }

  /// Says that the batch has been taken up, or why not; any thread may, and the first call counts.
  ///
  /// - Parameter error: A `ChangeBatchError` when some of the changes have failed, any other when
  ///   all have.
  public func finish(_ error: (any Error)? = nil) {
    let isFirst = isFinished.withLock { isFinished in
      defer { isFinished = true }
      return !isFinished
    }
    if isFirst { queue.finish(number, error) }
  }
}

extension QueuedChange {
  fileprivate init(_ entry: ChangeSchedule<Reference>.Entry) {
    self.init(
      reference: entry.told, coversBelow: entry.toldCovers, verb: entry.verb,
      origin: entry.origin, count: entry.count, attempts: entry.attempts)
  }
}

extension ChangeBatch {
  fileprivate init(_ entries: [ChangeSchedule<Reference>.Entry]) {
    self.init(
      changes: entries.map(QueuedChange.init), sequence: entries.map(\.sequence).max() ?? 0,
      count: entries.reduce(0) { $0 + $1.count })
  }
}
