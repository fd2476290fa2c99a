// The folder Objects: primitives of any object, of classes, methods, blocks and exceptions.

extension Primitive {
  static let object: [Primitive] = [
    Primitive("== anObject", "Whether the receiver and anObject are the same object.") {
      _, arguments in
      Value(arguments.receiver == arguments[0])
    },
    Primitive("~~ anObject", "Whether the receiver and anObject are different objects.") {
      _, arguments in
      Value(arguments.receiver != arguments[0])
    },
    Primitive("class", "The class of the receiver.") { machine, arguments in
      machine.classObject(of: arguments.receiver)
    },
    Primitive("identityHash", "A number that goes with the object as long as it lives.") {
      machine, arguments in
      Value(small: machine.identityHash(arguments.receiver))
    },
    Primitive("isKindOf: aClass", "Whether the receiver's class is aClass or inherits from it.") {
      machine, arguments throws(Failure) in
      let info = try machine.classArgument(arguments[0])
      return Value(machine.classInfo(of: arguments.receiver).inherits(from: info))
    },
    Primitive("respondsTo: aSelector", "Whether the receiver has a method for aSelector.") {
      machine, arguments throws(Failure) in
      let selector = machine.selector(try machine.swiftString(arguments[0]))
      return Value(machine.classInfo(of: arguments.receiver).lookUp(selector) != nil)
    },
    Primitive("shallowCopy", "A new object with the same variables or elements.") {
      machine, arguments throws(Failure) in
      try machine.shallowCopy(arguments.receiver)
    },
    Primitive("connectedAsCopy", "Private: makes the connections of its class in a copy.") {
      machine, arguments in
      machine.connectCopy(arguments.receiver)
    },
    Primitive("describe", "What error messages call the receiver, without running its methods.") {
      machine, arguments in
      machine.makeString(machine.describe(arguments.receiver))
    },
    Primitive(
      "isShownByString",
      "Private: whether its class redefines displayString; not where displayOn: is nearer."
    ) { machine, arguments in
      Value(machine.showsDisplayString(arguments.receiver))
    },
    Primitive("perform: aSelector", "Sends the message that aSelector names.") {
      machine, arguments throws(Failure) in
      try machine.perform(arguments, count: 0)
    },
    Primitive("perform: aSelector with: a", "Sends the message with an argument.") {
      machine, arguments throws(Failure) in
      try machine.perform(arguments, count: 1)
    },
    Primitive("perform: aSelector with: a with: b", "Sends the message with two arguments.") {
      machine, arguments throws(Failure) in
      try machine.perform(arguments, count: 2)
    },
    Primitive(
      "perform: aSelector with: a with: b with: c", "Sends the message with three arguments."
    ) { machine, arguments throws(Failure) in
      try machine.perform(arguments, count: 3)
    },
    Primitive(
      "perform: aSelector withArguments: anArray", "Sends the message with anArray's elements."
    ) { machine, arguments throws(Failure) in
      let array = try machine.array(arguments[1])
      return try machine.perform(
        arguments[0], to: arguments.receiver, count: array.elementCount
      ) { array[element: $0] }
    },
  ]

  static let boolean: [Primitive] = []
}

extension Machine {
  /// The class of a value, as an object of the language.
  func classObject(of value: Value) -> Value {
    let info = classInfo(of: value)
    return classObject(info.canonical ?? info)
  }

  /// Whether the nearest class that says how its instances are displayed does so by `displayString`.
  ///
  /// - Complexity: O(1); O(*depth of the class*) the first time after methods have changed.
  fileprivate func showsDisplayString(_ value: Value) -> Bool {
    let index = value.classIndex
    if let known = lookupCache.showsDisplayString(index) { return known }
    let info = classInfo(at: index)
    let result = findsDisplayString(info.canonical ?? info)
    lookupCache.recordDisplay(index, byString: result)
    return result
  }

  private func findsDisplayString(_ start: ClassInfo) -> Bool {
    let (onStream, asString) = (selector("displayOn:"), selector("displayString"))
    var info: ClassInfo? = start
    while let current = info {
      if current.ownMethod(onStream) != nil { return false }
      if current.ownMethod(asString) != nil { return true }
      info = current.superclass
    }
    return false
  }

  /// A new object of the same class with the same contents.
  func shallowCopy(_ value: Value) throws(Failure) -> Value {
    guard value.isObject else { return value }
    let object = ObjectRef(value)
    switch object.formatCode {
    case ObjectFormat.slots.rawValue:
      if refreshSlots(of: object).isUnwind { throw .interrupted() }
      if let copy = try copyInNewLayout(object) { return copy }
      let copy = state.allocate(classIndex: object.classIndex, slotCount: object.slotCount)
      for index in 0..<object.slotCount { copy[slot: index] = object[slot: index] }
      if object.flags & ObjectFlag.extended != 0 { copyAddedVariables(of: object, to: copy) }
      return Value(copy)
    case ObjectFormat.array.rawValue:
      let copy = try makeArray(
        checked: object.elementCount, classIndex: object.classIndex)
      object.moveElements(from: 0, count: object.elementCount, to: copy, at: 0)
      return Value(copy)
    case ObjectFormat.bytes.rawValue where object.classIndex == ClassIndex.byteArray:
      let copy = try makeBytes(classIndex: object.classIndex, count: object.byteCount)
      copy.copyBytes(from: object, start: 0, count: object.byteCount, at: 0)
      return Value(copy)
    default:
      return value
    }
  }

  fileprivate func perform(_ arguments: Arguments, count: Int) throws(Failure) -> Value {
    try perform(arguments[0], to: arguments.receiver, count: count) { arguments[$0 + 1] }
  }

  /// Sends a message whose selector is a value.
  func perform(
    _ selectorValue: Value, to receiver: Value, count: Int, argument: (Int) -> Value
  ) throws(Failure) -> Value {
    let name = try swiftString(selectorValue)
    let expected = Selector.argumentCount(of: name)
    guard expected == count else {
      throw .wrongSelectorArity(name, expected: expected, given: count)
    }
    guard let selector = knownSelector(name, of: receiver) else {
      return notUnderstood(symbol(name), receiver, count: count, argument: argument)
    }
    let callee = pushNativeFrame()
    guard callee.advanced(by: count + FrameLimits.reserve) < state.stackEnd else {
      return stackOverflow()
    }
    callee[0] = receiver
    for index in 0..<count { callee[index + 1] = argument(index) }
    return enter(
      currentBody(for: selector, classIndex: receiver.classIndex), callee,
      argumentCount: count)
  }
}
