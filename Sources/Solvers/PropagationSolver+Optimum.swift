internal import TenonTables
import TenonSolverKit

// The cells that keep their values: always those that count most, whatever came and went before.

extension PropagationSolver {
  /// Whether single exchanges do not find the best choice.
  var isHard: Bool { isTangled || !unsatisfied.isEmpty }

  /// Marks a cell that keeps its value although another one that counts more might do so in its place.
  func loosen(_ variable: Int32) {
    guard !variables[variable].isLoose, variables[variable].source < 0 else { return }
    // Without a reader no cell is computed from it that could be kept instead.
    guard hasReader(variable) else { return }
    variables[variable].isLoose = true
    loose.entries.append(variable)
  }

  /// Marks a computed cell that might keep its value, as it counts more than before.
  func raise(_ variable: Int32) {
    guard !variables[variable].hasRisen, variables[variable].source >= 0 else { return }
    variables[variable].hasRisen = true
    risen.entries.append(variable)
  }

  private func hasReader(_ variable: Int32) -> Bool {
    var member = variables[variable].firstMember
    while member >= 0 {
      let chosen = constraints[members[member].constraint].chosen
      if chosen >= 0, chosen != member { return true }
      member = members[member].nextOfVariable
    }
    return false
  }

  /// Clears the mark of a cell that does not keep its value any more.
  ///
  /// - Returns: Whether another cell might have kept its own in its place.
  func takeUp(_ variable: Int32) -> Bool {
    defer { variables[variable].isLoose = false }
    return variables[variable].isLoose
  }

  /// Makes the cells that count most keep their values, unless constraints are about to begin with some.
  ///
  /// - Complexity: O(constraints below the removed ones since the last time); see `chooseAll`
  ///   where cycles or soft constraints are in the way.
  @inline(__always)
  func improve() {
    if loose.hasAny || risen.hasAny || isStale { improveNow() }
  }

  @inline(never)
  private func improveNow() {
    if begun.hasAny { return }
    let raised = risen.entries
    risen.entries = []
    for variable in raised {
      variables[variable].hasRisen = false
      if !isHard, variables[variable].source >= 0 { rise(variable) }
    }
    let cells = loose.entries
    loose.entries = []
    for variable in cells where variables[variable].isLoose {
      variables[variable].isLoose = false
      if !isHard, variables[variable].source < 0 { exchange(variable) }
    }
    guard isStale || isHard else { return }
    isStale = false
    _ = chooseAll()
  }

  /// Makes a cell keep its value if one that counts less can be computed in its place.
  private func rise(_ variable: Int32) {
    let source = variables[variable].source
    let found = search(in: source, avoiding: variable)
    guard let first = found.candidates.first, isWeaker(found.steps[first].variable, variable)
    else { return }
    hasPlan = false
    var closed: [FormulaID]?
    _ = turn(found, in: source, closed: &closed)
  }

  /// Makes a cell computed again if one that counts more can keep its value in its place.
  private func exchange(_ variable: Int32) {
    guard !variables[variable].isPinned else { return }
    visit &+= 1
    var found = Found()
    variables[variable].visit = visit
    var best = -1
    var next = -1
    repeat {
      let cell = next < 0 ? variable : found.steps[next].variable
      var member = variables[cell].firstMember
      while member >= 0 {
        let record = members[member]
        let constraint = record.constraint
        let output = output(constraint)
        if record.formula >= 0, output >= 0, output != cell, variables[output].visit != visit {
          variables[output].visit = visit
          // The constraint could compute the cell, and no longer the one that it computes.
          found.steps.append(
            Step(variable: output, through: constraint, member: member, before: Int32(next)))
          let last = found.steps.count - 1
          let strongest = best < 0 ? variable : found.steps[best].variable
          if isWeaker(strongest, output) { best = last }
        }
        member = record.nextOfVariable
      }
      next += 1
    } while next < found.steps.count
    guard best >= 0 else { return }
    var turned = Turned()
    var step = best
    while step >= 0 {
      let constraint = found.steps[step].through
      turned.choices.append((constraint, constraints[constraint].chosen))
      choose(found.steps[step].member, for: constraint)
      step = Int(found.steps[step].before)
    }
    hasPlan = false
    guard cycle(through: turned.choices[0].constraint, turned) != nil else { return }
    turnBack(turned)
    isTangled = true
  }
}

// MARK: - All choices anew

extension PropagationSolver {
  /// Chooses for all constraints anew.
  ///
  /// Required constraints are satisfied, then the last written cell keeps its value, then soft constraints
  /// are satisfied, the strongest first, and then cells keep their values, those first that count most.
  ///
  /// - Parameter kept: The cell that must keep its value, or -1.
  /// - Returns: Whether the required constraints can be satisfied; nothing has changed if not.
  /// - Complexity: O(n log n) for each cell that cannot keep its value though one that counts less can,
  ///   where n is the number of cells in constraints.
  @discardableResult
  func chooseAll(keeping kept: Int32 = -1) -> Bool {
    var attempt = Attempt(self)
    var wishes: [Int32] = []
    for entry in 0..<Int32(constraints.count) {
      let isRequired = constraints[entry].strength == .required
      constraints[entry].isActive = constraints[entry].isUsed && isRequired
      if constraints[entry].isUsed, !isRequired { wishes.append(entry) }
    }
    for variable in attempt.cells where variables[variable].isPinned { attempt.keep(variable) }
    if kept >= 0 { attempt.keep(kept) }
    guard attempt.succeeds(self) else { return false }
    if kept < 0, !isOutdated { attempt.keepNewest(self) }
    wishes.sort {
      (constraints[$1].strength, order(of: $0)) < (constraints[$0].strength, order(of: $1))
    }
    attempt.satisfy(wishes, self)
    attempt.keepStrongest(self)
    let before = unsatisfied
    unsatisfied = wishes.filter { !constraints[$0].isActive }
    guard attempt.succeeds(self) else { return false }
    defer {
      for variable in loose.entries { variables[variable].isLoose = false }
      for variable in risen.entries { variables[variable].hasRisen = false }
      (loose.entries, risen.entries) = ([], [])
      isStale = false
    }
    if areChosen(attempt.choices) { return true }
    hasPlan = false
    for entry in 0..<Int32(constraints.count) where constraints[entry].isUsed {
      let output = output(entry)
      if output >= 0 { variables[output].source = -1 }
    }
    for entry in 0..<Int32(constraints.count) where constraints[entry].isUsed {
      constraints[entry].chosen = -1
    }
    for (entry, member) in attempt.choices {
      constraints[entry].chosen = member
      variables[members[member].variable].source = entry
    }
    for variable in attempt.cells where variables[variable].source < 0 { markKept(variable) }
    revived.entries += before.filter { output($0) >= 0 && !revived.entries.contains($0) }
    return true
  }

  /// Returns whether the chosen members are just these.
  private func areChosen(_ choices: [(constraint: Int32, member: Int32)]) -> Bool {
    var count = 0
    for entry in 0..<Int32(constraints.count) where constraints[entry].chosen >= 0 { count += 1 }
    return count == choices.count
      && choices.allSatisfy { constraints[$0.constraint].chosen == $0.member }
  }

  /// Returns when a constraint was declared, by its first formula.
  private func order(of entry: Int32) -> Int32 {
    let order = orders[entry]
    return order < 0 ? entry : order
  }

  /// Some constraints that are to be satisfied, and cells that are to keep their values.
  ///
  /// A constraint can compute a cell that stands in no other: then it is taken away, and others may be able
  /// to compute a cell of theirs. If all can be taken away so, they can be satisfied without a cycle, and
  /// else they cannot.
  private struct Attempt {
    /// The cells of constraints.
    let cells: [Int32]
    /// For each variable the number of its constraints that have not been taken away.
    private var counts: [Int32]
    private var isKept: [Bool]
    /// The constraints and their members, in the order in which they were taken away.
    private(set) var choices: [(constraint: Int32, member: Int32)] = []

    init(_ solver: PropagationSolver) {
      cells = (0..<Int32(solver.variables.count)).filter { solver.variables[$0].firstMember >= 0 }
      counts = Array(repeating: 0, count: solver.variables.count)
      isKept = Array(repeating: false, count: solver.variables.count)
    }

    mutating func keep(_ variable: Int32) { isKept[Int(variable)] = true }

    /// Returns whether all active constraints can be satisfied while the cells keep their values.
    mutating func succeeds(_ solver: PropagationSolver) -> Bool {
      for cell in cells { counts[Int(cell)] = 0 }
      var active = 0
      for entry in 0..<Int32(solver.constraints.count) where solver.constraints[entry].isActive {
        active += 1
        var member = solver.constraints[entry].firstMember
        while solver.isMember(member, of: entry) {
          counts[Int(solver.members[member].variable)] += 1
          member += 1
        }
      }
      choices.removeAll(keepingCapacity: true)
      solver.visit &+= 1
      var queue = cells.filter { counts[Int($0)] == 1 && !isKept[Int($0)] }
      var next = 0
      while next < queue.count {
        let cell = queue[next]
        next += 1
        guard counts[Int(cell)] == 1 else { continue }
        var member = solver.variables[cell].firstMember
        while member >= 0 {
          let entry = solver.members[member].constraint
          let constraint = solver.constraints[entry]
          if constraint.isActive, constraint.visit != solver.visit { break }
          member = solver.members[member].nextOfVariable
        }
        guard member >= 0, solver.members[member].formula >= 0 else { continue }
        let entry = solver.members[member].constraint
        solver.constraints[entry].visit = solver.visit
        choices.append((entry, member))
        var other = solver.constraints[entry].firstMember
        while solver.isMember(other, of: entry) {
          let variable = solver.members[other].variable
          counts[Int(variable)] -= 1
          if counts[Int(variable)] == 1, !isKept[Int(variable)] { queue.append(variable) }
          other += 1
        }
      }
      return choices.count == active
    }

    /// Makes the last written cell keep its value, if it can and constraints do not begin with others
    /// instead.
    mutating func keepNewest(_ solver: PropagationSolver) {
      var ages: [Int32: UInt64] = [:]
      for entry in solver.begun.entries where solver.variables[entry.variable].age == entry.age {
        ages[entry.variable] = entry.trueAge
      }
      func age(_ variable: Int32) -> UInt64 { ages[variable] ?? solver.variables[variable].age }
      guard let newest = cells.max(by: { age($0) < age($1) }), age(newest) > 0,
        !isKept[Int(newest)]
      else { return }
      let before = isKept
      for variable in ages.keys { isKept[Int(variable)] = true }
      isKept[Int(newest)] = true
      let succeeds = succeeds(solver)
      isKept = before
      isKept[Int(newest)] = succeeds
    }

    /// Satisfies as many soft constraints as possible, the first ones first.
    mutating func satisfy(_ wishes: [Int32], _ solver: PropagationSolver) {
      take(wishes, atMost: wishes.count, solver) { _, wish, isTaken in
        solver.constraints[wish].isActive = isTaken
      }
    }

    /// Makes the cells that count most keep their values.
    mutating func keepStrongest(_ solver: PropagationSolver) {
      var isActive = Array(repeating: false, count: solver.variables.count)
      var active = 0
      for entry in 0..<Int32(solver.constraints.count) where solver.constraints[entry].isActive {
        active += 1
        var member = solver.constraints[entry].firstMember
        while solver.isMember(member, of: entry) {
          isActive[Int(solver.members[member].variable)] = true
          member += 1
        }
      }
      let rest = cells.filter { !isKept[Int($0)] && isActive[Int($0)] }
        .sorted { solver.isWeaker($1, $0) }
      // As many as there are constraints have to be computed.
      take(rest, atMost: rest.count - active, solver) { attempt, cell, isTaken in
        attempt.isKept[Int(cell)] = isTaken
      }
    }

    /// Takes each element that can be taken together with those taken before it.
    private mutating func take(
      _ all: [Int32], atMost most: Int, _ solver: PropagationSolver,
      _ set: (inout Attempt, Int32, Bool) -> Void
    ) {
      var start = 0
      var taken = 0
      while start < all.count, taken < most {
        // The most that can be taken at once: the first that cannot is behind them.
        var (low, high) = (start, min(all.count, start + most - taken))
        var size = 1
        while low < high {
          let middle = min(high, low + size)
          for index in low..<middle { set(&self, all[index], true) }
          if succeeds(solver) {
            low = middle
            size *= 2
          } else {
            for index in low..<middle { set(&self, all[index], false) }
            high = middle - 1
            size = max(1, (high - low + 1) / 2)
          }
        }
        taken += low - start
        start = low + 1
      }
    }
  }
}
