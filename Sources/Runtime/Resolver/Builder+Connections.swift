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
    code.noteSide(of: connector)
    return block
  }

  private mutating func buildPair(
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
          reads: [], linear: sum, options: buildOptions(inner), isHeld: holdsConnection,
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
        isHeld: holdsConnection, rightName: SyntaxPrinter.print(right),
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

  private func place(_ name: Name) -> PlaceExpression? {
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

  private mutating func place(
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
  private let paths: Set<String>
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

// MARK: - Identifiers

extension Builder {
  /// The store of a scheme.
  func schemeNode(_ name: Name, _ depth: Int) -> Built {
    let cell = machine.schemeCell(named: name.text)
    code.addLiteral(Value(cell))
    let scheme = SchemeNode(cell: cell, name: name.text, at: position(name.range, depth))
    guard environment.definesSchemes else { return add(scheme, .other) }
    return add(
      OwnSchemeNode(
        receiver: selfNode().node, name: name.text, other: code.add(scheme),
        at: position(name.range, depth)))
  }

  /// The reference for a path.
  mutating func referenceNode(
    _ scheme: String, _ path: PathExpression, _ depth: Int,
    for verb: StoreCapabilities.Verb? = nil
  ) -> Built {
    if path.hasNoExpressions, let reference = plainReference(scheme, path) {
      return constant(machine.makeReference(reference))
    }
    return add(
      ReferenceNode(
        scheme: scheme, authority: path.authority.map { parts($0, depth) },
        components: path.components.map { parts($0.parts, depth, .component(of: scheme)) },
        isAbsolute: path.isAbsolute, isDirectory: path.isDirectory,
        query: path.query.map { item in
          (
            key: parts(item.key, depth, .query(of: scheme)),
            value: item.value.map { parts($0, depth, .query(of: scheme)) }
          )
        }, for: verb, at: position(path.range, depth)))
  }

  private func plainReference(_ scheme: String, _ path: PathExpression) -> Reference? {
    func text(_ parts: [PathPart], _ coding: PathCoding = .none) -> String {
      parts.map { if case .text(let text) = $0 { coding.decoded(text) } else { "" } }.joined()
    }
    return try? Reference(
      scheme: scheme, authority: path.authority.map { text($0) },
      components: path.components.map { text($0.parts, .component(of: scheme)) },
      isAbsolute: path.isAbsolute, isDirectory: path.isDirectory,
      query: path.query.map {
        Reference.QueryPair(
          text($0.key, .query(of: scheme)), $0.value.map { text($0, .query(of: scheme)) })
      })
  }

  private mutating func parts(
    _ parts: [PathPart], _ depth: Int, _ coding: PathCoding = .none
  ) -> [ReferenceNode.Part] {
    parts.map { part in
      switch part {
      case .text(let text): .text(coding.decoded(text))
      case .expression(let expression): .value(build(expression, depth).node)
      case .splice(let expression): .splice(build(expression, depth).node)
      }
    }
  }

  /// The name of a property in a path: text, or what an expression answers.
  mutating func componentNode(_ component: PathComponent, _ depth: Int) -> NodeRef {
    if let text = component.text { return constant(machine.makeString(text)).node }
    if component.parts.count == 1, case .expression(let expression) = component.parts[0] {
      return build(expression, depth).node
    }
    let nodes = component.parts.enumerated().map { index, part -> NodeRef in
      switch part {
      case .text(let text): constant(machine.makeString(text)).node
      case .expression(let expression), .splice(let expression):
        build(expression, depth + index).node
      }
    }
    return code.add(
      InterpolationNode(
        parts: list(nodes), at: position(.none, depth + nodes.count)))
  }

  /// Builds an identifier that is read.
  mutating func buildIdentifier(_ identifier: IdentifierExpression, _ depth: Int) -> Built {
    if let place = VariablePlace(identifier) {
      let base = readVariable(place, depth)
      return follow(place.properties, from: base, identifier.path.range, depth)
    }
    switch identifier.scheme.text {
    case "self":
      return follow(
        identifier.path.components[...], from: selfNode(), identifier.path.range, depth)
    case "class":
      guard let name = identifier.path.components.first?.text else {
        return add(
          FailureNode(.notAvailable("this identifier"), at: position(identifier.range, depth)))
      }
      return follow(
        identifier.path.components.dropFirst(),
        from: read(Name(name, identifier.path.range), depth), identifier.path.range, depth)
    default: break
    }
    if identifier.path.isEmpty { return schemeNode(identifier.scheme, depth) }
    // The store waits below the marker while the reference is made.
    let store = schemeNode(identifier.scheme, depth)
    let reference = referenceNode(
      identifier.scheme.text, identifier.path, depth + 1, for: .get)
    return add(
      StoreNode(
        .get, store: store.node, reference: reference.node, valueSlot: 0,
        at: position(identifier.range, depth + 1)))
  }

  private mutating func readVariable(_ place: VariablePlace, _ depth: Int) -> Built {
    if place.scheme == .instanceVariable,
      case .instanceVariable(let slot, let type) = environment.lookUp(place.name.text)
    {
      return readInstanceVariable(
        slot, isLazy: type == ReservedName.lazyType, at: position(place.name.range, depth))
    }
    return readVariable(place.name, depth)
  }

  /// Builds a path through properties.
  private mutating func follow(
    _ components: ArraySlice<PathComponent>, from base: Built, _ range: SourceRange, _ depth: Int
  ) -> Built {
    components.isEmpty ? base : path(base, components, .get, range, depth)
  }

  /// Builds what is done with a path through properties; its base is built for `depth`.
  private mutating func path(
    _ base: Built, _ components: ArraySlice<PathComponent>, _ verb: PropertyVerb,
    valueSlot: Int = 0, _ range: SourceRange, _ depth: Int
  ) -> Built {
    var names: [NodeRef] = []
    for component in components { names.append(componentNode(component, depth + 1 + names.count)) }
    reserve(depth + 1 + names.count)
    return add(
      PathNode(
        base: base.node, names: list(names), verb, valueSlot: valueSlot,
        at: position(range, depth + 1 + names.count)))
  }

  /// Builds a reference.
  mutating func buildReference(_ reference: ReferenceExpression, _ depth: Int) -> Built {
    if let place = VariablePlace(reference) {
      guard let variable = self.place(place.name) else {
        return add(
          FailureNode(.unknownName(place.name.text), at: position(reference.range, depth)))
      }
      let base = add(
        VariableReferenceNode(
          place: variable, name: place.name.text, at: position(reference.range, depth)))
      if place.properties.isEmpty { return base }
      let names = place.properties.map { componentNode($0, depth + 3) }
      let path = add(ArrayNode(elements: list(names), slot: depth + 2, state: state))
      return send("under:", to: base, [path], reference.range, depth)
    }
    guard let scheme = reference.scheme else {
      return add(
        FailureNode(.notAvailable("this reference"), at: position(reference.range, depth)))
    }
    return referenceNode(scheme.text, reference.path, depth)
  }

  /// Builds an assignment to an identifier.
  mutating func assign(
    _ identifier: IdentifierExpression, verb: PropertyVerb, range: SourceRange, _ depth: Int,
    value: (inout Builder, Int) -> Built
  ) -> Built {
    if let place = VariablePlace(identifier) {
      if place.properties.isEmpty {
        return assign(place, value(&self, depth), depth)
      }
      let built = value(&self, depth)
      let base = readVariable(place, depth + 1)
      return write(built, to: place.properties, of: base, verb, range, depth)
    }
    if identifier.scheme.text == "self", !identifier.path.components.isEmpty {
      let built = value(&self, depth)
      return write(built, to: identifier.path.components[...], of: selfNode(), verb, range, depth)
    }
    let built = value(&self, depth)
    let store = schemeNode(identifier.scheme, depth + 1)
    let reference = referenceNode(
      identifier.scheme.text, identifier.path, depth + 2, for: verb == .post ? .post : .put)
    let step = add(
      StoreNode(
        verb, store: store.node, reference: reference.node, valueSlot: depth,
        at: position(range, depth + 2)))
    // The answer is that of the store: what was put, or the reference of what was added.
    return add(CascadeNode(subject: built.node, slot: depth, steps: list([step.node])))
  }

  /// Builds an assignment to `var:x` or `ivar:x`, which says which variable is meant.
  private mutating func assign(_ place: VariablePlace, _ value: Built, _ depth: Int) -> Built {
    if place.scheme == .instanceVariable,
      case .instanceVariable(let slot, let type) = environment.lookUp(place.name.text)
    {
      return storeInstanceVariable(slot, type: type, place.name, value, depth)
    }
    return assign(place.name, value, depth)
  }

  /// Builds the writing of a value, built for `depth`, to a path; its value is that value.
  private mutating func write(
    _ value: Built, to components: ArraySlice<PathComponent>, of base: Built, _ verb: PropertyVerb,
    _ range: SourceRange, _ depth: Int
  ) -> Built {
    let step = path(base, components, verb, valueSlot: depth, range, depth + 1)
    return add(BuildNode(subject: value.node, slot: depth, steps: list([step.node])))
  }
}
