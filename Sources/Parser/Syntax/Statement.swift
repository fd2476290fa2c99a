public import TenonLexer

/// A statement.
///
///     statement = definition | import | temporaries | variable | [ "^" ] connect
public indirect enum Statement: Sendable {
  case expression(Expression)
  case `return`(ReturnStatement)
  case temporaries(TemporariesStatement)
  case variable(VariableStatement)
  case `import`(ImportStatement)
  case definition(Definition)

  /// Where the statement stands, its full stop excluded.
  public var range: SourceRange {
    switch self {
    case .expression(let expression): expression.range
    case .return(let statement): statement.range
    case .temporaries(let statement): statement.range
    case .variable(let statement): statement.range
    case .import(let statement): statement.range
    case .definition(let definition): definition.range
    }
  }
}

/// A return from the method, or the end of a script; in a filter's body it emits.
///
///     return = "^" connect
public struct ReturnStatement: Sendable {
  /// What is returned.
  public let value: Expression
  /// Where it stands, `^` included.
  public let range: SourceRange

  /// Creates a return.
  public init(value: Expression, range: SourceRange) {
    self.value = value
    self.range = range
  }
}

/// The loading of another script, once.
///
///     import = "import" string
public struct ImportStatement: Sendable {
  /// The file's path, relative to that of the script.
  public let path: String
  /// Where it stands, `import` included.
  public let range: SourceRange

  /// Creates an import.
  public init(path: String, range: SourceRange) {
    self.path = path
    self.range = range
  }
}

/// A declaration of temporaries.
///
///     temporaries = "|" { name } "|"
public struct TemporariesStatement: Sendable {
  /// The names declared, in order.
  public let names: [Name]
  /// Where it stands, the bars included.
  public let range: SourceRange

  /// Creates a declaration.
  public init(names: [Name], range: SourceRange) {
    self.names = names
    self.range = range
  }
}

/// A declaration of one variable, of an instance variable when it stands in a class.
///
/// Outside of a class a `val` has a value.
///
///     variable = ( "var" | "val" ) [ "<" type ">" ] name [ ":=" pipe ]
public struct VariableStatement: Sendable {
  /// Whether it is assigned but once: `val`.
  public let isConstant: Bool
  /// The class its values must have, if it says so.
  public let type: Name?
  /// The variable.
  public let name: Name
  /// Its first value, if it has one.
  public let value: Expression?
  /// Where it stands, `var` included.
  public let range: SourceRange

  /// Creates a declaration.
  public init(
    isConstant: Bool = false, type: Name?, name: Name, value: Expression?, range: SourceRange
  ) {
    self.isConstant = isConstant
    self.type = type
    self.name = name
    self.value = value
    self.range = range
  }
}
