internal import TenonTables

/// Coroutines: what the loop evaluates can wait, and the loop goes on.
extension Machine {
  /// Evaluates something that the loop has to do, on a stack of its own where there is one.
  ///
  /// - Returns: what it came to, `unwind` when whoever runs the loop must not go on; nil as well when it
  ///   waits.
  func runCoroutine(_ body: @escaping () -> Value) -> Value {
    guard let coroutine = loop.coroutines.take(slots: options.stackSlots) else { return body() }
    coroutine.prepare(loop.coroutines.takeNumber(), depth: host.limits.depth, body)
    return resume(coroutine)
  }

  /// Goes on with a coroutine until it ends or waits.
  func resume(_ coroutine: Coroutine) -> Value {
    let coroutines = loop.coroutines
    guard let stack = unsafe coroutines.stack else { return .nil }
    let outer = coroutines.current
    coroutines.current = coroutine
    exchangeState(with: coroutine)
    unsafe coroutine.enter(from: stack)
    exchangeState(with: coroutine)
    coroutines.current = outer
    if coroutine.isUnderWay { return .nil }
    let outcome = coroutine.takeOutcome()
    coroutines.giveBack(coroutine)
    return outcome.isUnwind ? passOn() : outcome
  }

  /// Has an unwinding go on where it is aimed at: another coroutine, or whoever runs the loop.
  private func passOn() -> Value {
    let target = state.unwindTarget
    guard target != topLevelTarget, target != Machine.scriptTarget, !isStopping,
      !EvaluationState.owns(
        target, from: state.stackBase, to: state.top, exceptions.handlers, exceptions.activeSignals),
      let owner = loop.coroutines.underWay.first(where: { $0.wait != nil && $0.owns(target) })
    else { return .unwind }
    owner.unwinding = Unwinding(
      target: target, value: state.takeUnwindValue(), action: exceptions.unwindAction)
    exceptions.unwindAction = .deliver
    loop.coroutines.wake(owner)
    return .nil
  }

  /// Exchanges the state of the evaluation that runs for that of another.
  private func exchangeState(with coroutine: Coroutine) {
    let isRequested = state.isSafepointRequested
    let floor = state.nativeFloor
    swap(&state.stackBase, &coroutine.other.stackBase)
    swap(&state.stackEnd, &coroutine.other.stackEnd)
    swap(&state.top, &coroutine.other.top)
    swap(&state.base, &coroutine.other.base)
    swap(&state.depthLeft, &coroutine.other.depthLeft)
    swap(&nativeStack, &coroutine.other.nativeStack)
    swap(&exceptions.currentHandler, &coroutine.other.currentHandler)
    swap(&exceptions.activeSignals, &coroutine.other.activeSignals)
    swap(&exceptions.runningCleanUps, &coroutine.other.runningCleanUps)
    exceptions.handlers.exchange(with: coroutine.handlers)
    roots.exchange(with: coroutine.roots)
    let recorder = recorder
    self.recorder = coroutine.other.recorder
    coroutine.other.recorder = recorder
    swap(&trackingDepth, &coroutine.other.trackingDepth)
    swap(&graph.writeState.writing, &coroutine.other.writing)
    swap(&graph.storedCells.storing, &coroutine.other.storing)
    setNativeFloor(coroutine.other.nativeFloor)
    coroutine.other.nativeFloor = floor
    if isRequested { state.requestSafepoint() }
  }

  // MARK: Waiting

  /// Waits, on a coroutine, until it is woken and a condition holds.
  ///
  /// - Returns: `unwind` when the evaluation must not go on, else nil.
  func suspend(
    _ coroutine: Coroutine, for wait: Coroutine.Wait, until isDone: () -> Bool
  ) -> Value {
    while !isDone() {
      if coroutine.isCancelled { return stop() }
      followReads(of: coroutine)
      coroutine.suspend(for: wait)
      if let unwinding = coroutine.unwinding {
        coroutine.unwinding = nil
        exceptions.unwindAction = unwinding.action
        return state.unwind(to: unwinding.target, with: unwinding.value)
      }
    }
    return .nil
  }

  /// Has the place that a coroutine reads follow what has been read for it since it last waited.
  private func followReads(of coroutine: Coroutine) {
    guard let reading = coroutine.reading else { return }
    let count = reading.recorder.places.count
    guard count != reading.followedCount else { return }
    coroutine.reading?.followedCount = count
    follow(reading.recorder, of: reading.place, isWhole: false)
  }

  /// Waits until an object is settled, or nothing is left that could settle it: what `Future value` does
  /// as long as the future is pending.
  ///
  /// - Returns: Whether it may have been settled, or `unwind`.
  func waitForSettling(of object: Value) throws(Failure) -> Value {
    guard let coroutine = loop.coroutines.current else { return try step() }
    try refuseWaitingInFormula()
    return rest(coroutine, for: .object(object))
  }

  /// Waits once, on a coroutine.
  func rest(_ coroutine: Coroutine, for wait: Coroutine.Wait) -> Value {
    var hasRested = false
    let outcome = suspend(coroutine, for: wait) {
      defer { hasRested = true }
      return hasRested
    }
    defer { coroutine.isStuck = false }
    return outcome.isUnwind ? outcome : Value(!coroutine.isStuck)
  }

  // MARK: The end

  /// Ends all coroutines: their clean-up blocks run, as when somebody stops a program.
  ///
  /// - Parameter isClosing: Whether the interpreter goes, so that no code of the host may run.
  package func endCoroutines(isClosing: Bool = false) {
    host.isClosed = isClosing
    guard !loop.coroutines.underWay.isEmpty, loop.coroutines.current == nil else { return }
    withEntry {
      for coroutine in loop.coroutines.underWay.reversed() where coroutine.wait != nil {
        coroutine.isCancelled = true
        state.requestInterrupt()
        _ = noticeInterrupt()
        _ = resume(coroutine)
        _ = state.takeUnwindValue()
        exceptions.unwindAction = .deliver
        endInterruption()
      }
    }
  }
}
