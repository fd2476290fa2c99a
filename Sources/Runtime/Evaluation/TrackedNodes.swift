// The nodes of code that records what it reads: the second form of a method, compiled when a
// formula first reaches it. Code that no formula reaches pays nothing.

extension SiteNode {
  /// Notes a read, and reads.
  @inline(never)
  final func trackedRead(_ object: ObjectRef, slot: Int, _ frame: Frame) -> Value {
    let noted = withMachine(in: frame) { $0.recordRead(object, slot: slot) }
    return noted.isUnwind ? noted : object[slot: slot]
  }
}

/// An instance variable of the receiver.
final class TrackedInstanceVariableNode: SiteNode {
  let slot: Int
  let isInBlock: Bool

  init(slot: Int, isInBlock: Bool, at position: CodePosition) {
    self.slot = slot
    self.isInBlock = isInBlock
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let receiver = isInBlock ? Closure(frame.receiver).receiver : frame.receiver
    return trackedRead(ObjectRef(receiver), slot: slot, frame)
  }
}

/// A captured variable.
final class TrackedContextVariableNode: SiteNode {
  let contextSlot: Int
  let hops: Int
  let slot: Int

  init(contextSlot: Int, hops: Int, slot: Int, at position: CodePosition) {
    self.contextSlot = contextSlot
    self.hops = hops
    self.slot = slot
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    trackedRead(frame.context(in: contextSlot, hops: hops), slot: slot, frame)
  }
}

/// A variable of a script or class.
final class TrackedCellNode: SiteNode {
  let cell: ObjectRef
  let name: String

  init(cell: ObjectRef, name: String, at position: CodePosition) {
    self.cell = cell
    self.name = name
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = trackedRead(cell, slot: 0, frame)
    return value.isUndefined ? signal(.unassignedVariable(name), in: frame) : value
  }
}

/// Answers an instance variable.
final class TrackedGetterNode: Node {
  let slot: Int
  let state: StateRef

  init(slot: Int, state: StateRef) {
    self.slot = slot
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    let object = ObjectRef(frame.receiver)
    state.top = frame.advanced(by: 1)
    state.base = frame
    let noted = state.withMachine { $0.recordRead(object, slot: slot) }
    return noted.isUnwind ? noted : object[slot: slot]
  }
}

/// The body of a method of the kernel, or a primitive, that may use a collection.
final class TrackedEntryNode: Node {
  /// What a method uses of a collection.
  enum Use {
    case all
    /// The element that the first argument says.
    case element
    /// Nothing that it holds: something is put there.
    case nothing

    init(of selector: Selector) {
      switch selector.name {
      case "at:", "at:ifAbsent:": self = .element
      case "at:put:", "add:", "addFirst:", "addLast:", "addAll:": self = .nothing
      default: self = .all
      }
    }
  }

  let body: NodeRef
  let state: StateRef
  let use: Use
  /// The receiver and the arguments.
  let width: Int

  init(body: NodeRef, of selector: Selector, state: StateRef) {
    self.body = body
    self.state = state
    use = Use(of: selector)
    width = 1 + selector.argumentCount
  }

  override func evaluate(_ frame: Frame) -> Value {
    let settled = state.withMachine { machine -> Value in
      var settled = Value.nil
      if machine.graph.atomicDepth > 0, use != .nothing {
        state.top = frame.advanced(by: width)
        state.base = frame
        settled = machine.settle(before: frame.receiver, at: use == .element ? frame[1] : nil)
      }
      if use == .element {
        machine.recordUse(of: frame.receiver, at: frame[1])
      } else {
        machine.recordUse(of: frame.receiver)
      }
      return settled
    }
    return settled.isUnwind ? settled : body.evaluate(frame)
  }
}
