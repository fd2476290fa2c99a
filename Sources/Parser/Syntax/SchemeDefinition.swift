public import TenonLexer

/// A scheme whose places are written out.
///
///     scheme = "scheme" name [ ":" name ] "{" { member "." } "}"
public struct SchemeDefinition: Sendable {
  /// The scheme's class.
  public let name: Name
  /// The superclass, if it names one.
  public let superclass: Name?
  /// The members in order.
  public let members: [Member]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(name: Name, superclass: Name?, members: [Member], range: SourceRange) {
    self.name = name
    self.superclass = superclass
    self.members = members
    self.range = range
  }
}

/// Handlers for the references of one form.
///
///     propertyPath = "/" [ pattern { "/" pattern } ] "{" { handler } "}"
public struct PropertyPathDefinition: Sendable {
  /// The components in order; none for the root.
  public let pattern: [PatternComponent]
  /// The handlers in order.
  public let handlers: [PropertyHandler]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(pattern: [PatternComponent], handlers: [PropertyHandler], range: SourceRange) {
    self.pattern = pattern
    self.handlers = handlers
    self.range = range
  }

  /// The parameters that a handler sees: those of the pattern, and the value where one is written.
  public func parameters(of handler: PropertyHandler) -> [Parameter] {
    var names: [Name] = []
    for component in pattern {
      switch component {
      case .literal: break
      case .parameter(let name), .integer(let name): names.append(name)
      case .rest(let name): if let name { names.append(name) }
      }
    }
    if handler.verb == .put || handler.verb == .post {
      names.append(Name("newValue", handler.range))
    }
    return names.map { Parameter(type: nil, name: $0, range: $0.range) }
  }
}

/// What is done for one verb.
///
///     handler = ( "get" | "put" | "post" | "delete" | "|=" | "=|" ) "{" { statement "." } "}"
public struct PropertyHandler: Sendable {
  /// The verb; `|=` is `get`, `=|` is `put`.
  public let verb: PropertyVerb
  /// The body; in `put` and `post` it sees `newValue`.
  public let statements: [Statement]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(verb: PropertyVerb, statements: [Statement], range: SourceRange) {
    self.verb = verb
    self.statements = statements
    self.range = range
  }
}

/// A component of the pattern of a property path.
///
///     pattern = text | ":" name | "*" [ ":" name ]
public enum PatternComponent: Sendable {
  /// A component that is written exactly so.
  case literal(Name)
  /// `:name`: any one component.
  case parameter(Name)
  /// `:name<int>`: a component that is an integer.
  case integer(Name)
  /// `*` or `*:name`: all the components that are left.
  case rest(Name?)
}

/// A verb a property path can handle.
public enum PropertyVerb: String, Sendable, CaseIterable {
  case get, put, post, delete
}
