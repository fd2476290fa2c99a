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
    return self.value(of: outcome, in: frame, at: position)
  }
}

/// Gives something that is no class a name among the classes.
final class GlobalNode: SiteNode {
  let value: NodeRef
  let name: String
  let position: CodePosition

  init(value: NodeRef, name: String, at position: CodePosition) {
    self.value = value
    self.name = name
    self.position = position
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let value = value.evaluate(frame)
    if value.isUnwind { return value }
    let outcome = withMachine(in: frame) { machine in
      Result { () throws(DefinitionFailure) in
        try machine.setGlobal(name, to: value, at: position.range)
      }
    }
    return self.value(of: outcome, in: frame, at: position)
  }
}

extension SiteNode {
  /// What a definition came to; a failure is told at the part to blame.
  fileprivate func value(
    of outcome: Result<Value, DefinitionFailure>, in frame: Frame, at position: CodePosition
  ) -> Value {
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
