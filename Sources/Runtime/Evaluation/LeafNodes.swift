/// A literal, or any value settled before running.
final class ConstantNode: Node {
  let value: Value

  init(_ value: Value) { self.value = value }

  override func evaluate(_ frame: Frame) -> Value { value }
}

/// `self` in a method.
final class SelfNode: Node {
  override func evaluate(_ frame: Frame) -> Value { frame.receiver }
}

/// `self` in a block.
final class BlockSelfNode: Node {
  override func evaluate(_ frame: Frame) -> Value { Closure(frame.receiver).receiver }
}

/// An argument or temporary that lives on the stack.
final class LocalNode: Node {
  let slot: Int

  init(slot: Int) { self.slot = slot }

  override func evaluate(_ frame: Frame) -> Value { frame[slot] }
  override func operand(_ frame: Frame) -> FloatOperand { FloatOperand(frame[slot]) }
}

/// An assignment to a temporary on the stack.
final class StoreLocalNode: Node {
  let slot: Int
  let value: NodeRef

  init(slot: Int, value: NodeRef) {
    self.slot = slot
    self.value = value
  }

  override func evaluate(_ frame: Frame) -> Value {
    // While the stack unwinds the variable is dead: storing that word does no harm.
    let result = value.evaluate(frame)
    frame[slot] = result
    return result
  }
}

/// An instance variable of the receiver, in a method.
final class InstanceVariableNode: Node {
  let slot: Int

  init(slot: Int) { self.slot = slot }

  override func evaluate(_ frame: Frame) -> Value { ObjectRef(frame.receiver)[slot: slot] }
  override func operand(_ frame: Frame) -> FloatOperand {
    FloatOperand(ObjectRef(frame.receiver)[slot: slot])
  }
}

/// An instance variable of the receiver, in a block.
final class BlockInstanceVariableNode: Node {
  let slot: Int

  init(slot: Int) { self.slot = slot }

  override func evaluate(_ frame: Frame) -> Value {
    ObjectRef(Closure(frame.receiver).receiver)[slot: slot]
  }
}

/// A variable of a script or class, or a class: what a cell known before running holds.
final class CellVariableNode: Node {
  let cell: ObjectRef

  init(cell: ObjectRef) { self.cell = cell }

  override func evaluate(_ frame: Frame) -> Value { cell[slot: 0] }
}

/// A cell that may not have been given a value yet when it is read.
final class UncertainCellNode: SiteNode {
  let cell: ObjectRef
  let name: String

  init(cell: ObjectRef, name: String, at position: CodePosition) {
    self.cell = cell
    self.name = name
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = cell[slot: 0]
    if !value.isUndefined { return value }
    return signal(.unassignedVariable(name), in: frame)
  }
}
