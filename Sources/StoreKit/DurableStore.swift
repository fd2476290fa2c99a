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

  /// Begins changes that are found together after a crash, or none of them; each has an end. Batches may
  /// lie in one another: the outermost counts.
  ///
  /// - Parameter keepsUndo: Whether they may be taken back.
  /// - Returns: How many changes there were in the batch.
  func beginBatch(keepsUndo: Bool) -> Int

  /// Takes back the changes that were made in a batch after so many.
  func takeBackBatch(to count: Int)

  /// Ends the innermost batch.
  ///
  /// - Throws: `StoreError` where the outermost one ends, and could not be kept as the level says.
  func endBatch() throws(StoreError)
}

extension DurableStore {
  /// Keeps no changes together.
  public func beginBatch(keepsUndo: Bool) -> Int { 0 }
  /// Takes nothing back.
  public func takeBackBatch(to count: Int) {}
  /// Has nothing to end.
  public func endBatch() throws(StoreError) {}
}
