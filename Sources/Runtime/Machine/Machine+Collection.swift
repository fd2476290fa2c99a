#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

// When garbage is collected, and what belongs to a collection besides the heap.
//
// A collection marks the roots, then what they reach, then what tables of the machine keep only for
// objects that live; the last step is done in one go, with all roots looked at once more, and ends
// it. A collection in slices does the same with the program running in between.

extension Machine {
  /// Collects garbage; `state.top` is the first slot of the value stack that is free.
  ///
  /// A collection that is going on in slices is given up: it keeps what has become garbage since it
  /// began, and whoever asks for memory wants all there is.
  func collect() {
    measurePause {
      if unsafe heap.isMarking { heap.abandonMarking() }
      heap.beginMarking()
      markRoots()
      heap.drain()
      endCollection()
    }
  }

  /// Does what is due at a safepoint: a slice where the heap is large, else a collection.
  func collectSome() {
    if unsafe heap.isMarking {
      markSlice(work: heap.sliceWork)
    } else if heap.isLarge {
      beginSlices(work: heap.sliceWork)
    } else {
      collect()
    }
  }

  /// Begins a collection in slices with the first of them.
  func beginSlices(work: Int) {
    measurePause {
      heap.beginMarking()
      markRoots()
      _ = heap.drain(work: work)
      heap.planNextSlice()
    }
  }

  /// Goes on with a collection in slices, and ends it when nothing is left.
  func markSlice(work: Int) {
    measurePause {
      guard heap.drain(work: work) else { return heap.planNextSlice() }
      // Only what has got into the roots since, and what the tables keep, can be missing.
      markRoots()
      while let object = heap.nextMarkedExtended() {
        if let added = classes.addedVariables[object.bits] { heap.mark(added) }
      }
      graph.markReached(heap)
      guard heap.drain(work: work) else { return heap.planNextSlice() }
      if options.collectEvery > 0 { verifyMarks() }
      endCollection()
    }
    // It may count what has become garbage meanwhile.
    if unsafe !heap.isMarking, unsafe heap.liveBytes > options.memoryLimit { collect() }
  }

  /// Marks what the tables keep for objects that live, and frees the rest; the roots and all they
  /// reach are marked.
  private func endCollection() {
    collector.isCollecting = true
    defer { collector.isCollecting = false }
    markAddedVariables()
    graph.mark(heap)
    markAddedVariables()
    forgetAddedVariables()
    stores.canonicalReferences = stores.canonicalReferences.filter {
      // A scheme may have had no store when its place was looked for.
      heap.isMarked(ObjectRef($0.value))
        && (!$0.key.store.isObject || heap.isMarked(ObjectRef($0.key.store)))
    }
    forgetUnusedSymbols()
    clearWeakReferences()
    host.objects.purge(heap)
    graph.causes.purge(heap)
    heap.finishCollection()
    freeRetiredCode()
    caches.stringPlaces.clear()
    if options.collectEvery > 0 { heap.poisonDeadCells() }
  }

  /// The recorders of the evaluation that runs, and of those that wait.
  var innermostRecorders: [DependencyRecorder?] {
    loop.coroutines.underWay.flatMap { [$0.other.recorder, $0.reading?.recorder] } + [recorder]
  }

  private func markRoots() {
    var frame = state.stackBase
    let top = state.top
    while frame < top {
      heap.mark(frame[0])
      frame = frame.advanced(by: 1)
    }
    heap.mark(state.unwindTarget)
    heap.mark(state.unwindValue)
    roots.mark(heap)
    loop.coroutines.mark(heap)
    stores.coming.mark(heap)
    for value in permanentRoots { heap.mark(value) }
    session.statementTexts.forEachText { heap.mark($0) }
    for solver in connections.registeredSolvers.values { heap.mark(solver.prototype) }
    for values in connections.solverRoots.values { for value in values { heap.mark(value) } }
    heap.mark(connections.dependents)
    heap.mark(session.prompt)
    for selector in symbolTable.selectors.values { heap.mark(selector.symbol) }
    for cell in classes.madeCells.values { heap.mark(Value(cell)) }
    for cell in session.cells.values { heap.mark(Value(cell)) }
    for cell in stores.schemeCells.values { heap.mark(Value(cell)) }
    for info in classes.infos {
      guard let info else { continue }
      heap.mark(info.object)
      for cell in info.classVariables.values { heap.mark(Value(cell)) }
    }
    markLiterals()
    handles.mark(heap)
    if let held = nativeStack.held { heap.mark(held.value) }
    heap.mark(graph.causes.traceStream)
    loop.mark(heap)
    for hooks in collector.finalizers.values { for hook in hooks { heap.mark(hook) } }
  }

  // MARK: Tests

  /// Collects at every n-th safepoint from now on.
  package func collect(every count: Int) {
    options.collectEvery = count
    if count > 0 { state.requestSafepoint() }
  }

  /// Collects now and then all at once, now and then in slices, for an interpreter that tests
  /// itself.
  func collectForTest() {
    if unsafe heap.isMarking {
      // Small slices: much of the program runs while a collection goes on.
      unsafe markSlice(work: heap.sliceWork == .max ? .max : max(heap.liveBytes / 128, 64))
    } else {
      collector.testTurn += 1
      if collector.testTurn % 8 == 0 { beginSlices(work: 1) } else { collect() }
    }
  }

  /// Looks whether a collection in slices has marked everything that can be reached.
  private func verifyMarks() {
    // What the tables keep is marked when a collection ends.
    markAddedVariables()
    graph.markLiving(heap)
    heap.verifyMarks {
      markRoots()
      heap.drain()
      markAddedVariables()
      graph.markLiving(heap)
    }
    // Going on would mean that the program uses memory which has been freed.
    unsafe precondition(heap.missedObjects == 0, "a collection in slices has missed an object")
  }

  // MARK: Pauses

  /// Does some collecting, and notes how long the program has waited for it.
  private func measurePause(_ body: () -> Void) {
    guard options.recordsPauses else { return body() }
    let wasMarking = unsafe heap.isMarking
    let start = Machine.monotonicNanoseconds
    body()
    let duration = Duration.nanoseconds(Machine.monotonicNanoseconds - start)
    collector.pauses.append(
      CollectorPause(duration: duration, isSlice: unsafe wasMarking || heap.isMarking))
  }

  /// The system's clock, which nobody sets.
  ///
  /// `ContinuousClock` would make the command larger by all of concurrency.
  private static var monotonicNanoseconds: Int {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1_000_000_000 + now.tv_nsec
  }
}

/// How long the collector has stopped the program once.
package struct CollectorPause: Sendable {
  package let duration: Duration
  /// Whether it was a slice of a collection rather than all of one.
  package let isSlice: Bool
}
