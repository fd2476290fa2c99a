internal import TenonStoreKit
internal import TenonText

// Statements of the program's own, one or several in a text.

extension SQLiteDatabase {
  /// What the statements of a text came to.
  struct Outcome {
    /// What the last one answered.
    var last = SQLiteConnection.Rows()
    /// How many rows all of them have changed, without those that triggers have.
    var changes = 0
  }

  /// Runs the statements of a text, one after the other.
  ///
  /// Several are one transaction: where one fails, none has been run. Those of a text that begins
  /// transactions itself, or has statements that are not allowed in one, are left to themselves from
  /// the first such statement on; a transaction that they leave open when one fails is rolled back.
  ///
  /// - Parameters:
  ///   - text: The statements.
  ///   - parameters: The values for their question marks, in their order.
  ///   - connection: The connection.
  /// - Returns: What they came to.
  /// - Throws: `SQLiteFailure`.
  func runScript(
    _ text: String, _ parameters: [SQLiteValue], _ connection: SQLiteConnection
  ) throws(SQLiteFailure) -> Outcome {
    guard !text.utf8.contains(0) else { throw SQLiteFailure(.encode, "a statement holds no NUL") }
    var script = SQLiteScript(text, parameters, connection, isAtomic: !levels.isEmpty)
    do throws(SQLiteFailure) {
      return try script.run()
    } catch {
      script.rollBack()
      throw error
    }
  }
}

/// A text of statements that is being run.
private struct SQLiteScript {
  private let connection: SQLiteConnection
  private let letters: ContiguousArray<CChar>
  private let parameters: [SQLiteValue]
  /// Whether it is run within `atomically:`, whose transaction it must not end.
  private let isAtomic: Bool
  private let wasInTransaction: Bool
  private var offset = 0
  private var used = 0
  private var count = 0
  /// Whether a transaction, or a part of one, has been begun for it.
  private var isWrapped = false
  /// Whether it is left to itself.
  private var isFree = false
  private var outcome = SQLiteDatabase.Outcome()

  private static let savepoint = "tenon_script"
  /// The first words of statements that begin or end transactions or are not allowed in one.
  private static let control: Set<String> = [
    "begin", "commit", "end", "rollback", "vacuum", "attach", "detach", "pragma",
  ]

  init(
    _ text: String, _ parameters: [SQLiteValue], _ connection: SQLiteConnection, isAtomic: Bool
  ) {
    self.connection = connection
    self.parameters = parameters
    self.isAtomic = isAtomic
    letters = text.utf8CString
    wasInTransaction = connection.isInTransaction
  }

  mutating func run() throws(SQLiteFailure) -> SQLiteDatabase.Outcome {
    while offset < letters.count - 1 {
      let next = try connection.prepare(letters, from: offset)
      defer { offset = next.end }
      guard let statement = next.statement else {
        // A blank statement, or the end.
        if next.end <= offset { break }
        continue
      }
      try run(statement, upTo: next.end)
    }
    guard count > 0 else { throw SQLiteFailure(.encode, "there is no statement") }
    guard used == parameters.count else {
      throw SQLiteFailure(
        .encode, "the statements have \(used) parameters, and \(parameters.count) are given")
    }
    if isWrapped {
      _ = try connection.run(
        wasInTransaction ? "RELEASE \(SQLiteScript.savepoint)" : "COMMIT")
      isWrapped = false
    }
    return outcome
  }

  private mutating func run(
    _ statement: SQLiteStatement, upTo end: Int
  ) throws(SQLiteFailure) {
    let text = String(
      decoding: letters[offset..<end].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let isAlone = count == 0 && connection.isBlank(letters, from: end)
    try manageTransaction(text, isAlone: isAlone)
    count += 1
    let given = isAlone ? parameters[...] : parameters[used...].prefix(statement.parameterCount)
    used += given.count
    let before = connection.totalChanges
    outcome.last = try connection.run(statement, text, given)
    guard !statement.isReading else { return }
    if connection.totalChanges == before {
      // The statement may have made or dropped a table.
      connection.noteUntoldChange()
    } else {
      outcome.changes += connection.changes
    }
  }

  /// Begins a transaction for several statements, or ends it before one that manages its own.
  private mutating func manageTransaction(
    _ text: String, isAlone: Bool
  ) throws(SQLiteFailure) {
    let words = SQLiteScript.firstWords(of: text)
    let first = words.first ?? ""
    if isAtomic, ["commit", "end"].contains(first) || first == "rollback" && !words.contains("to") {
      throw SQLiteFailure(.unsupported, "'atomically:' ends its transaction itself")
    }
    guard !isAlone else { return }
    if !wasInTransaction, SQLiteScript.control.contains(first) {
      isFree = true
      // What is done for good must not be done again.
      connection.mayRetry = false
      if isWrapped { _ = try connection.run("COMMIT") }
      isWrapped = false
    } else if !isWrapped, !isFree {
      _ = try connection.run(
        wasInTransaction ? "SAVEPOINT \(SQLiteScript.savepoint)" : "BEGIN IMMEDIATE")
      isWrapped = true
    }
  }

  /// Takes back what a transaction still has that the statements have begun.
  func rollBack() {
    guard connection.isInTransaction else { return }
    if !wasInTransaction {
      _ = try? connection.run("ROLLBACK")
    } else if isWrapped {
      _ = try? connection.run("ROLLBACK TO \(SQLiteScript.savepoint)")
      _ = try? connection.run("RELEASE \(SQLiteScript.savepoint)")
    }
  }

  /// The first words of a statement in small letters, behind blanks and comments.
  private static func firstWords(of text: String) -> [String] {
    var bytes = text.utf8[...]
    var words: [String] = []
    while let byte = bytes.first, words.count < 3 {
      if bytes.starts(with: "--".utf8) {
        bytes = bytes.drop { $0 != 0x0A }
      } else if bytes.starts(with: "/*".utf8) {
        bytes = bytes.dropFirst(2)
        while !bytes.isEmpty, !bytes.starts(with: "*/".utf8) { bytes = bytes.dropFirst() }
        bytes = bytes.dropFirst(2)
      } else if byte <= 0x20 || byte == UInt8(ascii: ";") {
        bytes = bytes.dropFirst()
      } else {
        let word = bytes.prefix { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }
        guard !word.isEmpty else { break }
        words.append(String(decoding: word, as: UTF8.self).lowercased())
        bytes = bytes.dropFirst(word.count)
      }
    }
    return words
  }
}
