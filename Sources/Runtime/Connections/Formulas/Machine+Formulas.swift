internal import TenonText
internal import TenonStoreKit
internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

// The folder Formulas: the evaluation of formulas: blocks, folds over elements, lazy variables, Swift code.

// Running the formulas of a turn.

extension ConnectionGraph {
  /// Evaluates a formula that is a block.
  ///
  /// - Returns: its value; nil when it failed, which is recorded, or was interrupted.
  @inline(__always)
  func evaluateBlockFormula(_ number: Int32) -> Value? {
    if isRunBySolver { return machine.evaluateWithin(number) }
    if words[0].handler < 0 { beginFormulas() }
    recording.recorder.reset()
    let outer = runningNumber
    runningNumber = number
    machine.trackingDepth += 1
    let value = evaluateFormulaBlock(Value(bits: hotFormulas[number].word))
    machine.trackingDepth -= 1
    runningNumber = outer
    if !value.isUnwind,
      !value.isObject || hot[hotFormulas[number].output].kind != .stored
    {
      if hotFormulas[number].readsItsText {
        if recording.recorder.isEmpty { return value }
      } else if hasReadTheSame(number) {
        return value
      }
    }
    return machine.finish(value, of: number)
  }

  /// Returns whether a formula that has just run has the same reads as before, so that none is to be taken.
  @inline(__always)
  private func hasReadTheSame(_ number: Int32) -> Bool {
    !hasFailures && hotFormulas[number].kind == .block && !hotFormulas[number].hasFold
      && recording.lastReads.areSame(recording.recorder.places, of: number)
  }

  @inline(__always)
  private func evaluateFormulaBlock(_ block: Value) -> Value {
    let top = state.top
    let callee = top.advanced(by: 2)
    guard !state.needsSafepoint, !(state.stackEnd < callee.advanced(by: FrameLimits.reserve)),
      block.isObject(ofClass: ClassIndex.blockClosure)
    else { return machine.evaluateBlock(block) }
    let code = Closure(block).code
    guard code.isTracked, code.argumentCount == 0 else { return machine.evaluateBlock(block) }
    let base = state.base
    top[0] = Value(small: top.distance(from: base))
    top[1] = .undefined
    callee[0] = block
    let value = code.body.evaluate(callee)
    state.top = top
    state.base = base
    return value
  }
}

extension Machine {
  /// Evaluates a block formula for a solver of the language, whose own errors end elsewhere than those of the
  /// formula.
  @inline(never)
  func evaluateWithin(_ number: Int32) -> Value? {
    guard let formula = graph[FormulaID(number)] else { return nil }
    let block = Value(bits: graph.hotFormulas[number].word)
    return run(formula) { withErrorsCaught { evaluateBlock(block) } }
  }

  /// Runs a formula by itself, and takes its reads.
  ///
  /// - Returns: its value; nil when it failed, which is recorded, or was interrupted.
  func run(_ formula: Formula, _ body: () -> Evaluation) -> Value? {
    let (outcome, reads) = runUntaken(formula, body)
    if case .unwound = outcome { return nil }
    return conclude(outcome, reads: reads, of: formula)
  }

  /// Runs code that belongs to a formula.
  ///
  /// - Returns: The outcome and the reads.
  func runUntaken(
    _ formula: Formula, _ body: () -> Evaluation
  ) -> (outcome: Evaluation, reads: [Place]) {
    let outerRecorder = recorder
    let outerRunning = graph.runningNumber
    let recorder = DependencyRecorder(within: outerRecorder)
    recorder.base = state.base
    self.recorder = recorder
    graph.runningNumber = formula.id.rawValue
    trackingDepth += 1
    let outcome = body()
    trackingDepth -= 1
    graph.runningNumber = outerRunning
    self.recorder = outerRecorder
    if case .unwound = outcome { graph.isUnwinding = true }
    return (outcome, recorder.reads)
  }

  /// Takes the reads of a formula besides those that its text names, or its failure.
  @inline(never)
  func finish(_ value: Value, of number: Int32) -> Value? {
    guard let formula = graph.formula(number) else { return nil }
    var outcome = Evaluation.value(value)
    if value.isUnwind {
      guard state.unwindTarget == Value(small: graph.words[0].handlerToken) else {
        graph.isUnwinding = true
        return nil
      }
      exceptions.currentHandler = graph.words[0].handler
      exceptions.handlers.shorten(to: graph.words[0].handler + 1)
      outcome = .failed(takeFailure())
    }
    return conclude(outcome, reads: graph.recording.recorder.reads, of: formula)
  }

  /// Runs a formula of any kind.
  ///
  /// - Returns: its value; nil when it failed, which is recorded, or was interrupted.
  func evaluate(_ formula: Formula) -> Value? {
    switch formula.source {
    case .block: return evaluateWithin(formula.id.rawValue)
    // A solver that knows equations computes the values itself.
    case .equation: return run(formula) { .failed(.notAvailable("running an equation")) }
    case .copy(let cell):
      return run(formula) {
        let outcome = reading(cell)
        if case .value(let value) = outcome, value.isUndefined { return .value(.nil) }
        return outcome
      }
    case .native(let native):
      return run(formula) { .value(native.compute(in: graph)) }
    }
  }

  func conclude(_ outcome: Evaluation, reads: [Place], of formula: Formula) -> Value? {
    guard graph[formula.id] == formula else {
      // The formula has ended itself, and has no state any more.
      if case .failed(let failure) = outcome { report(failure, of: formula.connection) }
      return nil
    }
    var reads = reads
    if case .value(let value) = outcome, value.isObject {
      reads = withContents(reads, of: value, by: formula)
    }
    if let failure = learnReads(reads, of: formula) {
      if graph.halt.refusedStatement == nil { record(failure, of: formula) }
      return nil
    }
    // A result computed from a stale value is void.
    if graph.hasFailures, graph.isHeldBack(formula, by: formula.heard) { return nil }
    switch outcome {
    case .value(let value):
      if formula.fold != nil {
        // Blocks run for it, and the value has no other reference yet.
        let root = roots.count
        roots.append(value)
        graph.beginFold(of: formula)
        dropRoots(to: root)
      }
      return value
    case .failed(let failure) where failure.isPending: return pendingValue(of: formula)
    case .failed(let failure):
      if graph.replanning.stuck.unreached == formula.id.rawValue {
        graph.replanning.stuck.unreached = -1
        if graph.recordBlocked(formula, failure) { return nil }
      }
      if formula.isInverse, let value = presentValue(of: formula) { return value }
      record(failure, of: formula)
    case .unwound: break
    }
    return nil
  }

  /// Returns what a formula goes on with whose store has not answered yet: what its place holds.
  private func pendingValue(of formula: Formula) -> Value? {
    // What has failed has failed until it is known better, and is told of once.
    if case .failed = formula.state { return nil }
    let output = graph[formula.output]
    let isStored = output.place.kind == .stored
    let value = isStored ? output.cachedValue : currentValue(of: formula.output)
    guard let value, isStored || !formula.connection.isInvariant else {
      formula.state = .waiting
      graph.markWaiting(formula)
      return nil
    }
    if isCopied(value, to: output.place), formula.constraint?.region == nil {
      // The very collection that was read would count as changed in place, and be written.
      graph.markSatisfied(formula.id.rawValue)
      return nil
    }
    return value.isUndefined ? .nil : value
  }

  /// Returns the present value of an inverse's place where the inverse has none and the formula holds: of a
  /// product with 0 any factor will do, and of several keys with one value each.
  private func presentValue(of inverse: Formula) -> Value? {
    guard let forward = inverse.constraint?.formulas.first(where: { !$0.isInverse }),
      case .block(let block) = forward.source
    else { return nil }
    let (outcome, _) = runUntaken(inverse) { withErrorsCaught { evaluateBlock(block) } }
    guard case .value(let value) = outcome, graph[inverse.id] == inverse,
      let wanted = currentValue(of: forward.output),
      isUnchanged(value, wanted)
        || solverNumber(value).map({ $0 == solverNumber(wanted) }) ?? false,
      let present = currentValue(of: inverse.output), !present.isNil, !present.isUndefined
    else { return nil }
    return present
  }

  /// Makes the places that a formula has read its inputs from now on.
  private func learnReads(_ reads: [Place], of formula: Formula) -> Failure? {
    let number = formula.id.rawValue
    if reads == formula.lastReads, graph.hotFormulas[number].readsItsText == reads.isEmpty,
      !graph.awaitsRecord(formula)
    {
      return nil
    }
    // The cells of places that it no longer reads are released.
    graph.endFold(of: formula)
    let cells = reads.map { graph.cell(for: $0, name: name(of: $0)) }
    do throws(Failure) {
      try graph.setDynamicInputs(cells, of: formula)
      formula.lastReads = reads
      graph.hotFormulas[number].readsItsText = reads.isEmpty
      return nil
    } catch {
      refuseStatement(of: formula, reading: cells, because: error)
      graph.setInputsWithoutCycle(cells, of: formula)
      return error
    }
  }

  /// Runs a formula of several directions for its reads, when its constraint holds already and it need not;
  /// those that other formulas of the constraint do not read become inputs: theirs come from runs in force.
  ///
  /// Its result, or its failure, is ignored.
  func learnReads(ofIdle formula: Formula) {
    guard case .block(let block) = formula.source else { return }
    let (outcome, reads) = runUntaken(formula) { withErrorsCaught { evaluateBlock(block) } }
    if case .unwound = outcome { return }
    guard graph[formula.id] == formula, let constraint = formula.constraint else { return }
    let known = Set(constraint.formulas.flatMap(\.inputs) + constraint.cells)
    let cells = reads.map { graph.cell(for: $0, name: name(of: $0)) }
      .filter { !known.contains($0) }
    // A conflict comes up when it runs.
    try? graph.setDynamicInputs(cells, of: formula)
  }

  // MARK: The handler and recorder of a turn

  /// Sets up the handler for errors of formulas and the recorder of their reads, until `endFormulas`.
  func beginFormulas() {
    let token = makeToken()
    unsafe graphReference._withUnsafeGuaranteedRef { graph in
      graph.words[0].outerHandler = exceptions.currentHandler
      graph.words[0].handlerToken = token
      graph.words[0].handler = exceptions.handlers.count
      exceptions.handlers.append(
        Handler(frame: nil, outer: exceptions.currentHandler, token: token))
      exceptions.currentHandler = graph.words[0].handler
      if let recorder { graph.recording.recorder.outer = recorder }
      lendRecorder(graph.recording.recorder)
    }
  }

  /// Removes the handler and recorder that the first formula of a turn has set up.
  func endFormulas() {
    unsafe graphReference._withUnsafeGuaranteedRef { graph in
      let handler = graph.words[0].handler
      guard handler >= 0 else { return }
      // A formula that failed has removed it.
      exceptions.handlers.shorten(to: handler)
      // The handler around it may have ended before it, and has its own outer one back.
      let outer = graph.words[0].outerHandler
      if outer < exceptions.handlers.count { exceptions.currentHandler = outer }
      graph.recording.recorder.reset()
      recorder = graph.recording.recorder.outer
      if recorder != nil { graph.recording.recorder.outer = nil }
      graph.words[0].handler = -1
    }
  }

  /// Returns whether a place is a variable of neither an object nor a script: it belongs to the library.
  func isNameless(_ place: Place) -> Bool {
    place.kind == .slot
      && !classInfo(of: place.object).instanceVariables.indices.contains(place.index)
      && scriptName(of: place) == nil
  }

  private func scriptName(of place: Place) -> String? {
    session.cells.first { Value($0.value) == place.object }?.key
  }

  /// Returns the name in messages of a place that no text names.
  func name(of place: Place) -> String {
    switch place.kind {
    case .slot:
      let info = classInfo(of: place.object)
      guard info.instanceVariables.indices.contains(place.index) else {
        return scriptName(of: place) ?? "a variable"
      }
      return "\(info.name)/\(info.instanceVariables[place.index].name)"
    case .element:
      let key = place.index >= 0 ? String(place.index + 1) : describe(place.key)
      return "\(describe(place.object))[\(key)]"
    case .property: return pathText(of: place)
    case .stored: return ownName(of: place) ?? displayText(place.key)
    case .whole: return describe(place.object)
    }
  }

  /// Records that a formula failed, and reports it once.
  func record(_ failure: Failure, of formula: Formula) {
    if failure.errorClass == .outOfMemory { graph.ranOutOfMemory = true }
    if waits(formula, having: failure) {
      formula.state = .waiting
      graph.markWaiting(formula)
      let isPlain = formula.inputs.contains { isMissing($0) }
      graph.failing.reasonsToWait[formula.id] = isPlain ? nil : failure.message
      if graph.causes.isTracing { traceWaiting(formula) }
      return
    }
    if formula.connection.isInvariant {
      // The invariant's failure goes to the writer alone.
      graph.watchers.invariants.failed.append(formula.connection)
      formula.state = .failed(failure.message)
      return
    }
    if graph.isNotedAlready(failure, of: formula) { return }
    formula.state = .failed(failure.message)
    // Two parts of one text that do not follow from it are told of once.
    let isTold =
      formula.isInverse
      && formula.connection.formulas.contains { other in
        other != formula && other.isInverse && graph.isNotedAlready(failure, of: other)
      }
    if !isTold { report(failure, of: formula.connection) }
  }

  /// Returns whether a formula has failed because a value is missing that may come: nothing is reported.
  private func waits(_ formula: Formula, having failure: Failure) -> Bool {
    switch failure.errorClass {
    // A formula that does what none may is wrong all the same, and so is one that fails for another
    // reason.
    case .constraintError, .zeroDivide: false
    default: failure.isOfNil ?? formula.inputs.contains { isMissing($0) || hasMissingElement($0) }
    }
  }

  /// Reports that a formula of a connection has failed.
  func report(_ failure: Failure, of connection: Connection) {
    let report = Diagnostic(
      .warning, "'\(connection.text)' failed: \(failure.message)", connection.range)
    printError(report.rendered(in: connection.source))
  }

  /// Returns whether a place holds nothing yet.
  func isMissing(_ cell: CellID) -> Bool {
    // Reading the inputs before this one may have run code, and the collector: objects that the formula
    // made and read for itself are gone then.
    if graph[cell].isFree { return false }
    switch reading(cell) {
    case .value(let value):
      guard value.isNil || value.isUndefined else { return false }
      // Of what an error holds its message was made.
      let place = graph[cell].place
      return place.kind != .slot || !classInfo(of: place.object).inherits(from: kernel.exception)
    // A place that cannot be read is not an empty one; one that is just being fetched is.
    case .failed(let failure): return failure.isNotReady
    case .unwound: return true
    }
  }

  /// Writes a line to the output for errors.
  func printError(_ text: String) {
    let line = text.hasSuffix("\n") ? text : text + "\n"
    // There is no way to report that the output fails.
    try? host.console.write(Array(line.utf8).span, to: .error)
  }
}
