internal import TenonSolverKit
internal import TenonTables

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
    guard recorder != nil || graph.runningNumber >= 0, graph.writeState.writing == nil,
      isMemoryOfActiveStore(object, isStore: slot != nil)
    else { return false }
    var current = recorder
    while let each = current {
      each.forget(object, slot: slot)
      if each.base != nil || each === graph.recording.recorder { break }
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
      if graph.activeFolds.foldCount > 0 { graph.updateFolds(of: object, whole, at: key) }
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

  /// Returns whether a value is a collection that a store would keep a copy of at a place.
  func isCopied(_ value: Value, to place: Place) -> Bool {
    place.kind == .stored && value.isObject && isCollection(ObjectRef(value))
      && classInfo(of: place.object) !== kernel.memoryStore
  }

  /// Returns the places that a formula has read, with the collections of its value, if it is for a store that
  /// copies them.
  ///
  /// - Complexity: O(elements), for a value that is copied.
  func withContents(_ reads: [Place], of value: Value, by formula: Formula) -> [Place] {
    let root = roots.count
    defer { dropRoots(to: root) }
    roots.append(value)
    if formula.constraint?.isMultiWay ?? false {
      graph.watchContents(of: value, movedBy: formula)
      return reads
    }
    guard isCopied(value, to: graph.place(of: formula.output)) else { return reads }
    let known = Set(reads)
    return reads + contents(of: value).filter { !known.contains($0) }
  }

  /// Returns a collection and those within it, as places.
  func contents(of value: Value) -> [Place] {
    var places: [Place] = []
    var visited: Set<UInt> = []
    var open = [value]
    while let next = open.popLast() {
      guard next.isObject, isCollection(ObjectRef(next)), visited.insert(next.bits).inserted else {
        continue
      }
      let object = ObjectRef(next)
      if object.flags & ObjectFlag.immutable == 0 { places.append(.whole(object)) }
      forEachPart(of: object) { open.append($0) }
    }
    return places
  }

  /// Calls a closure with the elements of a collection, wherever it keeps them.
  private func forEachPart(of object: ObjectRef, _ body: (Value) -> Void) {
    if object.classIndex == ClassIndex.array {
      for index in 0..<object.elementCount { body(object[element: index]) }
      return
    }
    guard classInfo(at: object.classIndex).format == .slots else { return }
    for slot in 0..<object.slotCount where isPart(slot, of: object) {
      let part = object[slot: slot]
      guard part.isObject(ofClass: ClassIndex.array) else { continue }
      let array = ObjectRef(part)
      for index in 0..<array.elementCount { body(array[element: index]) }
    }
  }
}
