internal import TenonTables

/// Why a cell has the value it has.
struct Cause {
  /// The formula that wrote it; nil for a write from outside.
  var formula: FormulaID?
  /// The changed cell because of which the formula ran.
  var cell: CellID?
  /// The send that wrote from outside.
  var site: TraceEntry?
}

/// What the graph knows of a place that takes part in connections, besides what a turn needs.
struct Cell {
  /// What messages call it: `ivar:c`, `defaults:celsius`.
  var name: String
  /// The region of several directions it belongs to.
  var region: Region?
  private var extras: Extras?
  /// The first formula that reads it, or -1; the others are in the extras.
  private var firstReader: Int32 = -1
  /// The one-way formula that determines it, or -1.
  var ownerNumber: Int32 = -1
  private var storedLevel: Int32 = 0
  /// How many constraints of its region join it, times four, and the flags.
  private var usesAndFlags: Int32 = 0

  init(name: String) { self.name = name }

  /// What few cells have.
  private final class Extras {
    var readers: ReaderTable?
    var site: TraceEntry?
    var slots: [CellID] = []
    var properties: [CellID] = []
    var known: Value?
  }

  private mutating func makeExtras() -> Extras {
    if let extras { return extras }
    let made = Extras()
    extras = made
    return made
  }

  /// How many constraints of its region join it.
  var regionUses: Int32 {
    get { usesAndFlags >> 2 }
    set { usesAndFlags = newValue << 2 | usesAndFlags & 3 }
  }

  /// Whether a statement calls it that.
  var isNamed: Bool {
    get { usesAndFlags & 1 != 0 }
    set { usesAndFlags = newValue ? usesAndFlags | 1 : usesAndFlags & ~1 }
  }

  /// Whether a one-way formula determines it.
  var hasOwner: Bool { ownerNumber >= 0 }

  /// Whether nothing uses the record.
  var isFree: Bool {
    get { usesAndFlags & 2 != 0 }
    set { usesAndFlags = newValue ? usesAndFlags | 2 : usesAndFlags & ~2 }
  }

  /// Where it stands in the order of a turn: 0 for places that nothing determines.
  var level: Int {
    get { Int(storedLevel) }
    set { storedLevel = Int32(clamping: newValue) }
  }
  /// The send that last wrote it from outside.
  var site: TraceEntry? {
    get { extras?.site }
    set { if extras != nil || newValue != nil { makeExtras().site = newValue } }
  }
  /// For a property: the slots its getter reads, as cells.
  var slots: [CellID] {
    get { extras?.slots ?? [] }
    set { if extras != nil || !newValue.isEmpty { makeExtras().slots = newValue } }
  }
  /// The property cells that depend on this slot.
  var properties: [CellID] {
    get { extras?.properties ?? [] }
    set { if extras != nil || !newValue.isEmpty { makeExtras().properties = newValue } }
  }
  /// The last value seen, for places that are costly to read.
  var known: Value? {
    get { extras?.known }
    set { if extras != nil || newValue != nil { makeExtras().known = newValue } }
  }

  // MARK: Readers

  /// Whether any formula reads it.
  var hasReaders: Bool { firstReader >= 0 }

  /// Adds a formula that reads it.
  ///
  /// - Complexity: O(1), amortised.
  mutating func addReader(_ formula: Int32) {
    guard firstReader >= 0 else {
      firstReader = formula
      return
    }
    let extras = makeExtras()
    if extras.readers == nil { extras.readers = ReaderTable() }
    extras.readers?.append(formula)
  }

  /// Takes out a formula that reads it.
  ///
  /// - Complexity: O(1), amortised.
  mutating func removeReader(_ formula: Int32) {
    if firstReader == formula {
      firstReader = extras?.readers?.removeFirst() ?? -1
    } else {
      guard extras?.readers?.remove(formula) ?? false else { return }
    }
    if extras?.readers?.count == 0 { extras?.readers = nil }
  }

  /// Takes all formulas out that read it.
  mutating func removeReaders() {
    firstReader = -1
    extras?.readers = nil
  }

  /// The formulas that read it now, whatever comes or goes meanwhile.
  func readers(in graph: ConnectionGraph) -> Readers {
    Readers(graph: graph, first: firstReader, rest: extras?.readers?.formulas ?? [])
  }
}

/// A cell as the graph shows it.
///
/// The reference to the graph is not counted: the graph outlives every view. The machine owns its
/// graph from its first moment to its last and never exchanges it; a view is made by the graph's
/// subscript, and no property, table or closure that outlives a call keeps one. So while a view is
/// used, a method of this machine or of its graph is running, and whoever called it holds the machine.
/// The number is as good as any index: the table of cells never shrinks.
struct CellView {
  unowned(unsafe) let graph: ConnectionGraph
  let id: CellID

  var place: Place { unsafe graph.place(of: id) }
  var name: String { unsafe graph.cells[id.index].name }
  var isNamed: Bool { unsafe graph.cells[id.index].isNamed }
  var readers: Readers { unsafe graph.readers(of: id) }
  var hasReaders: Bool { unsafe graph.cells[id.index].hasReaders }
  var owner: Formula? { unsafe graph.owner(of: id) }
  var hasOwner: Bool { unsafe graph.cells[id.index].ownerNumber >= 0 }
  var region: Region? { unsafe graph.cells[id.index].region }
  var level: Int { unsafe graph.cells[id.index].level }
  var slots: [CellID] { unsafe graph.cells[id.index].slots }
  var properties: [CellID] { unsafe graph.cells[id.index].properties }
  var known: Value? { unsafe graph.cells[id.index].known }
  var isFree: Bool { unsafe graph.cells[id.index].isFree }
}

/// The formulas that read a cell, in the order in which they came: mostly one.
struct Readers: Sequence, IteratorProtocol {
  unowned(unsafe) fileprivate let graph: ConnectionGraph
  fileprivate var first: Int32
  /// -1 where one was taken out.
  fileprivate let rest: ContiguousArray<Int32>
  private var position = 0

  fileprivate init(graph: ConnectionGraph, first: Int32, rest: ContiguousArray<Int32>) {
    unsafe self.graph = graph
    self.first = first
    self.rest = rest
  }

  /// Whether there is none.
  var isEmpty: Bool { first < 0 }

  mutating func next() -> Formula? {
    if first >= 0 {
      defer { first = -1 }
      return unsafe graph.formula(first)
    }
    while position < rest.count {
      position += 1
      if rest[position - 1] >= 0 { return unsafe graph.formula(rest[position - 1]) }
    }
    return nil
  }
}

/// The formulas that read a cell, after the first.
private final class ReaderTable {
  /// -1 where one was taken out.
  private(set) var formulas: ContiguousArray<Int32> = []
  /// How many there are, and where the first one stands.
  private(set) var count = 0
  private var start = 0
  /// Where each stands, by its number; made when looking through all of them would take long.
  private var positions: [Int32: Int]?

  func append(_ formula: Int32) {
    positions?[formula] = formulas.count
    formulas.append(formula)
    count += 1
    if positions == nil, formulas.count > 32 { index() }
  }

  /// - Returns: whether it was there.
  func remove(_ formula: Int32) -> Bool {
    let position = positions.map { $0[formula] } ?? formulas.lastIndex(of: formula)
    guard let position, formulas[position] == formula else { return false }
    take(position)
    return true
  }

  func removeFirst() -> Int32 {
    while start < formulas.count, formulas[start] < 0 { start += 1 }
    guard start < formulas.count else { return -1 }
    let formula = formulas[start]
    take(start)
    return formula
  }

  private func take(_ position: Int) {
    positions?[formulas[position]] = nil
    formulas[position] = -1
    count -= 1
    // Gaps at most as many as formulas.
    guard formulas.count > 2 * count + 16 else { return }
    formulas = ContiguousArray(formulas.lazy.filter { $0 >= 0 })
    start = 0
    if count > 32 { index() } else { positions = nil }
  }

  private func index() {
    var made: [Int32: Int] = [:]
    made.reserveCapacity(formulas.count)
    for (position, formula) in formulas.enumerated() where formula >= 0 {
      made[formula] = position
    }
    positions = made
  }
}
