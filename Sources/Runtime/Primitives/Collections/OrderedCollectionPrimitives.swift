extension Primitive {
  static let orderedCollection: [Primitive] = [
    Primitive("size", "The number of elements.") { _, arguments in
      Value(small: OrderedElements(arguments.receiver).count)
    },
    Primitive("at: index", "The element at index, or for an interval the slice.") {
      machine, arguments throws(Failure) in
      let elements = OrderedElements(arguments.receiver)
      let index = arguments[0]
      if !index.isSmallInteger, let slice = machine.sliceIndex(index) {
        return machine.send(machine.selector("slice:"), to: arguments.receiver, slice)
      }
      let offset = try machine.offset(index, count: elements.count)
      return try machine.element(elements, at: offset)
    },
    Primitive("at: index put: value", "Replaces the element at index; answers value.") {
      machine, arguments throws(Failure) in
      let elements = OrderedElements(arguments.receiver)
      let offset = try machine.offset(arguments[0], count: elements.count)
      let array = try elements.array()
      guard elements.start + offset < array.elementCount else {
        throw machine.outOfBounds(offset + 1, count: array.elementCount)
      }
      return try machine.changeElements(
        of: elements.object, at: arguments[0], answering: arguments[1]
      ) {
        array[element: elements.start + offset] = arguments[1]
      }
    },
    Primitive("first", "The first element.") { machine, arguments throws(Failure) in
      let elements = OrderedElements(arguments.receiver)
      let offset = try machine.offset(Value(small: 1), count: elements.count)
      return try machine.element(elements, at: offset)
    },
    Primitive("last", "The last element.") { machine, arguments throws(Failure) in
      let elements = OrderedElements(arguments.receiver)
      let offset = try machine.offset(Value(small: elements.count), count: elements.count)
      return try machine.element(elements, at: offset)
    },
    Primitive("add: element", "Adds element by addLast:; answers it.") {
      machine, arguments throws(Failure) in
      let elements = OrderedElements(arguments.receiver)
      // A subclass may have an addLast: of its own.
      guard elements.object.classIndex == machine.kernel.orderedCollection.index else {
        return machine.send(machine.selector("addLast:"), to: arguments.receiver, arguments[0])
      }
      return try machine.addLast(arguments[0], to: elements)
    },
    Primitive("addLast: element", "Adds element at the end; answers it.") {
      machine, arguments throws(Failure) in
      try machine.addLast(arguments[0], to: OrderedElements(arguments.receiver))
    },
    Primitive("addElementsOf: anArray", "Adds the elements of anArray at the end.") {
      machine, arguments throws(Failure) in
      let elements = OrderedElements(arguments.receiver)
      let added = try machine.array(arguments[0])
      return try machine.changeElements(of: elements.object, answering: arguments.receiver) {
        () throws(Failure) in
        let count = added.elementCount
        try machine.makeRoom(in: elements, atEnd: true, for: count)
        let end = elements.end
        added.moveElements(from: 0, count: count, to: try elements.array(), at: end)
        elements.set(start: elements.start, end: end + count)
      }
    },
    Primitive("changeMark", "Private: what differs once an element has come or gone.") {
      _, arguments in
      let elements = OrderedElements(arguments.receiver)
      // Another array, or other places in it.
      let array = Int(truncatingIfNeeded: elements.object[slot: OrderedElements.Slot.elements].bits)
      let removals = elements.object[slot: OrderedElements.Slot.removals].asSmallInteger ?? 0
      let mark = ((array &* 31 &+ elements.start) &* 31 &+ elements.end) &* 31 &+ removals
      return Value(small: mark & Int.max >> 2)
    },
    Primitive("removeAll", "Removes all elements.") { machine, arguments throws(Failure) in
      try machine.removeElements(of: OrderedElements(arguments.receiver))
    },
    Primitive("takeElements: anArray", "Private: has the elements of anArray in place of its own.")
    {
      machine, arguments throws(Failure) in
      let elements = OrderedElements(arguments.receiver)
      let given = try machine.array(arguments[0])
      let made = try machine.makeArray(checked: given.elementCount)
      given.moveElements(from: 0, count: given.elementCount, to: made, at: 0)
      return try machine.changeElements(of: elements.object, answering: arguments.receiver) {
        elements.set(made, count: made.elementCount)
      }
    },
    Primitive(
      "insertElement: element at: index", "Private: inserts element before index; answers it."
    ) { machine, arguments throws(Failure) in
      let elements = OrderedElements(arguments.receiver)
      let offset = try machine.offset(arguments[1], count: elements.count + 1)
      return try machine.changeElements(of: elements.object, answering: arguments[0]) {
        () throws(Failure) in
        try machine.insert(arguments[0], into: elements, at: offset)
      }
    },
    Primitive("removeElementAt: index", "Private: removes the element at index.") {
      machine, arguments throws(Failure) in
      let elements = OrderedElements(arguments.receiver)
      let offset = try machine.offset(arguments[0], count: elements.count)
      return try machine.changeElements(of: elements.object, answering: arguments.receiver) {
        () throws(Failure) in
        try machine.remove(from: elements, at: offset)
      }
    },
    Primitive("addFirst: element", "Adds element at the beginning; answers it.") {
      machine, arguments throws(Failure) in
      let elements = OrderedElements(arguments.receiver)
      return try machine.changeElements(of: elements.object, answering: arguments[0]) {
        () throws(Failure) in
        try machine.makeRoom(in: elements, atEnd: false)
        let start = elements.start - 1
        try elements.array()[element: start] = arguments[0]
        elements.set(start: start, end: elements.end)
      }
    },
    Primitive("removeLast", "Removes the last element and answers it.") {
      machine, arguments throws(Failure) in
      let elements = OrderedElements(arguments.receiver)
      if let array = elements.unwatchedArray, elements.hasElements(in: array) {
        let end = elements.end
        let removed = array[element: end - 1]
        array[element: end - 1] = .nil
        elements.object[slot: OrderedElements.Slot.last] = Value(small: end - 1)
        elements.recordRemoval()
        return removed
      }
      guard elements.count > 0 else { throw .empty() }
      let removed = try machine.element(elements, at: elements.count - 1)
      return try machine.changeElements(of: elements.object, answering: removed) {
        () throws(Failure) in
        try machine.clearElement(elements, at: elements.end - 1)
        elements.recordRemoval()
        elements.set(start: elements.start, end: elements.end - 1)
      }
    },
    Primitive("removeFirst", "Removes the first element and answers it.") {
      machine, arguments throws(Failure) in
      let elements = OrderedElements(arguments.receiver)
      if let array = elements.unwatchedArray, elements.hasElements(in: array) {
        let start = elements.start
        let removed = array[element: start]
        array[element: start] = .nil
        elements.object[slot: OrderedElements.Slot.first] = Value(small: start + 2)
        elements.recordRemoval()
        return removed
      }
      guard elements.count > 0 else { throw .empty() }
      let removed = try machine.element(elements, at: 0)
      return try machine.changeElements(of: elements.object, answering: removed) {
        () throws(Failure) in
        try machine.clearElement(elements, at: elements.start)
        elements.recordRemoval()
        elements.set(start: elements.start + 1, end: elements.end)
      }
    },
  ]
}

extension Machine {
  @inline(__always)
  fileprivate func addLast(
    _ value: Value, to elements: OrderedElements
  ) throws(Failure) -> Value {
    if let array = elements.unwatchedArray {
      let end = elements.end
      if UInt(bitPattern: end) < UInt(bitPattern: array.elementCount) {
        array[element: end] = value
        elements.object[slot: OrderedElements.Slot.last] = Value(small: end &+ 1)
        return value
      }
    }
    return try changeElements(of: elements.object, answering: value) { () throws(Failure) in
      try makeRoom(in: elements, atEnd: true)
      let end = elements.end
      try elements.array()[element: end] = value
      elements.set(start: elements.start, end: end + 1)
    }
  }

  func element(
    _ elements: OrderedElements, at offset: Int
  ) throws(Failure) -> Value {
    let array = try elements.array()
    let index = elements.start + offset
    guard index >= 0, index < array.elementCount else {
      throw outOfBounds(offset + 1, count: array.elementCount)
    }
    return array[element: index]
  }

  fileprivate func removeElements(of elements: OrderedElements) throws(Failure) -> Value {
    let made = try makeArray(checked: 4)
    if elements.count == 0 {
      elements.set(made, count: 0)
      return Value(elements.object)
    }
    return try changeElements(of: elements.object, answering: Value(elements.object)) {
      elements.set(made, count: 0)
    }
  }

  /// Inserts an element before an offset.
  fileprivate func insert(
    _ value: Value, into elements: OrderedElements, at offset: Int
  ) throws(Failure) {
    try makeRoom(in: elements, atEnd: true)
    let array = try ownArray(of: elements)
    let place = elements.start + offset
    let end = elements.end
    array.moveElements(from: place, count: end - place, to: array, at: place + 1)
    array[element: place] = value
    elements.set(start: elements.start, end: end + 1)
  }

  /// Removes the element at an offset.
  fileprivate func remove(from elements: OrderedElements, at offset: Int) throws(Failure) {
    elements.recordRemoval()
    let isFirst = offset == 0
    if isFirst || offset == elements.count - 1 {
      // At an end nothing moves, and nothing is copied for those who want the elements back.
      let (start, end) = (elements.start, elements.end)
      try clearElement(elements, at: start + offset)
      return elements.set(start: isFirst ? start + 1 : start, end: isFirst ? end : end - 1)
    }
    let array = try ownArray(of: elements)
    let place = elements.start + offset
    let end = elements.end
    guard end <= array.elementCount, place < end else { throw .empty() }
    if offset < elements.count / 2 {
      let start = elements.start
      array.moveElements(from: start, count: offset, to: array, at: start + 1)
      array[element: start] = .nil
      return elements.set(start: start + 1, end: end)
    }
    array.moveElements(from: place + 1, count: end - place - 1, to: array, at: place)
    array[element: end - 1] = .nil
    elements.set(start: elements.start, end: end - 1)
  }

  /// The array, to move elements in: another one when somebody may want the elements back as they
  /// were.
  private func ownArray(of elements: OrderedElements) throws(Failure) -> ObjectRef {
    let array = try elements.array()
    if elements.object.flags & ObjectFlag.watched == 0 { return array }
    let copy = try makeArray(checked: array.elementCount)
    array.moveElements(from: 0, count: array.elementCount, to: copy, at: 0)
    elements.object[slot: OrderedElements.Slot.elements] = Value(copy)
    return copy
  }

  /// Lets go of an element that is removed.
  fileprivate func clearElement(_ elements: OrderedElements, at index: Int) throws(Failure) {
    let array = try elements.array()
    guard index >= 0, index < array.elementCount else { throw .empty() }
    logArrayElement(of: elements, at: index)
    array[element: index] = .nil
  }

  /// Makes sure that there are so many free places before or behind the elements.
  ///
  /// - Complexity: O(1) amortised.
  fileprivate func makeRoom(
    in elements: OrderedElements, atEnd: Bool, for added: Int = 1
  ) throws(Failure) {
    let array = try elements.array()
    let start = elements.start
    let end = elements.end
    guard start >= 0, end <= array.elementCount, start <= end else { throw .empty() }
    if atEnd ? added <= array.elementCount - end : added <= start { return }
    let count = end - start
    let capacity = max(8, count * 2, count + added)
    let grown = try makeArray(checked: capacity)
    let newStart = atEnd ? 0 : capacity - count
    array.moveElements(from: start, count: count, to: grown, at: newStart)
    elements.object[slot: OrderedElements.Slot.elements] = Value(grown)
    elements.set(start: newStart, end: newStart + count)
  }
}
