internal import TenonStoreKit

// When what is done, beside the calls of whoever uses the store.

extension PersistentStore {
  /// Does what is due.
  ///
  /// - Returns: Milliseconds until something else is due; nil when nothing will be before the next
  ///   change.
  package func performDue() -> Int? {
    if options.level != .fast { journalWork() }
    let now = fileSystem.now
    // The trouble is noted, and told by whoever uses the store next.
    if isDue(bucketTime, now) { try? saveBuckets(synchronizes: options.level != .fast) }
    return stateLock.withLock {
      let times = [journalTime, synchronizeTime, compactionTime, bucketTime].compactMap { $0 }
      guard let next = times.min(), !isClosed else {
        hasThread = false
        return nil
      }
      return max(0, next - fileSystem.now)
    }
  }

  private func isDue(_ time: @autoclosure () -> Int?, _ now: Int) -> Bool {
    stateLock.withLock { !isClosed && time().map { $0 <= now } ?? false }
  }

  /// Appends and synchronises if it is time.
  func journalWork() {
    let now = fileSystem.now
    guard isDue(journalTime, now) || isDue(synchronizeTime, now) || isDue(compactionTime, now)
    else { return }
    do throws(DiskFailure) {
      try journalLock.withLock { () throws(DiskFailure) in
        if isDue(compactionTime, now) { try replaceJournal() }
        if isDue(journalTime, now) { try appendPending() }
        if isDue(synchronizeTime, now) { try synchronizeJournal() }
      }
      noteJournalSuccess()
    } catch {
      noteJournalTrouble(error)
    }
  }

  // The state's lock is held for these.

  private var journalTime: Int? {
    guard options.level != .fast else { return nil }
    if journalState.isBroken { return journalTrouble?.nextAttempt ?? fileSystem.now }
    return pendingSince.map { max($0 + options.appendDelay, journalTrouble?.nextAttempt ?? 0) }
  }

  private var synchronizeTime: Int? {
    guard !journalState.isBroken else { return nil }
    return unsynchronizedSince.map { $0 + options.synchronizeDelay }
  }

  /// While buckets cannot be written, a journal that has grown is written anew without what is out of
  /// date.
  private var compactionTime: Int? {
    guard !journalState.isBroken, bucketTrouble != nil, journalState.length > journalState.bound
    else { return nil }
    return journalTrouble?.nextAttempt ?? fileSystem.now
  }

  private var bucketTime: Int? {
    guard let dirtySince, !dirtyContainers.isEmpty else { return nil }
    let retry = max(bucketTrouble?.nextAttempt ?? 0, journalTrouble?.nextAttempt ?? 0)
    let isUrgent = options.level != .fast && journalState.length > journalState.bound
    let delay = options.level == .fast ? options.appendDelay : options.bucketDelay
    return max(isUrgent ? dirtySince : dirtySince + delay, retry)
  }

  /// Sees to it that a thread does what is due as long as anything is.
  func startThread() {
    guard options.usesThread else { return }
    let isNeeded = stateLock.withLock {
      defer { hasThread = true }
      return !hasThread
    }
    guard isNeeded else { return }
    let hasStarted = BackgroundThread.start { [weak self] in
      while let delay = self?.performDue() {
        // Not longer than this: a change meanwhile is due before what was known of.
        BackgroundThread.sleep(milliseconds: min(delay, PersistentStore.longestSleep))
      }
    }
    guard !hasStarted else { return }
    // Without a thread everything is written at once.
    stateLock.withLock { hasThread = false }
    try? saveBuckets(synchronizes: options.level != .fast)
  }

  /// In milliseconds; with the delay of a batch, and a write, less than 50.
  private static let longestSleep = 15
}
