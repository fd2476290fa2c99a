internal import TenonLexer

/// `thisContext`: what is being evaluated, as an object.
final class ThisContextNode: SiteNode {
  override func evaluate(_ frame: Frame) -> Value {
    withMachine(in: frame) { $0.makeStackFrame($0.stackTrace(limit: StackTrace.limit)) }
  }
}

extension Machine {
  /// The innermost of some sends as an object, which knows the others.
  ///
  /// - Complexity: O(*n*).
  func makeStackFrame(_ entries: [TraceEntry]) -> Value {
    let object = Value(makeInstance(of: "StackFrame"))
    roots.append(object)
    defer { roots.removeLast() }
    let rows = makeArray(
      entries.flatMap { entry in
        let place = entry.code.source.location(of: entry.site.range.start)
        return [
          makeString(entry.code.name ?? "script"), makeString(entry.code.source.name),
          Value(small: place.line),
        ]
      })
    ObjectRef(object)[slot: 0] = rows
    return object
  }
}
