internal import TenonLexer
internal import TenonParser

// Texts that a program evaluates while it runs.

extension Machine {
  /// Evaluates the statements of a text as those of a script: `self` is the script, its variables
  /// are the script's.
  ///
  /// In a formula what it reads is recorded, as that of any code. A `^` ends the text.
  ///
  /// - Returns: the value of the last statement, or `unwind`.
  /// - Throws: a failure that tells the first error of the text; nothing of it has run then.
  func evaluate(text: String) throws(Failure) -> Value {
    let source = SourceText(name: "<evaluate>", text)
    var plan = ScriptPlan(machine: self, isPrompt: false)
    let script: Script
    switch plan.read(source, chain: []) {
    case .script(let read): script = read
    case .rejected(let diagnostics, _):
      let error = diagnostics.first { $0.severity == .error } ?? diagnostics.first
      throw .doesNotCompile(
        error?.message ?? "this is no script", source, error?.range ?? .none)
    }
    for statement in script.statements {
      if case .import(let statement) = statement {
        throw .doesNotCompile("an import stands in a file", source, statement.range)
      }
    }
    session.hyphenatedNames.formUnion(plan.hyphenatedNames)
    session.definedConnectors.formUnion(plan.connectors)
    for name in plan.declared { _ = scriptCell(named: name) }
    for name in plan.classes { _ = classCell(named: name) }
    return run(script.statements, source)
  }

  private func run(_ statements: [Statement], _ source: SourceText) -> Value {
    let environment = ScriptEnvironment(machine: self, allowsUnknownNames: false)
    var last = Value.nil
    for (index, statement) in statements.enumerated() {
      beginBatch(at: index, of: statements)
      declare(in: statement)
      let code = compile(
        statement, source: source, environment: environment,
        mode: trackingDepth > 0 ? .tracked : .plain)
      let value = run(code)
      last = endBatch(at: index, of: statements, answering: value)
      guard last.isUnwind else { continue }
      guard state.unwindTarget == Machine.scriptTarget else { return last }
      exceptions.unwindAction = .deliver
      return state.takeUnwindValue()
    }
    return last
  }
}
