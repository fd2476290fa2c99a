internal import TenonParser
internal import TenonTables

/// What is kept of a formula besides what a turn needs.
@safe
struct FormulaRecord {
  /// When it was declared, by the lowest bits: another formula may get its number later.
  let order: UInt32
  /// The cell that it reads according to its text, or -1 if there is not exactly one.
  let onlyInput: Int32
  /// The number of the constraint it is part of, or -1, and the next formula of that.
  var constraint: Int32 = -1
  var nextOfConstraint: Int32 = -1
  /// The next formula of its connection, or -1.
  var nextOfConnection: Int32 = -1
  /// Whether it has not ended.
  var isUsed = true
  /// Whether it says the same as another formula of its connection, solved for another place.
  var isInverse = false
  /// Whether it computes what the text of the statement says.
  var hasText = false
  /// Whether it is Swift code, for which it has a record.
  var hasNative = false
  var extras: FormulaExtras?
}

/// What few formulas have.
final class FormulaExtras {
  fileprivate var staticInputs: [CellID] = []
  fileprivate var dynamicInputs: [CellID] = []
  fileprivate var textReads: [CellID]?
  fileprivate var lastReads: [Place] = []
  fileprivate var readNames: [String]?
  fileprivate var fold: Fold?
  fileprivate var equation: Equation?
}

/// One direction of a connection: how the value of a place follows from others.
///
/// There is one for each connection at least: what is known of it is in tables of the graph, by its
/// number. For the reference to the graph see `CellView`.
struct Formula: Hashable {
  unowned(unsafe) let graph: ConnectionGraph
  let id: FormulaID
  private let stamp: UInt32

  enum Source {
    /// A block of the language.
    case block(Value)
    /// The value of another cell: one half of a plain `=|=`.
    case copy(CellID)
    /// Swift code of the embedding program.
    case native(NativeFormula)
    /// Nothing that could be run: the formula stands for an equation or an inequality.
    case equation(Equation)
  }

  enum State: Equatable {
    /// It has not run, or something it reads is missing.
    case waiting
    /// The last run gave the value.
    case satisfied
    /// The last run failed: what the exception said. Or it is held back, as something that it
    /// reads has failed: what the exception said there.
    case failed(String)
  }

  /// The formula that has a number at present.
  init(_ number: Int32, in graph: ConnectionGraph) {
    unsafe self.graph = graph
    id = FormulaID(number)
    stamp = graph.formulas[number].order
  }

  static func == (left: Formula, right: Formula) -> Bool {
    left.id == right.id && left.stamp == right.stamp
  }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// The record, for reading and for changing it.
  private var record: FormulaRecord {
    get { unsafe graph.formulas[id.rawValue] }
    nonmutating _modify { yield unsafe &graph.formulas[id.rawValue] }
  }

  private var hot: HotFormula {
    get { unsafe graph.hotFormulas[id.rawValue] }
    nonmutating _modify { yield unsafe &graph.hotFormulas[id.rawValue] }
  }

  private var extras: FormulaExtras? { record.extras }

  private func makeExtras() -> FormulaExtras {
    if let extras { return extras }
    let made = FormulaExtras()
    record.extras = made
    return made
  }

  /// Keeps what its source says that the table of the turn has no room for.
  func take(_ source: Source, _ inputs: [CellID]) {
    switch source {
    case .native(let native):
      record.hasNative = true
      if native.inputs != inputs { makeExtras().staticInputs = inputs }
    case .equation(let equation):
      makeExtras().equation = equation
      makeExtras().staticInputs = inputs
    case .block, .copy: if inputs.count != 1 { makeExtras().staticInputs = inputs }
    }
  }

  /// Lets go of what only it has, after it has ended.
  func releaseRecord() {
    record.extras = nil
    hot.connection = 0
    if let native {
      record.hasNative = false
      unsafe graph.natives.remove(native)
    }
  }

  var output: CellID { CellID(hot.output) }
  /// When it was declared: a number that grows.
  var order: Int { Int(stamp) }

  /// The connection it belongs to.
  var connection: Connection { unsafe Connection(hot.connection, in: graph) }

  /// The constraint it is part of.
  var constraint: Constraint? {
    get {
      let number = record.constraint
      return number < 0 ? nil : unsafe Constraint(number, in: graph)
    }
    nonmutating set { record.constraint = newValue?.number ?? -1 }
  }

  /// The next formula of its constraint.
  var nextOfConstraint: Formula? {
    get { unsafe graph.formula(record.nextOfConstraint) }
    nonmutating set { record.nextOfConstraint = newValue?.id.rawValue ?? -1 }
  }

  /// The next formula of its connection.
  var nextOfConnection: Formula? {
    get { unsafe graph.formula(record.nextOfConnection) }
    nonmutating set { record.nextOfConnection = newValue?.id.rawValue ?? -1 }
  }

  /// Whether it says the same as another formula of its connection, solved for another place.
  var isInverse: Bool {
    get { record.isInverse }
    nonmutating set { record.isInverse = newValue }
  }

  /// The cells that the text says it reads.
  var staticInputs: [CellID] {
    let record = record
    if record.onlyInput >= 0 { return [CellID(record.onlyInput)] }
    if let extras = record.extras, !extras.staticInputs.isEmpty { return extras.staticInputs }
    return native?.inputs ?? []
  }

  /// The cells it was seen to read besides, the last time it ran.
  var dynamicInputs: [CellID] {
    get { extras?.dynamicInputs ?? [] }
    nonmutating set {
      if extras != nil || !newValue.isEmpty { makeExtras().dynamicInputs = newValue }
    }
  }

  /// Those of `staticInputs` that its last run has read, once that is recorded.
  var textReads: [CellID]? {
    get { extras?.textReads }
    nonmutating set { if extras != nil || newValue != nil { makeExtras().textReads = newValue } }
  }

  /// The reads of the last run as they came, to see quickly whether anything is new.
  var lastReads: [Place] {
    get { extras?.lastReads ?? [] }
    nonmutating set {
      if extras != nil || !newValue.isEmpty { makeExtras().lastReads = newValue }
    }
  }

  /// What it knows of the elements of its collection, if it is over all of them.
  var fold: Fold? {
    get { extras?.fold }
    nonmutating set { if extras != nil || newValue != nil { makeExtras().fold = newValue } }
  }

  /// The text of the block.
  var text: Expression? { record.hasText ? connection.statement.formula : nil }

  /// What the text calls the places that it reads.
  var readNames: [String] {
    extras?.readNames ?? (record.hasText ? connection.statement.readNames : [])
  }

  /// Learns that its block is what the text of the statement says, and what that calls the places
  /// which it reads.
  func takeText(readNames names: [String]) {
    record.hasText = connection.statement.formula != nil
    if record.hasText, names != connection.statement.readNames { makeExtras().readNames = names }
  }

  /// How the value is computed.
  var source: Source {
    let hot = hot
    switch hot.kind {
    case .block, .fold, .recorded: return .block(Value(bits: hot.word))
    case .copy: return .copy(CellID(Int32(truncatingIfNeeded: hot.word)))
    case .equation: return extras?.equation.map { .equation($0) } ?? .block(.nil)
    case .none, .native: return native.map { .native($0) } ?? .block(.nil)
    }
  }

  private var native: NativeFormula? {
    record.hasNative ? NativeFormula(word: hot.word) : nil
  }

  /// Whether a relay is told, or a lazy place marked, instead of running it.
  var isHeld: Bool {
    get { hot.isHeld }
    nonmutating set {
      hot.isHeld = newValue
      unsafe graph.forgetPlans()
    }
  }

  /// How often it has run.
  var runs: Int {
    unsafe graph.settleAccounts()
    return Int(hot.runs)
  }

  /// What the last run came to.
  var state: State {
    get {
      switch hot.status {
      case .waiting: .waiting
      case .satisfied: .satisfied
      case .failed, .heldBack: .failed(unsafe graph.failures[id] ?? "")
      }
    }
    nonmutating set {
      let old = hot.status
      unsafe graph.noteStatus(of: self)
      unsafe graph.forgetPlans()
      switch newValue {
      case .waiting: hot.status = .waiting
      case .satisfied: hot.status = .satisfied
      case .failed(let message):
        hot.status = .failed
        unsafe graph.failures[id] = message
      }
      if old == .failed || old == .heldBack, hot.status != .failed {
        unsafe graph.failures[id] = nil
      }
    }
  }

  /// Everything it reads.
  var inputs: [CellID] {
    let dynamic = dynamicInputs
    return dynamic.isEmpty ? staticInputs : staticInputs + dynamic
  }

  /// What a change of has it run: of what its text says only what it has read, once that is recorded.
  var heard: [CellID] {
    guard let read = textReads else { return inputs }
    return read + dynamicInputs
  }

  /// What its text says it reads and its last run has not read.
  var unread: [CellID] {
    guard let textReads else { return [] }
    let read = Set(textReads)
    return staticInputs.filter { !read.contains($0) }
  }

  /// What it stands for, if that is only linear.
  var equation: Equation? { extras?.equation }

  /// The cells that decide which formulas belong to one constraint, sorted.
  var variables: [CellID] { variableSet.cells }

  /// The same, without making an array of one or two.
  var variableSet: Variables {
    let (input, output) = (record.onlyInput, hot.output)
    if input >= 0 { return Variables(input, output) }
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

  /// One or two cells.
  init(_ one: Int32, _ other: Int32) {
    first = min(one, other)
    last = max(one, other)
    count = one == other ? 1 : 2
  }

  /// Cells that are sorted.
  init(_ cells: [CellID]) {
    count = cells.count
    if let (one, other) = cells.first.flatMap({ one in cells.last.map { (one, $0) } }) {
      first = one.rawValue
      last = other.rawValue
    }
    if count > 2 { many = cells }
  }

  /// As an array.
  var cells: [CellID] {
    switch count {
    case 0: []
    case 1: [CellID(first)]
    case 2: [CellID(first), CellID(last)]
    default: many
    }
  }
}

/// What a connection says that only a solver for linear constraints can keep.
struct Equation {
  let relation: Relation
  let form: LinearForm
}
