internal import CTenonPlatform

/// A lock on which threads wait until somebody calls.
///
/// This file and `WorkerThread.swift` are where the pointers of the system's threads are handled.
@safe final class Signal: @unchecked Sendable {
  // The system's own object, which all threads may use.
  private let signal: OpaquePointer

  /// Fails when there is no memory for it.
  init?() {
    guard let signal = unsafe tenon_signal_create() else { return nil }
    unsafe self.signal = unsafe signal
  }

  deinit { unsafe tenon_signal_destroy(signal) }

  /// Does something while no other thread has the lock.
  func withLock<Result>(_ body: () -> Result) -> Result {
    unsafe tenon_signal_lock(signal)
    defer { unsafe tenon_signal_unlock(signal) }
    return body()
  }

  /// Wakes all that wait; the caller has the lock.
  func call() { unsafe tenon_signal_call(signal) }

  /// Waits, with the lock; it may end early.
  func wait(nanoseconds: Int) { unsafe tenon_signal_wait(signal, Int64(nanoseconds)) }
}
