internal import TenonSolverKit
internal import TenonTables

// Wishes of one direction that stand back, as something that counts more determines their place.

/// Wishes that are to be tried again.
struct Retries {
  /// Their formulas, which are among those that must run.
  var formulas: Set<FormulaID> = []
  /// What was written last in their regions.
  var written: [CellID] = []
}

extension ConnectionGraph {
  /// The alternative to taking formulas into force beside soft constraints of one direction: those that count
  /// less and stand against them are retracted.
  func withoutSoftConstraints(_ added: [Formula], origin: CellID?) -> Alternative {
    Alternative(
      prepare: { [self] _ in
        let wishes = wishes(against: added)
        for wish in wishes { displace(wish) }
        return !wishes.isEmpty
      },
      attempt: { [self] () throws(Failure) in
        try takeAsSaid(added, origin: origin)
        markRoom()
      })
  }

  /// The formulas of one direction that count less than some that come, and determine what these are
  /// about.
  private func wishes(against added: [Formula]) -> [Formula] {
    let strength = added.map(\.connection.strength).max() ?? .required
    var cells: Set<CellID> = []
    for formula in added {
      cells.formUnion(formula.staticInputs + [formula.output])
      cells.formUnion(formula.equation?.form.cells ?? [])
    }
    for cell in cells { if let region = self[cell].region { cells.formUnion(region.pinned) } }
    return cells.sorted().compactMap { owner(of: $0) }.filter { $0.connection.strength < strength }
  }

  /// Decides between two formulas of one direction for the same place by their strengths: a weaker one
  /// that determines it stands back.
  ///
  /// - Returns: whether the one that comes may determine the place now; nil when both are required, so
  ///   that strength does not decide.
  func replace(_ owner: Formula, by formula: Formula) -> Bool? {
    let (own, other) = (formula.connection.strength, owner.connection.strength)
    if min(own, other) == .required { return nil }
    guard own > other else { return false }
    displace(owner)
    return true
  }

  /// Whether a formula of one direction that cannot be in force is to stand back and not to be refused:
  /// it is a wish, and others compute its place.
  func standsBack(_ formula: Formula, because error: Failure) -> Bool {
    formula.connection.strength < .required && error.errorClass == .constraintError
      && self[formula.output].region != nil
  }

  /// Takes a wish of one direction out of force until there is room for it.
  private func retract(_ formula: Formula) {
    guard let constraint = formula.constraint, constraint.level >= 0 else { return }
    release(constraint, formula)
    retract(constraint, formula)
  }

  /// Has a wish stand back for formulas that are just being taken into force.
  private func displace(_ wish: Formula) {
    record(.retraction(wish, wish.state))
    retract(wish)
  }

  /// Reinstates the soft constraints that were retracted since a savepoint.
  func reinstateRetracted(since savepoint: Savepoint) {
    for (formula, state) in log.structure.removeRetractions(since: savepoint.changes) {
      guard self[formula.id] == formula, let constraint = formula.constraint,
        forgetYielded(constraint)
      else { continue }
      do throws(Failure) {
        try enforceOneWay(constraint, formula)
        scheduledFormulas.removeAll { $0 == formula }
        formula.state = state
      } catch {
        retract(constraint, formula)
      }
    }
  }

  /// Notes that a wish of one direction is not in force.
  func retract(_ constraint: Constraint, _ formula: Formula) {
    formula.state = .waiting
    scheduledFormulas.removeAll { $0 == formula }
    replanning.yielded.append(constraint)
  }

  /// Notes that a wish that stands back may be in force now.
  func markRoom() {
    if !replanning.yielded.isEmpty { words[0][.room] = true }
  }

  /// Takes wishes into force again for which there is room now, the strongest first, each in a turn of its
  /// own: one that cannot hold with the rest stands back as before, and nobody else is concerned.
  func meetWishes() {
    guard !isSettling, atomicDepth == 0, !isHalted else { return }
    words[0][.room] = false
    let waiting = replanning.yielded.compactMap { constraint in
      constraint.firstFormula.map { (constraint: constraint, formula: $0) }
    }
    let sorted = waiting.sorted { left, right in
      (right.formula.connection.strength, left.formula.order)
        < (left.formula.connection.strength, right.formula.order)
    }
    for (constraint, formula) in sorted {
      // A setter that runs for the one before may have ended it.
      guard self[formula.id] == formula, forgetYielded(constraint) else { continue }
      if equation(forWish: formula) != nil {
        weigh(formula.connection)
        continue
      }
      do throws(Failure) {
        try enforceOneWay(constraint, formula)
      } catch {
        replanning.yielded.append(constraint)
        continue
      }
      if constraint.level < 0 { continue }
      do throws(Failure) {
        try settle()
      } catch {
        // The turn is taken back, and nothing else was to be done in it.
        if self[formula.id] == formula { retract(formula) }
      }
      if isHalted { return }
    }
  }

  /// Forgets a wish that ends, or becomes one of several directions.
  ///
  /// - Returns: whether it was standing back.
  @discardableResult
  func forgetYielded(_ constraint: Constraint) -> Bool {
    guard !replanning.yielded.isEmpty, let index = replanning.yielded.firstIndex(of: constraint)
    else { return false }
    replanning.yielded.remove(at: index)
    return true
  }

  /// Whether a wish of one direction does not hold: it stands back, or its place has been written
  /// since what it reads changed last.
  func isNotMet(_ connection: Connection) -> Bool {
    guard connection.strength < .required, let formula = connection.onlyFormula,
      let constraint = formula.constraint, constraint.region == nil, formula.equation == nil
    else { return false }
    if replanning.yielded.contains(constraint) { return true }
    return formula.state == .waiting && formula.runs > 0
      && !formula.inputs.contains { machine.isMissing($0) }
  }

  // MARK: Among equations and inequalities
  //
  // Where a place is solved for, a wish of one direction for it is one of the solver's, so that it gives way
  // by as much as it must. What it reads counts as a constant, unless it is solved for as well.

  /// What a wish of one direction says as an equation for its left side; nil where that is not solved for,
  /// or the wish is no sum of places.
  func equation(forWish formula: Formula) -> Equation? {
    let connection = formula.connection
    guard connection.strength < .required, formula.equation == nil, !hasRequestedSolver(connection),
      connection.observer == nil, connection.tolerance == nil, connection.onlyFormula == formula,
      let region = self[formula.output].region, region.solvesSums,
      let form = formula.linear, Set(form.cells).isSuperset(of: formula.variables),
      formula.variables.allSatisfy({ machine.isMissing($0) || number(of: $0) != nil })
    else { return nil }
    let terms = form.terms.map { term in
      guard let cell = term.cell, cell != formula.output, self[cell].region !== region else {
        return term
      }
      return LinearForm.Term(
        term.number, factors: term.factors + [cell], divisors: term.divisors, nil)
    }
    return Equation(relation: .equal, form: LinearForm(terms))
  }

  /// A formula that has not come into force, or the equation in place of it that a wish is where its place
  /// is solved for.
  func weighed(_ formula: Formula) -> Formula {
    guard let equation = equation(forWish: formula) else { return formula }
    let connection = formula.connection
    let output = formula.output
    connection.removeFormulas()
    free(formula)
    let made = makeFormula(
      of: connection, output: output, inputs: equation.form.cells.filter { $0 != output },
      source: .equation(equation))
    made.dynamicInputs = equation.form.constants
    return made
  }

  /// Has the wishes of one direction stand back that determine places which are solved for from now on,
  /// until the solver weighs them.
  func weighWishes(of cells: [CellID]) {
    for cell in cells {
      guard let wish = owner(of: cell), equation(forWish: wish) != nil else { continue }
      retract(wish)
      markRoom()
    }
  }

  /// Has a wish of one direction weighed by the solver of its place.
  private func weigh(_ connection: Connection) {
    guard let plan = connection.plan else { return }
    do throws(Failure) {
      try machine.establish(connection, anew: plan)
      try settle()
    } catch {
      // It is in force as it was, or told of by its state.
    }
  }

  // MARK: Retries
  //
  // A connection that is new has its left side follow. One that is tried again has been there before: it gets
  // no more than its strength gives it, so that what was written last, and what was ever written beside a weak
  // wish, stays as it is.

  /// Has a wish tried again after the next settling has begun.
  func retry(_ constraint: Constraint) {
    // One that is new all the same stays so.
    guard let formula = constraint.firstFormula, !scheduledFormulas.contains(formula) else {
      return
    }
    replanning.retries.formulas.insert(formula.id)
    scheduledFormulas.append(formula)
  }

  /// Tells regions which of their formulas that must run are no news, and what was written last.
  func distributeRetries() {
    var regions: [Region] = []
    for id in replanning.retries.formulas {
      guard let region = self[id]?.constraint?.region, region.isWaiting else { continue }
      // What has been written since counts instead of what was written before.
      if region.transaction.retried.isEmpty, region.transaction.changes.isEmpty {
        regions.append(region)
      }
      region.transaction.retried.insert(id)
    }
    for cell in replanning.retries.written {
      guard let region = cells[cell.index].region, !region.pinned.contains(cell),
        regions.contains(where: { $0 === region })
      else { continue }
      region.transaction.changes.append(cell)
    }
    replanning.retries = Retries()
  }

  /// Notes what is written in a turn of a region.
  func recordWritten(in region: Region) {
    region.writtenLast = region.transaction.changed.filter { !region.pinned.contains($0) }
  }
}
