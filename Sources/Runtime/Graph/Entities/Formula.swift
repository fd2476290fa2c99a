internal import TenonParser
internal import TenonSolverKit
internal import TenonTables

/// The record of a formula, without the data that a turn needs.
@safe
struct FormulaRecord {
  /// The lowest bits of the order of declaration: another formula may get its number later.
  let order: UInt32
  /// The first of one or two cells that it reads according to its text, or -1.
  fileprivate(set) var firstInput: Int32
  /// The number of the constraint it is part of, `alone` where it is one by itself, or -1.
  var constraint: Int32 = -1
  /// The next formula of its constraint, or -1; while it is one by itself, the level of the one-way
  /// solver it is in, or -1.
  var nextOrLevel: Int32 = -1
  private var flags = Flags()

  /// The number that stands for a constraint without a record, which is the formula alone.
  static var alone: Int32 { -2 }

  init(order: UInt32, firstInput: Int32) {
    self.order = order
    self.firstInput = firstInput
    flags.insert(.used)
  }

  private struct Flags: OptionSet {
    let rawValue: UInt8

    static var used: Flags { Flags(rawValue: 1) }
    static var inverse: Flags { Flags(rawValue: 2) }
    static var text: Flags { Flags(rawValue: 4) }
    static var native: Flags { Flags(rawValue: 8) }
    static var constraint: Flags { Flags(rawValue: 16) }
    static var joined: Flags { Flags(rawValue: 32) }
    static var awaitingInverse: Flags { Flags(rawValue: 64) }
  }

  private subscript(flag: Flags) -> Bool {
    get { flags.contains(flag) }
    set { if newValue { flags.insert(flag) } else { flags.remove(flag) } }
  }

  /// Whether it has not ended.
  var isUsed: Bool {
    get { self[.used] }
    set { self[.used] = newValue }
  }
  /// Whether it is an inverse: it says the same as another formula of its connection.
  var isInverse: Bool {
    get { self[.inverse] }
    set { self[.inverse] = newValue }
  }
  /// Whether it computes the formula in the text of the statement.
  var hasText: Bool {
    get { self[.text] }
    set { self[.text] = newValue }
  }
  /// Whether it is Swift code, for which it has a record.
  var hasNative: Bool {
    get { self[.native] }
    set { self[.native] = newValue }
  }
  /// Whether there is a constraint without a record for the formula.
  var isConstraint: Bool {
    get { self[.constraint] }
    set { self[.constraint] = newValue }
  }
  /// Whether that constraint has the formula already.
  var hasJoined: Bool {
    get { self[.joined] }
    set { self[.joined] = newValue }
  }
  /// Whether that constraint waits for an inverse.
  var isAwaitingInverse: Bool {
    get { self[.awaitingInverse] }
    set { self[.awaitingInverse] = newValue }
  }
}

/// The fields that few formulas have.
final class FormulaExtras {
  fileprivate var dynamicInputs: [CellID] = []
  fileprivate var textReads: [CellID]?
  fileprivate var readNames: [String]?
  fileprivate var fold: Fold?
  fileprivate var equation: Equation?
}

/// One direction of a connection: the computation of a place's value from others.
///
/// There is one for each connection at least: its data is in tables of the graph, by its number. For
/// the reference to the graph see `CellView`.
struct Formula: Hashable {
  @Uncounted var graph: ConnectionGraph
  let id: FormulaID
  private let stamp: UInt32

  enum Source {
    /// A block of the language.
    case block(Value)
    /// The value of another cell: one half of a plain `=|=`.
    case copy(CellID)
    /// Swift code of the embedding program.
    case native(SwiftFormula)
    /// No code that could be run: the formula stands for an equation or an inequality.
    case equation(Equation)
  }

  enum State: Equatable {
    /// It has not run, or a value that it reads is missing.
    case waiting
    /// The last run gave the value.
    case satisfied
    /// The last run failed, with the message of the exception. Or the formula is held back, as one that it
    /// depends on has failed, with the message there.
    case failed(String)
  }

  /// The formula that has a number at present.
  init(_ number: Int32, in graph: ConnectionGraph) {
    _graph = Uncounted(wrappedValue: graph)
    id = FormulaID(number)
    stamp = graph.formulas[number].order
  }

  static func == (left: Formula, right: Formula) -> Bool {
    left.id == right.id && left.stamp == right.stamp
  }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// The record, for reading and for changing it.
  private var record: FormulaRecord {
    get { graph.formulas[id.rawValue] }
    nonmutating _modify { yield &graph.formulas[id.rawValue] }
  }

  private var hot: HotFormula {
    get { graph.hotFormulas[id.rawValue] }
    nonmutating _modify { yield &graph.hotFormulas[id.rawValue] }
  }

  private var extras: FormulaExtras? { graph.tables.formulaExtras[id.rawValue] }

  private func makeExtras() -> FormulaExtras {
    if let extras { return extras }
    let made = FormulaExtras()
    graph.tables.formulaExtras[id.rawValue] = made
    return made
  }

  /// Stores the parts of its source that the table of the turn has no room for.
  func take(_ source: Source, _ inputs: [CellID]) {
    switch source {
    case .native(let native):
      record.hasNative = true
      if native.inputs != inputs { keep(inputs) }
    case .equation(let equation):
      makeExtras().equation = equation
      keep(inputs)
    case .block, .copy: keep(inputs)
    }
  }

  /// Stores the cells that its text names; the record has a single one already.
  private func keep(_ inputs: [CellID]) {
    switch inputs.count {
    case 0, 1: break
    case 2:
      record.firstInput = inputs[0].rawValue
      graph.tables.secondInputs.set(id.rawValue, to: inputs[1].rawValue)
    default: graph.tables.manyInputs[id.rawValue] = inputs
    }
  }

  /// Releases its data, after it has ended.
  func releaseRecord() {
    hot.connection = 0
    graph.tables.nextOfConnection.remove(id.rawValue)
    graph.tables.secondInputs.remove(id.rawValue)
    graph.tables.manyInputs[id.rawValue] = nil
    graph.tables.formulaExtras[id.rawValue] = nil
    graph.recording.lastReads.remove(id.rawValue)
    if let native {
      record.hasNative = false
      graph.tables.natives.remove(native)
    }
  }

  var output: CellID { CellID(hot.output) }
  /// The order of declaration: a number that grows.
  var order: Int { Int(stamp) }

  /// The connection it belongs to.
  var connection: Connection { Connection(hot.connection, in: graph) }

  /// The constraint it is part of.
  var constraint: Constraint? {
    get {
      let number = record.constraint
      if number == FormulaRecord.alone { return Constraint(alone: self) }
      return number < 0 ? nil : Constraint(number, in: graph)
    }
    nonmutating set {
      record.constraint = newValue.map { $0.isAlone ? FormulaRecord.alone : $0.number } ?? -1
    }
  }

  /// Whether it is a constraint without a record.
  var isAlone: Bool { record.constraint == FormulaRecord.alone }

  /// The number of its constraint for one-way solvers: that of the formula.
  var levelID: ConstraintID { ConstraintID(id.rawValue) }

  /// The next formula of its constraint.
  var nextOfConstraint: Formula? {
    get { record.isConstraint ? nil : graph.formula(record.nextOrLevel) }
    nonmutating set {
      assert(newValue == nil || !record.isConstraint)
      if !record.isConstraint { record.nextOrLevel = newValue?.id.rawValue ?? -1 }
    }
  }

  /// The next formula of its connection.
  var nextOfConnection: Formula? {
    get { graph.formula(graph.tables.nextOfConnection[id.rawValue]) }
    nonmutating set {
      if let newValue {
        graph.tables.nextOfConnection.set(id.rawValue, to: newValue.id.rawValue)
      } else {
        graph.tables.nextOfConnection.remove(id.rawValue)
      }
    }
  }

  /// Whether it is an inverse: it says the same as another formula of its connection.
  var isInverse: Bool {
    get { record.isInverse }
    nonmutating set { record.isInverse = newValue }
  }

  /// Whether it is the second of two formulas that keep two places equal.
  var isWayBack: Bool {
    guard case .copy = source else { return false }
    return connection.firstFormula != self
  }

  /// The cells that its text names.
  var staticInputs: [CellID] {
    let first = record.firstInput
    if first >= 0 {
      let second = graph.tables.secondInputs[id.rawValue]
      return second < 0 ? [CellID(first)] : [CellID(first), CellID(second)]
    }
    return graph.tables.manyInputs[id.rawValue] ?? native?.inputs ?? []
  }

  /// The further cells that its last run has read.
  var dynamicInputs: [CellID] {
    get { extras?.dynamicInputs ?? [] }
    nonmutating set {
      if extras != nil || !newValue.isEmpty { makeExtras().dynamicInputs = newValue }
    }
  }

  /// The cells of `staticInputs` that its last run has read, once that is recorded.
  var textReads: [CellID]? {
    get { extras?.textReads }
    nonmutating set { if extras != nil || newValue != nil { makeExtras().textReads = newValue } }
  }

  /// The reads of the last run in their order, by which new reads are found quickly.
  var lastReads: [Place] {
    get { graph.recording.lastReads[id.rawValue] }
    nonmutating set { graph.recording.lastReads[id.rawValue] = newValue }
  }

  /// The state of its fold, if it is one over the elements of a collection.
  var fold: Fold? {
    get { extras?.fold }
    nonmutating set {
      if extras != nil || newValue != nil { makeExtras().fold = newValue }
      hot.hasFold = newValue != nil
    }
  }

  /// The text of the block.
  var text: Expression? { record.hasText ? connection.statement.formula : nil }

  /// The names that the text gives the places that it reads.
  var readNames: [String] {
    extras?.readNames ?? (record.hasText ? connection.statement.readNames : [])
  }

  /// Records that its block is the formula in the text of the statement, and the names of the places that
  /// it reads there.
  func takeText(readNames names: [String]) {
    record.hasText = connection.statement.formula != nil
    if record.hasText, names != connection.statement.readNames { makeExtras().readNames = names }
  }

  /// The code or cell from which the value is computed.
  var source: Source {
    let hot = hot
    switch hot.kind {
    case .block, .fold, .recorded: return .block(Value(bits: hot.word))
    case .copy: return .copy(CellID(Int32(truncatingIfNeeded: hot.word)))
    case .equation: return extras?.equation.map { .equation($0) } ?? .block(.nil)
    case .none, .native: return native.map { .native($0) } ?? .block(.nil)
    }
  }

  private var native: SwiftFormula? {
    record.hasNative ? SwiftFormula(word: hot.word) : nil
  }

  /// Whether an observer is told, or a lazy place marked, instead of running it.
  var isDeferred: Bool {
    get { hot.isDeferred }
    nonmutating set {
      hot.isDeferred = newValue
      graph.forgetPlans()
    }
  }

  /// The number of its runs.
  var runs: Int {
    graph.flushRunCounts()
    return Int(hot.runs)
  }

  /// The result of the last run.
  var state: State {
    get {
      switch hot.status {
      case .waiting: .waiting
      case .satisfied: .satisfied
      case .failed, .heldBack: .failed(graph.failing.failures[id] ?? "")
      }
    }
    nonmutating set {
      let old = hot.status
      graph.logStatus(of: self)
      graph.forgetPlans()
      switch newValue {
      case .waiting: hot.status = .waiting
      case .satisfied: hot.status = .satisfied
      case .failed(let message):
        hot.status = .failed
        graph.failing.failures[id] = message
      }
      if old == .failed || old == .heldBack, hot.status != .failed {
        graph.failing.failures[id] = nil
      }
    }
  }

  /// All cells that it reads.
  var inputs: [CellID] {
    let dynamic = dynamicInputs
    return dynamic.isEmpty ? staticInputs : staticInputs + dynamic
  }

  /// The cells whose changes run it: of those that its text names only the ones read, once that is recorded.
  var heard: [CellID] {
    guard let read = textReads else { return inputs }
    return read + dynamicInputs
  }

  /// The cells that its text names and its last run has not read.
  var unread: [CellID] {
    guard let textReads else { return [] }
    let read = Set(textReads)
    return staticInputs.filter { !read.contains($0) }
  }

  /// The equation or inequality that it stands for, if it is only linear.
  var equation: Equation? { extras?.equation }

  /// The cells that decide which formulas belong to one constraint, sorted.
  var variables: [CellID] { variableSet.cells }

  /// Returns whether it can have a number of variables: without looking at them.
  func mayHave(_ count: Int) -> Bool {
    let inputs: Int
    if record.firstInput >= 0 {
      inputs = graph.tables.secondInputs[id.rawValue] < 0 ? 1 : 2
    } else {
      inputs = staticInputs.count
    }
    return inputs == count || inputs == count - 1
  }

  /// The variables, without making an array of one or two.
  var variableSet: Variables {
    let (input, output) = (record.firstInput, hot.output)
    if input >= 0, graph.tables.secondInputs[id.rawValue] < 0 {
      return Variables(input, output)
    }
    return Variables(Set(staticInputs + [CellID(output)]).sorted())
  }
}

/// The cells that formulas of one constraint are about, sorted: mostly two.
struct Variables: Equatable {
  private(set) var first: Int32 = -1
  private(set) var last: Int32 = -1
  private(set) var count: Int
  /// All of them where there are more than two, else none.
  private(set) var many: [CellID] = []

  /// Creates a set of one or two cells.
  init(_ one: Int32, _ other: Int32) {
    first = min(one, other)
    last = max(one, other)
    count = one == other ? 1 : 2
  }

  /// Creates a set of sorted cells.
  init(_ cells: [CellID]) {
    count = cells.count
    if let (one, other) = cells.first.flatMap({ one in cells.last.map { (one, $0) } }) {
      first = one.rawValue
      last = other.rawValue
    }
    if count > 2 { many = cells }
  }

  /// The cells as an array.
  var cells: [CellID] {
    switch count {
    case 0: []
    case 1: [CellID(first)]
    case 2: [CellID(first), CellID(last)]
    default: many
    }
  }
}

/// The equation or inequality of a connection, which only a solver for linear constraints can keep.
struct Equation {
  let relation: Relation
  let form: LinearForm
}
