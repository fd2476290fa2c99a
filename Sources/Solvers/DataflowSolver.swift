public import TenonRuntime

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
  private struct Node {
    var formula: FormulaIR
    var position: Int
    /// When a search was here last.
    var visit = 0
  }

  private var nodes: [FormulaID: Int] = [:]
  private var table: [Node?] = []
  private var freeNodes: [Int] = []
  /// The nodes in their order; nil where one was removed.
  private var order: [Int?] = []
  private var dirty: [UInt64] = []
  /// The nodes that read a cell, and the one that computes it.
  private var readers: [CellID: [Int]] = [:]
  private var writer: [CellID: Int] = [:]
  private var constraints: [ConstraintID: FormulaID] = [:]
  private var visit = 0
  /// Why a node has to run: the cell that has changed.
  private var causes: [CellID?] = []
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
    writer[cell].flatMap { table[$0]?.formula.id }
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
  /// - Complexity: O(formulas between it and what it depends on, in the present order).
  public func add(_ constraint: ConstraintIR) throws(SolverConflict) {
    guard let formula = constraint.formulas.first, constraint.formulas.count == 1 else {
      throw SolverConflict(.overdetermined, constraint.formulas.map(\.id))
    }
    if let known = nodes[formula.id] {
      guard let old = table[known]?.formula else { return }
      unlink(known, old)
      do throws(SolverConflict) {
        try link(known, formula)
      } catch {
        try? link(known, old)
        throw error
      }
      return
    }
    let node = makeNode(formula)
    do throws(SolverConflict) {
      try link(node, formula)
    } catch {
      discard(node)
      throw error
    }
    constraints[constraint.id] = formula.id
  }

  /// Lets a constraint go.
  public func remove(_ constraint: ConstraintID) {
    guard let id = constraints.removeValue(forKey: constraint), let node = nodes[id],
      let formula = table[node]?.formula
    else { return }
    unlink(node, formula)
    discard(node)
  }

  private func makeNode(_ formula: FormulaIR) -> Int {
    let node = freeNodes.popLast() ?? table.count
    let entry = Node(formula: formula, position: order.count)
    if node == table.count {
      table.append(entry)
      causes.append(nil)
    } else {
      table[node] = entry
      causes[node] = nil
    }
    order.append(node)
    if dirty.count * 64 < order.count { dirty.append(0) }
    nodes[formula.id] = node
    return node
  }

  private func discard(_ node: Int) {
    guard let entry = table[node] else { return }
    clear(entry.position)
    order[entry.position] = nil
    nodes[entry.formula.id] = nil
    table[node] = nil
    freeNodes.append(node)
    if !isSettling { compact() }
  }

  /// Closes the gaps that removed formulas left, when they are many.
  private func compact() {
    guard order.count > 64, order.count > 4 * nodes.count else { return }
    let remaining = order.compactMap { $0 }
    order = remaining
    for (position, node) in remaining.enumerated() { table[node]?.position = position }
    dirty = Array(repeating: 0, count: (remaining.count + 63) / 64)
  }

  private func link(_ node: Int, _ formula: FormulaIR) throws(SolverConflict) {
    table[node]?.formula = formula
    writer[formula.output] = node
    for input in formula.inputs { readers[input, default: []].append(node) }
    do throws(SolverConflict) {
      for input in formula.inputs {
        if let source = writer[input] { try order(source, before: node) }
      }
      for reader in readers[formula.output] ?? [] { try order(node, before: reader) }
    } catch {
      unlink(node, formula)
      throw error
    }
  }

  private func unlink(_ node: Int, _ formula: FormulaIR) {
    if writer[formula.output] == node { writer[formula.output] = nil }
    for input in formula.inputs {
      if let index = readers[input]?.firstIndex(of: node) { readers[input]?.remove(at: index) }
      if readers[input]?.isEmpty ?? false { readers[input] = nil }
    }
  }
}

// MARK: - The order

extension DataflowSolver {
  /// Sees to it that one node stands before another in the order.
  private func order(_ first: Int, before second: Int) throws(SolverConflict) {
    if first == second { throw SolverConflict(.cycle, [formulaID(first)]) }
    let upper = position(first)
    let lower = position(second)
    guard lower < upper else { return }
    let forward = try affected(from: second, to: upper, target: first)
    let backward = ancestors(of: first, from: lower)
    let moved =
      backward.sorted { position($0) < position($1) }
      + forward.sorted { position($0) < position($1) }
    let places = moved.map { position($0) }.sorted()
    let wasDirty = moved.map { isDirty(position($0)) }
    for place in places { clear(place) }
    for ((node, place), isDirty) in zip(zip(moved, places), wasDirty) {
      table[node]?.position = place
      order[place] = node
      if isDirty { mark(place) }
    }
  }

  /// The nodes that depend on one and stand up to a position; a way to `target` is a cycle.
  private func affected(
    from start: Int, to limit: Int, target: Int
  ) throws(SolverConflict) -> [Int] {
    visit += 1
    var found: [Int] = []
    var from: [Int: Int] = [:]
    var stack = [start]
    table[start]?.visit = visit
    while let node = stack.popLast() {
      found.append(node)
      guard let output = table[node]?.formula.output else { continue }
      for next in readers[output] ?? [] where table[next]?.visit != visit {
        from[next] = node
        if next == target {
          throw SolverConflict(.cycle, way(to: next, from: from, start: start))
        }
        if position(next) < limit {
          table[next]?.visit = visit
          stack.append(next)
        }
      }
    }
    return found
  }

  /// The formulas of a cycle, each needing the result of the next one.
  private func way(to end: Int, from: [Int: Int], start: Int) -> [FormulaID] {
    var way = [formulaID(end)]
    var node = end
    while node != start, let before = from[node] {
      way.append(formulaID(before))
      node = before
    }
    return way
  }

  /// The nodes that one depends on and that stand from a position on.
  private func ancestors(of start: Int, from limit: Int) -> [Int] {
    visit += 1
    var found: [Int] = []
    var stack = [start]
    table[start]?.visit = visit
    while let node = stack.popLast() {
      found.append(node)
      for input in table[node]?.formula.inputs ?? [] {
        guard let next = writer[input], table[next]?.visit != visit, position(next) > limit else {
          continue
        }
        table[next]?.visit = visit
        stack.append(next)
      }
    }
    return found
  }

  private func position(_ node: Int) -> Int { table[node]?.position ?? 0 }

  private func formulaID(_ node: Int) -> FormulaID { table[node]?.formula.id ?? FormulaID(-1) }
}

// MARK: - A turn

extension DataflowSolver {
  private func mark(_ position: Int) { dirty[position >> 6] |= 1 << UInt64(position & 63) }
  private func clear(_ position: Int) { dirty[position >> 6] &= ~(1 << UInt64(position & 63)) }
  private func isDirty(_ position: Int) -> Bool {
    dirty[position >> 6] & 1 << UInt64(position & 63) != 0
  }

  /// Runs the formulas that depend on what has changed, in order.
  ///
  /// - Complexity: O(formulas that run + their readers + length of the order / 64).
  public func settle(_ transaction: Transaction) {
    for cell in transaction.changed { markReaders(of: cell) }
    for formula in transaction.forced {
      if let node = nodes[formula] { mark(position(node)) }
    }
    isSettling = true
    defer {
      isSettling = false
      compact()
    }
    var word = 0
    while word < dirty.count {
      while dirty[word] != 0 {
        let position = word << 6 + dirty[word].trailingZeroBitCount
        dirty[word] &= dirty[word] - 1
        guard let node = order[position], let formula = table[node]?.formula else { continue }
        let cause = causes[node]
        causes[node] = nil
        if transaction.run(formula.id, because: cause) { markReaders(of: formula.output) }
      }
      word += 1
    }
  }

  private func markReaders(of cell: CellID) {
    for node in readers[cell] ?? [] {
      mark(position(node))
      if causes[node] == nil { causes[node] = cell }
    }
  }
}
