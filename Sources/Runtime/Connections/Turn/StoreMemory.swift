internal import TenonSolverKit
internal import TenonTables

// The memory of stores written in the language: a cache, a count. Where a formula reads a place, the
// methods of the store may write variables of the store. That is no write by the formula, and the
// formula does not depend on it; other formulas that have read them are told in the next turn.

extension Machine {
  /// The number of objects that are searched for a collection that a store holds.
  private static let memorySearchLimit = 10_000

  /// Takes a write as one by a store to its own memory, if a formula runs, or reads are recorded, and a
  /// method of the store does it.
  ///
  /// - Parameters:
  ///   - object: The written object: the store, or a collection.
  ///   - slot: The slot of the store; nil for a collection.
  /// - Returns: Whether it is such a write: no formula determines the place, and nothing is settled for it.
  @inline(never)
  func remembers(_ object: ObjectRef, slot: Int? = nil) -> Bool {
    guard recorder != nil || graph.runningNumber >= 0, graph.writing == nil,
      isMemoryOfActiveStore(object, isStore: slot != nil)
    else { return false }
    var current = recorder
    while let each = current {
      each.forget(object, slot: slot)
      if each.base != nil || each === graph.formulaRecorder { break }
      current = each.outer
    }
    return true
  }

  /// Tells formulas other than the one that runs, in the next turn, that a store has written a slot or a
  /// collection of its own.
  func recordRemembered(_ object: ObjectRef, slot: Int? = nil, at key: Value? = nil) {
    if let slot {
      if let cell = graph.cell(of: object, slot: slot) { graph.recordRemembered(cell) }
      return
    }
    if let whole = graph.whole(of: object) {
      if graph.foldCount > 0 { graph.updateFolds(of: object, whole, at: key) }
      graph.recordRemembered(whole)
    }
    for cell in graph.watched[object.bits] ?? [] where graph[cell].place.kind == .element {
      guard let now = currentValue(of: cell) else { continue }
      if let known = graph[cell].cachedValue, isUnchanged(known, now) { continue }
      graph.cacheValue(now, of: cell)
      graph.recordRemembered(cell)
    }
  }

  /// Returns whether an object is a store one of whose methods is being evaluated for the code that is
  /// recorded, or a collection that such a store holds.
  private func isMemoryOfActiveStore(_ object: ObjectRef, isStore isItself: Bool) -> Bool {
    if isItself ? !isStore(Value(object)) : !isCollection(object) || isOfProgram(object) {
      return false
    }
    var stores: [ObjectRef] = []
    // The first frame may be that of a node that has no receiver.
    var next = frame(below: state.base)
    while let frame = next {
      if isBeginning(frame) { return false }
      let receiver = frame.receiver
      if isItself ? receiver == Value(object) : isStore(receiver), handlesReading(frame) {
        if isItself { return true }
        if !stores.contains(ObjectRef(receiver)) {
          stores.append(ObjectRef(receiver))
          if holds(ObjectRef(receiver), object) { return true }
        }
      }
      next = self.frame(below: frame)
    }
    return false
  }

  /// Returns whether a variable of the program holds a collection, too: then it is not the store's alone.
  private func isOfProgram(_ collection: ObjectRef) -> Bool {
    session.cells.values.contains { $0[slot: 0] == Value(collection) }
  }

  /// The verbs that only read, and the methods that they use.
  private static let readingSelectors: Set<String> = [
    "get:", "get:if:", "list:", "exists:", "statusOf:", "candidatesAt:", "contentAt:",
    "valueAtPath:",
  ]

  /// Returns whether a frame of a store is that of a verb that reads: only those write the memory.
  private func handlesReading(_ frame: Frame) -> Bool {
    // The machine itself sends nothing else to a store while formulas run.
    guard let selector = selector(of: frame) else { return true }
    return Machine.readingSelectors.contains(selector)
  }

  /// Returns whether the code that is recorded begins at a frame, or above it.
  private func isBeginning(_ frame: Frame) -> Bool {
    if graph.runningNumber >= 0, frame.receiver.isObject(ofClass: ClassIndex.blockClosure),
      frame.receiver.bits == graph.hotFormulas[graph.runningNumber].word
    {
      return true
    }
    var current = recorder
    while let each = current {
      if each.base == frame { return true }
      current = each.outer
    }
    return false
  }

  /// Returns whether a store has a collection in one of its variables, or in a collection there.
  ///
  /// - Complexity: O(elements of its collections), up to `memorySearchLimit`.
  private func holds(_ store: ObjectRef, _ collection: ObjectRef) -> Bool {
    var waiting = [store]
    var seen: Set<UInt> = [store.bits]
    var index = 0
    while index < waiting.count {
      let object = waiting[index]
      index += 1
      let isArray = object.formatCode == ObjectFormat.array.rawValue
      guard isArray || object.formatCode == ObjectFormat.slots.rawValue else { continue }
      for number in 0..<(isArray ? object.elementCount : object.slotCount) {
        let value = isArray ? object[element: number] : object[slot: number]
        guard value.isObject else { continue }
        if value == Value(collection) { return true }
        guard isCollection(ObjectRef(value)), seen.insert(value.bits).inserted else { continue }
        guard seen.count <= Machine.memorySearchLimit else { return false }
        waiting.append(ObjectRef(value))
      }
    }
    return false
  }
}

extension ConnectionGraph {
  /// Schedules the readers of a cell for the next turn.
  fileprivate func recordRemembered(_ cell: CellID) {
    pending.append(cell)
  }
}
