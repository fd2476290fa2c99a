/// An exception that nobody handled.
final class UncaughtError {
  let className: String
  let message: String
  /// Of an `Exit`, the status it asks for.
  let exitStatus: Int32?
  /// The error of the host that it stands for.
  let cause: (any Error)?
  let trace: StackTrace

  init(
    className: String, message: String, exitStatus: Int32? = nil, cause: (any Error)? = nil,
    trace: StackTrace
  ) {
    self.className = className
    self.message = message
    self.exitStatus = exitStatus
    self.cause = cause
    self.trace = trace
  }
}

/// The sends that were being evaluated, innermost first.
struct StackTrace {
  /// The most entries that are kept: a program may be millions of calls deep.
  static let limit = 1000

  var entries: [TraceEntry] = []
  /// How many more there were, further out.
  var omitted = 0
}

/// A line of a stack trace.
struct TraceEntry {
  let code: Code
  let site: SiteNode

  init(_ site: SiteNode) {
    code = site.code
    self.site = site
  }
}

extension UncaughtError {
  /// The error as other modules see it.
  var published: ScriptError {
    ScriptError(
      className: className, message: message, exitStatus: exitStatus, cause: cause,
      trace: trace.entries.map {
        ScriptError.Entry(method: $0.code.name, source: $0.code.source, range: $0.site.range)
      }, omitted: trace.omitted)
  }

  /// The error of a block that nobody of the program has evaluated: where no send was running, its
  /// place is that of the block.
  func published(in block: Value) -> ScriptError {
    guard trace.entries.isEmpty, block.isObject(ofClass: ClassIndex.blockClosure) else {
      return published
    }
    let block = Closure(block).code.object
    return ScriptError(
      className: className, message: message, exitStatus: exitStatus, cause: cause,
      trace: [ScriptError.Entry(method: nil, source: block.code.source, range: block.range)],
      omitted: 0)
  }
}
