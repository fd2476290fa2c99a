internal import TenonSolverKit
internal import TenonTables

// Adding a constraint to solved systems, without building them anew.

extension LinearSolver {
  /// Adds a constraint to the systems of its groups, which become one.
  ///
  /// - Returns: the system; nil when it has to be built anew, for example because the constraint cannot
  ///   hold with the others.
  /// - Complexity: O(the smaller systems + occurrences of the variables that move); O(occurrences in the
  ///   constraint) where every constraint holds and the new one defines a new variable.
  func extend(
    _ solutions: [LinearSolution?], by record: LinearRecord, _ index: Int
  ) -> LinearSolution? {
    let known = solutions.compactMap(\.self)
    guard known.count == solutions.count,
      let base = known.max(by: { $0.system.count < $1.system.count })
    else { return nil }
    // With many removed variables it is better to start anew.
    if base.dropped.count > 64 + base.system.count / 2 { return nil }
    // Variables that the last turn held may move.
    base.system.release()
    var isQuiet = known.allSatisfy(\.isQuiet)
    let isSettled = base.isSettled && known.count == 1
    base.order = nil
    let moves = base.system.moveCount
    let count = base.system.count
    for other in known where other !== base { take(other, into: base) }
    if isQuiet {
      let size = base.system.count
      if define(record, index, in: base) { return base }
      // Variables that were added all the same may be unknown ones.
      if base.system.count != size { isQuiet = false }
    }
    for term in record.terms {
      let group = variables[term.variable].group
      guard base.localOf[group] == nil else { continue }
      let value = groupValue(group)
      if value == nil || groups[group].isFresh { isQuiet = false }
      base.add(group, base.system.addVariable(value ?? .zero, unit: unit(of: group)))
    }
    let sum = translate(record) { variable in
      (
        base.localOf[variables[variable].group] ?? 0, variables[variable].factor,
        variables[variable].offset
      )
    }
    let system = base.system
    // Pinned groups do not move.
    if hasPins {
      for (local, group) in base.groupOf where groups[group].pinnedCount > 0 { system.keep(local) }
    }
    defer { system.release() }
    base.isSettled = false
    base.isQuiet = false
    guard install(sum, of: record, index, in: base) else { return nil }
    let hasMoved = system.moveCount != moves
    if !record.isRequired, let local = base.measureOf[index] {
      isQuiet = isQuiet && record.holds(system.values[local], size: sum.size)
    }
    base.isQuiet = isQuiet && !hasMoved
    // A bound to which nothing has to give way changes nothing.
    base.isSettled = isSettled && !hasMoved && system.count == count && record.isRequired
    return base
  }

  private func install(
    _ sum: LinearSum, of record: LinearRecord, _ index: Int, in solution: LinearSolution
  ) -> Bool {
    let system = solution.system
    if sum.terms.isEmpty {
      solution.empty.insert(index)
      return !record.isRequired || record.holds(sum.constant, size: sum.size)
    }
    if record.isRequired, sum.terms.count == 1, record.constraint.relation != .equal {
      let bound = -(sum.constant / sum.terms[0].factor)
      let isLower = (record.constraint.relation == .atLeast) != sum.terms[0].factor.isNegative
      let (low, high) = (isLower ? bound : nil, isLower ? nil : bound)
      guard system.restrict(sum.terms[0].variable, from: low, to: high) else { return false }
      solution.bound(sum.terms[0].variable, LinearBound(record: index, low: low, high: high))
      return true
    }
    let local = system.addSum(sum.terms, sum.constant, unit: record.unit)
    solution.extendMet()
    guard record.isRequired else {
      solution.measure(index, by: local)
      insertWish((index, local), in: solution)
      return true
    }
    switch record.constraint.relation {
    case .equal:
      guard system.drive(local, from: .zero, to: .zero) else { return false }
      if system.fixAtZero(local) {
        solution.dropped.insert(local)
      } else {
        solution.measure(index, by: local)
      }
      return true
    case .atLeast:
      solution.measure(index, by: local)
      return system.restrict(local, from: .zero, to: nil)
    case .atMost:
      solution.measure(index, by: local)
      return system.restrict(local, from: nil, to: .zero)
    }
  }

  /// Merges a system into another one.
  private func take(_ other: LinearSolution, into base: LinearSolution) {
    let offset = base.absorb(other)
    let wishes = other.wishes.map { ($0.record, $0.local + offset) }
    if wishes.count > 8 {
      base.wishes += wishes
      sortWishes(of: base)
    } else {
      for wish in wishes { insertWish(wish, in: base) }
    }
  }

  /// Inserts a soft constraint into the sorted list: mostly it is the last one.
  private func insertWish(_ wish: (record: Int, local: Int), in solution: LinearSolution) {
    var position = solution.wishes.count
    while position > 0, isBefore(wish, solution.wishes[position - 1]) { position -= 1 }
    solution.wishes.insert(wish, at: position)
  }

  /// Adds an equation to a system in which every constraint holds, as the definition of its left side, if
  /// no other constraint uses that.
  ///
  /// All other variables can keep their values then, and a new left side gives way to all of them: meeting
  /// all goals again would have the same result.
  ///
  /// - Returns: Whether the equation was added so; else at most variables were added.
  private func define(_ record: LinearRecord, _ index: Int, in solution: LinearSolution) -> Bool {
    guard record.constraint.relation == .equal, !hasPins,
      let output = record.constraint.formulas.first?.output, let left = self.index(of: output),
      groups[variables[left].group].count == 1, solution.localOf[variables[left].group] == nil,
      record.terms.contains(where: { $0.variable == left })
    else { return false }
    for term in record.terms where term.variable != left {
      let group = variables[term.variable].group
      guard solution.localOf[group] == nil else { continue }
      guard !groups[group].isFresh, let value = groupValue(group) else { return false }
      solution.add(group, solution.system.addVariable(value, unit: unit(of: group)))
    }
    let system = solution.system
    let local = system.addVariable(groupValue(variables[left].group) ?? .zero)
    solution.add(variables[left].group, local)
    let sum = translate(record) { variable in
      (
        solution.localOf[variables[variable].group] ?? 0, variables[variable].factor,
        variables[variable].offset
      )
    }
    let measure = record.isRequired ? nil : system.addVariable(.zero)
    guard system.define(local, by: sum.terms, sum.constant, measure: measure) else {
      if let measure { solution.dropped.insert(measure) }
      return false
    }
    solution.extendMet()
    if let measure {
      solution.measure(index, by: measure)
      insertWish((index, measure), in: solution)
    }
    solution.defined.append((left, index))
    solution.isSettled = false
    solution.isQuiet = true
    return true
  }

  /// Whether any variable is pinned.
  private var hasPins: Bool { pinnedTotal > 0 }
}

extension LinearSolution {
  /// Adds a group.
  func add(_ group: Int, _ local: Int) {
    localOf[group] = local
    groupOf[local] = group
    extendMet()
  }

  /// Adds the variables and rows of another system.
  ///
  /// - Returns: the offset that is added to the number of each of its variables. The soft constraints have
  ///   still to be inserted among the others.
  func absorb(_ other: LinearSolution) -> Int {
    let offset = system.absorb(other.system)
    for (group, local) in other.localOf { localOf[group] = local + offset }
    for (local, group) in other.groupOf { groupOf[local + offset] = group }
    for (local, record) in other.recordOf { measure(record, by: local + offset) }
    for (local, list) in other.bounds { for bound in list { self.bound(local + offset, bound) } }
    empty.formUnion(other.empty)
    for local in other.dropped { dropped.insert(local + offset) }
    defined += other.defined
    extendMet()
    return offset
  }

  /// Forgets the defined variables: they need not have the values that constraints left for them any more.
  func forgetDefined() {
    if defined.isEmpty { return }
    defined = []
    isQuiet = false
    isSettled = false
  }

  /// Records the variable that measures a constraint.
  func measure(_ record: Int, by local: Int) {
    recordOf[local] = record
    measureOf[record] = local
  }

  /// Forgets the variable that measured a constraint.
  func forgetMeasure(of record: Int) {
    guard let local = measureOf.removeValue(forKey: record) else { return }
    recordOf[local] = nil
    dropped.insert(local)
  }

  /// Records a bound of a variable.
  func bound(_ local: Int, _ bound: LinearBound) {
    bounds[local, default: []].append(bound)
    boundOf[bound.record] = local
  }

  /// Removes a group that no constraint of the system uses any more.
  func forget(_ group: Int) {
    guard let local = localOf.removeValue(forKey: group) else { return }
    groupOf[local] = nil
    bounds[local] = nil
    system.discard(local)
    dropped.insert(local)
    forgetGroups()
  }

  /// Makes room for all variables of the system.
  func extendMet() {
    while isMet.count < system.count { isMet.append(false) }
    forgetGroups()
  }
}

extension LinearSystem {
  /// Bounds a variable, and moves it within the bounds first.
  ///
  /// - Returns: Whether it can be within them.
  func restrict(_ variable: Int, from low: SolverNumber?, to high: SolverNumber?) -> Bool {
    guard drive(variable, from: low, to: high) else { return false }
    if let low { raiseLower(variable, to: low) }
    if let high { reduceUpper(variable, to: high) }
    return true
  }
}
