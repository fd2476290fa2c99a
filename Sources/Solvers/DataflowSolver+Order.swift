internal import TenonSolverKit
internal import TenonTables

// The topological order of the nodes.

extension DataflowSolver {
  /// Moves nodes so that one node stands before another in the order.
  func order(_ first: Int32, before second: Int32) throws(SolverConflict) {
    if first == second { throw SolverConflict(.cycle, [formulaID(first)]) }
    let upper = nodes[first].position
    let lower = nodes[second].position
    guard lower < upper else { return }
    let forward = try affected(from: second, to: upper, target: first)
    let backward = ancestors(of: first, from: lower)
    let moved =
      backward.sorted { nodes[$0].position < nodes[$1].position }
      + forward.sorted { nodes[$0].position < nodes[$1].position }
    let places = moved.map { Int(nodes[$0].position) }.sorted()
    let wasDirty = moved.map { dirty.contains(Int(nodes[$0].position)) }
    for place in places { dirty.remove(place) }
    for ((node, place), isDirty) in zip(zip(moved, places), wasDirty) {
      nodes[node].position = Int32(place)
      order[place] = node
      if isDirty { dirty.insert(place) }
    }
  }

  /// Returns the nodes that depend on a node and stand before a limit; a path to `target` is a cycle.
  private func affected(
    from start: Int32, to limit: Int32, target: Int32
  ) throws(SolverConflict) -> [Int32] {
    var found: [Int32] = []
    var from: [Int32: Int32] = [:]
    var stack = [start]
    visit(start)
    defer {
      leave(found)
      leave(stack)
    }
    while let node = stack.popLast() {
      found.append(node)
      let output = nodes[node].output
      var edge = nodes[node].firstReader
      var waiting = waiters[output]
      while edge >= 0 || waiting >= 0 {
        if edge < 0 { swap(&edge, &waiting) }
        let next = edges[edge].reader
        edge = edges[edge].nextReader
        guard !isVisited(next) else { continue }
        if next == target || nodes[next].position < limit { from[next] = node }
        if next == target {
          throw SolverConflict(.cycle, way(to: next, from: from, start: start))
        }
        if nodes[next].position < limit {
          visit(next)
          stack.append(next)
        }
      }
    }
    return found
  }

  /// Returns the formulas of a cycle, each needing the result of the next one.
  private func way(to end: Int32, from: [Int32: Int32], start: Int32) -> [FormulaID] {
    var way = [formulaID(end)]
    var node = end
    while node != start, let before = from[node] {
      way.append(formulaID(before))
      node = before
    }
    return way
  }

  /// Returns the nodes that a node depends on and that stand behind a limit.
  private func ancestors(of start: Int32, from limit: Int32) -> [Int32] {
    var found: [Int32] = []
    var stack = [start]
    visit(start)
    defer { leave(found) }
    while let node = stack.popLast() {
      found.append(node)
      var edge = nodes[node].firstInput
      while edge >= 0 {
        let next = writers[cell(of: edge)]
        edge = nextInput(of: edge)
        guard next >= 0, !isVisited(next), nodes[next].position > limit else { continue }
        visit(next)
        stack.append(next)
      }
    }
    return found
  }

  private func visit(_ node: Int32) { visited[node >> 6] |= 1 << UInt64(node & 63) }

  private func isVisited(_ node: Int32) -> Bool { visited[node >> 6] >> UInt64(node & 63) & 1 != 0 }

  private func leave(_ found: [Int32]) {
    for node in found { visited[node >> 6] &= ~(1 << UInt64(node & 63)) }
  }

  func formulaID(_ node: Int32) -> FormulaID { FormulaID(nodes[node].formula) }
}
