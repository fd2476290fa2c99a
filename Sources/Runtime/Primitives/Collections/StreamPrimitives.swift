extension Primitive {
  static let writeStream: [Primitive] = [
    Primitive("setOn: aCollection", "Begins with an empty string, array or byte array.") {
      machine, arguments in
      let stream = ObjectRef(arguments.receiver)
      let isText = machine.isString(arguments[0])
      stream[slot: StreamSlot.buffer] =
        isText
        ? Value(machine.makeBuffer(capacity: 64)) : Value(machine.makeArray(count: 8))
      stream[slot: StreamSlot.size] = Value(small: 0)
      stream[slot: StreamSlot.isOfBytes] =
        Value(arguments[0].isObject(ofClass: ClassIndex.byteArray))
      return arguments.receiver
    },
    Primitive("nextPutAll: aCollection", "Adds the elements of aCollection.") {
      machine, arguments throws(Failure) in
      let stream = ObjectRef(arguments.receiver)
      var elements = arguments[0]
      if stream[slot: StreamSlot.buffer].isObject(ofClass: ClassIndex.array),
        !elements.isObject(ofClass: ClassIndex.array)
      {
        elements = machine.send(machine.selector("asArray"), to: elements)
        if elements.isUnwind { return elements }
      }
      try machine.write(elements, to: stream)
      return arguments[0]
    },
    Primitive("nextPut: element", "Adds a character, or any element to an array.") {
      machine, arguments throws(Failure) in
      try machine.writeElement(arguments[0], to: ObjectRef(arguments.receiver))
      return arguments[0]
    },
    Primitive("contents", "The string or array as it is now.") {
      machine, arguments throws(Failure) in
      try machine.contents(of: ObjectRef(arguments.receiver))
    },
    Primitive("size", "The number of bytes or elements so far.") { _, arguments in
      ObjectRef(arguments.receiver)[slot: StreamSlot.size]
    },
    Primitive("reset", "Forgets what was written.") { _, arguments in
      ObjectRef(arguments.receiver)[slot: StreamSlot.size] = Value(small: 0)
      return arguments.receiver
    },
  ]

  static let outputStream: [Primitive] = [
    Primitive("nextPutAll: aString", "Writes text.") { machine, arguments throws(Failure) in
      let string = try machine.string(arguments[0])
      try machine.write(string, toOutput: arguments.receiver)
      return arguments[0]
    },
    Primitive("nextPut: aCharacter", "Writes a character or byte.") {
      machine, arguments throws(Failure) in
      guard arguments[0].isCharacter else {
        throw .invalidArgument("a character", found: machine.describe(arguments[0]))
      }
      let text = machine.makeString(machine.asCharacter(arguments[0]))
      try machine.write(ObjectRef(text), toOutput: arguments.receiver)
      return arguments[0]
    },
    Primitive("flush", "Sees to it that what was written has gone out.") {
      machine, arguments throws(Failure) in
      try machine.withConsole { console throws(ConsoleError) in try console.flush() }
      return arguments.receiver
    },
  ]

  static let inputStream: [Primitive] = [
    Primitive("isTerminal", "Whether a person types at a terminal, and wants to be prompted.") {
      machine, _ in Value(machine.host.console.isInputTerminal)
    },
    Primitive("readLine", "The next line without its end; nil at the end.") {
      machine, arguments throws(Failure) in
      let line = try machine.readingConsole { console throws(ConsoleError) in
        try console.readLine { machine.noticeInterrupt() }
      }
      guard let line else { return .nil }
      guard let text = String(validating: line, as: UTF8.self) else { throw .notUTF8("stdin") }
      return machine.makeString(text)
    },
    Primitive("readToEnd", "All that is left to read.") { machine, arguments throws(Failure) in
      let bytes = try machine.readingConsole { console throws(ConsoleError) in
        try console.readAll(limit: ObjectRef.byteLimit) { machine.noticeInterrupt() }
      }
      guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8("stdin") }
      return machine.makeString(text)
    },
  ]
}

extension Machine {
  /// An object with room for bytes that are text still being written.
  fileprivate func makeBuffer(capacity: Int) -> ObjectRef {
    let object = unsafe ObjectRef(heap.allocateCell(size: 16 + capacity))
    object.initializeHeader(classIndex: ClassIndex.byteArray, format: .bytes, slotCount: 0)
    object.initializeByteCount(capacity)
    return object
  }

  fileprivate func streamSize(_ stream: ObjectRef) throws(Failure) -> Int {
    let buffer = stream[slot: StreamSlot.buffer]
    guard let size = stream[slot: StreamSlot.size].asSmallInteger, size >= 0, buffer.isObject,
      size <= capacity(ObjectRef(buffer))
    else { throw Failure(.error, "the stream has not been initialised") }
    return size
  }

  private func capacity(_ buffer: ObjectRef) -> Int {
    switch buffer.classIndex {
    case ClassIndex.byteArray: buffer.byteCount
    case ClassIndex.array: buffer.elementCount
    default: -1
    }
  }

  /// Adds text to a stream that builds a string, or elements to one that builds an array.
  fileprivate func write(_ value: Value, to stream: ObjectRef) throws(Failure) {
    let size = try streamSize(stream)
    var buffer = ObjectRef(stream[slot: StreamSlot.buffer])
    if buffer.classIndex == ClassIndex.byteArray {
      let string = try string(value)
      let count = string.byteCount
      buffer = try grow(stream, buffer, to: size + count)
      buffer.copyBytes(from: string, start: 0, count: count, at: size)
      stream[slot: StreamSlot.size] = Value(small: size + count)
    } else {
      let array = try array(value)
      let count = array.elementCount
      if stream[slot: StreamSlot.isOfBytes].isTrue {
        for index in 0..<count { try checkByte(array[element: index]) }
      }
      buffer = try grow(stream, buffer, to: size + count)
      array.moveElements(from: 0, count: count, to: buffer, at: size)
      stream[slot: StreamSlot.size] = Value(small: size + count)
    }
  }

  fileprivate func writeElement(_ value: Value, to stream: ObjectRef) throws(Failure) {
    let size = try streamSize(stream)
    var buffer = ObjectRef(stream[slot: StreamSlot.buffer])
    if buffer.classIndex == ClassIndex.byteArray {
      guard value.isCharacter, let scalar = Unicode.Scalar(value.characterCode) else {
        throw .invalidArgument("a character", found: describe(value))
      }
      let bytes = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      buffer = try grow(stream, buffer, to: size + bytes.count)
      for (index, byte) in bytes.enumerated() { buffer[byte: size + index] = byte }
      stream[slot: StreamSlot.size] = Value(small: size + bytes.count)
    } else {
      if stream[slot: StreamSlot.isOfBytes].isTrue { try checkByte(value) }
      buffer = try grow(stream, buffer, to: size + 1)
      buffer[element: size] = value
      stream[slot: StreamSlot.size] = Value(small: size + 1)
    }
  }

  private func checkByte(_ value: Value) throws(Failure) {
    guard let integer = value.asSmallInteger, 0...255 ~= integer else {
      throw .invalidArgument("a byte from 0 to 255", found: describe(value))
    }
  }

  /// The buffer of a stream with room for so many bytes or elements.
  ///
  /// - Complexity: O(1) amortised.
  private func grow(
    _ stream: ObjectRef, _ buffer: ObjectRef, to wanted: Int
  ) throws(Failure) -> ObjectRef {
    let capacity = capacity(buffer)
    if wanted <= capacity { return buffer }
    let size = try streamSize(stream)
    let newCapacity = max(wanted, capacity * 2)
    let grown: ObjectRef
    if buffer.classIndex == ClassIndex.byteArray {
      guard wanted <= ObjectRef.byteLimit else {
        throw .tooLarge("a string of \(wanted) bytes", limit: ObjectRef.byteLimit)
      }
      let bytes = min(newCapacity, ObjectRef.byteLimit)
      try reserve(bytes)
      grown = makeBuffer(capacity: bytes)
      grown.copyBytes(from: buffer, start: 0, count: size, at: 0)
    } else {
      grown = try makeArray(checked: newCapacity)
      buffer.moveElements(from: 0, count: size, to: grown, at: 0)
    }
    stream[slot: StreamSlot.buffer] = Value(grown)
    return grown
  }

  fileprivate func contents(of stream: ObjectRef) throws(Failure) -> Value {
    let size = try streamSize(stream)
    let buffer = ObjectRef(stream[slot: StreamSlot.buffer])
    if buffer.classIndex == ClassIndex.byteArray {
      let string = try makeBytes(classIndex: ClassIndex.string, count: size)
      string.copyBytes(from: buffer, start: 0, count: size, at: 0)
      string.recordEncoding()
      return Value(string)
    }
    if stream[slot: StreamSlot.isOfBytes].isTrue {
      let bytes = try makeBytes(classIndex: ClassIndex.byteArray, count: size)
      for index in 0..<size {
        // A program may have put anything into the buffer.
        try checkByte(buffer[element: index])
        bytes[byte: index] = UInt8(truncatingIfNeeded: buffer[element: index].smallInteger)
      }
      return Value(bytes)
    }
    let array = try makeArray(checked: size)
    buffer.moveElements(from: 0, count: size, to: array, at: 0)
    return Value(array)
  }

  fileprivate func write(_ string: ObjectRef, toOutput stream: Value) throws(Failure) {
    let number = ObjectRef(stream)[slot: StreamSlot.number].asSmallInteger ?? 1
    try withConsole { console throws(ConsoleError) in
      let bytes = unsafe UnsafeBufferPointer(string.bytes.assumingMemoryBound(to: UInt8.self))
      unsafe try console.write(bytes.span, to: number == 2 ? .error : .output)
    }
  }
}
