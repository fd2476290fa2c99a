internal import TenonLexer
internal import TenonParser

/// From syntax to executable code, at the moment it is first needed.
extension Machine {
  /// The executable body of a method.
  func body(of method: Method) -> NodeRef {
    if let body = method.code?.body { return body }
    let code = compile(method, tracked: false)
    method.code = code
    methodCodes.append(code)
    return code.body ?? NodeRef(missingBody)
  }

  /// The body of a method that records what it reads.
  func trackedBody(of method: Method) -> NodeRef {
    if let body = method.trackedCode?.body { return body }
    let code = compile(method, tracked: true)
    method.trackedCode = code
    methodCodes.append(code)
    return code.body ?? NodeRef(missingBody)
  }

  private func compile(_ method: Method, tracked: Bool) -> Code {
    switch method.origin {
    case .primitive(let body):
      return wrap(
        PrimitiveNode(
          body: body, argumentCount: method.selector.argumentCount, state: state), for: method)
    case .getter(let slot):
      return wrap(GetterNode(slot: slot), for: method)
    case .setter(let slot, _):
      return wrap(SetterNode(slot: slot, state: state), for: method)
    case .node(let make):
      return wrap(make(method, self), for: method)
    case .definition(let definition, let source):
      return compile(definition, source: source, for: method, tracked: tracked)
    case .kernel(let place):
      let (definition, source) = parseKernel(place)
      return compile(definition, source: source, for: method, tracked: tracked)
    }
  }

  /// Code whose whole body is one node of the runtime.
  private func wrap(_ node: Node, for method: Method) -> Code {
    let code = Code(source: Machine.noSource, name: method.qualifiedName, isKernel: true)
    code.body = code.add(node)
    return code
  }

  private func compile(
    _ definition: MethodDefinition, source: SourceText, for method: Method, tracked: Bool
  ) -> Code {
    let code = Code(
      source: source, name: method.qualifiedName, isKernel: method.holder.isKernel)
    let environment = ClassEnvironment(machine: self, info: method.holder)
    var analyzer = Analyzer(environment: environment)
    let scope = analyzer.analyze(
      parameters: definition.header.parameters, statements: definition.statements)
    if method.holder.isKernel, let issue = analyzer.issues.first {
      let place = source.location(of: issue.range.start)
      preconditionFailure("kernel: \(source.name):\(place.line): \(issue.message)")
    }
    var builder = Builder(
      machine: self, code: code, environment: environment, scope: scope,
      scopes: analyzer.scopes, holder: method.holder, isTracked: tracked)
    code.body = builder.buildMethod(definition.statements, value: .receiver)
    return code
  }

  /// A source for code that has none.
  static var noSource: SourceText { SourceText(name: "<kernel>", "") }

  /// Compiles a statement of a script.
  func compile(
    _ statement: Statement, source: SourceText, environment: ScriptEnvironment
  ) -> Code {
    let code = Code(source: source, name: nil, isKernel: false)
    var analyzer = Analyzer(environment: environment)
    let scope = analyzer.analyze(parameters: [], statements: [statement])
    var builder = Builder(
      machine: self, code: code, environment: environment, scope: scope,
      scopes: analyzer.scopes, holder: scriptClass, isTracked: false)
    code.body = builder.buildStatement(statement)
    return code
  }
}

/// The names around a method of a class.
struct ClassEnvironment: NameEnvironment {
  let machine: Machine
  let info: ClassInfo

  var isScript: Bool { false }
  var hasSuper: Bool { info.superclass != nil }
  var allowsUnknownNames: Bool { false }

  func lookUp(_ name: String) -> OuterName {
    if let slot = info.slot(of: name) {
      return .instanceVariable(slot: slot, type: info.instanceVariables[slot].type)
    }
    // Class-side methods see the class variables of the class itself.
    var owner: ClassInfo? = unsafe info.isMeta ? info.thisClass : info
    while let current = owner {
      if let cell = current.classVariables[name] { return .cell(cell, mayBeUndefined: false) }
      owner = current.superclass
    }
    return machine.lookUpGlobal(name)
  }

  var candidates: [String] {
    info.instanceVariables.map(\.name) + machine.globalNames
  }
}

/// The names around the statements of a script.
struct ScriptEnvironment: NameEnvironment {
  let machine: Machine
  let allowsUnknownNames: Bool

  var isScript: Bool { true }
  var hasSuper: Bool { true }

  func lookUp(_ name: String) -> OuterName { machine.lookUpGlobal(name) }
  var candidates: [String] { machine.globalNames }
}

extension Machine {
  /// Finds a variable of the script, or a class.
  func lookUpGlobal(_ name: String) -> OuterName {
    if let cell = scriptCells[name] {
      return .cell(cell, mayBeUndefined: cell[slot: 0].isUndefined)
    }
    if let cell = classCells[name] {
      return .cell(cell, mayBeUndefined: cell[slot: 0].isUndefined)
    }
    return .unknown
  }

  /// The names of the script's variables and of all classes.
  var globalNames: [String] { Array(scriptCells.keys) + Array(classCells.keys) }

  /// The cell of a class, made when a script refers to it before defining it.
  func classCell(named name: String) -> ObjectRef {
    if let cell = classCells[name] { return cell }
    let cell = makeCell(.undefined)
    classCells[name] = cell
    return cell
  }

  /// The cell of a script variable, made when it is first declared.
  func scriptCell(named name: String) -> ObjectRef {
    if let cell = scriptCells[name] { return cell }
    let cell = makeCell(.undefined)
    scriptCells[name] = cell
    return cell
  }

  func makeCell(_ value: Value) -> ObjectRef {
    let cell = state.allocate(classIndex: ClassIndex.variableCell, slotCount: 1)
    cell[slot: 0] = value
    return cell
  }
}
