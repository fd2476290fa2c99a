// The re-planner: the one loop in which something else is tried where what a statement says is refused.
//
// The alternatives come in a fixed order, the one that gives up least first. For formulas that are made
// (`ConnectionGraph.add`): soft constraints against them are retracted; their connection gets no solver that it
// only prefers; those beside it get none either. For a statement (`Machine.establish`): its formula is solved
// as a sum; equations take fewer places as constants, or more; the formulas around it are solved as sums; it
// waits for an inverse in the statements that follow. Each is tried with what comes before it in the order.

/// What the re-planner chooses from, and what is left for later.
final class Replanning {
  /// The solvers that may be chosen, cheapest first.
  var solvers: [any ConnectorSolver.Type] = []
  /// Constraints that wait for an inverse until the batch of statements ends.
  var awaitingInverse: [Constraint] = []
  /// Whether a formula that cannot be in force is to wait so.
  var mayContest = false
  /// The numbers of connections that take places as constants which are determined before.
  var frozenConnections: [Int32] = []
  /// Whether alternatives to connections in force are being tried.
  var isReplanning = false
  /// Whether connections come into force again that an alternative had taken out of it.
  var isRestoring = false
  /// The place without a number at which a solver last failed: with another value there the connection may
  /// come into force.
  var blockingPlace: Place?
  /// Soft constraints of one direction whose place a stronger one determines.
  var yielded: [Constraint] = []
  /// Soft constraints among the scheduled ones that are tried again, and the last written cells of their
  /// regions.
  var retries = Retries()
  /// Formulas of several directions that could not compute their cells.
  @safe @exclusivity(unchecked) var stuck = BlockedFormulas()
  /// The equalities that follow from others, with the cells that they join.
  var redundant: [Connection: (left: CellID, right: CellID)] = [:]
}

/// Something else to be tried where an attempt is refused.
struct Alternative {
  /// Changes what stands against the attempt, given the refusal that would be told.
  ///
  /// Returns false where nothing of that kind does: then nothing has changed, and it is not tried.
  var prepare: (Failure) -> Bool = { _ in true }
  /// Makes the attempt with that change.
  let attempt: () throws(Failure) -> Void
  /// Restores what the graph's log does not: it is called after a refusal.
  var restore: () -> Void = {}
  /// Whether its own refusal tells the program more than the one before it.
  var tellsMore: (Failure) -> Bool = { _ in false }
}

extension ConnectionGraph {
  /// Makes an attempt; where it is refused, tries alternatives until one holds.
  ///
  /// - Parameters:
  ///   - plain: The attempt. Nothing is in force of it when it throws.
  ///   - alternatives: Returns what else is to be tried after a refusal, in order.
  /// - Throws: the refusal that tells the program most; what was in force before the attempt is so again.
  func attempt(
    _ plain: () throws(Failure) -> Void, or alternatives: (Failure) -> [Alternative]
  ) throws(Failure) {
    let start = savepoint()
    var refusal: Failure
    do throws(Failure) { return try plain() } catch {
      reinstateRetracted(since: start)
      refusal = error
    }
    for alternative in isUnwinding ? [] : alternatives(refusal) {
      guard alternative.prepare(refusal) else { continue }
      do throws(Failure) { return try alternative.attempt() } catch {
        alternative.restore()
        reinstateRetracted(since: start)
        if isUnwinding || alternative.tellsMore(error) { refusal = error }
        if isUnwinding { break }
      }
    }
    throw refusal
  }
}
