/// The body of a method or block that has temporaries: fills them with nil first.
final class TemporariesEntryNode: SiteNode {
  let first: Int
  let end: Int
  let statements: StatementList
  let last: StatementRef

  init(
    first: Int, end: Int, statements: StatementList, last: StatementRef, at position: CodePosition
  ) {
    self.first = first
    self.end = end
    self.statements = statements
    self.last = last
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    if depth > FrameLimits.unchecked, let failure = checkValueStack(frame) { return failure }
    var slot = first
    while slot < end {
      frame[slot] = .nil
      slot &+= 1
    }
    var index = 0
    while index < statements.count {
      let value = statements[index].evaluate(frame)
      if value.isUnwind { return value }
      index &+= 1
    }
    return last.evaluate(frame)
  }
}

extension SiteNode {
  /// Answers a failed evaluation when a frame of this size does not fit on the value stack.
  @inline(never)
  final func checkValueStack(_ frame: Frame) -> Value? {
    guard state.stackEnd < frame.advanced(by: depth + FrameLimits.reserve) else { return nil }
    // The frame itself is not usable yet: its slots may hold anything.
    state.top = frame
    state.base = frame
    return state.withMachine { $0.stackOverflow() }
  }
}

/// The body of a method or block with variables that its blocks capture: makes their context.
final class ContextEntryNode: SiteNode {
  let firstTemporary: Int
  let endTemporary: Int
  /// Where the context is kept.
  let contextSlot: Int
  /// Slots of the context: one for the parent and one for each captured variable.
  let contextSize: Int
  /// Arguments that are captured, as pairs of frame slot and context slot.
  let capturedArguments: [(frame: Int, context: Int)]
  /// Whether this is a block, whose context's parent is the block's own context.
  let isBlock: Bool
  let body: NodeRef

  init(
    firstTemporary: Int, endTemporary: Int, contextSlot: Int, contextSize: Int,
    capturedArguments: [(frame: Int, context: Int)], isBlock: Bool, body: NodeRef,
    at position: CodePosition
  ) {
    self.firstTemporary = firstTemporary
    self.endTemporary = endTemporary
    self.contextSlot = contextSlot
    self.contextSize = contextSize
    self.capturedArguments = capturedArguments
    self.isBlock = isBlock
    self.body = body
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    if depth > FrameLimits.unchecked, let failure = checkValueStack(frame) { return failure }
    for slot in firstTemporary..<endTemporary { frame[slot] = .nil }
    let context = state.allocate(classIndex: ClassIndex.context, slotCount: contextSize)
    if isBlock { context.initialize(slot: 0, to: Closure(frame.receiver).context) }
    for captured in capturedArguments {
      context.initialize(slot: captured.context, to: frame[captured.frame])
    }
    frame[contextSlot] = Value(context)
    return body.evaluate(frame)
  }
}

/// The body of a method whose blocks return from it: takes the value of such a return.
final class HomeEntryNode: Node {
  let contextSlot: Int
  let state: StateRef
  let body: NodeRef

  init(contextSlot: Int, state: StateRef, body: NodeRef) {
    self.contextSlot = contextSlot
    self.state = state
    self.body = body
  }

  override func evaluate(_ frame: Frame) -> Value {
    let result = body.evaluate(frame)
    let context = ObjectRef(frame[contextSlot])
    context.flags |= ObjectFlag.ended
    guard result.isUnwind, state.unwindTarget == Value(context) else { return result }
    return state.takeUnwindValue()
  }
}

/// The body of a method that returns out of inlined blocks, from the middle.
final class ReturnEntryNode: Node {
  let state: StateRef
  let body: NodeRef

  init(state: StateRef, body: NodeRef) {
    self.state = state
    self.body = body
  }

  override func evaluate(_ frame: Frame) -> Value {
    let result = body.evaluate(frame)
    guard result.isUnwind, state.unwindTarget == Value(markerFor: frame.address) else {
      return result
    }
    return state.takeUnwindValue()
  }
}

/// Looks at the native stack before a part of a high expression is evaluated.
final class StackGuardNode: SiteNode {
  let body: NodeRef

  init(body: NodeRef, at position: CodePosition) {
    self.body = body
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    if state.needsSafepoint, safepoint(in: frame).isUnwind { return .unwind }
    return body.evaluate(frame)
  }

  override func test(_ frame: Frame) -> Test {
    if state.needsSafepoint, safepoint(in: frame).isUnwind { return Test(.unwind) }
    return body.test(frame)
  }

  override func operand(_ frame: Frame) -> FloatOperand {
    if state.needsSafepoint, safepoint(in: frame).isUnwind { return FloatOperand(.unwind) }
    return body.operand(frame)
  }
}

/// `^` in a method, where it is not the last thing to be done.
final class ReturnNode: Node {
  let value: NodeRef
  let state: StateRef

  init(value: NodeRef, state: StateRef) {
    self.value = value
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    return state.unwind(to: Value(markerFor: frame.address), with: value)
  }
}

/// `^` in a block: returns from the method the block was written in.
final class NonLocalReturnNode: SiteNode {
  let value: NodeRef
  /// How many contexts lie between the block's own and the method's.
  let hops: Int
  /// The frame slot of the innermost context, or -1 when it is the block's.
  let contextSlot: Int

  init(value: NodeRef, hops: Int, contextSlot: Int, at position: CodePosition) {
    self.value = value
    self.hops = hops
    self.contextSlot = contextSlot
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    let home = frame.context(in: contextSlot, hops: hops)
    guard home.flags & ObjectFlag.ended == 0 else { return signal(.cannotReturn(), in: frame) }
    return state.unwind(to: Value(home), with: value)
  }
}

extension Frame {
  /// A context seen from this frame: the one in a slot, or for -1 the block's, then outwards.
  @inline(__always)
  func context(in slot: Int, hops: Int) -> ObjectRef {
    var context = ObjectRef(slot < 0 ? Closure(receiver).context : self[slot])
    for _ in 0..<hops { context = ObjectRef(context[slot: 0]) }
    return context
  }
}

/// Statements in a row; the value is that of the last.
final class SequenceNode: Node {
  let statements: StatementList
  let last: StatementRef

  init(statements: StatementList, last: StatementRef) {
    self.statements = statements
    self.last = last
  }

  override func evaluate(_ frame: Frame) -> Value {
    var index = 0
    while index < statements.count {
      let value = statements[index].evaluate(frame)
      if value.isUnwind { return value }
      index &+= 1
    }
    return last.evaluate(frame)
  }
}

/// Two statements.
final class PairNode: Node {
  let first: StatementRef
  let last: StatementRef

  init(first: StatementRef, last: StatementRef) {
    self.first = first
    self.last = last
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = first.evaluate(frame)
    if value.isUnwind { return value }
    return last.evaluate(frame)
  }
}

/// Three statements.
final class TripleNode: Node {
  let first: StatementRef
  let second: StatementRef
  let last: StatementRef

  init(first: StatementRef, second: StatementRef, last: StatementRef) {
    self.first = first
    self.second = second
    self.last = last
  }

  override func evaluate(_ frame: Frame) -> Value {
    var value = first.evaluate(frame)
    if value.isUnwind { return value }
    value = second.evaluate(frame)
    if value.isUnwind { return value }
    return last.evaluate(frame)
  }
}

/// Gives temporaries of an inlined block nil each time the block begins.
final class ClearingNode: Node {
  let slots: [Int]
  let body: NodeRef

  init(slots: [Int], body: NodeRef) {
    self.slots = slots
    self.body = body
  }

  override func evaluate(_ frame: Frame) -> Value {
    for slot in slots { frame[slot] = .nil }
    return body.evaluate(frame)
  }
}

/// Gives a loop's body a context of its own each time it begins, so that the blocks it makes keep
/// the variables of their turn.
final class LoopContextNode: Node {
  let contextSlot: Int
  let contextSize: Int
  /// The frame slot of the context around, or -1.
  let parentSlot: Int
  let isInBlock: Bool
  /// Parameters of the block that are captured, as pairs of frame slot and context slot.
  let captured: [(frame: Int, context: Int)]
  let state: StateRef
  let body: NodeRef

  init(
    contextSlot: Int, contextSize: Int, parentSlot: Int, isInBlock: Bool,
    captured: [(frame: Int, context: Int)], state: StateRef, body: NodeRef
  ) {
    self.contextSlot = contextSlot
    self.contextSize = contextSize
    self.parentSlot = parentSlot
    self.isInBlock = isInBlock
    self.captured = captured
    self.state = state
    self.body = body
  }

  override func evaluate(_ frame: Frame) -> Value {
    let context = state.allocate(classIndex: ClassIndex.context, slotCount: contextSize)
    if parentSlot >= 0 {
      context.initialize(slot: 0, to: frame[parentSlot])
    } else if isInBlock {
      context.initialize(slot: 0, to: Closure(frame.receiver).context)
    }
    for variable in captured {
      context.initialize(slot: variable.context, to: frame[variable.frame])
    }
    frame[contextSlot] = Value(context)
    return body.evaluate(frame)
  }
}

/// `^` at top level: ends the script.
final class ScriptReturnNode: Node {
  let value: NodeRef
  let state: StateRef

  init(value: NodeRef, state: StateRef) {
    self.value = value
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    return state.unwind(to: Machine.scriptTarget, with: value)
  }
}

/// An expression that is known to fail when it is evaluated.
final class FailureNode: SiteNode {
  let failure: Failure

  init(_ failure: Failure, at position: CodePosition) {
    self.failure = failure
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value { signal(failure, in: frame) }
}

/// `value` and its like, for a receiver that is a block: checks the number of arguments.
final class BlockEntryNode: Node {
  let argumentCount: Int
  let isTracked: Bool
  let state: StateRef

  init(argumentCount: Int, tracked: Bool, state: StateRef) {
    self.argumentCount = argumentCount
    isTracked = tracked
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    let code = Closure(frame.receiver).code
    if code.argumentCount == argumentCount {
      guard isTracked else { return code.body.evaluate(frame) }
      return evaluateTracked(code, frame)
    }
    return refuse(code, frame)
  }

  // Both apart from the rest, which counts no references.

  @inline(never)
  private func refuse(_ code: BlockCodeRef, _ frame: Frame) -> Value {
    state.top = frame.advanced(by: argumentCount + 1)
    state.base = frame
    return state.withMachine {
      $0.signal(.wrongArgumentCount(of: code.object, given: argumentCount))
    }
  }

  @inline(never)
  private func evaluateTracked(_ code: BlockCodeRef, _ frame: Frame) -> Value {
    state.withMachine { $0.trackedBody(of: code.object) }.evaluate(frame)
  }
}
