internal import TenonStoreKit

/// A file system that consists of a directory and what is below it: whatever path is asked for, and
/// whatever others do to links and directories meanwhile, nothing outside is read or written.
///
/// An absolute path begins at the directory. Symbolic links within it are followed for reading, as
/// long as they do not lead out, and never for writing. There are files and directories; pipes,
/// sockets and devices are refused.
struct ConfinedFileSystem: FileSystem {
  private let base: any FileSystem
  /// The directory; open as long as this value is in use.
  private let root: Root

  private final class Root {
    let descriptor: Descriptor
    private let fileSystem: any FileSystem

    init(_ descriptor: Descriptor, _ fileSystem: any FileSystem) {
      self.descriptor = descriptor
      self.fileSystem = fileSystem
    }

    deinit { fileSystem.close(descriptor) }
  }

  /// - Throws: `FileFailure` when the directory cannot be opened.
  init(root path: String, _ base: any FileSystem) throws(FileFailure) {
    self.base = base
    root = Root(try base.open(path, in: nil, .directory), base)
  }

  /// The path from the directory on.
  private func relative(_ path: String) -> String {
    let rest = path.utf8.drop { $0 == UInt8(ascii: "/") }
    return rest.isEmpty ? "." : String(decoding: rest, as: UTF8.self)
  }

  /// A name in a directory, which is no path.
  private func checked(_ name: String) throws(FileFailure) -> String {
    guard !name.utf8.contains(UInt8(ascii: "/")), name != ".." else { throw .leadsOut }
    return name
  }

  /// Does something with a name in a directory: the one that is given, or that of a path.
  private func withName<Result>(
    _ path: String, in directory: Descriptor?,
    _ body: (String, Descriptor) throws(FileFailure) -> Result
  ) throws(FileFailure) -> Result {
    if let directory { return try body(try checked(path), directory) }
    let place = parentPath(of: path)
    let parent = try base.openBeneath(
      relative(place), in: root.descriptor, .directoryWithoutLinks)
    defer { base.close(parent) }
    let slash = UInt8(ascii: "/")
    let name = path.utf8.lastIndex(of: slash).map { String(path[path.utf8.index(after: $0)...]) }
    return try body(try checked(name ?? path), parent)
  }

  func open(
    _ path: String, in directory: Descriptor?, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor {
    let descriptor: Descriptor
    if let directory {
      descriptor = try base.openBeneath(try checked(path), in: directory, mode)
    } else {
      descriptor = try base.openBeneath(relative(path), in: root.descriptor, mode)
    }
    if case .asking = mode { return descriptor }
    do throws(FileFailure) {
      let kind = try base.status(of: descriptor).kind
      guard kind == .file || kind == .directory else {
        throw FileFailure(.unsupported, "neither a file nor a directory")
      }
      return descriptor
    } catch {
      base.close(descriptor)
      throw error
    }
  }

  func openBeneath(
    _ path: String, in directory: Descriptor, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor {
    try base.openBeneath(path, in: directory, mode)
  }

  func close(_ descriptor: Descriptor) { base.close(descriptor) }

  func read(_ descriptor: Descriptor, atMost count: Int) throws(FileFailure) -> [UInt8] {
    try base.read(descriptor, atMost: count)
  }

  func read(
    _ descriptor: Descriptor, atMost count: Int, from offset: Int
  ) throws(FileFailure) -> [UInt8] {
    try base.read(descriptor, atMost: count, from: offset)
  }

  func resize(_ descriptor: Descriptor, to size: Int) throws(FileFailure) {
    try base.resize(descriptor, to: size)
  }

  func write(_ descriptor: Descriptor, _ bytes: ArraySlice<UInt8>) throws(FileFailure) -> Int {
    try base.write(descriptor, bytes)
  }

  func synchronize(_ descriptor: Descriptor) throws(FileFailure) {
    try base.synchronize(descriptor)
  }

  func status(of descriptor: Descriptor) throws(FileFailure) -> FileStatus {
    try base.status(of: descriptor)
  }

  func status(
    of path: String, in directory: Descriptor?, followsLinks: Bool
  ) throws(FileFailure) -> FileStatus {
    if !followsLinks {
      return try withName(path, in: directory) { (name, parent) throws(FileFailure) in
        try base.status(of: name, in: parent, followsLinks: false)
      }
    }
    let descriptor = try open(path, in: directory, .asking(followsLinks: true))
    defer { base.close(descriptor) }
    return try base.status(of: descriptor)
  }

  func checkWritable(_ path: String, in directory: Descriptor?) throws(FileFailure) {
    // The call follows links; it only tells whether this process may write, and what is a link is
    // never written to.
    try withName(path, in: directory) { (name, parent) throws(FileFailure) in
      try base.checkWritable(name, in: parent)
    }
  }

  func setPermissions(_ descriptor: Descriptor, _ permissions: UInt32) throws(FileFailure) {
    try base.setPermissions(descriptor, permissions)
  }

  func setOwner(
    _ descriptor: Descriptor, user: UInt32?, group: UInt32?
  ) throws(FileFailure) {
    try base.setOwner(descriptor, user: user, group: group)
  }

  func makeDirectory(
    _ path: String, in directory: Descriptor?, permissions: UInt32
  ) throws(FileFailure) {
    try withName(path, in: directory) { (name, parent) throws(FileFailure) in
      try base.makeDirectory(name, in: parent, permissions: permissions)
    }
  }

  func rename(
    _ name: String, to newName: String, in directory: Descriptor
  ) throws(FileFailure) {
    try base.rename(try checked(name), to: try checked(newName), in: directory)
  }

  func move(
    _ name: String, in directory: Descriptor, to newName: String,
    in newDirectory: Descriptor, replaces: Bool
  ) throws(FileFailure) {
    try base.move(
      try checked(name), in: directory, to: try checked(newName), in: newDirectory,
      replaces: replaces)
  }

  func link(_ name: String, to newName: String, in directory: Descriptor) throws(FileFailure) {
    try base.link(try checked(name), to: try checked(newName), in: directory)
  }

  func remove(
    _ path: String, in directory: Descriptor?, isDirectory: Bool
  ) throws(FileFailure) {
    try withName(path, in: directory) { (name, parent) throws(FileFailure) in
      try base.remove(name, in: parent, isDirectory: isDirectory)
    }
  }

  func entries(of directory: Descriptor) throws(FileFailure) -> [DirectoryEntry] {
    try base.entries(of: directory)
  }

  func countOfEntriesWithoutText(in directory: Descriptor) throws(FileFailure) -> Int {
    try base.countOfEntriesWithoutText(in: directory)
  }

  func target(ofLink path: String, in directory: Descriptor?) throws(FileFailure) -> String {
    try withName(path, in: directory) { (name, parent) throws(FileFailure) in
      try base.target(ofLink: name, in: parent)
    }
  }

  func lock(_ descriptor: Descriptor) throws(FileFailure) -> Bool { try base.lock(descriptor) }

  func unlock(_ descriptor: Descriptor) { base.unlock(descriptor) }

  func waitUntilReady(
    _ descriptor: Descriptor, for direction: Direction, milliseconds: Int
  ) throws(FileFailure) -> Bool {
    try base.waitUntilReady(descriptor, for: direction, milliseconds: milliseconds)
  }

  func pause(milliseconds: Int) { base.pause(milliseconds: milliseconds) }

  var now: Int { base.now }
}
