internal import TenonSolverKit

extension Primitive {
  static let solverCell: [Primitive] = [
    Primitive("value", "What is there now.") { machine, arguments throws(Failure) in
      let cell = try machine.solverCell(arguments.receiver)
      let value = machine.outsideSolver { machine.currentValue(of: cell) ?? .unwind }
      // A variable that the statement declares itself holds nothing yet.
      return value.isUndefined ? .nil : value
    },
    Primitive("name", "The name of the place.") { machine, arguments throws(Failure) in
      machine.makeString(machine.graph.displayName(of: try machine.solverCell(arguments.receiver)))
    },
    Primitive("isPinned", "Whether something outside of the solver determines the place.") {
      machine, arguments throws(Failure) in
      let cell = try machine.solverCell(arguments.receiver)
      return Value(machine.connections.solverLimit?.solver.pinned.contains(cell) ?? false)
    },
  ]

  static let solverTurn: [Primitive] = [
    Primitive("run: aFormula", "Runs a formula; answers whether its place has changed.") {
      machine, arguments throws(Failure) in
      let turn = try machine.turn(arguments.receiver)
      let number = try machine.solverNumber(arguments[0], "SolverFormula", "a formula")
      return Value(try turn.run(FormulaID(number)))
    },
    Primitive("set: aCell to: aValue", "Gives a place of the solver's connections a value.") {
      machine, arguments throws(Failure) in
      let turn = try machine.turn(arguments.receiver)
      let number = try machine.solverNumber(arguments[0], "SolverCell", "a place")
      try turn.set(CellID(number), to: arguments[1])
      return arguments[1]
    },
  ]

  static let connectorTableClass: [Primitive] = [
    Primitive("defined", "The classes of the connectors that the program has defined.") {
      machine, _ in
      let classes = machine.session.definedConnectors.sorted().compactMap {
        machine.classesByName[$0]
      }
      return machine.makeArray(
        classes.filter { $0.inherits(from: machine.kernelClass("Connector")) }.map(\.object))
    }
  ]

  static let solverTableClass: [Primitive] = [
    Primitive("names", "The names of the solvers, those of the program last.") { machine, _ in
      machine.makeArray(machine.solverNames.map { machine.makeString($0) })
    },
    Primitive("registered: aString", "The solver or the class of one under a name, or nil.") {
      machine, arguments throws(Failure) in
      let name = try machine.swiftString(arguments[0])
      if let solver = machine.connections.registeredSolvers[name] { return solver.prototype }
      guard let native = machine.graph.replanning.solvers.first(where: { $0.name == name }) else {
        return .nil
      }
      let object = machine.makeInstance(of: "NativeSolver")
      object[slot: 1] = machine.symbol(native.name)
      object[slot: 2] = Value(small: native.cost)
      return Value(object)
    },
    Primitive("register: aSolver as: aString", "Adds a solver to those that may be chosen.") {
      machine, arguments throws(Failure) in
      let name = try machine.swiftString(arguments[1])
      guard machine.isSolver(arguments[0]) || machine.solverClass(of: arguments[0]) != nil else {
        throw .invalidArgument("a solver", found: machine.describe(arguments[0]))
      }
      guard !machine.graph.replanning.solvers.contains(where: { $0.name == name }) else {
        throw .nativeSolver(name)
      }
      let cost = try machine.declaredCost(of: arguments[0])
      machine.connections.registeredSolvers[name] = RegisteredSolver(
        prototype: arguments[0], cost: cost)
      return arguments[0]
    },
    Primitive("forget: aString", "Takes a solver away; answers whether there was one.") {
      machine, arguments throws(Failure) in
      let name = try machine.swiftString(arguments[0])
      guard !machine.graph.replanning.solvers.contains(where: { $0.name == name }) else {
        throw .nativeSolver(name)
      }
      return Value(machine.connections.registeredSolvers.removeValue(forKey: name) != nil)
    },
  ]

  static let forcing: [Primitive] = [
    Primitive(
      "override: aBoolean",
      "Whether its place may be written from elsewhere; that stays until the next change it hears of."
    ) { machine, arguments throws(Failure) in
      guard arguments[0] == .true || arguments[0] == .false else {
        throw .invalidArgument("true or false", found: machine.describe(arguments[0]))
      }
      try machine.refuseInSolver()
      guard let connection = machine.connection(arguments.receiver) else {
        return arguments.receiver
      }
      if arguments[0] == .true, let reason = connection.reasonAgainstOverride {
        throw .takesNo("override", connection.text, because: reason)
      }
      connection.allowsOverride = arguments[0] == .true
      return arguments.receiver
    },
    Primitive(
      "endIfHeld", "Private: ends a connection that waits for what its statement says of it."
    ) {
      machine, arguments in
      if let connection = machine.connection(arguments.receiver), connection.awaitsSolver {
        machine.graph.disconnect(connection)
      }
      return arguments.receiver
    },
    Primitive(
      "solver: aSolver",
      "Has the connection kept by a solver: an instance, a class, or the name of a registered one."
    ) { machine, arguments throws(Failure) in
      try machine.refuseInSolver()
      guard let connection = machine.connection(arguments.receiver) else {
        return machine.settleGraph(answering: arguments.receiver)
      }
      if connection.isInvariant {
        throw .takesNo("solver", connection.text, because: "it is asked when all is settled")
      }
      if connection.observer?.kind == .places, connection.plan?.isOneWay == false {
        throw .takesNo("solver", connection.text, because: "its truth decides what its places hold")
      }
      return try machine.change(connection, answering: arguments.receiver) {
        connection throws(Failure) in
        try machine.graph.force(connection, try machine.requestedSolver(arguments[0]))
      }
    },
  ]
}

extension Connection {
  /// Why it makes no difference whether its place may be written from elsewhere.
  fileprivate var reasonAgainstOverride: String? {
    switch connector {
    case "=|=": "its places can be written as they are"
    case ">=|", "<=|": "it bounds what its places hold"
    default:
      plan?.linear == nil ? nil : "it is an equation, whose places can be written as they are"
    }
  }
}

extension Machine {
  /// The number in a kernel object for solvers.
  fileprivate func solverNumber(
    _ value: Value, _ className: String, _ what: String
  ) throws(Failure) -> Int32 {
    guard classInfo(of: value).inherits(from: kernelClass(className)),
      let number = ObjectRef(value)[slot: 0].asSmallInteger
    else { throw .invalidArgument(what, found: describe(value)) }
    return Int32(clamping: number)
  }

  /// The cell of a place that the solver at work knows.
  fileprivate func solverCell(_ value: Value) throws(Failure) -> CellID {
    guard let solver = connections.solverLimit?.solver else { throw .idleSolver() }
    let cell = CellID(try solverNumber(value, "SolverCell", "a place"))
    guard graph.isInUse(cell),
      solver.knows(cell) || solver.isAsked(about: cell)
    else { throw .foreignCell(solver.title, "") }
    return cell
  }

  /// The turn that an object stands for, which is still going on.
  fileprivate func turn(_ value: Value) throws(Failure) -> ScriptTurn {
    guard let turn = connections.scriptTurn, connections.solverLimit?.solver === turn.solver,
      ObjectRef(value)[slot: 0] == Value(small: turn.number)
    else { throw .endedTurn() }
    return turn
  }
}
