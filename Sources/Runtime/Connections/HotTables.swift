internal import TenonTables

// What a turn needs of cells and formulas, in flat tables: the rest stays with the objects.

/// The numbers and switches of a turn: what a property says that is looked at for every change, kept
/// in plain memory so that looking at it takes no check for exclusive access.
struct TurnWords: BitwiseCopyable {
  var regionCount = 0
  var clock = UInt64(0)
  var turn = 0
  /// The turn with which the settling began, by its lowest bits: the changes of cells are counted
  /// from there.
  var firstTurn = UInt32(0)
  /// Whether a settling is under way, in a turn or between two.
  var isCounting = false
  /// Whether any cell was let go of in the settling that had been counted.
  var hasReleased = false
  var isSettling = false
  var ranOutOfMemory = false
  var atomicDepth = 0
  var runningNumber = Int32(-1)
  var currentLevel = -1
  var hasMore = false
  var isRunningFormula = false
  var isRunBySolver = false
  var isHalted = false
  var hasFailures = false
  var hasRegionsWaiting = false
  var hasValuesBefore = false
  var hasForced = false
  var hasReaimed = false
  var hasHandedOver = false
  var hasEndedFormulas = false
  var hasInvariants = false
  var hasRelays = false
  /// Whether a solver of the language is at work.
  var hasSolverLimit = false
  /// Whether there is anything to be printed of what was traced.
  var hasTrace = false
  /// Whether anything has been noted that is taken back when the turn cannot be finished.
  var hasJournal = false
  var levelCount = 0
  /// How many lazy cells are stale.
  var staleCount = 0
  /// Whether lazy formulas are unwound to begin again later.
  var isPuttingOff = false
  /// How often something has changed that plans rely on.
  var planVersion = UInt64(0)
  /// The number of the handler that catches the errors of formulas, or -1.
  var handler = -1
}

/// What a turn needs of a cell: half a cache line.
struct HotCell: BitwiseCopyable {
  /// Where it is: the object and the index of its place.
  var object: Value
  var index: Int
  /// How often it has changed in the settling that began with the turn `turn`, by the lowest bits of
  /// its number.
  var turn = UInt32.max
  var changes: Int32 = 0
  /// The formula that wrote it last, or -1 for a write from outside.
  var writer: Int32 = -1
  var kind: Place.Kind
  var flags: UInt8 = 0

  init(_ place: Place) {
    object = place.object
    index = place.index
    kind = place.kind
  }
}

/// What else is known of a cell in plain memory.
struct CellNotes: BitwiseCopyable {
  /// The key of its place.
  var key: Value
  /// When it was last written from outside.
  var age: UInt64 = 0
  /// What identifies the send that last wrote it from outside, or 0.
  var site: UInt = 0

  init(_ place: Place) { key = place.key }
}

/// Flags of cells.
enum CellFlag {
  /// It is a slot of no declared type: it is read and written without ceremony.
  @inline(__always) static var plain: UInt8 { 1 }
  /// Its changes concern more than the formulas that read it: properties and paths.
  @inline(__always) static var hooked: UInt8 { 2 }
  /// Formulas of one direction read it, or others besides their variables.
  @inline(__always) static var read: UInt8 { 8 }
  /// A plan may have written it: why it has its value is told by the plan.
  @inline(__always) static var planned: UInt8 { 16 }
  /// Its formula runs only when somebody needs the value.
  @inline(__always) static var lazy: UInt8 { 32 }
  /// Something it depends on may have changed since its formula has run.
  @inline(__always) static var stale: UInt8 { 64 }
  /// Something its formula reads has changed.
  @inline(__always) static var due: UInt8 { 128 }
  /// A one-way formula determines it.
  @inline(__always) static var determined: UInt8 { 4 }
}

/// What a turn needs of a formula: half a cache line.
struct HotFormula: BitwiseCopyable {
  enum Kind: UInt8 {
    /// The number is free.
    case none
    /// A block of the language.
    case block
    /// A block over all elements of a collection, whose value is kept up to date.
    case fold
    /// A block of the language whose own reads are recorded: it chooses what it reads.
    case recorded
    /// The value of another cell.
    case copy
    /// Swift code.
    case native
    /// An equation, which a solver keeps that computes the values itself.
    case equation
  }

  var kind: Kind
  var status = Status.waiting
  /// Whether its last run read nothing besides what its text says.
  var readsItsText = true
  /// Whether a relay is told, or a lazy place marked, instead of running it.
  var isHeld = false
  /// Whether a new value may differ from the old one by a tolerance without counting as a change.
  var isTolerant = false
  /// How many runs have changed nothing, as far as it has been counted.
  var idleRuns: UInt8 = 0
  var output: Int32
  /// The number of its connection.
  var connection: Int32
  var runs: UInt32 = 0
  /// The changed cell because of which it ran the last time that it changed its own, or -1.
  var cause: Int32 = -1
  /// The block, or the number of the cell that it copies.
  var word: UInt

  init(_ formula: Formula, _ source: Formula.Source) {
    output = formula.output.rawValue
    isTolerant = formula.connection.tolerance != nil
    connection = Int32(truncatingIfNeeded: formula.connection.number)
    switch source {
    case .block(let block):
      kind = .block
      word = block.bits
    case .copy(let cell):
      kind = .copy
      word = UInt(cell.rawValue)
    case .native(let native):
      kind = .native
      word = native.word
    case .equation:
      kind = .equation
      word = 0
    }
  }

  enum Status: UInt8 {
    case waiting
    case satisfied
    case failed
    /// It is not run, as something that it reads is determined by a formula that has failed.
    case heldBack
  }
}
