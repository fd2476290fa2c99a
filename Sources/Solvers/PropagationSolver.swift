public import TenonRuntime
internal import TenonTables

/// Keeps constraints that can be satisfied in more than one direction, by local propagation.
///
/// In each constraint one of its formulas is chosen, so that no cell is computed twice and no
/// formula needs its own result. A cell that nothing computes keeps its value.
///
/// - Solution: a written cell keeps what was written to the bit; of the others, those written
///   longest ago give way, and of cells never written the one that stands further left in the
///   declarations. Each formula runs at most once for a change; nothing is iterated. Of constraints
///   that cannot all hold, the weakest is given up, and of equally weak ones the youngest.
/// - Cycles and more required constraints than cells can bear are refused, with the formulas that
///   take part. With too few constraints cells keep their values.
/// - Cost: a change of a cell that is computed costs a search through the constraints above it;
///   then, and for a cell that is free already, a step for each formula below it.
///
/// Algorithm: B. N. Freeman-Benson, J. Maloney, A. Borning, "An incremental constraint solver",
/// Communications of the ACM 33(1), 1990 (DeltaBlue). The strengths of the implicit stays are
/// the ages of the last writes, so that they are all different: the cell that gives way is found
/// by one search for the weakest free cell above the edited one, an alternating path that is then
/// turned around. Walkabout strengths need not be kept.
public final class PropagationSolver: ConnectorSolver {
  /// A cell of a constraint, and the formula that computes it.
  ///
  /// Those of a constraint stand in a row, at first those that have a formula, in the order of the
  /// formulas.
  struct Member {
    /// The constraint, or -1 for a free record.
    var constraint: Int32
    var variable: Int32
    /// The number of the formula, or -1.
    var formula: Int32
    /// The next one of the same cell; of free ones in a row, the next such row.
    var nextOfVariable: Int32 = -1
    /// The one before it of the same cell; of the first one, the last.
    var previousOfVariable: Int32 = -1

    static let free = Member(constraint: -1, variable: -1, formula: -1)
  }

  struct Constraint {
    /// The member whose formula is chosen, or -1 while it is given up.
    var chosen: Int32 = -1
    /// Its first cell, or the next free record.
    var firstMember: Int32 = -1
    /// When a search was here last, and what it found.
    var visit: UInt32 = 0
    var strength: Strength
    var isOnPath = false
    var isForced = false
  }

  struct Variable {
    /// The number of the cell.
    var id: Int32
    /// The first constraint that joins it.
    var firstMember: Int32 = -1
    /// The constraint whose chosen formula computes it, or -1.
    var source: Int32 = -1
    /// Where the cell first stood in a declaration: of cells never written, the first gives way.
    var rank: Int32
    var visit: UInt32 = 0
    /// In which turn it has changed last.
    var changed: UInt32 = 0
    /// When it was written last, twice, and one more if it is pinned.
    private var ageAndPin: UInt64 = 0

    init(id: Int32, rank: Int32) {
      self.id = id
      self.rank = rank
    }

    /// When it was written last.
    var age: UInt64 { ageAndPin >> 1 }

    /// Whether no formula may compute it.
    var isPinned: Bool { ageAndPin & 1 != 0 }

    mutating func edit(age: UInt64, isPinned: Bool) { ageAndPin = age << 1 | (isPinned ? 1 : 0) }

    mutating func unpin() { ageAndPin &= ~1 }
  }

  let constraints = FlatTable<Constraint>()
  let variables = FlatTable<Variable>()
  let members = FlatTable<Member>()
  /// For a member where its cell stands in the statement, if that is not where it stands in its row:
  /// explanations and refusals go by that.
  let places = NumberMap()
  /// How many records there are, free ones included.
  var recordCount: Int { constraints.count + variables.count + members.count }
  private var freeConstraint: Int32 = -1
  /// For a number the first of so many members in a row that are free, or -1.
  private let freeMembers = FlatTable<Int32>()
  /// The cells of a constraint that is being entered.
  private let joined = FlatTable<Int32>()
  let constraintsByNumber = NumberMap()
  let variablesByNumber = NumberMap()
  private var nextRank: Int32 = 0
  var visit: UInt32 = 0
  var turn: UInt32 = 0
  /// The constraints that are given up.
  var unsatisfied: [Int32] = []
  /// Those that have come into force again and have not run yet.
  var revived: [Int32] = []
  /// The constraints below some cells, in order, as long as the choices stand.
  let plan = FlatTable<Int32>()
  /// The same as formulas, once it is used again.
  var formulaPlan: FormulaPlan?
  var plannedCells: [Int32] = []
  var hasPlan = false
  /// How many plans have been made.
  var planCount = 0

  /// Creates a solver without constraints.
  public init() {
    // Behind the last member stands one that belongs to no constraint.
    members.append(.free)
  }

  /// Its name in programs.
  public static var name: String { "propagation" }

  /// Nanoseconds for a formula, roughly.
  public static var cost: Int { 10 }

  /// A constraint that is gone determines no choice any more.
  public static var forgetsAtOnce: Bool { true }

  /// Accepts regions in which every constraint has more than one direction.
  public static func accept(_ region: RegionIR) -> Acceptance {
    let refusals = region.constraints.compactMap { constraint -> Refusal? in
      if constraint.isLinearOnly, let formula = constraint.formulas.first {
        let kind = constraint.relation == .equal ? "equation" : "inequality"
        return Refusal(formula.id, "an \(kind) has no formula to run")
      }
      guard !constraint.isMultiWay, let formula = constraint.formulas.first else { return nil }
      return Refusal(formula.id, "it has one direction only")
    }
    return refusals.isEmpty ? .yes : .no(refusals)
  }

  /// The formula that computes a cell at present, if one does.
  public func formula(computing cell: CellID) -> FormulaID? {
    let variable = variablesByNumber[cell.rawValue]
    guard variable >= 0, variables[variable].source >= 0 else { return nil }
    return formulaID(variables[variable].source)
  }

  /// Whether a constraint is in force: it is not when stronger ones stand against it.
  public func keeps(_ constraint: ConstraintID) -> Bool {
    let known = constraintsByNumber[constraint.rawValue]
    return known >= 0 && constraints[known].chosen >= 0
  }

  /// The formulas that a change of some cells would run, in order.
  public func plan(edits: [CellID]) -> [FormulaID] {
    makePlan(edits.map { variablesByNumber[$0.rawValue] }.filter { $0 >= 0 })
    return (0..<plan.count).map { formulaID(plan[$0]) }
  }

  func formulaID(_ constraint: Int32) -> FormulaID {
    FormulaID(members[constraints[constraint].chosen].formula)
  }

  func output(_ constraint: Int32) -> Int32 {
    let chosen = constraints[constraint].chosen
    return chosen < 0 ? -1 : members[chosen].variable
  }

  /// Whether a member is one of a constraint, also for the number behind its last one.
  @inline(__always)
  func isMember(_ member: Int32, of constraint: Int32) -> Bool {
    members[member].constraint == constraint
  }
}

// MARK: - Constraints

extension PropagationSolver {
  /// Takes a constraint in, or replaces one of the same number.
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
    let entry = enter(constraint)
    do throws(SolverConflict) {
      try choose(for: entry)
    } catch {
      remove(constraint.id)
      throw error
    }
  }

  private func enter(_ constraint: ConstraintIR) -> Int32 {
    let record = Constraint(strength: constraint.strength)
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
    // The cells get their ranks in the order of the first formula.
    visit &+= 1
    joined.removeAll()
    if let first = constraint.formulas.first {
      join(first.output)
      for cell in first.inputs { join(cell) }
    }
    for cell in constraint.cells { join(cell) }
    for formula in constraint.formulas { join(formula.output) }
    addMembers(of: entry, constraint)
    hasPlan = false
    return entry
  }

  /// Notes a cell of a constraint that is being entered.
  private func join(_ cell: CellID) {
    let variable = variable(cell)
    if variables[variable].visit == visit { return }
    variables[variable].visit = visit
    if variables[variable].firstMember < 0 {
      variables[variable].rank = nextRank
      nextRank += 1
    }
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
      add(member, Member(constraint: entry, variable: variable, formula: formula.id.rawValue))
      setPlace(many?[variable] ?? place(variable), of: member)
      member += 1
    }
    for index in 0..<joined.count where variables[joined[index]].visit != visit {
      add(member, Member(constraint: entry, variable: joined[index], formula: -1))
      setPlace(Int32(index), of: member)
      member += 1
    }
  }

  private func setPlace(_ place: Int32, of member: Int32) {
    let isOther = place != member - constraints[members[member].constraint].firstMember
    if isOther { places.set(member, to: place) }
  }

  /// Where the cell of a member stands in the statement, given the first member of its constraint.
  @inline(__always)
  func place(of member: Int32, from first: Int32) -> Int32 {
    let other = places[member]
    return other < 0 ? member - first : other
  }

  /// Where a cell stands among those that are being entered.
  private func place(_ variable: Int32) -> Int32 {
    var place: Int32 = 0
    while place < joined.count, joined[place] != variable { place += 1 }
    return place
  }

  /// The same for all cells, where looking for each would take long.
  private func placesOfMany() -> [Int32: Int32]? {
    if joined.count <= 16 { return nil }
    var places: [Int32: Int32] = [:]
    for index in 0..<joined.count { places[joined[index]] = Int32(index) }
    return places
  }

  /// Puts a member behind the others of its cell.
  private func add(_ member: Int32, _ record: Member) {
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

  /// So many records in a row.
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
    let first = constraints[entry].firstMember
    var member = first
    while isMember(member, of: entry) {
      leave(member)
      members[member].constraint = -1
      places.remove(member)
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

  /// Gives the cells of a constraint other formulas, of which one computes the same cell as now.
  ///
  /// - Returns: Whether all of them compute one of its cells; else nothing has happened.
  private func replaceFormulas(of entry: Int32, by constraint: ConstraintIR) -> Bool {
    for formula in constraint.formulas
    where member(of: entry, variable(formula.output)) < 0 { return false }
    var old = constraints[entry].firstMember
    while isMember(old, of: entry) {
      members[old].formula = -1
      old += 1
    }
    for formula in constraint.formulas.reversed() {
      members[member(of: entry, variable(formula.output))].formula = formula.id.rawValue
    }
    constraints[entry].strength = constraint.strength
    hasPlan = false
    return true
  }

  /// The member of a constraint that is a cell, or -1.
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

  /// The record of a cell, made when it is first asked for.
  func variable(_ cell: CellID) -> Int32 {
    let known = variablesByNumber[cell.rawValue]
    if known >= 0 { return known }
    let new = Int32(variables.count)
    variables.append(Variable(id: cell.rawValue, rank: nextRank))
    nextRank += 1
    variablesByNumber.set(cell.rawValue, to: new)
    return new
  }

  /// Lets a constraint go.
  ///
  /// - Complexity: O(cells it joins), when nothing had to be given up because of it.
  public func remove(_ constraint: ConstraintID) {
    let entry = constraintsByNumber[constraint.rawValue]
    guard entry >= 0 else { return }
    constraintsByNumber.remove(constraint.rawValue)
    let computed = output(entry)
    if computed >= 0, variables[computed].source == entry { variables[computed].source = -1 }
    if !unsatisfied.isEmpty { unsatisfied.removeAll { $0 == entry } }
    if !revived.isEmpty { revived.removeAll { $0 == entry } }
    removeMembers(of: entry)
    constraints[entry].chosen = -1
    constraints[entry].firstMember = freeConstraint
    freeConstraint = entry
    hasPlan = false
    revive()
  }
}
