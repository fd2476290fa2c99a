internal import TenonLexer
internal import TenonSolverKit

// What a prompt or a notebook connects: a text that is typed anew replaces what its earlier form connected.

/// The connections that the texts of a prompt have made.
///
/// Two texts name the same connection when the texts agree, or when both say with `|=` what one place follows.
/// Several connections within one text are never the same.
struct TypedConnections {
  /// The text that runs; nil when none was typed.
  private var text: SourceText?
  private var number = 0
  private var known: [String: [(connection: Connection, text: Int)]] = [:]
  /// The connections that the text that runs has taken out of force so far.
  private var replaced: [(old: Connection, new: Connection)] = []

  /// Begins a text.
  ///
  /// One within another belongs to the other.
  ///
  /// - Returns: whether it is the outermost one, which is to be ended.
  mutating func begin(_ source: SourceText) -> Bool {
    guard text == nil else { return false }
    text = source
    number += 1
    return true
  }

  mutating func end() { text = nil }

  /// Returns whether a statement stands in the text that runs, outside of methods.
  func include(_ site: TraceEntry?) -> Bool {
    guard let text, let site else { return false }
    return site.code.name == nil && !site.code.isKernel && site.code.source === text
  }

  private func keys(of connection: Connection) -> [String] {
    let statement = connection.text
    guard connection.connector == "|=", let target = connection.plan?.target.name,
      connection.plan?.strength == .required
    else { return [statement] }
    return [statement, target + " |="]
  }

  /// Returns the connections of earlier texts that a new one stands for, the oldest first.
  func predecessors(of connection: Connection) -> [Connection] {
    keys(of: connection).flatMap { known[$0] ?? [] }
      .filter { $0.text < number && $0.connection.status == .active }.map(\.connection)
      .withoutRepetitions
  }

  /// Keeps a connection for later texts, and those that it stands for until its statement has ended.
  mutating func keep(_ connection: Connection, inPlaceOf others: [Connection], at site: TraceEntry?)
  {
    guard include(site) else { return }
    for key in keys(of: connection) {
      known[key, default: []].removeAll { $0.connection.status == .disconnected }
      known[key, default: []].append((connection, number))
    }
    replaced += others.map { ($0, connection) }
  }

  /// Returns the connections that were taken out of force since the last call.
  ///
  /// Each comes with the one that stands for it.
  mutating func takeReplaced() -> [(old: Connection, new: Connection)] {
    defer { replaced = [] }
    return replaced
  }
}

extension TypedConnections {
  /// Takes the connections of earlier texts out of force for which a new one stands.
  func suspendPredecessors(
    of connection: Connection, at site: TraceEntry?, in graph: ConnectionGraph
  ) -> [Connection] {
    guard include(site), !graph.isSettling, graph.atomicDepth == 0, graph.running == nil else {
      return []
    }
    let others = predecessors(of: connection)
    for other in others { graph.suspend(other) }
    return others
  }

  /// Takes connections back into force that were to be replaced.
  ///
  /// What is refused now stays suspended, as after
  /// `resume`.
  static func resume(_ others: [Connection], in graph: ConnectionGraph) {
    for other in others { try? graph.resume(other) }
  }

  /// Ends the connections that a statement has replaced; those take effect again in whose place nothing stands now.
  static func endReplacing(in machine: Machine) {
    // Not while the table is changed: what is settled below may connect.
    let pairs = machine.session.typedConnections.takeReplaced()
    guard !pairs.isEmpty else { return }
    var left: [Connection] = []
    for (old, new) in pairs {
      guard new.status != .disconnected else {
        left.append(old)
        continue
      }
      if old.text != new.text {
        machine.printError("'\(new.text)' replaces '\(old.text)' (\(old.location))")
      }
      machine.graph.disconnect(old)
    }
    guard !left.isEmpty else { return }
    resume(left, in: machine.graph)
    let outcome = machine.withErrorsCaught { machine.settleGraph(answering: .nil) }
    if case .unwound = outcome { _ = machine.endOfUnwinding() }
  }
}
