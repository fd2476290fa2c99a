internal import TenonLexer
internal import TenonParser
internal import TenonSolverKit
internal import TenonTables

/// The fields that few connections have.
final class ConnectionExtras {
  fileprivate var status = Connection.Status.active
  fileprivate var strength = Strength.required
  fileprivate var flags: UInt8 = 0
  fileprivate var plan: ConnectionSpec?
  fileprivate var lifetimeOwners: [Value]?
  fileprivate var kept = Value.nil
  fileprivate var keptOwners: [Value]?
  fileprivate var fixedOwners: [Value] = []
  fileprivate var steps: [CellID] = []
  fileprivate var solver: String?
  fileprivate var requestedSolver: RequestedSolver?
  fileprivate var observer: ConnectionObserver?
  fileprivate var silence: Failure?
  fileprivate var tolerance: Tolerance?
  fileprivate var pathFailure: String?
  fileprivate var aimed: AimedSides?
  fileprivate var parts: [Int32] = []

  /// Whether no field has a value that would have to be kept.
  fileprivate var isEmpty: Bool {
    status == .active && strength == .required && flags == 0 && plan == nil && lifetimeOwners == nil
      && kept.isNil && keptOwners == nil && fixedOwners.isEmpty && steps.isEmpty && solver == nil
      && requestedSolver == nil && observer == nil && silence == nil && tolerance == nil
      && pathFailure == nil && aimed == nil && parts.isEmpty
  }
}

/// A connection that a connector statement has made, represented by an object of the language.
///
/// Most connections are one formula between places that are known: data that follows from the statement,
/// the formula and its cells is not stored. The rest is in tables of the graph, by the number of the
/// connection, and the fields that few have are in extras. For the reference to the graph see
/// `CellView`.
///
/// An ended connection keeps its data as long as code runs that may use it; from then on it has the data
/// of no connection, and takes none.
struct Connection: Hashable {
  @Uncounted private var owner: ConnectionGraph
  /// Its number; 0 for no connection.
  let id: Int32

  enum Status: String {
    case active
    case suspended
    case disconnected
  }

  /// The connection that has a number at present.
  init(_ number: Int32, in graph: ConnectionGraph) {
    _owner = Uncounted(wrappedValue: graph)
    id = number
  }

  static func == (left: Connection, right: Connection) -> Bool { left.id == right.id }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }

  var number: Int { Int(id) }

  private var graph: ConnectionGraph { owner }
  private var table: ConnectionTable { graph.connecting.connectionTable }
  private var extras: ConnectionExtras? { table.extras[id] }

  var status: Status {
    get { table.isInForce(id) ? extras?.status ?? .active : .disconnected }
    nonmutating set {
      if newValue == .disconnected {
        table.end(id)
      } else if extras != nil || newValue != .active {
        makeExtras()?.status = newValue
      }
    }
  }

  /// The strength of the connection.
  var strength: Strength {
    get { extras?.strength ?? .required }
    nonmutating set {
      if extras != nil || newValue != .required { makeExtras()?.strength = newValue }
    }
  }

  /// Returns the extras, made when there are none; nil for a connection that is gone.
  private func makeExtras() -> ConnectionExtras? {
    if let extras { return extras }
    guard table.contains(id) else { return nil }
    let made = ConnectionExtras()
    table.extras[id] = made
    return made
  }

  // MARK: The statement

  /// The statement that has made it.
  var statement: StatementSite { table.statement(of: id) }
  var connector: String { statement.connector }
  var source: SourceText { statement.source }
  var range: SourceRange { statement.range }
  /// The statement, for errors that come to light later.
  var site: TraceEntry? { statement.site }

  /// The statement, printed from its syntax.
  var text: String {
    get {
      if let text = statement.text { return text }
      guard let plan else { return statement.connector }
      return "\(plan.target.name) |= swift(\(plan.reads.map(\.name).joined(separator: ", ")))"
    }
    nonmutating set {
      let statement = statement
      table.setStatement(
        StatementSite(
          connector: statement.connector, text: newValue, source: source, range: range, site: site,
          formula: statement.formula, names: statement.names, origin: statement.origin), of: id)
    }
  }

  /// Replaces the text and position of the statement, for a connector of the program's own.
  func stand(for text: String, at site: TraceEntry?) {
    let statement = statement
    table.setStatement(
      StatementSite(
        connector: statement.connector, text: text, source: site?.code.source ?? source,
        range: site?.site.range ?? range, site: site ?? statement.site,
        formula: statement.formula, names: statement.names, origin: .standIn), of: id)
  }

  /// The place of the statement, `file.st:10`.
  var location: String { "\(source.name):\(source.location(of: range.start).line)" }

  // MARK: Formulas

  /// Its formulas, in the order in which they were made.
  var formulas: [Formula] {
    var formulas: [Formula] = []
    var next = firstFormula
    while let formula = next {
      formulas.append(formula)
      next = formula.nextOfConnection
    }
    return formulas
  }

  var firstFormula: Formula? { graph.formula(table.firstFormula(of: id)) }

  private var hasSeveralFormulas: Bool { firstFormula?.nextOfConnection != nil }

  /// The only formula, if there is exactly one.
  var onlyFormula: Formula? { hasSeveralFormulas ? nil : firstFormula }

  /// Adds a formula that has been made for it.
  func append(_ formula: Formula) {
    guard var last = firstFormula else {
      table.setFirstFormula(formula.id.rawValue, of: id)
      return
    }
    while let next = last.nextOfConnection { last = next }
    last.nextOfConnection = formula
  }

  /// Removes its formulas, which end.
  func removeFormulas() { table.setFirstFormula(-1, of: id) }

  /// The number of runs of its formulas.
  var runs: Int {
    var runs = observer?.updateCount ?? 0
    for formula in formulas { runs += formula.runs }
    return runs
  }

  // MARK: Flags

  private subscript(flag flag: UInt8) -> Bool {
    get { extras.map { $0.flags & flag != 0 } ?? false }
    nonmutating set {
      guard extras != nil || newValue, let extras = makeExtras() else { return }
      extras.flags = newValue ? extras.flags | flag : extras.flags & ~flag
    }
  }

  /// Whether its place may be written by others.
  var allowsOverride: Bool {
    get { self[flag: 1] }
    nonmutating set { self[flag: 1] = newValue }
  }
  /// Whether its solver has still to be set before it comes into force.
  var awaitsSolver: Bool {
    get { self[flag: 2] }
    nonmutating set { self[flag: 2] = newValue }
  }
  /// Whether one of its paths may lead elsewhere now and will be followed anew: until then only the death
  /// of an object that no path leads to ends it.
  var awaitsAim: Bool {
    get { self[flag: 4] }
    nonmutating set { self[flag: 4] = newValue }
  }
  /// Whether its formula must stay true.
  var isInvariant: Bool {
    get { self[flag: 8] }
    nonmutating set { self[flag: 8] = newValue }
  }

  /// Whether no cheaper solver may keep it, as that is not possible with the constraints beside it.
  var hasNoPreference: Bool {
    get { self[flag: 16] }
    nonmutating set { self[flag: 16] = newValue }
  }

  // MARK: Extras

  /// The solver that the program has chosen, or prefers by its cost.
  var requestedSolver: RequestedSolver? {
    get { extras?.requestedSolver }
    nonmutating set {
      if extras != nil || newValue != nil { makeExtras()?.requestedSolver = newValue }
    }
  }
  /// The solver that the program has chosen for this connection.
  var chosenSolver: RequestedSolver? { requestedSolver.flatMap { $0.isPreference ? nil : $0 } }
  /// The only solver that may keep it, if the program asks for one.
  var solver: String? {
    get { extras?.solver }
    nonmutating set { if extras != nil || newValue != nil { makeExtras()?.solver = newValue } }
  }
  /// An object that lives as long as the connection does.
  var kept: Value {
    get { extras?.kept ?? .nil }
    nonmutating set { if extras != nil || !newValue.isNil { makeExtras()?.kept = newValue } }
  }
  /// Objects whose death ends a connection that keeps an object.
  var keptOwners: [Value]? {
    get { extras?.keptOwners }
    nonmutating set { if extras != nil || newValue != nil { makeExtras()?.keptOwners = newValue } }
  }
  /// The keys that no path leads to; known where there is a path.
  var fixedOwners: [Value] {
    get { extras?.fixedOwners ?? [] }
    nonmutating set {
      if extras != nil || !newValue.isEmpty { makeExtras()?.fixedOwners = newValue }
    }
  }
  /// The places on the way of its paths.
  var steps: [CellID] {
    get { extras?.steps ?? [] }
    nonmutating set {
      guard extras != nil || !newValue.isEmpty, let extras = makeExtras() else { return }
      graph.machine.heap.countOutside(
        (newValue.count - extras.steps.count) * GraphSize.step)
      extras.steps = newValue
    }
  }
  /// The observer that is told of changes in place of formulas.
  var observer: ConnectionObserver? {
    get { extras?.observer }
    nonmutating set { if extras != nil || newValue != nil { makeExtras()?.observer = newValue } }
  }
  /// The failure with which it is refused unless it gets a policy that polls for changes.
  var silence: Failure? {
    get { extras?.silence }
    nonmutating set { if extras != nil || newValue != nil { makeExtras()?.silence = newValue } }
  }
  /// The amount by which a new value may differ from the old one without counting as a change.
  var tolerance: Tolerance? {
    get { extras?.tolerance }
    nonmutating set { if extras != nil || newValue != nil { makeExtras()?.tolerance = newValue } }
  }

  /// The connections that end, are suspended and resumed with it, with their parts: those that it goes
  /// through come before it.
  var parts: [Connection] {
    get { extras?.parts.compactMap { graph.connections[Int($0)] } ?? [] }
    nonmutating set {
      if extras != nil || !newValue.isEmpty { makeExtras()?.parts = newValue.map(\.id) }
    }
  }

  /// The reason why it could not be made anew where its paths lead now.
  var pathFailure: String? {
    get { extras?.pathFailure }
    nonmutating set {
      if extras != nil || newValue != nil { makeExtras()?.pathFailure = newValue }
    }
  }

  /// The places to which its sides with computed paths have led.
  var aimed: AimedSides? {
    get { extras?.aimed }
    nonmutating set { if extras != nil || newValue != nil { makeExtras()?.aimed = newValue } }
  }

  // MARK: Data that follows from the formulas

  /// The specification from which the connection is made anew when a path changes, or it is resumed.
  var plan: ConnectionSpec? {
    get { extras?.plan ?? rebuiltPlan }
    nonmutating set { if extras != nil || newValue != nil { makeExtras()?.plan = newValue } }
  }

  /// The specification, where it is stored.
  var storedPlan: ConnectionSpec? { extras?.plan }

  /// Objects whose death ends the connection.
  var lifetimeOwners: [Value] {
    get { extras?.lifetimeOwners ?? derivedOwners }
    nonmutating set { makeExtras()?.lifetimeOwners = newValue }
  }

  /// The keys, where they do not follow from the formulas.
  var storedOwners: [Value]? { extras?.lifetimeOwners }

  /// Removes stored data that follows from the formulas, which are in force now.
  func compact() {
    guard let extras else { return }
    if let plan = extras.plan, let rebuilt = rebuiltPlan, plan.isSame(as: rebuilt) {
      extras.plan = nil
    }
    if let owners = extras.lifetimeOwners, Set(owners.map(\.bits)) == Set(derivedOwners.map(\.bits))
    {
      extras.lifetimeOwners = nil
    }
    if extras.isEmpty { table.extras[id] = nil }
  }

  /// Stores the data that follows from the formulas, which are about to be removed.
  func materialize() {
    guard firstFormula != nil else { return }
    if extras?.plan == nil, let plan = rebuiltPlan { makeExtras()?.plan = plan }
    if extras?.lifetimeOwners == nil { makeExtras()?.lifetimeOwners = derivedOwners }
  }

  private var derivedOwners: [Value] {
    guard let firstFormula else { return [] }
    func place(_ cell: CellID) -> Place { graph.place(of: cell) }
    if !hasSeveralFormulas {
      return graph.machine.lifetimeOwners(
        target: place(firstFormula.output), reads: firstFormula.staticInputs.map { place($0) })
    }
    return formulas.flatMap { graph.machine.lifetimeOwners(target: place($0.output), reads: []) }
  }

  /// The specification that follows from the formulas and the statement; nil where it has further data.
  private var rebuiltPlan: ConnectionSpec? {
    guard let firstFormula, observer == nil, firstFormula.equation == nil else { return nil }
    let names = statement.names
    func operand(_ cell: CellID, _ name: String?) -> ConnectionSpec.Operand {
      ConnectionSpec.Operand(
        place: .place(graph.place(of: cell)), name: name ?? graph[cell].name)
    }
    let target = operand(firstFormula.output, names?.target)
    let inputs = firstFormula.staticInputs
    var plan: ConnectionSpec
    switch firstFormula.source {
    case .copy(let cell):
      plan = ConnectionSpec(
        target: target, block: nil, other: operand(cell, names?.other), reads: [])
      plan.isOneWay = !hasSeveralFormulas
    case .block(let block):
      guard !hasSeveralFormulas, names == nil || names?.reads.count == inputs.count else {
        return nil
      }
      let reads = inputs.indices.map { operand(inputs[$0], names?.reads[$0]) }
      plan = ConnectionSpec(target: target, block: block, other: nil, reads: reads)
      plan.formula = firstFormula.text
    case .native(let native):
      guard !hasSeveralFormulas, names == nil || names?.reads.count == inputs.count else {
        return nil
      }
      let reads = inputs.indices.map { operand(inputs[$0], names?.reads[$0]) }
      plan = ConnectionSpec(target: target, block: nil, other: nil, reads: reads)
      plan.native = native.code
    case .equation: return nil
    }
    plan.strength = strength
    return plan
  }
}

extension ConnectionSpec {
  /// Whether any of its places stands at the end of a path.
  var hasPaths: Bool {
    ([target, other].compactMap { $0 } + reads + backs).contains { operand in
      if case .place = operand.place { false } else { true }
    }
  }

  /// Returns whether another specification, made from formulas, has all the data of this one.
  fileprivate func isSame(as rebuilt: ConnectionSpec) -> Bool {
    func isSame(_ left: Operand?, _ right: Operand?) -> Bool {
      guard let left, let right else { return left == nil && right == nil }
      guard case .place(let place) = left.place, case .place(let other) = right.place else {
        return false
      }
      return place == other && left.name == right.name
    }
    guard linear == nil, otherwise == nil, requestedSolver == nil, solver == nil, backs.isEmpty,
      !awaitsPolicy, block == rebuilt.block, (native == nil) == (rebuilt.native == nil),
      (formula == nil) == (rebuilt.formula == nil), strength == rebuilt.strength,
      isOneWay == rebuilt.isOneWay, reads.count == rebuilt.reads.count
    else { return false }
    return isSame(target, rebuilt.target) && isSame(other, rebuilt.other)
      && zip(reads, rebuilt.reads).allSatisfy { isSame($0, $1) }
  }
}
