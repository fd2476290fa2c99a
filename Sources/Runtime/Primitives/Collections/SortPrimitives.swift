extension Primitive {
  static let arraySort: [Primitive] = [
    Primitive("sortPlainElements", "Sorts integers, floats or strings alone; answers whether.") {
      machine, arguments throws(Failure) in
      let array = ObjectRef(arguments.receiver)
      guard array.flags & ~ObjectFlag.scanned == 0 else { return .false }
      if array.sortSmallIntegers() || array.sortFloats() { return .true }
      guard let places = try machine.orderOfTexts(array) else { return .false }
      let texts = places.map { array[element: $0] }
      for index in 0..<texts.count { array[element: index] = texts[index] }
      return .true
    },
    Primitive(
      "plainOrder",
      "The indices in the order of the elements, integers, floats or strings alone; or nil."
    ) { machine, arguments throws(Failure) in
      let array = ObjectRef(arguments.receiver)
      guard let order = try machine.plainOrder(array) else { return .nil }
      let result = try machine.makeArray(checked: order.count)
      for index in 0..<order.count { result[element: index] = Value(small: order[index] + 1) }
      return Value(result)
    },
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
  fileprivate func plainOrder(_ array: ObjectRef) throws(Failure) -> [Int]? {
    if let order = try order(array, { $0.asSmallInteger }, <) { return order }
    let float: (Value) -> Double? = { $0.isImmediateFloat ? $0.immediateFloat : nil }
    if let order = try order(array, float, <) { return order }
    return try orderOfTexts(array)
  }

  /// The places of an array's strings in their order; nil when not all elements are strings.
  fileprivate func orderOfTexts(_ array: ObjectRef) throws(Failure) -> [Int]? {
    try order(array, { self.isString($0) ? ObjectRef($0) : nil }) { $0.precedes($1) }
  }

  /// The places of an array's elements in the order of their keys, those of equal keys in their own;
  /// nil when an element has no key.
  ///
  /// - Complexity: O(*n* log *n*).
  @inline(__always)
  fileprivate func order<Key>(
    _ array: ObjectRef, _ key: (Value) -> Key?, _ precedes: (Key, Key) -> Bool
  ) throws(Failure) -> [Int]? {
    var keys: [(key: Key, place: Int)] = []
    for index in 0..<array.elementCount {
      guard let key = key(array[element: index]) else { return nil }
      if index == 0 {
        try reserve(array.elementCount * 24)
        keys.reserveCapacity(array.elementCount)
      }
      keys.append((key, index))
    }
    var comparisons = 0
    var isStopped = false
    keys.sort { left, right in
      // What has been interrupted ends soon when nothing comes before anything else.
      if isStopped { return false }
      comparisons += 1
      if comparisons & 0xFFFF == 0 { isStopped = noticeInterrupt() }
      return precedes(left.key, right.key)
        || left.place < right.place && !precedes(right.key, left.key)
    }
    try pollInterrupt()
    return keys.map(\.place)
  }
}
