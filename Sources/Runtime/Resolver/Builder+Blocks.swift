internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

extension Builder {
  /// Builds a block that becomes a closure.
  mutating func buildClosure(_ block: BlockExpression, _ depth: Int) -> Built {
    closure(scopes[block.range] ?? scope, range: block.range) { builder, depth in
      builder.catchingReturns(builder.buildBlockBody(block.statements, depth))
    }
  }

  /// Builds a closure whose body somebody else builds.
  mutating func closure(
    _ inner: Scope, range: SourceRange, body: (inout Builder, Int) -> NodeRef
  ) -> Built {
    let outer = scope
    let outerDepth = greatestDepth
    scope = inner
    greatestDepth = 0
    // The policy that follows is for the connection around the block.
    let outerAwaits = awaitsPolicy
    awaitsPolicy = false
    let statements = body(&self, inner.frameSize)
    let entry = enter(statements, range: range)
    awaitsPolicy = outerAwaits
    scope = outer
    greatestDepth = outerDepth
    let block = BlockCode(
      argumentCount: inner.parameterCount, body: entry, code: code, range: range,
      tracked: isTracked)
    code.add(block)
    let slot = innermostContextSlot
    return outer.frameScope.kind == .block
      ? add(NestedBlockNode(code: block, contextSlot: slot, state: state))
      : add(BlockNode(code: block, contextSlot: slot, state: state))
  }

  mutating func buildBlockBody(_ statements: [Statement], _ depth: Int) -> NodeRef {
    sequence(buildAll(statements[...], depth))
  }

  /// Builds statements; connections in a row become one batch.
  mutating func buildAll(_ statements: ArraySlice<Statement>, _ depth: Int) -> [NodeRef] {
    var nodes: [NodeRef] = []
    var rest = statements
    while let first = rest.first {
      let batch = rest.prefix { $0.isConnection }
      if batch.count > 1 {
        nodes.append(buildBatch(batch, depth))
        rest = rest.dropFirst(batch.count)
      } else {
        nodes.append(build(first, depth))
        rest = rest.dropFirst()
      }
    }
    return nodes
  }

  mutating func buildBatch(_ statements: ArraySlice<Statement>, _ depth: Int) -> NodeRef {
    let body = sequence(statements.map { build($0, depth) })
    let range = statements.reduce(SourceRange.none) { $0 == .none ? $1.range : $0.union($1.range) }
    return code.add(BatchNode(body: body, at: position(range, depth)))
  }

  /// Builds an inlined block.
  ///
  /// A captured parameter arrives in the frame slot `argument`.
  mutating func buildInlined(
    _ block: BlockExpression?, argument: Int = -1, _ depth: Int
  ) -> NodeRef {
    guard let block else { return constant(.nil).node }
    let outer = scope
    scope = scopes[block.range] ?? scope
    defer { scope = outer }
    var statements = buildAll(block.statements[...], depth)
    if scope.kind == .inlined, let parameter = scope.capturedParameter {
      let value = leaf(NodeRef(local: argument), .local(argument))
      statements.insert(assign(parameter, value, block.range, depth).node, at: 0)
    }
    return withFreshTemporaries(sequence(statements), argument: argument)
  }

  /// A node as a condition.
  func condition(_ node: NodeRef) -> ConditionRef { code.conditions[node] ?? ConditionRef(node) }

  /// Notes what a node asks, when it asks leaves.
  func asking(
    _ built: Built, _ question: ConditionRef.Question, _ left: Built, _ right: Built
  ) -> Built {
    if left.node.isLeaf, right.node.isLeaf {
      code.record(built.node, asks: ConditionRef(built.node, question, left.node, right.node))
    }
    return built
  }

  /// Builds an inlined block that is a condition.
  mutating func buildInlinedCondition(_ block: BlockExpression, _ depth: Int) -> ConditionRef {
    guard block.statements.count == 1, case .expression(let expression) = block.statements[0],
      !block.statements[0].isConnection
    else { return ConditionRef(buildInlined(block, depth)) }
    let outer = scope
    scope = scopes[block.range] ?? scope
    defer { scope = outer }
    guard scope.variables.isEmpty else {
      let node = build(expression, depth).node
      return ConditionRef(withFreshTemporaries(node))
    }
    return condition(build(expression, depth).node)
  }

  /// Gives an inlined block's temporaries nil, and a loop's body a context, each time it begins.
  func withFreshTemporaries(_ body: NodeRef, argument: Int = -1) -> NodeRef {
    var slots: [Int] = []
    for variable in scope.variables where variable.kind == .temporary && !variable.isCaptured {
      slots.append(variable.slot)
    }
    var body = body
    if !slots.isEmpty { body = code.add(ClearingNode(slots: slots, body: body)) }
    guard scope.kind == .loop, scope.hasContext else { return body }
    return code.add(
      LoopContextNode(
        contextSlot: scope.contextSlot, contextSize: scope.contextSize,
        parentSlot: enclosingContextSlot(of: scope),
        isInBlock: scope.frameScope.kind == .block,
        captured: scope.capturedParameter.map { [(frame: argument, context: $0.slot)] } ?? [],
        state: state, body: body))
  }
}

// MARK: - Contexts

extension Builder {
  /// The frame slot of the innermost context at this place, or -1 when it is that of the block
  /// (or when there is none).
  var innermostContextSlot: Int {
    var current: Scope? = scope
    while let scope = current {
      if scope.hasContext { return scope.contextSlot }
      if scope.ownsFrame { return -1 }
      current = scope.parent
    }
    return -1
  }

  /// The frame slot of the context around a loop's own, or -1.
  private func enclosingContextSlot(of loop: Scope) -> Int {
    var current = loop.parent
    while let scope = current {
      if scope.hasContext { return scope.contextSlot }
      if scope.ownsFrame { return -1 }
      current = scope.parent
    }
    return -1
  }

  /// The way from this place to the context of a scope.
  func path(to owner: Scope) -> (slot: Int, hops: Int) {
    var current: Scope? = scope
    var slot: Int?
    var hops = 0
    let frame = scope.frameScope
    while let scope = current, scope !== owner {
      if scope.hasContext {
        if scope.frameScope === frame {
          // Contexts of the same frame are reached directly.
        } else {
          slot = slot ?? -1
          hops += 1
        }
      }
      current = scope.parent
    }
    if owner.frameScope === frame { return (owner.contextSlot, 0) }
    return (slot ?? -1, hops)
  }
}
