internal import TenonSolverKit
internal import TenonTables

// The folder Entities: the records of cells, formulas, constraints, regions and connections, their handles and
// indexes. Turns are in Turn, the joining of cells in Regions.

/// The reason of a cell's value.
struct Cause {
  /// The formula that wrote it; nil for a write from outside.
  var formula: FormulaID?
  /// The changed cell because of which the formula ran.
  var cell: CellID?
  /// The send that wrote from outside.
  var site: TraceEntry?
}

/// The record of a place that takes part in connections, without the data of `HotCell`.
struct Cell: BitwiseCopyable {
  var name = CellName()
  /// The first formula that reads it, or -1.
  var firstReader: Int32 = -1
  /// The one-way formula that determines it, or -1.
  var ownerNumber: Int32 = -1
}

/// The records of places that take part in connections, without the data of `HotCell`: a row for the
/// data of all cells, and columns for the data of few.
final class CellTable {
  var freeCells: [CellID] = []
  fileprivate let rows = FlatTable<Cell>()
  /// The names that are too long to stand in a row.
  fileprivate let names = SharedTable<String>()
  /// The formulas that read a cell, after the first.
  fileprivate let furtherReaders = SparseTable<ReaderTable>()
  /// The regions that cells belong to, and their numbers.
  fileprivate let regions = SharedTable<Region>()
  fileprivate let regionNumbers = NumberMap()
  /// The number of constraints of its region that join a cell.
  fileprivate let regionUses = NumberMap()
  fileprivate let levels = NumberMap()
  fileprivate let slots = SparseTable<[CellID]>()
  fileprivate let properties = SparseTable<[CellID]>()
  fileprivate let cachedValue = SparseTable<Value>()

  /// The number of records, free ones included.
  var count: Int { rows.count }

  /// The numbers of the records.
  var indices: Range<Int32> { 0..<Int32(clamping: count) }

  /// The number of records of long names, free ones included.
  var nameCapacity: Int { names.capacity }

  /// The number of long names.
  var nameCount: Int { names.count }

  /// The record of a cell.
  subscript(number: Int32) -> CellRecord {
    @inline(__always) get { CellRecord(table: self, number: number) }
  }

  /// The record of a cell.
  subscript(number: Int) -> CellRecord {
    @inline(__always) get { self[Int32(truncatingIfNeeded: number)] }
  }

  /// Adds the record of a cell.
  func append(name: String) {
    var cell = Cell()
    cell.name.setText(name, in: names)
    rows.append(cell)
  }

  /// Uses a free record for another cell.
  func reuse(_ number: Int32, name: String) {
    rows[number] = Cell()
    rows[number].name.setText(name, in: names)
  }

  /// Frees a record that has no readers, no region and no properties any more.
  func free(_ number: Int32) {
    self[number].regionUses = 0
    self[number].level = 0
    self[number].slots = []
    self[number].cachedValue = nil
    var name = rows[number].name
    name.setText("", in: names)
    rows[number] = Cell()
    rows[number].name.isFree = true
  }
}

/// The record of a cell as a view on its table.
///
/// The reference to the table is not counted: it belongs to the graph, and for that see `CellView`.
struct CellRecord {
  @Uncounted fileprivate var table: CellTable
  fileprivate let number: Int32

  /// The name in messages: `ivar:c`, `defaults:celsius`.
  var name: String {
    get { table.rows[number].name.text(in: table.names) }
    nonmutating set { table.rows[number].name.setText(newValue, in: table.names) }
  }

  /// Whether a statement gave the cell its name.
  var isNamed: Bool {
    get { table.rows[number].name.isNamed }
    nonmutating set { table.rows[number].name.isNamed = newValue }
  }

  /// Whether the place held nothing before a value was computed for it; nil where that was not examined.
  var wasEmpty: Bool? {
    get { table.rows[number].name.wasEmpty }
    nonmutating set { table.rows[number].name.wasEmpty = newValue }
  }

  /// Whether the record is unused.
  var isFree: Bool { table.rows[number].name.isFree }

  /// The one-way formula that determines it, or -1.
  var ownerNumber: Int32 {
    @inline(__always) get { table.rows[number].ownerNumber }
    nonmutating set { table.rows[number].ownerNumber = newValue }
  }

  /// Whether a one-way formula determines it.
  var hasOwner: Bool { @inline(__always) get { ownerNumber >= 0 } }

  /// The region of several directions it belongs to.
  var region: Region? {
    @inline(__always) get {
      let place = table.regionNumbers[number]
      return place < 0 ? nil : table.regions[place]
    }
    nonmutating set {
      let old = table.regionNumbers[number]
      if let newValue {
        let hash = UInt(bitPattern: ObjectIdentifier(newValue)) >> 4
        let place = table.regions.take(newValue, hash: hash) { $0 === newValue }
        table.regionNumbers.set(number, to: place)
      } else if old >= 0 {
        table.regionNumbers.remove(number)
      }
      if old >= 0 { table.regions.release(old) }
    }
  }

  /// The same, not retained, where no code of a program runs: the region stays as long as a cell belongs to it.
  var regionReference: Unmanaged<Region>? {
    @inline(__always) get {
      let place = table.regionNumbers[number]
      return place < 0
        ? nil : unsafe table.regions[place].map { unsafe Unmanaged.passUnretained($0) }
    }
  }

  /// Whether it belongs to a region.
  var isInRegion: Bool {
    @inline(__always) get { table.regionNumbers[number] >= 0 }
  }

  /// The number of constraints of its region that join it.
  var regionUses: Int32 {
    get { max(0, table.regionUses[number]) }
    nonmutating set { CellRecord.set(number, to: newValue, in: table.regionUses) }
  }

  /// The position in the order of a turn: 0 for places that nothing determines.
  var level: Int {
    get { Int(max(0, table.levels[number])) }
    nonmutating set {
      CellRecord.set(number, to: Int32(clamping: newValue), in: table.levels)
    }
  }

  /// Sets a number in a column where 0 means no entry.
  private static func set(_ number: Int32, to value: Int32, in column: borrowing NumberMap) {
    if value > 0 { column.set(number, to: value) } else { column.remove(number) }
  }

  /// For a property: the slots its getter reads, as cells.
  var slots: [CellID] {
    get { table.slots[number] ?? [] }
    nonmutating set { table.slots[number] = newValue.isEmpty ? nil : newValue }
  }

  /// The property cells that depend on this slot.
  var properties: [CellID] {
    get { table.properties[number] ?? [] }
    nonmutating set { table.properties[number] = newValue.isEmpty ? nil : newValue }
  }

  /// The last value seen, for places that are costly to read.
  var cachedValue: Value? {
    get { table.cachedValue[number] }
    nonmutating set { table.cachedValue[number] = newValue }
  }

  // MARK: Readers

  /// Whether any formula reads it.
  var hasReaders: Bool { table.rows[number].firstReader >= 0 }

  /// Adds a formula that reads it.
  ///
  /// - Complexity: O(1), amortised.
  func addReader(_ formula: Int32) {
    if !hasReaders {
      table.rows[number].firstReader = formula
    } else if let readers = table.furtherReaders[number] {
      readers.append(formula)
    } else {
      table.furtherReaders[number] = ReaderTable(formula)
    }
  }

  /// Removes a formula that reads it.
  ///
  /// - Complexity: O(1), amortised.
  func removeReader(_ formula: Int32) {
    let further = table.furtherReaders[number]
    if table.rows[number].firstReader == formula {
      table.rows[number].firstReader = further?.removeFirst() ?? -1
    } else {
      guard further?.remove(formula) ?? false else { return }
    }
    if further?.count == 0 { table.furtherReaders[number] = nil }
  }

  /// Removes all formulas that read it.
  func removeReaders() {
    table.rows[number].firstReader = -1
    table.furtherReaders[number] = nil
  }

  /// Returns the formulas that read it now, whatever comes or goes meanwhile.
  func readers(in graph: ConnectionGraph) -> Readers {
    Readers(
      graph: graph, first: table.rows[number].firstReader,
      rest: table.furtherReaders[number]?.formulas ?? [])
  }
}

/// A cell as the graph shows it.
///
/// The reference to the graph is not counted: the graph outlives every view. The machine owns its
/// graph from its first moment to its last and never exchanges it; a view is made by the graph's
/// subscript, and no property, table or closure that outlives a call keeps one. So while a view is
/// used, a method of this machine or of its graph is running, and its caller holds the machine.
/// The number stays valid: the table of cells never shrinks.
struct CellView {
  @Uncounted var graph: ConnectionGraph
  let id: CellID

  var place: Place { graph.place(of: id) }
  var name: String { graph.cells[id.index].name }
  var isNamed: Bool { graph.cells[id.index].isNamed }
  var readers: Readers { graph.readers(of: id) }
  var hasReaders: Bool { graph.cells[id.index].hasReaders }
  var owner: Formula? { graph.owner(of: id) }
  var hasOwner: Bool { graph.cells[id.index].hasOwner }
  var region: Region? { graph.cells[id.index].region }
  var level: Int { graph.cells[id.index].level }
  var slots: [CellID] { graph.cells[id.index].slots }
  var properties: [CellID] { graph.cells[id.index].properties }
  var cachedValue: Value? { graph.cells[id.index].cachedValue }
  var isFree: Bool { graph.cells[id.index].isFree }
}
