public import TenonLexer

/// An array literal; its elements are evaluated each time.
///
///     array = "#(" ( { literal } | [ connect { "," connect } [ "," ] ] ) ")"
public struct ArrayExpression: Sendable {
  /// The elements in order.
  public let elements: [Expression]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(elements: [Expression], range: SourceRange) {
    self.elements = elements
    self.range = range
  }
}

/// A byte array literal.
///
///     byteArray = "#[" { integer } "]"
public struct ByteArrayExpression: Sendable {
  /// The bytes in order.
  public let bytes: [UInt8]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(bytes: [UInt8], range: SourceRange) {
    self.bytes = bytes
    self.range = range
  }
}

/// A dictionary literal.
///
///     dictionary = "#{" [ entry { "," entry } [ "," ] ] "}"
///     entry      = ( name | literal | "(" connect ")" ) ":" connect
public struct DictionaryExpression: Sendable {
  /// The entries in order.
  public let entries: [DictionaryEntry]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(entries: [DictionaryEntry], range: SourceRange) {
    self.entries = entries
    self.range = range
  }
}

/// An object literal: a new instance with properties set.
///
///     object = "#" name "{" [ property { "," property } [ "," ] ] "}"
///     property = ( name | literal | "(" connect ")" ) ":" connect
public struct ObjectExpression: Sendable {
  /// The class or template.
  public let className: Name
  /// The properties in the order they are set.
  public let properties: [ObjectProperty]
  /// Where it stands.
  public let range: SourceRange

  /// Creates the syntax from its parts.
  public init(className: Name, properties: [ObjectProperty], range: SourceRange) {
    self.className = className
    self.properties = properties
    self.range = range
  }
}

/// A key with its value; a bare word as the key is a symbol.
public struct DictionaryEntry: Sendable {
  /// The key; a bare word has become a symbol expression.
  public let key: Expression
  /// The value.
  public let value: Expression

  /// Creates an entry.
  public init(key: Expression, value: Expression) {
    self.key = key
    self.value = value
  }
}

/// A property of an object literal with its value.
public struct ObjectProperty: Sendable {
  /// The property, without a colon; of a key that is no text as it is written.
  public let name: Name
  /// What stands before the colon if it is no word: a string, or a key for a dictionary.
  public let key: Expression?
  /// The value.
  public let value: Expression

  /// Creates a property.
  public init(name: Name, key: Expression? = nil, value: Expression) {
    self.name = name
    self.key = key
    self.value = value
  }
}
