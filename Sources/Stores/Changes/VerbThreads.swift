internal import Synchronization
public import TenonStoreKit

/// Carries verbs out on threads that are started when they are needed, up to a number, and end when they
/// have had nothing to do for a while.
///
/// Requests for one place that change it run one after the other, in their order, if the store keeps
/// places; others as there are threads.
public final class VerbThreads: VerbExecutor {
  private let core: Core?

  /// Creates an executor; it starts no thread before it gets a request.
  ///
  /// - Parameters:
  ///   - width: The most requests at a time, from 1.
  ///   - keepsOrder: Whether one request for a place follows another.
  public init(width: Int, keepsOrder: Bool = true) {
    core = Signal().map { Core(width: max(1, width), keepsOrder: keepsOrder, $0) }
  }

  deinit { core?.stop() }

  /// Has a request carried out on one of the threads.
  public func begin(_ request: VerbRequest) {
    // Without memory for a lock there are no threads: whoever asks does it.
    guard let core else { return request.run() }
    core.begin(request)
  }

  /// Whether nobody waits any more for the request that the calling thread carries out; nil for a thread
  /// that carries out none.
  public var isCancelled: Bool? { core?.current?.isCancelled }

  /// Has no more requests than a number under way at a time for places of one host; nil for any number.
  public func limitEachHost(to count: Int?) { core?.limitEachHost(to: count) }

  /// Cancels what is under way and waits until it has ended, at most two seconds.
  public func finish() { core?.finish() }

  /// Cancels what is under way, and does not wait until it has ended.
  public func cancel() { core?.cancel() }

  /// What the threads and the executor share, so that the threads do not keep the executor.
  private final class Core: Sendable {
    private struct State {
      var waiting: [VerbRequest] = []
      /// The requests that run, by the numbers of their threads.
      var running: [UInt: VerbRequest] = [:]
      var threadCount = 0
      var idleCount = 0
      var isStopped = false
      /// The most requests at a time for the places of one host; nil for any number.
      var mostOfHost: Int?

      /// Whether a request would be one too many for its host.
      func isTooMany(_ request: VerbRequest) -> Bool {
        guard let mostOfHost, let host = request.place.authority else { return false }
        return running.values.count { $0.place.authority == host } >= mostOfHost
      }
    }

    private let width: Int
    private let keepsOrder: Bool
    private let signal: Signal
    private let state = Mutex(State())

    /// How long an idle thread waits for work, in nanoseconds.
    private static let patience = 5_000_000_000
    /// How long the end waits for what was cancelled, in nanoseconds.
    private static let grace = 2_000_000_000

    init(width: Int, keepsOrder: Bool, _ signal: Signal) {
      self.width = width
      self.keepsOrder = keepsOrder
      self.signal = signal
    }

    var current: VerbRequest? { state.withLock { $0.running[WorkerThread.current] } }

    func begin(_ request: VerbRequest) {
      let needsThread = signal.withLock {
        defer { signal.call() }
        return state.withLock { state in
          state.waiting.append(request)
          guard state.waiting.count > state.idleCount, state.threadCount < width else {
            return false
          }
          state.threadCount += 1
          return true
        }
      }
      guard needsThread, !WorkerThread.start({ [self] in work() }) else { return }
      // The system has no thread left: one of the others does it, or whoever asks.
      let orphan = signal.withLock {
        state.withLock { state -> VerbRequest? in
          state.threadCount -= 1
          guard state.threadCount == 0 else { return nil }
          return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
      }
      orphan?.run()
    }

    /// The life of a thread.
    private func work() {
      while let request = takeNext() {
        request.run()
        signal.withLock {
          state.withLock { $0.running[WorkerThread.current] = nil }
          // Another one for the place may go on.
          signal.call()
        }
      }
    }

    /// Waits for a request that may run; nil when the thread is not needed any more.
    private func takeNext() -> VerbRequest? {
      signal.withLock {
        let clock = SystemClock()
        let end = clock.monotonicTime + Core.patience
        while true {
          let next: VerbRequest? = state.withLock { state in
            guard
              let index = state.waiting.indices.first(where: { index in
                let request = state.waiting[index]
                if state.isTooMany(request) { return false }
                return !keepsOrder
                  || !state.running.values.contains { request.mustFollow($0) }
                    && !state.waiting[..<index].contains { request.mustFollow($0) }
              })
            else { return nil }
            let request = state.waiting.remove(at: index)
            state.running[WorkerThread.current] = request
            return request
          }
          if let next { return next }
          let left = end - clock.monotonicTime
          let isOver = state.withLock { state in
            guard left <= 0 && state.waiting.isEmpty || state.isStopped else { return false }
            state.threadCount -= 1
            return true
          }
          if isOver { return nil }
          state.withLock { $0.idleCount += 1 }
          signal.wait(nanoseconds: max(left, 1_000_000))
          state.withLock { $0.idleCount -= 1 }
        }
      }
    }

    func limitEachHost(to count: Int?) {
      signal.withLock {
        state.withLock { $0.mostOfHost = count }
        signal.call()
      }
    }

    func cancel() {
      state.withLock { state in
        for request in state.waiting { request.cancel() }
        for request in state.running.values { request.cancel() }
      }
    }

    func finish() {
      signal.withLock {
        state.withLock { state in
          for request in state.waiting { request.cancel() }
          for request in state.running.values { request.cancel() }
        }
        let clock = SystemClock()
        let end = clock.monotonicTime + Core.grace
        while clock.monotonicTime < end {
          if state.withLock({ $0.running.isEmpty && $0.waiting.isEmpty }) { return }
          signal.wait(nanoseconds: end - clock.monotonicTime)
        }
      }
    }

    func stop() {
      signal.withLock {
        state.withLock { state in
          state.isStopped = true
          for request in state.running.values { request.cancel() }
          for request in state.waiting { request.cancel() }
        }
        signal.call()
      }
    }
  }
}
