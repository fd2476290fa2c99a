/// A store that survives the program, and can tell how things stand.
public protocol DurableStore: Store {
  /// Where it is, as the program wrote it.
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
