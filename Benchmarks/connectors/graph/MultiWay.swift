import Tenon
import TenonRuntime
internal import TenonSolverKit
import TenonSolvers

/// A chain of equalities in the solver for several directions: what planning alone costs.
///
/// The same steps as in the benchmark of DeltaBlue: build the chain, edit its first cell, which
/// turns every constraint around, settle, and take the constraints out again.
struct MultiWayChain {
  let count: Int

  private func constraint(_ index: Int) -> ConstraintIR {
    let (left, right) = (CellID(Int32(index)), CellID(Int32(index + 1)))
    let (there, back) = (FormulaID(Int32(index * 2)), FormulaID(Int32(index * 2 + 1)))
    return ConstraintIR(
      id: ConstraintID(Int32(index)), cells: [left, right],
      formulas: [
        FormulaIR(id: there, output: right, inputs: [left], order: index * 2, text: ""),
        FormulaIR(
          id: back, output: left, inputs: [right], order: index * 2 + 1, text: "", isInverse: true),
      ])
  }

  /// Nanoseconds for a constraint.
  func measure(rounds: Int) throws -> (build: Double, plan: Double, remove: Double) {
    let constraints = (0..<count).map { constraint($0) }
    var best = (build: Double.infinity, plan: Double.infinity, remove: Double.infinity)
    let repeats = 20
    for _ in 0..<rounds {
      let solver = PropagationSolver()
      var clock: UInt64 = 1
      var start = cpuTime()
      for constraint in constraints { try solver.add(constraint) }
      best.build = min(best.build, cpuTime() - start)
      let last = CellID(Int32(count))
      let first = CellID(0)
      start = cpuTime()
      var planned = 0
      for round in 0..<repeats {
        clock += 1
        let cell = round & 1 == 0 ? last : first
        try solver.edit(cell, age: clock, isPinned: false)
        planned &+= solver.plan(edits: [cell]).count
      }
      best.plan = min(best.plan, (cpuTime() - start) / Double(repeats))
      guard planned == count * repeats else { throw BenchmarkFailure("another plan") }
      start = cpuTime()
      for constraint in constraints { solver.remove(constraint.id) }
      best.remove = min(best.remove, cpuTime() - start)
    }
    let scale = 1e9 / Double(count)
    return (best.build * scale, best.plan * scale, best.remove * scale)
  }
}

/// A chain of `=|=` in an interpreter, the edit of its first variable.
struct CopyChain {
  let interpreter = Interpreter()
  let cells: [ScriptVariable]
  let buildTime: Double

  init(_ count: Int) throws {
    let interpreter = interpreter
    cells = (0...count).map { interpreter.variable("v\($0)") }
    for cell in cells { try cell.set(.integer(0)) }
    var text = ""
    for index in 0..<count { text += "v\(index + 1) =|= v\(index).\n" }
    let start = cpuTime()
    _ = try interpreter.evaluate(text)
    buildTime = (cpuTime() - start) / Double(count)
  }

  func nanosecondsForChange(rounds: Int) -> Double {
    var best = Double.infinity
    var base = 1
    for _ in 0..<5 {
      let offset = base
      let start = cpuTime()
      interpreter.machine.writeRepeatedly(cells[0].cell, count: rounds) { $0 + offset }
      best = min(best, (cpuTime() - start) / Double(rounds))
      base += rounds
    }
    return best * 1e9
  }
}
