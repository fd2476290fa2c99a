// What is wrong with a net that has not run: cycles with no way back, places determined twice.

extension Diagram {
  /// Marks the statements that the graph of connections would refuse.
  ///
  /// One-way formulas over the same places, each computing another one, are ways of one
  /// constraint, and no cycle; a place that two formulas determine, with no way back for one of
  /// them, is a conflict.
  ///
  /// - Complexity: O(n log n).
  mutating func markCycles() {
    let formulas = oneWayFormulas()
    var ways: [[Int]: Int] = [:]
    for formula in formulas { ways[formula.variables, default: 0] += 1 }
    let lone = formulas.filter { ways[$0.variables] == 1 }
    var writers: [Int: [Int]] = [:]
    for formula in lone { writers[formula.output, default: []].append(formula.statement) }
    for (output, statements) in writers where statements.count > 1 {
      nodes[output].mark = .conflict
      for statement in statements { self.statements[statement].mark = .conflict }
    }
    markLoops(of: lone)
  }

  private struct OneWay {
    let statement: Int
    let output: Int
    let inputs: [Int]
    let variables: [Int]
  }

  /// One-way formulas; spellings of the same place count as one.
  private func oneWayFormulas() -> [OneWay] {
    var first: [Int: Int] = [:]
    for read in reads where read.isSamePlace { first[read.to] = first[read.from] ?? read.from }
    var inputs: [Int: [Int]] = [:]
    for read in reads where !read.isSamePlace {
      inputs[read.to, default: []].append(first[read.from] ?? read.from)
    }
    var formulas: [OneWay] = []
    for (number, statement) in statements.enumerated() where statement.connector == "|=" {
      for (left, right) in zip(statement.operands, statement.operands.dropFirst()) {
        let output = first[left] ?? left
        let read = inputs[right] ?? (nodes[right].kind == .place ? [first[right] ?? right] : [])
        let variables = Set(read + [output]).sorted()
        formulas.append(
          OneWay(statement: number, output: output, inputs: read, variables: variables))
      }
    }
    return formulas
  }

  /// Marks what stands in a strongly connected part: Tarjan's algorithm with a stack of its own.
  private mutating func markLoops(of formulas: [OneWay]) {
    var readers: [Int: [Int]] = [:]
    for formula in formulas {
      for input in formula.inputs { readers[input, default: []].append(formula.output) }
    }
    var index: [Int: Int] = [:]
    var low: [Int: Int] = [:]
    var open: [Int] = []
    var isOpen: Set<Int> = []
    var part: [Int: Int] = [:]
    var sizes: [Int] = []
    for root in readers.keys.sorted() where index[root] == nil {
      var stack = [(node: root, next: 0)]
      while let (node, next) = stack.last {
        if next == 0 {
          index[node] = index.count
          low[node] = index[node]
          open.append(node)
          isOpen.insert(node)
        }
        let targets = readers[node] ?? []
        if next < targets.count {
          stack[stack.count - 1].next += 1
          let target = targets[next]
          if index[target] == nil {
            stack.append((target, 0))
          } else if isOpen.contains(target) {
            low[node] = min(low[node] ?? 0, index[target] ?? 0)
          }
          continue
        }
        stack.removeLast()
        if let parent = stack.last?.node {
          low[parent] = min(low[parent] ?? 0, low[node] ?? 0)
        }
        guard low[node] == index[node] else { continue }
        var size = 0
        while let member = open.popLast() {
          isOpen.remove(member)
          part[member] = sizes.count
          size += 1
          if member == node { break }
        }
        sizes.append(size)
      }
    }
    for formula in formulas {
      let own = part[formula.output]
      let isLoop = formula.inputs.contains { input in
        input == formula.output || own != nil && part[input] == own
      }
      guard isLoop else { continue }
      statements[formula.statement].mark = .cycle
      nodes[formula.output].mark = .cycle
    }
  }
}
