internal import TenonRuntime

// Components: groups that general constraints join. A component is built when it is needed and kept
// as long as its constraints stand.

extension LinearSolver {
  /// Makes a constraint part of the component of its groups.
  func joinComponent(_ index: Int) throws(SolverConflict) {
    guard let record = records[index] else { return }
    records[index]?.role = .general
    let touched = Set(record.terms.map { variables[$0.variable].group })
    let old = Set(touched.map { groups[$0].component }).filter { $0 >= 0 }.sorted()
    let solutions = old.map { components[$0]?.solution }
    let component = mergeComponents(old) ?? makeComponent([])
    components[component]?.records.append(index)
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

  /// Makes one component of several; nil of none.
  func mergeComponents(_ old: [Int]) -> Int? {
    // The smaller ones move.
    let size = { (component: Int) in self.components[component]?.records.count ?? 0 }
    let old = Set(old).sorted { (size($1), $0) < (size($0), $1) }
    guard let first = old.first else { return nil }
    for other in old.dropFirst() {
      let moved = components[other]?.records ?? []
      components[first]?.records += moved
      components[other] = nil
      freeComponents.append(other)
      for index in moved { mark(index, first) }
    }
    return first
  }

  private func mark(_ index: Int, _ component: Int) {
    for term in records[index]?.terms ?? [] {
      groups[variables[term.variable].group].component = component
    }
  }

  /// Sees to it that a component that has changed is built anew, and that its groups know it.
  func attach(_ component: Int) {
    components[component]?.solution = nil
    for index in components[component]?.records ?? [] { mark(index, component) }
  }

  /// Takes a constraint out of its component, which may fall apart.
  func leaveComponent(_ index: Int) {
    guard let record = records[index] else { return }
    records[index]?.role = .waiting
    guard let term = record.terms.first else { return }
    let component = groups[variables[term.variable].group].component
    guard component >= 0 else { return }
    components[component]?.records.removeAll { $0 == index }
    for term in record.terms { groups[variables[term.variable].group].component = -1 }
    dissolve(component)
  }

  /// Finds out anew which constraints of a component are connected.
  func dissolve(_ component: Int) {
    let all = components[component]?.records ?? []
    for group in groups.indices where groups[group].component == component {
      groups[group].component = -1
    }
    components[component] = nil
    freeComponents.append(component)
    for index in all {
      guard let record = records[index] else { continue }
      let touched = Set(record.terms.map { variables[$0.variable].group })
      let old = Set(touched.map { groups[$0].component }).filter { $0 >= 0 }.sorted()
      let target = mergeComponents(old) ?? makeComponent([])
      components[target]?.records.append(index)
      mark(index, target)
    }
  }

  /// Checks that a required constraint that has come in can hold with the others.
  ///
  /// - Throws: `SolverConflict` with a minimal set; the constraint has to be taken out then.
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

  /// The equations that join a group.
  private func edges(of group: Int) -> [Int] {
    guard group >= 0 else { return [] }
    return Set(
      groups[group].members.flatMap { member in
        variables[member].records.filter {
          records[$0]?.role == .edge || records[$0]?.role == .redundant
        }
      }
    ).sorted()
  }

  /// All constraints that are connected with a group.
  func connectedRecords(_ group: Int) -> [Int] {
    guard group >= 0 else { return [] }
    let component = groups[group].component
    guard component >= 0 else { return edges(of: group) }
    let general = components[component]?.records ?? []
    let joined = Set(
      general.flatMap { records[$0]?.terms ?? [] }.map { variables[$0.variable].group })
    return Set(general + joined.flatMap { edges(of: $0) }).sorted()
  }

  /// All constraints of a component that is solved.
  func connectedRecords(_ solution: LinearSolution) -> [Int] {
    solution.groupOf.values.first.map { connectedRecords($0) } ?? []
  }
}
