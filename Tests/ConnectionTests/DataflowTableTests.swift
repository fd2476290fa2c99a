import TenonGrammarSupport
import TenonRuntime
import TenonTables
import Testing

internal import TenonSolverKit
@testable import TenonSolvers

/// What the solver of one direction keeps of formulas, whatever numbers they and their constraints have.
@Suite struct DataflowTableTests {
  /// A constraint as the test knows it.
  private struct Known {
    let constraint: Int32
    let formula: Int32
    var output: Int32
    var inputs: [Int32]
    var unread: [Int32]

    var description: ConstraintIR {
      let cells = Set(inputs + unread + [output]).sorted().map { CellID($0) }
      return ConstraintIR(
        id: ConstraintID(constraint), cells: cells,
        formulas: [
          FormulaIR(
            id: FormulaID(formula), output: CellID(output), inputs: inputs.map { CellID($0) },
            unread: unread.map { CellID($0) }, order: 0, text: "")
        ])
    }
  }

  /// Whether the formulas need each other's results.
  private func hasCycle(_ known: [Known]) -> Bool {
    var left = known
    while !left.isEmpty {
      let outputs = Set(left.map(\.output))
      let waiting = left.filter { !outputs.isDisjoint(with: $0.inputs + $0.unread) }
      if waiting.count == left.count { return true }
      left = waiting
    }
    return false
  }

  /// The formulas that read a cell according to the solver, each as often as it reads it.
  private func readers(of cell: Int32, in solver: DataflowSolver) -> [Int32] {
    var found: [Int32] = []
    var edge = solver.firstReader(of: cell)
    while edge >= 0, found.count < 1_000 {
      found.append(solver.nodes[solver.edges[edge].node].formula)
      edge = solver.edges[edge].nextReader
    }
    return found.sorted()
  }

  private func waiters(for cell: Int32, in solver: DataflowSolver) -> [Int32] {
    var found: [Int32] = []
    var edge = solver.waiters[cell]
    while edge >= 0, found.count < 1_000 {
      found.append(solver.nodes[solver.edges[edge].reader].formula)
      edge = solver.edges[edge].nextReader
    }
    return found.sorted()
  }

  /// How many things are not as the test knows them.
  private func differences(_ solver: DataflowSolver, _ known: [Known], cells: Int32) -> Int {
    var count = 0
    for cell in 0..<cells {
      let writer = known.first { $0.output == cell }?.formula
      if solver.formula(computing: CellID(cell))?.rawValue != writer { count += 1 }
      let read = known.flatMap { one in one.inputs.filter { $0 == cell }.map { _ in one.formula } }
      if readers(of: cell, in: solver) != read.sorted() { count += 1 }
      let unread = known.flatMap { one in one.unread.filter { $0 == cell }.map { _ in one.formula }
      }
      if waiters(for: cell, in: solver) != unread.sorted() { count += 1 }
    }
    for one in known {
      let node = solver.nodesByFormula[one.formula]
      guard node >= 0 else {
        count += 1
        continue
      }
      let position = solver.nodes[node].position
      if solver.order[position] != node { count += 1 }
      for other in known where (one.inputs + one.unread).contains(other.output) {
        let before = solver.nodesByFormula[other.formula]
        if before < 0 || solver.nodes[before].position >= position { count += 1 }
      }
    }
    return count
  }

  /// Constraints come and go, read other cells and compute others, in any order.
  ///
  /// Those that would close a cycle are refused, and of the others everything is known. Each has the
  /// number of its formula, or one of its own, which may be that of another formula.
  @Test(arguments: [true, false]) func knowsWhatItWasTold(isNumberedByFormula: Bool) {
    var random = RandomNumbers(seed: 7)
    let solver = DataflowSolver()
    let cells: Int32 = 24
    var known: [Known] = []
    var failures = 0
    var refusals = 0
    func some(_ limit: Int) -> [Int32] {
      (0..<Int.random(in: 0...limit, using: &random)).map { _ in
        .random(in: 0..<cells, using: &random)
      }
    }
    for step in 0..<6_000 {
      let removes = Int.random(in: 0..<10, using: &random) < (step / 500 % 2 == 0 ? 2 : 6)
      if removes {
        guard !known.isEmpty else { continue }
        let gone = known.remove(at: Int.random(in: 0..<known.count, using: &random))
        solver.remove(ConstraintID(gone.constraint))
        // A second time there is nothing to be removed, whichever formula has that number.
        if !isNumberedByFormula || step % 2 == 0 { solver.remove(ConstraintID(gone.constraint)) }
      } else {
        let free = (0..<cells).filter { cell in !known.contains { $0.output == cell } }
        guard let output = free.randomElement(using: &random) else { continue }
        let changed =
          Bool.random(using: &random) ? known.indices.randomElement(using: &random) : nil
        var new: Known
        if let changed {
          new = known[changed]
          if Bool.random(using: &random) { new.output = output }
          new.inputs = some(3)
          new.unread = some(1)
        } else {
          let numbers = Int32(0)..<40
          let formula = numbers.first { one in !known.contains { $0.formula == one } } ?? 40
          let number = numbers.last { one in !known.contains { $0.constraint == one } } ?? 40
          new = Known(
            constraint: isNumberedByFormula ? formula : number, formula: formula, output: output,
            inputs: some(3), unread: some(1))
        }
        var wanted = known
        if let changed { wanted[changed] = new } else { wanted.append(new) }
        do throws(SolverConflict) {
          try solver.add(new.description)
          if hasCycle(wanted) { failures += 1 }
          known = wanted
        } catch {
          refusals += 1
          if !hasCycle(wanted) { failures += 1 }
        }
      }
      failures += differences(solver, known, cells: cells)
    }
    #expect(failures == 0)
    #expect(refusals > 100)
    for one in known { solver.remove(ConstraintID(one.constraint)) }
    #expect(differences(solver, [], cells: cells) == 0)
    // As many records as there ever were at once: those that were free have been used again.
    #expect(solver.recordCount < 24 + 24 * 4 + 8)
  }

  /// A chain takes an edge for each formula, and nothing for lists of one.
  @Test func listsOfOneTakeNothing() throws {
    let solver = DataflowSolver()
    func link(_ number: Int32) -> Known {
      Known(constraint: number, formula: number, output: number + 1, inputs: [number], unread: [])
    }
    for number in Int32(0)..<1_000 { try solver.add(link(number).description) }
    #expect(solver.columnBytes == 0)
    // A second reader of one cell, and a second input of one formula.
    try solver.add(
      Known(constraint: 2_000, formula: 2_000, output: 2_000, inputs: [7, 9], unread: [])
        .description)
    #expect(solver.columnBytes > 0 && solver.columnBytes < 512)
    solver.remove(ConstraintID(2_000))
    for number in Int32(0)..<1_000 { solver.remove(ConstraintID(number)) }
    for number in Int32(0)..<1_000 { try solver.add(link(number).description) }
    #expect(solver.columnBytes < 512)
    #expect(solver.recordCount <= 2_003)
  }

  /// Formulas of two inputs that come one after the other take two edges each, and nothing to find the
  /// second by; where records of others are used again they take that, and find it.
  @Test func secondInputsTakeNothing() throws {
    let solver = DataflowSolver()
    func pair(_ number: Int32) -> Known {
      Known(
        constraint: number, formula: number, output: number,
        inputs: [200 + 2 * number, 201 + 2 * number], unread: [])
    }
    for number in Int32(0)..<150 { try solver.add(pair(number).description) }
    #expect(solver.columnBytes == 0)
    for number in stride(from: Int32(0), to: 150, by: 3) { solver.remove(ConstraintID(number)) }
    for number in stride(from: Int32(0), to: 150, by: 3) {
      try solver.add(pair(number).description)
    }
    #expect(solver.recordCount == 450)
    #expect(differences(solver, (0..<150).map(pair), cells: 500) == 0)
  }
}
