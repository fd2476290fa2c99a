internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

/// Checks a whole script before anything of it runs, and collects the names it declares.
///
/// Methods are compiled when they are first sent, and classes exist only when their definitions
/// have run; here both are looked at as text.
struct ScriptCheck {
  let machine: Machine
  let allowsUnknownNames: Bool
  private(set) var issues: [Issue] = []
  /// The variables that the script's own statements declare.
  private(set) var variables: Set<String> = []
  /// The same in the order of their declaration.
  private(set) var declared: [String] = []
  private(set) var classes: Set<String> = []
  /// The schemes that the text mounts somewhere.
  private(set) var schemes: Set<String> = []
  /// The inverses that the text declares.
  private(set) var inverses: [String: Set<Int>] = [:]
  private var definitions: [String: TextClass] = [:]
  /// Members that the text adds to classes.
  private var added: [String: [Member]] = [:]
  /// Whether the text declares a variable of the script with `val` or `var`, by its name.
  fileprivate private(set) var isDeclaredConstant: [String: Bool] = [:]

  init(machine: Machine, allowsUnknownNames: Bool) {
    self.machine = machine
    self.allowsUnknownNames = allowsUnknownNames
  }

  /// A class as the text describes it.
  struct TextClass {
    let superclass: String?
    let members: [Member]
  }

  /// Checks a script.
  ///
  /// `imported`: the scripts that will have run when it runs, checked already.
  mutating func visit(_ script: Script, after imported: [Script] = []) {
    for each in imported { collectNames(each.statements) }
    // What was declared anew in those has been told.
    issues = []
    checkHeight(script.statements)
    guard issues.isEmpty else { return }
    if let signature = script.signature { check(signature) }
    collectNames(script.statements)
    for statement in script.statements { check(statement) }
  }

  private mutating func declare(_ name: String) {
    if variables.insert(name).inserted { declared.append(name) }
  }

  /// Declares the variables of a signature, and looks for its types.
  private mutating func check(_ signature: ScriptSignature) {
    let header = signature.header
    declare(header.parameters.map(\.name))
    for parameter in header.parameters {
      guard let type = parameter.type, type.text != "ref" else { continue }
      if let info = machine.classesByName[type.text] {
        if machine.canReadArguments(as: info) { continue }
        issues.append(Issue(message: Wording.noArgument(type.text), range: type.range))
      } else {
        reportUnknown(type)
      }
    }
    if let type = header.resultType, type.text != "void", machine.classesByName[type.text] == nil {
      reportUnknown(type)
    }
  }

  private mutating func reportUnknown(_ type: Name) {
    let nearest = Suggestion.nearest(to: type.text, in: machine.globalNames + classes)
    issues.append(
      Issue(message: Wording.unknownName(type.text, suggestion: nearest), range: type.range))
  }

  // MARK: Height

  /// Refuses statements that are too high to be looked at on this native stack.
  private mutating func checkHeight(_ statements: [Statement]) {
    for statement in statements {
      if case .definition(let definition) = statement {
        for body in definition.bodies { checkHeightOfEach(body) }
      } else {
        checkHeightOfEach([statement])
      }
    }
  }

  private mutating func checkHeightOfEach(_ statements: [Statement]) {
    for statement in statements where !machine.hasStack(for: [statement]) {
      issues.append(Issue(message: Wording.tooHigh, range: statement.range))
    }
  }

  // MARK: Names

  private mutating func collectNames(_ statements: [Statement]) {
    for case .definition(let definition) in statements { collectNames(definition) }
    for statement in statements {
      switch statement {
      case .definition, .import: break
      case .temporaries(let statement):
        for name in statement.names { recordDeclaration(of: name, isConstant: false) }
        declare(statement.names)
      case .variable(let statement):
        recordDeclaration(of: statement.name, isConstant: statement.isConstant)
        declare([statement.name])
        if let value = statement.value { collectAssigned([.expression(value)]) }
      default: collectAssigned([statement])
      }
    }
  }

  /// Notes whether a variable of the script is a `val`, which no text declares twice.
  private mutating func recordDeclaration(of name: Name, isConstant: Bool) {
    let known = isDeclaredConstant[name.text]
    if known == true {
      issues.append(Issue(message: Wording.constant(name.text), range: name.range))
    } else if known == false, isConstant {
      issues.append(Issue(message: Wording.declaredTwice(name.text), range: name.range))
    } else {
      isDeclaredConstant[name.text] = isConstant
    }
  }

  private mutating func declare(_ names: [Name]) {
    for name in names { declare(name.text) }
  }

  /// An assignment to an unknown name anywhere in the statements declares a variable.
  private mutating func collectAssigned(_ statements: [Statement]) {
    var names = AssignedNames()
    names.visit(statements)
    schemes.formUnion(names.mounted)
    inverses.merge(names.inverses) { $0.union($1) }
    names.made.forEach { record($0) }
    for name in names.assigned where !names.declared.contains(name.text) {
      guard ReservedName(rawValue: name.text) == nil, machine.classCells[name.text] == nil,
        !classes.contains(name.text)
      else { continue }
      declare(name.text)
    }
  }

  private mutating func collectNames(_ definition: Definition) {
    switch definition {
    case .class(let definition):
      record(definition.name, definition.superclass, or: "Object", definition.members)
      collectSchemes(definition.members)
    case .scheme(let definition):
      record(definition.name, definition.superclass, or: "Scheme", definition.members)
      collectSchemes(definition.members)
    case .extension(let definition):
      collectSchemes(definition.members)
      added[definition.name.text, default: []] += definition.members
    case .method(let definition):
      collectSchemes([.method(definition)])
      added["Script", default: []].append(.method(definition))
    case .filter(let definition):
      record(definition.name, definition.superclass, or: "Filter", definition.members)
      collectSchemes(definition.members)
    case .protocol(let definition): classes.insert(definition.name.text)
    case .template(let definition): classes.insert(definition.name.text)
    case .group(let definition):
      declare(definition.name.text)
      collectAssigned([definition.assignment])
    case .connector(let definition):
      record(definition.connector, definition.superclass, or: "Connector", definition.members)
      collectSchemes(definition.members)
    }
  }

  private mutating func record(
    _ name: Name, _ superclass: Name?, or root: String, _ members: [Member]
  ) {
    classes.insert(name.text)
    definitions[name.text] = TextClass(
      superclass: superclass?.text ?? root, members: members.withGroupsExpanded)
  }

  private mutating func collectSchemes(_ members: [Member]) {
    var names = AssignedNames()
    for member in members {
      switch member {
      case .method(let definition): names.visit(definition.statements)
      case .statement(let statement): names.visit([statement])
      case .propertyPath(let path):
        for handler in path.handlers { names.visit(handler.statements) }
      case .classVariable(let variables):
        if let value = variables.value { names.visit([.expression(value)]) }
      case .emission(let emission): names.visit(emission.statements)
      case .variable: break
      }
    }
    schemes.formUnion(names.mounted)
    inverses.merge(names.inverses) { $0.union($1) }
    names.made.forEach { record($0) }
  }

  /// A class that a message makes counts like one that the text defines.
  private mutating func record(_ made: MadeClass) {
    classes.insert(made.name)
    guard definitions[made.name] == nil else { return }
    let members =
      made.variables.map {
        Member.variable(
          VariableStatement(type: nil, name: Name($0, .none), value: nil, range: .none))
      } + [
        Member.classVariable(
          ClassVariableDefinition(
            names: made.classVariables.map { Name($0, .none) }, value: nil, range: .none))
      ]
    definitions[made.name] = TextClass(superclass: made.superclass ?? "Object", members: members)
  }

  // MARK: Bodies

  private mutating func check(_ statement: Statement) {
    guard case .definition(let definition) = statement else {
      return check([], [statement], TextEnvironment(check: self, className: nil, isMeta: false))
    }
    checkClassNamed(by: definition)
    switch definition {
    case .class(let definition):
      // A text may define a class again: each definition stands for itself.
      record(definition.name, definition.superclass, or: "Object", definition.members)
      check(definition.members, className: definition.name.text)
    case .extension(let definition): check(definition.members, className: definition.name.text)
    case .scheme(let definition):
      record(definition.name, definition.superclass, or: "Scheme", definition.members)
      check(definition.members, className: definition.name.text)
    case .method(let definition): check(definition, className: "Script")
    case .template(let definition):
      check(
        [], [.expression(.block(definition.block))],
        TextEnvironment(check: self, className: nil, isMeta: false))
    case .filter(let definition):
      record(definition.name, definition.superclass, or: "Filter", definition.members)
      check(definition.members, className: definition.name.text)
    case .connector(let definition):
      record(definition.connector, definition.superclass, or: "Connector", definition.members)
      check(definition.members, className: definition.connector.text)
    case .group(let definition): check(definition.assignment)
    case .protocol: break
    }
  }

  /// Looks for the superclass of a definition, and the class of an extension.
  private mutating func checkClassNamed(by definition: Definition) {
    let name =
      switch definition {
      case .class(let definition): definition.superclass
      case .scheme(let definition): definition.superclass
      case .filter(let definition): definition.superclass
      case .connector(let definition): definition.superclass
      case .extension(let definition): definition.name
      case .method, .template, .protocol, .group: Name?.none
      }
    if let name { checkClass(name) }
  }

  /// Refuses the name of a class that neither the text nor the machine knows.
  private mutating func checkClass(_ name: Name) {
    guard !allowsUnknownNames, !classes.contains(name.text),
      machine.classesByName[name.text] == nil
    else { return }
    reportUnknown(name)
  }

  private mutating func check(_ members: [Member], className: String) {
    // Made once for all members: each looks at the whole text of the class.
    let environment = TextEnvironment(check: self, className: className, isMeta: false)
    let metaEnvironment = TextEnvironment(check: self, className: className, isMeta: true)
    for member in members.withGroupsExpanded {
      switch member {
      case .method(let definition):
        if let type = definition.header.resultType, type.text != "void" { checkClass(type) }
        check(
          definition.header.parameters, definition.statements,
          definition.isClassMethod ? metaEnvironment : environment)
      case .variable(let variable):
        if let type = variable.type, type.text != ReservedName.lazyType { checkClass(type) }
        if let value = variable.value { check([], [.expression(value)], environment) }
      case .statement(let statement): check([], [statement], environment, isClassBody: true)
      case .propertyPath(let path): check(path, environment)
      case .classVariable(let variables):
        if let value = variables.value { check([], [.expression(value)], metaEnvironment) }
      case .emission(let emission):
        for case .some(let type) in [emission.inputType, emission.outputType] { checkClass(type) }
        check(
          [EmissionMethod.parameter(emission)], emission.statements, environment, emits: true)
      }
    }
  }

  private mutating func check(_ definition: MethodDefinition, className: String) {
    if let type = definition.header.resultType, type.text != "void" { checkClass(type) }
    check(
      definition.header.parameters, definition.statements,
      TextEnvironment(check: self, className: className, isMeta: definition.isClassMethod))
  }

  private mutating func check(_ path: PropertyPathDefinition, _ environment: TextEnvironment) {
    for handler in path.handlers {
      check(path.parameters(of: handler), handler.statements, environment)
    }
  }

  private mutating func check(
    _ parameters: [Parameter], _ statements: [Statement], _ environment: TextEnvironment,
    emits: Bool = false, isClassBody: Bool = false
  ) {
    var analyzer = Analyzer(environment: environment, emits: emits, isClassBody: isClassBody)
    _ = analyzer.analyze(parameters: parameters, statements: statements)
    issues += analyzer.issues
  }

  // MARK: Classes

  /// The instance variables of a class, as the text or the machine knows it.
  fileprivate func instanceVariables(of name: String) -> [String] {
    var names: [String] = []
    var current: String? = name
    var visited: Set<String> = []
    while let name = current, visited.insert(name).inserted {
      if let definition = definitions[name] {
        for case .variable(let variable) in definition.members { names.append(variable.name.text) }
        current = definition.superclass
      } else {
        names += machine.classesByName[name]?.instanceVariables.map(\.name) ?? []
        current = nil
      }
    }
    return names
  }

  /// Whether an instance variable of a class is declared with `val`.
  fileprivate func constants(of name: String) -> Set<String> {
    var names: Set<String> = []
    var current: String? = name
    var visited: Set<String> = []
    while let name = current, visited.insert(name).inserted {
      if let definition = definitions[name] {
        for case .variable(let variable) in definition.members where variable.isConstant {
          names.insert(variable.name.text)
        }
        current = definition.superclass
      } else {
        names.formUnion(
          machine.classesByName[name]?.instanceVariables.filter(\.isConstant).map(\.name) ?? [])
        current = nil
      }
    }
    return names
  }

  /// Whether a class has a method `schemes`, as the text or the machine knows it.
  fileprivate func definesSchemes(_ className: String, isMeta: Bool) -> Bool {
    var current: String? = className
    var visited: Set<String> = []
    while let name = current, visited.insert(name).inserted {
      let members = (definitions[name]?.members ?? []) + (added[name] ?? [])
      for case .method(let method) in members
      where method.header.selector == "schemes" && method.isClassMethod == isMeta {
        return true
      }
      guard let definition = definitions[name] else {
        guard let info = machine.classesByName[name] else { return false }
        return machine.definesSchemes(isMeta ? info.metaclass ?? info : info)
      }
      current = definition.superclass
    }
    return false
  }

  /// The class variables that a class sees.
  fileprivate func classVariables(of name: String) -> Set<String> {
    var names: Set<String> = []
    var current: String? = name
    var visited: Set<String> = []
    while let name = current, visited.insert(name).inserted {
      if let definition = definitions[name] {
        for case .classVariable(let variable) in definition.members {
          names.formUnion(variable.names.map(\.text))
        }
        current = definition.superclass
      } else {
        var info = machine.classesByName[name]
        while let known = info {
          names.formUnion(known.classVariables.keys)
          info = known.superclass
        }
        current = nil
      }
    }
    return names
  }
}

/// The names around a piece of a script that has not run yet.
private struct TextEnvironment: NameEnvironment {
  let machine: Machine
  let variables: Set<String>
  let classes: Set<String>
  let instanceVariables: [String]
  let classVariables: Set<String>
  private let constants: Set<String>
  private let isDeclaredConstant: [String: Bool]
  let definesSchemes: Bool
  let isScript: Bool
  let isScriptMethod: Bool
  let allowsUnknownNames: Bool
  private let schemes: Set<String>
  private let inverses: [String: Set<Int>]

  init(check: ScriptCheck, className: String?, isMeta: Bool) {
    machine = check.machine
    variables = check.variables
    classes = check.classes
    schemes = check.schemes
    inverses = check.inverses
    allowsUnknownNames = check.allowsUnknownNames
    isScript = className == nil
    isScriptMethod = className == nil || className == "Script"
    isDeclaredConstant = check.isDeclaredConstant
    definesSchemes = check.definesSchemes(className ?? "Script", isMeta: isMeta)
    constants = isMeta ? [] : className.map { check.constants(of: $0) } ?? []
    if let className {
      instanceVariables = isMeta ? [] : check.instanceVariables(of: className)
      classVariables = check.classVariables(of: className)
    } else {
      instanceVariables = []
      classVariables = []
    }
  }

  func kind(of name: String) -> OuterKind {
    if instanceVariables.contains(name) { return .instanceVariable }
    if classVariables.contains(name) { return .classVariable }
    if variables.contains(name) { return .scriptVariable }
    if classes.contains(name) { return .classNamed }
    return machine.lookUpGlobal(name).kind
  }

  func hasScheme(_ name: String) -> Bool { schemes.contains(name) || machine.hasScheme(name) }

  func isConstant(_ name: String) -> Bool {
    if instanceVariables.contains(name) { return constants.contains(name) }
    if classVariables.contains(name) { return false }
    return isDeclaredConstant[name] ?? machine.isConstant(name)
  }

  func declaredInverses(of selector: String) -> Set<Int> {
    machine.declaredInverses(of: selector).union(inverses[selector] ?? [])
  }

  var schemeCandidates: [String] { machine.schemeNames }
  var candidates: [String] {
    instanceVariables + classVariables + variables + classes + machine.globalNames
  }
}
