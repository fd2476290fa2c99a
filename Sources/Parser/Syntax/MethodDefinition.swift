public import TenonLexer

/// A method.
///
///     method = ( "-" | "+" ) methodHeader "{" { statement "." } "}"
public struct MethodDefinition: Sendable {
  /// Whether it is a method of the class itself (`+`).
  public let isClassMethod: Bool
  /// Selector and parameters.
  public let header: MethodHeader
  /// The body.
  public let statements: [Statement]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(
    isClassMethod: Bool, header: MethodHeader, statements: [Statement], range: SourceRange
  ) {
    self.isClassMethod = isClassMethod
    self.header = header
    self.statements = statements
    self.range = range
  }
}

/// What a method is called and what it takes.
///
///     methodHeader = [ type ] ( name | operator parameter | { keyword parameter } )
public struct MethodHeader: Sendable {
  /// The class of its result, if it says so.
  public let resultType: Name?
  /// One name, one operator, or keywords with their colons.
  public let selectorParts: [Name]
  /// The parameters in order.
  public let parameters: [Parameter]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(
    resultType: Name?, selectorParts: [Name], parameters: [Parameter], range: SourceRange
  ) {
    self.resultType = resultType
    self.selectorParts = selectorParts
    self.parameters = parameters
    self.range = range
  }
}

/// A parameter of a method.
///
///     parameter = [ type ] name
///     type      = "<" name ">"
public struct Parameter: Sendable {
  /// The class of its values, if it says so.
  public let type: Name?
  /// The parameter.
  public let name: Name
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(type: Name?, name: Name, range: SourceRange) {
    self.type = type
    self.name = name
    self.range = range
  }
}

extension MethodHeader {
  /// The selector, its parts joined.
  public var selector: String { selectorParts.map(\.text).joined() }
}
