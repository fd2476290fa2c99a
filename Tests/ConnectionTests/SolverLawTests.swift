import TenonGrammarSupport
import TenonRuntime
import Testing

/// What holds for both solvers, whatever the constraints.
@Suite struct SolverLawTests {
  /// A set of statements, the variables with their values, and edits that are tried on it.
  struct System: Sendable, CustomTestStringConvertible {
    let name: String
    let variables: [(String, Int)]
    let statements: [String]
    /// What must hold after each edit.
    let laws: [String]
    let editable: [String]

    var testDescription: String { name }

    var declarations: String {
      variables.map { "\($0.0) := \($0.1)." }.joined(separator: "\n")
    }

    func script(_ order: [Int]) -> String {
      declarations + "\n" + order.map { statements[$0] + "." }.joined(separator: "\n")
    }
  }

  static let systems = [
    System(
      name: "one way",
      variables: [("a", 1), ("b", 2), ("c", 0), ("d", 0), ("e", 0)],
      statements: ["c |= a + b", "d |= c * a", "e |= d - c + b"],
      laws: ["c = (a + b)", "d = (c * a)", "e = (d - c + b)"], editable: ["a", "b"]),
    System(
      name: "sum of three",
      variables: [("s", 3), ("a", 1), ("b", 2)],
      statements: ["s |= a + b", "a |= s - b", "b |= s - a"],
      laws: ["s = (a + b)"], editable: ["s", "a", "b"]),
    System(
      name: "five variables",
      variables: [("s", 10), ("a", 1), ("b", 2), ("c", 3), ("d", 4)],
      statements: [
        "s |= a + b + c + d", "a |= s - b - c - d", "b |= s - a - c - d", "c |= s - a - b - d",
        "d |= s - a - b - c",
      ],
      laws: ["s = (a + b + c + d)"], editable: ["s", "a", "b", "c", "d"]),
    System(
      name: "two constraints that share a variable",
      variables: [("a", 6), ("b", 2), ("c", 4), ("d", 8), ("e", 2)],
      statements: ["a |= b + c", "b |= a - c", "c |= a - b", "d |= c * 2", "c |= d / 2"],
      laws: ["a = (b + c)", "d = (c * 2)"], editable: ["a", "b", "c", "d"]),
    System(
      name: "two constraints that share two variables",
      variables: [("s", 8), ("d", 4), ("a", 6), ("b", 2)],
      statements: [
        "s |= a + b", "a |= s - b", "b |= s - a", "d |= a - b", "a |= d + b", "b |= a - d",
      ],
      laws: ["s = (a + b)", "d = (a - b)"], editable: ["s", "d", "a", "b"]),
    System(
      name: "a chain of equalities",
      variables: [("a", 1), ("b", 1), ("c", 1), ("d", 1)],
      statements: ["a =|= b", "b =|= c", "c =|= d"],
      laws: ["a = b", "b = c", "c = d"], editable: ["a", "b", "c", "d"]),
    System(
      name: "one way out of several directions and back in",
      variables: [("a", 1), ("b", 1), ("x", 0), ("y", 0), ("z", 0)],
      statements: ["a =|= b", "x |= b * 10", "y =|= x", "z |= y + a"],
      laws: ["a = b", "x = (b * 10)", "y = x", "z = (y + a)"], editable: ["a", "b"]),
  ]

  /// After each of many edits all formulas hold, the edited variable is what was written, and no
  /// formula has run twice.
  @Test(arguments: systems)
  func formulasHold(_ system: System) throws {
    try onThread {
      var generator = RandomNumbers(seed: testSeed)
      let program = Program()
      try program.run(system.script(Array(system.statements.indices)))
      try expectLaws(system, program, "connected")
      for edit in 0..<100 {
        guard let name = system.editable.randomElement(using: &generator) else { return }
        let value = Int.random(in: -50...50, using: &generator)
        let before = program.runs
        try program.run("\(name) := \(value)")
        #expect(program[name] == Double(value), "\(system.name), edit \(edit)")
        let runs = zip(program.runs, before).map { $0 - $1 }
        #expect(runs.allSatisfy { $0 <= 1 }, "\(system.name), edit \(edit): \(runs)")
        try expectLaws(system, program, "edit \(edit), \(name) := \(value)")
      }
      #expect(program.console.text == "")
    }
  }

  /// The order of the statements makes no difference to what holds, and for edits of the same
  /// variables none to the values: by then ages decide, which are those of the edits.
  @Test(arguments: systems)
  func orderOfConnecting(_ system: System) throws {
    try onThread {
      var generator = RandomNumbers(seed: testSeed)
      let orders = (0..<6).map { _ in
        Array(system.statements.indices).shuffled(using: &generator)
      }
      var edits = system.editable.map { "\($0) := \(Int.random(in: 1...50, using: &generator))" }
      for _ in 0..<20 {
        let name = system.editable.randomElement(using: &generator) ?? "a"
        edits.append("\(name) := \(Int.random(in: 1...50, using: &generator))")
      }
      var values: Set<[Double]> = []
      for order in orders {
        let program = Program()
        try program.run(system.script(order))
        try expectLaws(system, program, "\(order)")
        for edit in edits {
          try program.run(edit)
          try expectLaws(system, program, "\(order), \(edit)")
        }
        values.insert(system.variables.compactMap { program[$0.0] })
      }
      #expect(values.count == 1, "\(system.name): \(values)")
    }
  }

  /// A connection that is disconnected changes no value and updates nothing any more; the others
  /// go on.
  @Test(arguments: systems)
  func disconnecting(_ system: System) throws {
    try onThread {
      for removed in system.statements.indices {
        let program = Program()
        let statements = system.statements.enumerated().map { "k\($0) := \($1)." }
        try program.run(([system.declarations] + statements).joined(separator: "\n"))
        let before = system.variables.map { program[$0.0] }
        try program.run("k\(removed) disconnect")
        #expect(system.variables.map { program[$0.0] } == before, "\(system.name) \(removed)")
        #expect(try program.print("k\(removed) state") == "#disconnected")
        #expect(program.size.connections == system.statements.count - 1)
        for name in system.editable {
          // Without its way back a formula owns its variable.
          guard let error = program.error(of: "\(name) := 12") else { continue }
          #expect(error.hasPrefix("'\(name)' is determined by '\(name) |= "))
        }
        // All others: none is left behind.
        try program.run("self connections do: [ :each | each disconnect ]")
        #expect(program.size == Program.Size(), "\(system.name) \(removed)")
        for (name, _) in system.variables { try program.run("\(name) := 7") }
        #expect(system.variables.allSatisfy { program[$0.0] == 7 })
      }
    }
  }

  /// Suspended and resumed, or disconnected and connected again, all is as before.
  @Test(arguments: systems, [true, false])
  func connectingAgain(_ system: System, suspends: Bool) throws {
    try onThread {
      for removed in system.statements.indices {
        let program = Program()
        let statements = system.statements.enumerated().map { "k\($0) := \($1)." }
        try program.run(([system.declarations] + statements).joined(separator: "\n"))
        let size = program.size
        for _ in 0..<3 {
          if suspends {
            try program.run("k\(removed) suspend. k\(removed) resume")
          } else {
            try program.run("k\(removed) disconnect")
            try program.run("k\(removed) := \(system.statements[removed])")
          }
        }
        #expect(program.size == size, "\(system.name) \(removed)")
        try expectLaws(system, program, "again \(removed)")
        for name in system.editable {
          try program.run("\(name) := 24")
          #expect(program[name] == 24)
          try expectLaws(system, program, "again \(removed), \(name)")
        }
      }
    }
  }

  /// Of the variables that could give way, the one written longest ago does.
  @Test func theOldestGivesWay() throws {
    let names = ["s", "a", "b", "c", "d"]
    let system = SolverLawTests.systems[2]
    try onThread {
      var generator = RandomNumbers(seed: testSeed)
      let program = Program()
      try program.run(system.script(Array(system.statements.indices)))
      // Written once each, from the oldest to the newest.
      var ages = names
      for name in names {
        try program.run("\(name) := \(Int.random(in: 1...9, using: &generator))")
      }
      for edit in 0..<60 {
        guard let name = names.randomElement(using: &generator) else { return }
        let before = names.map { program[$0] }
        let value = 1_000 + edit
        try program.run("\(name) := \(value)")
        ages.removeAll { $0 == name }
        let changed = names.indices.filter { program[names[$0]] != before[$0] }.map { names[$0] }
        #expect(Set(changed) == [name, ages[0]], "edit \(edit): \(ages) then \(name)")
        ages.append(name)
      }
    }
  }
}

private func expectLaws(
  _ system: SolverLawTests.System, _ program: Program, _ what: String
) throws {
  for law in system.laws {
    #expect(try program.run(law).boolean == true, "\(system.name), \(what): not \(law)")
  }
}
