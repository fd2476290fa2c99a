internal import TenonTables

internal import TenonSolverKit
internal import TenonLexer

/// A solver that is written in the language, as the graph sees it.
///
/// The object may do as it likes: each message to it ends after so many steps, whatever it signals
/// becomes a failure of the connections it keeps, and what it asks for is checked. A formula runs at
/// most once for a change unless the solver says that it iterates; it never computes a place that was
/// written or that others determine; and a constraint with a changed place of which no formula ran is
/// told as not satisfied.
final class ScriptSolver: ConnectorSolver {
  /// The object and what belongs to it; nil for one that was made without: it keeps nothing.
  let host: Host?
  /// The constraints it keeps, in the order they came.
  private(set) var constraints: [ConstraintIR] = []
  private(set) var pinned: Set<CellID> = []
  /// The cells of the constraints that it is being asked about.
  private var asked: Set<CellID> = []
  /// The machine, as long as there is one: it may be given up before the region.
  private weak var living: Machine?

  struct Host {
    unowned let machine: Machine
    let object: Value
    let name: String
    /// What the program gave: regions of the same prototype may become one.
    let prototype: Value
  }

  init() { host = nil }

  init(_ host: Host) {
    self.host = host
    living = host.machine
    host.machine.connections.solverRoots[ObjectIdentifier(self)] = [host.object, host.prototype]
  }

  deinit { living?.connections.solverRoots[ObjectIdentifier(self)] = nil }

  static var name: String { "script" }
  static var cost: Int { 1_000 }

  /// Accepts nothing: it is the instance that knows.
  static func accept(_ region: RegionIR) -> Acceptance {
    .no(
      region.constraints.prefix(1).flatMap(\.formulas).prefix(1).map { Refusal($0.id, "no solver") }
    )
  }

  /// Asks the object whether it can keep constraints.
  func accept(_ region: RegionIR) -> Acceptance {
    guard let host, let first = region.constraints.first?.formulas.first else {
      return ScriptSolver.accept(region)
    }
    let machine = host.machine
    asked = Set(region.constraints.flatMap { $0.cells + $0.formulas.flatMap(\.inputs) })
    defer { asked = [] }
    let outcome = machine.ask(self, "accept:") { machine.makeSolverConstraints(region.constraints) }
    switch outcome {
    case .value(.true): return .yes
    case .value(.false): return .no([Refusal(first.id, "it does not accept it")])
    case .value(let value):
      let reason =
        machine.text(value)
        ?? "'accept:' answered \(machine.describe(value)), not true, false or a reason"
      return .no([Refusal(first.id, reason)])
    case .failed(let failure): return .no([Refusal(first.id, failure.message)])
    case .unwound: return .no([Refusal(first.id, "it was interrupted")])
    }
  }

  func add(_ constraint: ConstraintIR) throws(SolverConflict) {
    guard let host else { return }
    if constraints.contains(where: { $0.id == constraint.id }) { remove(constraint.id) }
    constraints.append(constraint)
    let machine = host.machine
    let outcome = machine.ask(self, "add:") { machine.makeSolverConstraint(constraint) }
    guard case .value = outcome else {
      constraints.removeLast()
      throw SolverConflict(.failed(outcome.message), constraint.formulas.map(\.id))
    }
  }

  func remove(_ constraint: ConstraintID) {
    guard let host, let index = constraints.firstIndex(where: { $0.id == constraint }) else {
      return
    }
    let old = constraints.remove(at: index)
    let machine = host.machine
    let outcome = machine.ask(self, "remove:") { machine.makeSolverConstraint(old) }
    if case .failed(let failure) = outcome { record(failure, of: old) }
  }

  func edit(_ cell: CellID, age: UInt64, isPinned: Bool) throws(SolverConflict) {
    let above = constraints.filter { $0.formulas.count == 1 && $0.formulas[0].output == cell }
    guard above.isEmpty else {
      throw SolverConflict(.overdetermined, above.flatMap(\.formulas).map(\.id))
    }
    if isPinned { pinned.insert(cell) } else { pinned.remove(cell) }
  }

  func unpin(_ cell: CellID) { pinned.remove(cell) }

  /// The only formula that computes the cell, if there is no other way: which of several the object
  /// takes is for it to say each time.
  func formula(computing cell: CellID) -> FormulaID? {
    let formulas = constraints.flatMap(\.formulas).filter { $0.output == cell }
    return formulas.count == 1 ? formulas[0].id : formulas.first { $0.id == lastRun[cell] }?.id
  }

  /// The formula that computed a cell last.
  private var lastRun: [CellID: FormulaID] = [:]

  func settle(_ transaction: Transaction) {
    guard let host, !constraints.isEmpty else { return }
    let machine = host.machine
    let turn = ScriptTurn(solver: self, transaction: transaction, machine: machine)
    let outer = machine.connections.scriptTurn
    machine.connections.scriptTurn = turn
    if case .value(let limit) = machine.ask(self, "runsPerTurn") {
      turn.runLimit = max(1, min(runCount(limit), ScriptSolver.mostRuns))
    }
    let outcome = machine.ask(self, "settle:") { machine.makeSolverTurn(turn) }
    machine.connections.scriptTurn = outer
    for (cell, formula) in turn.computed { lastRun[cell] = formula }
    switch outcome {
    case .value: turn.markUnsatisfied()
    case .failed(let failure):
      // One report is enough; all that it keeps is as uncertain.
      for constraint in constraints.reversed().dropLast() {
        for id in constraint.formulas.map(\.id) {
          machine.graph[id]?.state = .failed(failure.message)
        }
      }
      if let first = constraints.first { record(failure, of: first) }
    case .unwound: machine.graph.isUnwinding = true
    }
  }

  /// The most often that a formula may run for a change, however often its solver would like to.
  private static let mostRuns = 100_000

  func record(_ failure: Failure, of constraint: ConstraintIR) {
    guard let host, let formula = constraint.formulas.first.flatMap({ host.machine.graph[$0.id] })
    else { return }
    host.machine.record(Failure(.constraintError, failure.message), of: formula)
  }
}

/// What one call of `settle:` may do, and what it has done.
final class ScriptTurn {
  let solver: ScriptSolver
  let transaction: Transaction
  private unowned let machine: Machine
  var runLimit = 1
  /// Tells the object of this turn from those of others.
  var number = 0
  /// The formula that computed each cell.
  private(set) var computed: [CellID: FormulaID] = [:]
  private let changed: Set<CellID>
  private let added: Set<FormulaID>
  private var runs: [FormulaID: Int] = [:]
  /// When a cell changed and when a formula ran, counted from 1.
  private var time = 0
  private var changes: [CellID: Int] = [:]
  private var lastRun: [FormulaID: Int] = [:]
  private var touched: Set<CellID> = []

  init(solver: ScriptSolver, transaction: Transaction, machine: Machine) {
    self.solver = solver
    self.transaction = transaction
    self.machine = machine
    changed = Set(transaction.changed)
    added = Set(transaction.forced)
  }

  /// Runs a formula.
  ///
  /// - Throws: a failure when the solver may not.
  func run(_ id: FormulaID) throws(Failure) -> Bool {
    guard let formula = solver.constraints.flatMap(\.formulas).first(where: { $0.id == id }) else {
      throw .foreignFormula(solver.title)
    }
    try checkWritable(formula.output)
    let count = runs[id, default: 0] + 1
    guard count <= runLimit else { throw .runsTooOften(solver.title, formula.text, runLimit) }
    runs[id] = count
    let cause = formula.inputs.first { changed.contains($0) || changes[$0] != nil }
    time += 1
    lastRun[id] = time
    machine.graph.isRunBySolver = true
    let isChanged = machine.outsideSolver { transaction.run(id, because: cause) }
    machine.graph.isRunBySolver = false
    if isChanged {
      changes[formula.output] = time
      // Repeating counts as one change: it is the solver that sees to an end.
      if count > 1 { machine.graph.hot[formula.output.rawValue].changes -= 1 }
    }
    computed[formula.output] = id
    return isChanged
  }

  /// Gives a cell a value.
  ///
  /// - Throws: a failure when the solver may not, or the value cannot be stored.
  func set(_ cell: CellID, to value: Value) throws(Failure) {
    guard let formula = solver.constraints.flatMap(\.formulas).first(where: { $0.output == cell })
    else {
      let graph = machine.graph
      throw .foreignCell(solver.title, graph[cell].isFree ? "" : graph.displayName(of: cell))
    }
    try checkWritable(cell)
    time += 1
    touched.insert(cell)
    computed[cell] = formula.id
    let graph = machine.graph
    let isChanged = try machine.outsideSolver { () throws(Failure) in
      try graph.set(cell, to: value, for: formula.id)
    }
    if isChanged { changes[cell] = time }
  }

  private func checkWritable(_ cell: CellID) throws(Failure) {
    if changed.contains(cell) {
      throw .overwritesChange(solver.title, machine.graph.displayName(of: cell))
    }
    if solver.pinned.contains(cell) {
      throw .overwritesPinned(solver.title, machine.graph.displayName(of: cell))
    }
  }

  /// Tells the constraints that the solver has left as they were though something in them changed.
  func markUnsatisfied() {
    for constraint in solver.constraints {
      let isConcerned =
        constraint.cells.contains { changed.contains($0) || changes[$0] != nil }
        || constraint.formulas.contains { added.contains($0.id) }
      guard isConcerned else { continue }
      if isSatisfied(constraint) {
        heal(constraint)
        continue
      }
      solver.record(.leftUnsatisfied(solver.title), of: constraint)
    }
  }

  /// Forgets a failure of before where the solver has computed a cell of the constraint itself.
  private func heal(_ constraint: ConstraintIR) {
    guard constraint.cells.contains(where: { touched.contains($0) }) else { return }
    for formula in constraint.formulas where lastRun[formula.id] == nil {
      guard let formula = machine.graph[formula.id], case .failed = formula.state else { continue }
      formula.state = .satisfied
    }
  }

  private func isSatisfied(_ constraint: ConstraintIR) -> Bool {
    if constraint.cells.contains(where: { touched.contains($0) }) { return true }
    return constraint.formulas.contains { formula in
      guard let run = lastRun[formula.id] else { return false }
      // One that iterates says itself when it is near enough.
      return runLimit > 1 || formula.inputs.allSatisfy { changes[$0] ?? 0 <= run }
    }
  }
}

extension ScriptSolver {
  /// What messages call it.
  var title: String { host.map { "solver '\($0.name)'" } ?? "solver" }

  /// A number of runs; 1 for what is none.
  private func runCount(_ limit: Value) -> Int {
    if let count = limit.asSmallInteger { return count }
    guard limit.isObject(ofClass: ClassIndex.largeInteger) else { return 1 }
    return ObjectRef(limit).flags & ObjectFlag.negative == 0 ? .max : 1
  }

  /// Whether a cell belongs to what it is being asked about.
  func isAsked(about cell: CellID) -> Bool { asked.contains(cell) }

  /// Whether a cell belongs to what it keeps.
  func knows(_ cell: CellID) -> Bool {
    constraints.contains { constraint in
      constraint.cells.contains(cell)
        || constraint.formulas.contains { $0.inputs.contains(cell) }
    }
  }
}
