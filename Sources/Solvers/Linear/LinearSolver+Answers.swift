public import TenonSolverKit
internal import TenonTables

extension LinearSolver {
  /// Returns the formula that stands for the constraint through which a cell is determined.
  public func formula(computing cell: CellID) -> FormulaID? {
    guard let index = index(of: cell), !variables[index].isPinned else { return nil }
    let group = variables[index].group
    if leader(of: group) == index {
      let component = groups[group].component
      guard component >= 0, let solution = components[component]?.solution,
        let local = solution.localOf[group], solution.system.isBasic(local)
      else { return nil }
    }
    return reason(for: index)
  }

  /// Returns the formulas of the constraints that are connected with some cells, in order.
  public func plan(edits: [CellID]) -> [FormulaID] {
    var found: Set<Int> = []
    for cell in edits {
      guard let index = index(of: cell) else { continue }
      found.formUnion(connectedRecords(variables[index].group))
    }
    return found.compactMap { records[$0] }.sorted { $0.order < $1.order }.map(\.formula)
  }

  /// Returns the constraints through which a cell is determined, and the cells on which it depends.
  public func explain(_ cell: CellID) -> Explanation? {
    guard let index = index(of: cell), let first = formula(computing: cell) else { return nil }
    let group = variables[index].group
    var cells: [CellID] = []
    var formulas = [first]
    let leader = leader(of: group)
    if leader != index { cells.append(variables[leader].cell) }
    let component = groups[group].component
    if component >= 0, let solution = components[component]?.solution,
      let local = solution.localOf[group]
    {
      let system = solution.system
      if system.isBasic(local) {
        cells = []
        for term in system.rows[system.rowOf[local]].terms {
          if let group = solution.groupOf[term.variable] {
            cells.append(variables[self.leader(of: group)].cell)
          } else if let record = solution.recordOf[term.variable].flatMap({ records[$0] }) {
            formulas.append(record.formula)
          }
        }
      }
    }
    return Explanation(formulas: formulas, cells: cells)
  }

  /// The constraints that do not hold because stronger ones stand against them.
  ///
  /// - Complexity: O(constraints).
  public var residuals: [Residual] {
    var violated: [(LinearRecord, SolverNumber)] = []
    for case let record? in records where !record.isRequired && record.role != .waiting {
      var sum = record.constant
      var size = record.constant.magnitude
      var isComplete = true
      for term in record.terms {
        guard let value = value(of: term.variable) else {
          isComplete = false
          break
        }
        sum = sum + term.factor * value
        size = max(size, (term.factor * value).magnitude)
      }
      if isComplete, !record.holds(sum, size: size) { violated.append((record, sum)) }
    }
    violated.sort {
      ($1.0.constraint.strength, $0.0.order) < ($0.0.constraint.strength, $1.0.order)
    }
    return violated.map { Residual($0.0.constraint.id, $0.1) }
  }

  /// Returns the formula that is named as the reason of a variable's value.
  func reason(for variable: Int) -> FormulaID {
    variables[variable].reason
  }

  /// Returns a conflict between required constraints and values, with a set from which nothing could be
  /// left out: each part is left out in turn and stays out if the rest is still a conflict.
  func conflict(
    _ candidates: [Int], fixed: [(variable: Int, value: SolverNumber)]
  ) -> SolverConflict {
    var kept = candidates.filter { records[$0]?.isRequired ?? false }
      .sorted { (records[$0]?.order ?? 0) > (records[$1]?.order ?? 0) }
    var fixed = fixed
    var size = max(kept.count / 2, 1)
    // The search is limited: of very many constraints more than a minimal set are named then.
    var tests = 4_000
    while true {
      var start = 0
      var isSmaller = false
      while start < kept.count, tests > 0 {
        if isInterrupted { return SolverConflict(.interrupted, []) }
        tests -= max(1, kept.count / 500)
        var rest = kept
        rest.removeSubrange(start..<min(start + size, kept.count))
        if isFeasible(rest, fixed: fixed) {
          start += size
        } else {
          kept = rest
          isSmaller = true
        }
      }
      if size == 1, !isSmaller || tests <= 0 { break }
      size = max(size / 2, 1)
    }
    for value in fixed {
      let rest = fixed.filter { $0.variable != value.variable }
      if !isFeasible(kept, fixed: rest) { fixed = rest }
    }
    if isInterrupted { return SolverConflict(.interrupted, []) }
    return SolverConflict(
      .unsatisfiable, formulas(kept), cells: fixed.map { variables[$0.variable].cell })
  }
}
