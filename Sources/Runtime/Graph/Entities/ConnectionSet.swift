internal import TenonSolverKit

/// Connections in the order in which they came, each once.
struct ConnectionSet: Sequence {
  /// The connections; nil where one was removed.
  private var entries: ContiguousArray<Connection?> = []
  /// The index of each entry; made when searching all of them would take long.
  private var positions: [Connection: Int]?
  private(set) var count = 0

  private static let shortCount = 16

  var isEmpty: Bool { count == 0 }

  private func position(of connection: Connection) -> Int? {
    if let positions { return positions[connection] }
    return entries.firstIndex { $0 == connection }
  }

  /// Adds a connection, if it is not there.
  ///
  /// - Complexity: O(1), amortised.
  mutating func insert(_ connection: Connection) {
    guard position(of: connection) == nil else { return }
    positions?[connection] = entries.count
    entries.append(connection)
    count += 1
    if positions == nil, entries.count > ConnectionSet.shortCount { index() }
  }

  /// Removes a connection, if it is there.
  ///
  /// - Returns: the number of entries that were looked at.
  /// - Complexity: O(1), amortised.
  mutating func remove(_ connection: Connection) -> Int {
    let steps = positions == nil ? entries.count : 1
    guard let position = position(of: connection) else { return steps }
    positions?[connection] = nil
    entries[position] = nil
    count -= 1
    // Gaps at most as many as connections.
    guard entries.count > 2 * count + ConnectionSet.shortCount else { return steps }
    let all = entries.count
    entries = ContiguousArray(entries.lazy.filter { $0 != nil })
    positions = nil
    if count > ConnectionSet.shortCount { index() }
    return steps + all
  }

  private mutating func index() {
    var made: [Connection: Int] = [:]
    made.reserveCapacity(entries.count)
    for (position, connection) in entries.enumerated() {
      if let connection { made[connection] = position }
    }
    positions = made
  }

  /// Returns an iterator over the connections that are there now, whatever comes or goes meanwhile.
  func makeIterator() -> GapIterator<Connection> { GapIterator(entries) }
}

/// Iterates over a list with gaps of removed elements.
struct GapIterator<Element>: IteratorProtocol {
  private var entries: ContiguousArray<Element?>.Iterator

  init(_ entries: ContiguousArray<Element?>) { self.entries = entries.makeIterator() }

  mutating func next() -> Element? {
    while let entry = entries.next() {
      if let element = entry { return element }
    }
    return nil
  }
}
