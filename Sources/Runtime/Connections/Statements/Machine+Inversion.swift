internal import TenonSolverKit

// Connections both ways with a formula on the right.

extension Machine {
  /// Returns the operands of a message that the program has declared inverses for.
  func declaredInverses(of selector: String) -> Set<Int> { connections.inverses[selector] ?? [] }

  /// Makes the formulas of `a =|= formula`: the formula, and an inverse for each place that can be computed,
  /// all of them directions of one constraint.
  func joinInverse(
    _ connection: Connection, _ plan: ConnectionSpec, _ left: CellID, reads: [CellID],
    names: [String],
    backs: [Place?], blocks: Value, beginningWith side: AimedSide?
  ) throws(Failure) {
    let blocks = ObjectRef(blocks)
    try refuseSilent(left, for: connection)
    guard !reads.contains(left) else { throw .joinsItself(graph.displayName(of: left)) }
    if try joinHoles(connection, plan, left, backs: backs, blocks: blocks, side) { return }
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
    if plan.ways?.problem != nil {
      // A solver of the program's own finds the formula that can be run first.
      let rest = [missing].compactMap { $0 }
      return try graph.add([forward] + formulas + rest, origin: nil)
    }
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

  /// Makes a constraint of each part of a text with several places: all of them follow from the text when it
  /// is written.
  ///
  /// - Returns: whether it is such a text, and its parts can be written independently of each other; else
  ///   nothing has changed.
  private func joinHoles(
    _ connection: Connection, _ plan: ConnectionSpec, _ left: CellID, backs: [Place?],
    blocks: ObjectRef, _ side: AimedSide?
  ) throws(Failure) -> Bool {
    let places = backs.compactMap { $0 }
    guard let holes = plan.ways?.holes, !holes.isEmpty, places.count == backs.count else {
      return false
    }
    let cells = places.map { graph.cell(for: $0, name: name(of: $0)) }
    // Where other formulas determine all of a part, it is a constant of the rest.
    let areFree = holes.allSatisfy { hole in
      hole.ways.contains { !graph[cells[$0.back]].hasOwner }
    }
    guard areFree, Set(cells).count == cells.count, !cells.contains(left) else { return false }
    let isAnyMissing = cells.contains { isMissing($0) }
    let wantsLeft = isAnyMissing || plan.ways?.beginsWithText ?? false
    let beginsLeft = side == .left || side == nil && wantsLeft && !isMissing(left)
    // Reading them may have ended the connection.
    guard connection.status == .active else { return true }
    let owners =
      lifetimeOwners(target: graph[left].place, reads: [])
      + places.flatMap { lifetimeOwners(target: $0, reads: []) }
    connection.lifetimeOwners = connection.keptOwners ?? owners
    do throws(Failure) {
      for hole in holes {
        let own = hole.ways.map { cells[$0.back] }
        let inverses = hole.ways.map { way in
          let formula = graph.makeFormula(
            of: connection, output: cells[way.back],
            inputs: [left] + own.filter { $0 != cells[way.back] },
            source: .block(blocks[element: way.block]))
          formula.isInverse = true
          return formula
        }
        let forward = graph.makeFormula(
          of: connection, output: left, inputs: own, source: .block(blocks[element: hole.forward]))
        forward.takeText(readNames: hole.ways.map { plan.backs[$0.back].name })
        if beginsLeft {
          let first = inverses.first { isMissing($0.output) } ?? inverses[0]
          let rest = inverses.filter { $0 != first }
          try graph.add(
            rest + (side == .left ? [first, forward] : [forward, first]),
            origin: side == .left ? left : nil)
        } else {
          try graph.add(inverses + [forward], origin: nil)
        }
      }
    } catch {
      guard error.errorClass == .constraintError, !error.isUnwinding, !plan.hasPaths else {
        throw error
      }
      graph.dissolve(connection)
      return false
    }
    return true
  }
}
