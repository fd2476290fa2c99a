internal import TenonStoreKit
internal import TenonText

extension DefaultsStore {
  /// What there is at a place.
  func read(
    _ reference: Reference, _ condition: Precondition?
  ) throws(FileFailure) -> GetOutcome {
    let key = try DefaultsStore.key(reference)
    try reload()
    if let value = key.flatMap({ document[$0] }), !reference.isDirectory {
      guard try !condition.checkReading(value) else { return .unchanged }
      return .resource(Resource(value, contentType: "application/json"))
    }
    let entries = entries(below: key)
    let isThere = key == nil || !entries.isEmpty
    try condition.check(isThere: isThere)
    if isThere { return .directory(entries) }
    if let key, document[key] != nil { throw .nothingBelow }
    return .missing
  }

  /// What is directly below a place.
  func readEntries(_ reference: Reference) throws(FileFailure) -> [StoreEntry] {
    let key = try DefaultsStore.key(reference)
    try reload()
    let entries = entries(below: key)
    guard let key, entries.isEmpty else { return entries }
    guard document[key] == nil else { throw .nothingBelow }
    throw FileFailure(.notFound, "there is no such key")
  }
}

extension FileFailure {
  static let nothingBelow = FileFailure(.notADirectory, "the key has nothing below it")
}

// MARK: - Loading

extension DefaultsStore {
  var fileName: String { domain + ".json" }

  var lockName: String { domain + ".lock" }

  var filePath: String? { directory.map { $0 + "/" + fileName } }

  /// Reads the file again if it has changed.
  func reload() throws(FileFailure) {
    guard let damage = try loadIfChanged() else { return }
    guard let directory else { return }
    do throws(FileFailure) {
      let folder = try OpenFile(directory, .directory, fileSystem)
      let lock = try FileLock(lockName, in: folder.descriptor, patience, fileSystem)
      try setAside(damage, in: folder.descriptor)
      _ = consume lock
    } catch {
      throw damage.cannotBeSetAside(error)
    }
  }

  /// The same for whoever has the lock.
  func reloadLocked(in folder: Descriptor) throws(FileFailure) {
    guard let damage = try loadIfChanged() else { return }
    do throws(FileFailure) {
      try setAside(damage, in: folder)
    } catch {
      throw damage.cannotBeSetAside(error)
    }
  }

  /// Reads the file if it is not the one that is known.
  ///
  /// - Returns: What is wrong with its text; then nothing was taken from it.
  private func loadIfChanged() throws(FileFailure) -> Damage? {
    guard let filePath else {
      if version == nil { adopt(DefaultsDocument(), .absent, nil, isDurable: false) }
      return nil
    }
    let current: FileVersion
    do throws(FileFailure) {
      current = FileVersion(
        try fileSystem.status(of: filePath, in: nil, followsLinks: true))
    } catch {
      guard error.isMissing else { throw error }
      current = .absent
    }
    guard current != version else { return nil }
    removeStaleFiles()
    return try load(filePath)
  }

  private func load(_ filePath: String) throws(FileFailure) -> Damage? {
    do throws(FileFailure) {
      let file = try OpenFile(filePath, .reading, fileSystem)
      // Before the content: what changes after this is read again the next time.
      let status = try fileSystem.status(of: file.descriptor)
      guard status.kind == .file else {
        throw FileFailure(.unsupported, "'\(filePath)' is not a file")
      }
      let bytes = try fileSystem.content(
        of: file.descriptor, status: status, limit: options.sizeLimit, patience: patience)
      do throws(JSONScanner.Failure) {
        adopt(try DefaultsDocument(bytes), FileVersion(status), file, isDurable: false)
        return nil
      } catch {
        return Damage(problem: error.located(in: bytes))
      }
    } catch {
      guard error.isMissing else { throw error }
      adopt(DefaultsDocument(), .absent, nil, isDurable: false)
      return nil
    }
  }

  private func removeStaleFiles() {
    guard !hasRemovedStaleFiles, let directory,
      let folder = try? OpenFile(directory, .directory, fileSystem)
    else { return }
    hasRemovedStaleFiles = true
    fileSystem.removeStaleFiles(in: folder.descriptor)
  }
}

// MARK: - Damage

/// What is wrong with the text of a file.
private struct Damage {
  let problem: String

  func cannotBeSetAside(_ failure: FileFailure) -> FileFailure {
    FileFailure(
      .corrupt, "the file is damaged (\(problem)) and stays: \(failure.reason)",
      code: failure.code)
  }
}

extension DefaultsStore {
  /// Gives a damaged file another name, and starts empty.
  private func setAside(_ damage: Damage, in folder: Descriptor) throws(FileFailure) {
    guard let filePath else { return }
    // An editor that writes in place may be half done, and others may have dealt with it.
    fileSystem.pause(milliseconds: 50)
    guard let damage = try load(filePath) else { return }
    let name = try freeName(in: folder)
    try fileSystem.rename(fileName, to: name, in: folder)
    // Not durable, it would be found again after the loss of power, and set aside again.
    _ = fileSystem.synchronizeNames(in: folder)
    adopt(DefaultsDocument(), .absent, nil, isDurable: false)
    note(
      StoreError(
        .corrupt, filePath, "\(damage.problem); kept as '\(name)', the defaults are empty now"))
  }

  private func freeName(in folder: Descriptor) throws(FileFailure) -> String {
    for number in 1...9999 {
      let name = "\(fileName).corrupt-\(number)"
      do throws(FileFailure) {
        _ = try fileSystem.status(of: name, in: folder, followsLinks: false)
      } catch {
        guard error == .notFound else { throw error }
        return name
      }
    }
    throw FileFailure(.exists, "there are too many damaged files already")
  }
}
