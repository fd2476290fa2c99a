package import TenonLexer
package import TenonParser

/// What a name outside of all scopes stands for.
package enum OuterKind {
  case instanceVariable
  /// A variable that instances of an older layout keep elsewhere.
  case addedVariable
  case classVariable
  case scriptVariable
  case classNamed
  case unknown
}

/// What analysis has to know about the surroundings of a piece of code.
package protocol NameEnvironment {
  /// Finds an instance variable, a class variable, a script variable or a class.
  func kind(of name: String) -> OuterKind
  /// Whether an assignment to an unknown name declares a variable of the script.
  var isScript: Bool { get }
  /// Whether the receiver is the script, whose instance variables are the script's variables.
  var isScriptMethod: Bool { get }
  /// Names to suggest for one that is unknown.
  var candidates: [String] { get }
  /// Whether a scheme has a store, or will have one when the text runs.
  func hasScheme(_ name: String) -> Bool
  /// Whether the receiver brings schemes of its own, by a method `schemes`.
  var definesSchemes: Bool { get }
  /// Whether unknown names are left to run time: at the prompt.
  var allowsUnknownNames: Bool { get }
  /// The operands of a message that an inverse is declared for: 0 for the receiver.
  func declaredInverses(of selector: String) -> Set<Int>
  /// Whether such a variable was declared with `val`.
  func isConstant(_ name: String) -> Bool
}

/// Finds the scope of every name in a method, a statement or a block, and reports what can be
/// known to be wrong before running.
///
/// The result is a scope for every method and block, found again by the block's range. The builder
/// then walks the same syntax and makes nodes.
package struct Analyzer {
  let environment: any NameEnvironment
  let emits: Bool
  /// Whether the statements are those of a class: what they connect has to be there already, as a
  /// variable of theirs alone could never be read.
  let isClassBody: Bool
  package private(set) var issues: [Issue] = []
  package private(set) var scopes: [SourceRange: Scope] = [:]
  private var scope: Scope

  /// `emits`: whether `^` emits and leaves nothing: in the body of a filter.
  package init(environment: any NameEnvironment, emits: Bool = false, isClassBody: Bool = false) {
    self.environment = environment
    self.emits = emits
    self.isClassBody = isClassBody
    scope = Scope(.method, parent: nil)
  }

  /// Analyses the body of a method.
  ///
  /// - Returns: the method's scope, laid out.
  package mutating func analyze(
    parameters: [Parameter], statements: [Statement]
  ) -> Scope {
    let method = scope
    for parameter in parameters {
      declare(parameter.name, kind: .argument, type: parameter.type)
    }
    declareAssigned(in: statements)
    analyze(statements)
    method.layOut()
    return method
  }

  private mutating func report(_ message: String, _ range: SourceRange) {
    issues.append(Issue(message: message, range: range))
  }

  // MARK: Declarations

  private mutating func declare(
    _ name: Name, kind: Variable.Kind, type: Name? = nil, isConstant: Bool = false
  ) {
    if scope.variable(named: name.text) != nil {
      report(Wording.declaredTwice(name.text), name.range)
    }
    scope.declare(name.text, kind: kind, range: name.range, type: type?.text).isConstant =
      isConstant
    if let type { check(type: type) }
  }

  /// Reports a type that is no class and no protocol.
  mutating func check(type: Name) {
    switch environment.kind(of: type.text) {
    case .classNamed: break
    case .unknown where type.text == ReservedName.lazyType:
      report(Wording.misplacedLazy, type.range)
    default: readVariable(type)
    }
  }

  /// Declares the names that a method assigns without declaring them.
  private mutating func declareAssigned(in statements: [Statement]) {
    guard !environment.isScript else { return }
    var names = AssignedNames()
    names.notesConnected = !isClassBody
    names.visit(statements)
    for name in names.assigned where !names.declared.contains(name.text) {
      guard scope.variable(named: name.text) == nil else { continue }
      switch environment.kind(of: name.text) {
      case .unknown: break
      // A method of a class writes a script's variable only as `var:x := ...`.
      case .scriptVariable where !environment.isScriptMethod: break
      default: continue
      }
      scope.declare(name.text, kind: .temporary, range: name.range)
    }
  }

  // MARK: Statements

  private mutating func analyze(_ statements: [Statement]) {
    for statement in statements { analyze(statement) }
  }

  private mutating func analyze(_ statement: Statement) {
    switch statement {
    case .expression(let expression):
      if let name = nameBeforeEquals(expression), isUnknown(name.text) {
        report(Wording.unknownNameBeforeEquals(name.text), name.range)
      }
      analyze(expression)
    case .return(let statement):
      analyze(statement.value)
      noteReturn()
    case .temporaries(let statement):
      guard !declaresScriptVariables else { return }
      for name in statement.names { declare(name, kind: .temporary) }
    case .variable(let statement):
      if let value = statement.value { analyze(value) }
      guard !declaresScriptVariables else {
        if let type = statement.type, type.text != ReservedName.lazyType { check(type: type) }
        return
      }
      declare(
        statement.name, kind: .temporary, type: statement.type, isConstant: statement.isConstant)
    case .import: break
    case .definition(let definition):
      if scope.parent != nil || !environment.isScript {
        report(Wording.definitionInside, definition.range)
      } else if case .template(let template) = definition {
        analyze(template.block, as: .block)
      } else if case .group(let group) = definition {
        analyze(group.assignment)
      }
    }
  }

  /// Whether declarations here are those of the script itself.
  private var declaresScriptVariables: Bool {
    environment.isScript && scope.parent == nil
  }

  private func noteReturn() {
    // At top level a return ends the script, from wherever it stands.
    guard !environment.isScript, !emits else { return }
    let method = scope.methodScope
    if scope.frameScope !== method { method.isHome = true }
  }

  // MARK: Expressions

  private mutating func analyze(_ expressions: [Expression]) {
    for expression in expressions { analyze(expression) }
  }

  private mutating func analyze(_ expression: Expression) {
    switch expression {
    case .integer, .float, .scaledDecimal, .string, .character, .symbol, .byteArray: break
    case .interpolatedString(let string):
      for case .expression(let part) in string.parts { analyze(part) }
    case .array(let array): analyze(array.elements)
    case .dictionary(let dictionary):
      for entry in dictionary.entries {
        analyze(entry.key)
        analyze(entry.value)
      }
    case .object(let object):
      read(object.className)
      analyze(object.properties.flatMap { [$0.key, $0.value].compactMap { $0 } })
    case .name(let name):
      if expression.isSuper { report(Wording.superAlone, name.range) }
      read(name.name)
    case .implicitParameter(let parameter): read(implicitName(parameter))
    case .identifier(let identifier): analyze(identifier)
    case .reference(let reference): analyze(reference)
    case .block(let block): analyze(block, as: .block)
    case .unaryMessage(let message):
      analyze(InlinedMessage(message), orReceiver: message.receiver, [])
    case .binaryMessage(let message):
      analyze(InlinedMessage(message), orReceiver: message.receiver, [message.argument])
    case .keywordMessage(let message): analyze(message)
    case .pipe(let pipe): analyze(pipe.input)
    case .cascade(let cascade):
      analyzeReceiver(cascade.receiver)
      for message in cascade.messages { analyze(message.arguments) }
    case .subscript(let subscription):
      analyze(subscription.receiver)
      analyze(subscription.index)
    case .query(let query):
      analyze(query.receiver)
      analyze(query.block, as: .block, isQuery: query.block.parameterCount == 0)
    case .assignment(let assignment):
      analyze(assignment.value)
      assign(assignment.target)
    case .append(let append):
      analyze(append.target)
      analyze(append.value)
      assign(append.target)
      refuseScriptVariable(append.target)
    case .connect(let connect):
      let count = issues.count
      analyze(connect)
      if issues.count == count { checkInversion(of: connect, given: nil) }
    }
  }

  private mutating func analyze(_ message: KeywordMessageExpression) {
    checkArity(message)
    if let given = GivenInverse(message) {
      analyze(given.connect)
      analyze(given.argument)
      return checkInversion(of: given.connect, given: given)
    }
    analyze(InlinedMessage(message), orReceiver: message.receiver, message.arguments)
  }

  private mutating func analyze(
    _ inlined: InlinedMessage?, orReceiver receiver: Expression, _ arguments: [Expression]
  ) {
    if let inlined { return analyze(inlined) }
    analyzeReceiver(receiver)
    analyze(arguments)
  }

  private func names(of formula: Expression) -> FormulaNames {
    FormulaNames(scope: scopes[formula.formulaRange] ?? scope, environment: environment)
  }

  /// Reports a formula that `=|=` cannot run backwards.
  private mutating func checkInversion(of connect: ConnectExpression, given: GivenInverse?) {
    guard connect.connector.text == "=|=", !connect.isOwn else { return }
    for (left, formula) in zip(connect.operands, connect.operands.dropFirst()) {
      if given == nil, !left.isAlwaysStore, !formula.isAlwaysStore,
        let pair = InversionPair(left, names(of: left), formula, names(of: formula))
      {
        if let problem = pair.problem { report(problem.message, problem.range) }
        continue
      }
      // A number can be a wish: there is nothing to run backwards.
      if given == nil, LinearAnalysis(left, less: formula).leaves.count == 1 { continue }
      // Stores are joined by name.
      if given == nil, left.isAlwaysStore || formula.isAlwaysStore { continue }
      let names = names(of: formula)
      guard given != nil || Inversion.isFormula(formula, names: names) else { continue }
      let inversion = Inversion(of: formula, names: names, isGiven: given != nil)
      var problem = inversion.problem
      if let given {
        do throws(Inversion.Problem) {
          _ = try given.blocks(for: inversion)
          problem = nil
        } catch {
          problem = error
        }
      }
      if let problem { report(problem.message, problem.range) }
    }
  }

  /// Analyses the receiver of a message, which alone may be `super`.
  private mutating func analyzeReceiver(_ receiver: Expression) {
    if !receiver.isSuper { analyze(receiver) }
  }

  private func implicitName(_ parameter: ImplicitParameterExpression) -> Name {
    Name("$\(parameter.index)", parameter.range)
  }

  private mutating func analyze(
    _ block: BlockExpression, as kind: Scope.Kind, isQuery: Bool = false
  ) {
    let outer = scope
    scope = Scope(kind, parent: outer)
    scopes[block.range] = scope
    for parameter in block.parameters { declare(parameter, kind: .blockParameter) }
    for index in 0..<block.implicitCount {
      scope.declare("$\(index)", kind: .blockParameter, range: block.range)
    }
    if isQuery {
      scope.element = scope.declare(Scope.elementName, kind: .blockParameter, range: block.range)
    }
    analyze(block.statements)
    scope = outer
  }

  private mutating func analyze(_ inlined: InlinedMessage) {
    switch inlined {
    case .conditional(let conditional):
      analyze(conditional.condition)
      if let block = conditional.consequence { analyze(block, as: .inlined) }
      if let block = conditional.alternative { analyze(block, as: .inlined) }
    case .and(let left, let right), .or(let left, let right):
      analyze(left)
      analyze(right, as: .inlined)
    case .nilTest(let subject, let absent, let present):
      analyze(subject)
      if let absent { analyze(absent, as: .inlined) }
      if let present { analyze(present, as: .inlined) }
    case .whileLoop(let condition, let body, _):
      analyze(condition, as: .loop)
      if let body { analyze(body, as: .loop) }
    case .repeatLoop(let body):
      analyze(body, as: .loop)
    case .count(let count):
      if let start = count.start { analyze(start) }
      analyze(count.limit)
      if let step = count.step { analyze(step) }
      analyze(count.body, as: .loop)
    }
  }

  /// Reports literal blocks of the wrong arity in messages that evaluate them.
  private mutating func checkArity(_ message: KeywordMessageExpression) {
    let selector = message.keywords.map(\.text).joined()
    guard let arities = InlinedMessage.blockArities[selector] else { return }
    if selector.hasPrefix("while"), case .block(let block) = message.receiver,
      block.parameterCount > 0
    {
      report(
        Wording.blockArity(selector, expected: 0, found: block.parameterCount), block.range)
    }
    for (argument, arity) in zip(message.arguments, arities) where arity >= 0 {
      guard case .block(let block) = argument else { continue }
      let count = block.parameterCount
      let mayOmit = InlinedMessage.optionalParameter.contains(selector)
      if count != arity, !(count == 0 && mayOmit) {
        report(Wording.blockArity(selector, expected: arity, found: count), block.range)
      }
    }
  }

  // MARK: Names

  private mutating func read(_ name: Name) {
    if ReservedName(rawValue: name.text) != nil { return }
    // In a query a name may be a property of the element.
    let elements = scope.elements(for: name.text)
    if !elements.isEmpty {
      _ = scope.lookUp(name.text)
      return
    }
    readVariable(name)
  }

  private mutating func readVariable(_ name: Name) {
    guard isUnknown(name.text), issues.last?.range != name.range else { return }
    report(
      Wording.unknownName(
        name.text, suggestion: Suggestion.nearest(to: name.text, in: visibleNames)),
      name.range)
  }

  private func isUnknown(_ name: String) -> Bool {
    guard ReservedName(rawValue: name) == nil, scope.lookUp(name) == nil,
      scope.elements(for: name).isEmpty
    else { return false }
    guard case .unknown = environment.kind(of: name) else { return false }
    return !environment.allowsUnknownNames
  }

  /// The name that a statement compares first: `x = 3`.
  private func nameBeforeEquals(_ statement: Expression) -> Name? {
    var receiver = statement
    while case .binaryMessage(let message) = receiver, message.selector.text == "=" {
      if case .name(let expression) = message.receiver { return expression.name }
      receiver = message.receiver
    }
    return nil
  }

  private var visibleNames: [String] {
    var names = environment.candidates
    var current: Scope? = scope
    while let scope = current {
      names += scope.variables.map(\.name)
      current = scope.parent
    }
    return names
  }

  /// Notes an assignment to a place.
  private mutating func assign(_ target: Expression) {
    switch target {
    case .name(let name): assign(name.name)
    case .identifier(let identifier):
      refuseUndeclared(identifier)
      analyze(identifier)
      if let place = VariablePlace(identifier), place.properties.isEmpty {
        refuseConstant(place.name, unlessInstanceVariable: true)
        refuseClass(place.name)
        refuseParameter(place)
      }
    case .reference(let reference): analyze(reference)
    case .subscript(let subscription):
      analyze(subscription.receiver)
      analyze(subscription.index)
    case .unaryMessage(let message): analyze(message.receiver)
    default: analyze(target)
    }
  }

  private mutating func assign(_ name: Name) {
    guard let variable = scope.lookUp(name.text) else {
      switch environment.kind(of: name.text) {
      case .classNamed: report(Wording.assignmentToClass(name.text), name.range)
      case .classVariable, .scriptVariable:
        guard environment.isConstant(name.text) else { break }
        report(Wording.constant(name.text), name.range)
      default: break
      }
      return
    }
    switch variable.kind {
    case .temporary:
      if variable.isConstant { report(Wording.constant(name.text), name.range) }
    case .argument: report(Wording.assignmentToArgument(name.text), name.range)
    case .blockParameter: report(Wording.assignmentToParameter(name.text), name.range)
    }
  }

  /// Refuses `var:name := ...` where that is an argument or the parameter of a block.
  private mutating func refuseParameter(_ place: VariablePlace) {
    guard place.scheme == .variable else { return }
    switch scope.lookUp(place.name.text)?.kind {
    case .argument: report(Wording.assignmentToArgument(place.name.text), place.name.range)
    case .blockParameter: report(Wording.assignmentToParameter(place.name.text), place.name.range)
    case .temporary, nil: break
    }
  }

  /// Refuses to add to a variable of the script in the method of a class, where only `var:` names it.
  private mutating func refuseScriptVariable(_ target: Expression) {
    guard case .name(let name) = target, !environment.isScript, !environment.isScriptMethod,
      scope.lookUp(name.name.text) == nil,
      case .scriptVariable = environment.kind(of: name.name.text)
    else { return }
    report(Wording.scriptVariable(name.name.text), name.name.range)
  }

  /// Refuses an assignment to a variable that `var:` names and nothing declares.
  private mutating func refuseUndeclared(_ identifier: IdentifierExpression) {
    guard let place = VariablePlace(identifier), place.properties.isEmpty,
      place.scheme == .variable, isUnknown(place.name.text)
    else { return }
    report(
      Wording.undeclaredVariable(
        place.name.text,
        suggestion: Suggestion.nearest(to: place.name.text, in: visibleNames)),
      place.name.range)
  }

  /// Remembers the scope of a place whose path has expressions in it.
  ///
  /// Apart from `analyze`, whose frames stand in one another for places in the paths of places.
  private mutating func noteScope(of identifier: IdentifierExpression) {
    if identifier.path.hasNoExpressions || scopes[identifier.range] != nil { return }
    scopes[identifier.range] = scope
  }

  private mutating func analyze(_ identifier: IdentifierExpression) {
    noteScope(of: identifier)
    analyze(identifier.path)
    guard let place = VariablePlace(identifier) else {
      if VariablePlace.schemes.contains(identifier.scheme.text), !identifier.path.components.isEmpty
      {
        return report(Wording.computedVariable(identifier.scheme.text), identifier.path.range)
      }
      if identifier.scheme.text == "class" { checkClass(identifier.path) }
      return check(identifier.scheme)
    }
    switch place.scheme {
    // Never a property of the element that a query looks at.
    case .variable: readVariable(place.name)
    case .instanceVariable: readInstanceVariable(place.name)
    }
  }

  /// `class:Name` names a class, whatever variables there are.
  private mutating func checkClass(_ path: PathExpression) {
    guard let name = path.components.first?.text else { return }
    switch environment.kind(of: name) {
    case .classNamed: return
    case .unknown where environment.allowsUnknownNames: return
    default: report(Wording.unknownClass(name), path.range)
    }
  }

  private mutating func check(_ scheme: Name) {
    let known = ["self", "class", "var", "ivar", "this", "default", "ref"]
    guard !known.contains(scheme.text), !environment.hasScheme(scheme.text),
      !environment.definesSchemes,
      !environment.allowsUnknownNames
    else { return }
    var isClass = false
    if case .classNamed = environment.kind(of: scheme.text) { isClass = true }
    report(Wording.unknownScheme(scheme.text, isClass: isClass), scheme.range)
  }

  private mutating func analyze(_ reference: ReferenceExpression) {
    analyze(reference.path)
    if let place = VariablePlace(reference) {
      if place.properties.isEmpty { refuseConstant(place.name) }
      switch place.scheme {
      case .variable:
        readVariable(place.name)
        // The reference may outlive the activation.
        scope.lookUp(place.name.text)?.isCaptured = true
      case .instanceVariable: readInstanceVariable(place.name)
      }
    }
  }

  private mutating func readInstanceVariable(_ name: Name) {
    switch environment.kind(of: name.text) {
    case .instanceVariable, .addedVariable: return
    case .classVariable, .scriptVariable, .classNamed, .unknown: break
    }
    if environment.isScript || environment.isScriptMethod { return readVariable(name) }
    report(Wording.unknownInstanceVariable(name.text), name.range)
  }

  private mutating func analyze(_ path: PathExpression) {
    for part in path.authority ?? [] { analyze(part) }
    for component in path.components { for part in component.parts { analyze(part) } }
    for item in path.query {
      for part in item.key + (item.value ?? []) { analyze(part) }
    }
  }

  private mutating func analyze(_ part: PathPart) {
    switch part {
    case .text: break
    case .expression(let expression), .splice(let expression): analyze(expression)
    }
  }

  // MARK: Connections

  /// The operands of a connection become formulas, blocks that outlive the activation.
  private mutating func analyze(_ connect: ConnectExpression) {
    for operand in connect.written { refuseConstant(in: operand) }
    checkTargets(of: connect)
    if connect.connector.text == "->", !connect.isOwn {
      for operand in connect.operands { analyze(operand.asReference ?? operand) }
      return
    }
    let hasFormulas = connect.connector.text.isFormulaConnector && !connect.isOwn
    for operand in connect.operands {
      if !hasFormulas, let reference = operand.asReference(in: scope, environment) {
        analyze(reference)
        continue
      }
      let outer = scope
      scope = Scope(.block, parent: outer)
      scopes[operand.formulaRange] = scope
      analyze(operand)
      scope = outer
    }
  }
}

// MARK: - Constants

extension Analyzer {
  /// Reports what a connector would write and no program can: a class, an argument, a parameter.
  ///
  /// An argument may hold a store, which is joined as it is: then nothing is assigned, which is known
  /// when the connection is made.
  private mutating func checkTargets(of connect: ConnectExpression) {
    let sign = connect.connector.text
    guard sign.isFormulaConnector, !connect.isOwn else { return }
    for (left, right) in zip(connect.operands, connect.operands.dropFirst()) {
      checkTarget(left, mayBeJoined: sign.joinsStores && right.mayBeStore)
      if sign == "=|=" { checkTarget(right, mayBeJoined: left.mayBeStore) }
    }
  }

  private mutating func checkTarget(_ operand: Expression, mayBeJoined: Bool) {
    guard let name = operand.variableName else { return }
    if !refuseClass(name), !mayBeJoined, issues.last?.range != name.range,
      let problem = Wording.assignment(to: scope.lookUp(name.text))
    {
      report(problem, name.range)
    }
  }

  /// Reports the name of a class where something would assign it.
  ///
  /// - Returns: whether it is one.
  @discardableResult
  private mutating func refuseClass(_ name: Name) -> Bool {
    guard scope.lookUp(name.text) == nil,
      case .classNamed = environment.kind(of: name.text)
    else { return false }
    if issues.last?.range != name.range {
      report(Wording.assignmentToClass(name.text), name.range)
    }
    return true
  }

  /// Reports a variable declared with `val` where something may assign it.
  ///
  /// `unlessInstanceVariable`: those of instances may be assigned once.
  private mutating func refuseConstant(_ name: Name, unlessInstanceVariable: Bool = false) {
    if let variable = scope.lookUp(name.text) {
      if variable.isConstant { report(Wording.constant(name.text), name.range) }
      return
    }
    if unlessInstanceVariable, case .instanceVariable = environment.kind(of: name.text) { return }
    if environment.isConstant(name.text) { report(Wording.constant(name.text), name.range) }
  }

  /// Reports the target of a connection that is declared with `val`.
  private mutating func refuseConstant(in operand: Expression) {
    switch operand {
    case .name(let name): refuseConstant(name.name)
    case .identifier(let identifier):
      guard let place = VariablePlace(identifier), place.properties.isEmpty else { return }
      refuseConstant(place.name)
    default: break
    }
  }
}

extension Expression {
  /// Under which range the scope of the expression as a formula is found: a block has another one of its
  /// own, under the range of its text.
  package var formulaRange: SourceRange {
    guard case .block = self else { return range }
    return SourceRange(range.start, range.start)
  }

  /// The name of the variable that this is, if it is nothing but one.
  package var variableName: Name? {
    switch self {
    case .name(let name): return ReservedName(rawValue: name.name.text) == nil ? name.name : nil
    case .identifier(let identifier):
      guard let place = VariablePlace(identifier), place.properties.isEmpty else { return nil }
      return place.name
    default: return nil
    }
  }

  /// Whether it could answer a store or a dictionary.
  fileprivate var mayBeStore: Bool {
    switch self {
    case .integer, .float, .scaledDecimal, .string, .interpolatedString, .character, .symbol,
      .byteArray, .array, .block, .query, .binaryMessage:
      false
    default: true
    }
  }
}

extension NameEnvironment {
  /// Whether a name stands for a variable, and not for a class or for nothing.
  func isVariable(_ name: String, in scope: Scope) -> Bool {
    if ReservedName(rawValue: name) != nil { return false }
    if scope.lookUp(name) != nil { return true }
    switch kind(of: name) {
    case .instanceVariable, .addedVariable, .classVariable, .scriptVariable: return true
    case .classNamed, .unknown: return false
    }
  }
}

/// Something that is wrong with a program and known before it runs.
package struct Issue {
  package let message: String
  package let range: SourceRange

  package init(message: String, range: SourceRange) {
    self.message = message
    self.range = range
  }
}
