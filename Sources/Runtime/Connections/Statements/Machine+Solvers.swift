internal import TenonTables
internal import TenonSolverKit
internal import TenonLexer

// Calls of solvers that are written in the language, with their limits.

/// What is left to a solver that is at work.
struct SolverLimit {
  let solver: ScriptSolver
  /// How often it may still pass a safepoint.
  var steps: Int
  /// Where to go when it has none left, and with what.
  let token: Int
  let exception: Value
}

extension MachineLimits {
  /// How often a solver may pass a safepoint, each send and each turn of a loop being one, for a
  /// message to it, and more for each formula it keeps.
  static let solverSteps = 1_000_000
  static let solverStepsPerFormula = 10_000
}

extension Evaluation {
  /// What the failure says.
  var message: String {
    switch self {
    case .value: ""
    case .failed(let failure): failure.message
    case .unwound: "it was interrupted"
    }
  }
}

extension Machine {
  /// Sends a message to a solver's object, which has so many steps to answer.
  ///
  /// `argument`: makes the argument; what it makes is kept alive meanwhile.
  func ask(
    _ solver: ScriptSolver, _ selector: String, _ argument: (() -> Value)? = nil
  ) -> Evaluation {
    guard let host = solver.host else { return .value(.nil) }
    let root = roots.count
    defer { dropRoots(to: root) }
    roots.append(host.object)
    if let argument { roots.append(argument()) }
    let message = "\(solver.title) takes too long in '\(selector)'"
    let exception = makeInstance(of: ErrorClass.resourceLimit.rawValue)
    roots.append(Value(exception))
    exception[slot: ExceptionSlot.messageText] = makeString(message)
    let steps =
      MachineLimits.solverSteps + MachineLimits.solverStepsPerFormula * solver.constraints.count
    let outerLimit = connections.solverLimit
    let outcome = unrecorded {
      withErrorsCaught(limit: { token in
        connections.solverLimit = SolverLimit(
          solver: solver, steps: steps, token: token, exception: Value(exception))
        state.requestSafepoint()
      }) {
        argument == nil
          ? send(self.selector(selector), to: host.object)
          : send(self.selector(selector), to: host.object, roots[root + 1])
      }
    }
    connections.solverLimit = outerLimit
    if case .unwound = outcome { graph.isUnwinding = true }
    guard case .failed(let failure) = outcome else { return outcome }
    let text =
      failure.message.hasPrefix(solver.title) ? "" : "\(solver.title) failed in '\(selector)': "
    return .failed(Failure(failure.errorClass, text + failure.message))
  }

  /// Evaluates something that is none of the solver's own doing: its steps do not count.
  func outsideSolver<Result, Problem: Error>(
    _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    let outer = connections.solverLimit
    connections.solverLimit = nil
    defer {
      connections.solverLimit = outer
      if outer != nil { state.requestSafepoint() }
    }
    return try body()
  }

  /// Counts a step of the solver that is at work.
  ///
  /// - Returns: `unwind` when it has none left, else nil.
  func countSolverStep() -> Value {
    guard let limit = connections.solverLimit else { return .nil }
    state.requestSafepoint()
    guard limit.steps <= 0 else {
      connections.solverLimit?.steps = limit.steps - 1
      return .nil
    }
    // No handler of the solver's may hold it up.
    exceptions.unwindAction = .deliver
    return state.unwind(to: Value(small: limit.token), with: limit.exception)
  }

  // MARK: What a solver sees

  /// Makes objects for constraints.
  func makeSolverConstraints(_ constraints: [ConstraintIR]) -> Value {
    let array = makeArray(count: constraints.count)
    let root = roots.count
    roots.append(Value(array))
    defer { dropRoots(to: root) }
    for (index, constraint) in constraints.enumerated() {
      array[element: index] = makeSolverConstraint(constraint)
    }
    return Value(array)
  }

  /// Makes the object for a constraint.
  ///
  /// Nothing is collected meanwhile: that happens at safepoints.
  func makeSolverConstraint(_ constraint: ConstraintIR) -> Value {
    let object = makeInstance(of: "SolverConstraint")
    // The number of the constraint goes to another one later; when the formula was declared does not.
    object[slot: 0] = Value(small: constraint.formulas.first?.order ?? 0)
    object[slot: 1] = makeArray(constraint.formulas.map { makeSolverFormula($0) })
    object[slot: 2] = makeArray(constraint.cells.map { makeSolverCell($0) })
    object[slot: 3] = constraint.isLinearOnly ? .true : .false
    return Value(object)
  }

  private func makeSolverFormula(_ formula: FormulaIR) -> Value {
    let object = makeInstance(of: "SolverFormula")
    object[slot: 0] = Value(small: Int(formula.id.rawValue))
    object[slot: 1] = makeSolverCell(formula.output)
    object[slot: 2] = makeArray(formula.inputs.map { makeSolverCell($0) })
    object[slot: 3] = makeString(formula.text)
    return Value(object)
  }

  private func makeSolverCell(_ cell: CellID) -> Value {
    let object = makeInstance(of: "SolverCell")
    object[slot: 0] = Value(small: Int(cell.rawValue))
    return Value(object)
  }

  /// Makes the object for a turn.
  func makeSolverTurn(_ turn: ScriptTurn) -> Value {
    let object = makeInstance(of: "SolverTurn")
    connections.turnCount += 1
    turn.number = connections.turnCount
    object[slot: 0] = Value(small: connections.turnCount)
    let known = Set(turn.transaction.changed.filter { turn.solver.knows($0) })
    var told: Set<CellID> = []
    object[slot: 1] = makeArray(
      turn.transaction.changed.filter { known.contains($0) && told.insert($0).inserted }
        .map { makeSolverCell($0) })
    let formulas = turn.solver.constraints.flatMap(\.formulas)
    object[slot: 2] = makeArray(
      turn.transaction.forced.compactMap { id in formulas.first { $0.id == id } }
        .map { makeSolverFormula($0) })
    return Value(object)
  }

  /// The names of the program's own solvers, cheapest first, equally cheap ones by name.
  var registeredSolverNames: [String] {
    connections.registeredSolvers.sorted { ($0.value.cost, $0.key) < ($1.value.cost, $1.key) }.map(
      \.key)
  }

  /// What a solver that is being registered says of its cost.
  ///
  /// - Throws: a failure when that is no number from 0.
  func declaredCost(of prototype: Value) throws(Failure) -> Double {
    let outcome = withErrorsCaught {
      let solver =
        solverClass(of: prototype) == nil ? prototype : send(selector("new"), to: prototype)
      if solver.isUnwind { return solver }
      let root = roots.count
      roots.append(solver)
      defer { dropRoots(to: root) }
      return send(selector("cost"), to: solver)
    }
    switch outcome {
    case .value(let value):
      guard let number = solverNumber(value), number >= .zero else {
        throw .invalidArgument("a number from 0 as the cost of a solver", found: describe(value))
      }
      return number.double
    case .failed(let failure): throw failure
    case .unwound:
      graph.isUnwinding = true
      throw .interrupted()
    }
  }

  /// Whether an object is a solver of the language.
  func isSolver(_ value: Value) -> Bool {
    classInfo(of: value).inherits(from: kernelClass("Solver"))
  }

  /// The class that a value is, if its instances are solvers.
  func solverClass(of value: Value) -> ClassInfo? {
    let info = classInfo(of: value)
    guard info.isMeta, let known = unsafe info.thisClass,
      known.inherits(from: kernelClass("Solver"))
    else { return nil }
    return known
  }

  /// What a program means by a solver: a name, an object or a class.
  func requestedSolver(_ value: Value) throws(Failure) -> RequestedSolver {
    if let name = text(value) { return try solver(named: name) }
    if let info = solverClass(of: value) {
      return RequestedSolver(name: info.name, native: nil, prototype: value)
    }
    guard isSolver(value) else {
      throw .invalidArgument("a solver or the name of one", found: describe(value))
    }
    var name = classInfo(of: value).name
    if case .value(let answer) = withErrorsCaught({ send(selector("name"), to: value) }) {
      name = text(answer) ?? name
    }
    if classInfo(of: value).name == "NativeSolver" { return try solver(named: name) }
    return RequestedSolver(name: name, native: nil, prototype: value)
  }

  func solver(named name: String) throws(Failure) -> RequestedSolver {
    if let solver = connections.registeredSolvers[name] {
      return RequestedSolver(name: name, native: nil, prototype: solver.prototype)
    }
    guard let native = graph.solvers.first(where: { $0.name == name }) else {
      throw .noSuchSolver(name, solverNames)
    }
    return RequestedSolver(name: name, native: native, prototype: .nil)
  }

  /// The names of all solvers: those that ship and those of the program, each cheapest first.
  var solverNames: [String] { graph.solvers.map { $0.name } + registeredSolverNames }

  /// Refuses what changes connections while a solver is at work.
  func refuseInSolver() throws(Failure) {
    if let limit = connections.solverLimit { throw .connectingInSolver(limit.solver.title) }
  }

  /// Connections in the order in which they are taken into force, with the plans that they have then.
  private typealias Order = [(connection: Connection, plan: ConnectionSpec)]

  /// Takes a connection into force that closes a cycle through what equations take as constants, by having
  /// equations take less as constants, or more.
  ///
  /// - Returns: false when that is not what stands against it, or does not help; nothing has changed then
  ///   but that the formulas of the connection are gone.
  ///
  /// `contradiction`: what has turned out to contradict the connection, if that is why.
  func establishOtherwise(
    _ connection: Connection, _ plan: ConnectionSpec, _ contradiction: inout Failure?
  ) -> Bool {
    guard connection.status == .active, !graph.isSettling, graph.runningNumber < 0,
      !graph.isUnwinding, !graph.isReplanning
    else { return false }
    // What a formula of the connection's own has come to is gone when the first has been tried.
    let sums = solvingAsSums(around: connection, plan)
    let orders = [
      solvingForFrozen(of: connection, plan), freezingReads(of: connection, plan), sums,
    ]
    for order in orders.compactMap({ $0 }) {
      do throws(Failure) {
        try graph.keepingCells { () throws(Failure) in try establish(order, for: connection) }
      } catch {
        if error.isContradiction { contradiction = error }
        continue
      }
      let concerned = Set(order.map(\.connection.id))
      graph.frozenConnections.removeAll { concerned.contains($0) }
      graph.frozenConnections += order.filter { $0.plan.linear?.frozen.isEmpty == false }.map(
        \.connection.id)
      return true
    }
    return false
  }

  /// The order in which equations solve for what they have taken as constants and a connection would have
  /// solved for; nil where there is none of that.
  private func solvingForFrozen(of connection: Connection, _ plan: ConnectionSpec) -> Order? {
    if graph.frozenConnections.isEmpty { return nil }
    let cells = Set(connection.formulas.flatMap(\.variables))
    let freed = graph.freezing(cells, but: connection).compactMap { each in
      each.plan.map { plan in
        var plan = plan
        plan.linear?.frozen = []
        return (connection: each, plan: plan)
      }
    }
    return freed.isEmpty ? nil : [(connection, plan)] + freed
  }

  /// The order in which formulas of several directions around a connection that are no sums by themselves,
  /// but are with what one-way connections determine as constants, are solved as sums with it; nil where
  /// there is none of them.
  private func solvingAsSums(around connection: Connection, _ plan: ConnectionSpec) -> Order? {
    let cells = Set(connection.formulas.flatMap(\.variables))
    let regions = cells.sorted().compactMap { graph[$0].region }.unique()
    var order: Order = [(connection, plan)]
    for constraint in regions.flatMap({ Array($0.constraints) }) {
      guard constraint.equation == nil, graph.linearForm(of: constraint) == nil else { continue }
      for other in constraint.formulas.map(\.connection).withoutRepetitions
      where other != connection {
        guard var changed = other.plan, let sum = changed.otherwise, changed.solver == nil,
          changed.requestedSolver == nil, other.observer == nil, other.tolerance == nil
        else { return nil }
        changed.linear = sum
        if !order.contains(where: { $0.connection == other }) { order.append((other, changed)) }
      }
    }
    return order.count > 1 ? order : nil
  }

  /// The order in which equations take as constants what messages in them read; nil where there is
  /// nothing of that.
  private func freezingReads(of connection: Connection, _ plan: ConnectionSpec) -> Order? {
    guard let affected = graph.freezing(for: connection.formulas) else { return nil }
    var order: Order = []
    for (each, cells) in affected {
      guard let known = each == connection ? plan : each.plan,
        let held = freezing(cells, in: known)
      else { return nil }
      order.append((each, held))
    }
    if !order.contains(where: { $0.connection == connection }) { order.append((connection, plan)) }
    // The last one is that which was refused.
    order.sort { $1.connection == connection && $0.connection != connection }
    return order
  }

  /// Takes a connection, and others with other plans than before, into force in an order: all or none.
  private func establish(_ order: Order, for connection: Connection) throws(Failure) {
    let plan = connection.plan
    let runs = order.map { graph.runs(of: $0.connection) }
    let satisfied = Set(order.map(\.connection).filter { state(of: $0) == "satisfied" })
    let old: Order = order.compactMap { each in
      each.connection == connection ? nil : each.connection.plan.map { (each.connection, $0) }
    }
    let root = roots.count
    defer { dropRoots(to: root) }
    // Getters run while some are not in force.
    for (_, known) in old { known.forEachValue { roots.append($0) } }
    graph.isReplanning = true
    defer { graph.isReplanning = false }
    graph.dissolve(connection)
    for (each, _) in old { graph.dissolve(each) }
    do throws(Failure) {
      for (each, changed) in order {
        each.plan = changed
        try establishAsItStands(each, changed)
        // What holds already need not follow.
        if each != connection { graph.scheduledFormulas.removeAll { $0.connection == each } }
      }
    } catch {
      for (each, _) in order { graph.dissolve(each) }
      connection.plan = plan
      graph.isGivingBack = true
      defer { graph.isGivingBack = false }
      for (each, known) in old {
        each.plan = known
        try? establishAsItStands(each, known)
        graph.scheduledFormulas.removeAll { $0.connection == each }
      }
      // What they say holds as it did, or has failed as it had.
      for ((each, _), before) in zip(order, runs) where each != connection {
        graph.giveBack(before, to: each)
        // A solver of sums need not have run any of its formulas.
        guard satisfied.contains(each), state(of: each) == "waiting" else { continue }
        for formula in each.formulas where formula.state == .waiting { formula.state = .satisfied }
      }
      throw error
    }
  }

  /// A plan in which some places count as constants; nil for one that is no equation of its own.
  func freezing(_ cells: Set<CellID>, in plan: ConnectionSpec) -> ConnectionSpec? {
    guard var linear = plan.linear else { return nil }
    for (index, leaf) in linear.leaves.enumerated() {
      guard let place = leaf.operand.flatMap({ aim($0.place).place }),
        let cell = graph.cellsByPlace[place], cells.contains(cell)
      else { continue }
      linear.frozen.insert(index)
    }
    var plan = plan
    plan.linear = linear
    return plan
  }

  /// Ends a connection, or suspends it, and has equations solve again for what they have taken as
  /// constants because of it.
  func end(_ connection: Connection, by ending: (Connection) -> Void) {
    guard !graph.frozenConnections.isEmpty, !graph.isSettling, connection.status == .active else {
      return ending(connection)
    }
    let holding = graph.freezing(becauseOf: connection)
    ending(connection)
    graph.frozenConnections.removeAll { number in
      holding.contains { $0.id == number } || graph.connections[Int(number)] == nil
    }
    var plans: [(connection: Connection, plan: ConnectionSpec)] = []
    for each in holding where each.status == .active {
      guard var plan = each.plan else { continue }
      plan.linear?.frozen = []
      plans.append((each, plan))
    }
    let root = roots.count
    defer { dropRoots(to: root) }
    for (_, plan) in plans { plan.forEachValue { roots.append($0) } }
    graph.keepingCells {
      for (each, plan) in plans {
        graph.dissolve(each)
        each.plan = plan
      }
      for (each, plan) in plans {
        // What it says was in force with these, and can be again.
        try? establish(each, plan)
        graph.scheduledFormulas.removeAll { $0.connection == each }
      }
    }
  }
}
