internal import TenonSolverKit

// Objects that announce their changes themselves: `changed`.

/// The entry of a method of the program in code that records its reads: the receiver may
/// announce changes that no other read shows.
final class TrackedReceiverNode: Node {
  let body: NodeRef
  let state: StateRef

  init(body: NodeRef, state: StateRef) {
    self.body = body
    self.state = state
  }

  override func evaluate(_ frame: Frame) -> Value {
    state.withMachine { machine in
      if machine.graph.watchers.hearsAnnouncements { machine.recordReceiver(frame.receiver) }
    }
    return body.evaluate(frame)
  }
}

extension Machine {
  /// Records that tracked code sends a message to an object that may announce changes.
  func recordReceiver(_ value: Value) {
    guard let recorder, value.isObject, !classInfo(of: value).isKernel,
      ObjectRef(value).flags & ObjectFlag.immutable == 0
    else { return }
    recorder.record(.whole(ObjectRef(value)))
  }

  /// Schedules the formulas that have sent an object a message.
  ///
  /// Before the first announcement receivers are not recorded: all formulas run once more then, and
  /// record them from there on.
  ///
  /// - Complexity: O(formulas) the first time.
  func announceChange(of value: Value) throws(Failure) -> Value {
    guard value.isObject else { return value }
    if let running = graph.running { throw .impureFormula(describe(value), running.connection) }
    if !graph.watchers.hearsAnnouncements {
      graph.watchers.hearsAnnouncements = true
      for formula in graph.formulasInUse {
        guard case .block = formula.source else { continue }
        if formula.isDeferred, let observer = formula.connection.observer {
          observer.isPending = true
          graph.recordStart(of: formula.connection, observer)
        } else {
          graph.scheduledFormulas.append(formula)
        }
      }
    } else if let whole = graph.cellsByPlace[.whole(ObjectRef(value))] {
      graph.recordWrite(to: whole, by: stackTrace(limit: 1).first)
    }
    guard graph.hasPending || !graph.watchers.observers.queue.isEmpty, !graph.isSettling,
      graph.atomicDepth == 0
    else { return value }
    return settleGraph(answering: value)
  }
}
