internal import TenonText

// Strings and symbols as objects of a machine.

extension Machine: HashTableMemory {
  /// Returns a new object with room for bytes, their contents undefined.
  ///
  /// - Throws: `OutOfMemory` when the limit forbids it.
  func makeBytes(classIndex: UInt32, count: Int) throws(Failure) -> ObjectRef {
    guard count <= ObjectRef.byteLimit else {
      let kind = classIndex == ClassIndex.byteArray ? "a byte array" : "a string"
      throw .tooLarge("\(kind) of \(count) bytes", limit: ObjectRef.byteLimit)
    }
    try reserve(count)
    return allocateBytes(classIndex: classIndex, count: count)
  }

  private func allocateBytes(classIndex: UInt32, count: Int) -> ObjectRef {
    let object = unsafe ObjectRef(heap.allocateCell(size: 16 + count))
    object.initializeHeader(classIndex: classIndex, format: .bytes, slotCount: 0)
    object.initializeByteCount(count)
    return object
  }

  /// Returns a part of a string, for callers that have made sure of the memory.
  func makePart(of string: ObjectRef, bytes range: Range<Int>) -> ObjectRef {
    let part = allocateBytes(classIndex: ClassIndex.string, count: range.count)
    part.copyBytes(from: string, start: range.lowerBound, count: range.count, at: 0)
    if !string.isASCII { part.recordEncoding() }
    return part
  }

  /// Returns a new string; for text of the runtime itself, which is never large.
  func makeString(_ string: String) -> Value {
    var string = string
    return string.withUTF8 { unsafe Value(makeString(utf8: UnsafeRawBufferPointer($0))) }
  }

  /// Returns a new string with these bytes, which are UTF-8.
  func makeString(utf8 bytes: UnsafeRawBufferPointer) -> ObjectRef {
    let object = allocateBytes(classIndex: ClassIndex.string, count: bytes.count)
    unsafe object.bytes.copyMemory(from: bytes)
    if unsafe !bytes.allSatisfy({ $0 < 0x80 }) { object.flags |= ObjectFlag.notASCII }
    return object
  }

  /// Returns the concatenation of strings.
  ///
  /// - Returns: a new string, or `unwind` when it would be too large.
  func concatenate(count: Int, _ part: (Int) -> Value) -> Value {
    var size = 0
    var flags: UInt8 = 0
    for index in 0..<count {
      let object = ObjectRef(part(index))
      size += object.byteCount
      flags |= object.flags & ObjectFlag.notASCII
    }
    do throws(Failure) {
      let result = try makeBytes(classIndex: ClassIndex.string, count: size)
      var start = 0
      for index in 0..<count {
        let object = ObjectRef(part(index))
        result.copyBytes(from: object, start: 0, count: object.byteCount, at: start)
        start += object.byteCount
      }
      result.flags |= flags
      return Value(result)
    } catch {
      return signal(error)
    }
  }

  /// The symbol with a name; the same object for the same name.
  func symbol(_ name: String) -> Value {
    let key = ExactText(name)
    if let symbol = symbolTable.symbols[key] { return Value(symbol) }
    var text = name
    let object = text.withUTF8 { utf8 in
      let object = allocateBytes(classIndex: ClassIndex.symbol, count: utf8.count)
      unsafe object.bytes.copyMemory(from: UnsafeRawBufferPointer(utf8))
      if unsafe !utf8.allSatisfy({ $0 < 0x80 }) { object.flags |= ObjectFlag.notASCII }
      return object
    }
    symbolTable.symbols[key] = object
    heap.countOutside(Machine.symbolBytes + name.utf8.count)
    return Value(object)
  }

  /// What a row of the table of symbols takes besides the name.
  private static let symbolBytes = 96
  /// What a selector takes, which stays for good.
  private static let selectorBytes = 256

  /// Forgets the symbols that the collection has not found.
  func forgetUnusedSymbols() {
    var bytes = 0
    symbolTable.symbols = symbolTable.symbols.filter { name, symbol in
      if heap.isMarked(symbol) { return true }
      bytes += Machine.symbolBytes + name.text.utf8.count
      return false
    }
    heap.countOutside(-bytes)
  }

  /// The selector with a name.
  func selector(_ name: String) -> Selector {
    let key = ExactText(name)
    if let selector = symbolTable.selectors[key] { return selector }
    let selector = Selector(
      name: name, symbol: symbol(name), number: symbolTable.selectors.count,
      missingBody: codeTable.missingBody)
    symbolTable.selectors[key] = selector
    heap.countOutside(Machine.selectorBytes)
    return selector
  }

  /// The text of a string or symbol.
  func text(_ value: Value) -> String? {
    guard isString(value) else { return nil }
    return unsafe String(decoding: ObjectRef(value).bytes, as: UTF8.self)
  }

  /// Whether a value is a string or a symbol.
  @inline(__always)
  func isString(_ value: Value) -> Bool {
    guard value.isObject else { return false }
    let index = ObjectRef(value).classIndex
    return index == ClassIndex.string || index == ClassIndex.symbol
  }

  /// Returns an array of those parts of a string that a function enumerates.
  ///
  /// `enumerate` calls the function it is given with the bytes of each part.
  ///
  /// - Throws: `OutOfMemory` when the limit forbids so many parts.
  func parts(
    of string: ObjectRef, _ enumerate: (ObjectRef, (Range<Int>) -> Void) -> Void
  ) throws(Failure) -> Value {
    var count = 0
    enumerate(string) { _ in count += 1 }
    // An element of the array and a cell of the least size for each, besides the text itself.
    try reserve(count * 40 + string.byteCount)
    let array = try makeArray(checked: count)
    var index = 0
    enumerate(string) { range in
      array[element: index] = Value(makePart(of: string, bytes: range))
      index += 1
    }
    return Value(array)
  }

  /// Returns the strings of an array as one, with another between them; nil when one is no string.
  func join(_ array: ObjectRef, separator: Value) throws(Failure) -> Value {
    let count = array.elementCount
    guard count > 0, isString(separator) else { return .nil }
    let separator = ObjectRef(separator)
    var (size, isTooLarge) = separator.byteCount.multipliedReportingOverflow(by: count - 1)
    var flags = count > 1 ? separator.flags : 0
    for index in 0..<count {
      guard isString(array[element: index]) else { return .nil }
      let part = ObjectRef(array[element: index])
      let (sum, overflow) = size.addingReportingOverflow(part.byteCount)
      size = sum
      isTooLarge = isTooLarge || overflow
      flags |= part.flags
    }
    if isTooLarge { throw .tooLarge("the joined string", limit: ObjectRef.byteLimit) }
    let result = try makeBytes(classIndex: ClassIndex.string, count: size)
    var offset = 0
    for index in 0..<count {
      if index > 0 {
        result.copyBytes(from: separator, start: 0, count: separator.byteCount, at: offset)
        offset += separator.byteCount
      }
      let part = ObjectRef(array[element: index])
      result.copyBytes(from: part, start: 0, count: part.byteCount, at: offset)
      offset += part.byteCount
    }
    result.flags |= flags & ObjectFlag.notASCII
    return Value(result)
  }

  /// The bytes of a string without white space at both ends.
  func trimmedRange(_ string: ObjectRef) -> Range<Int> {
    var start = 0
    while start < string.byteCount, string.scalar(at: start).isWhiteSpace {
      start = string.nextOffset(after: start)
    }
    var end = string.byteCount
    while end > start {
      let offset = string.previousOffset(before: end)
      guard string.scalar(at: offset).isWhiteSpace else { break }
      end = offset
    }
    return start..<end
  }
}
