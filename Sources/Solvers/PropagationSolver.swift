public import TenonRuntime
internal import TenonTables

/// Keeps constraints that can be satisfied in more than one direction, by local propagation.
///
/// In each constraint one of its formulas is chosen, so that no cell is computed twice and no
/// formula needs its own result. A cell that nothing computes keeps its value.
///
/// - Solution: a written cell keeps what was written to the bit; of the others, those written
///   longest ago give way. Of cells never written it is first those that held nothing when they were
///   connected, then the one that stands further left in a statement, then the one of lower rank.
///   Each formula runs at most once for a change; nothing is iterated. Of constraints that cannot all
///   hold, the weakest is given up, and of equally weak ones the youngest. So the cells that keep
///   their values do not depend on the order in which constraints came, nor on those that are gone.
/// - Cycles and more required constraints than cells can bear are refused, with the formulas that
///   take part. With too few constraints cells keep their values.
/// - Cost: a change of a cell that is computed costs a search through the constraints above it;
///   then, and for a cell that is free already, a step for each formula below it. What a removal makes
///   room for is looked for before the next change, by a search through the constraints below. Where
///   choices were refused because of cycles or wishes do not hold, all choices are made anew.
///
/// Algorithm: B. N. Freeman-Benson, J. Maloney, A. Borning, "An incremental constraint solver",
/// Communications of the ACM 33(1), 1990 (DeltaBlue). The strengths of the implicit stays are
/// the ages of the last writes, so that they are all different: the cell that gives way is found
/// by one search for the weakest free cell above the edited one, an alternating path that is then
/// turned around. Walkabout strengths need not be kept. The sets of cells that formulas can compute are
/// those of a transversal matroid, as in J. Edmonds, D. R. Fulkerson, "Transversals and matroid partition",
/// Journal of Research of the National Bureau of Standards 69B, 1965: what is best by single
/// exchanges is best of all. Where cycles stand in the way of one, cells are kept one after the other,
/// each if the rest can be satisfied by propagating degrees of freedom (I. Sutherland, "Sketchpad",
/// 1963), which finds a way if there is one.
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
    /// Whether it is one of those that are to be satisfied, while all choices are made anew.
    var isActive = false
    /// Whether the record is in use.
    var isUsed = true
  }

  struct Variable {
    /// The number of the cell.
    var id: Int32
    /// The first constraint that joins it.
    var firstMember: Int32 = -1
    /// The constraint whose chosen formula computes it, or -1.
    var source: Int32 = -1
    /// Of cells never written, those below 2^31 give way first; of those that stand as far left, the
    /// lowest.
    var rank: UInt32 = 0
    var visit: UInt32 = 0
    /// In which turn it has changed last.
    var changed: UInt32 = 0
    /// After which turn it was written last.
    var written = UInt32.max
    /// How far left it stands in statements, and how often it stands there.
    var left = LeftMost()
    private var ageAndFlags: UInt64 = 0

    init(id: Int32) { self.id = id }

    /// When it was written last.
    var age: UInt64 {
      get { ageAndFlags >> 3 }
      set { ageAndFlags = newValue << 3 | ageAndFlags & 7 }
    }

    /// Whether no formula may compute it.
    var isPinned: Bool {
      get { ageAndFlags & 1 != 0 }
      set { ageAndFlags = newValue ? ageAndFlags | 1 : ageAndFlags & ~1 }
    }

    /// Whether it keeps its value, and a cell that counts more may be able to in its place.
    var isLoose: Bool {
      get { ageAndFlags & 2 != 0 }
      set { ageAndFlags = newValue ? ageAndFlags | 2 : ageAndFlags & ~2 }
    }

    /// Whether it is computed, and counts more than when that was chosen.
    var hasRisen: Bool {
      get { ageAndFlags & 4 != 0 }
      set { ageAndFlags = newValue ? ageAndFlags | 4 : ageAndFlags & ~4 }
    }
  }

  let constraints = FlatTable<Constraint>()
  let variables = FlatTable<Variable>()
  let members = FlatTable<Member>()
  /// For a member where its cell stands in the statement, if that is not where it stands in its row:
  /// explanations and refusals go by that.
  let places = NumberMap()
  /// For a member of a constraint of several statements how far left its cell stands in them.
  private let lefts = NumberMap()
  /// For a wish when it was declared.
  let orders = NumberMap()
  /// How many records there are, free ones included.
  var recordCount: Int { constraints.count + variables.count + members.count }
  private var freeConstraint: Int32 = -1
  /// For a number the first of so many members in a row that are free, or -1.
  private let freeMembers = FlatTable<Int32>()
  /// The cells of a constraint that is being entered.
  private let joined = FlatTable<Int32>()
  let constraintsByNumber = NumberMap()
  let variablesByNumber = NumberMap()
  var visit: UInt32 = 0
  var turn: UInt32 = 0
  /// The constraints that are given up.
  var unsatisfied: [Int32] = []
  /// Those that have come into force again and have not run yet.
  var revived: [Int32] = []
  /// No cell that keeps its value counts less than this.
  var leastKept = Weight.most
  /// The cells that are loose.
  var loose: [Int32] = []
  /// The cells that are computed and have risen.
  var risen: [Int32] = []
  /// Whether a cycle has stood in the way of a choice: single exchanges do not tell what is best then.
  var isTangled = false
  /// The cell that was written last, or -1; whether anything has been written since the last turn, and
  /// whether there has been a turn since because of something else.
  var newest: Int32 = -1
  var isWritten = false
  var isOutdated = false
  /// Whether all choices are to be made anew before anything depends on them.
  var isStale = false
  /// The cells with which constraints begin that have not been settled, and how old they are.
  var begun: [(variable: Int32, age: UInt64, trueAge: UInt64)] = []
  /// Where a cell stands last among them.
  let begunAt = NumberMap()
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

  /// Chooses a formula of each constraint.
  public static var choosesFormulas: Bool { true }

  /// A constraint that is gone determines no choice any more.
  public static var forgetsAtOnce: Bool { true }

  /// Wants to hear of writes that change nothing: what was written last keeps its value.
  public static var hearsEqualWrites: Bool { true }

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
    if isStale { improve() }
    let variable = variablesByNumber[cell.rawValue]
    guard variable >= 0, variables[variable].source >= 0 else { return nil }
    return formulaID(variables[variable].source)
  }

  /// Whether a constraint is in force: it is not when stronger ones stand against it.
  public func keeps(_ constraint: ConstraintID) -> Bool {
    if isStale { improve() }
    let known = constraintsByNumber[constraint.rawValue]
    return known >= 0 && constraints[known].chosen >= 0
  }

  /// The formulas that a change of some cells would run, in order.
  public func plan(edits: [CellID]) -> [FormulaID] {
    improve()
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
    let wasTangled = isTangled
    let entry = enter(constraint)
    do throws(SolverConflict) {
      try choose(for: entry)
      var member = constraints[entry].firstMember
      while isMember(member, of: entry) {
        if variables[members[member].variable].source < 0 { noteKept(members[member].variable) }
        member += 1
      }
    } catch {
      isTangled = wasTangled
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

  /// Notes a cell of a constraint that is being entered.
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
      add(member, Member(constraint: entry, variable: variable, formula: formula.id.rawValue))
      setPlace(many?[variable] ?? place(variable), of: member)
      member += 1
    }
    for index in 0..<joined.count where variables[joined[index]].visit != visit {
      add(member, Member(constraint: entry, variable: joined[index], formula: -1))
      setPlace(Int32(index), of: member)
      member += 1
    }
    compareStatements(of: entry, constraint)
    noteLefts(of: entry, true)
  }

  /// How far left the cell of a member stands in the statement, in eighths of a place.
  private func left(_ member: Int32, of entry: Int32) -> Int32 {
    let left = lefts[member]
    return left >= 0 ? left : 8 * place(of: member, from: constraints[entry].firstMember)
  }

  /// Where a constraint is made of several statements, finds out how far left its cells stand in them on
  /// the average: that does not depend on which of them came first.
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

  /// The number of the first formula that is a statement, and not the way back of one.
  private func firstStatement(of constraint: ConstraintIR) -> Int {
    for index in constraint.formulas.indices where !constraint.formulas[index].isInverse {
      return index
    }
    return 0
  }

  /// Counts where the cells of a constraint stand in its statement, or takes that back.
  private func noteLefts(of entry: Int32, _ isNew: Bool) {
    var member = constraints[entry].firstMember
    while isMember(member, of: entry) {
      let left = left(member, of: entry)
      let variable = members[member].variable
      let before = variables[variable].left
      if isNew { variables[variable].left.add(left) } else { variables[variable].left.remove(left) }
      // Of those that were written nobody asks where they stand.
      if variables[variable].age == 0, before.place != variables[variable].left.place {
        if !isNew {
          // Its member is still there: where it stands from now on is asked later.
          raise(variable)
        } else {
          loosen(variable)
          if variables[variable].source < 0 { noteKept(variable) }
        }
      }
      member += 1
    }
  }

  /// How far left a cell stands in any statement.
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
    noteLefts(of: entry, false)
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

  /// Gives the cells of a constraint other formulas, of which one computes the same cell as now.
  ///
  /// - Returns: Whether all of them compute one of its cells; else nothing has happened.
  private func replaceFormulas(of entry: Int32, by constraint: ConstraintIR) -> Bool {
    for formula in constraint.formulas
    where member(of: entry, variable(formula.output)) < 0 { return false }
    noteLefts(of: entry, false)
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
    noteLefts(of: entry, true)
    constraints[entry].strength = constraint.strength
    hasPlan = false
    if constraint.formulas.count > known { chooseAgain(for: entry) }
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
    variables.append(Variable(id: cell.rawValue))
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
    if !unsatisfied.isEmpty {
      isStale = true
      unsatisfied.removeAll { $0 == entry }
    }
    if isTangled { isStale = true }
    if !revived.isEmpty { revived.removeAll { $0 == entry } }
    let computed = output(entry)
    removeMembers(of: entry)
    if computed >= 0, variables[computed].source == entry {
      variables[computed].source = -1
      noteKept(computed)
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

extension PropagationSolver {
  /// How far left a cell stands in the statements that join it: the least place, and how often it is that.
  ///
  /// When the last of those is gone, it has to be looked for again.
  struct LeftMost: BitwiseCopyable {
    private var word: UInt32 = 0

    private static var mostPlaces: Int32 { 255 }
    private static var mostCount: UInt32 { 1 << 24 - 1 }

    private var count: UInt32 { word >> 8 }

    /// The place; of those that are far from the left one is as good as another.
    var place: UInt32 { word & 255 }

    var isUnknown: Bool { count == 0 }

    mutating func add(_ place: Int32) {
      let place = UInt32(min(place, LeftMost.mostPlaces))
      if isUnknown || place < self.place {
        // What is unknown with members there stays unknown but for what stands on the very left.
        if isUnknown, word != 0, place > 0 { return }
        word = 1 << 8 | place
      } else if place == self.place, count < LeftMost.mostCount {
        word += 1 << 8
      }
    }

    mutating func remove(_ place: Int32) {
      guard !isUnknown, min(place, LeftMost.mostPlaces) == Int32(self.place),
        count < LeftMost.mostCount
      else { return }
      // Not 0, which is for a cell that no statement has named.
      word = count == 1 ? 255 : word - 1 << 8
    }
  }
}
