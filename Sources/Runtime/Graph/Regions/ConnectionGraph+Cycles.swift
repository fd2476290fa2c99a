internal import TenonSolverKit

// Paths through the graph, and the refusal of cycles.

extension ConnectionGraph {
  /// Refuses a formula whose result is needed to compute it.
  ///
  /// - Complexity: O(cells that depend on the result, and the regions of the inputs).
  func refuseCycle(
    from output: CellID, to inputs: [CellID], through formula: Formula
  ) throws(Failure) {
    var targets = Set(inputs)
    for input in inputs { if let region = self[input].region { targets.formUnion(region.cells) } }
    if let way = way(from: [output], to: targets) {
      if separateSplitRegions() {
        return try refuseCycle(from: output, to: inputs, through: formula)
      }
      let inside = wayInside(from: way.cells[0], to: Set(inputs))
      throw cycle(
        inside.cells + way.cells, through: [formula] + inside.formulas + way.formulas, way.truths)
    }
  }

  /// Refuses a region that would depend on one of its own results.
  ///
  /// `regions` become one with the constraint; formulas outside determine their pinned cells, and
  /// `pins` of the constraint's.
  ///
  /// - Throws: a failure that names the cycle.
  /// - Complexity: O(cells that are new in a region and their dependents), if the formulas that determine
  ///   those stand below the region, and O(pinned cells) if the new cells are read; else O(the region and
  ///   its dependents).
  func refuseCycle(
    around regions: [Region], pins: [CellID], _ constraint: Constraint
  ) throws(Failure) {
    var members = Set(constraint.cells)
    if regions.count == 1, let region = regions.first {
      // The region alone has no cycle. Its dependents stand at its level or above.
      members = members.filter { self[$0].region !== region }
      let highest = members.filter { self[$0].hasOwner }.map { level(of: $0) }.max() ?? -1
      if highest >= region.level { members.formUnion(region.cells) }
    } else {
      for region in regions { members.formUnion(region.cells) }
    }
    let outside = members.flatMap { self[$0].readers.map(\.output) }
    if outside.isEmpty { return }
    let pinned = regions.reduce(into: Set(pins)) { $0.formUnion($1.pinned) }
    guard let way = way(from: outside, to: pinned) else { return }
    // The cycle leads from the cell that is read, through the constraints, to the formulas outside.
    let first = way.cells[way.cells.count - 1]
    let reading = members.sorted().lazy.compactMap { member in
      self[member].readers.first { $0.output == first }.map { (cell: member, formula: $0) }
    }.first
    guard let reading else {
      throw cycle(
        way.cells, through: constraint.formulas.suffix(1) + way.formulas, way.truths)
    }
    let inside = wayInside(
      from: way.cells[0], to: [reading.cell],
      through: regions.flatMap { Array($0.constraints) } + [constraint])
    throw cycle(
      inside.cells + way.cells, through: [reading.formula] + inside.formulas + way.formulas,
      way.truths)
  }

  /// Refuses a region that determines a cell that one of its own formulas reads besides those it joins.
  ///
  /// `regions` become one with the constraint. A formula's dynamic inputs below a region raise the level of
  /// the region: with such a cycle there would be no end of that.
  ///
  /// - Returns: whether such a cycle was due to regions that were kept together and need not be, so that
  ///   they have to be looked at anew.
  /// - Throws: a failure that names the cycle.
  /// - Complexity: O(1) where no formula of the regions has dynamic inputs, or the new cells of a region
  ///   have no readers; else O(the regions and their dependents).
  func hasCycle(
    throughReadsOf regions: [Region], _ constraint: Constraint
  ) throws(Failure) -> Bool {
    let own = constraint.formulas.flatMap(\.dynamicInputs)
    var starts = constraint.cells.filter { cell in !regions.contains { $0 === self[cell].region } }
    var reads: [CellID] = []
    if regions.contains(where: \.hasReads),
      regions.count > 1 || starts.contains(where: { self[$0].hasReaders })
    {
      for region in regions where region.hasReads {
        for formula in region.constraints.flatMap(\.formulas) {
          try refuseComputing(constantsOf: formula, for: constraint, among: regions)
          reads += formula.dynamicInputs
        }
      }
    }
    func isMember(_ cell: CellID) -> Bool {
      let region = self[cell].region
      return constraint.cells.contains(cell) || regions.contains { $0 === region }
    }
    let targets = Set(own + reads).filter { cell in
      (self[cell].hasOwner || self[cell].region != nil) && !isMember(cell)
    }
    if targets.isEmpty { return false }
    if regions.count > 1 || !own.isEmpty { starts += regions.flatMap(\.cells).sorted() }
    guard let way = way(from: starts, to: targets) else { return false }
    if separateSplitRegions() { return true }
    throw cycle(way.cells, through: constraint.formulas.suffix(1) + way.formulas, way.truths)
  }

  /// Refuses a constraint whose region would compute a cell that an equation takes as a constant beside it.
  private func refuseComputing(
    constantsOf formula: Formula, for constraint: Constraint, among regions: [Region]
  ) throws(Failure) {
    guard let equation = formula.equation else { return }
    let own = formula.constraint?.region
    let computed = equation.form.constants.first { cell in
      constraint.cells.contains(cell)
        || regions.contains { $0 !== own && $0 === self[cell].region }
    }
    guard let computed else { return }
    throw cycle([computed], through: constraint.formulas.suffix(1) + [formula])
  }

  /// A path through the graph, with the formulas and connections on it, from the last cell to the first.
  struct Way {
    var cells: [CellID]
    var formulas: [Formula] = []
    /// The connections passed of which one place is the source of truth.
    var truths: [Connection] = []
  }

  /// The cell before another one on the path, with the formula or connection between them.
  private struct Step {
    let cell: CellID
    var formula: Formula?
    var truth: Connection?
  }

  /// Returns a path from some cells to others, along formulas, through regions, and both ways between a
  /// source of truth and the places that show it; `without`: but for this connection.
  ///
  /// Dependents of a cell stand at its level or above it, so that cells above all targets need not be
  /// followed; truths have no levels. The search goes from both ends in turns, so that the smaller side
  /// ends it: connecting inputs after their readers costs no long search.
  /// - Complexity: O(dependents of the starts that stand no higher), or O(dependencies of the targets), if
  ///   that is less and there are no truths.
  ///
  /// The path that is found does not depend on the order in which sets have their members: messages are the
  /// same in each run.
  func way(
    from starts: [CellID], to targets: Set<CellID>, without barred: Connection? = nil
  ) -> Way? {
    guard search(from: starts, to: targets, without: barred, inOrder: false) != nil else {
      return nil
    }
    return search(from: starts, to: targets, without: barred, inOrder: true)
  }

  private func search(
    from starts: [CellID], to targets: Set<CellID>, without barred: Connection?, inOrder: Bool
  ) -> Way? {
    let hasTruths = watchers.observers.truthCount > 0
    let highest = hasTruths ? Int.max : targets.map { level(of: $0) }.max() ?? -1
    var cameFrom: [CellID: Step] = [:]
    var visited: Set<CellID> = []
    var regions: Set<ObjectIdentifier> = []
    var stack = inOrder ? starts.sorted() : starts
    var upstream: Upstream?
    while let cell = stack.popLast() {
      guard level(of: cell) <= highest, visited.insert(cell).inserted else { continue }
      regionWork.structuralWork += 1
      if targets.contains(cell) { return trace(cell, cameFrom) }
      // Most searches are over by then.
      if visited.count == 8, !hasTruths, !inOrder { upstream = Upstream(of: targets, from: starts) }
      if upstream?.isSeparate(in: self, afterVisiting: visited.count) ?? false { return nil }
      let first = stack.count
      for reader in self[cell].readers where !visited.contains(reader.output) {
        cameFrom[reader.output] = Step(cell: cell, formula: reader)
        stack.append(reader.output)
      }
      if inOrder { stack[first...].sort() }
      if hasTruths {
        for (truth, partner) in truths(of: cell)
        where truth != barred && !visited.contains(partner) {
          cameFrom[partner] = Step(cell: cell, truth: truth)
          stack.append(partner)
        }
      }
      guard let region = self[cell].region, regions.insert(ObjectIdentifier(region)).inserted else {
        continue
      }
      let firstMember = stack.count
      for member in region.cells where !visited.contains(member) {
        cameFrom[member] = Step(cell: cell)
        stack.append(member)
      }
      if inOrder { stack[firstMember...].sort() }
    }
    return nil
  }

  /// The dependencies of some cells, as far as they were searched: the other end of the search for a path.
  private struct Upstream {
    private var visited: Set<CellID>
    private var stack: [CellID]
    private var regions: Set<ObjectIdentifier> = []
    private let starts: Set<CellID>
    private var work = 0
    private var meets = false

    init(of targets: Set<CellID>, from starts: [CellID]) {
      visited = targets
      stack = Array(targets)
      self.starts = Set(starts)
    }

    /// Goes on for about as long as the search from the other end has.
    ///
    /// - Returns: whether all dependencies were searched and none of them is where the other search began.
    mutating func isSeparate(in graph: ConnectionGraph, afterVisiting count: Int) -> Bool {
      while !meets, work < count {
        guard let cell = stack.popLast() else { return true }
        work += 1
        graph.regionWork.structuralWork += 1
        if starts.contains(cell) { meets = true }
        if let owner = graph[cell].owner { add(owner.inputs) }
        guard let region = graph[cell].region, regions.insert(ObjectIdentifier(region)).inserted
        else { continue }
        work += region.constraints.count
        add(region.cells)
        for formula in region.constraints.flatMap(\.formulas) { add(formula.inputs) }
      }
      return false
    }

    private mutating func add(_ cells: some Sequence<CellID>) {
      for cell in cells where visited.insert(cell).inserted { stack.append(cell) }
    }
  }

  private func trace(_ end: CellID, _ cameFrom: [CellID: Step]) -> Way {
    var way = Way(cells: [end])
    var cell = end
    var seen: Set<CellID> = [end]
    while let before = cameFrom[cell], seen.insert(before.cell).inserted {
      if let formula = before.formula {
        way.formulas.append(formula)
      } else if let truth = before.truth {
        way.truths.append(truth)
      } else {
        let inside = wayInside(from: before.cell, to: [cell])
        way.cells += inside.cells.dropFirst()
        way.formulas += inside.formulas
      }
      way.cells.append(before.cell)
      cell = before.cell
    }
    return way
  }

  /// Returns a path from a cell to one of others through the constraints of its region, from its end back
  /// to the cell, which is left out.
  ///
  /// - Complexity: O(the region).
  func wayInside(
    from start: CellID, to targets: Set<CellID>
  ) -> (cells: [CellID], formulas: [Formula]) {
    guard let region = self[start].region else { return ([], []) }
    return wayInside(from: start, to: targets, through: Array(region.constraints))
  }

  private func wayInside(
    from start: CellID, to targets: Set<CellID>, through constraints: [Constraint]
  ) -> (cells: [CellID], formulas: [Formula]) {
    if targets.contains(start) { return ([], []) }
    var leading: [CellID: [(cell: CellID, formula: Formula)]] = [:]
    for constraint in constraints.inStatementOrder {
      for formula in constraint.formulas {
        let isEquation = formula.equation != nil
        for input in formula.inputs {
          leading[input, default: []].append((formula.output, formula))
          if isEquation { leading[formula.output, default: []].append((input, formula)) }
        }
      }
    }
    var cameFrom: [CellID: (cell: CellID, formula: Formula)] = [:]
    var queue = [start]
    var next = 0
    while next < queue.count {
      let cell = queue[next]
      next += 1
      for step in leading[cell] ?? [] where step.cell != start && cameFrom[step.cell] == nil {
        cameFrom[step.cell] = (cell, step.formula)
        queue.append(step.cell)
        guard targets.contains(step.cell) else { continue }
        var cells: [CellID] = []
        var formulas: [Formula] = []
        var end = step.cell
        while end != start, let before = cameFrom[end] {
          cells.append(end)
          formulas.append(before.formula)
          end = before.cell
        }
        return (cells, formulas)
      }
    }
    return ([], [])
  }

  /// Returns the failure for a cycle, its cells from the last to the first.
  func cycle(
    _ way: [CellID], through formulas: [Formula], _ truths: [Connection] = []
  ) -> Failure {
    var names = withNames { way.map { displayName(of: $0) } }
    if let last = formulas.first.map({ displayName(of: $0.output) }), names.first != last {
      names.insert(last, at: 0)
    }
    if names.count == 1 || names.first != names.last { names.append(names[0]) }
    return .cycle(names, (formulas.map(\.connection) + truths).withoutRepetitions)
  }
}

extension Array where Element == Constraint {
  /// The constraints in the order of their statements.
  var inStatementOrder: [Constraint] {
    sorted { ($0.firstFormula?.order ?? 0, $0.number) < ($1.firstFormula?.order ?? 0, $1.number) }
  }
}

extension Array where Element: AnyObject {
  /// Returns the elements without repetitions, in order.
  func unique() -> [Element] {
    var seen: Set<ObjectIdentifier> = []
    return filter { seen.insert(ObjectIdentifier($0)).inserted }
  }
}
