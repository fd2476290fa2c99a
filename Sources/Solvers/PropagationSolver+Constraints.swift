public import TenonSolverKit
internal import TenonTables

// Adding and removing constraints: their records, and the positions of cells in statements.

extension PropagationSolver {
  /// Adds a constraint, or replaces one of the same number.
  ///
  /// - Throws: `SolverConflict` when no choice of formulas satisfies it with the others.
  /// - Complexity: O(constraints above the cells it joins, and below the one it computes).
  public func add(_ constraint: ConstraintIR) throws(SolverConflict) {
    let known = constraintsByNumber[constraint.id.rawValue]
    if known >= 0 {
      // The new formulas include the chosen one, or the constraint has to be chosen for anew.
      let output = output(known)
      let cell = output < 0 ? nil : CellID(variables[output].id)
      let isKept = constraint.formulas.contains { $0.output == cell }
      if isKept, constraint.cells.count == memberCount(of: known),
        replaceFormulas(of: known, by: constraint)
      {
        return
      }
      remove(constraint.id)
    }
    let wasTangled = isTangled
    let entry = enter(constraint)
    do throws(SolverConflict) {
      try choose(for: entry)
      var member = constraints[entry].firstMember
      while isMember(member, of: entry) {
        if variables[members[member].variable].source < 0 { markKept(members[member].variable) }
        member += 1
      }
    } catch {
      isTangled = wasTangled
      remove(constraint.id)
      throw error
    }
  }

  private func enter(_ constraint: ConstraintIR) -> Int32 {
    let record = PropagationConstraint(strength: constraint.strength)
    let entry: Int32
    if freeConstraint >= 0 {
      entry = freeConstraint
      freeConstraint = constraints[entry].firstMember
      constraints[entry] = record
    } else {
      entry = Int32(constraints.count)
      constraints.append(record)
    }
    constraintsByNumber.set(constraint.id.rawValue, to: entry)
    if constraint.strength < .required, let order = constraint.formulas.map(\.order).min() {
      orders.set(entry, to: Int32(clamping: order))
    }
    // The cells stand in the order of the first statement.
    visit &+= 1
    joined.removeAll()
    if !constraint.formulas.isEmpty {
      let first = firstStatement(of: constraint)
      join(constraint.formulas[first].output)
      for cell in constraint.formulas[first].inputs { join(cell) }
    }
    for cell in constraint.cells { join(cell) }
    for formula in constraint.formulas { join(formula.output) }
    addMembers(of: entry, constraint)
    hasPlan = false
    return entry
  }

  /// Adds a cell to the constraint that is being entered.
  private func join(_ cell: CellID) {
    let variable = variable(cell)
    if variables[variable].visit == visit { return }
    variables[variable].visit = visit
    joined.append(variable)
  }

  private func addMembers(of entry: Int32, _ constraint: ConstraintIR) {
    var member = takeMembers(joined.count)
    constraints[entry].firstMember = member
    visit &+= 1
    let many = placesOfMany()
    for formula in constraint.formulas {
      let variable = variable(formula.output)
      if variables[variable].visit == visit { continue }
      variables[variable].visit = visit
      add(member, .init(constraint: entry, variable: variable, formula: formula.id.rawValue))
      setPlace(many?[variable] ?? place(variable), of: member)
      member += 1
    }
    for index in 0..<joined.count where variables[joined[index]].visit != visit {
      add(member, .init(constraint: entry, variable: joined[index], formula: -1))
      setPlace(Int32(index), of: member)
      member += 1
    }
    compareStatements(of: entry, constraint)
    updateLefts(of: entry, true)
  }

  /// Returns the distance from the left of a member's cell in its statement, in eighths of a position.
  private func left(_ member: Int32, of entry: Int32) -> Int32 {
    let left = lefts[member]
    return left >= 0 ? left : 8 * place(of: member, from: constraints[entry].firstMember)
  }

  /// Computes for a constraint of several statements the average position of each cell in them: that does
  /// not depend on which of them came first.
  private func compareStatements(of entry: Int32, _ constraint: ConstraintIR) {
    var count = 0
    for index in constraint.formulas.indices where !constraint.formulas[index].isInverse {
      count += 1
    }
    guard count > 1 else { return }
    let sums: (CellID) -> Int
    if joined.count <= 16 {
      sums = { cell in
        var sum = 0
        for index in constraint.formulas.indices where !constraint.formulas[index].isInverse {
          if let place = constraint.formulas[index].inputs.firstIndex(of: cell) {
            sum += place + 1
          }
        }
        return sum
      }
    } else {
      var table: [CellID: Int] = [:]
      for statement in constraint.formulas where !statement.isInverse {
        for (place, cell) in statement.inputs.enumerated() {
          table[cell, default: 0] += place + 1
        }
      }
      sums = { table[$0] ?? 0 }
    }
    var member = constraints[entry].firstMember
    while isMember(member, of: entry) {
      let sum = sums(CellID(variables[members[member].variable].id))
      lefts.set(member, to: Int32(clamping: 8 * sum / count))
      member += 1
    }
  }

  /// Returns the index of the first formula that is a statement, and not the inverse of one.
  private func firstStatement(of constraint: ConstraintIR) -> Int {
    for index in constraint.formulas.indices where !constraint.formulas[index].isInverse {
      return index
    }
    return 0
  }

  /// Counts the positions of a constraint's cells in its statement, or removes them from the counts.
  private func updateLefts(of entry: Int32, _ isNew: Bool) {
    var member = constraints[entry].firstMember
    while isMember(member, of: entry) {
      let left = left(member, of: entry)
      let variable = members[member].variable
      let before = variables[variable].left
      if isNew { variables[variable].left.add(left) } else { variables[variable].left.remove(left) }
      // The position of written cells does not matter.
      if variables[variable].age == 0, before.place != variables[variable].left.place {
        if !isNew {
          // Its member is still there: the new position is computed later.
          raise(variable)
        } else {
          loosen(variable)
          if variables[variable].source < 0 { markKept(variable) }
        }
      }
      member += 1
    }
  }

  /// Returns the least distance of a cell from the left in any statement.
  func leftMost(_ variable: Int32) -> UInt32 {
    if variables[variable].left.isUnknown {
      var left = LeftMost()
      var member = variables[variable].firstMember
      while member >= 0 {
        left.add(self.left(member, of: members[member].constraint))
        member = members[member].nextOfVariable
      }
      variables[variable].left = left
    }
    return variables[variable].left.place
  }

  private func setPlace(_ place: Int32, of member: Int32) {
    let isOther = place != member - constraints[members[member].constraint].firstMember
    if isOther { places.set(member, to: place) }
  }

  /// Returns the position of a member's cell in the statement, given the first member of its constraint.
  @inline(__always)
  func place(of member: Int32, from first: Int32) -> Int32 {
    let other = places[member]
    return other < 0 ? member - first : other
  }

  /// Returns the position of a cell among those that are being entered.
  private func place(_ variable: Int32) -> Int32 {
    var place: Int32 = 0
    while place < joined.count, joined[place] != variable { place += 1 }
    return place
  }

  /// Returns the same for all cells, where a search for each would take long; else nil.
  private func placesOfMany() -> [Int32: Int32]? {
    if joined.count <= 16 { return nil }
    var places: [Int32: Int32] = [:]
    for index in 0..<joined.count { places[joined[index]] = Int32(index) }
    return places
  }

  /// Appends a member to the list of its cell.
  private func add(_ member: Int32, _ record: PropagationMember) {
    members[member] = record
    let first = variables[record.variable].firstMember
    if first < 0 {
      variables[record.variable].firstMember = member
      members[member].previousOfVariable = member
      return
    }
    let last = members[first].previousOfVariable
    members[last].nextOfVariable = member
    members[member].previousOfVariable = last
    members[first].previousOfVariable = member
  }

  /// Takes a number of free records in a row, and returns the first.
  private func takeMembers(_ count: Int) -> Int32 {
    let first = count < freeMembers.count ? freeMembers[count] : -1
    if first < 0 {
      let new = members.count - 1
      members.extend(to: new + count + 1, with: .free)
      return Int32(new)
    }
    freeMembers[count] = members[first].nextOfVariable
    return first
  }

  private func removeMembers(of entry: Int32) {
    updateLefts(of: entry, false)
    let first = constraints[entry].firstMember
    var member = first
    while isMember(member, of: entry) {
      leave(member)
      members[member].constraint = -1
      places.remove(member)
      lefts.remove(member)
      member += 1
    }
    guard member > first else { return }
    let count = member - first
    if count >= freeMembers.count { freeMembers.extend(to: Int(count) + 1, with: -1) }
    members[first].nextOfVariable = freeMembers[count]
    freeMembers[count] = first
  }

  private func leave(_ member: Int32) {
    let record = members[member]
    let first = variables[record.variable].firstMember
    let next = record.nextOfVariable
    if member == first {
      if next >= 0 { members[next].previousOfVariable = record.previousOfVariable }
      variables[record.variable].firstMember = next
    } else {
      members[record.previousOfVariable].nextOfVariable = next
      members[next < 0 ? first : next].previousOfVariable = record.previousOfVariable
    }
  }

  /// Replaces the formulas of a constraint, of which one computes the same cell as now.
  ///
  /// - Returns: Whether all of them compute one of its cells; else nothing has changed.
  private func replaceFormulas(of entry: Int32, by constraint: ConstraintIR) -> Bool {
    for formula in constraint.formulas
    where member(of: entry, variable(formula.output)) < 0 { return false }
    updateLefts(of: entry, false)
    var known = 0
    var old = constraints[entry].firstMember
    while isMember(old, of: entry) {
      if members[old].formula >= 0 { known += 1 }
      members[old].formula = -1
      old += 1
    }
    for formula in constraint.formulas.reversed() {
      members[member(of: entry, variable(formula.output))].formula = formula.id.rawValue
    }
    compareStatements(of: entry, constraint)
    updateLefts(of: entry, true)
    constraints[entry].strength = constraint.strength
    hasPlan = false
    if constraint.formulas.count > known { chooseAgain(for: entry) }
    return true
  }

  /// Returns the member of a constraint that is a cell, or -1.
  private func member(of entry: Int32, _ variable: Int32) -> Int32 {
    var member = constraints[entry].firstMember
    while isMember(member, of: entry) {
      if members[member].variable == variable { return member }
      member += 1
    }
    return -1
  }

  private func memberCount(of entry: Int32) -> Int {
    var count = 0
    while isMember(constraints[entry].firstMember + Int32(count), of: entry) { count += 1 }
    return count
  }

  /// Returns the record of a cell, made when it is first asked for.
  func variable(_ cell: CellID) -> Int32 {
    let known = variablesByNumber[cell.rawValue]
    if known >= 0 { return known }
    let new = Int32(variables.count)
    variables.append(PropagationVariable(id: cell.rawValue))
    variablesByNumber.set(cell.rawValue, to: new)
    return new
  }

  /// Removes a constraint.
  ///
  /// - Complexity: O(cells it joins), when no constraint was given up because of it.
  public func remove(_ constraint: ConstraintID) {
    let entry = constraintsByNumber[constraint.rawValue]
    guard entry >= 0 else { return }
    constraintsByNumber.remove(constraint.rawValue)
    if !unsatisfied.isEmpty {
      isStale = true
      unsatisfied.removeAll { $0 == entry }
    }
    if isTangled { isStale = true }
    if !revived.entries.isEmpty { revived.entries.removeAll { $0 == entry } }
    let computed = output(entry)
    removeMembers(of: entry)
    if computed >= 0, variables[computed].source == entry {
      variables[computed].source = -1
      markKept(computed)
      loosen(computed)
    }
    constraints[entry].chosen = -1
    constraints[entry].isUsed = false
    orders.remove(entry)
    constraints[entry].firstMember = freeConstraint
    freeConstraint = entry
    hasPlan = false
    if constraintsByNumber.count == 0 { (isTangled, leastKept) = (false, .most) }
  }
}
