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
  /// The names of the schemes that could have been meant instead of an unknown one.
  var schemeCandidates: [String] { get }
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
  package internal(set) var issues: [Issue] = []
  /// The blocks of formulas that run backwards for each element of a collection.
  var undoneBlocks: Set<SourceRange> = []
  package internal(set) var scopes: [SourceRange: Scope] = [:]
  var scope: Scope

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

  mutating func report(_ message: String, _ range: SourceRange) {
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

  mutating func analyze(_ statements: [Statement]) {
    for statement in statements { analyze(statement) }
  }

  mutating func analyze(_ statement: Statement) {
    switch statement {
    case .expression(let expression):
      if let name = nameBeforeEquals(expression), isUnknown(name.text) {
        report(Wording.unknownNameBeforeEquals(name.text), name.range)
      }
      analyze(expression)
    case .return(let statement):
      analyze(statement.value)
      recordReturn()
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

  private func recordReturn() {
    // At top level a return ends the script, from wherever it stands.
    guard !environment.isScript, !emits else { return }
    let method = scope.methodScope
    if scope.frameScope !== method { method.isHome = true }
  }

  // MARK: Expressions

  mutating func analyze(_ expressions: [Expression]) {
    for expression in expressions { analyze(expression) }
  }

  mutating func analyze(_ expression: Expression) {
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

  mutating func analyze(_ message: KeywordMessageExpression) {
    checkArity(message)
    if let given = GivenInverse(message) {
      analyze(given.connect)
      analyze(given.argument)
      return checkInversion(of: given.connect, given: given)
    }
    // A solver of the program's own may need no inverse: what there is against it is told when that
    // does not take the connection.
    if message.keywords[0].text == "solver:", let connect = message.receiver.writtenConnection {
      analyze(connect)
      return analyze(message.arguments)
    }
    analyze(InlinedMessage(message), orReceiver: message.receiver, message.arguments)
  }

  mutating func analyze(
    _ inlined: InlinedMessage?, orReceiver receiver: Expression, _ arguments: [Expression]
  ) {
    if let inlined { return analyze(inlined) }
    analyzeReceiver(receiver)
    analyze(arguments)
  }

  func names(of formula: Expression) -> FormulaNames {
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

  mutating func analyze(
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
    if undoneBlocks.contains(block.range) {
      scope.declare(BlockExpression.viewName, kind: .temporary, range: block.range)
    }
    analyze(block.statements)
    scope = outer
  }

  mutating func analyze(_ inlined: InlinedMessage) {
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

  // MARK: Connections

  /// The operands of a connection become formulas, blocks that outlive the activation.
  mutating func analyze(_ connect: ConnectExpression) {
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
      if connect.connector.text == "=|=", hasFormulas { noteUndoneBlocks(in: operand) }
      analyze(operand)
      scope = outer
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
  var mayBeStore: Bool {
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
