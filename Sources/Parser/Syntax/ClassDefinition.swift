public import TenonLexer

/// A class, or what it is from now on when it is defined already.
///
///     class = "class" name [ ":" name ] "{" { member "." } "}"
public struct ClassDefinition: Sendable {
  /// The class.
  public let name: Name
  /// The superclass; nil means Object.
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

/// Members added to a class that exists.
///
///     extension = "extension" name "{" { member "." } "}"
public struct ExtensionDefinition: Sendable {
  /// The class.
  public let name: Name
  /// The members in order.
  public let members: [Member]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(name: Name, members: [Member], range: SourceRange) {
    self.name = name
    self.members = members
    self.range = range
  }
}

/// Variables that a class shares with its subclasses.
///
///     classVariable = "classvar" name ( ":=" expression | { name } )
public struct ClassVariableDefinition: Sendable {
  /// The names, in order.
  public let names: [Name]
  /// The first value of the only name, if it has one.
  public let value: Expression?
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(names: [Name], value: Expression?, range: SourceRange) {
    self.names = names
    self.value = value
    self.range = range
  }
}
