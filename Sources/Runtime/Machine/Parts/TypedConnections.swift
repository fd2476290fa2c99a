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
  private var known: [Key: Statements] = [:]
  /// The connections that the text that runs has taken out of force so far.
  private var replaced: [(old: Connection, new: Connection)] = []

  /// What two texts have in common that name the same connection: what they say, and where a name was computed
  /// once (`mem:{name}`) the place that it means.
  private struct Key: Hashable {
    let text: String
    let place: Place?
  }

  /// The connections that say one thing.
  private struct Statements {
    /// Those of earlier texts, as long as nothing stands for them.
    var earlier: [Connection] = []
    /// Those of the text of a number.
    var own: [Connection] = []
    var text = 0

    /// Counts those of the last text among the earlier ones when another one has begun.
    mutating func begin(_ number: Int) {
      guard text != number else { return }
      earlier = (earlier + own).filter { $0.status != .disconnected }
      (own, text) = ([], number)
    }
  }

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

  private func keys(of connection: Connection) -> [Key] {
    guard let target = connection.plan?.target else {
      return [Key(text: connection.text, place: nil)]
    }
    // Other paths lead where the program says at present, and a flow has its text for a name.
    var place: Place?
    if case .place(let only) = target.place, target.name.contains("{"),
      target.name != connection.text
    {
      place = only
    }
    let statement = Key(text: connection.text, place: place)
    guard connection.connector == "|=", connection.plan?.strength == .required else {
      return [statement]
    }
    return [statement, Key(text: target.name + " |=", place: place)]
  }

  /// Takes the connections of earlier texts out of the table that a new one stands for, the oldest first.
  ///
  /// - Complexity: O(1) for each of them, amortised.
  private mutating func takePredecessors(of connection: Connection) -> [Connection] {
    var found: [Connection] = []
    for key in keys(of: connection) {
      known[key]?.begin(number)
      found += known[key]?.earlier ?? []
      known[key]?.earlier = []
    }
    return found.withoutRepetitions.filter { $0.status == .active }
  }

  /// Keeps a connection for later texts, and those that it stands for until its statement has ended.
  mutating func keep(
    _ connection: Connection, inPlaceOf others: [Connection], at site: TraceEntry?
  ) {
    guard include(site) else { return }
    for key in keys(of: connection) {
      known[key, default: Statements()].begin(number)
      known[key]?.own.append(connection)
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
  mutating func suspendPredecessors(
    of connection: Connection, at site: TraceEntry?, in graph: ConnectionGraph
  ) -> [Connection] {
    guard include(site), !graph.isSettling, graph.atomicDepth == 0, graph.running == nil else {
      return []
    }
    let others = takePredecessors(of: connection)
    for other in others { graph.suspend(other) }
    return others
  }

  /// Takes connections back into force that were to be replaced.
  ///
  /// What is refused now stays suspended, as after `resume`.
  mutating func resume(_ others: [Connection], in graph: ConnectionGraph) {
    for other in others {
      for key in keys(of: other) { known[key, default: Statements()].earlier.append(other) }
      try? graph.resume(other)
    }
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
    machine.session.typedConnections.resume(left, in: machine.graph)
    let outcome = machine.withErrorsCaught { machine.settleGraph(answering: .nil) }
    if case .unwound = outcome { _ = machine.endOfUnwinding() }
  }
}
