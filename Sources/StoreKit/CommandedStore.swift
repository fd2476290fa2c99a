/// A store that can do more than the verbs: a program says so by a name and a value.
///
/// Settings, and what only one kind of store has, come this way; places are for the verbs.
public protocol CommandedStore: Store {
  /// Whether a command only reads what is at its place, so that formulas may use it.
  func isReading(_ command: String) -> Bool

  /// Whether a byte array as the argument of a command comes as these bytes, of the type
  /// `application/octet-stream`, and not as JSON, which has none.
  var takesBytes: Bool { get }

  /// Carries out a command.
  ///
  /// - Parameters:
  ///   - command: Its name, as the store defines it.
  ///   - argument: A value as JSON, or bytes as they are.
  ///   - reference: The place that is meant.
  /// - Returns: What it came to.
  /// - Throws: `StoreError`, of the kind `unsupported` for a command that the store does not know.
  func perform(
    _ command: String, _ argument: Resource, at reference: Reference
  ) throws(StoreError) -> CommandAnswer
}

extension CommandedStore {
  /// No command does.
  public func isReading(_ command: String) -> Bool { false }

  /// It does not.
  public var takesBytes: Bool { false }
}

/// What a command came to.
public enum CommandAnswer {
  /// It has been carried out.
  case done
  /// It has a value.
  case resource(Resource)
  /// It has made a store, or found the one that there is.
  case store(any Store)
  /// It has opened a place for reading.
  case source(any ByteSource)
  /// It has opened a place for writing.
  case sink(any ByteSink)
}
