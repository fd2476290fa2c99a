package import TenonStoreKit
internal import TenonText

// The journal: what has changed since the buckets were written, batch by batch.
//
// It is never shortened in place, nor continued after anything went wrong with it. A new one is
// written under a temporary name, with all in it that is not in buckets, as one group; when that is on
// the disk it takes the place of the old one. So whatever a failed write or synchronisation has left
// in the old one, nobody reads it after one that is right.

extension PersistentStore {
  /// What is written together.
  private struct Batch {
    let group: JournalGroup
    /// The last change in it.
    let change: Int
  }

  /// Takes the present values of some names as one batch; the state's lock is held.
  private func takeBatch(
    of containers: [Container], _ names: (Container) -> Set<ExactText>
  ) -> Batch {
    var records: [JournalRecord] = []
    for container in containers {
      for name in names(container).sorted() {
        records.append(
          JournalRecord(path: container.path + [name.text], value: container.document?[name]))
      }
    }
    for container in pendingContainers { container.pending = [] }
    pendingContainers = []
    if let since = pendingSince {
      unsynchronizedSince = min(unsynchronizedSince ?? since, since)
    }
    pendingSince = nil
    journalState.sequence &+= 1
    return Batch(
      group: JournalGroup(sequence: journalState.sequence, records: records), change: changeCount)
  }

  /// Appends what has changed; the journal's lock is held.
  ///
  /// `atBoundary` is called when the batch has been taken and nothing has changed since; the state's
  /// lock is held then.
  func appendPending(atBoundary: () -> Void = {}) throws(DiskFailure) {
    guard let descriptor = journal.descriptor else {
      let isDue = stateLock.withLock {
        waitForBatch()
        guard pendingContainers.isEmpty, !journalState.isBroken else { return true }
        atBoundary()
        return false
      }
      return isDue ? try replaceJournal(atBoundary: atBoundary) : ()
    }
    let batch: Batch? = stateLock.withLock {
      waitForBatch()
      defer { atBoundary() }
      return pendingContainers.isEmpty ? nil : takeBatch(of: pendingContainers) { $0.pending }
    }
    guard let batch else { return }
    let bytes = JournalFormat.bytes(of: batch.group)
    do throws(FileFailure) {
      try fileSystem.writeAll(descriptor, bytes, patience)
    } catch {
      throw giveUpJournal(error)
    }
    stateLock.withLock {
      journalState.length += bytes.count
      journalState.hasRecords = true
    }
    journal.appendedChange = batch.change
  }

  /// Waits until all that was appended is on the disk; the journal's lock is held.
  func synchronizeJournal() throws(DiskFailure) {
    guard let descriptor = journal.descriptor, journal.durableChange < journal.appendedChange else {
      return
    }
    do throws(FileFailure) {
      try fileSystem.synchronizeData(descriptor)
    } catch {
      throw giveUpJournal(error)
    }
    journal.durableChange = journal.appendedChange
    stateLock.withLock { unsynchronizedSince = nil }
  }

  /// Writes a new journal with all that is in no bucket; the journal's lock is held.
  func replaceJournal(atBoundary: () -> Void = {}) throws(DiskFailure) {
    closeJournal()
    let batch = stateLock.withLock {
      waitForBatch()
      defer { atBoundary() }
      journalState.isBroken = true
      return takeBatch(of: dirtyContainers) { $0.unsaved }
    }
    let bytes = JournalFormat.magic + JournalFormat.bytes(of: batch.group)
    do throws(FileFailure) {
      var created: [String] = []
      let folder = try fileSystem.openDirectory(directory, permissions: 0o700, created: &created)
      let replacement = FileReplacement(
        fileSystem: fileSystem, patience: patience, replaced: nil, newPermissions: 0o600)
      try adopt(
        replacement.write(bytes, to: PersistentStore.journalName, in: folder.descriptor))
    } catch {
      throw DiskFailure(error, shown(directory + "/" + PersistentStore.journalName))
    }
    journal.appendedChange = batch.change
    journal.durableChange = batch.change
    stateLock.withLock {
      journalState.isBroken = false
      journalState.isThere = true
      journalState.hasRecords = !batch.group.records.isEmpty
      unsynchronizedSince = nil
      journalState.length = bytes.count
      // What is left is what cannot be put into buckets at present: it may grow to twice its size.
      journalState.bound = max(options.journalLimit, 2 * bytes.count)
    }
  }

  private func adopt(_ outcome: consuming FileReplacement.Outcome) throws(FileFailure) {
    // Were the old name to come back, so would the old journal.
    if let failure = outcome.notDurable { throw failure }
    adopt(file: outcome.file)
  }

  private func adopt(file: consuming OpenFile) {
    journal.descriptor = file.descriptor
    journal.file = .some(file)
  }

  /// Appends and synchronises a change, unless somebody else has done it meanwhile.
  func commit(_ change: Int) throws(DiskFailure) {
    do throws(DiskFailure) {
      try journalLock.withLock { () throws(DiskFailure) in
        guard journal.durableChange < change else { return }
        try appendPending()
        try synchronizeJournal()
      }
      noteJournalSuccess()
    } catch {
      noteJournalTrouble(error)
      throw error
    }
  }

  /// Has everything in the journal, and the journal on the disk; the buckets come later.
  ///
  /// - Throws: `StoreError` that names the file and a place that waits.
  package func commitAll() throws(StoreError) {
    do throws(DiskFailure) {
      try commit(stateLock.withLock { changeCount })
    } catch {
      throw asStoreError(error)
    }
  }

  /// Closes the journal for good.
  func closeJournal() {
    journal.file = nil
    journal.descriptor = nil
  }

  /// A write or a synchronisation failed: what the file holds behind its last good group is unknown,
  /// and a second synchronisation would report success for lost bytes.
  private func giveUpJournal(_ failure: FileFailure) -> DiskFailure {
    closeJournal()
    stateLock.withLock { journalState.isBroken = true }
    return DiskFailure(failure, shown(directory + "/" + PersistentStore.journalName))
  }

  func noteJournalSuccess() {
    stateLock.withLock {
      // Another thread may have met trouble since.
      if !journalState.isBroken { journalTrouble = nil }
    }
  }

  func noteJournalTrouble(_ failure: DiskFailure) {
    let error = asStoreError(failure)
    stateLock.withLock {
      if journalTrouble == nil { reports.append(error) }
      journalTrouble = Trouble(error, after: journalTrouble, now: fileSystem.now)
    }
  }

  /// The failure as an error about a place that waits to be written, as programs write it.
  func asStoreError(_ failure: DiskFailure) -> StoreError {
    let text = stateLock.withLock {
      let container = pendingContainers.first ?? dirtyContainers.first
      let path = failure.place ?? container.flatMap { $0.unsavedPlace } ?? []
      return scheme.isEmpty && path.isEmpty
        ? nil : try? Reference(scheme: scheme, components: path).description
    }
    return StoreError(failure, text ?? shownDirectory)
  }
}
