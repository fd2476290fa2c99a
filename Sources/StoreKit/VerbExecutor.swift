internal import Synchronization

/// Where verbs are carried out that may take time, so that the interpreter's thread goes on meanwhile.
///
/// A store that has one can be used by several threads at a time.
public protocol VerbExecutor: AnyObject, Sendable {
  /// Has a request carried out, on another thread, as soon as there is room and all earlier requests for
  /// its place have ended, or if both only read those that do not; returns at once.
  func begin(_ request: VerbRequest)
}

/// A verb that is carried out on another thread.
public final class VerbRequest: Sendable {
  private enum State {
    case waiting
    case running
    case cancelled
    case ended
  }

  /// The place that it reads or changes.
  public let place: Reference
  /// Whether it changes nothing.
  public let isReading: Bool
  private let state = Mutex(State.waiting)
  private let body: @Sendable (_ isCancelled: Bool) -> Void

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - place: The place that it reads or changes.
  ///   - isReading: Whether it changes nothing.
  ///   - body: What is done, once; with true when it is not to be done any more, and only its end counts.
  public init(
    at place: Reference, isReading: Bool, _ body: @escaping @Sendable (_ isCancelled: Bool) -> Void
  ) {
    self.place = place
    self.isReading = isReading
    self.body = body
  }

  /// Whether it has to wait until another one has ended that was there before it.
  public func mustFollow(_ earlier: VerbRequest) -> Bool {
    place == earlier.place && !(isReading && earlier.isReading)
  }

  /// Does it; for the executor.
  public func run() {
    let isCancelled = state.withLock { state in
      if state == .cancelled { return true }
      state = .running
      return false
    }
    body(isCancelled)
    state.withLock { $0 = .ended }
  }

  /// Says that nobody waits for it any more; what has begun ends as soon as it can.
  public func cancel() { state.withLock { if $0 != .ended { $0 = .cancelled } } }

  /// Whether nobody waits for it any more: asked while it runs.
  public var isCancelled: Bool { state.withLock { $0 == .cancelled } }
}
