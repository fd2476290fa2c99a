public import TenonLexer

/// A filter.
///
///     filter = "filter" name [ ":" name ] ( emission | "{" { member "." } "}" )
public struct FilterDefinition: Sendable {
  /// The filter's class.
  public let name: Name
  /// The superclass, if it names one.
  public let superclass: Name?
  /// The members in order; the short form has one, its emission.
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

/// What a filter does with each object; `^` emits.
///
///     emission = "|" [ type ] [ "->" type ] "{" { statement "." } "}"
public struct EmissionDefinition: Sendable {
  /// The class of what the filter takes, if it says so.
  public let inputType: Name?
  /// The class of what it emits, if it says so.
  public let outputType: Name?
  /// The body; it sees `object`.
  public let statements: [Statement]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(
    inputType: Name? = nil, outputType: Name? = nil, statements: [Statement], range: SourceRange
  ) {
    self.inputType = inputType
    self.outputType = outputType
    self.statements = statements
    self.range = range
  }
}

/// The messages that a class promises to understand.
///
///     protocol = "protocol" name [ ":" name ] "{" { ( "-" | "+" ) methodHeader "." } "}"
public struct ProtocolDefinition: Sendable {
  /// The protocol.
  public let name: Name
  /// The protocol it adds to, if it names one.
  public let superprotocol: Name?
  /// The messages in order.
  public let requirements: [ProtocolRequirement]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(
    name: Name, superprotocol: Name?, requirements: [ProtocolRequirement], range: SourceRange
  ) {
    self.name = name
    self.superprotocol = superprotocol
    self.requirements = requirements
    self.range = range
  }
}

/// A message a protocol asks for.
public struct ProtocolRequirement: Sendable {
  /// Whether the class itself is asked (`+`).
  public let isClassMethod: Bool
  /// Selector and parameters.
  public let header: MethodHeader
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(isClassMethod: Bool, header: MethodHeader, range: SourceRange) {
    self.isClassMethod = isClassMethod
    self.header = header
    self.range = range
  }
}

/// An object literal under a name of its own.
///
///     template = "object" name ":" object
public struct TemplateDefinition: Sendable {
  /// The template.
  public let name: Name
  /// What it makes.
  public let object: ObjectExpression
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(name: Name, object: ObjectExpression, range: SourceRange) {
    self.name = name
    self.object = object
    self.range = range
  }
}

/// A store whose paths name other places.
///
///     group = "group" name "{" { name "->" place "." } "}"
public struct GroupDefinition: Sendable {
  /// The group.
  public let name: Name
  /// The entries in order.
  public let entries: [GroupEntry]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(name: Name, entries: [GroupEntry], range: SourceRange) {
    self.name = name
    self.entries = entries
    self.range = range
  }
}

/// A name in a group.
public struct GroupEntry: Sendable {
  /// The name.
  public let name: Name
  /// The place it stands for.
  public let place: Expression
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(name: Name, place: Expression, range: SourceRange) {
    self.name = name
    self.place = place
    self.range = range
  }
}

/// A connector of the program's own.
///
///     connectorDefinition = "connector" operator [ ":" name ] "{" { member "." } "}"
public struct ConnectorDefinition: Sendable {
  /// The operator.
  public let connector: Name
  /// The superclass, if it names one.
  public let superclass: Name?
  /// The members in order.
  public let members: [Member]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(connector: Name, superclass: Name?, members: [Member], range: SourceRange) {
    self.connector = connector
    self.superclass = superclass
    self.members = members
    self.range = range
  }
}
