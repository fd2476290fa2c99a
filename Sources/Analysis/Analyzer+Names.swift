internal import TenonLexer
internal import TenonParser

// Names, schemes and paths that are read and assigned.

extension Analyzer {
  mutating func read(_ name: Name) {
    if ReservedName(rawValue: name.text) != nil { return }
    // In a query a name may be a property of the element.
    let elements = scope.elements(for: name.text)
    if !elements.isEmpty {
      _ = scope.lookUp(name.text)
      return
    }
    readVariable(name)
  }

  mutating func readVariable(_ name: Name) {
    guard isUnknown(name.text), issues.last?.range != name.range else { return }
    report(
      Wording.unknownName(
        name.text, suggestion: Suggestion.nearest(to: name.text, in: visibleNames)),
      name.range)
  }

  func isUnknown(_ name: String) -> Bool {
    guard ReservedName(rawValue: name) == nil, scope.lookUp(name) == nil,
      scope.elements(for: name).isEmpty
    else { return false }
    guard case .unknown = environment.kind(of: name) else { return false }
    return !environment.allowsUnknownNames
  }

  /// The name that a statement compares first: `x = 3`.
  func nameBeforeEquals(_ statement: Expression) -> Name? {
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
  mutating func assign(_ target: Expression) {
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

  mutating func assign(_ name: Name) {
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
  mutating func refuseScriptVariable(_ target: Expression) {
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
  private mutating func recordScope(of identifier: IdentifierExpression) {
    if identifier.path.hasNoExpressions || scopes[identifier.range] != nil { return }
    scopes[identifier.range] = scope
  }

  mutating func analyze(_ identifier: IdentifierExpression) {
    recordScope(of: identifier)
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

  mutating func check(_ scheme: Name) {
    let known = ["self", "class", "var", "ivar", "this", "default", "ref"]
    guard !known.contains(scheme.text), !environment.hasScheme(scheme.text),
      !environment.definesSchemes,
      !environment.allowsUnknownNames
    else { return }
    var isClass = false
    if case .classNamed = environment.kind(of: scheme.text) { isClass = true }
    report(
      Wording.unknownScheme(
        scheme.text, isClass: isClass,
        suggestion: Suggestion.nearest(to: scheme.text, in: environment.schemeCandidates)),
      scheme.range)
  }

  mutating func analyze(_ reference: ReferenceExpression) {
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

  mutating func analyze(_ path: PathExpression) {
    for part in path.authority ?? [] { analyze(part) }
    for component in path.components { for part in component.parts { analyze(part) } }
    for item in path.query {
      for part in item.key + (item.value ?? []) { analyze(part) }
    }
  }

  mutating func analyze(_ part: PathPart) {
    switch part {
    case .text: break
    case .expression(let expression), .splice(let expression): analyze(expression)
    }
  }
}
