internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

extension Machine {
  /// Takes back what the pairs of a chain have done before one of them is refused.
  ///
  /// That comes before anybody hears of the failure: what a handler writes is none of it. A connection that
  /// stands elsewhere, in what the chain has called, is none of its pairs.
  func takingBackChain(at range: SourceRange?, _ failure: Failure) -> Failure {
    guard let chain = graph.connecting.chain, chain == range else { return failure }
    graph.connecting.chain = nil
    graph.atomicDepth -= 1
    return failure.adding(graph.abandonTurn())
  }

  /// Ends a chain, the last pair of which has been connected, or one that was refused.
  ///
  /// - Returns: the value, or `unwind`.
  func endChain(_ pairs: Value, _ isOwnTurn: Bool, answering value: Value) -> Value {
    var refusal: Failure?
    do throws(Failure) { try graph.endBatch() } catch {
      if !value.isUnwind {
        refusal = isOwnTurn ? takingBackChain(at: graph.connecting.chain, error) : error
      }
    }
    if refusal != nil || value.isUnwind, !isOwnTurn { disconnect(pairsOfChain: pairs) }
    if let refusal { return signalForBatch(refusal) }
    guard isOwnTurn, graph.connecting.chain != nil else { return value }
    graph.connecting.chain = nil
    graph.atomicDepth -= 1
    if value.isUnwind {
      // Somebody leaves the statement, or what stands for a pair has failed.
      let (target, delivered) = (state.unwindTarget, state.unwindValue)
      let action = exceptions.unwindAction
      let root = roots.count
      roots.append(delivered)
      defer { dropRoots(to: root) }
      graph.abandonChain()
      let settled = settleGraph(answering: .nil)
      if settled.isUnwind { return settled }
      exceptions.unwindAction = action
      return state.unwind(to: target, with: delivered)
    }
    return settleGraph(answering: value)
  }

  /// Takes the pairs of a chain out of force that have not been brought up to date yet.
  private func disconnect(pairsOfChain pairs: Value) {
    let array = ObjectRef(pairs)
    for index in 0..<array.elementCount where array[element: index].isObject {
      if let connection = connection(of: array[element: index]) { graph.disconnect(connection) }
    }
  }

  /// Signals the failure with which a batch ended, at the statement that caused it.
  func signalForBatch(_ failure: Failure) -> Value {
    exceptions.failurePlace = graph.connecting.batchBlockingPlace
    graph.connecting.batchBlockingPlace = nil
    defer { exceptions.failurePlace = nil }
    return signal(failure)
  }

  /// Returns the state of an equality that follows from others; nil for any other connection.
  func redundantState(of connection: Connection) -> String? {
    guard let (left, right) = graph.replanning.redundant[connection] else { return nil }
    guard let one = currentValue(of: left), let other = currentValue(of: right) else {
      return "waiting"
    }
    return isUnchanged(one, other) || one.isUndefined && other.isNil
      || one.isNil && other.isUndefined
      ? "satisfied" : "waiting"
  }

  /// Returns whether two numbers differ by at most a tolerance, or two points in both coordinates.
  func differ(
    _ left: Value, _ right: Value, byAtMost tolerance: SolverNumber
  ) -> Bool {
    if let left = solverNumber(left), let right = solverNumber(right) {
      return (left - right).magnitude <= tolerance
    }
    let point = kernelClass("Point").index
    guard left.isObject(ofClass: point), right.isObject(ofClass: point) else { return false }
    return (0..<2).allSatisfy { slot in
      let (left, right) = (ObjectRef(left)[slot: slot], ObjectRef(right)[slot: slot])
      guard let left = solverNumber(left), let right = solverNumber(right) else { return false }
      return (left - right).magnitude <= tolerance
    }
  }

  /// Sets the tolerance of a connection; nil removes it.
  ///
  /// - Returns: the connection, or `unwind`.
  func setTolerance(
    _ argument: Value, of object: Value
  ) throws(Failure) -> Value {
    var tolerance: Tolerance?
    if !argument.isNil {
      guard let number = solverNumber(argument) else {
        throw .invalidArgument("a number for 'within:'", found: describe(argument))
      }
      guard number >= .zero else {
        throw .invalidArgument("a number from 0 for 'within:'", found: describe(argument))
      }
      tolerance = Tolerance(value: argument, number: number)
    }
    try refuseInSolver()
    guard let connection = connection(object) else { return object }
    if connection.plan?.linear != nil || connection.observer?.kind == .places {
      throw .invalidArgument(
        "a connection that computes a place for 'within:'", found: "'\(connection.text)'")
    }
    let old = connection.tolerance
    connection.tolerance = tolerance
    for formula in connection.formulas {
      graph.hotFormulas[formula.id.rawValue].isTolerant = tolerance != nil
    }
    graph.forgetPlans()
    // Differences within the old tolerance may count now.
    if let old, tolerance.map({ $0.number < old.number }) ?? true {
      graph.scheduledFormulas += connection.formulas
    }
    return settleGraph(answering: object)
  }
}
