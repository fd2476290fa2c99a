public import TenonStoreKit
internal import TenonText

/// A store of a program's settings: values of JSON under keys, kept in one readable file.
///
/// The components of a path are joined with slashes to a key: `defaults:window/size` is the member
/// `"window/size"` of the one object in the file. A key may have a value and others below it. A value
/// is kept as its bytes were given, blanks around it aside.
///
/// The file is `<domain>.json` in a directory, by convention the one that `directory(in:)` names.
/// Reading takes the values from memory after asking the system whether the file has changed. A write
/// holds a lock file, reads again what others wrote, and replaces the file as a whole; it survives
/// the loss of power. So processes that share a file lose nothing of each other.
///
/// A file that is not JSON is renamed to `<domain>.json.corrupt-1`, or the next free number, and
/// reported; then the store is empty.
///
/// Without a directory, or while there is no file, everything is missing, and nothing is created
/// before the first write. The feed announces each change made through the store, and those made by
/// others when the store notices, which is at the next use.
///
/// The verbs are get, put, delete and list. One thread at a time may use the store.
public final class DefaultsStore {
  /// How far a store of defaults goes.
  public struct Options: Sendable {
    /// The most bytes of the file.
    public var sizeLimit = 16 << 20
    /// How long to wait for other processes to finish writing.
    public var lockLimit: Duration = .seconds(5)

    /// Creates the options of a script that is run by its owner.
    public init() {}
  }

  /// Whether somebody wants the program to stop: asked while the store waits for another process.
  public var isInterrupted: () -> Bool = { false }

  let fileSystem: any FileSystem
  let options: Options
  /// Where the file is; nil when there is no such place.
  let directory: String?
  let domain: String
  /// Receives the report of a damaged file.
  private let report: (StoreError) -> Void
  private let changes = ChangeFeed()

  /// What the file holds, as far as this store knows.
  var document = DefaultsDocument()
  /// Which file that was; nil when it is to be read in any case.
  var version: FileVersion?
  /// The file that was read or written last, kept open: as long as it is, no other file gets its
  /// number, and the same number means the same file.
  private var known: OpenFile?
  /// Whether the document is known to survive the loss of power.
  var isDurable = false
  var hasLoaded = false
  var hasRemovedStaleFiles = false
  /// What to tell when the lock is released: whoever hears of it may use the store again.
  private var reports: [StoreError] = []
  private var news: [(verb: Change.Verb, key: ExactText)] = []

  /// Creates a store; nothing is read or created before it is used.
  ///
  /// - Parameters:
  ///   - domain: The program's name, which names the file.
  ///   - directory: The absolute path of the directory; nil when there is none.
  ///   - options: How far the store goes.
  ///   - report: Called with what happened to a damaged file, on the thread that uses the store.
  /// - Throws: `StoreError` of the kind `invalidReference` when the domain or the directory cannot
  ///   name one.
  public convenience init(
    domain: String, directory: String?, options: Options = Options(),
    report: @escaping (StoreError) -> Void
  ) throws(StoreError) {
    try self.init(
      domain: domain, directory: directory, options: options, fileSystem: OperatingSystem(),
      report: report)
  }

  package init(
    domain: String, directory: String?, options: Options = Options(), fileSystem: any FileSystem,
    report: @escaping (StoreError) -> Void
  ) throws(StoreError) {
    let isName = domain.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    guard isName, !domain.isEmpty, domain.utf8.first != UInt8(ascii: "."),
      domain.utf8.count <= DefaultsStore.longestDomain
    else { throw StoreError(.invalidReference, domain, "not a name for a file of defaults") }
    guard directory.map({ $0.utf8.first == UInt8(ascii: "/") && !$0.utf8.contains(0) }) ?? true
    else { throw StoreError(.invalidReference, directory ?? "", "not an absolute path") }
    self.domain = domain
    self.directory = directory
    self.options = options
    self.fileSystem = UninterruptedFileSystem(fileSystem)
    self.report = report
  }

  /// Leaves room for the endings that files of the domain have.
  private static let longestDomain = 200

  /// Returns the directory where defaults are kept by convention: `tenon/defaults` below
  /// `XDG_CONFIG_HOME`, or else below `.config` in the home directory.
  ///
  /// - Returns: An absolute path; nil when the environment names no home.
  public static func directory(in environment: EnvironmentStore) -> String? {
    func path(_ name: String) -> String? {
      // A relative path is to be ignored, says the convention.
      guard let bytes = environment.value(of: name), bytes.first == UInt8(ascii: "/") else {
        return nil
      }
      return String(validating: bytes, as: UTF8.self)
    }
    let configuration = path("XDG_CONFIG_HOME") ?? path("HOME").map { $0 + "/.config" }
    return configuration.map { $0 + "/tenon/defaults" }
  }

  /// Asks the system whether the file has changed, and announces what others changed.
  ///
  /// - Throws: `StoreError` when the file cannot be read.
  public func refresh() throws(StoreError) {
    defer { announce() }
    do throws(FileFailure) {
      try reload()
    } catch {
      throw StoreError(error.kind, filePath ?? "defaults:", error.reason)
    }
  }

  var patience: Patience {
    Patience(limit: options.lockLimit.milliseconds, isInterrupted: isInterrupted)
  }
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension DefaultsStore: Store {
  public var capabilities: StoreCapabilities {
    StoreCapabilities([.get, .put, .delete, .list], durability: .power, isExternal: true)
  }

  public func contentType(of reference: Reference) -> String { "application/json" }

  public var feed: ChangeFeed? { changes }

  public func get(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> GetOutcome {
    defer { announce() }
    do throws(FileFailure) {
      return try read(reference, condition)
    } catch {
      throw StoreError(error, reference)
    }
  }

  public func list(_ reference: Reference) throws(StoreError) -> [StoreEntry] {
    defer { announce() }
    do throws(FileFailure) {
      return try readEntries(reference)
    } catch {
      throw StoreError(error, reference)
    }
  }

  public func put(
    _ reference: Reference, _ resource: Resource, if condition: Precondition?
  ) throws(StoreError) {
    defer { announce() }
    do throws(FileFailure) {
      guard resource.contentType != "application/octet-stream" else {
        throw FileFailure(.encode, "JSON cannot hold bytes")
      }
      try write(resource.bytes, reference, condition)
    } catch {
      throw StoreError(error, reference)
    }
  }

  public func delete(
    _ reference: Reference, if condition: Precondition?
  ) throws(StoreError) -> Bool {
    defer { announce() }
    do throws(FileFailure) {
      return try remove(reference, condition)
    } catch {
      throw StoreError(error, reference)
    }
  }
}

// MARK: - What is known

extension DefaultsStore {
  /// Takes what the file holds now.
  ///
  /// - Parameters:
  ///   - document: What it holds.
  ///   - version: Which file it is; nil when that could not be learned.
  ///   - file: The file, open; nil when there is none.
  ///   - isDurable: Whether that is known to survive the loss of power.
  func adopt(
    _ document: DefaultsDocument, _ version: FileVersion?, _ file: consuming OpenFile?,
    isDurable: Bool
  ) {
    // What the file held before anybody asked is no news.
    if hasLoaded { announceChanges(from: self.document, to: document) }
    hasLoaded = true
    self.document = document
    self.version = version
    self.isDurable = isDurable
    known = file
  }

  private func announceChanges(from old: DefaultsDocument, to new: DefaultsDocument) {
    for (key, value) in new.values where old[key] != value { news.append((.put, key)) }
    for key in old.values.keys where new[key] == nil { news.append((.delete, key)) }
  }

  /// Takes a note of a report that is made when the lock is released.
  func note(_ error: StoreError) { reports.append(error) }

  /// Tells everybody what happened, when the store is in order and holds no lock.
  private func announce() {
    let reports = self.reports
    let news = self.news.sorted { $0.key < $1.key }
    self.reports = []
    self.news = []
    for error in reports { report(error) }
    for (verb, key) in news {
      guard let reference = DefaultsStore.reference(key) else { continue }
      changes.post(verb, reference)
    }
  }
}

/// Which file it was, and how it was when it was read.
struct FileVersion: Equatable {
  /// What identifies the file and its content; nil when there was no file.
  let mark: Mark?

  struct Mark: Equatable {
    let identity: FileIdentity
    let size: Int
    let modified: Int
  }

  static let absent = FileVersion(mark: nil)

  init(_ status: FileStatus) {
    mark = Mark(identity: status.identity, size: status.size, modified: status.modified)
  }

  private init(mark: Mark?) {
    self.mark = mark
  }
}
