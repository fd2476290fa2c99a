import Testing

/// The graphs of `Fixtures`: the values they state, and no formula more than they state.
@Suite struct GraphFamilyTests {
  @Test(arguments: GraphFixture.names)
  func family(_ name: String) throws {
    let fixture = try GraphFixture.load(name)
    try onThread {
      switch fixture.kind {
      case .dataflow: try checkDataflow(fixture, name)
      case .multiway: try checkMultiWay(fixture, name)
      }
    }
  }

  /// Every family is there, so that a folder that was not found is no success.
  @Test func allFamiliesAreThere() {
    let families = Set(GraphFixture.names.map { $0.prefix { $0 != "_" } })
    for family in [
      "chain", "wide", "diamond", "ladder", "triangle", "cellx", "cutoff", "sheet", "mw", "fanin",
      "batch", "mux", "unstable", "layered",
    ] {
      #expect(families.contains(family[...]), "no fixture of the family \(family)")
    }
  }
}

// MARK: - One way

private func checkDataflow(_ fixture: GraphFixture, _ name: String) throws {
  let program = Program()
  var model = fixture.model
  try program.run(model.script)
  try expectValues(fixture, after: -1, in: program, name)
  expect(program, model, "\(name), connected")
  let connectingRuns = program.runs
  for (statedRuns, pass) in [(fixture.expect.evals, 1), (fixture.expect.evals_steady, 2)] {
    let before = program.runCount
    for (step, cells) in (fixture.steps ?? []).enumerated() {
      let change = cells.map { (cell: $0[0], value: $0[1]) }
      let old = program.runs
      try program.run(statement(for: change))
      let expected = model.apply(change)
      let runs = zip(program.runs, old).map { $0 - $1 }
      #expect(runs == expected, "\(name), pass \(pass), step \(step): other runs")
      expect(program, model, "\(name), pass \(pass), step \(step)")
      if pass == 1 { try expectValues(fixture, after: step, in: program, name) }
    }
    let runs = program.runCount - before
    let stated = try #require(statedRuns, "\(name): no number is stated")
    if !model.nodes.contains(where: \.chooses) {
      #expect(runs == stated, "\(name), pass \(pass): other runs than stated")
    } else {
      // The stated number leaves out what no observer needs at the time.
      #expect(runs >= stated, "\(name), pass \(pass): fewer runs than stated")
    }
  }
  try checkChoices(fixture, program, model, since: connectingRuns, name)
  #expect(program.console.text == "", "\(name): something was reported")
}

/// A formula that chooses what it reads runs at most ten times because of something it has left out,
/// however often that changes; all others only because of what they have read.
private func checkChoices(
  _ fixture: GraphFixture, _ program: Program, _ passed: DataflowModel, since before: [Int],
  _ name: String
) throws {
  var model = passed
  guard model.nodes.contains(where: \.chooses) else { return }
  for _ in 0..<8 {
    for (step, cells) in (fixture.steps ?? []).enumerated() {
      let change = cells.map { (cell: $0[0], value: $0[1]) }
      let old = program.runs
      try program.run(statement(for: change))
      let runs = zip(program.runs, old).map { $0 - $1 }
      #expect(runs == model.apply(change), "\(name), later, step \(step): other runs")
    }
    expect(program, model, "\(name), later")
  }
  let runs = zip(program.runs, before).map { $0 - $1 }
  for (index, node) in model.nodes.enumerated() {
    let surplus = runs[index] - model.neededRuns[index]
    #expect(
      (0...(node.chooses ? 10 : 0)).contains(surplus),
      "\(name): node \(index) has run \(surplus) times for nothing")
  }
}

/// Compares all cells.
func expect(_ program: Program, _ model: DataflowModel, _ what: String) {
  let found = model.values.indices.map { program[GraphNode.name($0)] }
  #expect(found == model.values.map { Double($0) }, "\(what): other values")
}

private func expectValues(
  _ fixture: GraphFixture, after step: Int, in program: Program, _ name: String
) throws {
  for expected in fixture.values(after: step) {
    let found = try #require(program[expected.name], "\(name): no \(expected.name)")
    #expect(
      abs(found - expected.value) <= fixture.tolerance ?? 0,
      "\(name), step \(step): \(expected.name) is \(found), not \(expected.value)")
  }
}

// MARK: - Several directions

private func checkMultiWay(_ fixture: GraphFixture, _ name: String) throws {
  let program = Program()
  try program.run(fixture.script)
  try expectValues(fixture, after: -1, in: program, name)
  for (step, edits) in (fixture.edits ?? []).enumerated() {
    for edit in edits {
      let isChange = program[edit.name] != edit.value
      let before = program.runs
      try program.run("\(edit.name) := \(edit.value)")
      #expect(program[edit.name] == edit.value, "\(name), step \(step): the edit was not kept")
      let runs = zip(program.runs, before).map { $0 - $1 }
      #expect(runs.allSatisfy { $0 <= 1 }, "\(name), step \(step): a formula ran twice")
      guard let stated = fixture.expect.formula_runs_per_edit else { continue }
      #expect(runs.reduce(0, +) == (isChange ? stated : 0), "\(name), step \(step): other runs")
    }
    try expectValues(fixture, after: step, in: program, name)
  }
  #expect(program.console.text == "", "\(name): something was reported")
}
