internal import TenonParser
internal import TenonTables

/// One direction of a connection: how the value of a place follows from others.
///
/// There is one for each connection at least, so that only what every formula needs stands here: the
/// rest is in the hot table, in the statement of the connection, or in extras that few have.
final class Formula {
  let id: FormulaID
  let output: CellID
  /// The connection it belongs to.
  unowned let connection: Connection
  unowned let graph: ConnectionGraph
  /// The constraint it is part of.
  var constraint: Constraint?
  let order: Int
  /// The cell that it reads according to its text, or -1 if there is not exactly one.
  private let onlyInput: Int32
  /// Whether it says the same as another formula of its connection, solved for another place.
  var isInverse = false
  /// Whether it computes what the text of the statement says.
  private var hasText = false
  private var payload = Payload.none

  private enum Payload {
    case none
    case native(NativeFormula)
    case extras(Extras)
  }

  /// What few formulas have.
  private final class Extras {
    var staticInputs: [CellID] = []
    var dynamicInputs: [CellID] = []
    var textReads: [CellID]?
    var lastReads: [Place] = []
    var readNames: [String]?
    var fold: Fold?
    var equation: Equation?
    var native: NativeFormula?
  }

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

  init(
    id: FormulaID, graph: ConnectionGraph, connection: Connection, output: CellID,
    staticInputs: [CellID], source: Source, order: Int
  ) {
    self.graph = graph
    self.id = id
    self.connection = connection
    self.output = output
    self.order = order
    onlyInput = staticInputs.count == 1 ? staticInputs[0].rawValue : -1
    switch source {
    case .native(let native):
      payload = .native(native)
      if native.inputs != staticInputs { makeExtras().staticInputs = staticInputs }
    case .equation(let equation):
      makeExtras().equation = equation
      makeExtras().staticInputs = staticInputs
    case .block, .copy:
      if staticInputs.count != 1 { makeExtras().staticInputs = staticInputs }
    }
  }

  private var extras: Extras? { if case .extras(let extras) = payload { extras } else { nil } }

  private func makeExtras() -> Extras {
    if let extras { return extras }
    let made = Extras()
    if case .native(let native) = payload {
      made.native = native
      made.staticInputs = native.inputs
    }
    payload = .extras(made)
    return made
  }

  /// The cells that the text says it reads.
  var staticInputs: [CellID] {
    if onlyInput >= 0 { return [CellID(onlyInput)] }
    return switch payload {
    case .none: []
    case .native(let native): native.inputs
    case .extras(let extras): extras.staticInputs
    }
  }

  /// The cells it was seen to read besides, the last time it ran.
  var dynamicInputs: [CellID] {
    get { extras?.dynamicInputs ?? [] }
    set { if extras != nil || !newValue.isEmpty { makeExtras().dynamicInputs = newValue } }
  }

  /// Those of `staticInputs` that its last run has read, once that is recorded.
  var textReads: [CellID]? {
    get { extras?.textReads }
    set { if extras != nil || newValue != nil { makeExtras().textReads = newValue } }
  }

  /// The reads of the last run as they came, to see quickly whether anything is new.
  var lastReads: [Place] {
    get { extras?.lastReads ?? [] }
    set { if extras != nil || !newValue.isEmpty { makeExtras().lastReads = newValue } }
  }

  /// What it knows of the elements of its collection, if it is over all of them.
  var fold: Fold? {
    get { extras?.fold }
    set { if extras != nil || newValue != nil { makeExtras().fold = newValue } }
  }

  /// The text of the block.
  var text: Expression? { hasText ? connection.statement.formula : nil }

  /// What the text calls the places that it reads.
  var readNames: [String] { extras?.readNames ?? (hasText ? connection.statement.readNames : []) }

  /// Learns that its block is what the text of the statement says, and what that calls the places
  /// which it reads.
  func takeText(readNames names: [String]) {
    hasText = connection.statement.formula != nil
    if hasText, names != connection.statement.readNames { makeExtras().readNames = names }
  }

  /// How the value is computed.
  var source: Source {
    let hot = graph.hotFormulas[id.rawValue]
    switch hot.kind {
    case .none, .block, .fold, .recorded: return .block(Value(bits: hot.word))
    case .copy: return .copy(CellID(Int32(truncatingIfNeeded: hot.word)))
    case .native, .equation:
      if case .native(let native) = payload { return .native(native) }
      if let native = extras?.native { return .native(native) }
      return extras?.equation.map { .equation($0) } ?? .block(.nil)
    }
  }

  /// Whether a relay is told, or a lazy place marked, instead of running it.
  var isHeld: Bool {
    get { graph.hotFormulas[id.rawValue].isHeld }
    set {
      graph.hotFormulas[id.rawValue].isHeld = newValue
      graph.forgetPlans()
    }
  }

  /// How often it has run.
  var runs: Int {
    graph.settleAccounts()
    return Int(graph.hotFormulas[id.rawValue].runs)
  }

  /// What the last run came to.
  var state: State {
    get {
      switch graph.hotFormulas[id.rawValue].status {
      case .waiting: .waiting
      case .satisfied: .satisfied
      case .failed, .heldBack: .failed(graph.failures[id] ?? "")
      }
    }
    set {
      let old = graph.hotFormulas[id.rawValue].status
      graph.noteStatus(of: self)
      graph.forgetPlans()
      switch newValue {
      case .waiting: graph.hotFormulas[id.rawValue].status = .waiting
      case .satisfied: graph.hotFormulas[id.rawValue].status = .satisfied
      case .failed(let message):
        graph.hotFormulas[id.rawValue].status = .failed
        graph.failures[id] = message
      }
      if old == .failed || old == .heldBack, graph.hotFormulas[id.rawValue].status != .failed {
        graph.failures[id] = nil
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
  var variables: [CellID] {
    if onlyInput >= 0 {
      let input = CellID(onlyInput)
      return input == output ? [output] : input < output ? [input, output] : [output, input]
    }
    return Set(staticInputs + [output]).sorted()
  }
}

/// What a connection says that only a solver for linear constraints can keep.
struct Equation {
  let relation: Relation
  let form: LinearForm
}

/// All the formulas over the same cells; an equation or inequality has a constraint of its own.
final class Constraint {
  let id: ConstraintID
  /// The level of the one-way solver it is in, or -1.
  private var storedLevel: Int32 = -1
  private var first: Formula?
  /// The region of several directions it is part of; nil while it has one direction.
  var region: Region?
  /// What a constraint of one formula over its variables does not need.
  private var extras: Extras?
  /// Where it stands among the constraints of its region.
  fileprivate(set) var position: Int32 = -1
  /// Whether it waits for a way back: its cell is determined by another formula already.
  var isContested = false
  /// Whether it is that of a connection with a solver of its own.
  var isForced = false

  private final class Extras {
    let cells: [CellID]
    let equation: Equation?
    /// The formulas but the first.
    var others: [Formula] = []

    init(cells: [CellID], equation: Equation?) {
      self.cells = cells
      self.equation = equation
    }
  }

  init(id: ConstraintID, cells: [CellID], equation: Equation? = nil) {
    self.id = id
    extras = Extras(cells: cells, equation: equation)
  }

  var level: Int {
    get { Int(storedLevel) }
    set { storedLevel = Int32(clamping: newValue) }
  }

  /// The cells, sorted.
  var cells: [CellID] { extras?.cells ?? first?.variables ?? [] }

  /// What it says, where it is only linear.
  var equation: Equation? { extras?.equation }

  /// The formulas, in the order in which they came.
  var formulas: [Formula] {
    get { first.map { [$0] + (extras?.others ?? []) } ?? [] }
    set {
      let (cells, equation) = (self.cells, self.equation)
      first = newValue.first
      if newValue.count == 1, equation == nil, newValue[0].variables == cells {
        extras = nil
      } else {
        if extras == nil { extras = Extras(cells: cells, equation: equation) }
        extras?.others = Array(newValue.dropFirst())
      }
    }
  }

  var isMultiWay: Bool { extras.map { !$0.others.isEmpty || $0.equation != nil } ?? false }

  /// How much it counts: as much as the strongest connection that says it.
  var strength: Strength {
    guard let extras, !extras.others.isEmpty else { return first?.connection.strength ?? .required }
    return formulas.map(\.connection.strength).max() ?? .required
  }

  /// The solver that a connection asks for.
  var solver: String? { formulas.lazy.compactMap(\.connection.solver).first }
}

/// Constraints of several directions that share cells, kept by one solver.
final class Region {
  var solver: any ConnectorSolver
  var solverName: String
  var cells: Set<CellID> = []
  var constraints = ConstraintList([])
  /// Whether any of them has been a wish.
  var hasWishes = false
  /// Whether it may have fallen apart: its constraints need not hang together any more.
  var isLoose = false
  /// The cells that one-way formulas determine.
  var pinned: Set<CellID> = []
  /// Where it stands in the order of a turn: above everything that determines one of its cells.
  var level = 1
  /// The changes that a turn has brought it.
  let transaction: Transaction
  /// Whether it is among those that wait for their solver.
  var isWaiting = false

  init(solver: any ConnectorSolver, name: String, transaction: Transaction) {
    self.solver = solver
    solverName = name
    self.transaction = transaction
  }
}

/// The constraints of a region, in the order in which they came.
struct ConstraintList: Sequence {
  /// nil where one was taken out.
  private var entries: ContiguousArray<Constraint?>
  private(set) var count: Int

  init(_ constraints: [Constraint]) {
    entries = []
    count = 0
    entries.reserveCapacity(constraints.count)
    for constraint in constraints { append(constraint) }
  }

  /// - Complexity: O(1), amortised.
  mutating func append(_ constraint: Constraint) {
    constraint.position = Int32(clamping: entries.count)
    entries.append(constraint)
    count += 1
  }

  /// Takes one of them out.
  ///
  /// - Complexity: O(1), amortised.
  mutating func remove(_ constraint: Constraint) {
    let position = Int(constraint.position)
    guard entries.indices.contains(position), entries[position] === constraint else { return }
    entries[position] = nil
    count -= 1
    guard entries.count > 2 * count + 16 else { return }
    self = ConstraintList(Array(self))
  }

  func makeIterator() -> GapIterator<Constraint> { GapIterator(entries) }
}
