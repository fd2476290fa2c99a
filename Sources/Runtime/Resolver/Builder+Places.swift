internal import TenonLexer
internal import TenonParser

// MARK: - Assignments

extension Builder {
  mutating func buildAssignment(_ assignment: AssignmentExpression, _ depth: Int) -> Built {
    if let fused = buildFused(assignment, depth) { return fused }
    return assign(assignment.target, range: assignment.range, depth) { builder, depth in
      builder.build(assignment.value, depth)
    }
  }

  /// Builds `x := a + b` as one node when x and a are on the stack and b is too, or a constant.
  private mutating func buildFused(
    _ assignment: AssignmentExpression, _ depth: Int
  ) -> Built? {
    guard case .name(let name) = assignment.target,
      let target = scope.lookUp(name.name.text), !target.isCaptured, target.type == nil,
      case .binaryMessage(let message) = assignment.value, !message.receiver.isSuper,
      let family = StoreNodeFamily.named(message.selector.text),
      message.receiver.isSimple, message.argument.isSimple
    else { return nil }
    let left = build(message.receiver, depth)
    let right = build(message.argument, depth + 1)
    let selector = machine.selector(message.selector.text)
    let position = position(message.selector.range, depth)
    switch (left.shape, right.shape) {
    case (.local(let local), .constant(let constant)):
      return add(
        family.localConstant.init(
          selector, target: target.slot, local: local, constant: constant, leaf: left.node,
          tracked: isTracked, at: position))
    case (.local(let first), .local(let second)):
      return add(
        family.localLocal.init(
          selector, target: target.slot, first: first, second: second, leaf: left.node,
          tracked: isTracked, at: position))
    default:
      return nil
    }
  }

  /// `place += e`: numbers add, strings concatenate, collections take an element.
  mutating func buildAppend(_ append: AppendExpression, _ depth: Int) -> Built {
    assign(append.target, range: append.range, depth) { builder, depth in
      let old = builder.build(append.target, depth)
      let value = builder.build(append.value, depth + 2)
      return builder.send("appending:", to: old, [value], append.range, depth)
    }
  }

  /// Builds an assignment of what a function builds to a place.
  private mutating func assign(
    _ target: Expression, range: SourceRange, _ depth: Int,
    value: (inout Builder, Int) -> Built
  ) -> Built {
    switch target {
    case .name(let name):
      return assign(name.name, value(&self, depth), depth)
    case .subscript(let subscription):
      let built = value(&self, depth)
      let receiver = build(subscription.receiver, depth + 1)
      let index = build(subscription.index, depth + 3)
      let kept = add(LocalNode(slot: depth), .local(depth))
      let step = send("at:put:", to: receiver, [index, kept], range, depth + 1)
      return add(BuildNode(subject: built.node, slot: depth, steps: list([step.node])))
    case .unaryMessage(let message):
      let built = value(&self, depth)
      let receiver = build(message.receiver, depth + 1)
      let kept = add(LocalNode(slot: depth), .local(depth))
      let step = send(
        message.selector.text + ":", to: receiver, [kept], message.selector.range, depth + 1)
      return add(BuildNode(subject: built.node, slot: depth, steps: list([step.node])))
    case .identifier(let identifier):
      return assign(identifier, range: range, depth, value: value)
    default:
      return add(FailureNode(.notAvailable("this assignment"), at: position(range, depth)))
    }
  }

  private mutating func assign(
    _ identifier: IdentifierExpression, range: SourceRange, _ depth: Int,
    value: (inout Builder, Int) -> Built
  ) -> Built {
    if let place = VariablePlace(identifier), place.properties.isEmpty {
      return assign(place.name, value(&self, depth), depth)
    }
    return add(FailureNode(.notAvailable("this place"), at: position(range, depth)))
  }
}

// MARK: - Identifiers

extension Builder {
  mutating func buildIdentifier(_ identifier: IdentifierExpression, _ depth: Int) -> Built {
    if let place = VariablePlace(identifier), place.properties.isEmpty {
      return read(place.name, depth)
    }
    return add(
      FailureNode(.notAvailable("this identifier"), at: position(identifier.range, depth)))
  }

  mutating func buildReference(_ reference: ReferenceExpression, _ depth: Int) -> Built {
    add(FailureNode(.notAvailable("references"), at: position(reference.range, depth)))
  }

  mutating func buildConnect(_ connect: ConnectExpression, _ depth: Int) -> Built {
    add(FailureNode(.notAvailable("connections"), at: position(connect.range, depth)))
  }

  mutating func buildQuery(_ query: QueryExpression, _ depth: Int) -> Built {
    add(FailureNode(.notAvailable("queries"), at: position(query.range, depth)))
  }
}

extension Expression {
  /// Whether it is a name or a number: what can be built twice without harm.
  fileprivate var isSimple: Bool {
    switch self {
    case .name, .integer, .float: true
    default: false
    }
  }
}
