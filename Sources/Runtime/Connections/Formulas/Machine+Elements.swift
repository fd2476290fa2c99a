internal import TenonSolverKit
internal import TenonTables

// Elements of collections as places: every change of a collection goes through here.

extension Machine {
  /// Changes elements of a collection.
  ///
  /// - Parameters:
  ///   - object: The collection.
  ///   - key: The index or key of the only element that changes, if it is known.
  ///   - value: The new value of the element, and the answer.
  ///   - change: Makes the change.
  /// - Returns: the value, or `unwind`.
  /// - Throws: the error of `change`, or a failure that names the connection that determines the element.
  @inline(__always)
  func changeElements(
    of object: ObjectRef, at key: Value? = nil, answering value: Value,
    _ change: () throws(Failure) -> Void
  ) throws(Failure) -> Value {
    if object.flags & ObjectFlag.watched == 0 {
      try change()
      return value
    }
    if let key, let whole = graph.freelyWritableWhole(of: object) {
      graph.logElements(of: object, at: key)
      try change()
      return didChangeFreely(of: object, whole, at: key, answering: value)
    }
    if remembers(object) {
      try change()
      recordRemembered(object, at: key)
      return value
    }
    let mark = graph.log.count
    let cell = try prepareChange(of: object, at: key, to: value)
    if let cell, graph.words[0].hasObserversOfTurn, holdsElement(cell, from: value) {
      return graph.isSettling || graph.atomicDepth > 0 ? value : settleGraph(answering: value)
    }
    if graph.writeState.writing == nil || !graph.isWriting(object)
      || keepsElementsInArray(Value(object))
    {
      graph.logElements(of: object, at: key)
    }
    try change()
    let whole = graph.whole(of: object)
    if let whole, graph.activeFolds.foldCount > 0 { graph.updateFolds(of: object, whole, at: key) }
    return didChange(
      of: object, whole, at: key == nil ? nil : .some(cell), answering: value, since: mark)
  }

  /// Tells the readers of all of a collection that one element has changed, which concerns no one else.
  ///
  /// - Returns: the answer, or `unwind`.
  @inline(never)
  private func didChangeFreely(
    of object: ObjectRef, _ whole: CellID, at key: Value, answering value: Value
  ) -> Value {
    if graph.activeFolds.foldCount > 0 { graph.updateFolds(of: object, whole, at: key) }
    if graph.didWriteFreely(to: whole, old: .undefined, new: Value(object)) {
      return settleGraph(from: whole, answering: value)
    }
    return graph.isSettling || graph.atomicDepth > 0 ? value : settleGraph(answering: value)
  }

  /// Returns whether an element waits for the decision of a source of truth, instead of taking the value.
  @inline(never)
  private func holdsElement(_ cell: CellID, from value: Value) -> Bool {
    guard !graph.watchers.observers.deferred.isEmpty, let old = currentValue(of: cell),
      !isUnchanged(old, value)
    else { return false }
    return holdWrite(value, to: cell)
  }

  /// Checks that elements of a watched collection may be written from outside.
  ///
  /// - Returns: the cell of the only element that changes, if it has one.
  private func prepareChange(
    of object: ObjectRef, at key: Value?, to value: Value
  ) throws(Failure) -> CellID? {
    if graph.isWriting(object) { return nil }
    if let running = graph.running {
      throw .impureFormula(describe(Value(object)), running.connection)
    }
    guard let key, !graph.isReadAsWholeOnly(object),
      let place = try place(of: key, in: Value(object)),
      let cell = graph.cellsByPlace[place]
    else { return nil }
    try graph.checkWrite(to: cell)
    guard let old = currentValue(of: cell), !isUnchanged(old, value) else { return cell }
    try graph.prepareWrite(to: cell)
    return cell
  }

  /// Tells connections that elements of a collection may have changed.
  ///
  /// - Parameters:
  ///   - object: The collection.
  ///   - whole: The cell of all of it, if it has one.
  ///   - only: The cell of the only element that has changed, if it has one; nil when any may have
  ///     changed.
  ///   - value: The answer.
  ///   - mark: The savepoint before the change.
  /// - Returns: the answer, or `unwind`.
  /// - Complexity: O(1) for one element, else O(watched elements).
  private func didChange(
    of object: ObjectRef, _ whole: CellID?, at only: CellID??, answering value: Value,
    since mark: Int
  ) -> Value {
    if graph.isWriting(object) {
      if let whole { graph.didChange(of: whole) }
      return value
    }
    if value.isObject {
      // It may be in the collection no more, and looking at elements may run code.
      let root = roots.count
      roots.append(value)
      defer { dropRoots(to: root) }
      return tellChange(of: object, whole, at: only, answering: value, since: mark)
    }
    return tellChange(of: object, whole, at: only, answering: value, since: mark)
  }

  @inline(__always)
  private func tellChange(
    of object: ObjectRef, _ whole: CellID?, at only: CellID??, answering value: Value,
    since mark: Int
  ) -> Value {
    let site = currentSite()
    if let whole {
      graph.recordWrite(to: whole, by: site, new: Value(object))
      do throws(Failure) { try graph.recordContents(of: whole, by: site) } catch {
        return signal(error.adding(graph.refuseWrite(since: mark)))
      }
    }
    let elements = only.map { cell in cell.map { [$0] } ?? [] } ?? graph.watched[object.bits] ?? []
    for cell in elements where graph[cell].place.kind == .element {
      do throws(Failure) { try recordElement(cell, by: site) } catch {
        return signal(error.adding(graph.refuseWrite(since: mark)))
      }
    }
    if graph.isSettling || graph.atomicDepth > 0 { return value }
    guard graph.hasPending else {
      // No connection is concerned: nothing will be undone.
      graph.log.removeValues()
      return value
    }
    return settleGraph(answering: value)
  }

  /// Records the value that an element has now that its collection has changed.
  private func recordElement(_ cell: CellID, by site: TraceEntry?) throws(Failure) {
    guard let now = currentValue(of: cell) else { return }
    let known = graph[cell].cachedValue
    if let known, isUnchanged(known, now) { return }
    graph.cacheValue(now, of: cell)
    if let owner = graph[cell].owner {
      // Elements have moved: the result of the formula is written to its place again.
      graph.scheduledFormulas.append(owner)
    } else {
      try graph.prepareWrite(to: cell)
    }
    graph.recordWrite(to: cell, by: site, old: known ?? .undefined, new: now)
  }

  /// Stores into a variable of a collection that is watched as a whole: its elements may be others.
  ///
  /// - Returns: the value, or `unwind`.
  @inline(never)
  func storePart(_ value: Value, into object: ObjectRef, slot: Int) -> Value {
    let old = object[slot: slot]
    if old == value { return value }
    let mark = graph.log.count
    graph.log.logSlot(Value(object), slot, old)
    object[slot: slot] = value
    let whole = graph.whole(of: object)
    if let whole, graph.activeFolds.foldCount > 0 { graph.updateFolds(of: object, whole, at: nil) }
    return didChange(of: object, whole, at: nil, answering: value, since: mark)
  }

  /// Returns whether a slot is a variable in which a class of the kernel keeps the elements of a collection.
  func isPart(_ slot: Int, of object: ObjectRef) -> Bool {
    var info: ClassInfo? = classInfo(at: object.classIndex)
    while let current = info, !current.isKernel { info = current.superclass }
    guard let info, slot < info.instanceVariables.count else { return false }
    return info.inherits(from: kernel.collection)
  }

  /// Evaluates a block whose changes of a collection are one change for connections.
  func evaluateAsOneChange(_ block: Value, of collection: Value) -> Value {
    guard collection.isObject, ObjectRef(collection).flags & ObjectFlag.watched != 0 else {
      return evaluateBlock(block)
    }
    return withoutSettling { evaluateBlock(block) }
  }

  /// Runs a closure whose writes to a collection are one change for connections.
  ///
  /// Its reads see the collection as changed so far: they settle nothing.
  func withoutSettling(_ body: () -> Value) -> Value {
    atomically {
      let outer = trackingDepth
      if recorder == nil { trackingDepth = 0 }
      defer { trackingDepth = outer }
      return body()
    }
  }

  /// Evaluates a block that changes a collection and objects in which it keeps its elements.
  func evaluate(_ block: Value, changing collection: Value, _ parts: (Value, Value, Value)) -> Value
  {
    func isWatched(_ value: Value) -> Bool {
      value.isObject && ObjectRef(value).flags & ObjectFlag.watched != 0
    }
    guard isWatched(collection) || isWatched(parts.0) || isWatched(parts.1) || isWatched(parts.2)
    else { return evaluateBlock(block) }
    return withoutSettling {
      for value in [collection, parts.0, parts.1, parts.2] where value.isObject {
        let object = ObjectRef(value)
        guard classInfo(of: value).format == .slots else { continue }
        for slot in 0..<object.slotCount { graph.log.logSlot(value, slot, object[slot: slot]) }
      }
      let answer = evaluateBlock(block)
      if !answer.isUnwind { tellOfChange(collection) }
      return answer
    }
  }

  /// Tells the readers of all of a collection that its elements have changed; within `atomically`.
  func tellOfChange(_ collection: Value) {
    guard collection.isObject, ObjectRef(collection).flags & ObjectFlag.watched != 0,
      graph.isSettling || graph.atomicDepth > 0, let whole = graph.whole(of: ObjectRef(collection))
    else { return }
    if remembers(ObjectRef(collection)) { return recordRemembered(ObjectRef(collection)) }
    if graph.activeFolds.foldCount > 0 {
      graph.updateFolds(of: ObjectRef(collection), whole, at: nil)
    }
    graph.recordWrite(to: whole, by: currentSite(), new: collection)
    // A conflict comes up when it is stored.
    try? graph.recordContents(of: whole, by: currentSite())
  }

  /// Tells the readers of all of a collection that a formula has written an element.
  func didChangeWhole(of object: ObjectRef) {
    if let whole = graph.cellsByPlace[.whole(object)] { graph.didChange(of: whole) }
  }
}

extension ConnectionGraph {
  /// Returns the cell of all of a collection, if it has one.
  func whole(of object: ObjectRef) -> CellID? {
    if let only = onlyCell(of: object.bits) {
      return hot[only.rawValue].kind == .whole ? only : nil
    }
    return cellsByPlace[.whole(object)]
  }

  /// Returns the cell of all of a collection, if changing an element concerns only the formulas that read the
  /// whole.
  @inline(__always)
  fileprivate func freelyWritableWhole(of object: ObjectRef) -> CellID? {
    guard writeState.writing == nil, let only = onlyCell(of: object.bits),
      hot[only.rawValue].kind == .whole,
      isFree(hot[only.rawValue].flags)
    else { return nil }
    return only
  }

  /// Returns whether no element of a collection has a cell of its own: nearly always so.
  fileprivate func isReadAsWholeOnly(_ object: ObjectRef) -> Bool {
    onlyCell(of: object.bits).map { hot[$0.rawValue].kind == .whole } ?? false
  }

  /// Returns whether the graph itself is writing an element of a collection.
  fileprivate func isWriting(_ object: ObjectRef) -> Bool {
    guard let writing = writeState.writing else { return false }
    let place = self[writing].place
    return place.kind == .element && place.object == Value(object)
  }
}
