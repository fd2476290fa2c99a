internal import TenonSolverKit
internal import TenonTables

/// The record of a constraint.
struct ConstraintRecord {
  /// The number that tells it from another constraint that gets its number later.
  let stamp: UInt32
  /// The level of the one-way solver it is in, or -1.
  var level: Int32 = -1
  /// The first of its formulas, or -1.
  var first: Int32 = -1
  /// The formula whose variables are its cells, or -1 where it has cells of its own.
  var key: Int32
  /// The position among the constraints of its region.
  var position: Int32 = -1
  var isUsed = true
  /// Whether it waits for an inverse: its cell is determined by another formula already.
  var isAwaitingInverse = false
  /// Whether it belongs to a connection with a solver of its own.
  var hasRequestedSolver = false
  /// The region of several directions it is part of; nil while it has one direction.
  var region: Region?
  var extras: ConstraintExtras?
}

/// The fields that few constraints have.
final class ConstraintExtras {
  let cells: [CellID]
  let equation: Equation?

  init(cells: [CellID], equation: Equation?) {
    self.cells = cells
    self.equation = equation
  }
}

/// All the formulas over the same cells; an equation or inequality has a constraint of its own.
///
/// Most are one formula of one direction, without further data: the record of the formula has
/// room for that. The records of the others are in a table of the graph, by their numbers. For the
/// reference to the graph see `CellView`.
struct Constraint: Hashable {
  @Uncounted var graph: ConnectionGraph
  /// The number of its record, or the complement of the number of the formula that it is.
  private let place: Int32
  private let stamp: UInt32

  /// The constraint whose record has a number at present.
  init(_ number: Int32, in graph: ConnectionGraph) {
    _graph = Uncounted(wrappedValue: graph)
    place = number
    stamp = graph.tables.constraintRecords[number].stamp
  }

  /// The constraint that is nothing but a formula.
  init(alone formula: Formula) {
    _graph = Uncounted(wrappedValue: formula.graph)
    place = ~formula.id.rawValue
    stamp = UInt32(truncatingIfNeeded: formula.order)
  }

  static func == (left: Constraint, right: Constraint) -> Bool {
    left.place == right.place && left.stamp == right.stamp
  }

  func hash(into hasher: inout Hasher) { hasher.combine(place) }

  /// Whether it is one formula, and has no record.
  var isAlone: Bool { place < 0 }

  /// The number of its record, which must exist.
  var number: Int32 {
    assert(!isAlone)
    return place
  }

  private var record: ConstraintRecord {
    _read { yield graph.tables.constraintRecords[place] }
    nonmutating _modify { yield &graph.tables.constraintRecords[place] }
  }

  /// The record of the formula that it is.
  private var formulaRecord: FormulaRecord {
    _read { yield graph.formulas[~place] }
    nonmutating _modify { yield &graph.formulas[~place] }
  }

  /// Whether it has not been given up.
  var isUsed: Bool {
    if !isAlone { return record.stamp == stamp && record.isUsed }
    return formulaRecord.order == stamp && formulaRecord.isConstraint
  }

  /// Its number for the solvers of regions.
  var id: ConstraintID { ConstraintID(number) }

  /// The level of the one-way solver it is in, or -1.
  var level: Int {
    get { Int(isAlone ? formulaRecord.nextOrLevel : record.level) }
    nonmutating set {
      if isAlone {
        formulaRecord.nextOrLevel = Int32(clamping: newValue)
      } else {
        record.level = Int32(clamping: newValue)
      }
    }
  }

  /// The region of several directions it is part of; nil while it has one direction.
  var region: Region? {
    get { isAlone || !isUsed ? nil : record.region }
    nonmutating set {
      assert(!isAlone || newValue == nil)
      if !isAlone { record.region = newValue }
    }
  }

  /// The position among the constraints of its region.
  fileprivate(set) var position: Int32 {
    get { isAlone ? -1 : record.position }
    nonmutating set { if !isAlone { record.position = newValue } }
  }

  /// Whether it waits for an inverse: its cell is determined by another formula already.
  var isAwaitingInverse: Bool {
    get { isAlone ? formulaRecord.isAwaitingInverse : record.isAwaitingInverse }
    nonmutating set {
      if isAlone {
        formulaRecord.isAwaitingInverse = newValue
      } else {
        record.isAwaitingInverse = newValue
      }
    }
  }

  /// Whether it belongs to a connection with a solver of its own.
  var hasRequestedSolver: Bool {
    get { !isAlone && record.hasRequestedSolver }
    nonmutating set {
      assert(!isAlone || !newValue)
      if !isAlone { record.hasRequestedSolver = newValue }
    }
  }

  /// The formula that it is, where it has no record.
  private var own: Formula? { isAlone ? graph.formula(~place) : nil }

  /// The cells, sorted.
  var cells: [CellID] {
    if let own { return own.variables }
    if let extras = record.extras { return extras.cells }
    return graph.formula(record.key)?.variables ?? []
  }

  /// The cells, without making an array of one or two.
  var variables: Variables {
    if let own { return own.variableSet }
    if let extras = record.extras { return Variables(extras.cells) }
    return graph.formula(record.key)?.variableSet ?? Variables([])
  }

  /// The equation or inequality, where it is only linear.
  var equation: Equation? { isAlone ? nil : record.extras?.equation }

  /// The first of its formulas.
  var firstFormula: Formula? {
    guard isUsed else { return nil }
    if let own { return formulaRecord.hasJoined ? own : nil }
    return graph.formula(record.first)
  }

  /// The formulas, in the order in which they came.
  var formulas: [Formula] {
    get {
      var formulas: [Formula] = []
      var next = firstFormula
      while let formula = next {
        formulas.append(formula)
        next = formula.nextOfConstraint
      }
      return formulas
    }
    nonmutating set {
      if let own {
        assert(newValue.isEmpty || newValue == [own])
        formulaRecord.hasJoined = !newValue.isEmpty
        return
      }
      keepCells(for: newValue.first)
      record.first = newValue.first?.id.rawValue ?? -1
      for (index, formula) in newValue.enumerated() {
        formula.nextOfConstraint = index + 1 < newValue.count ? newValue[index + 1] : nil
      }
    }
  }

  /// Appends a formula; a constraint without a record takes only the formula that it is.
  func append(_ formula: Formula) {
    if isAlone {
      assert(formula == own)
      formulaRecord.hasJoined = true
      return
    }
    formula.nextOfConstraint = nil
    guard var last = firstFormula else {
      keepCells(for: formula)
      record.first = formula.id.rawValue
      return
    }
    while let next = last.nextOfConstraint { last = next }
    last.nextOfConstraint = formula
  }

  /// Removes a formula.
  func remove(_ formula: Formula) { formulas.removeAll { $0 == formula } }

  /// Ends a constraint without a record.
  fileprivate func endAlone() { formulaRecord.isConstraint = false }

  /// Keeps its cells the same with another first formula; without one, the formula they follow from is kept
  /// as long as the constraint is.
  private func keepCells(for first: Formula?) {
    guard let first, record.key != first.id.rawValue else { return }
    if equation == nil, first.variableSet == variables {
      record.key = first.id.rawValue
      record.extras = nil
    } else if record.extras == nil {
      record.extras = ConstraintExtras(cells: cells, equation: nil)
      record.key = -1
    }
  }

  var isMultiWay: Bool {
    equation != nil || firstFormula.map { $0.nextOfConstraint != nil } ?? false
  }

  /// Its strength: that of its strongest connection.
  var strength: Strength {
    guard let first = firstFormula else { return .required }
    if first.nextOfConstraint == nil { return first.connection.strength }
    return formulas.map(\.connection.strength).max() ?? .required
  }

  /// The solver that a connection asks for.
  var solver: String? { formulas.lazy.compactMap(\.connection.solver).first }
}

/// The constraints of a region, in the order in which they came.
struct ConstraintList: Sequence {
  @Uncounted private var graph: ConnectionGraph
  /// Their numbers; -1 where one was removed.
  private var entries: ContiguousArray<Int32> = []
  private(set) var count = 0

  init(_ constraints: [Constraint], in graph: ConnectionGraph) {
    _graph = Uncounted(wrappedValue: graph)
    entries.reserveCapacity(constraints.count)
    for constraint in constraints { append(constraint) }
  }

  /// - Complexity: O(1), amortised.
  mutating func append(_ constraint: Constraint) {
    constraint.position = Int32(clamping: entries.count)
    entries.append(constraint.number)
    count += 1
  }

  /// Removes a constraint.
  ///
  /// - Complexity: O(1), amortised.
  mutating func remove(_ constraint: Constraint) {
    let position = Int(constraint.position)
    guard entries.indices.contains(position), entries[position] == constraint.number else {
      return
    }
    entries[position] = -1
    count -= 1
    guard entries.count > 2 * count + 16 else { return }
    self = ConstraintList(Array(self), in: graph)
  }

  struct Iterator: IteratorProtocol {
    @Uncounted fileprivate var graph: ConnectionGraph
    fileprivate var entries: ContiguousArray<Int32>.Iterator

    mutating func next() -> Constraint? {
      while let number = entries.next() {
        if number < 0 { continue }
        let constraint = Constraint(number, in: graph)
        if constraint.isUsed { return constraint }
      }
      return nil
    }
  }

  func makeIterator() -> Iterator {
    Iterator(graph: graph, entries: entries.makeIterator())
  }
}

extension ConnectionGraph {
  /// Makes a constraint over the variables of a formula, or over cells of its own.
  func makeConstraint(
    over formula: Formula, cells: [CellID]? = nil, equation: Equation? = nil
  ) -> Constraint {
    tables.nextStamp &+= 1
    var record = ConstraintRecord(stamp: tables.nextStamp, key: formula.id.rawValue)
    if let cells {
      record.key = -1
      record.extras = ConstraintExtras(cells: cells, equation: equation)
    }
    if let free = tables.freeConstraints.popLast() {
      tables.constraintRecords[free] = record
      return Constraint(free, in: self)
    }
    tables.constraintRecords.append(record)
    return Constraint(Int32(tables.constraintRecords.count - 1), in: self)
  }

  /// Makes a constraint that is nothing but a formula.
  func makeLoneConstraint(of formula: Formula) -> Constraint {
    formulas[formula.id.rawValue].isConstraint = true
    formulas[formula.id.rawValue].nextOrLevel = -1
    return Constraint(alone: formula)
  }

  /// Returns the constraint over the variables of a formula that it would join.
  ///
  /// - Complexity: O(variables) for few of them, else O(formulas that read the output), and
  ///   O(constraints that wait for a way back).
  func joinableConstraint(for formula: Formula) -> Constraint? {
    if let known = tables.constraintTable.find(formula) { return known }
    // A constraint without a record determines one of its cells, or waits for that.
    let variables = formula.variableSet
    func isSame(_ other: Formula) -> Bool {
      other != formula && other.isAlone && other.mayHave(variables.count)
        && other.variableSet == variables
    }
    if let owner = owner(of: formula.output), isSame(owner) { return Constraint(alone: owner) }
    if variables.count <= 4 {
      for cell in variables.cells {
        if let owner = owner(of: cell), isSame(owner) { return Constraint(alone: owner) }
      }
    } else {
      // It reads the output of this one: of many variables, that is found sooner.
      for reader in readers(of: formula.output) where isSame(reader) {
        return Constraint(alone: reader)
      }
    }
    return replanning.awaitingInverse.first { constraint in
      constraint.isAlone && constraint.firstFormula.map { isSame($0) } ?? false
    }
  }

  /// Returns the constraint over the variables of a formula, with room for more than one formula; nil when
  /// there is none.
  func knownConstraint(for formula: Formula) -> Constraint? {
    guard let known = joinableConstraint(for: formula) else { return nil }
    guard known.isAlone, let only = known.firstFormula else { return known }
    // From now on it has a record; the solver that has it goes by the formula.
    let (level, isAwaitingInverse) = (known.level, known.isAwaitingInverse)
    known.formulas = []
    discard(known)
    let constraint = makeConstraint(over: only)
    constraint.append(only)
    only.constraint = constraint
    constraint.level = level
    constraint.isAwaitingInverse = isAwaitingInverse
    if isAwaitingInverse {
      replanning.awaitingInverse = replanning.awaitingInverse.map { $0 == known ? constraint : $0 }
    }
    tables.constraintTable.insert(constraint)
    return constraint
  }

  /// Removes a constraint that has no formula any more.
  func discard(_ constraint: Constraint) {
    guard constraint.isUsed, constraint.firstFormula == nil else { return }
    if constraint.isAlone {
      constraint.level = -1
      constraint.isAwaitingInverse = false
      constraint.endAlone()
      return
    }
    tables.constraintTable.remove(constraint)
    tables.constraintRecords[constraint.number].isUsed = false
    tables.constraintRecords[constraint.number].region = nil
    tables.constraintRecords[constraint.number].extras = nil
    tables.freeConstraints.append(constraint.number)
  }
}
