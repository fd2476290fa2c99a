internal import TenonSolverKit
internal import TenonTables

// Groups: variables that are joined by required equations of two variables each.

extension LinearSolver {
  /// Makes a group of a variable that is in none, or no longer.
  func makeGroup(_ member: Int) -> Int {
    let made = LinearGroup(first: member, count: 1, leader: member)
    guard let group = freeGroups.popLast() else {
      groups.append(made)
      return groups.count - 1
    }
    groups[group] = made
    return group
  }

  /// Returns the members of a group.
  ///
  /// - Complexity: O(n).
  func members(of group: Int) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(groups[group].count)
    var member = groups[group].first
    for _ in 0..<groups[group].count {
      result.append(member)
      member = Int(variables[member].next)
    }
    return result
  }

  /// Solves an equation of two variables for the first: `factor * second + offset`.
  private func solved(
    _ record: LinearRecord
  ) -> (first: Int, second: Int, factor: SolverNumber, offset: SolverNumber) {
    let (first, second) = (record.terms[0], record.terms[1])
    return (
      first.variable, second.variable, -(second.factor / first.factor),
      -(record.constant / first.factor)
    )
  }

  /// Joins the groups of the two variables of an equation.
  func joinGroups(_ index: Int) throws(SolverConflict) {
    guard let record = records[index] else { return }
    let (first, second, factor, offset) = solved(record)
    guard factor.isFinite, offset.isFinite else {
      throw SolverConflict(.unsupported("the numbers are too large"), [record.formula])
    }
    let (a, b) = (variables[first], variables[second])
    if a.group == b.group { return try joinWithinGroup(index, record) }
    let isBound = (groups[a.group].component >= 0, groups[b.group].component >= 0)
    if isBound.0, isBound.1 {
      // Two variables of solved systems: the equation is added to the merged system.
      try joinComponent(index)
      return
    }
    // The smaller group is expressed by the larger one, or by the one that is part of a system:
    // small = scale * large + shift.
    let isFirstSmaller =
      isBound.0 == isBound.1
      ? groups[a.group].count <= groups[b.group].count : isBound.1
    let (small, large) = isFirstSmaller ? (a.group, b.group) : (b.group, a.group)
    let scale: SolverNumber
    let shift: SolverNumber
    if isFirstSmaller {
      scale = factor * b.factor / a.factor
      shift = (factor * b.offset + offset - a.offset) / a.factor
    } else {
      scale = a.factor / (factor * b.factor)
      shift = ((a.offset - offset) / factor - b.offset) / b.factor
    }
    guard scale.isFinite, shift.isFinite, !scale.isZero else {
      throw SolverConflict(.unsupported("the numbers are too large"), [record.formula])
    }
    let before = groups[small]
    let components = (groups[small].component, groups[large].component)
    let isTrivial =
      before.pinnedCount == 0
      || components.1 < 0 && before.pinnedCount + groups[large].pinnedCount < 2
    moveMembers(of: small, to: large, scale, shift)
    joinRings(small, large)
    record.role = .edge
    let use = record.firstUse
    let next = uses[use].nextOfRecord
    uses[use].other = uses[next].variable
    uses[next].other = uses[use].variable
    if isTrivial {
      forgetValues(large)
      return
    }
    let component = mergeComponents([components.0, components.1].filter { $0 >= 0 })
    if let component { attach(component) }
    do throws(SolverConflict) {
      try check(component, group: large)
    } catch {
      cut(index)
      throw error
    }
  }

  /// Takes an equation of two variables of one group: it is redundant, contradicts the group, or gives the
  /// group one value, which a group cannot express.
  private func joinWithinGroup(_ index: Int, _ record: LinearRecord) throws(SolverConflict) {
    let (first, second, factor, offset) = solved(record)
    let (a, b) = (variables[first], variables[second])
    // first = factor * second + offset, both in terms of the group.
    let slope = a.factor - factor * b.factor
    let rest = a.offset - factor * b.offset - offset
    guard isNearZero(slope, a.factor, unit: 0) else { return try joinComponent(index) }
    let size = max(a.offset.magnitude, (factor * b.offset).magnitude, offset.magnitude)
    guard isNearZero(rest, size, unit: record.unit) else {
      throw SolverConflict(
        .unsatisfiable, formulas(way(from: first, to: second, within: a.group) + [index]))
    }
    records[index]?.role = .redundant
    redundant[a.group, default: []].append(index)
  }

  /// Expresses the members of a group by another one: small = scale * large + shift.
  private func moveMembers(
    of small: Int, to large: Int, _ scale: SolverNumber, _ shift: SolverNumber
  ) {
    let isShifted = scale == .one
    let isSame = isShifted && shift.isZero
    var member = groups[small].first
    for _ in 0..<groups[small].count {
      variables[member].group = large
      if !isSame {
        let factor = variables[member].factor
        if isShifted, factor == .one {
          variables[member].offset = variables[member].offset + shift
        } else {
          variables[member].offset = factor * shift + variables[member].offset
          variables[member].factor = factor * scale
        }
      }
      member = Int(variables[member].next)
    }
  }

  /// Makes one ring of the members of two groups, and frees the first one's number.
  private func joinRings(_ small: Int, _ large: Int) {
    let before = groups[small]
    let (one, other) = (groups[large].first, before.first)
    let (afterOne, afterOther) = (variables[one].next, variables[other].next)
    variables[one].next = afterOther
    variables[afterOther].previous = Int32(one)
    variables[other].next = afterOne
    variables[afterOne].previous = Int32(other)
    groups[large].count += before.count
    groups[large].isFresh = true
    forgetSteps(large)
    forgetSteps(small)
    if let superfluous = redundant.removeValue(forKey: small) {
      redundant[large, default: []] += superfluous
    }
    groups[large].pinnedCount += before.pinnedCount
    if before.leader < 0 || groups[large].leader < 0 {
      groups[large].leader = -1
    } else if isYounger(before.leader, groups[large].leader) {
      groups[large].leader = before.leader
    }
    groups[small] = LinearGroup(first: -1, count: 0)
    freeGroups.append(small)
  }

  /// Removes an equation from a group, which falls apart unless other equations hold it together.
  ///
  /// - Complexity: O(the smaller part).
  func cut(_ index: Int) {
    guard let record = records[index] else { return }
    record.role = .waiting
    if record.firstUse >= 0 {
      let use = record.firstUse
      uses[use].other = -1
      uses[uses[use].nextOfRecord].other = -1
    }
    let (first, second) = (record.terms[0].variable, record.terms[1].variable)
    let group = variables[first].group
    let component = groups[group].component
    splitOff(first, second, group)
    let superfluous = redundant.removeValue(forKey: group) ?? []
    if component >= 0 {
      groups[group].component = -1
      dissolve(component)
    }
    for other in superfluous where other != index {
      // A redundant equation may be the one that holds it together now; it agrees with the others.
      try? joinGroups(other)
    }
  }

  /// Makes the smaller side of a removed edge a group of its own.
  private func splitOff(_ first: Int, _ second: Int, _ group: Int) {
    let isFirst = isSmallerPart(first, second)
    let part = isFirst ? 0 : 1
    let count = isFirst ? foundFirst.count : foundSecond.count
    let lead = isFirst ? first : second
    let new = makeGroup(lead)
    var pinned = 0
    var previous = lead
    // The old group begins with a member that stays.
    groups[group].first = isFirst ? second : first
    for position in 0..<count {
      let member = Int(part == 0 ? foundFirst[position] : foundSecond[position])
      let (before, after) = (variables[member].previous, variables[member].next)
      variables[before].next = after
      variables[after].previous = before
      variables[member].group = new
      if variables[member].isPinned { pinned += 1 }
      variables[previous].next = Int32(member)
      variables[member].previous = Int32(previous)
      previous = member
    }
    variables[previous].next = Int32(lead)
    variables[lead].previous = Int32(previous)
    groups[new].count = count
    groups[group].count -= count
    forgetSteps(group)
    groups[new].pinnedCount = pinned
    groups[group].pinnedCount -= pinned
    groups[new].isFresh = groups[group].isFresh
    // The youngest member is searched when a value is needed: a part that is joined again needs no search.
    groups[new].leader = count == 1 ? lead : -1
    if groups[group].leader >= 0, variables[groups[group].leader].group == new {
      groups[group].leader = -1
    }
  }

  /// Returns the member that was written last.
  func leader(of group: Int) -> Int {
    let known = groups[group].leader
    if known >= 0 { return known }
    let found = youngest(members(of: group))
    groups[group].leader = found
    return found
  }

  private func youngest(_ members: [Int]) -> Int {
    var youngest = members.first ?? -1
    for member in members.dropFirst() where isYounger(member, youngest) { youngest = member }
    return youngest
  }

  /// Returns whether the first variable stands on the smaller side of a removed edge;
  /// `foundFirst` and `foundSecond` have the variables of both sides.
  ///
  /// Both sides grow in turns, a step each, so that the smaller one ends the search.
  private func isSmallerPart(_ first: Int, _ second: Int) -> Bool {
    visits += 2
    var (one, other) = (Search(first, visits - 1), Search(second, visits))
    foundFirst.removeAll()
    foundSecond.removeAll()
    foundFirst.append(Int32(first))
    foundSecond.append(Int32(second))
    variables[first].visit = visits - 1
    variables[second].visit = visits
    while true {
      if !advance(&one, foundFirst) { return true }
      if !advance(&other, foundSecond) { return false }
    }
  }

  private struct Search {
    let visit: Int
    /// The number of found variables that have been looked at, and the next use of the last of them.
    var next = 1
    var use: Int32 = -1

    init(_ variable: Int, _ visit: Int) { self.visit = visit }
  }

  /// Advances by one use of a variable.
  ///
  /// - Returns: false when there is none left.
  @inline(__always)
  private func advance(_ search: inout Search, _ found: borrowing FlatTable<Int32>) -> Bool {
    while search.use < 0 {
      guard search.next <= found.count else { return false }
      search.use = variables[found[search.next - 1]].firstUse
      search.next += 1
    }
    let use = uses[search.use]
    search.use = use.nextOfVariable
    if use.other >= 0, variables[use.other].visit != search.visit {
      variables[use.other].visit = search.visit
      found.append(use.other)
    }
    return true
  }

  /// Returns the edges on the path between two variables of a group.
  func way(from first: Int, to second: Int, within group: Int) -> [Int] {
    var cameBy: [Int: (variable: Int, record: Int)] = [:]
    var queue = [first]
    var next = 0
    while next < queue.count {
      let variable = queue[next]
      next += 1
      if variable == second { break }
      for place in records(using: variable) {
        guard let record = records[place], record.role == .edge else { continue }
        let other =
          record.terms[0].variable == variable
          ? record.terms[1].variable : record.terms[0].variable
        guard other != first, cameBy[other] == nil else { continue }
        cameBy[other] = (variable, place)
        queue.append(other)
      }
    }
    var way: [Int] = []
    var variable = second
    while let step = cameBy[variable] {
      way.append(step.record)
      variable = step.variable
    }
    return way
  }

  func formulas(_ indices: [Int]) -> [FormulaID] {
    Set(indices).compactMap { records[$0] }.sorted { $0.order < $1.order }.map(\.formula)
  }
}
