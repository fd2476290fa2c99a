import Tenon
import TenonGrammarSupport
import Testing

/// The order in which connectors are connected, and what was connected and ended meanwhile, does not
/// decide which place gives way.
///
/// Each system is connected in several orders, in interpreters that are otherwise equal; the same places
/// are written in the same order then. Each connector has a constant with which it holds at the start, so
/// that connecting changes no value in any order: what places hold and what connections say of
/// themselves is compared from the last statement on. Systems of which a connector is refused in one order
/// are left out; a write that is refused is refused in all orders.
///
/// `TENON_TEST_SEED` chooses others; each failure names the seed.
@Suite struct OrderOfConnectingTests {
  static let groups = 8
  static let systemsPerGroup = isFullSize ? 25 : 4

  @Test(arguments: [ConnectedSystem.Kind.formulas, .groups, .wishes], 0..<groups)
  func orders(_ kind: ConnectedSystem.Kind, _ group: Int) throws {
    try onThread {
      var compared = 0
      // As many as it takes to compare some.
      for number in 0..<4 * Self.systemsPerGroup
      where number < Self.systemsPerGroup || compared <= Self.systemsPerGroup / 3 {
        let seed = testSeed &+ UInt64(500_000 + group * Self.systemsPerGroup + number)
        var generator = RandomNumbers(seed: seed)
        let system = ConnectedSystem(kind, using: &generator)
        let orders = system.orders(atMost: 6, using: &generator)
        let traces = try orders.map { try system.trace(connecting: $0, extra: false) }
        guard let first = traces[0], !traces.contains(where: { $0 == nil }) else { continue }
        compared += 1
        let what = "seed \(testSeed), \(kind), group \(group), system \(number): \(system)"
        for (order, trace) in zip(orders, traces) {
          guard let trace, trace != first else { continue }
          Issue.record("\(what): \(orders[0]): \(first), \(order): \(trace)")
          break
        }
        guard let trace = try system.trace(connecting: orders[0], extra: true) else { continue }
        #expect(trace == first, "\(what): and \(system.extra) for a while")
      }
      // Or the test has lost its sense.
      #expect(compared > Self.systemsPerGroup / 3, "group \(group)")
    }
  }
}

/// Places, connectors over them, and writes.
struct ConnectedSystem: CustomStringConvertible {
  enum Kind: Sendable {
    /// `=|=` with formulas.
    case formulas
    /// Several `|=` over the same places as well.
    case groups
    /// Some `=|=` are wishes, each of another strength: of the same strength the later one gives way.
    case wishes
  }

  private static let names = ["a", "b", "c", "d", "e", "f"]

  private var values: [Int]
  private var statements: [String] = []
  /// A connector that is there for a while.
  private(set) var extra = ""
  private var writes: [String] = []
  /// Whether the statements are one script, or each is one.
  private let isScript: Bool

  init(_ kind: Kind, using generator: inout RandomNumbers) {
    let count = Int.random(in: 2...6, using: &generator)
    values = (0..<count).map { _ in Int.random(in: 1...9, using: &generator) }
    isScript = Bool.random(using: &generator)
    var strengths = ["weak", "medium", "strong"].shuffled(using: &generator)
    var known: Set<Set<Int>> = []
    for _ in 0..<Int.random(in: 1...min(5, count), using: &generator) {
      let isGroup = kind == .groups && Bool.random(using: &generator)
      guard let connector = connector(isGroup: isGroup, &known, using: &generator) else { continue }
      guard kind == .wishes, !isGroup, Bool.random(using: &generator),
        let strength = strengths.popLast()
      else {
        statements += connector
        continue
      }
      statements.append("(\(connector[0])) strength: #\(strength)")
    }
    extra = "z =|= \(Self.names[0])"
    // Beside one more connector a product may become a sum whose factor counts as a constant; it stays one.
    if !statements.joined().contains(") * ") {
      extra = connector(isGroup: false, &known, using: &generator)?[0] ?? extra
    }
    for _ in 0..<Int.random(in: 3...9, using: &generator) {
      let name = Self.names[Int.random(in: 0..<count, using: &generator)]
      writes.append("\(name) := \(Int.random(in: 1...40, using: &generator))")
    }
  }

  /// Statements that hold at the start; nil where others over the same places are known already.
  private func connector(
    isGroup: Bool, _ known: inout Set<Set<Int>>, using generator: inout RandomNumbers
  ) -> [String]? {
    let places = Array(values.indices).shuffled(using: &generator)
    let count = min(values.count, Int.random(in: 2...4, using: &generator))
    let used = Array(places.prefix(count))
    guard known.insert(Set(used)).inserted else { return nil }
    let names = used.map { Self.names[$0] }
    let held = used.map { values[$0] }
    func plus(_ number: Int) -> String { number < 0 ? "- \(-number)" : "+ \(number)" }
    if isGroup {
      // A sum, with a formula for some of its places at least.
      let sum = held.dropFirst().reduce(0, +)
      let right = names.dropFirst().joined(separator: " + ")
      var all = ["\(names[0]) |= \(right) \(plus(held[0] - sum))"]
      for index in 1..<count {
        let others = names.indices.filter { $0 != index && $0 > 0 }.map { " - \(names[$0])" }
        all.append("\(names[index]) |= \(names[0])\(others.joined()) \(plus(sum - held[0]))")
      }
      let least = Int.random(in: 2...count, using: &generator)
      return Array(all.shuffled(using: &generator).prefix(least))
    }
    var right = names[1]
    var value = held[1]
    for index in 2..<max(2, count) {
      switch Int.random(in: 0..<3, using: &generator) {
      case 0:
        right += " + \(names[index])"
        value += held[index]
      // What is multiplied is not 0: it could not be divided by.
      case 1 where value != held[index]:
        right += " - \(names[index])"
        value -= held[index]
      default:
        right = "(\(right)) * \(names[index])"
        value *= held[index]
      }
    }
    if Int.random(in: 0..<3, using: &generator) == 0 {
      let factor = Int.random(in: 2...3, using: &generator)
      right = "(\(right)) * \(factor)"
      value *= factor
    }
    return ["\(names[0]) =|= \(right) \(plus(held[0] - value))"]
  }

  /// Some orders of the statements, the first one as they stand.
  func orders(atMost count: Int, using generator: inout RandomNumbers) -> [[Int]] {
    let first = Array(statements.indices)
    return [first, first.reversed()]
      + (2..<max(2, count)).map { _ in first.shuffled(using: &generator) }
  }

  /// What places hold and what connections say after the last statement and after each write; nil when
  /// a statement is refused.
  func trace(connecting order: [Int], extra hasExtra: Bool) throws -> [String]? {
    let program = Program()
    let declarations = zip(Self.names, values).map { "var \($0) := \($1)" } + ["var z := 1"]
    let connections = statements.indices.map { "var k\($0)" }
    try program.run((declarations + connections).joined(separator: ". "))
    var all = order.map { "k\($0) := (\(statements[$0]))" }
    if hasExtra { all.insert("x := (\(extra))", at: all.count / 2) }
    for part in isScript ? [all.joined(separator: ". ")] : all {
      if program.error(of: part) != nil { return nil }
    }
    if hasExtra { try program.run("x disconnect") }
    let names = Self.names.prefix(values.count) + statements.indices.map { "(k\($0) state)" }
    let question = "#(\(names.joined(separator: ", ")))"
    var trace = [try program.print(question)]
    for write in writes {
      let isRefused = program.error(of: write) != nil
      trace.append("\(write)\(isRefused ? " refused" : ""): \(try program.print(question))")
    }
    return trace
  }

  var description: String {
    "\(values), \(isScript ? "together" : "one by one"): \(statements.joined(separator: ". "))"
  }
}
