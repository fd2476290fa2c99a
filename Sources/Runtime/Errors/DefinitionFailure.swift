internal import TenonLexer

/// Why a definition cannot be, and which part of it is to blame.
struct DefinitionFailure: Error {
  let failure: Failure
  /// Where it stands; nil for the definition as a whole.
  let range: SourceRange?

  init(_ failure: Failure, at range: SourceRange? = nil) {
    self.failure = failure
    self.range = range
  }
}
