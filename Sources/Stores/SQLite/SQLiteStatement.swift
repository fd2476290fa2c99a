internal import TenonStoreKit

/// A statement that has been prepared: its parameters, and its rows by the page.
///
/// It is finished with its last user, who keeps the connection. A statement that has answered some of its rows and not all holds a
/// lock for reading, as SQLite has it.
@safe
final class SQLiteStatement {
  /// The names of its columns; none for a statement that answers nothing.
  let names: [String]
  /// Whether it changes nothing.
  let isReading: Bool
  /// How many parameters it has.
  let parameterCount: Int
  private unowned let connection: SQLiteConnection
  private let library: LibSQLite
  private let handle: LibSQLite.Statement

  /// The most bytes of one answer.
  static let answerLimit = 64 << 20

  init(_ handle: LibSQLite.Statement, of connection: SQLiteConnection) {
    unsafe self.handle = handle
    self.connection = connection
    library = connection.library
    isReading = unsafe library.isReading(handle) != 0
    parameterCount = Int(unsafe library.parameters(handle))
    var names: [String] = []
    for column in 0..<(unsafe library.columns(handle)) {
      names.append(
        unsafe library.columnName(handle, column).map { unsafe String(cString: $0) } ?? "")
    }
    self.names = names
  }

  deinit { _ = unsafe library.finish(handle) }

  /// Ends what it has begun, so that it holds no lock and can be run again.
  func reset() { _ = unsafe library.reset(handle) }

  // MARK: Parameters

  /// Gives the parameters their values.
  ///
  /// - Throws: `SQLiteFailure` where there are more or fewer, and for a value that SQLite does not keep.
  func bind(_ parameters: ArraySlice<SQLiteValue>) throws(SQLiteFailure) {
    guard parameterCount == parameters.count else {
      throw SQLiteFailure(
        .encode, "the statement has \(parameterCount) parameters, and \(parameters.count) are given"
      )
    }
    for (index, value) in parameters.enumerated() {
      let number = Int32(index + 1)
      let code =
        switch value {
        case .null: unsafe library.bindNull(handle, number)
        case .integer(let value): unsafe library.bindInteger(handle, number, value)
        case .real(let value): unsafe library.bindReal(handle, number, value)
        case .text(let text):
          unsafe try bind(Array(text.utf8)) { (bytes: UnsafeRawPointer, count: Int32) in
            unsafe library.bindText(handle, number, bytes, count, LibSQLite.copies)
          }
        case .bytes(let bytes):
          unsafe try bind(bytes) { (bytes: UnsafeRawPointer, count: Int32) in
            unsafe library.bindBytes(handle, number, bytes, count, LibSQLite.copies)
          }
        }
      if code != 0 { throw connection.failure() }
    }
  }

  private func bind(
    _ bytes: [UInt8], _ body: (UnsafeRawPointer, Int32) -> Int32
  ) throws(SQLiteFailure) -> Int32 {
    guard let count = Int32(exactly: bytes.count) else {
      throw SQLiteFailure(.tooLarge, "a value has at most 2 GiB")
    }
    // No bytes are not the same as nothing: there is an address.
    return unsafe (bytes + [0]).withUnsafeBytes { buffer in
      unsafe buffer.baseAddress.map { unsafe body($0, count) } ?? 0
    }
  }

  // MARK: Rows

  /// The next rows.
  struct Page {
    var rows: [[SQLiteValue]] = []
    /// Whether there are no more.
    var isLast = false
  }

  /// Goes on with the statement.
  ///
  /// - Parameters:
  ///   - limit: The most rows that are answered.
  ///   - size: After so many bytes no further row is begun.
  /// - Returns: The rows that come next.
  /// - Throws: `SQLiteFailure`, of the kind `tooLarge` for an answer beyond `answerLimit`.
  func page(limit: Int = .max, size: Int = .max) throws(SQLiteFailure) -> Page {
    let count = Int32(names.count)
    var page = Page()
    var bytes = 0
    while page.rows.count < limit, bytes < size {
      let code = try connection.waiting(for: [LibSQLite.Code.row, LibSQLite.Code.done]) {
        unsafe library.step(handle)
      }
      if code == LibSQLite.Code.done {
        page.isLast = true
        return page
      }
      var row: [SQLiteValue] = []
      row.reserveCapacity(names.count)
      for column in 0..<count {
        row.append(try value(column, &bytes))
        bytes += 16
      }
      guard bytes <= SQLiteStatement.answerLimit else {
        throw SQLiteFailure(
          .tooLarge, "that is more than \(SQLiteStatement.answerLimit >> 20) MiB; ask for less")
      }
      page.rows.append(row)
    }
    return page
  }

  private func value(_ column: Int32, _ bytes: inout Int) throws(SQLiteFailure) -> SQLiteValue {
    switch unsafe library.columnType(handle, column) {
    case 1: return unsafe .integer(library.columnInteger(handle, column))
    case 2: return unsafe .real(library.columnReal(handle, column))
    case 3:
      let start = unsafe library.columnText(handle, column)
      let count = Int(unsafe library.columnSize(handle, column))
      bytes += count
      let text = unsafe String(
        validating: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
      guard let text else { throw SQLiteFailure(.decode, "a text in it is not UTF-8") }
      return .text(text)
    case 4:
      let start = unsafe library.columnBytes(handle, column)
      let count = Int(unsafe library.columnSize(handle, column))
      bytes += count
      return unsafe .bytes(Array(UnsafeRawBufferPointer(start: start, count: count)))
    default: return .null
    }
  }
}
