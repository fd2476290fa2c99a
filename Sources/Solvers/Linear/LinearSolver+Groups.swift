internal import TenonRuntime

// Groups: variables that required equations of two make one.

extension LinearSolver {
  func makeGroup(_ members: [Int]) -> Int {
    let group = freeGroups.popLast() ?? groups.count
    if group == groups.count {
      groups.append(LinearGroup(members: members))
    } else {
      groups[group] = LinearGroup(members: members)
    }
    return group
  }

  /// What an equation of two variables says of the first: `factor * second + offset`.
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
    if a.group == b.group {
      // first = factor * second + offset, both in terms of the group.
      let slope = a.factor - factor * b.factor
      let rest = a.offset - factor * b.offset - offset
      if !isNearZero(slope, a.factor) {
        try joinComponent(index)
        return
      }
      guard isNearZero(rest, max(a.offset.magnitude, offset.magnitude)) else {
        throw SolverConflict(
          .unsatisfiable, formulas(way(from: first, to: second, within: a.group) + [index]))
      }
      records[index]?.role = .redundant
      groups[a.group].redundant.append(index)
      return
    }
    let isBound = (groups[a.group].component >= 0, groups[b.group].component >= 0)
    if isBound.0, isBound.1 {
      // Two variables of systems that are solved: one equation more.
      try joinComponent(index)
      return
    }
    // The smaller group is put in terms of the larger one, or of the one that is part of a system:
    // small = scale * large + shift.
    let isFirstSmaller =
      isBound.0 == isBound.1
      ? groups[a.group].members.count <= groups[b.group].members.count : isBound.1
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
    let isShifted = scale == .one
    for member in before.members {
      variables[member].group = large
      let factor = variables[member].factor
      if isShifted, factor == .one {
        variables[member].offset = variables[member].offset + shift
      } else {
        variables[member].offset = factor * shift + variables[member].offset
        variables[member].factor = factor * scale
      }
    }
    for member in before.members {
      variables[member].position = groups[large].members.count
      groups[large].members.append(member)
    }
    groups[large].redundant += before.redundant
    groups[large].pinnedCount += before.pinnedCount
    if before.leader < 0 || groups[large].leader < 0 {
      groups[large].leader = -1
    } else if isYounger(before.leader, groups[large].leader) {
      groups[large].leader = before.leader
    }
    groups[small] = LinearGroup()
    freeGroups.append(small)
    records[index]?.role = .edge
    edges[index] = (first, second)
    if isTrivial {
      forgetOrder(large)
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

  /// Takes an equation out of a group, which falls apart unless others hold it together.
  ///
  /// - Complexity: O(the smaller part).
  func cut(_ index: Int) {
    guard let record = records[index] else { return }
    records[index]?.role = .waiting
    edges[index] = (-1, -1)
    let (first, second) = (record.terms[0].variable, record.terms[1].variable)
    let group = variables[first].group
    let component = groups[group].component
    let part = smallerPart(first, second, without: index)
    let new = makeGroup(part)
    for (index, member) in part.enumerated() {
      // The last one takes the place of the one that leaves.
      let place = variables[member].position
      let last = groups[group].members.removeLast()
      if last != member {
        groups[group].members[place] = last
        variables[last].position = place
      }
      variables[member].position = index
      variables[member].group = new
    }
    let pinned = part.count { variables[$0].isPinned }
    groups[new].pinnedCount = pinned
    groups[group].pinnedCount -= pinned
    // Who is the youngest is asked when values are: a part that comes back needs no search.
    groups[new].leader = -1
    if groups[group].leader >= 0, variables[groups[group].leader].group == new {
      groups[group].leader = -1
    }
    let redundant = groups[group].redundant
    groups[group].redundant = []
    if component >= 0 { dissolve(component) }
    for other in redundant where other != index {
      // What was superfluous may be what holds it together now; it agrees with the others.
      try? joinGroups(other)
    }
  }

  /// The member that was written last.
  func leader(of group: Int) -> Int {
    let known = groups[group].leader
    if known >= 0 { return known }
    let found = youngest(groups[group].members)
    groups[group].leader = found
    return found
  }

  private func youngest(_ members: [Int]) -> Int {
    var youngest = members.first ?? -1
    for member in members.dropFirst() where isYounger(member, youngest) { youngest = member }
    return youngest
  }

  /// The variables on the side of an edge that has fewer.
  private func smallerPart(_ first: Int, _ second: Int, without index: Int) -> [Int] {
    visits += 2
    var sides = [[first], [second]]
    variables[first].visit = visits - 1
    variables[second].visit = visits
    var next = [0, 0]
    // Both sides grow in turns, so that the smaller one ends the search.
    while true {
      for side in 0...1 {
        guard next[side] < sides[side].count else { return sides[side] }
        let variable = sides[side][next[side]]
        next[side] += 1
        for place in variables[variable].records {
          let edge = edges[place]
          guard edge.first >= 0 else { continue }
          let other = edge.first == variable ? edge.second : edge.first
          guard variables[other].visit != visits - 1 + side else { continue }
          variables[other].visit = visits - 1 + side
          sides[side].append(other)
        }
      }
    }
  }

  /// The edges on the way between two variables of a group.
  func way(from first: Int, to second: Int, within group: Int) -> [Int] {
    var cameBy: [Int: (variable: Int, record: Int)] = [:]
    var queue = [first]
    var next = 0
    while next < queue.count {
      let variable = queue[next]
      next += 1
      if variable == second { break }
      for place in variables[variable].records {
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
