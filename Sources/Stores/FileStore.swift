public import TenonStoreKit
internal import TenonText

/// A store of the files and directories of the operating system, with the rights of the process.
///
/// A path that begins with a slash, or follows an empty host, is absolute; any other begins at the
/// directory given to the store. `.` and `..` mean what they mean to the system: the directory
/// itself and its parent, links followed. `~` is a name like any other. A place is a file's bytes,
/// or the listing of a directory; symbolic links are followed for reading, and a link to nothing is
/// missing.
///
/// A write replaces the file as a whole and survives the loss of power; parents are created. What
/// it replaces keeps permissions and, where the process may set it, the owner, but no other
/// attributes and no second names. A file that the process may not write to is not replaced,
/// although its directory would allow it. A symbolic link is not written through, unless the
/// options say so. Character devices are written to as they are, and so are `/dev/stdout` and
/// `/dev/stderr`, which mean the descriptors 1 and 2 whatever they are connected with; pipes,
/// sockets and block devices are refused. Reading a pipe or a device waits for a limited time.
///
/// Deleting removes a file, a link itself, or an empty directory.
///
/// Names that no reference can hold, those that are not UTF-8 or hold control characters, are left
/// out of listings, and so are the store's own temporary files, whose names are refused.
///
/// Writing and deleting take the right to read the directory: without it, nothing could make the
/// change survive.
///
/// The verbs are get, put, delete and list. One thread at a time may use the store.
///
/// What is watched announces its changes on the feed, whoever makes them: other processes, other
/// stores, or this one. Where the system does not tell, the store looks every two seconds. Symbolic
/// links are followed at the end of a watched path only; what a link inside a watched directory leads
/// to is not watched.
public final class FileStore {
  /// What a file store may do, and how far it goes.
  public struct Options: Sendable {
    /// The most bytes that are read from one place.
    public var readLimit = 64 << 20
    /// How long a pipe or a device may keep a reader or writer waiting.
    public var waitLimit: Duration = .seconds(5)
    /// How long the store waits between two looks at watched places of which the system tells nothing.
    public var pollInterval: Duration = .seconds(2)
    /// Whether writing to a symbolic link writes to where it points; otherwise it is refused.
    public var writesThroughLinks = false

    /// Creates the options of a script that is run by its owner.
    public init() {}
  }

  /// Whether somebody wants the program to stop: asked while the store waits for a pipe or a device.
  public var isInterrupted: () -> Bool = { false }

  /// Whether whoever asks asks again when a pipe or a device has nothing yet: then the store does not wait.
  public var mayRetry: () -> Bool = { false }
  /// What is being read over several requests, by its path.
  var slowReads: [String: SlowRead] = [:]

  let fileSystem: any FileSystem
  let options: Options
  /// Where relative paths begin; nil when that is unknown.
  let directory: String?
  /// Whether nothing outside a directory can be reached.
  let isConfined: Bool
  /// Whether a write has reached the disk when it answers.
  package var isDurable = true
  let changes = ChangeFeed()
  /// Made when something is first watched.
  var watcher: FileWatcher?
  /// What the watcher's thread looks with.
  let watchedFileSystem: any FileSystem & Sendable
  let makeNotifier: () -> (any DirectoryNotifier)?
  /// The directories that were searched for stale files.
  private var searched: Set<FileIdentity> = []

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - directory: Where relative paths begin. It need not exist. The working directory of this
  ///     moment is taken when none is given, or when this one is itself relative.
  ///   - options: What the store may do.
  public convenience init(directory: String? = nil, options: Options = Options()) {
    self.init(directory: directory, options: options, fileSystem: OperatingSystem())
  }

  package init(
    directory: String? = nil, options: Options = Options(), fileSystem: any FileSystem,
    watching watchedFileSystem: any FileSystem & Sendable = OperatingSystem(),
    notifier: @escaping () -> (any DirectoryNotifier)? = { try? SystemNotifier() }
  ) {
    self.options = options
    isConfined = false
    self.watchedFileSystem = watchedFileSystem
    makeNotifier = notifier
    self.fileSystem = UninterruptedFileSystem(fileSystem)
    if let directory, directory.utf8.first == UInt8(ascii: "/") {
      self.directory = directory
    } else if let workingDirectory = workingDirectory() {
      self.directory = directory.map { workingDirectory + "/" + $0 } ?? workingDirectory
    } else {
      self.directory = nil
    }
  }

  /// Creates a store of what is below a directory, and of nothing else.
  ///
  /// Every path begins at the directory, with a slash or without. `..`, symbolic links that lead out
  /// and whatever else might are refused with an error of the kind `escape`, also when somebody
  /// exchanges links and directories at the same time. Links inside are followed for reading only.
  /// There are files and directories: pipes, sockets and devices are refused.
  ///
  /// - Parameters:
  ///   - path: The directory; it must be there, and may be moved later.
  ///   - options: What the store may do; `writesThroughLinks` is without effect.
  /// - Throws: `StoreError` when the directory cannot be opened.
  public convenience init(root path: String, options: Options = Options()) throws(StoreError) {
    try self.init(root: path, options: options, fileSystem: OperatingSystem())
  }

  package init(
    root path: String, options: Options = Options(), fileSystem: any FileSystem
  ) throws(StoreError) {
    var options = options
    options.writesThroughLinks = false
    self.options = options
    isConfined = true
    watchedFileSystem = OperatingSystem()
    makeNotifier = { nil }
    do throws(FileFailure) {
      self.fileSystem = try ConfinedFileSystem(
        root: path, UninterruptedFileSystem(fileSystem))
    } catch {
      throw StoreError(error.kind, "file:" + path, error.reason, systemCode: error.code)
    }
    directory = "/"
  }

  /// The path of the file at a place, for the system; that of a confined store begins at its root.
  ///
  /// - Throws: `StoreError` when no file can be there.
  public func path(of reference: Reference) throws(StoreError) -> String {
    try with(reference) { (place) throws(FileFailure) in place.path }
  }

  /// How a directory is opened in which a name is to be changed.
  var parentMode: OpenMode { isConfined ? .directoryWithoutLinks : .directory }

  private func place(_ reference: Reference) throws(FileFailure) -> FilePlace {
    if isConfined, reference.components.contains("..") { throw .leadsOut }
    return try FilePlace(reference, directory)
  }

  var patience: Patience {
    Patience(limit: options.waitLimit.milliseconds, isInterrupted: isInterrupted)
  }

  /// Removes what dead processes left in a directory, once.
  func removeStaleFiles(in directory: borrowing OpenFile) throws(FileFailure) {
    let identity = try fileSystem.status(of: directory.descriptor).identity
    // A bound for programs that write into very many directories.
    if searched.count >= 4096 { searched.removeAll() }
    guard searched.insert(identity).inserted else { return }
    fileSystem.removeStaleFiles(in: directory.descriptor)
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension FileStore: Store {
  public var capabilities: StoreCapabilities {
    StoreCapabilities(
      [.get, .put, .delete, .post, .list, .makeDirectory, .move, .deleteTree],
      durability: isDurable ? .power : .process, isExternal: true)
  }

  public func status(of reference: Reference) throws(StoreError) -> ResourceStatus? {
    try with(reference) { (place) throws(FileFailure) in try status(place) }
  }

  public func makeDirectory(_ reference: Reference) throws(StoreError) {
    try with(reference) { (place) throws(FileFailure) in try makeDirectory(place) }
  }

  public func move(
    _ reference: Reference, to destination: Reference, if condition: Precondition?
  ) throws(StoreError) {
    let other = try with(destination) { (place) throws(FileFailure) in place }
    do throws(FileFailure) {
      try move(place(reference), to: other, condition)
    } catch {
      // What is in the way is at the other place, and so is what would lie within itself.
      let isThere =
        error == .liesWithin || error.kind == .exists || error.kind == .preconditionFailed
      throw StoreError(error, isThere ? destination : reference)
    }
  }

  public func deleteTree(_ reference: Reference) throws(StoreError) -> Bool {
    try with(reference) { (place) throws(FileFailure) in try removeTree(place) }
  }

  /// Does something with the file at a place; what fails names the place.
  func with<Answer>(
    _ reference: Reference, _ body: (FilePlace) throws(FileFailure) -> Answer
  ) throws(StoreError) -> Answer {
    do throws(FileFailure) {
      return try body(place(reference))
    } catch {
      throw StoreError(error, reference)
    }
  }

  public func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    try with(reference) { (place) throws(FileFailure) in try read(place, condition) }
  }

  /// Appends to a file, which is created if need be: a text as a line of its own, bytes as they are.
  ///
  /// What other processes append at the same time stands before it or behind it.
  ///
  /// - Returns: The same reference.
  public func post(_ reference: Reference, _ resource: Resource) throws(StoreError) -> Reference {
    try append(resource, to: reference)
    return reference
  }

  public func list(_ reference: Reference) throws(StoreError) -> [StoreEntry] {
    try with(reference) { (place) throws(FileFailure) in
      try entries(of: OpenFile(place.path, .directory, fileSystem))
    }
  }

  public func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    try with(reference) { (place) throws(FileFailure) in
      _ = try announcing(.put, at: place, resource.bytes) { () throws(FileFailure) in
        try write(resource.bytes, to: place, condition)
        return true
      }
    }
  }

  public func delete(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> Bool {
    try with(reference) { (place) throws(FileFailure) in
      try announcing(.delete, at: place, nil) { () throws(FileFailure) in
        try remove(place, condition)
      }
    }
  }
}
