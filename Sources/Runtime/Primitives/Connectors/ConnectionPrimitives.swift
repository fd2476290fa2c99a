internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

// The folder Connectors: primitives of connections, observers, inverses and solvers. What they ask is in
// Connections.

extension Primitive {
  static let connection: [Primitive] = [
    Primitive("disconnect", "Ends the connection; the places keep their values.") {
      machine, arguments throws(Failure) in
      try machine.refuseInSolver()
      if let connection = machine.connection(arguments.receiver) {
        if ObjectRef(arguments.receiver)[slot: 1].isNil {
          // One of Swift code says it only now.
          let text = machine.makeString(connection.text)
          ObjectRef(arguments.receiver)[slot: 1] = text
        }
        let ending = connection.parts + [connection]
        for each in ending { try machine.refreshTargets(of: each) }
        let observers = ending.compactMap { $0.status == .disconnected ? nil : $0.observer }
        // Nothing else may keep them when their connections have ended.
        let root = machine.roots.count
        machine.roots.append(contentsOf: observers.map(\.object))
        defer { machine.dropRoots(to: root) }
        for each in ending { machine.end(each) { machine.graph.disconnect($0) } }
        for observer in observers where machine.tellEnd(of: observer).isUnwind { return .unwind }
      }
      return machine.settleGraph(answering: arguments.receiver)
    },
    Primitive(
      "text: aString", "Private: has the connection called what the program says at this moment."
    ) { machine, arguments in
      if let text = machine.text(arguments[0]),
        let connection = machine.connection(arguments.receiver)
      {
        connection.stand(for: text, at: machine.stackTrace(limit: 1).first)
        ObjectRef(arguments.receiver)[slot: 1] = machine.makeString(text)
      }
      return arguments.receiver
    },
    Primitive(
      "keep: anObject for: aReference",
      "Keeps an object alive, and the connection in force, as long as there is what the place is in."
    ) { machine, arguments in
      guard let connection = machine.connection(arguments.receiver) else {
        return arguments.receiver
      }
      // What made it may have asked for the same before.
      connection.kept =
        connection.kept.isNil
        ? arguments[0] : machine.makeArray([connection.kept, arguments[0]])
      let keys = machine.owners(of: arguments[1])
      connection.keptOwners = keys
      connection.lifetimeOwners = keys
      return arguments.receiver
    },
    Primitive("parts: anArray", "Has other connections end, stop and go on with this one.") {
      machine, arguments throws(Failure) in
      guard let connection = machine.connection(arguments.receiver) else {
        return arguments.receiver
      }
      let array = try machine.array(arguments[0])
      var parts = connection.parts
      for index in 0..<array.elementCount {
        guard let part = machine.connection(of: array[element: index]), part != connection else {
          continue
        }
        for each in part.parts + [part] where each != connection && !parts.contains(each) {
          parts.append(each)
        }
      }
      connection.parts = parts
      return arguments.receiver
    },
    Primitive("suspend", "Takes the connection out of force until resume.") {
      machine, arguments throws(Failure) in
      try machine.refuseInSolver()
      if let connection = machine.connection(arguments.receiver) {
        let ending = connection.parts + [connection]
        for each in ending { try machine.refreshTargets(of: each) }
        for each in ending { machine.end(each) { machine.graph.suspend($0) } }
      }
      // What it held back as it had failed may run.
      return machine.settleGraph(answering: arguments.receiver)
    },
    Primitive("resume", "Takes the connection into force again.") {
      machine, arguments throws(Failure) in
      try machine.refuseInSolver()
      if let connection = machine.connection(arguments.receiver) {
        try machine.resumeTogether(connection.parts + [connection])
      }
      return machine.settleGraph(answering: arguments.receiver)
    },
    Primitive(
      "state",
      "One of #satisfied #waiting #stale #error #violated #pending #suspended #disconnected."
    ) { machine, arguments in
      machine.symbol(machine.connectionState(arguments.receiver))
    },
    Primitive(
      "nanosecondsPending",
      "Private: how long it has waited for a store; nil when it waits for none."
    ) { machine, arguments in
      guard let connection = machine.connection(arguments.receiver),
        let time = machine.pendingTime(of: connection), let clock = machine.host.clock
      else { return .nil }
      return machine.makeInteger(max(0, clock.monotonicTime - time))
    },
    Primitive("awaitAnswers", "Waits until the stores have answered that it has asked.") {
      machine, arguments in
      guard let connection = machine.connection(arguments.receiver) else {
        return arguments.receiver
      }
      return machine.awaitAnswers(of: connection, answering: arguments.receiver)
    },
    Primitive("isSatisfied", "Whether what it says holds.") { machine, arguments in
      Value(machine.connectionState(arguments.receiver) == "satisfied")
    },
    Primitive("lastError", "What the last failure said, or nil.") { machine, arguments in
      machine.connection(arguments.receiver)
        .flatMap {
          $0.observer?.error ?? $0.observer?.rejection ?? machine.graph.failure(of: $0)
            ?? machine.unreadable(of: $0)
        }
        .map { machine.makeString($0) } ?? .nil
    },
    Primitive(
      "waitsFor", "The texts of the places for which it waits: at them is nil, or nothing at all."
    ) { machine, arguments in
      let missing =
        machine.connection(arguments.receiver).map { machine.missingPlaces(of: $0) } ?? []
      if machine.graph.isUnwinding {
        machine.graph.isUnwinding = false
        return .unwind
      }
      return machine.makeArray(
        machine.missingNames(of: missing).map { machine.makeString($0) })
    },
    Primitive("target", "The text of the place it writes.") { machine, arguments in
      let connection = machine.connection(arguments.receiver)
      return connection?.plan.map { machine.makeString(machine.displayName(of: $0.target)) } ?? .nil
    },
    Primitive("sources", "The texts of the places it reads.") { machine, arguments in
      guard let connection = machine.connection(arguments.receiver) else {
        return machine.makeArray([])
      }
      let outputs =
        connection.observer.flatMap { $0.kind == .places ? $0.cells : nil }
        ?? machine.graph.redundant[connection].map { [$0.left, $0.right] }
        ?? connection.formulas.map(\.output)
      var names = outputs.count > 1 ? machine.graph.places(of: outputs) : []
      let inputs = connection.formulas.flatMap { machine.graph.shownInputs(of: $0) }
      for input in machine.graph.places(of: inputs)
      where !outputs.contains(input) && !names.contains(input)
        && !machine.graph.isNameless(input)
      {
        names.append(input)
      }
      return machine.makeArray(names.map { machine.makeString(machine.graph.displayName(of: $0)) })
    },
    Primitive("solver", "The name of the solver that keeps it.") { machine, arguments in
      let connection = machine.connection(arguments.receiver)
      if let (left, _) = connection.flatMap({ machine.graph.redundant[$0] }) {
        return machine.graph[left].region.map { machine.symbol($0.solverName) } ?? .nil
      }
      guard let formula = connection?.formulas.first, let constraint = formula.constraint
      else { return .nil }
      if let region = constraint.region { return machine.symbol(region.solverName) }
      guard constraint.level >= 0 else { return .nil }
      return machine.symbol(type(of: machine.graph.levels[constraint.level].solver).name)
    },
    Primitive("strength", "One of #required #strong #medium #weak: how much it counts.") {
      machine, arguments in
      let strength = machine.connection(arguments.receiver)?.strength ?? .required
      return machine.symbol(strength.name)
    },
    Primitive(
      "strength: aSymbol", "Has the connection count #required, #strong, #medium or #weak."
    ) { machine, arguments throws(Failure) in
      let strength = try machine.strength(arguments[0])
      if let connection = machine.connection(arguments.receiver), connection.isInvariant,
        strength != .required
      {
        throw .takesNo("strength", connection.text, because: "it must stay true")
      }
      return try machine.change(arguments.receiver) { $0.strength = strength }
    },
    Primitive(
      "violation", "By how much an equation or an inequality does not hold: 0 where it does."
    ) { machine, arguments in
      machine.connection(arguments.receiver).flatMap { machine.violation(of: $0) }
        .map { machine.value(of: $0) } ?? .nil
    },
    Primitive("updateCount", "How often its formulas have run.") { machine, arguments in
      Value(small: machine.connection(arguments.receiver)?.runs ?? 0)
    },
    Primitive("sourceText", "The statement that made it.") { machine, arguments in
      if let connection = machine.connection(arguments.receiver) {
        return machine.makeString(connection.text)
      }
      let known = machine.text(ObjectRef(arguments.receiver)[slot: 1])
      return machine.makeString(known ?? "a Connection that has ended")
    },
  ]

  static let script: [Primitive] = [
    Primitive(
      "connectionsInForce",
      "All connections that are in force, as an array; not those by which stores and prompts hear of changes."
    ) { machine, _ in
      let connections = machine.graph.connections.values
        .filter { !machine.isOfLibrary($0) }.sorted { $0.number < $1.number }
      return machine.makeArray(connections.map { machine.makeConnectionObject($0) })
    }
  ]
}

extension Machine {
  /// Whether a connection is that by which a store of the library hears of changes of another one, or of an
  /// object that it keeps, or a prompt of a place that it watches: who ends the connections of a program does not
  /// mean it.
  func isOfLibrary(_ connection: Connection) -> Bool {
    if let observer = connection.observer {
      return ["SourceWatcher", "KeptObjects"].contains(classInfo(of: observer.object).name)
    }
    guard let formula = connection.onlyFormula else { return false }
    let place = graph.place(of: formula.output)
    return place.object.isObject
      && ["ObjectWatch", "PromptWatch"].contains(classInfo(of: place.object).name)
  }

  /// The connection that a value is which explains places; nil for a reference.
  func connection(of value: Value) -> Connection? {
    classInfo(of: value).name == "Connection" ? connection(value) : nil
  }

  /// The connection that an object stands for, while it has not ended.
  func connection(_ value: Value) -> Connection? {
    ObjectRef(value)[slot: 0].asSmallInteger.flatMap { graph.connections[$0] }
  }

  /// Takes connections into force again, or none of those that were not.
  fileprivate func resumeTogether(_ connections: [Connection]) throws(Failure) {
    var resumed: [Connection] = []
    for connection in connections where connection.status == .suspended {
      do throws(Failure) { try graph.resume(connection) } catch {
        for each in resumed.reversed() { end(each) { graph.suspend($0) } }
        throw error
      }
      resumed.append(connection)
    }
  }

  /// Whether a connection of several directions stands back behind stronger ones.
  func isGivenUp(_ connection: Connection) -> Bool {
    guard connection.strength < .required,
      let constraint = connection.formulas.first?.constraint, constraint.equation == nil,
      let region = constraint.region
    else { return false }
    return !region.solver.keeps(constraint.id)
  }

  fileprivate func connectionState(_ value: Value) -> String {
    guard let connection = connection(value) else { return "disconnected" }
    // A store may not tell what becomes of the copies in it.
    if connection.status == .active, let observer = connection.observer, observer.error == nil {
      _ = withErrorsCaught { send(selector("lookWhenAsked"), to: observer.object) }
    }
    return state(of: connection)
  }

  /// What has become of a connection.
  ///
  /// - Complexity: O(formulas above).
  func state(of connection: Connection) -> String {
    state(of: connection, hasFailed: { graph.failure(of: $0) != nil })
  }

  /// What has become of a connection, for somebody who knows which ones have failed.
  func state(of connection: Connection, hasFailed: (Connection) -> Bool) -> String {
    let state = knownState(of: connection, hasFailed: hasFailed)
    return state == "waiting" && unreadable(of: connection) != nil ? "error" : state
  }

  /// Why a place of a connection cannot be read for which it waits; nil where it waits for something that is
  /// missing, or for nothing.
  fileprivate func unreadable(of connection: Connection) -> String? {
    guard connection.status == .active, connection.observer == nil,
      connection.formulas.contains(where: { $0.state == .waiting })
    else { return nil }
    for cell in connection.formulas.flatMap({ [$0.output] + $0.inputs }).withoutRepetitions
    where graph.hot[cell.rawValue].kind == .stored {
      if case .failed(let failure) = reading(cell), !failure.isNotReady { return failure.message }
    }
    return nil
  }

  private func knownState(of connection: Connection, hasFailed: (Connection) -> Bool) -> String {
    if connection.status != .active { return connection.status.rawValue }
    if let observer = connection.observer {
      if observer.error != nil || connection.pathFailure != nil { return "error" }
      if observer.isPending || pendingTime(of: connection) != nil { return "pending" }
      if observer.kind == .places {
        return observer.cells.isEmpty || !showsTruth(observer) ? "waiting" : "satisfied"
      }
    }
    if connection.observer == nil, pendingTime(of: connection) != nil { return "pending" }
    if connection.formulas.contains(where: { graph.isStale($0) }) { return "stale" }
    if let state = redundantState(of: connection) { return state }
    if hasFailed(connection) { return "error" }
    if let state = equationState(of: connection) { return state }
    if isGivenUp(connection) || graph.isNotMet(connection) {
      // What stands against it may come to the same.
      return holds(connection) ? "satisfied" : "violated"
    }
    // It may be in force again and still have to run.
    if connection.strength < .required, let violation = violation(of: connection), !violation.isZero
    {
      return "violated"
    }
    if lacksEnd(connection) { return "waiting" }
    let states = connection.formulas.map(\.state)
    // Of two directions one is enough.
    return states.contains(.satisfied) || connection.isCarriedByOthers ? "satisfied" : "waiting"
  }
}

extension Machine {
  /// Whether the two places of a truth hold the same, as far as that is known; of whole stores it is.
  func showsTruth(_ observer: ConnectionObserver) -> Bool {
    guard observer.isTruth(in: graph), observer.heldSide == nil else { return true }
    guard let left = currentValue(of: observer.cells[0]),
      let right = currentValue(of: observer.cells[1]),
      !isUnchanged(left, right)
    else { return true }
    if case .value(.true) = withErrorsCaught({ send(selector("="), to: left, right) }) {
      return true
    }
    return false
  }

  /// Whether one of two places that are to be equal holds nothing.
  func lacksEnd(_ connection: Connection) -> Bool {
    let formulas = connection.formulas
    guard formulas.count == 2, case .copy(let source) = formulas[0].source else { return false }
    return isMissing(source) != isMissing(formulas[0].output)
  }
}

extension ConnectionGraph {
  /// What the failure said because of which a connection's places are not what they should be: its
  /// own or that of something it depends on.
  ///
  /// - Complexity: O(formulas above).
  fileprivate func failure(of connection: Connection) -> String? {
    if let message = connection.pathFailure ?? connection.constantsFailure { return message }
    var stack = connection.formulas.flatMap { inForce(in: $0.constraint) }
    var visited: Set<FormulaID> = []
    while let formula = stack.popLast() {
      guard visited.insert(formula.id).inserted else { continue }
      if case .failed(let message) = formula.state { return message }
      for input in formula.heard {
        if let owner = self[input].owner { stack.append(owner) }
        if let source = self[input].region?.solver.formula(computing: input),
          let formula = self[source]
        {
          stack.append(formula)
        }
      }
    }
    return nil
  }

  /// Whether a formula is one that computes something at present, of those of its constraint.
  func isInForce(_ formula: Formula) -> Bool {
    guard let region = formula.constraint?.region else { return true }
    return region.solver.formula(computing: formula.output) == formula.id
  }

  /// The formulas of a constraint that compute something at present.
  private func inForce(in constraint: Constraint?) -> [Formula] {
    constraint?.formulas.filter { isInForce($0) } ?? []
  }
}

extension Connection {
  /// Whether another connection over the same cells satisfies this one.
  fileprivate var isCarriedByOthers: Bool {
    formulas.contains { formula in
      formula.constraint?.formulas.contains { $0.state == .satisfied } ?? false
    }
  }
}

extension Machine {
  /// The objects without which a place would be gone: none for what is in a store or in the script.
  fileprivate func owners(of reference: Value) -> [Value] {
    var reference = reference
    // One that a program has made may be its own base.
    for _ in 0..<1_000 {
      guard reference.isObject else { return [] }
      switch classInfo(of: reference).name {
      case "VariableReference":
        guard let (object, _) = try? variable(reference) else { return [] }
        return object.classIndex == ClassIndex.variableCell ? [] : [Value(object)]
      case "PropertyReference": reference = ObjectRef(reference)[slot: 0]
      default: return []
      }
    }
    return []
  }
}
