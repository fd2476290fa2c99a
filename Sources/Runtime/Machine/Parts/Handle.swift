internal import Synchronization
internal import TenonNumerics

/// A value of a script, held by Swift code: as long as the handle lives, so does the value.
///
/// A handle may be released on any thread; everything else about it belongs to the thread that
/// uses the interpreter.
public final class Handle {
  private let table: HandleTable
  private let index: Int

  init(table: HandleTable, index: Int) {
    self.table = table
    self.index = index
  }

  deinit {
    table.release(index)
  }

  /// The value; nil in the language once the interpreter is gone.
  var value: Value { table.value(at: index) }

  /// The interpreter it belongs to; nil once that is gone.
  package var machine: Machine? { table.machine }
}

/// The values that handles hold: roots of the collector.
@safe
final class HandleTable {
  /// How deep conversions to values of Swift are nested at this moment.
  @safe @exclusivity(unchecked) var conversionDepth = 0
  /// How deep they may be: a value may hold itself, and each level takes native stack.
  static let deepestConversion = 128

  @safe @exclusivity(unchecked) private var values: [Value] = []
  @safe @exclusivity(unchecked) private var free: [Int] = []
  /// Handles released since the last look, on whatever thread.
  private let released = Mutex<[Int]>([])
  /// The interpreter, until it goes; a weak reference would make counting its references slow.
  @safe @exclusivity(unchecked) private var owner: Unmanaged<Machine>?

  var machine: Machine? { unsafe owner?._withUnsafeGuaranteedRef { $0 } }

  func attach(_ machine: Machine) { unsafe owner = Unmanaged.passUnretained(machine) }

  func detach() { owner = nil }

  func makeHandle(_ value: Value) -> Handle {
    reclaim()
    if let index = free.popLast() {
      values[index] = value
      return Handle(table: self, index: index)
    }
    values.append(value)
    return Handle(table: self, index: values.count - 1)
  }

  func value(at index: Int) -> Value { machine == nil ? .nil : values[index] }

  fileprivate func release(_ index: Int) {
    released.withLock { $0.append(index) }
  }

  /// Takes back the places of released handles.
  private func reclaim() {
    let indices = released.withLock { list in
      defer { list = [] }
      return list
    }
    for index in indices { values[index] = .nil }
    free += indices
  }

  /// Marks what handles hold.
  func mark(_ heap: Heap) {
    reclaim()
    for value in values { heap.mark(value) }
  }
}

// MARK: - Values as Swift sees them

extension Handle {
  /// Whether the value is nil.
  public var isNil: Bool { value.isNil }

  /// The value as an `Int`, if it is an integer in range.
  public var integer: Int? { value.asSmallInteger ?? large?.exactInt }

  private var large: LargeInteger? {
    guard let machine, case .large(let integer)? = machine.numeric(value) else { return nil }
    return integer
  }

  /// The value as a `Double`, if it is a float or an integer.
  public var double: Double? {
    guard let machine else { return nil }
    return switch machine.numeric(value) {
    case .small(let integer): Double(integer)
    case .large(let integer): integer.nearestDouble
    case .float(let double): double
    case nil: nil
    }
  }

  /// The value as a `Bool`, if it is true or false.
  public var boolean: Bool? { value.isTrue ? true : value.isFalse ? false : nil }

  /// The value as a `String`, if it is a string or symbol.
  public var string: String? { machine?.text(value) }

  /// The elements of an array, each under a handle.
  public var elements: [Handle]? {
    guard let machine, value.isObject(ofClass: ClassIndex.array) else { return nil }
    let array = ObjectRef(value)
    return (0..<array.elementCount).map { machine.handles.makeHandle(array[element: $0]) }
  }

  /// The name of the value's class.
  public var className: String { machine?.classInfo(of: value).name ?? "UndefinedObject" }
}
