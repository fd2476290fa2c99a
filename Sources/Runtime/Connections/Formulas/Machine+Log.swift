internal import TenonSolverKit
internal import TenonTables

extension Machine {
  /// Remembers what elements of a collection are that is no array.
  @inline(never)
  func logElements(of object: ObjectRef, at key: Value?) {
    let info = classInfo(of: Value(object))
    // Tables note their entries themselves: they have looked for them.
    if info.inherits(from: kernel.hashed) { return }
    guard keepsElementsInArray(Value(object)) else {
      return graph.keepContents(of: object)
    }
    // Where it grows it gets another array; in the old one all stays where it is.
    for slot in 0..<min(object.slotCount, OrderedElements.Slot.count) {
      graph.log.logSlot(Value(object), slot, object[slot: slot])
    }
    let elements = OrderedElements(Value(object))
    guard let offset = key?.asSmallInteger, offset >= 1, offset <= elements.count else { return }
    logArrayElement(of: elements, at: elements.start + offset - 1)
  }

  /// Whether the elements of a collection are in an array of its own, where the log has what they were.
  func keepsElementsInArray(_ collection: Value) -> Bool {
    classInfo(of: collection).inherits(from: kernel.orderedCollection)
  }

  /// Remembers an element in the array of an OrderedCollection.
  func logArrayElement(of elements: OrderedElements, at index: Int) {
    guard elements.object.flags & ObjectFlag.watched != 0, let array = try? elements.array(),
      index >= 0, index < array.elementCount
    else { return }
    graph.log.record(
      Place(kind: .element, object: Value(array), index: index, key: .nil), array[element: index])
  }

  /// Remembers an entry of a dictionary or set that is about to change.
  func logEntry(_ key: Value, _ finding: Finding, in table: HashTable) {
    guard table.object.flags & ObjectFlag.watched != 0 else { return }
    let old: Value
    switch finding {
    case .found(let number): old = table.value(of: number)
    case .absent: old = .undefined
    case .unwound: return
    }
    graph.logOld(old, at: Place(kind: .element, object: Value(table.object), index: -1, key: key))
  }

  /// Remembers where an entry stands that is about to be removed: it comes back there, and not behind
  /// the others.
  func logRemoved(_ number: Int, in table: HashTable) {
    guard table.object.flags & ObjectFlag.watched != 0, let standing = table.standing(number) else {
      return
    }
    for word in standing.base..<standing.base + 2 {
      logElement(word, of: standing.entries, standing.entries[element: word])
    }
  }

  /// Remembers that nothing stood where the last entry of a table stands, which is new.
  func logInserted(in table: HashTable) {
    // An entry of the same key may have been removed before, which will stand elsewhere again.
    guard table.object.flags & ObjectFlag.watched != 0, graph.log.count > 1,
      let standing = table.standing(table.used)
    else { return }
    logElement(standing.base, of: standing.entries, .undefined)
  }

  private func logElement(_ index: Int, of array: ObjectRef, _ value: Value) {
    graph.log.record(
      Place(kind: .element, object: Value(array), index: index, key: .nil), value)
  }

  /// Counts the entries of a table of which some stand where they stood.
  func recountEntries(of object: Value, ifAmong objects: Set<UInt>) {
    guard classInfo(of: object).inherits(from: kernel.hashed) else { return }
    HashTable(object).recount(ifAmong: objects)
  }

  /// Remembers what a table holds that is about to be emptied: that makes it other arrays, and leaves
  /// the old ones as they are.
  func logEntries(of table: HashTable) {
    guard table.object.flags & ObjectFlag.watched != 0 else { return }
    logTables(of: table)
    graph.logOld(.undefined, at: .whole(table.object))
  }

  /// Remembers the arrays of a table that gets others.
  func logTables(of table: HashTable) {
    guard table.object.flags & ObjectFlag.watched != 0 else { return }
    let value = Value(table.object)
    for slot in 0..<min(table.object.slotCount, HashTable.slotCount) {
      graph.log.logSlot(value, slot, table.object[slot: slot])
    }
  }

  /// Whether a dictionary has nothing at the key that a place stands for.
  func lacksEntry(at place: Place) -> Bool {
    guard place.index < 0, classInfo(of: place.object).inherits(from: kernel.dictionary),
      case .absent = find(place.key, in: place.object, byIdentity: false)
    else { return false }
    return true
  }

  /// Gives a place back what it held; undefined stands for nothing, and in a store for what nobody has
  /// read.
  ///
  /// - Returns: Why it could not.
  func putBack(_ value: Value, at place: Place) -> String? {
    if place.kind == .stored, value.isUndefined { return "what was there could not be read" }
    let cell = graph.cellsByPlace[place]
    let known = cell.flatMap { graph[$0].cachedValue }
    if place.kind == .stored, let known, isUnchanged(known, value) { return nil }
    let outer = graph.writeState.writing
    graph.writeState.writing = cell
    let outcome = unrecorded { withErrorsCaught { replace(value, at: place) } }
    graph.writeState.writing = outer
    if let cell = graph.cellsByPlace[place] { graph.forgetCachedValue(of: cell) }
    switch outcome {
    case .value: return nil
    case .failed(let failure): return failure.message
    case .unwound: return "it was interrupted"
    }
  }

  /// Whether a property holds what it held, though its setter does not take that.
  func holds(_ value: Value, at place: Place) -> Bool {
    guard place.kind == .property,
      case .value(let now) = withErrorsCaught({ propertyValue(at: place) })
    else { return false }
    return isUnchanged(now, value)
  }

  private func replace(_ value: Value, at place: Place) -> Value {
    switch place.kind {
    case .slot, .whole: return .nil
    case .stored:
      return value.isNil
        ? deleteUnwatched(place.key, in: place.object, if: .nil)
        : put(value, at: place.key, in: place.object)
    case .property:
      // Who was told of what is taken back is told of this as well.
      return setPropertyValue(value, at: place)
    case .element:
      let info = classInfo(of: place.object)
      if info.inherits(from: kernel.dictionary) {
        return value.isUndefined
          ? send(selector("removeKey:ifAbsent:"), to: place.object, place.key, .nil)
          : send(selector("at:put:"), to: place.object, place.key, value)
      }
      if info.inherits(from: kernel.hashed) {
        return value.isUndefined
          ? send(selector("remove:ifAbsent:"), to: place.object, place.key, .nil)
          : send(selector("add:"), to: place.object, place.key)
      }
      return send(selector("at:put:"), to: place.object, place.key, value)
    }
  }

  /// A copy of a collection to restore it from.
  func contents(of object: ObjectRef) -> Value? {
    guard case .value(let copy) = withErrorsCaught({ send(selector("copy"), to: Value(object)) }),
      copy.isObject, ObjectRef(copy).classIndex == object.classIndex
    else { return nil }
    return copy
  }

  /// Gives a collection the contents of a copy.
  func restore(_ object: ObjectRef, from copy: Value) {
    let copy = ObjectRef(copy)
    if object.classIndex == ClassIndex.array {
      guard object.elementCount == copy.elementCount else { return }
      for index in 0..<object.elementCount { object[element: index] = copy[element: index] }
    } else if object.classIndex == ClassIndex.byteArray {
      guard object.byteCount == copy.byteCount else { return }
      for index in 0..<object.byteCount { object[byte: index] = copy[byte: index] }
    } else if classInfo(of: Value(object)).format == .slots {
      for slot in 0..<min(object.slotCount, copy.slotCount) {
        object[slot: slot] = copy[slot: slot]
      }
    }
  }
}
