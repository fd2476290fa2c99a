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
  static let system = LibSQLite()

  private init?() {
    guard
      let library = DynamicLibrary([
        "libsqlite3.so.0", "libsqlite3.so", "libsqlite3.dylib", "/usr/lib/libsqlite3.dylib",
      ])
    else { return nil }
    func find<Function>(_ name: String) -> Function? {
      library.function("sqlite3_" + name, as: Function.self)
    }
    guard
      let open: @convention(c) (Text, UnsafeMutablePointer<Database?>, Int32, Text?) -> Int32 =
        unsafe find("open_v2"),
      let close: @convention(c) (Database) -> Int32 = unsafe find("close_v2"),
      let message: @convention(c) (Database) -> Text? = unsafe find("errmsg"),
      let extendedCode: @convention(c) (Database) -> Int32 = unsafe find("extended_errcode"),
      let progress: @convention(c) (Database, Int32, Progress?, Context?) -> Void =
        unsafe find("progress_handler"),
      let rowHook: @convention(c) (Database, RowHook?, Context?) -> Context? = unsafe find(
        "update_hook"),
      let isAutomatic: @convention(c) (Database) -> Int32 = unsafe find("get_autocommit"),
      let lastRow: @convention(c) (Database) -> Int64 = unsafe find("last_insert_rowid"),
      let changes: @convention(c) (Database) -> Int32 = unsafe find("changes"),
      let totalChanges: @convention(c) (Database) -> Int32 = unsafe find("total_changes")
    else { return nil }
    guard
      let prepare: Preparation = unsafe find("prepare_v2"),
      let finish: @convention(c) (Statement) -> Int32 = unsafe find("finalize"),
      let step: @convention(c) (Statement) -> Int32 = unsafe find("step"),
      let reset: @convention(c) (Statement) -> Int32 = unsafe find("reset"),
      let parameters: @convention(c) (Statement) -> Int32 = unsafe find("bind_parameter_count"),
      let isReading: @convention(c) (Statement) -> Int32 = unsafe find("stmt_readonly"),
      let bindNull: @convention(c) (Statement, Int32) -> Int32 = unsafe find("bind_null"),
      let bindInteger: @convention(c) (Statement, Int32, Int64) -> Int32 = unsafe find(
        "bind_int64"),
      let bindReal: @convention(c) (Statement, Int32, Double) -> Int32 = unsafe find("bind_double"),
      let bindText: @convention(c) (Statement, Int32, Bytes?, Int32, Int) -> Int32 =
        unsafe find("bind_text"),
      let bindBytes: @convention(c) (Statement, Int32, Bytes?, Int32, Int) -> Int32 =
        unsafe find("bind_blob"),
      let columns: @convention(c) (Statement) -> Int32 = unsafe find("column_count"),
      let columnName: @convention(c) (Statement, Int32) -> Text? = unsafe find("column_name"),
      let columnType: @convention(c) (Statement, Int32) -> Int32 = unsafe find("column_type"),
      let columnInteger: @convention(c) (Statement, Int32) -> Int64 = unsafe find("column_int64"),
      let columnReal: @convention(c) (Statement, Int32) -> Double = unsafe find("column_double"),
      let columnText: @convention(c) (Statement, Int32) -> Bytes? = unsafe find("column_text"),
      let columnBytes: @convention(c) (Statement, Int32) -> Bytes? = unsafe find("column_blob"),
      let columnSize: @convention(c) (Statement, Int32) -> Int32 = unsafe find("column_bytes")
    else { return nil }
    unsafe self.open = unsafe open
    unsafe self.close = unsafe close
    unsafe self.message = unsafe message
    unsafe self.extendedCode = unsafe extendedCode
    unsafe self.progress = unsafe progress
    unsafe self.rowHook = unsafe rowHook
    unsafe self.isAutomatic = unsafe isAutomatic
    unsafe self.lastRow = unsafe lastRow
    unsafe self.changes = unsafe changes
    unsafe self.totalChanges = unsafe totalChanges
    unsafe self.prepare = unsafe prepare
    unsafe self.finish = unsafe finish
    unsafe self.step = unsafe step
    unsafe self.reset = unsafe reset
    unsafe self.parameters = unsafe parameters
    unsafe self.isReading = unsafe isReading
    unsafe self.bindNull = unsafe bindNull
    unsafe self.bindInteger = unsafe bindInteger
    unsafe self.bindReal = unsafe bindReal
    unsafe self.bindText = unsafe bindText
    unsafe self.bindBytes = unsafe bindBytes
    unsafe self.columns = unsafe columns
    unsafe self.columnName = unsafe columnName
    unsafe self.columnType = unsafe columnType
    unsafe self.columnInteger = unsafe columnInteger
    unsafe self.columnReal = unsafe columnReal
    unsafe self.columnText = unsafe columnText
    unsafe self.columnBytes = unsafe columnBytes
    unsafe self.columnSize = unsafe columnSize
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
