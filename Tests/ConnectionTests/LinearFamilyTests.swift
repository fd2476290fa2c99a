import Foundation
import TenonRuntime
internal import TenonSolverKit
import Testing

/// A system of equations and inequalities that `Fixtures/graphgen.py` made, with the values it
/// computed itself.
private struct LinearFixture: Decodable {
  let vars: [String]
  let constraints: [Statement]
  let edits: [[GraphFixture.NamedValue]]
  let tolerance: Double
  let expect: GraphFixture.Expectation

  struct Statement: Decodable {
    let lhs: [String: Double]
    let rel: String
    let rhs: [String: Double]
    let strength: String
  }

  static let names: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: GraphFixture.folder.path)
    return (files ?? []).filter { $0.hasPrefix("lin_") && $0.hasSuffix(".json") }.sorted()
  }()

  static func load(_ name: String) throws -> LinearFixture {
    let data = try Data(contentsOf: GraphFixture.folder.appending(path: name))
    return try JSONDecoder().decode(LinearFixture.self, from: data)
  }
}

extension LinearFixture.Statement {
  /// `lhs - rhs`, variables and the constant.
  var difference: (factors: [String: Double], constant: Double) {
    var factors = lhs
    for (name, factor) in rhs where name != "" { factors[name, default: 0] -= factor }
    return (factors, -(rhs[""] ?? 0))
  }

  var relation: Relation { rel == "==" ? .equal : rel == ">=" ? .atLeast : .atMost }

  /// As a connector statement: the first variable on the left, all else on the right.
  var text: String {
    let (factors, constant) = difference
    guard let first = lhs.keys.sorted().first, let own = factors[first], own == 1 else {
      return "the fixture has another form"
    }
    let sum = factors.filter { $0.key != first }.sorted { $0.key < $1.key }.map { name, factor in
      "(\(-factor) * \(name))"
    }
    let connector = ["==": "=|=", ">=": ">=|", "<=": "<=|"][rel] ?? rel
    let right = (sum + ["\(-constant)"]).joined(separator: " + ")
    return "(\(first) \(connector) \(right)) strength: #\(strength)."
  }
}

/// The graphs of equations and inequalities: the values they state.
@Suite struct LinearFamilyTests {
  @Test func allFamiliesAreThere() {
    let families = Set(
      LinearFixture.names.map { $0.prefix { $0 != "0" && $0 != "1" && $0 != "3" } })
    #expect(families == ["lin_row_n", "lin_buttons_n", "lin_chain_n"])
  }

  /// By the solver itself.
  @Test(arguments: LinearFixture.names)
  fileprivate func native(_ name: String) throws {
    let fixture = try LinearFixture.load(name)
    let net = LinearNet()
    var indices: [String: Int] = [:]
    for (index, name) in fixture.vars.enumerated() {
      indices[name] = index
      net.declare(index, SolverNumber(0.0))
    }
    func index(_ name: String) throws -> Int { try #require(indices[name]) }
    for statement in fixture.constraints {
      let (factors, constant) = statement.difference
      let strength = try #require(Strength.allCases.first { "\($0)" == statement.strength })
      try net.add(
        factors.sorted { $0.key < $1.key }.map { (try index($0.key), SolverNumber($0.value)) },
        SolverNumber(constant), statement.relation, strength)
    }
    for (step, edit) in fixture.edits.enumerated() {
      let isDone = net.edit(try edit.map { (try index($0.name), SolverNumber($0.value)) })
      #expect(isDone, "\(name), step \(step)")
      for written in edit { #expect(net[try index(written.name)]?.double == written.value) }
      for after in fixture.expect.after where after.step == step {
        for expected in after.values {
          let value = try #require(net[try index(expected.name)]?.double)
          #expect(
            abs(value - expected.value) <= fixture.tolerance,
            "\(name), step \(step): \(expected.name) is \(value), not \(expected.value)")
        }
      }
      // A second write of the same leaves nothing to do.
      let count = net.setCount
      net.edit(try edit.map { (try index($0.name), SolverNumber($0.value)) })
      #expect(net.setCount == count, "\(name), step \(step): set again")
    }
  }

  /// By a program.
  @Test(arguments: LinearFixture.names.filter { !$0.hasSuffix("00.json") })
  fileprivate func program(_ name: String) throws {
    let fixture = try LinearFixture.load(name)
    try onThread {
      let program = Program()
      try program.run(fixture.vars.map { "\($0) := 0.0." }.joined(separator: "\n"))
      try program.run(fixture.constraints.map(\.text).joined(separator: "\n"))
      for (step, edit) in fixture.edits.enumerated() {
        for written in edit { try program.run("\(written.name) := \(written.value)") }
        for after in fixture.expect.after where after.step == step {
          for expected in after.values {
            let value = try #require(program[expected.name])
            #expect(
              abs(value - expected.value) <= fixture.tolerance,
              "\(name), step \(step): \(expected.name) is \(value), not \(expected.value)")
          }
        }
      }
      #expect(program.console.text == "")
    }
  }
}
