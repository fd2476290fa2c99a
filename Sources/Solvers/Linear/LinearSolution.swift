internal import TenonSolverKit
internal import TenonTables

/// A component as a solved system, with the groups and constraints that its variables stand for.
final class LinearSolution {
  let system: LinearSystem
  var localOf: [Int: Int] = [:]
  var groupOf: [Int: Int] = [:]
  /// The groups by the numbers of variables, for loops over many.
  private let groups = FlatTable<Int>()

  /// Variables that are zero for good: remnants of equations.
  var dropped: Set<Int> = []

  init(_ cells: CellValues?) { system = LinearSystem(cells) }

  func forgetGroups() { groups.removeAll() }

  /// Returns the group that a variable stands for, or -1.
  func group(at local: Int) -> Int {
    if groups.isEmpty {
      for local in 0..<system.count { groups.append(groupOf[local] ?? -1) }
    }
    return groups[local]
  }

  /// The constraint that a variable measures, and the variable that measures a constraint.
  var recordOf: [Int: Int] = [:]
  var measureOf: [Int: Int] = [:]
  /// The bounds that constraints set on single variables, and the bounded variable of each constraint.
  var bounds: [Int: [LinearBound]] = [:]
  var boundOf: [Int: Int] = [:]
  /// The constraints that have no terms left after groups are substituted.
  var empty: Set<Int> = []
  /// The soft constraints, with the variables that measure them.
  var wishes: [(record: Int, local: Int)] = []
  /// Whether every constraint holds and the cells have the values of the system: then there is nothing to do
  /// until a cell is written.
  var isQuiet = false
  /// The variables that were added and defined by constraints since every constraint held, each after those
  /// that it follows from: their cells do not have the values of the system yet.
  var defined: [(variable: Int, record: Int)] = []
  /// Whether every goal was met that is no mere consequence of others, so that other values of the
  /// nonbasic variables change nothing but values.
  var isSettled = false {
    didSet { if !isSettled { order = nil } }
  }
  /// The order in which the variables follow from the free ones; known while only values change.
  var order: LinearOrder?
  /// For each variable of the system the last round in which it got another value.
  let changes = FlatTable<Int>()
  /// For each variable whether its goal is met.
  var isMet: [Bool] = []
}

/// The bound that a constraint sets on one variable of a system.
struct LinearBound {
  let record: Int
  let low: SolverNumber?
  let high: SolverNumber?
}

/// A constraint as a sum over the variables of a system.
struct LinearSum {
  var terms: [(variable: Int, factor: SolverNumber)] = []
  var constant: SolverNumber
  /// The greatest magnitude of the parts that the constant was added up from.
  var size: SolverNumber
}

extension LinearSolver {
  // MARK: Building

  /// Builds the system of a component, with the values that cells have.
  ///
  /// - Returns: nil when the required constraints cannot hold together with the pinned values.
  func build(_ records: [Int]) -> LinearSolution? {
    planCount &+= 1
    let solution = LinearSolution(values)
    defer { if solution.system.isInterrupted { isInterrupted = true } }
    for index in records {
      for term in self.records[index]?.terms ?? [] {
        let group = variables[term.variable].group
        guard solution.localOf[group] == nil else { continue }
        let local = solution.system.addVariable(groupValue(group) ?? .zero, unit: unit(of: group))
        solution.localOf[group] = local
        solution.groupOf[local] = group
      }
    }
    var fixed: [(local: Int, value: SolverNumber)] = []
    for (local, group) in solution.groupOf.sorted(by: { $0.key < $1.key }) {
      guard groups[group].pinnedCount > 0 else { continue }
      for target in pinnedTargets(of: group) { fixed.append((local, target.value)) }
    }
    let isSolved = install(records, in: solution, fixed: fixed) { variable in
      (
        solution.localOf[variables[variable].group] ?? 0, variables[variable].factor,
        variables[variable].offset
      )
    }
    return isSolved ? solution : nil
  }

  /// Adds constraints to a system; `place` expresses a variable by one of the system's.
  ///
  /// - Returns: Whether the required constraints can hold together with the fixed values.
  private func install(
    _ records: [Int], in solution: LinearSolution, fixed: [(local: Int, value: SolverNumber)],
    place: (Int) -> (local: Int, factor: SolverNumber, offset: SolverNumber)
  ) -> Bool {
    let system = solution.system
    var bounded: [(local: Int, low: SolverNumber?, high: SolverNumber?, record: Int?)] = []
    var later: [(record: Int, sum: LinearSum)] = []
    for index in records {
      guard let record = self.records[index] else { continue }
      if system.poll() { return false }
      let sum = translate(record, place)
      if sum.terms.isEmpty {
        if record.isRequired, !record.holds(sum.constant, size: sum.size) { return false }
        solution.empty.insert(index)
      } else if !record.isRequired {
        later.append((index, sum))
      } else if record.constraint.relation == .equal {
        if !system.addEquation(sum.terms, sum.constant, unit: record.unit) { return false }
      } else if sum.terms.count == 1 {
        let bound = -(sum.constant / sum.terms[0].factor)
        let isLower = (record.constraint.relation == .atLeast) != sum.terms[0].factor.isNegative
        bounded.append((sum.terms[0].variable, isLower ? bound : nil, isLower ? nil : bound, index))
      } else {
        later.append((index, sum))
      }
    }
    system.evaluateRows()
    for (index, sum) in later {
      guard let record = self.records[index] else { continue }
      let local = system.addSum(sum.terms, sum.constant, unit: record.unit)
      solution.measure(index, by: local)
      if record.isRequired {
        let isLower = record.constraint.relation == .atLeast
        bounded.append((local, isLower ? .zero : nil, isLower ? nil : .zero, nil))
      } else {
        solution.wishes.append((index, local))
      }
    }
    for (local, value) in fixed {
      guard system.drive(local, from: value, to: value) else { return false }
      system.keep(local)
    }
    for (local, low, high, record) in bounded {
      guard system.restrict(local, from: low, to: high) else { return false }
      if let record { solution.bound(local, LinearBound(record: record, low: low, high: high)) }
    }
    system.release()
    sortWishes(of: solution)
    solution.isMet = Array(repeating: false, count: system.count)
    return true
  }

  func translate(
    _ record: LinearRecord,
    _ place: (Int) -> (local: Int, factor: SolverNumber, offset: SolverNumber)
  ) -> LinearSum {
    var sum = LinearSum(constant: record.constant, size: record.constant.magnitude)
    for term in record.terms {
      let (local, factor, offset) = place(term.variable)
      let part = term.factor * offset
      sum.constant = sum.constant + part
      sum.size = max(sum.size, part.magnitude)
      if let known = sum.terms.firstIndex(where: { $0.variable == local }) {
        let old = sum.terms[known].factor
        let rest = old + term.factor * factor
        sum.terms[known].factor = isNearZero(rest, old, unit: 0) ? .zero : rest
      } else {
        sum.terms.append((local, term.factor * factor))
      }
    }
    sum.terms.removeAll { $0.factor.isZero }
    return sum
  }

  func sortWishes(of solution: LinearSolution) {
    solution.wishes.sort { isBefore($0, $1) }
  }

  /// Returns whether the left soft constraint counts more than the right one.
  func isBefore(
    _ left: (record: Int, local: Int), _ right: (record: Int, local: Int)
  ) -> Bool {
    guard let a = records[left.record], let b = records[right.record] else { return false }
    return (b.constraint.strength, a.order) < (a.constraint.strength, b.order)
  }

  /// Returns whether required constraints can hold together with fixed values.
  func isFeasible(_ records: [Int], fixed: [(variable: Int, value: SolverNumber)]) -> Bool {
    let solution = LinearSolution(values)
    defer { if solution.system.isInterrupted { isInterrupted = true } }
    var locals: [Int: Int] = [:]
    func local(_ variable: Int) -> Int {
      if let known = locals[variable] { return known }
      let made = solution.system.addVariable(value(of: variable) ?? .zero)
      locals[variable] = made
      return made
    }
    for index in records {
      for term in self.records[index]?.terms ?? [] { _ = local(term.variable) }
    }
    let fixed = fixed.map { (local: local($0.variable), value: $0.value) }
    return install(records, in: solution, fixed: fixed) { (local($0), .one, .zero) }
  }

  // MARK: Values of groups

  /// Returns the value of a group at which one of its members has a value.
  func inGroup(_ member: Int, _ value: SolverNumber) -> SolverNumber {
    (value - variables[member].offset) / variables[member].factor
  }

  /// Returns the value of a group at which its members are ones at most, or 1 if that is less.
  ///
  /// - Complexity: O(members).
  func unit(of group: Int) -> Double {
    var member = groups[group].first
    var factor = 1.0
    for _ in 0..<groups[group].count {
      factor = max(factor, variables[member].factor.magnitude.double)
      member = Int(variables[member].next)
    }
    return 1 / factor
  }

  /// Returns the values of a group that its pinned members give it: one member for all that agree, so
  /// that there is more than one only where they contradict each other.
  func pinnedTargets(of group: Int) -> [(member: Int, value: SolverNumber)] {
    var targets: [(member: Int, value: SolverNumber)] = []
    for member in members(of: group) where variables[member].isPinned {
      guard let value = value(of: member) else { continue }
      let target = inGroup(member, value)
      if !targets.contains(where: { isNear(target, $0.value, unit: unit(of: group)) }) {
        targets.append((member, target))
      }
    }
    return targets
  }

  /// Returns the value of a group as its youngest member has it; nil when no member has a value.
  func groupValue(_ group: Int) -> SolverNumber? {
    let leader = leader(of: group)
    guard leader >= 0 else { return nil }
    if followers.contains(leader), let other = leaderWithoutFollowers(group),
      let value = value(of: other)
    {
      return inGroup(other, value)
    }
    if let value = value(of: leader) { return inGroup(leader, value) }
    // A member without a value gives way to all that have one.
    var chosen = -1
    for member in members(of: group) where value(of: member) != nil {
      if chosen < 0 || isYounger(member, chosen) { chosen = member }
    }
    guard chosen >= 0, let value = value(of: chosen) else { return nil }
    groups[group].leader = chosen
    return inGroup(chosen, value)
  }

  /// Returns the member whose value is that of a group.
  private func effectiveLeader(_ group: Int) -> Int {
    let leader = leader(of: group)
    guard followers.contains(leader) else { return leader }
    return leaderWithoutFollowers(group) ?? leader
  }

  /// Returns the member whose value is that of a group.
  func speaker(for group: Int) -> Int { effectiveLeader(group) }

  /// Returns the youngest member that has a value and need not follow.
  private func leaderWithoutFollowers(_ group: Int) -> Int? {
    var chosen: Int?
    for member in members(of: group)
    where !followers.contains(member) && value(of: member) != nil {
      if chosen.map({ isYounger(member, $0) }) ?? true { chosen = member }
    }
    return chosen
  }

  // MARK: Solving

  /// Meets the goals of a component in the order of their priority; `edited` are the written variables,
  /// the youngest first.
  ///
  /// - Throws: `SolverConflict` when the writes contradict required constraints.
  func optimize(_ solution: LinearSolution, edited: [Int]) throws(SolverConflict) {
    let system = solution.system
    planCount &+= 1
    solution.defined = []
    system.release()
    for (record, local) in solution.wishes where self.records[record] != nil {
      system.removeBounds(local)
    }
    solution.isSettled = false
    let goals = goals(of: solution, edited: edited)
    for (position, goal) in goals.enumerated() { system.rank[goal.local] = position + 1 }
    for (local, record) in solution.recordOf where self.records[record]?.isRequired ?? false {
      system.rank[local] = 0
    }
    for local in solution.isMet.indices { solution.isMet[local] = false }
    var isClean = true
    solution.isQuiet = true
    for goal in goals {
      if goal.low == nil, goal.high == nil {
        // Places without a value get the nearest to zero: all else would depend on earlier solutions.
        if system.drive(goal.local, from: .zero, to: .zero) {
          system.keep(goal.local)
        } else {
          _ = system.freeze(goal.local)
        }
        continue
      }
      let isMet = system.drive(goal.local, from: goal.low, to: goal.high)
      if system.poll() { throw SolverConflict(.interrupted, []) }
      solution.isMet[goal.local] = isMet
      if try !settle(goal, isMet, of: solution) { isClean = false }
    }
    system.evaluateRows()
    for local in 0..<system.count where !system.isBasic(local) && !solution.dropped.contains(local)
    {
      if !solution.isMet[local] { isClean = false }
      if let record = solution.recordOf[local],
        self.records[record]?.constraint.relation != .equal
      {
        isClean = false
      }
    }
    solution.isSettled = isClean
  }

  /// Holds the value that a goal has come to while goals of lower priority are met.
  ///
  /// - Returns: whether the next turn can begin from here.
  /// - Throws: `SolverConflict` when the writes contradict required constraints.
  private func settle(
    _ goal: Goal, _ isMet: Bool, of solution: LinearSolution
  ) throws(SolverConflict) -> Bool {
    let system = solution.system
    switch goal.kind {
    case .pinned, .edited:
      if !isMet { try refuseUnlessFeasible(goal, of: solution) }
    case .wish where isMet && goal.low != nil && goal.high != nil:
      system.keep(goal.local)
      // It holds because of cells that were written together; that may not be so the next time.
      return !system.isBasic(goal.local)
    case .wish where isMet:
      if goal.low != nil {
        system.raiseLower(goal.local, to: .zero)
      } else {
        system.reduceUpper(goal.local, to: .zero)
      }
      return true
    case .wish:
      solution.isQuiet = false
      _ = system.freeze(goal.local)
      return false
    case .stay: break
    }
    if isMet {
      system.keep(goal.local)
      return true
    }
    return !system.freeze(goal.local)
  }

  /// Refuses a value that was written or pinned and cannot be kept; an earlier write gives way to a later one.
  private func refuseUnlessFeasible(
    _ goal: Goal, of solution: LinearSolution
  ) throws(SolverConflict) {
    let fixed = pinnedValues(of: solution)
    let own = goal.variable.flatMap { variable in
      value(of: variable).map { (variable: variable, value: $0) }
    }
    let records = connectedRecords(solution)
    let all = goal.kind == .pinned ? fixed : fixed + (own.map { [$0] } ?? [])
    if !isFeasible(records, fixed: all) { throw conflict(records, fixed: all) }
  }

  private struct Goal {
    enum Kind { case pinned, edited, wish, stay }

    let kind: Kind
    let local: Int
    var low: SolverNumber?
    var high: SolverNumber?
    var variable: Int?
  }

  /// Returns the goals of a component in the order of their priority.
  private func goals(of solution: LinearSolution, edited: [Int]) -> [Goal] {
    var goals: [Goal] = []
    for (local, group) in solution.groupOf.sorted(by: { $0.key < $1.key }) {
      guard groups[group].pinnedCount > 0 else { continue }
      for (member, target) in pinnedTargets(of: group) {
        goals.append(Goal(kind: .pinned, local: local, low: target, high: target, variable: member))
      }
    }
    for variable in edited where !variables[variable].isPinned {
      guard let local = solution.localOf[variables[variable].group],
        let value = value(of: variable)
      else { continue }
      let target = inGroup(variable, value)
      goals.append(
        Goal(kind: .edited, local: local, low: target, high: target, variable: variable))
    }
    let wishes = solution.wishes.map { record, local in
      let relation = records[record]?.constraint.relation ?? .equal
      return (
        isWeak: records[record]?.constraint.strength == .weak,
        goal: Goal(
          kind: .wish, local: local, low: relation == .atMost ? nil : .zero,
          high: relation == .atLeast ? nil : .zero)
      )
    }
    goals += wishes.filter { !$0.isWeak }.map(\.goal)
    // A place without a value gives way to everything.
    let editedGroups = Set(edited.map { variables[$0].group })
    var stays = solution.groupOf.filter { !editedGroups.contains($0.value) }
      .map { (local: $0.key, group: $0.value, value: groupValue($0.value)) }
    stays.sort { left, right in
      if (left.value == nil) != (right.value == nil) { return right.value == nil }
      let isFollower = follows(left.group)
      if isFollower != follows(right.group) { return !isFollower }
      return isYounger(effectiveLeader(left.group), effectiveLeader(right.group))
    }
    // A place that was ever written counts more than a weak soft constraint, a place never written less.
    let written = stays.prefix { stay in
      stay.value != nil && !follows(stay.group) && variables[effectiveLeader(stay.group)].age > 0
    }
    for stay in written {
      goals.append(Goal(kind: .stay, local: stay.local, low: stay.value, high: stay.value))
    }
    goals += wishes.filter(\.isWeak).map(\.goal)
    for stay in stays[written.count...] {
      goals.append(Goal(kind: .stay, local: stay.local, low: stay.value, high: stay.value))
    }
    return goals
  }

  /// Returns whether a group has to follow the group with which it was newly joined.
  private func follows(_ group: Int) -> Bool {
    followers.contains(effectiveLeader(group))
  }

  private func pinnedValues(of solution: LinearSolution) -> [(variable: Int, value: SolverNumber)] {
    solution.groupOf.values.sorted().flatMap { pinnedValues(of: $0) }
  }

  func pinnedValues(of group: Int) -> [(variable: Int, value: SolverNumber)] {
    guard groups[group].pinnedCount > 0 else { return [] }
    return members(of: group).compactMap { member in
      guard variables[member].isPinned, let value = value(of: member) else { return nil }
      return (member, value)
    }
  }
}
