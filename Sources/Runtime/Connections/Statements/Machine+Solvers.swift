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
    guard let native = graph.replanning.solvers.first(where: { $0.name == name }) else {
      throw .noSuchSolver(name, solverNames)
    }
    return RequestedSolver(name: name, native: native, prototype: .nil)
  }

  /// The names of all solvers: those that ship and those of the program, each cheapest first.
  var solverNames: [String] { graph.replanning.solvers.map { $0.name } + registeredSolverNames }

  /// Refuses what changes connections while a solver is at work.
  func refuseInSolver() throws(Failure) {
    if let limit = connections.solverLimit { throw .connectingInSolver(limit.solver.title) }
  }
}
