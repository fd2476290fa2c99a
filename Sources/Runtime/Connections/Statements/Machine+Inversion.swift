internal import TenonSolverKit

// Connections both ways with a formula on the right.

extension Machine {
  /// Returns the operands of a message that the program has declared inverses for.
  func declaredInverses(of selector: String) -> Set<Int> { connections.inverses[selector] ?? [] }

  /// Makes the formulas of `a =|= formula`: the formula, and an inverse for each place that can be computed,
  /// all of them directions of one constraint.
  func joinInverse(
    _ connection: Connection, _ left: CellID, reads: [CellID], names: [String], backs: [Place?],
    blocks: Value, beginningWith side: AimedSide?
  ) throws(Failure) {
    let blocks = ObjectRef(blocks)
    try refuseSilent(left, for: connection)
    guard !reads.contains(left) else { throw .joinsItself(graph.displayName(of: left)) }
    var missing: Formula?
    var formulas: [Formula] = []
    var keys = lifetimeOwners(target: graph[left].place, reads: [])
    for (index, place) in backs.enumerated() {
      guard let place else { continue }
      keys += self.lifetimeOwners(target: place, reads: [])
      let cell = graph.cell(for: place, name: name(of: place))
      let formula = graph.makeFormula(
        of: connection, output: cell, inputs: [left] + reads.filter { $0 != cell },
        source: .block(blocks[element: index + 1]))
      formula.isInverse = true
      if missing == nil, isMissing(cell) { missing = formula } else { formulas.append(formula) }
      // Reading it may have ended the connection.
      guard connection.status == .active else { return }
    }
    connection.lifetimeOwners = connection.keptOwners ?? keys
    let forward = graph.makeFormula(
      of: connection, output: left, inputs: reads, source: .block(blocks[element: 0]))
    forward.takeText(readNames: names)
    // The inputs of the last formula win at the start: the right side, unless a value is missing there
    // that the left one can make up for; later the side that leads elsewhere.
    if side == .left {
      try graph.add(formulas + [missing, forward].compactMap { $0 }, origin: left)
    } else if side == nil, let missing, !isMissing(left) {
      try graph.add(formulas + [forward, missing], origin: nil)
    } else {
      try graph.add(formulas + [missing, forward].compactMap { $0 }, origin: nil)
    }
  }
}
