public import TenonSolverKit
internal import TenonTables

/// Keeps constraints of one direction: each formula runs when a cell that it reads has changed, after
/// all cells that it reads are up to date.
///
/// - Solution: the only one there is: every cell has the value of its formula.
/// - Cycles are refused when they would come to be, with the formulas in order; too few equations
///   cannot happen.
/// - Cost: a turn costs one step for each formula that runs and one for each 64 places of the
///   order that it passes; a formula whose cells turn out unchanged does not run.
///
/// Formulas stand in a topological order, and a bitmap over this order marks the formulas that have to
/// run. A new formula moves only formulas that stand between it and those it depends on.
///
/// Algorithm: D. J. Pearce, P. H. J. Kelly, "A dynamic topological sort algorithm for directed
/// acyclic graphs", ACM Journal of Experimental Algorithmics 11, 2006. Here with explicit stacks,
/// so that chains of any length are ordered.
public final class DataflowSolver: ConnectorSolver {
  struct Node {
    var formula: Int32
    /// The number of the cell it computes.
    var output: Int32
    /// The first edge to a node that reads the cell, or -1: a turn follows these edges.
    var firstReader: Int32 = -1
    var position: Int32
    /// Its first edge, or the next free record.
    var firstInput: Int32 = -1
    /// The number of the changed cell because of which it has to run, or -1.
    var cause: Int32 = -1
  }

  /// An edge between a cell and a node that reads it: the fields that a turn follows.
  struct Edge {
    /// The node; its complement where it has not read the cell.
    ///
    /// Such edges have a list of their own: a turn does not come across them.
    var node: Int32
    /// The next one of the same cell, or the next free record.
    var nextReader: Int32 = -1

    var reader: Int32 { node < 0 ? ~node : node }
  }

  let nodes = FlatTable<Node>()
  let edges = FlatTable<Edge>()
  /// For each edge the number of its cell; its complement where the next edge of the same node is the
  /// one before it in the table, as it is for a formula whose edges were made in a row.
  private let edgeCells = FlatTable<Int32>()
  /// For an edge the one before it in its list, and for the first reader edge of a cell the last; no
  /// entry for an edge that is alone.
  private let previousReaders = NumberMap()
  /// For an edge the next one of the same node, where that is not the one before it in the table.
  private let nextInputs = NumberMap()
  /// The number of records, free ones included.
  var recordCount: Int { nodes.count + edges.count }
  /// The bytes that the columns take in which most formulas have no entry.
  var columnBytes: Int {
    previousReaders.byteCount + nextInputs.byteCount + nodesByConstraint.byteCount
      + constraintsByNode.byteCount
  }
  private var freeNode: Int32 = -1
  private var freeEdge: Int32 = -1
  private var nodeCount = 0
  let nodesByFormula = NumberMap()
  /// The nodes of constraints that have another number than their formula, and the numbers of these
  /// constraints: the runtime gives both the same.
  private let nodesByConstraint = NumberMap()
  private let constraintsByNode = NumberMap()
  /// For the number of a cell the node that computes it.
  let writers = NumberMap()
  /// For a cell that no node computes the first edge to a node that reads it; for a computed cell its
  /// node has that edge.
  private let readers = NumberMap()
  /// For a cell the first edge to a node that stands after the writer of the cell and has not read it:
  /// there are few.
  let waiters = NumberMap()
  /// The nodes in their order; -1 where one was removed, and before the first.
  let order = FlatTable<Int32>()
  /// The position of the first node: there is room before it for nodes that all others follow.
  private var front = 0
  let dirty = DirtySet()
  /// A bit for each node that a search has visited; all are clear between searches.
  let visited = FlatTable<UInt64>()
  /// Whether formulas are being run: the order keeps its gaps meanwhile.
  var isSettling = false

  /// Creates a solver without constraints.
  public init() {}

  /// Its name in programs.
  public static var name: String { "dataflow" }

  /// Nanoseconds for a formula, roughly.
  public static var cost: Int { 1 }

  /// Accepts regions in which every constraint has one formula and every cell at most one.
  public static func accept(_ region: RegionIR) -> Acceptance {
    var outputs: Set<CellID> = []
    var refusals: [Refusal] = []
    for constraint in region.constraints {
      if constraint.isMultiWay, let formula = constraint.formulas.last {
        refusals.append(Refusal(formula.id, "it has more than one direction"))
      }
      for formula in constraint.formulas where !outputs.insert(formula.output).inserted {
        refusals.append(Refusal(formula.id, "another formula computes the same place"))
      }
    }
    return refusals.isEmpty ? .yes : .no(refusals)
  }

  /// Returns the formula that computes a cell, or nil.
  public func formula(computing cell: CellID) -> FormulaID? {
    let node = writers[cell.rawValue]
    return node < 0 ? nil : formulaID(node)
  }

  /// Does nothing: formulas of one direction do not depend on the writer.
  public func edit(_ cell: CellID, age: UInt64, isPinned: Bool) throws(SolverConflict) {}

  /// Does nothing: no cell is pinned here.
  public func unpin(_ cell: CellID) {}
}

// MARK: - Constraints

extension DataflowSolver {
  /// Adds a constraint of one formula, or takes its new inputs.
  ///
  /// - Throws: `SolverConflict` of the kind `cycle`.
  /// - Complexity: O(formulas between it and those it depends on, in the present order); O(inputs)
  ///   when all formulas it depends on came before it, or no cell that it reads is computed.
  public func add(_ constraint: ConstraintIR) throws(SolverConflict) {
    guard let formula = constraint.formulas.first, constraint.formulas.count == 1 else {
      throw SolverConflict(.overdetermined, constraint.formulas.map(\.id))
    }
    let known = nodesByFormula[formula.id.rawValue]
    if known >= 0 {
      let output = CellID(nodes[known].output)
      let inputs = self.inputs(of: known)
      unlinkInputs(of: known)
      if output != formula.output { unlinkOutput(of: known) }
      do throws(SolverConflict) {
        try relink(known, formula.output, formula.inputs, unread: formula.unread)
      } catch {
        try? relink(known, output, inputs.read, unread: inputs.unread)
        throw error
      }
      return
    }
    let node = makeNode(formula)
    do throws(SolverConflict) {
      try link(node, formula.output, formula.inputs, unread: formula.unread)
    } catch {
      discard(node)
      throw error
    }
    if constraint.id.rawValue != formula.id.rawValue {
      nodesByConstraint.set(constraint.id.rawValue, to: node)
      constraintsByNode.set(node, to: constraint.id.rawValue)
    }
  }

  /// Removes a constraint.
  ///
  /// - Complexity: O(inputs).
  public func remove(_ constraint: ConstraintID) {
    let node = node(of: constraint)
    guard node >= 0 else { return }
    if constraintsByNode[node] >= 0 {
      constraintsByNode.remove(node)
      nodesByConstraint.remove(constraint.rawValue)
    }
    unlink(node)
    discard(node)
  }

  /// Returns the node of a constraint, or -1.
  private func node(of constraint: ConstraintID) -> Int32 {
    let other = nodesByConstraint[constraint.rawValue]
    if other >= 0 { return other }
    let node = nodesByFormula[constraint.rawValue]
    return node >= 0 && constraintsByNode[node] < 0 ? node : -1
  }

  private func makeNode(_ formula: FormulaIR) -> Int32 {
    let node: Int32
    let entry = Node(
      formula: formula.id.rawValue, output: formula.output.rawValue, position: place(formula))
    if freeNode >= 0 {
      node = freeNode
      freeNode = nodes[node].firstInput
      nodes[node] = entry
    } else {
      node = Int32(nodes.count)
      nodes.append(entry)
      visited.extend(to: (nodes.count + 63) / 64, with: 0)
    }
    order[entry.position] = node
    nodeCount += 1
    nodesByFormula.set(formula.id.rawValue, to: node)
    return node
  }

  /// Returns a position in the order: before all others for a formula of which no input is computed, so
  /// that a chain made from its end costs no more than one made from its start; else behind them.
  private func place(_ formula: FormulaIR) -> Int32 {
    if isRead(formula.output), !isSettling,
      (formula.inputs + formula.unread).allSatisfy({ self.formula(computing: $0) == nil })
    {
      if front == 0 { makeRoomInFront() }
      front -= 1
      return Int32(front)
    }
    order.append(-1)
    dirty.reserve(order.count)
    return Int32(order.count - 1)
  }

  private func isRead(_ cell: CellID) -> Bool {
    firstReader(of: cell.rawValue) >= 0 || waiters[cell.rawValue] >= 0
  }

  /// Returns the first edge to a node that reads a cell, or -1.
  @inline(__always)
  func firstReader(of cell: Int32) -> Int32 {
    let first = readers[cell]
    if first >= 0 { return first }
    let writer = writers[cell]
    return writer < 0 ? -1 : nodes[writer].firstReader
  }

  private func makeRoomInFront() { rearrange(leaving: max(64, nodeCount)) }

  private func discard(_ node: Int32) {
    dirty.remove(Int(nodes[node].position))
    order[nodes[node].position] = -1
    nodesByFormula.remove(nodes[node].formula)
    nodes[node].formula = -1
    nodes[node].firstInput = freeNode
    freeNode = node
    nodeCount -= 1
    if !isSettling, order.count > 64, order.count - front > 4 * nodeCount { rearrange(leaving: 0) }
  }

  /// Closes the gaps that removed formulas left, and leaves room before the first one.
  private func rearrange(leaving room: Int) {
    let new = FlatTable<Int32>()
    new.extend(to: room, with: -1)
    var waiting: [Int] = []
    for old in front..<order.count {
      let node = order[old]
      guard node >= 0 else { continue }
      if dirty.contains(old) {
        dirty.remove(old)
        waiting.append(new.count)
      }
      nodes[node].position = Int32(new.count)
      new.append(node)
    }
    order.exchange(with: new)
    front = room
    dirty.reserve(order.count)
    for position in waiting { dirty.insert(position) }
  }

  /// Links a node that stands somewhere in the order.
  private func relink(
    _ node: Int32, _ output: CellID, _ inputs: [CellID], unread: [CellID]
  ) throws(SolverConflict) {
    // A search relies on the order of all linked nodes except the two it is made for: where the node
    // is neither behind its inputs nor before its readers, one comes after the other.
    if writers[output.rawValue] != node { try link(node, output, [], unread: []) }
    try link(node, output, inputs, unread: unread)
  }

  private func link(
    _ node: Int32, _ output: CellID, _ inputs: [CellID], unread: [CellID]
  ) throws(SolverConflict) {
    let output = output.rawValue
    if writers[output] != node { linkOutput(of: node, output) }
    for input in unread.reversed() { addWaiter(for: input.rawValue, node) }
    for input in inputs.reversed() { addEdge(from: input.rawValue, to: node) }
    do throws(SolverConflict) {
      var edge = nodes[node].firstInput
      while edge >= 0 {
        let source = writers[cell(of: edge)]
        if source >= 0 { try order(source, before: node) }
        edge = nextInput(of: edge)
      }
      edge = nodes[node].firstReader
      while edge >= 0 {
        try order(node, before: edges[edge].node)
        edge = edges[edge].nextReader
      }
      edge = waiters[output]
      while edge >= 0 {
        try order(node, before: edges[edge].reader)
        edge = edges[edge].nextReader
      }
    } catch {
      unlink(node)
      throw error
    }
  }

  private func linkOutput(of node: Int32, _ output: Int32) {
    let first = firstReader(of: output)
    let other = writers[output]
    if other >= 0 { nodes[other].firstReader = -1 } else { readers.remove(output) }
    nodes[node].output = output
    nodes[node].firstReader = first
    writers.set(output, to: node)
  }

  private func addEdge(from cell: Int32, to node: Int32) {
    let first = firstReader(of: cell)
    let edge = makeEdge(Edge(node: node), from: cell)
    if first < 0 {
      setFirstReader(edge, of: cell)
    } else {
      let last = lastReader(first)
      edges[last].nextReader = edge
      previousReaders.set(edge, to: last)
      previousReaders.set(first, to: edge)
    }
    enterInput(edge, of: node)
  }

  /// Returns the last edge of the list that an edge begins.
  private func lastReader(_ first: Int32) -> Int32 {
    let last = previousReaders[first]
    return last < 0 ? first : last
  }

  /// Makes a node stand after the writer of a cell.
  private func addWaiter(for cell: Int32, _ node: Int32) {
    let next = waiters[cell]
    let edge = makeEdge(Edge(node: ~node, nextReader: next), from: cell)
    if next >= 0 { previousReaders.set(next, to: edge) }
    waiters.set(cell, to: edge)
    enterInput(edge, of: node)
  }

  private func enterInput(_ edge: Int32, of node: Int32) {
    let next = nodes[node].firstInput
    if next >= 0, next == edge &- 1 {
      edgeCells[edge] = ~edgeCells[edge]
    } else if next >= 0 {
      nextInputs.set(edge, to: next)
    }
    nodes[node].firstInput = edge
  }

  /// Returns the number of the cell that an edge comes from.
  func cell(of edge: Int32) -> Int32 {
    let word = edgeCells[edge]
    return word < 0 ? ~word : word
  }

  /// Returns the next edge of the same node, or -1.
  func nextInput(of edge: Int32) -> Int32 {
    edgeCells[edge] < 0 ? edge &- 1 : nextInputs[edge]
  }

  private func makeEdge(_ new: Edge, from cell: Int32) -> Int32 {
    if freeEdge < 0 {
      edges.append(new)
      edgeCells.append(cell)
      return Int32(edges.count - 1)
    }
    let edge = freeEdge
    freeEdge = edges[edge].nextReader
    edges[edge] = new
    edgeCells[edge] = cell
    return edge
  }

  private func setFirstReader(_ edge: Int32, of cell: Int32) {
    let writer = writers[cell]
    if writer >= 0 {
      nodes[writer].firstReader = edge
    } else if edge >= 0 {
      readers.set(cell, to: edge)
    } else {
      readers.remove(cell)
    }
  }

  private func unlink(_ node: Int32) {
    unlinkInputs(of: node)
    unlinkOutput(of: node)
  }

  private func unlinkInputs(of node: Int32) {
    var edge = nodes[node].firstInput
    nodes[node].firstInput = -1
    while edge >= 0 {
      let next = nextInput(of: edge)
      if next >= 0, edgeCells[edge] >= 0 { nextInputs.remove(edge) }
      if edges[edge].node < 0 { takeOutWaiter(edge) } else { takeOutReader(edge) }
      edges[edge] = Edge(node: -1, nextReader: freeEdge)
      freeEdge = edge
      edge = next
    }
  }

  private func unlinkOutput(of node: Int32) {
    let output = nodes[node].output
    let first = nodes[node].firstReader
    nodes[node].firstReader = -1
    guard writers[output] == node else { return }
    writers.remove(output)
    if first >= 0 { readers.set(output, to: first) }
  }

  private func takeOutReader(_ edge: Int32) {
    let cell = self.cell(of: edge)
    let next = edges[edge].nextReader
    let previous = previousReaders[edge]
    guard previous >= 0 else {
      setFirstReader(-1, of: cell)
      return
    }
    previousReaders.remove(edge)
    let first = firstReader(of: cell)
    if edge == first {
      setPrevious(previous, of: next)
      setFirstReader(next, of: cell)
    } else {
      edges[previous].nextReader = next
      setPrevious(previous, of: next < 0 ? first : next)
    }
  }

  /// Records which edge is before another one: an edge that is before itself is alone.
  private func setPrevious(_ previous: Int32, of edge: Int32) {
    if previous == edge {
      previousReaders.remove(edge)
    } else {
      previousReaders.set(edge, to: previous)
    }
  }

  private func takeOutWaiter(_ edge: Int32) {
    let cell = self.cell(of: edge)
    let next = edges[edge].nextReader
    let previous = previousReaders[edge]
    if previous >= 0 {
      previousReaders.remove(edge)
      edges[previous].nextReader = next
      if next >= 0 { previousReaders.set(next, to: previous) }
      return
    }
    if next >= 0 {
      previousReaders.remove(next)
      waiters.set(cell, to: next)
    } else {
      waiters.remove(cell)
    }
  }

  private func inputs(of node: Int32) -> (read: [CellID], unread: [CellID]) {
    var inputs: (read: [CellID], unread: [CellID]) = ([], [])
    var edge = nodes[node].firstInput
    while edge >= 0 {
      let cell = CellID(self.cell(of: edge))
      if edges[edge].node < 0 { inputs.unread.append(cell) } else { inputs.read.append(cell) }
      edge = nextInput(of: edge)
    }
    return inputs
  }
}
