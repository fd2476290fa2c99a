internal import TenonSolverKit
internal import TenonTables

// Components: groups that general constraints join. A component is built when it is needed and kept
// as long as its constraints stand.

extension LinearSolver {
  /// Adds a constraint to the component of its groups.
  func joinComponent(_ index: Int) throws(SolverConflict) {
    guard let record = records[index] else { return }
    records[index]?.role = .general
    let touched = Set(record.terms.map { variables[$0.variable].group })
    let old = Set(touched.map { groups[$0].component }).filter { $0 >= 0 }.sorted()
    let solutions = old.map { component in
      components[component]?.solution ?? build(components[component]?.records ?? [])
    }
    let component = mergeComponents(old) ?? makeComponent([])
    append(index, to: component)
    mark(index, component)
    if let solution = extend(solutions, by: record, index) {
      components[component]?.solution = solution
      return
    }
    attach(component)
    guard record.isRequired else { return }
    do throws(SolverConflict) {
      try check(component, group: -1)
    } catch {
      leaveComponent(index)
      throw error
    }
  }

  private func makeComponent(_ records: [Int]) -> Int {
    let made = LinearComponent(records: records)
    if let free = freeComponents.popLast() {
      components[free] = made
      return free
    }
    components.append(made)
    return components.count - 1
  }

  /// Merges several components into one; returns nil for none.
  func mergeComponents(_ old: [Int]) -> Int? {
    // The smaller ones move.
    let size = { (component: Int) in self.components[component]?.records.count ?? 0 }
    let old = Set(old).sorted { (size($1), $0) < (size($0), $1) }
    guard let first = old.first else { return nil }
    for other in old.dropFirst() {
      let moved = components[other]?.records ?? []
      components[other] = nil
      freeComponents.append(other)
      for index in moved {
        append(index, to: first)
        mark(index, first)
      }
    }
    return first
  }

  private func append(_ index: Int, to component: Int) {
    records[index]?.position = components[component]?.records.count ?? 0
    components[component]?.records.append(index)
  }

  /// Removes a constraint from the list of its component.
  private func removeFromList(_ index: Int, of component: Int) {
    guard let position = records[index]?.position,
      let last = components[component]?.records.popLast(), last != index
    else { return }
    components[component]?.records[position] = last
    records[last]?.position = position
  }

  private func mark(_ index: Int, _ component: Int) {
    for term in records[index]?.terms ?? [] {
      let group = variables[term.variable].group
      groups[group].component = component
      forgetSteps(group)
    }
  }

  /// Marks a changed component to be built anew, and enters it in its groups.
  func attach(_ component: Int) {
    components[component]?.solution = nil
    for index in components[component]?.records ?? [] { mark(index, component) }
  }

  /// Removes a constraint from its component, which may fall apart.
  ///
  /// - Complexity: O(occurrences) for an inequality or a soft constraint where the component holds together
  ///   close by, or the split part is small; else the component is built anew when it is needed.
  func leaveComponent(_ index: Int) {
    guard let record = records[index] else { return }
    record.role = .waiting
    guard let term = record.terms.first else { return }
    let component = groups[variables[term.variable].group].component
    guard component >= 0 else { return }
    removeFromList(index, of: component)
    let touched = Set(record.terms.map { variables[$0.variable].group }).sorted()
    if let solution = components[component]?.solution, takeOut(index, of: solution),
      divide(component, solution, between: touched)
    {
      return
    }
    for group in touched where groups[group].component == component {
      groups[group].component = -1
    }
    dissolve(component)
  }

  /// Removes a constraint from a solved system.
  ///
  /// - Returns: false when the system has to be built anew: an eliminated equation cannot be found in
  ///   it.
  private func takeOut(_ index: Int, of solution: LinearSolution) -> Bool {
    solution.order = nil
    solution.forgetDefined()
    if let local = solution.boundOf.removeValue(forKey: index) {
      solution.bounds[local]?.removeAll { $0.record == index }
      solution.system.removeBounds(local)
      for bound in solution.bounds[local] ?? [] {
        if let low = bound.low { solution.system.raiseLower(local, to: low) }
        if let high = bound.high { solution.system.reduceUpper(local, to: high) }
      }
      return true
    }
    if let local = solution.measureOf[index] {
      solution.system.retire(local)
      solution.forgetMeasure(of: index)
      if !(records[index]?.isRequired ?? true) { solution.wishes.removeAll { $0.record == index } }
      solution.isSettled = false
      return true
    }
    return solution.empty.remove(index) != nil
  }

  /// Finds the connected components of a component's constraints anew.
  func dissolve(_ component: Int) {
    let all = components[component]?.records ?? []
    for index in all { mark(index, -1) }
    components[component] = nil
    freeComponents.append(component)
    for index in all {
      guard let record = records[index] else { continue }
      let touched = Set(record.terms.map { variables[$0.variable].group })
      let old = Set(touched.map { groups[$0].component }).filter { $0 >= 0 }.sorted()
      let target = mergeComponents(old) ?? makeComponent([])
      append(index, to: target)
      mark(index, target)
    }
  }

  // MARK: Falling apart

  /// The number of occurrences that a search looks at before finding all components anew is cheaper.
  private static let searchLimit = 1_024

  /// Divides a component from which a constraint between some groups was removed.
  ///
  /// - Returns: false when it would take long to find out whether the component holds together.
  private func divide(
    _ component: Int, _ solution: LinearSolution, between touched: [Int]
  ) -> Bool {
    var open = touched
    open.removeAll { group in
      guard !isBound(group) else { return false }
      groups[group].component = -1
      solution.forget(group)
      return true
    }
    if components[component]?.records.isEmpty ?? true {
      components[component] = nil
      freeComponents.append(component)
      return true
    }
    while open.count > 1 {
      var isSplit = false
      for group in open {
        guard let part = part(around: group, until: open) else { continue }
        if open.allSatisfy({ part.groups.contains($0) }) { return true }
        separate(part, from: component, solution)
        open.removeAll { part.groups.contains($0) }
        isSplit = true
        break
      }
      if !isSplit { return false }
    }
    return true
  }

  /// Returns whether general constraints use a group.
  private func isBound(_ group: Int) -> Bool {
    var member = groups[group].first
    for _ in 0..<groups[group].count {
      var use = variables[member].firstUse
      while use >= 0 {
        if records[Int(uses[use].record)]?.role == .general { return true }
        use = uses[use].nextOfVariable
      }
      member = Int(variables[member].next)
    }
    return false
  }

  private struct Part {
    var groups: Set<Int>
    var records: Set<Int> = []
  }

  /// Returns the part connected with a group: all of it, or enough to contain all the wanted groups.
  ///
  /// - Returns: nil when the search passes its limit.
  private func part(around start: Int, until wanted: [Int]) -> Part? {
    var part = Part(groups: [start])
    var missing = Set(wanted)
    missing.remove(start)
    var queue = [start]
    var next = 0
    var steps = 0
    while next < queue.count {
      let group = queue[next]
      next += 1
      var member = groups[group].first
      for _ in 0..<groups[group].count {
        var use = variables[member].firstUse
        while use >= 0 {
          steps += 1
          if steps > LinearSolver.searchLimit { return nil }
          let index = Int(uses[use].record)
          use = uses[use].nextOfVariable
          guard let record = records[index], record.role == .general,
            part.records.insert(index).inserted
          else { continue }
          for term in record.terms {
            let other = variables[term.variable].group
            guard part.groups.insert(other).inserted else { continue }
            queue.append(other)
            missing.remove(other)
            if missing.isEmpty { return part }
          }
        }
        member = Int(variables[member].next)
      }
    }
    return part
  }

  /// Makes a part that no constraint joins to the rest a component of its own.
  private func separate(_ part: Part, from component: Int, _ solution: LinearSolution) {
    let new = makeComponent([])
    for index in part.records.sorted() {
      removeFromList(index, of: component)
      append(index, to: new)
      if let local = solution.boundOf.removeValue(forKey: index) { solution.bounds[local] = nil }
      if let local = solution.measureOf[index] {
        solution.system.discard(local)
        solution.forgetMeasure(of: index)
      }
      solution.empty.remove(index)
    }
    solution.wishes.removeAll { part.records.contains($0.record) }
    for group in part.groups {
      groups[group].component = new
      solution.forget(group)
    }
  }

  /// Checks that an added required constraint can hold with the others.
  ///
  /// - Throws: `SolverConflict` with a minimal set; the constraint has to be removed then.
  func check(_ component: Int?, group: Int) throws(SolverConflict) {
    if let component {
      if let solution = build(components[component]?.records ?? []) {
        components[component]?.solution = solution
        return
      }
      let joined = Set(
        (components[component]?.records ?? []).flatMap { records[$0]?.terms ?? [] }
          .map { variables[$0.variable].group })
      let all = Set((components[component]?.records ?? []) + joined.flatMap { edges(of: $0) })
      let pinned = joined.sorted().flatMap { pinnedValues(of: $0) }
      throw conflict(all.sorted(), fixed: pinned)
    }
    let fixed = pinnedValues(of: group)
    let joining = edges(of: group)
    if !isFeasible(joining, fixed: fixed) { throw conflict(joining, fixed: fixed) }
  }

  /// Returns the equations that join a group.
  private func edges(of group: Int) -> [Int] {
    guard group >= 0 else { return [] }
    return Set(
      members(of: group).flatMap { member in
        records(using: member).filter {
          records[$0]?.role == .edge || records[$0]?.role == .redundant
        }
      }
    ).sorted()
  }

  /// Returns all constraints that are connected with a group.
  func connectedRecords(_ group: Int) -> [Int] {
    guard group >= 0 else { return [] }
    let component = groups[group].component
    guard component >= 0 else { return edges(of: group) }
    let general = components[component]?.records ?? []
    let joined = Set(
      general.flatMap { records[$0]?.terms ?? [] }.map { variables[$0.variable].group })
    return Set(general + joined.flatMap { edges(of: $0) }).sorted()
  }

  /// Returns all constraints of a solved component.
  func connectedRecords(_ solution: LinearSolution) -> [Int] {
    solution.groupOf.values.first.map { connectedRecords($0) } ?? []
  }
}
