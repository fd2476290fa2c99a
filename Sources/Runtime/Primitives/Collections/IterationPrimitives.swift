internal import TenonNumerics
internal import TenonText

// Loops over the elements of arrays and ordered collections. They are primitives because they are
// what programs spend their time in: a turn costs a third of what it costs a method of the kernel.

/// The elements that a loop visits.
protocol LoopedElements: SendableMetatype {
  var count: Int { get }
  /// Whether the collection is as it was when the loop began.
  var isUnchanged: Bool { get }
  /// The element at an offset below `count`.
  subscript(offset: Int) -> Value { get }
  init(_ collection: Value) throws(Failure)
}

/// The elements of an array, whose number does not change.
@safe
struct LoopedArray: LoopedElements {
  private let array: ObjectRef
  let count: Int

  @inline(__always)
  init(_ collection: Value) {
    array = ObjectRef(collection)
    count = array.elementCount
  }

  @inline(__always) var isUnchanged: Bool { true }
  @inline(__always) subscript(offset: Int) -> Value { array[element: offset] }
}

/// The elements of an OrderedCollection as they stand when a loop begins.
@safe
struct LoopedOrderedCollection: LoopedElements {
  private let object: ObjectRef
  private let array: ObjectRef
  private let first: Value
  private let last: Value
  private let removals: Value
  private let start: Int
  let count: Int

  @inline(__always)
  init(_ collection: Value) throws(Failure) {
    let elements = OrderedElements(collection)
    object = elements.object
    array = try elements.array()
    first = object[slot: OrderedElements.Slot.first]
    last = object[slot: OrderedElements.Slot.last]
    removals = object[slot: OrderedElements.Slot.removals]
    start = elements.start
    guard start >= 0, elements.end <= array.elementCount else { throw .empty() }
    count = max(0, elements.end - start)
  }

  /// As long as nothing is removed, adding moves an end; what takes the whole array's place counts as a
  /// removal.
  @inline(__always) var isUnchanged: Bool {
    object[slot: OrderedElements.Slot.last] == last
      && object[slot: OrderedElements.Slot.first] == first
      && object[slot: OrderedElements.Slot.removals] == removals
  }

  @inline(__always) subscript(offset: Int) -> Value { array[element: start &+ offset] }
}

extension Primitive {
  static let arrayLoops: [Primitive] =
    loops(LoopedArray.self) + longerLoops(LoopedArray.self) + searches(LoopedArray.self) + [
      Primitive("collect: aBlock", "An array of what aBlock answers for each element.") {
        machine, arguments throws(Failure) in
        try machine.collect(LoopedArray.self, arguments)
      },
      Primitive("select: aBlock", "The elements for which aBlock answers true.") {
        machine, arguments throws(Failure) in
        try machine.select(LoopedArray.self, arguments, sense: true)
      },
      Primitive("reject: aBlock", "The elements for which aBlock answers false.") {
        machine, arguments throws(Failure) in
        try machine.select(LoopedArray.self, arguments, sense: false)
      },
    ]

  static let orderedCollectionLoops: [Primitive] =
    loops(LoopedOrderedCollection.self) + longerLoops(LoopedOrderedCollection.self)
    + searches(LoopedOrderedCollection.self) + [
      Primitive("collectedElements: aBlock", "An array of what aBlock answers for each element.") {
        machine, arguments throws(Failure) in
        try machine.collect(LoopedOrderedCollection.self, arguments)
      },
      Primitive("selectedElements: aBlock", "An array of those for which aBlock answers true.") {
        machine, arguments throws(Failure) in
        try machine.select(LoopedOrderedCollection.self, arguments, sense: true)
      },
    ]

  static let stringLoops: [Primitive] = [
    Primitive("do: aBlock", "Evaluates aBlock with each character.") { machine, arguments in
      let string = ObjectRef(arguments.receiver)
      let block = RepeatedBlock(machine, arguments.frame, block: 1, arguments: 1, kept: 2)
      var offset = 0
      while offset < string.byteCount {
        let scalar = string.scalar(at: offset)
        if block.value(Value(scalar)).isUnwind { return .unwind }
        offset = scalar.value < 0x80 ? offset &+ 1 : string.nextOffset(after: offset)
      }
      return arguments.receiver
    }
  ]

  static let intervalLoops: [Primitive] = [
    Primitive(
      "machineNumbersDo: aBlock", "Loops over SmallIntegers or Floats; else answers false."
    ) { machine, arguments throws(Failure) in
      let interval = ObjectRef(arguments.receiver)
      guard let start = interval[slot: 0].asSmallInteger,
        let stop = interval[slot: 1].asSmallInteger, let step = interval[slot: 2].asSmallInteger,
        step != 0
      else {
        return try machine.withFloats(of: interval) { steps in machine.loop(over: steps, arguments)
        }
      }
      let block = RepeatedBlock(machine, arguments.frame, block: 1, arguments: 1, kept: 2)
      var each = start
      while step > 0 ? each <= stop : each >= stop {
        if block.value(Value(small: each)).isUnwind { return .unwind }
        // Below 2^63: a SmallInteger is below 2^62.
        each &+= step
      }
      return .true
    },
    Primitive("floatCount", "How many floats there are in an interval of floats.") {
      machine, arguments throws(Failure) in
      try machine.withFloats(of: ObjectRef(arguments.receiver)) { steps throws(Failure) in
        guard let count = steps.exactCount else {
          throw Failure(.arithmeticError, "an interval that has no end has no size")
        }
        return try machine.makeInteger(count)
      }
    },
    Primitive("floatAt: index", "The float at an index that is within the interval.") {
      machine, arguments throws(Failure) in
      let index = try machine.integer(arguments[0])
      return try machine.withFloats(of: ObjectRef(arguments.receiver)) { steps in
        machine.makeFloat(steps[index &- 1])
      }
    },
    Primitive("floats", "The elements of an interval of floats, as an array.") {
      machine, arguments throws(Failure) in
      try machine.withFloats(of: ObjectRef(arguments.receiver)) { steps throws(Failure) in
        let array = try machine.makeArray(checked: steps.count)
        for offset in 0..<steps.count {
          if offset & 0xFFFF == 0xFFFF { try machine.pollInterrupt() }
          array[element: offset] = machine.makeFloat(steps[offset])
        }
        return Value(array)
      }
    },
  ]

  /// The loops that arrays and ordered collections have in common.
  @inline(__always)
  private static func loops<Elements: LoopedElements>(_: Elements.Type) -> [Primitive] {
    [
      Primitive("do: aBlock", "Evaluates aBlock with each element.") {
        machine, arguments throws(Failure) in
        let elements = try Elements(arguments.receiver)
        let block = RepeatedBlock(machine, arguments.frame, block: 1, arguments: 1, kept: 2)
        for offset in 0..<elements.count {
          if block.value(elements[offset]).isUnwind { return .unwind }
          if !elements.isUnchanged { return machine.signalModified(arguments, block) }
        }
        return arguments.receiver
      },
      Primitive("doWithIndex: aBlock", "Evaluates aBlock with each element and its index.") {
        machine, arguments throws(Failure) in
        let elements = try Elements(arguments.receiver)
        let block = RepeatedBlock(machine, arguments.frame, block: 1, arguments: 2, kept: 2)
        for offset in 0..<elements.count {
          let index = Value(small: offset &+ 1)
          if block.value(elements[offset], index).isUnwind { return .unwind }
          if !elements.isUnchanged { return machine.signalModified(arguments, block) }
        }
        return arguments.receiver
      },
      Primitive("keysAndValuesDo: aBlock", "Evaluates aBlock with each index and its element.") {
        machine, arguments throws(Failure) in
        let elements = try Elements(arguments.receiver)
        let block = RepeatedBlock(machine, arguments.frame, block: 1, arguments: 2, kept: 2)
        for offset in 0..<elements.count {
          let index = Value(small: offset &+ 1)
          if block.value(index, elements[offset]).isUnwind { return .unwind }
          if !elements.isUnchanged { return machine.signalModified(arguments, block) }
        }
        return arguments.receiver
      },
      Primitive("reverseDo: aBlock", "Evaluates aBlock with each element, the last one first.") {
        machine, arguments throws(Failure) in
        let elements = try Elements(arguments.receiver)
        let block = RepeatedBlock(machine, arguments.frame, block: 1, arguments: 1, kept: 2)
        var offset = elements.count
        while offset > 0 {
          offset &-= 1
          if block.value(elements[offset]).isUnwind { return .unwind }
          if !elements.isUnchanged { return machine.signalModified(arguments, block) }
        }
        return arguments.receiver
      },
    ]
  }

  /// The loops that have more to do than to visit each element.
  @inline(__always)
  private static func longerLoops<Elements: LoopedElements>(_: Elements.Type) -> [Primitive] {
    [
      Primitive(
        "from: start to: stop do: aBlock", "Evaluates aBlock with the elements from start to stop."
      ) { machine, arguments throws(Failure) in
        let elements = try Elements(arguments.receiver)
        let start = try machine.integer(arguments[0])
        let stop = try machine.integer(arguments[1])
        guard start <= stop else { return arguments.receiver }
        let block = RepeatedBlock(machine, arguments.frame, block: 3, arguments: 1, kept: 4)
        for index in start...stop {
          guard index >= 1, index <= elements.count else {
            block.restoreTop()
            throw machine.outOfBounds(index, count: elements.count)
          }
          if block.value(elements[index &- 1]).isUnwind { return .unwind }
          if !elements.isUnchanged { return machine.signalModified(arguments, block) }
        }
        return arguments.receiver
      },
      Primitive("pairsDo: aBlock", "Evaluates aBlock with every two elements that follow.") {
        machine, arguments throws(Failure) in
        try machine.visitPairs(Elements.self, arguments, step: 2)
      },
      Primitive("overlappingPairsDo: aBlock", "Evaluates aBlock with each element and the next.") {
        machine, arguments throws(Failure) in
        try machine.visitPairs(Elements.self, arguments, step: 1)
      },
      Primitive("collectWithIndex: aBlock", "An array of its values for elements and indices.") {
        machine, arguments throws(Failure) in
        let elements = try Elements(arguments.receiver)
        let result = try machine.makeArray(checked: elements.count)
        arguments.frame[2] = Value(result)
        let block = RepeatedBlock(machine, arguments.frame, block: 1, arguments: 2, kept: 3)
        for offset in 0..<elements.count {
          let value = block.value(elements[offset], Value(small: offset &+ 1))
          if value.isUnwind { return .unwind }
          result[element: offset] = value
          if !elements.isUnchanged { return machine.signalModified(arguments, block) }
        }
        return Value(result)
      },
      Primitive("inject: start into: aBlock", "What aBlock makes of start and each element.") {
        machine, arguments throws(Failure) in
        let elements = try Elements(arguments.receiver)
        let block = RepeatedBlock(machine, arguments.frame, block: 2, arguments: 2, kept: 3)
        var result = arguments[0]
        for offset in 0..<elements.count {
          result = block.value(result, elements[offset])
          if result.isUnwind { return .unwind }
          if !elements.isUnchanged { return machine.signalModified(arguments, block) }
        }
        return result
      },
    ]
  }

  /// What arrays and ordered collections have in common to find elements.
  @inline(__always)
  private static func searches<Elements: LoopedElements>(_: Elements.Type) -> [Primitive] {
    [
      Primitive("findFirst: aBlock", "The index of the first element that aBlock accepts, or 0.") {
        machine, arguments throws(Failure) in
        let elements = try Elements(arguments.receiver)
        let block = RepeatedBlock(machine, arguments.frame, block: 1, arguments: 1, kept: 2)
        for offset in 0..<elements.count {
          guard let isFound = block.test(elements[offset]) else { return .unwind }
          if isFound { return Value(small: offset &+ 1) }
          if !elements.isUnchanged { return machine.signalModified(arguments, block) }
        }
        return Value(small: 0)
      },
      Primitive("findLast: aBlock", "The index of the last element that aBlock accepts, or 0.") {
        machine, arguments throws(Failure) in
        let elements = try Elements(arguments.receiver)
        let block = RepeatedBlock(machine, arguments.frame, block: 1, arguments: 1, kept: 2)
        var index = elements.count
        while index > 0 {
          guard let isFound = block.test(elements[index &- 1]) else { return .unwind }
          if isFound { return Value(small: index) }
          if !elements.isUnchanged { return machine.signalModified(arguments, block) }
          index &-= 1
        }
        return Value(small: 0)
      },
      Primitive("detect: aBlock ifNone: absentBlock", "The first element that aBlock accepts.") {
        machine, arguments throws(Failure) in
        let elements = try Elements(arguments.receiver)
        arguments.frame[3] = .nil
        let block = RepeatedBlock(machine, arguments.frame, block: 1, arguments: 1, kept: 4)
        for offset in 0..<elements.count {
          // Kept, as the block may put another in its place.
          let element = elements[offset]
          arguments.frame[3] = element
          guard let isFound = block.test(element) else { return .unwind }
          if isFound { return element }
          if !elements.isUnchanged { return machine.signalModified(arguments, block) }
        }
        block.restoreTop()
        return machine.evaluateBlock(arguments[1])
      },
      Primitive("indexOf: element", "The index of the first equal element, or 0.") {
        machine, arguments throws(Failure) in
        let elements = try Elements(arguments.receiver)
        return machine.index(of: arguments[0], in: elements, from: 0, arguments, count: 1)
      },
      Primitive("indexOf: element startingAt: start", "The first such index from start, or 0.") {
        machine, arguments throws(Failure) in
        let elements = try Elements(arguments.receiver)
        let start = try machine.integer(arguments[1])
        guard start <= elements.count else { return Value(small: 0) }
        _ = try machine.offset(Value(small: start), count: elements.count)
        return machine.index(
          of: arguments[0], in: elements, from: start - 1, arguments, count: 2)
      },
    ]
  }
}

extension Machine {
  /// What a loop does whose collection was changed.
  @inline(never)
  fileprivate func signalModified(_ arguments: Arguments, _ block: RepeatedBlock) -> Value {
    block.restoreTop()
    return send(selector("signalModified"), to: arguments.receiver)
  }

  /// Evaluates a block with an element and the next one, then with those that many places on.
  @inline(__always)
  fileprivate func visitPairs<Elements: LoopedElements>(
    _: Elements.Type, _ arguments: Arguments, step: Int
  ) throws(Failure) -> Value {
    let elements = try Elements(arguments.receiver)
    let block = RepeatedBlock(self, arguments.frame, block: 1, arguments: 2, kept: 2)
    var offset = 0
    while offset + 1 < elements.count {
      if block.value(elements[offset], elements[offset &+ 1]).isUnwind { return .unwind }
      if !elements.isUnchanged { return signalModified(arguments, block) }
      offset &+= step
    }
    return arguments.receiver
  }

  /// An array of what a block answers for each element.
  @inline(__always)
  fileprivate func collect<Elements: LoopedElements>(
    _: Elements.Type, _ arguments: Arguments
  ) throws(Failure) -> Value {
    let elements = try Elements(arguments.receiver)
    let result = try makeArray(checked: elements.count)
    arguments.frame[2] = Value(result)
    let block = RepeatedBlock(self, arguments.frame, block: 1, arguments: 1, kept: 3)
    for offset in 0..<elements.count {
      let value = block.value(elements[offset])
      if value.isUnwind { return .unwind }
      result[element: offset] = value
      if !elements.isUnchanged { return signalModified(arguments, block) }
    }
    return Value(result)
  }

  /// An array of the elements for which a block answers true, or false.
  @inline(__always)
  fileprivate func select<Elements: LoopedElements>(
    _: Elements.Type, _ arguments: Arguments, sense: Bool
  ) throws(Failure) -> Value {
    let elements = try Elements(arguments.receiver)
    let chosen = try makeArray(checked: elements.count)
    arguments.frame[2] = Value(chosen)
    let block = RepeatedBlock(self, arguments.frame, block: 1, arguments: 1, kept: 3)
    var count = 0
    for offset in 0..<elements.count {
      let element = elements[offset]
      // Here the collector finds it, should the block put another in its place.
      chosen[element: count] = element
      guard let answer = block.test(element) else { return .unwind }
      if answer == sense { count += 1 }
      if !elements.isUnchanged { return signalModified(arguments, block) }
    }
    if count == elements.count { return Value(chosen) }
    // Not checked against the limit of memory: a failure would evaluate the block all over again.
    let result = makeArray(count: count)
    chosen.moveElements(from: 0, count: count, to: result, at: 0)
    return Value(result)
  }

  /// The index of the first element from an offset on that is equal to a value, else 0.
  @inline(__always)
  fileprivate func index<Elements: LoopedElements>(
    of wanted: Value, in elements: Elements, from start: Int, _ arguments: Arguments, count: Int
  ) -> Value {
    for offset in start..<elements.count {
      let element = elements[offset]
      var isEqual = Machine.plainEquality(element, wanted)
      if isEqual == nil {
        state.top = arguments.frame.advanced(by: count + 1)
        state.base = arguments.frame
        let answer = send(selector("="), to: element, wanted)
        if answer.isUnwind { return .unwind }
        isEqual = answer.isTrue
        // What its `=` does to the collection ends the search where that has no element any more.
        if !elements.isUnchanged {
          return isEqual == true
            ? Value(small: offset + 1) : send(selector("signalModified"), to: arguments.receiver)
        }
      }
      if isEqual == true { return Value(small: offset + 1) }
    }
    return Value(small: 0)
  }

  /// Whether a value is equal to another when its class is the kernel's and that takes no send.
  @inline(__always)
  static func plainEquality(_ left: Value, _ right: Value) -> Bool? {
    if left.isSmallInteger, right.isSmallInteger || !right.isObject && !right.isImmediateFloat {
      return left == right
    }
    if left.isObject {
      let index = ObjectRef(left).classIndex
      guard index == ClassIndex.string || index == ClassIndex.symbol else { return nil }
      guard right.isObject else { return false }
      let other = ObjectRef(right)
      let isText = other.classIndex == ClassIndex.string || other.classIndex == ClassIndex.symbol
      return isText && ObjectRef(left).hasSameBytes(as: other)
    }
    if left.isImmediateFloat || left.isSmallInteger {
      // A string is no number.
      let isText =
        right.isObject(ofClass: ClassIndex.string) || right.isObject(ofClass: ClassIndex.symbol)
      return isText ? false : nil
    }
    // nil, a Boolean or a character.
    return left == right
  }
}

extension Machine {
  /// What is made of the floats of an interval; false for one of other numbers.
  fileprivate func withFloats(
    of interval: ObjectRef, _ result: (FloatSteps) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let loop = try floatLoop(
      from: interval[slot: 0], to: interval[slot: 1], by: interval[slot: 2])
    switch loop {
    case .floats(let steps): return try result(steps)
    case .otherNumbers: return .false
    case .unwinding: return .unwind
    }
  }

  /// Evaluates a block with each of some floats.
  fileprivate func loop(over steps: FloatSteps, _ arguments: Arguments) -> Value {
    let block = RepeatedBlock(self, arguments.frame, block: 1, arguments: 1, kept: 2)
    var offset = 0
    while offset < steps.count {
      if block.value(makeFloat(steps[offset])).isUnwind { return .unwind }
      offset &+= 1
    }
    return .true
  }
}
