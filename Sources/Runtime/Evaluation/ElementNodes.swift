/// A send that most likely reads an element of an array.
class ElementNode: SendNode {
  final let receiver: NodeRef
  final let index: NodeRef

  init(_ selector: Selector, receiver: NodeRef, index: NodeRef, at position: CodePosition) {
    self.receiver = receiver
    self.index = index
    super.init(selector, tracked: false, at: position)
  }
}

/// A send that most likely replaces an element of an array.
class ElementChangeNode: SendNode {
  final let receiver: NodeRef
  final let index: NodeRef
  final let value: NodeRef

  init(
    _ selector: Selector, receiver: NodeRef, index: NodeRef, value: NodeRef,
    at position: CodePosition
  ) {
    self.receiver = receiver
    self.index = index
    self.value = value
    super.init(selector, tracked: false, at: position)
  }
}

/// `at:` sent to what is most likely an array; also `a[i]`.
final class AtNode: ElementNode {
  override func evaluate(_ frame: Frame) -> Value { answer(frame) }
  override func test(_ frame: Frame) -> Test { Test(answer(frame)) }
  override func operand(_ frame: Frame) -> FloatOperand { FloatOperand(answer(frame)) }

  @inline(__always)
  private func answer(_ frame: Frame) -> Value {
    let receiver = receiver.evaluate(frame)
    if receiver.isUnwind { return receiver }
    let callee = frame.callee(at: depth)
    callee.site = marker
    callee[0] = receiver
    let index = index.evaluate(frame)
    if index.isUnwind { return index }
    if let element = receiver.element(at: index) { return element }
    callee[1] = index
    return invoke(receiver, callee)
  }
}

/// `at:` whose index is a variable or a constant: nothing has to wait in the frame.
final class LeafAtNode: ElementNode {
  override func evaluate(_ frame: Frame) -> Value { answer(frame) }
  override func test(_ frame: Frame) -> Test { Test(answer(frame)) }
  override func operand(_ frame: Frame) -> FloatOperand { FloatOperand(answer(frame)) }

  @inline(__always)
  private func answer(_ frame: Frame) -> Value {
    let receiver = receiver.evaluate(frame)
    let index = index.evaluate(frame)
    if let element = receiver.element(at: index) { return element }
    return send(receiver, index, frame)
  }
}

/// `at:put:` sent to what is most likely an array; also `a[i] := v`.
final class AtPutNode: ElementChangeNode {
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
    if receiver.setElement(at: index, to: value) { return value }
    callee[2] = value
    return invoke(receiver, callee)
  }
}

/// `at:put:` whose index and value are variables or constants.
final class LeafAtPutNode: ElementChangeNode {
  override func evaluate(_ frame: Frame) -> Value {
    let receiver = receiver.evaluate(frame)
    let index = index.evaluate(frame)
    let value = value.evaluate(frame)
    if receiver.setElement(at: index, to: value) { return value }
    return send(receiver, index, value, frame)
  }
}

/// `a[i] := v`, whose value is `v` whatever `at:put:` answers; receiver and index are variables or
/// constants.
final class StoreElementNode: ElementChangeNode {
  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    let receiver = receiver.evaluate(frame)
    let index = index.evaluate(frame)
    if receiver.setElement(at: index, to: value) { return value }
    // The value waits below the callee's frame.
    frame[depth - 1] = value
    return send(receiver, index, value, frame).isUnwind ? .unwind : frame[depth - 1]
  }
}

extension Value {
  /// The element of an array at an index; nil when this is no array or has no such element.
  @inline(__always)
  fileprivate func element(at index: Value) -> Value? {
    guard isObject(ofClass: ClassIndex.array), index.isSmallInteger else { return nil }
    let array = ObjectRef(self)
    let offset = index.smallInteger &- 1
    // As unsigned words, so that one comparison refuses both ends.
    guard UInt(bitPattern: offset) < UInt(bitPattern: array.elementCount) else { return nil }
    return array[element: offset]
  }

  /// Replaces an element.
  ///
  /// - Returns: whether this is an array that may change and is watched by nobody, and has the
  ///   element.
  @inline(__always)
  fileprivate func setElement(at index: Value, to value: Value) -> Bool {
    guard isObject(ofClass: ClassIndex.array), index.isSmallInteger else { return false }
    let array = ObjectRef(self)
    let offset = index.smallInteger &- 1
    guard UInt(bitPattern: offset) < UInt(bitPattern: array.elementCount), array.flags == 0 else {
      return false
    }
    array.initialize(element: offset, to: value)
    return true
  }
}
