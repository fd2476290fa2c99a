internal import TenonRuntime
internal import TenonTables

// Rounding: a variable that is no exact number is what a constraint says as it is written, computed from
// the others in it. What elimination makes of the constraints is the same number but for its rounding,
// which would depend on the order in which they came.

/// The values of variables, computed one after the other when the first of them is asked for.
struct LinearSteps {
  private enum Source {
    case group(leader: Int, value: SolverNumber)
    case component(LinearSolution, edited: [Int])
  }

  private let source: Source
  private var values: [Int: SolverNumber]?

  /// For a lone group of which a member has a value.
  init(from leader: Int, _ value: SolverNumber) { source = .group(leader: leader, value: value) }

  /// For a component that is solved.
  init(_ solution: LinearSolution, edited: [Int]) {
    source = .component(solution, edited: edited)
  }

  /// The value of a variable in place of one that comes from elimination.
  mutating func value(
    of variable: Int, insteadOf number: SolverNumber, _ solver: LinearSolver
  ) -> SolverNumber {
    let known: [Int: SolverNumber]
    if let values {
      known = values
    } else {
      switch source {
      case .group(let leader, let value): known = solver.steps(from: [leader: value], within: nil)
      case .component(let solution, let edited): known = solver.steps(in: solution, edited)
      }
      values = known
    }
    // What is lost where nearly equal numbers are subtracted is not to come in.
    guard let value = known[variable], value.isFinite, isNearZero(value - number, number) else {
      return number
    }
    return value
  }
}

extension LinearSolver {
  /// The values of a component's variables.
  ///
  /// Those that nothing determines are what they are. Where several can only be found together, one is
  /// what elimination says, and the others follow.
  /// - Complexity: O(occurrences).
  fileprivate func steps(in solution: LinearSolution, _ edited: [Int]) -> [Int: SolverNumber] {
    let system = solution.system
    var known: [Int: SolverNumber] = [:]
    var open: [(member: Int, value: SolverNumber)] = []
    for (local, group) in solution.groupOf.sorted(by: { $0.key < $1.key }) {
      let value = system.values[local]
      let member = entry(of: group, value, edited)
      guard member >= 0 else { continue }
      if system.isBasic(local) {
        open.append((member, outOfGroup(member, value)))
      } else {
        let own = self.value(of: member)
        let isOwn = own.map { isNearZero(inGroup(member, $0) - value, value) } ?? false
        known[member] = isOwn ? own : outOfGroup(member, value)
      }
    }
    known = steps(from: known, within: solution)
    for (member, value) in open where known[member] == nil {
      known[member] = value
      known = steps(from: known, within: solution, beginningAt: member)
    }
    return known
  }

  /// The member of a group whose value stands for it.
  private func entry(of group: Int, _ value: SolverNumber, _ edited: [Int]) -> Int {
    let leader = leader(of: group)
    if groups[group].pinnedCount == 0 || leader >= 0 && variables[leader].isPinned { return leader }
    return members(of: group).first { variables[$0].isPinned } ?? leader
  }

  private func outOfGroup(_ member: Int, _ value: SolverNumber) -> SolverNumber {
    variables[member].factor * value + variables[member].offset
  }

  /// Computes what follows from some values by constraints in which one variable is missing.
  ///
  /// - Complexity: O(occurrences of the variables times those in a constraint).
  fileprivate func steps(
    from start: [Int: SolverNumber], within solution: LinearSolution?, beginningAt first: Int? = nil
  ) -> [Int: SolverNumber] {
    var known = start
    var queue = first.map { [$0] } ?? start.keys.sorted()
    var next = 0
    while next < queue.count {
      let variable = queue[next]
      next += 1
      for index in records(using: variable) {
        guard let record = records[index], isEquation(record, index, solution),
          let missing = missing(in: record, known),
          let value = value(of: missing.variable, missing.factor, by: record, known)
        else { continue }
        known[missing.variable] = value
        queue.append(missing.variable)
      }
    }
    return known
  }

  /// Whether a constraint says which value a variable has: an equation, or an inequality or a wish that
  /// is what keeps a variable from moving.
  private func isEquation(_ record: LinearRecord, _ index: Int, _ solution: LinearSolution?) -> Bool
  {
    switch record.role {
    case .waiting, .constant, .redundant: return false
    case .edge: return true
    case .general:
      guard let solution else { return false }
      if record.isRequired, record.constraint.relation == .equal { return true }
      guard let local = solution.measureOf[index] else { return false }
      return !solution.system.isBasic(local) && solution.system.values[local].isZero
    }
  }

  /// The only variable of a constraint whose value is not known.
  private func missing(
    in record: LinearRecord, _ known: [Int: SolverNumber]
  ) -> (variable: Int, factor: SolverNumber)? {
    var missing: (variable: Int, factor: SolverNumber)?
    for term in record.terms where known[term.variable] == nil {
      if missing != nil { return nil }
      missing = term
    }
    return missing
  }

  /// What a constraint says of a variable, its summands added as they are written.
  private func value(
    of variable: Int, _ factor: SolverNumber, by record: LinearRecord,
    _ known: [Int: SolverNumber]
  ) -> SolverNumber? {
    guard let form = record.constraint.linear else { return nil }
    let cell = variables[variable].cell
    var sum: SolverNumber?
    for term in form.terms where term.cell != cell {
      var summand = -term.number
      for factor in term.factors {
        guard let value = values?[factor] else { return nil }
        summand = summand * value
      }
      for divisor in term.divisors {
        guard let value = values?[divisor], !value.isZero else { return nil }
        summand = summand / value
      }
      if let other = term.cell {
        guard let index = index(of: other), let value = known[index] else { return nil }
        summand = summand * value
      }
      sum = sum.map { $0 + summand } ?? summand
    }
    return (sum ?? .zero) / factor
  }
}
