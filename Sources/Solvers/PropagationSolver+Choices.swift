internal import TenonTables
public import TenonSolverKit

// The formula of each constraint that computes its cell: paths that are turned around, cycles, and
// constraints that are given up.

extension PropagationSolver {
  /// A cell that a search has reached.
  struct Step {
    let variable: Int32
    /// The constraint that could compute the cell, and its member for the cell.
    let through: Int32
    let member: Int32
    /// The step to the cell that this constraint computes at present, or -1 at the start.
    let before: Int32
  }

  /// The results of a search upwards.
  struct Found {
    var steps: [Step] = []
    /// The steps to cells that could give way, the weakest first.
    var candidates: [Int] = []
    /// The steps to cells whose constraints could be given up, the weakest first.
    var victims: [Int] = []
  }

  /// Chooses a formula for a constraint that has none, turning others around where it must.
  func choose(for entry: Int32) throws(SolverConflict) {
    var closed: [FormulaID]?
    var isMet = false
    if !isHard {
      if chooseFree(for: entry) || chooseNew(for: entry) { return }
      let found = search(in: entry, avoiding: -1)
      isMet = turn(found, in: entry, closed: &closed)
      if !isMet, closed == nil, found.victims.isEmpty, constraints[entry].strength == .required {
        throw SolverConflict(.overdetermined, formulas(around: entry))
      }
    }
    if isMet || chooseAll() { return }
    if closed == nil {
      let found = search(in: entry, avoiding: -1)
      for candidate in found.candidates where closed == nil {
        let turned = turnAround(found, candidate)
        closed = cycle(through: entry, turned)
        turnBack(turned)
      }
    }
    if let closed { throw SolverConflict(.cycle, closed) }
    throw SolverConflict(.overdetermined, formulas(around: entry))
  }

  /// Chooses a formula anew for a constraint that has further ones now.
  func chooseAgain(for entry: Int32) {
    improve()
    let output = output(entry)
    if output >= 0, variables[output].source == entry {
      variables[output].source = -1
      loosen(output)
    }
    let chosen = constraints[entry].chosen
    constraints[entry].chosen = -1
    if isHard {
      isStale = true
    } else {
      improve()
    }
    do throws(SolverConflict) {
      try choose(for: entry)
    } catch {
      // It can be kept as it was.
      constraints[entry].chosen = chosen
      if chosen >= 0 { variables[members[chosen].variable].source = entry }
    }
  }

  /// Chooses among the cells of a constraint when nothing computes any of them.
  ///
  /// - Returns: Whether no cell is computed, so that no cycle can close.
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
    if takeUp(members[weakest].variable) {
      var member = constraints[entry].firstMember
      while isMember(member, of: entry) {
        if member != weakest, members[member].formula >= 0 { loosen(members[member].variable) }
        member += 1
      }
    }
    return true
  }

  /// Makes a constraint compute a cell that no other constraint joins, if that counts less than all cells
  /// that keep their values: then no search upwards is needed.
  private func chooseNew(for entry: Int32) -> Bool {
    var weakest: Int32 = -1
    var member = constraints[entry].firstMember
    while isMember(member, of: entry) {
      let variable = variables[members[member].variable]
      if members[member].formula >= 0, variable.firstMember == member, variable.source < 0,
        members[member].nextOfVariable < 0, !variable.isPinned,
        weakest < 0 || isWeaker(members[member].variable, members[weakest].variable)
      {
        weakest = member
      }
      member += 1
    }
    guard weakest >= 0, weight(members[weakest].variable) < leastKept else { return false }
    member = constraints[entry].firstMember
    while isMember(member, of: entry) {
      if members[member].formula >= 0, variables[members[member].variable].source < 0,
        isWeaker(members[member].variable, members[weakest].variable)
      {
        return false
      }
      member += 1
    }
    choose(weakest, for: entry)
    return true
  }

  /// Lets the weakest cell give way, unless that closes a cycle.
  func turn(_ found: Found, in entry: Int32, closed: inout [FormulaID]?) -> Bool {
    guard let candidate = found.candidates.first else { return false }
    let turned = turnAround(found, candidate)
    if let cycle = cycle(through: entry, turned) {
      turnBack(turned)
      closed = cycle
      isTangled = true
      return false
    }
    // An exchange that was open for the chosen cell is open now for each other candidate.
    if takeUp(found.steps[candidate].variable) {
      for other in found.candidates.dropFirst() { loosen(found.steps[other].variable) }
    }
    return true
  }

  /// Returns the formulas that conflict with a constraint: its own and those that compute its cells.
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

  /// Searches for cells that a constraint could compute, directly or by turning others around.
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

  /// Adds the cells that a constraint could compute and the search has not reached.
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

  /// Returns whether a cell gives way before another.
  func isWeaker(_ left: Int32, _ right: Int32) -> Bool {
    let (a, b) = (variables[left].age, variables[right].age)
    if a != b { return a < b }
    let (one, other) = (weight(left), weight(right))
    return one == other ? left < right : one < other
  }

  /// How much a cell counts.
  struct Weight: BitwiseCopyable, Comparable {
    let age: UInt64
    /// Of cells never written: whether it held a value, its distance from the left, and its rank.
    let place: UInt64

    static let most = Weight(age: .max, place: .max)

    static func < (left: Weight, right: Weight) -> Bool {
      (left.age, left.place) < (right.age, right.place)
    }
  }

  func weight(_ variable: Int32) -> Weight {
    let (age, rank) = (variables[variable].age, UInt64(variables[variable].rank))
    // The position of written cells does not matter.
    if age > 0 { return Weight(age: age, place: 0) }
    let place = (rank >> 31) << 40 | UInt64(leftMost(variable)) << 31 | rank & 0x7FFF_FFFF
    return Weight(age: 0, place: place)
  }

  /// Records the weight of a cell that keeps its value, or counts less than it did.
  func markKept(_ variable: Int32) { leastKept = min(leastKept, weight(variable)) }

  /// The former choices of the constraints of a path that was turned around.
  struct Turned {
    var choices: [(constraint: Int32, chosen: Int32)] = []
  }

  /// Makes each constraint of a path compute the cell that the next one computed, the last one the
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

  /// Undoes the changes of `turnAround`.
  func turnBack(_ turned: Turned) {
    for (constraint, chosen) in turned.choices.reversed() {
      let now = output(constraint)
      if now >= 0, variables[now].source == constraint { variables[now].source = -1 }
      constraints[constraint].chosen = chosen
      if chosen >= 0 { variables[members[chosen].variable].source = constraint }
    }
  }

  /// Makes a constraint compute the cell of one of its members.
  func choose(_ member: Int32, for entry: Int32) {
    let old = output(entry)
    if old >= 0, variables[old].source == entry {
      variables[old].source = -1
      markKept(old)
    }
    constraints[entry].chosen = member
    variables[members[member].variable].source = entry
  }

  /// Returns the formulas of a cycle that the choice for a constraint has closed, each needing the result
  /// of the next one; nil when there is none.
  ///
  /// - Complexity: O(constraints below); O(constraints turned around) when they read no cell that is
  ///   computed elsewhere.
  func cycle(through start: Int32, _ turned: Turned) -> [FormulaID]? {
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

  /// Calls a closure with the constraints whose chosen formulas read a cell.
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
  /// Takes an edit: the cell keeps its value.
  ///
  /// - Throws: `SolverConflict` when no choice of formulas leaves the cell as it is.
  /// - Complexity: O(constraints above the cell), and below removed ones.
  public func edit(_ cell: CellID, age: UInt64, isPinned: Bool) throws(SolverConflict) {
    let variable = variable(cell)
    // A cell that no constraint joins yet is only entered: the others need no search for that.
    if variables[variable].firstMember >= 0 { improve() }
    let old = variables[variable]
    variables[variable].age = age
    variables[variable].isPinned = isPinned
    if age < old.age, old.source < 0 {
      markKept(variable)
      loosen(variable)
    }
    let isWrite = age > old.age && (newest < 0 || newest == variable || age > variables[newest].age)
    let wasNewest = newest == variable && !isOutdated
    // Constraints that gave way to the last write need not give way to this one.
    let changesMuch = isWrite && !wasNewest && !unsatisfied.isEmpty
    if old.source < 0 && !changesMuch || keep(variable) {
      if isWrite {
        newest = variable
        variables[variable].written = turn
        // The entry of an unjoined cell is no write.
        if old.firstMember >= 0 { (isWritten, isOutdated) = (true, false) }
      }
      return
    }
    variables[variable].age = old.age
    variables[variable].isPinned = old.isPinned
    throw SolverConflict(.overdetermined, formulasAbove(variable))
  }

  /// Makes a cell keep its value until the constraint that begins with it has held.
  public func begin(with cell: CellID, age: UInt64) {
    let variable = variable(cell)
    let source = variables[variable].source
    guard !variables[variable].isPinned else { return }
    let known = Int(begunAt[variable])
    if known >= 0, begun.entries[known].age == variables[variable].age {
      begun.entries[known].age = age
    } else {
      begunAt.set(variable, to: Int32(clamping: begun.entries.count))
      begun.entries.append((variable, age, variables[variable].age))
    }
    variables[variable].age = age
    if isHard {
      _ = chooseAll()
    } else if source >= 0 {
      let found = search(in: source, avoiding: variable)
      var closed: [FormulaID]?
      if !turn(found, in: source, closed: &closed), closed != nil { _ = chooseAll() }
    }
    hasPlan = false
  }

  /// Gives the cells with which constraints began their own ages back.
  func endBeginnings() {
    for (variable, age, trueAge) in begun.entries where variables[variable].age == age {
      variables[variable].age = trueAge
      if variables[variable].source < 0 {
        markKept(variable)
        loosen(variable)
      }
    }
    for (variable, _, _) in begun.entries { begunAt.remove(variable) }
    begun.entries = []
    if isHard { isStale = true }
  }

  /// Takes the rank of a cell, which counts while it was never written.
  public func setRank(_ rank: UInt32, of cell: CellID) {
    let variable = variable(cell)
    variables[variable].rank = rank
    if variables[variable].firstMember >= 0 { markKept(variable) }
  }

  /// Lets a cell be computed again.
  public func unpin(_ cell: CellID) {
    let variable = variablesByNumber[cell.rawValue]
    guard variable >= 0, variables[variable].isPinned else { return }
    variables[variable].isPinned = false
    loosen(variable)
    if isHard { isStale = true }
  }

  /// Finds another cell for the constraint that computes this one, or gives soft constraints up.
  private func keep(_ variable: Int32) -> Bool {
    guard !isHard else { return chooseAll(keeping: variable) }
    let source = variables[variable].source
    let found = search(in: source, avoiding: variable)
    var closed: [FormulaID]?
    if turn(found, in: source, closed: &closed) {
      hasPlan = false
      return true
    }
    if closed == nil, found.victims.isEmpty, constraints[source].strength == .required {
      return false
    }
    return chooseAll(keeping: variable)
  }

  /// Returns the formulas through which a cell is determined, from it upwards.
  private func formulasAbove(_ variable: Int32) -> [FormulaID] {
    visit &+= 1
    var result: [FormulaID] = []
    var queue = [variable]
    while let next = queue.popLast() {
      let source = variables[next].source
      guard source >= 0, constraints[source].visit != visit else { continue }
      constraints[source].visit = visit
      result.append(formulaID(source))
      // The first cell comes first: it is entered last.
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
