internal import TenonAnalysis
internal import TenonLexer
internal import TenonParser

/// The names around a formula as code that is analyzed or built knows them.
struct FormulaNames: InversionNames {
  let scope: Scope
  let environment: any NameEnvironment

  func isAssignable(_ name: Name) -> Bool {
    guard ReservedName(rawValue: name.text) == nil else { return false }
    if let variable = scope.lookUp(name.text) {
      return variable.kind == .temporary && !variable.isConstant
    }
    if environment.isConstant(name.text) { return false }
    switch environment.lookUp(name.text) {
    case .instanceVariable, .addedVariable: return true
    case .cell(_, let kind): return kind != .classNamed
    case .unknown: return environment.allowsUnknownNames
    }
  }

  func isValue(_ name: Name) -> Bool { environment.isVariable(name.text, in: scope) }

  func isKnown(_ name: Name) -> Bool {
    if ReservedName(rawValue: name.text) != nil || scope.lookUp(name.text) != nil { return true }
    if case .unknown = environment.lookUp(name.text) { return false }
    return true
  }

  func declaredInverses(of selector: String) -> Set<Int> {
    environment.declaredInverses(of: selector)
  }
}
