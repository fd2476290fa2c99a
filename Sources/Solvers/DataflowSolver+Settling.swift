public import TenonSolverKit
internal import TenonTables

// A turn: the formulas that depend on changed cells, in order.

extension DataflowSolver {
  /// Runs the formulas that depend on changed cells, in order.
  ///
  /// - Complexity: O(formulas that run + their readers + length of the order / 4,096).
  public func settle(_ transaction: Transaction) {
    if transaction.changes.count == 1, transaction.forcedFormulas.isEmpty {
      settle(from: transaction.changes[0], transaction)
      return
    }
    isSettling = true
    defer { isSettling = false }
    mark(transaction)
    runMarked(transaction)
  }

  /// Runs the formulas that depend on a cell that has changed, in order.
  ///
  /// Nothing is marked when a turn begins: the turn before has run all marked nodes.
  ///
  /// - Complexity: as that of `settle`.
  public func settle(from cell: CellID, _ transaction: Transaction) {
    let first = firstReader(of: cell.rawValue)
    guard first >= 0 else { return }
    isSettling = true
    defer { isSettling = false }
    if edges[first].nextReader < 0 {
      if follow(edges[first].node, because: cell.rawValue, transaction) { return }
    } else {
      markReaders(first, because: cell.rawValue)
    }
    runMarked(transaction)
  }

  /// Runs the marked nodes, and those that follow from them.
  private func runMarked(_ transaction: Transaction) {
    var cursor = dirty.makeCursor()
    while true {
      let position = dirty.next(&cursor)
      guard position >= 0 else { return }
      var node = order[position]
      while node >= 0 { node = run(node, transaction, &cursor) }
    }
  }

  /// Runs a formula while no other is due, and those that follow from it as long as each is the only
  /// reader of the one before: nothing has to be marked for that.
  ///
  /// - Returns: Whether nothing is left to be run.
  @inline(__always)
  private func follow(
    _ first: Int32, because cell: Int32, _ transaction: Transaction
  ) -> Bool {
    let version = dirty.version
    var node = first
    var cause = cell
    while true {
      let record = unsafe nodes.address(of: node)
      let formula = unsafe record.pointee.formula
      let output = unsafe record.pointee.output
      // A formula that runs may make nodes: the records may have moved behind it.
      let hasChanged = transaction.run(formula, because: cause)
      // Nodes that have been marked meanwhile may have to run before the next one.
      let isAlone = dirty.version == version
      guard hasChanged else { return isAlone }
      let edge = firstReader(after: node, formula, output)
      guard edge >= 0 else { return isAlone }
      guard isAlone, edges[edge].nextReader < 0 else {
        markReaders(edge, because: output)
        return false
      }
      node = edges[edge].node
      cause = output
    }
  }

  /// Returns the first edge to a reader of a node's result, or -1; the node may have been ended while it
  /// ran.
  @inline(__always)
  private func firstReader(after node: Int32, _ formula: Int32, _ output: Int32) -> Int32 {
    let record = unsafe nodes.address(of: node)
    if unsafe record.pointee.formula == formula && record.pointee.output == output {
      return unsafe record.pointee.firstReader
    }
    return firstReader(of: output)
  }

  /// Marks the nodes that a transaction concerns.
  private func mark(_ transaction: Transaction) {
    for index in 0..<transaction.changeCount {
      let cell = transaction.changes[index].rawValue
      markReaders(firstReader(of: cell), because: cell)
    }
    guard transaction.forcedCount > 0 else { return }
    for formula in transaction.forced {
      let node = nodesByFormula[formula.rawValue]
      if node >= 0 { dirty.insert(Int(nodes[node].position)) }
    }
  }

  /// Runs a formula, and marks the readers of its cell if that has changed.
  ///
  /// - Returns: the node that is next, if that is plain without looking for it; else -1.
  @inline(__always)
  private func run(
    _ node: Int32, _ transaction: Transaction, _ cursor: inout DirtySet.Cursor
  ) -> Int32 {
    let formula = nodes[node].formula
    let cause = nodes[node].cause
    let output = nodes[node].output
    nodes[node].cause = -1
    dirty.suspend(cursor)
    let hasChanged = transaction.run(formula, because: cause)
    dirty.resume(&cursor)
    guard hasChanged else { return -1 }
    return markReaders(firstReader(after: node, formula, output), because: output, &cursor)
  }

  /// Marks the nodes that read a cell.
  ///
  /// - Returns: the first of them, if it comes next: it is not marked then.
  @inline(__always)
  private func markReaders(
    _ first: Int32, because cell: Int32, _ cursor: inout DirtySet.Cursor
  ) -> Int32 {
    guard first >= 0 else { return -1 }
    let node = edges[first].node
    var edge = edges[first].nextReader
    if nodes[node].cause < 0 { nodes[node].cause = cell }
    while edge >= 0 {
      let record = edges[edge]
      if nodes[record.node].cause < 0 { nodes[record.node].cause = cell }
      dirty.insert(Int(nodes[record.node].position), &cursor)
      edge = record.nextReader
    }
    let position = Int(nodes[node].position)
    if dirty.takeNext(position, &cursor) { return node }
    dirty.insert(position, &cursor)
    return -1
  }

  /// Marks the nodes that read a cell, from an edge on.
  private func markReaders(_ first: Int32, because cell: Int32) {
    var edge = first
    while edge >= 0 {
      let node = edges[edge].node
      dirty.insert(Int(nodes[node].position))
      if nodes[node].cause < 0 { nodes[node].cause = cell }
      edge = edges[edge].nextReader
    }
  }
}
