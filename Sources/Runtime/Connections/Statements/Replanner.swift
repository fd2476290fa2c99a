internal import TenonAnalysis
internal import TenonSolverKit
internal import TenonTables

// Taking statements into force: as they are said, or else with other specifications for them and for what stands
// beside them.

/// What connections are to say from now on, in the order in which they come into force: all or none of it.
struct Revision {
  struct Entry {
    let connection: Connection
    let spec: ConnectionSpec
    let role: Role
  }

  enum Role {
    /// It is what all this is for, and is in force only if all of it is.
    case added
    /// The program gives it another specification.
    case changed
    /// It makes room for others: what it says holds already.
    case adjusted
  }

  var entries: [Entry] = []

  mutating func append(_ connection: Connection, _ spec: ConnectionSpec, _ role: Role) {
    entries.append(Entry(connection: connection, spec: spec, role: role))
  }
}

/// Finds what else can be in force where a statement is refused.
struct Replanner {
  unowned let machine: Machine

  private var graph: ConnectionGraph { machine.graph }

  // MARK: Alternatives

  /// What else is to be tried where a connection with a specification was refused.
  func alternatives(
    to connection: Connection, _ plan: ConnectionSpec, after refusal: Failure
  ) -> [Alternative] {
    // What a formula of the connection's own has come to is gone when the first has been tried.
    revisions(around: connection, plan, after: refusal).map { revision in
      Alternative(
        attempt: { () throws(Failure) in try replan(revision) }, tellsMore: \.isContradiction)
    } + [awaitingInverse(connection, plan, after: refusal)]
  }

  /// The revisions with which a connection may come into force that closes a cycle through what equations take as
  /// constants: equations take less as constants, or more, or the formulas around it are solved as sums.
  private func revisions(
    around connection: Connection, _ plan: ConnectionSpec, after refusal: Failure
  ) -> [Revision] {
    guard refusal.concernsSolvers, connection.status == .active, !graph.isSettling,
      graph.runningNumber < 0, !graph.replanning.isReplanning
    else { return [] }
    return [
      solvingForFrozen(of: connection, plan), freezingReads(of: connection, plan),
      solvingAsSums(around: connection, plan),
    ].compactMap { $0 }
  }

  /// The alternative of a formula that cannot be in force at present: to wait for the statements that follow, which
  /// may bring another direction of it, or of a conflicting constraint.
  private func awaitingInverse(
    _ connection: Connection, _ plan: ConnectionSpec, after refusal: Failure
  ) -> Alternative {
    Alternative(
      prepare: { _ in
        // Code that ran for a revision may have ended the connection.
        graph.connecting.batchDepth > 0 && refusal.errorClass == .constraintError
          && !refusal.isUnwinding && connection.status == .active && !graph.isSettling
          && plan.strength == .required && plan.requestedSolver == nil && plan.solver == nil
          && plan.linear == nil && plan.other == nil
      },
      attempt: { () throws(Failure) in
        graph.dissolve(connection)
        graph.replanning.mayContest = true
        defer { graph.replanning.mayContest = false }
        try machine.establishAsItStands(connection, plan)
      },
      tellsMore: { _ in true })
  }

  /// The alternative of a connection both ways that is a sum of places: it is solved as that.
  func asSum(
    _ connection: Connection, _ plan: ConnectionSpec, _ sum: LinearPlan,
    tellsMore: @escaping (Failure) -> Bool
  ) -> Alternative {
    Alternative(
      attempt: { () throws(Failure) in
        graph.dissolve(connection)
        try machine.establish(connection, plan, sum)
      },
      tellsMore: tellsMore)
  }

  /// The revision in which equations solve for what they have taken as constants and a connection would have
  /// solved for; nil where there is none of that.
  private func solvingForFrozen(of connection: Connection, _ plan: ConnectionSpec) -> Revision? {
    if graph.replanning.frozenConnections.isEmpty { return nil }
    let cells = Set(connection.formulas.flatMap(\.variables))
    var revision = Revision()
    revision.append(connection, plan, .added)
    revision.releaseFrozen(of: graph.freezing(cells, but: connection))
    return revision.entries.count > 1 ? revision : nil
  }

  /// The revision in which formulas of several directions around a connection that are no sums by themselves, but
  /// are with what one-way connections determine as constants, are solved as sums with it; nil where there is
  /// none of them.
  private func solvingAsSums(around connection: Connection, _ plan: ConnectionSpec) -> Revision? {
    let cells = Set(connection.formulas.flatMap(\.variables))
    let regions = cells.sorted().compactMap { graph[$0].region }.unique()
    var revision = Revision()
    revision.append(connection, plan, .added)
    for constraint in regions.flatMap({ Array($0.constraints) }) {
      guard constraint.equation == nil, graph.linearForm(of: constraint) == nil else { continue }
      for other in constraint.formulas.map(\.connection).withoutRepetitions
      where other != connection {
        guard var changed = other.plan, let sum = changed.otherwise, changed.solver == nil,
          changed.requestedSolver == nil, other.observer == nil, other.tolerance == nil
        else { return nil }
        changed.linear = sum
        if !revision.entries.contains(where: { $0.connection == other }) {
          revision.append(other, changed, .adjusted)
        }
      }
    }
    return revision.entries.count > 1 ? revision : nil
  }

  /// The revision in which equations take as constants what messages in them read; nil where there is nothing of
  /// that.
  private func freezingReads(of connection: Connection, _ plan: ConnectionSpec) -> Revision? {
    guard let affected = graph.freezing(for: connection.formulas) else { return nil }
    var revision = Revision()
    // The last one is that which was refused.
    var last = plan
    for (each, cells) in affected {
      guard let known = each == connection ? plan : each.plan,
        let held = freezing(cells, in: known)
      else { return nil }
      if each == connection { last = held } else { revision.append(each, held, .adjusted) }
    }
    revision.append(connection, last, .added)
    return revision
  }

  /// A plan in which some places count as constants; nil for one that is no equation of its own.
  private func freezing(_ cells: Set<CellID>, in plan: ConnectionSpec) -> ConnectionSpec? {
    guard var linear = plan.linear else { return nil }
    for (index, leaf) in linear.leaves.enumerated() {
      guard let place = leaf.operand.flatMap({ machine.aim($0.place).place }),
        let cell = graph.cellsByPlace[place], cells.contains(cell)
      else { continue }
      linear.frozen.insert(index)
    }
    var plan = plan
    plan.linear = linear
    return plan
  }

  // MARK: Revisions

  /// Carries out a revision that was not asked for.
  private func replan(_ revision: Revision) throws(Failure) {
    graph.replanning.isReplanning = true
    defer { graph.replanning.isReplanning = false }
    try carryOut(revision)
    let concerned = Set(revision.entries.map(\.connection.id))
    graph.replanning.frozenConnections.removeAll { concerned.contains($0) }
    graph.replanning.frozenConnections += revision.entries
      .filter { $0.spec.linear?.frozen.isEmpty == false }.map(\.connection.id)
  }

  /// Carries out a revision.
  ///
  /// - Throws: why it cannot be in force; the connections that were there before are then as they were.
  func carryOut(_ revision: Revision) throws(Failure) {
    let before = revision.entries.map { FormerState(of: $0, in: machine) }
    let root = machine.roots.count
    defer { machine.dropRoots(to: root) }
    // Getters run while some are not in force.
    for each in before { each.spec?.forEachValue { machine.roots.append($0) } }
    for entry in revision.entries { entry.spec.forEachValue { machine.roots.append($0) } }
    // The change log of its places is kept.
    try graph.keepingCells { () throws(Failure) in
      for entry in revision.entries { graph.dissolve(entry.connection) }
      do throws(Failure) {
        for entry in revision.entries { try takeIntoForce(entry) }
      } catch {
        for entry in revision.entries { graph.dissolve(entry.connection) }
        for (entry, old) in zip(revision.entries, before) { restore(entry, to: old) }
        throw error
      }
    }
  }

  /// What a connection said, and what its formulas had come to.
  private struct FormerState {
    let spec: ConnectionSpec?
    let runs: [FormulaRuns]
    let isSatisfied: Bool

    init(of entry: Revision.Entry, in machine: Machine) {
      spec = entry.connection.plan
      runs = entry.role == .added ? [] : machine.graph.runs(of: entry.connection)
      isSatisfied = entry.role == .adjusted && machine.state(of: entry.connection) == "satisfied"
    }
  }

  /// Takes a connection into force as it was before a revision that was refused.
  private func restore(_ entry: Revision.Entry, to old: FormerState) {
    let connection = entry.connection
    connection.plan = old.spec
    guard entry.role != .added, let spec = old.spec else { return }
    let wasRestoring = graph.replanning.isRestoring
    graph.replanning.isRestoring = entry.role == .adjusted
    // It was in force so, or had still to come into force.
    try? establish(connection, spec)
    graph.replanning.isRestoring = wasRestoring
    if entry.role == .changed { return graph.takeUp(old.runs, in: connection, isUpToDate: true) }
    graph.restore(old.runs, of: connection)
    // A solver of sums need not have run any of its formulas.
    guard old.isSatisfied, machine.state(of: connection) == "waiting" else { return }
    for formula in connection.formulas where formula.state == .waiting {
      formula.state = .satisfied
    }
  }

  /// Takes a connection into force; an alternative is tried without further revisions.
  private func establish(_ connection: Connection, _ spec: ConnectionSpec) throws(Failure) {
    if graph.replanning.isReplanning {
      try machine.establishAsItStands(connection, spec)
    } else {
      try machine.establish(connection, spec)
    }
  }

  private func takeIntoForce(_ entry: Revision.Entry) throws(Failure) {
    entry.connection.plan = entry.spec
    try establish(entry.connection, entry.spec)
    if entry.role != .added { entry.connection.compact() }
    // What holds already need not follow.
    guard entry.role == .adjusted else { return }
    graph.scheduledFormulas.removeAll { $0.connection == entry.connection }
  }
}

extension Revision {
  /// Has connections take nothing as constants any more.
  mutating func releaseFrozen(of connections: [Connection]) {
    for each in connections {
      guard var spec = each.plan else { continue }
      spec.linear?.frozen = []
      append(each, spec, .adjusted)
    }
  }
}
