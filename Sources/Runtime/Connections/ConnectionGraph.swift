internal import TenonLexer

/// The graph of one interpreter: cells, formulas, the regions they form and the order of a turn.
///
/// Constraints of one direction go to a solver for their level; constraints of several directions
/// form regions through the cells they share, each with a solver of its own. A level counts the
/// regions below: a region stands above all levels that determine one of its cells, and what reads
/// its cells stands at its level. A turn goes through regions and levels in this order, so that
/// nobody sees a value that is half up to date.
final class ConnectionGraph {
  unowned let machine: Machine
  var cells: [Cell] = []
  var freeCells: [CellID] = []
  var cellsByPlace: [Place: CellID] = [:]
  /// The cells of each watched object, by its address.
  var watched: [UInt: [CellID]] = [:]
  var formulas: [Formula?] = []
  var freeFormulas: [Int32] = []
  var constraints: [[CellID]: Constraint] = [:]
  var nextConstraint: Int32 = 0
  /// How many regions there are.
  var regionCount = 0
  /// The regions that something has changed for.
  var waitingRegions: [Region] = []
  /// While many connections end at once: the regions that fell apart, and what remains of the
  /// constraints that lost a formula.
  var broken: (regions: [Region], constraints: [Constraint])?
  /// The solvers of one-way constraints, by level.
  var levels: [Level] = []
  var connections: [Int: Connection] = [:]
  var nextConnection = 1
  var nextOrder = 1
  /// The solvers that may be asked, cheapest first.
  var solvers: [any ConnectorSolver.Type] = []
  /// Constraints that wait for a way back until the batch of statements ends.
  var contested: [Constraint] = []
  var batchDepth = 0
  /// The statement because of which the last batch failed.
  var batchCulprit: TraceEntry?

  /// The last changes and their causes.
  let causes: CauseRing

  // MARK: The turn
  var clock: UInt64 = 0
  var turn = 0
  /// Whether formulas are being run.
  var isSettling = false
  /// Whether a formula failed for want of memory in this turn.
  var ranOutOfMemory = false
  /// How deep `atomically:` is nested.
  var atomicDepth = 0
  /// Cells changed since the last settling, in order.
  var pending: [CellID] = []
  /// What the cells written in `atomically:` held before it.
  var valuesBefore: [CellID: Value] = [:]
  var forced: [Formula] = []
  /// The place that the graph itself is writing: what its setter does is no write from outside.
  var writing: CellID?
  /// The formula that runs.
  var running: Formula?
  /// The region whose solver is at work, and the level the turn has come to.
  var settling: Region?
  var currentLevel = -1
  /// Whether a change has come to a level that the turn has passed already.
  var hasMore = false
  /// Whether the change being noted is the result of a formula.
  var isRunningFormula = false
  /// A cell that has changed too often.
  var restless: CellID?
  /// Whether a formula was interrupted: the turn is given up.
  var isUnwinding = false
  /// Connections with a path that a change may have led elsewhere.
  var pathWatchers: [CellID: [Connection]] = [:]
  var reaimed: [Connection] = []
  /// The old values of what was written in this turn, for when it cannot be finished.
  var undo: [(place: Place, value: Value)] = []

  /// The one-way constraints of one level.
  struct Level {
    let solver: any ConnectorSolver
    let transaction: Transaction
    var count = 0
  }

  init(machine: Machine) {
    self.machine = machine
    causes = CauseRing(machine: machine)
  }

  /// Whether any region of several directions exists: without one all formulas are of one level.
  var hasRegions: Bool { regionCount > 0 }
}

/// The bytes that the graph takes outside of the heap.
///
/// Connections, constraints and what solvers keep are included. Measured with 40,000 connections of
/// one and of two directions.
enum GraphSize {
  static let cell = 400
  static let formula = 1_000
}

// MARK: - Cells

extension ConnectionGraph {
  /// The cell of a place, made when it is first asked for.
  func cell(for place: Place, name: @autoclosure () -> String) -> CellID {
    if let id = cellsByPlace[place] { return id }
    let id: CellID
    let cell = Cell(place: place, name: name())
    if let free = freeCells.popLast() {
      id = free
      cells[id.index] = cell
      causes.forget(id)
    } else {
      id = CellID(Int32(cells.count))
      cells.append(cell)
    }
    cellsByPlace[place] = id
    watch(place, id)
    machine.heap.countOutside(GraphSize.cell)
    return id
  }

  private func watch(_ place: Place, _ id: CellID) {
    switch place.kind {
    case .slot, .element, .whole:
      watched[place.object.bits, default: []].append(id)
      ObjectRef(place.object).flags |= ObjectFlag.watched
    case .property:
      watched[place.object.bits, default: []].append(id)
    case .stored:
      break
    }
  }

  /// The cell of a place that a statement names: messages call it what the first one does.
  func cell(for place: Place, named name: String) -> CellID {
    let id = cell(for: place, name: name)
    if !cells[id.index].isNamed {
      cells[id.index].name = name
      cells[id.index].isNamed = true
    }
    return id
  }

  /// The cell of a slot, if somebody watches it.
  func cell(of object: ObjectRef, slot: Int) -> CellID? {
    cellsByPlace[.slot(object, slot)]
  }

  subscript(id: CellID) -> Cell {
    get { cells[id.index] }
    set { cells[id.index] = newValue }
  }

  subscript(id: FormulaID) -> Formula? { formulas[id.index] }

  /// Remembers the value of a place that is costly to read.
  func setKnown(_ value: Value, of cell: CellID) {
    cells[cell.index].known = value
  }

  /// Learns on which slots the getter of a property depends.
  func setSlots(_ places: [Place], of property: CellID) {
    let new = places.map { cell(for: $0, name: self[property].name) }
    let old = self[property].slots
    guard new != old else { return }
    cells[property.index].slots = new
    for slot in new where !old.contains(slot) { cells[slot.index].properties.append(property) }
    for slot in old where !new.contains(slot) {
      cells[slot.index].properties.removeAll { $0 == property }
    }
    release(old.filter { !new.contains($0) })
  }

  /// Lets go of cells that nothing uses any more.
  func release(_ ids: [CellID]) {
    for id in Set(ids) {
      let cell = self[id]
      guard !cell.isFree, cell.readers.isEmpty, cell.owner == nil, cell.region == nil,
        cell.properties.isEmpty, pathWatchers[id] == nil, !isJoined(id)
      else { continue }
      cellsByPlace[cell.place] = nil
      if cell.place.kind != .stored { unwatch(cell.place, id) }
      for slot in cell.slots { self[slot].properties.removeAll { $0 == id } }
      let slots = cell.slots
      cells[id.index].isFree = true
      cells[id.index].slots = []
      valuesBefore[id] = nil
      freeCells.append(id)
      machine.heap.countOutside(-GraphSize.cell)
      release(slots)
    }
  }

  private func unwatch(_ place: Place, _ id: CellID) {
    let key = place.object.bits
    watched[key]?.removeAll { $0 == id }
    if watched[key]?.isEmpty ?? true {
      watched[key] = nil
      let object = ObjectRef(place.object)
      object.flags &= ~ObjectFlag.watched
    }
  }

  /// Whether a formula that is not in force yet joins the cell.
  private func isJoined(_ id: CellID) -> Bool {
    contested.contains { $0.cells.contains(id) }
  }
}

// MARK: - Formulas

extension ConnectionGraph {
  /// Makes a formula of a connection; it is not in force yet.
  func makeFormula(
    of connection: Connection, output: CellID, inputs: [CellID], source: Formula.Source
  ) -> Formula {
    let number = freeFormulas.popLast() ?? Int32(formulas.count)
    let formula = Formula(
      id: FormulaID(number), connection: connection, output: output,
      staticInputs: inputs.reduce(into: []) { if !$0.contains($1) { $0.append($1) } },
      source: source, order: nextOrder)
    nextOrder += 1
    if Int(number) == formulas.count {
      formulas.append(formula)
    } else {
      formulas[Int(number)] = formula
    }
    connection.formulas.append(formula)
    machine.heap.countOutside(GraphSize.formula)
    return formula
  }

  func free(_ formula: Formula) {
    machine.heap.countOutside(-GraphSize.formula)
    formulas[formula.id.index] = nil
    freeFormulas.append(formula.id.rawValue)
  }

  /// What a solver is told of a constraint.
  func description(of constraint: Constraint) -> ConstraintIR {
    ConstraintIR(
      id: constraint.id, cells: constraint.cells,
      formulas: constraint.formulas.map {
        FormulaIR(
          // What formulas of several directions read besides is no variable of the constraint.
          id: $0.id, output: $0.output,
          inputs: constraint.isMultiWay ? $0.staticInputs : $0.inputs, order: $0.order,
          text: $0.connection.text)
      })
  }

  /// The constraint over a formula's variables, made when it is the first.
  func constraint(for formula: Formula) -> Constraint {
    let key = formula.variables
    if let known = constraints[key] { return known }
    let constraint = Constraint(id: ConstraintID(nextConstraint), cells: key)
    nextConstraint += 1
    constraints[key] = constraint
    return constraint
  }

  func makeTransaction() -> Transaction {
    Transaction { [unowned self] formula, cause in run(formula, because: cause) }
  }
}
