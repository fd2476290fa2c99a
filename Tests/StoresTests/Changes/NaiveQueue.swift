import Synchronization
import TenonStoreKit

/// What the scenarios ask of a queue.
protocol QueueUnderTest: AnyObject, Sendable {
  func post(_ change: Change)
}

extension ChangeQueue: QueueUnderTest {}

/// A queue with the faults that the scenarios must find: the negative control.
final class NaiveQueue: QueueUnderTest {
  /// What is wrong with it.
  struct Faults: Sendable {
    /// An entry stays in the set until its handler is done: what changes meanwhile is lost.
    var keepsInFlight = false
    /// What has the same reference and another verb is another entry.
    var isKeyedByVerb = false
    /// The last change of a burst is dropped while delivery is held.
    var dropsTrailing = false
  }

  private struct State {
    var keys: [String] = []
    var changes: [Change] = []
    var isRunning = false
  }

  private let state = Mutex(State())
  private let faults: Faults
  private let executor: VirtualExecutor
  private let handler: @Sendable (Change) -> Void

  init(
    _ faults: Faults, on executor: VirtualExecutor, handler: @escaping @Sendable (Change) -> Void
  ) {
    self.faults = faults
    self.executor = executor
    self.handler = handler
  }

  private func key(_ change: Change) -> String {
    faults.isKeyedByVerb ? "\(change.verb) \(change.reference)" : "\(change.reference)"
  }

  func post(_ change: Change) {
    let isFirst = state.withLock { state in
      if state.keys.contains(key(change)) { return false }
      state.keys.append(key(change))
      state.changes.append(change)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFirst else { return }
    executor.at(executor.now) {
      self.run()
      return nil
    }
  }

  private func run() {
    while let change = state.withLock({ $0.changes.isEmpty ? nil : $0.changes.removeFirst() }) {
      if !faults.keepsInFlight { forget(change) }
      handler(change)
      if faults.keepsInFlight { forget(change) }
    }
    state.withLock { $0.isRunning = false }
  }

  private func forget(_ change: Change) {
    state.withLock { state in state.keys.removeAll { $0 == key(change) } }
  }
}
