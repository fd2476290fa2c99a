internal import TenonText
internal import TenonStoreKit
internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

// The folder Formulas: how formulas are evaluated: blocks, folds over elements, lazy variables, Swift code.

// Running the formulas of a turn.

extension ConnectionGraph {
  /// Evaluates a formula that is a block.
  ///
  /// - Returns: its value; nil when it failed, which the formula remembers, or was interrupted.
  @inline(__always)
  func evaluateBlockFormula(_ number: Int32) -> Value? {
    if isRunBySolver { return machine.evaluateWithin(number) }
    if words[0].handler < 0 { machine.beginFormulas() }
    formulaRecorder.reset()
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
        if formulaRecorder.isEmpty { return value }
      } else if hasReadTheSame(number) {
        return value
      }
    }
    return machine.finish(value, of: number)
  }

  /// Whether a formula that has just run has read what it read before, so that there is nothing to take up.
  @inline(__always)
  private func hasReadTheSame(_ number: Int32) -> Bool {
    !hasFailures && hotFormulas[number].kind == .block && !hotFormulas[number].hasFold
      && lastReads.areSame(formulaRecorder.places, of: number)
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
  /// Evaluates a formula that is a block for a solver of the language, whose own errors end
  /// elsewhere than those of the formula.
  @inline(never)
  func evaluateWithin(_ number: Int32) -> Value? {
    guard let formula = graph[FormulaID(number)] else { return nil }
    let block = Value(bits: graph.hotFormulas[number].word)
    return run(formula) { withErrorsCaught { evaluateBlock(block) } }
  }

  /// Runs a formula by itself, and takes up what it has read.
  ///
  /// - Returns: its value; nil when it failed, which the formula remembers, or was interrupted.
  func run(_ formula: Formula, _ body: () -> Evaluation) -> Value? {
    let (outcome, reads) = runUntaken(formula, body)
    if case .unwound = outcome { return nil }
    return conclude(outcome, reads: reads, of: formula)
  }

  /// Runs code that belongs to a formula.
  ///
  /// - Returns: What came of it, and what it has read.
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

  /// Takes up what a formula has read besides its text, or that it has failed.
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
    return conclude(outcome, reads: graph.formulaRecorder.reads, of: formula)
  }

  /// Runs a formula of any kind.
  ///
  /// - Returns: its value; nil when it failed, which the formula remembers, or was interrupted.
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
      // It has ended itself, and is in no state any more.
      if case .failed(let failure) = outcome { report(failure, of: formula.connection) }
      return nil
    }
    var reads = reads
    if case .value(let value) = outcome, value.isObject {
      reads = withContents(reads, of: value, by: formula)
    }
    if let failure = learnReads(reads, of: formula) {
      if graph.refusedStatement == nil { record(failure, of: formula) }
      return nil
    }
    // What it has computed from something stale is nothing.
    if graph.hasFailures, graph.isHeldBack(formula, by: formula.heard) { return nil }
    switch outcome {
    case .value(let value):
      if formula.fold != nil {
        // Blocks run for it, and nobody else knows the value yet.
        let root = roots.count
        roots.append(value)
        graph.beginFold(of: formula)
        roots.removeLast(roots.count - root)
      }
      return value
    case .failed(let failure):
      if graph.stuck.unreached == formula.id.rawValue {
        graph.stuck.unreached = -1
        if graph.recordBlocked(formula, failure) { return nil }
      }
      if formula.isInverse, let value = presentValue(of: formula) { return value }
      record(failure, of: formula)
    case .unwound: break
    }
    return nil
  }

  /// What is at the place of an inverse that has no value, where the formula holds with that: of a product
  /// with 0 any factor does, and of several keys with one value each.
  private func presentValue(of inverse: Formula) -> Value? {
    guard let forward = inverse.constraint?.formulas.first(where: { !$0.isInverse }),
      case .block(let block) = forward.source
    else { return nil }
    let (outcome, _) = runUntaken(inverse) { withErrorsCaught { evaluateBlock(block) } }
    guard case .value(let value) = outcome, graph[inverse.id] == inverse,
      let wanted = currentValue(of: forward.output),
      isUnchanged(value, wanted) || isSameNumber(value, wanted),
      let present = currentValue(of: inverse.output), !present.isNil, !present.isUndefined
    else { return nil }
    return present
  }

  private func isSameNumber(_ left: Value, _ right: Value) -> Bool {
    guard let left = solverNumber(left), let right = solverNumber(right) else { return false }
    return left == right
  }

  /// Makes what a formula has read its inputs from now on.
  private func learnReads(_ reads: [Place], of formula: Formula) -> Failure? {
    let number = formula.id.rawValue
    if reads == formula.lastReads, graph.hotFormulas[number].readsItsText == reads.isEmpty,
      !graph.awaitsRecord(formula)
    {
      return nil
    }
    // The cells of what it reads no more are let go of.
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

  /// Learns what a formula of several directions reads that does not run, as what it says holds already,
  /// and the others do not read: their reads have the one run that is in force.
  ///
  /// What it computes, or that it fails, is of no account.
  func learnReads(ofIdle formula: Formula) {
    guard case .block(let block) = formula.source else { return }
    let (outcome, reads) = runUntaken(formula) { withErrorsCaught { evaluateBlock(block) } }
    if case .unwound = outcome { return }
    guard graph[formula.id] == formula, let constraint = formula.constraint else { return }
    let known = Set(constraint.formulas.flatMap(\.inputs) + constraint.cells)
    let cells = reads.map { graph.cell(for: $0, name: name(of: $0)) }
      .filter { !known.contains($0) }
    // Whatever stands against it comes up when it runs.
    try? graph.setDynamicInputs(cells, of: formula)
  }

  // MARK: What a turn shares

  /// Lets errors of formulas end here, and records what they read, until `endFormulas`.
  func beginFormulas() {
    let token = makeToken()
    unsafe graphReference._withUnsafeGuaranteedRef { graph in
      graph.words[0].outerHandler = exceptions.currentHandler
      graph.words[0].handlerToken = token
      graph.words[0].handler = exceptions.handlers.count
      exceptions.handlers.append(
        Handler(frame: nil, outer: exceptions.currentHandler, token: token))
      exceptions.currentHandler = graph.words[0].handler
      if let recorder {
        graph.outerRecorder = recorder
        graph.formulaRecorder.outer = recorder
      }
      recorder = graph.formulaRecorder
    }
  }

  /// Ends what the first formula of a turn began.
  func endFormulas() {
    unsafe graphReference._withUnsafeGuaranteedRef { graph in
      let handler = graph.words[0].handler
      guard handler >= 0 else { return }
      // Whoever failed has taken it away.
      exceptions.handlers.shorten(to: handler)
      // What caught errors around it may have ended before it, and has its own outer one back.
      let outer = graph.words[0].outerHandler
      if outer < exceptions.handlers.count { exceptions.currentHandler = outer }
      graph.formulaRecorder.reset()
      if let outer = graph.outerRecorder {
        recorder = outer
        graph.formulaRecorder.outer = nil
        graph.outerRecorder = nil
      } else {
        recorder = nil
      }
      graph.words[0].handler = -1
    }
  }

  /// Whether a place is a variable of neither an object nor a script: the library keeps something in it.
  func isNameless(_ place: Place) -> Bool {
    place.kind == .slot
      && !classInfo(of: place.object).instanceVariables.indices.contains(place.index)
      && scriptName(of: place) == nil
  }

  private func scriptName(of place: Place) -> String? {
    session.cells.first { Value($0.value) == place.object }?.key
  }

  /// What messages call a place that no text names.
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

  /// Remembers that a formula failed, and reports it once.
  func record(_ failure: Failure, of formula: Formula) {
    if failure.errorClass == .outOfMemory { graph.ranOutOfMemory = true }
    if waits(formula, having: failure) {
      formula.state = .waiting
      graph.markWaiting(formula)
      let isPlain = formula.inputs.contains { isMissing($0) }
      graph.reasonsToWait[formula.id] = isPlain ? nil : failure.message
      if graph.causes.isTracing { traceWaiting(formula) }
      return
    }
    if formula.connection.isInvariant {
      // Whoever has written hears of it, and nobody else.
      graph.invariants.failed.append(formula.connection)
      formula.state = .failed(failure.message)
      return
    }
    if graph.isNotedAlready(failure, of: formula) { return }
    formula.state = .failed(failure.message)
    report(failure, of: formula.connection)
  }

  /// Whether a formula has failed for want of something that may come: there is nothing to report.
  private func waits(_ formula: Formula, having failure: Failure) -> Bool {
    switch failure.errorClass {
    // A formula that does what none may is wrong all the same, and so is one that fails at something
    // else.
    case .constraintError, .zeroDivide: false
    default: failure.isOfNil ?? formula.inputs.contains { isMissing($0) || hasMissingElement($0) }
    }
  }

  /// Says that a formula of a connection has failed.
  func report(_ failure: Failure, of connection: Connection) {
    let report = Diagnostic(
      .warning, "'\(connection.text)' failed: \(failure.message)", connection.range)
    printError(report.rendered(in: connection.source))
  }

  /// Whether a place holds nothing yet.
  func isMissing(_ cell: CellID) -> Bool {
    // Looking at the inputs of a formula before it may have run code, and the collector: what the
    // formula made and read for itself is gone then.
    if graph[cell].isFree { return false }
    switch reading(cell) {
    case .value(let value): return (value.isNil || value.isUndefined) && !isOfException(cell)
    // A place that cannot be read is not one at which nothing is; one that is just being fetched is.
    case .failed(let failure): return failure.isNotReady
    case .unwound: return true
    }
  }

  /// Whether a place is one of an error, which its message was made of.
  private func isOfException(_ cell: CellID) -> Bool {
    let place = graph[cell].place
    return place.kind == .slot && classInfo(of: place.object).inherits(from: kernel.exception)
  }

  /// Writes a line to the output for errors.
  func printError(_ text: String) {
    let line = text.hasSuffix("\n") ? text : text + "\n"
    // Whoever cannot be told cannot be told.
    try? host.console.write(Array(line.utf8).span, to: .error)
  }
}
