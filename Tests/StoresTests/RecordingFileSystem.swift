import TenonStores

/// The system's files, with a record of every call and a fault wherever a test wants one.
final class RecordingFileSystem: FileSystem {
  /// A call that was made, and what it was made for.
  struct Call: CustomStringConvertible {
    let name: String
    let object: String

    var description: String { object.isEmpty ? name : "\(name) \(object)" }
  }

  private let base = OperatingSystem()
  private(set) var calls: [Call] = []
  /// The error of a call, by its number in the record; nil lets it through.
  var fault: (Int, Call) -> FileFailure? = { _, _ in nil }
  /// The most bytes of one read or write.
  var transferLimit = Int.max
  /// What each open descriptor was opened as.
  private(set) var open: [Descriptor: String] = [:]
  /// Time passes only by pausing and waiting.
  private var time = 0
  /// The answer of every attempt to lock; nil for the system's.
  var lockAnswer: Bool?

  func forget() { calls = [] }

  private func record(_ name: String, _ object: String = "") throws(FileFailure) {
    let call = Call(name: name, object: RecordingFileSystem.withoutRandom(object))
    calls.append(call)
    if let failure = fault(calls.count - 1, call) { throw failure }
  }

  private static func withoutRandom(_ name: String) -> String {
    name.contains(".tenon-temporary-") ? "<temporary>" : name
  }

  private func name(_ descriptor: Descriptor) -> String {
    open[descriptor] ?? "descriptor \(descriptor.number)"
  }

  func open(
    _ path: String, in directory: Descriptor?, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor {
    try record("open", path)
    let descriptor = try base.open(path, in: directory, mode)
    open[descriptor] = RecordingFileSystem.withoutRandom(path)
    return descriptor
  }

  func openBeneath(
    _ path: String, in directory: Descriptor, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor {
    try record("open beneath", path)
    let descriptor = try base.openBeneath(path, in: directory, mode)
    open[descriptor] = RecordingFileSystem.withoutRandom(path)
    return descriptor
  }

  func move(
    _ name: String, in directory: Descriptor, to newName: String,
    in newDirectory: Descriptor, replaces: Bool
  ) throws(FileFailure) {
    try record("move", newName)
    try base.move(
      name, in: directory, to: newName, in: newDirectory, replaces: replaces)
  }

  func close(_ descriptor: Descriptor) {
    open[descriptor] = nil
    base.close(descriptor)
  }

  func read(_ descriptor: Descriptor, atMost count: Int) throws(FileFailure) -> [UInt8] {
    try record("read", name(descriptor))
    return try base.read(descriptor, atMost: min(count, transferLimit))
  }

  func read(
    _ descriptor: Descriptor, atMost count: Int, from offset: Int
  ) throws(FileFailure) -> [UInt8] {
    try record("read at", name(descriptor))
    return try base.read(descriptor, atMost: min(count, transferLimit), from: offset)
  }

  func resize(_ descriptor: Descriptor, to size: Int) throws(FileFailure) {
    try record("resize", name(descriptor))
    try base.resize(descriptor, to: size)
  }

  func write(_ descriptor: Descriptor, _ bytes: ArraySlice<UInt8>) throws(FileFailure) -> Int {
    try record("write", name(descriptor))
    return try base.write(descriptor, bytes.prefix(transferLimit))
  }

  func synchronize(_ descriptor: Descriptor) throws(FileFailure) {
    try record("synchronize", name(descriptor))
    // Nothing here loses power; the order of the calls is what counts.
  }

  func status(of descriptor: Descriptor) throws(FileFailure) -> FileStatus {
    try record("status of open", name(descriptor))
    return try base.status(of: descriptor)
  }

  func status(
    of path: String, in directory: Descriptor?, followsLinks: Bool
  ) throws(FileFailure) -> FileStatus {
    try record("status", path)
    return try base.status(of: path, in: directory, followsLinks: followsLinks)
  }

  func checkWritable(_ path: String, in directory: Descriptor?) throws(FileFailure) {
    try record("check", path)
    try base.checkWritable(path, in: directory)
  }

  func setPermissions(_ descriptor: Descriptor, _ permissions: UInt32) throws(FileFailure) {
    try record("permissions", name(descriptor))
    try base.setPermissions(descriptor, permissions)
  }

  func setOwner(_ descriptor: Descriptor, user: UInt32?, group: UInt32?) throws(FileFailure) {
    try record("owner", name(descriptor))
    try base.setOwner(descriptor, user: user, group: group)
  }

  func makeDirectory(
    _ path: String, in directory: Descriptor?, permissions: UInt32
  ) throws(FileFailure) {
    try record("make", path)
    try base.makeDirectory(path, in: directory, permissions: permissions)
  }

  func rename(
    _ name: String, to newName: String, in directory: Descriptor
  ) throws(FileFailure) {
    try record("rename", newName)
    try base.rename(name, to: newName, in: directory)
  }

  func link(_ name: String, to newName: String, in directory: Descriptor) throws(FileFailure) {
    try record("link", newName)
    try base.link(name, to: newName, in: directory)
  }

  func remove(
    _ path: String, in directory: Descriptor?, isDirectory: Bool
  ) throws(FileFailure) {
    try record("remove", path)
    try base.remove(path, in: directory, isDirectory: isDirectory)
  }

  func entries(of directory: Descriptor) throws(FileFailure) -> [DirectoryEntry] {
    try record("entries", name(directory))
    return try base.entries(of: directory)
  }

  func countOfEntriesWithoutText(in directory: Descriptor) throws(FileFailure) -> Int {
    try base.countOfEntriesWithoutText(in: directory)
  }

  func target(ofLink path: String, in directory: Descriptor?) throws(FileFailure) -> String {
    try record("target", path)
    return try base.target(ofLink: path, in: directory)
  }

  func lock(_ descriptor: Descriptor) throws(FileFailure) -> Bool {
    try record("lock", name(descriptor))
    if let lockAnswer { return lockAnswer }
    return try base.lock(descriptor)
  }

  func unlock(_ descriptor: Descriptor) { base.unlock(descriptor) }

  func waitUntilReady(
    _ descriptor: Descriptor, for direction: Direction, milliseconds: Int
  ) throws(FileFailure) -> Bool {
    try record("wait", name(descriptor))
    time += milliseconds
    return try base.waitUntilReady(descriptor, for: direction, milliseconds: 0)
  }

  func pause(milliseconds: Int) { time += milliseconds }

  var now: Int { time }
}
