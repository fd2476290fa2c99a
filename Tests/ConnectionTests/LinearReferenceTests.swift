import TenonGrammarSupport
import TenonRuntime
import TenonSolvers
internal import TenonSolverKit
import Testing

/// Random systems of linear constraints against a slow, exact way to solve them.
@Suite struct LinearReferenceTests {
  private struct Stated {
    let factors: [Int: Int]
    let constant: Int
    let relation: Relation
    let strength: Strength
    var ir: ConstraintIR?
  }

  /// Constraints come and go and variables are written; after each step the values are those of the
  /// reference, what the reference finds impossible is refused and changes nothing, and the set
  /// that is named for it is minimal.
  @Test(arguments: 0..<1_000)
  func randomSystem(_ number: Int) throws {
    var random = RandomNumbers(seed: testSeed &+ UInt64(number))
    let count = Int.random(in: 2...5, using: &random)
    let net = LinearNet()
    var values = (0..<count).map { _ in Rational(Int128.random(in: -9...9, using: &random)) }
    for (index, value) in values.enumerated() { net.declare(index, SolverNumber(Int(value.top))) }
    // Written last counts most; at first the earlier ones.
    var ages = Array((0..<count).reversed())
    var written: Set<Int> = []
    var stated: [Stated] = []
    for step in 0..<12 {
      let what = "system \(number), step \(step)"
      var touched = Set(0..<count)
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where !stated.isEmpty:
        let removed = stated.remove(at: Int.random(in: 0..<stated.count, using: &random))
        if let ir = removed.ir { net.remove(ir) }
        // What was given up for the sake of what is gone now can come.
        net.refresh(stated.compactMap(\.ir))
      case 1, 2:
        let index = Int.random(in: 0..<count, using: &random)
        let value = Int.random(in: -20...20, using: &random)
        var reference = ExactReference()
        for each in stated where each.strength == .required { add(each, to: &reference) }
        reference.add([index: 1], Rational(Int128(-value)), .equal)
        let isPossible = reference.range(of: [0: 1]) != nil
        written.insert(index)
        let isDone = net.edit([(index, SolverNumber(value))])
        #expect(isDone == isPossible, "\(what): \(index) := \(value)")
        if !isPossible {
          checkMinimal(net.refused, stated, (index, value), what)
          expect(net, values, what)
          // It was written after all: what it held counts as the youngest.
          ages.removeAll { $0 == index }
          ages.append(index)
          continue
        }
        ages.removeAll { $0 == index }
        ages.append(index)
        values[index] = Rational(Int128(value))
        touched = [index]
      default:
        var factors: [Int: Int] = [:]
        let size = Int.random(in: 1...3, using: &random)
        for _ in 0..<size {
          let factor = [-2, -1, 1, 1, 2, 3].randomElement(using: &random) ?? 1
          factors[Int.random(in: 0..<count, using: &random)] = factor
        }
        var new = Stated(
          factors: factors, constant: Int.random(in: -10...10, using: &random),
          relation: [.equal, .equal, .atLeast, .atMost].randomElement(using: &random) ?? .equal,
          strength: [.required, .required, .required, .strong, .medium, .weak]
            .randomElement(using: &random) ?? .required, ir: nil)
        var reference = ExactReference()
        for each in stated where each.strength == .required { add(each, to: &reference) }
        if new.strength == .required { add(new, to: &reference) }
        let isPossible = reference.range(of: [0: 1]) != nil
        do {
          new.ir = try net.add(
            factors.sorted { $0.key < $1.key }.map { ($0.key, SolverNumber($0.value)) },
            SolverNumber(new.constant), new.relation, new.strength)
          #expect(isPossible, "\(what): it was taken")
          stated.append(new)
          touched = Set(factors.keys)
        } catch let conflict as SolverConflict {
          #expect(!isPossible, "\(what): it was refused")
          checkMinimal(conflict, stated + [new], nil, what)
          expect(net, values, what)
          continue
        }
      }
      values = solution(stated, values, ages, written, touching: touched, net, what)
      expect(net, values, what)
    }
  }

  private func add(_ stated: Stated, to reference: inout ExactReference) {
    reference.add(stated.factors, Rational(Int128(stated.constant)), stated.relation)
  }

  /// The values after a step, from those before it.
  private func solution(
    _ stated: [Stated], _ values: [Rational], _ ages: [Int], _ written: Set<Int>,
    touching touched: Set<Int>,
    _ net: LinearNet,
    _ what: String
  ) -> [Rational] {
    // What is not connected with what has changed stays as it is.
    var touched = touched
    var size = 0
    while size != touched.count {
      size = touched.count
      for each in stated where !touched.isDisjoint(with: each.factors.keys) {
        touched.formUnion(each.factors.keys)
      }
    }
    let stated = stated.filter { !touched.isDisjoint(with: $0.factors.keys) }
    let ages = ages.filter { touched.contains($0) }
    var reference = ExactReference()
    for each in stated where each.strength == .required { add(each, to: &reference) }
    if net.lastEdit.map({ $0 == ages.last }) ?? false, let last = ages.last {
      reference.settle([last: 1], -values[last], .equal)
    }
    func meet(_ strength: Strength) {
      for each in stated where each.strength == strength {
        reference.settle(each.factors, Rational(Int128(each.constant)), each.relation)
      }
    }
    meet(.strong)
    meet(.medium)
    for index in ages.reversed() where written.contains(index) {
      reference.settle([index: 1], -values[index], .equal)
    }
    meet(.weak)
    for index in ages.reversed() { reference.settle([index: 1], -values[index], .equal) }
    return values.indices.map { index in
      guard touched.contains(index) else { return values[index] }
      let range = reference.range(of: [index: 1])
      guard let low = range?.low, low == range?.high else {
        Issue.record("\(what): the reference does not determine \(index)")
        return Rational(0)
      }
      return low
    }
  }

  private func expect(_ net: LinearNet, _ values: [Rational], _ what: String) {
    for (index, value) in values.enumerated() {
      guard let (top, bottom) = net[index]?.fraction else {
        Issue.record("\(what): \(index) is not exact: \(String(describing: net[index]))")
        return
      }
      #expect(Rational(Int128(top), Int128(bottom)) == value, "\(what): variable \(index)")
    }
  }

  private func checkMinimal(
    _ conflict: SolverConflict?, _ stated: [Stated], _ written: (Int, Int)?, _ what: String
  ) {
    guard let conflict, case .unsatisfiable = conflict.kind else {
      Issue.record("\(what): no conflict is named")
      return
    }
    // The new one has the highest number.
    let newest = conflict.formulas.map(\.rawValue).max() ?? -1
    let named = stated.filter { each in
      let id = each.ir?.id.rawValue ?? newest
      return conflict.formulas.contains(FormulaID(id))
    }
    #expect(named.count == conflict.formulas.count, "\(what): \(conflict)")
    func isPossible(_ subset: [Stated], _ isWritten: Bool) -> Bool {
      var reference = ExactReference()
      for each in subset { add(each, to: &reference) }
      if isWritten, let (index, value) = written {
        reference.add([index: 1], Rational(Int128(-value)), .equal)
      }
      return reference.range(of: [0: 1]) != nil
    }
    #expect(!isPossible(named, !conflict.cells.isEmpty), "\(what): the named ones are possible")
    for index in named.indices {
      var rest = named
      rest.remove(at: index)
      #expect(
        isPossible(rest, !conflict.cells.isEmpty), "\(what): more are named than are needed")
    }
  }
}
