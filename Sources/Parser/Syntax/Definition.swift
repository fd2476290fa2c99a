public import TenonLexer

/// A definition.
///
///     definition = class | extension | scheme | filter | protocol | template | group
///                | connectorDefinition | method
public enum Definition: Sendable {
  case `class`(ClassDefinition)
  case `extension`(ExtensionDefinition)
  case scheme(SchemeDefinition)
  case filter(FilterDefinition)
  case `protocol`(ProtocolDefinition)
  case template(TemplateDefinition)
  case group(GroupDefinition)
  case connector(ConnectorDefinition)
  case method(MethodDefinition)

  /// Where the definition stands.
  public var range: SourceRange {
    switch self {
    case .class(let definition): definition.range
    case .extension(let definition): definition.range
    case .scheme(let definition): definition.range
    case .filter(let definition): definition.range
    case .protocol(let definition): definition.range
    case .template(let definition): definition.range
    case .group(let definition): definition.range
    case .connector(let definition): definition.range
    case .method(let definition): definition.range
    }
  }
}

/// A member of a class, an extension, a scheme, a filter or a connector.
///
///     member = variable | classVariable | method | propertyPath | emission | connect
public enum Member: Sendable {
  case variable(VariableStatement)
  case classVariable(ClassVariableDefinition)
  case method(MethodDefinition)
  case propertyPath(PropertyPathDefinition)
  case emission(EmissionDefinition)
  /// An assignment, connection or group that is made for every instance.
  case statement(Statement)

  /// Where the member stands.
  public var range: SourceRange {
    switch self {
    case .variable(let member): member.range
    case .classVariable(let member): member.range
    case .method(let member): member.range
    case .propertyPath(let member): member.range
    case .emission(let member): member.range
    case .statement(let statement): statement.range
    }
  }
}
