public import TenonLexer

/// What came of parsing a text.
public struct ParseResult<Tree: Sendable>: Sendable {
  /// The tree; nil when there are errors.
  public let tree: Tree?
  /// Errors and warnings in the order of their places: at most 20, at most one error for a line.
  public let diagnostics: [Diagnostic]
  /// Whether all that is wrong is that the text ends too early: at the prompt, more may be typed.
  public let isIncomplete: Bool
  /// The hyphenated names the text declares; what is parsed later should know them.
  public let hyphenatedNames: Set<String>
  /// The connectors the text defines; what is parsed later should know them.
  public let connectors: Set<String>
}

extension ParseResult where Tree == Script {
  /// The script; nil when there are errors.
  public var script: Script? { tree }
}
