internal import CTenonPlatform
public import TenonStoreKit

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The clocks of the system.
public final class SystemClock: TenonStoreKit::Clock, Sendable {
  /// Creates a clock.
  public init() {}

  /// Nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public var wallTime: Int { nanoseconds(CLOCK_REALTIME) }

  /// The time of the last tick of the system's clock.
  public var coarseWallTime: Int {
    #if os(Linux)
      nanoseconds(CLOCK_REALTIME_COARSE)
    #else
      wallTime
    #endif
  }

  /// Nanoseconds since the system has started, or some time before.
  public var monotonicTime: Int { nanoseconds(CLOCK_MONOTONIC) }

  /// Sleeps until a moment, or until somebody calls for attention.
  public func wait(until deadline: Int?, or wakeUp: WakeUp) {
    wakeUp.wait(nanoseconds: deadline.map { $0 - monotonicTime } ?? .max)
  }

  private func nanoseconds(_ clock: clockid_t) -> Int {
    var now = timespec()
    guard unsafe clock_gettime(clock, &now) == 0 else { return 0 }
    return now.tv_sec * 1_000_000_000 + now.tv_nsec
  }
}
