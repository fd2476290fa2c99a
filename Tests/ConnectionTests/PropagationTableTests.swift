import TenonGrammarSupport
import TenonRuntime
import TenonTables
import Testing

internal import TenonSolverKit
@testable import TenonSolvers

/// What the solver of several directions keeps of constraints.
@Suite struct PropagationTableTests {
  /// A constraint over cells whose first formula names them in this order, and the others compute
  /// them in another one.
  private func constraint(_ number: Int32, _ cells: [Int32], outputs: [Int32]) -> ConstraintIR {
    ConstraintIR(
      id: ConstraintID(number), cells: cells.sorted().map { CellID($0) },
      formulas: outputs.enumerated().map { index, output in
        FormulaIR(
          id: FormulaID(number * 8 + Int32(index)), output: CellID(output),
          inputs: cells.filter { $0 != output }.map { CellID($0) }, order: index, text: "")
      })
  }

  /// Constraints come and go: where a cell stands in a statement is known, whatever stood in the
  /// same records before.
  @Test func placesInStatements() throws {
    var random = RandomNumbers(seed: 5)
    let solver = PropagationSolver()
    var known: [Int32: [Int32]] = [:]
    var failures = 0
    var others = 0
    for step in 0..<3_000 {
      let number = Int32.random(in: 0..<30, using: &random)
      if known[number] != nil {
        solver.remove(ConstraintID(number))
        known[number] = nil
      } else {
        // Cells of their own, so that all constraints can be kept.
        let count = Int.random(in: 2...5, using: &random)
        var cells = (0..<5).map { number * 5 + $0 }
        cells.shuffle(using: &random)
        cells = Array(cells.prefix(count))
        // The first formula is that of the first cell.
        var outputs = Array(cells.dropFirst())
        if step % 2 == 0 { outputs.shuffle(using: &random) }
        outputs = Array(
          (cells.prefix(1) + outputs).prefix(Int.random(in: 2...count, using: &random)))
        try solver.add(constraint(number, cells, outputs: outputs))
        known[number] = cells
      }
      for (number, cells) in known {
        let entry = solver.constraintsByNumber[number]
        let first = solver.constraints[entry].firstMember
        for member in first..<first + Int32(cells.count) {
          let cell = solver.variables[solver.members[member].variable].id
          let place = solver.place(of: member, from: first)
          if cells[Int(place)] != cell { failures += 1 }
        }
      }
      others += solver.places.count
    }
    #expect(failures == 0)
    #expect(others > 0)
    for number in known.keys { solver.remove(ConstraintID(number)) }
    let left = solver.places.count
    #expect(left == 0)
  }

  /// A chain of equalities takes nothing for places.
  @Test func aChainTakesNoPlaces() throws {
    let solver = PropagationSolver()
    for index in Int32(0)..<1_000 {
      try solver.add(constraint(index, [index + 1, index], outputs: [index + 1, index]))
    }
    let bytes = solver.places.byteCount
    #expect(bytes == 0)
    #expect(solver.recordCount == 1_000 + 1_001 + 2_001)
  }
}
