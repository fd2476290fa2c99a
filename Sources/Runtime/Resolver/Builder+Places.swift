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
    return assign(
      assignment.target, range: assignment.range, mayAssign: assignment.value.mayAssign, depth
    ) { builder, depth in
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
    switch append.target {
    case .subscript, .unaryMessage:
      return assign(
        toPartNamedBy: append.target, range: append.range, depth,
        mayAssign: append.value.mayAssign
      ) { builder, read, depth in
        let value = builder.build(append.value, depth + 2)
        return builder.send("appending:", to: read(&builder, depth), [value], append.range, depth)
      }
    default:
      return assign(append.target, range: append.range, depth) { builder, depth in
        let old = builder.build(append.target, depth)
        let value = builder.build(append.value, depth + 2)
        return builder.send("appending:", to: old, [value], append.range, depth)
      }
    }
  }

  /// Builds an assignment of what a function builds to a place.
  private mutating func assign(
    _ target: Expression, range: SourceRange, mayAssign: Bool = true, _ depth: Int,
    value: (inout Builder, Int) -> Built
  ) -> Built {
    switch target {
    case .name(let name):
      return assign(name.name, value(&self, depth), depth)
    case .subscript, .unaryMessage:
      return assign(toPartNamedBy: target, range: range, depth, mayAssign: mayAssign) {
        builder, _, depth in value(&builder, depth)
      }
    case .identifier(let identifier):
      return assign(identifier, verb: .put, range: range, depth, value: value)
    default:
      return add(FailureNode(.notAvailable("this assignment"), at: position(range, depth)))
    }
  }

  /// Builds an assignment to an element or to what a message names: the receiver and the index are
  /// evaluated once, and before the value.
  ///
  /// Where the value may assign a variable, what is in one is kept as well. The function that builds the
  /// value gets another one, which builds what reads the place.
  private mutating func assign(
    toPartNamedBy target: Expression, range: SourceRange, _ depth: Int, mayAssign: Bool,
    value: (inout Builder, (inout Builder, Int) -> Built, Int) -> Built
  ) -> Built {
    let parts: [Expression]
    let (getter, setter, place): (String, String, SourceRange)
    switch target {
    case .subscript(let subscription):
      parts = [subscription.receiver, subscription.index]
      (getter, setter, place) = ("at:", "at:put:", range)
    case .unaryMessage(let message):
      parts = [message.receiver]
      getter = message.selector.text
      (setter, place) = (getter + ":", message.selector.range)
    default:
      return add(FailureNode(.notAvailable("this assignment"), at: position(range, depth)))
    }
    var built = parts.enumerated().map { index, part in build(part, depth + index) }
    let isFixed = !mayAssign && built.allSatisfy { $0.node.isLeaf }
    let valueSlot = isFixed ? depth : depth + parts.count
    let kept = built
    if !isFixed {
      built = parts.indices.map { leaf(NodeRef(local: depth + $0), .local(depth + $0)) }
    }
    func read(_ builder: inout Builder, _ depth: Int) -> Built {
      builder.send(getter, to: built[0], Array(built.dropFirst()), place, depth)
    }
    let new = value(&self, read, valueSlot)
    if isFixed, setter == "at:put:", !isTracked {
      return add(
        StoreElementNode(
          machine.selector(setter), receiver: built[0].node, index: built[1].node,
          value: new.node, at: position(range, depth + 1)))
    }
    let keptValue = leaf(NodeRef(local: valueSlot), .local(valueSlot))
    let step = send(
      setter, to: built[0], built.dropFirst() + [keptValue], place, valueSlot + 1)
    let store = add(BuildNode(subject: new.node, slot: valueSlot, steps: list([step.node])))
    if isFixed { return store }
    return zip(kept, parts.indices).reversed().reduce(store) { inner, part in
      add(CascadeNode(subject: part.0.node, slot: depth + part.1, steps: list([inner.node])))
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

  /// Whether evaluating it may assign a variable of the activation: something in it does, or a block that
  /// may run meanwhile.
  fileprivate var mayAssign: Bool {
    var open = [self]
    while let expression = open.popLast() {
      switch expression {
      case .assignment, .append, .block: return true
      default: expression.forEachChild { open.append($0) }
      }
    }
    return false
  }
}
