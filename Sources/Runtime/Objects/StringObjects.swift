internal import TenonText

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Strings, symbols and byte arrays in the heap.
extension Machine {
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
    if !string.isASCII { part.noteEncoding() }
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
}

extension ObjectRef {
  /// The hash of the bytes: FNV-1a, kept in the object, never 0.
  ///
  /// - Complexity: O(bytes) the first time.
  var bytesHash: UInt32 {
    let known = cachedHash
    if known != 0 { return known }
    var hash: UInt32 = 0x811C_9DC5
    // swift-format-ignore
    for unsafe byte in unsafe bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    if hash == 0 { hash = 1 }
    cachedHash = hash
    return hash
  }

  /// Copies bytes of another object into this one; both may be the same.
  ///
  /// - Requires: both ranges lie within their objects.
  func copyBytes(from other: ObjectRef, start: Int, count: Int, at target: Int) {
    assert(start >= 0 && count >= 0 && start + count <= other.byteCount)
    assert(target >= 0 && target + count <= byteCount)
    guard count > 0, let source = unsafe other.bytes.baseAddress,
      let destination = unsafe bytes.baseAddress
    else { return }
    unsafe memmove(destination + target, source + start, count)
  }

  /// Whether two objects hold the same bytes.
  func hasSameBytes(as other: ObjectRef) -> Bool {
    if self == other { return true }
    let count = byteCount
    guard count == other.byteCount else { return false }
    let mine = cachedHash
    let others = other.cachedHash
    if mine != 0, others != 0, mine != others { return false }
    guard count > 0, let left = unsafe bytes.baseAddress,
      let right = unsafe other.bytes.baseAddress
    else { return true }
    return unsafe memcmp(left, right, count) == 0
  }
}
