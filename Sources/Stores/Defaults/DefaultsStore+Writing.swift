internal import TenonStoreKit
internal import TenonText

extension DefaultsStore {
  /// Sets the value of a key.
  func write(
    _ bytes: [UInt8], _ reference: Reference, _ condition: Precondition?
  ) throws(FileFailure) {
    guard let key = try DefaultsStore.key(reference), !reference.isDirectory else {
      throw FileFailure(.isADirectory, "only a key can be written")
    }
    _ = try change(key, to: DefaultsStore.value(bytes), condition)
  }

  /// Removes a key.
  ///
  /// - Returns: Whether it was there.
  func remove(_ reference: Reference, _ condition: Precondition?) throws(FileFailure) -> Bool {
    guard let key = try DefaultsStore.key(reference) else {
      throw FileFailure(.invalidReference, "only a key can be deleted")
    }
    try reload()
    guard document[key] != nil else {
      let isThere = !entries(below: key).isEmpty
      try condition.check(isThere: isThere)
      guard !isThere else { throw .notEmpty }
      // Nothing to do, and nothing is created for it.
      return false
    }
    guard !reference.isDirectory else { throw .nothingBelow }
    return try change(key, to: nil, condition)
  }

  /// The bytes of the one value of JSON that the bytes are.
  private static func value(_ bytes: [UInt8]) throws(FileFailure) -> [UInt8] {
    do throws(JSONScanner.Failure) {
      return try JSONScanner.onlyValue(of: bytes)
    } catch {
      throw FileFailure(.encode, "not JSON: \(error.located(in: bytes))")
    }
  }

  /// Changes one key in the file, whatever others did to the rest.
  ///
  /// - Returns: Whether the key was there.
  private func change(
    _ key: ExactText, to value: [UInt8]?, _ condition: Precondition?
  ) throws(FileFailure) -> Bool {
    guard let directory else {
      throw FileFailure(.notFound, "there is no home directory to keep defaults in")
    }
    var created: [String] = []
    do throws(FileFailure) {
      let folder = try fileSystem.openDirectory(
        directory, permissions: 0o700, created: &created)
      let lock = try FileLock(lockName, in: folder.descriptor, patience, fileSystem)
      try reloadLocked(in: folder.descriptor)
      let old = document[key]
      try condition.check(isThere: old != nil, tag: old.map { EntityTag(of: $0) })
      // What is on the disk for certain is not written again.
      if old != value || !isDurable {
        var changed = document
        changed[key] = value
        try commit(changed, in: folder.descriptor)
      }
      _ = consume lock
      return old != nil
    } catch {
      fileSystem.removeDirectories(created)
      throw error
    }
  }

  /// Replaces the file.
  private func commit(
    _ document: DefaultsDocument, in folder: Descriptor
  ) throws(FileFailure) {
    let bytes = document.bytes
    guard bytes.count <= options.sizeLimit else { throw .tooLarge(options.sizeLimit) }
    let replacement = FileReplacement(
      fileSystem: fileSystem, patience: patience, replaced: try replacedFile(in: folder),
      newPermissions: 0o600)
    let outcome = try replacement.write(bytes, to: fileName, in: folder)
    let failure = outcome.notDurable
    // From here on the new file is what there is, whatever else fails.
    let version = (try? fileSystem.status(of: outcome.file.descriptor)).map { FileVersion($0) }
    adopt(document, version, outcome.file, isDurable: failure == nil)
    if let failure { throw failure.asNotDurable }
  }

  /// The file as it is; nil for none.
  private func replacedFile(in folder: Descriptor) throws(FileFailure) -> FileStatus? {
    let status: FileStatus
    do throws(FileFailure) {
      status = try fileSystem.status(of: fileName, in: folder, followsLinks: false)
    } catch {
      guard error == .notFound else { throw error }
      return nil
    }
    guard status.kind == .file else {
      let what = status.kind == .link ? "a symbolic link" : "not a file"
      throw FileFailure(.unsupported, "'\(fileName)' is \(what), and is not replaced")
    }
    try fileSystem.checkWritable(fileName, in: folder)
    return status
  }
}
