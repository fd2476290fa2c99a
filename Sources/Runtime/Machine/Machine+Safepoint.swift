internal import TenonParser

extension Machine {
  /// Does what waited for a safepoint: collects, stops the program, or reports that its stack or
  /// memory is used up.
  ///
  /// `state.top` is the first slot of the value stack that is free.
  ///
  /// - Returns: `unwind` when the evaluation must not go on, else nil.
  @inline(never)
  func safepoint() -> Value {
    if !(state.stackEnd < state.top.advanced(by: FrameLimits.reserve)), state.hasRoom,
      state.countsTurn()
    {
      return .nil
    }
    state.clearSafepointRequest()
    if let profiler = host.profiler {
      state.requestSafepoint()
      profiler.count(self)
    }
    if noticeInterrupt() { return stop() }
    if exceptions.isStepping, exceptions.debugger?.step().isUnwind == true { return .unwind }
    if connections.solverLimit != nil, countSolverStep().isUnwind { return .unwind }
    if options.collectEvery > 0 {
      state.requestSafepoint()
      collector.safepointCount += 1
      if collector.safepointCount % options.collectEvery == 0 || heap.wantsCollection {
        collectForTest()
      }
      if collector.refusesNext() {
        return withReserve { signal(.outOfMemory(limit: options.memoryLimit)) }
      }
    } else if unsafe heap.liveBytes > options.memoryLimit {
      // What the last collection found to be too much may be garbage by now: a handler has unwound.
      collect()
    } else if heap.wantsCollection {
      collectSome()
    }
    if unsafe heap.liveBytes > options.memoryLimit {
      return withReserve { signal(.outOfMemory(limit: options.memoryLimit)) }
    }
    if !state.hasRoom
      || state.stackEnd < state.top.advanced(by: FrameLimits.reserve)
    {
      return stackOverflow()
    }
    return .nil
  }

  // MARK: Limits of the stack

  /// The program has called itself too deep: signals that, with some room for handlers.
  func stackOverflow() -> Value {
    // Looking for a handler takes as long as the stack is deep; for a solver that counts.
    connections.solverLimit?.steps -= max(0, state.top.distance(from: state.stackBase) / 8)
    guard nativeStack.openReserves < MachineLimits.reserves else {
      // The handlers of the overflow overflow as well: there is no way but out.
      exceptions.uncaught = UncaughtError(
        className: ErrorClass.stackOverflow.rawValue,
        message: Failure.stackOverflow().message, trace: stackTrace())
      return state.unwind(to: topLevelTarget, with: .nil)
    }
    return withReserve { signal(.stackOverflow()) }
  }

  /// Sets how far the native stack may grow, without losing what waits for a safepoint.
  func setNativeFloor(_ address: UInt) {
    state.setNativeFloor(address)
    if options.collectEvery > 0 || interruption != .none || state.isInterruptRequested
      || graph.hasSolverLimit || host.profiler != nil || exceptions.isStepping
    {
      state.requestSafepoint()
    }
  }

  /// Runs something with one more reserve of both stacks than the program may use.
  func withReserve(_ body: () -> Value) -> Value {
    let floor = state.nativeFloor
    let end = state.stackEnd
    nativeStack.openReserves += 1
    setNativeFloor(floor &- nativeStack.reserveBytes)
    state.stackEnd = end.advanced(by: memory.reserveSlots)
    let isDepthLimited = state.depthLeft != .max
    if isDepthLimited { state.depthLeft += MachineLimits.reservedDepth }
    defer {
      if isDepthLimited { state.depthLeft -= MachineLimits.reservedDepth }
      nativeStack.openReserves -= 1
      setNativeFloor(floor)
      state.stackEnd = end
    }
    return body()
  }

  // MARK: The native stack

  /// The bytes of native stack between here and its end; as many as one likes while nobody has said
  /// where it ends.
  var nativeRoom: Int {
    nativeStack.low == 0
      ? .max : Int(clamping: Int(bitPattern: state.nativeAddress &- nativeStack.low))
  }

  /// Whether there is native stack enough to build code from statements.
  func hasStack(for statements: [Statement]) -> Bool {
    StackNeed.bytes(for: statements) <= nativeRoom
  }

  // MARK: Memory

  /// Makes sure that `bytes` more may be allocated at once.
  ///
  /// - Throws: a failure that asks for a collection first, or `OutOfMemory` after one.
  func reserve(_ bytes: Int) throws(Failure) {
    guard bytes > SizeClass.cellLimit else { return }
    if options.collectEvery > 0, collector.refusesNext() {
      throw .outOfMemory(limit: options.memoryLimit)
    }
    guard heap.exceedsLimit(adding: bytes) else {
      host.limits.charge(bytes: bytes)
      return
    }
    var failure = Failure.outOfMemory(limit: options.memoryLimit)
    failure.wantedBytes = bytes
    throw failure
  }

  /// Throws when the program has more memory than it may: for loops that make many small objects.
  func checkMemory() throws(Failure) {
    guard heap.exceedsLimit(adding: 0) else { return }
    var failure = Failure.outOfMemory(limit: options.memoryLimit)
    // A collection may help: the caller is asked again after one.
    failure.wantedBytes = 1
    throw failure
  }
}
