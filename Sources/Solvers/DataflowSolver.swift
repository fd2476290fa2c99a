public import TenonRuntime
internal import TenonTables

/// Keeps constraints of one direction: each formula runs when something it reads has changed, after
/// everything it reads is up to date.
///
/// - Solution: the only one there is: every cell is what its formula says.
/// - Cycles are refused when they would come to be, with the formulas in order; too few equations
///   cannot happen.
/// - Cost: a turn costs one step for each formula that runs and one for each 64 places of the
///   order that it passes; a formula whose cells turn out unchanged does not run.
///
/// Formulas stand in a topological order, and a bitmap over this order says which have to run. A
/// new formula moves only those that stand between it and what it depends on.
///
/// Algorithm: D. J. Pearce, P. H. J. Kelly, "A dynamic topological sort algorithm for directed
/// acyclic graphs", ACM Journal of Experimental Algorithmics 11, 2006. Here with explicit stacks,
/// so that chains of any length are ordered.
public final class DataflowSolver: ConnectorSolver {
  struct Node {
    var formula: Int32
    /// The number of the cell it computes.
    var outputID: Int32 = -1
    /// The first edge to a node that reads it: what its cell says, where a turn is looking anyway.
    var firstReader: Int32 = -1
    var position: Int32
    /// The cell it computes, by its number here.
    var output: Int32
    /// Its first edge, or the next free record.
    var firstInput: Int32
    /// When a search was here last.
    var visit: UInt32 = 0
    /// Why it has to run: the number of the changed cell, or -1.
    var cause: Int32 = -1
  }

  struct Cell {
    /// Its number, or -1 for a free record.
    var id: Int32
    var firstReader: Int32 = -1
    var lastReader: Int32 = -1
    /// The first edge to a node that stands after what computes it and has not read it.
    var firstWaiter: Int32 = -1
    /// The node that computes it, or -1.
    var writer: Int32 = -1
    /// How many nodes compute or read it.
    var uses: Int32 = 0
  }

  /// What joins a cell to a node that reads it: as much of it as a turn follows.
  struct Edge {
    /// The node; its complement where it has not read the cell.
    ///
    /// Such edges have a list of their own: a turn does not come across them.
    var node: Int32
    var nextReader: Int32 = -1

    var reader: Int32 { node < 0 ? ~node : node }
  }

  /// What else there is to an edge.
  struct EdgeEnds {
    var cell: Int32
    var previousReader: Int32 = -1
    /// The next one of the same node, or the next free record.
    var nextInput: Int32 = -1
  }

  private let nodes = FlatTable<Node>()
  private let cells = FlatTable<Cell>()
  private let edges = FlatTable<Edge>()
  private let ends = FlatTable<EdgeEnds>()
  /// How many records there are, free ones included.
  var recordCount: Int { nodes.count + cells.count + edges.count }
  private var freeNode: Int32 = -1
  private var freeCell: Int32 = -1
  private var freeEdge: Int32 = -1
  private var nodeCount = 0
  private let nodesByFormula = NumberMap()
  private let nodesByConstraint = NumberMap()
  private let cellsByNumber = NumberMap()
  /// The nodes in their order; -1 where one was removed, and before the first.
  private let order = FlatTable<Int32>()
  /// Where the first node stands: there is room before it for those that all others follow.
  private var front = 0
  private let dirty = DirtySet()
  private var visit: UInt32 = 0
  /// Whether formulas are being run: the order keeps its gaps meanwhile.
  private var isSettling = false

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

  /// The formula that computes a cell, if one does.
  public func formula(computing cell: CellID) -> FormulaID? {
    let known = cellsByNumber[cell.rawValue]
    guard known >= 0, cells[known].writer >= 0 else { return nil }
    return formulaID(cells[known].writer)
  }

  /// Learns nothing from writes: formulas of one direction do not depend on who wrote.
  public func edit(_ cell: CellID, age: UInt64, isPinned: Bool) throws(SolverConflict) {}

  /// Learns nothing: no cell is pinned here.
  public func unpin(_ cell: CellID) {}
}

// MARK: - Constraints

extension DataflowSolver {
  /// Takes a constraint of one formula in, or learns what it reads now.
  ///
  /// - Throws: `SolverConflict` of the kind `cycle`.
  /// - Complexity: O(formulas between it and what it depends on, in the present order); O(inputs)
  ///   when all it depends on came before it, or nothing that it reads is computed.
  public func add(_ constraint: ConstraintIR) throws(SolverConflict) {
    guard let formula = constraint.formulas.first, constraint.formulas.count == 1 else {
      throw SolverConflict(.overdetermined, constraint.formulas.map(\.id))
    }
    let known = nodesByFormula[formula.id.rawValue]
    if known >= 0 {
      let output = CellID(cells[nodes[known].output].id)
      let inputs = self.inputs(of: known)
      unlink(known)
      do throws(SolverConflict) {
        try link(known, formula.output, formula.inputs, unread: formula.unread)
      } catch {
        try? link(known, output, inputs.read, unread: inputs.unread)
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
    nodesByConstraint.set(constraint.id.rawValue, to: node)
  }

  /// Lets a constraint go.
  ///
  /// - Complexity: O(inputs).
  public func remove(_ constraint: ConstraintID) {
    let node = nodesByConstraint[constraint.rawValue]
    guard node >= 0 else { return }
    nodesByConstraint.remove(constraint.rawValue)
    unlink(node)
    discard(node)
  }

  private func makeNode(_ formula: FormulaIR) -> Int32 {
    let node: Int32
    let entry = Node(
      formula: formula.id.rawValue, position: place(formula), output: -1, firstInput: -1)
    if freeNode >= 0 {
      node = freeNode
      freeNode = nodes[node].firstInput
      nodes[node] = entry
    } else {
      node = Int32(nodes.count)
      nodes.append(entry)
    }
    order[entry.position] = node
    nodeCount += 1
    nodesByFormula.set(formula.id.rawValue, to: node)
    return node
  }

  /// A place in the order: before all others for a formula that reads nothing that is computed, so
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
    let known = cellsByNumber[cell.rawValue]
    return known >= 0 && (cells[known].firstReader >= 0 || cells[known].firstWaiter >= 0)
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

  private func cell(_ id: CellID) -> Int32 {
    let known = cellsByNumber[id.rawValue]
    if known >= 0 { return known }
    let new: Int32
    if freeCell >= 0 {
      new = freeCell
      freeCell = cells[new].firstReader
      cells[new] = Cell(id: id.rawValue)
    } else {
      new = Int32(cells.count)
      cells.append(Cell(id: id.rawValue))
    }
    cellsByNumber.set(id.rawValue, to: new)
    return new
  }

  private func release(_ cell: Int32) {
    cells[cell].uses -= 1
    guard cells[cell].uses == 0 else { return }
    cellsByNumber.remove(cells[cell].id)
    cells[cell].id = -1
    cells[cell].firstReader = freeCell
    freeCell = cell
  }

  private func link(
    _ node: Int32, _ outputID: CellID, _ inputs: [CellID], unread: [CellID]
  ) throws(SolverConflict) {
    let output = cell(outputID)
    nodes[node].output = output
    nodes[node].outputID = outputID.rawValue
    cells[output].uses += 1
    if cells[output].writer >= 0 { nodes[cells[output].writer].firstReader = -1 }
    cells[output].writer = node
    nodes[node].firstReader = cells[output].firstReader
    for input in unread.reversed() { addWaiter(for: cell(input), node) }
    for input in inputs.reversed() { addEdge(from: cell(input), to: node) }
    do throws(SolverConflict) {
      var edge = nodes[node].firstInput
      while edge >= 0 {
        let source = cells[ends[edge].cell].writer
        if source >= 0 { try order(source, before: node) }
        edge = ends[edge].nextInput
      }
      edge = cells[output].firstReader
      while edge >= 0 {
        try order(node, before: edges[edge].node)
        edge = edges[edge].nextReader
      }
      edge = cells[output].firstWaiter
      while edge >= 0 {
        try order(node, before: edges[edge].reader)
        edge = edges[edge].nextReader
      }
    } catch {
      unlink(node)
      throw error
    }
  }

  private func addEdge(from cell: Int32, to node: Int32) {
    let last = cells[cell].lastReader
    let edge = makeEdge(
      Edge(node: node),
      EdgeEnds(cell: cell, previousReader: last, nextInput: nodes[node].firstInput))
    if last >= 0 { edges[last].nextReader = edge } else { setFirstReader(edge, of: cell) }
    cells[cell].lastReader = edge
    cells[cell].uses += 1
    nodes[node].firstInput = edge
  }

  /// Has a node stand after what computes a cell.
  private func addWaiter(for cell: Int32, _ node: Int32) {
    let next = cells[cell].firstWaiter
    let edge = makeEdge(
      Edge(node: ~node, nextReader: next),
      EdgeEnds(cell: cell, nextInput: nodes[node].firstInput))
    if next >= 0 { ends[next].previousReader = edge }
    cells[cell].firstWaiter = edge
    cells[cell].uses += 1
    nodes[node].firstInput = edge
  }

  private func makeEdge(_ new: Edge, _ newEnds: EdgeEnds) -> Int32 {
    if freeEdge < 0 {
      edges.append(new)
      ends.append(newEnds)
      return Int32(edges.count - 1)
    }
    let edge = freeEdge
    freeEdge = ends[edge].nextInput
    edges[edge] = new
    ends[edge] = newEnds
    return edge
  }

  private func setFirstReader(_ edge: Int32, of cell: Int32) {
    cells[cell].firstReader = edge
    if cells[cell].writer >= 0 { nodes[cells[cell].writer].firstReader = edge }
  }

  private func unlink(_ node: Int32) {
    var edge = nodes[node].firstInput
    nodes[node].firstInput = -1
    while edge >= 0 {
      let record = ends[edge]
      let nextReader = edges[edge].nextReader
      let isRead = edges[edge].node >= 0
      if record.previousReader >= 0 {
        edges[record.previousReader].nextReader = nextReader
      } else if isRead {
        setFirstReader(nextReader, of: record.cell)
      } else {
        cells[record.cell].firstWaiter = nextReader
      }
      if nextReader >= 0 {
        ends[nextReader].previousReader = record.previousReader
      } else if isRead {
        cells[record.cell].lastReader = record.previousReader
      }
      ends[edge].nextInput = freeEdge
      freeEdge = edge
      release(record.cell)
      edge = record.nextInput
    }
    let output = nodes[node].output
    if cells[output].writer == node { cells[output].writer = -1 }
    nodes[node].firstReader = -1
    release(output)
  }

  private func inputs(of node: Int32) -> (read: [CellID], unread: [CellID]) {
    var inputs: (read: [CellID], unread: [CellID]) = ([], [])
    var edge = nodes[node].firstInput
    while edge >= 0 {
      let cell = CellID(cells[ends[edge].cell].id)
      if edges[edge].node < 0 { inputs.unread.append(cell) } else { inputs.read.append(cell) }
      edge = ends[edge].nextInput
    }
    return inputs
  }
}

// MARK: - The order

extension DataflowSolver {
  /// Sees to it that one node stands before another in the order.
  private func order(_ first: Int32, before second: Int32) throws(SolverConflict) {
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

  /// The nodes that depend on one and stand up to a position; a way to `target` is a cycle.
  private func affected(
    from start: Int32, to limit: Int32, target: Int32
  ) throws(SolverConflict) -> [Int32] {
    visit &+= 1
    var found: [Int32] = []
    var from: [Int32: Int32] = [:]
    var stack = [start]
    nodes[start].visit = visit
    while let node = stack.popLast() {
      found.append(node)
      let output = nodes[node].output
      var edge = cells[output].firstReader
      var waiting = cells[output].firstWaiter
      while edge >= 0 || waiting >= 0 {
        if edge < 0 { swap(&edge, &waiting) }
        let next = edges[edge].reader
        edge = edges[edge].nextReader
        guard nodes[next].visit != visit else { continue }
        if next == target || nodes[next].position < limit { from[next] = node }
        if next == target {
          throw SolverConflict(.cycle, way(to: next, from: from, start: start))
        }
        if nodes[next].position < limit {
          nodes[next].visit = visit
          stack.append(next)
        }
      }
    }
    return found
  }

  /// The formulas of a cycle, each needing the result of the next one.
  private func way(to end: Int32, from: [Int32: Int32], start: Int32) -> [FormulaID] {
    var way = [formulaID(end)]
    var node = end
    while node != start, let before = from[node] {
      way.append(formulaID(before))
      node = before
    }
    return way
  }

  /// The nodes that one depends on and that stand from a position on.
  private func ancestors(of start: Int32, from limit: Int32) -> [Int32] {
    visit &+= 1
    var found: [Int32] = []
    var stack = [start]
    nodes[start].visit = visit
    while let node = stack.popLast() {
      found.append(node)
      var edge = nodes[node].firstInput
      while edge >= 0 {
        let next = cells[ends[edge].cell].writer
        edge = ends[edge].nextInput
        guard next >= 0, nodes[next].visit != visit, nodes[next].position > limit else { continue }
        nodes[next].visit = visit
        stack.append(next)
      }
    }
    return found
  }

  private func formulaID(_ node: Int32) -> FormulaID { FormulaID(nodes[node].formula) }
}

// MARK: - A turn

extension DataflowSolver {
  /// Runs the formulas that depend on what has changed, in order.
  ///
  /// - Complexity: O(formulas that run + their readers + length of the order / 4,096).
  public func settle(_ transaction: Transaction) {
    isSettling = true
    defer { isSettling = false }
    let node = onlyReader(of: transaction)
    if node < 0 {
      mark(transaction)
    } else if follow(node, transaction) {
      return
    }
    var cursor = dirty.makeCursor()
    while true {
      let position = dirty.next(&cursor)
      guard position >= 0 else { return }
      var node = order[position]
      while node >= 0 { node = run(node, transaction, &cursor) }
    }
  }

  /// Runs a formula while no other waits, and those that follow from it as long as each is the only
  /// reader of the one before: nothing has to be marked for that.
  ///
  /// - Returns: Whether nothing is left to be run.
  @inline(__always)
  private func follow(_ first: Int32, _ transaction: Transaction) -> Bool {
    let version = dirty.version
    var node = first
    while true {
      let record = unsafe nodes.address(of: node)
      let formula = unsafe record.pointee.formula
      let cause = unsafe record.pointee.cause
      let output = unsafe record.pointee.outputID
      unsafe record.pointee.cause = -1
      // Whatever runs may make nodes: the records may have moved behind it.
      let hasChanged = transaction.run(formula, because: cause)
      // What has been marked meanwhile may have to run before the next one.
      let isAlone = dirty.version == version
      guard hasChanged else { return isAlone }
      let edge = firstReader(after: node, formula, output)
      guard edge >= 0 else { return isAlone }
      guard isAlone, edges[edge].nextReader < 0 else {
        markReaders(edge, because: output)
        return false
      }
      node = edges[edge].node
      nodes[node].cause = output
    }
  }

  /// The first edge to a node that reads what a node has computed, which may have been ended while
  /// it ran; or -1.
  @inline(__always)
  private func firstReader(after node: Int32, _ formula: Int32, _ output: Int32) -> Int32 {
    let record = unsafe nodes.address(of: node)
    if unsafe record.pointee.formula == formula && record.pointee.outputID == output {
      return unsafe record.pointee.firstReader
    }
    let known = cellsByNumber[output]
    return known < 0 ? -1 : cells[known].firstReader
  }

  /// The node with which a turn begins if that is a single one; else -1.
  ///
  /// Nothing is marked when a turn begins: the one before has run all that was.
  @inline(__always)
  private func onlyReader(of transaction: Transaction) -> Int32 {
    guard transaction.changes.count == 1, transaction.forcedFormulas.isEmpty else { return -1 }
    let id = transaction.changes[0].rawValue
    let known = cellsByNumber[id]
    guard known >= 0, cells[known].firstReader >= 0 else { return -1 }
    let edge = edges[cells[known].firstReader]
    guard edge.nextReader < 0 else { return -1 }
    nodes[edge.node].cause = id
    return edge.node
  }

  /// Has everything run that a transaction concerns.
  private func mark(_ transaction: Transaction) {
    for index in 0..<transaction.changeCount {
      let known = cellsByNumber[transaction.change(at: index).rawValue]
      if known >= 0 { markReaders(cells[known].firstReader, because: cells[known].id) }
    }
    guard transaction.forcedCount > 0 else { return }
    for formula in transaction.forced {
      let node = nodesByFormula[formula.rawValue]
      if node >= 0 { dirty.insert(Int(nodes[node].position)) }
    }
  }

  /// Runs a formula, and has those run that read its cell if that has changed.
  ///
  /// - Returns: the node that is next, if that is plain without looking for it; else -1.
  @inline(__always)
  private func run(
    _ node: Int32, _ transaction: Transaction, _ cursor: inout DirtySet.Cursor
  ) -> Int32 {
    let formula = nodes[node].formula
    let cause = nodes[node].cause
    let output = nodes[node].outputID
    nodes[node].cause = -1
    dirty.suspend(cursor)
    let hasChanged = transaction.run(formula, because: cause)
    dirty.resume(&cursor)
    guard hasChanged else { return -1 }
    return markReaders(firstReader(after: node, formula, output), because: output, &cursor)
  }

  /// Has the nodes run that read a cell.
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

  /// Has the nodes run that read a cell, from an edge on.
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
