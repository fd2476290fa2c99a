internal import TenonAnalysis
internal import TenonLexer
internal import TenonSolverKit
internal import TenonParser
internal import TenonStoreKit

// MARK: - Connections

extension Builder {
  /// Builds `a |= e`, `a =|= b`, and chains of them: pairwise, from left to right.
  mutating func buildConnect(_ connect: ConnectExpression, _ depth: Int) -> Built {
    if connect.isOwn { return buildOwnConnector(connect, depth) }
    switch connect.connector.text {
    case "|=", "=|=": break
    case "->": return buildFlow(connect, depth)
    case ">=|", "<=|": return buildInequalities(connect, depth)
    default: return buildOwnConnector(connect, depth)
    }
    let pairs = zip(connect.operands, connect.operands.dropFirst())
    if connect.operands.count == 2 {
      return Built(
        node: buildPair(connect, connect.operands[0], connect.operands[1], depth), shape: .other)
    }
    // The chain's array and its text, then values on the way.
    let nodes = pairs.map { buildPair(connect, $0, $1, depth + 4) }
    return buildChain(connect, nodes, depth)
  }

  /// Builds what a chain answers: one object for the connections of its pairs.
  mutating func buildChain(
    _ connect: ConnectExpression, _ nodes: [NodeRef], _ depth: Int
  ) -> Built {
    // Where one pair can never be connected, none is.
    if let (failure, range) = nodes.compactMap({ failures[$0] }).first {
      return add(FailureNode(failure, at: position(range, depth)))
    }
    let pairs = add(
      ChainNode(
        pairs: list(nodes), slot: depth + 2, at: position(connect.range, depth + 3)))
    let text = constant(machine.makeString(SyntaxPrinter.print(.connect(connect))))
    return send("of:text:", to: classNode("ConnectionChain"), [pairs, text], connect.range, depth)
  }

  /// Builds `source -> filter -> sink`: a message to the class of flows.
  private mutating func buildFlow(_ connect: ConnectExpression, _ depth: Int) -> Built {
    var stages: [NodeRef] = []
    for operand in connect.operands {
      stages.append(build(operand.asReference ?? operand, depth + 3).node)
    }
    let array = add(ArrayNode(elements: list(stages), slot: depth + 2, state: state))
    let names = connect.operands.map { constant(machine.makeString(SyntaxPrinter.print($0))).node }
    let nameArray = add(ArrayNode(elements: list(names), slot: depth + 3, state: state))
    let text = constant(machine.makeString(SyntaxPrinter.print(.connect(connect))))
    return send(
      "through:names:text:", to: classNode("Flow"), [array, nameArray, text], connect.range, depth)
  }

  /// Builds `a ~> b` for a connector of the program's own: it is asked to connect the places, or
  /// blocks for what is no place, pair by pair.
  private mutating func buildOwnConnector(_ connect: ConnectExpression, _ depth: Int) -> Built {
    var nodes: [NodeRef] = []
    for index in connect.operands.indices.dropLast() {
      let connector = read(connect.connector, depth)
      let instance = send("new", to: connector, [], connect.connector.range, depth)
      let sides = [index, index + 1].map { side in
        buildSide(
          connect.operands[side], of: connect.connector.text, depth + 2 + side - index)
      }
      let pair = ConnectExpression(
        connector: connect.connector,
        operands: [connect.operands[index], connect.operands[index + 1]], range: connect.range)
      let text = constant(machine.makeString(SyntaxPrinter.print(.connect(pair))))
      nodes.append(
        send("connect:to:text:", to: instance, sides + [text], connect.range, depth).node)
    }
    return nodes.count == 1
      ? Built(node: nodes[0], shape: .other)
      : add(BatchNode(body: sequence(nodes), at: position(connect.range, depth)))
  }

  private mutating func buildSide(
    _ operand: Expression, of connector: String, _ depth: Int
  ) -> Built {
    if let reference = operand.asReference(in: scope, environment) {
      return build(reference, depth)
    }
    guard let inner = scopes[operand.formulaRange] else { return constant(.nil) }
    let block = closure(inner, range: operand.range) { builder, depth in
      builder.build(operand, depth).node
    }
    code.recordSide(of: connector)
    return block
  }

  mutating func buildPair(
    _ connect: ConnectExpression, _ left: Expression, _ right: Expression, _ depth: Int
  ) -> NodeRef {
    let isTwoWay = connect.connector.text == "=|="
    let pair = ConnectExpression(
      connector: connect.connector, operands: [left, right], range: connect.range)
    let text = SyntaxPrinter.print(.connect(pair))
    // Block, then values on the way.
    let inner = depth + 1
    if let stores = buildStorePair(
      connect.connector.text, left, right, text, connect.range, depth)
    {
      return stores
    }
    if isTwoWay, let both = buildFormulaPair(connect, left, right, depth) { return both }
    if let node = buildByKind(connect, left, right, depth) { return node }
    guard let target = place(left, inner) else {
      return failure(.noPlace(SyntaxPrinter.print(left), connect.connector.text), left, depth)
    }
    let position = position(connect.range, inner)
    if isTwoWay {
      let other = place(right, inner)
      if other == nil, LinearAnalysis(left, less: right).leaves.count == 1 {
        // There is nothing that could be computed backwards: a number can be a wish.
        return buildLinear(connect, left, right, target: target, .equal, block: nil, [], depth)
      }
      if Inversion.isFormula(right, names: names(of: right)) {
        return buildInversion(connect, left, right, depth)
      }
      guard let other else {
        return failure(.noInverse(SyntaxPrinter.print(right)), right, depth)
      }
      let sum =
        left.mayBeLayoutAttribute ? linear(left, right, .equal, isChoice: true, depth) : nil
      return code.add(
        ConnectNode(
          connector: connect.connector.text, text: text,
          target: ConnectNode.Operand(place: target, name: SyntaxPrinter.print(left)),
          block: nil, other: ConnectNode.Operand(place: other, name: SyntaxPrinter.print(right)),
          reads: [], linear: sum, options: buildOptions(inner), awaitsSolver: holdsConnection,
          refusal: refusal(of: [left, right]), awaitsPolicy: awaitsPolicy, base: depth, at: position
        ))
    }
    let reads = reads(of: right, inner)
    let block = buildFormula(right, depth)
    if left.mayBeLayoutAttribute {
      return buildLinear(connect, left, right, target: target, .equal, block: block, reads, depth)
    }
    return code.add(
      ConnectNode(
        connector: connect.connector.text, text: text,
        target: ConnectNode.Operand(place: target, name: SyntaxPrinter.print(left)),
        block: block, other: nil, reads: reads, options: buildOptions(inner), formula: right,
        awaitsSolver: holdsConnection, rightName: SyntaxPrinter.print(right),
        refusal: refusal(of: [left]), awaitsPolicy: awaitsPolicy, base: depth, at: position))
  }

  /// What stands against computing places: an argument is not assigned.
  func refusal(of targets: [Expression]) -> Failure? {
    for case .some(let name) in targets.map(\.variableName) {
      if let problem = Wording.assignment(to: scope.lookUp(name.text)) {
        return Failure(.constraintError, problem)
      }
    }
    return nil
  }

  private mutating func failure(
    _ failure: Failure, _ expression: Expression, _ depth: Int
  ) -> NodeRef {
    addFailure(failure, at: position(expression.range, depth))
  }

  /// Builds the block that a formula is.
  mutating func buildFormula(_ expression: Expression, _ depth: Int) -> NodeRef {
    let outer = mode
    mode = recordsFormulas ? .tracked : .formula
    defer { mode = outer }
    guard let inner = scopes[expression.formulaRange] else { return constant(.nil).node }
    return closure(inner, range: expression.range) { builder, depth in
      builder.build(expression, depth).node
    }.node
  }

  // MARK: Places

  /// How a side of a connection is found when the statement is evaluated; nil for what is no place.
  mutating func place(_ expression: Expression, _ depth: Int) -> PlaceExpression? {
    switch expression {
    case .name(let name): return place(name.name)
    case .identifier(let identifier): return place(identifier, depth)
    case .keywordMessage: return expression.askedElement.flatMap { place(.subscript($0), depth) }
    case .subscript(let subscription):
      let receiver = build(subscription.receiver, depth).node
      let index = build(subscription.index, depth).node
      // A list of many connected elements is not followed by each of them.
      let isFollowed = subscription.index.isPlainLiteral
      return .element(
        receiver, index, of: isFollowed ? replaceablePlace(subscription.receiver, depth) : nil)
    case .unaryMessage(let message):
      guard message.receiver.isPlaceOrSelf else { return nil }
      let name = constant(machine.makeString(message.selector.text))
      guard case .constant(let value) = name.shape else { return nil }
      let property = PlaceExpression.property(build(message.receiver, depth).node, value)
      guard let chain = chain(message, depth) else { return property }
      return .chain(chain.base, chain.names, orElse: property)
    default: return nil
    }
  }

  /// The place that holds a collection, if another one can be put there; nil where looking for it
  /// would evaluate something twice.
  private mutating func replaceablePlace(
    _ expression: Expression, _ depth: Int
  ) -> PlaceExpression? {
    switch expression {
    case .name: return assignablePlace(expression, depth)
    case .identifier(let identifier):
      guard VariablePlace(identifier) != nil || hasVaryingPath(identifier) else { return nil }
      return place(identifier, depth)
    default: return nil
    }
  }

  /// What a chain of unary names begins with, a place that may hold something else later, and the
  /// names; nil when nothing on the way can be replaced.
  private mutating func chain(
    _ message: UnaryMessageExpression, _ depth: Int
  ) -> (base: PlaceExpression, names: [NodeRef])? {
    var selectors = [message.selector.text]
    var receiver = message.receiver
    while case .unaryMessage(let inner) = receiver {
      selectors.append(inner.selector.text)
      receiver = inner.receiver
    }
    selectors.reverse()
    let base: PlaceExpression
    if let variable = assignablePlace(receiver, depth) {
      base = variable
    } else {
      // What it begins with stays what it is; its properties need not.
      if case .name(let name) = receiver, name.name.text == ReservedName.super.rawValue {
        return nil
      }
      guard selectors.count > 1 else { return nil }
      let name = machine.makeString(selectors.removeFirst())
      code.addLiteral(name)
      base = .property(build(receiver, depth).node, name)
    }
    let names = selectors.map { constant(machine.makeString($0)).node }
    guard case .path(let start, let way) = base else { return (base, names) }
    return (start, way + names)
  }

  /// The place that a chain of unary names begins with, if anything can be put there.
  private mutating func assignablePlace(
    _ expression: Expression, _ depth: Int
  ) -> PlaceExpression? {
    switch expression {
    case .name(let name):
      if let variable = scope.lookUp(name.name.text) {
        guard variable.kind == .temporary, !variable.isConstant else { return nil }
      } else if environment.isConstant(name.name.text) || !isVariable(expression) {
        return nil
      }
      return place(name.name)
    case .identifier, .subscript, .keywordMessage: return place(expression, depth)
    default: return nil
    }
  }

  func place(_ name: Name) -> PlaceExpression? {
    guard ReservedName(rawValue: name.text) == nil else { return nil }
    if let variable = scope.lookUp(name.text) {
      // The analyzer has seen to it that the variable is in a context.
      guard variable.isCaptured else { return nil }
      let place = path(to: variable.scope.contextScope)
      return .context(slot: place.slot, hops: place.hops, index: variable.slot)
    }
    switch environment.lookUp(name.text) {
    case .instanceVariable(let slot, _):
      return .instanceVariable(index: slot, inBlock: scope.frameScope.kind == .block)
    case .cell(let cell, _):
      code.addLiteral(Value(cell))
      return .cell(cell)
    case .addedVariable, .unknown: return nil
    }
  }

  mutating func place(
    _ identifier: IdentifierExpression, _ depth: Int
  ) -> PlaceExpression? {
    if let place = VariablePlace(identifier) {
      guard let base = self.place(place.name) else { return nil }
      if place.properties.isEmpty { return base }
      if let block = buildPath(of: identifier, properties: place.properties, depth) {
        return .computed(store: nil, base: base, block: block)
      }
      return .path(base, place.properties.map { componentNode($0, depth) })
    }
    guard !identifier.path.isEmpty else { return nil }
    switch identifier.scheme.text {
    case "self":
      let names = identifier.path.components
      guard names.count == 1, let name = names[0].text else { return nil }
      let value = machine.makeString(name)
      code.addLiteral(value)
      return .property(selfNode().node, value)
    case "class", "ref": return nil
    default:
      if let block = buildPath(of: identifier, depth) {
        return .computed(
          store: schemeNode(identifier.scheme, depth).node, base: nil, block: block)
      }
      return .stored(
        store: schemeNode(identifier.scheme, depth).node,
        reference: referenceNode(identifier.scheme.text, identifier.path, depth).node)
    }
  }

  /// Builds the block that computes the path of an identifier whose expressions may come to something
  /// else later: the reference, or the names of properties; nil where the path stays what it is.
  private mutating func buildPath(
    of identifier: IdentifierExpression, properties: ArraySlice<PathComponent>? = nil, _ depth: Int
  ) -> NodeRef? {
    guard hasVaryingPath(identifier), let inner = scopes[identifier.range]?.frameScope,
      inner.parent?.frameScope === scope.frameScope
    else { return nil }
    let outer = mode
    mode = .tracked
    defer { mode = outer }
    return closure(inner, range: identifier.path.range) { builder, depth in
      guard let properties else {
        return builder.referenceNode(identifier.scheme.text, identifier.path, depth).node
      }
      let names = properties.map { builder.componentNode($0, depth + 1) }
      return builder.code.add(
        ArrayNode(elements: builder.list(names), slot: depth, state: builder.state))
    }.node
  }

  /// Whether a path may lead elsewhere later: not where all that stands in it is written out, or is made
  /// of arguments and constants, which stay what they are.
  private func hasVaryingPath(_ identifier: IdentifierExpression) -> Bool {
    var varies = false
    identifier.path.forEachExpression { varies = varies || mayVary($0) }
    return varies
  }

  private func mayVary(_ expression: Expression) -> Bool {
    switch expression {
    case .integer, .float, .string, .symbol, .character, .scaledDecimal: return false
    case .name(let name):
      if ReservedName(rawValue: name.name.text) == .nil { return false }
      guard let variable = scope.lookUp(name.name.text) else {
        // One of an instance is assigned once, which may be later.
        if case .instanceVariable = environment.lookUp(name.name.text) { return true }
        return !environment.isConstant(name.name.text)
      }
      return variable.kind == .temporary && !variable.isConstant
    case .binaryMessage(let message):
      return mayVary(message.receiver) || mayVary(message.argument)
    default: return true
    }
  }

  /// The places that the text of a formula reads.
  ///
  /// `paths`: chains of names that are places as wholes; what one begins with decides which place that
  /// is, and is none that the formula reads.
  mutating func reads(
    of expression: Expression, paths: Set<String> = [], _ depth: Int
  ) -> [ConnectNode.Operand] {
    var collector = FormulaReads(formulaScope: scopes[expression.formulaRange], paths: paths)
    collector.visit(expression)
    var operands: [ConnectNode.Operand] = []
    var names: Set<String> = []
    for read in collector.places { declareAtPrompt(read) }
    for read in collector.places + collector.queried {
      let name = SyntaxPrinter.print(read)
      guard names.insert(name).inserted, let place = place(read, depth), isVariable(read) else {
        continue
      }
      operands.append(ConnectNode.Operand(place: place, name: name))
    }
    return operands
  }

  /// At a prompt a formula may read a variable that a later line gives its value: it is declared,
  /// so that the connection hears of it, and told, as the name may be misspelt.
  func declareAtPrompt(_ expression: Expression) {
    let name: Name
    switch expression {
    case .name(let expression): name = expression.name
    case .identifier(let identifier):
      guard let place = VariablePlace(identifier) else { return }
      name = place.name
    default: return
    }
    // A name in upper case is a class that is missing.
    guard environment.allowsUnknownNames, ReservedName(rawValue: name.text) == nil,
      name.text.unicodeScalars.first?.properties.isUppercase == false,
      scope.lookUp(name.text) == nil, case .unknown = environment.lookUp(name.text)
    else { return }
    _ = machine.scriptCell(named: name.text)
    let warning = Diagnostic(.warning, Wording.waitsFor(name.text), name.range)
    machine.printError(warning.rendered(in: code.source))
  }

  /// Whether a name stands for a variable and not for a class or a constant of every script.
  func isVariable(_ expression: Expression) -> Bool {
    guard case .name(let name) = expression, scope.lookUp(name.name.text) == nil else {
      return true
    }
    return machine.classCells[name.name.text] == nil
      || machine.session.cells[name.name.text] != nil
  }
}

/// Collects the names and identifiers that the text of a formula reads, those left out that it
/// declares itself.
private struct FormulaReads {
  let formulaScope: Scope?
  /// The texts of chains of names that are places as wholes.
  let paths: Set<String>
  private(set) var places: [Expression] = []
  /// Names in queries, which may be properties of the elements.
  private(set) var queried: [Expression] = []
  private var isInQuery = false
  private var declared: [Set<String>] = []

  init(formulaScope: Scope?, paths: Set<String>) {
    self.formulaScope = formulaScope
    self.paths = paths
  }

  mutating func visit(_ expression: Expression) {
    switch expression {
    case .name(let name):
      guard !declared.contains(where: { $0.contains(name.name.text) }) else { return }
      if isInQuery { queried.append(expression) } else { places.append(expression) }
    case .identifier(let identifier):
      if identifier.path.hasNoExpressions { places.append(expression) }
      expression.forEachChild { visit($0) }
    case .unaryMessage where !paths.isEmpty && paths.contains(SyntaxPrinter.print(expression)):
      break
    case .block(let block):
      visit(block)
    case .query(let query):
      visit(query.receiver)
      isInQuery = true
      visit(query.block)
      isInQuery = false
    default:
      expression.forEachChild { visit($0) }
    }
  }

  private mutating func visit(_ block: BlockExpression) {
    declared.append(block.declaredNames)
    block.forEachValue { visit($0) }
    declared.removeLast()
  }
}
