internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

/// From syntax to executable code, at the moment it is first needed.
extension Machine {
  /// The executable body of a method.
  func body(of method: Method) -> NodeRef {
    if let body = method.code?.body { return body }
    guard hasStack(for: method) else { return postponedBody(of: method, tracked: false) }
    let code = compile(method, tracked: false)
    method.code = code
    codeTable.methods.append(code)
    return code.body ?? NodeRef(codeTable.missingBody)
  }

  /// The body of a method that records what it reads.
  func trackedBody(of method: Method) -> NodeRef {
    if let body = method.trackedCode?.body { return body }
    guard hasStack(for: method) else { return postponedBody(of: method, tracked: true) }
    let code = compile(method, tracked: true)
    method.trackedCode = code
    codeTable.methods.append(code)
    return code.body ?? NodeRef(codeTable.missingBody)
  }

  /// Whether there is native stack enough to compile a method; those of the kernel are so low that
  /// what is kept for them always suffices.
  fileprivate func hasStack(for method: Method) -> Bool {
    guard case .definition(let definition, _) = method.origin else { return true }
    return hasStack(for: definition.statements)
  }

  /// A body that compiles the method when it is evaluated with more native stack.
  private func postponedBody(of method: Method, tracked: Bool) -> NodeRef {
    if let node = tracked ? method.postponedTrackedBody : method.postponedBody {
      return NodeRef(node)
    }
    let node = PostponedBodyNode(method, tracked: tracked, state: state)
    if tracked { method.postponedTrackedBody = node } else { method.postponedBody = node }
    return NodeRef(node)
  }

  private func compile(_ method: Method, tracked: Bool) -> Code {
    switch method.origin {
    case .primitive(let body):
      let node = PrimitiveNode(
        body: body, argumentCount: method.selector.argumentCount, state: state)
      return wrap(node, for: method, notingUse: tracked)
    case .getter(let slot):
      guard !tracked, !method.holder.isLazy(slot: slot) else {
        return wrap(TrackedGetterNode(slot: slot, state: state), for: method)
      }
      let code = Code(source: Machine.noSource, name: method.qualifiedName, isKernel: true)
      code.body = NodeRef(instanceVariable: slot)
      return code
    case .setter(let slot, let type, let isConstant):
      return wrap(
        SetterNode(slot: slot, type: type, isConstant: isConstant, state: state), for: method)
    case .node(let make):
      return wrap(make(method, self, tracked), for: method)
    case .definition(let definition, let source):
      return compile(
        definition, source: source, for: method, mode: tracked ? .tracked : .plain)
    case .kernel(let place):
      let (definition, source) = parseKernel(place)
      guard tracked else { return compile(definition, source: source, for: method, mode: .plain) }
      // A collection is watched as a whole, and nobody watches a stream.
      let isWatchedWhole =
        method.holder.inherits(from: kernel.collection)
        || method.holder.inherits(from: kernel.stream)
      let code = compile(
        definition, source: source, for: method, mode: isWatchedWhole ? .formula : .tracked)
      if let body = code.body {
        code.body = code.add(TrackedEntryNode(body: body, of: method.selector, state: state))
      }
      return code
    }
  }

  /// Code whose whole body is one node of the runtime.
  private func wrap(
    _ node: Node, for method: Method, notingUse: Bool = false
  ) -> Code {
    let code = Code(source: Machine.noSource, name: method.qualifiedName, isKernel: true)
    var body = code.add(node)
    if notingUse {
      body = code.add(TrackedEntryNode(body: body, of: method.selector, state: state))
    }
    code.body = body
    return code
  }

  private func compile(
    _ definition: MethodDefinition, source: SourceText, for method: Method, mode: CodeMode,
    recordsFormulas: Bool = false
  ) -> Code {
    // Not `holder.isKernel`: what a script adds to a class of the kernel is the script's.
    let isKernel = if case .kernel = method.origin { true } else { false }
    let code = Code(source: source, name: method.qualifiedName, isKernel: isKernel)
    let environment = ClassEnvironment(
      machine: self, info: method.holder, layout: method.layout,
      definesSchemes: definesSchemes(method.holder, besides: method.selector))
    var analyzer = Analyzer(environment: environment, emits: method.emits)
    let scope = analyzer.analyze(
      parameters: definition.header.parameters, statements: definition.statements)
    if isKernel, let issue = analyzer.issues.first {
      let place = source.location(of: issue.range.start)
      preconditionFailure("kernel: \(source.name):\(place.line): \(issue.message)")
    }
    var builder = Builder(
      machine: self, code: code, environment: environment, scope: scope,
      scopes: analyzer.scopes, holder: method.holder, mode: mode)
    builder.layout = method.layout
    builder.recordsFormulas = recordsFormulas
    builder.emits = method.emits
    builder.isOfPaths = method.isOfPaths
    code.finish(
      builder.buildMethod(
        definition.statements, value: method.answersLastStatement ? .last : .receiver,
        header: definition.header.hasTypes ? definition.header : nil))
    if mode == .tracked, !isKernel, let body = code.body {
      code.body = code.add(TrackedReceiverNode(body: body, state: state))
    }
    code.origin = .method(method)
    return code
  }

  /// A source for code that has none.
  static var noSource: SourceText { SourceText(name: "<kernel>", "") }

  /// Compiles a statement of a script.
  func compile(
    _ statement: Statement, source: SourceText, environment: ScriptEnvironment,
    mode: CodeMode = .plain, recordsFormulas: Bool = false
  ) -> Code {
    let code = Code(source: source, name: nil, isKernel: false)
    guard hasStack(for: [statement]) else {
      let position = CodePosition(code: code, range: statement.range, depth: 1, state: state)
      code.body = code.add(FailureNode(.stackOverflow(), at: position))
      return code
    }
    var analyzer = Analyzer(environment: environment)
    let scope = analyzer.analyze(parameters: [], statements: [statement])
    var builder = Builder(
      machine: self, code: code, environment: environment, scope: scope,
      scopes: analyzer.scopes, holder: kernel.script, mode: mode)
    builder.recordsFormulas = recordsFormulas
    code.finish(builder.buildStatement(statement))
    code.origin = .statement(statement, environment)
    return code
  }

  /// The body of a block in the form that records what it reads.
  ///
  /// The whole code around the block is compiled once more; its blocks come in the same order.
  func trackedBody(of block: BlockCode) -> NodeRef {
    if block.isTracked { return block.body }
    let code = block.code
    if code.trackedForm == nil {
      switch code.origin {
      case .method(let method):
        _ = trackedBody(of: method)
        guard let form = method.trackedCode else { return NodeRef(codeTable.overflowBody) }
        code.trackedForm = form
      case .statement(let statement, let environment):
        guard hasStack(for: [statement]) else { return NodeRef(codeTable.overflowBody) }
        code.trackedForm = compile(
          statement, source: code.source, environment: environment, mode: .tracked)
      case nil: return block.body
      }
      if case .statement? = code.origin, let form = code.trackedForm {
        codeTable.retired.append(form)
      }
    }
    guard let form = code.trackedForm, form.blocks.indices.contains(block.number) else {
      return block.body
    }
    return form.blocks[block.number].body
  }

  /// The body of a formula's block in the form that records what its own text reads; nil when it
  /// cannot be compiled.
  ///
  /// The whole code around the block is compiled once more; its blocks come in the same order.
  func recordedBody(of block: BlockCode) -> NodeRef? {
    let code = block.code
    if code.recordedForm == nil {
      switch code.origin {
      case .method(let method):
        guard hasStack(for: method), case .definition(let definition, let source) = method.origin
        else { return nil }
        code.recordedForm = compile(
          definition, source: source, for: method, mode: .plain, recordsFormulas: true)
      case .statement(let statement, let environment):
        guard hasStack(for: [statement]) else { return nil }
        code.recordedForm = compile(
          statement, source: code.source, environment: environment, recordsFormulas: true)
      case nil: return nil
      }
      // What it makes may outlive the code.
      if let form = code.recordedForm { codeTable.retired.append(form) }
    }
    guard let form = code.recordedForm, form.blocks.indices.contains(block.number) else {
      return nil
    }
    return form.blocks[block.number].body
  }
}

/// The body of a method that was asked for when there was too little native stack to compile it.
///
/// Caches may keep it; so it looks again each time.
final class PostponedBodyNode: Node {
  @safe private unowned(unsafe) let method: Method
  private let isTracked: Bool
  private let state: StateRef

  init(_ method: Method, tracked: Bool, state: StateRef) {
    self.method = method
    isTracked = tracked
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    let body = state.withMachine { machine -> NodeRef? in
      guard machine.hasStack(for: method) else { return nil }
      machine.flushAllCaches()
      return isTracked ? machine.trackedBody(of: method) : machine.body(of: method)
    }
    if let body { return body.evaluate(frame) }
    state.top = frame.advanced(by: method.selector.argumentCount + 1)
    state.base = frame
    return state.withMachine { $0.stackOverflow() }
  }
}

/// The body of a block that there is too little native stack to compile.
final class OverflowBodyNode: Node {
  private let state: StateRef

  init(state: StateRef) { self.state = state }

  override func evaluate(_ frame: Frame) -> Value {
    state.top = frame.advanced(by: 1)
    state.base = frame
    return state.withMachine { $0.stackOverflow() }
  }
}

/// In which form code is compiled.
enum CodeMode {
  /// As it is run.
  case plain
  /// As the text of a formula: what it sends records what it reads, its own variables are known.
  case formula
  /// As it is run for a formula: it records what it reads.
  case tracked
}

/// The names around a method of a class.
struct ClassEnvironment: CodeEnvironment {
  let machine: Machine
  let info: ClassInfo
  /// The layout of the instances, when it is an older one.
  let layout: ClassInfo?
  let definesSchemes: Bool

  var isScript: Bool { false }
  var isScriptMethod: Bool { info === machine.kernel.script }
  var allowsUnknownNames: Bool { false }

  func lookUp(_ name: String) -> OuterName {
    if let layout, info.slot(of: name) != nil {
      switch layout.variable(named: name) {
      case .slot(let slot): return .instanceVariable(slot: slot, type: nil)
      case .added(let index): return .addedVariable(index)
      case nil: break
      }
    } else if let slot = info.slot(of: name) {
      return .instanceVariable(slot: slot, type: info.instanceVariables[slot].type)
    }
    // Class-side methods see the class variables of the class itself.
    var owner: ClassInfo? = unsafe info.isMeta ? info.thisClass : info
    while let current = owner {
      if let cell = current.classVariables[name] { return .cell(cell, .classVariable) }
      owner = current.superclass
    }
    return machine.lookUpGlobal(name)
  }

  func hasScheme(_ name: String) -> Bool { machine.hasScheme(name) }

  func declaredInverses(of selector: String) -> Set<Int> {
    machine.declaredInverses(of: selector)
  }

  func isConstant(_ name: String) -> Bool {
    if let slot = info.slot(of: name) { return info.instanceVariables[slot].isConstant }
    return machine.isConstant(name)
  }

  func isGroup(_ name: String) -> Bool {
    info.slot(of: name) != nil
      ? info.lineage.contains { $0.groupNames.contains(name) } : machine.isGroup(name)
  }

  var candidates: [String] {
    info.instanceVariables.map(\.name) + machine.globalNames
  }
  var schemeCandidates: [String] { machine.schemeNames }
}

/// The names around the statements of a script.
struct ScriptEnvironment: CodeEnvironment {
  /// Not retained: the machine owns code that keeps its environment.
  unowned let machine: Machine
  let allowsUnknownNames: Bool

  var isScript: Bool { true }
  var isScriptMethod: Bool { true }

  var definesSchemes: Bool { machine.definesSchemes(machine.kernel.script) }

  func lookUp(_ name: String) -> OuterName { machine.lookUpGlobal(name) }
  func hasScheme(_ name: String) -> Bool { machine.hasScheme(name) }
  func declaredInverses(of selector: String) -> Set<Int> {
    machine.declaredInverses(of: selector)
  }
  func isConstant(_ name: String) -> Bool { machine.isConstant(name) }
  func isGroup(_ name: String) -> Bool { machine.isGroup(name) }
  func objectionToLaziness(of name: String) -> Failure? { machine.objectionToLaziness(of: name) }
  var candidates: [String] { machine.globalNames }
  var schemeCandidates: [String] { machine.schemeNames }
}

extension Machine {
  /// Whether instances of a class bring schemes of their own.
  ///
  /// `selector`: the method that is compiled: `schemes` itself cannot use them.
  func definesSchemes(_ info: ClassInfo, besides selector: Selector? = nil) -> Bool {
    let schemes = self.selector("schemes")
    return selector !== schemes && info.lookUp(schemes) != nil
  }

  /// Finds a variable of the script, or a class.
  func lookUpGlobal(_ name: String) -> OuterName {
    if let cell = session.cells[name] { return .cell(cell, .scriptVariable) }
    if let cell = classCells[name] { return .cell(cell, .classNamed) }
    return .unknown
  }

  /// Whether a variable of the script was declared with `val`.
  func isConstant(_ name: String) -> Bool {
    session.cells[name].map { session.constantCells.contains($0.bits) } ?? false
  }

  /// Whether a variable of the script is that of a group.
  func isGroup(_ name: String) -> Bool {
    session.cells[name].map { session.groupCells.contains($0.bits) } ?? false
  }

  /// The names of the script's variables and of all classes.
  var globalNames: [String] {
    Array(session.cells.keys) + Array(classes.madeCells.keys)
      + KernelText.classes.lazy.map(\.name).filter { self.classes.made[$0] == nil }
  }

  /// The cell of a class, made when a script refers to it before defining it.
  func classCell(named name: String) -> ObjectRef {
    if let cell = classCells[name] { return cell }
    let cell = makeCell(.undefined)
    classes.madeCells[name] = cell
    return cell
  }

  /// The cell of a script variable, made when it is first declared.
  func scriptCell(named name: String) -> ObjectRef {
    if let cell = session.cells[name] { return cell }
    let cell = makeCell(.undefined)
    session.cells[name] = cell
    session.declarations[Value(cell).bits] = session.declarations.count
    return cell
  }

  func makeCell(_ value: Value) -> ObjectRef {
    let cell = state.allocate(classIndex: ClassIndex.variableCell, slotCount: 1)
    cell[slot: 0] = value
    return cell
  }
}
