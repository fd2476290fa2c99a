internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonStoreKit

// MARK: - Assignments

extension Builder {
  mutating func buildAssignment(_ assignment: AssignmentExpression, _ depth: Int) -> Built {
    if let fused = buildFused(assignment, depth) { return fused }
    if let deletion = buildDeletion(assignment, depth) { return deletion }
    if let filling = buildFilling(assignment, depth) { return filling }
    return assign(assignment.target, range: assignment.range, depth) { builder, depth in
      builder.build(assignment.value, depth)
    }
  }

  /// Builds `store:entry := nil`: with `nil` written out it removes the entry.
  private mutating func buildDeletion(
    _ assignment: AssignmentExpression, _ depth: Int
  ) -> Built? {
    guard case .identifier(let identifier) = assignment.target,
      VariablePlace(identifier) == nil, identifier.scheme.text != "self",
      case .name(let name) = assignment.value,
      name.name.text == ReservedName.nil.rawValue
    else { return nil }
    let store = schemeNode(identifier.scheme, depth)
    let reference = referenceNode(
      identifier.scheme.text, identifier.path, depth + 1, for: .delete)
    return add(
      StoreNode(
        .delete, store: store.node, reference: reference.node, valueSlot: 0,
        at: position(assignment.range, depth + 1)))
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
    if case .identifier(let identifier) = append.target,
      VariablePlace(identifier).map({ !$0.properties.isEmpty }) ?? true
    {
      return assign(identifier, verb: .post, range: append.range, depth) { builder, depth in
        builder.build(append.value, depth)
      }
    }
    return assign(append.target, range: append.range, depth) { builder, depth in
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
      if receiver.node.isLeaf, index.node.isLeaf, !isTracked {
        return add(
          StoreElementNode(
            machine.selector("at:put:"), receiver: receiver.node, index: index.node,
            value: built.node, at: position(range, depth + 1)))
      }
      let kept = leaf(NodeRef(local: depth), .local(depth))
      let step = send("at:put:", to: receiver, [index, kept], range, depth + 1)
      return add(BuildNode(subject: built.node, slot: depth, steps: list([step.node])))
    case .unaryMessage(let message):
      let built = value(&self, depth)
      let receiver = build(message.receiver, depth + 1)
      let kept = leaf(NodeRef(local: depth), .local(depth))
      let step = send(
        message.selector.text + ":", to: receiver, [kept], message.selector.range, depth + 1)
      return add(BuildNode(subject: built.node, slot: depth, steps: list([step.node])))
    case .identifier(let identifier):
      return assign(identifier, verb: .put, range: range, depth, value: value)
    default:
      return add(FailureNode(.notAvailable("this assignment"), at: position(range, depth)))
    }
  }

  mutating func buildQuery(_ query: QueryExpression, _ depth: Int) -> Built {
    let receiver = build(query.receiver, depth)
    let block = buildClosure(query.block, depth + 2)
    return send("select:", to: receiver, [block], query.range, depth)
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
