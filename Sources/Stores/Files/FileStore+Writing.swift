internal import TenonStoreKit

extension FileStore {
  /// Writes all of the bytes to a place.
  func write(
    _ bytes: [UInt8], to place: FilePlace, _ condition: Precondition?
  ) throws(FileFailure) {
    if !isConfined, let standard = FileStore.standardDescriptors[place.path] {
      try condition.check(isThere: true)
      return try writeToStandard(standard, bytes)
    }
    var place = place
    for _ in 0..<FileStore.mostLinks {
      guard let next = try writeOrFollow(bytes, place, condition) else { return }
      place = next
    }
    throw .linkLoop
  }

  /// Connected with a pipe or a file, these names would be opened as such, and the bytes would
  /// replace what the process printed before.
  private static let standardDescriptors = [
    "/dev/stdout": Descriptor(number: 1), "/dev/stderr": Descriptor(number: 2),
  ]

  /// Writes to the output of the process, which may wait for its reader as long as it likes.
  ///
  /// The descriptor is the process's, so it is not made one that does not wait; but when it is ready
  /// for something, it takes a little without waiting.
  private func writeToStandard(
    _ descriptor: Descriptor, _ bytes: [UInt8]
  ) throws(FileFailure) {
    let patience = Patience(limit: Int(Int32.max), isInterrupted: isInterrupted)
    var rest = bytes[...]
    while !rest.isEmpty {
      try patience.waitUntilReady(descriptor, for: .writing, fileSystem)
      let chunk = rest.prefix(FileStore.sureTransfer)
      try fileSystem.writeAll(descriptor, Array(chunk), patience)
      rest = rest.dropFirst(chunk.count)
    }
  }

  /// What a pipe takes for certain when it is ready, on any system.
  private static let sureTransfer = 512

  /// As many as the system follows.
  private static let mostLinks = 40

  /// Writes the bytes; or returns where the symbolic link at the place points to.
  private func writeOrFollow(
    _ bytes: [UInt8], _ place: FilePlace, _ condition: Precondition?
  ) throws(FileFailure) -> FilePlace? {
    guard let name = place.name, !place.isDirectory else { throw .isADirectory }
    var created: [String] = []
    do throws(FileFailure) {
      let parent = try openParent(place, condition, &created)
      let lock = try DirectoryLock(parent.descriptor, patience, fileSystem)
      let status = try status(of: name, in: parent.descriptor)
      switch status?.kind {
      case nil, .file:
        try condition.check(
          isThere: status != nil,
          tag: status.map { (status) throws(FileFailure) in
            try tag(of: name, in: parent.descriptor, status)
          } ?? nil)
        try replace(name, in: parent, bytes, status, condition)
        fileSystem.removeDetours(created, to: parent, place.parent)
      case .link:
        // Written through, the condition is about what the link points to.
        if !options.writesThroughLinks { try condition.check(isThere: true) }
        return try follow(place, name, in: parent.descriptor, bytes)
      case .characterDevice:
        try condition.check(isThere: true)
        try writeToDevice(name, in: parent.descriptor, bytes)
      case .directory:
        try condition.check(isThere: true)
        throw .isADirectory
      case .pipe, .socket, .blockDevice, .other:
        try condition.check(isThere: true)
        throw FileFailure(.unsupported, "neither a file nor a character device")
      }
      _ = consume lock
      return nil
    } catch {
      fileSystem.removeDirectories(created)
      throw error
    }
  }

  private func openParent(
    _ place: FilePlace, _ condition: Precondition?, _ created: inout [String]
  ) throws(FileFailure) -> OpenFile {
    guard condition.requiresPresence else {
      return try fileSystem.openDirectory(
        place.parent, parentMode, permissions: 0o777, created: &created)
    }
    do throws(FileFailure) {
      return try OpenFile(place.parent, parentMode, fileSystem)
    } catch {
      if error.isMissing { try condition.check(isThere: false) }
      throw error
    }
  }

  func status(
    of name: String, in directory: Descriptor
  ) throws(FileFailure) -> FileStatus? {
    do throws(FileFailure) {
      return try fileSystem.status(of: name, in: directory, followsLinks: false)
    } catch {
      guard error == .notFound else { throw error }
      return nil
    }
  }

  private func replace(
    _ name: String, in parent: borrowing OpenFile, _ bytes: [UInt8], _ status: FileStatus?,
    _ condition: Precondition?
  ) throws(FileFailure) {
    // Renaming asks for rights to the directory only; but a file that is protected stays as it is.
    if status != nil { try fileSystem.checkWritable(name, in: parent.descriptor) }
    try removeStaleFiles(in: parent)
    let replacement = FileReplacement(
      fileSystem: fileSystem, patience: patience, replaced: status, newPermissions: 0o666,
      requiresAbsence: condition == .absent, synchronizesContent: isDurable,
      synchronizesNames: isDurable)
    let outcome = try replacement.write(bytes, to: name, in: parent.descriptor)
    if let failure = outcome.notDurable { throw failure.asNotDurable }
  }

  private func follow(
    _ place: FilePlace, _ name: String, in parent: Descriptor, _ bytes: [UInt8]
  ) throws(FileFailure) -> FilePlace? {
    // A device is not replaced, so a link to it is in no danger.
    let target = try? fileSystem.status(of: name, in: parent, followsLinks: true)
    if target?.kind == .characterDevice {
      try writeToDevice(name, in: parent, bytes)
      return nil
    }
    guard options.writesThroughLinks else {
      throw FileFailure(.unsupported, "a symbolic link, which writing would replace by a file")
    }
    return try FilePlace(
      target: fileSystem.target(ofLink: name, in: parent), ofLinkIn: place.parent)
  }

  private func writeToDevice(
    _ name: String, in parent: Descriptor, _ bytes: [UInt8]
  ) throws(FileFailure) {
    let file = try OpenFile(name, in: parent, .writing, fileSystem)
    // Opening has changed nothing yet, should there be something else by now.
    guard try fileSystem.status(of: file.descriptor).kind == .characterDevice else {
      throw FileFailure(.conflict, "replaced while it was opened")
    }
    try fileSystem.writeAll(file.descriptor, bytes, patience)
  }
}

extension FileStore {
  /// Removes what there is at a place.
  ///
  /// - Returns: Whether anything was there.
  func remove(_ place: FilePlace, _ condition: Precondition?) throws(FileFailure) -> Bool {
    guard let name = place.name else {
      throw FileFailure(.invalidReference, "only what has a name can be deleted")
    }
    do throws(FileFailure) {
      let parent = try OpenFile(place.parent, parentMode, fileSystem)
      let lock = try DirectoryLock(parent.descriptor, patience, fileSystem)
      let status = try fileSystem.status(of: name, in: parent.descriptor, followsLinks: false)
      try condition.check(
        isThere: true, tag: try tag(of: name, in: parent.descriptor, status))
      if status.kind == .directory {
        try removeDirectory(name, in: parent.descriptor)
      } else {
        // Not the system's error of that name, which would mean that nothing is there.
        guard !place.isDirectory else { throw FileFailure(.notADirectory, "not a directory") }
        try fileSystem.remove(name, in: parent.descriptor, isDirectory: false)
      }
      _ = consume lock
      let failure = synchronizeNames(in: parent.descriptor)
      if let failure { throw failure.asNotDurable }
      return true
    } catch {
      guard error.isMissing else { throw error }
      try condition.check(isThere: false)
      return false
    }
  }

  /// Sees to it that names survive a loss of power, where writes have reached the disk when they answer.
  ///
  /// - Returns: Why they may not, if they may not.
  func synchronizeNames(in directory: Descriptor) -> FileFailure? {
    isDurable ? fileSystem.synchronizeNames(in: directory) : nil
  }

  private func removeDirectory(_ name: String, in parent: Descriptor) throws(FileFailure) {
    do throws(FileFailure) {
      try fileSystem.remove(name, in: parent, isDirectory: true)
    } catch {
      // Some systems call it `exists`.
      guard error == .notEmpty || error == .exists else { throw error }
      // Files that listings hide must not keep a directory that looks empty.
      let directory = try OpenFile(name, in: parent, .directory, fileSystem)
      fileSystem.removeStaleFiles(in: directory.descriptor)
      do throws(FileFailure) {
        try fileSystem.remove(name, in: parent, isDirectory: true)
      } catch {
        throw error == .exists ? .notEmpty : error
      }
    }
  }
}
