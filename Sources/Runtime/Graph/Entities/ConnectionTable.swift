internal import TenonLexer
internal import TenonSolverKit
internal import TenonTables

/// The records of connections, by their numbers.
///
/// Numbers rise, and are used again only after all of them have been.
final class ConnectionTable {
  /// For each connection twice the number of its statement, and one more where the connection has ended.
  private let words = NumberMap()
  /// The first of the formulas of each that has any.
  private let firstFormulas = NumberMap()
  /// The fields that few connections have.
  let extras = SparseTable<ConnectionExtras>()
  /// The statements, each kept as long as a connection is of it.
  let statements = SharedTable<StatementSite>()
  /// The statement of a connection whose record is gone.
  private let endedStatement = StatementSite(
    connector: "|=", text: "a Connection that has ended", source: SourceText(name: "", ""),
    range: SourceRange(Int32(0), Int32(0)), site: nil, formula: nil, names: nil)
  /// The number of ended connections whose records are kept.
  private var endedCount = 0

  /// The number of connections that have not ended.
  var count: Int { words.count - endedCount }

  /// The number of connections that the memory suffices for, at the least size of each: a power of two from
  /// 1,024 on, as rows of numbers that slide are somewhat longer at one time than at another.
  var capacity: Int {
    let places = (words.byteCount + firstFormulas.byteCount) / MemoryLayout<Int32>.stride / 2
    return places <= 1_024 ? 1_024 : 1 << (Int.bitWidth - (places - 1).leadingZeroBitCount)
  }

  /// Returns whether there is a record of a connection.
  func contains(_ number: Int32) -> Bool { words[number] >= 0 }

  /// Returns whether a connection has not ended.
  func isInForce(_ number: Int32) -> Bool { words[number] & 1 == 0 }

  /// The numbers of connections that have not ended, in no order.
  ///
  /// - Complexity: O(memory of the table).
  var numbers: [Int32] { words.allKeys.filter { isInForce($0) } }

  /// Enters a connection of a statement: its number is not there.
  func insert(_ number: Int32, _ statement: StatementSite) {
    let place = statements.take(statement, hash: statement.siteHash) { $0.isSame(as: statement) }
    words.set(number, to: place << 1)
  }

  /// Marks a connection as ended; its record stays until it is removed.
  func end(_ number: Int32) {
    let word = words[number]
    guard word >= 0, word & 1 == 0 else { return }
    words.set(number, to: word | 1)
    endedCount += 1
  }

  /// Removes an ended connection.
  ///
  /// - Complexity: O(1), amortised.
  func remove(_ number: Int32) {
    let word = words[number]
    guard word >= 0, word & 1 == 1 else { return }
    words.remove(number)
    firstFormulas.remove(number)
    endedCount -= 1
    statements.release(word >> 1)
    // Last: code in Swift that is released with it may connect.
    extras[number] = nil
  }

  /// Returns the statement that has made a connection.
  func statement(of number: Int32) -> StatementSite {
    let word = words[number]
    return word < 0 ? endedStatement : statements[word >> 1] ?? endedStatement
  }

  /// Sets a statement of its own for a connection.
  func setStatement(_ statement: StatementSite, of number: Int32) {
    let word = words[number]
    guard word >= 0 else { return }
    words.set(number, to: statements.add(statement) << 1 | word & 1)
    statements.release(word >> 1)
  }

  /// Returns the first formula of a connection, or -1.
  func firstFormula(of number: Int32) -> Int32 { firstFormulas[number] }

  /// Sets the first formula of a connection; -1 removes it.
  func setFirstFormula(_ formula: Int32, of number: Int32) {
    if formula < 0 {
      firstFormulas.remove(number)
    } else if contains(number) {
      firstFormulas.set(number, to: formula)
    }
  }
}

/// The connections that have not ended, by their numbers.
///
/// For the reference to the graph see `CellView`.
struct Connections {
  @Uncounted fileprivate var graph: ConnectionGraph

  private var table: ConnectionTable { graph.connecting.connectionTable }

  /// The number of connections, and the number that the memory suffices for.
  var count: Int { table.count }
  var capacity: Int { table.capacity }

  /// The connection of a number, which may be any number that a program takes for one.
  subscript(number: Int) -> Connection? {
    guard let number = Int32(exactly: number), number >= 0, table.isInForce(number) else {
      return nil
    }
    return Connection(number, in: graph)
  }

  /// All connections, in no order.
  var values: [Connection] { table.numbers.map { Connection($0, in: graph) } }
}

extension ConnectionGraph {
  /// The connections that have not ended.
  var connections: Connections { Connections(graph: self) }

  /// Makes a connection that has no formulas yet.
  func makeConnection(_ statement: StatementSite) -> Connection {
    // Numbers are used again only after all of them have been.
    while connecting.connectionTable.contains(connecting.nextConnection) { advanceNumber() }
    let connection = Connection(connecting.nextConnection, in: self)
    advanceNumber()
    connecting.connectionTable.insert(connection.id, statement)
    return connection
  }

  private func advanceNumber() {
    if connecting.nextConnection < Int32.max {
      connecting.nextConnection += 1
      return
    }
    connecting.nextConnection = 1
    // Watches kept by such numbers are those of connections that are there.
    machine.willReuseNumbers()
  }

  /// Takes a connection out of force for good; places keep their values.
  func disconnect(_ connection: Connection) {
    guard connection.status != .disconnected else { return }
    // Parts have no parts of their own that are not among them.
    for part in connection.parts where part != connection { disconnect(part) }
    connection.status = .disconnected
    if connection.isInvariant {
      watchers.invariants.count -= 1
      watchers.invariants.doubtful.removeAll { $0 == connection }
    }
    dissolve(connection)
    // The formula that runs now may have it named.
    ended.endedConnections.append(connection.id)
    if !isSettling, runningNumber < 0 { releaseEndedConnections() }
  }

  /// Forgets the connections that have ended meanwhile.
  func releaseEndedConnections() {
    while let number = ended.endedConnections.popLast() {
      connecting.connectionTable.remove(number)
    }
  }
}
