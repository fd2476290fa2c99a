internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonSolverKit
internal import TenonTables

/// What a connector statement joins, with everything that depends on the activation settled: from
/// this the connection can be made anew whenever a path in it leads elsewhere.
struct ConnectionSpec {
  /// A side, or something a formula reads.
  struct Operand {
    /// The place, known or at the end of a path.
    let place: PlacePath
    /// What messages call it.
    var name: String
    /// Whether it is only read, though it is among what could be computed.
    var isReadOnly = false
  }

  /// A place, or a path to one.
  enum PlacePath {
    case place(Place)
    /// From a place through properties; the names are values that a root holds.
    case path(Place, [Value])
    /// One with expressions in it, which say where it leads.
    case computed(ComputedPath)
  }

  var target: Operand
  /// The block that computes the target, for `|=`.
  let block: Value?
  /// The other side, for `=|=`.
  var other: Operand?
  /// What the text of the formula reads.
  var reads: [Operand]
  /// Computes the target, for a formula in Swift code.
  var native: NativeCode?
  /// The text of the formula, in case it has to be read as a sum.
  var formula: Expression?
  /// How much it counts.
  var strength = Strength.required
  /// The only solver that may keep it: one that ships, by its name, or one of the language.
  var solver: String?
  var requestedSolver: RequestedSolver?
  /// What it is for a solver of equations and inequalities, if it is for one.
  var linear: LinearPlan?
  /// What it is for such a solver where its formulas stand against others.
  var otherwise: LinearPlan?

  /// What `=|=` computes with a formula's inverses: `block` is then an array of blocks, the
  /// formula's and one for each of these.
  var backs: [Operand] = []

  /// Whether the other side only gives: `a |= b` between places that no text names.
  var isOneWay = false
  /// Whether the statement goes on with `policy:`.
  var awaitsPolicy = false

  /// Whether its sides are whole stores.
  var joinsStores: Bool {
    guard case .place(let place) = target.place else { return false }
    return place.kind == .whole && other != nil
  }

  private var leaves: [LinearPlan.Leaf] { (linear ?? otherwise)?.leaves ?? [] }

  /// What it joins and reads.
  private var operands: [Operand] {
    [target, other].compactMap { $0 } + reads + backs
      + leaves.flatMap { [$0.operand].compactMap { $0 } + $0.reads }
  }

  /// The places from which its paths begin, or which it joins.
  func forEachPlace(_ body: (Place) -> Void) {
    for operand in operands {
      switch operand.place {
      case .place(let place), .path(let place, _): body(place)
      case .computed(let path): if let base = path.base { body(base) }
      }
    }
  }

  /// Whether it computes a place that stands in the statement itself.
  func determines(_ place: Place) -> Bool {
    ([target] + [other].compactMap { $0 } + backs).contains { operand in
      guard case .place(let own) = operand.place, !operand.isReadOnly else { return false }
      return own == place
    }
  }

  /// The values that the plan refers to.
  func forEachValue(_ body: (Value) -> Void) {
    if let block { body(block) }
    if let requestedSolver { body(requestedSolver.prototype) }
    for leaf in leaves {
      if let block = leaf.block { body(block) }
      body(leaf.storage)
    }
    for operand in operands {
      switch operand.place {
      case .path(let base, let names):
        // The path is followed again whenever it may lead elsewhere.
        body(base.object)
        body(base.key)
        names.forEach(body)
      case .place(let place):
        if place.kind == .stored { body(place.object) }
        body(place.key)
      case .computed(let path): path.forEachValue(body)
      }
    }
  }
}

/// Where a path leads at present.
struct ResolvedPath {
  /// The place at its end; nil when something on the way is nil or has no such property.
  var place: Place?
  /// The places on the way, whose changes lead the path elsewhere.
  var steps: [Place] = []
  /// Why the path cannot be followed.
  var failure: Failure?
  /// Whether it has come to a dictionary that has no such entry and understands the name as a message.
  var isMessage = false
  /// The places among the steps that say which components the path has.
  var components: [Place] = []
}

extension Machine {
  /// Follows a path.
  ///
  /// Getters may run: what is found is kept among the roots, which the caller takes back.
  func aim(_ path: ConnectionSpec.PlacePath) -> ResolvedPath {
    switch path {
    case .place(let place): return ResolvedPath(place: place)
    case .computed(let computed):
      let (path, reads, failure) = locate(computed)
      guard let path else { return ResolvedPath(steps: reads, failure: failure, components: reads) }
      var aim = aim(path)
      aim.steps = reads + aim.steps
      aim.components = reads
      return aim
    case .path(let base, let names):
      var aim = ResolvedPath()
      var detours = AliasCycleGuard()
      var current = base
      var rest = names[...]
      while !rest.isEmpty {
        do throws(Failure) {
          if let alias = try aliasInGroup(rest, at: current, &detours) {
            // What stands under the name may be reached on a way of its own; a group itself does not change.
            if current.kind != .whole { aim.steps.append(current) }
            current = alias.base
            rest = alias.names[...]
            continue
          }
        } catch {
          if current.kind != .whole { aim.steps.append(current) }
          aim.failure = error
          return aim
        }
        let (object, reads) = plainValue(at: current)
        // What a getter reads leads elsewhere as well; the place itself is told last.
        aim.steps += reads + [current]
        for value in reads.flatMap({ [$0.object, $0.key] }) + [object] { roots.append(value) }
        do throws(Failure) {
          if let way = wayThroughReference(rest, at: object) {
            try detours.begin(at: "value", of: object, remaining: rest.count, self)
            current = way.base
            rest = way.names[...]
            continue
          }
          if let name = rest.first, isKept(object, at: current),
            let end = end(named: name, of: object)
          {
            // Another element is there when there are more or fewer.
            aim.steps.append(.whole(ObjectRef(object)))
            guard let end else { return aim }
            roots.append(end.key)
            current = end
            rest = rest.dropFirst()
            continue
          }
          aim.isMessage = aim.isMessage || isMessage(rest.first, to: object)
          let (next, count) = try step(rest, from: object)
          guard let next else { return aim }
          rest = rest.dropFirst(count)
          roots.append(next.key)
          current = next
        } catch {
          aim.failure = error
          return aim
        }
      }
      aim.place = current
      return aim
    }
  }

  /// Whether a place holds an object, rather than that its getter makes one for each who asks.
  private func isKept(_ object: Value, at place: Place) -> Bool {
    place.kind != .property || plainValue(at: place).value == object
  }

  /// The element that `first` or `last` answers of a list; the place is nil where the list is empty.
  ///
  /// - Returns: nil for other names, and where the message may mean something else.
  func end(named name: Value, of object: Value) -> Place?? {
    guard object.isObject, let text = text(name), text == "first" || text == "last" else {
      return nil
    }
    let info = classInfo(of: object)
    let isArray = object.isObject(ofClass: ClassIndex.array)
    guard isArray || info.inherits(from: orderedCollectionClass),
      let method = info.lookUp(selector(text)), method.holder.isKernel
    else { return nil }
    // What a program adds to a class of the kernel may answer anything.
    if case .definition = method.origin { return nil }
    let count = isArray ? ObjectRef(object).elementCount : self.count(of: object)
    guard count > 0 else { return .some(nil) }
    let index = text == "first" ? 1 : count
    return .some(try? place(of: Value(small: index), in: object))
  }

  /// How many elements a list has.
  private func count(of list: Value) -> Int {
    let outer = recorder
    recorder = DependencyRecorder(within: outer)
    defer { recorder = outer }
    switch withErrorsCaught({ send(selector("size"), to: list) }) {
    case .value(let size): return size.asSmallInteger ?? 0
    case .failed: return 0
    case .unwound:
      graph.isUnwinding = true
      return 0
    }
  }

  /// Whether a name that no entry of a dictionary has is a message to it.
  func isMessage(_ name: Value?, to object: Value, evenWithEntry: Bool = false) -> Bool {
    guard let name, let text = text(name), object.isObject else { return false }
    let info = classInfo(of: object)
    guard info.inherits(from: dictionaryClass), Selector.argumentCount(of: text) == 0,
      let method = info.lookUp(selector(text)), method.holder !== objectClass
    else { return false }
    if !evenWithEntry, case .found = find(symbol(text), in: object, byIdentity: false) {
      return false
    }
    return true
  }

  /// Refuses to compute a property that cannot be written.
  func refuseReadOnly(_ place: Place, for connection: Connection) throws(Failure) {
    if isWritable(place) { return }
    let name = isHandled(place) ? pathText(of: place) : displayText(place.key)
    let owner = describe(place.object)
    throw connection.connector == "=|="
      ? .noWayBack(name, owner) : .readOnlyProperty(name, owner)
  }

  /// The value at a place, without noting the read, and what its getter reads.
  func plainValue(at place: Place) -> (value: Value, reads: [Place]) {
    let outer = recorder
    let recorder = DependencyRecorder(within: outer)
    self.recorder = recorder
    let hasGetter = place.kind == .property
    if hasGetter { trackingDepth += 1 }
    defer {
      if hasGetter { trackingDepth -= 1 }
      self.recorder = outer
    }
    let outcome = withErrorsCaught { value(at: place) }
    let reads = hasGetter ? recorder.reads : []
    switch outcome {
    case .value(let value): return (value.isUndefined ? .nil : value, reads)
    case .failed: return (.nil, reads)
    case .unwound:
      graph.isUnwinding = true
      return (.nil, [])
    }
  }

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
      if whole == nil, observer == nil { origin = connectionNames == nil ? .kernel : .standIn }
      // What the kernel connects is told where the program asked for it, and as it says there.
      site = stackTrace(limit: 1).first ?? site
      if let names = connectionNames {
        text = names.text
        plan.target.name = names.target
        connectionNames = nil
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
    let (forcedCount, hasRoom) = (graph.scheduledFormulas.count, graph.words[0].hasRoom)
    let retries = graph.retries
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
      // All is as it was: nothing has to run that had not, and no wish has more room than before.
      let surplus = graph.scheduledFormulas.count - forcedCount
      if surplus > 0 { graph.scheduledFormulas.removeLast(surplus) }
      graph.retries = retries
      graph.words[0].hasRoom = hasRoom
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
    if let running = graph.running {
      throw .connectingInFormula(running.connection)
    }
    try refuseInSolver()
    connection.requestedSolver = plan.requestedSolver
    connection.strength = plan.strength
    connection.solver = plan.solver
    // A solver that the program has chosen may know sums.
    // A truth is told of its places, whatever else computes them.
    let isJoined = plan.other != nil && connection.observer?.kind == .places
    if !isJoined, let linear = plan.linear ?? (plan.solver == nil ? nil : plan.otherwise),
      plan.linear != nil
        || graph.solvers.contains(where: { $0.name == plan.solver && $0.solvesSums })
    {
      try establish(connection, plan, linear)
      return
    }
    let root = roots.count
    defer { roots.removeLast(roots.count - root) }
    plan.forEachPlace { place in
      roots.append(place.object)
      roots.append(place.key)
    }
    // Getters on the way run, and the collector: nothing but the plan counts for it then.
    let joined = [plan.target, plan.other].compactMap { $0 } + plan.backs
    if plan.hasPaths {
      connection.fixedKeys = connection.keptKeys ?? joined.flatMap { fixedKeys(of: $0.place) }
      connection.awaitsAim = true
    }
    let led = self.aims(of: plan)
    let (target, other, backs) = (led.target, led.other, led.backs)
    let reads = zip(plan.reads, led.reads).map { (place: $0.place, aim: $1, name: $0.name) }
    connection.awaitsAim = false
    // A getter on the way may have ended it.
    guard connection.status == .active else { return }
    let ends = [target, other].compactMap { $0 } + backs
    let aims = ends + reads.map(\.aim)
    graph.watchPath(
      of: connection, through: aims.flatMap(\.steps), nameOf: { nameOnPath(of: $0) })
    // A path that leads nowhere may lead somewhere again as long as there is what it has come to.
    if connection.keptKeys == nil, plan.hasPaths {
      connection.keys = ends.flatMap { keys(waitingAt: $0) }
    }
    if let failure = aims.lazy.compactMap(\.failure).first { throw failure }
    let computed = [target] + (plan.isOneWay ? [] : [other].compactMap { $0 })
    for place in computed.compactMap(\.place) { try refuseReadOnly(place, for: connection) }
    try refuseOwnPath(aims, computing: (computed + backs).compactMap(\.place), for: connection)
    // Where there is another way back, what cannot be written is only read.
    let ways = zip(plan.backs, backs).map { operand, back in
      back.place.flatMap { !operand.isReadOnly && isWritable($0) ? $0 : nil }
    }
    if !backs.isEmpty, ways.allSatisfy({ $0 == nil }) {
      for (operand, back) in zip(plan.backs, backs) {
        guard let place = back.place else { continue }
        if operand.isReadOnly {
          throw .noWayBack(displayText(place.key), describe(place.object))
        }
        try refuseReadOnly(place, for: connection)
      }
    }
    let begins = plan.hasPaths ? noteAims(of: connection, plan, led) : nil
    guard let targetPlace = target.place else { return }
    let output = graph.cell(for: targetPlace, named: cellName(of: plan.target, at: targetPlace))
    if let operand = plan.other {
      guard let otherPlace = other?.place else { return }
      let otherName = cellName(of: operand, at: otherPlace)
      if let observer = connection.observer, observer.kind == .places {
        let right = graph.cell(for: otherPlace, named: otherName)
        return try relate(connection, observer, output, right)
      }
      guard !plan.isOneWay else {
        return try copy(
          connection, output, graph.cell(for: otherPlace, named: otherName))
      }
      let right = graph.cell(for: otherPlace, named: otherName)
      if plan.solver == nil, plan.requestedSolver == nil, plan.strength == .required,
        connection.observer == nil, connection.tolerance == nil,
        graph.areEqualAlready(output, right)
      {
        connection.keys =
          connection.keptKeys
          ?? keys(target: targetPlace, reads: []) + keys(target: otherPlace, reads: [])
        return graph.addRedundant(connection, output, right)
      }
      do throws(Failure) {
        try join(connection, output, right, beginningWith: begins)
      } catch {
        // Numbers that others say something else of can still be equal.
        guard output != right, error.errorClass == .constraintError, plan.solver == nil,
          plan.requestedSolver == nil,
          [output, right].allSatisfy({ isNumberOrMissing($0) })
        else { throw error }
        graph.dissolve(connection)
        do throws(Failure) {
          try establish(connection, plan, LinearPlan(equating: plan.target, operand))
        } catch let other {
          // Who adds up knows better what stands against it than who looks for an order.
          throw graph.isUnwinding || other.isContradiction ? other : error
        }
      }
      return
    }
    guard plan.block != nil || plan.native != nil else { return }
    // With no place to compute on the other side, it waits until a path leads to one.
    if !ways.isEmpty, !ways.contains(where: { $0 != nil }) { return }
    // The cells, each once, and what the text calls them; Swift code is given each as often as it has
    // asked for it.
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
    for read in inputs { try refuseSilent(read, for: connection) }
    if !backs.isEmpty, let block = plan.block {
      do throws(Failure) {
        try joinInverse(
          connection, output, reads: inputs, names: names,
          backs: ways, blocks: block, beginningWith: begins)
      } catch {
        guard let sum = plan.otherwise, error.errorClass == .constraintError else { throw error }
        graph.dissolve(connection)
        do throws(Failure) {
          try establish(connection, plan, sum)
        } catch let other {
          // What is no sum either was refused for something else.
          throw graph.isUnwinding || sum.isAffine || other.isContradiction ? other : error
        }
      }
      return
    }
    let source: Formula.Source
    if let native = plan.native {
      source = .native(SwiftFormula(graph: graph, inputs: given, native))
    } else {
      source = .block(plan.block ?? .nil)
    }
    let made = graph.makeFormula(
      of: connection, output: output, inputs: inputs, source: source)
    made.takeText(readNames: names)
    let formula = graph.weighed(made)
    if formula.equation == nil { graph.recognizeFold(formula) }
    connection.keys =
      connection.keptKeys ?? keys(target: targetPlace, reads: reads.compactMap(\.aim.place))
    try graph.add([formula], origin: nil)
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

extension Connection {
  /// What the failure of one of its formulas said; nil where none has failed by itself.
  fileprivate var ownFailure: String? {
    formulas.lazy.compactMap { formula in
      if case .failed(let message) = formula.state { message } else { nil }
    }.first
  }
}

extension ConnectionGraph {
  // MARK: Paths

  /// Notes the places on the way of a connection's paths.
  func watchPath(
    of connection: Connection, through steps: [Place], nameOf: (Place) -> String
  ) {
    for step in steps {
      let cell = cell(for: step, name: nameOf(step))
      pathWatchers[cell, default: ConnectionSet()].insert(connection)
      noteHooks(of: cell)
      connection.steps.append(cell)
    }
  }

  /// Forgets the places on the way of a connection's paths.
  func unwatchPath(of connection: Connection) {
    let steps = connection.steps
    connection.steps = []
    for step in steps {
      structuralWork += pathWatchers[step]?.remove(connection) ?? 0
      if pathWatchers[step]?.isEmpty ?? true { pathWatchers[step] = nil }
      noteHooks(of: step)
    }
    release(steps)
  }

  /// Makes connections anew whose paths may lead elsewhere now.
  ///
  /// One that cannot be is in error until a path leads elsewhere again, and whoever has written goes on.
  ///
  /// - Throws: a failure when an accessor on the way was interrupted.
  func retarget() throws(Failure) {
    let waiting = retargeted
    retargeted = []
    var failure: Failure?
    for connection in waiting {
      guard connection.status == .active, let plan = connection.plan else { continue }
      // Its formula may have gone the path before, and have said the same.
      if machine.staysAimed(connection, plan) {
        connection.awaitsAim = false
        continue
      }
      let known = connection.pathFailure ?? connection.ownFailure
      // What is known of the changes of its places, and of those on the way, is kept.
      let cells = connection.formulas.flatMap { $0.inputs + [$0.output] } + connection.steps
      let outer = rememberedCells
      rememberedCells.formUnion(cells)
      defer {
        rememberedCells = outer
        release(cells)
      }
      dissolve(connection)
      blockingPlace = nil
      do throws(Failure) {
        try machine.establish(connection, plan)
      } catch {
        if isUnwinding {
          failure = failure ?? error
        } else if connection.status == .active {
          if known != error.message { machine.report(error, of: connection) }
          connection.pathFailure = error.message
          if let place = blockingPlace {
            watchPath(of: connection, through: [place], nameOf: { machine.name(of: $0) })
          }
          continue
        }
      }
      connection.pathFailure = nil
    }
    if let failure { throw failure }
  }

  // MARK: Suspending

  func suspend(_ connection: Connection) {
    guard connection.status == .active else { return }
    connection.status = .suspended
    dissolve(connection)
  }

  func resume(_ connection: Connection) throws(Failure) {
    guard connection.status == .suspended, let plan = connection.plan else { return }
    unwatch(connection)
    connection.status = .active
    // What has changed meanwhile is what it begins with.
    connection.observer?.isPending = false
    do throws(Failure) {
      try machine.establish(connection, plan)
      connection.compact()
      connection.pathFailure = nil
      recordNewConnection(connection, wasSuspended: true)
    } catch {
      dissolve(connection)
      connection.status = .suspended
      throw error
    }
  }

  func forgetKnown(of cell: CellID) {
    cells[cell.index].known = nil
  }
}
