internal import TenonSolverKit
internal import TenonTables

// Formulas in Swift code. The data that a turn needs of them lies in a row, in the order in which they were
// made: objects of their own would lie where the allocator has room, and with many formulas fetching
// each would take longer than running it.

/// The code of a formula in Swift.
enum NativeCode {
  /// Computes the value from the cells it reads.
  case values((borrowing FormulaInputs) -> FormulaValue)
  /// Computes an integer from integers.
  case integers((IntegerInputs) -> Int)
}

/// The code of a formula, as its record has it: a turn calls it in place, without counting
/// references.
private struct ValuesCode: ~Copyable {
  let compute: (borrowing FormulaInputs) -> FormulaValue

  @inline(__always)
  func callAsFunction(_ inputs: borrowing FormulaInputs) -> FormulaValue { compute(inputs) }
}

/// The code of a formula over integers, in the same form.
private struct IntegersCode: ~Copyable {
  let compute: (IntegerInputs) -> Int

  @inline(__always)
  func callAsFunction(_ inputs: IntegerInputs) -> Int { compute(inputs) }
}

/// The data for running a formula in Swift code: half a cache line for one that reads one cell.
///
/// It begins with the code. There are records of two sizes: where the formula reads two cells, the
/// address and number of the second stand at the end. Where it reads more, the data of its cells is elsewhere.
@safe
private struct NativeRecord {
  /// The data behind the code.
  @safe
  struct Facts: BitwiseCopyable {
    /// The number of cells it reads, if it is over integers; else the complement of that.
    let shape: Int32
    /// The number of the first cell, or -1.
    var number: Int32 = -1
    /// The address of its value, nil if it is no plain slot; for more than two cells, that of the addresses
    /// of all, and behind them the numbers.
    var address: UnsafeRawPointer?
  }

  private static var factsOffset: Int { 16 }
  private static var addressOffset: Int { 24 }

  /// The number of cells that a record has room for at most.
  @inline(__always) static var room: Int { 2 }

  /// Returns the size in bytes for the number of cells that the formula reads.
  static func size(_ count: Int) -> Int { count == room ? 48 : 32 }

  let memory: UnsafeMutableRawPointer

  @inline(__always)
  init(_ memory: UnsafeMutableRawPointer) { unsafe self.memory = unsafe memory }

  @inline(__always)
  var facts: UnsafeMutablePointer<Facts> {
    unsafe (memory + NativeRecord.factsOffset).assumingMemoryBound(to: Facts.self)
  }

  /// The code, where it computes values.
  @inline(__always)
  var values: UnsafeMutablePointer<ValuesCode> {
    unsafe memory.assumingMemoryBound(to: ValuesCode.self)
  }

  /// The code, where it is over integers.
  @inline(__always)
  var integers: UnsafeMutablePointer<IntegersCode> {
    unsafe memory.assumingMemoryBound(to: IntegersCode.self)
  }

  /// The number of cells it reads.
  @inline(__always)
  var count: Int {
    let shape = unsafe Int(facts.pointee.shape)
    return shape < 0 ? ~shape : shape
  }

  @inline(__always) var isOverIntegers: Bool { unsafe facts.pointee.shape >= 0 }

  /// The addresses of the cells' values; nil for places that are no plain slots.
  @inline(__always)
  var addresses: UnsafeMutablePointer<UnsafeRawPointer?> {
    let own = unsafe memory + NativeRecord.addressOffset
    let words =
      unsafe count > NativeRecord.room
      ? UnsafeMutableRawPointer(mutating: facts.pointee.address) ?? own : own
    return unsafe words.assumingMemoryBound(to: UnsafeRawPointer?.self)
  }

  /// Returns the address of a cell's number, by its index in `0 ..< count`.
  func number(_ index: Int) -> UnsafeMutablePointer<Int32> {
    let place = unsafe NativeRecord.number(index, beside: addresses, count)
    return unsafe UnsafeMutablePointer(mutating: place)
  }

  /// Returns the same from the addresses and their count.
  static func number(
    _ index: Int, beside addresses: UnsafePointer<UnsafeRawPointer?>, _ count: Int
  ) -> UnsafePointer<Int32> {
    assert(index >= 0 && index < count)
    // In a record the first number stands before its address, and the second one behind its own.
    let offset =
      count > room
      ? count * MemoryLayout<Int>.stride + index * MemoryLayout<Int32>.stride
      : index == 0 ? -MemoryLayout<Int32>.stride : room * MemoryLayout<Int>.stride
    return unsafe (UnsafeRawPointer(addresses) + offset).assumingMemoryBound(to: Int32.self)
  }
}

/// The records of a graph: they stay where they are until they are freed.
@safe
final class NativeTable {
  private static var pageSize: Int { 4_096 }

  private var pages: [UnsafeMutableRawPointer] = unsafe []
  /// The free records of either size: each has the address of the next.
  private var free: (small: UnsafeMutableRawPointer?, large: UnsafeMutableRawPointer?)
  /// The bytes that are left of the last page.
  private var room = 0

  init() { unsafe free = (nil, nil) }

  /// The bytes that the records take, free ones included.
  var byteCount: Int { unsafe pages.count * NativeTable.pageSize }

  /// Returns memory for the record of a formula that reads a number of cells.
  fileprivate func makeRecord(_ count: Int) -> NativeRecord {
    let isLarge = count == NativeRecord.room
    if let known = unsafe isLarge ? free.large : free.small {
      unsafe setFree(known.load(as: UnsafeMutableRawPointer?.self), isLarge: isLarge)
      return unsafe NativeRecord(known)
    }
    let size = NativeRecord.size(count)
    if room < size { addPage() }
    let memory = unsafe pages[pages.count - 1] + (NativeTable.pageSize - room)
    room -= size
    return unsafe NativeRecord(memory)
  }

  /// Frees the record of a formula that does not run.
  func remove(_ formula: SwiftFormula) {
    let record = formula.record
    let count = record.count
    let code = formula.takeCode()
    if count > NativeRecord.room { unsafe record.facts.pointee.address?.deallocate() }
    let isLarge = count == NativeRecord.room
    unsafe record.memory.storeBytes(
      of: isLarge ? free.large : free.small, as: UnsafeMutableRawPointer?.self)
    unsafe setFree(record.memory, isLarge: isLarge)
    // Last: objects of the code may run code of any kind when they are released.
    withExtendedLifetime(code) {}
  }

  private func setFree(_ first: UnsafeMutableRawPointer?, isLarge: Bool) {
    if isLarge { unsafe free.large = unsafe first } else { unsafe free.small = unsafe first }
  }

  private func addPage() {
    unsafe pages.append(.allocate(byteCount: NativeTable.pageSize, alignment: 64))
    room = NativeTable.pageSize
  }

  // The graph has freed all records.
  deinit { unsafe pages.forEach { unsafe $0.deallocate() } }
}

/// The code and inputs of a formula in Swift, without reference counting: the record is kept
/// until the formula is over, one that has ended while it was running included.
@safe
struct SwiftFormula {
  fileprivate let record: NativeRecord

  /// Creates it from the word that stands for it in the table of formulas.
  @inline(__always)
  init?(word: UInt) {
    guard let memory = unsafe UnsafeMutableRawPointer(bitPattern: word) else { return nil }
    record = unsafe NativeRecord(memory)
  }

  init(graph: ConnectionGraph, inputs: [CellID], _ code: NativeCode) {
    record = graph.tables.natives.makeRecord(inputs.count)
    let count = Int32(clamping: inputs.count)
    switch code {
    case .values(let compute):
      unsafe record.values.initialize(to: ValuesCode(compute: compute))
      unsafe record.facts.initialize(to: NativeRecord.Facts(shape: ~count))
    case .integers(let compute):
      unsafe record.integers.initialize(to: IntegersCode(compute: compute))
      unsafe record.facts.initialize(to: NativeRecord.Facts(shape: count))
    }
    if inputs.count > NativeRecord.room {
      // The numbers of the cells stand behind the addresses: two for each word.
      let words = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(
        capacity: inputs.count + (inputs.count + 1) / 2)
      unsafe record.facts.pointee.address = UnsafeRawPointer(words)
    }
    for (index, input) in inputs.enumerated() {
      let cell = graph.hot[input.rawValue]
      let isSlot = cell.kind == .slot
      let address =
        unsafe isSlot ? UnsafeRawPointer(ObjectRef(cell.object).address(ofSlot: cell.slot)) : nil
      unsafe (record.addresses + index).initialize(to: address)
      unsafe record.number(index).initialize(to: input.rawValue)
    }
  }

  /// The cells it reads.
  var inputs: [CellID] { (0..<record.count).map { unsafe CellID(record.number($0).pointee) } }

  /// The code.
  var code: NativeCode {
    record.isOverIntegers
      ? unsafe .integers(record.integers.pointee.compute)
      : unsafe .values(record.values.pointee.compute)
  }

  /// Returns the code, and removes it from the record.
  fileprivate func takeCode() -> NativeCode {
    let code = code
    if record.isOverIntegers {
      unsafe record.integers.deinitialize(count: 1)
    } else {
      unsafe record.values.deinitialize(count: 1)
    }
    return code
  }

  /// The word that stands for it in the table of formulas.
  var word: UInt { unsafe UInt(bitPattern: record.memory) }

  /// Computes the value, in the graph that it was made for.
  @inline(__always)
  func compute(in graph: ConnectionGraph) -> Value {
    let inputs = NativeInputs(record, graph)
    return record.isOverIntegers
      ? unsafe Value(small: record.integers.pointee(IntegerInputs(inputs)))
      : computeValue(inputs, graph.machine)
  }

  @inline(never)
  private func computeValue(_ inputs: NativeInputs, _ machine: Machine) -> Value {
    unsafe machine.value(of: record.values.pointee(FormulaInputs(inputs, machine)))
  }
}

/// The inputs of a formula in Swift code; valid while it runs.
@safe
struct NativeInputs {
  private let record: NativeRecord
  fileprivate let graph: Unmanaged<ConnectionGraph>

  @inline(__always)
  fileprivate init(_ record: NativeRecord, _ graph: ConnectionGraph) {
    self.record = record
    unsafe self.graph = Unmanaged.passUnretained(graph)
  }

  @inline(__always) var count: Int { record.count }

  /// The addresses of the values; nil for places that are no plain slots.
  @inline(__always)
  fileprivate var addresses: UnsafeMutablePointer<UnsafeRawPointer?> { unsafe record.addresses }

  /// The value of an input, `0 ..< count`.
  @inline(__always)
  subscript(index: Int) -> Value {
    assert(index >= 0 && index < count)
    if let address = unsafe addresses[index] { return unsafe address.load(as: Value.self) }
    return unsafe NativeInputs.value(of: record.number(index).pointee, in: graph)
  }

  /// Returns the value of an input that is no plain slot.
  fileprivate static func value(of cell: Int32, in graph: Unmanaged<ConnectionGraph>) -> Value {
    unsafe graph._withUnsafeGuaranteedRef { $0.machine.currentValue(of: CellID(cell)) ?? .nil }
  }
}

/// The inputs of a formula over integers.
@safe
package struct IntegerInputs {
  /// With the addresses that is all the data: a turn passes no more.
  private let graph: Unmanaged<ConnectionGraph>
  @usableFromInline let addresses: UnsafePointer<UnsafeRawPointer?>
  /// The number of inputs.
  package let count: Int

  @inline(__always)
  init(_ inputs: NativeInputs) {
    unsafe graph = unsafe inputs.graph
    unsafe addresses = unsafe UnsafePointer(inputs.addresses)
    count = inputs.count
  }

  /// An input, `0 ..< count`; 0 when it is no small integer.
  @inlinable
  package subscript(index: Int) -> Int {
    @inline(__always) get {
      assert(index >= 0 && index < count)
      guard let address = unsafe addresses[index] else { return read(index) }
      return unsafe ValueEncoding.smallInteger(address.load(as: Int.self)) ?? 0
    }
  }

  /// Reads an input that is no plain slot; inlined, it would take the registers of the loops over the others.
  @inline(never) @usableFromInline
  func read(_ index: Int) -> Int {
    let cell = unsafe NativeRecord.number(index, beside: addresses, count).pointee
    return unsafe NativeInputs.value(of: cell, in: graph).asSmallInteger ?? 0
  }

  /// The sum of all inputs.
  package var sum: Int {
    var sum = 0
    for index in 0..<count { sum &+= self[index] }
    return sum
  }
}
