// Equality and hashes of collections, which may contain each other and themselves.

extension Primitive {
  static let sequenceEquality: [Primitive] = [
    Primitive(
      "elementsEqual: other", "Whether the elements, as many as other has, are equal in order."
    ) { machine, arguments in
      let (left, right) = (arguments.receiver, arguments[0])
      if left.isObject(ofClass: ClassIndex.byteArray),
        right.isObject(ofClass: ClassIndex.byteArray)
      {
        machine.charge(left)
        return Value(ObjectRef(left).hasSameBytes(as: ObjectRef(right)))
      }
      return machine.comparing(arguments) { machine.elementsEqual(arguments) }
    },
    Primitive("hash", "A number that equal sequences share.") { machine, arguments in
      machine.sequenceHash(arguments)
    },
  ]

  static let comparison: [Primitive] = [
    Primitive(
      "comparing: other by: aBlock",
      "What aBlock answers; true when the two are being compared already, as parts of themselves."
    ) { machine, arguments in
      machine.comparing(arguments) { machine.evaluateBlock(arguments[1]) }
    }
  ]
}

extension Machine {
  /// Compares two objects, which count as equal where they are met again inside themselves: two
  /// cyclic structures are equal when no path tells them apart.
  fileprivate func comparing(_ arguments: Arguments, _ body: () -> Value) -> Value {
    caches.comparisons.depth += 1
    defer { caches.comparisons.depth -= 1 }
    guard caches.comparisons.depth > NestedComparisons.unnotedDepth else { return body() }
    let pair = NestedComparisons.Pair(
      left: arguments.receiver.bits, right: arguments[0].bits)
    guard caches.comparisons.pairs.insert(pair).inserted else { return .true }
    defer { caches.comparisons.pairs.remove(pair) }
    return body()
  }

  /// Compares elements as long as there are some; the sequences have had the same size.
  fileprivate func elementsEqual(_ arguments: Arguments) -> Value {
    let count = size(ofSequence: arguments.receiver)
    if count.isUnwind { return count }
    for index in 0..<max(0, count.asSmallInteger ?? 0) {
      let left = element(index, ofSequence: arguments.receiver)
      if left.isUnwind { return left }
      roots.append(left)
      defer { roots.removeLast() }
      let right = element(index, ofSequence: arguments[0])
      if right.isUnwind { return right }
      if let isEqual = Machine.plainEquality(left, right) {
        if !isEqual { return .false }
        continue
      }
      let isEqual = send(selector("="), to: left, right)
      if isEqual.isUnwind { return isEqual }
      if !isEqual.isTrue { return .false }
    }
    return .true
  }

  fileprivate func sequenceHash(_ arguments: Arguments) -> Value {
    let count = size(ofSequence: arguments.receiver)
    if count.isUnwind || caches.comparisons.isHashDeepEnough { return count }
    caches.comparisons.hashDepth += 1
    defer {
      caches.comparisons.hashDepth -= 1
      if caches.comparisons.hashDepth == 0 { caches.comparisons.hashedElements = 0 }
    }
    let size = count.asSmallInteger ?? 0
    var sum = size & HashLimits.mask
    for index in 0..<max(0, min(size, NestedComparisons.hashedPrefix)) {
      let element = element(index, ofSequence: arguments.receiver)
      if element.isUnwind { return element }
      caches.comparisons.hashedElements += 1
      guard let hash = hash(element, byIdentity: false) else { return .unwind }
      sum = (sum &* 31 &+ hash) & HashLimits.mask
    }
    return Value(small: sum)
  }

  /// The size of a sequence: a number of elements, or `unwind`.
  private func size(ofSequence value: Value) -> Value {
    if value.isObject(ofClass: ClassIndex.array) {
      return Value(small: ObjectRef(value).elementCount)
    }
    return send(selector("size"), to: value)
  }

  /// An element of a sequence, or `unwind`.
  private func element(_ index: Int, ofSequence value: Value) -> Value {
    if value.isObject(ofClass: ClassIndex.array), index < ObjectRef(value).elementCount {
      return ObjectRef(value)[element: index]
    }
    if value.isObject, value.classIndex == kernel.orderedCollection.index {
      let elements = OrderedElements(value)
      if let array = try? elements.array(), elements.hasElements(in: array), index < elements.count
      {
        return array[element: elements.start + index]
      }
    }
    return send(selector("at:"), to: value, Value(small: index + 1))
  }
}
