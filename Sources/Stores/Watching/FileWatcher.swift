internal import Synchronization
internal import TenonStoreKit

/// Watches files for a store: a thread waits for the system's events and posts what has changed.
///
/// Events are looked at when none has come for a while: a program that saves a file in several steps
/// is done then. Where the system has no events, and for what it has no watches left, it looks every
/// two seconds.
final class FileWatcher: Sendable {
  /// Milliseconds without an event after which the events are looked at.
  private static let quietTime = 20
  /// Milliseconds after which they are looked at although others come.
  private static let longestTime = 200
  /// Milliseconds after which the thread looks whether it is still wanted.
  private static let idleTime = 1000

  private struct State {
    let files: WatchedFiles
    var isRunning = false
    var isStopped = false
  }

  /// What the thread uses, so that it does not keep the watcher.
  private final class Core: Sendable {
    let state: Mutex<State>
    let feed: ChangeFeed
    let notifier: (any DirectoryNotifier)?
    /// Milliseconds between two looks at what the system tells nothing about.
    let pollTime: Int
    let system = OperatingSystem()

    init(
      _ fileSystem: any FileSystem & Sendable, _ notifier: (any DirectoryNotifier)?,
      _ feed: ChangeFeed, _ pollTime: Int
    ) {
      state = Mutex(State(files: WatchedFiles(fileSystem, notifier)))
      self.notifier = notifier
      self.feed = feed
      self.pollTime = max(1, pollTime)
    }

    func post(_ changes: [(verb: Change.Verb, reference: Reference)]) {
      for change in changes { feed.post(change.verb, change.reference) }
    }

    /// The life of the thread: until nothing is watched any more.
    func run() {
      var nextPoll = system.now + pollTime
      while true {
        let isPolling = state.withLock { $0.files.hasPolled }
        let idle = FileWatcher.idleTime
        let limit = isPolling ? max(0, min(idle, nextPoll - system.now)) : idle
        if let notifier {
          if notifier.wait(milliseconds: limit) { collect(from: notifier) }
        } else {
          system.pause(milliseconds: limit)
        }
        post(state.withLock { $0.files.isDirty ? $0.files.takeChanges() : [] })
        if system.now >= nextPoll {
          nextPoll = system.now + pollTime
          if isPolling { post(state.withLock { $0.files.poll() }) }
        }
        let isDone = state.withLock { state in
          guard state.isStopped || state.files.isEmpty else { return false }
          state.isRunning = false
          return true
        }
        if isDone { return }
      }
    }

    /// Takes events until none comes for a while.
    private func collect(from notifier: any DirectoryNotifier) {
      let end = system.now + FileWatcher.longestTime
      while true {
        do throws(FileFailure) {
          let events = try notifier.events()
          state.withLock { state in for event in events { state.files.note(event) } }
        } catch {
          // What cannot be read has been lost; a pause, as it may fail again at once.
          state.withLock { $0.files.note(DirectoryEvent(.overflow, watch: -1)) }
          system.pause(milliseconds: FileWatcher.quietTime)
        }
        // What nobody waits for is not worth waiting for more.
        guard state.withLock({ $0.files.isDirty }), system.now < end,
          notifier.wait(milliseconds: FileWatcher.quietTime)
        else { return }
      }
    }
  }

  private let core: Core

  /// Creates a watcher; nothing is watched yet, and there is no thread.
  init(
    _ fileSystem: any FileSystem & Sendable, notifier: (any DirectoryNotifier)?, feed: ChangeFeed,
    poll milliseconds: Int
  ) {
    core = Core(fileSystem, notifier, feed, milliseconds)
  }

  deinit { core.state.withLock { $0.isStopped = true } }

  /// Begins to watch a path.
  ///
  /// - Returns: What ends it when it is released.
  /// - Throws: `StoreError` of the kind `unavailable` when the system has no thread left.
  func watch(
    _ path: String, _ reference: Reference, isDeep: Bool
  ) throws(StoreError) -> ChangeSubscription {
    let (number, mustStart) = core.state.withLock { state in
      let number = state.files.begin(path, reference, isDeep: isDeep)
      defer { state.isRunning = true }
      return (number, !state.isRunning)
    }
    if mustStart, !WorkerThread.start({ [core] in core.run() }) {
      core.state.withLock { state in
        state.isRunning = false
        state.files.end(number)
      }
      throw StoreError(.unavailable, reference, "the system has no thread left to watch it")
    }
    return ChangeSubscription { [core] in core.state.withLock { $0.files.end(number) } }
  }

  /// Whether somebody would be told of a change of a path.
  func isWatched(_ path: String) -> Bool { core.state.withLock { $0.files.isWatched(path) } }

  /// Lets a path alone until `noteOwn`: the store is about to change it.
  func expectOwn(_ path: String) { core.state.withLock { $0.files.expectOwn(path) } }

  /// Tells what the store has done itself.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - bytes: What it holds now; nil when it is gone or nothing was done.
  ///   - verb: What was done; nil when nothing was, or it is as it was.
  func noteOwn(_ path: String, _ bytes: [UInt8]?, _ verb: Change.Verb?) {
    core.post(core.state.withLock { $0.files.noteOwn(path, bytes, verb) })
  }
}
