import TenonRuntime
internal import TenonSolverKit
import TenonSolvers

/// A linear solver by itself: numbers in a table, and what happens to them.
final class LinearNet {
  typealias Sum = [Int: Int]

  let solver = LinearSolver()
  private(set) var numbers: [CellID: SolverNumber] = [:]
  private(set) var refused: SolverConflict?
  /// What was written in this turn.
  private(set) var lastEdit: Int?
  /// How often numbers were set.
  private(set) var setCount = 0
  private var clock: UInt64 = 0
  private var nextConstraint: Int32 = 0
  /// Whether the first place of an equation is its left side, and not all count alike.
  private let hasLeftSides: Bool
  /// Whether what the solver has found out is forgotten before each turn.
  private let startsAnew: Bool

  init(hasLeftSides: Bool = false, startsAnew: Bool = false) {
    self.hasLeftSides = hasLeftSides
    self.startsAnew = startsAnew
    solver.attach(to: CellValues { [unowned self] in numbers[$0] })
  }

  func cell(_ index: Int) -> CellID { CellID(Int32(index)) }

  subscript(index: Int) -> SolverNumber? { numbers[cell(index)] }

  func declare(_ index: Int, _ number: SolverNumber?) {
    numbers[cell(index)] = number
    try? solver.edit(cell(index), age: 0, isPinned: false)
  }

  /// What a sum over cells and a constant says, as a solver sees it.
  static func description(
    _ id: Int32, _ terms: [(Int, SolverNumber)], _ constant: SolverNumber,
    _ relation: Relation, _ strength: Strength, constants: [LinearForm.Term] = [],
    left: CellID = CellID(.max)
  ) -> ConstraintIR {
    let form = LinearForm(
      terms.map { LinearForm.Term($0.1, CellID(Int32($0.0))) } + [.init(constant, nil)] + constants)
    let cells = form.cells
    let formula = FormulaIR(
      // A place that is in no constraint: there is no left side then, and all count alike.
      id: FormulaID(id), output: left, inputs: cells, order: Int(id),
      text: "\(id)")
    return ConstraintIR(
      id: ConstraintID(id), cells: cells, formulas: [formula], strength: strength,
      relation: relation, linear: form, isLinearOnly: true)
  }

  /// Adds a constraint and settles.
  @discardableResult
  func add(
    _ terms: [(Int, SolverNumber)], _ constant: SolverNumber, _ relation: Relation = .equal,
    _ strength: Strength = .required, constants: [LinearForm.Term] = []
  ) throws -> ConstraintIR {
    let constraint = LinearNet.description(
      nextConstraint, terms, constant, relation, strength, constants: constants,
      left: hasLeftSides && !terms.isEmpty ? cell(terms[0].0) : CellID(.max))
    nextConstraint += 1
    try solver.add(constraint)
    settle([], [FormulaID(constraint.id.rawValue)])
    return constraint
  }

  func addAgain(_ constraint: ConstraintIR) throws {
    try solver.add(constraint)
    settle([], [constraint.formulas[0].id])
  }

  func remove(_ constraint: ConstraintIR) { solver.remove(constraint.id) }

  /// Settles everything.
  func refresh(_ constraints: [ConstraintIR]) {
    settle([], constraints.flatMap(\.formulas).map(\.id))
  }

  /// Writes numbers in one turn, the last one counting most.
  ///
  /// - Returns: whether the solver let them stand.
  @discardableResult
  func edit(_ changes: [(Int, SolverNumber)], isPinned: Bool = false) -> Bool {
    let before = numbers
    for (index, number) in changes {
      clock += 1
      try? solver.edit(cell(index), age: clock, isPinned: isPinned)
      numbers[cell(index)] = number
    }
    settle(changes.map { cell($0.0) }, [])
    lastEdit = changes.last?.0
    if refused != nil { numbers = before }
    return refused == nil
  }

  private func settle(_ cells: [CellID], _ formulas: [FormulaID]) {
    refused = nil
    lastEdit = nil
    if startsAnew { solver.forgetTurn() }
    let transaction = StandaloneTransaction(
      values: CellValues { [unowned self] in numbers[$0] },
      set: { [unowned self] cell, number in
        setCount += 1
        numbers[cell] = number
        return true
      }, refuse: { [unowned self] in refused = $0 })
    for cell in cells { transaction.record(cell) }
    for formula in formulas { transaction.force(formula) }
    solver.settle(transaction)
  }
}
