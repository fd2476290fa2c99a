internal import TenonSolverKit
internal import TenonTables

// Moving along the edges of the feasible region.

extension LinearSystem {
  /// Moves a variable as far towards an interval as the bounds of all others and held variables allow.
  ///
  /// - Returns: Whether it has come there.
  func drive(_ variable: Int, from low: SolverNumber?, to high: SolverNumber?) -> Bool {
    if isStale { evaluateRows() }
    var steps = 0
    while true {
      let goal: SolverNumber
      let isRising: Bool
      if let low, values[variable] < low {
        (goal, isRising) = (low, true)
      } else if let high, values[variable] > high {
        (goal, isRising) = (high, false)
      } else {
        return true
      }
      if isAt(goal, variable) {
        values[variable] = goal
        return true
      }
      steps += 1
      // Bland's rule ends every walk; it is slow and applies when the other rule has had its chance.
      let isCautious = steps > 64
      if steps > 100_000 || poll() { return false }
      if rowOf[variable] < 0 {
        guard !isHeld[variable], canMove(variable, isRising) else { return false }
        let blocker = move(variable, isRising, by: (goal - values[variable]).magnitude)
        if let blocker { exchange(blocker, for: variable) }
      } else {
        guard let column = column(for: variable, isRising, isCautious) else { return false }
        let rate = column.factor.magnitude
        let isColumnRising = isRising != column.factor.isNegative
        let distance = (goal - values[variable]).magnitude / rate
        let blocker = move(column.variable, isColumnRising, by: distance)
        if let blocker {
          exchange(blocker, for: column.variable)
        } else if isAt(goal, variable) {
          values[variable] = goal
          exchange(variable, for: column.variable)
          return true
        }
      }
    }
  }

  /// Holds a variable at its value.
  func keep(_ variable: Int) {
    let index = rowOf[variable]
    if index >= 0 {
      var chosen: Int?
      for term in rows[index].terms where !isHeld[term.variable] {
        if chosen.map({ rank[term.variable] > rank[$0] }) ?? true { chosen = term.variable }
      }
      guard let chosen else { return }
      exchange(variable, for: chosen)
    }
    isHeld[variable] = true
  }

  /// Holds the variables on which a variable depends that could not reach its goal.
  ///
  /// - Returns: Whether any of them was not held before: then a bound stood in the way.
  func freeze(_ variable: Int) -> Bool {
    var isBlocked = false
    let row = rowOf[variable]
    for other in row < 0 ? [variable] : rows[row].terms.map(\.variable) where !isHeld[other] {
      isHeld[other] = true
      isBlocked = true
    }
    return isBlocked
  }

  private func canMove(_ variable: Int, _ isRising: Bool) -> Bool {
    if isRising {
      guard let bound = upper[variable] else { return true }
      return values[variable] < bound && !isAt(bound, variable)
    }
    guard let bound = lower[variable] else { return true }
    return values[variable] > bound && !isAt(bound, variable)
  }

  /// Returns the variable of lowest priority through which a basic one can be moved.
  private func column(
    for variable: Int, _ isRising: Bool, _ isCautious: Bool
  ) -> (variable: Int, factor: SolverNumber)? {
    var chosen: (variable: Int, factor: SolverNumber)?
    for term in rows[rowOf[variable]].terms where !isHeld[term.variable] {
      guard canMove(term.variable, isRising != term.factor.isNegative) else { continue }
      let isBetter = chosen.map {
        isCautious
          ? term.variable < $0.variable : rank[term.variable] > rank[$0.variable]
      }
      if isBetter ?? true { chosen = term }
    }
    return chosen
  }

  /// Moves a nonbasic variable by a distance, or less when a bound comes in the way.
  ///
  /// - Returns: the basic variable whose bound came in the way first.
  private func move(
    _ variable: Int, _ isRising: Bool, by distance: SolverNumber
  ) -> Int? {
    moveCount &+= 1
    var length = distance
    var blocker: Int?
    var end: SolverNumber?
    if let bound = isRising ? upper[variable] : lower[variable] {
      let room = (bound - values[variable]).magnitude
      if room <= length {
        length = room
        end = bound
      }
    }
    var atBound: SolverNumber?
    var live: [Int] = []
    for index in columns[variable] {
      guard let factor = rows[index].factor(of: variable) else { continue }
      live.append(index)
      let basic = rows[index].basic
      let isBasicRising = isRising != factor.isNegative
      guard let bound = isBasicRising ? upper[basic] : lower[basic] else { continue }
      let gap = isBasicRising ? bound - values[basic] : values[basic] - bound
      let room = gap.isNegative ? .zero : gap / factor.magnitude
      if room < length || room == length && blocker.map({ basic < $0 }) ?? false {
        length = room
        blocker = basic
        atBound = bound
        end = nil
      }
    }
    columns[variable] = Array(Set(live)).sorted()
    let change = isRising ? length : -length
    values[variable] = end ?? values[variable] + change
    for index in columns[variable] {
      guard let factor = rows[index].factor(of: variable) else { continue }
      values[rows[index].basic] = values[rows[index].basic] + factor * change
    }
    if let blocker, let atBound { values[blocker] = atBound }
    return blocker
  }

  // MARK: Only values

  /// Gives nonbasic variables other values and computes the basic ones anew, unless that would pass a
  /// bound.
  ///
  /// - Returns: the variables whose values may have changed; nil, and nothing is changed, when a
  ///   bound would be passed.
  /// - Complexity: O(occurrences of the variables).
  func assign(_ changes: [(variable: Int, value: SolverNumber)]) -> [Int]? {
    var old: [SolverNumber] = []
    for (variable, value) in changes {
      old.append(values[variable])
      guard isWithin(value, variable) else {
        for (index, value) in old.enumerated() { values[changes[index].variable] = value }
        return nil
      }
      values[variable] = value
    }
    var indices = columns[changes[0].variable]
    if changes.count > 1 { indices = Array(Set(changes.flatMap { columns[$0.variable] })).sorted() }
    var results = changes.map(\.variable)
    results.reserveCapacity(indices.count + results.count)
    var replaced: [(variable: Int, value: SolverNumber)] = []
    replaced.reserveCapacity(indices.count)
    let rows = rows
    for index in indices {
      let basic = rows[index].basic
      if basic < 0 { continue }
      var value = rows[index].constant
      for term in rows[index].terms { value = value + term.factor * values[term.variable] }
      guard isWithin(value, basic) else {
        for (variable, value) in replaced.reversed() { values[variable] = value }
        for (index, value) in old.enumerated() { values[changes[index].variable] = value }
        return nil
      }
      replaced.append((basic, values[basic]))
      values[basic] = value
      results.append(basic)
    }
    return results
  }

  private func isWithin(_ value: SolverNumber, _ variable: Int) -> Bool {
    if let bound = lower[variable], value < bound, !isNear(value, bound, unit: units[variable]) {
      return false
    }
    if let bound = upper[variable], value > bound, !isNear(value, bound, unit: units[variable]) {
      return false
    }
    return true
  }

  /// Returns whether a variable is at a value but for the rounding of doubles.
  private func isAt(_ goal: SolverNumber, _ variable: Int) -> Bool {
    isNear(values[variable], goal, unit: units[variable])
  }
}
