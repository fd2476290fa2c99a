import Tenon
import TenonGrammarSupport
import TenonLexer
import Testing

/// Nets by chance over places of all kinds: variables, properties, elements, places in stores, names of
/// groups and the attributes of a layout; with wishes, policies and connections that end, and with
/// places that hold nothing.
///
/// What is asked is what a connection says of itself: one that is `#satisfied` holds when what it says is
/// evaluated anew. What is refused is refused with a reason.
///
/// `TENON_TEST_SEED` chooses others; each failure names the seed.
@Suite struct RandomMixedNetTests {
  static let groups = 10
  static let netsPerGroup = isFullSize ? 40 : 25

  @Test(arguments: 0..<groups)
  func satisfiedHolds(_ group: Int) throws {
    try onThread {
      let program = Program(collectEvery: group % 5 == 4 ? 500 : 0)
      try program.run(MixedNet.definitions)
      var counts = MixedNet.Counts()
      for number in 0..<Self.netsPerGroup {
        let seed = testSeed &+ UInt64(300_000 + group * Self.netsPerGroup + number)
        var generator = RandomNumbers(seed: seed)
        var net = MixedNet(
          program, "seed \(testSeed), group \(group), net \(number)", using: &generator)
        try net.check(using: &generator)
        counts.accepted += net.counts.accepted
        counts.refused += net.counts.refused
        counts.satisfied += net.counts.satisfied
        net.end()
      }
      // All ends are reached, or the test has lost its sense.
      #expect(counts.accepted > 4 * Self.netsPerGroup, "group \(group)")
      #expect(counts.refused > Self.netsPerGroup / 8, "group \(group)")
      #expect(counts.satisfied > 4 * Self.netsPerGroup, "group \(group)")
    }
  }
}

/// A net that is built statement by statement.
private struct MixedNet {
  /// What its statements use besides variables.
  static let definitions = """
    class Holder { var x. var y. }
    holder := Holder new.
    var list := #(0, 0).
    var v0. var v1. var v2. var v3. var v4.
    var k0. var k1. var k2. var k3. var k4. var k5. var k6. var k7.
    view := LayoutView new.
    group names { one -> ivar:v0. two -> ivar:v1. }
    -lies: connection about: claim {
      ^connection state = #satisfied and: [ ([ claim value ] on: Error do: [ :error | false ]) not ]
    }
    """

  /// What a net has accepted and refused, and how often a connection has said that it holds.
  struct Counts {
    var accepted = 0
    var refused = 0
    var satisfied = 0
  }

  private static let plain = [
    "v0", "v1", "v2", "v3", "v4", "mem:a", "mem:b", "var:holder/x", "var:holder/y", "list[1]",
    "list[2]",
  ]
  private static let attributes = ["view left", "view width", "view right"]
  /// What the group has, and what the places are called there.
  private static let names = [("names one", "v0"), ("names two", "v1")]
    .map { (inGroup: $0.0, place: $0.1) }

  private let program: Program
  private let what: String
  private var claims: [(name: String, claim: String)] = []
  /// The places of each formula of one direction.
  private var oneWayCells: Set<Set<String>> = []
  private var history: [String] = []
  private(set) var counts = Counts()
  private let places: [String]

  init(_ program: Program, _ what: String, using generator: inout RandomNumbers) {
    self.program = program
    self.what = what
    let few = Self.plain.shuffled(using: &generator).prefix(
      Int.random(in: 3...6, using: &generator))
    places =
      Array(few)
      + Self.attributes.shuffled(using: &generator).prefix(Int.random(in: 0...2, using: &generator))
  }

  mutating func check(using generator: inout RandomNumbers) throws {
    try program.run("view := LayoutView new. holder := Holder new. list := #(0, 0)")
    for place in Self.plain {
      let value = Int.random(in: -9...9, using: &generator)
      try attempt("\(place) := \(value == 0 ? "nil" : String(value))")
    }
    counts = Counts()
    for _ in 0..<12 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0...4 where claims.count < 8: try connect(using: &generator)
      case 0...7:
        let place = places.randomElement(using: &generator) ?? "v0"
        let value = Int.random(in: -20...20, using: &generator)
        let isMissing = value % 7 == 0 && !place.hasPrefix("view")
        try attempt(Self.writing(isMissing ? "nil" : String(value), to: place))
      case 8:
        guard let (name, _) = claims.randomElement(using: &generator) else { continue }
        try attempt("\(name) disconnect")
      default:
        let first = places.randomElement(using: &generator) ?? "v0"
        let second = places.randomElement(using: &generator) ?? "v1"
        let values = (0..<2).map { _ in String(Int.random(in: -20...20, using: &generator)) }
        try attempt(
          "self atomically: [ \(Self.writing(values[0], to: first)). "
            + "\(Self.writing(values[1], to: second)) ]")
      }
      try askAll()
    }
  }

  /// Ends all connections, which nothing can stand against.
  func end() {
    let error = program.error(of: "self connections do: [ :each | each disconnect ]")
    #expect(error == nil, "\(what): \(history.joined(separator: ". "))")
  }

  private static func writing(_ value: String, to place: String) -> String {
    place.hasPrefix("view ") ? "\(place): \(value)" : "\(place) := \(value)"
  }

  private mutating func connect(using generator: inout RandomNumbers) throws {
    let shuffled = places.shuffled(using: &generator)
    let (a, b, c) = (shuffled[0], shuffled[1], shuffled[2])
    let number = Int.random(in: -9...9, using: &generator)
    let strength = ["weak", "medium", "strong"].randomElement(using: &generator) ?? "weak"
    func equal(_ right: String) -> String {
      "(\(a)) = (\(right)) or: [ ((\(a)) - (\(right))) abs <= 0.000001 ]"
    }
    var right = "\(b) + \(number)"
    var cells: Set<String>? = [a, b]
    var relation = "|="
    var message = ""
    switch Int.random(in: 0..<13, using: &generator) {
    case 0, 1: (relation, right, cells) = ("=|=", b, nil)
    case 2: (relation, right, cells) = ("=|=", "\(b) * 2 + \(number)", nil)
    case 3: (relation, right, cells) = ("=|=", "\(b) + \(c)", nil)
    case 4, 5: right = "\(b) - \(number)"
    case 6: right = b
    case 7: (right, cells) = ("\(b) + \(c)", [a, b, c])
    case 8: (relation, cells) = (">=|", nil)
    case 9:
      let name = Self.names.randomElement(using: &generator) ?? Self.names[0]
      (right, cells) = ("\(name.inGroup) + \(number)", [a, name.place])
    case 10: (relation, message, cells) = ("=|=", "strength: #\(strength)", nil)
    case 11: message = "strength: #\(strength)"
    default:
      // What a layout determines is solved at once.
      message = a.hasPrefix("view") ? "" : "policy: Policy queued"
    }
    // Of formulas that lead back nobody looks whether they undo each other.
    if let cells {
      if oneWayCells.contains(cells) { return }
      oneWayCells.insert(cells)
    }
    let connector = "\(a) \(relation) \(right)"
    let statement = message.isEmpty ? connector : "(\(connector)) \(message)"
    let claim =
      relation == ">=|" ? "(\(a)) >= (\(right) - 0.000001)" : equal(right)
    let name = "k\(claims.count)"
    if try attempt("\(name) := \(statement)") { claims.append((name, claim)) }
  }

  /// Tries a statement; answers whether it was accepted.
  @discardableResult
  private mutating func attempt(_ statement: String) throws -> Bool {
    history.append(statement)
    guard let error = program.error(of: statement) else {
      counts.accepted += 1
      return true
    }
    counts.refused += 1
    history[history.count - 1] += " \"refused\""
    #expect(error.saysWhy, "\(what): \(history.joined(separator: ". ")): \(error)")
    return false
  }

  private mutating func askAll() throws {
    if claims.isEmpty { return }
    let questions = claims.map { "self lies: \($0.name) about: [ \($0.claim) ]" }
    let found = try program.print("#(\(questions.joined(separator: ", ")))")
    let states = try program.print(
      "#(\(claims.map { "(\($0.name) state)" }.joined(separator: ", ")))")
    counts.satisfied += states.split(separator: "#satisfied").count - 1
    guard found.contains("true") else { return }
    let values = try program.print("#(\(places.joined(separator: ", ")))")
    Issue.record(
      "\(what): \(history.joined(separator: ". ")): \(places) are \(values): \(claims) lie: \(found)"
    )
  }
}

extension String {
  /// Whether an error says what stands in the way.
  fileprivate var saysWhy: Bool {
    [
      "is determined", "cannot hold together", "cycle", "does not come to rest", "no solver",
      "cannot change", "is not linear", "multiplies", "joins itself", "cannot be part",
      "must be a finite number",
    ].contains { contains($0) }
  }
}
