internal import TenonLexer
internal import TenonSolverKit
internal import TenonStoreKit
internal import TenonTables
internal import TenonText

// The graph's use of the machine: reading and writing places, running formulas.

extension Machine {
  /// A formula is no more, for which stores may still be asked.
  func didEnd(_ formula: FormulaID) { stores.coming.forget(formula) }

  /// Numbers of connections that have ended are about to stand for others.
  func willReuseNumbers() { stores.watches.forgetEnded() }

  // MARK: The door

  /// Stores into a slot whose object is watched or must not change: the door through which every write to a
  /// watched place goes.
  ///
  /// - Returns: the value, or `unwind`.
  func store(_ value: Value, into object: ObjectRef, slot: Int) -> Value {
    if object.flags & ObjectFlag.immutable != 0 {
      return signal(.immutable(describe(Value(object))))
    }
    let graph = unsafe graphReference
    let outcome = unsafe graph._withUnsafeGuaranteedRef {
      $0.writeFreely(value, into: object, slot: slot)
    }
    switch outcome {
    case .done: return value
    case .begins(let cell): return settleGraph(from: cell, answering: value)
    case .toBeSettled: return settleGraph(answering: value)
    case .refused(let cell): return storeWatched(value, into: object, slot: slot, cell)
    case .ofCollection: return storePart(value, into: object, slot: slot)
    }
  }

  @inline(never)
  private func storeWatched(
    _ value: Value, into object: ObjectRef, slot: Int, _ cell: CellID
  ) -> Value {
    if let writing = graph.writeState.writing, graph[writing].slots.contains(cell) {
      graph.logOld(object[slot: slot], at: .slot(object, slot))
      object[slot: slot] = value
      graph.didChange(of: cell)
      return value
    }
    if remembers(object, slot: slot) {
      if object[slot: slot] == value { return value }
      object[slot: slot] = value
      recordRemembered(object, slot: slot)
      return value
    }
    return write(value, to: cell) {
      object[slot: slot] = value
      return nil
    }
  }

  /// Writes a cell from outside, and settles the connections.
  ///
  /// `put` does the writing and returns the failure if it could not.
  func write(_ value: Value, to cell: CellID, put: () -> Failure?) -> Value {
    let graph = self.graph
    // Of several writes in one turn this one is to reach the place to which a path leads now.
    if graph.words[0][.retargeted], graph.atomicDepth > 0, !graph.isSettling,
      settleGraph(answering: .nil).isUnwind
    {
      return .unwind
    }
    do throws(Failure) {
      try graph.checkWrite(to: cell)
      guard let old = currentValue(of: cell) else { return endGraphUnwinding(.unwind) }
      let isEqual = isUnchanged(old, value) || isSameContent(old, value, at: graph.place(of: cell))
      if isEqual, !graph.isOpenBeside(cell) {
        graph.didWriteEqual(to: cell)
        graph.watchers.observers.deferred[cell]?.observer?.wanted = nil
        return value
      }
      if graph.words[0].hasObserversOfTurn, !graph.watchers.observers.deferred.isEmpty,
        holdWrite(value, to: cell)
      {
        return graph.isSettling || graph.atomicDepth > 0 ? value : settleGraph(answering: value)
      }
      do throws(Failure) { try graph.prepareWrite(to: cell) } catch {
        // The cell is determined to have this value.
        if isEqual { return value }
        throw error
      }
      let isRead = graph.place(of: cell).kind != .stored || graph[cell].cachedValue != nil
      if let failure = put() {
        graph.restoreLastEdits()
        graph.lookAgain(beside: cell)
        if graph.hasPending, !graph.isSettling, graph.atomicDepth == 0,
          settleGraph(answering: .nil).isUnwind
        {
          return .unwind
        }
        return signal(failure)
      }
      // A place that could not be read need not be empty.
      graph.logOld(isRead ? old : .undefined, at: graph.place(of: cell))
      if graph.atomicDepth > 0, graph.writeState.valuesBefore[cell] == nil {
        graph.writeState.valuesBefore[cell] = old
      }
      graph.recordWrite(to: cell, by: currentSite(), old: old, new: value)
    } catch {
      return signal(error)
    }
    if graph.isSettling || graph.atomicDepth > 0 { return value }
    return settleGraph(answering: value)
  }

  /// Settles the connections.
  ///
  /// - Returns: the answer, or `unwind`.
  func settleGraph(answering value: Value) -> Value {
    if value.isObject {
      let root = roots.count
      roots.append(value)
      defer { dropRoots(to: root) }
      return settleRooted(answering: value)
    }
    return settleRooted(answering: value)
  }

  /// Settles the connections after a write with which a plain turn begins.
  ///
  /// - Returns: the answer, or `unwind`.
  @inline(__always)
  func settleGraph(from cell: CellID, answering value: Value) -> Value {
    if value.isObject { return settleGraph(from: cell, rooting: value) }
    return settleRooted(from: cell, answering: value)
  }

  @inline(never)
  private func settleGraph(from cell: CellID, rooting value: Value) -> Value {
    let root = roots.count
    roots.append(value)
    defer { dropRoots(to: root) }
    return settleRooted(from: cell, answering: value)
  }

  @inline(__always)
  private func settleRooted(from cell: CellID? = nil, answering value: Value) -> Value {
    do throws(Failure) {
      if let cell { try graph.settle(from: cell) } else { try graph.settle() }
    } catch {
      if graph.words[0][.batches] { _ = endBatches(answering: .unwind) }
      return signal(takingBackChain(at: graph.connecting.chain, error))
    }
    return endSettling(answering: value)
  }

  /// Does what is left to do when the connections have settled.
  ///
  /// - Returns: the answer, or `unwind`.
  @inline(__always)
  func endSettling(answering value: Value) -> Value {
    if graph.words[0][.room] { graph.meetWishes() }
    if graph.words[0].hasObserversOfTurn, !graph.watchers.observers.queue.isEmpty,
      !graph.isUnwinding,
      tellObservers().isUnwind
    {
      return graph.words[0][.batches] ? endBatches(answering: .unwind) : .unwind
    }
    if graph.words[0][.batches] {
      let answer = endBatches(answering: graph.isUnwinding ? .unwind : value)
      return endGraphUnwinding(graph.isUnwinding ? value : answer)
    }
    return endGraphUnwinding(value)
  }

  /// Continues unwinding when a formula was interrupted.
  @inline(__always)
  private func endGraphUnwinding(_ value: Value) -> Value {
    guard graph.isHalted, graph.isUnwinding else { return value }
    graph.isUnwinding = false
    return .unwind
  }

  /// Evaluates the block of `atomically:`: its writes are one change for connections.
  func evaluateAtomically(_ block: Value) -> Value { atomically { evaluateBlock(block) } }

  /// Runs a closure whose writes are one change for connections.
  func atomically(_ body: () -> Value) -> Value {
    graph.atomicDepth += 1
    trackingDepth += 1
    let value = body()
    trackingDepth -= 1
    graph.atomicDepth -= 1
    guard graph.atomicDepth == 0, !graph.isSettling else { return value }
    if value.isUnwind {
      // Writes stay: the connections are settled, then the unwinding goes on.
      let target = state.unwindTarget
      let delivered = state.unwindValue
      let root = roots.count
      roots.append(delivered)
      defer { dropRoots(to: root) }
      let settled = settleGraph(answering: .nil)
      return settled.isUnwind ? settled : state.unwind(to: target, with: delivered)
    }
    return settleGraph(answering: value)
  }

  // MARK: Places

  /// Returns the value of a cell; nil when reading it was interrupted or failed.
  func currentValue(of cell: CellID) -> Value? {
    let place = graph[cell].place
    switch place.kind {
    case .slot:
      if graph.hot[cell.rawValue].flags & CellFlag.stale != 0, refresh(cell).isUnwind { return nil }
      return ObjectRef(place.object)[slot: place.index]
    case .whole: return place.object
    case .element: return element(of: place)
    case .property:
      let value = readProperty(cell)
      return value.isUnwind ? nil : value
    case .stored:
      switch storedValue(of: cell) {
      case .value(let read): return read
      case .failed: return .nil
      case .unwound: return nil
      }
    }
  }

  /// Returns the value of a cell, or the failure if a store cannot read it.
  func reading(_ cell: CellID) -> Evaluation {
    if graph[cell].place.kind == .stored { return storedValue(of: cell) }
    return currentValue(of: cell).map { .value($0) } ?? .unwound
  }

  private func storedValue(of cell: CellID) -> Evaluation {
    // A change of the places that it is computed from makes it unknown.
    if let known = graph[cell].cachedValue { return .value(known) }
    let place = graph[cell].place
    watchBeforeReading(place)
    let outcome =
      mayCompute(place.object) || isInKeptObject(place)
      ? readComputed(cell) : withErrorsCaught { get(place.key, from: place.object) }
    switch outcome {
    case .value(let read): graph.cacheValue(read, of: cell)
    case .failed: break
    case .unwound: graph.isUnwinding = true
    }
    return outcome
  }

  /// Returns whether a store may compute its places from others; one in memory has the values that it was
  /// given, unless its class describes places.
  private func mayCompute(_ store: Value) -> Bool {
    guard store.isObject, nativeStore(store) == nil else { return false }
    let info = classInfo(of: store)
    return !info.inherits(from: kernel.memoryStore)
      || !info.isKernel && !propertyPaths(of: store).isEmpty
  }

  /// Reads a place of a store of the program's own and records the inputs of its getter.
  private func readComputed(_ cell: CellID) -> Evaluation {
    let place = graph[cell].place
    let outer = recorder
    let recorder = DependencyRecorder(within: outer)
    recorder.base = state.base
    self.recorder = recorder
    trackingDepth += 1
    let outcome = withErrorsCaught { get(place.key, from: place.object) }
    trackingDepth -= 1
    self.recorder = outer
    // What a store that takes time reads is known from when it did.
    if stores.coming.entries[place] == nil {
      graph.setSlots(recorder.reads.filter { $0 != place && $0.kind != .property }, of: cell)
    }
    return outcome
  }

  func element(of place: Place) -> Value {
    if place.index >= 0 {
      let array = ObjectRef(place.object)
      return place.index < array.elementCount ? array[element: place.index] : .nil
    }
    guard classInfo(of: place.object).inherits(from: kernel.dictionary) else {
      // A sequence that is no array.
      return unrecordedValue { send(selector("at:"), to: place.object, place.key) } ?? .nil
    }
    guard case .found(let number) = find(place.key, in: place.object, byIdentity: false) else {
      return .nil
    }
    return HashTable(place.object).value(of: number)
  }

  /// Reads a property and records the slots that its getter reads.
  private func readProperty(_ cell: CellID) -> Value {
    let place = graph[cell].place
    let outer = recorder
    let recorder = DependencyRecorder(within: outer)
    self.recorder = recorder
    trackingDepth += 1
    let outcome = withErrorsCaught { propertyValue(at: place) }
    trackingDepth -= 1
    self.recorder = outer
    graph.setSlots(recorder.reads.filter { $0.kind == .slot }, of: cell)
    return valueUnlessUnwinding(outcome) ?? (graph.isUnwinding ? .unwind : .nil)
  }

  /// Writes a cell for a formula.
  ///
  /// - Returns: the failure, or nil.
  func write(_ value: Value, to cell: CellID) -> Failure? {
    let place = graph[cell].place
    switch place.kind {
    case .slot:
      let object = ObjectRef(place.object)
      if let (type, name) = declaredType(of: object, slot: place.index),
        let failure = outcome(
          of: withErrorsCaught { checkType(of: value, type, variable: name) })
      {
        return failure
      }
      object[slot: place.index] = value
    case .whole:
      return .notAvailable("writing a whole collection")
    case .element:
      return writeElement(value, at: place, cell)
    case .property:
      return outcome(
        of: withErrorsCaught { setPropertyValue(value, at: place) })
    case .stored:
      if let failure = outcome(of: withErrorsCaught { put(value, at: place.key, in: place.object) })
      {
        return failure
      }
      graph.cacheValue(value, of: cell)
    }
    return nil
  }

  private func writeElement(_ value: Value, at place: Place, _ cell: CellID) -> Failure? {
    if place.index >= 0 {
      let array = ObjectRef(place.object)
      guard place.index < array.elementCount else {
        return outOfBounds(place.index + 1, count: array.elementCount)
      }
      array[element: place.index] = value
      if graph.activeFolds.foldCount > 0 {
        graph.updateFolds(of: array, at: Value(small: place.index + 1))
      }
      didChangeWhole(of: array)
    } else {
      let failure = outcome(
        of: withErrorsCaught {
          send(selector("at:put:"), to: place.object, place.key, value)
        })
      if let failure { return failure }
    }
    graph.cacheValue(value, of: cell)
    return nil
  }

  private func outcome(of evaluation: Evaluation) -> Failure? {
    switch evaluation {
    case .value: return nil
    case .failed(let failure): return failure
    case .unwound:
      graph.isUnwinding = true
      return .interrupted()
    }
  }

  /// Returns whether storing a value in place of another makes no observable difference.
  func isUnchanged(_ old: Value, _ new: Value) -> Bool {
    if old == new { return true }
    guard old.isObject, new.isObject else { return false }
    let left = ObjectRef(old)
    let right = ObjectRef(new)
    guard left.classIndex == right.classIndex else { return false }
    switch left.classIndex {
    case ClassIndex.float:
      return left.double == right.double || left.double.isNaN && right.double.isNaN
    case ClassIndex.string, ClassIndex.symbol, ClassIndex.largeInteger:
      return left.hasSameBytes(as: right)
        && left.flags & ObjectFlag.negative == right.flags & ObjectFlag.negative
    case kernel.fractionIndex:
      // A program may have put anything in there, the fraction itself, too.
      return [0, 1].allSatisfy { isUnchangedInteger(left[slot: $0], right[slot: $0]) }
    default:
      // An equal object may change its own way later on: it counts as another.
      return false
    }
  }

  /// Returns whether the answer of a store is equal to a collection, where it answers a copy each time: no
  /// other code can change that copy.
  func isCopy(_ answer: Value, of value: Value, in store: Value) -> Bool {
    guard answer != value, answer.isObject, value.isObject, isKernelCollection(value),
      isKernelCollection(answer),
      case .value(.true) = withErrorsCaught({ send(selector("answersCopies"), to: store) }),
      case .value(.true) = withErrorsCaught({ send(selector("="), to: answer, value) })
    else { return false }
    return true
  }

  private func isKernelCollection(_ value: Value) -> Bool {
    let info = classInfo(of: value)
    return info.isKernel && info.inherits(from: kernel.collection)
  }

  /// Returns whether a store outside the interpreter's memory would get the bytes that it has: it keeps none
  /// of the objects, which could be changed later.
  private func isSameContent(_ old: Value, _ new: Value, at place: Place) -> Bool {
    guard place.kind == .stored, old.isObject(ofClass: ClassIndex.byteArray),
      new.isObject(ofClass: ClassIndex.byteArray), nativeStore(place.object) != nil
    else { return false }
    return ObjectRef(old).hasSameBytes(as: ObjectRef(new))
  }

  private func isUnchangedInteger(_ old: Value, _ new: Value) -> Bool {
    if old == new { return true }
    guard old.isObject, new.isObject, ObjectRef(old).classIndex == ClassIndex.largeInteger else {
      return false
    }
    return isUnchanged(old, new)
  }
}

// MARK: - Evaluations that end here

/// The outcome of an evaluation whose errors are caught.
enum Evaluation {
  case value(Value)
  case failed(Failure)
  /// It was interrupted: the unwinding must go on.
  case unwound
}

extension Machine {
  /// Evaluates a closure and catches the errors it does not handle itself.
  ///
  /// `limit`: gets the token to which the evaluation is unwound when it may not go on.
  func withErrorsCaught(limit: (Int) -> Void = { _ in }, _ body: () -> Value) -> Evaluation {
    let (value, hasFailed) = behindHandler(limit: limit, body)
    if hasFailed { return .failed(takeFailure()) }
    return value.isUnwind ? .unwound : .value(value)
  }

  /// Returns the value of an evaluation; nil when it has failed or is interrupted, which the graph takes up.
  func valueUnlessUnwinding(_ evaluation: Evaluation) -> Value? {
    if case .unwound = evaluation { graph.isUnwinding = true }
    return if case .value(let value) = evaluation { value } else { nil }
  }

  /// Evaluates a closure behind a handler of all errors that it does not handle itself.
  ///
  /// - Returns: its answer, and whether such an error has ended it: the machine has the exception then.
  @inline(__always)
  func behindHandler(
    limit: (Int) -> Void = { _ in }, _ body: () -> Value
  ) -> (answer: Value, hasFailed: Bool) {
    let outer = exceptions.currentHandler
    let count = exceptions.handlers.count
    let token = makeToken()
    limit(token)
    exceptions.handlers.append(Handler(frame: nil, outer: outer, token: token))
    exceptions.currentHandler = count
    let answer = body()
    exceptions.currentHandler = outer
    exceptions.handlers.shorten(to: count)
    return (answer, answer.isUnwind && state.unwindTarget == Value(small: token))
  }

  /// Returns the failure that an unwinding has brought here.
  func takeFailure() -> Failure {
    let exception = ObjectRef(state.takeUnwindValue())
    exceptions.unwindAction = .deliver
    let message = exception[slot: ExceptionSlot.messageText]
    let info = classInfo(of: Value(exception))
    var failure = Failure(ErrorClass(rawValue: info.name) ?? .error, text(message) ?? info.name)
    if failure.errorClass == .storeError, let slot = info.slot(of: "kind") {
      let kind = text(exception[slot: slot])
      failure.isPending = kind == StoreError.Kind.pending.rawValue
      failure.isNotReady = failure.isPending || kind == StoreError.Kind.unavailable.rawValue
    }
    if info.name == "MessageNotUnderstood", let slot = info.slot(of: "receiver") {
      failure.isOfNil = exception[slot: slot].isNil
    }
    return failure
  }
}
