import Foundation

/// A graph of connections that `Fixtures/graphgen.py` made, with the values it computed itself.
struct GraphFixture: Decodable {
  let name: String
  let kind: Kind
  let expect: Expectation
  // One-way graphs.
  let sources: [Int]?
  let nodes: [GraphNode]?
  /// The cells whose values somebody needs at once.
  let observers: [Int]?
  /// Each step is one change: cells and what they are given.
  let steps: [[[Int]]]?
  // Graphs of several directions.
  let vars: [String: Double]?
  let constraints: [MultiWayConstraint]?
  let edits: [[NamedValue]]?
  let tolerance: Double?

  enum Kind: String, Decodable {
    case dataflow
    case multiway
  }

  /// A constraint: formulas as text, or two variables that are equal, or a stay, which is implicit
  /// in the language.
  struct MultiWayConstraint: Decodable {
    let type: String
    let text: [String]?
    let a: String?
    let b: String?

    var statements: [String] {
      if let text { return text }
      guard type == "equal", let a, let b else { return [] }
      return ["\(a) =|= \(b)"]
    }
  }

  /// A pair like `["c0", 100.0]`.
  struct NamedValue: Decodable {
    let name: String
    let value: Double

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      name = try container.decode(String.self)
      value = try container.decode(Double.self)
    }
  }

  struct Expectation: Decodable {
    let after: [After]
    /// Formulas that a minimal engine runs in one pass of the steps, and in a second pass.
    let evals: Int?
    let evals_steady: Int?
    let formula_runs_per_edit: Int?
  }

  /// A pair like `[step, [[cell, value], ...]]`; the step is -1 before any.
  struct After: Decodable {
    let step: Int
    let values: [NamedValue]

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      step = try container.decode(Int.self)
      if let cells = try? container.decode([[Int]].self) {
        values = cells.map { NamedValue(name: GraphNode.name($0[0]), value: Double($0[1])) }
      } else {
        values = try container.decode([NamedValue].self)
      }
    }
  }
}

extension GraphFixture.NamedValue {
  init(name: String, value: Double) {
    self.name = name
    self.value = value
  }
}

extension GraphFixture {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures")

  static let names: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    // Those of equations and inequalities are read elsewhere.
    return (files ?? []).filter { $0.hasSuffix(".json") && !$0.hasPrefix("lin_") }.sorted()
  }()

  static func load(_ name: String) throws -> GraphFixture {
    let data = try Data(contentsOf: folder.appending(path: name))
    return try JSONDecoder().decode(GraphFixture.self, from: data)
  }

  /// What must hold after a step.
  func values(after step: Int) -> [NamedValue] {
    expect.after.filter { $0.step == step }.flatMap(\.values)
  }

  /// The one-way graph as a model that recomputes everything.
  var model: DataflowModel { DataflowModel(sources: sources ?? [], nodes: nodes ?? []) }

  /// The graph of several directions as a script.
  var script: String {
    let declarations = (vars ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key) := \($0.value)." }
    let connections = (constraints ?? []).flatMap(\.statements).map { "\($0)." }
    return (declarations + connections).joined(separator: "\n")
  }
}
