internal import TenonTables

/// A formula in Swift code.
@safe
final class NativeFormula {
  /// Computes the value from the cells it reads.
  let compute: (NativeInputs) -> Value
  /// Where the values of the cells stand that it reads; nil for places that are no plain slots.
  let addresses: UnsafeMutablePointer<UnsafeRawPointer?>
  /// How many cells it reads.
  let count: Int
  let graph: Unmanaged<ConnectionGraph>

  init(graph: ConnectionGraph, inputs: [CellID], _ compute: @escaping (NativeInputs) -> Value) {
    unsafe self.graph = Unmanaged.passUnretained(graph)
    self.compute = compute
    count = inputs.count
    // The numbers of the cells stand behind the addresses: two for each word.
    unsafe addresses = UnsafeMutablePointer.allocate(capacity: count + (count + 1) / 2 + 1)
    for (index, input) in inputs.enumerated() {
      let cell = graph.hot[input.rawValue]
      let isSlot = cell.kind == .slot
      let address =
        unsafe isSlot ? UnsafeRawPointer(ObjectRef(cell.object).address(ofSlot: cell.index)) : nil
      unsafe (addresses + index).initialize(to: address)
      unsafe (numbers + index).initialize(to: input.rawValue)
    }
  }

  private var numbers: UnsafeMutablePointer<Int32> {
    unsafe UnsafeMutableRawPointer(addresses + count).assumingMemoryBound(to: Int32.self)
  }

  /// A cell that it reads, `0 ..< count`.
  func input(_ index: Int) -> CellID {
    assert(index >= 0 && index < count)
    return CellID(unsafe numbers[index])
  }

  /// The cells it reads.
  var inputs: [CellID] { (0..<count).map { input($0) } }

  deinit { unsafe addresses.deallocate() }
}

/// A formula in Swift code, without reference counting: its connection keeps it alive, or the graph
/// once that has ended while it was running.
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

  /// Where the values stand; nil for places that are no plain slots.
  @inline(__always)
  var addresses: UnsafePointer<UnsafeRawPointer?> {
    unsafe formula._withUnsafeGuaranteedRef { unsafe UnsafePointer($0.addresses) }
  }

  /// The value of an input, `0 ..< count`.
  @inline(__always)
  subscript(index: Int) -> Value {
    unsafe formula._withUnsafeGuaranteedRef { formula in
      if let address = unsafe formula.addresses[index] {
        return unsafe address.load(as: Value.self)
      }
      return unsafe formula.graph._withUnsafeGuaranteedRef { graph in
        graph.machine.currentValue(of: formula.input(index)) ?? .nil
      }
    }
  }
}

/// The inputs of a formula over integers.
@safe
package struct IntegerInputs {
  let inputs: NativeInputs
  @usableFromInline let addresses: UnsafePointer<UnsafeRawPointer?>
  /// How many there are.
  package let count: Int

  @inline(__always)
  init(_ inputs: NativeInputs) {
    self.inputs = inputs
    unsafe addresses = unsafe inputs.addresses
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

  /// Reads an input that is no plain slot.
  @usableFromInline
  func read(_ index: Int) -> Int { inputs[index].asSmallInteger ?? 0 }

  /// The sum of all of them.
  package var sum: Int {
    var sum = 0
    for index in 0..<count { sum &+= self[index] }
    return sum
  }
}
