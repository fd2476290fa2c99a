import TenonRuntime
import TenonSolvers
internal import TenonSolverKit
import Testing

/// What the linear solver does besides finding values: how much it sets, and what it tells.
@Suite struct LinearSolverTests {
  private func number(_ value: Int) -> SolverNumber { SolverNumber(value) }

  /// x1 = x0 + 1, x2 = x1 + 1 and so on.
  private func chain(_ count: Int) throws -> (LinearNet, [ConstraintIR]) {
    let net = LinearNet()
    for index in 0...count { net.declare(index, number(index)) }
    let links = try (0..<count).map { index in
      try net.add([(index + 1, number(1)), (index, number(-1))], number(-1))
    }
    return (net, links)
  }

  @Test func eachIsSetOnce() throws {
    let (net, _) = try chain(100)
    #expect(net.setCount == 0)
    net.edit([(40, number(0))])
    #expect(net.setCount == 100)
    #expect(net[0] == number(-40))
    #expect(net[100] == number(60))
    // What is there already is not set again.
    net.edit([(40, number(0))])
    #expect(net.setCount == 100)
  }

  /// A link is taken out and comes back, all over the chain; the halves go their own ways meanwhile.
  @Test func chainsFallApartAndGrowTogether() throws {
    let (net, links) = try chain(50)
    for index in stride(from: 0, to: 50, by: 7) {
      net.remove(links[index])
      net.edit([(0, number(index)), (50, number(-index))])
      for cell in 0...50 {
        let expected = cell <= index ? index + cell : -index - (50 - cell)
        #expect(net[cell] == number(expected), "without link \(index): \(cell)")
      }
      try net.addAgain(links[index])
      // The end was written last.
      for cell in 0...50 { #expect(net[cell] == number(-index - 50 + cell)) }
    }
  }

  @Test func aCircleOfEqualitiesIsRedundant() throws {
    let (net, links) = try chain(5)
    let back = try net.add([(0, number(1)), (5, number(-1))], number(5))
    net.edit([(3, number(30))])
    #expect(net[0] == number(27))
    // The one that was superfluous holds them together now.
    net.remove(links[2])
    net.edit([(3, number(0))])
    #expect((0...5).map { net[$0] } == [-3, -2, -1, 0, 1, 2].map { number($0) })
    net.remove(back)
    net.edit([(3, number(9))])
    #expect((0...5).map { net[$0] } == [-3, -2, -1, 9, 10, 11].map { number($0) })
  }

  @Test func aConflictInAChainNamesTheWayBetween() throws {
    let (net, links) = try chain(10)
    let conflict = try #require(throws: SolverConflict.self) {
      try net.add([(6, number(1)), (3, number(-1))], number(0))
    }
    #expect(conflict.formulas.dropLast() == links[3...5].map { $0.formulas[0].id })
    #expect(conflict.formulas.count == 4)
    net.edit([(0, number(100))])
    #expect(net[10] == number(110))
  }

  @Test func whatIsDeterminedElsewhereDoesNotMove() throws {
    let net = LinearNet()
    for index in 0...2 { net.declare(index, number(0)) }
    try net.add([(0, number(1)), (1, number(-1)), (2, number(-1))], number(0))
    net.edit([(2, number(5))], isPinned: true)
    net.edit([(0, number(7))])
    #expect((0...2).map { net[$0] } == [7, 2, 5].map { number($0) })
    try net.add([(1, number(1))], number(-10), .atMost)
    #expect(!net.edit([(0, number(16))]))
    let conflict = try #require(net.refused)
    #expect(conflict.formulas.count == 2)
    #expect(Set(conflict.cells) == [net.cell(0), net.cell(2)])
    #expect((0...2).map { net[$0] } == [7, 2, 5].map { number($0) })
  }

  @Test func constantsAreReadAgain() throws {
    let net = LinearNet()
    net.declare(0, number(1))
    net.declare(1, number(4))
    net.declare(9, number(3))
    let term = LinearForm.Term(number(-1), factors: [net.cell(9)], net.cell(1))
    let scaled = try net.add([(0, number(1))], number(0), constants: [term])
    #expect(net[0] == number(1))
    #expect(net[1] == SolverNumber(numerator: 1, denominator: 3))
    net.declare(9, SolverNumber(numerator: 1, denominator: 3))
    net.refresh([scaled])
    let (x, y) = (try #require(net[0]), try #require(net[1]))
    #expect(x * number(3) == y)
    // Without its constant it waits.
    net.declare(9, nil)
    net.refresh([scaled])
    net.edit([(1, number(100))])
    #expect(net[0] == x)
  }

  @Test func itTellsWhatItGaveUp() throws {
    let net = LinearNet()
    net.declare(0, number(0))
    let weak = try net.add([(0, number(1))], number(-50), .equal, .weak)
    let strong = try net.add([(0, number(1))], number(-30), .atLeast, .strong)
    let medium = try net.add([(0, number(1))], number(-10), .atMost, .medium)
    #expect(net[0] == number(30))
    #expect(net.solver.residuals.map(\.constraint) == [medium.id, weak.id])
    #expect(net.solver.residuals.map(\.amount) == [20, -20].map { number($0) })
    #expect(
      net.solver.plan(edits: [net.cell(0)]) == [weak, strong, medium].map { $0.formulas[0].id })
  }

  @Test func itTellsOnWhatACellDepends() throws {
    let net = LinearNet()
    for index in 0...3 { net.declare(index, number(0)) }
    try net.add([(0, number(1)), (1, number(-1)), (2, number(-1))], number(0))
    try net.add([(3, number(1)), (0, number(-1))], number(-1))
    net.edit([(1, number(1))])
    net.edit([(2, number(2))])
    let explanation = try #require(net.solver.explain(net.cell(3)))
    #expect(Set(explanation.cells) == [net.cell(1), net.cell(2)])
    #expect(net.solver.explain(net.cell(2)) == nil)
  }

  @Test func numbersBeyondSixtyFourBitsAreDoubles() throws {
    let net = LinearNet()
    let count = 80
    for index in 0...count { net.declare(index, number(1)) }
    for index in 0..<count {
      try net.add([(index + 1, number(1)), (index, number(-3))], number(0))
    }
    net.edit([(0, number(1))])
    #expect(net[30]?.isExact == true)
    #expect(net[30] == number(205_891_132_094_649))
    let last = try #require(net[count])
    #expect(!last.isExact)
    #expect(abs(last.double / 1.478088294143e38 - 1) < 1e-9)
  }

  // MARK: In programs

  @Test func nothingIsLeftBehind() throws {
    try onThread {
      for collectEvery in [0, 7] {
        let program = Program(collectEvery: collectEvery)
        try program.run(
          """
          var x := 1. var y := 2. var z := 3. var s := 2. var list := #(1, 2).
          twice |= s * 2.
          x >=| y + 1.
          z =|= x + y + list size.
          y >=| twice * 3.
          (x <=| 100) strength: #weak.
          s := 5. list := #(4). x := 70.
          """)
        #expect(try program.print("#(x, y, z)") == "#(70 30 101)")
        try program.run("self connections do: [ :each | each disconnect ]")
        #expect(program.size == Program.Size())
        try program.run("x := 1. y := 500")
        #expect(program["x"] == 1)
        #expect(program["z"] == 101)
        #expect(program.console.text == "")
      }
    }
  }

  /// Views that nobody knows any more take their equations with them.
  @Test func viewsAreCollected() throws {
    try onThread {
      let program = Program()
      try program.run(
        """
        var window := LayoutView new. window width: 400.
        [ | v | v := LayoutView new. v width |= window width / 2. v left |= window left ] value.
        """)
      #expect(program.size.connections == 12)
      program.collect()
      #expect(program.size.connections == 5)
      try program.run("window width: 100")
      #expect(try program.print("window right") == "100")
    }
  }

  @Test(arguments: [
    "2 * (x + y) - x", "x * 2 / 4 + 1", "x negated - 3", "16r1F * x + 0.25",
    "1/3 * x", "x + 1.5s2 * 2", "(x - y) * (3 - 1) / (1/2)",
  ])
  func formulasAreReadAsSums(_ formula: String) throws {
    try onThread {
      let program = Program()
      try program.run("var x := 7. var y := 3. var z := 0.")
      try program.run("k := ((z =|= \(formula)) solver: #linear)")
      #expect(try program.print("z = (\(formula))") == "true", "\(formula)")
      try program.run("x := 12")
      #expect(try program.print("z = (\(formula))") == "true", "\(formula), x changed")
      #expect(try program.print("k solver") == "#linear")
    }
  }

  @Test(arguments: [
    ("x * y", "'x * y' multiplies"), ("1 / x", ""), ("x * (y + 1)", "'x * (y + 1)' multiplies"),
    ("(z max: 3) + x", "'z max: 3' is not linear in 'z'"),
  ])
  func productsAreRefused(_ formula: String, _ message: String) throws {
    try onThread {
      let program = Program()
      try program.run("var x := 7. var y := 3. var z := 0.")
      let error = program.error(of: "z >=| \(formula)") ?? ""
      #expect(error.hasPrefix(message), "\(formula): \(error)")
      #expect(program.size.connections == (message == "" ? 1 : 0))
    }
  }
}
