internal import TenonTables
internal import TenonSolverKit
internal import TenonLexer

// Formulas that must stay true: a turn that makes one false is given up and rolled back, and so is one after
// which an invariant cannot be evaluated, as its formula fails.

extension ConnectionGraph {
  /// The invariants that did not hold at some point of a turn that goes on.
  struct Invariants {
    /// The number of invariants.
    var count = 0
    /// The one that this turn has made false.
    var violated: Connection?
    /// Those that have failed in this turn, and may hold again in it.
    var failed: [Connection] = []
    /// Those that must be run again at the end of `atomically:`.
    var doubtful: [Connection] = []
  }

  /// Schedules the invariants that did not hold within `atomically:`.
  func askDoubtful() {
    guard atomicDepth == 0, !watchers.invariants.doubtful.isEmpty else { return }
    for connection in watchers.invariants.doubtful { scheduledFormulas += connection.formulas }
    watchers.invariants.doubtful = []
  }

  /// Gives the turn up when it has made an invariant false or one fail.
  ///
  /// - Throws: a failure that names the invariant; everything watched is then as before the turn.
  func checkInvariants() throws(Failure) {
    let violated = watchers.invariants.violated
    let failed = watchers.invariants.failed
    if violated == nil, failed.isEmpty { return }
    watchers.invariants.violated = nil
    watchers.invariants.failed = []
    guard atomicDepth == 0 else {
      for connection in failed + [violated].compactMap({ $0 })
      where !watchers.invariants.doubtful.contains(connection) {
        watchers.invariants.doubtful.append(connection)
      }
      return
    }
    if let violated { throw Failure.violated(violated, because: nil).adding(abandonTurn()) }
    for connection in failed where connection.status == .active {
      for formula in connection.formulas {
        guard case .failed(let reason) = formula.state else { continue }
        throw Failure.violated(connection, because: reason).adding(abandonTurn())
      }
    }
  }
}
