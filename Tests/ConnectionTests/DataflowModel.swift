/// A one-way graph that recomputes all of its cells after each change, and says which formulas had
/// a reason to run.
struct DataflowModel {
  let sourceCount: Int
  let nodes: [GraphNode]
  private(set) var values: [Int]
  /// How often formulas had to run: those that have read something that has changed.
  private(set) var neededRuns: [Int]
  /// How many runs of a formula that chooses what it reads have changed nothing.
  private var idleRuns: [Int]
  /// What its last run has read, once that is recorded.
  private var recordedReads: [Set<Int>?]
  /// How many such runs there may be before the next one is recorded.
  private static let idleLimit = 9

  init(sources: [Int], nodes: [GraphNode]) {
    sourceCount = sources.count
    self.nodes = nodes
    values = sources
    for node in nodes { values.append(node.value(values)) }
    neededRuns = nodes.map { _ in 0 }
    idleRuns = neededRuns
    recordedReads = nodes.map { _ in nil }
  }

  /// Connects the nodes in an order, when until now only the sources have had values.
  ///
  /// A formula waits while what it computes with lacks a value. One that chooses may have its own
  /// before all that it names have theirs, or none as it has chosen what has none: it runs idly when
  /// the others come.
  mutating func connect(inOrder order: [Int]) {
    var known = Set(0..<sourceCount)
    var connected: Set<Int> = []
    for index in order {
      connected.insert(index)
      var news: Set<Int> = []
      for other in nodes.indices where connected.contains(other) {
        guard other == index || nodes[other].inputs.contains(where: news.contains) else { continue }
        if nodes[other].reads(values).isSubset(of: known) {
          if known.insert(sourceCount + other).inserted {
            news.insert(sourceCount + other)
            continue
          }
        } else if case .choice(let condition, _, _) = nodes[other], known.contains(condition) {
          // Its value is nil as before.
        } else {
          continue
        }
        if nodes[other].chooses { idleRuns[other] += 1 }
      }
    }
  }

  /// Changes sources.
  ///
  /// - Returns: for each node how often its formula runs: once if anything it names has another
  ///   value now, or anything it has read once that is recorded, else not at all.
  mutating func apply(_ change: [(cell: Int, value: Int)]) -> [Int] {
    let old = values
    for (cell, value) in change { values[cell] = value }
    for (index, node) in nodes.enumerated() { values[sourceCount + index] = node.value(values) }
    return nodes.enumerated().map { index, node in
      func hasChanged(_ cell: Int) -> Bool { old[cell] != values[cell] }
      if node.reads(old).contains(where: hasChanged) { neededRuns[index] += 1 }
      guard (recordedReads[index] ?? Set(node.inputs)).contains(where: hasChanged) else { return 0 }
      guard node.chooses else { return 1 }
      if idleRuns[index] >= DataflowModel.idleLimit { recordedReads[index] = node.reads(values) }
      if !hasChanged(sourceCount + index) { idleRuns[index] += 1 }
      return 1
    }
  }

  /// The graph as a script.
  var script: String { script(nodesInOrder: Array(nodes.indices)) }

  /// The graph as a script that connects the nodes in another order.
  func script(nodesInOrder order: [Int]) -> String {
    let declarations = (0..<sourceCount).map { "\(GraphNode.name($0)) := \(values[$0])." }
    let connections = order.map { index in
      "\(GraphNode.name(sourceCount + index)) |= \(nodes[index].text)."
    }
    return (declarations + connections).joined(separator: "\n")
  }
}

/// The change of a step, as one statement.
func statement(for change: [(cell: Int, value: Int)]) -> String {
  let assignments = change.map { "\(GraphNode.name($0.cell)) := \($0.value)" }
  return assignments.count == 1
    ? assignments[0] : "self atomically: [\(assignments.joined(separator: ". "))]"
}

extension DataflowModel {
  /// Makes a graph by chance: nodes of all kinds, mostly over cells made shortly before.
  static func random<Generator: RandomNumberGenerator>(
    sources sourceCount: Int, nodes nodeCount: Int, using generator: inout Generator
  ) -> DataflowModel {
    var nodes: [GraphNode] = []
    func cell(_ count: Int, _ generator: inout Generator) -> Int {
      Bool.random(using: &generator)
        ? Int.random(in: 0..<count, using: &generator)
        : Int.random(in: max(0, count - 8)..<count, using: &generator)
    }
    for index in 0..<nodeCount {
      let count = sourceCount + index
      func cells(_ number: Int, _ generator: inout Generator) -> [Int] {
        (0..<number).map { _ in cell(count, &generator) }
      }
      switch Int.random(in: 0..<6, using: &generator) {
      case 0:
        let terms = cells(Int.random(in: 1...4, using: &generator), &generator).map {
          GraphNode.Term(factor: Int.random(in: -1...1, using: &generator), cell: $0)
        }
        nodes.append(.modulo(1009, [sourceCount + index - 1] + terms.map(\.cell)))
      case 1:
        nodes.append(
          .linear(
            Int.random(in: -5...5, using: &generator),
            [GraphNode.Term(factor: 1, cell: cell(count, &generator))]))
      case 2:
        let number = Int.random(in: 1...5, using: &generator)
        let divisor = [2, 3, 1009].randomElement(using: &generator) ?? 2
        nodes.append(.modulo(divisor, cells(number, &generator)))
      case 3:
        let chosen = cells(3, &generator)
        nodes.append(.choice(chosen[0], odd: chosen[1], even: chosen[2]))
      case 4:
        let chosen = cells(4, &generator)
        nodes.append(.dropping(1009, first: chosen[0], others: Array(chosen[1...])))
      default:
        nodes.append(
          .atLeast(cell(count, &generator), Int.random(in: 0...20, using: &generator)))
      }
    }
    let sources = (0..<sourceCount).map { _ in Int.random(in: 0...20, using: &generator) }
    return DataflowModel(sources: sources, nodes: nodes)
  }
}
