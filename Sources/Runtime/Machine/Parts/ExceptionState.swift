internal import TenonTables

/// Handlers, signals under way, and what is told of errors.
final class ExceptionState {
  let handlers = FlatTable<Handler>()
  @safe @exclusivity(unchecked) var currentHandler = -1
  /// The signals that are being handled, innermost last.
  var activeSignals: [ActiveSignal] = []
  var nextToken = 1
  var unwindAction = UnwindAction.deliver
  /// How many clean-up blocks are being evaluated, one inside the other.
  var runningCleanUps = 0

  // MARK: Errors
  @safe @exclusivity(unchecked) var uncaught: UncaughtError?
  /// What the failure that is being thrown has to tell beside its text.
  var failureDetails: FailureDetails?
  /// Where an error stands that comes to light elsewhere.
  var failurePlace: TraceEntry?
  /// What stops an evaluation that an exception is about to end; nil unless there is a prompt.
  var debugger: Debugger?
  /// Whether the debugger is asked at each safepoint whether the evaluation stops there.
  @safe @exclusivity(unchecked) var isStepping = false
  /// What the unwinding is aimed at that begins a statement anew.
  var retryTarget: Value?
  /// How many errors were reported after which the program went on.
  var reportedErrors = 0

  /// Ends the unwinding that begins a statement anew.
  ///
  /// - Returns: Whether that is what unwinds.
  func takeRetry(_ state: StateRef) -> Bool {
    guard let target = retryTarget, state.unwindTarget == target else { return false }
    retryTarget = nil
    unwindAction = .deliver
    _ = state.takeUnwindValue()
    return true
  }
}
