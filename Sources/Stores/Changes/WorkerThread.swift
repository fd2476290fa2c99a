internal import CTenonPlatform

/// A thread for something that waits: nobody waits for its end, and it gets no signals.
enum WorkerThread {
  /// Runs something on a thread of its own.
  ///
  /// - Returns: Whether the system had a thread left.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let context = unsafe Unmanaged.passRetained(Job(body))
    let result = unsafe tenon_start_thread(
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Job>.fromOpaque(context).takeRetainedValue().body()
      }, context.toOpaque())
    if result != 0 { unsafe context.release() }
    return result == 0
  }

  /// A number that no other living thread has.
  static var current: UInt { tenon_thread_number() }

  private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
