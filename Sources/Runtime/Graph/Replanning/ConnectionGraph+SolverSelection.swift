internal import TenonAnalysis
internal import TenonSolverKit

// The folder Replanning: which solver keeps a region, and what else could be in force where the plain attempt is
// refused: soft constraints, other directions, costlier solvers, solvers of the program.

// Which solver keeps a region: the cheapest that accepts it and finds no conflict in it.

extension ConnectionGraph {
  /// Makes a solver that keeps constraints of several directions.
  ///
  /// - Throws: the conflict that the first accepting solver found, if none keeps them; what every
  ///   solver has against them, if none accepts.
  func makeSolver(
    for constraints: [Constraint], _ cells: [CellID], pinned: Set<CellID>,
    about constraint: Constraint
  ) throws(Failure) -> (solver: any ConnectorSolver, name: String) {
    let plain = region(of: constraints, withSums: false, pinned)
    if let chosen = try makeChosenSolver(for: plain, of: constraints) {
      if let conflict = fill(chosen.solver, cells, plain.constraints) {
        throw self.conflict(
          conflict, about: constraint.formulas[constraint.formulas.count - 1])
      }
      return chosen
    }
    let wanted = wantedSolver(of: constraints)
    var objections: [String] = []
    var found: SolverConflict?
    for candidate in solverCandidates {
      switch candidate {
      case .registered(let name):
        // What one that ships accepts and finds a conflict in, none is asked for that costs more.
        guard wanted == nil, found == nil,
          let own = try makeRegisteredSolver(name, for: plain, &objections)
        else { continue }
        let conflict = fill(own.solver, cells, plain.constraints)
        if conflict == nil { return own }
        if found == nil { found = conflict }
      case .native(let solver):
        if let wanted, wanted != solver.name { continue }
        let region = region(of: constraints, withSums: solver.solvesSums, pinned)
        switch solver.accept(region) {
        case .yes:
          let made = solver.init()
          let conflict = fill(made, cells, region.constraints)
          if conflict == nil { return (made, solver.name) }
          if found == nil { found = conflict }
        case .no(let refusals):
          objections += objection(in: refusals, of: solver.name)
        }
      }
    }
    if let found {
      throw conflict(found, about: constraint.formulas[constraint.formulas.count - 1])
    }
    if let wanted, objections.isEmpty {
      throw .unknownSolver(wanted, replanning.solvers.map { $0.name })
    }
    if wanted != nil { throw .noSolver(objections) }
    let own = constraint.formulas.last?.connection
    let cells = Set(constraint.cells)
    let others = constraints.inStatementOrder.filter { !cells.isDisjoint(with: $0.cells) }
      .compactMap { $0.formulas.first?.connection }.filter { $0 != own }.withoutRepetitions
    throw .noSolver(objections, own, with: others)
  }

  /// What a solver has against constraints: of its refusals that of the first statement, in each run.
  func objection(in refusals: [Refusal], of solver: String) -> [String] {
    func order(_ refusal: Refusal) -> Int {
      self[refusal.formula]?.order ?? Int(refusal.formula.rawValue)
    }
    guard let first = refusals.min(by: { order($0) < order($1) }) else { return [] }
    return ["\(solver): \(describe(first.formula)): \(reason(of: first, solver))"]
  }

  /// Why a solver refuses a formula: for one of sums that is the product of places that it has.
  private func reason(of refusal: Refusal, _ solver: String) -> String {
    guard replanning.solvers.contains(where: { $0.name == solver && $0.solvesSums }),
      let text = self[refusal.formula]?.text,
      let product = LinearAnalysis(text).productOfPlaces
    else { return refusal.reason }
    return Failure.multipliesVariables(product).message
  }

  func wantedSolver(of constraints: [Constraint]) -> String? {
    for constraint in constraints { if let solver = constraint.solver { return solver } }
    return nil
  }

  func region(
    of constraints: [Constraint], withSums: Bool, _ pinned: Set<CellID>
  ) -> RegionIR {
    RegionIR(constraints: constraints.map { describe($0, withSums: withSums) }, pinned: pinned)
  }

  /// Gives a solver constraints; answers the conflict that it finds.
  func fill(
    _ solver: any ConnectorSolver, _ cells: [CellID], _ constraints: [ConstraintIR]
  ) -> SolverConflict? {
    let values = CellValues(
      { [unowned self] in number(of: $0) },
      isInterrupted: { [unowned self] in machine.noticeInterrupt() })
    solver.attach(to: values)
    do throws(SolverConflict) {
      for cell in cells { try introduce(cell, to: solver) }
      for each in constraints { try solver.add(each) }
      return nil
    } catch {
      return error
    }
  }

  /// Whether a solver that is asked after a region's own accepts constraints.
  func hasOtherSolver(
    for constraints: [Constraint], than region: Region
  ) throws(Failure) -> Bool {
    let candidates = solverCandidates
    // One that the program has chosen, no other one replaces.
    guard let own = candidates.firstIndex(where: { $0.name == region.solverName }),
      !constraints.contains(where: { $0.formulas.first?.connection.chosenSolver != nil })
    else { return false }
    let wanted = wantedSolver(of: constraints)
    let described = self.region(of: constraints, withSums: true, region.pinned)
    for candidate in candidates[(own + 1)...] {
      switch candidate {
      case .native(let solver):
        if let wanted, wanted != solver.name { continue }
        if case .yes = solver.accept(described) { return true }
      case .registered(let name):
        var objections: [String] = []
        if wanted == nil, try makeRegisteredSolver(name, for: described, &objections) != nil {
          return true
        }
      }
    }
    return false
  }

  /// Refuses an equation whose constants depend on what it determines.
  func refuseCycle(throughConstantsOf constraint: Constraint) throws(Failure) {
    guard let equation = constraint.equation, let formula = constraint.formulas.first else {
      return
    }
    let constants = Set(equation.form.constants)
    if constants.isEmpty { return }
    let members = constraint.cells.reduce(into: Set(constraint.cells)) {
      if let region = self[$1].region { $0.formUnion(region.cells) }
    }
    if let way = way(from: members.sorted(), to: constants) {
      if separateSplitRegions() { return try refuseCycle(throughConstantsOf: constraint) }
      throw cycle(way.cells, through: [formula] + way.formulas)
    }
  }
}
