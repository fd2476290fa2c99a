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
}

extension ConnectionGraph {
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
  fileprivate func freezing(_ cells: Set<CellID>, but connection: Connection) -> [Connection] {
    frozenConnections.compactMap { connections[Int($0)] }.withoutRepetitions.filter { each in
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
  private var places: [CellID: [Int]] = [:]

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

extension Machine {
  /// Connections in the order in which they are taken into force, with the plans that they have then.
  private typealias Order = [(connection: Connection, plan: ConnectionSpec)]

  /// Takes a connection into force that closes a cycle through what equations take as constants, by having
  /// equations take less as constants, or more.
  ///
  /// - Returns: false when that is not what stands against it, or does not help; nothing has changed then
  ///   but that the formulas of the connection are gone.
  ///
  /// `contradiction`: what has turned out to contradict the connection, if that is why.
  func establishOtherwise(
    _ connection: Connection, _ plan: ConnectionSpec, _ contradiction: inout Failure?
  ) -> Bool {
    guard connection.status == .active, !graph.isSettling, graph.runningNumber < 0,
      !graph.isUnwinding, !graph.isReplanning
    else { return false }
    // What a formula of the connection's own has come to is gone when the first has been tried.
    let sums = solvingAsSums(around: connection, plan)
    let orders = [
      solvingForFrozen(of: connection, plan), freezingReads(of: connection, plan), sums,
    ]
    for order in orders.compactMap({ $0 }) {
      do throws(Failure) {
        try graph.keepingCells { () throws(Failure) in try establish(order, for: connection) }
      } catch {
        if error.isContradiction { contradiction = error }
        continue
      }
      let concerned = Set(order.map(\.connection.id))
      graph.frozenConnections.removeAll { concerned.contains($0) }
      graph.frozenConnections += order.filter { $0.plan.linear?.frozen.isEmpty == false }.map(
        \.connection.id)
      return true
    }
    return false
  }

  /// The order in which equations solve for what they have taken as constants and a connection would have
  /// solved for; nil where there is none of that.
  private func solvingForFrozen(of connection: Connection, _ plan: ConnectionSpec) -> Order? {
    if graph.frozenConnections.isEmpty { return nil }
    let cells = Set(connection.formulas.flatMap(\.variables))
    let freed = graph.freezing(cells, but: connection).compactMap { each in
      each.plan.map { plan in
        var plan = plan
        plan.linear?.frozen = []
        return (connection: each, plan: plan)
      }
    }
    return freed.isEmpty ? nil : [(connection, plan)] + freed
  }

  /// The order in which formulas of several directions around a connection that are no sums by themselves,
  /// but are with what one-way connections determine as constants, are solved as sums with it; nil where
  /// there is none of them.
  private func solvingAsSums(around connection: Connection, _ plan: ConnectionSpec) -> Order? {
    let cells = Set(connection.formulas.flatMap(\.variables))
    let regions = cells.sorted().compactMap { graph[$0].region }.unique()
    var order: Order = [(connection, plan)]
    for constraint in regions.flatMap({ Array($0.constraints) }) {
      guard constraint.equation == nil, graph.linearForm(of: constraint) == nil else { continue }
      for other in constraint.formulas.map(\.connection).withoutRepetitions
      where other != connection {
        guard var changed = other.plan, let sum = changed.otherwise, changed.solver == nil,
          changed.requestedSolver == nil, other.observer == nil, other.tolerance == nil
        else { return nil }
        changed.linear = sum
        if !order.contains(where: { $0.connection == other }) { order.append((other, changed)) }
      }
    }
    return order.count > 1 ? order : nil
  }

  /// The order in which equations take as constants what messages in them read; nil where there is
  /// nothing of that.
  private func freezingReads(of connection: Connection, _ plan: ConnectionSpec) -> Order? {
    guard let affected = graph.freezing(for: connection.formulas) else { return nil }
    var order: Order = []
    for (each, cells) in affected {
      guard let known = each == connection ? plan : each.plan,
        let held = freezing(cells, in: known)
      else { return nil }
      order.append((each, held))
    }
    if !order.contains(where: { $0.connection == connection }) { order.append((connection, plan)) }
    // The last one is that which was refused.
    order.sort { $1.connection == connection && $0.connection != connection }
    return order
  }

  /// Takes a connection, and others with other plans than before, into force in an order: all or none.
  private func establish(_ order: Order, for connection: Connection) throws(Failure) {
    let plan = connection.plan
    let runs = order.map { graph.runs(of: $0.connection) }
    let satisfied = Set(order.map(\.connection).filter { state(of: $0) == "satisfied" })
    let old: Order = order.compactMap { each in
      each.connection == connection ? nil : each.connection.plan.map { (each.connection, $0) }
    }
    let root = roots.count
    defer { dropRoots(to: root) }
    // Getters run while some are not in force.
    for (_, known) in old { known.forEachValue { roots.append($0) } }
    graph.isReplanning = true
    defer { graph.isReplanning = false }
    graph.dissolve(connection)
    for (each, _) in old { graph.dissolve(each) }
    do throws(Failure) {
      for (each, changed) in order {
        each.plan = changed
        try establishAsItStands(each, changed)
        // What holds already need not follow.
        if each != connection { graph.scheduledFormulas.removeAll { $0.connection == each } }
      }
    } catch {
      for (each, _) in order { graph.dissolve(each) }
      connection.plan = plan
      graph.isGivingBack = true
      defer { graph.isGivingBack = false }
      for (each, known) in old {
        each.plan = known
        try? establishAsItStands(each, known)
        graph.scheduledFormulas.removeAll { $0.connection == each }
      }
      // What they say holds as it did, or has failed as it had.
      for ((each, _), before) in zip(order, runs) where each != connection {
        graph.giveBack(before, to: each)
        // A solver of sums need not have run any of its formulas.
        guard satisfied.contains(each), state(of: each) == "waiting" else { continue }
        for formula in each.formulas where formula.state == .waiting { formula.state = .satisfied }
      }
      throw error
    }
  }

  /// A plan in which some places count as constants; nil for one that is no equation of its own.
  private func freezing(_ cells: Set<CellID>, in plan: ConnectionSpec) -> ConnectionSpec? {
    guard var linear = plan.linear else { return nil }
    for (index, leaf) in linear.leaves.enumerated() {
      guard let place = leaf.operand.flatMap({ aim($0.place).place }),
        let cell = graph.cellsByPlace[place], cells.contains(cell)
      else { continue }
      linear.frozen.insert(index)
    }
    var plan = plan
    plan.linear = linear
    return plan
  }

  /// Ends a connection, or suspends it, and has equations solve again for what they have taken as
  /// constants because of it.
  func end(_ connection: Connection, by ending: (Connection) -> Void) {
    guard !graph.frozenConnections.isEmpty, !graph.isSettling, connection.status == .active else {
      return ending(connection)
    }
    let holding = graph.freezing(becauseOf: connection)
    ending(connection)
    graph.frozenConnections.removeAll { number in
      holding.contains { $0.id == number } || graph.connections[Int(number)] == nil
    }
    var plans: [(connection: Connection, plan: ConnectionSpec)] = []
    for each in holding where each.status == .active {
      guard var plan = each.plan else { continue }
      plan.linear?.frozen = []
      plans.append((each, plan))
    }
    let root = roots.count
    defer { dropRoots(to: root) }
    for (_, plan) in plans { plan.forEachValue { roots.append($0) } }
    graph.keepingCells {
      for (each, plan) in plans {
        graph.dissolve(each)
        each.plan = plan
      }
      for (each, plan) in plans {
        // What it says was in force with these, and can be again.
        try? establish(each, plan)
        graph.scheduledFormulas.removeAll { $0.connection == each }
      }
    }
  }
}
