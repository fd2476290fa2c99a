internal import TenonSolverKit
internal import TenonTables

/// A component as a system that is solved, and what its variables stand for.
final class LinearSolution {
  let system: LinearSystem
  var localOf: [Int: Int] = [:]
  var groupOf: [Int: Int] = [:]
  /// The same by number, for going through many.
  private let groups = FlatTable<Int>()

  /// Variables that are zero for good: what is left of equations.
  var dropped: Set<Int> = []

  init(_ cells: CellValues?) { system = LinearSystem(cells) }

  func forgetGroups() { groups.removeAll() }

  /// The group that a variable stands for, or -1.
  func group(at local: Int) -> Int {
    if groups.isEmpty {
      for local in 0..<system.count { groups.append(groupOf[local] ?? -1) }
    }
    return groups[local]
  }

  /// The constraint that a variable measures, and the variable that measures a constraint.
  var recordOf: [Int: Int] = [:]
  var measureOf: [Int: Int] = [:]
  /// What constraints say of one variable: by the variable, and which variable by the constraint.
  var bounds: [Int: [LinearBound]] = [:]
  var boundOf: [Int: Int] = [:]
  /// The constraints of which nothing is left when groups are put in.
  var empty: Set<Int> = []
  /// The constraints that need not hold, with the variables that measure them.
  var wishes: [(record: Int, local: Int)] = []
  /// Whether everything holds and the cells have the values that the system has: then there is
  /// nothing to do as long as nobody writes.
  var isQuiet = false
  /// The variables, each after those that it follows from, that have come in as what a constraint leaves
  /// for them since everything held: their cells do not have the values yet that the system has.
  var defined: [(variable: Int, record: Int)] = []
  /// Whether every goal was met that is no mere consequence of others, so that other values of the
  /// variables that are not basic change nothing but values.
  var isSettled = false {
    didSet { if !isSettled { order = nil } }
  }
  /// How the variables follow from those that are free; known while only values change.
  var order: LinearOrder?
  /// The round in which a variable of the system got another value.
  let changes = FlatTable<Int>()
  /// The variables that have come where they should.
  var isMet: [Bool] = []
}

/// What a constraint says of one variable of a system.
struct LinearBound {
  let record: Int
  let low: SolverNumber?
  let high: SolverNumber?
}

/// What a constraint is over the variables of a system.
struct LinearSum {
  var terms: [(variable: Int, factor: SolverNumber)] = []
  var constant: SolverNumber
  /// The greatest of what the constant was added up from, without a sign.
  var size: SolverNumber
}

extension LinearSolver {
  // MARK: Building

  /// A component as a system, with the values that cells have.
  ///
  /// - Returns: nil when the required constraints cannot hold together with what is pinned.
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

  /// Puts constraints into a system; `place` says what a variable is in terms of the system's.
  ///
  /// - Returns: Whether the required ones can hold together with what is fixed.
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

  /// Whether a wish counts more than another.
  func isBefore(
    _ left: (record: Int, local: Int), _ right: (record: Int, local: Int)
  ) -> Bool {
    guard let a = records[left.record], let b = records[right.record] else { return false }
    return (b.constraint.strength, a.order) < (a.constraint.strength, b.order)
  }

  /// Whether required constraints can hold together with values.
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

  /// What a group is when one of its members has a value.
  func inGroup(_ member: Int, _ value: SolverNumber) -> SolverNumber {
    (value - variables[member].offset) / variables[member].factor
  }

  /// What a group is at most where its members are ones, 1 or less.
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

  /// What a group is by those of its members that are determined elsewhere: one member for all that
  /// say the same, so that there is more than one only where they contradict each other.
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

  /// The value of a group as its youngest member has it; nil when that has none.
  func groupValue(_ group: Int) -> SolverNumber? {
    let leader = leader(of: group)
    guard leader >= 0 else { return nil }
    if followers.contains(leader), let other = leaderWithoutFollowers(group),
      let value = value(of: other)
    {
      return inGroup(other, value)
    }
    if let value = value(of: leader) { return inGroup(leader, value) }
    // Who has no value gives way to all that have one.
    var chosen = -1
    for member in members(of: group) where value(of: member) != nil {
      if chosen < 0 || isYounger(member, chosen) { chosen = member }
    }
    guard chosen >= 0, let value = value(of: chosen) else { return nil }
    groups[group].leader = chosen
    return inGroup(chosen, value)
  }

  /// The member that speaks for a group.
  private func effectiveLeader(_ group: Int) -> Int {
    let leader = leader(of: group)
    guard followers.contains(leader) else { return leader }
    return leaderWithoutFollowers(group) ?? leader
  }

  /// The member whose value is that of a group.
  func speaker(for group: Int) -> Int { effectiveLeader(group) }

  /// The youngest member that has a value and need not follow.
  private func leaderWithoutFollowers(_ group: Int) -> Int? {
    var chosen: Int?
    for member in members(of: group)
    where !followers.contains(member) && value(of: member) != nil {
      if chosen.map({ isYounger(member, $0) }) ?? true { chosen = member }
    }
    return chosen
  }

  // MARK: Solving

  /// Meets the goals of a component, what counts most first; `edited` are the variables that were
  /// written, the youngest first.
  ///
  /// - Throws: `SolverConflict` when what is written contradicts what is required.
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
        // Of places that hold nothing all but the nearest to zero would depend on what was solved before.
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

  /// Keeps what a goal has come to while those that count less are met.
  ///
  /// - Returns: whether the next turn can begin from here.
  /// - Throws: `SolverConflict` when what is written contradicts what is required.
  private func settle(
    _ goal: Goal, _ isMet: Bool, of solution: LinearSolution
  ) throws(SolverConflict) -> Bool {
    let system = solution.system
    switch goal.kind {
    case .pinned, .edited:
      if !isMet { try refuseUnlessFeasible(goal, of: solution) }
    case .wish where isMet && goal.low != nil && goal.high != nil:
      system.keep(goal.local)
      // It holds because of what was written together; that may not be so the next time.
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

  /// The goals of a component in the order in which they count.
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
    // What has no value yet gives way to everything.
    let editedGroups = Set(edited.map { variables[$0].group })
    var stays = solution.groupOf.filter { !editedGroups.contains($0.value) }
      .map { (local: $0.key, group: $0.value, value: groupValue($0.value)) }
    stays.sort { left, right in
      if (left.value == nil) != (right.value == nil) { return right.value == nil }
      let isFollower = follows(left.group)
      if isFollower != follows(right.group) { return !isFollower }
      return isYounger(effectiveLeader(left.group), effectiveLeader(right.group))
    }
    // What was ever written counts more than a weak wish, what was not counts less.
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

  /// Whether a group has to follow what it is newly joined with.
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
