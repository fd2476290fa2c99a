internal import TenonStoreKit

/// Writes a file as a whole: whoever reads it, and whatever happens, finds the old bytes or the new
/// ones.
///
/// The bytes go to a temporary file in the same directory; it is synchronised, then takes the name,
/// then the directory is synchronised. A loss of power at any moment leaves one of the two.
struct FileReplacement {
  let fileSystem: any FileSystem
  let patience: Patience

  /// What there is at the name; nil for nothing.
  let replaced: FileStatus?
  /// The permissions of a file that was not there, before the process's mask takes from them.
  let newPermissions: UInt32
  /// Whether to fail when something has got the name meanwhile.
  var requiresAbsence = false
  /// Whether the bytes are on the disk before they get the name.
  var synchronizesContent = true
  /// Whether the directory is synchronised; otherwise that is left to the caller.
  var synchronizesNames = true

  /// A file that has its name.
  struct Outcome: ~Copyable {
    /// The new file.
    let file: OpenFile
    /// Why the new name may not survive a loss of power, if it may not.
    let notDurable: FileFailure?
  }

  /// Writes the file.
  ///
  /// - Throws: `FileFailure`; then the old file stands, and no temporary file is left.
  func write(
    _ bytes: [UInt8], to name: String, in directory: Descriptor
  ) throws(FileFailure) -> Outcome {
    // Until it has the permissions of the file it replaces, nobody else reads it.
    let temporary = try TemporaryFile(
      in: directory, permissions: replaced == nil ? newPermissions : 0o600, fileSystem)
    do throws(FileFailure) {
      try keepOwner(temporary.file.descriptor)
      try fileSystem.writeAll(temporary.file.descriptor, bytes, patience)
      let problem = try complete(temporary, to: name, in: directory)
      return Outcome(file: temporary.file, notDurable: problem)
    } catch {
      // A failure here leaves a stale file, which the next start removes.
      try? fileSystem.remove(temporary.name, in: directory, isDirectory: false)
      throw error
    }
  }

  /// Gives a temporary file that has been written its name.
  ///
  /// - Returns: Why the new name may not survive a loss of power, if it may not.
  /// - Throws: `FileFailure`; then the old file stands, and the temporary one is there.
  func complete(
    _ temporary: borrowing TemporaryFile, to name: String, in directory: Descriptor
  ) throws(FileFailure) -> FileFailure? {
    if synchronizesContent { try fileSystem.synchronize(temporary.file.descriptor) }
    try giveName(name, to: temporary.name, in: directory)
    return synchronizesNames ? fileSystem.synchronizeNames(in: directory) : nil
  }

  private func giveName(
    _ name: String, to temporaryName: String, in directory: Descriptor
  ) throws(FileFailure) {
    guard requiresAbsence else {
      return try fileSystem.rename(temporaryName, to: name, in: directory)
    }
    // Renaming would replace; a second name is refused when there is a first.
    do throws(FileFailure) {
      try fileSystem.link(temporaryName, to: name, in: directory)
    } catch {
      guard error == .exists else { throw error }
      throw FileFailure(
        .preconditionFailed, Precondition.absent.refusal(isThere: true))
    }
    try? fileSystem.remove(temporaryName, in: directory, isDirectory: false)
  }

  /// Gives the new file the owner and the permissions of the old one.
  func keepOwner(_ descriptor: Descriptor) throws(FileFailure) {
    guard let replaced else { return }
    // The special bits are not kept: they were granted to the old content.
    var permissions = replaced.permissions & 0o777
    let status = try fileSystem.status(of: descriptor)
    if status.group != replaced.group,
      (try? fileSystem.setOwner(descriptor, user: nil, group: replaced.group)) == nil
    {
      // What the old group might do is not for another one.
      permissions &= 0o707
    }
    if status.user != replaced.user {
      try? fileSystem.setOwner(descriptor, user: replaced.user, group: nil)
    }
    try fileSystem.setPermissions(descriptor, permissions)
  }
}

extension FileSystem {
  /// Sees to it that the names in a directory survive a loss of power.
  ///
  /// - Returns: Why they may not, if they may not.
  func synchronizeNames(in directory: Descriptor) -> FileFailure? {
    do throws(FileFailure) {
      try synchronize(directory)
      return nil
    } catch {
      // How a file system says that there is nothing to synchronise.
      return error == .invalidArgument ? nil : error
    }
  }
}

extension FileFailure {
  /// The failure of a change that was made, but may be undone by a loss of power.
  var asNotDurable: FileFailure {
    FileFailure(
      .notDurable, "done, but may not survive a loss of power: \(reason)", code: code)
  }
}
