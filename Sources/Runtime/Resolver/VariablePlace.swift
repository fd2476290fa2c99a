internal import TenonLexer
internal import TenonParser

/// An identifier whose first component names a variable known before running: `var:x`, `ivar:x`,
/// `this:x/y`, `default:x`.
struct VariablePlace {
  enum Scheme {
    /// Any variable that a bare name could mean.
    case variable
    /// An instance variable, or at top level a variable of the script.
    case instanceVariable
  }

  /// What stands before the colon.
  static let schemes: Set<String> = ["var", "ivar", "this", "default"]

  let scheme: Scheme
  let name: Name
  /// The components behind the first: a path through properties.
  let properties: ArraySlice<PathComponent>

  init?(_ identifier: IdentifierExpression) {
    self.init(scheme: identifier.scheme.text, identifier.path)
  }

  /// A reference without a scheme means a variable.
  init?(_ reference: ReferenceExpression) {
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
