internal import TenonSolverKit

// Writes of code that takes the result of a connection's formula: the setter of a property, and with it
// the stages of a flow and the block of `watch:`.

/// The connection that runs such code.
struct Effect: BitwiseCopyable {
  /// The number of the connection, from 1.
  let connection: Int32
  /// The changed cell because of which its formula ran, or -1.
  let cause: Int32
}

extension ConnectionGraph {
  /// Returns the formula whose result a setter was taking when it made a change; nil where a formula or
  /// code outside has made it.
  func effect(of entry: ChangeLog.Entry) -> Formula? {
    guard entry.writer > 0, let connection = connections[Int(entry.writer)] else { return nil }
    let formulas = connection.formulas
    if formulas.contains(where: { $0.output.rawValue == entry.cell }) { return nil }
    return formulas.first { self[$0.output].place.kind == .property }
  }
}

extension Machine {
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
