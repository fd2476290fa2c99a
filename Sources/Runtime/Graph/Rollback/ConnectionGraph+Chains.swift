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
    connecting.chain = range
    connecting.chainMark = log.count
    atomicDepth += 1
    return true
  }

  /// Takes back what the pairs of a chain have done that somebody leaves.
  func abandonChain() {
    if log.count == connecting.chainMark, pending.isEmpty {
      abandonTurn()
    } else {
      // What somebody has written meanwhile who has heard of a failure stands.
      log.structure.endNewConnections(in: self)
    }
  }
}
