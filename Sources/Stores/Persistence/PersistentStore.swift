public import TenonStoreKit

/// A store of JSON in files that survives what happens to the process, and to the machine.
///
/// All values directly below one reference, a container, are one file, the bucket: `lists/1/title` and
/// `lists/1/count` are members of the object in `lists/1.json`, and those below the store itself are
/// in `root.json`. A bucket is read when something in it is asked for, and kept in memory as long as
/// there is room.
///
/// What a write survives is said by the level. `fast` replaces buckets as wholes, some milliseconds
/// after the change, and leaves the rest to the system. `journal` appends the changes of a batch to a
/// journal within 50 ms, has the journal on the disk within 200 ms, and writes the buckets when there
/// is time. `full` answers a write when the journal is on the disk. Several writers share one write to
/// the disk, and a place that is written often between two of them is written once.
///
/// Whatever happens, a bucket is whole, the old one or the new one, and with a journal the store is
/// found as it was after one of the batches. What could not be written is kept and written when the
/// disk takes it; until then the state is `degraded`.
///
/// One program at a time writes; others may open the store for reading. A file that cannot be read as
/// JSON is renamed and reported, never overwritten. Any thread may use the store.
public final class PersistentStore: @unchecked Sendable {
  /// What a write survives.
  public enum Level: String, Sendable, CaseIterable {
    /// Nothing until some 50 ms later, then the end of the process; the loss of power only after
    /// `flush`.
    case fast
    /// The end of the process after 50 ms, the loss of power after 200 ms.
    case journal
    /// The loss of power.
    case full
  }

  /// How things stand.
  public enum State: String, Sendable {
    /// Everything that is due has been written.
    case live
    /// The disk refuses something; it is tried again and again.
    case degraded
    /// Another program writes.
    case readOnly
    case closed
  }

  /// How a store is kept, and how far it goes.
  public struct Options: Sendable {
    /// What a write survives.
    public var level = Level.journal
    /// Whether only to read, which one may do while another program writes.
    public var isReadOnly = false
    /// The most bytes of a bucket, and of the journal when it is read.
    public var sizeLimit = 256 << 20
    /// The bytes of buckets beyond which those that are on the disk are not kept in memory.
    public var memoryLimit = 64 << 20
    /// The bytes of the journal beyond which the buckets are written at once.
    public var journalLimit = 4 << 20
    /// Milliseconds from a change to the end of its batch.
    package var appendDelay = 20
    /// Milliseconds from a change to the synchronisation of the journal.
    package var synchronizeDelay = 150
    /// Milliseconds from a change to the writing of its bucket.
    package var bucketDelay = 2000
    /// Whether a thread does what is due; otherwise whoever calls `performDue`.
    package var usesThread = true

    /// Creates the options of a store with a journal.
    public init() {}
  }

  /// The journal that is being written.
  struct WrittenJournal: ~Copyable {
    /// Nil when the next write makes a new one.
    var file: OpenFile?
    var descriptor: Descriptor?
    /// The last change that is in the journal, and the last that is known to be on the disk.
    var appendedChange = 0
    var durableChange = 0
  }

  /// What is known of the journal, whether it is being written or was found.
  struct JournalState {
    /// The number of its last group.
    var sequence: UInt64 = 0
    /// In bytes.
    var length = 0
    /// The length at which the journal is made shorter.
    var bound: Int
    /// Whether there is a file.
    var isThere = false
    /// Whether there are records in it.
    var hasRecords = false
    /// Whether something that should be in the journal may not be there.
    var isBroken = false

    init(bound: Int) { self.bound = bound }
  }

  let fileSystem: any FileSystem
  /// The path of the directory.
  let directory: String
  /// The same as whoever opened the store would write it.
  let shownDirectory: String
  let options: Options
  private let report: (StoreError) -> Void
  let changes = ChangeFeed()

  // Who needs several takes them in this order.

  /// Held while buckets are written.
  let bucketLock = Lock()
  /// Held while the journal is written; protects what is known of it.
  let journalLock = Lock()
  var journal = WrittenJournal()

  /// Protects everything below.
  let stateLock = Lock()
  var tree = ContainerTree()
  /// The containers with names in `pending`, and those with names in `dirty`.
  var pendingContainers: [Container] = []
  var dirtyContainers: [Container] = []
  /// Those whose buckets were written and may not be on the disk.
  var unsynchronizedContainers: [Container] = []
  /// How many changes there were.
  var changeCount = 0
  var journalState: JournalState
  /// The bytes of all documents that are in memory, about.
  var loadedSize = 0
  /// When the first change was made that is not in the journal, not on the disk, not in a bucket.
  var pendingSince: Int?
  var unsynchronizedSince: Int?
  var dirtySince: Int?
  var journalTrouble: Trouble?
  var bucketTrouble: Trouble?
  var isClosed = false
  var hasThread = false
  /// The changes that are kept together, while there are any.
  var batch: OpenBatch?
  /// What to tell when no lock is held.
  var reports: [StoreError] = []
  /// The scheme under which the store is used, as far as known.
  var scheme = ""
  /// Kept as long as the store is open for writing.
  private var lock: FileLock?
  /// For a store that is only read: which journal its content belongs to.
  var readVersion: FileVersion?

  static let journalName = ".tenon-journal"
  static let lockName = ".tenon-lock"

  /// Opens a store, and takes up what a program that was stopped has left.
  ///
  /// - Parameters:
  ///   - directory: The path of its directory, from the working directory if it is relative; it is
  ///     made when it is missing.
  ///   - shown: What errors call the directory; nil for its path.
  ///   - options: How it is kept.
  ///   - report: Called with what became of a damaged file, and when the disk refuses something, on a
  ///     thread that uses the store.
  /// - Throws: `StoreError`, of the kind `locked` when another program has it open for writing.
  public convenience init(
    directory: String, shownAs shown: String? = nil, options: Options = Options(),
    report: @escaping (StoreError) -> Void
  ) throws(StoreError) {
    try self.init(
      directory: directory, shownAs: shown, options: options, fileSystem: OperatingSystem(),
      report: report)
  }

  package init(
    directory: String, shownAs shown: String? = nil, options: Options,
    fileSystem: any FileSystem,
    report: @escaping (StoreError) -> Void
  ) throws(StoreError) {
    shownDirectory = shown ?? directory
    let isAbsolute = directory.utf8.first == UInt8(ascii: "/")
    guard !directory.isEmpty, !directory.utf8.contains(0) else {
      throw StoreError(.invalidReference, directory, "not the name of a directory")
    }
    guard let start = isAbsolute ? "" : workingDirectory().map({ $0 + "/" }) else {
      throw StoreError(.notFound, directory, "the working directory is gone")
    }
    self.directory = start + directory
    self.options = options
    self.fileSystem = UninterruptedFileSystem(fileSystem)
    self.report = report
    journalState = JournalState(bound: options.journalLimit)
    do throws(DiskFailure) {
      if options.isReadOnly {
        try loadAgain()
      } else {
        lock = try takeLock()
        try recover()
      }
    } catch {
      throw StoreError(error, shownDirectory)
    }
    tellReports()
  }

  deinit {
    guard !isClosed else { return }
    batch = nil
    try? saveAll(synchronizes: options.level != .fast)
  }

  var patience: Patience { Patience(limit: 5000, isInterrupted: { false }) }

  /// The level that was chosen.
  public var level: Level { options.level }

  /// How things stand.
  public var state: State {
    stateLock.withLock {
      if isClosed { return .closed }
      if options.isReadOnly { return .readOnly }
      return journalTrouble == nil && bucketTrouble == nil ? .live : .degraded
    }
  }

  /// What the disk refuses at present; nil when it refuses nothing.
  public var lastError: StoreError? {
    stateLock.withLock { journalTrouble?.error ?? bucketTrouble?.error }
  }

  /// How many references wait to be written to their buckets.
  public var unsavedCount: Int {
    stateLock.withLock { dirtyContainers.reduce(0) { $0 + $1.unsaved.count } }
  }

  /// Writes everything and lets others write; afterwards all verbs fail with `closed`.
  ///
  /// - Throws: `StoreError` when something could not be written; the store is closed all the same.
  public func close() throws(StoreError) {
    defer { tellReports() }
    let isOpen = stateLock.withLock {
      // Whoever closes it has done with it.
      if isInBatch {
        batch = nil
        stateLock.wake()
      }
      defer { isClosed = true }
      return !isClosed
    }
    guard isOpen else { return }
    defer { journalLock.withLock { closeJournal() } }
    defer { stateLock.withLock { lock = nil } }
    guard !options.isReadOnly else { return }
    try saveAll(synchronizes: options.level != .fast)
  }

  /// Tells everybody what happened, when no lock is held: whoever hears of it may use the store.
  func tellReports() {
    let reports = stateLock.withLock {
      defer { self.reports = [] }
      return self.reports
    }
    for error in reports { report(error) }
  }

  /// A file as whoever opened the store would write it.
  func shown(_ path: String) -> String {
    shownDirectory + String(decoding: path.utf8.dropFirst(directory.utf8.count), as: UTF8.self)
  }
}
