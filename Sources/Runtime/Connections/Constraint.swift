internal import TenonTables

/// What is kept of a constraint.
struct ConstraintRecord {
  /// Tells it from another that gets its number later.
  let stamp: UInt32
  /// The level of the one-way solver it is in, or -1.
  var level: Int32 = -1
  /// The first of its formulas, or -1.
  var first: Int32 = -1
  /// The formula whose variables are its cells, or -1 where it has cells of its own.
  var key: Int32
  /// Where it stands among the constraints of its region.
  var position: Int32 = -1
  var isUsed = true
  /// Whether it waits for a way back: its cell is determined by another formula already.
  var isContested = false
  /// Whether it is that of a connection with a solver of its own.
  var isForced = false
  /// The region of several directions it is part of; nil while it has one direction.
  var region: Region?
  var extras: ConstraintExtras?
}

/// What few constraints have.
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
/// What is known of it is in a table of the graph, by its number. For the reference to the graph see
/// `CellView`.
struct Constraint: Hashable {
  unowned(unsafe) let graph: ConnectionGraph
  let number: Int32
  private let stamp: UInt32

  /// The constraint that has a number at present.
  init(_ number: Int32, in graph: ConnectionGraph) {
    unsafe self.graph = graph
    self.number = number
    stamp = graph.constraintRecords[number].stamp
  }

  static func == (left: Constraint, right: Constraint) -> Bool {
    left.number == right.number && left.stamp == right.stamp
  }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }

  private var record: ConstraintRecord {
    _read { yield unsafe graph.constraintRecords[number] }
    nonmutating _modify { yield unsafe &graph.constraintRecords[number] }
  }

  /// Whether it has not been given up.
  var isUsed: Bool { record.stamp == stamp && record.isUsed }

  /// What solvers call it.
  var id: ConstraintID { ConstraintID(number) }

  /// The level of the one-way solver it is in, or -1.
  var level: Int {
    get { Int(record.level) }
    nonmutating set { record.level = Int32(clamping: newValue) }
  }

  /// The region of several directions it is part of; nil while it has one direction.
  var region: Region? {
    get { isUsed ? record.region : nil }
    nonmutating set { record.region = newValue }
  }

  /// Where it stands among the constraints of its region.
  fileprivate(set) var position: Int32 {
    get { record.position }
    nonmutating set { record.position = newValue }
  }

  /// Whether it waits for a way back: its cell is determined by another formula already.
  var isContested: Bool {
    get { record.isContested }
    nonmutating set { record.isContested = newValue }
  }

  /// Whether it is that of a connection with a solver of its own.
  var isForced: Bool {
    get { record.isForced }
    nonmutating set { record.isForced = newValue }
  }

  /// The cells, sorted.
  var cells: [CellID] {
    if let extras = record.extras { return extras.cells }
    return unsafe graph.formula(record.key)?.variables ?? []
  }

  /// The cells, without making an array of one or two.
  var variables: Variables {
    if let extras = record.extras { return Variables(extras.cells) }
    return unsafe graph.formula(record.key)?.variableSet ?? Variables([])
  }

  /// What it says, where it is only linear.
  var equation: Equation? { record.extras?.equation }

  /// The first of its formulas.
  var firstFormula: Formula? { isUsed ? unsafe graph.formula(record.first) : nil }

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
      keepCells(for: newValue.first)
      record.first = newValue.first?.id.rawValue ?? -1
      for (index, formula) in newValue.enumerated() {
        formula.nextOfConstraint = index + 1 < newValue.count ? newValue[index + 1] : nil
      }
    }
  }

  /// Adds a formula at the end.
  func append(_ formula: Formula) {
    formula.nextOfConstraint = nil
    guard var last = firstFormula else {
      keepCells(for: formula)
      record.first = formula.id.rawValue
      return
    }
    while let next = last.nextOfConstraint { last = next }
    last.nextOfConstraint = formula
  }

  /// Takes a formula out.
  func remove(_ formula: Formula) { formulas.removeAll { $0 == formula } }

  /// Sees to it that its cells stay the same with another first formula; without one, the formula they
  /// follow from is kept as long as the constraint is.
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

  /// How much it counts: as much as the strongest connection that says it.
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
  unowned(unsafe) private let graph: ConnectionGraph
  /// Their numbers; -1 where one was taken out.
  private var entries: ContiguousArray<Int32> = []
  private(set) var count = 0

  init(_ constraints: [Constraint], in graph: ConnectionGraph) {
    unsafe self.graph = graph
    entries.reserveCapacity(constraints.count)
    for constraint in constraints { append(constraint) }
  }

  /// - Complexity: O(1), amortised.
  mutating func append(_ constraint: Constraint) {
    constraint.position = Int32(clamping: entries.count)
    entries.append(constraint.number)
    count += 1
  }

  /// Takes one of them out.
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
    self = unsafe ConstraintList(Array(self), in: graph)
  }

  struct Iterator: IteratorProtocol {
    unowned(unsafe) fileprivate let graph: ConnectionGraph
    fileprivate var entries: ContiguousArray<Int32>.Iterator

    mutating func next() -> Constraint? {
      while let number = entries.next() {
        if number < 0 { continue }
        let constraint = unsafe Constraint(number, in: graph)
        if constraint.isUsed { return constraint }
      }
      return nil
    }
  }

  func makeIterator() -> Iterator {
    unsafe Iterator(graph: graph, entries: entries.makeIterator())
  }
}

extension ConnectionGraph {
  /// Makes a constraint over the variables of a formula, or over cells of its own.
  func makeConstraint(
    over formula: Formula, cells: [CellID]? = nil, equation: Equation? = nil
  ) -> Constraint {
    nextStamp &+= 1
    var record = ConstraintRecord(stamp: nextStamp, key: formula.id.rawValue)
    if let cells {
      record.key = -1
      record.extras = ConstraintExtras(cells: cells, equation: equation)
    }
    if let free = freeConstraints.popLast() {
      constraintRecords[free] = record
      return Constraint(free, in: self)
    }
    constraintRecords.append(record)
    return Constraint(Int32(constraintRecords.count - 1), in: self)
  }

  /// Gives a constraint up that has no formula any more.
  func discard(_ constraint: Constraint) {
    guard constraint.isUsed, constraint.firstFormula == nil else { return }
    constraintTable.remove(constraint)
    constraintRecords[constraint.number].isUsed = false
    constraintRecords[constraint.number].region = nil
    constraintRecords[constraint.number].extras = nil
    freeConstraints.append(constraint.number)
  }
}
