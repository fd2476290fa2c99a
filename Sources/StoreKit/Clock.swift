/// The time as an interpreter sees it; whoever makes an interpreter provides it.
///
/// An interpreter without one has no present: what asks for it fails with `NotAvailable`. A clock is
/// used on the thread that uses the interpreter.
public protocol Clock: AnyObject {
  /// Nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted; somebody may set it.
  var wallTime: Int { get }

  /// The same as `wallTime`, but quick to ask for: it may lag some milliseconds behind.
  var coarseWallTime: Int { get }

  /// Nanoseconds since a moment of the past, the same as long as the clock exists; nobody sets it.
  var monotonicTime: Int { get }

  /// Lets time pass until `monotonicTime` has reached a deadline or somebody calls for attention.
  ///
  /// It may return early, as the interpreter looks what has come and waits again.
  ///
  /// - Parameters:
  ///   - deadline: A value of `monotonicTime`; nil when nothing is due at any time.
  ///   - wakeUp: What another thread calls for attention with.
  func wait(until deadline: Int?, or wakeUp: WakeUp)

  /// Whether time passes only when somebody waits, as for a test: what other threads do takes none, and is
  /// waited for.
  var jumps: Bool { get }
}

extension Clock {
  /// The time itself.
  public var coarseWallTime: Int { wallTime }

  /// Time passes by itself.
  public var jumps: Bool { false }
}

/// Where an interpreter finds the descriptions of time zones.
public protocol TimeZoneSource: AnyObject {
  /// Returns the contents of a zone's file (RFC 8536).
  ///
  /// - Parameter name: Components of letters, digits, `_`, `-`, `+` with `/` between them, as
  ///   `Europe/Berlin`; the interpreter has refused everything else.
  /// - Returns: The bytes; nil when there is no such zone or its file cannot be read.
  func zoneFile(named name: String) -> [UInt8]?

  /// The zone of the place where the program runs: a name for `zoneFile(named:)`, or a rule as
  /// `CET-1CEST,M3.5.0,M10.5.0/3`; nil when it is unknown.
  var localZone: String? { get }
}
