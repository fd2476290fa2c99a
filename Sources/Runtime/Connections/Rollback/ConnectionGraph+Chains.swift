internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

// Chains of connections: the pairs are brought up to date one after the other, as each begins with what the
// one before has come to. What places held before the first is kept till the last, as in `atomically:`.

extension ConnectionGraph {
  /// Begins to connect the pairs of a chain.
  ///
  /// - Returns: false where they are part of something that is brought up to date as a whole: nothing is
  ///   written before that.
  func beginChain(at range: SourceRange) -> Bool {
    guard atomicDepth == 0, !isSettling, runningNumber < 0, !hasPending else { return false }
    chain = range
    chainMark = log.count
    atomicDepth += 1
    return true
  }

  /// Takes back what the pairs of a chain have done that somebody leaves.
  fileprivate func abandonChain() {
    if log.count == chainMark, pending.isEmpty {
      abandonTurn()
    } else {
      // What somebody has written meanwhile who has heard of a failure stands.
      log.structure.endNewConnections(in: self)
    }
  }
}

extension Machine {
  /// Takes back what the pairs of a chain have done before one of them is refused.
  ///
  /// That comes before anybody hears of the failure: what a handler writes is none of it. A connection that
  /// stands elsewhere, in what the chain has called, is none of its pairs.
  func takingBackChain(at range: SourceRange?, _ failure: Failure) -> Failure {
    guard let chain = graph.chain, chain == range else { return failure }
    graph.chain = nil
    graph.atomicDepth -= 1
    return failure.adding(graph.abandonTurn())
  }

  /// Ends a chain, the last pair of which has been connected, or one that was refused.
  ///
  /// - Returns: the value, or `unwind`.
  func endChain(_ pairs: Value, _ isOwnTurn: Bool, answering value: Value) -> Value {
    var refusal: Failure?
    do throws(Failure) {
      try graph.endBatch()
    } catch {
      if !value.isUnwind { refusal = isOwnTurn ? takingBackChain(at: graph.chain, error) : error }
    }
    if refusal != nil || value.isUnwind, !isOwnTurn { disconnect(pairsOfChain: pairs) }
    if let refusal { return signalForBatch(refusal) }
    guard isOwnTurn, graph.chain != nil else { return value }
    graph.chain = nil
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
}
