// What is wrong with a net that has not run: cycles with no way back, places determined twice.

extension Diagram {
  /// Marks the statements that the graph of connections would refuse.
  ///
  /// One-way formulas over the same places, each computing another one, are ways of one
  /// constraint, and no cycle; a place that two formulas determine, with no way back for one of
  /// them, is a conflict.
  ///
  /// - Complexity: O(n log n), n being the statements and the lines from what is read.
  mutating func markCycles() {
    let net = oneWayNet()
    var ways: [OneWay.Variables: Int] = [:]
    for formula in net.formulas { ways[formula.variables, default: 0] += 1 }
    let lone = net.formulas.filter { ways[$0.variables] == 1 }
    var writers: [Int: [Int]] = [:]
    for formula in lone { writers[formula.output, default: []].append(formula.statement) }
    for (output, statements) in writers where statements.count > 1 {
      nodes[output].mark = .conflict
      for statement in statements { self.statements[statement].mark = .conflict }
    }
    var readers = net.readers
    for formula in lone { readers[formula.source, default: []].append(formula.output) }
    markLoops(of: lone, readers)
  }

  private struct OneWay {
    let statement: Int
    let output: Int
    /// What stands for all that it reads: a place, or an operand, which may be that of others too.
    let source: Int
    let variables: Variables

    /// A set of places, told from others by two sums over its members: a box that many statements
    /// share may have many, and to list them for each would take their product.
    struct Variables: Hashable {
      private var low: UInt64 = 0
      private var high: UInt64 = 0

      /// Adds a place that is not in it.
      mutating func add(_ place: Int) {
        low &+= Variables.mixed(UInt64(UInt(bitPattern: place)) &+ 0x9E37_79B9_7F4A_7C15)
        high &+= Variables.mixed(UInt64(UInt(bitPattern: place)) &+ 0xD1B5_4A32_D192_ED03)
      }

      /// The mixing step of SplitMix64.
      ///
      /// From G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
      /// 2014.
      private static func mixed(_ word: UInt64) -> UInt64 {
        var word = word
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
      }
    }
  }

  /// One-way formulas, and who hears of what: places of operands, spellings of the same place counting
  /// as one.
  private func oneWayNet() -> (formulas: [OneWay], readers: [Int: [Int]]) {
    var first: [Int: Int] = [:]
    for read in reads where read.isSamePlace { first[read.to] = first[read.from] ?? read.from }
    var inputs: [Int: Set<Int>] = [:]
    for read in reads where !read.isSamePlace {
      inputs[read.to, default: []].insert(first[read.from] ?? read.from)
    }
    // Operands that read something are told from the places that they may be as well.
    var readers: [Int: [Int]] = [:]
    var variables: [Int: OneWay.Variables] = [:]
    for (operand, places) in inputs {
      var set = OneWay.Variables()
      for place in places {
        set.add(place)
        readers[place, default: []].append(nodes.count + operand)
      }
      variables[operand] = set
    }
    var formulas: [OneWay] = []
    for (number, statement) in statements.enumerated() where statement.connector == "|=" {
      for (left, right) in zip(statement.operands, statement.operands.dropFirst()) {
        let output = first[left] ?? left
        let place = first[right] ?? right
        var set = variables[right] ?? OneWay.Variables()
        var isInput = inputs[right]?.contains(output) ?? false
        if inputs[right] == nil, nodes[right].kind == .place {
          set.add(place)
          isInput = place == output
        }
        if !isInput { set.add(output) }
        formulas.append(
          OneWay(
            statement: number, output: output,
            source: inputs[right] == nil ? place : nodes.count + right, variables: set))
      }
    }
    return (formulas, readers)
  }

  /// Marks what stands in a strongly connected part: Tarjan's algorithm with a stack of its own.
  private mutating func markLoops(of formulas: [OneWay], _ readers: [Int: [Int]]) {
    var index: [Int: Int] = [:]
    var low: [Int: Int] = [:]
    var open: [Int] = []
    var isOpen: Set<Int> = []
    var part: [Int: Int] = [:]
    var count = 0
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
        while let member = open.popLast() {
          isOpen.remove(member)
          part[member] = count
          if member == node { break }
        }
        count += 1
      }
    }
    for formula in formulas {
      let isLoop =
        formula.source == formula.output
        || part[formula.output] != nil && part[formula.output] == part[formula.source]
      guard isLoop else { continue }
      statements[formula.statement].mark = .cycle
      nodes[formula.output].mark = .cycle
    }
  }
}
