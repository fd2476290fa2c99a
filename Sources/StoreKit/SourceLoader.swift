public import TenonLexer

/// What `import` reads scripts with; whoever makes an interpreter grants it.
public protocol SourceLoader: AnyObject {
  /// Reads the script that another one imports.
  ///
  /// - Parameters:
  ///   - path: The path as the script writes it.
  ///   - importer: The name of the importing text: a path for one that came from a file.
  /// - Returns: The script.
  /// - Throws: `SourceLoaderError` when it cannot be read.
  func load(_ path: String, importedBy importer: String) throws(SourceLoaderError) -> LoadedSource

  /// What tells the file of that name from all others, whatever way leads there; nil when the name
  /// is not that of a file.
  func identity(ofFile name: String) -> String?
}

/// A script that was read for an `import`.
public struct LoadedSource: Sendable {
  /// What tells its file from all others.
  public let identity: String
  /// Its text, under the name that messages use.
  public let source: SourceText

  /// Creates a script that was read.
  public init(identity: String, source: SourceText) {
    self.identity = identity
    self.source = source
  }
}

/// Why a script could not be read.
public struct SourceLoaderError: Error, Sendable {
  /// What went wrong: lower case, no full stop.
  public let message: String

  /// Creates an error.
  public init(_ message: String) {
    self.message = message
  }
}
