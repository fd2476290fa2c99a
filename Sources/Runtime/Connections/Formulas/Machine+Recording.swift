internal import TenonParser
internal import TenonLexer
internal import TenonAnalysis
internal import TenonSolverKit
internal import TenonTables

extension Machine {
  /// Evaluates code whose reads are not those of the formula that runs.
  func unrecorded<Result>(_ body: () -> Result) -> Result {
    let outer = recorder
    recorder = DependencyRecorder(within: outer, keepsReads: false)
    defer { recorder = outer }
    return body()
  }

  /// The value of code whose reads are not those of the formula that runs; nil when it fails or is interrupted.
  func unrecordedValue(_ body: () -> Value) -> Value? {
    valueUnlessUnwinding(unrecorded { withErrorsCaught(body) })
  }

  /// Records that tracked code is about to read a slot; settles pending changes first.
  ///
  /// - Returns: `unwind` when that was interrupted, else nil.
  @inline(never)
  func recordRead(_ object: ObjectRef, slot: Int) -> Value {
    unsafe graphReference._withUnsafeGuaranteedRef { graph in
      if !graph.isSettling, graph.hasPending, let cell = graph.cell(of: object, slot: slot),
        graph.mayBeStale(cell)
      {
        let settled = settleGraph(answering: .nil)
        if settled.isUnwind { return settled }
      }
      if graph.words[0].staleCount > 0, refresh(object, slot: slot).isUnwind { return .unwind }
      // Numbers do not change.
      if object.classIndex == kernel.fractionIndex { return .nil }
      unsafe recorderReference?._withUnsafeGuaranteedRef { $0.record(.slot(object, slot)) }
      if graph.watchers.hearsAnnouncements, object.classIndex >= ClassIndex.firstFree {
        recordReceiver(Value(object))
      }
      return .nil
    }
  }

  /// Settles pending changes of a collection that tracked code is about to use.
  ///
  /// - Returns: `unwind` when that was interrupted, else nil.
  func settle(before value: Value, at key: Value? = nil) -> Value {
    guard graph.hasPending, !graph.isSettling, graph.atomicDepth > 0, value.isObject else {
      return .nil
    }
    let object = ObjectRef(value)
    guard object.flags & ObjectFlag.watched != 0 else { return .nil }
    let mayBeStale: Bool
    if let key, let place = elementPlace(of: key, in: value) {
      mayBeStale = graph.cellsByPlace[place].map { graph.mayBeStale($0) } ?? false
    } else {
      mayBeStale = graph.mayBeStale(object)
    }
    return mayBeStale ? settleGraph(answering: .nil) : .nil
  }

  /// Records that tracked code is about to use a collection.
  func recordUse(of value: Value) {
    guard let recorder, recorder.keepsReads, value.isObject else { return }
    let object = ObjectRef(value)
    guard object.flags & ObjectFlag.immutable == 0, isCollection(object) else { return }
    recorder.record(.whole(object))
  }

  /// Records that tracked code is about to read one element of a collection.
  func recordUse(of value: Value, at key: Value) {
    guard let recorder, recorder.keepsReads, value.isObject else { return }
    let object = ObjectRef(value)
    guard object.flags & ObjectFlag.immutable == 0, isCollection(object) else { return }
    // A read of the whole collection includes this one.
    if recorder.hasRead(.whole(object)) { return }
    if let place = elementPlace(of: key, in: value) {
      recorder.record(place)
    } else {
      recorder.record(.whole(object))
    }
  }

  /// Returns the place of an element whose key is the same object whenever it is equal; else nil.
  private func elementPlace(of key: Value, in value: Value) -> Place? {
    guard key.isSmallInteger || isString(key) && text(key).flatMap({ Int($0) }) == nil else {
      return nil
    }
    guard let place = try? place(of: key, in: value), place.kind == .element else { return nil }
    return place
  }

  /// Returns whether an object is a collection whose elements can change.
  func isCollection(_ object: ObjectRef) -> Bool {
    let index = object.classIndex
    if index == ClassIndex.array || index == ClassIndex.byteArray { return true }
    if index < ClassIndex.firstFree { return false }
    return classInfo(at: index).inherits(from: kernel.collection)
  }

  /// Runs a formula and records the reads of its own text as well.
  ///
  /// - Returns: its value; nil when it failed, which the formula remembers, or was interrupted.
  @inline(never)
  func evaluateRecorded(_ number: Int32) -> Value? {
    guard let formula = graph[FormulaID(number)], case .block(let block) = formula.source
    else { return nil }
    guard block.isObject(ofClass: ClassIndex.blockClosure),
      let body = recordedBody(of: Closure(block).code.object)
    else {
      // Without room to compile the form it goes on as before.
      graph.endRecording(of: formula)
      return evaluateWithin(number)
    }
    return run(formula) {
      withErrorsCaught {
        let callee = pushNativeFrame()
        callee[0] = block
        return enter(body, callee, argumentCount: 0)
      }
    }
  }

  /// Returns the places into which a flow puts the values that a place gives its watcher; those that take
  /// part in connections.
  ///
  /// - Complexity: O(stages of the flow).
  func sinks(ofFlowInto cell: CellID) -> [CellID] {
    let place = graph[cell].place
    guard place.kind == .property, classInfo(of: place.object).name == "Watcher",
      let flow = slot("flow", of: place.object), let stages = slot("stages", of: flow),
      stages.isObject(ofClass: ClassIndex.array)
    else { return [] }
    let array = ObjectRef(stages)
    return (1..<max(1, array.elementCount)).compactMap { index in
      let stage = array[element: index]
      // Nothing runs: the way of a path would have to be gone.
      let info = classInfo(of: stage)
      guard info.name == "VariableReference" || info.inherits(from: kernel.reference),
        case .cell(let sink)? = try? subject(stage)
      else { return nil }
      return sink
    }
  }

  /// Returns the value of a variable of a kernel object; nil where that is nil.
  private func slot(_ name: String, of object: Value) -> Value? {
    let info = classInfo(of: object)
    guard info.isKernel, let slot = info.slot(of: name) else { return nil }
    let value = ObjectRef(object)[slot: slot]
    return value.isNil ? nil : value
  }
}
