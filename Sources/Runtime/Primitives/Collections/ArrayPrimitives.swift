// The folder Collections: primitives of collections and streams, their loops, equality and deep copies.

extension Primitive {
  static let array: [Primitive] = [
    Primitive("size", "The number of elements.") { _, arguments in
      Value(small: ObjectRef(arguments.receiver).elementCount)
    },
    Primitive("at: index", "The element at index, or for an interval the slice.") {
      machine, arguments throws(Failure) in
      let array = ObjectRef(arguments.receiver)
      let index = arguments[0]
      if !index.isSmallInteger, let slice = machine.sliceIndex(index) {
        return machine.send(machine.selector("slice:"), to: arguments.receiver, slice)
      }
      return array[element: try machine.offset(index, count: array.elementCount)]
    },
    Primitive("at: index put: value", "Replaces the element at index; answers value.") {
      machine, arguments throws(Failure) in
      let array = ObjectRef(arguments.receiver)
      let offset = try machine.offset(arguments[0], count: array.elementCount)
      if array.flags & ~ObjectFlag.scanned != 0 {
        return try machine.storeElement(arguments[1], into: array, at: offset)
      }
      array[element: offset] = arguments[1]
      return arguments[1]
    },
    Primitive(
      "copyFrom: start to: stop", "The elements from start to stop; none for a lesser stop."
    ) {
      machine, arguments throws(Failure) in
      let array = ObjectRef(arguments.receiver)
      let range = try machine.range(arguments[0], arguments[1], count: array.elementCount)
      let copy = try machine.makeArray(checked: range.count)
      array.moveElements(from: range.lowerBound, count: range.count, to: copy, at: 0)
      return Value(copy)
    },
    Primitive(", aCollection", "The elements of both, the receiver's first.") {
      machine, arguments throws(Failure) in
      var other = arguments[0]
      if !other.isObject(ofClass: ClassIndex.array) {
        other = machine.send(machine.selector("asArray"), to: other)
        if other.isUnwind { return other }
      }
      let left = ObjectRef(arguments.receiver)
      let right = try machine.array(other)
      let result = try machine.makeArray(checked: left.elementCount + right.elementCount)
      left.moveElements(from: 0, count: left.elementCount, to: result, at: 0)
      right.moveElements(
        from: 0, count: right.elementCount, to: result, at: left.elementCount)
      return Value(result)
    },
    Primitive("isEmpty", "Whether there are no elements.") { _, arguments in
      Value(ObjectRef(arguments.receiver).elementCount == 0)
    },
    Primitive("notEmpty", "Whether there are elements.") { _, arguments in
      Value(ObjectRef(arguments.receiver).elementCount > 0)
    },
    Primitive("swap: i with: j", "Exchanges two elements.") { machine, arguments throws(Failure) in
      let array = ObjectRef(arguments.receiver)
      let first = try machine.offset(arguments[0], count: array.elementCount)
      let second = try machine.offset(arguments[1], count: array.elementCount)
      let element = array[element: first]
      let other = array[element: second]
      if array.flags & ~ObjectFlag.scanned == 0 {
        array[element: first] = other
        array[element: second] = element
        return arguments.receiver
      }
      return machine.storeElements([(first, other), (second, element)], into: array)
    },
    Primitive("joinedTexts: separator", "The strings as one, separator between; nil for others.") {
      machine, arguments throws(Failure) in
      try machine.join(ObjectRef(arguments.receiver), separator: arguments[0])
    },
    Primitive("atAllPut: value", "Replaces every element.") {
      machine, arguments throws(Failure) in
      let array = ObjectRef(arguments.receiver)
      if array.flags & ~ObjectFlag.scanned != 0 {
        let value = arguments[0]
        return machine.storeElements((0..<array.elementCount).map { ($0, value) }, into: array)
      } else {
        array.fillElements(from: 0, count: array.elementCount, with: arguments[0])
      }
      return arguments.receiver
    },
  ]

  static let arrayClass: [Primitive] = [
    Primitive("new: size", "An array of size nils.") { machine, arguments throws(Failure) in
      let size = try machine.size(arguments[0])
      let index = try machine.instanceIndex(arguments.receiver)
      return Value(try machine.makeArray(checked: size, classIndex: index))
    }
  ]

  static let byteArray: [Primitive] = [
    Primitive("size", "The number of bytes.") { _, arguments in
      Value(small: ObjectRef(arguments.receiver).byteCount)
    },
    Primitive("at: index", "The byte at index, or for an interval the part.") {
      machine, arguments throws(Failure) in
      let bytes = ObjectRef(arguments.receiver)
      let index = arguments[0]
      if !index.isSmallInteger, let slice = machine.sliceIndex(index) {
        let part = machine.send(machine.selector("slice:"), to: arguments.receiver, slice)
        return part.isUnwind ? part : machine.send(machine.selector("asByteArray"), to: part)
      }
      let offset = try machine.offset(index, count: bytes.byteCount)
      return Value(small: Int(bytes[byte: offset]))
    },
    Primitive("at: index put: byte", "Replaces the byte at index; answers it.") {
      machine, arguments throws(Failure) in
      let bytes = ObjectRef(arguments.receiver)
      let offset = try machine.offset(arguments[0], count: bytes.byteCount)
      let value = try machine.integer(arguments[1])
      guard let byte = UInt8(exactly: value) else {
        throw .invalidArgument("a byte from 0 to 255", found: String(value))
      }
      return try machine.changeElements(of: bytes, answering: arguments[1]) {
        bytes[byte: offset] = byte
      }
    },
  ]

  static let byteArrayClass: [Primitive] = [
    Primitive("new: size", "A byte array of size zeros.") { machine, arguments throws(Failure) in
      let size = try machine.size(arguments[0])
      let bytes = try machine.makeBytes(classIndex: ClassIndex.byteArray, count: size)
      unsafe bytes.bytes.initializeMemory(as: UInt8.self, repeating: 0)
      return Value(bytes)
    }
  ]
}

extension Machine {
  /// A size given by a program: not negative, and no larger than memory could ever be.
  func size(_ value: Value) throws(Failure) -> Int {
    guard let size = value.asSmallInteger else {
      throw .invalidArgument("a size", found: describe(value))
    }
    guard size >= 0 else { throw .invalidArgument("a size from 0", found: String(size)) }
    guard size <= MachineLimits.elements else {
      throw .tooLarge("a collection of \(size) elements", limit: MachineLimits.elements)
    }
    return size
  }

  /// The offsets from `start` to `stop`, both counted from 1; empty when `stop` is just before.
  func range(_ start: Value, _ stop: Value, count: Int) throws(Failure) -> Range<Int> {
    let first = try integer(start)
    let last = try integer(stop)
    if last < first { return 0..<0 }
    guard first >= 1, first <= count else { throw outOfBounds(first, count: count) }
    guard last <= count else { throw outOfBounds(last, count: count) }
    return first - 1..<last
  }

  /// The value if it is an interval, which as an index answers a slice.
  func sliceIndex(_ value: Value) -> Value? {
    value.isObject && classInfo(of: value) === kernel.interval ? value : nil
  }

  /// Stores elements of an array that somebody watches or that must not change, as one change.
  ///
  /// - Returns: the array, or `unwind`.
  fileprivate func storeElements(_ elements: [(Int, Value)], into array: ObjectRef) -> Value {
    let root = roots.count
    roots.append(contentsOf: elements.map(\.1))
    defer { dropRoots(to: root) }
    return withoutSettling {
      for (offset, value) in elements {
        do throws(Failure) {
          let stored = try storeElement(value, into: array, at: offset)
          if stored.isUnwind { return stored }
        } catch {
          return signal(error)
        }
      }
      return Value(array)
    }
  }

  /// Stores an element of an array that somebody watches or that must not change.
  func storeElement(
    _ value: Value, into array: ObjectRef, at offset: Int
  ) throws(Failure) -> Value {
    if array.flags & ObjectFlag.immutable != 0 { throw .immutable(describe(Value(array))) }
    return try changeElements(of: array, at: Value(small: offset + 1), answering: value) {
      array[element: offset] = value
    }
  }
}

// MARK: - Changes of several elements

extension Primitive {
  static let collectionChanges: [Primitive] = [
    Primitive(
      "asOneChange: aBlock",
      "Private: evaluates aBlock, whose changes of it connections see as one."
    ) { machine, arguments in
      machine.evaluateAsOneChange(arguments[0], of: arguments.receiver)
    },
    Primitive("tellOfChange", "Private: tells connections of a change of what holds its elements.")
    {
      machine, arguments in
      machine.tellOfChange(arguments.receiver)
      return arguments.receiver
    },
  ]

  static let linkedList: [Primitive] = [
    Primitive(
      "changing: link and: other and: third by: aBlock",
      "Private: evaluates aBlock, which changes it and some links."
    ) { machine, arguments in
      machine.evaluate(
        arguments[3], changing: arguments.receiver, (arguments[0], arguments[1], arguments[2]))
    }
  ]
}
