internal import Synchronization

/// The thread on which queues deliver, and its clock.
public protocol ChangeExecutor: AnyObject, Sendable {
  /// Nanoseconds on a clock that nobody sets; asked for on the executor's thread.
  var now: Int { get }

  /// Whether the caller runs on the executor's thread.
  var isCurrent: Bool { get }

  /// Has `run` of a queue called on the executor's thread; any thread may ask.
  ///
  /// - Parameters:
  ///   - queue: The queue; one that was to run later runs at the earlier time.
  ///   - time: When, by `now`; nil for as soon as possible, but not before this call returns.
  func schedule(_ queue: ChangeQueue, at time: Int?)

  /// Waits, not on the executor's thread, until a condition holds after something has run.
  func wait(until condition: () -> Bool)
}

/// Delivers on the poster's thread, before posting returns: for what must not be late, and is quick.
///
/// It keeps no time, so a queue on it has neither throttle nor retries. What a handler changes is
/// delivered when the handler is done.
public final class ImmediateExecutor: ChangeExecutor {
  private struct State {
    var waiting: [ChangeQueue] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  /// Creates an executor.
  public init() {}

  /// Always 0: here no time passes.
  public var now: Int { 0 }

  /// Always true: whoever asks is where deliveries are made.
  public var isCurrent: Bool { true }

  /// Runs the queue, or has whoever is running run it next.
  public func schedule(_ queue: ChangeQueue, at time: Int?) {
    // Later never comes.
    guard time ?? .min <= now else { return }
    let isFirst = state.withLock { state in
      if !state.waiting.contains(where: { $0 === queue }) { state.waiting.append(queue) }
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFirst else { return }
    while let next = takeNext() { next.run() }
  }

  private func takeNext() -> ChangeQueue? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isRunning = false
        return nil
      }
      return state.waiting.removeFirst()
    }
  }

  /// Returns: there is nobody to wait for.
  public func wait(until condition: () -> Bool) {}
}
