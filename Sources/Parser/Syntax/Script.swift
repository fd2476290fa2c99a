public import TenonLexer

/// A whole source text as syntax: what a file, a line at the prompt or an evaluated string holds.
///
///     script = [ signature ] { statement "." }
public struct Script: Sendable {
  /// What the script's arguments are, when it says so before its first statement.
  public let signature: ScriptSignature?
  /// The statements in order; empty statements are not kept.
  public let statements: [Statement]
  /// The comments in order, `//` included, for tools that must not lose them.
  public let comments: [SourceRange]
  /// The whole text.
  public let range: SourceRange

  /// Creates a script.
  public init(
    signature: ScriptSignature?, statements: [Statement], comments: [SourceRange],
    range: SourceRange
  ) {
    self.signature = signature
    self.statements = statements
    self.comments = comments
    self.range = range
  }
}

/// A script's declaration of its arguments.
///
///     signature = "#" methodHeader
public struct ScriptSignature: Sendable {
  /// The header, written as that of a method.
  public let header: MethodHeader
  /// Where it stands, `#` included.
  public let range: SourceRange

  /// Creates a signature.
  public init(header: MethodHeader, range: SourceRange) {
    self.header = header
    self.range = range
  }
}
