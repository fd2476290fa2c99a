internal import TenonAnalysis
internal import TenonLexer
internal import TenonSolverKit
internal import TenonParser

// `place =|= formula`: a connection with a formula for each place that can be computed.

extension Builder {
  /// Builds a connection both ways with a formula on the right.
  mutating func buildInversion(
    _ connect: ConnectExpression, _ left: Expression, _ right: Expression,
    given: GivenInverse? = nil, isReversed: Bool = false, _ depth: Int
  ) -> NodeRef {
    let inversion = Inversion(
      of: right, names: names(of: right), isGiven: given != nil, hasUnits: hasUnits)
    let missing = given == nil && asksForSolver ? inversion.problem : nil
    let backs: [WayBack]
    do throws(Inversion.Problem) {
      backs = try waysBack(by: inversion, missing, of: left, right, given)
    } catch {
      return addFailure(.cannotInvert(error.message), at: position(error.range, depth))
    }
    // The blocks' array, then values on the way.
    let inner = depth + 1
    guard let target = place(left, inner) else {
      return addFailure(
        .noPlace(SyntaxPrinter.print(left), connect.connector.text),
        at: position(left.range, depth))
    }
    var targets: [ConnectNode.Operand] = []
    if let back = takePlaces(of: backs, to: &targets, inner) {
      return addFailure(
        .noPlace(SyntaxPrinter.print(back), connect.connector.text),
        at: position(back.range, depth))
    }
    // At a prompt this declares what the formula reads.
    let all = reads(of: right, inner)
    var reads = reads(of: right, paths: targets.paths, inner)
    let roots = all.filter { operand in !reads.contains { $0.name == operand.name } }
    for back in targets where !reads.contains(where: { $0.name == back.name }) {
      reads.append(back)
    }
    var blocks = [buildFormula(right, depth + 1)]
    for back in backs { blocks.append(back.make(&self, depth + 1)) }
    let holes = given == nil ? buildHoles(inversion, of: left, right, to: &blocks, depth + 1) : []
    let array = code.add(ArrayNode(elements: list(blocks), slot: depth, state: state))
    // Where formulas cannot hold together with others, a sum may.
    let sum =
      LinearAnalysis(left, less: right).mayBeLinear
      ? linear(left, right, .equal, isChoice: true, depth) : nil
    let pair = ConnectExpression(
      connector: connect.connector, operands: isReversed ? [right, left] : [left, right],
      range: connect.range)
    let node = code.add(
      ConnectNode(
        connector: connect.connector.text, text: SyntaxPrinter.print(.connect(pair)),
        target: ConnectNode.Operand(place: target, name: SyntaxPrinter.print(left)),
        block: array, other: nil, reads: reads, linear: sum, options: buildOptions(inner),
        formula: right,
        ways: FormulaWays(
          places: targets, holes: holes, beginsWithText: isReversed,
          problem: missing.map { .cannotInvert($0.message) }),
        roots: roots,
        awaitsSolver: holdsConnection, refusal: refusal(of: [left]), base: depth,
        at: position(connect.range, inner)))
    return missing == nil ? checked(node, inversion.conditionalSteps, depth) : node
  }

  /// Finds the places that a formula can be run back to.
  ///
  /// - Returns: what is none of them, or nil.
  private mutating func takePlaces(
    of backs: [WayBack], to operands: inout [ConnectNode.Operand], _ depth: Int
  ) -> Expression? {
    for back in backs {
      guard let place = place(back.place, depth) else { return back.place }
      operands.append(ConnectNode.Operand(place: place, name: SyntaxPrinter.print(back.place)))
    }
    return nil
  }

  /// Builds the questions whether steps run backwards before a connection.
  mutating func checked(
    _ connection: NodeRef, _ steps: [Inversion.ConditionalStep], _ depth: Int
  ) -> NodeRef {
    sequence(steps.map { buildCheck(of: $0, depth) } + [connection])
  }

  /// Builds the question whether a step runs backwards for the kind of object that it is sent to.
  private mutating func buildCheck(of step: Inversion.ConditionalStep, _ depth: Int) -> NodeRef {
    reserve(depth + 5)
    let present = add(
      PresentValueNode(
        body: build(step.receiver, depth + 4).node, at: position(step.range, depth + 3)))
    return send(
      "check:for:", to: classNode("Inverse"),
      [constant(machine.makeString(step.selector)), present], step.range, depth
    ).node
  }

  /// Builds the formulas of the single parts of a text with several places, each of which follows from
  /// the text alone.
  ///
  /// - Returns: the parts, with the positions of their blocks.
  private mutating func buildHoles(
    _ inversion: Inversion, of left: Expression, _ right: Expression, to blocks: inout [NodeRef],
    _ depth: Int
  ) -> [FormulaWays.Hole] {
    var holes: [FormulaWays.Hole] = []
    for (index, hole) in inversion.holes.enumerated() {
      let others = inversion.holes.enumerated().filter { $0.offset != index }.map(\.element.range)
      presentParts = Set(others)
      blocks.append(buildFormula(right, depth))
      presentParts = []
      var made = FormulaWays.Hole(forward: blocks.count - 1, ways: [])
      for way in hole.ways {
        blocks.append(buildInverse(way.value, of: left, right, depth))
        made.ways.append((back: way.direction, block: blocks.count - 1))
      }
      holes.append(made)
    }
    return holes
  }

  /// A place that a formula of `=|=` can be run back to, and what builds the code for that.
  private typealias WayBack = (place: Expression, make: (inout Builder, Int) -> NodeRef)

  /// The ways back of a formula: those that the statement gives, then those that are found.
  private func waysBack(
    by inversion: Inversion, _ missing: Inversion.Problem?, of left: Expression,
    _ right: Expression, _ given: GivenInverse?
  ) throws(Inversion.Problem) -> [WayBack] {
    if let missing { return unknownWays(of: inversion, missing, left, right) }
    var backs: [WayBack] = []
    var isGiven: Set<String> = []
    for (place, block) in try given?.blocks(for: inversion) ?? [] {
      isGiven.insert(SyntaxPrinter.print(place))
      backs.append((place, { $0.buildGivenInverse(block, of: left, right, $1) }))
    }
    if given == nil, let problem = inversion.problem { throw problem }
    for direction in inversion.directions
    where !isGiven.contains(SyntaxPrinter.print(direction.place)) {
      backs.append((direction.place, { $0.buildInverse(direction.value, of: left, right, $1) }))
    }
    return backs
  }

  /// The places of a formula that no inverse is known for: a solver of the program's own finds them.
  private func unknownWays(
    of inversion: Inversion, _ problem: Inversion.Problem, _ left: Expression, _ right: Expression
  ) -> [WayBack] {
    let value = InverseTerm.inverse("unknown:", [.text(problem.message)], problem.range)
    return inversion.places.map { place in
      (place, { $0.buildInverse(value, of: left, right, $1) })
    }
  }

  /// Builds a connection that depends on what kinds of objects it is about, nil for any other.
  mutating func buildByKind(
    _ connect: ConnectExpression, _ left: Expression, _ right: Expression, _ depth: Int
  ) -> NodeRef? {
    connect.connector.text == "=|="
      ? buildUnits(connect, left, right, depth) : buildMember(connect, left, right, depth)
  }

  /// Builds `member |= formula` for a member of what a store holds: the whole is put anew with it.
  ///
  /// - Returns: nil where the left side is no such member.
  private mutating func buildMember(
    _ connect: ConnectExpression, _ left: Expression, _ right: Expression, _ depth: Int
  ) -> NodeRef? {
    guard connect.connector.text == "|=", left.isMemberOfValue else { return nil }
    let inversion = Inversion(of: left, names: names(of: left))
    guard let way = inversion.directions.first, inversion.directions.count == 1,
      let target = place(way.place, depth + 1)
    else { return nil }
    let block = buildInverse(way.value, of: right, right, depth)
    let pair = ConnectExpression(
      connector: connect.connector, operands: [left, right], range: connect.range)
    return code.add(
      ConnectNode(
        connector: connect.connector.text, text: SyntaxPrinter.print(.connect(pair)),
        target: ConnectNode.Operand(place: target, name: SyntaxPrinter.print(way.place)),
        block: block, other: nil, reads: reads(of: right, depth + 1),
        options: buildOptions(depth + 1), awaitsSolver: holdsConnection,
        rightName: SyntaxPrinter.print(right), awaitsPolicy: awaitsPolicy, base: depth,
        at: position(connect.range, depth + 1)))
  }

  /// Builds a connection both ways whose formula has messages such as `hours`, which make durations of
  /// numbers and are properties of other objects: which it is, is known when it is made.
  private mutating func buildUnits(
    _ connect: ConnectExpression, _ left: Expression, _ right: Expression, _ depth: Int
  ) -> NodeRef? {
    let receivers = right.unitReceivers
    guard !receivers.isEmpty, !hasUnits,
      Inversion(of: right, names: names(of: right), hasUnits: true).problem == nil
    else { return nil }
    hasUnits = true
    let formula = buildInversion(connect, left, right, depth)
    let property = buildPair(connect, left, right, depth)
    hasUnits = false
    let present = receivers.map { receiver in
      add(
        PresentValueNode(
          body: build(receiver, depth + 1).node, at: position(receiver.range, depth))
      ).node
    }
    return code.add(
      UnitChoiceNode(
        receivers: list(present), formula: formula, property: property,
        at: position(connect.range, depth + 1)))
  }

  /// Builds the connection that a message about its solver is sent to: it comes into force with that
  /// solver, which may keep what others refuse; nil for any other receiver or message.
  mutating func buildHeldConnection(_ message: KeywordMessageExpression, _ depth: Int) -> Built? {
    let word = message.keywords[0].text
    guard ["solver:", "iterate:"].contains(word) else { return nil }
    var receiver = message.receiver
    while case .pipe(let pipe) = receiver { receiver = pipe.input }
    let connect: ConnectExpression
    switch receiver {
    case .connect(let known): connect = known
    case .keywordMessage(let inner):
      guard let given = GivenInverse(inner) else { return nil }
      connect = given.connect
    default: return nil
    }
    guard ["|=", "=|="].contains(connect.connector.text), !connect.isOwn,
      connect.operands.count == 2
    else { return nil }
    holdsConnection = true
    asksForSolver = word == "solver:"
    defer { (holdsConnection, asksForSolver) = (false, false) }
    return build(receiver, depth)
  }

  /// The names around a formula.
  func names(of formula: Expression) -> FormulaNames {
    FormulaNames(scope: scopes[formula.formulaRange] ?? scope, environment: environment)
  }

  /// Builds the message `inverse:` to a connection that is written there; nil for any other message.
  mutating func buildGivenInverse(_ message: KeywordMessageExpression, _ depth: Int) -> Built? {
    guard let given = GivenInverse(message) else { return nil }
    let node = buildInversion(
      given.connect, given.connect.operands[0], given.connect.operands[1], given: given, depth)
    return Built(node: node, shape: .other)
  }

  /// Builds the block that a given inverse is: it hands over what is on the other side.
  private mutating func buildGivenInverse(
    _ block: Expression, of left: Expression, _ right: Expression, _ depth: Int
  ) -> NodeRef {
    let user = build(block, depth + 2)
    let reader = buildInverse(.given, of: left, right, depth + 3)
    return send(
      "given:reading:", to: classNode("Inverse"), [user, leaf(reader)], block.range, depth
    ).node
  }

  /// Builds the block that computes a place of a formula.
  mutating func buildInverse(
    _ term: InverseTerm, of left: Expression, _ right: Expression, _ depth: Int
  ) -> NodeRef {
    let outer = mode
    mode = .formula
    defer { mode = outer }
    guard let inner = scopes[right.formulaRange] else { return constant(.nil).node }
    return closure(inner, range: right.range) { builder, depth in
      let value = builder.build(term, of: left, depth)
      if term.mayBeInfinite { return value.node }
      return builder.add(
        AttainableNode(
          value: value.node, given: builder.build(left, depth + 1).node,
          at: builder.position(right.range, depth))
      ).node
    }.node
  }

  /// Builds a term for a depth, which is as high as the formula is.
  private mutating func build(
    _ term: InverseTerm, of left: Expression, _ depth: Int
  ) -> Built {
    reserve(depth + 5)
    switch term {
    case .given:
      if let view = undoneView { return read(view, at: position(left.range, depth)) }
      return build(left, depth)
    case .part(let expression): return build(expression, depth)
    case .divisor(let expression, let range):
      return add(
        DivisorNode(value: build(expression, depth + 1).node, at: position(range, depth)))
    case .finite(let term, let range):
      return guarded(
        send(
          "finite:", to: classNode("Inverse"), build([term], of: left, depth + 2), range, depth),
        range, depth)
    case .present(let expression):
      return add(
        PresentValueNode(
          body: build(expression, depth + 1).node, at: position(expression.range, depth)))
    case .list(let terms, _):
      let values = terms.map { build($0, of: left, depth + 1) }
      return add(ArrayNode(elements: list(values.map(\.node)), slot: depth, state: state))
    case .lens(let selector, let arguments, let range):
      let values = build(arguments, of: left, depth + 2)
      return send(selector, to: classNode("Lens"), values, range, depth)
    case .element(let block, let term): return buildElement(block, term, of: left, depth)
    case .number(let number): return constant(machine.makeInteger(number))
    case .text(let text): return constant(machine.makeString(text))
    case .send(let selector, let receiver, let arguments, let range):
      let receiver = buildReceiver(receiver, of: selector, left, range, depth)
      return guarded(
        send(selector, to: receiver, build(arguments, of: left, depth + 2), range, depth),
        range, depth)
    case .inverse(let selector, let arguments, let range):
      return guarded(
        send(
          selector, to: classNode("Inverse"), build(arguments, of: left, depth + 2), range, depth),
        range, depth)
    case .declared(let key, let operands, let range):
      let values = build(operands, of: left, depth + 4)
      let array = add(
        ArrayNode(elements: list(values.map(\.node)), slot: depth + 3, state: state))
      return guarded(
        send(
          "undo:with:", to: classNode("Inverse"), [constant(machine.makeString(key)), array],
          range, depth),
        range, depth)
    case .choice(let question, let first, let second, let range):
      let condition = condition(build(question, depth).node)
      return guarded(
        add(
          IfNode(
            condition: condition, consequence: build(first, of: left, depth).node,
            alternative: build(second, of: left, depth).node, at: position(range, depth))),
        range, depth)
    }
  }

  /// Builds the block that undoes another one for an element: it is given the element there was and the one
  /// in the view, in an array.
  private mutating func buildElement(
    _ block: BlockExpression, _ term: InverseTerm, of left: Expression, _ depth: Int
  ) -> Built {
    guard let inner = scopes[block.range], let name = block.onlyParameter,
      let element = inner.variable(named: name),
      let view = inner.variable(named: BlockExpression.viewName)
    else { return constant(.nil) }
    return closure(inner, range: block.range) { builder, depth in
      let outer = builder.undoneView
      builder.undoneView = view
      defer { builder.undoneView = outer }
      builder.reserve(depth + 5)
      let place = builder.position(block.range, depth)
      let steps = [(view, 2), (element, 1)].map { variable, index in
        let both = builder.read(element, at: place)
        let one = builder.send(
          "at:", to: both, [builder.constant(Value(small: index))], block.range, depth)
        return builder.assign(variable, one, block.range, depth).node
      }
      return builder.sequence(steps + [builder.build(term, of: left, depth).node])
    }
  }

  private mutating func buildReceiver(
    _ receiver: InverseTerm, of selector: String, _ left: Expression, _ range: SourceRange,
    _ depth: Int
  ) -> Built {
    let built = build(receiver, of: left, depth)
    guard selector == "*" || selector == "/", !receiver.isArithmetic else { return built }
    return add(FactorNode(value: built.node, at: position(range, depth)))
  }

  private mutating func build(
    _ terms: [InverseTerm], of left: Expression, _ depth: Int
  ) -> [Built] {
    terms.enumerated().map { build($1, of: left, depth + $0) }
  }

  /// Looks at the native stack: inverses are as high as formulas.
  private func guarded(_ built: Built, _ range: SourceRange, _ depth: Int) -> Built {
    add(StackGuardNode(body: built.node, at: position(range, depth)))
  }
}

extension [ConnectNode.Operand] {
  /// The texts of those that are chains of names.
  var paths: Set<String> {
    reduce(into: []) { paths, operand in
      if case .chain = operand.place { paths.insert(operand.name) }
    }
  }
}
