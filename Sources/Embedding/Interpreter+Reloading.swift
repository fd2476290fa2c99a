public import TenonLexer
public import TenonRuntime

extension Interpreter {
  /// Takes up a text that has changed, in a program that goes on: what it was keeps what fits.
  ///
  ///     _ = try interpreter.reload(text, name: "game.st")
  ///     // … the text is edited …
  ///     print(try interpreter.reload(changed, name: "game.st"))
  ///
  /// The first text of a name is run as a whole. Of one that follows,
  ///
  /// - definitions are run again: instances that exist have the new methods, keep their variables by name,
  ///   and get those that are new; what their class connects in them is connected anew,
  /// - connections at top level are made again; those of the earlier text that it has no more end,
  /// - other statements are run when they are new: what both texts say has been done and stays. So a
  ///   variable keeps its value unless the text gives it another first one.
  ///
  /// All of that is one change for connections and bindings: none of them sees a place without its value, and
  /// none a state in between. Methods outside of classes that the text has no more are removed; its variables
  /// and classes stay, for others may use them. What `import` has read is not read again.
  ///
  /// - Parameters:
  ///   - text: The whole text as it is now.
  ///   - name: The name of the file, by which the earlier text is known.
  /// - Returns: What was kept, what has changed and what could not be kept. An exception that the text does
  ///   not handle is the `failure` of the report.
  /// - Throws: `EvaluationError.syntax` when something is wrong with the text: nothing has been done then.
  ///   `limit` and `interrupted` when it was stopped: what it has done stays, and what it has not is done
  ///   by the next call. `script` within an evaluation, which must end first, and for one that ends
  ///   with `Exit`.
  /// - Complexity: O(bytes of the text), O(bytes of the heap) when it defines classes that exist, and O(*n*)
  ///   in the interpreter's connections.
  public func reload(_ text: String, name: String) throws(EvaluationError) -> ReloadReport {
    try reload(SourceText(name: name, text))
  }

  /// Takes up a text that has changed; see ``reload(_:name:)``.
  ///
  /// - Parameters:
  ///   - source: The text with its name.
  ///   - warn: Receives the warnings before anything of it runs.
  /// - Returns: What was kept, what has changed and what could not be kept.
  /// - Throws: `EvaluationError`, as `reload(_:name:)` does.
  public func reload(
    _ source: SourceText, warn: ([Diagnostic]) -> Void = { _ in }
  ) throws(EvaluationError) -> ReloadReport {
    let (report, outcome) = machine.reload(source, warn: warn)
    switch outcome {
    case .finished: return report
    case .failed where report.failure != nil: return report
    case .rejected(let diagnostics, _):
      throw .syntax(diagnostics.map { $0.rendered(in: source) }.joined(separator: "\n"))
    case .failed, .interrupted: throw EvaluationError(outcome, in: machine)
    }
  }

  /// Notes that a text has been run, so that `reload` takes up what changes in it.
  package func remember(_ source: SourceText) { machine.remember(source) }
}
