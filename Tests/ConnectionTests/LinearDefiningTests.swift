import TenonGrammarSupport
import TenonRuntime
@testable import TenonSolvers
internal import TenonSolverKit
import Testing

/// An equation whose left side is new says what that is, without meeting all goals again; that changes
/// nothing but what it costs.
@Suite struct LinearDefiningTests {
  /// The same steps with a solver that goes on from what it has found out, and one that starts anew before
  /// each turn.
  @Test func randomSystems() throws {
    var plans = (kept: 0, anew: 0)
    for number in 0..<600 {
      var random = RandomNumbers(seed: testSeed &+ UInt64(700_000 + number))
      let count = Int.random(in: 3...9, using: &random)
      let kept = LinearNet(hasLeftSides: true)
      let anew = LinearNet(hasLeftSides: true, startsAnew: true)
      for index in 0..<count {
        // Some hold nothing yet.
        let value =
          Int.random(in: 0..<6, using: &random) == 0
          ? nil : SolverNumber(Int.random(in: -9...9, using: &random))
        for net in [kept, anew] { net.declare(index, value) }
      }
      var stated: [ConstraintIR] = []
      var history: [String] = []
      func show(_ net: LinearNet) -> String {
        (0..<count).map { net[$0].map { "\($0)" } ?? "nil" }.joined(separator: " ")
      }
      history.append(show(kept))
      for step in 0..<14 {
        let what = "seed \(testSeed), system \(number), step \(step)"
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where !stated.isEmpty:
          let removed = stated.remove(at: Int.random(in: 0..<stated.count, using: &random))
          history.append("remove \(removed.id)")
          for net in [kept, anew] {
            net.remove(removed)
            net.refresh(stated)
          }
        case 1, 2:
          let places = (0..<count).shuffled(using: &random)
            .prefix(Int.random(in: 1...2, using: &random))
          let changes = places.map {
            ($0, SolverNumber(Int.random(in: -20...20, using: &random)))
          }
          history.append("edit \(changes)")
          #expect(kept.edit(changes) == anew.edit(changes), "\(what)")
        default:
          let places = (0..<count).shuffled(using: &random)
            .prefix(Int.random(in: 1...4, using: &random))
          let terms = places.map { index in
            (index, SolverNumber([-2, -1, 1, 1, 2, 3].randomElement(using: &random) ?? 1))
          }
          let constant = SolverNumber(Int.random(in: -10...10, using: &random))
          let relation: Relation =
            [.equal, .equal, .equal, .atLeast, .atMost].randomElement(using: &random) ?? .equal
          let strength: Strength =
            [.required, .required, .required, .strong, .medium, .weak]
            .randomElement(using: &random) ?? .required
          history.append("add \(terms) \(constant) \(relation) \(strength)")
          let results = [kept, anew].map { net in
            try? net.add(Array(terms), constant, relation, strength)
          }
          #expect((results[0] == nil) == (results[1] == nil), "\(what)")
          if let added = results[0] { stated.append(added) }
        }
        history.append("  " + show(kept) + " | " + show(anew))
        for index in 0..<count {
          #expect(
            kept[index] == anew[index],
            "\(what): place \(index)\n\(history.joined(separator: "\n"))")
        }
        #expect(
          kept.solver.residuals.map(\.constraint) == anew.solver.residuals.map(\.constraint),
          "\(what)")
        if (0..<count).contains(where: { kept[$0] != anew[$0] }) { break }
      }
      plans.kept += kept.solver.planCount
      plans.anew += anew.solver.planCount
    }
    // Or the test has lost its sense.
    #expect(plans.kept < plans.anew * 2 / 3, "\(plans)")
  }

  /// A column of views, each as wide as half the window and below the one before: each equation is one step,
  /// however many there are.
  @Test(arguments: [20, 200])
  func columns(_ count: Int) throws {
    let net = LinearNet(hasLeftSides: true)
    func number(_ value: Int) -> SolverNumber { SolverNumber(value) }
    for index in 0...2 * count { net.declare(index, number(index == 0 ? 100 : 0)) }
    try net.add([(1, number(2)), (0, number(-1))], number(0), .equal, .medium)
    try net.add([(count + 1, number(1))], number(0))
    let before = net.solver.planCount
    let sets = net.setCount
    for index in 2...count {
      let (width, top) = (index, count + index)
      try net.add([(width, number(2)), (0, number(-1))], number(-6), .equal, .medium)
      try net.add([(width, number(1))], number(-400), .atMost)
      try net.add([(top, number(1)), (top - 1, number(-1))], number(-20), .equal, .strong)
    }
    #expect(net.solver.planCount - before <= 2)
    // Each place once.
    #expect(net.setCount - sets == 2 * (count - 1))
    #expect(net[count] == number(53))
    #expect(net[2 * count] == number(20 * (count - 1)))
    net.edit([(0, number(200))])
    #expect(net[count] == number(103))
  }
}
