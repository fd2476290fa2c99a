// Ways through the graph, and the refusal of those that come back to where they began.

extension ConnectionGraph {
  /// Refuses a formula whose result is needed to compute it.
  ///
  /// - Complexity: O(what depends on the result, and the regions of the inputs).
  func refuseCycle(
    from output: CellID, to inputs: [CellID], through formula: Formula
  ) throws(Failure) {
    var targets = Set(inputs)
    for input in inputs { if let region = self[input].region { targets.formUnion(region.cells) } }
    if let way = way(from: [output], to: targets) {
      if separateLooseRegions() {
        return try refuseCycle(from: output, to: inputs, through: formula)
      }
      throw cycle(way.cells, through: [formula] + way.formulas)
    }
  }

  /// Refuses a region that something it determines determines in turn.
  ///
  /// `regions` become one with the constraint; something outside determines their pinned cells, and
  /// `pins` of the constraint's.
  ///
  /// - Throws: a failure that names the way around.
  /// - Complexity: O(cells that come to a region and what depends on them), if what determines those
  ///   stands below the region, and O(pinned cells) if something reads them; else O(the region and
  ///   what depends on it).
  func refuseCycle(
    around regions: [Region], pins: [CellID], _ constraint: Constraint
  ) throws(Failure) {
    var members = Set(constraint.cells)
    if regions.count == 1, let region = regions.first {
      // The region alone has no cycle. What it determines stands at its level or above.
      members = members.filter { self[$0].region !== region }
      let highest = members.filter { self[$0].hasOwner }.map { level(of: $0) }.max() ?? -1
      if highest >= region.level { members.formUnion(region.cells) }
    } else {
      for region in regions { members.formUnion(region.cells) }
    }
    let outside = members.flatMap { self[$0].readers.map(\.output) }
    if outside.isEmpty { return }
    let pinned = regions.reduce(into: Set(pins)) { $0.formUnion($1.pinned) }
    if let way = way(from: outside, to: pinned) {
      throw cycle(way.cells, through: constraint.formulas.suffix(1) + way.formulas)
    }
  }

  /// A way from some cells to others, along formulas and through regions.
  ///
  /// What depends on a cell stands at its level or above it, so that what stands above all that is
  /// looked for need not be followed.
  /// - Complexity: O(what depends on the cells and stands no higher).
  func way(
    from starts: [CellID], to targets: Set<CellID>
  ) -> (cells: [CellID], formulas: [Formula])? {
    let highest = targets.map { level(of: $0) }.max() ?? -1
    var cameFrom: [CellID: (cell: CellID, formula: Formula?)] = [:]
    var visited: Set<CellID> = []
    var regions: Set<ObjectIdentifier> = []
    var stack = starts
    while let cell = stack.popLast() {
      guard level(of: cell) <= highest, visited.insert(cell).inserted else { continue }
      structuralWork += 1
      if targets.contains(cell) { return trace(cell, cameFrom) }
      for reader in self[cell].readers where !visited.contains(reader.output) {
        cameFrom[reader.output] = (cell, reader)
        stack.append(reader.output)
      }
      guard let region = self[cell].region, regions.insert(ObjectIdentifier(region)).inserted else {
        continue
      }
      for member in region.cells where !visited.contains(member) {
        cameFrom[member] = (cell, nil)
        stack.append(member)
      }
    }
    return nil
  }

  private func trace(
    _ end: CellID, _ cameFrom: [CellID: (cell: CellID, formula: Formula?)]
  ) -> (cells: [CellID], formulas: [Formula]) {
    var cells = [end]
    var formulas: [Formula] = []
    var cell = end
    while let before = cameFrom[cell], cells.count <= cameFrom.count {
      if let formula = before.formula { formulas.append(formula) }
      cells.append(before.cell)
      cell = before.cell
    }
    return (cells, formulas)
  }

  /// The failure for a cycle, its cells from the last to the first.
  func cycle(_ way: [CellID], through formulas: [Formula]) -> Failure {
    var names = way.map { self[$0].name }
    if let last = formulas.first, names.first != self[last.output].name {
      names.insert(self[last.output].name, at: 0)
    }
    if names.count == 1 || names.first != names.last { names.append(names[0]) }
    return .cycle(names, formulas.map(\.connection).withoutRepetitions)
  }
}

extension Array where Element: AnyObject {
  /// The elements without repetitions, in order.
  func unique() -> [Element] {
    var seen: Set<ObjectIdentifier> = []
    return filter { seen.insert(ObjectIdentifier($0)).inserted }
  }
}
