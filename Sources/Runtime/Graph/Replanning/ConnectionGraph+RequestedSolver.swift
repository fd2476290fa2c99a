internal import TenonSolverKit
internal import TenonLexer

// Connections whose solver the program has chosen: each is a constraint of its own, and those that
// share places form a region with that solver, whatever the directions.

/// The solver that keeps a connection as a constraint of its own.
struct RequestedSolver {
  let name: String
  /// One of those that are registered from Swift.
  let native: (any ConnectorSolver.Type)?
  /// Else an object of the language, or a class, of which each region gets an instance.
  let prototype: Value
  /// Whether nobody has chosen it: it costs less than what would keep the connection otherwise.
  var isPreference = false
}

extension ConnectionGraph {
  /// Whether a connection has a solver that would not be chosen for formulas of one direction.
  func hasRequestedSolver(_ connection: Connection) -> Bool {
    if connection.requestedSolver != nil { return true }
    guard let name = connection.solver else { return false }
    return name != replanning.solvers.first?.name
  }

  /// The constraint for a formula of a connection with a solver of its own: all its formulas are one.
  func requestedConstraint(for formula: Formula) -> Constraint {
    let known = formula.connection.formulas.lazy.compactMap(\.constraint).first {
      $0.hasRequestedSolver
    }
    if let known { return known }
    let constraint = makeConstraint(over: formula, cells: joinedCells(of: formula.connection))
    constraint.hasRequestedSolver = true
    return constraint
  }

  /// The cells by which a connection with a solver of the language belongs together with others, where
  /// these are not all of its cells.
  ///
  /// What it only reads, and what those of another solver only read, joins the two no more than any source
  /// joins the formulas of one direction that read it: its formulas hear of it as of what they read
  /// besides.
  private func joinedCells(of connection: Connection) -> [CellID]? {
    guard let requested = connection.requestedSolver else { return nil }
    let formulas = connection.formulas
    let written = Set(formulas.map(\.output))
    let cells = Set(formulas.flatMap(\.variables))
    let sources = cells.subtracting(written).filter { isOnlyRead($0, byOthersThan: requested) }
    if sources.isEmpty { return nil }
    for formula in formulas {
      formula.dynamicInputs = formula.staticInputs.filter { sources.contains($0) }
    }
    return cells.subtracting(sources).sorted()
  }

  /// Whether a cell is in a region of another solver that runs formulas, and none of them writes it.
  private func isOnlyRead(_ cell: CellID, byOthersThan requested: RequestedSolver) -> Bool {
    guard let region = self[cell].region, !region.solvesSums,
      !isKept(region, by: requested)
    else { return false }
    return region.constraints.allSatisfy { constraint in
      constraint.equation == nil && !constraint.formulas.contains { $0.output == cell }
    }
  }

  /// Refuses the only formula of a connection when its place is computed by another one already that
  /// has no other way.
  func refuseSecondFormula(_ constraint: Constraint) throws(Failure) {
    guard constraint.equation == nil, constraint.formulas.count == 1,
      let formula = constraint.formulas.first
    else { return }
    let cell = self[formula.output]
    if constraint.hasRequestedSolver, let owner = cell.owner {
      throw .determinedAlready(displayName(of: cell.id), by: owner.connection)
    }
    let other = cell.region?.constraints.first {
      $0 != constraint && $0.equation == nil && $0.formulas.count == 1
        && $0.formulas[0].output == formula.output
    }
    if let other {
      throw .determinedAlready(displayName(of: cell.id), by: other.formulas[0].connection)
    }
  }

  /// Whether a region's solver may keep another constraint.
  func isAccepted(_ constraint: Constraint, _ description: ConstraintIR, by region: Region) -> Bool
  {
    if let wanted = description.solver, wanted != region.solverName { return false }
    if let requested = constraint.formulas.first?.connection.chosenSolver {
      guard isKept(region, by: requested) else { return false }
    }
    if let preferred = constraint.preferredSolver, preferred != region.solverName { return false }
    if let script = region.solver as? ScriptSolver {
      if isForeignEquation(constraint, to: script.host?.prototype) { return false }
      let all = region.constraints.filter { $0 != constraint }.map { self.description(of: $0) }
      let wanted = RegionIR(constraints: all + [description], pinned: region.pinned)
      if case .yes = script.accept(wanted) { return true }
      return false
    }
    let solver = type(of: region.solver)
    if case .yes = solver.accept(RegionIR(constraints: [description], pinned: [])) { return true }
    return false
  }

  private func isKept(_ region: Region, by requested: RequestedSolver) -> Bool {
    if let native = requested.native { return type(of: region.solver) == native }
    guard let host = (region.solver as? ScriptSolver)?.host else { return false }
    return isSame(host.prototype, requested.prototype)
  }

  private func isSame(_ left: Value, _ right: Value) -> Bool {
    if left == right { return true }
    guard
      case .value(.true) = machine.withErrorsCaught({
        machine.send(machine.selector("="), to: left, right)
      })
    else { return false }
    return true
  }

  /// Makes the solver of the language that the program has chosen for some of the constraints that
  /// become a region; nil when it has chosen none.
  func makeChosenSolver(
    for region: RegionIR, of constraints: [Constraint]
  ) throws(Failure) -> (solver: any ConnectorSolver, name: String)? {
    let requested = constraints.compactMap { $0.formulas.first?.connection.chosenSolver }
    guard let first = requested.first else { return nil }
    for other in requested.dropFirst() where !isSame(first.prototype, other.prototype) {
      throw .severalSolvers([first.name, other.name])
    }
    if let equation = constraints.first(where: { isForeignEquation($0, to: first.prototype) }),
      let formula = equation.firstFormula
    {
      throw objection(
        of: first.name,
        [Refusal(formula.id, "it is no formula to run, and has not asked for this solver")])
    }
    let solver = try makeScriptSolver(first)
    switch solver.accept(region) {
    case .yes: return (solver, first.name)
    case .no(let refusals): throw objection(of: first.name, refusals)
    }
  }

  /// Whether a constraint is an equation or an inequality whose connection has not chosen the solver of
  /// the language that others have: it would be a constraint with a formula that cannot be run.
  private func isForeignEquation(_ constraint: Constraint, to prototype: Value?) -> Bool {
    guard constraint.equation != nil else { return false }
    guard let prototype, let own = constraint.firstFormula?.connection.chosenSolver?.prototype
    else {
      return true
    }
    return !isSame(own, prototype)
  }

  private func objection(of name: String, _ refusals: [Refusal]) -> Failure {
    .noSolver(
      refusals.prefix(1).map { refusal in
        let text = self[refusal.formula]?.connection.text ?? "a formula"
        return "\(name): \(text): \(refusal.reason)"
      })
  }

  func makeScriptSolver(_ requested: RequestedSolver) throws(Failure) -> ScriptSolver {
    let machine = self.machine
    let prototype = requested.prototype
    let isClass = machine.solverClass(of: prototype) != nil
    let outcome = machine.withErrorsCaught {
      machine.send(machine.selector(isClass ? "new" : "copy"), to: prototype)
    }
    switch outcome {
    case .value(let object) where machine.isSolver(object):
      return ScriptSolver(
        ScriptSolver.Host(
          machine: machine, object: object, name: requested.name, prototype: prototype))
    case .value(let object):
      throw .invalidArgument("a solver from the copy of one", found: machine.describe(object))
    case .failed(let failure): throw failure
    case .unwound:
      isUnwinding = true
      throw .interrupted()
    }
  }

  /// Stores what a solver computes itself.
  ///
  /// - Returns: Whether the cell has another value now.
  func set(_ cell: CellID, to value: Value, for id: FormulaID) throws(Failure) -> Bool {
    guard !isHalted, self[id] != nil else { return false }
    failing.isSolverSetting = true
    defer { failing.isSolverSetting = false }
    let hasChanged = store(value, in: cell.rawValue, by: id.rawValue, because: -1)
    if let failure = failing.solverFailure {
      failing.solverFailure = nil
      throw failure
    }
    return hasChanged
  }

  /// Has a connection kept by a solver of the program's choice from now on.
  ///
  /// - Throws: why not; a connection that was in force is then as it was, one that waited for its
  ///   solver has ended.
  func force(_ connection: Connection, _ solver: RequestedSolver) throws(Failure) {
    guard var plan = connection.plan, connection.status != .disconnected else { return }
    if let native = solver.native, connection.status == .active, connection.requestedSolver == nil,
      plan.solver == nil, name(ofSolverFor: connection) == native.name
    {
      return
    }
    plan.solver = solver.native?.name
    plan.requestedSolver = solver.native == nil ? solver : nil
    let wasHeld = connection.awaitsSolver
    if wasHeld {
      connection.awaitsSolver = false
      connection.status = .active
    }
    do throws(Failure) {
      try machine.establish(connection, anew: plan)
    } catch {
      if wasHeld { disconnect(connection) }
      throw error
    }
    if wasHeld { recordNewConnection(connection) }
  }

  /// The name of the solver that keeps a connection.
  func name(ofSolverFor connection: Connection) -> String? {
    guard let constraint = connection.formulas.first?.constraint else { return nil }
    if let region = constraint.region { return region.solverName }
    return constraint.level >= 0 ? type(of: levels[constraint.level].solver).name : nil
  }
}
