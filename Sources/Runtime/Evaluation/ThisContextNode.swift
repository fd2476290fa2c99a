internal import TenonLexer

/// `thisContext`: what is being evaluated, as an object.
final class ThisContextNode: SiteNode {
  override func evaluate(_ frame: Frame) -> Value {
    withMachine(in: frame) { $0.makeStackFrame() }
  }
}

extension Machine {
  /// What is being evaluated, those of kernel code left out.
  ///
  /// - Complexity: O(*depth*); at most as many frames are kept as in the report of an error.
  func makeStackFrame() -> Value {
    let object = Value(makeInstance(of: "StackFrame"))
    roots.append(object)
    defer { roots.removeLast() }
    let rows = makeArray(
      stackTrace(limit: StackTrace.limit).flatMap { entry in
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
