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
        ?? machine.graph.replanning.redundant[connection].map { [$0.left, $0.right] }
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
      if let (left, _) = connection.flatMap({ machine.graph.replanning.redundant[$0] }) {
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
      let connection = machine.connection(arguments.receiver)
      if let connection, connection.isInvariant, strength != .required {
        throw .takesNo("strength", connection.text, because: "it must stay true")
      }
      try machine.refuseInSolver()
      guard let connection, var plan = connection.plan else { return arguments.receiver }
      plan.strength = strength
      return try machine.change(connection, answering: arguments.receiver) {
        connection throws(Failure) in try machine.establish(connection, anew: plan)
      }
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

  fileprivate func connectionState(_ value: Value) -> String {
    guard let connection = connection(value) else { return "disconnected" }
    // A store may not tell what becomes of the copies in it.
    if connection.status == .active, let observer = connection.observer, observer.error == nil {
      _ = withErrorsCaught { send(selector("lookWhenAsked"), to: observer.object) }
    }
    return state(of: connection)
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
