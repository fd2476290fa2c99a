internal import TenonNumerics
internal import TenonText

/// A value of a script, lent to Swift code that converts it.
///
/// It can be neither kept nor copied; `handle` makes what can. Reading runs no code of the program,
/// but for `elements` of collections that a script has defined.
@safe public struct ValueReader: ~Copyable {
  let value: Value
  // It is lent for the time of a call, for which somebody else keeps the machine.
  @safe private let lender: Unmanaged<Machine>

  package var machine: Machine { unsafe lender.takeUnretainedValue() }

  @inline(__always)
  init(_ value: Value, _ machine: Machine) {
    self.value = value
    unsafe lender = Unmanaged.passUnretained(machine)
  }

  /// Whether it is nil.
  public var isNil: Bool { value.isNil }

  /// The value as true or false; nil when it is neither.
  public var boolean: Bool? { value.isTrue ? true : value.isFalse ? false : nil }

  /// The value as a text; nil when it is no string or symbol.
  public var string: String? { machine.text(value) }

  /// The value as a Unicode scalar; nil when it is no character.
  public var character: Unicode.Scalar? {
    value.isCharacter ? Unicode.Scalar(value.characterCode) : nil
  }

  /// The value as a floating-point number, the nearest one; nil when it is no number.
  public var double: Double? { machine.nearestDouble(value) }

  /// The value as an `Int`; nil when it is no integer or too large.
  public var integer: Int? { value.asSmallInteger ?? integer(as: Int.self) }

  /// Whether it is an integer, of whatever size.
  public var isInteger: Bool {
    value.isSmallInteger || value.isObject(ofClass: ClassIndex.largeInteger)
  }

  /// The value as an integer of a type; nil when it is none or the type cannot hold it.
  public func integer<Integer: FixedWidthInteger>(as type: Integer.Type) -> Integer? {
    if let integer = value.asSmallInteger { return Integer(exactly: integer) }
    guard case .large(let large)? = machine.numeric(value) else { return nil }
    var magnitude: Integer = 0
    // From the highest limb down, on the side of the sign: the least integer has no opposite.
    for limb in large.limbs.reversed() {
      for shift in stride(from: 48, through: 0, by: -16) {
        let part = Integer(truncatingIfNeeded: limb >> UInt64(shift) & 0xFFFF)
        if Integer.bitWidth <= 16 { return nil }
        let (shifted, isTooHigh) = magnitude.multipliedReportingOverflow(by: 1 << 16)
        let (sum, isTooLarge) =
          large.isNegative
          ? shifted.subtractingReportingOverflow(part) : shifted.addingReportingOverflow(part)
        guard !isTooHigh, !isTooLarge else { return nil }
        magnitude = sum
      }
    }
    return magnitude
  }

  /// The value as bytes; nil when it is no byte array.
  public var bytes: [UInt8]? {
    guard value.isObject(ofClass: ClassIndex.byteArray) else { return nil }
    return unsafe Array(ObjectRef(value).bytes)
  }

  /// The value, to be kept.
  public var handle: Handle { machine.handles.makeHandle(value) }

  /// The name of its class.
  public var className: String { machine.classInfo(of: value).name }

  /// The object of the host that it stands for; nil when it is no such object.
  package var hostObject: AnyHostBox? { machine.hostObjects.box(of: value) }

  /// The error of a value that is not what was wanted, in words like `an integer`.
  public func mismatch(_ expected: String) -> ConversionError {
    ConversionError(expected: expected, found: machine.describe(value))
  }
}

// MARK: - Parts

extension HandleTable {
  /// Counts a level of a conversion.
  ///
  /// - Throws: `ConversionError` when it is too deep.
  fileprivate func enterConversion() throws(ConversionError) {
    guard conversionDepth < HandleTable.deepestConversion else {
      throw ConversionError(
        "it is nested more than \(HandleTable.deepestConversion) levels deep, or in itself")
    }
    conversionDepth += 1
  }
}

extension ValueReader {
  /// Reads the elements of a collection in their order; nil when it is none.
  ///
  /// Of a dictionary these are the values.
  ///
  /// - Throws: What `body` throws, with the index before it; or that the collection could not tell
  ///   its elements.
  public func elements<Element>(
    _ body: (borrowing ValueReader) throws(ConversionError) -> Element
  ) throws(ConversionError) -> [Element]? {
    var array = value
    let isArray = value.isObject(ofClass: ClassIndex.array)
    if !isArray {
      let info = machine.classInfo(of: value)
      guard value.isObject, info.inherits(from: machine.kernel.collection), !machine.isString(value)
      else { return nil }
      array = try machine.answer(to: "asArray", of: value)
      guard array.isObject(ofClass: ClassIndex.array) else { throw mismatch("a collection") }
    }
    try machine.handles.enterConversion()
    defer { machine.handles.conversionDepth -= 1 }
    let root = machine.roots.count
    machine.roots.append(array)
    machine.roots.append(.nil)
    defer { machine.dropRoots(to: root) }
    let object = ObjectRef(array)
    var elements: [Element] = []
    elements.reserveCapacity(object.elementCount)
    var index = 0
    // What reads an element may run code that changes the array.
    while index < object.elementCount {
      let element = object[element: index]
      machine.roots[root + 1] = element
      do throws(ConversionError) {
        elements.append(try body(ValueReader(element, machine)))
      } catch {
        throw error.inside("[\(index + 1)]")
      }
      index += 1
    }
    return elements
  }

  /// Whether it is a dictionary.
  public var isDictionary: Bool {
    value.isObject && machine.classInfo(of: value).inherits(from: machine.kernel.dictionary)
  }

  /// Reads the entries of a dictionary in the order in which they came; nil when it is none.
  ///
  /// - Throws: What `body` throws, with the key before it.
  public func entries<Entry>(
    _ body: (borrowing ValueReader, borrowing ValueReader) throws(ConversionError) -> Entry
  ) throws(ConversionError) -> [Entry]? {
    guard isDictionary else { return nil }
    try machine.handles.enterConversion()
    defer { machine.handles.conversionDepth -= 1 }
    let root = machine.roots.count
    machine.roots.append(contentsOf: [value, .nil, .nil])
    defer { machine.dropRoots(to: root) }
    var entries: [Entry] = []
    var number = 1
    while number <= HashTable(value).used {
      defer { number += 1 }
      guard let (key, entry) = HashTable(value).entry(number) else { continue }
      machine.roots[root + 1] = key
      machine.roots[root + 2] = entry
      do throws(ConversionError) {
        entries.append(try body(ValueReader(key, machine), ValueReader(entry, machine)))
      } catch {
        throw error.inside(machine.displayText(key))
      }
    }
    return entries
  }

  /// Reads a member: the entry of a dictionary under a text, or an object's variable of that name;
  /// nil when there is none.
  ///
  /// - Throws: What `body` throws, with the name before it.
  public func member<Member>(
    _ name: String, _ body: (borrowing ValueReader) throws(ConversionError) -> Member
  ) throws(ConversionError) -> Member? {
    guard let member = memberValue(name) else { return nil }
    try machine.handles.enterConversion()
    defer { machine.handles.conversionDepth -= 1 }
    machine.roots.append(member)
    defer { machine.roots.removeLast() }
    do throws(ConversionError) {
      return try body(ValueReader(member, machine))
    } catch {
      throw error.inside(name)
    }
  }

  /// The names of its members; nil when it has none, as a number.
  public var memberNames: [String]? {
    guard value.isObject else { return nil }
    if isDictionary {
      let table = HashTable(value)
      return (0..<table.used).compactMap { table.entry($0 + 1).flatMap { machine.text($0.key) } }
    }
    let info = machine.classInfo(of: value)
    guard info.format == .slots, !info.isKernel else { return nil }
    return info.instanceVariables.map(\.name).filter { !$0.hasPrefix("(") }
  }

  private func memberValue(_ name: String) -> Value? {
    guard value.isObject else { return nil }
    if isDictionary {
      let key = machine.symbol(name)
      guard case .found(let number) = machine.find(key, in: value, byIdentity: false) else {
        return nil
      }
      return HashTable(value).value(of: number)
    }
    let info = machine.classInfo(of: value)
    guard info.format == .slots, !info.isKernel, let slot = info.slot(of: name),
      slot < ObjectRef(value).slotCount
    else { return nil }
    return ObjectRef(value)[slot: slot]
  }

  /// The values of some variables of a value, if it is an instance of a class of the kernel.
  package func variables(
    of className: String, _ indices: [Int]
  ) -> [Handle]? {
    guard value.isObject, let info = machine.classesByName[className],
      machine.classInfo(of: value).inherits(from: info)
    else { return nil }
    let object = ObjectRef(value)
    guard indices.allSatisfy({ $0 < object.slotCount }) else { return nil }
    return indices.map { machine.handles.makeHandle(object[slot: $0]) }
  }
}

extension Machine {
  /// The answer of a message from Swift code that reads a value.
  func answer(to selector: String, of receiver: Value) throws(ConversionError) -> Value {
    var answer = Value.nil
    let outcome = withHostEntry {
      answer = send(self.selector(selector), to: receiver)
      return answer.isUnwind ? endOfHostEntry() : .finished(nilHandle)
    }
    switch outcome {
    case .finished: return answer
    case .failed(let error): throw ConversionError(error.message)
    case .rejected, .interrupted: throw ConversionError("interrupted")
    }
  }
}
