internal import TenonRuntime
public import TenonStoreKit
public import TenonStores

extension Interpreter {
  /// Lets scripts open stores that survive the program, with `PersistentStore at:`, in directories of
  /// a store of files.
  ///
  /// Whoever grants this calls `closeStores` before the interpreter goes.
  ///
  /// - Parameters:
  ///   - files: What the directories belong to.
  ///   - usesThreads: Whether the stores write beside the script; otherwise only when they are told to.
  ///   - report: Called with what became of a damaged file, and when the disk refuses something, on
  ///     the thread that uses the interpreter.
  public func grantPersistence(
    in files: FileStore, usesThreads: Bool = true, report: @escaping (StoreError) -> Void
  ) {
    grantStores("persistent") { (reference, settings) throws(StoreError) in
      guard reference.scheme == "file" else {
        throw StoreError(
          .unsupported, reference, "only a directory of files can hold a persistent store")
      }
      var options = PersistentStore.Options()
      options.level = settings["level"].flatMap { PersistentStore.Level(rawValue: $0) } ?? .journal
      options.isReadOnly = settings["isReadOnly"] == "true"
      options.usesThread = usesThreads
      // The program wrote a reference, not the path that is made of it.
      let shown =
        (reference.isAbsolute ? "/" : "") + reference.components.joined(separator: "/")
      return try PersistentStore(
        directory: files.path(of: reference), shownAs: shown, options: options, report: report)
    }
  }

  /// Closes the stores: those of the program write what they have put off, and those written in Swift,
  /// mounted or opened by the program, what they hold back; their files are given back.
  ///
  /// - Returns: What could not be made durable, each with its place and reason.
  public func closeStores() -> [StoreError] { machine.closeStores() }
}
