/// What an inverse has computed for a place, refused where the formula could not give back what it came
/// from: where floats do not reach as far, or a calculation with the infinite has no answer.
final class AttainableNode: SiteNode {
  let value: NodeRef
  /// What the formula is to give.
  let given: NodeRef

  init(value: NodeRef, given: NodeRef, at position: CodePosition) {
    self.value = value
    self.given = given
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    guard let result = value.asDouble, !result.isFinite else { return value }
    let given = given.evaluate(frame)
    if given.isUnwind { return given }
    return withMachine(in: frame) { machine in
      guard machine.isNumber(given) || machine.isString(given) else { return value }
      let wanted = given.asDouble ?? 0
      guard result.isNaN ? !wanted.isNaN : wanted.isFinite else { return value }
      return machine.signal(.beyondFloats(machine.describe(given)))
    }
  }
}

extension Value {
  fileprivate var asDouble: Double? {
    if isImmediateFloat { return immediateFloat }
    return isObject(ofClass: ClassIndex.float) ? ObjectRef(self).double : nil
  }
}

/// What a product or a quotient is undone for, which is no text: to those `*` and `/` mean something
/// else, and do not undo each other.
final class FactorNode: SiteNode {
  let value: NodeRef

  init(value: NodeRef, at position: CodePosition) {
    self.value = value
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    return value.isObject || value.isCharacter ? checked(value, in: frame) : value
  }

  override func operand(_ frame: Frame) -> FloatOperand {
    let operand = value.operand(frame)
    guard !operand.isFloat, operand.value.isObject || operand.value.isCharacter else {
      return operand
    }
    return FloatOperand(checked(operand.value, in: frame))
  }

  private func checked(_ value: Value, in frame: Frame) -> Value {
    withMachine(in: frame) { machine in
      guard value.isCharacter || machine.isString(value) else { return value }
      return machine.signal(
        Failure(.invalidArgument, "\(machine.describe(value)) is no number"))
    }
  }
}

/// What a quotient is undone with, which is not 0: what is divided by that is no number.
final class DivisorNode: SiteNode {
  let value: NodeRef

  init(value: NodeRef, at position: CodePosition) {
    self.value = value
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value { checked(value.evaluate(frame), in: frame) }

  private func checked(_ value: Value, in frame: Frame) -> Value {
    guard value == Value(small: 0) || value.asDouble == 0 else { return value }
    return withMachine(in: frame) { machine in
      machine.signal(Failure(.zeroDivide, "division by zero"))
    }
  }
}
