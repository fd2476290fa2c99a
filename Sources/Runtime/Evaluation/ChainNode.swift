internal import TenonAnalysis
internal import TenonLexer
internal import TenonSolverKit
internal import TenonParser

/// A chain of connections, `a =|= b =|= c`: pair by pair, and all of them or none.
final class ChainNode: SiteNode {
  let pairs: NodeList
  /// Where the array of connections is, below what the pairs need.
  let slot: Int

  init(pairs: NodeList, slot: Int, at position: CodePosition) {
    self.pairs = pairs
    self.slot = slot
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    let isOwnTurn = withMachine(in: frame) { machine in
      frame[slot] = Value(machine.makeArray(count: pairs.count))
      machine.graph.beginBatch()
      return machine.graph.beginChain(at: range)
    }
    for index in 0..<pairs.count {
      let value = pairs[index].evaluate(frame)
      let failed = withMachine(in: frame) { machine in
        if value.isUnwind { return value }
        ObjectRef(frame[slot])[element: index] = value
        // The next pair begins with what this one has come to.
        guard isOwnTurn, machine.graph.connecting.chain != nil else { return .nil }
        let settled = machine.settleGraph(answering: .nil)
        machine.graph.connecting.chainMark = machine.graph.log.count
        return settled
      }
      if failed.isUnwind {
        return withMachine(in: frame) { machine in
          machine.endChain(frame[slot], isOwnTurn, answering: failed)
        }
      }
    }
    return withMachine(in: frame) { machine in
      machine.endChain(frame[slot], isOwnTurn, answering: frame[slot])
    }
  }
}

/// Begins or ends statements whose connections are looked at together.
final class BatchNode: SiteNode {
  let body: NodeRef

  init(body: NodeRef, at position: CodePosition) {
    self.body = body
    super.init(at: position)
  }

  override func evaluate(_ frame: Frame) -> Value {
    withMachine(in: frame) { $0.graph.beginBatch() }
    let value = body.evaluate(frame)
    return withMachine(in: frame) { machine in
      do throws(Failure) {
        try machine.graph.endBatch()
      } catch {
        if !value.isUnwind { return machine.signalForBatch(error) }
      }
      let graph = machine.graph
      guard !value.isUnwind, graph.hasPending, !graph.isSettling, graph.atomicDepth == 0 else {
        return value
      }
      return machine.settleGraph(answering: value)
    }
  }
}
