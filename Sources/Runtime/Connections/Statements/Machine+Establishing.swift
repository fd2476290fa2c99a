internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonSolverKit
internal import TenonTables

// From a plan to a connection in force: its paths are followed, its cells made, its formulas added.

extension Machine {
  /// Makes a connection after a plan and brings everything up to date.
  ///
  /// - Returns: the connection as an object, or `unwind`.
  func connect(
    _ plan: ConnectionSpec, connector: String, text: String, isHeld: Bool = false,
    observer: ConnectionObserver? = nil, partOf whole: String? = nil,
    at site: TraceEntry
  ) -> Value {
    var (plan, text, site) = (plan, text, site)
    var origin = whole.map { StatementSite.Origin.part(of: $0) } ?? .program
    if site.code.isKernel {
      if whole == nil, observer == nil { origin = connections.names == nil ? .kernel : .standIn }
      // What the kernel connects is told where the program asked for it, and as it says there.
      site = stackTrace(limit: 1).first ?? site
      if let names = connections.names {
        text = names.text
        plan.target.name = names.target
        connections.names = nil
      }
    }
    return connect(
      plan, connector: connector, text: text, isHeld: isHeld, observer: observer,
      source: site.code.source, range: site.site.range, site: site, origin: origin)
  }

  /// Makes a connection of a statement, or of the program that embeds the interpreter.
  ///
  /// - Returns: the connection as an object, or `unwind`.
  func connect(
    _ plan: ConnectionSpec, connector: String, text: String?, isHeld: Bool = false,
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
    let before = graph.savepoint()
    do throws(Failure) {
      if isHeld {
        try refuseInSolver()
        connection.isHeld = true
        connection.status = .suspended
      } else {
        try establish(connection, plan)
        connection.compact()
      }
    } catch {
      graph.disconnect(connection)
      graph.rollbackPlan(to: before)
      if graph.isUnwinding {
        graph.isUnwinding = false
        return .unwind
      }
      return signal(takingBackChain(at: range, error))
    }
    let object = makeConnectionObject(connection)
    // What contradicts the rest only when values are known ends with the turn that shows it.
    graph.recordNewConnection(connection)
    if graph.isSettling || graph.atomicDepth > 0 { return object }
    let settled = settleGraph(answering: object)
    if settled.isUnwind, plan.linear != nil { graph.disconnect(connection) }
    return settled
  }

  /// Makes the formulas of a connection and takes them into force.
  ///
  /// Where it would close a cycle through what an equation reads besides, that is determined first if it
  /// can be.
  func establish(_ connection: Connection, _ plan: ConnectionSpec) throws(Failure) {
    do throws(Failure) {
      try establishAsItStands(connection, plan)
    } catch {
      var other: Failure?
      if error.concernsSolvers, establishOtherwise(connection, plan, &other) { return }
      guard try waits(connection, plan, because: error) else { throw other ?? error }
    }
  }

  /// Has a formula that cannot be in force as things stand wait for the statements that follow: they may
  /// bring another direction of it, or of what it stands against.
  ///
  /// - Returns: whether it waits.
  private func waits(
    _ connection: Connection, _ plan: ConnectionSpec, because error: Failure
  ) throws(Failure) -> Bool {
    guard graph.batchDepth > 0, error.errorClass == .constraintError, !error.isUnwinding,
      connection.status == .active, plan.strength == .required, plan.requestedSolver == nil,
      plan.solver == nil, plan.linear == nil, plan.other == nil, !graph.isSettling
    else { return false }
    graph.dissolve(connection)
    graph.mayContest = true
    defer { graph.mayContest = false }
    try establishAsItStands(connection, plan)
    return true
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
    defer { roots.removeLast(roots.count - root) }
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

  /// The sum as which a plan is taken into force before anything else is tried: it is one by its text, or
  /// the solver that the program has chosen knows sums.
  private func sumFromTheStart(of plan: ConnectionSpec, for connection: Connection) -> LinearPlan? {
    // A truth is told of its places, whatever else computes them.
    if plan.other != nil, connection.observer?.kind == .places { return nil }
    if let linear = plan.linear { return linear }
    guard let name = plan.solver, let sum = plan.otherwise,
      graph.solvers.contains(where: { $0.name == name && $0.solvesSums })
    else { return nil }
    return sum
  }

  /// The places at the ends of a plan's paths, as they lead at present.
  private struct ReachedEnds {
    let target: Place
    let other: Place?
    /// The places that an inverse may write; nil for one that can only be read.
    let backs: [Place?]
    /// What the formula reads, as the plan names it.
    let reads: [(place: ConnectionSpec.PlacePath, aim: ResolvedPath, name: String)]
    /// The side that begins, where one leads elsewhere than before.
    let begins: AimedSide?
  }

  /// Follows the paths of a plan, watches what is on the way, and refuses what cannot be written.
  ///
  /// What the paths lead to is kept among the roots, which the caller takes back.
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
      connection.fixedKeys = connection.keptKeys ?? joined.flatMap { fixedKeys(of: $0.place) }
      connection.awaitsAim = true
    }
    let led = aims(of: plan)
    connection.awaitsAim = false
    // A getter on the way may have ended it.
    guard connection.status == .active else { return nil }
    let ends = [led.target, led.other].compactMap { $0 } + led.backs
    let aims = ends + led.reads
    graph.watchPath(
      of: connection, through: aims.flatMap(\.steps), nameOf: { nameOnPath(of: $0) })
    // A path that leads nowhere may lead somewhere again as long as there is what it has come to.
    if hasPaths, connection.keptKeys == nil {
      connection.keys = ends.flatMap { keys(waitingAt: $0) }
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

  /// The places that an inverse can write: where there is another way back, what cannot be written is only
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

  /// Two places without a formula between them: equal both ways, one after the other, or kept in step by an
  /// object of the language.
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
      connection.keys =
        connection.keptKeys ?? keys(target: ends.target, reads: []) + keys(target: place, reads: [])
      return graph.addRedundant(connection, output, right)
    }
    do throws(Failure) {
      try join(connection, output, right, beginningWith: ends.begins)
    } catch {
      // Numbers that others say something else of can still be equal.
      guard output != right, error.errorClass == .constraintError, isPlain,
        [output, right].allSatisfy({ isNumberOrMissing($0) })
      else { throw error }
      let sum = LinearPlan(equating: plan.target, operand)
      // Who adds up knows better what stands against it than who looks for an order.
      try establish(connection, plan, sum, after: error, isPreferred: \.isContradiction)
    }
  }

  /// A formula, with what computes its operands back where it goes both ways.
  private func establishFormula(
    _ connection: Connection, _ plan: ConnectionSpec, _ output: CellID, _ ends: ReachedEnds
  ) throws(Failure) {
    let reads = readCells(of: plan, ends.reads)
    for read in reads.inputs { try refuseSilent(read, for: connection) }
    if !ends.backs.isEmpty, let block = plan.block {
      do throws(Failure) {
        try joinInverse(
          connection, output, reads: reads.inputs, names: reads.names, backs: ends.backs,
          blocks: block, beginningWith: ends.begins)
      } catch {
        guard let sum = plan.otherwise, error.errorClass == .constraintError else { throw error }
        // What is no sum either was refused for something else.
        try establish(
          connection, plan, sum, after: error,
          isPreferred: { sum.isAffine || $0.isContradiction })
      }
      return
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
    connection.keys =
      connection.keptKeys
      ?? keys(target: ends.target, reads: ends.reads.compactMap(\.aim.place))
    try graph.add([formula], origin: nil)
  }

  /// Takes a connection into force as a sum after it was refused as it stands.
  ///
  /// - Throws: the failure of the sum where that says more, else the first one.
  private func establish(
    _ connection: Connection, _ plan: ConnectionSpec, _ sum: LinearPlan, after failure: Failure,
    isPreferred: (Failure) -> Bool
  ) throws(Failure) {
    graph.dissolve(connection)
    do throws(Failure) {
      try establish(connection, plan, sum)
    } catch {
      throw graph.isUnwinding || isPreferred(error) ? error : failure
    }
  }

  /// The cells that a formula reads, each once, with what the text calls them; `given` are those of a
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
        // What a message answers is no place: the formula hears of what it reads when it is sent.
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

  /// `a =|= b`: two formulas, each the other's way back.
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
    connection.keys =
      keys(target: graph[left].place, reads: [])
      + keys(target: graph[right].place, reads: [])
    // The right side wins at the start unless it is missing, then the one that leads elsewhere.
    let isLeft = side.map { $0 == .left } ?? isMissing(right)
    try graph.add(formulas, origin: isLeft ? left : right)
  }

  /// One place follows another: `a |= b` without any code.
  private func copy(
    _ connection: Connection, _ target: CellID, _ source: CellID
  ) throws(Failure) {
    guard target != source else { throw .joinsItself(graph.displayName(of: target)) }
    try refuseSilent(source, for: connection)
    let formula = graph.weighed(
      graph.makeFormula(
        of: connection, output: target, inputs: [source], source: .copy(source)))
    connection.keys =
      connection.keptKeys
      ?? keys(target: graph[target].place, reads: [graph[source].place])
    try graph.add([formula], origin: nil)
  }

  /// Two places that an object of the language keeps in step.
  private func relate(
    _ connection: Connection, _ observer: ConnectionObserver, _ left: CellID, _ right: CellID
  ) throws(Failure) {
    guard left != right else { throw .joinsItself(graph.displayName(of: left)) }
    try refuseSilent(left, for: connection)
    try refuseSilent(right, for: connection)
    connection.keys =
      connection.keptKeys
      ?? keys(target: graph[left].place, reads: []) + keys(target: graph[right].place, reads: [])
    try graph.refuseCycle(through: connection, observer, left, right)
    graph.watch(connection, observer, [left, right])
  }

  /// Refuses a place whose changes nobody would hear of.
  func refuseSilent(_ cell: CellID, for connection: Connection) throws(Failure) {
    guard isSilent(cell), connection.observer?.looks != true else { return }
    let failure = Failure.silentSource(graph.displayName(of: cell))
    // A policy that looks for changes may follow in the same statement.
    guard connection.plan?.awaitsPolicy == true, connection.observer == nil else { throw failure }
    connection.silence = failure
  }

  /// The objects with which a connection ends wherever its paths lead.
  func fixedKeys(of path: ConnectionSpec.PlacePath) -> [Value] {
    if case .place(let place) = path { keys(target: place, reads: []) } else { [] }
  }

  /// The objects with which a connection ends that waits for a path to lead somewhere.
  func keys(waitingAt aim: ResolvedPath) -> [Value] {
    guard let place = aim.place ?? aim.steps.last else { return [] }
    return keys(target: place, reads: [])
  }

  /// The objects with which a connection ends.
  func keys(target: Place, reads: [Place]) -> [Value] {
    if target.kind != .stored {
      return ObjectRef(target.object).classIndex == ClassIndex.variableCell ? [] : [target.object]
    }
    return reads.filter { $0.kind != .stored }.map(\.object).filter { object in
      let index = ObjectRef(object).classIndex
      return index != ClassIndex.variableCell && index != ClassIndex.context
    }
  }
}
