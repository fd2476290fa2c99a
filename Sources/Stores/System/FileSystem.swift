internal import TenonStoreKit

/// The system calls that stores of files make: one requirement for each call, nothing retried and
/// nothing hidden.
///
/// It stands between the stores and the system so that a test can refuse, shorten or record any
/// call. A path is absolute, or relative to the directory it is given with.
package protocol FileSystem {
  /// Opens a file.
  func open(
    _ path: String, in directory: Descriptor?, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor

  /// Opens a file from a directory on; fails with `leadsOut` when the path leads out of it.
  ///
  /// Modes that write, and those without links, follow no symbolic link on the whole way.
  func openBeneath(
    _ path: String, in directory: Descriptor, _ mode: OpenMode
  ) throws(FileFailure) -> Descriptor

  /// Closes a descriptor. What matters was synchronised before; there is nothing to report.
  func close(_ descriptor: Descriptor)

  /// Reads at most `count` bytes; none at the end.
  func read(_ descriptor: Descriptor, atMost count: Int) throws(FileFailure) -> [UInt8]

  /// Reads at most `count` bytes from an offset on; none at the end.
  func read(
    _ descriptor: Descriptor, atMost count: Int, from offset: Int
  ) throws(FileFailure) -> [UInt8]

  /// Writes some of the bytes, and returns how many.
  func write(_ descriptor: Descriptor, _ bytes: ArraySlice<UInt8>) throws(FileFailure) -> Int

  /// Waits until everything written to a file, or changed in a directory, survives a loss of power.
  func synchronize(_ descriptor: Descriptor) throws(FileFailure)

  /// Waits until everything written to a file survives a loss of power; when it was changed last may
  /// be forgotten.
  func synchronizeData(_ descriptor: Descriptor) throws(FileFailure)

  /// Cuts a file off, or lets it grow.
  func resize(_ descriptor: Descriptor, to size: Int) throws(FileFailure)

  /// What a descriptor refers to.
  func status(of descriptor: Descriptor) throws(FileFailure) -> FileStatus

  /// Changes what is known of a file, or makes a symbolic link.
  func change(_ path: String, _ change: FileChange) throws(FileFailure)

  /// What a path refers to.
  func status(
    of path: String, in directory: Descriptor?, followsLinks: Bool
  ) throws(FileFailure) -> FileStatus

  /// Fails unless this process may write to what a path refers to.
  func checkWritable(_ path: String, in directory: Descriptor?) throws(FileFailure)

  /// Sets the permission bits of a file.
  func setPermissions(_ descriptor: Descriptor, _ permissions: UInt32) throws(FileFailure)

  /// Sets the owner of a file; nil leaves what is there.
  func setOwner(_ descriptor: Descriptor, user: UInt32?, group: UInt32?) throws(FileFailure)

  /// Creates a directory.
  func makeDirectory(
    _ path: String, in directory: Descriptor?, permissions: UInt32
  ) throws(FileFailure)

  /// Gives a file another name in its directory, which replaces what had that name.
  func rename(
    _ name: String, to newName: String, in directory: Descriptor
  ) throws(FileFailure)

  /// Gives a file or a directory another name in whatever directory.
  ///
  /// Without `replaces` it fails with `exists` where something has that name.
  func move(
    _ name: String, in directory: Descriptor, to newName: String,
    in newDirectory: Descriptor, replaces: Bool
  ) throws(FileFailure)

  /// Gives a file a second name in its directory; fails when there is something of that name.
  func link(_ name: String, to newName: String, in directory: Descriptor) throws(FileFailure)

  /// Removes the name of a file, or an empty directory.
  func remove(
    _ path: String, in directory: Descriptor?, isDirectory: Bool
  ) throws(FileFailure)

  /// The names in a directory, in no order, without `.` and `..`.
  ///
  /// A name that is not UTF-8 is left out: no reference can hold it.
  func entries(of directory: Descriptor) throws(FileFailure) -> [DirectoryEntry]

  /// How many names in a directory are not UTF-8.
  func countOfEntriesWithoutText(in directory: Descriptor) throws(FileFailure) -> Int

  /// Where a symbolic link points to.
  func target(ofLink path: String, in directory: Descriptor?) throws(FileFailure) -> String

  /// Takes the lock of a file, which keeps out others who ask; at the latest it ends with the
  /// descriptor.
  ///
  /// - Returns: Whether nobody else has it.
  func lock(_ descriptor: Descriptor) throws(FileFailure) -> Bool

  /// Gives the lock of a file back.
  func unlock(_ descriptor: Descriptor)

  /// Waits until a descriptor can be read from or written to.
  ///
  /// - Returns: Whether it can be, or false when the time passed.
  func waitUntilReady(
    _ descriptor: Descriptor, for direction: Direction, milliseconds: Int
  ) throws(FileFailure) -> Bool

  /// Pauses the thread.
  func pause(milliseconds: Int)

  /// A clock that only goes forward, in milliseconds.
  var now: Int { get }
}

extension FileSystem {
  /// Not every system of a test can.
  package func read(
    _ descriptor: Descriptor, atMost count: Int, from offset: Int
  ) throws(FileFailure) -> [UInt8] {
    throw FileFailure(.unsupported, "reading from an offset on is not supported")
  }

  /// Not every system of a test can.
  package func change(_ path: String, _ change: FileChange) throws(FileFailure) {
    throw FileFailure(.unsupported, "changing that is not supported")
  }

  /// Not every system of a test can.
  package func resize(_ descriptor: Descriptor, to size: Int) throws(FileFailure) {
    throw FileFailure(.unsupported, "cutting off is not supported")
  }

  /// Synchronises everything.
  package func synchronizeData(_ descriptor: Descriptor) throws(FileFailure) {
    try synchronize(descriptor)
  }
}

/// A change of what the system knows of a file.
package enum FileChange: Sendable {
  /// The bits for reading, writing and executing, and the three special ones.
  case permissions(UInt32)
  /// When its content changed last, in nanoseconds since 1970.
  case modified(Int)
  case owner(user: UInt32, group: UInt32)
  /// It comes to be, and leads to another path.
  case link(to: String)
}

/// An open file, directory or device.
package struct Descriptor: Hashable, Sendable {
  package let number: Int32

  package init(number: Int32) {
    self.number = number
  }
}

/// What to do with a descriptor.
package enum Direction: Sendable {
  case reading, writing
}

/// How a file is opened.
///
/// No mode waits for another process, and no descriptor is inherited.
package enum OpenMode: Hashable, Sendable {
  /// Anything there is, for reading.
  case reading
  /// The same, but not through a symbolic link.
  case readingWithoutLinks
  /// A directory.
  case directory
  /// The same, but not through a symbolic link.
  case directoryWithoutLinks
  /// What is there, to learn what it is and nothing more.
  case asking(followsLinks: Bool)
  /// A file that does not exist yet, for writing.
  case creating(permissions: UInt32)
  /// Something that is there, for writing, not cut off.
  case writing
  /// A file whose end is written to, created when it is missing.
  case appending(permissions: UInt32)
  /// A file to be locked, created when it is missing.
  case locking(permissions: UInt32)
}

/// What there is at a path.
package struct FileStatus: Sendable {
  package enum Kind: Sendable {
    case file, directory, link, characterDevice, blockDevice, pipe, socket, other
  }

  package var kind: Kind
  /// The bits for reading, writing and executing, and the three special ones.
  package var permissions: UInt32
  /// In bytes; 0 for what has no size.
  package var size: Int
  package var user: UInt32
  package var group: UInt32
  /// How many names it has.
  package var links: Int
  package var identity: FileIdentity
  /// When its content changed last, in nanoseconds since 1970.
  package var modified: Int
  /// When that or what is known of it changed last, likewise: nobody can set it back.
  package var changed: Int

  package init(
    kind: Kind, permissions: UInt32, size: Int, user: UInt32, group: UInt32, links: Int,
    identity: FileIdentity, modified: Int, changed: Int
  ) {
    self.kind = kind
    self.permissions = permissions
    self.size = size
    self.user = user
    self.group = group
    self.links = links
    self.identity = identity
    self.modified = modified
    self.changed = changed
  }
}

/// Which file it is, whatever its names are.
///
/// When the file is gone, another one may get its identity.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let number: UInt64

  package init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }
}

/// A name in a directory.
package struct DirectoryEntry: Sendable {
  package let name: String
  /// What has the name; nil when the file system does not say without being asked.
  package let kind: FileStatus.Kind?

  package init(name: String, kind: FileStatus.Kind?) {
    self.name = name
    self.kind = kind
  }
}
