internal import TenonStoreKit
internal import TenonText

// What is found when a store is opened, and buckets as they are asked for. The state's lock is held,
// or nobody else has the store yet.

extension PersistentStore {
  /// Takes the lock that keeps other writers out, and makes the directory.
  func takeLock() throws(DiskFailure) -> FileLock {
    do throws(FileFailure) {
      var created: [String] = []
      let folder = try fileSystem.openDirectory(directory, permissions: 0o777, created: &created)
      return try FileLock(
        PersistentStore.lockName, in: folder.descriptor,
        Patience(limit: 0, isInterrupted: { false }), fileSystem)
    } catch {
      guard error.kind == .locked else { throw DiskFailure(error, shownDirectory) }
      throw DiskFailure(
        FileFailure(.locked, "the store is open for writing already, here or in another program"),
        shownDirectory)
    }
  }

  /// Finds the buckets, and takes up the journal of a program that was stopped.
  func recover() throws(DiskFailure) {
    try findBuckets(removesStale: true)
    let path = directory + "/" + PersistentStore.journalName
    guard let bytes = try read(path) else { return }
    journalState.isThere = true
    guard let content = JournalFormat.read(bytes) else {
      let name = try setAside(PersistentStore.journalName, in: directory)
      journalState.isThere = false
      reports.append(
        StoreError(
          .corrupt, shown(path),
          "not a journal; kept as '\(name)', what was changed last is lost"))
      return
    }
    if content.isDamaged {
      let name = try keepCopy(PersistentStore.journalName)
      reports.append(
        StoreError(
          .corrupt, shown(path),
          "damaged after \(content.length) bytes; kept as '\(name)', "
            + "what was changed later is lost"))
    }
    try replay(content)
    // Found again at the next start if this program is stopped before its first write.
    dirtySince = dirtyContainers.isEmpty ? nil : fileSystem.now
    // Later writes would be in buckets only: the journal must not be there the next time.
    if options.level == .fast { try saveBuckets(synchronizes: true) }
  }

  private func replay(_ content: JournalFormat.Content) throws(DiskFailure) {
    for group in content.groups {
      for record in group.records {
        guard let name = record.path.last else { continue }
        let container = tree.makeContainer(at: Array(record.path.dropLast()))
        _ = try document(of: container)
        container.document?[ExactText(name)] = record.value
        if !container.hasUnsaved { dirtyContainers.append(container) }
        container.dirty.insert(ExactText(name))
      }
      if !group.records.isEmpty { journalState.hasRecords = true }
      journalState.sequence = group.sequence
    }
    journalState.length = content.length
  }

  /// For a store that is only read: everything anew.
  func loadAgain() throws(DiskFailure) {
    // A journal that is replaced while its buckets are read would be older than they are.
    for _ in 0..<PersistentStore.readAttempts {
      let version = try journalVersion()
      tree = ContainerTree()
      dirtyContainers = []
      try findBuckets(removesStale: false)
      let path = directory + "/" + PersistentStore.journalName
      if let bytes = try read(path), let content = JournalFormat.read(bytes) {
        try replay(content)
      }
      readVersion = version
      if try journalVersion() == version { return }
    }
  }

  /// Enough unless the other program writes without a pause; then the next verb tries again.
  private static let readAttempts = 20

  /// For a store that is only read: takes up what the other program has written.
  func loadIfChanged() throws(DiskFailure) {
    let version = try journalVersion()
    // Where there is no journal, nothing tells whether a bucket has changed.
    if version == .absent || version != readVersion { try loadAgain() }
  }

  private func journalVersion() throws(DiskFailure) -> FileVersion {
    let path = directory + "/" + PersistentStore.journalName
    do throws(FileFailure) {
      return FileVersion(try fileSystem.status(of: path, in: nil, followsLinks: false))
    } catch {
      guard error.isMissing else { throw DiskFailure(error, shown(path)) }
      return .absent
    }
  }
}

// MARK: - Buckets

extension PersistentStore {
  /// The values of a container, read when they are first asked for.
  func document(of container: Container) throws(DiskFailure) -> DefaultsDocument {
    if let document = container.document { return document }
    forgetDocuments()
    var document = DefaultsDocument()
    container.size = 0
    if container.isOnDisk {
      let place: BucketPlace
      do throws(FileFailure) {
        place = try BucketPlace(container.path)
      } catch {
        throw DiskFailure(error, shownDirectory)
      }
      let path = place.path(in: directory)
      let bytes = try read(path)
      do throws(JSONScanner.Failure) {
        if let bytes { document = try DefaultsDocument(bytes) }
        container.size = bytes?.count ?? 0
        loadedSize += container.size
      } catch {
        try setAsideBucket(place, error.located(in: bytes ?? []))
        container.isOnDisk = false
      }
    }
    container.document = document
    return document
  }

  /// Forgets the values that can be read again when too many are in memory.
  func forgetDocuments() {
    guard loadedSize > options.memoryLimit else { return }
    loadedSize = 0
    var waiting = [tree.root]
    while let container = waiting.popLast() {
      waiting += container.children.values
      if container.isOnDisk, !container.hasUnsaved, container.pending.isEmpty {
        container.document = nil
      } else if container.document != nil {
        loadedSize += container.size
      }
    }
  }

  /// Fails when a directory stands where the bucket of a container should be: what it would hold is
  /// not known then.
  func checkReadable(_ container: Container) throws(DiskFailure) {
    guard container.isObstructed else { return }
    var path = directory
    do throws(FileFailure) {
      path = try BucketPlace(container.path).path(in: directory)
      _ = try fileSystem.status(of: path, in: nil, followsLinks: false)
    } catch {
      guard error.isMissing else { throw DiskFailure(error, shown(path)) }
      container.isObstructed = false
      return
    }
    throw DiskFailure(FileFailure(.unsupported, "not a file"), shown(path))
  }

  private func setAsideBucket(_ place: BucketPlace, _ problem: String) throws(DiskFailure) {
    let path = place.path(in: directory)
    guard !options.isReadOnly else {
      throw DiskFailure(FileFailure(.corrupt, problem), shown(path))
    }
    do throws(DiskFailure) {
      let name = try setAside(place.name, in: place.folder(in: directory))
      reports.append(
        StoreError(.corrupt, shown(path), "\(problem); kept as '\(name)', it counts as empty now"))
    } catch {
      throw DiskFailure(
        FileFailure(.corrupt, "damaged (\(problem)), and stays: \(error.reason)"), shown(path))
    }
  }

  /// Gives a damaged file another name.
  private func setAside(_ name: String, in path: String) throws(DiskFailure) -> String {
    do throws(FileFailure) {
      let folder = try OpenFile(path, .directory, fileSystem)
      let other = try freeName(name, in: folder.descriptor)
      try fileSystem.rename(name, to: other, in: folder.descriptor)
      // Not durable, it would be found again after the loss of power, and set aside again.
      _ = fileSystem.synchronizeNames(in: folder.descriptor)
      return other
    } catch {
      throw DiskFailure(error, shown(path + "/" + name))
    }
  }

  /// Gives a damaged file a second name, which stays when the first goes to another file.
  private func keepCopy(_ name: String) throws(DiskFailure) -> String {
    do throws(FileFailure) {
      let folder = try OpenFile(directory, .directory, fileSystem)
      let other = try freeName(name, in: folder.descriptor)
      try fileSystem.link(name, to: other, in: folder.descriptor)
      return other
    } catch {
      throw DiskFailure(error, shown(directory + "/" + name))
    }
  }

  private func freeName(_ name: String, in folder: Descriptor) throws(FileFailure) -> String {
    for number in 1...9999 {
      let other = "\(name).corrupt-\(number)"
      do throws(FileFailure) {
        _ = try fileSystem.status(of: other, in: folder, followsLinks: false)
      } catch {
        guard error == .notFound else { throw error }
        return other
      }
    }
    throw FileFailure(.exists, "there are too many damaged files already")
  }

  /// The bytes of a file; nil when there is none.
  private func read(_ path: String) throws(DiskFailure) -> [UInt8]? {
    do throws(FileFailure) {
      guard let file = try openForReading(path) else { return nil }
      let status = try fileSystem.status(of: file.descriptor)
      guard status.kind == .file else { throw FileFailure(.unsupported, "not a file") }
      return try fileSystem.content(
        of: file.descriptor, status: status, limit: options.sizeLimit, patience: patience)
    } catch {
      throw DiskFailure(error, shown(path))
    }
  }

  private func openForReading(_ path: String) throws(FileFailure) -> OpenFile? {
    do throws(FileFailure) {
      return try OpenFile(path, .readingWithoutLinks, fileSystem)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }

  /// Finds out which containers have files, and removes what dead writers have left.
  private func findBuckets(removesStale: Bool) throws(DiskFailure) {
    var waiting = [(directory, [] as [String])]
    while let (path, container) = waiting.popLast() {
      do throws(FileFailure) {
        let folder = try OpenFile(path, .directory, fileSystem)
        if removesStale { fileSystem.removeStaleFiles(in: folder.descriptor) }
        for entry in try fileSystem.entries(of: folder.descriptor) {
          var kind = entry.kind
          if kind == nil {
            kind = try fileSystem.status(
              of: entry.name, in: folder.descriptor, followsLinks: false
            ).kind
          }
          if let place = BucketPlace.container(ofFile: entry.name, in: container) {
            // A directory there is not nothing: whoever reads is told. What is written waits for it to go.
            if kind == .directory {
              tree.makeContainer(at: place).isObstructed = true
            } else {
              tree.makeContainer(at: place).isOnDisk = true
            }
          } else if kind == .directory {
            guard container.count < PersistentStore.deepest,
              let name = BucketPlace.component(
                ofDirectory: entry.name, isFirst: container.isEmpty)
            else { continue }
            waiting.append((path + "/" + entry.name, container + [name]))
          }
        }
      } catch {
        guard error.isMissing, options.isReadOnly else { throw DiskFailure(error, shown(path)) }
      }
    }
  }

  /// No reference has more components.
  private static let deepest = 64
}
