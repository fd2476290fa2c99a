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
  /// The formulas that read it.
  var readers = ReaderList()
  /// The one-way formula that determines it.
  var owner: Formula?
  /// The region of several directions it belongs to.
  var region: Region?
  private var extras: Extras?
  private var storedLevel: Int32 = 0
  /// How many constraints of its region join it.
  var regionUses: Int32 = 0
  /// Whether a statement calls it that.
  var isNamed = false
  /// Whether nothing uses the record.
  var isFree = false

  init(name: String) { self.name = name }

  /// What few cells have.
  private final class Extras {
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
  var readers: ReaderList { unsafe graph.cells[id.index].readers }
  var owner: Formula? { unsafe graph.cells[id.index].owner }
  var region: Region? { unsafe graph.cells[id.index].region }
  var level: Int { unsafe graph.cells[id.index].level }
  var slots: [CellID] { unsafe graph.cells[id.index].slots }
  var properties: [CellID] { unsafe graph.cells[id.index].properties }
  var known: Value? { unsafe graph.cells[id.index].known }
  var isFree: Bool { unsafe graph.cells[id.index].isFree }
}

/// The formulas that read a cell, in the order in which they came: mostly one.
struct ReaderList: Sequence {
  private var first: Formula?
  private var others: Table?

  /// The formulas after the first.
  private final class Table {
    /// nil where one was taken out.
    var formulas: ContiguousArray<Formula?> = []
    /// How many there are, and where the first one stands.
    var count = 0
    var start = 0
    /// Where each stands, by its number; made when looking through all of them would take long.
    var positions: [Int32: Int]?

    func append(_ formula: Formula) {
      positions?[formula.id.rawValue] = formulas.count
      formulas.append(formula)
      count += 1
      if positions == nil, formulas.count > 32 { index() }
    }

    /// - Returns: whether it was there.
    func remove(_ formula: Formula) -> Bool {
      let position =
        positions.map { $0[formula.id.rawValue] }
        ?? formulas.lastIndex { $0 === formula }
      guard let position, formulas[position] === formula else { return false }
      take(position)
      return true
    }

    func removeFirst() -> Formula? {
      while start < formulas.count, formulas[start] == nil { start += 1 }
      guard start < formulas.count, let formula = formulas[start] else { return nil }
      take(start)
      return formula
    }

    private func take(_ position: Int) {
      if let formula = formulas[position] { positions?[formula.id.rawValue] = nil }
      formulas[position] = nil
      count -= 1
      // Gaps at most as many as formulas.
      guard formulas.count > 2 * count + 16 else { return }
      formulas = ContiguousArray(formulas.lazy.filter { $0 != nil })
      start = 0
      if count > 32 { index() } else { positions = nil }
    }

    private func index() {
      var made: [Int32: Int] = [:]
      made.reserveCapacity(formulas.count)
      for (position, formula) in formulas.enumerated() {
        if let formula { made[formula.id.rawValue] = position }
      }
      positions = made
    }
  }

  var isEmpty: Bool { first == nil }

  /// - Complexity: O(1), amortised.
  mutating func append(_ formula: Formula) {
    guard first != nil else {
      first = formula
      return
    }
    if others == nil { others = Table() }
    others?.append(formula)
  }

  /// - Complexity: O(1), amortised.
  mutating func remove(_ formula: Formula) {
    if first === formula {
      first = others?.removeFirst()
    } else {
      guard others?.remove(formula) ?? false else { return }
    }
    if others?.count == 0 { others = nil }
  }

  mutating func removeAll() { self = ReaderList() }

  struct Iterator: IteratorProtocol {
    fileprivate var first: Formula?
    fileprivate var rest: GapIterator<Formula>?

    mutating func next() -> Formula? {
      if let formula = first {
        first = nil
        return formula
      }
      return rest?.next()
    }
  }

  /// Those that read it now, whatever comes or goes meanwhile.
  func makeIterator() -> Iterator {
    Iterator(first: first, rest: others.map { GapIterator($0.formulas) })
  }
}
