public import TenonRuntime

/// Opens persistent stores in the directories of the operating system, with the rights of the process.
public final class PersistenceFiles {
  private let directory: String?
  private let report: (StoreError) -> Void
  /// Whether the stores write beside whoever uses them; otherwise only when they are told to.
  package var usesThreads = true

  /// Creates a source of stores.
  ///
  /// - Parameters:
  ///   - directory: Where relative paths begin; nil for the working directory.
  ///   - report: Called with what became of a damaged file, and when the disk refuses something, on a
  ///     thread that uses a store.
  public init(directory: String? = nil, report: @escaping (StoreError) -> Void) {
    self.directory = directory
    self.report = report
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension PersistenceFiles: PersistenceSource {
  public func open(
    _ path: String, level: String, isReadOnly: Bool
  ) throws(StoreError) -> any DurableStore {
    var options = PersistentStore.Options()
    guard let level = PersistentStore.Level(rawValue: level) else {
      throw StoreError(.unsupported, path, "there is no level '\(level)'")
    }
    options.level = level
    options.isReadOnly = isReadOnly
    options.usesThread = usesThreads
    return try PersistentStore(
      directory: path, from: directory, options: options, report: report)
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension PersistentStore: DurableStore {
  public var path: String { shownDirectory }
  public var levelName: String { level.rawValue }
  public var stateName: String { state.rawValue }
}
