internal import TenonNumerics

/// Takes what a Swift value is to be in a script.
///
/// It is lent for the time of a conversion. What is written last counts; nothing written is nil. The
/// collector sees what has been written, so that a conversion may use the interpreter.
@safe public struct ValueWriter: ~Copyable {
  // It is lent for the time of a call, for which somebody else keeps the machine.
  @safe private let lender: Unmanaged<Machine>
  /// Where in the machine's roots the value is.
  private let index: Int

  package var machine: Machine { unsafe lender.takeUnretainedValue() }

  /// Takes a place among the roots, which whoever makes the writer gives back.
  @inline(__always)
  init(_ machine: Machine) { unsafe self.init(lentBy: Unmanaged.passUnretained(machine)) }

  @inline(__always)
  fileprivate init(lentBy lender: Unmanaged<Machine>) {
    unsafe self.lender = lender
    index = unsafe lender._withUnsafeGuaranteedRef { machine in
      machine.roots.append(.nil)
      return machine.roots.count - 1
    }
  }

  var value: Value {
    get { unsafe lender._withUnsafeGuaranteedRef { $0.roots[index] } }
    nonmutating set { unsafe lender._withUnsafeGuaranteedRef { $0.roots[index] = newValue } }
  }

  /// Writes nil.
  public mutating func writeNil() { value = .nil }

  /// Writes true or false.
  public mutating func write(_ boolean: Bool) { value = Value(boolean) }

  /// Writes a float.
  public mutating func write(_ double: Double) {
    unsafe lender._withUnsafeGuaranteedRef { $0.roots[index] = $0.makeFloat(double) }
  }

  /// Writes an integer.
  public mutating func write(_ integer: Int) {
    unsafe lender._withUnsafeGuaranteedRef { $0.roots[index] = $0.makeInteger(integer) }
  }

  /// Writes an integer of any width.
  public mutating func write<Integer: FixedWidthInteger>(integer: Integer) {
    if let word = Int(exactly: integer) {
      value = machine.makeInteger(word)
    } else {
      var limbs: [UInt64] = []
      var rest = integer.magnitude
      while rest > 0 {
        limbs.append(UInt64(truncatingIfNeeded: rest))
        rest = Integer.Magnitude.bitWidth > 64 ? rest >> 64 : 0
      }
      value = machine.makeInteger(LargeInteger(isNegative: integer < 0, limbs: limbs), or: .nil)
    }
  }

  /// Writes a string.
  ///
  /// - Throws: `ConversionError` when the interpreter's limit of memory forbids it.
  public mutating func write(_ string: String) throws(ConversionError) {
    try reserve(string.utf8.count)
    value = machine.makeString(string)
  }

  /// Writes a symbol: what names things.
  public mutating func write(symbol name: String) { value = machine.symbol(name) }

  /// Writes a byte array.
  ///
  /// - Throws: `ConversionError` when the interpreter's limit of memory forbids it.
  public mutating func write(bytes: [UInt8]) throws(ConversionError) {
    try reserve(bytes.count)
    value = machine.makeByteArray(bytes)
  }

  /// Writes a value that has been lent.
  package mutating func write(_ reader: borrowing ValueReader) { value = reader.value }

  /// Writes what a handle holds.
  ///
  /// - Throws: `ConversionError` when the handle is one of another interpreter, or of one that is gone.
  public mutating func write(_ handle: Handle) throws(ConversionError) {
    value = try machine.hostValue(of: handle)
  }

  /// Writes an array.
  ///
  /// - Parameters:
  ///   - count: How many elements it has.
  ///   - body: Writes an element; called for each from 0 on.
  /// - Throws: What `body` throws, with the index before it; `ConversionError` when the limit of
  ///   memory forbids it.
  public mutating func writeArray(
    count: Int, _ body: (inout ValueWriter, Int) throws(ConversionError) -> Void
  ) throws(ConversionError) {
    let array: ObjectRef
    do throws(Failure) {
      array = try machine.makeArray(checked: max(0, count))
    } catch {
      throw ConversionError(error.message)
    }
    value = Value(array)
    for index in 0..<max(0, count) {
      do throws(ConversionError) {
        let root = machine.roots.count
        defer { machine.dropRoots(to: root) }
        var writer = ValueWriter(machine)
        try body(&writer, index)
        // It cannot have been changed: nobody else has it yet.
        array[element: index] = writer.value
      } catch {
        throw error.inside("[\(index + 1)]")
      }
    }
  }

  /// Writes a dictionary.
  ///
  /// - Parameters:
  ///   - count: How many entries `body` writes.
  ///   - body: Writes key and value of an entry; called for each from 0 on. An entry whose key is
  ///     there already replaces it.
  /// - Throws: What `body` throws; `ConversionError` when the limit of memory forbids it.
  public mutating func writeDictionary(
    count: Int,
    _ body: (inout ValueWriter, inout ValueWriter, Int) throws(ConversionError) -> Void
  ) throws(ConversionError) {
    value = machine.makeEmptyDictionary()
    for index in 0..<max(0, count) {
      let root = machine.roots.count
      defer { machine.dropRoots(to: root) }
      var key = ValueWriter(machine)
      var entry = ValueWriter(machine)
      try body(&key, &entry, index)
      try machine.put(entry.value, under: key.value, in: value)
    }
  }

  /// Writes an instance of a class of the kernel, made of the values of its variables.
  package mutating func writeInstance(
    of className: String, count: Int,
    _ body: (inout ValueWriter, Int) throws(ConversionError) -> Void
  ) throws(ConversionError) {
    let instance = machine.makeInstance(of: className)
    value = Value(instance)
    for index in 0..<min(count, instance.slotCount) {
      let root = machine.roots.count
      defer { machine.dropRoots(to: root) }
      var writer = ValueWriter(machine)
      try body(&writer, index)
      instance[slot: index] = writer.value
    }
  }

  /// Writes the answer to a message to a class.
  package mutating func writeAnswer(of className: String, to selector: String)
    throws(ConversionError)
  {
    guard let info = machine.classesByName[className] else { return }
    value = try machine.answer(to: selector, of: info.object)
  }

  private func reserve(_ bytes: Int) throws(ConversionError) {
    do throws(Failure) {
      try machine.reserve(bytes)
    } catch {
      throw ConversionError(error.message)
    }
  }
}

/// Takes the arguments of a message, one after the other.
@safe public struct ArgumentsWriter: ~Copyable {
  @safe private let lender: Unmanaged<Machine>
  /// How many there are so far.
  private(set) var count = 0

  init(_ machine: Machine) { unsafe lender = Unmanaged.passUnretained(machine) }

  /// Writes the next argument.
  ///
  /// - Throws: What `body` throws, with the number of the argument before it.
  public mutating func write(
    _ body: (inout ValueWriter) throws(ConversionError) -> Void
  ) throws(ConversionError) {
    var writer = unsafe ValueWriter(lentBy: lender)
    count += 1
    do throws(ConversionError) {
      try body(&writer)
    } catch {
      throw error.inside("argument \(count)")
    }
  }
}

extension Machine {
  /// An integer, or what stands for one that the limit of memory forbids.
  fileprivate func makeInteger(_ integer: LargeInteger, or other: Value) -> Value {
    do throws(Failure) { return try makeInteger(integer) } catch { return other }
  }

  /// Gives a dictionary an entry.
  fileprivate func put(
    _ value: Value, under key: Value, in dictionary: Value
  ) throws(ConversionError) {
    let outcome = withHostEntry {
      let answer = send(selector("at:put:"), to: dictionary, key, value)
      return answer.isUnwind ? endOfHostEntry() : .finished(nilHandle)
    }
    switch outcome {
    case .finished: return
    case .failed(let error): throw ConversionError(error.message)
    case .rejected, .interrupted: throw ConversionError("interrupted")
    }
  }

  /// The value of a handle, which must be one of this interpreter.
  func hostValue(of handle: Handle) throws(ConversionError) -> Value {
    guard handle.machine === self else {
      throw ConversionError(
        expected: "a handle of this interpreter",
        found: handle.machine == nil
          ? "one of an interpreter that is closed" : "one of another interpreter")
    }
    return handle.value
  }

  /// Converts a value that Swift code makes, and keeps it in a handle.
  package func makeHandle(
    _ body: (inout ValueWriter) throws(ConversionError) -> Void
  ) throws(ConversionError) -> Handle {
    let root = roots.count
    defer { dropRoots(to: root) }
    var writer = ValueWriter(self)
    try body(&writer)
    return handles.makeHandle(writer.value)
  }

  /// Lends the value of a handle.
  package func read<Result>(
    _ handle: Handle, _ body: (borrowing ValueReader) throws(ConversionError) -> Result
  ) throws(ConversionError) -> Result {
    try body(ValueReader(try hostValue(of: handle), self))
  }
}
