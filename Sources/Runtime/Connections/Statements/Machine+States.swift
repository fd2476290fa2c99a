internal import TenonTables

extension Machine {
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
  func unreadable(of connection: Connection) -> String? {
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

  /// Whether a connection of several directions stands back behind stronger ones.
  func isGivenUp(_ connection: Connection) -> Bool {
    guard connection.strength < .required,
      let constraint = connection.formulas.first?.constraint, constraint.equation == nil,
      let region = constraint.region
    else { return false }
    return !region.solver.keeps(constraint.id)
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
  func failure(of connection: Connection) -> String? {
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
