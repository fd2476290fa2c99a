internal import TenonSolverKit
internal import TenonTables

// The constants of equations and inequalities: one with a constant that is no number, or a divisor of zero,
// has failed as any formula does, and is not in force until the constants change.

extension ConnectionGraph {
  /// Records which of the equations that a region's solver is about to read again have failed.
  func checkConstants(in region: Region) {
    let transaction = region.transaction
    for index in 0..<transaction.forcedCount {
      guard let formula = self[transaction.forcedFormulas[index]], let equation = formula.equation
      else { continue }
      checkConstants(of: formula, equation.form)
    }
  }

  /// Returns the places that equations take as constants, or compute those from, and that were written in the
  /// turn that is at work.
  func constantsWritten(in formulas: [Formula]) -> [CellID] {
    guard isSettling else { return [] }
    var open = formulas.flatMap { $0.equation?.form.constants ?? [] }
    if open.isEmpty { return [] }
    let written = causes.places(writtenIn: turn)
    var found: [CellID] = []
    var visited: Set<CellID> = []
    while let cell = open.popLast() {
      guard visited.insert(cell).inserted else { continue }
      if written.contains(cell.rawValue) { found.append(cell) }
      open += owner(of: cell)?.inputs ?? []
    }
    return found.sorted()
  }

  private func checkConstants(of formula: Formula, _ form: LinearForm) {
    let hasFailed = hotFormulas[formula.id.rawValue].status == .failed
    if !hasFailed, form.terms.allSatisfy({ $0.factors.isEmpty && $0.divisors.isEmpty }) { return }
    if let failure = failure(ofConstantsIn: form) {
      machine.record(failure, of: formula)
    } else if hasFailed {
      formula.state = .waiting
    }
  }

  /// Returns why a sum has no value whatever its variables are; nil where it has one, or lacks a constant.
  private func failure(ofConstantsIn form: LinearForm) -> Failure? {
    var isOpen = false
    var sizes: [SolverNumber] = []
    for term in form.terms {
      var factor = term.number
      for cell in term.divisors {
        guard let value = number(of: cell), value.isFinite else { continue }
        // A divisor of zero is an error whatever else is missing.
        if value.isZero { return Failure(.zeroDivide, "division by zero") }
        factor = factor / value
      }
      for cell in term.factors {
        if let value = number(of: cell), value.isFinite { factor = factor * value }
      }
      sizes.append(factor)
    }
    for cell in form.constants {
      guard let value = number(of: cell) else {
        isOpen = true
        continue
      }
      if value.isFinite { continue }
      let held = machine.currentValue(of: cell) ?? .nil
      return .noNumber(displayName(of: cell), machine.describe(held), nil)
    }
    if isOpen || sizes.allSatisfy(\.isFinite) { return nil }
    return Failure(.constraintError, "the numbers are too large")
  }
}

extension Connection {
  /// The message of the failure of its constants, if it is an equation or an inequality.
  var constantsFailure: String? {
    for formula in formulas where formula.equation != nil {
      if case .failed(let message) = formula.state { return message }
    }
    return nil
  }
}
