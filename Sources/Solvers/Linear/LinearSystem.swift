internal import TenonSolverKit
internal import TenonTables

/// Linear equations and inequalities over variables, solved for some of the variables.
///
/// Each basic variable has a row that expresses it by the others; equations are
/// eliminated when they come in, inequalities become variables with bounds. From one solution the
/// system moves to the next, always within the bounds that are in force: `drive` moves one variable
/// as far towards a goal as the others let it. Driven one after the other in order of priority,
/// and held where they come to rest, the goals are met lexicographically.
///
/// Algorithm: the primal simplex method for bounded variables, with G. B. Dantzig, "Linear
/// Programming and Extensions", 1963, chapter 18 for the bounds and R. G. Bland, "New finite
/// pivoting rules for the simplex method", Mathematics of Operations Research 2(2), 1977 against
/// going around in circles.
final class LinearSystem {
  struct Row {
    var basic: Int
    var constant: SolverNumber
    var terms: [(variable: Int, factor: SolverNumber)]

    func factor(of variable: Int) -> SolverNumber? {
      for term in terms where term.variable == variable { return term.factor }
      return nil
    }
  }

  let values = FlatTable<SolverNumber>()
  private(set) var rows: [Row] = []
  /// The row of a basic variable, or -1.
  let rowOf = FlatTable<Int>()
  /// The rows in which a variable occurs; some may no longer have it.
  var columns: [[Int]] = []
  let lower = FlatTable<SolverNumber?>()
  let upper = FlatTable<SolverNumber?>()
  let isHeld = FlatTable<Bool>()
  /// For each variable its value at which the places it stands for are ones, at most 1: rounding is
  /// measured by it.
  let units = FlatTable<Double>()
  /// The priority of each variable, lower first: of several that could give way, the last in rank does.
  var rank: [Int] = []
  private let scratch = FlatTable<SolverNumber>()
  private let isTouched = FlatTable<Bool>()
  /// Rows that are free; they have no basic variable and no terms.
  private var freeRows: [Int] = []
  /// The number of moves of nonbasic variables.
  var moveCount = 0
  private let touched = FlatTable<Int>()

  /// The source that knows whether the program is to end.
  private let cells: CellValues?
  /// Whether the program is to end: nothing moves any more, and results are worthless.
  private(set) var isInterrupted = false
  private var untilPoll = 16

  init(_ cells: CellValues?) { self.cells = cells }

  /// Checks now and then whether the program is to end.
  func poll() -> Bool {
    untilPoll -= 1
    if untilPoll <= 0 {
      untilPoll = 16
      if cells?.isInterrupted ?? false { isInterrupted = true }
    }
    return isInterrupted
  }

  /// Adds a variable; `unit` is its value at which the places it stands for are ones.
  func addVariable(_ value: SolverNumber, unit: Double = 1) -> Int {
    values.append(value)
    units.append(unit)
    rowOf.append(-1)
    columns.append([])
    lower.append(nil)
    upper.append(nil)
    isHeld.append(false)
    rank.append(values.count)
    scratch.append(.zero)
    isTouched.append(false)
    return values.count - 1
  }

  var count: Int { values.count }

  func isBasic(_ variable: Int) -> Bool { rowOf[variable] >= 0 }

  // MARK: Rows

  private func add(_ factor: SolverNumber, _ variable: Int) {
    if !isTouched[variable] {
      isTouched[variable] = true
      touched.append(variable)
      scratch[variable] = factor
    } else {
      let sum = scratch[variable] + factor
      // The rest of a difference of doubles is nothing but rounding.
      let isNothing =
        !sum.isExact
        && sum.magnitude.double <= 1e-12 * Swift.max(factor.magnitude.double, 1e-300)
      scratch[variable] = isNothing ? .zero : sum
    }
  }

  private func takeTerms() -> [(variable: Int, factor: SolverNumber)] {
    var terms: [(variable: Int, factor: SolverNumber)] = []
    terms.reserveCapacity(touched.count)
    for position in 0..<touched.count {
      let variable = touched[position]
      isTouched[variable] = false
      if !scratch[variable].isZero { terms.append((variable, scratch[variable])) }
    }
    touched.shorten(to: 0)
    return terms
  }

  /// Returns a sum over variables in terms of nonbasic ones.
  private func reduced(
    _ terms: [(variable: Int, factor: SolverNumber)], _ constant: SolverNumber
  ) -> (
    constant: SolverNumber, terms: [(variable: Int, factor: SolverNumber)], size: SolverNumber
  ) {
    var constant = constant
    var size = constant.magnitude
    for (variable, factor) in terms {
      if rowOf[variable] < 0 {
        add(factor, variable)
      } else {
        let row = rows[rowOf[variable]]
        let part = factor * row.constant
        constant = constant + part
        size = max(size, part.magnitude)
        for term in row.terms { add(factor * term.factor, term.variable) }
      }
    }
    return (constant, takeTerms(), size)
  }

  private func evaluate(_ index: Int) -> SolverNumber {
    var value = rows[index].constant
    for position in rows[index].terms.indices {
      let (variable, factor) = rows[index].terms[position]
      value = value + factor * values[variable]
    }
    return value
  }

  func append(_ row: Row) {
    let index = freeRows.popLast() ?? rows.count
    rowOf[row.basic] = index
    for term in row.terms { columns[term.variable].append(index) }
    if index == rows.count { rows.append(row) } else { rows[index] = row }
  }

  private func removeRow(of variable: Int) {
    let index = rowOf[variable]
    guard index >= 0 else { return }
    rowOf[variable] = -1
    rows[index] = Row(basic: -1, constant: .zero, terms: [])
    freeRows.append(index)
  }

  /// Removes a variable that measures a constraint which is gone.
  ///
  /// - Complexity: O(occurrences).
  func retire(_ variable: Int) {
    removeBounds(variable)
    if rowOf[variable] < 0 {
      // Another variable has to become basic for it: the one on which its factor is greatest.
      var chosen: (basic: Int, factor: SolverNumber)?
      for index in columns[variable] {
        guard let factor = rows[index].factor(of: variable)?.magnitude else { continue }
        if chosen.map({ $0.factor < factor }) ?? true { chosen = (rows[index].basic, factor) }
      }
      if let chosen { exchange(chosen.basic, for: variable) }
    }
    discard(variable)
  }

  /// Removes a variable on which only removed variables depend.
  func discard(_ variable: Int) {
    removeBounds(variable)
    removeRow(of: variable)
    columns[variable] = []
    isHeld[variable] = false
  }

  /// Adds an equation: the sum is zero; `unit` is the value of the sum at which its places are ones.
  ///
  /// - Returns: Whether it agrees with the others.
  func addEquation(
    _ terms: [(variable: Int, factor: SolverNumber)], _ constant: SolverNumber, unit: Double
  ) -> Bool {
    let (constant, terms, size) = reduced(terms, constant)
    guard !terms.isEmpty else { return isNearZero(constant, size, unit: unit) }
    // The variable that occurs least costs least to substitute.
    var chosen = terms[0]
    for term in terms where columns[term.variable].count < columns[chosen.variable].count {
      chosen = term
    }
    let scale = -(SolverNumber.one / chosen.factor)
    let row = Row(
      basic: chosen.variable, constant: constant * scale,
      terms: terms.filter { $0.variable != chosen.variable }
        .map { ($0.variable, $0.factor * scale) })
    substitute(row, for: chosen.variable)
    append(row)
    refresh()
    return true
  }

  /// Adds a variable that is a sum of others; `unit` is its value at which its places are ones.
  func addSum(
    _ terms: [(variable: Int, factor: SolverNumber)], _ constant: SolverNumber, unit: Double
  ) -> Int {
    let (constant, terms, _) = reduced(terms, constant)
    let sum = addVariable(.zero, unit: unit)
    let row = Row(basic: sum, constant: constant, terms: terms)
    append(row)
    values[sum] = evaluate(rowOf[sum])
    return sum
  }

  /// Defines a variable on which no other depends by an equation: the sum is zero.
  ///
  /// - Parameters:
  ///   - variable: The variable, which is free.
  ///   - terms: The sum, of which it is part.
  ///   - constant: The number in the sum.
  ///   - measure: A variable with the value of the sum, zero; nil where the sum is always zero.
  /// - Returns: false, and nothing is changed, when the variable is not part of the sum or its value would
  ///   be no number.
  func define(
    _ variable: Int, by terms: [(variable: Int, factor: SolverNumber)], _ constant: SolverNumber,
    measure: Int?
  ) -> Bool {
    if isStale { evaluateRows() }
    guard let own = terms.first(where: { $0.variable == variable })?.factor else { return false }
    let rest = reduced(terms.filter { $0.variable != variable }, constant)
    let scale = -(SolverNumber.one / own)
    var row = Row(
      basic: variable, constant: rest.constant * scale,
      terms: rest.terms.map { ($0.variable, $0.factor * scale) })
    if let measure { row.terms.append((measure, -scale)) }
    var value = row.constant
    for term in row.terms { value = value + term.factor * values[term.variable] }
    guard value.isFinite else { return false }
    append(row)
    values[variable] = value
    return true
  }

  /// Whether values of basic variables have still to be computed.
  var isStale = false

  private func refresh() { isStale = true }

  /// Computes the basic variables from the others.
  func evaluateRows() {
    for index in rows.indices where rows[index].basic >= 0 {
      values[rows[index].basic] = evaluate(index)
    }
    isStale = false
  }

  /// Substitutes a row for a variable wherever it occurs.
  private func substitute(_ row: Row, for variable: Int) {
    let places = columns[variable]
    columns[variable] = []
    for index in places {
      guard rows[index].basic != row.basic, let factor = rows[index].factor(of: variable) else {
        continue
      }
      for term in rows[index].terms where term.variable != variable {
        add(term.factor, term.variable)
      }
      let count = touched.count
      for term in row.terms { add(factor * term.factor, term.variable) }
      for position in count..<touched.count { columns[touched[position]].append(index) }
      rows[index].constant = rows[index].constant + factor * row.constant
      rows[index].terms = takeTerms()
    }
  }

  /// Makes a variable basic in place of another one; values stay.
  func exchange(_ leaving: Int, for entering: Int) {
    let index = rowOf[leaving]
    guard index >= 0, let factor = rows[index].factor(of: entering) else { return }
    let old = rows[index]
    let scale = SolverNumber.one / factor
    var terms = old.terms.filter { $0.variable != entering }.map {
      ($0.variable, -$0.factor * scale)
    }
    terms.append((leaving, scale))
    let row = Row(basic: entering, constant: -old.constant * scale, terms: terms)
    rows[index] = row
    rowOf[leaving] = -1
    rowOf[entering] = index
    substitute(row, for: entering)
    columns[leaving].append(index)
  }

  // MARK: Bounds

  /// Raises the lower bound of a variable; a lower bound that is higher already stays.
  func raiseLower(_ variable: Int, to bound: SolverNumber) {
    if let old = lower[variable], old >= bound { return }
    lower[variable] = bound
  }

  /// Reduces the upper bound of a variable; an upper bound that is lower already stays.
  func reduceUpper(_ variable: Int, to bound: SolverNumber) {
    if let old = upper[variable], old <= bound { return }
    upper[variable] = bound
  }

  /// Fixes a variable that is zero at zero.
  ///
  /// - Returns: Whether it is eliminated; else it is bounded.
  func fixAtZero(_ variable: Int) -> Bool {
    if rowOf[variable] >= 0 {
      let terms = rows[rowOf[variable]].terms
      var chosen: Int?
      for term in terms where !isHeld[term.variable] {
        if chosen.map({ rank[term.variable] > rank[$0] }) ?? true { chosen = term.variable }
      }
      guard let chosen else {
        // Held variables may change: it must go on being zero.
        raiseLower(variable, to: .zero)
        reduceUpper(variable, to: .zero)
        return false
      }
      exchange(variable, for: chosen)
    }
    values[variable] = .zero
    for index in columns[variable] {
      rows[index].terms.removeAll { $0.variable == variable }
    }
    columns[variable] = []
    return true
  }

  /// Adds the variables and rows of another system.
  ///
  /// - Returns: the offset that is added to the number of each of its variables.
  func absorb(_ other: LinearSystem) -> Int {
    let offset = values.count
    for variable in 0..<other.count {
      let added = addVariable(other.values[variable], unit: other.units[variable])
      lower[added] = other.lower[variable]
      upper[added] = other.upper[variable]
    }
    for row in other.rows where row.basic >= 0 {
      append(
        Row(
          basic: row.basic + offset, constant: row.constant,
          terms: row.terms.map { ($0.variable + offset, $0.factor) }))
    }
    return offset
  }

  /// Forgets the bounds of a variable.
  func removeBounds(_ variable: Int) {
    lower[variable] = nil
    upper[variable] = nil
  }

  func release() {
    for index in 0..<count { isHeld[index] = false }
  }

  func hold(_ variable: Int) { isHeld[variable] = true }
}

/// Returns whether two numbers are the same but for the rounding of doubles; exact ones have none.
@inline(__always)
func isNear(_ number: SolverNumber, _ goal: SolverNumber, unit: Double = 1) -> Bool {
  if number.isExact, goal.isExact { return number == goal }
  return isNearZero(goal - number, goal, unit: unit)
}

/// Returns whether a difference of numbers of some size, or smaller ones than the unit, is only rounding
/// of doubles.
@inline(__always)
func isNearZero(_ difference: SolverNumber, _ size: SolverNumber, unit: Double = 1) -> Bool {
  if difference.isExact { return difference.isZero }
  return difference.magnitude.double <= 1e-9 * Swift.max(unit, size.magnitude.double)
}

/// Returns whether two doubles are the same but for rounding, and finite.
@inline(__always)
func isNear(_ left: Double, _ right: Double) -> Bool {
  (left - right).magnitude <= 1e-9 * Swift.max(1, right.magnitude)
}
