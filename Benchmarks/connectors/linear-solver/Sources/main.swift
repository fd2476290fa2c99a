import Foundation
import Tenon
import TenonRuntime
import TenonSolvers
internal import TenonSolverKit
import TenonTables

// The linear solver by itself, with numbers in a table: what a layout costs. Prints a row for each
// workload with CPU times in nanoseconds, the median of several rounds.

/// Numbers of cells, and the solver that keeps constraints over them.
final class Table {
  /// The numbers by themselves: what stands for the places of a program.
  final class Numbers {
    let table = FlatTable<SolverNumber>()

    subscript(index: Int) -> SolverNumber {
      get { table[index] }
      set { table[index] = newValue }
    }
  }

  let solver = LinearSolver()
  let numbers = Numbers()
  let transaction: Transaction
  private var clock: UInt64 = 0
  private var nextConstraint: Int32 = 0

  init(_ count: Int) {
    numbers.table.extend(to: count, with: SolverNumber(0.0))
    let values = CellValues { [numbers] in numbers[$0.index] }
    solver.attach(to: values)
    transaction = StandaloneTransaction(
      values: values,
      set: { [numbers] cell, number in
        numbers[cell.index] = number
        return true
      }, refuse: { preconditionFailure("refused: \($0)") })
    for index in 0..<count { try? solver.edit(CellID(Int32(index)), age: 0, isPinned: false) }
  }

  /// A constraint over cells, described once.
  func constraint(
    _ terms: [(Int, Double)], _ constant: Double, _ relation: Relation = .equal,
    _ strength: Strength = .required
  ) -> ConstraintIR {
    let id = nextConstraint
    nextConstraint += 1
    let form = LinearForm(
      terms.map { LinearForm.Term(SolverNumber($0.1), CellID(Int32($0.0))) }
        + [.init(SolverNumber(constant), nil)])
    let formula = FormulaIR(
      id: FormulaID(id), output: CellID(Int32(terms[0].0)), inputs: form.cells, order: Int(id),
      text: "")
    return ConstraintIR(
      id: ConstraintID(id), cells: form.cells, formulas: [formula], strength: strength,
      relation: relation, linear: form, isLinearOnly: true)
  }

  func add(_ constraint: ConstraintIR) {
    do { try solver.add(constraint) } catch { preconditionFailure("refused: \(error)") }
    transaction.force(constraint.formulas[0].id)
    solver.settle(transaction)
    transaction.clear()
  }

  func edit(_ index: Int, _ value: Double) {
    clock += 1
    let cell = CellID(Int32(index))
    try? solver.edit(cell, age: clock, isPinned: false)
    numbers[index] = SolverNumber(value)
    transaction.record(cell)
    solver.settle(transaction)
    transaction.clear()
  }

  /// The sum of all numbers, so that all are read.
  var sum: Double {
    var sum = 0.0
    for index in 0..<numbers.table.count { sum += numbers[index].double }
    return sum
  }
}

/// The CPU time of this process in nanoseconds.
func cpuTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// The median time of one of `count` repetitions.
func measure(_ count: Int, rounds: Int = 5, _ body: (Int) -> Void) -> Double {
  let times = (0..<rounds).map { round in
    let start = cpuTime()
    for index in 0..<count { body(round * count + index) }
    return (cpuTime() - start) / Double(count)
  }
  return times.sorted()[rounds / 2]
}

func report(_ name: String, _ n: Int, add: Double, edit: Double, replace: Double) {
  let cells = [add, edit, replace].map { String(format: "%12.0f", $0) }.joined()
  print(
    "\(name.padding(toLength: 16, withPad: " ", startingAt: 0))\(String(format: "%6d", n))\(cells)")
}

// MARK: - A row of views of the same width in a window

func row(_ n: Int) {
  func make() -> (Table, [ConstraintIR]) {
    // W, then the left edges, then the widths.
    let table = Table(2 * n + 1)
    func x(_ i: Int) -> Int { 1 + i }
    func w(_ i: Int) -> Int { 1 + n + i }
    var all = [
      table.constraint([(x(0), 1)], -8),
      table.constraint([(x(n - 1), 1), (w(n - 1), 1), (0, -1)], 8),
    ]
    for i in 0..<n {
      all.append(table.constraint([(w(i), 1)], -4, .atLeast))
      guard i > 0 else { continue }
      all.append(table.constraint([(x(i), 1), (x(i - 1), -1), (w(i - 1), -1)], -8))
      all.append(table.constraint([(w(i), 1), (w(0), -1)], 0))
    }
    return (table, all)
  }
  var adds: [Double] = []
  var kept: (Table, [ConstraintIR])?
  for _ in 0..<3 {
    let (table, all) = make()
    let start = cpuTime()
    for each in all { table.add(each) }
    adds.append((cpuTime() - start) / Double(all.count))
    kept = (table, all)
  }
  guard let (table, all) = kept else { return }
  let width = Double(60 * n)
  table.edit(0, width)
  var sum = 0.0
  let edit = measure(2_000) { index in
    table.edit(0, width + Double(index % 50))
    sum += table.sum
  }
  let last = table.numbers[2 * n].double
  precondition(abs(last * Double(n) + Double(8 * (n + 1)) - table.numbers[0].double) < 1e-6)
  // A limit, then the equation that puts a view beside the one before.
  let times = [3 * (n / 2), 3 * (n / 2) + 1].map { all[$0] }.map { replaced in
    measure(200) { _ in
      table.solver.remove(replaced.id)
      table.add(replaced)
    }
  }
  report("row of views", n, add: adds.sorted()[1], edit: edit, replace: times[0])
  print("  a link taken out and added: \(Int(times[1]))")
  precondition(sum != 0)
}

// MARK: - A chain of equalities

func chain(_ n: Int) {
  var adds: [Double] = []
  var kept: (Table, [ConstraintIR])?
  for _ in 0..<5 {
    let table = Table(n + 1)
    let all = (0..<n).map { table.constraint([($0 + 1, 1), ($0, -1)], -1) }
    let start = cpuTime()
    // Settled once, as a program's statements are that stand together.
    for each in all {
      do { try table.solver.add(each) } catch { preconditionFailure("refused: \(error)") }
    }
    adds.append((cpuTime() - start) / Double(n))
    kept = (table, all)
  }
  guard let (table, all) = kept else { return }
  var sum = 0.0
  let edit = measure(2_000) { index in
    table.edit(0, Double(index + 1))
    sum += table.sum
  }
  precondition(table.numbers[n].double == table.numbers[0].double + Double(n))
  // Links all over the chain in turn.
  let replace = measure(2_000) { index in
    let link = all[index * 7 % n]
    table.solver.remove(link.id)
    do { try table.solver.add(link) } catch { preconditionFailure("refused: \(error)") }
  }
  report("equality chain", n, add: adds.sorted()[2], edit: edit, replace: replace)
  table.edit(0, -5)
  precondition(table.numbers[n].double == Double(n) - 5 && sum != 0)
}

// MARK: - A column of buttons with limits and wishes

func buttons(_ n: Int) {
  let table = Table(3 * n + 1)
  var all: [ConstraintIR] = []
  for i in 0..<n {
    let (w, h, y) = (1 + i, 1 + n + i, 1 + 2 * n + i)
    all.append(table.constraint([(w, 1), (0, -0.5)], -3, .equal, .medium))
    all.append(table.constraint([(w, 1)], -400, .atMost))
    all.append(table.constraint([(h, 1)], -20, .atLeast))
    all.append(table.constraint([(h, 1)], -24, .equal, .weak))
    all.append(
      i == 0
        ? table.constraint([(y, 1)], 0)
        : table.constraint([(y, 1), (y - 1, -1), (h - 1, -1)], -6))
  }
  let start = cpuTime()
  for each in all { table.add(each) }
  let add = (cpuTime() - start) / Double(all.count)
  var sum = 0.0
  let edit = measure(500) { index in
    table.edit(0, 300 + Double(index % 12) * 40)
    sum += table.sum
  }
  let replaced = all[all.count / 2]
  let replace = measure(200) { _ in
    table.solver.remove(replaced.id)
    table.add(replaced)
  }
  report("buttons", n, add: add, edit: edit, replace: replace)
  precondition(sum != 0)
}

print("workload             n         add   edit+read  remove+add   (ns of CPU time)")
// One of them alone when it is named, of one size when that is given too.
let arguments = CommandLine.arguments
let workloads: [(name: String, sizes: [Int], run: (Int) -> Void)] = [
  ("row", [10, 100, 300], row), ("chain", [100, 1_000, 10_000], chain),
  ("buttons", [10, 100], buttons),
]
for (name, sizes, run) in workloads where arguments.count < 2 || arguments[1] == name {
  let sizes = arguments.count > 2 ? arguments[2...].compactMap { Int($0) } : sizes
  for size in sizes { run(size) }
}
