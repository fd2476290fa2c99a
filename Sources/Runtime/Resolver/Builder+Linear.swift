internal import TenonAnalysis
internal import TenonLexer
internal import TenonSolverKit
internal import TenonParser

extension Builder {
  /// The connection that a message says something of, and what; nil for any other message.
  ///
  /// What is said counts from the beginning: a constraint that is no more than a wish is none that
  /// could stand against others.
  func connectionWithOptions(
    _ message: KeywordMessageExpression
  ) -> (connect: ConnectExpression, options: [(name: String, value: Expression)])? {
    guard case .connect(let connect) = message.receiver,
      connect.connector.text.isFormulaConnector,
      message.keywords.allSatisfy({ ConnectNode.Option.names.contains($0.text) })
    else { return nil }
    return (connect, Array(zip(message.keywords.map(\.text), message.arguments)))
  }

  /// Builds what is said of the connection.
  mutating func buildOptions(_ depth: Int) -> [ConnectNode.Option] {
    connectionOptions.map { option in
      ConnectNode.Option(name: option.name, value: build(option.value, depth).node)
    }
  }

  /// Builds `a >=| e` and its like, pair by pair.
  mutating func buildInequalities(_ connect: ConnectExpression, _ depth: Int) -> Built {
    let relation: Relation = connect.connector.text == ">=|" ? .atLeast : .atMost
    let isChain = connect.operands.count > 2
    let outer = depth
    let depth = isChain ? depth + 4 : depth
    var nodes: [NodeRef] = []
    for index in connect.operands.indices.dropLast() {
      let (left, right) = (connect.operands[index], connect.operands[index + 1])
      let inner = depth + 1
      guard let target = place(left, inner) else {
        nodes.append(
          addFailure(
            .noPlace(SyntaxPrinter.print(left), connect.connector.text),
            at: position(left.range, depth)))
        continue
      }
      nodes.append(
        buildLinear(connect, left, right, target: target, relation, block: nil, [], depth))
    }
    return isChain
      ? buildChain(connect, nodes, outer) : Built(node: nodes[0], shape: .other)
  }

  /// Builds a connection that may be an equation or an inequality for a solver of such.
  mutating func buildLinear(
    _ connect: ConnectExpression, _ left: Expression, _ right: Expression,
    target: PlaceExpression, _ relation: Relation, block: NodeRef?, _ reads: [ConnectNode.Operand],
    _ depth: Int
  ) -> NodeRef {
    let pair = ConnectExpression(
      connector: connect.connector, operands: [left, right], range: connect.range)
    let linear = linear(left, right, relation, isChoice: block != nil, depth)
    return code.add(
      ConnectNode(
        connector: connect.connector.text, text: SyntaxPrinter.print(.connect(pair)),
        target: ConnectNode.Operand(place: target, name: SyntaxPrinter.print(left)),
        block: block, other: nil, reads: reads,
        linear: linear, options: buildOptions(depth + 1),
        formula: block == nil ? nil : right, awaitsSolver: holdsConnection,
        rightName: SyntaxPrinter.print(right), refusal: refusal(of: [left]),
        awaitsPolicy: awaitsPolicy, base: depth,
        at: position(connect.range, depth + 1)))
  }

  /// Builds an equation of two sums.
  mutating func buildEquation(
    _ connect: ConnectExpression, _ left: Expression, _ right: Expression,
    _ analysis: LinearAnalysis, target: PlaceExpression, _ depth: Int
  ) -> NodeRef {
    let pair = ConnectExpression(
      connector: connect.connector, operands: [left, right], range: connect.range)
    return code.add(
      ConnectNode(
        connector: connect.connector.text, text: SyntaxPrinter.print(.connect(pair)),
        target: ConnectNode.Operand(place: target, name: analysis.leaves[0].name),
        block: nil, other: nil, reads: [],
        linear: linear(analysis, of: right, .equal, isChoice: false, depth),
        options: buildOptions(depth + 1), awaitsSolver: holdsConnection,
        rightName: SyntaxPrinter.print(right), awaitsPolicy: awaitsPolicy, base: depth,
        at: position(connect.range, depth + 1)))
  }

  /// What a connection says as a sum; the first leaf is the left side.
  mutating func linear(
    _ left: Expression, _ right: Expression, _ relation: Relation, isChoice: Bool, _ depth: Int
  ) -> ConnectNode.Linear {
    linear(LinearAnalysis(left, less: right), of: right, relation, isChoice: isChoice, depth)
  }

  private mutating func linear(
    _ analysis: LinearAnalysis, of right: Expression, _ relation: Relation, isChoice: Bool,
    _ depth: Int
  ) -> ConnectNode.Linear {
    let inner = depth + 1
    var leaves: [ConnectNode.Leaf] = []
    for (index, leaf) in analysis.leaves.enumerated() {
      if index > 0 { declareAtPrompt(leaf.expression) }
      // An argument and a constant are values like any other.
      let isPlace =
        leaf.isPlace && isVariable(leaf.expression)
        && leaf.expression.variableName.map { names(of: right).isAssignable($0) } ?? true
      let place = isPlace ? place(leaf.expression, inner) : nil
      var block: NodeRef?
      var reads: [ConnectNode.Operand] = []
      var attributes: [ConnectNode.Operand] = []
      if index > 0, place.map({ $0.mayFail }) ?? true {
        block = buildPart(leaf.expression, of: right, inner)
        reads = self.reads(of: leaf.expression, inner)
        for power in leaf.expression.powers {
          for part in power.children { collectAttributes(of: part, &attributes, inner) }
        }
      }
      leaves.append(
        ConnectNode.Leaf(
          name: leaf.name, place: place, block: block, reads: reads, attributes: attributes))
    }
    return ConnectNode.Linear(
      relation: relation, leaves: leaves,
      products: analysis.isTooLarge ? nil : analysis.products, isChoice: isChoice)
  }

  /// Finds the properties in a text that may be layout attributes of a view; what blocks would read they
  /// may not read.
  private mutating func collectAttributes(
    of expression: Expression, _ attributes: inout [ConnectNode.Operand], _ depth: Int
  ) {
    if case .block = expression { return }
    if expression.mayBeLayoutAttribute, isVariable(expression),
      let place = place(expression, depth)
    {
      attributes.append(
        ConnectNode.Operand(place: place, name: SyntaxPrinter.print(expression)))
      return
    }
    for child in expression.children { collectAttributes(of: child, &attributes, depth) }
  }

  /// Builds a block that computes a part of a formula.
  private mutating func buildPart(
    _ part: Expression, of formula: Expression, _ depth: Int
  ) -> NodeRef {
    let outer = mode
    mode = .formula
    defer { mode = outer }
    guard let inner = scopes[formula.formulaRange] else { return constant(.nil).node }
    return closure(inner, range: part.range) { builder, depth in
      builder.build(part, depth).node
    }.node
  }
}

extension Expression {
  /// The selectors of powers and their inverses: no sum says them.
  private static let powerSelectors: Set<String> = [
    "squared", "cubed", "raisedTo:", "raisedToInteger:", "**", "sqrt", "nthRoot:", "reciprocal",
    "exp", "ln", "log", "log2", "log:",
  ]

  /// The powers within it, and itself if it is one.
  fileprivate var powers: [Expression] {
    let selector: String? =
      switch self {
      case .unaryMessage(let message): message.selector.text
      case .binaryMessage(let message): message.selector.text
      case .keywordMessage(let message): message.keywords.map(\.text).joined()
      default: nil
      }
    if let selector, Expression.powerSelectors.contains(selector) { return [self] }
    return children.flatMap(\.powers)
  }

  fileprivate var children: [Expression] {
    var children: [Expression] = []
    forEachChild { children.append($0) }
    return children
  }
}

extension PlaceExpression {
  /// Whether it may turn out to be no place when it is looked for.
  fileprivate var mayFail: Bool {
    switch self {
    case .property, .chain, .element: true
    case .context, .instanceVariable, .cell, .path, .stored, .computed: false
    }
  }
}
