internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

// The records of formulas, and their descriptions for solvers.

/// What has ended in a turn, and what a turn has still to write down.
final class EndedParts: GraphPart {
  /// The formulas that have ended in a turn, or while one was running.
  var endedFormulas: [Formula] = [] { didSet { didEnd() } }
  /// The numbers of the connections that have ended so: messages about the work of a formula may name
  /// them.
  var endedConnections: [Int32] = [] { didSet { didEnd() } }
  /// The numbers of changes of places whose cells were freed in this settling: a connection that joins them
  /// anew goes on counting.
  var changesOfReleased: [Place: Int32] = [:] {
    didSet { unsafe graph?.words[0][.released] = !changesOfReleased.isEmpty }
  }
  /// The plans whose formulas have run without that being written down for each.
  var openPlans: [LaidOutPlan] = []

  private func didEnd() {
    unsafe graph?.words[0][.ended] = !endedFormulas.isEmpty || !endedConnections.isEmpty
  }
}

extension ConnectionGraph {
  /// Makes a formula of a connection; it is not in force yet.
  func makeFormula(
    of connection: Connection, output: CellID, inputs: [CellID], source: Formula.Source
  ) -> Formula {
    let inputs = inputs.withoutRepetitions
    let record = FormulaRecord(
      order: connecting.nextOrder, firstInput: inputs.count == 1 ? inputs[0].rawValue : -1)
    let hot = HotFormula(of: connection, output, source)
    connecting.nextOrder &+= 1
    let number = tables.freeFormulas.popLast() ?? Int32(formulas.count)
    if Int(number) == formulas.count {
      formulas.append(record)
      hotFormulas.append(hot)
    } else {
      formulas[number] = record
      hotFormulas[number] = hot
    }
    let formula = Formula(number, in: self)
    formula.take(source, inputs)
    formula.isDeferred = connection.observer?.kind == .formulas
    connection.append(formula)
    machine.heap.countOutside(GraphSize.formula)
    return formula
  }

  func free(_ formula: Formula) {
    machine.heap.countOutside(-GraphSize.formula)
    if hasFailures { releaseHeldBack(by: formula) }
    endFold(of: formula)
    forgetPlans()
    formulas[formula.id.rawValue].isUsed = false
    hotFormulas[formula.id.rawValue].kind = .none
    failing.failures[formula.id] = nil
    if !failing.reasonsToWait.isEmpty { failing.reasonsToWait[formula.id] = nil }
    machine.didEnd(formula.id)
    if isSettling || runningNumber >= 0 {
      ended.endedFormulas.append(formula)
    } else {
      formula.releaseRecord()
      tables.freeFormulas.append(formula.id.rawValue)
    }
  }

  /// Returns the formula of a number in use, or of an ended one that may be running; nil for -1.
  func formula(_ number: Int32) -> Formula? { number < 0 ? nil : Formula(number, in: self) }

  /// The numbers of records of cells, formulas and constraints, free ones included.
  var recordCounts: (cells: Int, formulas: Int, constraints: Int) {
    (cells.count, formulas.count, tables.constraintRecords.count)
  }

  /// The number of cells in use.
  var cellCount: Int { cells.count - cells.freeCells.count }

  /// The number of formulas that have not ended.
  var formulaCount: Int {
    formulas.count - tables.freeFormulas.count - ended.endedFormulas.count
  }

  /// The formulas that have not ended.
  var formulasInUse: some Sequence<Formula> {
    formulas.indices.lazy.map { FormulaID($0) }.compactMap { [unowned self] in self[$0] }
  }

  /// Returns the formulas that read a cell.
  func readers(of cell: CellID) -> Readers { cells[cell.rawValue].readers(in: self) }

  /// Returns the one-way formula that determines a cell.
  func owner(of cell: CellID) -> Formula? { formula(cells[cell.rawValue].ownerNumber) }

  /// Frees the ended formulas and connections, and makes the numbers of the formulas available
  /// again.
  ///
  /// As long as a formula may be running, its number has to stay its own, so that its result is not
  /// taken for the value of another; and code in Swift is called without being counted.
  func releaseEnded() {
    guard !isSettling, runningNumber < 0 else { return }
    let formulas = ended.endedFormulas
    ended.endedFormulas = []
    for formula in formulas {
      // Objects of its code may write, and connect, when they are released: the number is its own till then.
      formula.releaseRecord()
      tables.freeFormulas.append(formula.id.rawValue)
    }
    releaseEndedConnections()
  }

  /// Returns the description of a one-formula constraint for the one-way solver of a level, which knows it
  /// by the number of the formula.
  func levelDescription(of constraint: Constraint, _ formula: Formula) -> ConstraintIR {
    ConstraintIR(
      id: formula.levelID, cells: constraint.cells, formulas: [describe(formula, formula.heard)],
      strength: constraint.strength, relation: .equal, solver: constraint.solver)
  }

  private func describe(_ formula: Formula, _ inputs: [CellID]) -> FormulaIR {
    FormulaIR(
      id: formula.id, output: formula.output, inputs: inputs, unread: formula.unread,
      order: formula.order, text: formula.connection.text,
      isInverse: formula.isInverse || formula.isWayBack)
  }

  /// Returns the description of a constraint for the solver of a region.
  func description(of constraint: Constraint) -> ConstraintIR {
    // Only where there is an equation do formulas have to be read as sums.
    describe(constraint, withSums: constraint.equation != nil)
  }

  /// Returns the description of a constraint for a solver; `withSums`: formulas are read as sums, too.
  func describe(_ constraint: Constraint, withSums: Bool) -> ConstraintIR {
    var formulas = constraint.formulas
    // A solver of sums goes by the statement: its left side is that of the first formula.
    if withSums, formulas.first?.isInverse ?? false {
      formulas = formulas.filter { !$0.isInverse } + formulas.filter { $0.isInverse }
    }
    return ConstraintIR(
      id: constraint.id, cells: constraint.cells,
      formulas: formulas.map {
        // Further inputs of formulas of several directions are no variables of the constraint.
        describe(
          $0, constraint.isMultiWay || constraint.hasRequestedSolver ? $0.staticInputs : $0.heard)
      }, strength: constraint.strength, relation: constraint.equation?.relation ?? .equal,
      linear: withSums ? linearForm(of: constraint) : nil, isLinearOnly: constraint.equation != nil,
      solver: constraint.solver)
  }

  /// Returns the constraint over a formula's variables, made when it is the first; `isOnly`: no other
  /// formula comes with it, so that it is likely to stay alone.
  func constraint(for formula: Formula, isOnly: Bool) -> Constraint {
    if let equation = formula.equation {
      return makeConstraint(over: formula, cells: equation.form.cells, equation: equation)
    }
    // A formula that computes a constant of an equation does not belong to the equation's solver.
    if hasRequestedSolver(formula.connection),
      !formula.connection.formulas.contains(where: { $0.equation != nil })
    {
      return requestedConstraint(for: formula)
    }
    if let known = knownConstraint(for: formula) { return known }
    if isOnly { return makeLoneConstraint(of: formula) }
    let constraint = makeConstraint(over: formula)
    tables.constraintTable.insert(constraint)
    return constraint
  }

  func makeTransaction() -> GraphTransaction {
    let transaction = GraphTransaction()
    transaction.attach(self)
    return transaction
  }
}
