// Solvers that a program has registered, among those that ship: the cheapest that accepts wins.

/// A solver of the program's own, under a name.
struct RegisteredSolver {
  /// An instance or a class.
  let prototype: Value
  /// What a formula costs with it, in nanoseconds, roughly, as the solver says itself.
  let cost: Double
}

extension Constraint {
  /// The name of the solver that keeps it because that costs less; nil when it has none.
  var preferredSolver: String? {
    guard isForced, let forced = formulas.first?.connection.forced, forced.isPreference else {
      return nil
    }
    return forced.name
  }
}

/// A solver that may be asked.
enum SolverCandidate {
  case native(any ConnectorSolver.Type)
  case registered(String)

  var name: String {
    switch self {
    case .native(let solver): solver.name
    case .registered(let name): name
    }
  }
}

extension Machine {
  /// The names of the program's own solvers, cheapest first, equally cheap ones by name.
  var registeredSolverNames: [String] {
    registeredSolvers.sorted { ($0.value.cost, $0.key) < ($1.value.cost, $1.key) }.map(\.key)
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
      defer { roots.removeLast(roots.count - root) }
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
}

extension ConnectionGraph {
  /// All solvers in the order in which they are asked: the cheapest first, of equally cheap ones those
  /// that ship.
  var solverCandidates: [SolverCandidate] {
    var candidates: [SolverCandidate] = []
    var names = machine.registeredSolverNames[...]
    for solver in solvers {
      while let name = names.first, let own = machine.registeredSolvers[name],
        own.cost < Double(solver.cost)
      {
        candidates.append(.registered(name))
        names = names.dropFirst()
      }
      candidates.append(.native(solver))
    }
    return candidates + names.map { .registered($0) }
  }

  /// Makes a solver of the program's own for a region if it accepts it; adds to the objections why not.
  func makeRegisteredSolver(
    _ name: String, for region: RegionIR, _ objections: inout [String]
  ) throws(Failure) -> (solver: any ConnectorSolver, name: String)? {
    guard let known = machine.registeredSolvers[name] else { return nil }
    let solver = try makeScriptSolver(
      ForcedSolver(name: name, native: nil, prototype: known.prototype))
    switch solver.accept(region) {
    case .yes: return (solver, name)
    case .no(let refusals):
      objections += refusals.prefix(1).map { "\(name): \($0.reason)" }
      return nil
    }
  }

  /// Takes formulas into force; a preference that stands against it is given up, so that none ever
  /// makes a statement refused that holds without it.
  func takeAsPreferred(_ added: [Formula], origin: CellID?) throws(Failure) {
    try preferCheaperSolver(for: added)
    do throws(Failure) {
      try take(added, origin: origin)
    } catch {
      guard let own = added.first?.connection else { throw error }
      if own.forced?.isPreference == true {
        own.hasNoPreference = true
        own.forced = nil
        return try takeAsPreferred(added, origin: origin)
      }
      let cells = Set(added.flatMap(\.variables)).sorted()
      let others = cells.compactMap { self[$0].region }.unique().flatMap(\.constraints)
        .filter { $0.preferredSolver != nil }.compactMap { $0.formulas.first?.connection }.unique()
      if others.isEmpty { throw error }
      for other in others { try giveUpPreference(of: other) }
      do throws(Failure) {
        try take(added, origin: origin)
      } catch {
        // It was not the preferences that stood against it.
        for other in others {
          let formulas = other.formulas
          formulas.reversed().forEach { withdraw($0) }
          other.hasNoPreference = false
          try takeAsPreferred(formulas, origin: nil)
        }
        throw error
      }
    }
  }

  /// Has a connection kept as it would be if no registered solver cost less.
  private func giveUpPreference(of connection: Connection) throws(Failure) {
    let formulas = connection.formulas
    let preferred = connection.forced
    formulas.reversed().forEach { withdraw($0) }
    connection.forced = nil
    do throws(Failure) {
      try take(formulas, origin: nil)
      connection.hasNoPreference = true
    } catch {
      connection.forced = preferred
      try take(formulas, origin: nil)
      throw error
    }
  }

  /// Has formulas kept by a solver of the program's own that says it is cheaper than what would keep
  /// formulas of one direction, if there is one and it accepts them.
  func preferCheaperSolver(for formulas: [Formula]) throws(Failure) {
    guard !machine.registeredSolvers.isEmpty, let connection = formulas.first?.connection,
      connection.forced == nil, connection.solver == nil, !connection.hasNoPreference,
      formulas[0].equation == nil
    else { return }
    let limit = Double(solvers.first?.cost ?? 0)
    let cells = Set(formulas.flatMap(\.variables)).sorted()
    let described = ConstraintIR(
      id: ConstraintID(nextConstraint), cells: cells,
      formulas: formulas.map { formula in
        FormulaIR(
          id: formula.id, output: formula.output, inputs: formula.staticInputs,
          order: formula.order, text: connection.text)
      })
    let region = RegionIR(constraints: [described], pinned: [])
    var objections: [String] = []
    for name in machine.registeredSolverNames {
      guard let known = machine.registeredSolvers[name], known.cost < limit else { return }
      if try makeRegisteredSolver(name, for: region, &objections) != nil {
        connection.forced = ForcedSolver(
          name: name, native: nil, prototype: known.prototype, isPreference: true)
        return
      }
    }
  }
}
