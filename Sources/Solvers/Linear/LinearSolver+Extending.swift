internal import TenonRuntime

// Taking a constraint into systems that are solved, without building them anew.

extension LinearSolver {
  /// Takes a constraint into the systems of its groups, which become one.
  ///
  /// - Returns: the system; nil when it has to be built anew, be it because the constraint cannot
  ///   hold with the others.
  /// - Complexity: O(the smaller systems + occurrences of the variables that move).
  func extend(
    _ solutions: [LinearSolution?], by record: LinearRecord, _ index: Int
  ) -> LinearSolution? {
    let known = solutions.compactMap(\.self)
    guard known.count == solutions.count,
      let base = known.max(by: { $0.system.count < $1.system.count })
    else { return nil }
    // What the last turn held may move.
    base.system.release()
    for other in known where other !== base { base.absorb(other) }
    if known.count > 1 { sortWishes(of: base) }
    for term in record.terms {
      let group = variables[term.variable].group
      guard base.localOf[group] == nil else { continue }
      base.add(group, base.system.addVariable(groupValue(group) ?? .zero))
    }
    let sum = translate(record) { variable in
      (
        base.localOf[variables[variable].group] ?? 0, variables[variable].factor,
        variables[variable].offset
      )
    }
    let system = base.system
    // What is determined elsewhere does not move.
    if hasPins {
      for (local, group) in base.groupOf where groups[group].pinnedCount > 0 { system.keep(local) }
    }
    defer { system.release() }
    base.isSettled = false
    return install(sum, of: record, index, in: base) ? base : nil
  }

  private func install(
    _ sum: LinearSum, of record: LinearRecord, _ index: Int, in solution: LinearSolution
  ) -> Bool {
    let system = solution.system
    if sum.terms.isEmpty {
      return !record.isRequired || record.holds(sum.constant, size: record.constant)
    }
    if record.isRequired, sum.terms.count == 1, record.constraint.relation != .equal {
      let bound = -(sum.constant / sum.terms[0].factor)
      let isLower = (record.constraint.relation == .atLeast) != sum.terms[0].factor.isNegative
      return system.restrict(
        sum.terms[0].variable, from: isLower ? bound : nil, to: isLower ? nil : bound)
    }
    let local = system.addSum(sum.terms, sum.constant)
    solution.extendMet()
    guard record.isRequired else {
      solution.recordOf[local] = index
      solution.wishes.append((index, local))
      sortWishes(of: solution)
      return true
    }
    switch record.constraint.relation {
    case .equal:
      guard system.drive(local, from: .zero, to: .zero) else { return false }
      if system.fixAtZero(local) { solution.dropped.insert(local) }
      return true
    case .atLeast:
      solution.recordOf[local] = index
      return system.restrict(local, from: .zero, to: nil)
    case .atMost:
      solution.recordOf[local] = index
      return system.restrict(local, from: nil, to: .zero)
    }
  }

  /// Whether anything is determined elsewhere.
  private var hasPins: Bool { pinnedTotal > 0 }
}

extension LinearSolution {
  /// Takes a group in.
  func add(_ group: Int, _ local: Int) {
    localOf[group] = local
    groupOf[local] = group
    extendMet()
  }

  /// Takes the variables and rows of another system in.
  func absorb(_ other: LinearSolution) {
    let offset = system.absorb(other.system)
    for (group, local) in other.localOf { localOf[group] = local + offset }
    for (local, group) in other.groupOf { groupOf[local + offset] = group }
    for (local, record) in other.recordOf { recordOf[local + offset] = record }
    for local in other.dropped { dropped.insert(local + offset) }
    wishes += other.wishes.map { ($0.record, $0.local + offset) }
    extendMet()
  }

  /// Sees to it that there is room for what the system has.
  func extendMet() {
    while isMet.count < system.count { isMet.append(false) }
    forgetGroups()
  }
}

extension LinearSystem {
  /// Bounds a variable; moves it there first.
  ///
  /// - Returns: Whether it can be there.
  func restrict(_ variable: Int, from low: SolverNumber?, to high: SolverNumber?) -> Bool {
    guard drive(variable, from: low, to: high) else { return false }
    if let low { raiseLower(variable, to: low) }
    if let high { reduceUpper(variable, to: high) }
    return true
  }
}
