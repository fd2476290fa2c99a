/// A file system whose calls are made again when a signal interrupted them.
///
/// A signal handler ends whatever call is under way, and says nothing about the file. Only closing
/// is never repeated.
struct UninterruptedFileSystem: FileSystem {
  private let base: any FileSystem

  init(_ base: any FileSystem) {
    self.base = base
  }

  private func repeating<Result>(
    _ call: () throws(FileFailure) -> Result
  ) throws(FileFailure) -> Result {
    while true {
      do throws(FileFailure) {
        return try call()
      } catch {
        guard error == .interrupted else { throw error }
      }
    }
  }

  func open(
    _ path: String, in directory: Descriptor?, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor {
    try repeating { () throws(FileFailure) in try base.open(path, in: directory, mode) }
  }

  func openBeneath(
    _ path: String, in directory: Descriptor, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor {
    try repeating { () throws(FileFailure) in try base.openBeneath(path, in: directory, mode) }
  }

  func move(
    _ name: String, in directory: Descriptor, to newName: String,
    in newDirectory: Descriptor, replaces: Bool
  ) throws(FileFailure) {
    try repeating { () throws(FileFailure) in
      try base.move(
        name, in: directory, to: newName, in: newDirectory, replaces: replaces)
    }
  }

  func close(_ descriptor: Descriptor) { base.close(descriptor) }

  func read(_ descriptor: Descriptor, atMost count: Int) throws(FileFailure) -> [UInt8] {
    try repeating { () throws(FileFailure) in try base.read(descriptor, atMost: count) }
  }

  func read(
    _ descriptor: Descriptor, atMost count: Int, from offset: Int
  ) throws(FileFailure) -> [UInt8] {
    try repeating { () throws(FileFailure) in
      try base.read(descriptor, atMost: count, from: offset)
    }
  }

  func change(_ path: String, _ change: FileChange) throws(FileFailure) {
    try repeating { () throws(FileFailure) in try base.change(path, change) }
  }

  func resize(_ descriptor: Descriptor, to size: Int) throws(FileFailure) {
    try repeating { () throws(FileFailure) in try base.resize(descriptor, to: size) }
  }

  func write(_ descriptor: Descriptor, _ bytes: ArraySlice<UInt8>) throws(FileFailure) -> Int {
    try repeating { () throws(FileFailure) in try base.write(descriptor, bytes) }
  }

  func synchronize(_ descriptor: Descriptor) throws(FileFailure) {
    // Only an interruption is followed by another try: after any other error the system counts the
    // lost pages as written, and a second call would report success.
    try repeating { () throws(FileFailure) in try base.synchronize(descriptor) }
  }

  func synchronizeData(_ descriptor: Descriptor) throws(FileFailure) {
    try repeating { () throws(FileFailure) in try base.synchronizeData(descriptor) }
  }

  func status(of descriptor: Descriptor) throws(FileFailure) -> FileStatus {
    try repeating { () throws(FileFailure) in try base.status(of: descriptor) }
  }

  func status(
    of path: String, in directory: Descriptor?, followsLinks: Bool
  ) throws(FileFailure) -> FileStatus {
    try repeating { () throws(FileFailure) in
      try base.status(of: path, in: directory, followsLinks: followsLinks)
    }
  }

  func checkWritable(_ path: String, in directory: Descriptor?) throws(FileFailure) {
    try repeating { () throws(FileFailure) in try base.checkWritable(path, in: directory) }
  }

  func setPermissions(_ descriptor: Descriptor, _ permissions: UInt32) throws(FileFailure) {
    try repeating { () throws(FileFailure) in try base.setPermissions(descriptor, permissions) }
  }

  func setOwner(_ descriptor: Descriptor, user: UInt32?, group: UInt32?) throws(FileFailure) {
    try repeating { () throws(FileFailure) in
      try base.setOwner(descriptor, user: user, group: group)
    }
  }

  func makeDirectory(
    _ path: String, in directory: Descriptor?, permissions: UInt32
  ) throws(FileFailure) {
    try repeating { () throws(FileFailure) in
      try base.makeDirectory(path, in: directory, permissions: permissions)
    }
  }

  func rename(
    _ name: String, to newName: String, in directory: Descriptor
  ) throws(FileFailure) {
    try repeating { () throws(FileFailure) in
      try base.rename(name, to: newName, in: directory)
    }
  }

  func link(_ name: String, to newName: String, in directory: Descriptor) throws(FileFailure) {
    try repeating { () throws(FileFailure) in try base.link(name, to: newName, in: directory) }
  }

  func remove(
    _ path: String, in directory: Descriptor?, isDirectory: Bool
  ) throws(FileFailure) {
    try repeating { () throws(FileFailure) in
      try base.remove(path, in: directory, isDirectory: isDirectory)
    }
  }

  func entries(of directory: Descriptor) throws(FileFailure) -> [DirectoryEntry] {
    try repeating { () throws(FileFailure) in try base.entries(of: directory) }
  }

  func countOfEntriesWithoutText(in directory: Descriptor) throws(FileFailure) -> Int {
    try repeating { () throws(FileFailure) in
      try base.countOfEntriesWithoutText(in: directory)
    }
  }

  func target(ofLink path: String, in directory: Descriptor?) throws(FileFailure) -> String {
    try repeating { () throws(FileFailure) in try base.target(ofLink: path, in: directory) }
  }

  func lock(_ descriptor: Descriptor) throws(FileFailure) -> Bool {
    try repeating { () throws(FileFailure) in try base.lock(descriptor) }
  }

  func unlock(_ descriptor: Descriptor) { base.unlock(descriptor) }

  func waitUntilReady(
    _ descriptor: Descriptor, for direction: Direction, milliseconds: Int
  ) throws(FileFailure) -> Bool {
    try repeating { () throws(FileFailure) in
      try base.waitUntilReady(descriptor, for: direction, milliseconds: milliseconds)
    }
  }

  func pause(milliseconds: Int) { base.pause(milliseconds: milliseconds) }

  var now: Int { base.now }
}
