internal import TenonTables
public import TenonRuntime

// Which formula of each constraint computes its cell: paths that are turned around, cycles, and what is
// given up.

extension PropagationSolver {
  /// A cell that a search has come to.
  struct Step {
    let variable: Int32
    /// The constraint that could compute the cell, and its member that says how.
    let through: Int32
    let member: Int32
    /// The step to the cell that this constraint computes at present, or -1 at the start.
    let before: Int32
  }

  /// What a search upwards has found.
  struct Found {
    var steps: [Step] = []
    /// The steps to cells that could give way, the weakest first.
    var candidates: [Int] = []
    /// The steps to cells whose constraints could be given up, the weakest first.
    var victims: [Int] = []
  }

  /// Chooses a formula for a constraint that has none, turning others around where it must.
  func choose(for entry: Int32) throws(SolverConflict) {
    if chooseFree(for: entry) { return }
    let found = search(in: entry, avoiding: -1)
    var closed: [FormulaID]?
    if turn(found, in: entry, closed: &closed) { return }
    let strength = constraints[entry].strength
    if giveUp(found, for: strength, in: entry) { return }
    if strength < .required {
      unsatisfied.append(entry)
      return
    }
    if let closed { throw SolverConflict(.cycle, closed) }
    throw SolverConflict(.overdetermined, formulas(around: entry))
  }

  /// Chooses among the cells of a constraint when nothing computes any of them.
  ///
  /// - Returns: Whether that is so, and no cycle can close.
  private func chooseFree(for entry: Int32) -> Bool {
    var weakest: Int32 = -1
    var member = constraints[entry].firstMember
    while isMember(member, of: entry) {
      let variable = members[member].variable
      if variables[variable].source >= 0 { return false }
      if members[member].formula >= 0, !variables[variable].isPinned,
        weakest < 0 || isWeaker(variable, members[weakest].variable)
      {
        weakest = member
      }
      member += 1
    }
    guard weakest >= 0 else { return false }
    choose(weakest, for: entry)
    return true
  }

  /// Lets the weakest cell give way with which no cycle closes.
  func turn(_ found: Found, in entry: Int32, closed: inout [FormulaID]?) -> Bool {
    for candidate in found.candidates {
      let turned = turnAround(found, candidate)
      guard let cycle = cycle(through: entry, turned) else { return true }
      turnBack(turned)
      if closed == nil { closed = cycle }
    }
    return false
  }

  /// Gives up the weakest constraint in the way, if it is weaker than what it stands against.
  private func giveUp(_ found: Found, for strength: Strength, in entry: Int32) -> Bool {
    for step in found.victims {
      let variable = found.steps[step].variable
      let victim = variables[variable].source
      guard victim >= 0, constraints[victim].strength < strength else { continue }
      let chosen = constraints[victim].chosen
      constraints[victim].chosen = -1
      variables[variable].source = -1
      let turned = turnAround(found, step)
      if cycle(through: entry, turned) == nil {
        unsatisfied.append(victim)
        return true
      }
      turnBack(turned)
      constraints[victim].chosen = chosen
      variables[variable].source = victim
    }
    return false
  }

  /// Brings constraints into force again for which there is room now, the strongest first.
  func revive() {
    guard !unsatisfied.isEmpty else { return }
    let waiting = unsatisfied.sorted {
      (constraints[$1].strength, $0) < (constraints[$0].strength, $1)
    }
    unsatisfied = []
    for entry in waiting {
      do throws(SolverConflict) { try choose(for: entry) } catch { unsatisfied.append(entry) }
      if constraints[entry].chosen >= 0 { revived.append(entry) }
    }
    hasPlan = false
  }

  /// The formulas that stand against a constraint: its own and those that compute its cells.
  func formulas(around entry: Int32) -> [FormulaID] {
    var own: [FormulaID] = []
    var others: [(place: Int32, formula: FormulaID)] = []
    let first = constraints[entry].firstMember
    var member = first
    while isMember(member, of: entry) {
      if members[member].formula >= 0 { own.append(FormulaID(members[member].formula)) }
      let source = variables[members[member].variable].source
      if source >= 0, source != entry {
        others.append((place(of: member, from: first), formulaID(source)))
      }
      member += 1
    }
    return own + others.sorted { $0.place < $1.place }.map(\.formula)
  }

  /// Looks for cells that a constraint could compute, directly or by turning others around.
  ///
  /// - Complexity: O(constraints above).
  func search(in entry: Int32, avoiding: Int32) -> Found {
    visit &+= 1
    var found = Found()
    found.steps.reserveCapacity(8)
    if avoiding >= 0 { variables[avoiding].visit = visit }
    addSteps(through: entry, before: -1, to: &found)
    var next = 0
    while next < found.steps.count {
      let step = found.steps[next]
      let source = variables[step.variable].source
      if source >= 0, source != entry {
        if constraints[source].visit != visit {
          constraints[source].visit = visit
          if constraints[source].strength < .required { found.victims.append(next) }
          addSteps(through: source, before: Int32(next), to: &found)
        }
      } else if !variables[step.variable].isPinned {
        found.candidates.append(next)
      }
      next += 1
    }
    if found.candidates.count > 1 {
      found.candidates.sort { isWeaker(found.steps[$0].variable, found.steps[$1].variable) }
    }
    if found.victims.count > 1 {
      found.victims.sort { left, right in
        let a = variables[found.steps[left].variable].source
        let b = variables[found.steps[right].variable].source
        return (constraints[a].strength, b) < (constraints[b].strength, a)
      }
    }
    return found
  }

  /// Adds the cells that a constraint could compute and the search has not come to.
  @inline(__always)
  private func addSteps(through entry: Int32, before: Int32, to found: inout Found) {
    var member = constraints[entry].firstMember
    while isMember(member, of: entry) {
      let record = members[member]
      if record.formula >= 0, variables[record.variable].visit != visit {
        variables[record.variable].visit = visit
        found.steps.append(
          Step(variable: record.variable, through: entry, member: member, before: before))
      }
      member += 1
    }
  }

  /// Whether a cell gives way before another.
  private func isWeaker(_ left: Int32, _ right: Int32) -> Bool {
    let (a, b) = (variables[left], variables[right])
    return (a.age, a.rank) < (b.age, b.rank)
  }

  /// What turning a path around has changed.
  private struct Turned {
    var choices: [(constraint: Int32, chosen: Int32)] = []
  }

  /// Lets each constraint of a path compute the cell that the next one computed, the last one the
  /// free cell.
  private func turnAround(_ found: Found, _ end: Int) -> Turned {
    var turned = Turned()
    var path: [Int] = []
    var step = end
    while step >= 0 {
      path.append(step)
      step = Int(found.steps[step].before)
    }
    for step in path.reversed() {
      let constraint = found.steps[step].through
      turned.choices.append((constraint, constraints[constraint].chosen))
      choose(found.steps[step].member, for: constraint)
    }
    return turned
  }

  /// Takes back what `turnAround` did.
  private func turnBack(_ turned: Turned) {
    for (constraint, chosen) in turned.choices.reversed() {
      let now = output(constraint)
      if now >= 0, variables[now].source == constraint { variables[now].source = -1 }
      constraints[constraint].chosen = chosen
      if chosen >= 0 { variables[members[chosen].variable].source = constraint }
    }
  }

  /// Has a constraint compute the cell of one of its members.
  private func choose(_ member: Int32, for entry: Int32) {
    let old = output(entry)
    if old >= 0, variables[old].source == entry { variables[old].source = -1 }
    constraints[entry].chosen = member
    variables[members[member].variable].source = entry
  }

  /// The formulas of a cycle that the choice for a constraint has closed, each needing the result
  /// of the next one; nil when there is none.
  ///
  /// - Complexity: O(constraints below); O(constraints turned around) when they read nothing that is
  ///   computed elsewhere.
  private func cycle(through start: Int32, _ turned: Turned) -> [FormulaID]? {
    guard constraints[start].chosen >= 0 else { return nil }
    // A path that was turned around lies below its first constraint, so that whatever cycle it
    // closed is found from there. There is none when no constraint of the path reads a computed
    // cell besides that of the one before it.
    if !readsComputed(turned) { return nil }
    visit &+= 1
    var path: [Int32] = []
    var stack: [(constraint: Int32, isDone: Bool)] = [(start, false)]
    var closing: Int32 = -1
    while closing < 0, let (constraint, isDone) = stack.popLast() {
      if isDone {
        constraints[constraint].isOnPath = false
        path.removeLast()
        continue
      }
      guard constraints[constraint].visit != visit else { continue }
      constraints[constraint].visit = visit
      constraints[constraint].isOnPath = true
      path.append(constraint)
      stack.append((constraint, true))
      forEachReader(of: output(constraint)) { reader in
        if constraints[reader].visit == visit {
          if constraints[reader].isOnPath, closing < 0 { closing = reader }
        } else {
          stack.append((reader, false))
        }
      }
    }
    for constraint in path { constraints[constraint].isOnPath = false }
    guard closing >= 0 else { return nil }
    // From the end of the path back to where it began, the earliest formula first.
    let cycle = path.drop { $0 != closing }.map { formulaID($0) }
    return Array(cycle.prefix(1) + cycle.dropFirst().reversed())
  }

  private func readsComputed(_ turned: Turned) -> Bool {
    var before: Int32 = -1
    for (entry, _) in turned.choices {
      let output = output(entry)
      var member = constraints[entry].firstMember
      while isMember(member, of: entry) {
        let variable = members[member].variable
        if variable != output, variable != before, variables[variable].source >= 0 { return true }
        member += 1
      }
      before = output
    }
    return false
  }

  /// The constraints whose chosen formulas read a cell.
  @inline(__always)
  func forEachReader(of variable: Int32, _ body: (Int32) -> Void) {
    var member = variables[variable].firstMember
    while member >= 0 {
      let constraint = members[member].constraint
      let chosen = constraints[constraint].chosen
      if chosen >= 0, chosen != member { body(constraint) }
      member = members[member].nextOfVariable
    }
  }
}

// MARK: - Writes from outside

extension PropagationSolver {
  /// Makes a cell one that keeps its value.
  ///
  /// - Throws: `SolverConflict` when all cells above it are pinned.
  /// - Complexity: O(constraints above the cell).
  public func edit(_ cell: CellID, age: UInt64, isPinned: Bool) throws(SolverConflict) {
    let variable = variable(cell)
    let source = variables[variable].source
    if source >= 0 {
      guard release(variable, from: source) else {
        throw SolverConflict(.overdetermined, formulasAbove(variable))
      }
      hasPlan = false
    }
    variables[variable].edit(age: age, isPinned: isPinned)
  }

  /// Lets a cell be computed again.
  public func unpin(_ cell: CellID) {
    let variable = variablesByNumber[cell.rawValue]
    guard variable >= 0 else { return }
    variables[variable].unpin()
    revive()
  }

  /// Finds another cell for the constraint that computes this one, or gives a wish up.
  private func release(_ variable: Int32, from source: Int32) -> Bool {
    let found = search(in: source, avoiding: variable)
    var closed: [FormulaID]?
    if turn(found, in: source, closed: &closed) { return true }
    let weakest = found.victims.first.map { variables[found.steps[$0].variable].source }
    if constraints[source].strength < .required,
      weakest.map({ constraints[source].strength <= constraints[$0].strength }) ?? true
    {
      constraints[source].chosen = -1
      variables[variable].source = -1
      unsatisfied.append(source)
      return true
    }
    return giveUp(found, for: .required, in: source)
  }

  /// The formulas through which a cell is determined, from it upwards.
  private func formulasAbove(_ variable: Int32) -> [FormulaID] {
    visit &+= 1
    var result: [FormulaID] = []
    var queue = [variable]
    while let next = queue.popLast() {
      let source = variables[next].source
      guard source >= 0, constraints[source].visit != visit else { continue }
      constraints[source].visit = visit
      result.append(formulaID(source))
      // The first cell is to be looked at first: it is entered last.
      var read: [(place: Int32, variable: Int32)] = []
      let first = constraints[source].firstMember
      var member = first
      while isMember(member, of: source) {
        if member != constraints[source].chosen {
          read.append((place(of: member, from: first), members[member].variable))
        }
        member += 1
      }
      queue += read.sorted { $0.place > $1.place }.map(\.variable)
    }
    return result
  }
}
