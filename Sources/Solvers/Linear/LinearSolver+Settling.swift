public import TenonSolverKit
internal import TenonTables

// A turn: the values of groups and components after changes.

extension LinearSolver {
  /// Satisfies the constraints after changes.
  ///
  /// - Complexity: O(members) for a lone group; O(occurrences of the written variables) for a
  ///   component where only values change; else a search with the simplex method.
  public func settle(_ transaction: Transaction) {
    var edited: [Int] = []
    isInterrupted = false
    defer {
      // From now on they count as much as others.
      for follower in followers { forgetAges(of: follower) }
      followers = []
      if !begun.isEmpty { endBeginnings() }
    }
    for cell in transaction.changed {
      guard let index = index(of: cell) else { continue }
      let number = transaction.number(of: cell)
      if let number, !number.isFinite {
        refuse(SolverConflict(.noNumber, [reason(for: index)], cells: [cell]), [], transaction)
        return
      }
      variables[index].value = number
      variables[index].isKnown = true
      if edited.last != index { edited.append(index) }
    }
    var groups = edited.map { variables[$0].group }
    do throws(SolverConflict) {
      for formula in transaction.forced {
        let index = Int(recordOfFormula[formula.rawValue])
        guard index >= 0 else { continue }
        try readAgain(index)
        groups += (records[index]?.terms ?? []).map { variables[$0.variable].group }
        // A pinned cell follows nothing here, and the formula of a retry has been followed before.
        if !transaction.isRetried(formula),
          let output = records[index]?.constraint.formulas.first?.output,
          let follower = self.index(of: output), !edited.contains(follower),
          !variables[follower].isPinned
        {
          followers.insert(follower)
        }
      }
      try solve(groups, edited: edited, transaction)
    } catch {
      refuse(error, edited, transaction)
    }
  }

  private func solve(
    _ affected: [Int], edited: [Int], _ transaction: Transaction
  ) throws(SolverConflict) {
    var done: Set<Int> = []
    let cause = edited.first.map { variables[$0].cell }
    for group in affected {
      let component = groups[group].component
      if affected.count > 1 {
        guard done.insert(component >= 0 ? component : -2 - group).inserted else { continue }
      }
      if component < 0 {
        try solveGroup(group, edited: edited, transaction, cause)
      } else {
        try solveComponent(component, edited: edited, transaction, cause)
      }
    }
  }

  private func refuse(
    _ conflict: SolverConflict, _ edited: [Int], _ transaction: Transaction
  ) {
    forgetTurn()
    transaction.refuse(conflict)
  }

  /// Takes the news that a turn was given up: the values of all cells have to be read again.
  ///
  /// - Complexity: O(variables).
  public func forgetTurn() {
    for index in 0..<variables.count { variables[index].isKnown = false }
    for index in components.indices { components[index]?.solution = nil }
  }

  // MARK: Lone groups

  private func solveGroup(
    _ group: Int, edited: [Int], _ transaction: Transaction, _ cause: CellID?
  ) throws(SolverConflict) {
    var leader = leader(of: group)
    if groups[group].pinnedCount > 0 {
      let pinned = pinnedValues(of: group)
      // As long as the formula that pins it has no value, the group waits for one.
      if pinned.isEmpty { return }
      if let first = pinned.first {
        leader = first.variable
        let value = inGroup(first.variable, first.value)
        let own = edited.first { variables[$0].group == group }.flatMap { variable in
          self.value(of: variable).map { (variable: variable, value: $0) }
        }
        let all = pinned + (own.map { [$0] } ?? [])
        for other in all.dropFirst() {
          let there = inGroup(other.variable, other.value)
          if !isNear(there, value, unit: unit(of: group)) {
            throw conflict(connectedRecords(group), fixed: all)
          }
        }
      }
    }
    let own = leader >= 0 && !followers.contains(leader) ? self.value(of: leader) : nil
    guard let value = own.map({ inGroup(leader, $0) }) ?? groupValue(group) else { return }
    let source = own == nil ? speaker(for: group) : leader
    let given = source < 0 ? nil : self.value(of: source)
    write(
      value, to: group, except: own == nil ? -1 : leader, edited,
      LinearSteps(from: source, given, self), transaction, cause)
  }

  /// Sets the members of a group to the values that follow from its value; inexact ones to the value of
  /// `steps`.
  private func write(
    _ value: SolverNumber, to group: Int, except leader: Int, _ edited: [Int],
    _ steps: LinearSteps, _ transaction: Transaction, _ cause: CellID?
  ) {
    var member = groups[group].first
    let count = groups[group].count
    // Members that are all equal to a known one need no constraint.
    let isPlain =
      groups[group].component < 0 && leader >= 0 && variables[leader].factor == .one
      && variables[leader].offset.isZero
    groups[group].isFresh = false
    // Code that runs when a place is set may change the group: the ring leads on all the same.
    for _ in 0..<count {
      defer { member = Int(variables[member].next) }
      // The formula that pins a member has given it its value, or none.
      if member == leader || variables[member].isPinned { continue }
      let variable = variables[member]
      if variable.isKnown, variable.value == nil, edited.contains(member) {
        // An empty value was written: the place stays empty until another value is written.
        forgetValues(variable.group)
        continue
      }
      var number = variable.factor == .one ? value : variable.factor * value
      if !variable.offset.isZero { number = number + variable.offset }
      guard number.isFinite else { continue }
      if !number.isExact, !isPlain || variable.factor != .one || !variable.offset.isZero {
        number = steps.value(of: member, insteadOf: number)
      }
      set(member, to: number, transaction, cause)
    }
  }

  /// Marks the value of a cell unknown: it may differ from the one computed for it.
  private func loseSight(of member: Int) {
    variables[member].isKnown = false
    forgetValues(variables[member].group)
  }

  /// Returns whether two numbers are the same but for the rounding of a few operations.
  private func isSame(_ left: SolverNumber, _ right: SolverNumber) -> Bool {
    if left.isExact, right.isExact { return left == right }
    let (a, b) = (left.double, right.double)
    return a == b || (a - b).magnitude <= 1e-12 * Swift.max(a.magnitude, b.magnitude)
  }

  // MARK: Components

  private func solveComponent(
    _ component: Int, edited: [Int], _ transaction: Transaction, _ cause: CellID?
  ) throws(SolverConflict) {
    let own = edited.filter { groups[variables[$0].group].component == component }
    if let solution = components[component]?.solution {
      if own.isEmpty, solution.isQuiet, writeDefined(of: solution, transaction, cause) { return }
      solution.forgetDefined()
    }
    if let solution = components[component]?.solution, solution.isSettled,
      let changed = assign(own, in: solution)
    {
      let keepers = own.map { variables[$0].group }
      let steps = LinearSteps(solution, changed: changed, self)
      for local in changed {
        let group = solution.group(at: local)
        guard group >= 0 else { continue }
        let keeper = keepers.contains(group) ? keeper(of: group, own) : -1
        write(
          solution.system.values[local], to: group, except: keeper, own, steps, transaction, cause)
      }
      return
    }
    let records = components[component]?.records ?? []
    guard let solution = components[component]?.solution ?? build(records) else {
      try check(component, group: -1)
      return
    }
    components[component]?.solution = solution
    let ordered = own.reversed().reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }
    try optimize(solution, edited: ordered.sorted { isYounger($0, $1) })
    let unknown = unknownVariables(of: solution, edited: own)
    if !unknown.isEmpty { solution.isQuiet = false }
    let steps = LinearSteps(solution, changed: nil, self)
    for (local, group) in solution.groupOf.sorted(by: { $0.key < $1.key }) {
      guard !unknown.contains(local) else { continue }
      write(
        solution.system.values[local], to: group, except: keeper(of: group, own), own, steps,
        transaction, cause)
    }
  }

  /// Sets defined variables that were added to the values that follow.
  ///
  /// - Returns: false when more has to be done: the variables may give way to nothing but each other.
  private func writeDefined(
    of solution: LinearSolution, _ transaction: Transaction, _ cause: CellID?
  ) -> Bool {
    guard solution.defined.allSatisfy({ followers.contains($0.variable) }) else { return false }
    let defined = solution.defined
    solution.defined = []
    for (variable, record) in defined {
      guard let local = solution.localOf[variables[variable].group] else { continue }
      groups[variables[variable].group].isFresh = false
      let number =
        variables[variable].factor * solution.system.values[local] + variables[variable].offset
      guard number.isFinite else { continue }
      set(
        variable, to: asWritten(variable, by: record, insteadOf: number), transaction, cause)
    }
    return true
  }

  /// Returns the value that a variable's defining constraint gives it as it is written: see `LinearSteps`.
  private func asWritten(
    _ variable: Int, by index: Int, insteadOf number: SolverNumber
  ) -> SolverNumber {
    let cell = variables[variable].cell
    guard !number.isExact, let record = records[index],
      let own = record.terms.first(where: { $0.variable == variable })?.factor,
      let form = record.constraint.linear
    else { return number }
    let isUnit = own.magnitude == .one
    var sum: SolverNumber?
    for term in form.terms where term.cell != cell {
      guard
        let part = part(of: term, isUnit && own.isNegative ? term.number : -term.number)
      else { return number }
      sum = sum.map { $0 + part } ?? part
    }
    guard let sum else { return number }
    let value = isUnit ? sum : sum / own
    return isNear(value.double, number.double) ? value : number
  }

  /// Returns the coefficient of a term's variable, with a factor in place of the term's own; nil where a
  /// constant is missing, or 0 and divides.
  func coefficient(of term: LinearForm.Term, _ factor: SolverNumber) -> SolverNumber? {
    var factor = factor
    for cell in term.factors {
      guard let value = values?[cell] else { return nil }
      factor = factor * value
    }
    for cell in term.divisors {
      guard let value = values?[cell], !value.isZero else { return nil }
      factor = factor / value
    }
    return factor
  }

  /// Returns the value of a term, with a factor in place of its own.
  private func part(of term: LinearForm.Term, _ factor: SolverNumber) -> SolverNumber? {
    guard let factor = coefficient(of: term, factor) else { return nil }
    guard let other = term.cell else { return factor }
    return index(of: other).flatMap { value(of: $0) }.map { factor * $0 }
  }

  /// Sets a variable to a value, unless it has it.
  @inline(__always)
  private func set(
    _ member: Int, to number: SolverNumber, _ transaction: Transaction, _ cause: CellID?
  ) {
    let variable = variables[member]
    let old = variable.isKnown ? variable.value : value(of: member)
    if let old, isSame(old, number) { return }
    variables[member].value = number
    let isSet = transaction.set(variable.cell, to: number, by: variable.reason, because: cause)
    // For whatever reason the value was not set, the place may hold another one.
    if !isSet { loseSight(of: member) }
  }

  /// Returns the member of a group that was written and keeps its value to the bit, or -1.
  private func keeper(of group: Int, _ edited: [Int]) -> Int {
    let leader = leader(of: group)
    guard leader >= 0, let value = value(of: leader), edited.contains(leader) else { return -1 }
    let component = groups[group].component
    guard component >= 0, let solution = components[component]?.solution,
      let local = solution.localOf[group]
    else { return leader }
    // An earlier write may have had to give way to a later one.
    let now = solution.system.values[local]
    return isNear(inGroup(leader, value), now, unit: unit(of: group)) ? leader : -1
  }

  /// Sets only the values of the written variables.
  ///
  /// - Returns: the variables that may have changed; nil when more has to be done.
  private func assign(_ edited: [Int], in solution: LinearSolution) -> [Int]? {
    guard !edited.isEmpty else { return nil }
    var changes: [(variable: Int, value: SolverNumber)] = []
    for variable in edited {
      let group = variables[variable].group
      let pinned = groups[group].pinnedCount
      guard leader(of: group) == variable || variables[variable].isPinned && pinned == 1,
        pinned == 0 || variables[variable].isPinned && pinned == 1,
        let local = solution.localOf[group], !solution.system.isBasic(local),
        solution.isMet[local], let value = value(of: variable)
      else { return nil }
      changes.removeAll { $0.variable == local }
      changes.append((local, inGroup(variable, value)))
    }
    return solution.system.assign(changes)
  }

  /// Returns the unknown variables: those without a value that nothing determines, and those that depend
  /// on them.
  private func unknownVariables(of solution: LinearSolution, edited: [Int]) -> Set<Int> {
    let system = solution.system
    var unknown: Set<Int> = []
    for (local, group) in solution.groupOf {
      guard !system.isBasic(local), groupValue(group) == nil, !solution.isMet[local],
        system.values[local].isZero
      else { continue }
      let isBound =
        system.lower[local].map { $0.isZero } ?? false
        && system.upper[local].map { $0.isZero } ?? false
      if !isBound { unknown.insert(local) }
    }
    if unknown.isEmpty { return unknown }
    for row in system.rows where row.terms.contains(where: { unknown.contains($0.variable) }) {
      unknown.insert(row.basic)
    }
    return unknown
  }
}
