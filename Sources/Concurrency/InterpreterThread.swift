internal import CTenonPlatform
internal import Synchronization
internal import TenonRuntime

/// A thread that does jobs one after the other.
final class InterpreterThread: SerialExecutor {
  private let thread = JobThread()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedSerialExecutor()
    // The executor lives as long as one of its jobs runs.
    thread.add { [self] in
      withExtendedLifetime(self) { unsafe job.runSynchronously(on: executor) }
    }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  /// Lets the thread end when it has done what there is.
  func end() { thread.end() }
}

/// A thread for the tasks of a function that scripts call.
///
/// They do not run in the pool of tasks: a script that waits for their answers may hold up a thread of that,
/// and as many scripts as it has threads would wait for ever.
final class CallThread: TaskExecutor, LiveSource {
  private let thread = JobThread()
  private let callCount = Atomic(0)

  deinit { thread.end() }

  /// Whether calls are under way: the run loop goes on for their sake.
  var isLive: Bool { callCount.load(ordering: .relaxed) > 0 }

  func beginCall() { callCount.add(1, ordering: .relaxed) }

  func endCall() { callCount.subtract(1, ordering: .relaxed) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedTaskExecutor()
    thread.add { [self] in
      withExtendedLifetime(self) { unsafe job.runSynchronously(on: executor) }
    }
  }
}

/// A thread that begins with its first job.
private final class JobThread: Sendable {
  private let queue = JobQueue()
  /// Whether there is a thread; nil before the first job.
  private let hasThread = Mutex<Bool?>(nil)

  func add(_ job: @escaping () -> Void) {
    let hasThread = hasThread.withLock { known in
      let started = known ?? start()
      known = started
      return started
    }
    if hasThread { queue.add(job) } else { job() }
  }

  private func start() -> Bool {
    // The thread holds the queue alone, so that it ends with the executor.
    let context = unsafe Unmanaged.passRetained(queue).toOpaque()
    let started = unsafe tenon_start_thread(
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<JobQueue>.fromOpaque(context).takeRetainedValue().run()
      }, context)
    if started != 0 { unsafe Unmanaged<JobQueue>.fromOpaque(context).release() }
    return started == 0
  }

  /// Lets the thread end when it has done what there is.
  func end() { queue.end() }
}

/// What a thread has to do.
@safe
private final class JobQueue: @unchecked Sendable {
  private let signal: OpaquePointer?
  private var jobs: [() -> Void] = []
  private var hasEnded = false

  init() { unsafe signal = tenon_signal_create() }

  deinit { if let signal = unsafe signal { unsafe tenon_signal_destroy(signal) } }

  func add(_ job: @escaping () -> Void) { locked { jobs.append(job) } }

  func end() { locked { hasEnded = true } }

  private func locked(_ body: () -> Void) {
    unsafe tenon_signal_lock(signal)
    body()
    unsafe tenon_signal_call(signal)
    unsafe tenon_signal_unlock(signal)
  }

  /// Does jobs until the end.
  func run() {
    while true {
      unsafe tenon_signal_lock(signal)
      while jobs.isEmpty, !hasEnded { unsafe tenon_signal_wait(signal, .max) }
      let due = jobs
      jobs = []
      unsafe tenon_signal_unlock(signal)
      if due.isEmpty { return }
      for job in due { job() }
    }
  }
}
