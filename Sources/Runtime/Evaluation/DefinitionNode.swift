internal import TenonLexer
internal import TenonParser

/// A definition of a class, a scheme or a method: it changes the machine when it is evaluated.
final class DefinitionNode: SiteNode {
  let definition: Definition
  /// For failures that speak of a part of the definition.
  let position: CodePosition

  init(_ definition: Definition, at position: CodePosition) {
    self.definition = definition
    self.position = position
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let outcome = withMachine(in: frame) { machine in
      Result { () throws(DefinitionFailure) in
        try machine.define(definition, source: code.source)
      }
    }
    switch outcome {
    case .success(let value): return value
    case .failure(let error):
      let place = error.range.map {
        CodePosition(code: code, range: $0, depth: depth, state: state)
      }
      return code.add(FailureNode(error.failure, at: place ?? position)).evaluate(frame)
    }
  }
}

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
