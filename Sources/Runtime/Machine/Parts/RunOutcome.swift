package import TenonLexer

/// What came of running a script.
package enum RunOutcome {
  /// It ran to its end, or to a `^`: the value of the last statement.
  case finished(Handle)
  /// It was not run: what is wrong with its text.
  case rejected([Diagnostic], isIncomplete: Bool)
  /// An exception that nobody handled.
  case failed(ScriptError)
  /// Somebody asked it to stop.
  case interrupted
}

extension RunOutcome {
  /// The exception that nobody has handled.
  var error: ScriptError? {
    if case .failed(let error) = self { return error }
    return nil
  }
}

/// Why a call has no answer that crosses.
package enum CallError: Error {
  /// What does not cross.
  case conversion(ConversionError)
  /// The exception that nobody has handled; nil when it was interrupted.
  case ended(ScriptError?)
}
