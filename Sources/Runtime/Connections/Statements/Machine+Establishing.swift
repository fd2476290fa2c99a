internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonSolverKit
internal import TenonTables

// From a specification to a connection in force: its paths are followed, its cells made, its formulas added.

extension Machine {
  /// Makes a connection from a specification and settles it.
  ///
  /// - Returns: the connection as an object, or `unwind`.
  func connect(
    _ plan: ConnectionSpec, connector: String, text: String, awaitsSolver: Bool = false,
    observer: ConnectionObserver? = nil, partOf whole: String? = nil,
    at site: TraceEntry
  ) -> Value {
    var (plan, text, site) = (plan, text, site)
    var origin = whole.map { StatementSite.Origin.part(of: $0) } ?? .program
    if site.code.isKernel {
      if whole == nil, observer == nil { origin = connections.names == nil ? .kernel : .standIn }
      // A connection of the kernel is reported at the program's statement that asked for it, with its text.
      site = stackTrace(limit: 1).first ?? site
      if let names = connections.names {
        text = names.text
        plan.target.name = names.target
        connections.names = nil
      }
    }
    return connect(
      plan, connector: connector, text: text, awaitsSolver: awaitsSolver, observer: observer,
      source: site.code.source, range: site.site.range, site: site, origin: origin)
  }

  /// Makes a connection of a statement, or of the program that embeds the interpreter.
  ///
  /// - Returns: the connection as an object, or `unwind`.
  func connect(
    _ plan: ConnectionSpec, connector: String, text: String?, awaitsSolver: Bool = false,
    observer: ConnectionObserver? = nil, source: SourceText, range: SourceRange, site: TraceEntry?,
    origin: StatementSite.Origin = .program
  ) -> Value {
    let connection = graph.makeConnection(
      StatementSite(
        connector: connector, text: text, source: source, range: range, site: site,
        formula: plan.formula,
        names: text == nil
          ? nil
          : StatementSite.Names(
            target: plan.target.name, other: plan.other?.name, reads: plan.reads.map(\.name)),
        origin: origin))
    connection.plan = plan
    connection.observer = observer
    let replaced = session.typedConnections.suspendPredecessors(
      of: connection, at: site, in: graph)
    let before = graph.savepoint()
    do throws(Failure) {
      if awaitsSolver {
        try refuseInSolver()
        connection.awaitsSolver = true
        connection.status = .suspended
      } else {
        try establish(connection, plan)
        connection.compact()
      }
    } catch {
      graph.disconnect(connection)
      graph.rollbackPlan(to: before)
      let isUnwinding = graph.isUnwinding
      graph.isUnwinding = false
      session.typedConnections.resume(replaced, in: graph)
      if isUnwinding { return .unwind }
      return signal(takingBackChain(at: range, error))
    }
    session.typedConnections.keep(connection, inPlaceOf: replaced, at: site)
    let object = makeConnectionObject(connection)
    // A contradiction that appears only when values are known ends with the turn that shows it.
    graph.recordNewConnection(connection)
    if graph.isSettling || graph.atomicDepth > 0 { return object }
    let settled = settleGraph(answering: object)
    if settled.isUnwind, plan.linear != nil { graph.disconnect(connection) }
    return settled
  }

  /// Makes the formulas of a connection and takes them into force; where they are refused, what else can be in
  /// force with what the connection says.
  func establish(_ connection: Connection, _ plan: ConnectionSpec) throws(Failure) {
    try graph.attempt({ () throws(Failure) in try establishAsItStands(connection, plan) }) {
      Replanner(machine: self).alternatives(to: connection, plan, after: $0)
    }
  }

  /// Gives a connection another specification, from now on or, if it is suspended, when it is resumed.
  ///
  /// - Throws: a failure when that is not possible; the connection is then as before.
  func establish(_ connection: Connection, anew plan: ConnectionSpec) throws(Failure) {
    guard connection.status == .active else {
      connection.plan = plan
      return
    }
    var revision = Revision()
    revision.append(connection, plan, .changed)
    try Replanner(machine: self).carryOut(revision)
  }

  /// Ends a connection, or suspends it, and has equations solve again for what they have taken as constants because
  /// of it.
  func end(_ connection: Connection, by ending: (Connection) -> Void) {
    guard !graph.replanning.frozenConnections.isEmpty, !graph.isSettling,
      connection.status == .active
    else {
      return ending(connection)
    }
    let freezing = graph.freezing(becauseOf: connection)
    ending(connection)
    graph.replanning.frozenConnections.removeAll { number in
      freezing.contains { $0.id == number } || graph.connections[Int(number)] == nil
    }
    var revision = Revision()
    revision.releaseFrozen(of: freezing.filter { $0.status == .active })
    // What they say was in force so, and can be again.
    try? Replanner(machine: self).carryOut(revision)
    graph.replanning.frozenConnections += revision.entries.map(\.connection)
      .filter { $0.plan?.linear?.frozen.isEmpty == false }.map(\.id)
  }

  /// Makes the formulas of a connection and takes them into force.
  func establishAsItStands(_ connection: Connection, _ plan: ConnectionSpec) throws(Failure) {
    try graph.keepingCells { () throws(Failure) in try establishKept(connection, plan) }
  }

  private func establishKept(_ connection: Connection, _ plan: ConnectionSpec) throws(Failure) {
    if let running = graph.running { throw .connectingInFormula(running.connection) }
    try refuseInSolver()
    connection.requestedSolver = plan.requestedSolver
    connection.strength = plan.strength
    connection.solver = plan.solver
    if let sum = sumFromTheStart(of: plan, for: connection) {
      return try establish(connection, plan, sum)
    }
    let root = roots.count
    defer { dropRoots(to: root) }
    guard let ends = try followPaths(of: connection, plan) else { return }
    let output = graph.cell(for: ends.target, named: cellName(of: plan.target, at: ends.target))
    if let operand = plan.other {
      guard let place = ends.other else { return }
      try establishPair(connection, plan, output, operand, at: place, ends)
    } else if plan.block != nil || plan.native != nil {
      // With no place to compute on the other side, it waits until a path leads to one.
      if !ends.backs.isEmpty, ends.backs.allSatisfy({ $0 == nil }) { return }
      try establishFormula(connection, plan, output, ends)
    }
  }

  /// Returns the sum as which a specification is first taken into force: it is a sum by its text, or the
  /// solver that the program has chosen knows sums.
  private func sumFromTheStart(of plan: ConnectionSpec, for connection: Connection) -> LinearPlan? {
    // A source of truth is told of its places, whatever else computes them.
    if plan.other != nil, connection.observer?.kind == .places { return nil }
    if let linear = plan.linear { return linear }
    guard let name = plan.solver, let sum = plan.otherwise,
      graph.replanning.solvers.contains(where: { $0.name == name && $0.solvesSums })
    else { return nil }
    return sum
  }

  /// The places at the ends of a specification's paths, as they lead at present.
  private struct ReachedEnds {
    let target: Place
    let other: Place?
    /// The places that an inverse may write; nil for one that can only be read.
    let backs: [Place?]
    /// The inputs of the formula, as the specification names them.
    let reads: [(place: ConnectionSpec.PlacePath, aim: ResolvedPath, name: String)]
    /// The side that begins, where one leads elsewhere than before.
    let begins: AimedSide?
  }

  /// Follows the paths of a specification, watches the places on the way, and refuses read-only targets.
  ///
  /// The places at the ends are kept among the roots, which the caller removes.
  ///
  /// - Returns: nil when the target's path leads nowhere yet, or the connection has ended meanwhile.
  private func followPaths(
    of connection: Connection, _ plan: ConnectionSpec
  ) throws(Failure) -> ReachedEnds? {
    plan.forEachPlace { place in
      roots.append(place.object)
      roots.append(place.key)
    }
    let hasPaths = plan.hasPaths
    if hasPaths {
      // Getters on the way run, and the collector: nothing but the plan counts for it then.
      let joined = [plan.target, plan.other].compactMap { $0 } + plan.backs
      connection.fixedOwners = connection.keptOwners ?? joined.flatMap { fixedOwners(of: $0.place) }
      connection.awaitsAim = true
    }
    let led = aims(of: plan)
    connection.awaitsAim = false
    // A getter on the way may have ended the connection.
    guard connection.status == .active else { return nil }
    let ends = [led.target, led.other].compactMap { $0 } + led.backs
    let aims = ends + led.reads
    graph.watchPath(
      of: connection, through: aims.flatMap(\.steps), nameOf: { nameOnPath(of: $0) })
    // A path that leads nowhere may lead somewhere again as long as the object that it has reached lives.
    if hasPaths, connection.keptOwners == nil {
      connection.lifetimeOwners = ends.flatMap { lifetimeOwners(waitingAt: $0) }
    }
    if let failure = aims.lazy.compactMap(\.failure).first { throw failure }
    let computed = [led.target] + (plan.isOneWay ? [] : [led.other].compactMap { $0 })
    for place in computed.compactMap(\.place) { try refuseReadOnly(place, for: connection) }
    try refuseOwnPath(
      aims, computing: (computed + led.backs).compactMap(\.place), for: connection)
    let ways = try writableBacks(of: plan, led.backs, for: connection)
    let begins = hasPaths ? recordTargets(of: connection, plan, led) : nil
    guard let target = led.target.place else { return nil }
    return ReachedEnds(
      target: target, other: led.other?.place, backs: ways,
      reads: zip(plan.reads, led.reads).map { (place: $0.place, aim: $1, name: $0.name) },
      begins: begins)
  }

  /// Returns the places that an inverse can write: where there is another one, a read-only place is only
  /// read.
  private func writableBacks(
    of plan: ConnectionSpec, _ backs: [ResolvedPath], for connection: Connection
  ) throws(Failure) -> [Place?] {
    let ways = zip(plan.backs, backs).map { operand, back in
      back.place.flatMap { !operand.isReadOnly && isWritable($0) ? $0 : nil }
    }
    guard ways.allSatisfy({ $0 == nil }) else { return ways }
    for (operand, back) in zip(plan.backs, backs) {
      guard let place = back.place else { continue }
      if operand.isReadOnly { throw .noWayBack(displayText(place.key), describe(place.object)) }
      try refuseReadOnly(place, for: connection)
    }
    return ways
  }

  /// Joins two places without a formula between them: equal both ways, one after the other, or kept equal by
  /// an object of the language.
  private func establishPair(
    _ connection: Connection, _ plan: ConnectionSpec, _ output: CellID,
    _ operand: ConnectionSpec.Operand, at place: Place, _ ends: ReachedEnds
  ) throws(Failure) {
    let right = graph.cell(for: place, named: cellName(of: operand, at: place))
    if let observer = connection.observer, observer.kind == .places {
      return try relate(connection, observer, output, right)
    }
    if plan.isOneWay { return try copy(connection, output, right) }
    let isPlain = plan.solver == nil && plan.requestedSolver == nil
    if isPlain, plan.strength == .required, connection.observer == nil,
      connection.tolerance == nil, graph.areEqualAlready(output, right)
    {
      connection.lifetimeOwners =
        connection.keptOwners ?? lifetimeOwners(target: ends.target, reads: [])
        + lifetimeOwners(target: place, reads: [])
      return graph.addRedundant(connection, output, right)
    }
    try graph.attempt({ () throws(Failure) in
      try join(connection, output, right, beginningWith: ends.begins)
    }) { refusal in
      // Numbers that other constraints determine as well can still be equal.
      guard output != right, refusal.errorClass == .constraintError, isPlain,
        [output, right].allSatisfy({ isNumberOrMissing($0) })
      else { return [] }
      let sum = LinearPlan(equating: plan.target, operand)
      // The sum's failure names the conflict better than that of a search for an order.
      return [Replanner(machine: self).asSum(connection, plan, sum, tellsMore: \.isContradiction)]
    }
  }

  /// Makes a formula, with the inverses for its operands where it goes both ways.
  private func establishFormula(
    _ connection: Connection, _ plan: ConnectionSpec, _ output: CellID, _ ends: ReachedEnds
  ) throws(Failure) {
    let reads = readCells(of: plan, ends.reads)
    for read in reads.inputs { try refuseSilent(read, for: connection) }
    if !ends.backs.isEmpty, let block = plan.block {
      if let missing = plan.ways?.problem, plan.requestedSolver == nil { throw missing }
      return try graph.attempt({ () throws(Failure) in
        try joinInverse(
          connection, plan, output, reads: reads.inputs, names: reads.names, backs: ends.backs,
          blocks: block, beginningWith: ends.begins)
      }) { refusal in
        guard let sum = plan.otherwise, refusal.errorClass == .constraintError else { return [] }
        // A formula that is no sum either was refused for another reason.
        return [
          Replanner(machine: self).asSum(
            connection, plan, sum, tellsMore: { sum.isAffine || $0.isContradiction })
        ]
      }
    }
    let source: Formula.Source
    if let native = plan.native {
      source = .native(SwiftFormula(graph: graph, inputs: reads.given, native))
    } else {
      source = .block(plan.block ?? .nil)
    }
    let made = graph.makeFormula(
      of: connection, output: output, inputs: reads.inputs, source: source)
    made.takeText(readNames: reads.names)
    let formula = graph.weighed(made)
    if formula.equation == nil { graph.recognizeFold(formula) }
    connection.lifetimeOwners =
      connection.keptOwners
      ?? lifetimeOwners(target: ends.target, reads: ends.reads.compactMap(\.aim.place))
    try graph.add([formula], origin: nil)
  }

  /// Returns the cells that a formula reads, each once, with their names in the text; `given` are those of a
  /// formula in Swift code, each as often as it has asked for it.
  private func readCells(
    of plan: ConnectionSpec,
    _ reads: [(place: ConnectionSpec.PlacePath, aim: ResolvedPath, name: String)]
  ) -> (inputs: [CellID], given: [CellID], names: [String]) {
    var inputs: [CellID] = []
    var given: [CellID] = []
    var names: [String] = []
    var known: Set<CellID> = []
    for read in reads {
      guard var place = read.aim.place else { continue }
      var name = read.name
      if case .path(let base, _) = read.place, !isWritable(place) {
        // The answer of a message is no place: the formula gets the inputs of the message when it is sent.
        place = base
        name = self.name(of: base)
      } else if case .computed = read.place {
        name = nameOnPath(of: place)
      }
      let cell = graph.cell(for: place, named: name)
      if plan.native != nil { given.append(cell) }
      guard known.insert(cell).inserted else { continue }
      inputs.append(cell)
      names.append(name)
    }
    return (inputs, given, names)
  }

  private func isNumberOrMissing(_ cell: CellID) -> Bool {
    guard let value = currentValue(of: cell) else { return false }
    return value.isNil || value.isUndefined || solverNumber(value) != nil
  }

  /// Makes the two formulas of `a =|= b`, each the other's inverse.
  private func join(
    _ connection: Connection, _ left: CellID, _ right: CellID, beginningWith side: AimedSide?
  ) throws(Failure) {
    guard left != right else { throw .joinsItself(graph.displayName(of: left)) }
    try refuseSilent(left, for: connection)
    try refuseSilent(right, for: connection)
    let formulas = [
      graph.makeFormula(of: connection, output: left, inputs: [right], source: .copy(right)),
      graph.makeFormula(of: connection, output: right, inputs: [left], source: .copy(left)),
    ]
    connection.lifetimeOwners =
      lifetimeOwners(target: graph[left].place, reads: [])
      + lifetimeOwners(target: graph[right].place, reads: [])
    // The right side wins at the start unless it is missing, then the one that leads elsewhere.
    let isLeft = side.map { $0 == .left } ?? isMissing(right)
    try graph.add(formulas, origin: isLeft ? left : right)
  }

  /// Makes one place follow another: `a |= b` without any code.
  private func copy(
    _ connection: Connection, _ target: CellID, _ source: CellID
  ) throws(Failure) {
    guard target != source else { throw .joinsItself(graph.displayName(of: target)) }
    try refuseSilent(source, for: connection)
    let formula = graph.weighed(
      graph.makeFormula(
        of: connection, output: target, inputs: [source], source: .copy(source)))
    connection.lifetimeOwners =
      connection.keptOwners
      ?? lifetimeOwners(target: graph[target].place, reads: [graph[source].place])
    try graph.add([formula], origin: nil)
  }

  /// Joins two places that an object of the language keeps equal.
  private func relate(
    _ connection: Connection, _ observer: ConnectionObserver, _ left: CellID, _ right: CellID
  ) throws(Failure) {
    guard left != right else { throw .joinsItself(graph.displayName(of: left)) }
    try refuseSilent(left, for: connection)
    try refuseSilent(right, for: connection)
    connection.lifetimeOwners =
      connection.keptOwners
      ?? lifetimeOwners(target: graph[left].place, reads: [])
      + lifetimeOwners(target: graph[right].place, reads: [])
    try graph.refuseCycle(through: connection, observer, left, right)
    graph.watch(connection, observer, [left, right])
  }

  /// Refuses a place that does not announce its changes.
  func refuseSilent(_ cell: CellID, for connection: Connection) throws(Failure) {
    guard isSilent(cell), connection.observer?.looks != true else { return }
    let failure = Failure.silentSource(graph.displayName(of: cell))
    // A policy that polls for changes may follow in the same statement.
    guard connection.plan?.awaitsPolicy == true, connection.observer == nil else { throw failure }
    connection.silence = failure
  }

  /// Returns the objects with which a connection ends wherever its paths lead.
  func fixedOwners(of path: ConnectionSpec.PlacePath) -> [Value] {
    if case .place(let place) = path { lifetimeOwners(target: place, reads: []) } else { [] }
  }

  /// Returns the objects with which a connection ends that waits for a path to lead somewhere.
  func lifetimeOwners(waitingAt aim: ResolvedPath) -> [Value] {
    guard let place = aim.place ?? aim.steps.last else { return [] }
    return lifetimeOwners(target: place, reads: [])
  }

  /// Returns the objects with which a connection ends.
  func lifetimeOwners(target: Place, reads: [Place]) -> [Value] {
    if target.kind != .stored {
      return ObjectRef(target.object).classIndex == ClassIndex.variableCell ? [] : [target.object]
    }
    return reads.filter { $0.kind != .stored }.map(\.object).filter { object in
      let index = ObjectRef(object).classIndex
      return index != ClassIndex.variableCell && index != ClassIndex.context
    }
  }
}
