internal import CTenonPlatform
internal import Synchronization
package import TenonStoreKit

/// Delivers on an interpreter's thread, in the turns of its run loop: to what shows something, or to
/// the program.
///
/// What waits keeps the program going. For an interpreter without a clock it uses the system's: when
/// something is told, no program can see.
package final class RunLoopExecutor: ChangeExecutor {
  private struct State {
    var due: [(queue: ChangeQueue, time: Int)] = []
    var thread: UInt
  }

  private let state: Mutex<State>
  private let wakeUp: WakeUp
  // Used on the interpreter's thread alone, as the protocol says of `now`.
  nonisolated(unsafe) private weak var machine: Machine?

  /// Creates the executor of an interpreter, on its thread.
  init(_ machine: Machine, _ wakeUp: WakeUp) {
    state = Mutex(State(thread: tenon_thread_number()))
    self.wakeUp = wakeUp
    unsafe self.machine = machine
  }

  /// Nanoseconds on the interpreter's clock.
  package var now: Int {
    unsafe machine?.host.clock?.monotonicTime ?? Int(tenon_monotonic_time())
  }

  /// Whether the caller is the interpreter's thread.
  package var isCurrent: Bool { state.withLock { $0.thread } == tenon_thread_number() }

  /// Whether a queue waits for its time.
  package var isLive: Bool { state.withLock { !$0.due.isEmpty } }

  /// When the next queue is to run; nil for none.
  var nextTime: Int? { state.withLock { $0.due.map(\.time).min() } }

  /// Has a queue run in a turn of the loop.
  package func schedule(_ queue: ChangeQueue, at time: Int?) {
    state.withLock { state in
      let time = time ?? .min
      if let index = state.due.firstIndex(where: { $0.queue === queue }) {
        state.due[index].time = min(state.due[index].time, time)
      } else {
        state.due.append((queue, time))
      }
    }
    wakeUp.call()
  }

  /// Waits until the interpreter's thread has brought something about.
  package func wait(until condition: () -> Bool) {
    // Nobody but the loop knows when it has: it is looked at now and then.
    while !condition() { _ = tenon_wait_for_input(-1, -1, 1_000_000, nil) }
  }

  /// Runs what is due; what becomes due meanwhile waits for the next turn.
  func runDue() {
    let now = now
    let due = state.withLock { state in
      state.thread = tenon_thread_number()
      let due = state.due.filter { $0.time <= now }.sorted { $0.time < $1.time }
      state.due.removeAll { $0.time <= now }
      return due
    }
    for each in due { each.queue.run() }
  }
}
