internal import TenonAnalysis

/// What the scripts of an interpreter have declared so far: each text that is evaluated goes on with it.
final class ScriptSession {
  /// What `self` is at top level.
  var script: ObjectRef!

  /// How often what names mean has changed.
  private(set) var nameChanges = 0

  // MARK: Variables
  /// The cells of the variables, by their names.
  var cells: [String: ObjectRef] = [:] { didSet { nameChanges &+= 1 } }
  /// How many of them had been declared before each, by its address.
  var declarations: [UInt: Int] = [:]
  /// The types that variables were declared with, by their cells.
  var cellTypes: [UInt: (type: String, name: String)] = [:] { didSet { nameChanges &+= 1 } }
  /// The cells of variables that were declared with `val`.
  var constantCells: Set<UInt> = [] { didSet { nameChanges &+= 1 } }
  /// The cells of variables that group definitions declare.
  var groupCells: Set<UInt> = [] { didSet { nameChanges &+= 1 } }
  /// Whether any variable was declared to be computed when it is read.
  var hasLazyVariables = false { didSet { nameChanges &+= 1 } }

  // MARK: Syntax
  /// The hyphenated names that have been declared.
  var hyphenatedNames: Set<String> = [] { didSet { nameChanges &+= 1 } }
  /// The connectors that have been declared.
  var definedConnectors: Set<String> = [] { didSet { nameChanges &+= 1 } }

  // MARK: Texts
  /// What `import` has read.
  var importedFiles: Set<String> = []
  /// What the texts that may be loaded again have done, by their names.
  var loadedTexts: [String: LoadedText] = [:]
  /// Whether the script that ran last ended by a `^`.
  var endedByReturn = false
  /// Whether somebody has stopped the program when it had done all but that.
  var isAbandoned = false
  /// What the last statements say that have connected something, for the objects they have answered.
  var statementTexts = StatementTexts()
  /// What the texts of a prompt have connected.
  var typedConnections = TypedConnections()
  /// The instance of the class `Prompt`; nil before it was used.
  var prompt = Value.nil
}
