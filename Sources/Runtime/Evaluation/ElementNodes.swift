/// `at:` sent to what is most likely an array; also `a[i]`.
final class AtNode: SendNode {
  let receiver: NodeRef
  let index: NodeRef

  init(
    _ selector: Selector, receiver: NodeRef, index: NodeRef, tracked: Bool,
    at position: CodePosition
  ) {
    self.receiver = receiver
    self.index = index
    super.init(selector, tracked: tracked, at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let receiver = receiver.evaluate(frame)
    if receiver.isUnwind { return receiver }
    let callee = frame.callee(at: depth)
    callee.site = marker
    callee[0] = receiver
    let index = index.evaluate(frame)
    if index.isUnwind { return index }
    if receiver.isObject(ofClass: ClassIndex.array), let element = element(receiver, index) {
      return element
    }
    callee[1] = index
    return invoke(receiver, callee)
  }

  @inline(__always)
  private func element(_ array: Value, _ index: Value) -> Value? {
    let array = ObjectRef(array)
    // As unsigned words, so that one comparison refuses both ends.
    guard index.isSmallInteger else { return nil }
    let offset = index.smallInteger &- 1
    guard UInt(bitPattern: offset) < UInt(bitPattern: array.elementCount) else { return nil }
    return array[element: offset]
  }
}

/// `at:put:` sent to what is most likely an array; also `a[i] := v`.
final class AtPutNode: SendNode {
  let receiver: NodeRef
  let index: NodeRef
  let value: NodeRef

  init(
    _ selector: Selector, receiver: NodeRef, index: NodeRef, value: NodeRef, tracked: Bool,
    at position: CodePosition
  ) {
    self.receiver = receiver
    self.index = index
    self.value = value
    super.init(selector, tracked: tracked, at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let receiver = receiver.evaluate(frame)
    if receiver.isUnwind { return receiver }
    let callee = frame.callee(at: depth)
    callee.site = marker
    callee[0] = receiver
    let index = index.evaluate(frame)
    if index.isUnwind { return index }
    callee[1] = index
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    if receiver.isObject(ofClass: ClassIndex.array), index.isSmallInteger {
      let array = ObjectRef(receiver)
      let offset = index.smallInteger &- 1
      if UInt(bitPattern: offset) < UInt(bitPattern: array.elementCount), array.flags == 0 {
        array.initialize(element: offset, to: value)
        return value
      }
    }
    callee[2] = value
    return invoke(receiver, callee)
  }
}
