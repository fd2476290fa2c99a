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
    if assignment.target.isPart {
      return buildPartStore(
        assignment.target, assignment.value, appends: false, assignment.range, depth)
    }
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
    if append.target.isPart {
      return buildPartStore(append.target, append.value, appends: true, append.range, depth)
    }
    return assign(append.target, range: append.range, depth) { builder, depth in
      let old = builder.build(append.target, depth)
      let value = builder.build(append.value, depth + 2)
      return builder.send("appending:", to: old, [value], append.range, depth)
    }
  }

  /// Builds an assignment of what a function builds to a place that is no part of another object.
  private mutating func assign(
    _ target: Expression, range: SourceRange, _ depth: Int,
    value: (inout Builder, Int) -> Built
  ) -> Built {
    switch target {
    case .name(let name):
      return assign(name.name, value(&self, depth), depth)
    case .identifier(let identifier):
      return assign(identifier, verb: .put, range: range, depth, value: value)
    default:
      return add(FailureNode(.notAvailable("this assignment"), at: position(range, depth)))
    }
  }

  /// An element, or what a message names, as the target of an assignment.
  private struct PartPlace {
    /// The receiver, and the index if there is one.
    let parts: [Built]
    /// The same as the messages find them.
    let kept: [Built]
    let getter: String
    let setter: String
    let range: SourceRange
    /// Where the value is kept until it is stored.
    let valueSlot: Int

    /// Whether the parts stay what they are while the value is evaluated.
    var isFixed: Bool { kept.isEmpty }
    var operands: [Built] { isFixed ? parts : kept }
  }

  /// Builds an assignment to an element or to what a message names: the receiver and the index are
  /// evaluated once, and before the value.
  ///
  /// Apart from what it calls, as assignments to such places may be chained as often as the stack has room
  /// for its frames.
  private mutating func buildPartStore(
    _ target: Expression, _ value: Expression, appends: Bool, _ range: SourceRange, _ depth: Int
  ) -> Built {
    let place = partPlace(target, range, depth, mayChange: value.mayAssign)
    let new = appends ? appended(value, to: place, range) : build(value, place.valueSlot)
    return store(new, in: place, range, depth)
  }

  private mutating func partPlace(
    _ target: Expression, _ range: SourceRange, _ depth: Int, mayChange: Bool
  ) -> PartPlace {
    let parts: [Built]
    let (getter, setter, place): (String, String, SourceRange)
    switch target {
    case .subscript(let subscription):
      parts = [build(subscription.receiver, depth), build(subscription.index, depth + 1)]
      (getter, setter, place) = ("at:", "at:put:", range)
    case .unaryMessage(let message):
      parts = [build(message.receiver, depth)]
      getter = message.selector.text
      (setter, place) = (getter + ":", message.selector.range)
    default:
      parts = []
      (getter, setter, place) = ("", "", range)
    }
    let isFixed = !mayChange && parts.allSatisfy { $0.node.isLeaf }
    return PartPlace(
      parts: parts,
      kept: isFixed
        ? [] : parts.indices.map { leaf(NodeRef(local: depth + $0), .local(depth + $0)) },
      getter: getter, setter: setter, range: place,
      valueSlot: isFixed ? depth : depth + parts.count)
  }

  /// What a part of an object holds with a value added to it.
  private mutating func appended(
    _ value: Expression, to place: PartPlace, _ range: SourceRange
  ) -> Built {
    let depth = place.valueSlot
    let value = build(value, depth + 2)
    let operands = place.operands
    let old = send(place.getter, to: operands[0], Array(operands.dropFirst()), place.range, depth)
    return send("appending:", to: old, [value], range, depth)
  }

  private mutating func store(
    _ new: Built, in place: PartPlace, _ range: SourceRange, _ depth: Int
  ) -> Built {
    let operands = place.operands
    if place.isFixed, operands.count == 2, !isTracked {
      return add(
        StoreElementNode(
          machine.selector(place.setter), receiver: operands[0].node, index: operands[1].node,
          value: new.node, at: position(range, depth + 1)))
    }
    let slot = place.valueSlot
    let kept = leaf(NodeRef(local: slot), .local(slot))
    let step = send(
      place.setter, to: operands[0], operands.dropFirst() + [kept], place.range, slot + 1)
    if place.isFixed {
      return add(BuildNode(subject: new.node, slot: slot, steps: list([step.node])))
    }
    return add(
      PartStoreNode(
        parts: list(place.parts.map(\.node) + [new.node]), slot: depth, store: step.node))
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

  /// Whether it names a part of another object: an element, or what a message names.
  fileprivate var isPart: Bool {
    switch self {
    case .subscript, .unaryMessage: true
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
