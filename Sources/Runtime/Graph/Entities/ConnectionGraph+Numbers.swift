internal import TenonAnalysis
internal import TenonNumerics
internal import TenonTables
internal import TenonSolverKit
internal import TenonLexer

// Cells as numbers, for solvers that compute values themselves.

extension ConnectionGraph {
  /// Returns the number that a cell holds; nil when it holds nothing, and the double that is no number
  /// for any other value.
  func number(of cell: CellID) -> SolverNumber? {
    guard let value = machine.currentValue(of: cell), !value.isNil, !value.isUndefined else {
      return nil
    }
    return machine.solverNumber(value) ?? SolverNumber(Double.nan)
  }

  /// Stores a number that a solver has computed.
  ///
  /// - Returns: Whether the cell has another value now.
  func set(
    _ cell: CellID, to number: SolverNumber, by id: FormulaID, because cause: CellID?
  ) -> Bool {
    guard !isHalted, self[id] != nil else { return false }
    hotFormulas[id.rawValue].runs &+= 1
    return store(
      machine.value(of: number), in: cell.rawValue, by: id.rawValue,
      because: cause?.rawValue ?? -1)
  }

  /// Takes a write of an equal value as an edit: for a solver that goes by the latest write.
  func didWriteEqual(to cell: CellID) {
    if let region = self[cell].region, region.isToBeReconsidered {
      _ = reconsiderSolver(of: region)
    }
    guard let region = self[cell].region, type(of: region.solver).hearsEqualWrites else { return }
    if atomicDepth > 0 { logEdit(of: cell) }
    clock += 1
    writes.setAge(clock, of: cell)
    do throws(Failure) {
      try tell(region, of: cell, age: clock, isPinned: self[cell].hasOwner)
    } catch {
      // The cell is determined to have this value.
    }
    if !isSettling, atomicDepth == 0 {
      log.structure.removeSolvers()
      words[0][.loggedChanges] = !log.structure.isEmpty
    }
  }

  /// Returns a constraint as a sum; nil where its formulas do not say the same in that form.
  func linearForm(of constraint: Constraint) -> LinearForm? {
    if let equation = constraint.equation { return equation.form }
    // A policy decides when formulas run: a constraint solved with others cannot wait.
    if constraint.formulas.contains(where: { $0.connection.observer != nil }) {
      return nil
    }
    let formulas = constraint.formulas.filter { !$0.isInverse }
    let forms = formulas.compactMap(\.linear)
    guard let first = forms.first, forms.count == formulas.count,
      forms.allSatisfy({ $0.isMultiple(of: first) })
    else { return nil }
    // A cell that is read besides, to compute a summand, is no number.
    return Set(first.cells).isSuperset(of: constraint.cells) ? first : nil
  }
}

extension Formula {
  /// The formula as a sum that is zero, if it has that form.
  var linear: LinearForm? {
    switch source {
    case .equation(let equation): equation.form
    case .copy(let cell): LinearForm([.init(.one, output), .init(-.one, cell)])
    case .block, .native: affine
    }
  }

  /// Its text as a sum, `result - formula`.
  private var affine: LinearForm? {
    guard let text else { return nil }
    let analysis = LinearAnalysis(text)
    guard analysis.isAffine else { return nil }
    let cells = Dictionary(zip(readNames, staticInputs)) { first, _ in first }
    var terms = [LinearForm.Term(.one, output)]
    for product in analysis.products {
      guard let leaf = product.factors.first else {
        terms.append(.init(-product.number, nil))
        continue
      }
      guard let cell = cells[analysis.leaves[leaf].name] else { return nil }
      terms.append(.init(-product.number, cell))
    }
    return LinearForm(terms)
  }
}

extension LinearForm {
  /// Returns whether it is another form times a number, so that both are zero together.
  func isMultiple(of other: LinearForm) -> Bool {
    guard constants.isEmpty, other.constants.isEmpty, let cell = other.cells.first else {
      return false
    }
    func factor(_ form: LinearForm, _ cell: CellID?) -> SolverNumber {
      form.terms.reduce(.zero) { $1.cell == cell ? $0 + $1.number : $0 }
    }
    let ratio = factor(self, cell) / factor(other, cell)
    guard ratio.isFinite, !ratio.isZero else { return false }
    return (cells + other.cells).map(Optional.some).reduce(
      isClose(factor(self, nil), factor(other, nil) * ratio)
    ) {
      $0 && isClose(factor(self, $1), factor(other, $1) * ratio)
    }
  }

  /// Returns whether two numbers are the same but for the rounding of doubles.
  private func isClose(_ left: SolverNumber, _ right: SolverNumber) -> Bool {
    let difference = (left - right).magnitude
    if difference.isExact { return difference.isZero }
    return difference.double <= 1e-9 * Swift.max(1, left.magnitude.double)
  }
}
