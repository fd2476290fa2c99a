internal import TenonLexer
package import TenonParser

// What the text of a connector's side says about it.

extension String {
  /// Whether the operands of the connector of this spelling are formulas or places.
  package var isFormulaConnector: Bool { ["|=", "=|=", ">=|", "<=|"].contains(self) }

  /// Whether the connector of this spelling joins stores as they are.
  var joinsStores: Bool { ["|=", "=|="].contains(self) }
}

extension Expression {
  /// The reference to a place that is written as an identifier: what flows there is put, and what
  /// flows from there is what it holds.
  package var asReference: Expression? {
    guard case .identifier(let identifier) = self, !identifier.path.isEmpty,
      !["class", "self"].contains(identifier.scheme.text)
    else { return nil }
    return .reference(
      ReferenceExpression(
        scheme: identifier.scheme, path: identifier.path, range: identifier.range))
  }

  /// The reference to a place written as an identifier or as the name of a variable.
  package func asReference(in scope: Scope, _ environment: any NameEnvironment) -> Expression? {
    guard case .name(let name) = self else { return asReference }
    guard environment.isVariable(name.name.text, in: scope) else { return nil }
    let component = PathComponent(parts: [.text(name.name.text)])
    let path = PathExpression(
      authority: nil, isAbsolute: false, components: [component], isDirectory: false, query: [],
      range: name.range)
    return .reference(ReferenceExpression(scheme: nil, path: path, range: name.range))
  }
}

extension Expression {
  /// Whether the text alone says that it answers a store.
  package var isAlwaysStore: Bool {
    switch self {
    case .identifier(let identifier):
      VariablePlace(identifier) == nil && identifier.path.isEmpty
        && !["class", "self"].contains(identifier.scheme.text)
    case .keywordMessage(let message): message.keywords.map(\.text) == ["named:"]
    case .unaryMessage(let message): message.selector.text == "asScheme"
    default: false
    }
  }
}

extension Expression {
  package var isSuper: Bool {
    if case .name(let name) = self { return name.name.text == ReservedName.super.rawValue }
    return false
  }
}

extension TemplateDefinition {
  /// What is evaluated for each object that is made.
  package var block: BlockExpression {
    BlockExpression(
      parameters: [], implicitCount: 0, statements: [.expression(.object(object))],
      usesBraces: false, range: object.range)
  }
}
