internal import TenonText

/// Sends from Swift code into the language, and the search for methods.
extension Machine {
  /// Finds the body for a selector; a class without the method gets one that reports it.
  func body(for selector: Selector, classIndex: UInt32) -> NodeRef {
    if let body = lookupCache.body(classIndex: classIndex, selector: selector.number) {
      return body
    }
    let body = findBody(for: selector, classIndex: classIndex, tracked: false)
    lookupCache.enter(body, classIndex: classIndex, selector: selector.number)
    return body
  }

  /// Finds the body for a send from Swift code: one that records what it reads while a formula runs.
  func currentBody(for selector: Selector, classIndex: UInt32) -> NodeRef {
    trackingDepth > 0
      ? trackedBody(for: selector, classIndex: classIndex)
      : body(for: selector, classIndex: classIndex)
  }

  /// The body of a block, one that records what it reads while a formula runs.
  func currentBody(of block: BlockCode) -> NodeRef {
    trackingDepth > 0 ? trackedBody(of: block) : block.body
  }

  /// Finds the body that records what it reads, for formulas.
  func trackedBody(for selector: Selector, classIndex: UInt32) -> NodeRef {
    findBody(for: selector, classIndex: classIndex, tracked: true)
  }

  private func findBody(for selector: Selector, classIndex: UInt32, tracked: Bool) -> NodeRef {
    let info = classInfo(at: classIndex)
    let found =
      if let canonical = info.canonical {
        variantMethod(selector, in: info, canonical)
      } else {
        info.lookUp(selector)
      }
    guard let method = found ?? setter(for: selector, in: info) else {
      return notUnderstoodBody(for: selector)
    }
    return tracked ? trackedBody(of: method) : body(of: method)
  }

  /// The method `x:` for `setX:`, which other Smalltalks with properties send.
  private func setter(for name: Selector, in info: ClassInfo) -> Method? {
    let prefix = "set"
    guard name.argumentCount == 1, name.name.hasPrefix(prefix),
      let first = name.name.dropFirst(prefix.count).first, first.isUppercase
    else { return nil }
    let property = first.lowercased() + name.name.dropFirst(prefix.count + 1)
    let canonical = info.canonical ?? info
    guard canonical.slot(of: String(property.dropLast())) != nil else { return nil }
    let setter = selector(property)
    return info.canonical.map { variantMethod(setter, in: info, $0) } ?? info.lookUp(setter)
  }

  /// The class with an index.
  func classInfo(at index: UInt32) -> ClassInfo {
    guard let info = classes.infos[Int(index)] else {
      preconditionFailure("class index \(index) belongs to no class")
    }
    return info
  }

  /// The class of a value.
  func classInfo(of value: Value) -> ClassInfo { classInfo(at: value.classIndex) }

  /// Sends a message from Swift code.
  ///
  /// - Returns: the answer, or `unwind`.
  func send(_ selector: Selector, to receiver: Value, _ arguments: Value...) -> Value {
    let callee = pushNativeFrame()
    callee[0] = receiver
    for (index, argument) in arguments.enumerated() { callee[index + 1] = argument }
    return enter(
      currentBody(for: selector, classIndex: receiver.classIndex), callee,
      argumentCount: arguments.count)
  }

  /// The text that `displayString` answers.
  ///
  /// - Returns: a string or symbol, or `unwind`.
  func displayString(of subject: Value) -> Value {
    var text = send(selector("displayString"), to: subject)
    while !text.isUnwind, !isString(text) {
      text = signal(.invalidArgument("a string from 'displayString'", found: describe(text)))
    }
    return text
  }

  /// Asks the handlers what a condition that is no Boolean counts as.
  ///
  /// They are asked once: a handler that always resumes with the same value would be asked for ever.
  ///
  /// - Returns: a Boolean a handler resumed with, or `unwind`.
  func booleanInstead(of value: Value) -> Value {
    let (top, base) = (state.top, state.base)
    let answer = signal(.nonBoolean(value, in: self))
    if answer.isBoolean || answer.isUnwind { return answer }
    (state.top, state.base) = (top, base)
    let refused = signal(.invalidArgument("true or false to resume with", found: describe(answer)))
    // A program may have given the class a default action that answers something.
    return refused.isUnwind ? refused : Value(refused.isTrue)
  }

  /// Evaluates a block from Swift code; a block with fewer parameters ignores the other values.
  ///
  /// - Returns: the block's value, or `unwind`.
  func evaluateBlock(_ block: Value, _ arguments: Value...) -> Value {
    guard block.isObject(ofClass: ClassIndex.blockClosure) else {
      // Anything that understands the message will do.
      let selector = self.selector(arguments.isEmpty ? "value" : "value:")
      return arguments.isEmpty
        ? send(selector, to: block) : send(selector, to: block, arguments[0])
    }
    let code = Closure(block).code
    guard code.argumentCount <= arguments.count else {
      return signal(.wrongArgumentCount(of: code.object, given: arguments.count))
    }
    let callee = pushNativeFrame()
    callee[0] = block
    for index in 0..<code.argumentCount { callee[index + 1] = arguments[index] }
    return enter(currentBody(of: code.object), callee, argumentCount: code.argumentCount)
  }

  /// Makes room for a frame above the Swift code that runs now, linked to it for stack traces.
  func pushNativeFrame() -> Frame {
    let top = state.top
    top[0] = Value(small: top.distance(from: state.base))
    top[1] = .undefined
    return top.advanced(by: 2)
  }

  /// Evaluates a body in a frame made by `pushNativeFrame`.
  func enter(_ body: NodeRef, _ callee: Frame, argumentCount: Int) -> Value {
    let top = state.top
    let base = state.base
    defer {
      state.top = top
      state.base = base
    }
    if state.needsSafepoint || state.stackEnd < callee.advanced(by: FrameLimits.reserve) {
      state.top = callee.advanced(by: argumentCount + 1)
      state.base = callee
      let outcome = safepoint()
      if outcome.isUnwind { return outcome }
    }
    if state.depthLeft == .max { return body.evaluate(callee) }
    if let value = state.activate(body, callee) { return value }
    state.top = callee.advanced(by: argumentCount + 1)
    state.base = callee
    return stackOverflow()
  }
}

extension Machine {
  /// The selector of a name, if any class of the program may have a method for it.
  ///
  /// A name that a program has made up is not kept: selectors stay for good.
  func knownSelector(_ name: String, of receiver: Value) -> Selector? {
    if let selector = symbolTable.selectors[name] { return selector }
    // The selectors of a class of the kernel are there once its methods are.
    var info: ClassInfo? = classInfo(of: receiver)
    while let current = info {
      current.loadIfNeeded()
      info = current.superclass ?? current.canonical
    }
    return symbolTable.selectors[name]
  }

  /// Sends `doesNotUnderstand:` with a message for a selector.
  func notUnderstood(
    _ selector: Value, _ receiver: Value, count: Int, argument: (Int) -> Value
  ) -> Value {
    if isGroup(receiver), let answer = answer(of: receiver, to: selector, count, argument) {
      return answer
    }
    let arguments = makeArray(count: count)
    for index in 0..<count { arguments[element: index] = argument(index) }
    let message = makeInstance(of: "Message")
    message[slot: 0] = selector
    message[slot: 1] = Value(arguments)
    return send(self.selector("doesNotUnderstand:"), to: receiver, Value(message))
  }

  /// What any class does for a selector it has no method for.
  private func notUnderstoodBody(for selector: Selector) -> NodeRef {
    if let body = codeTable.notUnderstoodBodies[selector.number] { return NodeRef(body) }
    let body = NotUnderstoodNode(selector: selector, state: state)
    codeTable.notUnderstoodBodies[selector.number] = body
    return NodeRef(body)
  }
}

/// What a class does for a selector it has no method for.
final class NotUnderstoodNode: Node {
  let selector: Selector
  let state: StateRef

  init(selector: Selector, state: StateRef) {
    self.selector = selector
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    state.top = frame.advanced(by: selector.argumentCount + 1)
    state.base = frame
    return state.withMachine { machine in
      machine.notUnderstood(
        selector.symbol, frame.receiver, count: selector.argumentCount
      ) { frame[$0 + 1] }
    }
  }
}

/// Runs a primitive.
final class PrimitiveNode: Node {
  let body: Primitive.Body
  let argumentCount: Int
  let state: StateRef

  init(body: @escaping Primitive.Body, argumentCount: Int, state: StateRef) {
    self.body = body
    self.argumentCount = argumentCount
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    state.top = frame.advanced(by: argumentCount &+ 1)
    state.base = frame
    return state.withMachine { machine in
      do throws(Failure) { return try body(machine, Arguments(frame: frame)) } catch {
        return failed(error, machine, frame)
      }
    }
  }

  /// Collects and tries once more when memory was short; else signals.
  @inline(never)
  private func failed(_ failure: Failure, _ machine: Machine, _ frame: Frame) -> Value {
    state.top = frame.advanced(by: argumentCount &+ 1)
    state.base = frame
    guard failure.wantedBytes > 0 else { return machine.signal(failure) }
    machine.collect()
    do throws(Failure) { return try body(machine, Arguments(frame: frame)) } catch {
      state.top = frame.advanced(by: argumentCount &+ 1)
      state.base = frame
      return machine.signal(error)
    }
  }
}

/// Sets an instance variable and answers the receiver.
final class SetterNode: Node {
  let slot: Int
  /// The class that values must have, if the variable's declaration says so.
  let type: String?
  /// Whether it is assigned but once.
  let isConstant: Bool
  let state: StateRef

  init(slot: Int, type: String?, isConstant: Bool, state: StateRef) {
    self.slot = slot
    self.type = type
    self.isConstant = isConstant
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    let object = ObjectRef(frame.receiver)
    if object.flags & ObjectFlag.guards == 0, type == nil, !isConstant {
      object.initialize(slot: slot, to: frame[1])
      return frame.receiver
    }
    state.top = frame.advanced(by: 2)
    state.base = frame
    let stored = state.withMachine { machine in
      if isConstant, !object[slot: slot].isNil {
        let name = machine.classInfo(of: frame.receiver).instanceVariables[slot].name
        return machine.signal(.constantAssigned(name))
      }
      if let type {
        let name = machine.classInfo(of: frame.receiver).instanceVariables[slot].name
        let checked = machine.checkType(of: frame[1], type, variable: name)
        if checked.isUnwind { return checked }
      }
      return machine.store(frame[1], into: object, slot: slot)
    }
    return stored.isUnwind ? stored : frame.receiver
  }
}
