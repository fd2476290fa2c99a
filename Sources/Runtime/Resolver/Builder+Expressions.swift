internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

// MARK: - Expressions

extension Builder {
  /// Builds an expression, without regard to how high it is.
  mutating func buildUnchecked(_ expression: Expression, _ depth: Int) -> Built {
    guard !presentParts.isEmpty, presentParts.remove(expression.range) != nil else {
      return buildAny(expression, depth)
    }
    defer { presentParts.insert(expression.range) }
    return add(
      PresentValueNode(
        body: buildAny(expression, depth).node, failing: true,
        at: position(expression.range, depth)))
  }

  private mutating func buildAny(_ expression: Expression, _ depth: Int) -> Built {
    switch expression {
    case .integer(let literal): constant(machine.integer(literal))
    case .float(let literal): constant(machine.makeFloat(literal.value))
    case .scaledDecimal(let literal): buildScaledDecimal(literal, depth)
    case .string(let literal): constant(machine.makeString(literal.value))
    case .interpolatedString(let literal): buildInterpolation(literal, depth)
    case .character(let literal): constant(Value(literal.value))
    case .symbol(let literal): constant(machine.symbol(literal.value))
    case .array(let literal): buildArray(literal.elements, depth)
    case .byteArray(let literal): add(ByteArrayNode(bytes: literal.bytes, state: state))
    case .dictionary(let literal): buildDictionary(literal, depth)
    case .object(let literal): buildObject(literal, depth)
    case .name(let name): read(name.name, depth)
    case .implicitParameter(let parameter):
      read(Name("$\(parameter.index)", parameter.range), depth)
    case .identifier(let identifier): buildIdentifier(identifier, depth)
    case .reference(let reference): buildReference(reference, depth)
    case .block(let block): buildClosure(block, depth)
    case .unaryMessage(let message): buildUnary(message, depth)
    case .binaryMessage(let message): buildBinary(message, depth)
    case .keywordMessage(let message): buildKeyword(message, depth)
    case .pipe(let pipe): build(pipe.input, depth)
    case .cascade(let cascade): buildCascade(cascade, depth)
    case .subscript(let subscription): buildSubscript(subscription, depth)
    case .query(let query): buildQuery(query, depth)
    case .assignment(let assignment): buildAssignment(assignment, depth)
    case .append(let append): buildAppend(append, depth)
    case .connect(let connect): buildConnect(connect, depth)
    }
  }
}

// MARK: - Literals

extension Builder {
  private mutating func buildArray(_ elements: [Expression], _ depth: Int) -> Built {
    let nodes = elements.map { build($0, depth + 1).node }
    return add(ArrayNode(elements: list(nodes), slot: depth, state: state))
  }

  private mutating func buildInterpolation(
    _ literal: InterpolatedStringExpression, _ depth: Int
  ) -> Built {
    var nodes: [NodeRef] = []
    for (index, part) in literal.parts.enumerated() {
      switch part {
      case .text(let text): nodes.append(constant(machine.makeString(text)).node)
      case .expression(let expression):
        nodes.append(build(expression, depth + index).node)
      }
    }
    return add(
      InterpolationNode(
        parts: list(nodes), at: position(literal.range, depth + nodes.count)))
  }

  private mutating func buildScaledDecimal(
    _ literal: ScaledDecimalExpression, _ depth: Int
  ) -> Built {
    let numerator = machine.integer(
      isNegative: literal.isNegative, digits: literal.digits, radix: 10)
    let denominator = machine.integer(
      isNegative: false, digits: "1" + String(repeating: "0", count: literal.fractionCount),
      radix: 10)
    return send(
      "numerator:denominator:scale:", to: classNode("ScaledDecimal"),
      [constant(numerator), constant(denominator), constant(Value(small: literal.scale))],
      literal.range, depth)
  }

  private mutating func buildDictionary(_ literal: DictionaryExpression, _ depth: Int) -> Built {
    let creation = send("new", to: classNode("Dictionary"), [], literal.range, depth)
    let kept = leaf(NodeRef(local: depth), .local(depth))
    let steps = literal.entries.map { entry in
      let key = build(entry.key, depth + 3)
      let value = build(entry.value, depth + 4)
      return send("at:put:", to: kept, [key, value], literal.range, depth + 1).node
    }
    return add(BuildNode(subject: creation.node, slot: depth, steps: list(steps)))
  }

  private mutating func buildObject(_ literal: ObjectExpression, _ depth: Int) -> Built {
    let creation = send("new", to: read(literal.className, depth), [], literal.range, depth)
    let kept = leaf(NodeRef(local: depth), .local(depth))
    let info = machine.classesByName[literal.className.text]
    let steps = literal.properties.map { property in
      let setter = property.name.text + ":"
      // A dictionary has keys, but for the variables that a class of a program adds.
      if let info, info.inherits(from: machine.kernel.dictionary),
        info.lookUp(machine.selector(setter)) == nil
      {
        let name = SymbolExpression(value: property.name.text, range: property.name.range)
        let key = build(property.key ?? .symbol(name), depth + 3)
        let value = build(property.value, depth + 4)
        return send("at:put:", to: kept, [key, value], property.name.range, depth + 1).node
      }
      if info != nil {
        let value = build(property.value, depth + 3)
        return send(setter, to: kept, [value], property.name.range, depth + 1).node
      }
      // What a template makes may be a dictionary.
      let name = SymbolExpression(value: property.name.text, range: property.name.range)
      let key = build(property.key ?? .symbol(name), depth + 3)
      let value = build(property.value, depth + 4)
      return send("setProperty:to:", to: kept, [key, value], property.name.range, depth + 1).node
    }
    return add(BuildNode(subject: creation.node, slot: depth, steps: list(steps)))
  }

  /// A class of the kernel.
  func classNode(_ name: String) -> Built {
    let cell = machine.classCell(named: name)
    code.addLiteral(Value(cell))
    return unsafe leaf(NodeRef(at: cell.address(ofSlot: 0)), .leaf)
  }
}

// MARK: - Messages

extension Builder {
  /// Builds a send whose operands are built: the receiver for `depth`, argument `i` for
  /// `depth + 2 + i`.
  func send(
    _ selector: String, to receiver: Built, _ arguments: [Built], _ range: SourceRange,
    _ depth: Int
  ) -> Built {
    let selector = machine.selector(selector)
    let position = position(range, depth)
    if selector.isBlockEvaluation {
      return add(
        BlockValueNode(
          selector, receiver: receiver.node, arguments: list(arguments.map(\.node)),
          tracked: isTracked, at: position))
    }
    // What records its reads must see the collection as a receiver.
    if selector.name == "at:", !isTracked {
      let (receiver, index) = (receiver.node, arguments[0].node)
      return index.isLeaf
        ? add(LeafAtNode(selector, receiver: receiver, index: index, at: position))
        : add(AtNode(selector, receiver: receiver, index: index, at: position))
    }
    if selector.name == "at:put:", !isTracked {
      let (receiver, index, value) = (receiver.node, arguments[0].node, arguments[1].node)
      return index.isLeaf && value.isLeaf
        ? add(
          LeafAtPutNode(selector, receiver: receiver, index: index, value: value, at: position))
        : add(AtPutNode(selector, receiver: receiver, index: index, value: value, at: position))
    }
    let isSelf =
      if case .local(0) = receiver.shape { scope.frameScope.kind != .block } else { false }
    switch arguments.count {
    case 0:
      let built =
        isSelf
        ? add(UnarySelfSendNode(selector, tracked: isTracked, at: position))
        : add(
          UnarySendNode(selector, receiver: receiver.node, tracked: isTracked, at: position))
      // What records its reads must see a collection as a receiver.
      guard let answer = selector.answerToNil, !isTracked else { return built }
      return asking(built, answer ? .isNil : .isNotNil, receiver, receiver)
    case 1:
      return isSelf
        ? add(
          OneArgumentSelfSendNode(
            selector, argument: arguments[0].node, tracked: isTracked, at: position))
        : add(
          OneArgumentSendNode(
            selector, receiver: receiver.node, argument: arguments[0].node, tracked: isTracked,
            at: position))
    case 2:
      return add(
        TwoArgumentSendNode(
          selector, receiver: receiver.node, first: arguments[0].node, second: arguments[1].node,
          tracked: isTracked, at: position))
    default:
      return add(
        ManyArgumentSendNode(
          selector, receiver: receiver.node, arguments: list(arguments.map(\.node)),
          tracked: isTracked, at: position))
    }
  }

  private mutating func superSend(
    _ selector: String, _ arguments: [Built], _ range: SourceRange, _ depth: Int
  ) -> Built {
    let position = position(range, depth)
    guard let holder, var superclass = holder.superclass else {
      return add(FailureNode(.noSuperclass(), at: position))
    }
    var selector = selector
    let described = HiddenSelector.described(selector)
    if holder.describesPlaces, !isOfPaths, holder.ownMethod(machine.selector(described)) != nil {
      // What its property paths say comes between the class and its superclass.
      (selector, superclass) = (described, holder)
    }
    if let layout { superclass = machine.superVariant(of: layout, for: superclass) }
    return add(
      SuperSendNode(
        machine.selector(selector), receiver: selfNode().node,
        arguments: list(arguments.map(\.node)), superclassIndex: superclass.index,
        tracked: isTracked, at: position))
  }

  mutating func buildUnary(_ message: UnaryMessageExpression, _ depth: Int) -> Built {
    if let inlined = InlinedMessage(message) {
      return build(inlined, range: message.range, depth)
    }
    let range = message.selector.range
    if message.receiver.isSuper { return superSend(message.selector.text, [], range, depth) }
    let receiver = build(message.receiver, depth)
    return send(message.selector.text, to: receiver, [], range, depth)
  }

  mutating func buildKeyword(_ message: KeywordMessageExpression, _ depth: Int) -> Built {
    if let (connect, options) = connectionWithOptions(message) {
      let outer = (connectionOptions, asksForSolver)
      connectionOptions = options
      asksForSolver = options.contains { $0.name == "solver:" }
      defer { (connectionOptions, asksForSolver) = outer }
      return buildConnect(connect, depth)
    }
    if let connection = buildGivenInverse(message, depth) { return connection }
    if let inlined = InlinedMessage(message) {
      return build(inlined, range: message.range, depth)
    }
    let selector = message.keywords.map(\.text).joined()
    let range = message.keywords.map(\.range).reduce(message.keywords[0].range) { $0.union($1) }
    if message.receiver.isSuper {
      let arguments = buildArguments(message.arguments, depth)
      return superSend(selector, arguments, range, depth)
    }
    let outerAwaits = awaitsPolicy
    if case .connect = message.receiver { awaitsPolicy = selector == "policy:" }
    let receiver = buildHeldConnection(message, depth) ?? build(message.receiver, depth)
    awaitsPolicy = outerAwaits
    if message.arguments.count == 1, let family = BinaryNodeFamily.named(selector) {
      return binary(family, selector, receiver, message.arguments[0], range, depth)
    }
    return send(
      selector, to: receiver, buildArguments(message.arguments, depth), range, depth)
  }

  /// Builds the arguments of a send at a depth.
  mutating func buildArguments(_ arguments: [Expression], _ depth: Int) -> [Built] {
    var built: [Built] = []
    for (index, argument) in arguments.enumerated() {
      built.append(build(argument, depth + 2 + index))
    }
    return built
  }

  mutating func buildBinary(_ message: BinaryMessageExpression, _ depth: Int) -> Built {
    if let inlined = InlinedMessage(message) {
      return build(inlined, range: message.range, depth)
    }
    let selector = message.selector.text
    let range = message.selector.range
    if message.receiver.isSuper {
      return superSend(selector, buildArguments([message.argument], depth), range, depth)
    }
    let receiver = build(message.receiver, depth)
    if selector == "==" || selector == "~~" {
      let argument = build(message.argument, depth + 1)
      let test = add(
        IdentityNode(
          left: receiver.node, right: argument.node, negated: selector == "~~",
          at: position(range, depth)))
      return selector == "==" ? asking(test, .isIdentical, receiver, argument) : test
    }
    if let family = BinaryNodeFamily.named(selector) {
      return binary(family, selector, receiver, message.argument, range, depth)
    }
    return send(selector, to: receiver, [build(message.argument, depth + 2)], range, depth)
  }

  /// Builds a binary send that tries numbers first, by the shape of its operands.
  mutating func binary(
    _ family: BinaryNodeFamily, _ selector: String, _ left: Built, _ argument: Expression,
    _ range: SourceRange, _ depth: Int
  ) -> Built {
    let right = build(argument, depth + 1)
    return binary(family, selector, left, right, range, depth)
  }

  func binary(
    _ family: BinaryNodeFamily, _ selector: String, _ left: Built, _ right: Built,
    _ range: SourceRange, _ depth: Int
  ) -> Built {
    let built = shaped(family, selector, left, right, range, depth)
    guard let order = ConditionRef.Order.named(selector) else { return built }
    return asking(built, .order(order), left, right)
  }

  private func shaped(
    _ family: BinaryNodeFamily, _ selector: String, _ left: Built, _ right: Built,
    _ range: SourceRange, _ depth: Int
  ) -> Built {
    let selector = machine.selector(selector)
    let position = position(range, depth)
    if case .constant(let constant) = right.shape, constant.isImmediateFloat,
      let node = family.floatConstant
    {
      if case .local(let local) = left.shape, let node = family.localFloatConstant {
        return add(
          node.init(
            selector, local: local, left: left.node, constant: constant, tracked: isTracked,
            at: position))
      }
      return add(
        node.init(
          selector, left: left.node, constant: constant, tracked: isTracked, at: position))
    }
    if case .local(let local) = left.shape, case .constant(let constant) = right.shape,
      let node = family.localConstant
    {
      return add(
        node.init(
          selector, local: local, constant: constant, leaf: left.node, tracked: isTracked,
          at: position))
    }
    if case .local(let first) = left.shape, case .local(let second) = right.shape,
      let node = family.localLocal
    {
      return add(
        node.init(
          selector, first: first, second: second, leaf: left.node, tracked: isTracked,
          at: position))
    }
    if case .constant(let constant) = right.shape, let node = family.constant {
      return add(
        node.init(
          selector, left: left.node, constant: constant, tracked: isTracked, at: position))
    }
    return right.isLeaf
      ? add(
        family.leaf.init(
          selector, left: left.node, right: right.node, tracked: isTracked, at: position))
      : add(
        family.spilled.init(
          selector, left: left.node, right: right.node, tracked: isTracked, at: position))
  }

  private mutating func buildCascade(_ cascade: CascadeExpression, _ depth: Int) -> Built {
    let isSuper = cascade.receiver.isSuper
    let subject = build(cascade.receiver, depth)
    let kept = leaf(NodeRef(local: depth), .local(depth))
    var steps: [NodeRef] = []
    for message in cascade.messages {
      let arguments = buildArguments(message.arguments, depth + 1)
      steps.append(
        isSuper
          ? superSend(message.selector, arguments, message.range, depth + 1).node
          : send(message.selector, to: kept, arguments, message.range, depth + 1).node)
    }
    return add(CascadeNode(subject: subject.node, slot: depth, steps: list(steps)))
  }

  private mutating func buildSubscript(
    _ subscription: SubscriptExpression, _ depth: Int
  ) -> Built {
    let receiver = build(subscription.receiver, depth)
    return send(
      "at:", to: receiver, [build(subscription.index, depth + 2)], subscription.range,
      depth)
  }
}

extension Selector {
  /// What nil answers to a message by which it differs from all other objects.
  var answerToNil: Bool? {
    switch name {
    case "isNil": true
    case "notNil", "isNotNil": false
    default: nil
    }
  }

  /// Whether the message evaluates a block with its arguments.
  var isBlockEvaluation: Bool {
    switch name {
    case "value", "value:", "value:value:", "value:value:value:", "value:value:value:value:": true
    default: false
    }
  }
}

extension Message {
  var selector: String {
    switch self {
    case .unary(let name), .binary(let name, _): name.text
    case .keyword(let names, _): names.map(\.text).joined()
    }
  }

  /// Where the selector stands.
  var range: SourceRange {
    switch self {
    case .unary(let name), .binary(let name, _): name.range
    case .keyword(let names, _):
      names.map(\.range).reduce(names.first?.range ?? .none) { $0.union($1) }
    }
  }
}
