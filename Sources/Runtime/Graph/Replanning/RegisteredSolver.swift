internal import TenonSolverKit
internal import TenonTables

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
    guard hasRequestedSolver, let requested = formulas.first?.connection.requestedSolver,
      requested.isPreference
    else {
      return nil
    }
    return requested.name
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

extension ConnectionGraph {
  /// All solvers in the order in which they are asked: the cheapest first, of equally cheap ones those
  /// that ship.
  var solverCandidates: [SolverCandidate] {
    var candidates: [SolverCandidate] = []
    var names = machine.registeredSolverNames[...]
    for solver in replanning.solvers {
      while let name = names.first, let own = machine.connections.registeredSolvers[name],
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
    guard let known = machine.connections.registeredSolvers[name] else { return nil }
    let solver = try makeScriptSolver(
      RequestedSolver(name: name, native: nil, prototype: known.prototype))
    switch solver.accept(region) {
    case .yes: return (solver, name)
    case .no(let refusals):
      objections += refusals.prefix(1).map { "\(name): \($0.reason)" }
      return nil
    }
  }

  /// The alternatives to taking formulas into force with the solvers that connections prefer: their own
  /// preference is given up, then those beside them, so that none ever makes a statement refused that holds
  /// without it.
  func withoutPreferences(_ added: [Formula], origin: CellID?) -> [Alternative] {
    guard let own = added.first?.connection else { return [] }
    let isPreferring = own.requestedSolver?.isPreference == true
    let alone = Alternative(
      prepare: { [self] refusal in
        guard isPreferring, refusal.errorClass == .constraintError else { return false }
        giveUpPreference(of: own)
        return true
      },
      attempt: { [self] () throws(Failure) in try take(added, origin: origin) },
      restore: { own.hasNoPreference = false },
      // What is refused is so for what it says itself, whatever it would have preferred.
      tellsMore: { _ in true })
    var preferring: [Preferring] = []
    var formulas: [Formula] = []
    let together = Alternative(
      prepare: { [self] refusal in
        // What is determined already is so with other solvers, too.
        guard refusal.concernsSolvers else { return false }
        let cells = Set(added.flatMap(\.variables)).sorted()
        let constraints = cells.compactMap { self[$0].region }.unique().flatMap(\.constraints)
        formulas = constraints.flatMap(\.formulas)
        preferring = constraints.filter { $0.preferredSolver != nil }
          .compactMap { $0.formulas.first?.connection }.withoutRepetitions
          .map { Preferring(connection: $0, solver: $0.requestedSolver) }
        return !preferring.isEmpty
      },
      attempt: { [self] () throws(Failure) in
        // Each alone might stand against the others.
        withdrawAll(of: preferring)
        for each in preferring { giveUpPreference(of: each.connection) }
        for each in preferring { try take(each.connection.formulas, origin: nil) }
        try take(added, origin: origin)
        if isPreferring { own.hasNoPreference = true }
      },
      restore: { [self] in restore(preferring, inOrderOf: formulas) })
    return [alone, together]
  }

  private func giveUpPreference(of connection: Connection) {
    connection.requestedSolver = nil
    connection.hasNoPreference = true
  }

  private func withdrawAll(of preferring: [Preferring]) {
    leaveTogether {
      for each in preferring { each.connection.formulas.reversed().forEach { withdraw($0) } }
    }
  }

  /// A connection with the solver that it prefers.
  private struct Preferring {
    let connection: Connection
    let solver: RequestedSolver?
  }

  /// Has connections kept by the solvers that they prefer, as they were.
  ///
  /// - Parameters:
  ///   - preferring: The connections.
  ///   - formulas: Those of their regions in the order in which the solvers had them: one of the
  ///     language may go by it.
  private func restore(_ preferring: [Preferring], inOrderOf formulas: [Formula]) {
    withdrawAll(of: preferring)
    for each in preferring {
      let connection = each.connection
      connection.requestedSolver = each.solver
      connection.hasNoPreference = false
      do throws(Failure) { try take(connection.formulas, origin: nil) } catch {
        // Its solver is of the language, and may refuse today what it took yesterday.
        giveUpPreference(of: connection)
        try? take(connection.formulas, origin: nil)
      }
    }
    var positions: [FormulaID: Int] = [:]
    for (position, formula) in formulas.enumerated() { positions[formula.id] = position }
    let regions = preferring.compactMap { $0.connection.formulas.first?.constraint?.region }
    for region in regions.unique() {
      sort(region) { $0.formulas.first.flatMap { positions[$0.id] } ?? .max }
    }
  }

  /// Has formulas kept by a solver of the program's own that says it is cheaper than what would keep
  /// formulas of one direction, if there is one and it accepts them.
  func preferCheaperSolver(for formulas: [Formula]) throws(Failure) {
    guard !machine.connections.registeredSolvers.isEmpty,
      let connection = formulas.first?.connection,
      connection.requestedSolver == nil, connection.solver == nil, !connection.hasNoPreference,
      formulas[0].equation == nil
    else { return }
    let limit = Double(replanning.solvers.first?.cost ?? 0)
    let cells = Set(formulas.flatMap(\.variables)).sorted()
    let described = ConstraintIR(
      id: ConstraintID(Int32(clamping: tables.constraintRecords.count)), cells: cells,
      formulas: formulas.map { formula in
        FormulaIR(
          id: formula.id, output: formula.output, inputs: formula.staticInputs,
          order: formula.order, text: connection.text)
      })
    let region = RegionIR(constraints: [described], pinned: [])
    var objections: [String] = []
    for name in machine.registeredSolverNames {
      guard let known = machine.connections.registeredSolvers[name], known.cost < limit else {
        return
      }
      if try makeRegisteredSolver(name, for: region, &objections) != nil {
        connection.requestedSolver = RequestedSolver(
          name: name, native: nil, prototype: known.prototype, isPreference: true)
        return
      }
    }
  }
}
