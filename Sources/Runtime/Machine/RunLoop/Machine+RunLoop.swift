internal import TenonStoreKit

/// The run loop: what is due is evaluated, piece by piece, at the end of a script or while it waits.
extension Machine {
  /// The clock, for what cannot do without.
  func requireClock() throws(Failure) -> any Clock {
    guard let clock = host.clock else { throw .noClock() }
    return clock
  }

  // MARK: Turns

  /// One turn: what was posted, the blocks that waited for it, the timers that are due.
  ///
  /// What comes in meanwhile waits for the next turn.
  ///
  /// - Parameters:
  ///   - limit: Timers that come after it are left alone.
  ///   - isEnding: Whether timers are due whatever the time is.
  /// - Returns: `unwind` when the evaluation must not go on, else nil.
  private func turn(before limit: DueTime? = nil, isEnding: Bool = false) -> Value {
    for work in loop.inbox.takeAll() { work(self) }
    for work in loop.takeWork() {
      let outcome = runCoroutine { [unowned self] in
        work(self)
        return .nil
      }
      if outcome.isUnwind { return .unwind }
    }
    loop.executor?.runDue()
    if runHooks().isUnwind { return .unwind }
    for _ in 0..<loop.coroutines.readyCount {
      guard let coroutine = loop.coroutines.takeReady() else { break }
      if resume(coroutine).isUnwind { return .unwind }
    }
    for _ in 0..<loop.taskCount {
      guard let task = loop.takeTask() else { break }
      if runCallback(task, "a future").isUnwind { return .unwind }
    }
    if runTimers(before: limit, isEnding: isEnding).isUnwind { return .unwind }
    for coroutine in loop.coroutines.waitingForTurn where resume(coroutine).isUnwind {
      return .unwind
    }
    return takeUpStoredChanges()
  }

  /// Does what is due by the time.
  private func runTimers(before limit: DueTime?, isEnding: Bool) -> Value {
    guard let clock = host.clock, loop.timers.first != nil else { return .nil }
    let now = DueTime(time: isEnding ? .max : clock.monotonicTime, number: .max)
    let end = limit.map { min($0, now) } ?? now
    let newest = loop.timers.takeNumber()
    while let first = loop.timers.first, first < end, first.number < newest,
      let (due, timer) = loop.timers.popFirst()
    {
      if let coroutine = timer.coroutine {
        if resume(coroutine).isUnwind { return .unwind }
        continue
      }
      let outcome = runCallback(timer.block, "a timer", timer.object) { [unowned self] in
        finish(timer, due, clock)
      }
      if outcome.isUnwind { return .unwind }
    }
    return .nil
  }

  /// Lets a timer that repeats run again, unless its block has stopped it.
  ///
  /// It keeps its rhythm: what is due next follows from when it was due, not from when it was
  /// evaluated. Times that have passed meanwhile are left out.
  private func finish(_ timer: ActiveTimer, _ due: DueTime, _ clock: any Clock) {
    let object = ObjectRef(timer.object)
    guard let period = timer.period,
      object[slot: TimerSlot.number].asSmallInteger == due.number
    else {
      forget(timer, due.number)
      return
    }
    let late = max(0, clock.monotonicTime - due.time)
    let (time, overflow) = due.time.addingReportingOverflow((late / period + 1) &* period)
    loop.timers.add(timer, at: DueTime(time: overflow ? .max : time, number: due.number))
  }

  /// Gives a timer back; its block may have started it again, under another number.
  private func forget(_ timer: ActiveTimer, _ number: Int) {
    heap.countOutside(-TimerQueue.bytesPerTimer)
    let object = ObjectRef(timer.object)
    if object[slot: TimerSlot.number].asSmallInteger == number {
      object[slot: TimerSlot.number] = .nil
    }
  }

  /// Runs the hooks of objects that have been collected.
  ///
  /// - Returns: `unwind` when the evaluation must not go on, else nil.
  func runHooks() -> Value {
    while !loop.hooks.isEmpty, graph.running == nil, !graph.isSettling {
      let hook = loop.hooks.removeFirst()
      if runCallback(hook, "a finalisation hook").isUnwind { return .unwind }
    }
    return .nil
  }

  /// Evaluates a block for nobody, on a stack of its own: it may wait.
  ///
  /// - Parameters:
  ///   - block: The block.
  ///   - what: What it is, for the report of an error.
  ///   - argument: What it is given, if it takes something.
  ///   - end: Called when the block has ended.
  /// - Returns: `unwind` when the evaluation around must not go on, else nil.
  private func runCallback(
    _ block: Value, _ what: String, _ argument: Value = .nil, end: @escaping () -> Void = {}
  ) -> Value {
    runCoroutine { [unowned self] in
      defer { end() }
      return evaluateForNobody(block, what, argument)
    }
  }

  /// Evaluates a block for nobody: an error that it does not handle is reported, and ends it alone.
  ///
  /// - Returns: `unwind` when the evaluation around must not go on, else nil.
  private func evaluateForNobody(_ block: Value, _ what: String, _ argument: Value) -> Value {
    let root = roots.count
    roots.append(block)
    roots.append(argument)
    // The handlers of whoever waits are none of the block's.
    let handler = exceptions.currentHandler
    exceptions.currentHandler = -1
    defer {
      exceptions.currentHandler = handler
      dropRoots(to: root)
    }
    guard evaluateBlock(block, argument).isUnwind else { return .nil }
    guard !isStopping, interruption == .none, state.unwindTarget == topLevelTarget,
      let error = exceptions.uncaught, error.exitStatus == nil
    else { return .unwind }
    exceptions.uncaught = nil
    exceptions.unwindAction = .deliver
    _ = state.takeUnwindValue()
    report(error, in: what, block)
    return .nil
  }

  /// Tells about an error that no handler has dealt with, and after which the program goes on.
  private func report(_ error: UncaughtError, in what: String, _ block: Value) {
    exceptions.reportedErrors += 1
    let text = Array(error.published(in: block).rendered(as: "error in \(what)").utf8)
    // Where nobody can be told, nobody is.
    try? host.console.write(text.span, to: .error)
  }

  // MARK: Waiting

  /// Sleeps until something is due; may return early.
  private func pause(until deadline: Int?) throws(Failure) {
    let wakeUp = loop.inbox.wakeUp
    // From here on whoever posts or interrupts ends the sleep.
    _ = wakeUp.descriptor
    guard !loop.hasWork, !state.isInterruptRequested else { return }
    try withConsole { console throws(ConsoleError) in try console.flush() }
    let left = nanosecondsOfLimit
    if let clock = host.clock, !clock.jumps || loop.requestCount == 0 {
      let (end, overflow) = clock.monotonicTime.addingReportingOverflow(left ?? .max)
      clock.wait(until: left == nil || overflow ? deadline : min(deadline ?? end, end), or: wakeUp)
    } else {
      wakeUp.wait(nanoseconds: left ?? .max)
    }
    wakeUp.forgetCalls()
    if left != nil { noticeTimeLimit() }
  }

  /// Runs the loop for some time: what `wait` does.
  ///
  /// - Parameter nanoseconds: How long.
  /// - Returns: `unwind` when the evaluation must not go on, else nil.
  /// - Throws: `NotAvailable` without a clock, `ConstraintError` in a formula.
  func wait(nanoseconds: Int) throws(Failure) -> Value {
    let clock = try requireClock()
    try refuseWaitingInFormula()
    let (time, overflow) = clock.monotonicTime.addingReportingOverflow(max(nanoseconds, 0))
    let end = DueTime(time: overflow ? .max : time, number: loop.timers.takeNumber())
    if let coroutine = loop.coroutines.current {
      loop.timers.add(
        ActiveTimer(object: .nil, block: .nil, period: nil, coroutine: coroutine), at: end)
      defer { _ = loop.timers.remove(end.number) }
      return suspend(coroutine, for: .event) { loop.timers[end.number] == nil }
    }
    while true {
      if turn(before: end).isUnwind { return .unwind }
      if noticeInterrupt() { return stop() }
      if clock.monotonicTime >= end.time { return .nil }
      if !loop.hasWork { try pause(until: min(loop.nextTime ?? end.time, end.time)) }
    }
  }

  /// Runs one turn of the loop, waiting for something to be due.
  ///
  /// - Returns: true; false when nothing can come any more; `unwind`.
  func step() throws(Failure) -> Value {
    try refuseWaitingInFormula()
    if let coroutine = loop.coroutines.current { return rest(coroutine, for: .turn) }
    guard loop.isLive || loop.coroutines.wakeStuck() else { return .false }
    if !loop.hasWork { try pause(until: loop.nextTime) }
    return turn().isUnwind ? .unwind : .true
  }

  func refuseWaitingInFormula() throws(Failure) {
    if graph.running != nil || graph.isSettling { throw .waits(in: "a formula") }
    // What it has changed nobody may see before it ends.
    if graph.atomicDepth > 0 { throw .waits(in: "a block that is evaluated atomically") }
  }

  // MARK: Timers

  /// Makes a timer that evaluates a block.
  ///
  /// - Parameters:
  ///   - object: The Timer of the language.
  ///   - block: What it evaluates.
  ///   - delay: Nanoseconds up to the first evaluation.
  ///   - period: Nanoseconds between two evaluations; nil for a single one.
  ///   - isPutOff: Whether the block is evaluated earlier when nothing else keeps the program going.
  /// - Throws: `NotAvailable` without a clock, `OutOfMemory` when there are too many.
  func start(
    _ object: ObjectRef, block: Value, after delay: Int, every period: Int?, isPutOff: Bool = false
  ) throws(Failure) {
    let clock = try requireClock()
    guard !heap.exceedsLimit(adding: TimerQueue.bytesPerTimer) else {
      throw .outOfMemory(limit: options.memoryLimit)
    }
    stop(object)
    heap.countOutside(TimerQueue.bytesPerTimer)
    let number = loop.timers.takeNumber()
    let (time, overflow) = clock.monotonicTime.addingReportingOverflow(max(delay, 0))
    object[slot: TimerSlot.number] = Value(small: number)
    loop.timers.add(
      ActiveTimer(object: Value(object), block: block, period: period, isPutOff: isPutOff),
      at: DueTime(time: overflow ? .max : time, number: number))
  }

  /// Stops a timer; nothing when it does not run.
  func stop(_ object: ObjectRef) {
    guard let number = object[slot: TimerSlot.number].asSmallInteger else { return }
    guard let timer = loop.timers[number] else {
      // Its block is being evaluated, or somebody has written into the variable.
      object[slot: TimerSlot.number] = .nil
      return
    }
    guard timer.object == Value(object), loop.timers.remove(number) else { return }
    forget(timer, number)
  }

  // MARK: From outside

  /// Whether anything may still happen.
  package var isLive: Bool { loop.isLive }

  /// Nanoseconds until the next turn has something to do; nil when only another thread can bring it
  /// something.
  package var nanosecondsUntilDue: Int? {
    if loop.hasWork { return 0 }
    guard let clock = host.clock, let time = loop.nextTime else { return nil }
    return max(0, time - clock.monotonicTime)
  }

  /// How other threads reach the interpreter's.
  package var inbox: Inbox { loop.inbox }

  /// Adds something for whose sake the program goes on when its last statement has run.
  package func add(_ source: any LiveSource) { loop.add(source) }

  /// Does what is due now.
  package func runDue() -> RunOutcome {
    withEntry {
      while true {
        guard turn().isUnwind || noticeInterrupt() else { return .finished(nilHandle) }
        if let outcome = endOfTurn() { return outcome }
      }
    }
  }

  /// What ends the loop; nil for the end of a single block by `^`.
  func endOfTurn() -> RunOutcome? {
    if interruption != .none { return .interrupted }
    return switch endOfUnwinding() {
    case .finished: nil
    case .failed(let error): .failed(error.published)
    case .rejected, .interrupted: .interrupted
    }
  }

  /// Evaluates, at once, what was put off.
  ///
  /// - Returns: `unwind` when the evaluation must not go on, else nil.
  func turnWithoutWaiting() -> Value { turn(isEnding: true) }

  /// One turn, after which it sleeps until something is due.
  ///
  /// - Returns: `unwind` when the evaluation must not go on, else nil.
  func turnAndWait() -> Value {
    if turn().isUnwind || noticeInterrupt() { return .unwind }
    guard loop.isLive, !loop.hasWork, !loop.isDoneButForPutOff else { return .nil }
    do throws(Failure) {
      try pause(until: loop.nextTime)
      return .nil
    } catch {
      return signal(error)
    }
  }
}

extension Machine {
  /// One turn, after which it sleeps until something is due, unless that has brought about what is waited
  /// for.
  func turnAndWait(until isDone: () -> Bool) -> Value {
    if turn().isUnwind { return .unwind }
    guard !isDone(), !loop.hasWork else { return .nil }
    do throws(Failure) {
      try pause(until: loop.nextTime)
      return .nil
    } catch {
      return signal(error)
    }
  }
}

/// The loop, for a console that waits.
private final class LoopWhileReading: IdleWork {
  private unowned let machine: Machine
  /// Whether what reads must not go on.
  private(set) var isUnwinding = false

  init(_ machine: Machine) { self.machine = machine }

  var descriptor: Int32 { machine.loop.inbox.wakeUp.descriptor ?? -1 }
  var nanosecondsLeft: Int { machine.nanosecondsUntilDue ?? .max }
  func forgetCalls() { machine.loop.inbox.wakeUp.forgetCalls() }

  func run() -> Bool {
    isUnwinding = machine.turnOfLoop().isUnwind
    return !isUnwinding
  }
}

extension Machine {
  fileprivate func turnOfLoop() -> Value { turn() }

  /// Reads from the console; the loop goes on while it waits.
  func readingConsole<Result>(
    _ body: (any Console) throws(ConsoleError) -> Result
  ) throws(Failure) -> Result {
    let idle = LoopWhileReading(self)
    let outer = host.console.idleWork
    if mayWait { host.console.idleWork = idle }
    defer { host.console.idleWork = outer }
    let result = try withConsole(body)
    if idle.isUnwinding { throw .unwinding() }
    try pollInterrupt()
    return result
  }

  /// What delivers on the interpreter's thread; to be asked for on that thread.
  package var changeExecutor: RunLoopExecutor {
    if let executor = loop.executor { return executor }
    let executor = RunLoopExecutor(self, loop.inbox.wakeUp)
    loop.executor = executor
    return executor
  }
}

/// Where the kernel's Timer keeps its variables.
enum TimerSlot {
  /// The number under which the loop knows it; nil when it does not run.
  static let number = 0
}
