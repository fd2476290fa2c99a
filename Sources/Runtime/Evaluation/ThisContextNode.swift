internal import TenonLexer

/// `thisContext`: what is being evaluated, as an object.
final class ThisContextNode: SiteNode {
  override func evaluate(_ frame: Frame) -> Value {
    withMachine(in: frame) { $0.makeStackFrame($0.stackTrace(limit: StackTrace.limit)) }
  }
}
