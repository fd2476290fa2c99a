import TenonRuntime
import TenonSolvers
internal import TenonSolverKit
import Testing

/// A linear solver that is told to give up at one point or another.
@Suite struct LinearInterruptTests {
  /// Numbers, a solver over them, and how often it may still ask before it is told to end.
  private final class Net {
    let solver = LinearSolver()
    var numbers: [SolverNumber]
    var patience = Int.max
    private(set) var polls = 0
    private var clock: UInt64 = 0
    private(set) var refused: SolverConflict?

    init(_ count: Int) {
      numbers = Array(repeating: SolverNumber(0), count: count)
      solver.attach(to: values)
    }

    private var values: CellValues {
      CellValues(
        { [unowned self] in numbers[$0.index] },
        isInterrupted: { [unowned self] in
          polls += 1
          patience -= 1
          return patience < 0
        })
    }

    func settle(_ cells: [CellID], _ formulas: [FormulaID]) {
      refused = nil
      let before = numbers
      let transaction = StandaloneTransaction(
        values: values,
        set: { [unowned self] cell, number in
          numbers[cell.index] = number
          return true
        }, refuse: { [unowned self] in refused = $0 })
      for cell in cells { transaction.record(cell) }
      for formula in formulas { transaction.force(formula) }
      solver.settle(transaction)
      if refused != nil { numbers = before }
    }

    func edit(_ index: Int, _ value: Int) {
      clock += 1
      let cell = CellID(Int32(index))
      let before = numbers[index]
      try? solver.edit(cell, age: clock, isPinned: false)
      numbers[index] = SolverNumber(value)
      settle([cell], [])
      if refused != nil { numbers[index] = before }
    }
  }

  /// A row of views of the same width, some of which would rather be wider, in a window.
  private func constraints(_ count: Int) -> [ConstraintIR] {
    var id: Int32 = -1
    func make(
      _ terms: [(Int, Int)], _ constant: Int, _ relation: Relation = .equal,
      _ strength: Strength = .required
    ) -> ConstraintIR {
      id += 1
      return LinearNet.description(
        id, terms.map { ($0.0, SolverNumber($0.1)) }, SolverNumber(constant), relation, strength)
    }
    var all = [make([(1, 1)], -8), make([(count, 1), (2 * count, 1), (0, -1)], 8)]
    for index in 1...count {
      let (x, w) = (index, count + index)
      all.append(make([(w, 1)], -4, .atLeast))
      if index % 3 == 0 { all.append(make([(w, 1)], -40, .atLeast, .medium)) }
      if index == 1 { continue }
      all.append(make([(x, 1), (x - 1, -1), (w - 1, -1)], -8))
      all.append(make([(w, 1), (w - 1, -1)], 0, .equal, index % 2 == 0 ? .required : .strong))
    }
    return all
  }

  private func net(_ all: [ConstraintIR], _ count: Int) throws -> Net {
    let net = Net(2 * count + 1)
    for each in all {
      try net.solver.add(each)
      net.settle([], each.formulas.map(\.id))
      try #require(net.refused == nil)
    }
    return net
  }

  @Test func settlingEndsAndLeavesNothingBehind() throws {
    let count = 12
    let all = constraints(count)
    let whole = try net(all, count)
    let start = whole.polls
    for width in [900, 300, 640] { whole.edit(0, width) }
    let polls = whole.polls - start
    try #require(polls > 3)
    for patience in 0..<polls {
      let net = try net(all, count)
      net.patience = patience
      var interruptions = 0
      for width in [900, 300, 640] {
        let before = net.numbers
        net.edit(0, width)
        guard let conflict = net.refused else { continue }
        interruptions += 1
        guard case .interrupted = conflict.kind else {
          Issue.record("after \(patience) polls: \(conflict)")
          return
        }
        #expect(net.numbers == before, "after \(patience) polls")
        // Asked again, it does what it would have done.
        net.patience = .max
        net.edit(0, width)
        #expect(net.refused == nil)
      }
      #expect(interruptions == 1, "after \(patience) polls")
      #expect(net.numbers == whole.numbers, "after \(patience) polls")
    }
  }

  @Test func addingEndsAndLeavesNothingBehind() throws {
    let count = 8
    let all = constraints(count)
    let impossible = LinearNet.description(
      1_000, [(0, SolverNumber(1))], SolverNumber(-10), .atMost, .required)
    let whole = try net(all, count)
    let start = whole.polls
    #expect(throws: SolverConflict.self) { try whole.solver.add(impossible) }
    let polls = whole.polls - start
    try #require(polls > 3)
    whole.edit(0, 700)
    for patience in 0..<polls {
      let net = try net(all, count)
      net.patience = patience
      let conflict = try #require(throws: SolverConflict.self) { try net.solver.add(impossible) }
      guard case .interrupted = conflict.kind else {
        Issue.record("after \(patience) polls: \(conflict)")
        return
      }
      net.patience = .max
      net.edit(0, 700)
      #expect(net.refused == nil)
      #expect(net.numbers == whole.numbers, "after \(patience) polls")
    }
  }
}
