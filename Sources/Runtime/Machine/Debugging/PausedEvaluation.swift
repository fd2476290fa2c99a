internal import TenonAnalysis
package import TenonLexer
internal import TenonParser

/// An evaluation that an exception has stopped: its frames, and what can be evaluated in them.
///
/// It is good until it goes on.
package final class PausedEvaluation {
  @safe private unowned(unsafe) let machine: Machine
  private let activations: [Activation]
  /// What nobody has handled; nil at the end of a step.
  package let error: ScriptError?
  /// Whether the message that has signalled it may be given an answer.
  package let isResumable: Bool

  init(
    _ machine: Machine, _ error: ScriptError?, _ activations: [Activation], isResumable: Bool
  ) {
    self.machine = machine
    self.error = error
    self.activations = activations
    self.isResumable = isResumable
  }

  /// The sends that are being evaluated, innermost first, those of the kernel left out.
  package var frames: [ScriptError.Entry] {
    activations.map {
      ScriptError.Entry(method: $0.code.name, source: $0.code.source, range: $0.site.range)
    }
  }

  /// What `self` is in a frame.
  ///
  /// - Requires: `index` is one of `frames`.
  package func receiver(of index: Int) -> Handle {
    machine.handles.makeHandle(activations[index].receiver)
  }

  /// Whether the method, the block or the statement of a frame can be left with a value.
  ///
  /// - Requires: `index` is one of `frames`.
  package func canReturn(from index: Int) -> Bool { activations[index].code.catchesReturns }

  /// The variables that a frame sees, those of the innermost block first; those that no block uses are
  /// seen in their own frame alone.
  ///
  /// - Requires: `index` is one of `frames`.
  /// - Complexity: O(*n*) in the size of the method's text.
  package func variables(of index: Int) -> [(name: String, value: Handle)] {
    let machine = machine
    let scope = ActivationScope(machine, activations[index])
    return scope.variables.map { ($0.name, machine.handles.makeHandle(scope.value(of: $0))) }
  }

  /// Forgets that what was evaluated meanwhile was interrupted: that concerns it alone.
  package func settle() { machine.endInterruption() }

  /// Evaluates a text in a frame, with its `self` and its variables, which the text may change.
  ///
  /// Definitions, imports and connections are those of the script; so is a variable that the text
  /// declares.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - index: The frame, one of `frames`.
  ///   - willRun: Called when the text has been read and before anything of it runs.
  ///   - warn: Receives the warnings before the text runs.
  ///   - observer: Called after each statement that has a value, with the value and its place.
  /// - Returns: How it ended.
  package func evaluate(
    _ source: SourceText, in index: Int, willRun: () -> Void,
    warn: ([Diagnostic]) -> Void, observer: (Handle, SourceRange) -> Void
  ) -> RunOutcome {
    let machine = machine
    var plan = ScriptPlan(machine: machine, isPrompt: true)
    switch plan.read(source, chain: []) {
    case .rejected(let diagnostics, let isIncomplete):
      return .rejected(diagnostics, isIncomplete: isIncomplete)
    case .script(let script):
      guard script.signature == nil, !script.statements.contains(where: \.isImport) else {
        return withoutActuallyEscaping(observer) {
          machine.execute(
            source, isPrompt: true, willRun: willRun, warn: warn, observer: $0)
        }
      }
      let scope = ActivationScope(machine, activations[index])
      let code = FrameCode(script, source, scope)
      if let issues = code.issues { return .rejected(issues, isIncomplete: false) }
      if !plan.warnings.isEmpty { warn(plan.warnings.map(\.diagnostic)) }
      willRun()
      machine.session.hyphenatedNames.formUnion(plan.hyphenatedNames)
      machine.session.definedConnectors.formUnion(plan.connectors)
      for name in plan.declared where !scope.knows(name) { _ = machine.scriptCell(named: name) }
      for name in plan.classes { _ = machine.classCell(named: name) }
      return machine.withHostEntry { code.run(observer) }
    }
  }
}

extension Statement {
  fileprivate var isImport: Bool {
    if case .import = self { true } else { false }
  }

  /// Whether it is the script's wherever it is evaluated: it outlives every frame.
  fileprivate var isOfScript: Bool {
    if case .definition = self { true } else { isConnection }
  }
}

/// A text that is evaluated in the frame of an activation.
///
/// The variables of the frame are cells as long as a statement runs; what it has changed is written back.
private struct FrameCode {
  let script: Script
  let source: SourceText
  let scope: ActivationScope
  private let cells: [(variable: ActivationVariable, cell: ObjectRef)]
  private let environment: ActivationEnvironment

  init(_ script: Script, _ source: SourceText, _ scope: ActivationScope) {
    self.script = script
    self.source = source
    self.scope = scope
    let machine = scope.machine
    var cells: [(ActivationVariable, ObjectRef)] = []
    for variable in scope.variables {
      let cell = machine.makeCell(scope.value(of: variable))
      // Until the evaluation goes on: nothing else keeps a cell that no statement names.
      machine.roots.append(Value(cell))
      cells.append((variable, cell))
    }
    self.cells = cells
    environment = ActivationEnvironment(
      cells: Dictionary(cells.map { ($0.0.name, $0.1) }) { first, _ in first },
      constants: Set(scope.variables.filter(\.isConstant).map(\.name)), outer: scope.outer)
  }

  /// What is wrong with the text in this place; nil when nothing is.
  var issues: [Diagnostic]? {
    for statement in script.statements where !statement.isOfScript {
      var analyzer = Analyzer(environment: environment)
      _ = analyzer.analyze(parameters: [], statements: [statement])
      guard analyzer.issues.isEmpty else {
        return analyzer.issues.map { Diagnostic(.error, $0.message, $0.range) }
      }
    }
    return nil
  }

  func run(_ observer: (Handle, SourceRange) -> Void) -> RunOutcome {
    let machine = scope.machine
    var last = machine.nilHandle
    for (index, statement) in script.statements.enumerated() {
      machine.beginBatch(at: index, of: script.statements)
      let result = statement.isOfScript ? runOfScript(statement) : runInFrame(statement)
      let value = machine.endBatch(at: index, of: script.statements, answering: result)
      guard !value.isUnwind else {
        let outcome = machine.endOfHostEntry()
        // A '^' ends the text, and its value is that of the statement.
        if case .finished(let value) = outcome { observer(value, statement.range) }
        return outcome
      }
      last = machine.handles.makeHandle(value)
      if statement.hasValue { observer(last, statement.range) }
    }
    return .finished(last)
  }

  private func runOfScript(_ statement: Statement) -> Value {
    let machine = scope.machine
    let environment = ScriptEnvironment(machine: machine, allowsUnknownNames: true)
    return machine.run(
      machine.compile(statement, source: source, environment: environment))
  }

  private func runInFrame(_ statement: Statement) -> Value {
    declare(in: statement)
    let before = scope.variables.map { scope.value(of: $0) }
    for (value, entry) in zip(before, cells) { entry.cell[slot: 0] = value }
    defer {
      for (value, entry) in zip(before, cells) where entry.cell[slot: 0] != value {
        scope.set(entry.variable, to: entry.cell[slot: 0])
      }
    }
    return scope.machine.run(compile(statement), receiver: scope.activation.receiver)
  }

  /// Declares variables of the script, unless the frame has those names.
  private func declare(in statement: Statement) {
    switch statement {
    case .variable(let variable) where scope.knows(variable.name.text): break
    case .temporaries(let declaration)
    where declaration.names.contains(where: { scope.knows($0.text) }):
      break
    default: scope.machine.declare(in: statement)
    }
  }

  private func compile(_ statement: Statement) -> Code {
    let machine = scope.machine
    let code = Code(source: source, name: nil, isKernel: false)
    guard machine.hasStack(for: [statement]) else {
      let position = CodePosition(
        code: code, range: statement.range, depth: 1, state: machine.state)
      code.body = code.add(FailureNode(.stackOverflow(), at: position))
      return code
    }
    var analyzer = Analyzer(environment: environment)
    let analyzed = analyzer.analyze(parameters: [], statements: [statement])
    var builder = Builder(
      machine: machine, code: code, environment: environment, scope: analyzed,
      scopes: analyzer.scopes, holder: scope.holder, mode: .plain)
    builder.layout = scope.layout
    code.finish(builder.buildStatement(statement))
    return code
  }
}
