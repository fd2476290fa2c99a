#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// How far stopping a program has come that somebody asked to stop.
enum Interruption: Equatable {
  /// Nobody asked.
  case none
  /// The stack unwinds; clean-up blocks run up to a moment of the monotonic clock.
  case cleaningUp(until: UInt64)
  /// The stack unwinds and nothing runs any more.
  case abandoning

  /// How long clean-up blocks may go on after a request to stop, in nanoseconds.
  static let grace: UInt64 = 1_000_000_000
}

/// Stopping a program from outside.
///
/// An interrupt is no exception: no handler sees it, and whatever a clean-up block does, `^`
/// included, the stack goes on unwinding. Clean-up blocks have a grace period, those that run when
/// the request comes as well; a second request ends it.
extension Machine {
  /// Looks whether somebody asked the program to stop, and how long ago.
  ///
  /// - Returns: whether what runs now must end.
  func noticeInterrupt() -> Bool {
    if state.isInterruptRequested {
      state.clearInterrupt()
      interruption =
        interruption == .none
        ? .cleaningUp(until: monotonicTime() &+ Interruption.grace) : .abandoning
    }
    if host.limits.isActive { countStep() }
    guard interruption != .none else { return false }
    if case .cleaningUp(let deadline) = interruption, monotonicTime() >= deadline {
      interruption = .abandoning
    }
    // From now on every safepoint has to look at the clock.
    state.requestSafepoint()
    return isStopping
  }

  /// Whether nothing may run any more: after an interrupt, outside of clean-up blocks.
  var isStopping: Bool {
    switch interruption {
    case .none: false
    case .cleaningUp: exceptions.runningCleanUps == 0
    case .abandoning: true
    }
  }

  /// Begins to unwind everything.
  func stop() -> Value { state.unwind(to: topLevelTarget, with: .nil) }

  /// Counts the work on all bytes of a text or a byte array.
  @inline(__always)
  func charge(_ bytes: Value) { host.limits.charge(bytes: ObjectRef(bytes).byteCount) }

  /// Throws when what runs now must end: for loops in Swift code.
  func pollInterrupt() throws(Failure) {
    if noticeInterrupt() { throw .interrupted() }
  }

  /// Runs a clean-up block, unless the time for it is over.
  ///
  /// - Returns: what the block answered, or `unwind`, which after an interrupt takes the place of
  ///   whatever the block did.
  func withCleanUp(_ body: () -> Value) -> Value {
    if interruption == .abandoning { return stop() }
    exceptions.runningCleanUps += 1
    let outcome = body()
    exceptions.runningCleanUps -= 1
    return isStopping ? stop() : outcome
  }

  /// Forgets an interrupt once everything has been unwound.
  func endInterruption() {
    interruption = .none
    exceptions.uncaught = nil
  }

  func monotonicTime() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}
