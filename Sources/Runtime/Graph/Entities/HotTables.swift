internal import TenonSolverKit
internal import TenonTables

// The data of cells and formulas that a turn needs, in flat tables: the rest stays with the objects.

/// The numbers and switches of a turn: the properties that are tested for every change, kept
/// in plain memory so that a test takes no check for exclusive access.
struct PropagationState: BitwiseCopyable {
  var regionCount = 0 { didSet { set(.regions, regionCount != 0) } }
  var clock = UInt64(0)
  var turn = 0
  /// The turn with which the settling began, by its lowest bits: the changes of cells are counted
  /// from there.
  var firstTurn = UInt32(0)
  /// The reasons that hold, a bit for each: a turn for which none does is a plain one.
  private var slowPathReasons = SlowPathReason.levels.bit
  /// Whether a settling is under way, in a turn or between two.
  var isCounting = false
  var isSettling = false
  var atomicDepth = 0 { didSet { set(.atomic, atomicDepth != 0) } }
  var runningNumber = Int32(-1)
  var currentLevel = -1
  var isRunningFormula = false
  var isRunBySolver = false
  var hasFailures = false
  var hasObserversOfTurn = false
  /// Whether a solver of the language is at work.
  var hasSolverLimit = false
  var levelCount = 0 { didSet { set(.levels, levelCount != 1) } }
  /// The number of stale lazy cells.
  var staleCount = 0
  /// Whether lazy formulas are unwound to begin again later.
  var isPuttingOff = false
  /// The number of changes on which plans rely.
  var planVersion = UInt64(0)
  /// The number of the handler that catches the errors of all formulas of a turn, or -1; the target of
  /// unwinding to it, and the handler outside of it.
  var handler = -1
  var handlerToken = 0
  var outerHandler = -1

  /// Begins a turn that concerns only formulas kept at one level, as far as is known.
  @inline(__always)
  mutating func beginPlainTurn(at level: Int) {
    turn &+= 1
    firstTurn = UInt32(truncatingIfNeeded: turn)
    isCounting = true
    isSettling = true
    currentLevel = level
    hasSpread = false
  }

  /// Ends such a turn.
  @inline(__always)
  mutating func endPlainTurn() {
    currentLevel = -1
    isSettling = false
    isCounting = false
  }

  @inline(__always)
  private mutating func set(_ reason: SlowPathReason, _ isSet: Bool) {
    slowPathReasons = isSet ? slowPathReasons | reason.bit : slowPathReasons & ~reason.bit
  }

  /// Whether a solver has been told of a change since the flag was last reset.
  var hasSpread = false

  /// Whether no other reason holds than regions and levels.
  var isPlain: Bool {
    @inline(__always) get {
      slowPathReasons & ~(SlowPathReason.regions.bit | SlowPathReason.levels.bit) == 0
    }
  }

  /// Whether all formulas are with the one solver of the lowest level.
  var hasOneLevel: Bool {
    @inline(__always) get {
      slowPathReasons & (SlowPathReason.regions.bit | SlowPathReason.levels.bit) == 0
    }
  }

  /// Whether a reason holds.
  subscript(reason: SlowPathReason) -> Bool {
    @inline(__always) get { slowPathReasons & reason.bit != 0 }
    @inline(__always) set { set(reason, newValue) }
  }
}

/// A reason for which a turn is no plain one, as it has to do more than to run formulas.
enum SlowPathReason: UInt32 {
  /// A cell was let go of in the settling that had been counted.
  case released
  /// A formula failed in this turn because memory ran out.
  case outOfMemory
  /// A change has reached a level that the turn has passed already.
  case more
  /// No formula runs any more in this turn.
  case halted
  case regionsWaiting
  case valuesBefore
  case scheduled
  case retargeted
  case ended
  case invariants
  /// There are traced changes to be printed.
  case trace
  /// The log has changes of the graph besides those of values.
  case loggedChanges
  case regions
  /// There is not just one level.
  case levels
  case atomic
  /// There may be room for a displaced soft constraint.
  case room
  /// Stores keep the writes of this turn together.
  case batches
  /// A connection both ways has moved a collection, which is to be watched.
  case movedCollections

  @inline(__always) var bit: UInt32 { 1 << rawValue }
}

/// The data of a cell that a turn needs: half a cache line.
struct HotCell: BitwiseCopyable {
  /// The place: its object, and the index, or the bits of the key where it has none.
  var object: Value
  private let word: UInt
  /// The number of changes in the settling that began with the turn `turn`, by the lowest bits of
  /// its number.
  var turn = UInt32.max
  var changes: Int32 = 0
  /// The formula that wrote it last, or -1 for a write from outside.
  var writer: Int32 = -1
  var kind: Place.Kind
  /// Of the first cell of an object: the number of others, as `ObjectMap` counts them.
  var others: UInt8 = 0
  var flags: UInt16

  init(_ place: Place) {
    object = place.object
    flags = place.index < 0 ? CellFlag.keyed : 0
    word = place.index < 0 ? place.key.bits : UInt(bitPattern: place.index)
    kind = place.kind
  }

  private var isKeyed: Bool { @inline(__always) get { flags & CellFlag.keyed != 0 } }

  /// The number of its slot, if it is one.
  var slot: Int { @inline(__always) get { Int(bitPattern: word) } }
  /// The index of its place, or -1.
  var index: Int { isKeyed ? -1 : Int(bitPattern: word) }
  /// The key of its place, or nil.
  var key: Value { isKeyed ? Value(bits: word) : .nil }
  /// Its place.
  var place: Place { Place(kind: kind, object: object, index: index, key: key) }

  /// Returns whether it stands for a place.
  @inline(__always)
  func stands(for place: Place) -> Bool {
    object == place.object && standsInObject(for: place)
  }

  /// Returns whether it stands for a place of the object that it belongs to.
  @inline(__always)
  func standsInObject(for place: Place) -> Bool {
    kind == place.kind
      && (isKeyed
        ? place.index < 0 && word == place.key.bits : word == UInt(bitPattern: place.index))
  }

  /// Returns whether it stands for a slot of the object that it belongs to: slots have no keys.
  @inline(__always)
  func standsInObject(forSlot slot: Int) -> Bool {
    kind == .slot && word == UInt(bitPattern: slot)
  }
}

/// Flags of cells.
enum CellFlag {
  /// It is a slot of no declared type: it is read and written directly.
  @inline(__always) static var plain: UInt16 { 1 }
  /// Its changes concern more than the formulas that read it: properties and paths.
  @inline(__always) static var hasObservers: UInt16 { 2 }
  /// Formulas of one direction read it, or others besides their variables.
  @inline(__always) static var read: UInt16 { 8 }
  /// A plan may have written it: why it has its value is told by the plan.
  @inline(__always) static var planned: UInt16 { 16 }
  /// Its formula runs only when the value is needed.
  @inline(__always) static var lazy: UInt16 { 32 }
  /// A cell that it depends on may have changed since its formula has run.
  @inline(__always) static var stale: UInt16 { 64 }
  /// A cell that its formula reads has changed.
  @inline(__always) static var due: UInt16 { 128 }
  /// A one-way formula determines it.
  @inline(__always) static var determined: UInt16 { 4 }
  /// Its changes may concern others than the solver that computes it, or that of the lowest level
  /// where none does: it belongs to a region, or formulas of a region or of another level read it.
  ///
  /// It may still be set when that is over; the code that tells of a change then clears it.
  @inline(__always) static var hasForeignReaders: UInt16 { 256 }
  /// Its place has a key and no index.
  @inline(__always) static var keyed: UInt16 { 512 }
}

/// The data of a formula that a turn needs: half a cache line.
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
    /// An equation, kept by a solver that computes the values itself.
    case equation
  }

  var kind: Kind
  var status = Status.waiting
  /// Whether its last run read no cells besides those that its text names.
  var readsItsText = true
  /// Whether an observer is told, or a lazy place marked, instead of running it.
  var isDeferred = false
  /// Whether a new value may differ from the old one by a tolerance without counting as a change.
  var isTolerant = false
  /// Whether it is over all elements of a collection, whose value may be kept up to date.
  var hasFold = false
  /// The number of runs that have changed nothing, as far as it has been counted.
  var idleRuns: UInt8 = 0
  var output: Int32
  /// The number of its connection.
  var connection: Int32
  var runs: UInt32 = 0
  /// The changed cell because of which it ran the last time that it changed its own, or -1.
  var cause: Int32 = -1
  /// The block, or the number of the cell that it copies.
  var word: UInt

  init(of connection: Connection, _ output: CellID, _ source: Formula.Source) {
    self.output = output.rawValue
    isTolerant = connection.tolerance != nil
    self.connection = connection.id
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
    /// It is not run, as a formula on which it depends has failed.
    case heldBack
  }
}
