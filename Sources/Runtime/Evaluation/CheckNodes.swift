internal import TenonLexer
internal import TenonParser

// What declarations ask of values.

/// Refuses a value of the wrong class for a variable with a type.
final class TypeCheckNode: SiteNode {
  let value: NodeRef
  let type: String
  let name: String

  init(value: NodeRef, type: String, name: String, at position: CodePosition) {
    self.value = value
    self.type = type
    self.name = name
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    return withMachine(in: frame) { $0.checkType(of: value, type, variable: name) }
  }
}

/// Refuses arguments of the wrong classes, then evaluates the method.
final class ParameterChecksNode: Node {
  let checks: NodeList
  let body: NodeRef

  init(checks: NodeList, body: NodeRef) {
    self.checks = checks
    self.body = body
  }

  override func evaluate(_ frame: Frame) -> Value {
    for index in 0..<checks.count {
      let value = checks[index].evaluate(frame)
      if value.isUnwind { return value }
    }
    return body.evaluate(frame)
  }
}

/// Refuses a result of the wrong class.
final class ResultCheckNode: SiteNode {
  let value: NodeRef
  let type: String
  let method: String

  init(value: NodeRef, type: String, method: String, at position: CodePosition) {
    self.value = value
    self.type = type
    self.method = method
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    return withMachine(in: frame) { $0.checkResult(value, type, method: method) }
  }
}

/// Refuses to assign a `val` of an instance that has a value.
final class FirstAssignmentNode: SiteNode {
  let value: NodeRef
  let receiver: NodeRef
  let slot: Int
  let name: String

  init(value: NodeRef, receiver: NodeRef, slot: Int, name: String, at position: CodePosition) {
    self.value = value
    self.receiver = receiver
    self.slot = slot
    self.name = name
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    guard ObjectRef(receiver.evaluate(frame))[slot: slot].isNil else {
      return signal(.constantAssigned(name), in: frame)
    }
    return value
  }
}

extension MethodHeader {
  /// Whether anything has to be checked when the method is called.
  var hasTypes: Bool {
    (resultType.map { $0.text != "void" } ?? false) || parameters.contains { $0.type != nil }
  }
}
