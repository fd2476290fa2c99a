/// A captured variable in the context that stands in a frame slot.
final class ContextVariableNode: Node {
  let contextSlot: Int
  let slot: Int

  init(contextSlot: Int, slot: Int) {
    self.contextSlot = contextSlot
    self.slot = slot
  }

  override func evaluate(_ frame: Frame) -> Value { ObjectRef(frame[contextSlot])[slot: slot] }

  override func operand(_ frame: Frame) -> FloatOperand { FloatOperand(evaluate(frame)) }
}

/// A captured variable in the block's own context.
final class BlockContextVariableNode: Node {
  let slot: Int

  init(slot: Int) { self.slot = slot }

  override func evaluate(_ frame: Frame) -> Value {
    ObjectRef(Closure(frame.receiver).context)[slot: slot]
  }

  override func operand(_ frame: Frame) -> FloatOperand { FloatOperand(evaluate(frame)) }
}

/// A captured variable some contexts further out.
final class OuterVariableNode: Node {
  let contextSlot: Int
  let hops: Int
  let slot: Int

  init(contextSlot: Int, hops: Int, slot: Int) {
    self.contextSlot = contextSlot
    self.hops = hops
    self.slot = slot
  }

  override func evaluate(_ frame: Frame) -> Value {
    frame.context(in: contextSlot, hops: hops)[slot: slot]
  }

  override func operand(_ frame: Frame) -> FloatOperand { FloatOperand(evaluate(frame)) }
}

/// An assignment to a slot of an object: an instance variable, a captured variable, a variable of
/// a script.
///
/// One flag test decides whether anybody watches, the collector included.
class StoreSlotNode: SiteNode {
  final let slot: Int
  final let value: NodeRef

  init(slot: Int, value: NodeRef, at position: CodePosition) {
    self.slot = slot
    self.value = value
    super.init(at: position)
  }

  @inline(__always)
  final func store(_ value: Value, into object: ObjectRef, _ frame: Frame) -> Value {
    if object.flags & ObjectFlag.guards == 0 {
      object.initialize(slot: slot, to: value)
      return value
    }
    return storeGuarded(value, into: object, frame)
  }

  @inline(never)
  private final func storeGuarded(_ value: Value, into object: ObjectRef, _ frame: Frame) -> Value {
    if object.flags & (ObjectFlag.watched | ObjectFlag.immutable) == 0 {
      object[slot: slot] = value
      return value
    }
    return withMachine(in: frame) { $0.store(value, into: object, slot: slot) }
  }
}

/// An assignment to an instance variable, in a method.
final class StoreInstanceVariableNode: StoreSlotNode {
  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    return store(value, into: ObjectRef(frame.receiver), frame)
  }
}

/// An assignment to an instance variable, in a block.
final class StoreBlockInstanceVariableNode: StoreSlotNode {
  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    return store(value, into: ObjectRef(Closure(frame.receiver).receiver), frame)
  }
}

/// An assignment to a captured variable in the context that stands in a frame slot.
final class StoreContextVariableNode: StoreSlotNode {
  let contextSlot: Int

  init(contextSlot: Int, slot: Int, value: NodeRef, at position: CodePosition) {
    self.contextSlot = contextSlot
    super.init(slot: slot, value: value, at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    return store(value, into: ObjectRef(frame[contextSlot]), frame)
  }
}

/// An assignment to a captured variable further out.
final class StoreOuterVariableNode: StoreSlotNode {
  let contextSlot: Int
  let hops: Int

  init(contextSlot: Int, hops: Int, slot: Int, value: NodeRef, at position: CodePosition) {
    self.contextSlot = contextSlot
    self.hops = hops
    super.init(slot: slot, value: value, at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    return store(value, into: frame.context(in: contextSlot, hops: hops), frame)
  }
}

/// An assignment to a variable of a script or class.
final class StoreCellNode: StoreSlotNode {
  let cell: ObjectRef

  init(cell: ObjectRef, value: NodeRef, at position: CodePosition) {
    self.cell = cell
    super.init(slot: 0, value: value, at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    return store(value, into: cell, frame)
  }
}
