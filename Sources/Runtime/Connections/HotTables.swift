internal import TenonTables

// What a turn needs of cells and formulas, in flat tables: the rest stays with the objects.

/// The numbers and switches of a turn: what a property says that is looked at for every change, kept
/// in plain memory so that looking at it takes no check for exclusive access.
struct TurnWords: BitwiseCopyable {
  var regionCount = 0
  var clock = UInt64(0)
  var turn = 0
  var isSettling = false
  var ranOutOfMemory = false
  var atomicDepth = 0
  var runningNumber = Int32(-1)
  var currentLevel = -1
  var hasMore = false
  var isRunningFormula = false
  var isRunBySolver = false
  var isHalted = false
  var hasRegionsWaiting = false
  var hasValuesBefore = false
  var hasForced = false
  var hasReaimed = false
  var hasInvariants = false
  var hasRelays = false
  var levelCount = 0
  /// The number of the handler that catches the errors of formulas, or -1.
  var handler = -1
}

/// What a turn needs of a cell.
struct HotCell: BitwiseCopyable {
  /// The place: object, key, index and kind.
  var object: Value
  var key: Value
  var index: Int
  var kind: Place.Kind
  var flags: UInt8 = 0
  /// How often it has changed in the turn `turn`.
  var changes: Int32 = 0
  var turn = -1
  /// When it was last written from outside.
  var age: UInt64 = 0
  /// The turn in which it was written, the formula that wrote it, or -1 for a write from outside,
  /// and the changed cell because of which the formula ran, or -1.
  var causeTurn = 0
  var causeFormula: Int32 = -1
  var causeCell: Int32 = -1
  /// What identifies the send that last wrote it from outside, or 0.
  var site: UInt = 0

  init(_ place: Place) {
    object = place.object
    key = place.key
    index = place.index
    kind = place.kind
  }

  var place: Place { Place(kind: kind, object: object, index: index, key: key) }
}

/// Flags of cells.
enum CellFlag {
  /// It is a slot of no declared type: it is read and written without ceremony.
  @inline(__always) static var plain: UInt8 { 1 }
  /// Its changes concern more than the formulas that read it: properties and paths.
  @inline(__always) static var hooked: UInt8 { 2 }
  /// Formulas of one direction read it, or others besides their variables.
  @inline(__always) static var read: UInt8 { 8 }
  /// A one-way formula determines it.
  @inline(__always) static var determined: UInt8 { 4 }
}

/// What a turn needs of a formula.
struct HotFormula: BitwiseCopyable {
  enum Kind: UInt8 {
    /// The number is free.
    case none
    /// A block of the language.
    case block
    /// A block over all elements of a collection, whose value is kept up to date.
    case fold
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
  /// Whether a relay is told instead of running it.
  var isHeld = false
  /// Whether a new value may differ from the old one by a tolerance without counting as a change.
  var isTolerant = false
  var output: Int32
  /// The number of its connection.
  var connection: Int32
  var runs: UInt32 = 0
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
      word = unsafe UInt(bitPattern: Unmanaged.passUnretained(native).toOpaque())
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

/// Finds cells by their places: a hash table with open addressing over the table of cells.
final class PlaceMap {
  private let entries = FlatTable<Int32>()
  private var mask = 15
  private(set) var count = 0

  init() { entries.extend(to: 16, with: -1) }

  @inline(__always)
  private func start(_ object: UInt, _ index: Int, _ key: UInt) -> Int {
    var hash = UInt64(object) &+ UInt64(bitPattern: Int64(index)) &* 0x9E37_79B9_7F4A_7C15
    hash ^= UInt64(key) &* 0xC2B2_AE3D_27D4_EB4F
    hash = (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9
    return Int(truncatingIfNeeded: hash >> 32) & mask
  }

  /// The number of the cell of a place, or -1.
  @inline(__always)
  func find(_ place: Place, in cells: borrowing FlatTable<HotCell>) -> Int32 {
    var position = start(place.object.bits, place.index, place.key.bits)
    while true {
      let id = entries[position]
      if id < 0 { return -1 }
      if cells[id].object == place.object, cells[id].index == place.index,
        cells[id].key == place.key, cells[id].kind == place.kind
      {
        return id
      }
      position = (position + 1) & mask
    }
  }

  /// Enters a cell whose place is not in the table.
  func insert(_ id: Int32, in cells: borrowing FlatTable<HotCell>) {
    if count * 3 >= (mask + 1) * 2 { grow(cells) }
    count += 1
    enter(id, cells)
  }

  private func enter(_ id: Int32, _ cells: borrowing FlatTable<HotCell>) {
    var position = start(id, cells)
    while entries[position] >= 0 { position = (position + 1) & mask }
    entries[position] = id
  }

  private func start(_ id: Int32, _ cells: borrowing FlatTable<HotCell>) -> Int {
    start(cells[id].object.bits, cells[id].index, cells[id].key.bits)
  }

  /// Takes a cell out.
  func remove(_ id: Int32, in cells: borrowing FlatTable<HotCell>) {
    var hole = start(id, cells)
    while entries[hole] != id {
      if entries[hole] < 0 { return }
      hole = (hole + 1) & mask
    }
    count -= 1
    // What follows moves up if it may: no cell stands behind a gap.
    var position = (hole + 1) & mask
    while entries[position] >= 0 {
      let distance = (position - start(entries[position], cells)) & mask
      if distance >= (position - hole) & mask {
        entries[hole] = entries[position]
        hole = position
      }
      position = (position + 1) & mask
    }
    entries[hole] = -1
  }

  private func grow(_ cells: borrowing FlatTable<HotCell>) {
    let old = FlatTable<Int32>()
    old.extend(to: (mask + 1) * 2, with: -1)
    entries.exchange(with: old)
    mask = mask * 2 + 1
    for position in 0..<old.count where old[position] >= 0 { enter(old[position], cells) }
  }
}

/// A formula in Swift code.
@safe
final class NativeFormula {
  /// Computes the value from the cells it reads.
  let compute: (NativeInputs) -> Value
  /// How many cells it reads.
  let count: Int
  private let entries: UnsafeMutablePointer<Input>
  let graph: Unmanaged<ConnectionGraph>

  /// A cell that it reads, and where its value stands; nil for a place that is no plain slot.
  @unsafe
  struct Input {
    let address: UnsafePointer<Value>?
    let cell: CellID
  }

  init(graph: ConnectionGraph, inputs: [CellID], _ compute: @escaping (NativeInputs) -> Value) {
    unsafe self.graph = Unmanaged.passUnretained(graph)
    self.compute = compute
    count = inputs.count
    unsafe entries = UnsafeMutablePointer<Input>.allocate(capacity: max(1, inputs.count))
    for (index, input) in inputs.enumerated() {
      let cell = graph.hot[input.rawValue]
      let isSlot = cell.kind == .slot
      unsafe (entries + index).initialize(
        to: Input(
          address: isSlot ? ObjectRef(cell.object).address(ofSlot: cell.index) : nil, cell: input))
    }
  }

  deinit { unsafe entries.deallocate() }

  /// The cells it reads.
  var inputs: [CellID] { (0..<count).map { unsafe entries[$0].cell } }

  /// An input, `0 ..< count`.
  @inline(__always)
  @unsafe
  subscript(index: Int) -> Input {
    assert(index >= 0 && index < count)
    return unsafe entries[index]
  }
}

/// A formula in Swift code, without reference counting: its connection keeps it alive.
@safe
struct NativeFormulaRef {
  private let formula: Unmanaged<NativeFormula>

  @inline(__always)
  init?(word: UInt) {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: word) else { return nil }
    unsafe formula = Unmanaged.fromOpaque(pointer)
  }

  @inline(__always)
  func compute() -> Value {
    unsafe formula._withUnsafeGuaranteedRef { unsafe $0.compute(NativeInputs(formula)) }
  }
}

/// What a formula in Swift code reads; good while it runs.
@safe
struct NativeInputs {
  private let formula: Unmanaged<NativeFormula>

  @inline(__always)
  init(_ formula: Unmanaged<NativeFormula>) {
    unsafe self.formula = unsafe formula
  }

  @inline(__always)
  var count: Int { unsafe formula._withUnsafeGuaranteedRef { $0.count } }

  /// The value of an input, `0 ..< count`.
  @inline(__always)
  subscript(index: Int) -> Value {
    unsafe formula._withUnsafeGuaranteedRef { formula in
      let input = unsafe formula[index]
      if let address = unsafe input.address { return unsafe address.pointee }
      return unsafe formula.graph._withUnsafeGuaranteedRef { graph in
        unsafe graph.machine.currentValue(of: input.cell) ?? .nil
      }
    }
  }
}
