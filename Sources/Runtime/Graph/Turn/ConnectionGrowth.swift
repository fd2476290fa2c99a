internal import TenonSolverKit

// Formulas and handlers that a change runs may make connections, which are told in turn and may make more.
// The limit for the changes of a place does not stop that: a handler that makes another one like itself has
// twice as many in each round.

/// Counts the connections that come into force because of others that a change has made.
struct ConnectionGrowth {
  /// The limit of connections within a settling.
  static let settlingLimit = 2_000
  /// The limit of connections while relays are told: all those of a truth look at each request.
  static let tellingLimit = 200

  /// The limit of connections.
  private let limit: Int
  private let first: Int
  private var seen: Int
  private var count = 0

  /// Begins to count after a first round.
  init(limit: Int, _ graph: ConnectionGraph) {
    self.limit = limit
    first = graph.connecting.newConnectionCount
    seen = first
  }

  /// Counts the connections that the last round has made.
  ///
  /// - Throws: a failure that names the connection made last when there are too many; pending work is
  ///   given up then.
  mutating func check(_ graph: ConnectionGraph) throws(Failure) {
    let next = graph.connecting.newConnectionCount
    // The first round that makes any does the work that the program wants, however much it is.
    if seen > first { count += next - seen }
    seen = next
    guard count > limit else { return }
    let last = graph.connections[graph.connecting.lastNewConnection]?.text ?? ""
    graph.abandonTurn()
    throw .goesOnConnecting(last)
  }
}
