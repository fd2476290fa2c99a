/// Evaluates something once and then messages to it, whose receiver finds it in the operand area.
class KeepingNode: Node {
  final let subject: NodeRef
  final let slot: Int
  final let steps: NodeList

  init(subject: NodeRef, slot: Int, steps: NodeList) {
    self.subject = subject
    self.slot = slot
    self.steps = steps
  }
}

/// A cascade: the value is that of the last message.
final class CascadeNode: KeepingNode {
  override func evaluate(_ frame: Frame) -> Value {
    var value = subject.evaluate(frame)
    if value.isUnwind { return value }
    frame[slot] = value
    for index in 0..<steps.count {
      value = steps[index].evaluate(frame)
      if value.isUnwind { return value }
    }
    return value
  }
}

/// A dictionary or object literal: the value is what was built.
final class BuildNode: KeepingNode {
  override func evaluate(_ frame: Frame) -> Value {
    let value = subject.evaluate(frame)
    if value.isUnwind { return value }
    frame[slot] = value
    for index in 0..<steps.count where steps[index].evaluate(frame).isUnwind { return .unwind }
    return frame[slot]
  }
}

/// An assignment to a part of something: that, the index if there is one, and the value are evaluated in
/// their order, then the message stores the value, which is the result.
final class PartStoreNode: Node {
  let parts: NodeList
  let slot: Int
  let store: NodeRef

  init(parts: NodeList, slot: Int, store: NodeRef) {
    self.parts = parts
    self.slot = slot
    self.store = store
  }

  override func evaluate(_ frame: Frame) -> Value {
    for index in 0..<parts.count {
      let value = parts[index].evaluate(frame)
      if value.isUnwind { return value }
      frame[slot + index] = value
    }
    if store.evaluate(frame).isUnwind { return .unwind }
    return frame[slot + parts.count - 1]
  }
}

/// An array literal.
final class ArrayNode: Node {
  let elements: NodeList
  let slot: Int
  let state: StateRef

  init(elements: NodeList, slot: Int, state: StateRef) {
    self.elements = elements
    self.slot = slot
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    let array = state.withMachine { $0.makeArray(count: elements.count) }
    frame[slot] = Value(array)
    for index in 0..<elements.count {
      let value = elements[index].evaluate(frame)
      if value.isUnwind { return value }
      array[element: index] = value
    }
    return Value(array)
  }
}

/// A byte array literal: new bytes each time, as the program may change them.
final class ByteArrayNode: Node {
  let bytes: [UInt8]
  let state: StateRef

  init(bytes: [UInt8], state: StateRef) {
    self.bytes = bytes
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    state.withMachine { $0.makeByteArray(bytes) }
  }
}

/// A string in double quotes with expressions in it.
final class InterpolationNode: SiteNode {
  let parts: NodeList

  init(parts: NodeList, at position: CodePosition) {
    self.parts = parts
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    // The texts wait below the marker, in the slots the builder left free.
    let first = depth - parts.count
    // A collection sees all of them.
    for index in 0..<parts.count { frame[first + index] = .nil }
    for index in 0..<parts.count {
      var text = parts[index].evaluate(frame)
      if text.isUnwind { return text }
      if !text.isObject(ofClass: ClassIndex.string) {
        let subject = text
        text = withMachine(in: frame) { $0.displayString(of: subject) }
        if text.isUnwind { return text }
      }
      frame[first + index] = text
    }
    return withMachine(in: frame) { machine in
      machine.concatenate(count: parts.count) { frame[first + $0] }
    }
  }
}
