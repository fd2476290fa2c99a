/// The functions of the system's libsqlite3, found when a database is first used.
@safe
struct LibSQLite: @unchecked Sendable {
  typealias Database = OpaquePointer
  typealias Statement = OpaquePointer
  typealias Text = UnsafePointer<CChar>
  typealias Bytes = UnsafeRawPointer
  typealias Context = UnsafeMutableRawPointer
  /// Hears of a row: what was done, in which database, table and row.
  typealias RowHook = @convention(c) (Context?, Int32, Text?, Text?, Int64) -> Void
  typealias Preparation =
    @convention(c) (
      Database, Text, Int32, UnsafeMutablePointer<Statement?>, UnsafeMutablePointer<Text?>?
    ) -> Int32
  typealias Progress = @convention(c) (Context?) -> Int32

  let open: @convention(c) (Text, UnsafeMutablePointer<Database?>, Int32, Text?) -> Int32
  let close: @convention(c) (Database) -> Int32
  let message: @convention(c) (Database) -> Text?
  let extendedCode: @convention(c) (Database) -> Int32
  let progress: @convention(c) (Database, Int32, Progress?, Context?) -> Void
  let rowHook: @convention(c) (Database, RowHook?, Context?) -> Context?
  let isAutomatic: @convention(c) (Database) -> Int32
  let lastRow: @convention(c) (Database) -> Int64
  let changes: @convention(c) (Database) -> Int32
  let totalChanges: @convention(c) (Database) -> Int32
  let prepare: Preparation
  let finish: @convention(c) (Statement) -> Int32
  let step: @convention(c) (Statement) -> Int32
  let reset: @convention(c) (Statement) -> Int32
  let parameters: @convention(c) (Statement) -> Int32
  let isReading: @convention(c) (Statement) -> Int32
  let bindNull: @convention(c) (Statement, Int32) -> Int32
  let bindInteger: @convention(c) (Statement, Int32, Int64) -> Int32
  let bindReal: @convention(c) (Statement, Int32, Double) -> Int32
  let bindText: @convention(c) (Statement, Int32, Bytes?, Int32, Int) -> Int32
  let bindBytes: @convention(c) (Statement, Int32, Bytes?, Int32, Int) -> Int32
  let columns: @convention(c) (Statement) -> Int32
  let columnName: @convention(c) (Statement, Int32) -> Text?
  let columnType: @convention(c) (Statement, Int32) -> Int32
  let columnInteger: @convention(c) (Statement, Int32) -> Int64
  let columnReal: @convention(c) (Statement, Int32) -> Double
  let columnText: @convention(c) (Statement, Int32) -> Bytes?
  let columnBytes: @convention(c) (Statement, Int32) -> Bytes?
  let columnSize: @convention(c) (Statement, Int32) -> Int32

  /// The library of this system; nil when there is none that can be used.
  ///
  /// Its functions are the same for the whole process: nothing of this changes.
  static let system = DynamicLibrary([
    "libsqlite3.so.0", "libsqlite3.so", "libsqlite3.dylib", "/usr/lib/libsqlite3.dylib",
  ]).flatMap { try? LibSQLite($0) }

  /// The library lacks a function.
  private struct Missing: Error {}

  private init(_ library: DynamicLibrary) throws(Missing) {
    func find<Function>(_ name: String) throws(Missing) -> Function {
      guard let function = library.function("sqlite3_" + name, as: Function.self) else {
        throw Missing()
      }
      return function
    }
    unsafe open = unsafe try find("open_v2")
    unsafe close = unsafe try find("close_v2")
    unsafe message = unsafe try find("errmsg")
    unsafe extendedCode = unsafe try find("extended_errcode")
    unsafe progress = unsafe try find("progress_handler")
    unsafe rowHook = unsafe try find("update_hook")
    unsafe isAutomatic = unsafe try find("get_autocommit")
    unsafe lastRow = unsafe try find("last_insert_rowid")
    unsafe changes = unsafe try find("changes")
    unsafe totalChanges = unsafe try find("total_changes")
    unsafe prepare = unsafe try find("prepare_v2")
    unsafe finish = unsafe try find("finalize")
    unsafe step = unsafe try find("step")
    unsafe reset = unsafe try find("reset")
    unsafe parameters = unsafe try find("bind_parameter_count")
    unsafe isReading = unsafe try find("stmt_readonly")
    unsafe bindNull = unsafe try find("bind_null")
    unsafe bindInteger = unsafe try find("bind_int64")
    unsafe bindReal = unsafe try find("bind_double")
    unsafe bindText = unsafe try find("bind_text")
    unsafe bindBytes = unsafe try find("bind_blob")
    unsafe columns = unsafe try find("column_count")
    unsafe columnName = unsafe try find("column_name")
    unsafe columnType = unsafe try find("column_type")
    unsafe columnInteger = unsafe try find("column_int64")
    unsafe columnReal = unsafe try find("column_double")
    unsafe columnText = unsafe try find("column_text")
    unsafe columnBytes = unsafe try find("column_blob")
    unsafe columnSize = unsafe try find("column_bytes")
  }

  /// The library's number for "copy the text or bytes that are bound".
  static let copies = -1

  enum Code {
    static let done: Int32 = 101
    static let row: Int32 = 100
    static let error: Int32 = 1
    static let permission: Int32 = 3
    static let abort: Int32 = 4
    static let busy: Int32 = 5
    static let locked: Int32 = 6
    static let readOnly: Int32 = 8
    static let interrupted: Int32 = 9
    static let io: Int32 = 10
    static let corrupt: Int32 = 11
    static let full: Int32 = 13
    static let cannotOpen: Int32 = 14
    static let tooBig: Int32 = 18
    static let constraint: Int32 = 19
    static let mismatch: Int32 = 20
    static let noDatabase: Int32 = 26
  }
}
