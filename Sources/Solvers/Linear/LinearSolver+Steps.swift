internal import TenonSolverKit
internal import TenonTables

// Rounding: a variable with an inexact value gets the value of a constraint as it is written, computed from
// the others in it. The value from elimination is the same number but for its rounding, which would depend
// on the order in which the constraints came.
//
// The constraint of each variable is kept as long as the structure stands and the same variables are free.
// A write then computes the requested variables and those that they follow from.

/// How a variable follows from others, and its value in a round.
struct LinearStep: BitwiseCopyable {
  var value = SolverNumber.zero
  /// The round in which the value was computed.
  var round = 0
  /// The number of the order that says from which variables it follows.
  var order = 0
  /// The position of its first summand, or -1 for a variable that others follow from.
  var first: Int32 = -1
  /// The variable of the component's system, or -1 in a lone group.
  var local: Int32 = -1
}

/// A part of a constraint solved for a variable: a factor of another variable, or a number.
///
/// The divisor of the sum ends it.
struct LinearSummand: BitwiseCopyable {
  static let number: Int32 = -1
  static let divisor: Int32 = -2

  let factor: SolverNumber
  let other: Int32
}

/// The summands that constraints, solved one after the other, give for the variables that follow.
final class LinearOrder {
  /// The number that identifies it in steps.
  let number: Int
  /// The variables, each after those that it follows from.
  let variables = FlatTable<Int32>()
  let summands = FlatTable<LinearSummand>()

  init(_ number: Int) { self.number = number }
}

/// The values of variables after a write, each computed when it is asked for.
///
/// Nothing is computed before the first value is asked for.
final class LinearSteps {
  private let solver: LinearSolver
  private let solution: LinearSolution?
  /// The variables of the solution's system that have other values than before; nil for all.
  private let changed: [Int]?
  /// For a lone group the member that has a value, and the value; nil when no member has one.
  private let member: Int
  private let given: SolverNumber?
  /// The round whose values were computed here; 0 before the first.
  private var round = 0
  private var order: LinearOrder?

  /// Creates the steps of a lone group of which a member has a value; nothing follows when it has none.
  init(from member: Int, _ value: SolverNumber?, _ solver: LinearSolver) {
    self.solver = solver
    solution = nil
    changed = nil
    self.member = member
    given = value
  }

  /// Creates the steps of a solved component; `changed` are the variables of its system that have other
  /// values than before, nil for all.
  init(_ solution: LinearSolution, changed: [Int]?, _ solver: LinearSolver) {
    self.solver = solver
    self.solution = solution
    self.changed = changed
    member = -1
    given = nil
  }

  /// Returns the value of a variable that a write has changed, in place of a value from elimination.
  ///
  /// - Complexity: O(occurrences between it and unchanged variables) the first time, then O(1).
  @inline(__always)
  func value(of variable: Int, insteadOf number: SolverNumber) -> SolverNumber {
    if round == 0 { begin() }
    // A variable that was added since has no steps yet.
    guard variable < solver.steps.count else { return number }
    if solver.steps[variable].round != round, !compute(Int32(variable)) { return number }
    let value = solver.steps[variable].value
    // The loss of precision where nearly equal numbers are subtracted is not to come in.
    return isNear(value.double, number.double) ? value : number
  }

  /// Finds the order of the variables, and computes those that are needed in any case.
  @inline(never)
  private func begin() {
    round = solver.makeRound()
    guard let solution else {
      guard let given else { return }
      let order = solver.order(from: member)
      self.order = order
      record(Int32(member), given)
      computeAll(order)
      return
    }
    let order = solver.order(of: solution)
    self.order = order
    guard let changed else {
      computeAll(order)
      return
    }
    if solution.changes.count < solution.system.count {
      solution.changes.extend(to: solution.system.count, with: 0)
    }
    for local in changed { solution.changes[local] = round }
    // With many changes it is faster to compute all.
    if changed.count > order.variables.count / 4 { computeAll(order) }
  }

  /// Computes all variables, each after those that it follows from.
  private func computeAll(_ order: LinearOrder) {
    let isPartial = changed != nil
    for position in 0..<order.variables.count {
      let variable = order.variables[position]
      let step = solver.steps[variable]
      if step.first < 0 || isPartial {
        if step.round == round { continue }
        if let value = start(Int(variable), step) {
          record(variable, value)
          continue
        }
      }
      if step.first >= 0, let value = sum(variable, step.first, order) { record(variable, value) }
    }
  }

  /// Computes a variable, and before it those that it follows from.
  ///
  /// - Returns: false when the variable is not in the order.
  private func compute(_ variable: Int32) -> Bool {
    guard let order else { return false }
    solver.openSteps.removeAll()
    var next = variable
    while true {
      let step = solver.steps[next]
      // Code that ran when a place was set may have changed the order.
      guard step.order == order.number, solver.openSteps.count <= order.summands.count else {
        return false
      }
      if step.round != round {
        if next != variable || step.first < 0, let value = start(Int(next), step) {
          record(next, value)
        } else if step.first < 0 {
          return false
        } else if let value = sum(next, step.first, order) {
          record(next, value)
        }
      }
      guard let open = solver.openSteps.popLast() else { return true }
      next = open
    }
  }

  @inline(__always)
  private func record(_ variable: Int32, _ value: SolverNumber) {
    solver.steps[variable].value = value
    solver.steps[variable].round = round
  }

  /// Returns the sum of a variable's summands; nil when one of them has to be computed before: then
  /// `openSteps` has that one, and this one below it.
  @inline(__always)
  private func sum(_ variable: Int32, _ first: Int32, _ order: LinearOrder) -> SolverNumber? {
    var sum = SolverNumber.zero
    var isEmpty = true
    var isComplete = true
    var position = first
    while true {
      let summand = order.summands[position]
      position += 1
      var number = summand.factor
      if summand.other == LinearSummand.divisor {
        guard isComplete else { return nil }
        return number == .one ? sum : sum / number
      }
      if summand.other >= 0 {
        let other = solver.steps[summand.other]
        if other.round != round {
          if isComplete { solver.openSteps.append(variable) }
          isComplete = false
          solver.openSteps.append(summand.other)
          continue
        }
        number = number * other.value
      }
      sum = isEmpty ? number : sum + number
      isEmpty = false
    }
  }

  /// Returns the value of a variable that needs no constraint: others follow from it, or the write has not
  /// changed it.
  private func start(_ variable: Int, _ step: LinearStep) -> SolverNumber? {
    guard let solution, step.local >= 0 else { return nil }
    let local = Int(step.local)
    if step.first >= 0, changed == nil || solution.changes[local] == round { return nil }
    let number =
      solver.variables[variable].factor * solution.system.values[local]
      + solver.variables[variable].offset
    // A variable that can only be found together with others has the value from elimination.
    if step.first < 0, solution.system.isBasic(local) { return number }
    let own = solver.value(of: variable)
    return own.flatMap { isNearZero($0 - number, number) ? $0 : nil } ?? number
  }
}

// MARK: - Orders

extension LinearSolver {
  /// Returns the order in which the members of a lone group follow from one of them.
  ///
  /// - Complexity: O(occurrences of the members) when it is not known.
  fileprivate func order(from member: Int) -> LinearOrder {
    let group = variables[member].group
    let step = steps[member]
    if let known = orders[group], step.order == known.number, step.first < 0 { return known }
    let order = makeOrder()
    begin(at: member, -1, order)
    follow(order, within: nil)
    orders[group] = order
    return order
  }

  /// Returns the order in which the variables of a component follow from those that are free.
  ///
  /// Where several can only be found together, one has the value from elimination, and the others follow.
  /// - Complexity: O(occurrences times those in a constraint) when it is not known.
  fileprivate func order(of solution: LinearSolution) -> LinearOrder {
    if let known = solution.order { return known }
    let order = makeOrder()
    let system = solution.system
    var together: [(member: Int, local: Int)] = []
    for local in 0..<system.count {
      let group = solution.group(at: local)
      guard group >= 0 else { continue }
      let member = entry(of: group)
      guard member >= 0 else { continue }
      if system.isBasic(local) {
        together.append((member, local))
      } else {
        begin(at: member, local, order)
      }
    }
    follow(order, within: solution)
    for (member, local) in together where steps[member].order != order.number {
      let next = order.variables.count
      begin(at: member, local, order)
      follow(order, from: next, within: solution)
    }
    if solution.isSettled { solution.order = order }
    return order
  }

  /// Forgets how the members of a group follow from one another.
  func forgetSteps(_ group: Int) {
    if !orders.isEmpty { orders[group] = nil }
  }

  /// Begins a round of computing values, and returns its number.
  fileprivate func makeRound() -> Int {
    stepRound &+= 1
    if steps.count < variables.count { steps.extend(to: variables.count, with: LinearStep()) }
    return stepRound
  }

  private func makeOrder() -> LinearOrder {
    orderCount &+= 1
    return LinearOrder(orderCount)
  }

  /// Makes a variable one that others follow from.
  private func begin(at variable: Int, _ local: Int, _ order: LinearOrder) {
    steps[variable].order = order.number
    steps[variable].first = -1
    steps[variable].local = Int32(local)
    order.variables.append(Int32(variable))
  }

  /// Returns the member of a group whose value stands for it.
  private func entry(of group: Int) -> Int {
    let leader = leader(of: group)
    if groups[group].pinnedCount == 0 || leader >= 0 && variables[leader].isPinned { return leader }
    return members(of: group).first { variables[$0].isPinned } ?? leader
  }

  /// Appends the variables that follow from those of an order by constraints with one missing variable; the
  /// variables before `next` have been looked at.
  private func follow(_ order: LinearOrder, from next: Int = 0, within solution: LinearSolution?) {
    var next = next
    while next < order.variables.count {
      var use = variables[order.variables[next]].firstUse
      next += 1
      while use >= 0 {
        let index = Int(uses[use].record)
        use = uses[use].nextOfVariable
        guard let record = records[index], let missing = missing(in: record, order),
          isEquation(record, index, solution),
          let first = appendSummands(for: missing.variable, missing.factor, of: record, to: order)
        else { continue }
        let local = solution?.localOf[variables[missing.variable].group] ?? -1
        steps[missing.variable].order = order.number
        steps[missing.variable].first = Int32(first)
        steps[missing.variable].local = Int32(local)
        order.variables.append(Int32(missing.variable))
      }
    }
  }

  /// Returns whether a constraint gives a variable its value: an equation, or an inequality or soft
  /// constraint that keeps a variable from moving.
  private func isEquation(_ record: LinearRecord, _ index: Int, _ solution: LinearSolution?) -> Bool
  {
    switch record.role {
    case .waiting, .constant, .redundant: return false
    case .edge: return true
    case .general:
      guard let solution else { return false }
      if record.isRequired, record.constraint.relation == .equal { return true }
      guard let local = solution.measureOf[index] else { return false }
      return !solution.system.isBasic(local) && solution.system.values[local].isZero
    }
  }

  /// Returns the only variable of a constraint that is not in the order yet, with its factor, or nil.
  private func missing(
    in record: LinearRecord, _ order: LinearOrder
  ) -> (variable: Int, factor: SolverNumber)? {
    var missing: (variable: Int, factor: SolverNumber)?
    for term in record.terms where steps[term.variable].order != order.number {
      if missing != nil { return nil }
      missing = term
    }
    return missing
  }

  /// Appends the summands of a constraint, solved for a variable, to an order, as they are written.
  ///
  /// - Returns: the position of the first; nil when a constant is missing.
  private func appendSummands(
    for variable: Int, _ own: SolverNumber, of record: LinearRecord, to order: LinearOrder
  ) -> Int? {
    guard let form = record.constraint.linear else { return nil }
    let first = order.summands.count
    let cell = variables[variable].cell
    // A sign moved from the divisor to the summands rounds nothing.
    let isUnit = own.magnitude == .one
    for term in form.terms where term.cell != cell {
      guard
        let factor = coefficient(
          of: term, isUnit && own.isNegative ? term.number : -term.number)
      else { return nil }
      guard let other = term.cell else {
        order.summands.append(LinearSummand(factor: factor, other: LinearSummand.number))
        continue
      }
      // A cell whose factors are zero is no variable of the constraint.
      guard let index = index(of: other), steps[index].order == order.number else { continue }
      order.summands.append(LinearSummand(factor: factor, other: Int32(index)))
    }
    order.summands.append(
      LinearSummand(factor: isUnit ? .one : own, other: LinearSummand.divisor))
    return first
  }
}
