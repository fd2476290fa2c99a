internal import TenonLexer
internal import TenonParser
internal import TenonTables

/// One direction of a connection: how the value of a place follows from others.
final class Formula {
  let id: FormulaID
  /// The connection it belongs to.
  unowned let connection: Connection
  let output: CellID
  /// The cells that the text says it reads.
  let staticInputs: [CellID]
  /// The cells it was seen to read besides, the last time it ran.
  var dynamicInputs: [CellID] = []
  /// The reads of the last run as they came, to see quickly whether anything is new.
  var lastReads: [Place] = []
  /// How the value is computed.
  let source: Source
  /// What it knows of the elements of its collection, if it is over all of them.
  var fold: Fold?
  let order: Int

  /// The constraint it is part of.
  var constraint: Constraint?
  unowned let graph: ConnectionGraph
  /// The text of the block, and what it calls the places that it reads.
  var text: Expression?
  var readNames: [String] = []
  /// Whether it says the same as another formula of its connection, solved for another place.
  var isInverse = false
  /// Whether a relay is told instead of running it.
  var isHeld: Bool {
    get { graph.hotFormulas[id.rawValue].isHeld }
    set {
      graph.hotFormulas[id.rawValue].isHeld = newValue
      graph.forgetPlans()
    }
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
    self.staticInputs = staticInputs
    self.source = source
    self.order = order
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
  var inputs: [CellID] { staticInputs + dynamicInputs }

  /// What it stands for, if that is only linear.
  var equation: Equation? { if case .equation(let equation) = source { equation } else { nil } }

  /// The cells that decide which formulas belong to one constraint.
  var variables: [CellID] { Set(staticInputs + [output]).sorted() }
}

/// What a connection says that only a solver for linear constraints can keep.
struct Equation {
  let relation: Relation
  let form: LinearForm
}

/// All the formulas over the same cells; an equation or inequality has a constraint of its own.
final class Constraint {
  let id: ConstraintID
  let cells: [CellID]
  var formulas: [Formula] = []
  /// The region of several directions it is part of; nil while it has one direction.
  var region: Region?
  /// Whether it waits for a way back: its cell is determined by another formula already.
  var isContested = false
  /// Whether it is that of a connection with a solver of its own.
  var isForced = false
  /// The level of the one-way solver it is in, or -1.
  var level = -1
  /// What it says, where it is only linear.
  let equation: Equation?

  init(id: ConstraintID, cells: [CellID], equation: Equation? = nil) {
    self.id = id
    self.cells = cells
    self.equation = equation
  }

  var isMultiWay: Bool { formulas.count > 1 || equation != nil }

  /// How much it counts: as much as the strongest connection that says it.
  var strength: Strength { formulas.map(\.connection.strength).max() ?? .required }

  /// The solver that a connection asks for.
  var solver: String? { formulas.lazy.compactMap(\.connection.solver).first }
}

/// Constraints of several directions that share cells, kept by one solver.
final class Region {
  var solver: any ConnectorSolver
  var solverName: String
  var cells: Set<CellID> = []
  var constraints: [Constraint] = []
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

/// What a connector made: an object of the language stands for it.
final class Connection {
  let number: Int
  /// The connector: `|=` or `=|=`.
  let connector: String
  /// The statement, printed from its syntax.
  var text: String
  let source: SourceText
  let range: SourceRange
  var formulas: [Formula] = []
  var status = Status.active
  /// The solver that the program has chosen.
  var forced: ForcedSolver?
  /// Whether its place may be written from elsewhere.
  var allowsOverride = false
  /// Whether it has still to be told its solver before it comes into force.
  var isHeld = false
  /// What the program asked to hold, when a path leads to a place: made anew when the path changes.
  var plan: ConnectionPlan?
  /// An object that lives as long as the connection does.
  var kept = Value.nil
  /// Objects whose death ends a connection that keeps an object.
  var keptKeys: [Value]?
  /// Objects whose death ends the connection.
  var keys: [Value] = []
  /// Whether one of its paths may lead elsewhere now and will be followed anew: only what no path
  /// leads to ends it then.
  var awaitsAim = false
  /// Those of the keys that no path leads to.
  var fixedKeys: [Value] = []
  /// The statement, for errors that come to light later.
  var site: TraceEntry?
  /// The places on the way of its paths.
  var steps: [CellID] = []
  /// How much it counts.
  var strength = Strength.required
  /// The only solver that may keep it, if the program asks for one.
  var solver: String?
  /// What is told of changes in place of formulas.
  var relay: Relay?
  /// Why it is refused unless it gets a policy that looks for changes.
  var silence: Failure?
  /// Whether what it computes must stay true.
  var isInvariant = false
  /// By how much a new value may differ from the old one without counting as a change.
  var tolerance: Tolerance?

  enum Status: String {
    case active
    case suspended
    case disconnected
  }

  init(number: Int, connector: String, text: String, source: SourceText, range: SourceRange) {
    self.number = number
    self.connector = connector
    self.text = text
    self.source = source
    self.range = range
  }

  /// The place of the statement, `file.st:10`.
  var location: String { "\(source.name):\(source.location(of: range.start).line)" }

  /// How often its formulas have run.
  var runs: Int { formulas.reduce(relay?.updateCount ?? 0) { $0 + $1.runs } }
}

/// Why a cell has the value it has.
struct Cause {
  /// The formula that wrote it; nil for a write from outside.
  var formula: FormulaID?
  /// The changed cell because of which the formula ran.
  var cell: CellID?
  /// The send that wrote from outside.
  var site: TraceEntry?
}

/// A place that takes part in connections.
struct Cell {
  let place: Place
  /// What messages call it: `ivar:c`, `defaults:celsius`.
  var name: String
  /// Whether a statement calls it that.
  var isNamed = false
  /// The formulas that read it.
  var readers: [Formula] = []
  /// The one-way formula that determines it.
  var owner: Formula?
  /// The region of several directions it belongs to.
  var region: Region?
  /// Where it stands in the order of a turn: 0 for places that nothing determines.
  var level = 0
  /// The send that last wrote it from outside.
  var site: TraceEntry?
  /// For a property: the slots its getter reads, as cells.
  var slots: [CellID] = []
  /// The property cells that depend on this slot.
  var properties: [CellID] = []
  /// The last value seen, for places that are costly to read.
  var known: Value?
  /// How many formulas, watchers and properties use the cell; without any it is freed.
  var isFree = false
}
