package import TenonLexer
package import TenonParser

/// An identifier whose first component names a variable known before running: `var:x`, `ivar:x`,
/// `this:x/y`, `default:x`.
package struct VariablePlace {
  package enum Scheme {
    /// Any variable that a bare name could mean.
    case variable
    /// An instance variable, or at top level a variable of the script.
    case instanceVariable
  }

  /// What stands before the colon.
  package static let schemes: Set<String> = ["var", "ivar", "this", "default"]

  package let scheme: Scheme
  package let name: Name
  /// The components behind the first: a path through properties.
  package let properties: ArraySlice<PathComponent>

  package init?(_ identifier: IdentifierExpression) {
    self.init(scheme: identifier.scheme.text, identifier.path)
  }

  /// A reference without a scheme means a variable.
  package init?(_ reference: ReferenceExpression) {
    self.init(scheme: reference.scheme?.text ?? "var", reference.path)
  }

  private init?(scheme: String, _ path: PathExpression) {
    switch scheme {
    case "var", "default": self.scheme = .variable
    case "ivar", "this": self.scheme = .instanceVariable
    default: return nil
    }
    guard let first = path.components.first, let text = first.text else { return nil }
    name = Name(text, path.range)
    properties = path.components.dropFirst()
  }
}
