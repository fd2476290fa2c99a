package import TenonLexer
internal import TenonParser

/// The names around a formula as code that is analyzed or built knows them.
package struct FormulaNames: InversionNames {
  let scope: Scope
  let environment: any NameEnvironment

  package init(scope: Scope, environment: any NameEnvironment) {
    self.scope = scope
    self.environment = environment
  }

  package func isAssignable(_ name: Name) -> Bool {
    guard ReservedName(rawValue: name.text) == nil else { return false }
    if let variable = scope.lookUp(name.text) {
      return variable.kind == .temporary && !variable.isConstant
    }
    if environment.isConstant(name.text) { return false }
    switch environment.kind(of: name.text) {
    case .instanceVariable, .addedVariable, .classVariable, .scriptVariable: return true
    case .classNamed: return false
    case .unknown: return environment.allowsUnknownNames
    }
  }

  package func isValue(_ name: Name) -> Bool { environment.isVariable(name.text, in: scope) }

  package func isKnown(_ name: Name) -> Bool {
    if ReservedName(rawValue: name.text) != nil || scope.lookUp(name.text) != nil { return true }
    if case .unknown = environment.kind(of: name.text) { return false }
    return true
  }

  package func declaredInverses(of selector: String) -> Set<Int> {
    environment.declaredInverses(of: selector)
  }
}
