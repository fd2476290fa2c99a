internal import TenonLexer

/// A message send with its inline cache.
///
/// The cache starts empty, keeps the bodies for up to four receiver classes, and then leaves the
/// search to the machine's global cache. The node changes its fields, never its place in the tree:
/// no parent has to be patched and no node is freed while it executes.
class SendNode: SiteNode {
  final let selector: Selector

  @exclusivity(unchecked) private final var class0: UInt32 = 0
  @exclusivity(unchecked) private final var class1: UInt32 = 0
  @exclusivity(unchecked) private final var class2: UInt32 = 0
  @exclusivity(unchecked) private final var class3: UInt32 = 0
  @exclusivity(unchecked) private final var body0: NodeRef
  @exclusivity(unchecked) private final var body1: NodeRef
  @exclusivity(unchecked) private final var body2: NodeRef
  @exclusivity(unchecked) private final var body3: NodeRef
  /// How many classes have been seen; five means that the cache has given up.
  @exclusivity(unchecked) private final var seen: UInt8 = 0
  /// The node's place in its selector's list of sends, or -1.
  @exclusivity(unchecked) final var registration = -1

  /// Whether the send runs code that records what it reads.
  final let isTracked: Bool

  init(_ selector: Selector, tracked: Bool, at position: CodePosition) {
    self.selector = selector
    isTracked = tracked
    let none = NodeRef(selector.missingBody)
    unsafe body0 = none
    unsafe body1 = none
    unsafe body2 = none
    unsafe body3 = none
    super.init(at: position)
  }

  deinit {
    if unsafe registration >= 0 { selector.unregister(self) }
  }

  /// Runs the method that the receiver's class has for the selector.
  ///
  /// Receiver and arguments stand in the callee's frame already.
  @inline(__always)
  final func invoke(_ receiver: Value, _ callee: Frame) -> Value {
    invoke(classIndex: receiver.classIndex, callee)
  }

  /// Runs the method that a class has for the selector.
  @inline(__always)
  final func invoke(classIndex index: UInt32, _ callee: Frame) -> Value {
    guard unsafe index == class0 else { return dispatch(index, callee) }
    if state.needsSafepoint, !state.countsSend() {
      return interrupted(body: unsafe body0, callee)
    }
    return unsafe body0.evaluate(callee)
  }

  /// Sends with an argument that is at hand, where a faster way has failed.
  @inline(never)
  final func send(_ receiver: Value, _ argument: Value, _ frame: Frame) -> Value {
    if receiver.isUnwind { return receiver }
    let callee = frame.callee(at: depth)
    callee.site = marker
    callee[0] = receiver
    callee[1] = argument
    return invoke(receiver, callee)
  }

  /// Sends with two arguments that are at hand, where a faster way has failed.
  @inline(never)
  final func send(_ receiver: Value, _ first: Value, _ second: Value, _ frame: Frame) -> Value {
    if receiver.isUnwind { return receiver }
    let callee = frame.callee(at: depth)
    callee.site = marker
    callee[0] = receiver
    callee[1] = first
    callee[2] = second
    return invoke(receiver, callee)
  }

  /// The answer of a method without arguments whose body is a leaf: an instance variable, a constant
  /// or the receiver.
  ///
  /// Such a method needs no frame, and no safepoint as it calls nothing.
  @inline(__always)
  final func leaf(_ receiver: Value) -> Value? {
    let index = receiver.classIndex
    if unsafe index == class0, unsafe body0.isLeaf {
      return unsafe body0.leaf(ofReceiver: receiver)
    }
    if unsafe index == class1, unsafe body1.isLeaf {
      return unsafe body1.leaf(ofReceiver: receiver)
    }
    return nil
  }

  @inline(never)
  private final func dispatch(_ index: UInt32, _ callee: Frame) -> Value {
    let body: NodeRef
    if unsafe index == class1 {
      unsafe body = body1
    } else if unsafe index == class2 {
      unsafe body = body2
    } else if unsafe index == class3 {
      unsafe body = body3
    } else {
      body = lookUp(index)
    }
    if state.needsSafepoint, !state.countsSend() { return interrupted(body: body, callee) }
    return body.evaluate(callee)
  }

  /// Runs a method, or a block, where a safepoint is due or something is counted.
  ///
  /// A safepoint that takes its time counts a step as any other, so that the number of steps does not depend
  /// on what else there was to do.
  @inline(never)
  final func interrupted(body: NodeRef, _ callee: Frame) -> Value {
    if state.countsActivation() { return activate(body, callee) }
    hold(callee)
    let outcome = state.withMachine { $0.safepoint() }
    if outcome.isUnwind { return outcome }
    return state.depthLeft == .max ? body.evaluate(callee) : activate(body, callee)
  }

  @inline(__always)
  private final func activate(_ body: NodeRef, _ callee: Frame) -> Value {
    if let value = state.activate(body, callee) { return value }
    hold(callee)
    return state.withMachine { $0.stackOverflow() }
  }

  /// Tells where code outside the tree may build frames, above the callee's.
  private final func hold(_ callee: Frame) {
    state.top = callee.advanced(by: selector.argumentCount + 1)
    state.base = callee
  }

  /// Finds the body for a class that is not in the cache and enters it.
  @inline(never)
  private final func lookUp(_ index: UInt32) -> NodeRef {
    let body = state.withMachine { machine in
      isTracked
        ? machine.trackedBody(for: selector, classIndex: index)
        : machine.body(for: selector, classIndex: index)
    }
    if unsafe registration < 0 { selector.register(self) }
    switch unsafe seen {
    case 0:
      unsafe class0 = index
      unsafe body0 = body
    case 1:
      unsafe class1 = index
      unsafe body1 = body
    case 2:
      unsafe class2 = index
      unsafe body2 = body
    case 3:
      unsafe class3 = index
      unsafe body3 = body
    default:
      return body
    }
    unsafe seen += 1
    return body
  }

  /// Empties the cache because methods have changed.
  final func flushCache() {
    unsafe class0 = 0
    unsafe class1 = 0
    unsafe class2 = 0
    unsafe class3 = 0
    unsafe seen = 0
  }
}

/// A unary send.
final class UnarySendNode: SendNode {
  let receiver: NodeRef

  init(_ selector: Selector, receiver: NodeRef, tracked: Bool, at position: CodePosition) {
    self.receiver = receiver
    super.init(selector, tracked: tracked, at: position)
  }

  override func evaluate(_ frame: Frame) -> Value { answer(frame) }
  override func test(_ frame: Frame) -> Test { Test(answer(frame)) }
  override func operand(_ frame: Frame) -> FloatOperand { FloatOperand(answer(frame)) }

  @inline(__always)
  private func answer(_ frame: Frame) -> Value {
    let receiver = receiver.evaluate(frame)
    if let value = leaf(receiver) { return value }
    if receiver.isUnwind { return receiver }
    let callee = frame.callee(at: depth)
    callee.site = marker
    callee[0] = receiver
    return invoke(receiver, callee)
  }
}

/// A send with one argument.
final class OneArgumentSendNode: SendNode {
  let receiver: NodeRef
  let argument: NodeRef

  init(
    _ selector: Selector, receiver: NodeRef, argument: NodeRef, tracked: Bool,
    at position: CodePosition
  ) {
    self.receiver = receiver
    self.argument = argument
    super.init(selector, tracked: tracked, at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let receiver = receiver.evaluate(frame)
    if receiver.isUnwind { return receiver }
    let callee = frame.callee(at: depth)
    callee.site = marker
    callee[0] = receiver
    let argument = argument.evaluate(frame)
    if argument.isUnwind { return argument }
    callee[1] = argument
    return invoke(receiver, callee)
  }

  override func test(_ frame: Frame) -> Test { Test(evaluate(frame)) }
  override func operand(_ frame: Frame) -> FloatOperand { FloatOperand(evaluate(frame)) }
}

/// A send with two arguments.
final class TwoArgumentSendNode: SendNode {
  let receiver: NodeRef
  let first: NodeRef
  let second: NodeRef

  init(
    _ selector: Selector, receiver: NodeRef, first: NodeRef, second: NodeRef, tracked: Bool,
    at position: CodePosition
  ) {
    self.receiver = receiver
    self.first = first
    self.second = second
    super.init(selector, tracked: tracked, at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let receiver = receiver.evaluate(frame)
    if receiver.isUnwind { return receiver }
    let callee = frame.callee(at: depth)
    callee.site = marker
    callee[0] = receiver
    let first = first.evaluate(frame)
    if first.isUnwind { return first }
    callee[1] = first
    let second = second.evaluate(frame)
    if second.isUnwind { return second }
    callee[2] = second
    return invoke(receiver, callee)
  }

  override func test(_ frame: Frame) -> Test { Test(evaluate(frame)) }
  override func operand(_ frame: Frame) -> FloatOperand { FloatOperand(evaluate(frame)) }
}

/// A send with any number of arguments.
final class ManyArgumentSendNode: SendNode {
  let receiver: NodeRef
  let arguments: NodeList

  init(
    _ selector: Selector, receiver: NodeRef, arguments: NodeList, tracked: Bool,
    at position: CodePosition
  ) {
    self.receiver = receiver
    self.arguments = arguments
    super.init(selector, tracked: tracked, at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let receiver = receiver.evaluate(frame)
    if receiver.isUnwind { return receiver }
    let callee = frame.callee(at: depth)
    callee.site = marker
    callee[0] = receiver
    for index in 0..<arguments.count {
      let argument = arguments[index].evaluate(frame)
      if argument.isUnwind { return argument }
      callee[index &+ 1] = argument
    }
    return invoke(receiver, callee)
  }
}

/// A unary send to self, in a method.
final class UnarySelfSendNode: SendNode {
  override func evaluate(_ frame: Frame) -> Value {
    let receiver = frame.receiver
    if let value = leaf(receiver) { return value }
    let callee = frame.callee(at: depth)
    callee.site = marker
    callee[0] = receiver
    return invoke(receiver, callee)
  }

  override func test(_ frame: Frame) -> Test { Test(evaluate(frame)) }
  override func operand(_ frame: Frame) -> FloatOperand { FloatOperand(evaluate(frame)) }
}

/// A send to self with one argument, in a method.
final class OneArgumentSelfSendNode: SendNode {
  let argument: NodeRef

  init(_ selector: Selector, argument: NodeRef, tracked: Bool, at position: CodePosition) {
    self.argument = argument
    super.init(selector, tracked: tracked, at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let callee = frame.callee(at: depth)
    callee.site = marker
    let receiver = frame.receiver
    callee[0] = receiver
    let argument = argument.evaluate(frame)
    if argument.isUnwind { return argument }
    callee[1] = argument
    return invoke(receiver, callee)
  }

  override func test(_ frame: Frame) -> Test { Test(evaluate(frame)) }
  override func operand(_ frame: Frame) -> FloatOperand { FloatOperand(evaluate(frame)) }
}

/// A send to super: the method is found where the send is written, not by the receiver's class.
final class SuperSendNode: SendNode {
  let receiver: NodeRef
  let arguments: NodeList
  let superclassIndex: UInt32

  init(
    _ selector: Selector, receiver: NodeRef, arguments: NodeList, superclassIndex: UInt32,
    tracked: Bool, at position: CodePosition
  ) {
    self.receiver = receiver
    self.arguments = arguments
    self.superclassIndex = superclassIndex
    super.init(selector, tracked: tracked, at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let callee = frame.callee(at: depth)
    callee.site = marker
    callee[0] = receiver.evaluate(frame)
    for index in 0..<arguments.count {
      let argument = arguments[index].evaluate(frame)
      if argument.isUnwind { return argument }
      callee[index &+ 1] = argument
    }
    return invoke(classIndex: superclassIndex, callee)
  }
}

extension StateRef {
  /// Evaluates a body where there may be only so many activations, one within the other.
  ///
  /// - Returns: Its value; nil when it would be one too many.
  @inline(__always)
  func activate(_ body: NodeRef, _ callee: Frame) -> Value? {
    guard depthLeft > 0 else { return nil }
    depthLeft &-= 1
    let value = body.evaluate(callee)
    depthLeft &+= 1
    return value
  }
}

// MARK: - Caches

extension Selector {
  /// Enters a send whose cache holds something.
  func register(_ node: SendNode) {
    unsafe node.registration = sends.count
    unsafe sends.append(Unmanaged.passUnretained(node))
  }

  /// Removes a send that goes away.
  ///
  /// - Complexity: O(1).
  func unregister(_ node: SendNode) {
    let index = unsafe node.registration
    guard let last = unsafe sends.popLast() else { return }
    if unsafe index < sends.count {
      unsafe sends[index] = unsafe last
      unsafe send(last).registration = index
    }
    unsafe node.registration = -1
  }

  /// Empties the caches of all sends because some class has a new method for the selector.
  func flushCaches() {
    // swift-format-ignore
    for unsafe node in unsafe sends { unsafe send(node).flushCache() }
  }

  private func send(_ node: Unmanaged<Node>) -> SendNode {
    unsafe node._withUnsafeGuaranteedRef { unsafe unsafeDowncast($0, to: SendNode.self) }
  }
}
