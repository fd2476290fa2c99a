import Testing

/// Equations over numbers that are not exact: each place is what the statement says, to the bit, in
/// whatever order the statements are written.
@Suite struct LinearRoundingTests {
  struct Net: Sendable, CustomTestStringConvertible {
    let name: String
    let variables: String
    /// In any order.
    let statements: [String]
    /// What is written then.
    var writes = ""
    let results: String
    /// What is true in the end.
    var facts: [String] = []

    var testDescription: String { name }
  }

  static let nets = [
    Net(
      name: "views", variables: "a := LayoutView new. b := LayoutView new.",
      statements: ["a right <=| b right.", "a width |= b width * 1.6 + 8.", "b width: 10."],
      results: "#(a width, b width)", facts: ["a width = (b width * 1.6 + 8)"]),
    Net(
      name: "chain of views",
      variables:
        "a := LayoutView new. b := LayoutView new. c := LayoutView new. d := LayoutView new.",
      statements: [
        "b width |= a width * 0.7 + 0.1.", "c width |= b width * 1.3 - 0.2.",
        "d width |= c width / 3 + 0.1.", "c right <=| d right.",
      ], writes: "a width: 0.3.", results: "#(a width, b width, c width, d width)",
      facts: [
        "b width = (a width * 0.7 + 0.1)", "c width = (b width * 1.3 - 0.2)",
        "d width = (c width / 3 + 0.1)",
      ]),
    Net(
      name: "sums of views",
      variables: "bar := LayoutView new. a := LayoutView new. b := LayoutView new.",
      statements: [
        "a left |= bar left + 0.1.", "b left |= a right + 0.2.", "a width |= bar width * 0.3.",
        "b width |= a width * 1.7 + 0.7.",
      ], writes: "bar left: 0.1. bar width: 0.7.",
      results: "#(a left, a width, a right, b left, b width, b right)",
      facts: [
        "a left = (bar left + 0.1)", "a width = (bar width * 0.3)", "a right = (a left + a width)",
        "b left = (a right + 0.2)", "b width = (a width * 1.7 + 0.7)",
      ]),
    Net(
      name: "temperatures", variables: "c := 0. f := 0. k := 0. r := 0.",
      statements: [
        "(f =|= c * 1.8 + 32) solver: #linear.", "(k =|= c + 273.15) solver: #linear.",
        "(r =|= k * 1.8) solver: #linear.",
      ], writes: "c := 36.6.", results: "#(c, f, k, r)",
      facts: ["f = (c * 1.8 + 32)", "k = (c + 273.15)", "r = (k * 1.8)"]),
    Net(
      name: "temperatures backwards", variables: "c := 0. f := 0. k := 0. r := 0.",
      statements: [
        "(f =|= c * 1.8 + 32) solver: #linear.", "(k =|= c + 273.15) solver: #linear.",
        "(r =|= k * 1.8) solver: #linear.",
      ], writes: "f := 98.6.", results: "#(c, f, k, r)",
      facts: ["c = ((f - 32) / 1.8)", "k = (c + 273.15)", "r = (k * 1.8)"]),
    Net(
      name: "a bound in the way", variables: "x := 0. y := 0. z := 0. t := 0.",
      statements: [
        "y >=| x * 1.1.", "(z =|= y * 0.7 + 0.1) solver: #linear.",
        "(t =|= (z * 0.1) + (y * 0.3)) solver: #linear.",
      ], writes: "x := 0.7.", results: "#(x, y, z, t)",
      facts: ["y = (x * 1.1)", "z = (y * 0.7 + 0.1)", "t = (z * 0.1 + (y * 0.3))"]),
  ]

  @Test(arguments: nets)
  func allOrders(_ net: Net) throws {
    var results: [String: [String]] = [:]
    for order in permutations(of: net.statements) {
      let text = order.joined(separator: " ")
      let program = Program()
      try program.run(net.variables)
      try program.run("\(text) \(net.writes)")
      results[try program.print(net.results), default: []].append(text)
      for fact in net.facts {
        #expect(try program.print(fact) == "true", "\(fact) after \(text)")
      }
    }
    #expect(results.count == 1, "\(results)")
  }

  private func permutations(of statements: [String]) -> [[String]] {
    if statements.count < 2 { return [statements] }
    return statements.indices.flatMap { index in
      var rest = statements
      let first = rest.remove(at: index)
      return permutations(of: rest).map { [first] + $0 }
    }
  }
}
