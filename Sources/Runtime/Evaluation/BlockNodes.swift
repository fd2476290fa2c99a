internal import TenonLexer

/// A block that makes a closure each time it is evaluated.
final class BlockNode: Node {
  let code: BlockCode
  let state: StateRef
  /// The frame slot of the innermost context, or -1.
  let contextSlot: Int

  init(code: BlockCode, contextSlot: Int, state: StateRef) {
    self.code = code
    self.contextSlot = contextSlot
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    let closure = state.allocateSlots(
      classIndex: ClassIndex.blockClosure, slotCount: Closure.slotCount)
    closure.initialize(slot: 0, to: code.marker)
    closure.initialize(slot: 1, to: frame.receiver)
    closure.initialize(slot: 2, to: contextSlot < 0 ? .nil : frame[contextSlot])
    return Value(closure)
  }
}

/// A block inside a block.
final class NestedBlockNode: Node {
  let code: BlockCode
  let state: StateRef
  /// The frame slot of the innermost context, or -1 when it is the enclosing block's.
  let contextSlot: Int

  init(code: BlockCode, contextSlot: Int, state: StateRef) {
    self.code = code
    self.contextSlot = contextSlot
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    let outer = Closure(frame.receiver)
    let closure = state.allocateSlots(
      classIndex: ClassIndex.blockClosure, slotCount: Closure.slotCount)
    closure.initialize(slot: 0, to: code.marker)
    closure.initialize(slot: 1, to: outer.receiver)
    closure.initialize(slot: 2, to: contextSlot < 0 ? outer.context : frame[contextSlot])
    return Value(closure)
  }
}

extension BlockCode {
  /// The word by which a closure refers to its code.
  @inline(__always) var marker: Value {
    unsafe Value(markerFor: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
  }
}

/// `value`, `value:` and their like, sent to what is most likely a block.
final class BlockValueNode: SendNode {
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
    guard receiver.isObject(ofClass: ClassIndex.blockClosure) else {
      return invoke(receiver, callee)
    }
    let code = Closure(receiver).code
    guard code.argumentCount == arguments.count, !isTracked else {
      return invoke(receiver, callee)
    }
    return !state.needsSafepoint || state.countsSend()
      ? code.body.evaluate(callee) : interrupted(body: code.body, callee)
  }
}
