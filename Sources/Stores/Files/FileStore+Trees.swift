internal import TenonStoreKit

extension FileStore {
  /// What there is at a place; a file is read for its tag unless it is larger than what may be read.
  func status(_ place: FilePlace) throws(FileFailure) -> ResourceStatus? {
    guard let file = try openForReading(place.path) else { return nil }
    let status = try fileSystem.status(of: file.descriptor)
    guard status.kind != .directory else {
      return ResourceStatus(isDirectory: true, modified: status.modified)
    }
    guard !place.isDirectory else { throw .notADirectory }
    guard status.kind == .file else { return ResourceStatus(contentType: "text/plain") }
    var tag: EntityTag?
    var contentType = "application/octet-stream"
    if status.size <= options.readLimit {
      let bytes = try fileSystem.content(
        of: file.descriptor, status: status, limit: options.readLimit, patience: patience)
      tag = EntityTag(of: bytes)
      contentType = FileStore.contentType(of: bytes)
    }
    return ResourceStatus(
      tag: tag, contentType: contentType, size: status.size, modified: status.modified)
  }

  /// Makes a directory and those above it.
  func makeDirectory(_ place: FilePlace) throws(FileFailure) {
    var created: [String] = []
    do throws(FileFailure) {
      let directory = try fileSystem.openDirectory(
        place.path, parentMode, permissions: 0o777, created: &created)
      fileSystem.removeDetours(created, to: directory, place.path)
    } catch {
      fileSystem.removeDirectories(created)
      // What is there already is in the way only where it is no directory.
      if error == .notADirectory || error == .linkLoop,
        (try? fileSystem.status(of: place.path, in: nil, followsLinks: false)) != nil
      {
        throw FileFailure(.exists, "there is something else already")
      }
      throw error
    }
  }

  /// Gives what is at a place another one.
  ///
  /// - Throws: `FileFailure`; `liesWithin` when the destination is in the directory that is moved, whatever
  ///   name leads there.
  func move(
    _ place: FilePlace, to destination: FilePlace, _ condition: Precondition?
  ) throws(FileFailure) {
    guard let name = place.name, let newName = destination.name else {
      throw FileFailure(.invalidReference, "only what has a name can be moved")
    }
    var created: [String] = []
    do throws(FileFailure) {
      let parent = try OpenFile(place.parent, parentMode, fileSystem)
      let kind = try fileSystem.status(of: name, in: parent.descriptor, followsLinks: false).kind
      // No directory is made for what cannot be; other names that lead there the system notices.
      if kind == .directory, destination.isBelow(place) { throw .liesWithin }
      let newParent = try fileSystem.openDirectory(
        destination.parent, parentMode, permissions: 0o777, created: &created)
      let locks = try DirectoryLocks(
        parent.descriptor, newParent.descriptor, patience, fileSystem)
      let there = try status(of: newName, in: newParent.descriptor)
      try condition.check(
        isThere: there != nil,
        tag: there.map { (status) throws(FileFailure) in
          try tag(of: newName, in: newParent.descriptor, status)
        } ?? nil)
      // A condition that holds although something is there allows it to be replaced.
      if there != nil, condition == nil {
        throw FileFailure(.exists, "there is something already")
      }
      if there != nil { try fileSystem.checkWritable(newName, in: newParent.descriptor) }
      do throws(FileFailure) {
        try fileSystem.move(
          name, in: parent.descriptor, to: newName, in: newParent.descriptor,
          replaces: there != nil)
      } catch {
        // That is how the system says so, of directories only.
        throw error == .invalidArgument && kind == .directory ? .liesWithin : error
      }
      let isWithin = locks.isOne
      _ = consume locks
      fileSystem.removeDetours(created, to: newParent, destination.parent)
      var failure = synchronizeNames(in: newParent.descriptor)
      if !isWithin, failure == nil { failure = synchronizeNames(in: parent.descriptor) }
      if let failure { throw failure.asNotDurable }
    } catch {
      if error.kind != .notDurable { fileSystem.removeDirectories(created) }
      throw error
    }
  }

  /// Removes what is at a place and all below it, links not followed.
  ///
  /// - Returns: Whether anything was there.
  func removeTree(_ place: FilePlace) throws(FileFailure) -> Bool {
    guard let name = place.name else {
      throw FileFailure(.invalidReference, "only what has a name can be deleted")
    }
    guard let parent = try openParent(of: place) else { return false }
    let lock = try DirectoryLock(parent.descriptor, patience, fileSystem)
    guard let status = try status(of: name, in: parent.descriptor) else { return false }
    guard status.kind == .directory || !place.isDirectory else {
      throw FileFailure(.notADirectory, "not a directory")
    }
    do throws(FileFailure) {
      if status.kind == .directory {
        try removeDirectoryTree(name, in: parent.descriptor)
      } else {
        try fileSystem.remove(name, in: parent.descriptor, isDirectory: false)
      }
    } catch {
      // It was there, and part of it may be gone: that is not said of nothing.
      guard error.isMissing else { throw error }
      throw FileFailure(.conflict, "something in it was replaced while it was removed")
    }
    _ = consume lock
    if let failure = synchronizeNames(in: parent.descriptor) {
      throw failure.asNotDurable
    }
    return true
  }

  /// Opens the directory that a place is in; nil when there is none.
  private func openParent(of place: FilePlace) throws(FileFailure) -> OpenFile? {
    do throws(FileFailure) {
      return try OpenFile(place.parent, parentMode, fileSystem)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }

  /// Removes a directory with all that is in it; each level is open meanwhile, so that a link put in
  /// place of a directory leads nowhere.
  private func removeDirectoryTree(
    _ name: String, in parent: Descriptor
  ) throws(FileFailure) {
    var levels = [Level(name, parent, try open(name, in: parent))]
    defer { for level in levels { fileSystem.close(level.directory) } }
    while let level = levels.last {
      guard let entry = levels[levels.count - 1].entries.popLast() else {
        levels.removeLast()
        fileSystem.close(level.directory)
        do throws(FileFailure) {
          try fileSystem.remove(level.name, in: level.parent, isDirectory: true)
        } catch {
          if error != .notFound { throw error }
        }
        continue
      }
      let kind: FileStatus.Kind
      do throws(FileFailure) {
        kind = try fileSystem.status(
          of: entry.name, in: level.directory, followsLinks: false
        ).kind
        if kind == .directory {
          levels.append(
            Level(entry.name, level.directory, try open(entry.name, in: level.directory)))
        } else {
          try fileSystem.remove(entry.name, in: level.directory, isDirectory: false)
        }
      } catch {
        // Gone meanwhile: that is what was wanted.
        if error != .notFound { throw error }
      }
    }
  }

  /// A directory that is being removed.
  private struct Level {
    let name: String
    let parent: Descriptor
    let directory: Descriptor
    var entries: [DirectoryEntry]

    init(_ name: String, _ parent: Descriptor, _ opened: (Descriptor, [DirectoryEntry])) {
      self.name = name
      self.parent = parent
      (directory, entries) = opened
    }
  }

  private func open(
    _ name: String, in parent: Descriptor
  ) throws(FileFailure) -> (Descriptor, [DirectoryEntry]) {
    let directory = try fileSystem.open(name, in: parent, .directoryWithoutLinks)
    do throws(FileFailure) {
      return (directory, try fileSystem.entries(of: directory))
    } catch {
      fileSystem.close(directory)
      throw error
    }
  }
}

/// The lock of a directory, held as long as this value lives.
///
/// All stores take it to change a name in the directory, and to move one those of both directories:
/// between the check of a condition and the change nobody else changes anything.
struct DirectoryLock: ~Copyable {
  private let directory: Descriptor
  private let fileSystem: any FileSystem
  private let isHeld: Bool

  /// Waits for the lock; a file system without locks goes without.
  ///
  /// - Throws: `FileFailure` of the kind `locked` when somebody kept it.
  init(
    _ directory: Descriptor, _ patience: Patience, _ fileSystem: any FileSystem
  ) throws(FileFailure) {
    self.directory = directory
    self.fileSystem = fileSystem
    do throws(FileFailure) {
      try patience.waitForLock(directory, fileSystem)
      isHeld = true
    } catch {
      guard error.code != 0, error != .inputOutput else { throw error }
      isHeld = false
    }
  }

  deinit { if isHeld { fileSystem.unlock(directory) } }
}

/// The locks of two directories, which may be one.
struct DirectoryLocks: ~Copyable {
  private let first: DirectoryLock
  private let second: DirectoryLock?

  /// Whether both are the same directory.
  var isOne: Bool { second == nil }

  /// Waits for both, in an order that is the same for everybody: two who move there and back do not
  /// wait for each other.
  ///
  /// - Throws: `FileFailure` of the kind `locked` when somebody kept one.
  init(
    _ one: Descriptor, _ other: Descriptor, _ patience: Patience, _ fileSystem: any FileSystem
  ) throws(FileFailure) {
    let identities = (
      try fileSystem.status(of: one).identity, try fileSystem.status(of: other).identity
    )
    let isInOrder =
      (identities.0.device, identities.0.number) <= (identities.1.device, identities.1.number)
    let first = try DirectoryLock(isInOrder ? one : other, patience, fileSystem)
    var second: DirectoryLock?
    if identities.0 != identities.1 {
      second = try DirectoryLock(isInOrder ? other : one, patience, fileSystem)
    }
    self.first = first
    self.second = second
  }
}
