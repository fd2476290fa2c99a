/// A value settled before running, where a node is wanted; in trees a `NodeRef` says the same.
final class ConstantNode: Node {
  let value: Value

  init(_ value: Value) { self.value = value }

  override func evaluate(_ frame: Frame) -> Value { value }
}

/// `self` in a block.
final class BlockSelfNode: Node {
  override func evaluate(_ frame: Frame) -> Value { Closure(frame.receiver).receiver }
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

/// An instance variable of the receiver, in a block.
final class BlockInstanceVariableNode: Node {
  let slot: Int

  init(slot: Int) { self.slot = slot }

  override func evaluate(_ frame: Frame) -> Value {
    ObjectRef(Closure(frame.receiver).receiver)[slot: slot]
  }

  override func operand(_ frame: Frame) -> FloatOperand { FloatOperand(evaluate(frame)) }
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
    if !value.isUndefined { return cell.flags & ObjectFlag.watched == 0 ? value : refreshed(frame) }
    return signal(.unassignedVariable(name), in: frame)
  }

  /// Its value, computed before if the variable is lazy: when this was compiled nobody had declared
  /// it.
  @inline(never)
  private func refreshed(_ frame: Frame) -> Value {
    let outcome = withMachine(in: frame) { $0.refresh(cell, slot: 0) }
    return outcome.isUnwind ? outcome : cell[slot: 0]
  }
}
