import Tenon
import TenonRuntime

/// What a formula computes; a structure, so that an array holds the function as it is.
struct IntegerFormula {
  let compute: (IntegerInputs) -> Int
}

/// A graph of one-way formulas over integers, and the change that is measured.
struct OneWayGraph {
  let name: String
  /// How many cells are written, one after the other or all at once.
  var sources: [Int]
  /// The inputs of each formula, numbers of cells: sources first, then formulas.
  var inputs: [[Int]] = []
  /// What each formula computes.
  var formulas: [IntegerFormula] = []
  /// How many formulas run for one change.
  var updates = 0
  /// The sources that a change writes, together.
  var written: [Int] = [0]
  /// What round `r` writes into a source.
  var value: (_ round: Int, _ source: Int) -> Int = { round, source in round &+ source }

  /// The same computed by a plain loop, for the cost of the formulas alone.
  func runPlainly(_ rounds: Int) -> Int {
    var cells = sources + Array(repeating: 0, count: inputs.count)
    var sum = 0
    for round in 0..<rounds {
      for source in written { cells[source] = value(round, source) }
      for index in inputs.indices {
        var result = 1
        for input in inputs[index] { result &+= cells[input] }
        cells[sources.count + index] = result
      }
      sum &+= cells[cells.count - 1]
    }
    return sum
  }
}

extension OneWayGraph {
  private static func sum(_ inputs: IntegerInputs) -> Int { 1 &+ inputs.sum }

  private static func next(_ inputs: IntegerInputs) -> Int { inputs[0] &+ 1 }

  private mutating func add(_ inputs: [Int], _ formula: @escaping (IntegerInputs) -> Int) {
    self.inputs.append(inputs)
    formulas.append(IntegerFormula(compute: formula))
  }

  static func chain(_ count: Int) -> OneWayGraph {
    var graph = OneWayGraph(name: "chain \(count)", sources: [0])
    for index in 0..<count { graph.add([index], next) }
    graph.updates = count
    return graph
  }

  static func wide(_ count: Int) -> OneWayGraph {
    var graph = OneWayGraph(name: "wide \(count)", sources: [0])
    for _ in 0..<count { graph.add([0], next) }
    graph.updates = count
    return graph
  }

  /// One source, `count` formulas that read it, and one that reads those.
  static func diamond(_ count: Int) -> OneWayGraph {
    var graph = OneWayGraph(name: "diamond \(count)", sources: [0])
    for _ in 0..<count { graph.add([0], next) }
    graph.add(Array(1...count), sum)
    graph.updates = count + 1
    return graph
  }

  /// Layers of four formulas over four sources, as in the benchmark known by that name.
  static func cellx(_ layers: Int) -> OneWayGraph {
    var graph = OneWayGraph(name: "cellx \(layers)", sources: [1, 2, 3, 4])
    graph.written = [0, 1, 2, 3]
    graph.value = { round, source in round & 1 == 0 ? source + 1 : 4 - source }
    for layer in 0..<layers {
      let below = layer * 4
      graph.add([below + 1]) { $0[0] }
      graph.add([below, below + 2]) { $0[0] &- $0[1] }
      graph.add([below + 1, below + 3]) { $0[0] &+ $0[1] }
      graph.add([below + 2]) { $0[0] }
    }
    graph.updates = layers * 4
    return graph
  }

  /// A change that stops at the second formula of `count + 2`.
  static func cutOff(_ count: Int) -> OneWayGraph {
    var graph = OneWayGraph(name: "cut-off \(count), a step", sources: [0])
    graph.add([0], next)
    graph.add([1]) { $0[0] >= 0 ? 1 : 0 }
    for index in 0..<count { graph.add([index + 2], next) }
    graph.updates = 1
    return graph
  }

  /// `count` sources and one formula that reads all of them; one source changes.
  static func fanIn(_ count: Int) -> OneWayGraph {
    var graph = OneWayGraph(
      name: "fan-in \(count), a step", sources: Array(repeating: 1, count: count))
    graph.add(Array(0..<count), sum)
    graph.updates = 1
    return graph
  }

  /// One formula that reads one source.
  static var observer: OneWayGraph {
    var graph = OneWayGraph(name: "change to observer", sources: [0])
    graph.add([0], next)
    graph.updates = 1
    return graph
  }
}

/// A graph in an interpreter.
struct Program {
  let interpreter = Interpreter()
  let graph: OneWayGraph
  let cells: [ScriptVariable]
  let buildTime: Double

  init(_ graph: OneWayGraph) throws {
    self.graph = graph
    let interpreter = interpreter
    let cells = (0..<graph.sources.count + graph.inputs.count).map {
      interpreter.variable("v\($0)")
    }
    for (cell, value) in zip(cells, graph.sources) { try cell.set(.integer(value)) }
    let start = cpuTime()
    for (index, inputs) in graph.inputs.enumerated() {
      let outcome = interpreter.machine.connect(
        cells[graph.sources.count + index].cell, reading: inputs.map { cells[$0].cell },
        integers: graph.formulas[index].compute)
      guard case .finished = outcome else { throw BenchmarkFailure("\(graph.name): no connection") }
    }
    buildTime = cpuTime() - start
    self.cells = cells
  }

  /// Nanoseconds for a change, the least of some runs.
  func nanosecondsForChange(rounds: Int) -> Double {
    var best = Double.infinity
    let written = graph.written.map { cells[$0].cell }
    var base = 1
    for _ in 0..<5 {
      let offset = base
      let start = cpuTime()
      if written.count == 1 {
        interpreter.machine.writeRepeatedly(written[0], count: rounds) {
          graph.value($0 + offset, 0)
        }
      } else {
        interpreter.machine.writeTogether(written, count: rounds) { graph.value($0 + offset, $1) }
      }
      best = min(best, (cpuTime() - start) / Double(rounds))
      base += rounds
    }
    return best * 1e9
  }
}
