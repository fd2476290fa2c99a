extension Primitive {
  static let arraySort: [Primitive] = [
    Primitive("sortPlainElements", "Sorts integers, floats or strings alone; answers whether.") {
      machine, arguments in
      let array = ObjectRef(arguments.receiver)
      guard array.flags & ~ObjectFlag.scanned == 0 else { return .false }
      return Value(array.sortSmallIntegers() || array.sortFloats() || machine.sortTexts(array))
    }
  ]
}

extension ObjectRef {
  /// Sorts an array that holds SmallIntegers alone.
  ///
  /// - Complexity: O(*n* log *n*), as the others here.
  fileprivate func sortSmallIntegers() -> Bool {
    sortElements({ $0.asSmallInteger }, { Value(small: $0) })
  }

  /// Sorts an array that holds floats alone, those that are no objects: neither a NaN nor a value
  /// that compares as equal to another one is among them, but for zero.
  fileprivate func sortFloats() -> Bool {
    sortElements({ $0.isImmediateFloat && $0.immediateFloat != 0 ? $0.immediateFloat : nil }) {
      Value(immediate: $0) ?? .nil
    }
  }

  /// Sorts the elements as keys that say all about them, so that equal ones need no order.
  @inline(__always)
  private func sortElements<Key: Comparable>(
    _ key: (Value) -> Key?, _ value: (Key) -> Value
  ) -> Bool {
    var keys: [Key] = []
    keys.reserveCapacity(elementCount)
    for index in 0..<elementCount {
      guard let key = key(self[element: index]) else { return false }
      keys.append(key)
    }
    keys.sort()
    for index in 0..<keys.count { self[element: index] = value(keys[index]) }
    return true
  }
}

extension Machine {
  /// Sorts an array that holds strings alone; equal ones keep their order.
  fileprivate func sortTexts(_ array: ObjectRef) -> Bool {
    var texts: [(text: ObjectRef, place: Int)] = []
    texts.reserveCapacity(array.elementCount)
    for index in 0..<array.elementCount {
      let element = array[element: index]
      guard isString(element) else { return false }
      texts.append((ObjectRef(element), index))
    }
    texts.sort { left, right in
      left.text.precedes(right.text)
        || left.place < right.place && !right.text.precedes(left.text)
    }
    for index in 0..<texts.count { array[element: index] = Value(texts[index].text) }
    return true
  }
}
