public import TenonLexer

/// A polymorphic identifier.
///
///     identifier = scheme path
public struct IdentifierExpression: Sendable {
  /// The scheme, without its colon.
  public let scheme: Name
  /// What follows the colon; empty for the store itself.
  public let path: PathExpression
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(scheme: Name, path: PathExpression, range: SourceRange) {
    self.scheme = scheme
    self.path = path
    self.range = range
  }
}

/// The reference to a place instead of what is there.
///
///     reference = "ref:" ( identifier | path )
public struct ReferenceExpression: Sendable {
  /// The scheme referred to, without its colon; nil refers to a variable.
  public let scheme: Name?
  /// The path referred to.
  public let path: PathExpression
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(scheme: Name?, path: PathExpression, range: SourceRange) {
    self.scheme = scheme
    self.path = path
    self.range = range
  }
}

/// The path of an identifier.
///
///     path = [ "//" authority ] [ "/" ] [ component { "/" component } [ "/" ] ] [ "?" query ]
public struct PathExpression: Sendable {
  /// What stands between `//` and the next `/`, if the path begins with `//`.
  public let authority: [PathPart]?
  /// Whether a `/` stands before the first component.
  public let isAbsolute: Bool
  /// The components in order, percent signs as written.
  public let components: [PathComponent]
  /// Whether a `/` stands behind the last component.
  public let isDirectory: Bool
  /// The pairs behind `?`, in order.
  public let query: [QueryItem]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(
    authority: [PathPart]?, isAbsolute: Bool, components: [PathComponent], isDirectory: Bool,
    query: [QueryItem], range: SourceRange
  ) {
    self.authority = authority
    self.isAbsolute = isAbsolute
    self.components = components
    self.isDirectory = isDirectory
    self.query = query
    self.range = range
  }
}

/// One component of a path: text and expressions that together name one thing.
public struct PathComponent: Sendable {
  /// The parts in order; a component of plain text has one.
  public let parts: [PathPart]

  /// Creates a component.
  public init(parts: [PathPart]) {
    self.parts = parts
  }

  /// The component's text if no expression is part of it.
  public var text: String? {
    guard parts.count == 1, case .text(let text) = parts[0] else { return nil }
    return text
  }
}

/// A piece of a path.
public enum PathPart: Sendable {
  /// Text as written.
  case text(String)
  /// `{expression}`: its value is part of one component and never splits it.
  case expression(Expression)
  /// `{*expression}`: the elements of a collection, each a component of its own.
  case splice(Expression)
}

/// A pair behind the `?` of a path.
public struct QueryItem: Sendable {
  /// The key.
  public let key: [PathPart]
  /// What stands behind `=`; nil when there is no `=`.
  public let value: [PathPart]?

  /// Creates a pair.
  public init(key: [PathPart], value: [PathPart]?) {
    self.key = key
    self.value = value
  }
}
