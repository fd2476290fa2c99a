internal import TenonSolverKit

// Strengths and changes of connections, and the states of equations and inequalities.

extension Strength {
  /// The name in programs.
  var name: String {
    switch self {
    case .weak: "weak"
    case .medium: "medium"
    case .strong: "strong"
    case .required: "required"
    }
  }
}

extension Machine {
  /// Returns the strength that a program names.
  func strength(_ value: Value) throws(Failure) -> Strength {
    let known = Strength.allCases.reversed()
    if isString(value), let name = text(value),
      let strength = known.first(where: { $0.name == name })
    {
      return strength
    }
    throw .invalidArgument(
      known.map { "#\($0.name)" }.joined(separator: ", "), found: describe(value))
  }

  /// Makes a connection anew with another strength or solver.
  ///
  /// - Throws: a failure when that is not possible; the connection is then as before.
  func change(
    _ connection: Connection, answering receiver: Value,
    by body: (Connection) throws(Failure) -> Void
  ) throws(Failure) -> Value {
    let old = connection.awaitsSolver ? nil : connection.plan
    let runs = graph.runs(of: connection)
    do throws(Failure) { try body(connection) } catch {
      if connection.awaitsSolver { graph.disconnect(connection) }
      try settleAfter(error)
      return .unwind
    }
    guard connection.status == .active else { return receiver }
    return settle(connection, insteadOf: old, runs, answering: receiver)
  }

  /// Settles after a connection has got another specification; when that fails, it gets its old one back,
  /// if that had been in force.
  ///
  /// `runs`: those of its formulas with the old specification.
  ///
  /// - Returns: the answer, or `unwind`.
  private func settle(
    _ connection: Connection, insteadOf old: ConnectionSpec?, _ runs: [FormulaRuns],
    answering value: Value
  ) -> Value {
    if graph.isSettling || graph.atomicDepth > 0 { return value }
    do throws(Failure) {
      try graph.settle()
    } catch {
      // The values of the old specification have been restored.
      if let old {
        try? establish(connection, anew: old)
        graph.takeUp(runs, in: connection, isUpToDate: false)
        try? graph.settle()
      }
      return signal(error)
    }
    return settleGraph(answering: value)
  }

  /// Settles after a connection could not get another specification: it has its old one, and some of its
  /// formulas may have to run for that.
  ///
  /// - Throws: the refusal; it returns where a program is being unwound.
  private func settleAfter(_ refusal: Failure) throws(Failure) {
    if !graph.isUnwinding, !graph.isSettling, graph.atomicDepth == 0 { try? graph.settle() }
    guard graph.isUnwinding else { throw refusal }
    graph.isUnwinding = false
  }

  /// Returns by how much the equation or the inequality of a connection does not hold, or a soft constraint
  /// of formulas; nil for any other connection, for a soft constraint whose formula is no sum of places, and
  /// as long as a place holds no number.
  func violation(of connection: Connection) -> SolverNumber? {
    let formulas = connection.formulas
    if let equation = formulas.first?.equation {
      return amount(by: equation.relation, equation.form)
    }
    guard connection.strength < .required,
      let formula = formulas.first(where: { !$0.isInverse }), let form = formula.linear
    else { return nil }
    let rest = Set(formula.variables).subtracting(form.cells)
    guard rest.allSatisfy({ holdsObject(of: form.cells, $0) }) else { return nil }
    return amount(by: .equal, form)
  }

  /// Returns whether a place holds an object of which some place is a part, like the list of an element.
  private func holdsObject(of parts: [CellID], _ cell: CellID) -> Bool {
    guard let object = currentValue(of: cell), object.isObject else { return false }
    return parts.contains { graph[$0].place.object == object }
  }

  /// Returns whether a soft constraint of formulas that is not in force holds all the same; false where that
  /// needs the run of a formula.
  func holds(_ connection: Connection) -> Bool {
    if let violation = violation(of: connection) { return violation.isZero }
    guard let formula = connection.formulas.first, case .copy(let source) = formula.source,
      let left = currentValue(of: formula.output), let right = currentValue(of: source)
    else { return false }
    return isUnchanged(left, right)
  }

  /// Returns by how much a sum does not hold; nil as long as a place holds no number.
  private func amount(by relation: Relation, _ form: LinearForm) -> SolverNumber? {
    var sum = SolverNumber.zero
    var size = SolverNumber.zero
    var unit = 1.0
    for term in form.terms {
      var product = term.number
      for cell in term.factors {
        guard let value = graph.number(of: cell), value.isFinite else { return nil }
        product = product * value
      }
      for cell in term.divisors {
        guard let value = graph.number(of: cell), value.isFinite, !value.isZero else { return nil }
        product = product / value
      }
      if let cell = term.cell {
        guard let value = graph.number(of: cell), value.isFinite else { return nil }
        if !product.isZero { unit = min(unit, product.magnitude.double) }
        product = product * value
      }
      sum = sum + product
      size = max(size, product.magnitude)
    }
    switch relation {
    case .atLeast where !sum.isNegative, .atMost where sum.isNegative || sum.isZero: return .zero
    default: break
    }
    let isRounding = !sum.isExact && sum.magnitude.double <= 1e-9 * max(unit, size.double)
    return isRounding ? .zero : sum.magnitude
  }

  /// Returns the places of an equality, if a formula says no more than that two are equal.
  private func placesMadeEqual(by formula: Formula) -> (CellID, CellID)? {
    if case .copy(let source) = formula.source { return (source, formula.output) }
    // A sum with a number is none, even if it equals the other place: '1 * x + 0'.
    guard let equation = formula.equation, formula.connection.plan?.other != nil else { return nil }
    let terms = equation.form.terms
    guard terms.count == 2, let one = terms[0].cell, let other = terms[1].cell else { return nil }
    return (one, other)
  }

  /// Returns the state of a connection that is kept as a sum: an equation, an inequality, or formulas of a
  /// region that is solved as a whole, so that none of them runs; nil for any other.
  func equationState(of connection: Connection) -> String? {
    guard let formula = connection.formulas.first else { return nil }
    let violation: SolverNumber?
    if let equation = formula.equation {
      violation = amount(by: equation.relation, equation.form)
    } else if let constraint = formula.constraint, constraint.region?.solvesSums ?? false,
      let form = graph.linearForm(of: constraint)
    {
      violation = amount(by: .equal, form)
    } else {
      return nil
    }
    guard let violation else {
      // Two places that are to be equal are so while both are empty.
      guard let (one, other) = placesMadeEqual(by: formula), isMissing(one), isMissing(other) else {
        return "waiting"
      }
      return "satisfied"
    }
    // A constant that it has computed itself may be from values that are gone.
    for cell in formula.equation?.form.constants ?? [] {
      guard let owner = graph.owner(of: cell), owner.connection == connection else { continue }
      if owner.inputs.contains(where: { isMissing($0) }) { return "waiting" }
    }
    return violation.isZero ? "satisfied" : "violated"
  }
}
