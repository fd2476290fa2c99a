internal import TenonSolverKit
internal import TenonTables

// Equalities that follow from others: `a =|= b. b =|= a.`, or the third one around a triangle. No solver
// that runs formulas could keep one more of them, and none has to. Such a connection has no formulas as
// long as the others are in force, and is made anew when one of them ends.

extension ConnectionGraph {
  /// Returns whether two places are equal by connections that are in force.
  ///
  /// - Complexity: O(1) for places of different regions, else O(constraints of the region).
  func areEqualAlready(_ left: CellID, _ right: CellID) -> Bool {
    guard left != right, let region = self[left].region, self[right].region === region,
      type(of: region.solver).choosesFormulas
    else { return false }
    var partners: [CellID: [CellID]] = [:]
    for constraint in region.constraints {
      guard let (one, other) = equality(of: constraint) else { continue }
      partners[one, default: []].append(other)
      partners[other, default: []].append(one)
    }
    var met: Set<CellID> = [left]
    var stack = [left]
    while let cell = stack.popLast() {
      for partner in partners[cell] ?? [] where met.insert(partner).inserted {
        if partner == right { return true }
        stack.append(partner)
      }
    }
    return false
  }

  /// Returns the two places that a constraint keeps equal at once and to the last bit; nil for any other.
  func equality(of constraint: Constraint) -> (CellID, CellID)? {
    let formulas = constraint.formulas
    guard formulas.count >= 2, formulas.allSatisfy({ $0.isPlainCopy }) else { return nil }
    let (one, other) = (formulas[0].output, formulas[1].output)
    return one == other ? nil : (one, other)
  }

  /// Records that an equality follows from others.
  func addRedundant(_ connection: Connection, _ left: CellID, _ right: CellID) {
    replanning.redundant[connection] = (left, right)
  }

  /// Removes a connection that has come out of force: where it was an equality, those that follow from some
  /// are made anew.
  func removeRedundant(_ connection: Connection, _ formulas: [Formula]) {
    replanning.redundant[connection] = nil
    guard formulas.contains(where: \.isPlainCopy) else { return }
    let others = replanning.redundant.keys.filter { !watchers.retargeted.contains($0) }
    watchers.retargeted += others.sorted { $0.number < $1.number }
  }
}

extension Formula {
  /// Whether it is one direction of a connection that keeps two places equal at once.
  fileprivate var isPlainCopy: Bool {
    guard case .copy = source else { return false }
    let connection = connection
    return connection.observer == nil && connection.tolerance == nil
      && connection.requestedSolver == nil
      && connection.strength == .required && connection.onlyFormula == nil && !isDeferred
  }
}
