internal import TenonLexer
internal import TenonParser
internal import TenonTables

/// What all connections share that one statement has made: it is kept once.
final class StatementSite {
  /// The connector: `|=` or `=|=`.
  let connector: String
  /// The statement, printed from its syntax; nil for one of Swift code, which is told by its places.
  let text: String?
  let source: SourceText
  let range: SourceRange
  /// Where it stands, for errors that come to light later.
  let site: TraceEntry?
  /// The right side of `|=`, in case it has to be read as a sum.
  let formula: Expression?
  /// The graph of the connections; see `CellView`.
  unowned(unsafe) let graph: ConnectionGraph
  /// What the text calls the places; nil where they are called what their cells are called.
  let names: Names?

  struct Names: Equatable {
    var target: String
    var other: String?
    var reads: [String]
  }

  init(
    connector: String, text: String?, source: SourceText, range: SourceRange, site: TraceEntry?,
    formula: Expression?, names: Names?, in graph: ConnectionGraph
  ) {
    unsafe self.graph = graph
    self.connector = connector
    self.text = text
    self.source = source
    self.range = range
    self.site = site
    self.formula = formula
    self.names = names
  }

  var readNames: [String] { names?.reads ?? [] }
}

/// Finds the statement of a connection among those that have made connections lately.
///
/// It keeps none of them alive: a statement that nothing refers to any more is made anew.
struct StatementCache {
  private struct Entry {
    weak var statement: StatementSite?
  }

  private var entries = Array(repeating: Entry(), count: 64)

  /// The statement that says the same at the same place in the program, or the new one.
  mutating func share(_ new: StatementSite) -> StatementSite {
    let key = new.site.map { UInt64(UInt(bitPattern: ObjectIdentifier($0.site))) } ?? 0
    let index = Int((key &* 0x9E37_79B9_7F4A_7C15) >> 58)
    if let known = entries[index].statement, known.connector == new.connector,
      known.text == new.text, known.source === new.source, known.range == new.range,
      known.site?.site === new.site?.site, known.site?.code === new.site?.code,
      known.names == new.names
    {
      return known
    }
    entries[index].statement = new
    return new
  }
}

/// What a connector made: an object of the language stands for it.
///
/// Most connections are one formula between places that are known: nothing is kept of them that
/// follows from the statement, the formula and its cells. What few have is in extras.
final class Connection {
  /// The number, and in the highest bit whether it has ended.
  private var numberAndEnd: UInt32
  /// The first of its formulas, or -1.
  private var firstNumber: Int32 = -1
  private(set) var statement: StatementSite
  private var extras: Extras?

  /// What few connections have.
  private final class Extras {
    var status = Status.active
    var strength = Strength.required
    var flags: UInt8 = 0
    var plan: ConnectionPlan?
    var keys: [Value]?
    var kept = Value.nil
    var keptKeys: [Value]?
    var fixedKeys: [Value] = []
    var steps: [CellID] = []
    var solver: String?
    var forced: ForcedSolver?
    var relay: Relay?
    var silence: Failure?
    var tolerance: Tolerance?

    /// Whether there is nothing that would have to be kept.
    var isEmpty: Bool {
      status == .active && strength == .required && flags == 0 && plan == nil && keys == nil
        && kept.isNil && keptKeys == nil && fixedKeys.isEmpty && steps.isEmpty && solver == nil
        && forced == nil && relay == nil && silence == nil && tolerance == nil
    }
  }

  enum Status: String {
    case active
    case suspended
    case disconnected
  }

  init(number: Int, statement: StatementSite) {
    numberAndEnd = UInt32(truncatingIfNeeded: number) & Connection.numberMask
    self.statement = statement
  }

  private static var numberMask: UInt32 { .max >> 1 }

  var number: Int { Int(numberAndEnd & Connection.numberMask) }

  private var graph: ConnectionGraph { unsafe statement.graph }

  var status: Status {
    get { numberAndEnd > Connection.numberMask ? .disconnected : extras?.status ?? .active }
    set {
      if newValue == .disconnected {
        numberAndEnd |= ~Connection.numberMask
      } else if extras != nil || newValue != .active {
        makeExtras().status = newValue
      }
    }
  }

  /// How much it counts.
  var strength: Strength {
    get { extras?.strength ?? .required }
    set { if extras != nil || newValue != .required { makeExtras().strength = newValue } }
  }

  private func makeExtras() -> Extras {
    if let extras { return extras }
    let made = Extras()
    extras = made
    return made
  }

  // MARK: What the statement says

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
    set {
      statement = StatementSite(
        connector: statement.connector, text: newValue, source: source, range: range, site: site,
        formula: statement.formula, names: statement.names, in: graph)
    }
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

  private var firstFormula: Formula? { graph.formula(firstNumber) }

  private var hasSeveralFormulas: Bool { firstFormula?.nextOfConnection != nil }

  /// Its only formula, if there is exactly one.
  var onlyFormula: Formula? { hasSeveralFormulas ? nil : firstFormula }

  /// Adds a formula that has been made for it.
  func append(_ formula: Formula) {
    guard var last = firstFormula else {
      firstNumber = formula.id.rawValue
      return
    }
    while let next = last.nextOfConnection { last = next }
    last.nextOfConnection = formula
  }

  /// Lets go of its formulas, which end.
  func removeFormulas() { firstNumber = -1 }

  /// How often its formulas have run.
  var runs: Int {
    var runs = relay?.updateCount ?? 0
    for formula in formulas { runs += formula.runs }
    return runs
  }

  // MARK: Flags

  private subscript(flag flag: UInt8) -> Bool {
    get { extras.map { $0.flags & flag != 0 } ?? false }
    set {
      if extras == nil, !newValue { return }
      let flags = makeExtras().flags
      extras?.flags = newValue ? flags | flag : flags & ~flag
    }
  }

  /// Whether its place may be written from elsewhere.
  var allowsOverride: Bool {
    get { self[flag: 1] }
    set { self[flag: 1] = newValue }
  }
  /// Whether it has still to be told its solver before it comes into force.
  var isHeld: Bool {
    get { self[flag: 2] }
    set { self[flag: 2] = newValue }
  }
  /// Whether one of its paths may lead elsewhere now and will be followed anew: only what no path
  /// leads to ends it then.
  var awaitsAim: Bool {
    get { self[flag: 4] }
    set { self[flag: 4] = newValue }
  }
  /// Whether what it computes must stay true.
  var isInvariant: Bool {
    get { self[flag: 8] }
    set { self[flag: 8] = newValue }
  }

  /// Whether no solver that costs less may keep it: that is not possible with what stands beside it.
  var hasNoPreference: Bool {
    get { self[flag: 16] }
    set { self[flag: 16] = newValue }
  }

  // MARK: What few have

  /// The solver that the program has chosen, or prefers by its cost.
  var forced: ForcedSolver? {
    get { extras?.forced }
    set { if extras != nil || newValue != nil { makeExtras().forced = newValue } }
  }
  /// The solver that the program has chosen for this connection.
  var chosenSolver: ForcedSolver? { forced.flatMap { $0.isPreference ? nil : $0 } }
  /// The only solver that may keep it, if the program asks for one.
  var solver: String? {
    get { extras?.solver }
    set { if extras != nil || newValue != nil { makeExtras().solver = newValue } }
  }
  /// An object that lives as long as the connection does.
  var kept: Value {
    get { extras?.kept ?? .nil }
    set { if extras != nil || !newValue.isNil { makeExtras().kept = newValue } }
  }
  /// Objects whose death ends a connection that keeps an object.
  var keptKeys: [Value]? {
    get { extras?.keptKeys }
    set { if extras != nil || newValue != nil { makeExtras().keptKeys = newValue } }
  }
  /// Those of the keys that no path leads to; known where there is a path.
  var fixedKeys: [Value] {
    get { extras?.fixedKeys ?? [] }
    set { if extras != nil || !newValue.isEmpty { makeExtras().fixedKeys = newValue } }
  }
  /// The places on the way of its paths.
  var steps: [CellID] {
    get { extras?.steps ?? [] }
    set { if extras != nil || !newValue.isEmpty { makeExtras().steps = newValue } }
  }
  /// What is told of changes in place of formulas.
  var relay: Relay? {
    get { extras?.relay }
    set { if extras != nil || newValue != nil { makeExtras().relay = newValue } }
  }
  /// Why it is refused unless it gets a policy that looks for changes.
  var silence: Failure? {
    get { extras?.silence }
    set { if extras != nil || newValue != nil { makeExtras().silence = newValue } }
  }
  /// By how much a new value may differ from the old one without counting as a change.
  var tolerance: Tolerance? {
    get { extras?.tolerance }
    set { if extras != nil || newValue != nil { makeExtras().tolerance = newValue } }
  }

  // MARK: What follows from the formulas

  /// What the program asked to hold: made anew from it when a path changes, or it is resumed.
  var plan: ConnectionPlan? {
    get { extras?.plan ?? rebuiltPlan }
    set { if extras != nil || newValue != nil { makeExtras().plan = newValue } }
  }

  /// The plan, where it is kept.
  var storedPlan: ConnectionPlan? { extras?.plan }

  /// Objects whose death ends the connection.
  var keys: [Value] {
    get { extras?.keys ?? derivedKeys }
    set { makeExtras().keys = newValue }
  }

  /// The keys, where they do not follow from its formulas.
  var storedKeys: [Value]? { extras?.keys }

  /// Lets go of what follows from the formulas, which are in force now.
  func shrink() {
    guard let extras else { return }
    if let plan = extras.plan, let rebuilt = rebuiltPlan, plan.isSame(as: rebuilt) {
      extras.plan = nil
    }
    if let keys = extras.keys, Set(keys.map(\.bits)) == Set(derivedKeys.map(\.bits)) {
      extras.keys = nil
    }
    if extras.isEmpty { self.extras = nil }
  }

  /// Keeps what follows from the formulas, which are going to be given up.
  func expand() {
    guard firstFormula != nil else { return }
    if extras?.plan == nil, let plan = rebuiltPlan { makeExtras().plan = plan }
    if extras?.keys == nil { makeExtras().keys = derivedKeys }
  }

  private var derivedKeys: [Value] {
    guard let firstFormula else { return [] }
    func place(_ cell: CellID) -> Place { graph.place(of: cell) }
    if !hasSeveralFormulas {
      return graph.machine.keys(
        target: place(firstFormula.output), reads: firstFormula.staticInputs.map { place($0) })
    }
    return formulas.flatMap { graph.machine.keys(target: place($0.output), reads: []) }
  }

  /// The plan as it follows from the formulas and the statement; nil where it has more to say.
  private var rebuiltPlan: ConnectionPlan? {
    guard let firstFormula, relay == nil, firstFormula.equation == nil else { return nil }
    let names = statement.names
    func operand(_ cell: CellID, _ name: String?) -> ConnectionPlan.Operand {
      ConnectionPlan.Operand(
        place: .place(graph.place(of: cell)), name: name ?? graph[cell].name)
    }
    let target = operand(firstFormula.output, names?.target)
    let inputs = firstFormula.staticInputs
    var plan: ConnectionPlan
    switch firstFormula.source {
    case .copy(let cell):
      plan = ConnectionPlan(
        target: target, block: nil, other: operand(cell, names?.other), reads: [])
      plan.isOneWay = !hasSeveralFormulas
    case .block(let block):
      guard !hasSeveralFormulas, names == nil || names?.reads.count == inputs.count else {
        return nil
      }
      let reads = inputs.indices.map { operand(inputs[$0], names?.reads[$0]) }
      plan = ConnectionPlan(target: target, block: block, other: nil, reads: reads)
      plan.formula = firstFormula.text
    case .native(let native):
      guard !hasSeveralFormulas, names == nil || names?.reads.count == inputs.count else {
        return nil
      }
      let reads = inputs.indices.map { operand(inputs[$0], names?.reads[$0]) }
      plan = ConnectionPlan(target: target, block: nil, other: nil, reads: reads)
      plan.native = native.code
    case .equation: return nil
    }
    plan.strength = strength
    return plan
  }
}

extension ConnectionPlan {
  /// Whether any of its places stands at the end of a path.
  var hasPaths: Bool {
    ([target, other].compactMap { $0 } + reads + backs).contains { operand in
      if case .path = operand.place { true } else { false }
    }
  }

  /// Whether another plan, made from formulas, says all that this one says.
  fileprivate func isSame(as rebuilt: ConnectionPlan) -> Bool {
    func isSame(_ left: Operand?, _ right: Operand?) -> Bool {
      guard let left, let right else { return left == nil && right == nil }
      guard case .place(let place) = left.place, case .place(let other) = right.place else {
        return false
      }
      return place == other && left.name == right.name
    }
    guard linear == nil, otherwise == nil, forced == nil, solver == nil, backs.isEmpty,
      !awaitsPolicy, block == rebuilt.block, (native == nil) == (rebuilt.native == nil),
      (formula == nil) == (rebuilt.formula == nil), strength == rebuilt.strength,
      isOneWay == rebuilt.isOneWay, reads.count == rebuilt.reads.count
    else { return false }
    return isSame(target, rebuilt.target) && isSame(other, rebuilt.other)
      && zip(reads, rebuilt.reads).allSatisfy { isSame($0, $1) }
  }
}
