internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

/// A node with what its parent wants to know of it.
struct Built {
  enum Shape {
    case constant(Value)
    /// A variable on the stack.
    case local(Int)
    /// Anything that runs no code of the language.
    case leaf
    case other
  }

  let node: NodeRef
  let shape: Shape

  /// Whether evaluating it can run code, so that values must not wait outside the frame.
  var isLeaf: Bool {
    if case .other = shape { return false }
    return true
  }
}

/// Makes the executable tree of a method, a statement or a formula from its syntax.
///
/// It walks the syntax that the analyzer has walked, finds the scopes again by their ranges, and
/// settles slots and operand depths. Super-nodes are chosen by the shape of operands alone.
struct Builder {
  let machine: Machine
  let code: Code
  let environment: any CodeEnvironment
  let scopes: [SourceRange: Scope]
  /// The class whose superclass `super` starts from.
  let holder: ClassInfo?
  /// The layout of the receivers, when it is an older one.
  var layout: ClassInfo?
  /// Whether the connection that is built next waits for its solver.
  var holdsConnection = false
  /// Whether that is a solver which the message names: it may need no inverse.
  var asksForSolver = false
  /// Whether messages such as `hours` in formulas make durations of numbers, and are no properties.
  var hasUnits = false
  /// The expressions in the braces of a text whose present values are taken and not depended on.
  var presentParts: Set<SourceRange> = []
  /// What holds the element of a view in the block that undoes another one, while it is built.
  var undoneView: Variable?
  /// Whether the connection that is built gets the message `policy:`.
  var awaitsPolicy = false
  /// What stands for connections that are refused whatever the places hold.
  private(set) var failures: [NodeRef: (failure: Failure, range: SourceRange)] = [:]
  /// Whether `^` emits: in the body of a filter.
  var emits = false
  /// Whether it is a method that asks property paths, beyond which `super` leads.
  var isOfPaths = false
  /// Whether formulas record what their own text reads.
  var recordsFormulas = false
  /// In which form the code is built.
  var mode: CodeMode
  var scope: Scope
  /// What is said of the connection that is being built: `(a >=| b) strength: #weak`.
  var connectionOptions: [(name: String, value: Expression)] = []
  /// Whether the method needs to catch returns from its middle.
  private var usesReturnNode = false
  /// How many expressions are being built, one inside the other.
  private var level = 0
  /// How many such choices the statement that is being built is the rest of.
  private var guardCount = 0
  /// How many there may be: one stands inside the other, in the text side by side.
  private static let guardLimit = 12
  /// The greatest operand depth in the frame that is being built.
  var greatestDepth = 0

  /// Adds what stands for a connection that is refused whatever the places hold.
  mutating func addFailure(_ failure: Failure, at position: CodePosition) -> NodeRef {
    let node = code.add(FailureNode(failure, at: position))
    failures[node] = (failure, position.range)
    return node
  }

  init(
    machine: Machine, code: Code, environment: any CodeEnvironment, scope: Scope,
    scopes: [SourceRange: Scope], holder: ClassInfo?, mode: CodeMode
  ) {
    self.machine = machine
    self.code = code
    self.environment = environment
    self.scope = scope
    self.scopes = scopes
    self.holder = holder
    self.mode = mode
  }

  var state: StateRef { machine.state }

  /// Whether what is sent records what it reads.
  var isTracked: Bool { mode != .plain }

  /// Notes how far the operands of a node reach that are not built one by one.
  mutating func reserve(_ depth: Int) { greatestDepth = max(greatestDepth, depth) }

  func position(_ range: SourceRange, _ depth: Int) -> CodePosition {
    CodePosition(code: code, range: range, depth: depth, state: state)
  }

  func add(_ node: Node, _ shape: Built.Shape = .other) -> Built {
    Built(node: code.add(node), shape: shape)
  }

  func leaf(_ node: NodeRef, _ shape: Built.Shape = .other) -> Built {
    Built(node: node, shape: shape)
  }

  func list(_ nodes: [NodeRef]) -> NodeList { NodeList(nodes, in: code) }

  func constant(_ value: Value) -> Built {
    leaf(code.constant(value), .constant(value))
  }
}

// MARK: - Methods

extension Builder {
  /// What the value of a body is.
  enum BodyValue {
    /// That of the last statement: blocks and handlers.
    case last
    /// The receiver, unless something is returned: methods.
    case receiver
  }

  /// Builds the body of a method.
  mutating func buildMethod(
    _ statements: [Statement], value: BodyValue, header: MethodHeader? = nil
  ) -> NodeRef {
    let depth = scope.frameSize
    var body = buildTail(statements[...], value: value, depth)
    if usesReturnNode, !isDebuggable { body = code.add(ReturnEntryNode(state: state, body: body)) }
    body = catchingReturns(body)
    if scope.isHome {
      body = code.add(HomeEntryNode(contextSlot: scope.contextSlot, state: state, body: body))
    }
    body = enter(body, range: statements.first?.range ?? .none)
    return header.map { checkTypes(of: body, $0) } ?? body
  }

  /// Puts the checks of what a method takes and answers around its body.
  private func checkTypes(of body: NodeRef, _ header: MethodHeader) -> NodeRef {
    var body = body
    // Below its arguments a frame that has just begun holds nothing.
    let depth = header.parameters.count + 1
    if let type = header.resultType, type.text != "void" {
      body = code.add(
        ResultCheckNode(
          value: body, type: type.text, method: header.selector,
          at: position(header.range, depth)))
    }
    let checks = header.parameters.enumerated().compactMap { index, parameter -> NodeRef? in
      guard let type = parameter.type else { return nil }
      return code.add(
        TypeCheckNode(
          value: NodeRef(local: index + 1), type: type.text, name: parameter.name.text,
          at: position(parameter.range, depth)))
    }
    guard !checks.isEmpty else { return body }
    return code.add(ParameterChecksNode(checks: list(checks), body: body))
  }

  /// Whether a debugger may leave an activation of the code.
  private var isDebuggable: Bool { machine.exceptions.debugger != nil && !code.isKernel }

  /// Lets a debugger leave the activation of a body with a value, if there is one.
  func catchingReturns(_ body: NodeRef) -> NodeRef {
    guard isDebuggable else { return body }
    code.catchesReturns = true
    return code.add(ReturnEntryNode(state: state, body: body))
  }

  /// Puts the node before a body that prepares its frame.
  func enter(_ body: NodeRef, range: SourceRange) -> NodeRef {
    let first = scope.parameterCount + 1
    let end = scope.frameSize
    let size = max(end, greatestDepth)
    let isLarge = size > FrameLimits.uncheckedOperands
    let position = position(range, isLarge ? size : end)
    if scope.hasContext {
      return code.add(
        ContextEntryNode(
          firstTemporary: first, endTemporary: end, contextSlot: scope.contextSlot,
          contextSize: scope.contextSize, capturedArguments: scope.capturedParameters,
          isBlock: scope.kind == .block, body: body, at: position))
    }
    guard first < end || isLarge else { return body }
    let statements = code.sequences[body] ?? [statement(body)]
    return code.add(
      TemporariesEntryNode(
        first: first, end: end, statements: StatementList(statements.dropLast(), in: code),
        last: statements.last ?? StatementRef(body), at: position))
  }

  /// Builds statements whose value is that of the method, so that `^` costs nothing.
  private mutating func buildTail(
    _ statements: ArraySlice<Statement>, value: BodyValue, _ depth: Int
  ) -> NodeRef {
    var plain: [NodeRef] = []
    var rest = statements
    while let statement = rest.first {
      let batch = rest.prefix { $0.isConnection }
      if batch.count > 1 {
        plain.append(buildBatch(batch, depth))
        rest = rest.dropFirst(batch.count)
        continue
      }
      rest = rest.dropFirst()
      if case .return(let statement) = statement, !environment.isScript, !emits {
        return sequence(plain + [buildTailValue(statement.value, depth)])
      }
      if let guarded = buildGuard(statement, rest: rest, value: value, depth) {
        return sequence(plain + [guarded])
      }
      if rest.isEmpty, value == .last {
        return sequence(plain + [build(statement, depth)])
      }
      plain.append(build(statement, depth))
    }
    switch value {
    case .last: return sequence(plain + [constant(.nil).node])
    case .receiver: return sequence(plain + [selfNode().node])
    }
  }

  private mutating func buildTailValue(_ expression: Expression, _ depth: Int) -> NodeRef {
    build(expression, depth).node
  }

  /// Builds `condition ifTrue: [... ^x]. rest` as a choice between the two ends of the method.
  private mutating func buildGuard(
    _ statement: Statement, rest: ArraySlice<Statement>, value: BodyValue, _ depth: Int
  ) -> NodeRef? {
    guard !environment.isScript, !emits, scope.kind == .method || scope.kind == .inlined,
      guardCount < Builder.guardLimit, case .expression(.keywordMessage(let message)) = statement,
      case .conditional(let conditional)? = InlinedMessage(message)
    else { return nil }
    let consequenceEnds = conditional.consequence?.endsWithReturn ?? false
    let alternativeEnds = conditional.alternative?.endsWithReturn ?? false
    guard consequenceEnds || alternativeEnds else { return nil }
    // A branch that goes on must be followed by the rest; it may stand there only once.
    guard consequenceEnds || conditional.consequence == nil,
      alternativeEnds || conditional.alternative == nil
    else { return nil }
    guardCount += 1
    defer { guardCount -= 1 }
    let condition = condition(build(conditional.condition, depth).node)
    let consequence = buildEnd(conditional.consequence, rest: rest, value: value, depth)
    let alternative = buildEnd(conditional.alternative, rest: rest, value: value, depth)
    return code.add(
      IfNode(
        condition: condition, consequence: consequence, alternative: alternative,
        at: position(message.range, depth)))
  }

  private mutating func buildEnd(
    _ block: BlockExpression?, rest: ArraySlice<Statement>, value: BodyValue, _ depth: Int
  ) -> NodeRef {
    guard let block else { return buildTail(rest, value: value, depth) }
    let outer = scope
    scope = scopes[block.range] ?? scope
    defer { scope = outer }
    let body = buildTail(block.statements[...], value: value, depth)
    return withFreshTemporaries(body)
  }

  func sequence(_ nodes: [NodeRef]) -> NodeRef {
    guard let last = nodes.last else { return constant(.nil).node }
    guard nodes.count > 1 else { return last }
    let statements = nodes.map { statement($0) }
    let node: Node =
      switch statements.count {
      case 2: PairNode(first: statements[0], last: statements[1])
      case 3: TripleNode(first: statements[0], second: statements[1], last: statements[2])
      default:
        SequenceNode(
          statements: StatementList(statements.dropLast(), in: code), last: statement(last))
      }
    let body = code.add(node)
    code.record(body, consistsOf: statements)
    return body
  }

  /// A node as a statement: the statement itself takes care of an assignment to a local variable.
  private func statement(_ node: NodeRef) -> StatementRef {
    code.assignments[node] ?? StatementRef(node)
  }
}

extension BlockExpression {
  /// Whether the last thing the block does is to return from the method.
  var endsWithReturn: Bool {
    if case .return? = statements.last { return true }
    return false
  }
}

// MARK: - Limits of the stacks

extension Builder {
  /// How many levels of an expression are evaluated between two looks at the native stack.
  ///
  /// What is below its limit suffices for several times as many.
  static let levelsUnchecked = 8

  /// Builds an expression whose operand area begins at a depth.
  ///
  /// A high expression looks at the native stack on its way down: nothing else would before it
  /// has come to the bottom and sends its first message.
  mutating func build(_ expression: Expression, _ depth: Int) -> Built {
    greatestDepth = max(greatestDepth, depth)
    level += 1
    defer { level -= 1 }
    let built = buildUnchecked(expression, depth)
    guard level % Builder.levelsUnchecked == 0, !built.isLeaf else { return built }
    return add(StackGuardNode(body: built.node, at: position(expression.range, depth)))
  }
}

// MARK: - Statements

extension Builder {
  /// Builds a statement of a script: code of its own.
  mutating func buildStatement(_ statement: Statement) -> NodeRef {
    guard case .definition(let definition) = statement else {
      let body = build(statement, scope.frameSize)
      return enter(
        statement.isConnection ? body : catchingReturns(body), range: statement.range)
    }
    if case .template(let template) = definition {
      return enter(buildTemplate(template, scope.frameSize), range: definition.range)
    }
    if case .group(let group) = definition {
      return enter(buildGroup(group, scope.frameSize), range: definition.range)
    }
    let node = DefinitionNode(definition, at: position(definition.nameRange, scope.frameSize))
    return enter(code.add(node), range: definition.range)
  }

  /// Builds the definition of a template: a block that makes the object, under a name.
  private mutating func buildTemplate(_ template: TemplateDefinition, _ depth: Int) -> NodeRef {
    let name = constant(machine.makeString(template.name.text))
    let block = buildClosure(template.block, depth + 3)
    let value = send(
      "name:block:", to: classNode("Template"), [name, block], template.name.range, depth)
    return code.add(
      GlobalNode(
        value: value.node, name: template.name.text, at: position(template.name.range, depth)))
  }

  /// Builds a statement of a method or block.
  mutating func build(_ statement: Statement, _ depth: Int) -> NodeRef {
    switch statement {
    case .expression(let expression):
      return build(expression, depth).node
    case .return(let statement):
      return buildReturn(statement, depth)
    case .temporaries:
      return constant(.nil).node
    case .variable(let statement):
      if statement.type?.text == ReservedName.lazyType,
        let failure = environment.objectionToLaziness(of: statement.name.text)
      {
        return code.add(FailureNode(failure, at: position(statement.name.range, depth)))
      }
      guard let value = statement.value else { return constant(.nil).node }
      return assign(statement.name, build(value, depth), depth).node
    case .import:
      // The machine does it before it goes on with the next statement.
      return constant(.nil).node
    case .definition:
      // The analyzer refuses definitions anywhere but at top level.
      return constant(.nil).node
    }
  }

  private mutating func buildReturn(_ statement: ReturnStatement, _ depth: Int) -> NodeRef {
    if emits {
      let value = build(statement.value, depth + 2)
      return send("emit:", to: selfNode(), [value], statement.range, depth).node
    }
    let value = build(statement.value, depth).node
    if environment.isScript {
      return code.add(ScriptReturnNode(value: value, state: state))
    }
    if scope.frameScope.kind == .method {
      usesReturnNode = true
      return code.add(ReturnNode(value: value, state: state))
    }
    let home = path(to: scope.methodScope)
    return code.add(
      NonLocalReturnNode(
        value: value, hops: home.hops, contextSlot: home.slot,
        at: position(statement.range, depth)))
  }
}
