internal import TenonStoreKit
internal import TenonText

// The buckets: one file for each container, replaced as a whole.

extension PersistentStore {
  /// A bucket as it is to be written.
  private struct Snapshot {
    let container: Container
    let document: DefaultsDocument
  }

  /// Writes everything that has changed, the journal before the buckets.
  ///
  /// - Parameter synchronizes: Whether it is on the disk when this returns.
  /// - Throws: `StoreError` that names the file and a place that waits.
  func saveAll(synchronizes: Bool) throws(StoreError) {
    do throws(DiskFailure) {
      try saveBuckets(synchronizes: synchronizes)
    } catch {
      throw asStoreError(error)
    }
  }

  /// Writes the buckets of all containers with changes, then forgets the journal.
  ///
  /// A bucket never holds what the journal on the disk does not: else one bucket would have the
  /// changes of a batch, and another would not.
  func saveBuckets(synchronizes: Bool) throws(DiskFailure) {
    try bucketLock.withLock { () throws(DiskFailure) in
      let snapshots = try takeSnapshots(synchronizes: synchronizes)
      var failures: [DiskFailure] = []
      var written: [ExactText: [Container]] = [:]
      for snapshot in snapshots {
        do throws(DiskFailure) {
          let folder = try write(snapshot, synchronizes: synchronizes)
          written[ExactText(folder), default: []].append(snapshot.container)
        } catch {
          failures.append(error)
          keepUnsaved([snapshot.container])
        }
        // Other changes do not wait for all buckets.
        if options.level != .fast { journalWork() }
      }
      for (folder, containers) in written.sorted(by: { $0.key < $1.key }) {
        do throws(FileFailure) {
          if synchronizes { try synchronizeFolder(folder.text) }
          recordWritten(containers, isSynchronized: synchronizes)
        } catch {
          failures.append(DiskFailure(error, shown(folder.text)))
          keepUnsaved(containers)
        }
      }
      noteSaved(snapshots.map(\.container))
      do throws(DiskFailure) {
        try forgetJournal(isComplete: failures.isEmpty && synchronizes)
      } catch {
        failures.append(error)
      }
      try note(failures)
    }
  }

  /// Takes the buckets that are to be written, after the journal has what is in them.
  private func takeSnapshots(synchronizes: Bool) throws(DiskFailure) -> [Snapshot] {
    guard options.level != .fast else {
      return try stateLock.withLock { () throws(DiskFailure) in
        waitForBatch()
        // What was left to the system is written again: it does not tell what became of it.
        if synchronizes { try markUnsynchronized() }
        return snapshots()
      }
    }
    var taken: [Snapshot] = []
    do throws(DiskFailure) {
      try journalLock.withLock { () throws(DiskFailure) in
        try appendPending { taken = snapshots() }
        try synchronizeJournal()
      }
      noteJournalSuccess()
      return taken
    } catch {
      keepUnsaved(taken.map(\.container))
      noteJournalTrouble(error)
      throw error
    }
  }

  /// The state's lock is held.
  private func snapshots() -> [Snapshot] {
    dirtySince = nil
    return dirtyContainers.compactMap { container in
      guard let document = container.document,
        !container.dirty.isEmpty || container.isUnsynchronized
      else { return nil }
      container.saving = container.dirty
      container.dirty = []
      return Snapshot(container: container, document: document)
    }
  }

  /// The state's lock is held.
  private func markUnsynchronized() throws(DiskFailure) {
    for container in unsynchronizedContainers where !container.hasUnsaved {
      _ = try document(of: container)
      dirtyContainers.append(container)
    }
    unsynchronizedContainers = []
  }

  private func recordWritten(_ containers: [Container], isSynchronized: Bool) {
    stateLock.withLock {
      for container in containers {
        container.saving = []
        if !isSynchronized, !container.isUnsynchronized {
          unsynchronizedContainers.append(container)
        }
        container.isUnsynchronized = !isSynchronized
      }
    }
  }

  private func keepUnsaved(_ containers: [Container]) {
    stateLock.withLock {
      for container in containers {
        container.dirty.formUnion(container.saving)
        container.saving = []
        if container.isUnsynchronized { unsynchronizedContainers.append(container) }
      }
      dirtySince = dirtySince ?? fileSystem.now
    }
  }

  private func noteSaved(_ containers: [Container]) {
    stateLock.withLock {
      dirtyContainers.removeAll { !$0.hasUnsaved }
      for container in containers { tree.prune(container.path) }
      forgetDocuments()
    }
  }

  /// The changes are in the buckets: the journal is for nothing, or for those that came later.
  private func forgetJournal(isComplete: Bool) throws(DiskFailure) {
    guard options.level == .fast else {
      return try journalLock.withLock { () throws(DiskFailure) in
        let isDue = stateLock.withLock {
          isComplete
            ? journalState.hasRecords || journalState.isBroken
            : journalState.length > journalState.bound
        }
        guard isDue else { return }
        do throws(DiskFailure) {
          try replaceJournal()
        } catch {
          noteJournalTrouble(error)
          throw error
        }
        noteJournalSuccess()
      }
    }
    // One that was left by a program that kept a journal: what it holds is in the buckets now.
    guard isComplete, stateLock.withLock({ journalState.isThere }) else { return }
    do throws(FileFailure) {
      let folder = try OpenFile(directory, .directory, fileSystem)
      try fileSystem.remove(
        PersistentStore.journalName, in: folder.descriptor, isDirectory: false)
      if let failure = fileSystem.synchronizeNames(in: folder.descriptor) { throw failure }
    } catch {
      throw DiskFailure(error, shown(directory + "/" + PersistentStore.journalName))
    }
    stateLock.withLock {
      journalState.isThere = false
      journalState.hasRecords = false
    }
  }

  private func note(_ failures: [DiskFailure]) throws(DiskFailure) {
    guard let first = failures.first else {
      stateLock.withLock { bucketTrouble = nil }
      return
    }
    let error = asStoreError(first)
    stateLock.withLock {
      if bucketTrouble == nil, journalTrouble == nil { reports.append(error) }
      bucketTrouble = Trouble(error, after: bucketTrouble, now: fileSystem.now)
    }
    throw first
  }
}

// MARK: - Files

extension PersistentStore {
  /// Writes a bucket, or removes it when nothing is in it.
  ///
  /// - Returns: The path of the directory that is to be synchronised.
  private func write(_ snapshot: Snapshot, synchronizes: Bool) throws(DiskFailure) -> String {
    var path = directory
    do throws(FileFailure) {
      let place = try BucketPlace(snapshot.container.path)
      path = place.path(in: directory)
      let isEmpty = snapshot.document.values.isEmpty
      if isEmpty {
        try removeBucket(place)
      } else {
        try replaceBucket(place, snapshot.document.bytes, synchronizes: synchronizes)
      }
      stateLock.withLock {
        snapshot.container.isOnDisk = !isEmpty
        snapshot.container.isObstructed = false
      }
      return place.folder(in: directory)
    } catch {
      throw DiskFailure(
        error, shown(path), at: stateLock.withLock { snapshot.container.unsavedPlace })
    }
  }

  private func replaceBucket(
    _ place: BucketPlace, _ bytes: [UInt8], synchronizes: Bool
  ) throws(FileFailure) {
    var created: [String] = []
    let folder = try fileSystem.openDirectory(
      place.folder(in: directory), permissions: 0o700, created: &created)
    let status = try status(of: place.name, in: folder.descriptor)
    if let status {
      guard status.kind == .file else {
        throw FileFailure(
          .unsupported,
          status.kind == .link
            ? "a symbolic link, which writing would replace by a file" : "not a file")
      }
      // Renaming asks for rights to the directory only; but a file that is protected stays as it is.
      try fileSystem.checkWritable(place.name, in: folder.descriptor)
    }
    let replacement = FileReplacement(
      fileSystem: fileSystem, patience: patience, replaced: status, newPermissions: 0o600,
      synchronizesContent: synchronizes, synchronizesNames: false)
    _ = try replacement.write(bytes, to: place.name, in: folder.descriptor)
  }

  private func status(
    of name: String, in folder: Descriptor
  ) throws(FileFailure) -> FileStatus? {
    do throws(FileFailure) {
      return try fileSystem.status(of: name, in: folder, followsLinks: false)
    } catch {
      guard error == .notFound else { throw error }
      return nil
    }
  }

  private func removeBucket(_ place: BucketPlace) throws(FileFailure) {
    do throws(FileFailure) {
      let folder = try OpenFile(place.folder(in: directory), .directory, fileSystem)
      try fileSystem.remove(place.name, in: folder.descriptor, isDirectory: false)
    } catch {
      guard error == .notFound else { throw error }
    }
  }

  /// Sees to it that the names in a directory survive the loss of power.
  ///
  /// The directory is opened anew: a descriptor that has reported an error is not asked again.
  private func synchronizeFolder(_ path: String) throws(FileFailure) {
    do throws(FileFailure) {
      let folder = try OpenFile(path, .directory, fileSystem)
      if let failure = fileSystem.synchronizeNames(in: folder.descriptor) { throw failure }
    } catch {
      // A bucket was to be removed whose directory is gone.
      guard error == .notFound else { throw error }
    }
  }
}
