/// What opens stores that survive the program; whoever makes an interpreter grants it.
public protocol PersistenceSource: AnyObject {
  /// Opens a store, and makes it when it is missing.
  ///
  /// - Parameters:
  ///   - path: The path of its directory as the program writes it.
  ///   - level: What a write survives: `fast`, `journal` or `full`.
  ///   - isReadOnly: Whether only to read, which one may do while another program writes.
  /// - Returns: The store.
  /// - Throws: `StoreError`, of the kind `locked` when the store is open for writing already.
  func open(
    _ path: String, level: String, isReadOnly: Bool
  ) throws(StoreError) -> any DurableStore
}

/// A store that survives the program, and can tell how things stand.
public protocol DurableStore: Store {
  /// The path of its directory as the program wrote it.
  var path: String { get }

  /// What a write survives: `fast`, `journal` or `full`.
  var levelName: String { get }

  /// How things stand: `live`, `degraded`, `readOnly` or `closed`.
  var stateName: String { get }

  /// What the disk refuses at present; nil when it refuses nothing.
  var lastError: StoreError? { get }

  /// How many references wait to be written to their files.
  var unsavedCount: Int { get }
}
