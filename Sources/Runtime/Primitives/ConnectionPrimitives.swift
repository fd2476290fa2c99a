internal import TenonLexer

extension Primitive {
  static let connection: [Primitive] = [
    Primitive("disconnect", "Ends the connection; the places keep their values.") {
      machine, arguments throws(Failure) in
      try machine.refuseInSolver()
      if let connection = machine.connection(arguments.receiver) {
        machine.graph.disconnect(connection)
      }
      return machine.settleGraph(answering: arguments.receiver)
    },
    Primitive("text: aString", "Has the connection called otherwise.") {
      machine, arguments in
      if let text = machine.text(arguments[0]) {
        machine.connection(arguments.receiver)?.text = text
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
      connection.keptKeys = keys
      connection.keys = keys
      return arguments.receiver
    },
    Primitive("suspend", "Takes the connection out of force until resume.") {
      machine, arguments throws(Failure) in
      try machine.refuseInSolver()
      if let connection = machine.connection(arguments.receiver) {
        machine.graph.suspend(connection)
      }
      return arguments.receiver
    },
    Primitive("resume", "Takes the connection into force again.") {
      machine, arguments throws(Failure) in
      try machine.refuseInSolver()
      if let connection = machine.connection(arguments.receiver) {
        try machine.graph.resume(connection)
      }
      return machine.settleGraph(answering: arguments.receiver)
    },
    Primitive("state", "One of #satisfied #waiting #error #suspended #disconnected.") {
      machine, arguments in
      machine.symbol(machine.connectionState(arguments.receiver))
    },
    Primitive("isSatisfied", "Whether what it says holds.") { machine, arguments in
      Value(machine.connectionState(arguments.receiver) == "satisfied")
    },
    Primitive("lastError", "What the last failure said, or nil.") { machine, arguments in
      machine.connection(arguments.receiver).flatMap { machine.graph.failure(of: $0) }
        .map { machine.makeString($0) } ?? .nil
    },
    Primitive("target", "The text of the place it writes.") { machine, arguments in
      let connection = machine.connection(arguments.receiver)
      return connection?.plan.map { machine.makeString($0.target.name) } ?? .nil
    },
    Primitive("sources", "The texts of the places it reads.") { machine, arguments in
      guard let connection = machine.connection(arguments.receiver) else {
        return machine.makeArray([])
      }
      let outputs = connection.formulas.map(\.output)
      var names = outputs.count > 1 ? outputs : []
      for input in connection.formulas.flatMap(\.inputs)
      where !outputs.contains(input) && !names.contains(input) {
        names.append(input)
      }
      return machine.makeArray(names.map { machine.makeString(machine.graph[$0].name) })
    },
    Primitive("solver", "The name of the solver that keeps it.") { machine, arguments in
      guard let formula = machine.connection(arguments.receiver)?.formulas.first,
        let constraint = formula.constraint
      else { return .nil }
      if let region = constraint.region { return machine.symbol(region.solverName) }
      guard constraint.level >= 0 else { return .nil }
      return machine.symbol(type(of: machine.graph.levels[constraint.level].solver).name)
    },
    Primitive("updateCount", "How often its formulas have run.") { machine, arguments in
      Value(small: machine.connection(arguments.receiver)?.runs ?? 0)
    },
    Primitive("why", "The chain of causes of its value, as text.") { machine, arguments in
      machine.makeString(machine.explanation(of: arguments.receiver))
    },
    Primitive("sourceText", "The statement that made it.") { machine, arguments in
      machine.makeString(
        machine.connection(arguments.receiver)?.text ?? "a Connection that has ended")
    },
  ]

  static let script: [Primitive] = [
    Primitive("connections", "All connections that are in force.") { machine, _ in
      let connections = machine.graph.connections.values.sorted { $0.number < $1.number }
      return machine.makeArray(connections.map { machine.makeConnectionObject($0) })
    }
  ]
}

extension Machine {
  /// The connection that an object stands for, while it has not ended.
  func connection(_ value: Value) -> Connection? {
    ObjectRef(value)[slot: 0].asSmallInteger.flatMap { graph.connections[$0] }
  }

  func makeConnectionObject(_ connection: Connection) -> Value {
    let object = makeInstance(of: "Connection")
    object[slot: 0] = Value(small: connection.number)
    return Value(object)
  }

  fileprivate func connectionState(_ value: Value) -> String {
    guard let connection = connection(value) else { return "disconnected" }
    if connection.status != .active { return connection.status.rawValue }
    if graph.failure(of: connection) != nil { return "error" }
    let states = connection.formulas.map(\.state)
    // Of two directions one is enough.
    return states.contains(.satisfied) || connection.isCarriedByOthers ? "satisfied" : "waiting"
  }

  /// The chain of causes from a connection's value to a write from outside.
  fileprivate func explanation(of value: Value) -> String {
    guard let connection = connection(value), let formula = connection.formulas.first else {
      return "the connection has ended"
    }
    var lines: [String] = []
    var cell: CellID? = formula.output
    var visited: Set<CellID> = []
    while let current = cell, visited.insert(current).inserted {
      let entry = graph[current]
      var line = "\(entry.name) is \(describeCell(current))"
      if let id = entry.cause.formula, let formula = graph[id] {
        line += " by '\(formula.connection.text)' (\(formula.connection.location))"
      } else if let site = entry.cause.site {
        let location = site.code.source.location(of: site.site.range.start)
        line += ", written at \(site.code.source.name):\(location.line):\(location.column)"
      } else {
        line += " since before it was connected"
      }
      lines.append(line)
      cell = entry.cause.cell
      if cell == nil, entry.cause.formula != nil { cell = oldestInput(of: entry) }
    }
    return lines.joined(separator: "\n")
  }

  /// What a formula read that ran only because it was new.
  private func oldestInput(of cell: Cell) -> CellID? {
    cell.cause.formula.flatMap { graph[$0]?.inputs.first }
  }

  private func describeCell(_ cell: CellID) -> String {
    currentValue(of: cell).map { describe($0) } ?? "unknown"
  }
}

extension ConnectionGraph {
  /// What the failure said because of which a connection's places are not what they should be: its
  /// own or that of something it depends on.
  ///
  /// - Complexity: O(formulas above).
  fileprivate func failure(of connection: Connection) -> String? {
    var stack = connection.formulas.flatMap { inForce(in: $0.constraint) }
    var visited: Set<FormulaID> = []
    while let formula = stack.popLast() {
      guard visited.insert(formula.id).inserted else { continue }
      if case .failed(let message) = formula.state { return message }
      for input in formula.inputs {
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

  /// The formulas of a constraint that compute something at present.
  private func inForce(in constraint: Constraint?) -> [Formula] {
    guard let constraint else { return [] }
    guard let region = constraint.region else { return constraint.formulas }
    return constraint.formulas.filter {
      region.solver.formula(computing: $0.output) == $0.id
    }
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
    guard reference.isObject else { return [] }
    let info = classInfo(of: reference)
    switch info.name {
    case "VariableReference":
      let object = ObjectRef(reference)[slot: 0]
      return ObjectRef(object).classIndex == ClassIndex.variableCell ? [] : [object]
    case "PropertyReference": return owners(of: ObjectRef(reference)[slot: 0])
    default: return []
    }
  }
}
