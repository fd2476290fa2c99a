public import TenonLexer

/// An exception that a script did not handle.
public struct ScriptError: Error, Sendable {
  /// The name of the exception's class, `ZeroDivide`.
  public let className: String
  /// What the exception says.
  public let message: String
  /// The sends that were being evaluated, innermost first, those of the kernel left out.
  public let trace: [Entry]
  /// The status with which the program asked to end, of an `Exit`; nil for an error.
  public let exitStatus: Int32?
  /// The error that Swift code of the host has thrown, if the exception stands for one.
  public let cause: (any Error)?
  /// How many sends the trace leaves out, further outside, because it would be too long.
  public let omitted: Int

  init(
    className: String, message: String, exitStatus: Int32? = nil, cause: (any Error)? = nil,
    trace: [Entry], omitted: Int = 0
  ) {
    self.className = className
    self.message = message
    self.exitStatus = exitStatus
    self.cause = cause
    self.trace = trace
    self.omitted = omitted
  }

  /// A line of a stack trace.
  public struct Entry: Sendable {
    /// The method, `Tank>>fill`; nil for a statement of the script itself.
    public let method: String?
    /// The text it stands in.
    public let source: SourceText
    /// The place of the send.
    public let range: SourceRange
  }
}

extension ScriptError {
  /// The most lines of a stack trace that are printed.
  private static let traceLimit = 50

  /// Returns the error as it is printed: place and message, the line with a caret, the stack.
  public func rendered() -> String { rendered(as: "error") }

  /// Returns the error as it is printed, called something.
  func rendered(as title: String) -> String {
    guard let place = trace.first else { return "\(title): \(message)\n" }
    // What the program itself says is not cut, as a diagnostic would be.
    var text = place.source.excerpt("\(title): \(message)", place.range)
    if !text.hasSuffix("\n") { text += "\n" }
    // A statement of the script itself is named by the message already.
    guard trace.contains(where: { $0.method != nil }) else { return text }
    for entry in trace.prefix(ScriptError.traceLimit) {
      let location = entry.source.location(of: entry.range.start)
      let method = entry.method?.withShortQuotes ?? "script"
      text += "  at \(method) (\(entry.source.name):\(location.line):\(location.column))\n"
    }
    let more = max(0, trace.count - ScriptError.traceLimit) + omitted
    if more > 0 { text += "  ... and \(more) more\n" }
    return text
  }
}
