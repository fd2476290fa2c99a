import Tenon
import TenonGrammarSupport
import TenonLexer
import Testing

@testable import TenonRuntime

/// A thousand nets by chance (two in full size), many of them in one interpreter: each is taken down before the next
/// one, and nothing of it is left.
///
/// `TENON_TEST_SEED` chooses others; each failure names the seed.
@Suite struct RandomNetTests {
  /// Nets are made by so many tests, each with an interpreter of its own.
  static let groups = 20
  static let netsPerGroup = isFullSize ? 50 : 25

  /// One-way nets: after each change all values are those of a recomputation, and each formula has
  /// run once if it had a reason to, else not at all.
  @Test(arguments: 0..<groups)
  func oneWay(_ group: Int) throws {
    try onThread {
      let program = Program(collectEvery: group % 10 == 9 ? 500 : 0)
      for net in 0..<Self.netsPerGroup {
        let seed = testSeed &+ UInt64(100_000 + group * Self.netsPerGroup + net)
        var generator = RandomNumbers(seed: seed)
        var model = DataflowModel.random(
          sources: Int.random(in: 1...4, using: &generator),
          nodes: Int.random(in: 1...14, using: &generator), using: &generator)
        let what = "seed \(testSeed), group \(group), net \(net)"
        try program.run(model.script)
        expect(program, model, "\(what), connected")
        for edit in 0..<4 {
          let change = randomChange(of: model, using: &generator)
          let old = program.runs
          try program.run(statement(for: change))
          let expected = model.apply(change)
          let runs = zip(program.runs, old).map { $0 - $1 }
          #expect(runs == expected, "\(what), edit \(edit): other runs")
          expect(program, model, "\(what), edit \(edit)")
        }
        try program.run("self connections do: [ :each | each disconnect ]")
        #expect(program.size == Program.Size(), "\(what): something is left")
      }
      #expect(program.console.text == "", "group \(group): something was reported")
    }
  }

  /// Nets of all kinds of connectors, cycles among them.
  ///
  /// A statement is accepted, or refused with a reason and without a trace. After each change that is
  /// accepted every connection holds; one that is not leaves all values as they were.
  @Test(arguments: 0..<groups)
  func severalDirections(_ group: Int) throws {
    try onThread {
      let program = Program(collectEvery: group % 10 == 9 ? 500 : 0)
      var accepted = 0
      var refused = 0
      for net in 0..<Self.netsPerGroup {
        let seed = testSeed &+ UInt64(200_000 + group * Self.netsPerGroup + net)
        var generator = RandomNumbers(seed: seed)
        let what = "seed \(testSeed), group \(group), net \(net)"
        let counts = try checkNet(program, what, using: &generator)
        accepted += counts.accepted
        refused += counts.refused
        try program.run("self connections do: [ :each | each disconnect ]")
        #expect(program.size == Program.Size(), "\(what): something is left")
      }
      // Both ends are reached, or the test has lost its sense.
      #expect(accepted > 2 * Self.netsPerGroup, "group \(group)")
      #expect(refused > Self.netsPerGroup / 5, "group \(group)")
      #expect(program.console.text == "", "group \(group): something was reported")
    }
  }
}

/// What a net has accepted and refused, connections and changes.
private struct Counts {
  var accepted = 0
  var refused = 0
}

/// A statement that connects, and what holds from then on.
private struct Connector: CustomStringConvertible {
  let statements: [String]
  let left: String
  let relation: String
  let right: String
  /// The cells of one-way formulas: those over the same cells are one constraint, and nobody looks
  /// whether they undo each other, so that there may be but one such connector for them.
  let oneWayCells: Set<String>

  var description: String { statements.joined(separator: ". ") }

  /// Answers nil where it holds, else what there is instead.
  var check: String {
    let difference = "(\(left)) - (\(right))"
    let holds =
      switch relation {
      case ">=": "\(difference) >= (0 - 0.000001)"
      case "<=": "\(difference) <= 0.000001"
      default: "(\(difference)) abs <= 0.000001"
      }
    return "(\(holds))"
  }

  init(_ statements: [String], _ left: String, _ relation: String, _ right: String) {
    self.statements = statements
    let isOneWay = statements[0].contains(" |= ")
    oneWayCells =
      isOneWay
      ? Set(
        statements[0].split { !"v0123456789".contains($0) }
          .filter { $0.hasPrefix("v") }.map(String.init)) : []
    self.left = left
    self.relation = relation
    self.right = right
  }

  static func random(
    _ count: Int, using generator: inout RandomNumbers
  ) -> Connector {
    let cells = Array(0..<count).shuffled(using: &generator).map { GraphNode.name($0) }
    let (a, b, c) = (cells[0], cells[1], cells[2])
    let constant = Int.random(in: -9...9, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0, 1: return Connector(["\(a) =|= \(b)"], a, "=", b)
    case 2:
      let right = "\(b) * 2 + \(constant)"
      return Connector(["\(a) =|= \(right)"], a, "=", right)
    case 3:
      let right = "\(b) + \(c)"
      return Connector(["\(a) =|= \(right)"], a, "=", right)
    case 4:
      let right = "\(constant) - \(b)"
      return Connector(["\(a) |= \(right)", "\(b) |= \(constant) - \(a)"], a, "=", right)
    case 5:
      let right = "\(b) + \(c)"
      return Connector(
        ["\(a) |= \(right)", "\(b) |= \(a) - \(c)", "\(c) |= \(a) - \(b)"], a, "=", right)
    case 6:
      let right = "\(b) - \(c) + \(constant)"
      return Connector(["\(a) |= \(right)"], a, "=", right)
    case 7:
      let right = "\(b) * \(c) \\\\ 11"
      return Connector(["\(a) |= \(right)"], a, "=", right)
    case 8:
      let right = "\(b) + \(constant)"
      return Connector(["\(a) >=| \(right)"], a, ">=", right)
    default:
      let right = "2 * \(b) + \(constant)"
      return Connector(["\(a) <=| \(right)"], a, "<=", right)
    }
  }
}

private func checkNet(
  _ program: Program, _ what: String, using generator: inout RandomNumbers
) throws -> Counts {
  let count = Int.random(in: 3...8, using: &generator)
  let names = (0..<count).map { GraphNode.name($0) }
  try program.run(
    names.map { "\($0) := \(Int.random(in: -9...9, using: &generator))" }.joined(separator: ". "))
  var connectors: [Connector] = []
  var counts = Counts()
  var history: [String] = []

  func values() throws -> String { try program.print("#(\(names.joined(separator: ", ")))") }

  /// Tries statements; answers whether they were accepted.
  ///
  /// - Parameter isOne: Whether there is but one, which is refused as a whole.
  func attempt(_ statement: String, isOne: Bool) throws -> Bool {
    let before = try values()
    let runs = program.runsByNumber
    history.append(statement)
    let error = program.error(of: statement)
    let story = "\(what): \(history.joined(separator: ". "))"
    for (number, count) in program.runsByNumber {
      #expect(count - runs[number, default: 0] <= 100, "\(story): runs without end")
    }
    guard let error else {
      counts.accepted += 1
      return true
    }
    counts.refused += 1
    history[history.count - 1] += " \"refused\""
    #expect(error.isReason, "\(story): \(error)")
    let added = program.runsByNumber.keys.filter { runs[$0] == nil }
    if isOne {
      let now = try values()
      #expect(now == before, "\(story): refused, and there are other values")
      #expect(added.isEmpty, "\(story): refused, and there is another connection")
    } else if !added.isEmpty {
      // What came before the statement that was refused.
      try program.run("(self connections last: \(added.count)) do: [ :each | each disconnect ]")
    }
    return false
  }

  func expectAll() throws {
    let story = "\(what): \(history.joined(separator: ". "))"
    guard !connectors.isEmpty else { return }
    let checks = connectors.map(\.check).joined(separator: ", ")
    let found = try program.print("#(\(checks))")
    if found.contains("false") {
      let now = try values()
      Issue.record("\(story): \(now): \(checks) is \(found)")
    }
  }

  for _ in 0..<Int.random(in: 2...6, using: &generator) {
    let connector = Connector.random(count, using: &generator)
    if !connector.oneWayCells.isEmpty,
      connectors.contains(where: { $0.oneWayCells == connector.oneWayCells })
    {
      continue
    }
    // The formulas of one constraint together: some need the others as ways back.
    let isKept = try attempt(connector.description, isOne: connector.statements.count == 1)
    if isKept { connectors.append(connector) }
    try expectAll()
  }
  for _ in 0..<5 {
    let number = Int.random(in: 1...3, using: &generator)
    let changes = names.shuffled(using: &generator).prefix(max(1, number - 1)).map {
      ($0, Int.random(in: -20...20, using: &generator))
    }
    let assignments = changes.map { "\($0.0) := \($0.1)" }.joined(separator: ". ")
    let isKept = try attempt(
      changes.count == 1 ? assignments : "self atomically: [ \(assignments) ]",
      isOne: changes.count == 1)
    if isKept, changes.count == 1 {
      #expect(
        program[changes[0].0] == Double(changes[0].1), "\(what): \(history): the edit was not kept")
    }
    try expectAll()
  }
  return counts
}

extension String {
  /// Whether an error says what stands in the way: connections, or a cycle.
  fileprivate var isReason: Bool {
    ["is determined", "cannot hold together", "cycle", "does not come to rest", "no solver"]
      .contains { contains($0) }
  }
}

extension Program {
  /// How often the formulas of each connection have run.
  fileprivate var runsByNumber: [Int: Int] {
    let connections = interpreter.machine.graph.connections.values
    return Dictionary(uniqueKeysWithValues: connections.map { ($0.number, $0.runs) })
  }
}
