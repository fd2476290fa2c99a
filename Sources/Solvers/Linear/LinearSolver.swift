public import TenonSolverKit
internal import TenonTables

/// Keeps linear equations and inequalities, which may have to be solved together.
///
/// - Solution: lexicographic. Required constraints hold. Below them come the cells that were written in
///   this turn, the latest first; then strong and medium constraints, of the same strength in the order
///   of their declaration; then the stays of cells that were ever written, the latest first; then weak
///   constraints; at last the stays of cells never written, first of those that stand on no left side,
///   and of those of lower rank first. So there is one solution, whatever the order in which constraints
///   came, and a variable that is written keeps its value to the bit.
/// - Cycles are solved; with too few equations variables keep their values. Required
///   constraints that cannot hold together are refused with a set of them of which none could be
///   left out.
/// - Exact numbers stay exact while they fit in 64 bits.
/// - Cost: before anything else, equations between two variables join them to groups that are one
///   variable each. A written variable of a lone group costs a step for each member; in a system of
///   groups, a step for each occurrence in a row as long as no bound is passed and nothing was given
///   up before, else a search with the simplex method.
///
/// Algorithm: equations are eliminated before inequalities are looked at, as in G. Badros,
/// A. Borning, P. Stuckey, "The Cassowary linear arithmetic constraint solving algorithm", ACM
/// Transactions on Computer-Human Interaction 8(4), 2001. Instead of one sum of weighted errors,
/// goals are met one after the other; stays are ordered by age. A joined group is relabelled from
/// its smaller side.
public final class LinearSolver: ConnectorSolver {
  let variables = FlatTable<LinearVariable>()
  let variableOf = NumberMap()
  var records: [LinearRecord?] = []
  let uses = FlatTable<LinearUse>()
  var freeUse: Int32 = -1
  let recordOf = NumberMap()
  let recordOfFormula = NumberMap()
  var freeRecords: [Int] = []
  let groups = FlatTable<LinearGroup>()
  var freeGroups: [Int] = []
  /// The redundant equations of a group.
  var redundant: [Int: [Int]] = [:]
  /// The variables that a search through a group has found, from either side of an edge.
  let foundFirst = FlatTable<Int32>()
  let foundSecond = FlatTable<Int32>()
  var components: [LinearComponent?] = []
  var freeComponents: [Int] = []
  var pinnedTotal = 0
  var values: CellValues?
  /// The left sides of constraints that are new in this turn: they follow the right sides.
  var followers: Set<Int> = []
  /// The variables with which constraints begin in this turn, with their ages for the turn and their own.
  var begun: [(variable: Int, age: UInt64, trueAge: UInt64)] = []
  /// Whether the program is to end, as the last search found.
  var isInterrupted = false
  /// The number of systems built and of times that all goals of one were met one after the other:
  /// as long as the structure stands, a write needs neither.
  var planCount = 0
  /// The number of searches through the variables.
  var visits = 0
  /// How each variable follows from others, the steps still to be computed, and the orders of lone groups;
  /// the numbers of orders and rounds so far.
  let steps = FlatTable<LinearStep>()
  let openSteps = FlatTable<Int32>()
  var orders: [Int: LinearOrder] = [:]
  var orderCount = 0
  var stepRound = 0

  /// Creates a solver without constraints.
  public init() {}

  /// Its name in programs.
  public static var name: String { "linear" }

  /// Nanoseconds for a constraint, roughly.
  public static var cost: Int { 50 }

  /// True: it computes values itself.
  public static var solvesSums: Bool { true }

  /// Accepts regions in which every constraint can be written as a sum whose constants are cells
  /// of other regions.
  public static func accept(_ region: RegionIR) -> Acceptance {
    var refusals: [Refusal] = []
    let cells = Set(region.constraints.flatMap(\.cells))
    for constraint in region.constraints {
      guard let formula = constraint.formulas.first else { continue }
      guard let form = constraint.linear else {
        refusals.append(Refusal(formula.id, "it is not linear"))
        continue
      }
      if form.constants.contains(where: { cells.contains($0) }) {
        refusals.append(Refusal(formula.id, "it multiplies two variables"))
      }
    }
    return refusals.isEmpty ? .yes : .no(refusals)
  }

  /// True: the cell that was written last keeps its value, even if the write changed nothing.
  public static var hearsEqualWrites: Bool { true }

  /// True: the constraints that remain are solved as if the removed one had never been.
  public static var forgetsAtOnce: Bool { true }

  /// Takes the means to read cells.
  public func attach(to values: CellValues) { self.values = values }
}

// MARK: - Constraints

extension LinearSolver {
  /// Adds a constraint, or replaces one of the same number.
  ///
  /// - Throws: `SolverConflict` with a minimal set of constraints that cannot hold together, or
  ///   when the program is to end.
  /// - Complexity: O(the smaller of the groups) for a required equation of two variables that no
  ///   others join; otherwise O(connected constraints), or more when it has to be searched.
  public func add(_ constraint: ConstraintIR) throws(SolverConflict) {
    isInterrupted = false
    let known = recordOf[constraint.id.rawValue]
    let old = known < 0 ? nil : records[Int(known)]?.constraint
    if old != nil { remove(constraint.id) }
    let index = freeRecords.popLast() ?? records.count
    if index == records.count { records.append(nil) }
    records[index] = LinearRecord(constraint: constraint)
    recordOf.set(constraint.id.rawValue, to: Int32(index))
    for formula in constraint.formulas {
      recordOfFormula.set(formula.id.rawValue, to: Int32(index))
    }
    if let cell = constantThatIsSolved(in: constraint) {
      discard(index)
      if let old { try? add(old) }
      throw SolverConflict(
        .unsupported("it multiplies two variables"), constraint.formulas.map(\.id), cells: [cell])
    }
    for term in constraint.linear?.terms ?? [] {
      if let cell = term.cell { _ = variable(for: cell) }
    }
    countTarget(of: constraint, 1)
    do throws(SolverConflict) {
      try enter(index)
    } catch {
      discard(index)
      // It was kept before and can be kept again.
      if let old { try? add(old) }
      throw error
    }
  }

  /// Removes a constraint.
  ///
  /// - Complexity: O(the smaller part) where a group falls apart; a component is built anew the next
  ///   time it is needed.
  public func remove(_ constraint: ConstraintID) {
    let index = Int(recordOf[constraint.rawValue])
    guard index >= 0 else { return }
    leave(index)
    discard(index)
  }

  private func discard(_ index: Int) {
    guard let record = records[index] else { return }
    countTarget(of: record.constraint, -1)
    recordOf.remove(record.constraint.id.rawValue)
    for formula in record.constraint.formulas { recordOfFormula.remove(formula.id.rawValue) }
    records[index] = nil
    freeRecords.append(index)
  }

  private func constantThatIsSolved(in constraint: ConstraintIR) -> CellID? {
    for term in constraint.linear?.terms ?? [] {
      for cell in term.factors where isSolved(cell) { return cell }
      for cell in term.divisors where isSolved(cell) { return cell }
    }
    return nil
  }

  /// Returns whether a cell is a variable of some constraint.
  private func isSolved(_ cell: CellID) -> Bool {
    index(of: cell).map { variables[$0].firstUse >= 0 } ?? false
  }

  /// Counts the left sides of a constraint: a constraint of several statements has several.
  private func countTarget(of constraint: ConstraintIR, _ change: Int) {
    for formula in constraint.formulas where !formula.isInverse {
      guard let index = index(of: formula.output) else { continue }
      variables[index].targetCount += Int32(change)
      let leader = groups[variables[index].group].leader
      if leader == index { groups[variables[index].group].leader = -1 }
      forgetOrder(variables[index].group)
    }
  }

  /// Returns the variable of a cell, made when there is none.
  func variable(for cell: CellID) -> Int {
    if let known = index(of: cell) { return known }
    let index = variables.count
    variables.append(LinearVariable(cell: cell, number: index))
    variables[index].group = makeGroup(index)
    variableOf.set(cell.rawValue, to: Int32(index))
    return index
  }

  /// Returns the variable of a cell, if it has one.
  @inline(__always)
  func index(of cell: CellID) -> Int? {
    let known = variableOf[cell.rawValue]
    return known < 0 ? nil : Int(known)
  }

  /// Returns the number that the cell of a variable holds.
  func value(of variable: Int) -> SolverNumber? {
    if !variables[variable].isKnown {
      variables[variable].isKnown = true
      let number = values?[variables[variable].cell]
      variables[variable].value = number.flatMap { $0.isFinite ? $0 : nil }
    }
    return variables[variable].value
  }

  /// Reads the constants of a constraint.
  ///
  /// - Returns: false when a constant is missing.
  private func linearise(_ index: Int) -> Bool {
    guard let form = records[index]?.constraint.linear else { return false }
    var terms: [(variable: Int, factor: SolverNumber)] = []
    var constant = SolverNumber.zero
    for term in form.terms {
      guard let factor = coefficient(of: term, term.number), factor.isFinite else { return false }
      guard let cell = term.cell else {
        constant = constant + factor
        continue
      }
      let variable = variable(for: cell)
      if let known = terms.firstIndex(where: { $0.variable == variable }) {
        terms[known].factor = terms[known].factor + factor
      } else {
        terms.append((variable, factor))
      }
    }
    terms.removeAll { $0.factor.isZero }
    records[index]?.terms = terms
    records[index]?.constant = constant
    return true
  }

  /// Reads the constants of a constraint and gives it its role.
  private func enter(_ index: Int) throws(SolverConflict) {
    guard linearise(index), let record = records[index] else {
      records[index]?.role = .waiting
      return
    }
    try refuseText(in: record)
    for term in record.terms { use(term.variable, in: index, record) }
    do throws(SolverConflict) {
      if record.terms.isEmpty {
        records[index]?.role = .constant
        if record.isRequired, !record.holds(record.constant, size: record.constant) {
          throw SolverConflict(
            .unsatisfiable, [record.formula], cells: record.constraint.linear?.constants ?? [])
        }
      } else if record.isRequired, record.constraint.relation == .equal, record.terms.count == 2 {
        try joinGroups(index)
      } else {
        try joinComponent(index)
      }
    } catch {
      detach(record)
      throw error
    }
  }

  /// Refuses a constraint that would overwrite a place which holds a value that is no number: all but the
  /// left side of an equation, which takes the value of the right one.
  private func refuseText(in record: LinearRecord) throws(SolverConflict) {
    let output =
      record.constraint.relation == .equal ? record.constraint.formulas.first?.output : nil
    for term in record.terms where value(of: term.variable) == nil {
      let cell = variables[term.variable].cell
      if cell != output, let number = values?[cell], !number.isFinite {
        throw SolverConflict(.noNumber, [record.formula], cells: [cell])
      }
    }
  }

  /// Records that a variable occurs in a constraint.
  private func use(_ variable: Int, in index: Int, _ record: LinearRecord) {
    let last = variables[variable].lastUse
    let new = LinearUse(
      record: Int32(index), variable: Int32(variable), previousOfVariable: last,
      nextOfRecord: record.firstUse)
    let number: Int32
    if freeUse >= 0 {
      number = freeUse
      freeUse = uses[number].nextOfRecord
      uses[number] = new
    } else {
      number = Int32(uses.count)
      uses.append(new)
    }
    record.firstUse = number
    if last < 0 {
      variables[variable].firstUse = number
      variables[variable].reason = record.formula
    } else {
      uses[last].nextOfVariable = number
    }
    variables[variable].lastUse = number
  }

  /// Removes the occurrences of variables in a constraint.
  private func detach(_ record: LinearRecord) {
    var number = record.firstUse
    record.firstUse = -1
    while number >= 0 {
      let use = uses[number]
      let variable = Int(use.variable)
      if use.nextOfVariable >= 0 {
        uses[use.nextOfVariable].previousOfVariable = use.previousOfVariable
      } else {
        variables[variable].lastUse = use.previousOfVariable
      }
      if use.previousOfVariable >= 0 {
        uses[use.previousOfVariable].nextOfVariable = use.nextOfVariable
      } else {
        variables[variable].firstUse = use.nextOfVariable
        if use.nextOfVariable >= 0, let record = records[Int(uses[use.nextOfVariable].record)] {
          variables[variable].reason = record.formula
        }
      }
      uses[number].nextOfRecord = freeUse
      freeUse = number
      number = use.nextOfRecord
    }
  }

  /// Returns the constraints in which a variable occurs.
  func records(using variable: Int) -> [Int] {
    var result: [Int] = []
    var number = variables[variable].firstUse
    while number >= 0 {
      result.append(Int(uses[number].record))
      number = uses[number].nextOfVariable
    }
    return result
  }

  private func leave(_ index: Int) {
    guard let record = records[index] else { return }
    detach(record)
    switch record.role {
    case .waiting, .constant: break
    case .edge: cut(index)
    case .redundant:
      if let term = record.terms.first {
        redundant[variables[term.variable].group]?.removeAll { $0 == index }
      }
    case .general: leaveComponent(index)
    }
    records[index]?.role = .waiting
  }

  /// Reads the changed constants of a constraint again.
  func readAgain(_ index: Int) throws(SolverConflict) {
    guard let record = records[index], let form = record.constraint.linear,
      form.terms.contains(where: { !$0.factors.isEmpty || !$0.divisors.isEmpty })
    else { return }
    leave(index)
    try enter(index)
  }
}

// MARK: - Writes from outside

extension LinearSolver {
  /// Takes an edit: the cell keeps its value.
  ///
  /// Whether constraints allow the value is decided when the turn is settled.
  /// - Complexity: O(1).
  public func edit(_ cell: CellID, age: UInt64, isPinned: Bool) throws(SolverConflict) {
    let index = variable(for: cell)
    // The value is not known of a time when the cell was in no constraint.
    if variables[index].firstUse < 0 { variables[index].isKnown = false }
    let isTakenBack = age < variables[index].age
    variables[index].age = age
    let group = variables[index].group
    if isTakenBack, groups[group].leader == index {
      // Another cell has been written last.
      groups[group].leader = -1
      forgetOrder(group)
    }
    if variables[index].isPinned != isPinned {
      variables[index].isPinned = isPinned
      groups[group].pinnedCount += isPinned ? 1 : -1
      pinnedTotal += isPinned ? 1 : -1
      forgetOrder(group)
    }
    let leader = groups[group].leader
    if leader >= 0, leader != index, isYounger(index, leader) {
      groups[group].leader = index
      let component = groups[group].component
      if component >= 0 { components[component]?.solution?.order = nil }
    }
  }

  /// Makes a cell keep its value until the constraint that begins with it has held.
  public func begin(with cell: CellID, age: UInt64) {
    let index = variable(for: cell)
    let trueAge = variables[index].age
    try? edit(cell, age: age, isPinned: variables[index].isPinned)
    begun.append((index, age, trueAge))
  }

  /// Gives the cells with which constraints began their own ages back.
  func endBeginnings() {
    for (index, age, trueAge) in begun.reversed() where variables[index].age == age {
      variables[index].age = trueAge
      groups[variables[index].group].leader = -1
      forgetAges(of: index)
    }
    begun = []
  }

  /// Makes the component of a variable take its changed age into account.
  func forgetAges(of index: Int) {
    let group = variables[index].group
    let component = groups[group].component
    if component >= 0 { components[component]?.solution?.order = nil }
    forgetOrder(group)
  }

  /// Takes the rank of a cell, which counts while it was never written.
  public func setRank(_ rank: UInt32, of cell: CellID) {
    // A place without a value has none to keep.
    variables[variable(for: cell)].rank = rank & 0x7FFF_FFFF
  }

  /// Lets a cell be computed again.
  public func unpin(_ cell: CellID) {
    guard let index = index(of: cell), variables[index].isPinned else { return }
    variables[index].isPinned = false
    groups[variables[index].group].pinnedCount -= 1
    pinnedTotal -= 1
    forgetOrder(variables[index].group)
  }

  /// Returns whether a variable counts more than another: it was written later.
  func isYounger(_ left: Int, _ right: Int) -> Bool {
    let (a, b) = (variables[left].age, variables[right].age)
    if a != b { return a > b }
    // Of variables never written, left sides of constraints follow right sides.
    let isTarget = (variables[left].targetCount > 0, variables[right].targetCount > 0)
    if isTarget.0 != isTarget.1 { return isTarget.1 }
    return (variables[left].rank, left) < (variables[right].rank, right)
  }

  /// Marks the values of a group's members as possibly inconsistent.
  func forgetValues(_ group: Int) {
    groups[group].isFresh = true
    let component = groups[group].component
    if component >= 0 {
      components[component]?.solution?.isSettled = false
      components[component]?.solution?.isQuiet = false
    }
  }

  /// Makes a component be solved anew: values alone do not suffice.
  func forgetOrder(_ group: Int) {
    let component = groups[group].component
    if component >= 0 { components[component]?.solution?.isSettled = false }
  }
}
