// Running the formulas of a turn.

/// What evaluating the formulas of a turn shares: one handler catches the errors of all of them, and
/// one tracker records what each reads.
struct FormulaEvaluation {
  /// The number of the handler, or -1 while no formula of the language has run in this turn.
  var handler = -1
  var outerHandler = -1
  var token = 0
  let tracker = Tracker(within: nil)
  var outerTracker: Tracker?
}

extension Machine {
  /// Evaluates a formula that is a block.
  ///
  /// - Returns: its value; nil when it failed, which the formula remembers, or was interrupted.
  func evaluateBlockFormula(_ number: Int32) -> Value? {
    if graph.evaluation.handler < 0 { beginFormulas() }
    let tracker = graph.evaluation.tracker
    tracker.reset()
    let outer = graph.runningNumber
    graph.runningNumber = number
    trackingDepth += 1
    let value = evaluateFormulaBlock(Value(bits: graph.hotFormulas[number].word))
    trackingDepth -= 1
    graph.runningNumber = outer
    if !value.isUnwind, tracker.reads.isEmpty, graph.hotFormulas[number].readsItsText {
      return value
    }
    return finish(value, of: number)
  }

  @inline(__always)
  private func evaluateFormulaBlock(_ block: Value) -> Value {
    guard block.isObject(ofClass: ClassIndex.blockClosure), Closure(block).code.argumentCount == 0
    else { return evaluateBlock(block) }
    let callee = pushNativeFrame()
    callee[0] = block
    return enter(currentBody(of: Closure(block).code.object), callee, argumentCount: 0)
  }

  /// Takes up what a formula has read besides its text, or that it has failed.
  @inline(never)
  private func finish(_ value: Value, of number: Int32) -> Value? {
    guard let formula = graph.formulas[Int(number)] else { return nil }
    var outcome = Evaluation.value(value)
    if value.isUnwind {
      let evaluation = graph.evaluation
      guard state.unwindTarget == Value(small: evaluation.token) else {
        graph.isUnwinding = true
        return nil
      }
      currentHandler = evaluation.handler
      handlers.removeLast(handlers.count - evaluation.handler - 1)
      outcome = .failed(takeFailure())
    }
    return conclude(outcome, reads: graph.evaluation.tracker.reads, of: formula)
  }

  /// Runs a formula of any kind.
  ///
  /// - Returns: its value; nil when it failed, which the formula remembers, or was interrupted.
  func evaluate(_ formula: Formula) -> Value? {
    if case .block = formula.source { return evaluateBlockFormula(formula.id.rawValue) }
    let outerTracker = tracker
    let outerRunning = graph.runningNumber
    let tracker = Tracker(within: outerTracker)
    self.tracker = tracker
    graph.runningNumber = formula.id.rawValue
    trackingDepth += 1
    let outcome: Evaluation
    switch formula.source {
    case .block: outcome = .value(.nil)
    case .copy(let cell):
      outcome =
        currentValue(of: cell).map { .value($0.isUndefined ? .nil : $0) } ?? .unwound
    case .native(let native):
      outcome = .value(native.compute(NativeInputs(graph: graph, formula: native)))
    }
    trackingDepth -= 1
    graph.runningNumber = outerRunning
    self.tracker = outerTracker
    if case .unwound = outcome {
      graph.isUnwinding = true
      return nil
    }
    return conclude(outcome, reads: tracker.reads, of: formula)
  }

  private func conclude(_ outcome: Evaluation, reads: [Place], of formula: Formula) -> Value? {
    if let failure = learnReads(reads, of: formula) {
      note(failure, of: formula)
      return nil
    }
    switch outcome {
    case .value(let value): return value
    case .failed(let failure): note(failure, of: formula)
    case .unwound: break
    }
    return nil
  }

  /// Makes what a formula has read its inputs from now on.
  private func learnReads(_ reads: [Place], of formula: Formula) -> Failure? {
    if reads == formula.lastReads { return nil }
    formula.lastReads = reads
    graph.hotFormulas[formula.id.rawValue].readsItsText = reads.isEmpty
    let cells = reads.map { graph.cell(for: $0, name: name(of: $0)) }
    do throws(Failure) {
      try graph.setDynamicInputs(cells, of: formula)
      return nil
    } catch {
      return error
    }
  }

  // MARK: What a turn shares

  /// Lets errors of formulas end here, and records what they read, until `endFormulas`.
  private func beginFormulas() {
    graph.evaluation.outerHandler = currentHandler
    graph.evaluation.token = makeToken()
    graph.evaluation.handler = handlers.count
    handlers.append(Handler(frame: nil, outer: currentHandler, token: graph.evaluation.token))
    currentHandler = graph.evaluation.handler
    graph.evaluation.outerTracker = tracker
    graph.evaluation.tracker.outer = tracker
    tracker = graph.evaluation.tracker
  }

  /// Ends what the first formula of a turn began.
  func endFormulas() {
    guard graph.evaluation.handler >= 0 else { return }
    currentHandler = graph.evaluation.outerHandler
    handlers.removeLast(handlers.count - graph.evaluation.handler)
    tracker = graph.evaluation.outerTracker
    graph.evaluation.tracker.reset()
    graph.evaluation.tracker.outer = nil
    graph.evaluation.outerTracker = nil
    graph.evaluation.handler = -1
  }
}
