internal import TenonSolverKit

// Equations in the order of what determines what: where a message in one of them reads a place that
// others solve for together with it, these take the place as a constant, and what determines it comes
// before.

extension ConnectionGraph {
  /// The equations around some formulas that would have to take places as constants, for these to be in
  /// force.
  ///
  /// The places that messages read, and those that equations of two places make the same variable, are
  /// taken out. What is then still connected with the results of the messages comes after them.
  ///
  /// - Returns: the connections with the cells that are constants there; nil where the formulas close no
  ///   cycle through what messages read, or one that remains.
  /// - Complexity: O(the regions and what determines their cells).
  func freezing(for added: [Formula]) -> [(connection: Connection, cells: Set<CellID>)]? {
    guard let parts = EquationParts(around: added, in: self) else { return nil }
    let read = parts.equations.reduce(into: Set<CellID>()) { $0.formUnion($1.read) }
    if read.isEmpty { return nil }
    return parts.freezing(parts.sameVariables(as: read))
  }

  /// The connections that take places as constants which a connection reads: they need not when it is
  /// gone.
  ///
  /// - Complexity: O(what determines what it reads, and the regions of that).
  func freezing(becauseOf connection: Connection) -> [Connection] {
    var stack = connection.formulas.filter { $0.equation == nil && $0.constraint?.region == nil }
      .flatMap(\.inputs)
    var read: Set<CellID> = []
    while let cell = stack.popLast() {
      guard read.insert(cell).inserted else { continue }
      stack += owner(of: cell)?.inputs ?? []
      guard let region = self[cell].region else { continue }
      // What is the same variable has been taken with it.
      for constraint in region.constraints where constraint.cells.contains(cell) {
        if constraint.cells.count == 2, constraint.equation != nil { stack += constraint.cells }
      }
    }
    return freezing(read, but: connection)
  }

  /// The connections, but for one, that take some of these places as constants.
  func freezing(_ cells: Set<CellID>, but connection: Connection) -> [Connection] {
    replanning.frozenConnections.compactMap { connections[Int($0)] }.withoutRepetitions.filter {
      each in
      each != connection && each.plan?.linear?.frozen.isEmpty == false
        && each.formulas.contains {
          $0.equation != nil && !cells.isDisjoint(with: $0.dynamicInputs)
        }
    }
  }
}

/// Equations that share places, and what messages in them read.
private struct EquationParts {
  struct Part {
    let formula: Formula
    /// The places that it is about and that no formula of one direction determines.
    let cells: [CellID]
    /// Those of all equations that its constants follow from.
    var read: Set<CellID> = []
  }

  private(set) var equations: [Part] = []
  var places: [CellID: [Int]] = [:]

  /// - Returns: nil where other constraints than equations are among those around.
  init?(around added: [Formula], in graph: ConnectionGraph) {
    var inputs: [CellID: [CellID]] = [:]
    var touched: Set<CellID> = []
    for formula in added {
      touched.formUnion(formula.inputs + [formula.output])
      if formula.equation == nil { inputs[formula.output] = formula.inputs }
    }
    let regions = touched.sorted().compactMap { graph[$0].region }.unique()
    let constraints = regions.flatMap { Array($0.constraints) }
    guard constraints.allSatisfy({ $0.equation != nil }) else { return nil }
    func isDetermined(_ cell: CellID) -> Bool { inputs[cell] != nil || graph[cell].hasOwner }
    var members: Set<CellID> = []
    // What the constants of each follow from: these, and what determines some of its places.
    var sources: [[CellID]] = []
    let old = constraints.compactMap { constraint in
      constraint.firstFormula.map { ($0, constraint.cells, $0.dynamicInputs) }
    }
    let new = added.compactMap { formula in
      formula.equation.map { (formula, $0.form.cells, $0.form.constants) }
    }
    for (formula, all, constants) in old + new {
      let cells = all.filter { !isDetermined($0) }
      for cell in cells { places[cell, default: []].append(equations.count) }
      members.formUnion(cells)
      equations.append(Part(formula: formula, cells: cells))
      sources.append(
        cells.count == all.count ? constants : all.filter(isDetermined) + constants)
    }
    // What is known to follow from none of the places.
    var others: Set<CellID> = []
    for index in equations.indices where !sources[index].isEmpty {
      var found: Set<CellID> = []
      var visited: Set<CellID> = []
      var stack = sources[index]
      while let cell = stack.popLast() {
        guard !others.contains(cell), visited.insert(cell).inserted else { continue }
        if members.contains(cell) {
          found.insert(cell)
        } else if let inputs = inputs[cell] ?? graph[cell].owner?.inputs {
          stack += inputs
        } else if let region = graph[cell].region {
          stack += region.pinned
          for constraint in region.constraints {
            stack += constraint.formulas.flatMap(\.dynamicInputs)
          }
        }
      }
      equations[index].read = found
      if found.isEmpty { others.formUnion(visited) }
    }
  }

  /// Some places and those that equations of two make the same variable.
  func sameVariables(as start: Set<CellID>) -> Set<CellID> {
    var found = start
    var queue = start.sorted()
    while let cell = queue.popLast() {
      for index in places[cell] ?? [] {
        let part = equations[index]
        guard part.cells.count == 2, part.read.isEmpty, part.formula.equation?.relation == .equal,
          part.formula.connection.strength == .required
        else { continue }
        for other in part.cells where found.insert(other).inserted { queue.append(other) }
      }
    }
    return found
  }

  /// The equations that come after what messages read, with what they take as constants; nil where
  /// nothing would be left of one, not even the left side of an inequality, which is to move, or of none
  /// anything would change.
  func freezing(_ held: Set<CellID>) -> [(connection: Connection, cells: Set<CellID>)]? {
    var queue = equations.indices.filter { !equations[$0].read.isEmpty }
    var later = Set(queue)
    while let index = queue.popLast() {
      let open = equations[index].cells.filter { !held.contains($0) }
      if open.isEmpty { return nil }
      for cell in open {
        for other in places[cell] ?? [] where later.insert(other).inserted { queue.append(other) }
      }
    }
    let isLost = later.contains { index in
      let formula = equations[index].formula
      return formula.equation?.relation != .equal && held.contains(formula.output)
    }
    if isLost { return nil }
    let affected = later.sorted().compactMap { index in
      let cells = held.intersection(equations[index].cells)
      return cells.isEmpty ? nil : (equations[index].formula.connection, cells)
    }
    return affected.isEmpty ? nil : affected
  }
}
