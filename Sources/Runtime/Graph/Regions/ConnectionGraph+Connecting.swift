internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

// The folder Regions: taking formulas into force and out of it: order, cycles, regions of several directions.
// The attempts after a refusal are in Replanning.

// Taking formulas into force and out of it, all or nothing.

/// The table of connections, and the statements that are being connected.
final class Connecting {
  let connectionTable = ConnectionTable()
  /// The number that the next connection gets, if it is free.
  var nextConnection = Int32(1)
  /// The number of connections that have come into force, and the number of the last one.
  var newConnectionCount = 0
  var lastNewConnection = 0
  var nextOrder: UInt32 = 1
  var batchDepth = 0
  /// The statement because of which the last batch failed.
  var batchBlockingPlace: TraceEntry?
  /// The position of the chain whose pairs are being connected, of which all come into force or none.
  var chain: SourceRange?
  /// The savepoint of the last settled pair of the chain.
  var chainMark = 0
  /// The nesting depth of `keepingCells`.
  var keepingDepth = 0
  /// Cells that may be freed when `keepingCells` has ended.
  var releasedLater: [CellID] = []
}

extension ConnectionGraph {
  /// Takes the formulas of a connection into force.
  ///
  /// At the start of a connection both ways the cell `origin` wins.
  ///
  /// - Throws: a failure that names the obstacle; nothing has changed then.
  func add(_ added: [Formula], origin: CellID?) throws(Failure) {
    if hasStaleCells { refreshPlaces(around: added) }
    // Getters that ran for that may have ended their connection.
    guard added.allSatisfy({ self[$0.id] == $0 }) else { return }
    let mayPrefer = !machine.connections.registeredSolvers.isEmpty
    if mayPrefer { try preferCheaperSolver(for: added) }
    try attempt({ () throws(Failure) in try takeAsSaid(added, origin: origin) }) { _ in
      [withoutSoftConstraints(added, origin: origin)]
        + (mayPrefer ? withoutPreferences(added, origin: origin) : [])
    }
    retryAwaitingInverse()
  }

  /// Takes formulas into force beside what is there; only soft constraints are retracted.
  func take(_ added: [Formula], origin: CellID?) throws(Failure) {
    try attempt({ () throws(Failure) in try takeAsSaid(added, origin: origin) }) { _ in
      [withoutSoftConstraints(added, origin: origin)]
    }
    retryAwaitingInverse()
  }

  /// Takes formulas into force with the solvers that their connections have or prefer.
  func takeAsSaid(_ added: [Formula], origin: CellID?) throws(Failure) {
    var joined: [Formula] = []
    var touched: [Constraint] = []
    do throws(Failure) {
      // A formula beside soft constraints is a constraint that other formulas do not join.
      let separate =
        standsBesideWishes(added) || standsBesideBothWays(added)
        ? added.first.map { makeConstraint(over: $0) } : nil
      for formula in added {
        let constraint = separate ?? constraint(for: formula, isOnly: added.count == 1)
        if !touched.contains(constraint) { touched.append(constraint) }
        if let other = constraint.formulas.first(where: { $0.output == formula.output }) {
          throw .determinedAlready(displayName(of: formula.output), by: other.connection)
        }
        if formula.inputs.contains(formula.output), !constraint.hasRequestedSolver {
          throw cycle([formula.output], through: [formula])
        }
        constraint.append(formula)
        formula.constraint = constraint
        joined.append(formula)
      }
      for constraint in touched { try enforce(constraint, new: added, origin: origin) }
    } catch {
      joined.reversed().forEach { withdraw($0) }
      touched.forEach { discard($0) }
      throw error
    }
  }

  /// Returns whether another connection determines one of the formulas' outputs over the same places, and
  /// one of the two is a soft constraint: each is a constraint of its own then.
  private func standsBesideWishes(_ added: [Formula]) -> Bool {
    added.contains { formula in
      guard formula.equation == nil, let others = joinableConstraint(for: formula)?.formulas
      else {
        return false
      }
      return others.contains { other in
        other.output == formula.output
          && min(other.connection.strength, formula.connection.strength) < .required
      }
    }
  }

  /// Returns whether formulas would be further directions of a connection both ways over the same
  /// places, or would get some themselves: such a connection has all of its directions, and others say
  /// something else.
  private func standsBesideBothWays(_ added: [Formula]) -> Bool {
    guard let first = added.first, first.equation == nil, !hasRequestedSolver(first.connection),
      let others = tables.constraintTable.find(first)?.formulas, let other = others.first,
      added.count > 1 || other.connection.onlyFormula == nil
    else { return false }
    return !others.contains { other in added.contains { $0.output == other.output } }
  }

  private func enforce(
    _ constraint: Constraint, new: [Formula], origin: CellID?
  ) throws(Failure) {
    try refuseSecondFormula(constraint)
    if constraint.isMultiWay || constraint.hasRequestedSolver {
      try enforceMultiWay(constraint, new: new, origin: origin)
    } else if let formula = constraint.formulas.first {
      try enforceOneWay(constraint, formula)
    }
  }

  /// Removes a formula from its constraint, as if it had never been.
  func withdraw(_ formula: Formula) {
    guard let constraint = formula.constraint else { return }
    formula.constraint = nil
    forgetYielded(constraint)
    if constraint.isAwaitingInverse, constraint.formulas.count == 1 {
      replanning.awaitingInverse.removeAll { $0 == constraint }
      constraint.isAwaitingInverse = false
    }
    if constraint.isMultiWay || constraint.hasRequestedSolver {
      unlinkDynamicInputs(of: formula)
      constraint.remove(formula)
      leave(constraint)
    } else {
      if constraint.level >= 0 { release(constraint, formula) }
      constraint.remove(formula)
    }
    discard(constraint)
  }

  // MARK: Batches

  /// Begins statements that are looked at together: a formula may stand before its inverse.
  func beginBatch() { connecting.batchDepth += 1 }

  /// Ends a batch.
  ///
  /// - Throws: a failure for the first formula whose cell another one determines, or that closes a cycle.
  func endBatch() throws(Failure) {
    connecting.batchDepth -= 1
    guard connecting.batchDepth == 0, !replanning.awaitingInverse.isEmpty else { return }
    var waiting = replanning.awaitingInverse
    replanning.awaitingInverse = []
    for constraint in waiting { constraint.isAwaitingInverse = false }
    // A constraint that comes into force may be the one that another needs.
    var refusals: [Failure] = []
    repeat {
      let count = waiting.count
      refusals = []
      waiting = waiting.filter { constraint in
        do throws(Failure) {
          try enforce(constraint, new: constraint.formulas, origin: nil)
          return false
        } catch {
          refusals.append(error)
          return true
        }
      }
      if waiting.count == count { break }
    } while !waiting.isEmpty
    for constraint in waiting { refuse(constraint) }
    if let first = refusals.first { throw first }
  }

  /// Ends connections of a constraint, the last ones first, until the rest can be in force.
  private func refuse(_ constraint: Constraint) {
    while let last = constraint.formulas.last {
      if connecting.batchBlockingPlace == nil {
        connecting.batchBlockingPlace = last.connection.site
      }
      let others = constraint.formulas.dropLast()
      disconnect(last.connection)
      guard !others.isEmpty else { return }
      do throws(Failure) { return try enforce(constraint, new: Array(others), origin: nil) } catch {
      }
    }
  }

  /// The number of constraints that are tried again with each new formula.
  private static let retryLimit = 16

  /// Takes contested constraints into force that can be now.
  func retryAwaitingInverse() {
    for constraint in replanning.awaitingInverse.prefix(ConnectionGraph.retryLimit) {
      guard let formula = constraint.firstFormula,
        constraint.isMultiWay || !self[formula.output].hasOwner
      else { continue }
      if !constraint.isMultiWay {
        replanning.awaitingInverse.removeAll { $0 == constraint }
        constraint.isAwaitingInverse = false
      }
      // The remaining obstacles are reported when the batch ends.
      do throws(Failure) {
        try enforce(constraint, new: constraint.formulas.suffix(1), origin: nil)
      } catch {
        guard !constraint.isAwaitingInverse else { continue }
        contest(constraint)
      }
    }
  }

  /// Makes a constraint wait for formulas that the statements that follow may add to it, or to a
  /// constraint that it conflicts with.
  func contest(_ constraint: Constraint) {
    constraint.isAwaitingInverse = true
    replanning.awaitingInverse.append(constraint)
  }
}

extension ConnectionGraph {
  // MARK: Removing

  /// Takes the formulas of a connection out of force and releases their cells.
  func dissolve(_ connection: Connection) {
    if connection.status != .disconnected { connection.materialize() }
    let formulas = connection.formulas
    if !replanning.redundant.isEmpty { removeRedundant(connection, formulas) }
    connection.removeFormulas()
    var used: [CellID] = []
    withdrawTogether(formulas)
    for formula in formulas {
      withdraw(formula)
      scheduledFormulas.removeAll { $0 == formula }
      used += formula.inputs + [formula.output]
      free(formula)
    }
    unwatchPath(of: connection)
    if !recordsWhileSuspended(connection) { unwatch(connection) }
    markRoom()
    release(used)
  }
}

// MARK: - Solvers

extension ConnectionGraph {
  /// Makes a solver for formulas of one direction that is given more of them unasked: one that ships
  /// if any accepts.
  ///
  /// - Throws: a failure with the objections of every solver.
  func makeSolver(
    for region: RegionIR
  ) throws(Failure) -> (solver: any ConnectorSolver, name: String) {
    var objections: [String] = []
    for solver in replanning.solvers {
      switch solver.accept(region) {
      case .yes: return (solver.init(), solver.name)
      case .no(let refusals):
        objections += objection(in: refusals, of: solver.name)
      }
    }
    for name in machine.registeredSolverNames {
      if let own = try makeRegisteredSolver(name, for: region, &objections) { return own }
    }
    throw .noSolver(objections)
  }

  func describe(_ formula: FormulaID) -> String {
    self[formula]?.connection.text ?? "a formula"
  }

  /// Returns the failure for a conflict that a solver reports.
  func conflict(_ conflict: SolverConflict, about formula: Formula?) -> Failure {
    let formulas = conflict.formulas.compactMap { self[$0] }
    switch conflict.kind {
    case .cycle: return cycle(formulas.map(\.output), through: formulas)
    case .overdetermined:
      guard let formula = formula ?? formulas.first else { return .noSolver([]) }
      let others = formulas.map(\.connection).filter { $0 != formula.connection }.withoutRepetitions
      return .overdetermined(displayName(of: formula.output), by: others)
    case .unsatisfiable:
      return .unsatisfiable(
        formulas.map(\.connection).withoutRepetitions,
        (conflict.cells + constantsWritten(in: formulas)).withoutRepetitions.map { cell in
          let value = machine.describe(machine.currentValue(of: cell) ?? .nil)
          // The value comes from a formula that another solver keeps, if the cell was not written since.
          let owner = self[cell].owner.flatMap { cause(of: cell).formula == $0.id ? $0 : nil }
          return "'\(displayName(of: cell)) = \(value)'" + Failure.by(owner?.connection)
        }.withoutRepetitions)
    case .noNumber:
      guard let cell = conflict.cells.first else { return .noSolver([]) }
      // The statements that make up a view are not the program's.
      let said = formulas.first { $0.connection.statement.origin != .kernel }
      replanning.blockingPlace = self[cell].place
      return .noNumber(
        displayName(of: cell), machine.describe(machine.currentValue(of: cell) ?? .nil), said)
    case .unsupported(let reason):
      let text = formulas.first.map { "'\($0.connection.text)': " } ?? ""
      let names = conflict.cells.map { "'\(displayName(of: $0))'" }.joined(separator: ", ")
      return .unsupportedBySolver(text + reason + (names.isEmpty ? "" : ": \(names)"))
    case .interrupted: return .interrupted()
    case .failed(let message): return .failedSolver(message)
    }
  }
}
