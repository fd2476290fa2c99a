internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser
internal import TenonStoreKit

/// Definitions: what running `class`, `extension` and their like does.
extension Machine {
  /// Runs a definition.
  ///
  /// - Returns: what was defined, or `unwind`.
  func define(
    _ definition: Definition, source: SourceText
  ) throws(DefinitionFailure) -> Value {
    switch definition {
    case .class(let definition):
      let value = try define(
        definition.name, superclass: definition.superclass, or: "Object", definition.members,
        source: source)
      classesByName[definition.name.text]?.comment = source.comment(above: definition.range.start)
      return value
    case .extension(let definition): return try define(definition, source: source)
    case .scheme(let definition):
      try check(definition.superclass, inherits: "Store", else: Failure.notAStore)
      return try define(
        definition.name, superclass: definition.superclass, or: "Scheme", definition.members,
        source: source)
    case .filter(let definition):
      try check(definition.superclass, inherits: "Filter", else: Failure.notAFilter)
      return try define(
        definition.name, superclass: definition.superclass, or: "Filter", definition.members,
        source: source)
    case .connector(let definition):
      try check(definition.superclass, inherits: "Connector", else: Failure.notAConnector)
      return try define(
        definition.connector, superclass: definition.superclass, or: "Connector",
        definition.members, source: source)
    case .method(let method):
      add(method, to: kernel.script, source: source)
      return Value(session.script)
    case .protocol(let definition): return try define(definition)
    // Its definition is an expression, which the builder builds.
    case .template, .group: return .nil
    }
  }

  // MARK: Classes

  /// Refuses a superclass that is of the wrong kind; one that is unknown is told about later.
  private func check(
    _ superclass: Name?, inherits root: String, else failure: (String) -> Failure
  ) throws(DefinitionFailure) {
    guard let superclass, let info = classesByName[superclass.text],
      !info.inherits(from: kernelClass(root))
    else { return }
    throw DefinitionFailure(failure(superclass.text), at: superclass.range)
  }

  private func define(
    _ className: Name, superclass superclassName: Name?, or root: String, _ members: [Member],
    source: SourceText
  ) throws(DefinitionFailure) -> Value {
    let name = className.text
    let groupNames = members.groupNames
    let members = groupNames.isEmpty ? members : members.withGroupsExpanded
    let superclass: ClassInfo
    do throws(Failure) {
      superclass = try self.superclass(named: superclassName?.text ?? root, for: name)
    } catch {
      throw DefinitionFailure(error, at: superclassName?.range)
    }
    try check(members, of: name, superclass)
    if let existing = classesByName[name], !existing.isKernel {
      try refuseVariablesOfSubclasses(of: existing, in: members, superclass, superclassName)
    }
    let info: ClassInfo
    if let existing = classesByName[name] {
      guard !existing.isKernel else {
        throw DefinitionFailure(.kernelClass(name), at: className.range)
      }
      guard !superclass.inherits(from: existing) else {
        throw DefinitionFailure(.inheritsItself(name), at: superclassName?.range)
      }
      info = existing
      redefine(info, superclass: superclass, members)
    } else {
      info = makeClass(named: name, superclass: superclass)
      layOut(info, members)
    }
    info.groupNames = groupNames
    add(members, to: info, source: source)
    return setClassVariables(members, of: info, source: source)
  }

  /// Why a name stands for no class: nobody knows it, or it is that of a protocol or a template.
  private func noClass(_ name: String) -> Failure {
    classCells[name].map(\.[slot: 0]).map { $0.isUndefined || $0.isNil } ?? true
      ? .unknownName(name) : .notAClass(name)
  }

  private func superclass(named name: String, for subclass: String) throws(Failure) -> ClassInfo {
    guard let info = classesByName[name] else { throw noClass(name) }
    guard info.lineage.count < MachineLimits.inheritance else {
      throw .tooLarge("a line of so many classes", limit: MachineLimits.inheritance)
    }
    // The instances of those of another format have no place for variables of their own.
    if info.isKnownToEvaluator || info.format != .slots
      || info.inherits(from: kernelClass("Class"))
    {
      throw .cannotInherit(subclass, from: name)
    }
    return info
  }

  /// Refuses members that cannot be, before anything is changed.
  private func check(
    _ members: [Member], of name: String, _ superclass: ClassInfo
  ) throws(DefinitionFailure) {
    var names = Set(superclass.instanceVariables.map(\.name))
    var classNames = Set(superclass.lineage.flatMap { $0.classVariables.keys })
    var selectors = Set<String>()
    for member in members {
      switch member {
      case .variable(let variable):
        let variableName = variable.name
        guard names.insert(variableName.text).inserted, !classNames.contains(variableName.text)
        else {
          throw DefinitionFailure(.declaredTwice(variableName.text), at: variableName.range)
        }
      case .classVariable(let variables):
        for each in variables.names
        where !classNames.insert(each.text).inserted || names.contains(each.text) {
          throw DefinitionFailure(.declaredTwice(each.text), at: each.range)
        }
      case .method(let method):
        let selector = (method.isClassMethod ? "+" : "-") + method.header.selector
        guard selectors.insert(selector).inserted else {
          throw DefinitionFailure(.definedTwice(selector), at: method.header.range)
        }
      case .emission:
        guard selectors.insert("|").inserted else {
          throw DefinitionFailure(.definedTwice("|{ }"), at: member.range)
        }
      default: break
      }
    }
    guard names.count <= ObjectRef.slotLimit else {
      throw DefinitionFailure(
        .tooLarge("a class of \(names.count) variables", limit: ObjectRef.slotLimit))
    }
    try checkPatterns(members)
  }

  /// Gives a new class its variables.
  private func layOut(_ info: ClassInfo, _ members: [Member]) {
    for case .variable(let variable) in members {
      recordDeclaration(type: variable.type?.text)
      info.instanceVariables.append(
        InstanceVariable(
          name: variable.name.text, type: variable.type?.text,
          isConstant: variable.isConstant, owner: info.name))
    }
  }

  private func define(
    _ definition: ExtensionDefinition, source: SourceText
  ) throws(DefinitionFailure) -> Value {
    let name = definition.name.text
    guard let info = classesByName[name] else {
      throw DefinitionFailure(noClass(name), at: definition.name.range)
    }
    var selectors = Set<String>()
    for member in definition.members {
      guard case .method(let method) = member else {
        throw DefinitionFailure(.extensionMember(name), at: member.range)
      }
      let selector = (method.isClassMethod ? "+" : "-") + method.header.selector
      guard selectors.insert(selector).inserted else {
        throw DefinitionFailure(.definedTwice(selector), at: method.header.range)
      }
    }
    add(definition.members, to: info, source: source, isExtension: true)
    return info.object
  }

  // MARK: Members

  private func add(
    _ members: [Member], to info: ClassInfo, source: SourceText, isExtension: Bool = false
  ) {
    for case .variable(let variable) in members { addAccessors(variable.name.text, to: info) }
    for case .classVariable(let variables) in members {
      for name in variables.names where info.classVariables[name.text] == nil {
        info.classVariables[name.text] = makeCell(.nil)
      }
    }
    for case .method(let method) in members {
      add(method, to: info, source: source, isExtension: isExtension)
    }
    if isExtension { return }
    addInitialValues(members, to: info, source: source)
    addEmission(members, to: info, source: source)
    addConnections(members, to: info, source: source)
    addPropertyPaths(members, to: info, source: source)
    for each in info.withSubclasses { settleLayout(of: each) }
  }

  private func addAccessors(_ name: String, to info: ClassInfo) {
    guard let slot = info.slot(of: name) else { return }
    let variable = info.instanceVariables[slot]
    let getter = Method(selector: selector(name), holder: info, origin: .getter(slot: slot))
    let setter = Method(
      selector: selector(name + ":"), holder: info,
      origin: .setter(slot: slot, type: variable.type, isConstant: variable.isConstant))
    install(getter, in: info)
    install(setter, in: info)
  }

  func add(
    _ definition: MethodDefinition, to info: ClassInfo, source: SourceText,
    isExtension: Bool = false
  ) {
    let target = definition.isClassMethod ? info.metaclass ?? info : info
    let method = Method(
      selector: selector(definition.header.selector), holder: target,
      origin: .definition(definition, source))
    method.isExtension = isExtension
    install(method, in: target)
  }

  /// Turns `var x := 3` into a method that the making of an instance calls.
  private func addInitialValues(
    _ members: [Member], to info: ClassInfo, source: SourceText
  ) {
    var statements: [Statement] = []
    for case .variable(let variable) in members {
      guard let value = variable.value else { continue }
      let target = Expression.name(
        NameExpression(name: variable.name, range: variable.name.range))
      statements.append(
        .expression(
          .assignment(
            AssignmentExpression(target: target, value: value, range: variable.range))))
    }
    info.ownStatements.initialValues = method(
      HiddenSelector.initialValues, statements, in: info, source: source)
  }

  /// Gives class variables their first values, in order: those that hold nothing yet.
  ///
  /// A class that is defined again keeps what its variables hold.
  ///
  /// - Returns: the class, or `unwind`.
  private func setClassVariables(
    _ members: [Member], of info: ClassInfo, source: SourceText
  ) -> Value {
    for case .classVariable(let variables) in members {
      guard let value = variables.value, let name = variables.names.first,
        let cell = info.classVariables[name.text], cell[slot: 0].isNil
      else { continue }
      let target = Expression.name(NameExpression(name: name, range: name.range))
      let assignment = AssignmentExpression(
        target: target, value: value, range: variables.range)
      let method = method(
        HiddenSelector.classVariable, [.expression(.assignment(assignment))],
        in: info.metaclass ?? info, source: source)
      guard let method else { continue }
      let outcome = call(method, on: info.object)
      // It runs once.
      retireLater(method)
      if outcome.isUnwind { return outcome }
    }
    return info.object
  }

  /// Turns the body of a filter into the methods that a flow calls.
  private func addEmission(_ members: [Member], to info: ClassInfo, source: SourceText) {
    for case .emission(let emission) in members {
      let body = Method(
        selector: selector(EmissionMethod.selector), holder: info,
        origin: .definition(EmissionMethod.definition(emission), source))
      body.emits = true
      install(body, in: info)
      for (name, type) in [("inputType", emission.inputType), ("outputType", emission.outputType)] {
        guard let type else { continue }
        let answer = Statement.return(
          ReturnStatement(
            value: .name(NameExpression(name: type, range: type.range)), range: type.range))
        let header = MethodHeader(
          resultType: nil, selectorParts: [Name(name, type.range)], parameters: [],
          range: type.range)
        install(
          Method(
            selector: selector(name), holder: info,
            origin: .definition(
              MethodDefinition(
                isClassMethod: false, header: header, statements: [answer], range: type.range),
              source)), in: info)
      }
    }
  }

  /// A method that no program can name, for statements that belong to a class.
  func method(
    _ name: String, _ statements: [Statement], in info: ClassInfo, source: SourceText
  ) -> Method? {
    guard let first = statements.first, let last = statements.last else { return nil }
    let range = first.range.union(last.range)
    let header = MethodHeader(
      resultType: nil, selectorParts: [Name(name, range)], parameters: [], range: range)
    return Method(
      selector: selector(name), holder: info,
      origin: .definition(
        MethodDefinition(
          isClassMethod: false, header: header, statements: statements, range: range), source))
  }

  // MARK: Instances

  /// Gives the variables of a new instance the values that its classes say, superclasses first.
  ///
  /// - Returns: the instance, or `unwind`.
  func setInitialValues(of instance: Value, _ info: ClassInfo) -> Value {
    for method in info.statements.initialValues {
      let value = call(method, on: instance)
      if value.isUnwind { return value }
    }
    return instance
  }

  /// Calls a method without arguments that no send can reach.
  func call(_ method: Method, on receiver: Value) -> Value {
    let callee = pushNativeFrame()
    callee[0] = receiver
    return enter(body(of: method), callee, argumentCount: 0)
  }
}

// MARK: - Protocols and templates

extension Machine {
  private func define(_ definition: ProtocolDefinition) throws(DefinitionFailure) -> Value {
    var parent = Value.nil
    if let name = definition.superprotocol {
      parent = classCells[name.text]?[slot: 0] ?? .nil
      guard parent.isObject, classInfo(of: parent) === kernel.protocol else {
        throw DefinitionFailure(.notAProtocol(name.text), at: name.range)
      }
    }
    let object = Value(makeInstance(of: kernel.protocol))
    roots.append(object)
    defer { roots.removeLast() }
    func selectors(ofClass isOfClass: Bool) -> Value {
      makeArray(
        definition.requirements.filter { $0.isClassMethod == isOfClass }
          .map { symbol($0.header.selector) })
    }
    let values = [
      makeString(definition.name.text), parent, selectors(ofClass: false), selectors(ofClass: true),
    ]
    for (slot, value) in values.enumerated() { ObjectRef(object)[slot: slot] = value }
    return try setGlobal(definition.name.text, to: object, at: definition.name.range)
  }

  /// Gives something that is no class a name among the classes.
  func setGlobal(
    _ name: String, to value: Value, at range: SourceRange
  ) throws(DefinitionFailure) -> Value {
    guard classesByName[name] == nil else {
      throw DefinitionFailure(.classExists(name), at: range)
    }
    classCell(named: name)[slot: 0] = value
    return value
  }

  /// The selectors that a protocol asks for and a class lacks.
  func missingSelectors(of object: ObjectRef, in info: ClassInfo) -> [String] {
    var missing: [String] = []
    var current = Value(object)
    while current.isObject {
      for (slot, info) in [(2, info), (3, info.metaclass)] {
        let selectors = ObjectRef(current)[slot: slot]
        guard selectors.isObject(ofClass: ClassIndex.array), let info else { continue }
        for index in 0..<ObjectRef(selectors).elementCount {
          guard let name = text(ObjectRef(selectors)[element: index]) else { continue }
          if info.lookUp(selector(name)) == nil { missing.append(name) }
        }
      }
      current = ObjectRef(current)[slot: 1]
    }
    return missing
  }
}

extension Definition {
  /// Where the name of what is defined stands.
  var nameRange: SourceRange {
    switch self {
    case .class(let definition): definition.name.range
    case .extension(let definition): definition.name.range
    case .scheme(let definition): definition.name.range
    case .method(let definition): definition.header.range
    case .filter(let definition): definition.name.range
    case .protocol(let definition): definition.name.range
    case .template(let definition): definition.name.range
    case .group(let definition): definition.name.range
    case .connector(let definition): definition.connector.range
    }
  }

  /// The statements of each of its members.
  var bodies: [[Statement]] {
    switch self {
    case .class(let definition): definition.members.flatMap(\.bodies)
    case .extension(let definition): definition.members.flatMap(\.bodies)
    case .scheme(let definition): definition.members.flatMap(\.bodies)
    case .method(let definition): [definition.statements]
    case .template(let definition): [[.expression(.object(definition.object))]]
    case .filter(let definition): definition.members.flatMap(\.bodies)
    case .connector(let definition): definition.members.flatMap(\.bodies)
    case .group(let definition): [[definition.assignment]]
    case .protocol: []
    }
  }
}

extension Member {
  fileprivate var bodies: [[Statement]] {
    switch self {
    case .method(let definition): [definition.statements]
    case .variable(let statement): [[.variable(statement)]]
    case .statement(let statement): [[statement]]
    case .propertyPath(let path): path.handlers.map(\.statements)
    case .classVariable(let variables): variables.value.map { [[.expression($0)]] } ?? []
    case .emission(let emission): [emission.statements]
    }
  }
}

/// Names of methods that no program can send.
enum HiddenSelector {
  static let initialValues = "(initial values)"
  static let connections = "(connections)"
  static let connectionsOfCopies = "(connections of copies)"
  static let classVariable = "(class variable)"
  /// What a class of stores does by its property paths, where it has a method of its own as well.
  static func described(_ selector: String) -> String { "(described \(selector))" }
}

extension ClassInfo {
  /// The class with all that inherit from it.
  var withSubclasses: [ClassInfo] { [self] + subclasses.flatMap(\.withSubclasses) }

  /// The class itself and its superclasses up to the root.
  private var ancestors: some Sequence<ClassInfo> { Swift.sequence(first: self) { $0.superclass } }

  /// The superclasses from the root down, then the class itself.
  var lineage: [ClassInfo] { ancestors.reversed() }

}

/// The method that a filter's body becomes.
enum EmissionMethod {
  static let selector = "process:"

  /// What the body takes; it is called `object`.
  static func parameter(_ emission: EmissionDefinition) -> Parameter {
    Parameter(type: nil, name: Name("object", emission.range), range: emission.range)
  }

  static func definition(_ emission: EmissionDefinition) -> MethodDefinition {
    let header = MethodHeader(
      resultType: nil, selectorParts: [Name(selector, emission.range)],
      parameters: [parameter(emission)], range: emission.range)
    return MethodDefinition(
      isClassMethod: false, header: header, statements: emission.statements,
      range: emission.range)
  }
}
