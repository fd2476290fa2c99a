internal import Synchronization
public import TenonStoreKit

/// Delivers on a thread of its own, one delivery after the other: for what waits for a disk or a
/// network.
///
/// The thread ends with the executor; what waits then is not delivered, so queues are closed before.
public final class SerialExecutor: ChangeExecutor {
  /// What it is called in messages.
  public let name: String
  private let core: Core

  /// Creates an executor and starts its thread.
  ///
  /// - Throws: `StoreError` of the kind `unavailable` when the system has no thread or no memory left.
  public init(_ name: String) throws(StoreError) {
    guard let signal = Signal() else {
      throw StoreError(.unavailable, name, "there is no memory for a thread")
    }
    self.name = name
    let core = Core(signal)
    self.core = core
    guard WorkerThread.start({ core.run() }) else {
      throw StoreError(.unavailable, name, "the system has no thread left")
    }
  }

  deinit { core.stop() }

  /// Nanoseconds since the system has started, or some time before.
  public var now: Int { core.clock.monotonicTime }

  /// Whether the caller is in a handler on this executor.
  public var isCurrent: Bool { core.isCurrent }

  /// Has a queue run on the thread.
  public func schedule(_ queue: ChangeQueue, at time: Int?) { core.schedule(queue, at: time) }

  /// Waits until a condition holds, looking after each delivery.
  public func wait(until condition: () -> Bool) { core.wait(until: condition) }

  /// What the thread and the executor share, so that the thread does not keep the executor.
  private final class Core: Sendable {
    private struct State {
      /// The queues that are to run, each with its time.
      var due: [(queue: ChangeQueue, time: Int)] = []
      var isStopped = false
      var thread: UInt?
    }

    let clock = SystemClock()
    private let signal: Signal
    private let state = Mutex(State())

    init(_ signal: Signal) { self.signal = signal }

    var isCurrent: Bool { state.withLock { $0.thread } == WorkerThread.current }

    func schedule(_ queue: ChangeQueue, at time: Int?) {
      signal.withLock {
        state.withLock { state in
          let time = time ?? .min
          if let index = state.due.firstIndex(where: { $0.queue === queue }) {
            state.due[index].time = min(state.due[index].time, time)
          } else {
            state.due.append((queue, time))
          }
        }
        signal.call()
      }
    }

    func wait(until condition: () -> Bool) {
      signal.withLock {
        while !condition() { signal.wait(nanoseconds: Core.longestWait) }
      }
    }

    func stop() {
      signal.withLock {
        state.withLock { $0.isStopped = true }
        signal.call()
      }
    }

    /// The life of the thread.
    func run() {
      state.withLock { $0.thread = WorkerThread.current }
      while let queue = takeNext() {
        queue.run()
        signal.withLock { signal.call() }
      }
    }

    /// Waits for the next queue to run; nil at the end.
    private func takeNext() -> ChangeQueue? {
      signal.withLock {
        while true {
          let now = clock.monotonicTime
          var pause = Core.longestWait
          let next: (queue: ChangeQueue?, isStopped: Bool) = state.withLock { state in
            if state.isStopped {
              // Queues hold the executor: what waits here would keep it alive for ever.
              state.due = []
              return (nil, true)
            }
            guard let index = state.due.indices.min(by: { state.due[$0].time < state.due[$1].time })
            else { return (nil, false) }
            guard state.due[index].time <= now else {
              pause = min(pause, state.due[index].time - now)
              return (nil, false)
            }
            return (state.due.remove(at: index).queue, false)
          }
          if next.isStopped { return nil }
          if let queue = next.queue { return queue }
          signal.wait(nanoseconds: pause)
        }
      }
    }

    /// A second, in nanoseconds: whoever waits looks again then.
    private static let longestWait = 1_000_000_000
  }
}
