internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

extension Builder {
  mutating func build(
    _ inlined: InlinedMessage, range: SourceRange, _ depth: Int
  ) -> Built {
    switch inlined {
    case .conditional(let conditional):
      let condition = condition(build(conditional.condition, depth).node)
      return add(
        IfNode(
          condition: condition, consequence: buildInlined(conditional.consequence, depth),
          alternative: buildInlined(conditional.alternative, depth), at: position(range, depth)))
    case .and(let left, let right):
      let left = condition(build(left, depth).node)
      return add(
        AndNode(left: left, right: buildInlinedCondition(right, depth), at: position(range, depth)))
    case .or(let left, let right):
      let left = condition(build(left, depth).node)
      return add(
        OrNode(left: left, right: buildInlinedCondition(right, depth), at: position(range, depth)))
    case .nilTest(let subject, let absent, let present):
      return buildNilTest(subject, absent, present, depth)
    case .whileLoop(let condition, let body, let sense):
      let condition = buildInlinedCondition(condition, depth)
      return add(
        WhileNode(
          condition: condition, body: buildInlined(body, depth), sense: sense,
          at: position(range, depth)))
    case .repeatLoop(let body):
      return add(RepeatNode(body: buildInlined(body, depth), at: position(range, depth)))
    case .count(let count):
      return buildCount(count, range: range, depth)
    }
  }

  private mutating func buildNilTest(
    _ subject: Expression, _ absent: BlockExpression?, _ present: BlockExpression?, _ depth: Int
  ) -> Built {
    let subject = build(subject, depth).node
    let absentNode = absent.map { buildInlined($0, depth) }
    guard let present else {
      return add(IfNilNode(subject: subject, absent: absentNode, present: nil, slot: -1))
    }
    let parameter = scopes[present.range]?.variables.first { $0.kind == .blockParameter }
    guard let parameter else {
      let presentNode = buildInlined(present, depth)
      return add(IfNilNode(subject: subject, absent: absentNode, present: presentNode, slot: -1))
    }
    // A captured parameter arrives in the operand area and goes to its context from there.
    let slot = parameter.isCaptured ? depth : parameter.slot
    let presentNode = buildInlined(present, argument: slot, depth + 1)
    return add(IfNilNode(subject: subject, absent: absentNode, present: presentNode, slot: slot))
  }

  private mutating func buildCount(
    _ count: InlinedMessage.Count, range: SourceRange, _ depth: Int
  ) -> Built {
    let parameter = scopes[count.body.range]?.variables.first { $0.kind == .blockParameter }
    let one = constant(Value(small: 1))
    let start = count.start.map { build($0, depth) } ?? one
    let limit = build(count.limit, depth + ToDoNode.Slot.limit)
    let step = count.step.map { build($0, depth + ToDoNode.Slot.step) } ?? one
    // The counter needs a slot of its own when no parameter on the stack holds it.
    let isOnStack = parameter.map { !$0.isCaptured } ?? false
    let counter = isOnStack ? parameter?.slot ?? depth : depth + ToDoNode.Slot.count
    let inner = depth + ToDoNode.Slot.count + (isOnStack ? 0 : 1)
    let body = buildInlined(count.body, argument: counter, inner)
    return add(
      ToDoNode(
        start: start.node, limit: limit.node, step: step.node, body: body, counterSlot: counter,
        base: depth, answersLimit: count.start == nil,
        sends: countingSends(counter: counter, base: depth, range: range, inner),
        at: position(range, inner)))
  }

  /// The sends by which a loop over other numbers than SmallIntegers counts.
  private mutating func countingSends(
    counter: Int, base: Int, range: SourceRange, _ depth: Int
  ) -> ToDoNode.GeneralSends {
    let counterNode = leaf(NodeRef(local: counter), .local(counter))
    let limit = leaf(NodeRef(local: base + ToDoNode.Slot.limit))
    let step = leaf(NodeRef(local: base + ToDoNode.Slot.step))
    let zero = constant(Value(small: 0))
    func send(_ selector: String, _ left: Built, _ right: Built) -> NodeRef {
      self.send(selector, to: left, [right], range, depth).node
    }
    return ToDoNode.GeneralSends(
      atMost: send("<=", counterNode, limit), atLeast: send(">=", counterNode, limit),
      isAscending: send(">", step, zero), next: send("+", counterNode, step))
  }
}
